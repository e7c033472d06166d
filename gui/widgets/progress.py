"""What shows long work: what is done, a bar, and a button that stops it, as Esc does."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.painting.text_size import px, set_font
from gui.painting.theme import BODY, TITLE
from gui.texts.translation import tr

WIDE = 344


class Progress(QDialog):
    """Shows `text`. `canceled()`: the user wants the work to stop, or the dialog was closed.

    The keyboard belongs to the dialog: Enter and Space meant for something else stop nothing.
    """

    canceled = Signal()

    def __init__(self, text: str, parent: QWidget, modality: Qt.WindowModality) -> None:
        super().__init__(parent)
        self.setWindowModality(modality)
        self.setWindowFlags(
            Qt.WindowType.Dialog | Qt.WindowType.CustomizeWindowHint | Qt.WindowType.WindowTitleHint
        )
        self.setWindowTitle(tr("Attention Stepper"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._text, self._told = _line(TITLE, bold=True), _line(BODY)
        self._text.setText(text)
        self._told.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._told.hide()
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress"))
        self.bar.setMinimumWidth(px(WIDE))
        self.bar.setRange(0, 0)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(28, 24, 28, 20)
        self._column.setSpacing(10)
        for widget in (self._text, self.bar, self._told, self._buttons()):
            self._column.addWidget(widget)

    def _buttons(self) -> QDialogButtonBox:
        box, button = QDialogButtonBox(), QPushButton(tr("&Cancel"))
        box.addButton(button, QDialogButtonBox.ButtonRole.RejectRole)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setAutoDefault(False)
        box.rejected.connect(self.reject)
        return box

    @property
    def text(self) -> str:
        """What it says, line by line."""
        return "\n".join(label.text() for label in (self._text, self._told) if label.text())

    def tell(self, text: str) -> None:
        """Say something more below the bar."""
        self._told.setText(text)
        self._told.show()
        self.resize(self.width(), self._column.totalHeightForWidth(self.width()))

    def reach(self, done: int, of: int) -> None:
        """How far it is; of nothing while that is not known."""
        self.bar.setRange(0, of)
        self.bar.setValue(done)

    def reject(self) -> None:
        """By Esc, the button or from outside."""
        super().reject()
        self.canceled.emit()


def _line(size: int, *, bold: bool = False) -> QLabel:
    label = QLabel()
    set_font(label, size, bold=bold)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label
