"""Experiment files: new, open, save, recent files, and the question about unsaved changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Qt, QTimer, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from core.base.errors import UserError
from core.base.files import write_bytes
from core.document.document import Document
from core.lesson.lesson import is_lesson
from core.storage import archive
from core.storage.archive import dumps
from core.storage.examples import load_example
from gui.session.preferences import MOST_RECENT
from gui.session.session import Session
from gui.session.state import State
from gui.session.trace_runner import T
from gui.texts.translation import mark, tr_marked
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


SUFFIX = ".attn.json"


class ExperimentFiles(Saving):
    """What the File menu does. `ask` holds every question that it puts to the user; tests put their own there."""

    ending = SUFFIX

    def __init__(self, session: Session, window: QWidget, ask: Ask | None = None) -> None:
        super().__init__(session, window)
        self.ask = ask or Ask()
        self.open_lesson: Callable[[Path], bool] | None = None  # what opens a file that is a lesson
        self.open_numbers: Callable[[Path], bool] | None = (
            None  # what imports from a file of another program
        )

    # Opening

    def new(self) -> bool:
        """Ask for a new experiment and show it; before anything is filled in, about what is open."""
        if not self.maybe_save():
            return False
        document = self.ask.new_document(self._window)
        return document is not None and self._tried(lambda: document, None)

    def open(self, path: str | os.PathLike[str] | None = None) -> bool:
        """Open a file, the one given or one that the user chooses. False where nothing was opened."""
        if not self.maybe_save():
            return False
        chosen = Path(path) if path is not None else self.ask.open_path(self._window, self.folder())
        return chosen is not None and self._load(chosen.absolute())

    def open_example(self, example_id: str) -> bool:
        """Open an example, untitled: saving it asks for a place."""
        return self.maybe_save() and self._tried(partial(load_example, example_id), None)

    def open_recent(self, path: str) -> bool:
        """Open a file of the list; one that is gone leaves the list, with a sentence."""
        if not Path(path).exists():
            self._forget(path)
            self._session.failed.emit(UserError("recent.missing", path=path))
            return False
        return self._open_or_import(Path(path))

    def adopt(self, path: str | os.PathLike[str]) -> None:
        """The document that is shown was read from this file, before there was a window."""
        file = Path(path).absolute()
        self._stamp = stamp(file)
        self._session.mark_saved(file)
        self.remember(file)

    def accepts(self, urls: Sequence[QUrl]) -> bool:
        """Whether what is dragged over the window is a file that may be dropped."""
        return _dropped_file(urls) is not None

    def dropped(self, urls: Sequence[QUrl]) -> bool:
        """Open a dropped file once the drop has ended: a question in its middle would block the other program."""
        path = _dropped_file(urls)
        if path is not None:
            QTimer.singleShot(0, self, partial(self._open_or_import, path))
        return path is not None

    def _open_or_import(self, path: Path) -> bool:
        return (self.open_numbers is not None and self.open_numbers(path)) or self.open(path)

    # Saving: what stands in the file

    @property
    def _questions(self) -> Ask:
        return self.ask

    def name(self) -> str:
        """What the experiment is called where its file is meant: the file's name, its title or ""."""
        state = self._session.state
        return state.path.name if state.path else tr_marked(state.document.title)

    def _path(self, state: State) -> Path | None:
        return state.path

    def _dirty(self, state: State) -> bool:
        return state.dirty

    def _ask_where(self) -> Path | None:
        return self.ask.save_path(self._window, self._suggestion())

    def _ask_whether(self) -> str:
        return self.ask.unsaved(self._window, self.name())

    def _written(self, path: Path) -> Callable[[], None] | None:
        whole = self._session.attempt(lambda: write_bytes(path, self._text()))
        return partial(self._session.mark_saved, path) if whole else None

    # Inside

    def _load(self, path: Path) -> bool:
        if self.open_lesson is not None and is_lesson(path):
            return self.open_lesson(path)
        return self._tried(
            lambda: self._beside(partial(archive.load, path), mark("Opening…")), path
        )

    def _tried(self, load: Callable[[], Document], path: Path | None) -> bool:
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            return self._session.attempt(lambda: self._read(load, path))
        finally:
            QGuiApplication.restoreOverrideCursor()

    def _read(self, load: Callable[[], Document], path: Path | None) -> None:
        try:
            self._show(load(), path)
        except UserError as problem:
            raise (problem if path is None else of_file(problem, path)) from problem

    def _show(self, document: Document, path: Path | None) -> None:
        self._session.open_document(document, path)
        self._stamp = stamp(path)
        if path is not None:
            self.remember(path)

    def _text(self) -> bytes:
        """What stands in the file."""
        return self._beside(partial(dumps, self._session.state.document), mark("Saving…"))

    def _beside(self, work: Callable[[], T], text: str) -> T:
        """Reading and writing many numbers takes a while, of few it is done before a frame is missed.

        Raises what the work raises, and UserError "given_up".
        """
        return self._session.trace_runner.run_blocking(lambda _watch: work(), text)

    def remember(self, path: Path) -> None:
        """Put a file at the head of the list of recent ones."""
        others = _without(self._session.state.preferences.recent, str(path))
        self._session.set_preferences(recent=(str(path), *others)[:MOST_RECENT])

    def _forget(self, path: str) -> None:
        self._session.set_preferences(recent=_without(self._session.state.preferences.recent, path))

    def _commit_editor(self) -> None:
        field = self._window.focusWidget()
        if isinstance(field, QLineEdit) and not field.property("hands_over"):
            field.clearFocus()

    def folder(self) -> Path:
        """Where the last file was, else the user's documents."""
        state = self._session.state
        for file in (state.path, *map(Path, state.preferences.recent)):
            if file is not None and file.parent.is_dir():
                return file.parent
        documents = Path(
            QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        )
        return documents if documents.is_dir() else Path.home()

    def _suggestion(self) -> Path:
        state = self._session.state
        return (
            state.path
            or self.folder()
            / f"{file_name(tr_marked(state.document.title)) or self.ask.untitled()}{SUFFIX}"
        )


def _without(paths: Sequence[str], path: str) -> tuple[str, ...]:
    return tuple(other for other in paths if os.path.normcase(other) != os.path.normcase(path))


def _dropped_file(urls: Sequence[QUrl]) -> Path | None:
    files = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    return next((file for file in files if file.is_file()), None)


def of_file(problem: UserError, path: Path) -> UserError:
    """The problem with the name of the file that has it; what was stopped is no file's."""
    if problem.code == "given_up" or "path" in problem.data:
        return problem
    return UserError(problem.code, **problem.data, path=path.name)
