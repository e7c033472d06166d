"""Three small buttons in the corner of the diagram: larger, smaller, everything."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from gui.icons import icon
from gui.language import tr
from gui.theme import Colours

SIZE = 24


class Corner(QWidget):
    """The buttons; what they do is connected by the diagram."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        self.zoom_in, self.zoom_out, self.fit = (self._button(name) for name in ("zoom_in", "zoom_out", "fit"))
        for button in (self.zoom_in, self.zoom_out, self.fit):
            row.addWidget(button)

    def _button(self, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(f"diagram_{name}")
        button.setAutoRaise(True)
        button.setFixedSize(SIZE, SIZE)
        button.setIconSize(QSize(16, 16))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setCursor(Qt.CursorShape.ArrowCursor)
        return button

    def label(self) -> None:
        """Names in the current language."""
        names = (tr("Zoom in"), tr("Zoom out"), tr("Fit the diagram"))
        for button, name in zip((self.zoom_in, self.zoom_out, self.fit), names, strict=True):
            button.setAccessibleName(name)
            button.setToolTip(name)

    def colour(self, theme: Colours) -> None:
        """Icons in a theme's colour."""
        for button, name in ((self.zoom_in, "zoom_in"), (self.zoom_out, "zoom_out"), (self.fit, "fit")):
            button.setIcon(icon(name, theme.muted, theme.ghost))

    def offer(self, enlarged: bool) -> None:
        """Only what does something can be pressed."""
        self.zoom_out.setEnabled(enlarged)
        self.fit.setEnabled(enlarged)
