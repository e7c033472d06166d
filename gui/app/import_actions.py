"""File ▸ Import, and files of other programs that are dropped on the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core.base.errors import UserError
from core.base.files import read_bytes
from core.check.answers import Entries
from core.classroom.answer_file import is_answer_file
from core.document.document import Document
from core.exchange.code import LONGEST, is_code
from core.exchange.pages import PAGE_ENDINGS
from core.lesson.lesson import is_lesson
from gui.session.session import Session
from gui.storage.experiment_files import SUFFIX, ExperimentFiles
from gui.texts.translation import mark, tr

if TYPE_CHECKING:
    from gui.dialogs.import_dialog import ImportDialog
    from gui.dialogs.import_proposal import Proposal
    from gui.dialogs.new_from_text import NewFromText

MOST_PASTED = 200_000  # characters
MOST_LOOKED = 1 << 23  # bytes of a file that is looked into before a dialog opens
IN_ONE_GO = (".xlsx", *PAGE_ENDINGS)  # files whose matrices are named all at once


class ImportActions(QObject):
    """Open the import dialog for a file. `ask` asks for the file; tests replace it."""

    def __init__(self, session: Session, window: QWidget, files: ExperimentFiles) -> None:
        super().__init__(window)
        self._session, self._window, self._files = session, window, files
        self.ask: Callable[[QWidget, Path], Path | None] = ask_path
        self.open_code: Callable[[str], bool] | None = None  # opens the code of an experiment
        files.open_numbers = self.open_if_numbers

    def open(self, path: Path | None = None) -> bool:
        """Import from the given file or one that the user chooses. False where none was chosen."""
        chosen = path or self.ask(self._window, self._files.folder())
        if chosen is None:
            return False
        code = code_in(chosen)
        if code and self.open_code is not None:
            return self.open_code(code)
        if chosen.suffix.lower() in IN_ONE_GO or holds_weights(chosen):
            self.from_text(path=chosen.absolute())
            return True
        from gui.dialogs.import_dialog import ImportDialog

        self._session.play(False)
        dialog = ImportDialog(self._session, chosen.absolute(), self._window)
        dialog.experiment.connect(self._open_experiment)
        dialog.another.connect(self._another)
        dialog.several.connect(partial(self._open_several, dialog))
        dialog.open()
        return True

    def from_text(self, text: str = "", path: Path | None = None) -> None:
        """Open the dialog that makes an experiment of a page, with a text or a file in it."""
        from gui.dialogs.new_from_text import NewFromText

        self._session.play(False)
        dialog = NewFromText(self._ask_page, self._window)
        dialog.made.connect(self._make)
        dialog.coded.connect(partial(self._open_coded, dialog))
        dialog.put_in.connect(partial(self._put_in, dialog))
        dialog.open()
        if path is not None:
            dialog.open_path(path)
        elif text:
            dialog.open_text(text)

    def _open_coded(self, dialog: NewFromText, text: str) -> None:
        """Open the code that was pasted into the dialog."""
        if self.open_code is not None and self.open_code(text):
            dialog.reject()

    @staticmethod
    def count_matrices(text: str) -> int:
        """The number of matrices in a text; 0 for one that is too long to look through at once."""
        from core.exchange.readers.find import find_matrices

        return len(find_matrices(text)) if 0 < len(text) <= MOST_PASTED else 0

    def _ask_page(self, parent: QWidget) -> Path | None:
        return self.ask(parent, self._files.folder())

    def _make(self, document: Document, answers: Entries) -> None:
        """Show the experiment of a page, as one undo step, and its results in Check."""
        session = self._session

        def edit() -> None:
            session.edit(document, mark("New from text"))
            session.answers.enter_all(answers)
            session.answers.note_imported()
            session.update(path=None)  # saving asks where: the file holds the experiment before

        session.attempt(edit)

    def _put_in(self, dialog: NewFromText, proposal: Proposal) -> None:
        """Put the matrices of a page into the open experiment, as one undo step."""
        from gui.dialogs.import_proposal import put_into

        state = self._session.state
        layer = None
        if state.document.is_stack:
            layer = state.trace.plan.nearest_layer(state.cursor.stage) or 1
        if self._session.change(partial(put_into, proposal, layer), text=mark("Import")):
            self._session.answers.note_imported()
            dialog.reject()

    def open_if_numbers(self, path: Path) -> bool:
        """Import from a file if it is one of another program. False if it is not."""
        return holds_numbers(path) and self.open(path)

    def _open_several(self, dialog: ImportDialog) -> None:
        dialog.close()
        self.from_text(path=dialog.path)

    def _another(self) -> None:
        dialog = self.sender()
        chosen = self.ask(self._window, self._files.folder())
        if chosen is not None and isinstance(dialog, QWidget):
            dialog.close()
            self.open(chosen)

    def _open_experiment(self, document: Document) -> None:
        from gui.dialogs.import_dialog import ImportDialog

        dialog = self.sender()
        assert isinstance(dialog, ImportDialog)
        if self._files.maybe_save() and self._session.attempt(
            partial(self._session.open_document, document)
        ):
            self._session.answers.note_imported()
            self._files.remember(dialog.path)


def code_in(path: Path) -> str:
    """The text of a small text file that holds the code of an experiment; "" for any other file."""
    if path.suffix.lower() != ".txt":
        return ""
    try:
        text = read_bytes(path, LONGEST).decode("utf-8-sig")
    except (UserError, UnicodeDecodeError):
        return ""
    return text if is_code(text) else ""


def holds_weights(path: Path) -> bool:
    """Whether the arrays of a file are attention weights: of a head each, perhaps of layers."""
    from core.exchange.roles import parse_role, propose_roles
    from core.exchange.source_files import read_source

    try:
        if (
            path.suffix.lower() not in (".npy", ".npz", ".json")
            or path.stat().st_size > MOST_LOOKED
        ):
            return False
        source = read_source(path)
    except (OSError, UserError):
        return False
    return source.layers > 0 or "A" in {
        parse_role(role).role for role in propose_roles(source.entries)
    }


def holds_numbers(path: Path) -> bool:
    """Whether a file can be imported and is no experiment or lesson."""
    from core.exchange.experiment_import import is_experiment
    from core.exchange.source_files import SOURCE_ENDINGS as ENDINGS

    if path.suffix.lower() not in ENDINGS or path.name.lower().endswith(SUFFIX):
        return False
    if is_lesson(path) or is_answer_file(path):
        return False
    if path.suffix.lower() != ".json":
        return True
    try:
        return not is_experiment(read_bytes(path))
    except UserError:
        return False


def ask_path(parent: QWidget, folder: Path) -> Path | None:
    """Ask for the file to import."""
    chosen, _ = QFileDialog.getOpenFileName(parent, tr("Import"), str(folder), filters())
    return Path(chosen) if chosen else None


def filters() -> str:
    """The filters of the file dialog, all kinds first."""
    from core.exchange.source_files import SOURCE_ENDINGS as ENDINGS

    kinds: Sequence[tuple[str, Sequence[str]]] = (
        (tr("Files with numbers"), ENDINGS),
        (tr("Tables as text"), (".csv", ".tsv", ".txt")),
        (tr("Excel workbooks"), (".xlsx",)),
        (tr("NumPy arrays"), (".npy", ".npz")),
        ("JSON", (".json",)),
        (tr("Notebooks, pages, code"), PAGE_ENDINGS),
    )
    return ";;".join(
        f"{name} ({' '.join('*' + ending for ending in endings)})" for name, endings in kinds
    )
