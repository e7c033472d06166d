"""Files: new, open, save, recent, and the question about changes that are not saved."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt, QTimer, QUrl
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
from gui.storage.saving import Saving, file_name, stamp
from gui.texts.translation import mark, tr_marked
from gui.widgets.ask import Ask

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
        whole = self._session.tried(lambda: write_bytes(path, self._text()))
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
            return self._session.tried(lambda: self._read(load, path))
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
        self._session.prefer(recent=(str(path), *others)[:MOST_RECENT])

    def _forget(self, path: str) -> None:
        self._session.prefer(recent=_without(self._session.state.preferences.recent, path))

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
