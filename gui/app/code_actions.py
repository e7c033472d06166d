"""An experiment as a code: copied, opened from a text, shown as a QR code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from core.exchange.code import experiment_code, is_code, read_code
from gui.session.session import Session
from gui.storage.experiment_files import ExperimentFiles
from gui.texts.exchange import translated_document
from gui.texts.translation import tr


class CodeActions(QObject):
    """Codes of the open experiment. `ask` asks for a code, with a text to begin with."""

    def __init__(self, session: Session, window: QWidget, files: ExperimentFiles) -> None:
        super().__init__(window)
        self._session, self._window, self._files = session, window, files
        self.ask: Callable[[QWidget, str], str | None] = _ask_code

    def copy(self) -> None:
        """Copy the experiment as a code."""
        code = experiment_code(translated_document(self._session.state.document))
        QGuiApplication.clipboard().setText(code)
        self._session.told.emit(tr("Copied: a code of {count} characters", count=len(code)))

    def ask_and_open(self) -> bool:
        """Ask for a code, by default the one in the clipboard, and open its experiment."""
        text = QGuiApplication.clipboard().text()
        code = self.ask(self._window, text.strip() if is_code(text) else "")
        return code is not None and self.open(code)

    def open(self, code: str) -> bool:
        """Open the experiment of a code. False where it is none, or the user keeps the open one."""
        if not self._session.attempt(partial(read_code, code)) or not self._files.maybe_save():
            return False
        return bool(self._session.attempt(lambda: self._session.open_document(read_code(code))))

    def show_qr(self) -> None:
        """Show the QR code."""
        from gui.dialogs.code import QrDialog

        self._session.play(False)
        document = translated_document(self._session.state.document)
        dialog = QrDialog(document, self._window)
        dialog.copy_wanted.connect(self.copy)
        dialog.save_wanted.connect(self._files.save_copy)
        dialog.open()


def _ask_code(parent: QWidget, text: str) -> str | None:
    from gui.dialogs.code import ask_code  # loaded when first used

    return ask_code(parent, text)
