"""File ▸ Export: pictures, slides and pages; data for other programs; worksheets and reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from core.base.errors import UserError
from core.base.files import exists, write_bytes
from core.explain.exercise import require_size
from core.lesson.lesson import Lesson
from gui.session.session import Session
from gui.session.state import State
from gui.storage.experiment_files import ExperimentFiles, file_name
from gui.texts.exchange import FORMATS, file_labels, translated_document
from gui.texts.translation import tr, tr_marked
from gui.widgets.ask import Ask
from gui.widgets.progress import ProgressDialog
from gui.widgets.worker import Worker

if TYPE_CHECKING:
    from core.exchange.exporters import ExportContent
    from gui.export.options import Subject
    from gui.export.registry import VisualExporter
    from gui.export.worksheets.blocks import WorksheetOptions
    from gui.export.worksheets.files import ReportOptions

BAR_AFTER_MS = 400  # time of writing worksheets before a progress bar appears
# What distinguishes the file names of formats with the same ending.
_SUFFIXES = {"torch": " torch", "csv": " csv"}


class AskPaper:
    """Ask for the options and the file of worksheets and reports. Tests override single questions."""

    def __init__(self, ask: Ask | None = None) -> None:
        self._ask = ask or Ask()

    def worksheet(self, parent: QWidget, state: State) -> tuple[WorksheetOptions, str] | None:
        """The options and the ending of the file."""
        from gui.dialogs.worksheet import WorksheetDialog

        dialog = WorksheetDialog(
            state.document, state.orientation, state.decimals, state.language, parent
        )
        try:
            return (dialog.options(), dialog.ending()) if dialog.exec() else None
        finally:
            dialog.deleteLater()

    def report(self, parent: QWidget, state: State) -> ReportOptions | None:
        """The options of a report."""
        from gui.dialogs.worksheet import ReportDialog

        dialog = ReportDialog(state, parent)
        try:
            return dialog.options() if dialog.exec() else None
        finally:
            dialog.deleteLater()

    def worksheet_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        """The file for worksheets; its ending is that of the suggestion."""
        kind = tr("LaTeX document") if suggestion.suffix == ".tex" else tr("PDF document")
        kinds = f"{kind} (*{suggestion.suffix})"
        return self._path(parent, tr("Save worksheets"), suggestion, kinds)

    def report_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        """The file for a report, PDF or HTML."""
        kinds = (tr("PDF document") + " (*.pdf)", tr("Web page") + " (*.html)")
        return self._path(parent, tr("Save report"), suggestion, ";;".join(kinds))

    def _path(self, parent: QWidget, title: str, suggestion: Path, filters: str) -> Path | None:
        endings = (".pdf", ".tex", ".html")
        return self._ask.path_with_ending(parent, title, suggestion, filters, endings)


class ExportActions(QObject):
    """Export what is seen, the numbers, or papers. `written` is called with the path of the file.

    `ask_path` asks for a file by a suggestion and a filter, `ask` for papers.
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
        self.ask_path: Callable[[QWidget, Path, str], Path | None] = ask_path
        self.ask = AskPaper(files.ask)
        self._work = Worker(self)
        self._work.done.connect(self._on_done)
        self._work.failed.connect(self._on_failed)
        self._path: Path | None = None
        self._progress: ProgressDialog | None = None
        self._wrote = False

    def _title(self) -> str:
        """The title of the experiment as a file name, or ""."""
        title = self._session.state.document.title
        return file_name(tr_marked(title)) if title else ""

    def _asked_path(self, parent: QWidget, name: str, what: str, ending: str) -> Path | None:
        """Ask for a file and complete its ending."""
        suggestion = self._files.folder() / f"{name}{ending}"
        path = self.ask_path(parent, suggestion, f"{tr_marked(what)} (*{ending})")
        if path is None or path.suffix.lower() == ending or not ending:
            return path
        return self._files.ask.confirmed(parent, path, path.with_name(path.name + ending))

    # Pictures, slides, pages

    def visual(self, name: str) -> None:
        """Open the export dialog with a format chosen."""
        from gui.dialogs.export import ExportDialog

        self._session.play(False)
        dialog = ExportDialog(self._session.state, name, self._visual_path, self._window)
        dialog.written.connect(self._written)
        dialog.open()

    def copy_picture(self) -> None:
        """Copy the picture of the current step, twice as large as it is laid out."""
        from gui.dialogs.export import PICTURE_SIZE
        from gui.export.options import ExportOptions
        from gui.export.pictures import image

        state = self._session.state
        options = ExportOptions(shade=state.shade, size=PICTURE_SIZE, scale=2.0)
        QGuiApplication.clipboard().setImage(image(state, options))

    def _visual_path(
        self, parent: QWidget, exporter: VisualExporter, subject: Subject
    ) -> Path | None:
        from gui.export.options import title_of

        name = file_name(title_of(subject)) if subject.title else ""
        if not name:
            unnamed = isinstance(subject, Lesson) and not subject.title
            name = tr("Lesson") if unnamed else tr("Experiment")
        return self._asked_path(parent, name, exporter.description, exporter.ending)

    # Numbers, written in a worker thread

    def data(self, name: str) -> None:
        """Ask for a file, make its content, write it."""
        from core.exchange.exporters import EXPORTERS, export

        stem = (self._title() or tr("Experiment")) + _SUFFIXES.get(name, "")
        path = self._asked_path(self._window, stem, FORMATS[name], EXPORTERS[name].ending)
        if path is None:
            return
        self._session.play(False)
        self._path = path
        state = self._session.state
        labels = file_labels(state.orientation)
        self._work.start(partial(export, translated_document(state.document), name, labels))
        if self._work.busy:
            text = tr("Writing {name}…", name=path.name)
            self._progress = ProgressDialog(text, self._window, Qt.WindowModality.WindowModal)
            self._progress.canceled.connect(self._cancel)
            self._progress.show()

    def _cancel(self) -> None:
        self._work.stop()
        self._end()

    def _end(self) -> None:
        if self._progress is not None:
            self._progress.canceled.disconnect(self._cancel)  # closing it does not cancel
            self._progress.close()
            self._progress.deleteLater()
            self._progress = None

    def _on_done(self, content: ExportContent) -> None:
        self._end()
        assert self._path is not None, "the content is made after a file was chosen"
        if self._session.attempt(partial(_write_content, self._path, content)):
            self._written(self._path)

    def _on_failed(self, problem: UserError) -> None:
        self._end()
        self._session.failed.emit(problem)

    # Papers, written in the main thread since they are laid out by Qt

    def worksheet(self) -> bool:
        """Write worksheets and their keys. False where nothing was written."""
        return self._session.attempt(self._write_worksheets) and self._wrote

    def _write_worksheets(self) -> None:
        from gui.export.options import Cancelled
        from gui.export.worksheets.files import worksheet_files

        self._wrote = False
        state = self._session.state
        require_size(state.document)
        answer = self.ask.worksheet(self._window, state)
        if answer is None:
            return
        options, ending = answer
        path = self.ask.worksheet_path(self._window, self._paper(tr("worksheet"), ending))
        if path is None or not self._may_write_key(path, options):
            return
        progress = _WritingProgress(self._window)
        try:
            self._write(worksheet_files(state.document, options, path, progress.tell))
        except Cancelled:
            return
        finally:
            progress.close()

    def _may_write_key(self, path: Path, options: WorksheetOptions) -> bool:
        """Ask before the separate answer key replaces a file; no dialog has asked about its name."""
        from gui.export.worksheets.files import key_path

        key = key_path(path)
        separate = options.key == "separate" and exists(key)
        return not separate or self._files.ask.overwrite(self._window, key.name)

    def report(self) -> bool:
        """Write a report with the sums of the focused cell. False where nothing was written."""
        return self._session.attempt(self._write_report) and self._wrote

    def _write_report(self) -> None:
        from gui.export.worksheets.files import report_bytes

        self._wrote = False
        state = self._session.state
        options = self.ask.report(self._window, state)
        if options is None:
            return
        path = self.ask.report_path(self._window, self._paper(tr("report"), ".pdf"))
        if path is None:
            return
        self._window.setCursor(Qt.CursorShape.WaitCursor)
        try:
            self._write({path: report_bytes(state.document, options, path.suffix)})
        finally:
            self._window.unsetCursor()

    def _write(self, files: Mapping[Path, bytes]) -> None:
        """Write every file; the first is the one that was asked for."""
        for path, data in files.items():
            write_bytes(path, data)
        self._written(next(iter(files)))
        self._wrote = True

    def _paper(self, kind: str, ending: str) -> Path:
        return self._files.folder() / f"{self._title()} {kind}{ending}".strip()


def _write_content(path: Path, content: ExportContent) -> None:
    from core.exchange.exporters import write_folder

    if isinstance(content, bytes):
        write_bytes(path, content)
    else:
        write_folder(path, content)


class _WritingProgress:
    """A progress dialog that appears when writing takes a while, and stops it."""

    def __init__(self, window: QWidget) -> None:
        self._dialog = ProgressDialog(
            tr("Writing worksheets…"), window, Qt.WindowModality.WindowModal
        )
        self._dialog.canceled.connect(self._stop)
        self._since = QElapsedTimer()
        self._since.start()
        self._stopped = False

    def _stop(self) -> None:
        self._stopped = True

    def tell(self, done: int, total: int) -> bool:
        """Show the progress and process events; False when the user stops it."""
        self._dialog.set_progress(done, total)
        if not self._stopped and self._since.elapsed() >= BAR_AFTER_MS:
            self._dialog.show()
            QApplication.processEvents()
        return not self._stopped

    def close(self) -> None:
        """Close the dialog."""
        self._dialog.close()
        self._dialog.deleteLater()


def ask_path(parent: QWidget, suggestion: Path, kind: str) -> Path | None:
    """Ask for the file to write."""
    chosen, _ = QFileDialog.getSaveFileName(parent, tr("Export"), str(suggestion), kind)
    return Path(chosen) if chosen else None


def open_folder(folder: Path) -> None:
    """Open a folder in the system's file manager."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
