"""The right side of a lab: picture and words, which scroll where words are so large that they leave it no room."""

from __future__ import annotations

from PySide6.QtGui import QKeyEvent

from gui.widgets.layouts import Scrolling


class Side(Scrolling):
    """Scrolls by the wheel and its bar; keys belong to the lab: a clicker's are its steps."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The window's."""
        event.ignore()
