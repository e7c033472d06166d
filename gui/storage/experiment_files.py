"""Experiment files: new, open, save, recent files, and the question about unsaved changes."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Qt, QTimer, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from core.base.errors import UserError
from core.base.files import exists, is_file, is_folder, write_bytes
from core.classroom.answer_file import is_answer_file
from core.document.document import Document
from core.lesson.lesson import is_lesson
from core.storage import archive
from core.storage.archive import dumps
from core.storage.examples import load_example
from gui.session.preferences import MOST_RECENT
from gui.session.session import Session
from gui.session.state import State
from gui.session.trace_runner import T
from gui.texts.errors import error_message
from gui.texts.translation import language_folder, mark, tr_marked
from gui.widgets.ask import Ask
from gui.widgets.drops import local_paths
from gui.widgets.number_table import commit_typing

# Modification time and size of a file, to notice changes by other programs.
Stamp = tuple[int, int]


class SavedFile(QObject):
    """Save, save as, save a copy, and ask about unsaved changes. A subclass defines what is saved."""

    ending: str  # suffix of its files

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._window = session, window
        self.stamp = stamp(self._path(session.state))  # when read or saved last
        session.changed.connect(self._on_changed)

    # Defined by a subclass

    @property
    @abstractmethod
    def _questions(self) -> Ask:
        """The questions to the user."""

    @abstractmethod
    def remember(self, path: Path) -> None:
        """Put a file first in the list of recent files."""

    @abstractmethod
    def name(self) -> str:
        """The name to show in questions."""

    @abstractmethod
    def _path(self, state: State) -> Path | None:
        """The open file; None if there is none."""

    @abstractmethod
    def _dirty(self, state: State) -> bool:
        """Whether there are unsaved changes."""

    @abstractmethod
    def _ask_where(self) -> Path | None:
        """Ask for the file to save to."""

    @abstractmethod
    def _ask_whether(self) -> str:
        """Ask what to do with unsaved changes: "save", "discard" or "cancel"."""

    @abstractmethod
    def _written(self, path: Path) -> Callable[[], None] | None:
        """Write the file; return a function that marks it as saved, or None where it was refused."""

    @abstractmethod
    def _commit_editor(self) -> None:
        """Take over text that is being typed."""

    # Called by actions

    def save(self) -> bool:
        """Save to the open file, or ask for one. False where nothing was saved."""
        path = self._path(self._session.state)
        if path is None:
            return self.save_as()
        self._commit_editor()
        now = stamp(path)
        if (
            now is not None
            and now != self.stamp
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
        """Ask for a file and write it there; the open file stays the same."""
        path = self._chosen()
        return path is not None and self._written(path) is not None

    def maybe_save(self) -> bool:
        """Whether it may be closed: saved, or the user discards the changes."""
        self._commit_editor()
        if not self._dirty(self._session.state):
            return True
        answer = self._ask_whether()
        return answer == "discard" or (answer == "save" and self.save())

    # Inside

    def _chosen(self) -> Path | None:
        """Ask for the file to write to; None if the user cancels."""
        chosen = self._ask_where()
        if chosen is None:
            return None
        completed = with_suffix(chosen.absolute(), self.ending)
        return self._questions.confirmed(self._window, chosen.absolute(), completed)

    def _suggestion(self, title: str, untitled: str, folder: Path) -> Path:
        """The open file, else one named by a title."""
        named = folder / f"{file_name(title) or untitled}{self.ending}"
        return self._path(self._session.state) or named

    def _write(self, path: Path) -> bool:
        mark_saved = self._written(path)
        if mark_saved is None:
            return False
        self.stamp = stamp(path)
        mark_saved()
        self.remember(path)
        return True

    def _on_changed(self, old: State, new: State) -> None:
        if self._path(old) != self._path(new):
            self.stamp = stamp(self._path(new))


def with_suffix(path: Path, suffix: str) -> Path:
    """Complete a path with the suffix of a kind of file; `.json` alone becomes it."""
    if path.name.lower().endswith(suffix):
        return path
    stem = path.name[: -len(".json")] if path.name.lower().endswith(".json") else path.name
    return path.with_name(stem + suffix)


def file_name(title: str) -> str:
    """Turn a title into a file name that is valid on every system."""
    plain = "".join(
        " " if sign in '<>:"/\\|?*' or not sign.isprintable() else sign for sign in title
    )
    return " ".join(plain.split())[:60].strip(". ")


def stamp(path: Path | None) -> Stamp | None:
    """Modification time and size of a file; None where there is none."""
    with suppress(OSError):
        if path is not None:
            found = path.stat()
            return found.st_mtime_ns, found.st_size
    return None


SUFFIX = ".attn.json"


class ExperimentFiles(SavedFile):
    """The File menu. `ask` holds every question to the user; tests replace it."""

    ending = SUFFIX

    def __init__(self, session: Session, window: QWidget, ask: Ask | None = None) -> None:
        super().__init__(session, window)
        self.ask = ask or Ask()
        self.open_lesson: Callable[[Path], bool] | None = None  # opens a lesson file
        self.open_answers: Callable[[Path], bool] | None = None  # shows an answer file
        self.open_numbers: Callable[[Path], bool] | None = None  # imports a file of another program

    # Opening

    def new(self, ask: Callable[[QWidget], Document | None] | None = None) -> bool:
        """Ask for a new experiment and open it, after asking about unsaved changes."""
        if not self.maybe_save():
            return False
        document = (ask or self.ask.new_document)(self._window)
        return document is not None and self._tried(lambda: document, None)

    def open(self, path: str | os.PathLike[str] | None = None) -> bool:
        """Open the given file or one that the user chooses. False where nothing was opened."""
        if path is not None and self.open_answers is not None and is_answer_file(path):
            return self.open_answers(Path(path).absolute())
        if not self.maybe_save():
            return False
        chosen = Path(path) if path is not None else self.ask.open_path(self._window, self.folder())
        return chosen is not None and self._load(chosen.absolute())

    def open_example(self, example_id: str) -> bool:
        """Open an example without a file name."""
        return self.maybe_save() and self._tried(
            partial(load_example, example_id, language_folder()), None
        )

    def open_recent(self, path: str) -> bool:
        """Open a recent file; one that is missing leaves the list."""
        if not exists(path):
            self._forget(path)
            self._session.failed.emit(UserError("recent.missing", path=path))
            return False
        return self._open_or_import(Path(path))

    def adopt(self, path: str | os.PathLike[str]) -> None:
        """Take over a file that was read before the window was built."""
        file = Path(path).absolute()
        self.stamp = stamp(file)
        self._session.mark_saved(file)
        self.remember(file)

    def accepts(self, urls: Sequence[QUrl]) -> bool:
        """Whether dragged URLs are a file that may be dropped."""
        return _dropped_file(urls) is not None

    def dropped(self, urls: Sequence[QUrl]) -> bool:
        """Open a dropped file after the drop: a dialog during it would block the other program."""
        path = _dropped_file(urls)
        if path is not None:
            QTimer.singleShot(0, self, partial(self._open_dropped, path, len(urls)))
        return path is not None

    def _open_dropped(self, path: Path, count: int) -> None:
        self._open_or_import(path)
        if count > 1:
            self._session.failed.emit(UserError("drop.several", path=path.name))

    def _open_or_import(self, path: Path) -> bool:
        return (self.open_numbers is not None and self.open_numbers(path)) or self.open(path)

    # Saving

    @property
    def _questions(self) -> Ask:
        return self.ask

    def name(self) -> str:
        """The file's name, the title, or ""."""
        state = self._session.state
        return state.path.name if state.path else tr_marked(state.document.title)

    def _path(self, state: State) -> Path | None:
        return state.path

    def _dirty(self, state: State) -> bool:
        return state.dirty

    def _ask_where(self) -> Path | None:
        title = tr_marked(self._session.state.document.title)
        suggestion = self._suggestion(title, self.ask.untitled(), self.folder())
        return self.ask.save_path(self._window, suggestion)

    def _ask_whether(self) -> str:
        return self.ask.unsaved(self._window, self.name())

    def _written(self, path: Path) -> Callable[[], None] | None:
        whole = self._session.attempt(lambda: write_bytes(path, self._text(path.parent)))
        return partial(self._session.mark_saved, path) if whole else None

    # Inside

    def _load(self, path: Path) -> bool:
        if self.open_lesson is not None and is_lesson(path):
            return self.open_lesson(path)
        if self.open_answers is not None and is_answer_file(path):
            return self.open_answers(path)
        return self._tried(lambda: self._opened(path), path)

    def _opened(self, path: Path) -> Document:
        """Read a file; ask for the model that it points to where that is gone or changed."""
        try:
            return self.beside(partial(archive.load, path), mark("Opening…"))
        except UserError as problem:
            if problem.code not in ("model.lost", "model.changed"):
                raise
            QGuiApplication.setOverrideCursor(Qt.CursorShape.ArrowCursor)
            try:
                found = self.ask.model_path(self._window, error_message(problem), self.folder())
            finally:
                QGuiApplication.restoreOverrideCursor()
            if found is None:
                raise
        return self.beside(partial(archive.load, path, found), mark("Opening…"))

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
        self.stamp = stamp(path)
        if path is not None:
            self.remember(path)

    def _text(self, folder: Path) -> bytes:
        """The contents of a file in a folder."""
        return self.beside(partial(dumps, self._session.state.document, folder), mark("Saving…"))

    def beside(self, work: Callable[[], T], text: str) -> T:
        """Do work in a worker thread, with a progress bar if it takes long.

        Raises what the work raises, and UserError "given_up".
        """
        return self._session.trace_runner.run_blocking(lambda _watch: work(), text)

    def remember(self, path: Path) -> None:
        """Put a file first in the list of recent files."""
        others = _without(self._session.state.preferences.recent, str(path))
        self._session.set_preferences(recent=(str(path), *others)[:MOST_RECENT])

    def _forget(self, path: str) -> None:
        self._session.set_preferences(recent=_without(self._session.state.preferences.recent, path))

    def _commit_editor(self) -> None:
        commit_typing(self._window.focusWidget())

    def folder(self) -> Path:
        """The folder of the last file, else the user's documents."""
        state = self._session.state
        for file in (state.path, *map(Path, state.preferences.recent)):
            if file is not None and is_folder(file.parent):
                return file.parent
        documents = Path(
            QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        )
        return documents if is_folder(documents) else Path.home()


def _without(paths: Sequence[str], path: str) -> tuple[str, ...]:
    return tuple(other for other in paths if os.path.normcase(other) != os.path.normcase(path))


def _dropped_file(urls: Sequence[QUrl]) -> Path | None:
    return next(filter(is_file, local_paths(urls)), None)


def of_file(problem: UserError, path: Path) -> UserError:
    """Add the file's name to an error, unless the user has stopped the work."""
    if problem.code == "given_up" or "path" in problem.data:
        return problem
    return UserError(problem.code, **problem.data, path=path.name)
