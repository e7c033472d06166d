"""Recovery: what is not saved yet survives a crash.

Each running program has a name of its own in the recovery folder. While experiment or lesson have unsaved changes it
keeps copies there: see gui.recovery_store.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QLockFile, QObject, QTimer

from core.document import Document
from core.lesson import Lesson
from core.problems import Problem
from gui.background import Background
from gui.language import mark, tr, tr_marked
from gui.recovery_store import (
    Entry,
    Origin,
    document_file,
    lesson_file,
    lock_of,
    names_left,
    read_entry,
    recovery_folder,
    remove,
    remove_all,
    remove_entry,
    write_copy,
)
from gui.session import Session
from gui.state import State

# Milliseconds from a change to its copy: at most so much work is lost.
DELAY = 3000

Kept = tuple[Document | None, Lesson | None]  # what has changes
NOTHING: Kept = (None, None)


class Recovery(QObject):
    """Keeps copies of unsaved changes, and offers those of programs that died.

    `may_leave` is asked before what is restored takes the place of what is open.
    """

    def __init__(self, session: Session, may_leave: Callable[[], bool] | None = None) -> None:
        super().__init__(session)
        self._session = session
        self._may_leave = may_leave or _always
        self._name = uuid.uuid4().hex
        self._lock: QLockFile | None = None
        self._claimed: dict[str, QLockFile] = {}
        self._written = self._copying = NOTHING
        self._ended = False
        self._work = Background(self, patience=0.0)
        self._work.done.connect(self._on_copied)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY)
        self._timer.timeout.connect(self._write_beside)
        session.changed.connect(self._on_changed)

    # This program's own copy

    def write(self) -> bool:
        """Copy what has changes now. False where there is nothing to copy or the disk refuses."""
        self._work.finish()
        begun = self._begin()
        self._work.finish()
        return begun and _same(self._copying, self._written)

    def _write_beside(self) -> None:
        """One copy after the other: what has changed during one is copied after it."""
        if self._work.busy:
            self._timer.start()
        else:
            self._begin()

    def _begin(self) -> bool:
        """Begin to copy what has changes, beside the window. False where there is nothing to copy, or no place."""
        self._timer.stop()
        state = self._session.state
        kept = _changed(state)
        if kept == NOTHING or _same(kept, self._written):
            return False
        try:
            self._prepare()
        except OSError:
            return False
        self._copying = kept
        self._work.start(partial(_written, self._name, kept, _origin_of(state)))
        return True

    def _on_copied(self, whole: bool) -> None:
        if whole:
            self._written = self._copying

    def keep(self) -> bool:
        """Copy what has changes now; whether a crash would lose nothing."""
        self.write()
        return _same(_changed(self._session.state), self._written)

    def finish(self) -> None:
        """The program ends as it should: its copy goes, and what it has not restored is left for the next start."""
        self._ended = True
        self._drop()
        for lock in self._claimed.values():
            lock.unlock()
        self._claimed.clear()

    # What others left

    def find_recovered(self) -> list[Entry]:
        """What programs that died have left, the latest first. Each is offered by one program at a time."""
        found = [self._claim(name) for name in names_left() if name != self._name]
        return sorted(filter(None, found), key=_time, reverse=True)

    def restore(self, entry: Entry) -> bool:
        """Open what was left, as changes that are not saved yet. False if the user wants to stay."""
        if not self._may_leave():
            return False
        if entry.lesson is not None:
            self._restore_lesson(entry.lesson, entry)
        if entry.document is not None and not self._session.tried(partial(self._restore_document, entry)):
            return False
        # The old copy goes only when ours is safe on the disk.
        if self.write():
            self.discard(entry)
        return True

    def _restore_document(self, entry: Entry) -> None:
        assert entry.document is not None, "an entry without experiment is a lesson's"
        if entry.scene is not None:
            self._session.edit(entry.document, mark("Live edits again"))
        else:
            self._session.open_document(entry.document, entry.path)
            self._session.mark_recovered()

    def _restore_lesson(self, lesson: Lesson, entry: Entry) -> None:
        lecture = self._session.lecture
        lecture.open(lesson, entry.lesson_path)
        lecture.mark_recovered()
        if entry.scene is not None:
            lecture.go(entry.scene)

    def discard(self, entry: Entry) -> None:
        """Throw away what was left."""
        remove_entry(entry)
        lock = self._claimed.pop(entry.name, None)
        if lock is not None:
            lock.unlock()

    # Inside

    def _on_changed(self, old: State, new: State) -> None:
        kept = _changed(new)
        if kept == NOTHING:
            self._drop()
            return
        self._forget_saved(kept)
        if not self._ended and not _same(kept, self._written) and not self._timer.isActive():
            self._timer.start()

    def _forget_saved(self, kept: Kept) -> None:
        """What has no changes any more needs no copy, while the other still does."""
        if not any(had is not None and has is None for had, has in zip(self._copying, kept, strict=True)):
            return
        self._work.finish()
        document, lesson = self._written
        if document is not None and kept[0] is None:
            remove(document_file(self._name))
            document = None
        if lesson is not None and kept[1] is None:
            remove(lesson_file(self._name))
            lesson = None
        self._written = document, lesson

    def _prepare(self) -> None:
        """The folder, and the lock that says that this program lives."""
        recovery_folder().mkdir(parents=True, exist_ok=True)
        if self._lock is None:
            lock = lock_of(self._name)
            if not lock.tryLock(0):
                raise OSError
            self._lock = lock

    def _drop(self) -> None:
        self._timer.stop()
        self._work.finish()
        self._written = NOTHING
        if self._lock is not None:
            remove_all(self._name)
            self._lock.unlock()
            self._lock = None

    def _claim(self, name: str) -> Entry | None:
        """What a program left, if it is dead and something of it is whole; damaged files stay where they are."""
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
    """What a program left, by the names of its files, or by its titles."""
    names = []
    if entry.lesson is not None:
        names.append(entry.lesson_path.name if entry.lesson_path else entry.lesson.title.of(language) or tr("Lesson"))
    if entry.document is not None:
        own = tr_marked(entry.document.title) if entry.document.title else tr("Untitled")
        names.append(entry.path.name if entry.path else own)
    return tr(" + ").join(names)


def _written(name: str, kept: Kept, origin: Origin) -> bool:
    """Copy it; False where the disk refuses."""
    try:
        write_copy(name, *kept, origin)
    except (OSError, Problem):
        return False
    return True


def _changed(state: State) -> Kept:
    return state.document if state.dirty else None, state.lesson if state.lesson_dirty else None


def _same(one: Kept, other: Kept) -> bool:
    """Whether these are the very same objects."""
    return all(a is b for a, b in zip(one, other, strict=True))


def _origin_of(state: State) -> Origin:
    lesson = state.lesson
    return Origin(
        path=str(state.path) if state.path else None,
        lesson=str(state.lesson_path) if state.lesson_path else None,
        folder=str(lesson.folder) if lesson is not None and lesson.folder is not None else None,
        scene=state.scene,
    )


def _always() -> bool:
    return True


def _time(entry: Entry) -> int:
    return entry.time.toMSecsSinceEpoch()
