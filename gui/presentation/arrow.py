"""The mouse's arrow: nobody needs it under the laser's dot, nor when it has rested for a while."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

RESTS = 2000  # milliseconds


class Arrow(QObject):
    """Hides the arrow over the hall's window, whatever cursor the panels there wish for, and brings it back."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.hidden = False
        self.rest = QTimer(self, singleShot=True, interval=RESTS)
        self.rest.timeout.connect(self._rested)

    def moved(self, replaced: bool) -> None:
        """The mouse moved, or another tool was taken up; `replaced` by a dot or a light of its own."""
        self._show(not replaced)
        if replaced:
            self.rest.stop()
        else:
            self.rest.start()

    def left(self) -> None:
        """It is elsewhere now, and belongs to others."""
        self.rest.stop()
        self._show(True)

    def _rested(self) -> None:
        if QApplication.activePopupWidget() is None:
            self._show(False)

    def _show(self, on: bool) -> None:
        if on is not self.hidden:
            return
        self.hidden = not on
        if on:
            QApplication.restoreOverrideCursor()
        else:
            QApplication.setOverrideCursor(Qt.CursorShape.BlankCursor)
