"""Worksheets and reports from the menu: ask, write with a bar that can be stopped, tell what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from core.base.errors import UserError
from core.base.files import write_bytes
from core.explain.exercise import require_size
from gui.session.session import Session
from gui.session.state import State
from gui.storage.experiment_files import ExperimentFiles, file_name
from gui.texts.translation import tr, tr_marked
from gui.widgets.progress import Progress

if TYPE_CHECKING:
    from gui.export.worksheets.blocks import WorksheetOptions
    from gui.export.worksheets.files import ReportOptions

PATIENCE = 400  # milliseconds of writing before a bar appears


class AskPaper:
    """Asks by dialogs. A subclass may answer by itself."""

    def worksheet(self, parent: QWidget, state: State) -> tuple[WorksheetOptions, str] | None:
        """What the worksheets are to be, and the ending of their file."""
        from gui.dialogs.worksheet import WorksheetDialog

        dialog = WorksheetDialog(
            state.document, state.orientation, state.decimals, state.language, parent
        )
        try:
            return (dialog.options(), dialog.ending()) if dialog.exec() else None
        finally:
            dialog.deleteLater()

    def report(self, parent: QWidget, state: State) -> ReportOptions | None:
        """What the report is to be."""
        from gui.dialogs.worksheet import ReportDialog

        dialog = ReportDialog(state, parent)
        try:
            return dialog.options() if dialog.exec() else None
        finally:
            dialog.deleteLater()

    def worksheet_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        """Where worksheets go; the ending is that of the suggestion."""
        kind = tr("LaTeX document") if suggestion.suffix == ".tex" else tr("PDF document")
        return self._path(
            parent, tr("Save worksheets"), suggestion, f"{kind} (*{suggestion.suffix})"
        )

    def report_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        """Where a report goes, as PDF or as HTML."""
        kinds = (tr("PDF document") + " (*.pdf)", tr("Web page") + " (*.html)")
        return self._path(parent, tr("Save report"), suggestion, ";;".join(kinds))

    @staticmethod
    def _path(parent: QWidget, title: str, suggestion: Path, filters: str) -> Path | None:
        chosen, kind = QFileDialog.getSaveFileName(parent, title, str(suggestion), filters)
        if not chosen:
            return None
        path = Path(chosen)
        ending = kind.rpartition("*")[2].rstrip(")") or suggestion.suffix
        return (
            path
            if path.suffix.lower() in (".pdf", ".tex", ".html")
            else path.with_name(path.name + ending)
        )


class WorksheetActions(QObject):
    """What File ▸ Export does with papers; `written` is told where one stands.

    `ask` holds the questions; tests put their own there.
    """

    def __init__(
        self,
        session: Session,
        window: QWidget,
        files: ExperimentFiles,
        written: Callable[[Path], None],
    ) -> None:
        super().__init__(window)
        self._session, self._window, self._files, self._written = session, window, files, written
        self.ask = AskPaper()

    def worksheet(self) -> bool:
        """Write worksheets and their keys. False where nothing was written."""
        from gui.export.options import Cancelled
        from gui.export.worksheets.files import worksheet_files

        state = self._session.state
        try:
            require_size(state.document)
            answer = self.ask.worksheet(self._window, state)
            if answer is None:
                return False
            options, ending = answer
            path = self.ask.worksheet_path(self._window, self._suggestion(tr("worksheet"), ending))
            if path is None:
                return False
            progress = _Progress(self._window)
            try:
                return self._write(worksheet_files(state.document, options, path, progress.tell))
            finally:
                progress.close()
        except Cancelled:
            return False
        except UserError as problem:
            self._session.failed.emit(problem)
            return False

    def report(self) -> bool:
        """Write a report with the sums of the focused cell. False where nothing was written."""
        from gui.export.worksheets.files import report_bytes

        state = self._session.state
        options = self.ask.report(self._window, state)
        path = (
            self.ask.report_path(self._window, self._suggestion(tr("report"), ".pdf"))
            if options
            else None
        )
        if options is None or path is None:
            return False
        self._window.setCursor(Qt.CursorShape.WaitCursor)
        try:
            return self._write({path: report_bytes(state.document, options, path.suffix)})
        except UserError as problem:
            self._session.failed.emit(problem)
            return False
        finally:
            self._window.unsetCursor()

    def _write(self, files: Mapping[Path, bytes]) -> bool:
        """Every file, the first of which is the one that was asked for."""
        for path, data in files.items():
            write_bytes(path, data)
        self._written(next(iter(files)))
        return True

    def _suggestion(self, kind: str, ending: str) -> Path:
        """A name in the folder where files are looked for."""
        document = self._session.state.document
        title = file_name(tr_marked(document.title)) if document.title else ""
        name = f"{title} {kind}".strip()
        return self._files.folder() / f"{name}{ending}"


class _Progress:
    """A bar that appears when writing takes a while, and stops it."""

    def __init__(self, window: QWidget) -> None:
        self._dialog = Progress(tr("Writing worksheets…"), window, Qt.WindowModality.WindowModal)
        self._dialog.canceled.connect(self._stop)
        self._since = QElapsedTimer()
        self._since.start()
        self._stopped = False

    def _stop(self) -> None:
        self._stopped = True

    def tell(self, done: int, total: int) -> bool:
        """How far it is; False when the user wants it to stop. While it is seen the window breathes."""
        self._dialog.reach(done, total)
        if not self._stopped and self._since.elapsed() >= PATIENCE:
            self._dialog.show()
            QApplication.processEvents()
        return not self._stopped

    def close(self) -> None:
        """It is done, or given up."""
        self._dialog.close()
        self._dialog.deleteLater()
