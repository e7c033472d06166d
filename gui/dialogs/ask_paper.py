"""What the user is asked before a worksheet or a report is written, so that tests can answer instead."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QWidget

from gui.export.worksheets.options import Options
from gui.session.state import State
from gui.texts.translation import tr

if TYPE_CHECKING:
    from gui.export.worksheets.make import ReportOptions


class AskPaper:
    """Asks by dialogs. A subclass may answer by itself."""

    def worksheet(self, parent: QWidget, state: State) -> tuple[Options, str] | None:
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
        from gui.dialogs.report import ReportDialog

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
