"""Recovery: copies of unsaved changes survive a crash.

Each running program has a name of its own in the recovery folder and writes copies there, see
recovery_store.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from msgspec import structs
from PySide6.QtCore import QLocale, QLockFile, QObject

from core.base.errors import UserError
from core.check.answers import LearnerWork
from gui.session.presented_views import are_valid_views
from gui.session.session import Session
from gui.session.state import State
from gui.storage.answers import to_texts
from gui.storage.experiment_files import SavedFile
from gui.storage.recovery_store import (
    NOTHING,
    Entry,
    Origin,
    RecoveredState,
    Unsaved,
    copy_names,
    file_of,
    lock_of,
    read_entry,
    recovery_folder,
    remove,
    remove_all,
    remove_entry,
    unsaved,
    write_copy,
)
from gui.texts.translation import mark, tr, tr_marked
from gui.widgets.worker import BackgroundWriter

# Milliseconds from a change to its copy.
DELAY = 3000


Say = Callable[..., None]  # shows a sentence with offers, each a name and a function


class Recovery(QObject):
    """Write copies of unsaved changes, and offer those of programs that crashed.

    `may_leave` is asked before a copy replaces what is open. `files` and `lessons` know the stamps
    of the open files.
    """

    def __init__(
        self,
        session: Session,
        may_leave: Callable[[], bool] | None = None,
        files: SavedFile | None = None,
        lessons: SavedFile | None = None,
    ) -> None:
        super().__init__(session)
        self._files, self._lessons = files, lessons
        self._session = session
        self._may_leave = may_leave or (lambda: True)
        self._name = uuid.uuid4().hex
        self._lock: QLockFile | None = None
        self._claimed: dict[str, QLockFile] = {}
        self._written = self._copying = NOTHING
        self._ended = False
        self._work = BackgroundWriter(self, DELAY)
        self._work.due.connect(self._begin)
        self._work.done.connect(self._on_copied)
        session.changed.connect(self._on_changed)

    # The copy of this program

    def write(self) -> bool:
        """Write a copy now. False where there are no changes or the disk refuses."""
        self._work.finish()
        begun = self._begin()
        self._work.finish()
        return begun and self._written == self._copying

    def _begin(self) -> bool:
        """Start to write a copy in a worker thread. False where there are no changes or no folder."""
        self._work.forget()
        kept = self._unsaved()
        if kept in (NOTHING, self._written):
            return False
        try:
            self._prepare()
        except OSError:
            return False
        self._copying = kept
        self._work.start(partial(_written, self._name, kept, self._written))
        return True

    def _on_copied(self, whole: bool) -> None:
        if whole:
            self._written = self._copying

    def save_now(self) -> bool:
        """Write a copy now; whether a crash would lose nothing."""
        self.write()
        return self._unsaved() == self._written

    def finish(self) -> None:
        """Delete the copy at a normal end; copies of other programs stay for the next start."""
        self._ended = True
        self._drop()
        for lock in self._claimed.values():
            lock.unlock()
        self._claimed.clear()

    # The copies of other programs

    def find_recovered(self) -> list[Entry]:
        """The copies of programs that crashed, the latest first. Only one program claims each."""
        found = [self._claim(name) for name in copy_names() if name != self._name]
        return sorted(
            filter(None, found), key=lambda entry: entry.time.toMSecsSinceEpoch(), reverse=True
        )

    def offer(self, say: Say) -> None:
        """Offer the latest copy with a button that restores it and one that discards it."""
        language = self._session.state.language
        for entry in self.find_recovered()[:1]:
            say(
                tr(
                    "“{name}” was not saved when the program closed unexpectedly on {time}.",
                    name=title_of(entry, language),
                    time=QLocale(language).toString(entry.time, QLocale.FormatType.ShortFormat),
                ),
                (tr("Restore"), partial(self._restore_or_offer, entry, say)),
                (tr("Discard"), partial(self.discard, entry)),
            )

    def _restore_or_offer(self, entry: Entry, say: Say) -> None:
        if not self.restore(entry):
            self.offer(say)

    def restore(self, entry: Entry) -> bool:
        """Open a copy as unsaved changes. False if the user cancels."""
        if not self._may_leave():
            return False
        if not self._session.attempt(partial(self._bring_back, entry)):
            return False
        # Delete the old copy only after the new one is written.
        if self.write():
            self.discard(entry)
        return True

    def _bring_back(self, entry: Entry) -> None:
        if entry.lesson is not None:
            lecture = self._session.lesson_player
            lecture.open(entry.lesson, entry.lesson_path, entry.scene or 0, entry.aside)
            shown = self._session.state.scene
            if shown is not None and entry.scene is not None and entry.stand.walked > 0:
                lecture.go_to(entry.scene, min(entry.stand.walked, shown.steps))
            if entry.lesson_changed:
                lecture.mark_recovered()
        if entry.document is not None and entry.scene is not None:
            self._session.edit(entry.document, mark("Restore live edits"))
        elif entry.document is not None:
            self._session.open_document(entry.document, entry.path)
            self._session.mark_recovered()
        for file, was in ((self._files, entry.stamp), (self._lessons, entry.lesson_stamp)):
            if file is not None and was is not None:
                file.stamp = was  # saving asks where the file has changed since
        self._session.answers.restore(entry.answers)
        if entry.document is not None or entry.scene is not None:
            self._stand(entry.stand)

    def _stand(self, stand: RecoveredState) -> None:
        """Restore the step, and the choices of the presentation."""
        cursor = stand.cursor
        if cursor is not None:
            self._session.go_to(cursor)
        if are_valid_views(stand.presented):
            self._session.set_preferences(
                presented=stand.presented, presented_for=str(self._session.state.path or "")
            )

    def discard(self, entry: Entry) -> None:
        """Delete a copy."""
        remove_entry(entry)
        lock = self._claimed.pop(entry.name, None)
        if lock is not None:
            lock.unlock()

    # Inside

    def _unsaved(self) -> Unsaved:
        """What a crash would lose now, with the stamps of its files."""
        kept = _changed(self._session.state)
        if kept == NOTHING:
            return NOTHING
        stamps = {
            "stamp": self._files.stamp if self._files is not None else None,
            "lesson_stamp": self._lessons.stamp if self._lessons is not None else None,
        }
        return replace(kept, origin=structs.replace(kept.origin, **stamps))

    def _on_changed(self, old: State, new: State) -> None:
        kept = self._unsaved()
        if kept == NOTHING:
            self._drop()
            return
        self._forget_saved(kept)
        if not self._ended and kept != self._written:
            self._work.want()

    def _forget_saved(self, kept: Unsaved) -> None:
        """Delete copies of what has been saved, while something else is still unsaved.

        Live edits that move to another scene are kept until they are written there.
        """
        if _needed(self._copying, kept) == self._copying:
            return
        self._work.finish()
        needed = _needed(self._written, kept)
        for ending in self._written.parts.keys() - needed.parts.keys():
            remove(file_of(self._name, ending))
        self._written = needed

    def _prepare(self) -> None:
        """Create the folder and the lock file."""
        recovery_folder().mkdir(parents=True, exist_ok=True)
        if self._lock is None:
            lock = lock_of(self._name)
            if not lock.tryLock(0):
                raise OSError
            self._lock = lock

    def _drop(self) -> None:
        self._work.forget()
        self._work.finish()
        self._written = NOTHING
        if self._lock is not None:
            remove_all(self._name)
            self._lock.unlock()
            self._lock = None

    def _claim(self, name: str) -> Entry | None:
        """Lock and read the copy of a program that crashed; None if it runs or the copy is damaged."""
        lock = self._claimed.get(name) or lock_of(name)
        if name not in self._claimed and not lock.tryLock(0):
            return None
        entry = read_entry(name)
        if entry is None:
            lock.unlock()
            self._claimed.pop(name, None)
            return None
        self._claimed[name] = lock
        return entry


def title_of(entry: Entry, language: str) -> str:
    """The name of a copy, by its files or titles."""
    names = []
    if entry.lesson is not None:
        names.append(
            entry.lesson_path.name
            if entry.lesson_path
            else entry.lesson.title.of(language) or tr("Lesson")
        )
    if entry.document is not None:
        own = tr_marked(entry.document.title) if entry.document.title else tr("Untitled")
        names.append(entry.path.name if entry.path else own)
    return tr(" + ").join(names)


def _changed(state: State) -> Unsaved:
    """What a crash would lose: experiment and lesson with changes or live edits."""
    document = state.document if state.dirty else None
    taught = state.lesson_dirty or state.live_edits or (state.dirty and state.live)
    if document is None and not taught:
        return NOTHING
    return unsaved(document, state.lesson if taught else None, state.live_edits, _origin_of(state))


def _needed(copied: Unsaved, kept: Unsaved) -> Unsaved:
    """The parts of a copy that are still unsaved, wherever they are now."""
    parts = [*kept.parts.values()]
    return replace(
        copied,
        parts={
            ending: part
            for ending, part in copied.parts.items()
            if ending in kept.parts or any(part is other for other in parts)
        },
    )


def _written(name: str, kept: Unsaved, there: Unsaved) -> bool:
    """Write a copy; False where the disk refuses."""
    try:
        write_copy(name, kept, there)
    except (OSError, UserError):
        return False
    return True


def _origin_of(state: State) -> Origin:
    lesson, cursor = state.lesson, state.cursor
    return Origin(
        path=str(state.path) if state.path else None,
        lesson=str(state.lesson_path) if state.lesson_path else None,
        folder=str(lesson.folder) if lesson is not None and lesson.folder is not None else None,
        scene=state.scene_index,
        lesson_changed=state.lesson_dirty,
        answers=to_texts(LearnerWork(state.entries, state.given)),
        stand=RecoveredState(
            cursor.stage,
            cursor.head,
            cursor.row,
            cursor.column,
            cursor.reach,
            state.steps_taken,
            state.preferences.presented,
        ),
    )
