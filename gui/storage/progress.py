"""What the learner has finished, and the experiment that was open last; kept in the user's folder."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from msgspec import Struct, structs
from PySide6.QtCore import QObject, QTimer, Signal

from core.base.files import exists, write_bytes
from core.document.document import Document
from core.labs.lab import LABS, Setting
from core.lesson.lesson import LESSONS
from core.storage.archive import dumps, load
from core.storage.model_file import is_linked
from gui.session.preferences import home, locked, read_settings, write_settings
from gui.session.session import Session
from gui.session.state import State
from gui.storage.lesson_files import LessonFiles
from gui.storage.recovery_store import RecoveredState

FILE = "progress.json"
QUIZ = "quiz"
LAST_COPY = "last.attn.json"
LARGEST_COPY = 512  # tokens or columns; a larger experiment without a file is not kept
SAVE_MS = 1000


class LastExperiment(Struct, frozen=True):
    """The experiment that was open last. `path` is "" for one without a file: then a copy is kept.

    `time`: seconds since 1970.
    """

    path: str = ""
    title: str = ""
    time: float = 0.0
    stand: RecoveredState = RecoveredState()

    @property
    def file(self) -> Path:
        """The file to open."""
        return Path(self.path) if self.path else home() / LAST_COPY


class Progress(Struct, frozen=True):
    """Ids of finished lessons, of labs in which something was changed, and of answered quiz cards.

    `scenes`: where an unfinished lesson stands, from 0.
    """

    lessons: frozenset[str] = frozenset()
    labs: frozenset[str] = frozenset()
    quiz: frozenset[str] = frozenset()
    scenes: dict[str, int] = {}
    last: LastExperiment | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been begun."""
        return not (self.lessons or self.labs or self.quiz or self.scenes or self.last)


def load_progress() -> Progress:
    """Load the progress; what cannot be read starts over."""
    saved, good = read_settings(FILE), dict[str, Any]()
    for name, kind in get_type_hints(Progress).items():
        with suppress(KeyError, msgspec.ValidationError):
            good[name] = msgspec.convert(saved[name], kind)
    found = Progress(**good)
    return structs.replace(
        found,
        lessons=found.lessons & frozenset(LESSONS),
        labs=found.labs & frozenset(LABS),
        scenes={name: max(at, 0) for name, at in found.scenes.items() if name in LESSONS},
    )


def open_last(last: LastExperiment) -> Document | None:
    """Load the last experiment; None where its file is gone. Raises what loading raises."""
    return load(last.file) if exists(last.file) else None


class ProgressKeeper(QObject):
    """Follows lessons and labs, and saves what was finished. `changed()`: there is something new."""

    changed = Signal()

    def __init__(self, session: Session, lessons: LessonFiles) -> None:
        super().__init__(session)
        self._session, self._lessons = session, lessons
        self.progress = load_progress()
        self._saver = QTimer(self, singleShot=True, interval=SAVE_MS)
        self._saver.timeout.connect(self.save)
        session.changed.connect(self._on_changed)

    def _on_changed(self, old: State, new: State) -> None:
        """Note the scene of a shipped lesson, or that its last step was seen."""
        shown, lesson = new.scene, self._lessons.shipped
        if shown is None or new.lesson is None or not lesson:
            return
        if (old.scene, old.steps_taken) == (shown, new.steps_taken):
            return
        scenes = {name: at for name, at in self.progress.scenes.items() if name != lesson}
        if shown.index == len(new.lesson.scenes) - 1 and new.steps_taken == shown.steps:
            self._update(lessons=self.progress.lessons | {lesson}, scenes=scenes)
        elif shown.index:
            self._update(scenes={**scenes, lesson: shown.index})

    def note_lab(self, lab_id: str, setting: Setting) -> None:
        """Note that the user has changed something in a lab, or answered a card of the quiz."""
        if lab_id == QUIZ:
            answers: Mapping[str, object] = setting.facts.get("first", {})
            cards = {key.split()[0] for key in answers}  # a seed may follow
            self._update(quiz=self.progress.quiz | cards)
        else:
            self._update(labs=self.progress.labs | {lab_id})

    def note_last(self) -> None:
        """Note the open experiment as the last one, unless its changes were discarded."""
        state = self._session.state
        if (state.scene is not None and not state.live) or (state.path is None and state.dirty):
            return
        if state.path is None and not _keep_copy(state.document):
            return
        cursor = state.cursor
        last = LastExperiment(
            str(state.path or ""),
            state.document.title,
            time.time(),
            RecoveredState(cursor.stage, cursor.head, cursor.row, cursor.column, cursor.reach),
        )
        self._update(last=last)

    def _update(self, **changes: Any) -> None:
        new = structs.replace(self.progress, **changes)
        if new != self.progress:
            self.progress = new
            self._saver.start()
            self.changed.emit()

    def save(self) -> None:
        """Save now; what another program has finished meanwhile is kept."""
        self._saver.stop()
        with locked("progress"):
            other, mine = load_progress(), self.progress
            lessons = mine.lessons | other.lessons
            scenes = {**other.scenes, **mine.scenes}
            self.progress = Progress(
                lessons,
                mine.labs | other.labs,
                mine.quiz | other.quiz,
                {name: at for name, at in scenes.items() if name not in lessons},
                max(filter(None, (mine.last, other.last)), key=_time_of, default=None),
            )
            if self.progress != other:
                write_settings(FILE, self.progress)


def _time_of(last: LastExperiment) -> float:
    return last.time


def _keep_copy(document: Document) -> bool:
    """Write a copy of an experiment without a file; False where it is too large or refused."""
    if max(document.sizes.values()) > LARGEST_COPY and not is_linked(document):
        return False
    with suppress(OSError, ValueError):
        home().mkdir(parents=True, exist_ok=True)
        write_bytes(home() / LAST_COPY, dumps(document))
        return True
    return False
