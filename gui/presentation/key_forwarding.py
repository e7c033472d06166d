"""Keys that come before the hall's window has the keyboard: the window below hands them to the room."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import QWidget


class EarlyKeys(QObject):
    """Watches a window where keys arrive, before shortcuts and editors get them, and hands them on."""

    def __init__(
        self, window: QWidget, press: Callable[[QKeyEvent], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._window, self._press = window, press
        self._watched: QWindow | None = None
        self.arrived = False

    def begin(self) -> None:
        """From now on; `arrived` is to be set once the hall's window has the keyboard."""
        self.arrived = False
        self._watched = self._window.windowHandle()
        if self._watched is not None:
            self._watched.installEventFilter(self)

    def end(self) -> None:
        """No longer."""
        if self._watched is not None:
            self._watched.removeEventFilter(self)
            self._watched = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A key that is accepted here becomes no shortcut; it then comes again as a press.

        Who comes back later, with the keyboard, works in the window.
        """
        if self.arrived and event.type() is QEvent.Type.FocusIn:
            self.end()
        if not isinstance(event, QKeyEvent):
            return False
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
        elif event.type() is QEvent.Type.KeyPress:
            self._press(event)
        return True
