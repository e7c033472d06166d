"""What stands there while there is no difference to show: why, and the button that helps."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from gui.painting.text_size import set_font, set_icon_size
from gui.painting.theme import BODY
from gui.texts.translation import tr
from gui.views.heatmaps.controls import KeyButton


class EmptyPage(QWidget):
    """A sentence and a button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = QLabel(self)
        self._text.setObjectName("heatmap_empty")
        set_font(self._text, BODY)
        self._text.setWordWrap(True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.pin = KeyButton(self)
        self.pin.setObjectName("pin_run_here")
        set_font(self.pin, BODY)
        set_icon_size(self.pin, 16)
        self.pin.setCursor(Qt.CursorShape.PointingHandCursor)
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addStretch(1)
        column.addWidget(self._text)
        column.addWidget(self.pin, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()

    def say(self, text: str) -> None:
        """Another sentence."""
        self._text.setText(text)

    def label(self) -> None:
        """The button in the current language."""
        self.pin.setText(tr("Pin this run"))
        self.pin.setAccessibleName(tr("Pin this run"))
