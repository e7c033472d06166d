"""Export from the menu: the dialog with a format chosen, and the picture for the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from core.lesson.lesson import Lesson
from gui.session.session import Session
from gui.storage.experiment_files import ExperimentFiles, file_name
from gui.texts.translation import tr, tr_marked

if TYPE_CHECKING:
    from gui.export.options import Subject
    from gui.export.registry import VisualExporter

FORMATS = {
    "export_picture": "png",
    "export_film": "gif",
    "export_slides": "pptx",
    "export_page": "html",
}


class ExportActions(QObject):
    """What File ▸ Export does with what is seen; `written` is told where it stands.

    `ask` asks for the file; tests put their own there.
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
        self.ask: Callable[[QWidget, Path, str, str], Path | None] = ask_path

    def open(self, action_id: str) -> None:
        """The dialog, with the format that the action names."""
        from gui.dialogs.export import ExportDialog

        self._session.play(False)
        dialog = ExportDialog(self._session.state, FORMATS[action_id], self._path, self._window)
        dialog.written.connect(self._written)
        dialog.open()

    def copy_picture(self) -> None:
        """The picture of the current step, twice as large as it is laid out, on the clipboard."""
        from gui.dialogs.export import PICTURE_SIZE
        from gui.export.options import ExportOptions
        from gui.export.pictures import image

        state = self._session.state
        options = ExportOptions(shade=state.shade, size=PICTURE_SIZE, scale=2.0)
        QGuiApplication.clipboard().setImage(image(state, options))

    def _path(self, parent: QWidget, exporter: VisualExporter, subject: Subject) -> Path | None:
        suggestion = self._files.folder() / (_name(subject) + exporter.ending)
        path = self.ask(parent, suggestion, tr_marked(exporter.description), exporter.ending)
        if path is None or path.suffix.lower() == exporter.ending:
            return path
        return path.with_name(path.name + exporter.ending)


def _name(subject: Subject) -> str:
    """What the file is called unless the user wants another name."""
    from gui.export.options import title_of

    if not subject.title:
        return tr("Lesson") if isinstance(subject, Lesson) else tr("Experiment")
    return file_name(title_of(subject)) or tr("Experiment")


def ask_path(parent: QWidget, suggestion: Path, what: str, ending: str) -> Path | None:
    """The file to write, chosen in the system's own dialog."""
    chosen, _ = QFileDialog.getSaveFileName(
        parent, tr("Export"), str(suggestion), f"{what} (*{ending})"
    )
    return Path(chosen) if chosen else None
