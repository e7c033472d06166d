"""Recovery: what is not saved yet survives a crash.

Each running program has a name of its own in the recovery folder. While there are unsaved changes it keeps three
files there: `NAME.attn.json`, the experiment, which opens like any other; `NAME.origin.json`, the path of the file
that it belongs to; and `NAME.lock`, which the operating system gives to somebody else only once the program is dead.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
from PySide6.QtCore import QDateTime, QLockFile, QObject, QTimer

from core import archive
from core.archive_disk import read_bytes, write_bytes
from core.document import Document
from core.problems import Problem
from gui.files import SUFFIX
from gui.preferences import home
from gui.session import Session
from gui.state import State

# Milliseconds from a change to its copy: at most so much work is lost.
DELAY = 3000


class Origin(msgspec.Struct):
    """What `NAME.origin.json` holds."""

    path: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """What a program that died left behind: the document, the file it belongs to (None = untitled) and when."""

    name: str
    document: Document
    path: Path | None
    time: QDateTime


class Recovery(QObject):
    """Keeps copies of unsaved changes, and offers those of programs that died.

    `may_leave` is asked before a restored document takes the place of the one that is open.
    """

    def __init__(self, session: Session, may_leave: Callable[[], bool] | None = None) -> None:
        super().__init__(session)
        self._session = session
        self._may_leave = may_leave or _always
        self._name = uuid.uuid4().hex
        self._lock: QLockFile | None = None
        self._claimed: dict[str, QLockFile] = {}
        self._written: Document | None = None
        self._ended = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY)
        self._timer.timeout.connect(self.write)
        session.changed.connect(self._on_changed)

    # This program's own copy

    def write(self) -> bool:
        """Copy the document now. False where there is nothing to copy or the disk refuses."""
        self._timer.stop()
        state = self._session.state
        if not state.dirty or state.document is self._written:
            return False
        try:
            self._prepare()
            origin = Origin(str(state.path) if state.path else None)
            write_bytes(_origin_file(self._name), msgspec.json.encode(origin))
            archive.save(state.document, _document_file(self._name))
        except (OSError, Problem):
            return False
        self._written = state.document
        return True

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
        with suppress(OSError):
            names = [file.name[: -len(SUFFIX)] for file in _folder().glob(f"*{SUFFIX}")]
            found = [self._claim(name) for name in names if name != self._name]
            return sorted(filter(None, found), key=_time, reverse=True)
        return []

    def restore(self, entry: Entry) -> bool:
        """Open what was left, as changes that are not saved yet. False if the user wants to stay."""
        if not self._may_leave():
            return False
        self._session.open_document(entry.document, entry.path)
        self._session.mark_recovered()
        # The old copy goes only when ours is safe on the disk.
        if self.write():
            self.discard(entry)
        return True

    def discard(self, entry: Entry) -> None:
        """Throw away what was left."""
        _remove(entry.name)
        lock = self._claimed.pop(entry.name, None)
        if lock is not None:
            lock.unlock()

    # Inside

    def _on_changed(self, old: State, new: State) -> None:
        if not new.dirty:
            self._drop()
        elif not self._ended and new.document is not self._written and not self._timer.isActive():
            self._timer.start()

    def _prepare(self) -> None:
        """The folder, and the lock that says that this program lives."""
        _folder().mkdir(parents=True, exist_ok=True)
        if self._lock is None:
            lock = _lock(self._name)
            if not lock.tryLock(0):
                raise OSError
            self._lock = lock

    def _drop(self) -> None:
        self._timer.stop()
        self._written = None
        if self._lock is not None:
            _remove(self._name)
            self._lock.unlock()
            self._lock = None

    def _claim(self, name: str) -> Entry | None:
        """What a program left, if it is dead and the file is whole; damaged ones stay where they are, untouched."""
        lock = self._claimed.get(name) or _lock(name)
        if name not in self._claimed and not lock.tryLock(0):
            return None
        file = _document_file(name)
        try:
            written = QDateTime.fromMSecsSinceEpoch(file.stat().st_mtime_ns // 1_000_000)
            entry = Entry(name, archive.load(file), _origin(name), written)
        except (OSError, Problem):
            lock.unlock()
            self._claimed.pop(name, None)
            return None
        self._claimed[name] = lock
        return entry


def _always() -> bool:
    return True


def _time(entry: Entry) -> int:
    return entry.time.toMSecsSinceEpoch()


def _folder() -> Path:
    return home() / "recovery"


def _document_file(name: str) -> Path:
    return _folder() / f"{name}{SUFFIX}"


def _origin_file(name: str) -> Path:
    return _folder() / f"{name}.origin.json"


def _origin(name: str) -> Path | None:
    with suppress(Problem, msgspec.DecodeError, ValueError):
        path = msgspec.json.decode(read_bytes(_origin_file(name)), type=Origin).path
        return Path(path) if path else None
    return None


def _lock(name: str) -> QLockFile:
    lock = QLockFile(str(_folder() / f"{name}.lock"))
    lock.setStaleLockTime(0)  # only the death of the program frees it, never its age
    return lock


def _remove(name: str) -> None:
    for file in (_document_file(name), _origin_file(name)):
        with suppress(OSError):
            file.unlink()
