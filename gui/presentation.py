"""Presentation mode: the whole screen for the picture, everything else put away and brought back."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget


class BlackScreen(QWidget):
    """Covers the window until a key or a click puts it away."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.hide()

    def cover(self, on: bool) -> None:
        """Show or hide it over the whole window."""
        self.setGeometry(self._window.rect())
        self.setVisible(on)
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Black."""
        QPainter(self).fillRect(self.rect(), QColor(Qt.GlobalColor.black))


class Presentation:
    """Full screen with diagram and stage view alone."""

    def __init__(self, window: QMainWindow, keep: QDockWidget) -> None:
        self._window = window
        self._keep = keep
        self._before: tuple[QByteArray, Qt.WindowState] | None = None
        self.black = BlackScreen(window)

    @property
    def on(self) -> bool:
        """Whether it is on."""
        return self._before is not None

    def start(self) -> None:
        """Put away menu and instruments and fill the screen."""
        if self._before is not None:
            return
        window = self._window
        self._before = (window.saveState(), window.windowState())
        window.menuBar().hide()
        for dock in window.findChildren(QDockWidget):
            dock.setVisible(dock is self._keep)
        window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)

    def stop(self) -> None:
        """Everything back as it was."""
        if self._before is None:
            return
        layout, state = self._before
        self._before = None
        self.black.cover(False)
        self._window.menuBar().show()
        self._window.setWindowState(state)
        self._window.restoreState(layout)
