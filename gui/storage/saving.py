"""Saving what stands in a file of its own, an experiment or a lesson: its place, its name, what others did to it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gui.session.session import Session
from gui.session.state import State
from gui.widgets.ask import Ask

# When a file was last written and how long it is: enough to notice that somebody else wrote it.
Stamp = tuple[int, int]


class Saving(QObject):
    """Save, save as, save a copy, and the question before something is left. A subclass says what it is."""

    ending: str  # of its files' names

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._window = session, window
        self._stamp = stamp(self._path(session.state))
        session.changed.connect(self._on_changed)

    # What a subclass says

    @property
    def _questions(self) -> Ask:
        """Every question that is put to the user."""
        raise NotImplementedError

    def remember(self, path: Path) -> None:
        """Put a file at the head of the list of recent ones."""
        raise NotImplementedError

    def name(self) -> str:
        """What it is called where its file is meant."""
        raise NotImplementedError

    def _path(self, state: State) -> Path | None:
        """The file that is open; None where it has none yet."""
        raise NotImplementedError

    def _dirty(self, state: State) -> bool:
        """Whether it has changes."""
        raise NotImplementedError

    def _ask_where(self) -> Path | None:
        """The file that the user chooses, with a suggestion."""
        raise NotImplementedError

    def _ask_whether(self) -> str:
        """What becomes of the changes: "save", "discard" or "cancel"."""
        raise NotImplementedError

    def _written(self, path: Path) -> Callable[[], None] | None:
        """Write it; gives what is to be said to the session once this is its file, None where it was refused."""
        raise NotImplementedError

    def _commit_editor(self) -> None:
        """What is being typed belongs to it."""
        raise NotImplementedError

    # What the user wants

    def save(self) -> bool:
        """Save to the file that is open; what has none asks for one. False where nothing was saved."""
        path = self._path(self._session.state)
        if path is None:
            return self.save_as()
        self._commit_editor()
        now = stamp(path)
        if (
            now is not None
            and now != self._stamp
            and not self._questions.overwrite_changed(self._window, path.name)
        ):
            return False
        return self._write(path)

    def save_as(self) -> bool:
        """Ask for a file and save to it."""
        self._commit_editor()
        path = self._chosen()
        return path is not None and self._write(path)

    def save_copy(self) -> bool:
        """Ask for a file and write it there; what is open, and whether it is saved, stays as it is."""
        path = self._chosen()
        return path is not None and self._written(path) is not None

    def maybe_save(self) -> bool:
        """Whether it may be left: it is saved, or was saved now, or its changes were given up."""
        self._commit_editor()
        if not self._dirty(self._session.state):
            return True
        answer = self._ask_whether()
        return answer == "discard" or (answer == "save" and self.save())

    # Inside

    def _chosen(self) -> Path | None:
        """The file to write to, chosen by the user; None if they thought better of it."""
        chosen = self._ask_where()
        if chosen is None:
            return None
        path = with_suffix(chosen.absolute(), self.ending)
        # The file dialog has asked about the name that was typed, not about the one that it became.
        if (
            path != chosen.absolute()
            and path.exists()
            and not self._questions.overwrite(self._window, path.name)
        ):
            return None
        return path

    def _write(self, path: Path) -> bool:
        mark_saved = self._written(path)
        if mark_saved is None:
            return False
        self._stamp = stamp(path)
        mark_saved()
        self.remember(path)
        return True

    def _on_changed(self, old: State, new: State) -> None:
        if self._path(old) != self._path(new):
            self._stamp = stamp(self._path(new))


def with_suffix(path: Path, suffix: str) -> Path:
    """The path with the ending of a kind of files; `.json` alone becomes it."""
    if path.name.lower().endswith(suffix):
        return path
    stem = path.name[: -len(".json")] if path.name.lower().endswith(".json") else path.name
    return path.with_name(stem + suffix)


def file_name(title: str) -> str:
    """A title as a file's name: without the signs that some system forbids, of a length that all take."""
    plain = "".join(
        " " if sign in '<>:"/\\|?*' or not sign.isprintable() else sign for sign in title
    )
    return " ".join(plain.split())[:60].strip(". ")


def stamp(path: Path | None) -> Stamp | None:
    """How a file is now; None where there is none."""
    with suppress(OSError):
        if path is not None:
            found = path.stat()
            return found.st_mtime_ns, found.st_size
    return None
