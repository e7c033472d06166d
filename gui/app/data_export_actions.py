"""Export of numbers from the menu: workbook, scripts, notebook, LaTeX, arrays; written beside the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from core.base.errors import UserError
from core.base.files import write_bytes
from core.exchange.exporters import EXPORTERS, Content, export, write_folder
from gui.session.session import Session
from gui.storage.experiment_files import ExperimentFiles, file_name
from gui.texts.exchange import FORMATS, file_labels, in_language
from gui.texts.translation import tr, tr_marked
from gui.widgets.worker import Worker

if TYPE_CHECKING:
    from gui.widgets.progress import Progress

DATA = {f"export_{name}": name for name in EXPORTERS}
# What tells two exports of one experiment apart where their endings do not.
_SUFFIXES = {"torch": " torch", "csv": " csv"}


class DataExportActions(QObject):
    """What File ▸ Export does with the numbers. `ask` asks for the file; `written` is told where it stands."""

    def __init__(
        self,
        session: Session,
        window: QWidget,
        files: ExperimentFiles,
        written: Callable[[Path], None],
    ) -> None:
        super().__init__(window)
        self._session, self._window, self._files, self._written = session, window, files, written
        self.ask: Callable[[QWidget, Path, str], Path | None] = ask_path
        self._work = Worker(self)
        self._work.done.connect(self._on_done)
        self._work.failed.connect(self._on_failed)
        self._path: Path | None = None
        self._progress: Progress | None = None

    def open(self, action_id: str) -> None:
        """Ask for the file, make what belongs in it, write it."""
        name = DATA[action_id]
        path = self._asked(name)
        if path is None:
            return
        self._session.play(False)
        self._path = path
        state = self._session.state
        self._work.start(
            partial(export, in_language(state.document), name, file_labels(state.orientation))
        )
        if self._work.busy:
            self._show_progress(path)

    def _asked(self, name: str) -> Path | None:
        ending = EXPORTERS[name].ending
        title = self._session.state.document.title
        stem = (file_name(tr_marked(title)) if title else "") or tr("Experiment")
        suggestion = self._files.folder() / f"{stem}{_SUFFIXES.get(name, '')}{ending}"
        what = tr_marked(FORMATS[name])
        chosen = self.ask(self._window, suggestion, f"{what} (*{ending})")
        if chosen is None or chosen.suffix.lower() == ending or not ending:
            return chosen
        path = chosen.with_name(chosen.name + ending)
        agreed = not path.exists() or self._files.ask.overwrite(self._window, path.name)
        return path if agreed else None

    def _show_progress(self, path: Path) -> None:
        from gui.widgets.progress import Progress

        said = tr("Writing {name}…", name=path.name)
        self._progress = Progress(said, self._window, Qt.WindowModality.WindowModal)
        self._progress.canceled.connect(self._cancel)
        self._progress.show()

    def _cancel(self) -> None:
        self._work.stop()
        self._end()

    def _end(self) -> None:
        if self._progress is not None:
            self._progress.canceled.disconnect(self._cancel)  # closing it is no wish to cancel
            self._progress.close()
            self._progress.deleteLater()
            self._progress = None

    def _on_done(self, content: Content) -> None:
        path = self._path
        self._end()
        assert path is not None, "nothing is made before a file was chosen"
        try:
            if isinstance(content, bytes):
                write_bytes(path, content)
            else:
                write_folder(path, content)
        except UserError as problem:
            self._session.failed.emit(problem)
        else:
            self._written(path)

    def _on_failed(self, problem: UserError) -> None:
        self._end()
        self._session.failed.emit(problem)


def ask_path(parent: QWidget, suggestion: Path, kind: str) -> Path | None:
    """The file to write, chosen in the system's own dialog."""
    chosen, _ = QFileDialog.getSaveFileName(parent, tr("Export"), str(suggestion), kind)
    return Path(chosen) if chosen else None


def open_folder(folder: Path) -> None:
    """Show it in the system's own program for files."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
