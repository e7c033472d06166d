"""Decide who gets a key: the shortcuts of the window, or the widget with the focus."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

Key = Qt.Key
COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
UNDO, REDO = ("Ctrl+Z",), ("Ctrl+Shift+Z", "Ctrl+Y")
MOVES = {Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down, Key.Key_Home, Key.Key_End}
PAGES = {Key.Key_PageUp, Key.Key_PageDown}
# Modifiers, and keys that move the focus.
QUIET = {
    Key.Key_Control,
    Key.Key_Shift,
    Key.Key_Alt,
    Key.Key_AltGr,
    Key.Key_Meta,
    Key.Key_CapsLock,
    Key.Key_NumLock,
    Key.Key_Tab,
    Key.Key_Backtab,
}
GIVES_MOVES = "gives_moves"  # property of tables that leave arrow keys to the window
EDITORS = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)


class ShortcutFilter(QObject):
    """Let the focused widget keep its keys.

    `idle` is called for every other key in the window. Esc in a table without an open editor calls
    `leave`, which moves the focus back to the diagram.
    """

    def __init__(
        self,
        app: QApplication,
        window: QWidget,
        idle: Callable[[], object],
        leave: Callable[[], object],
    ) -> None:
        super().__init__(window)
        self._window, self._idle, self._leave = window, idle, leave
        app.focusChanged.connect(self._follow)

    def _follow(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is not None:
            old.removeEventFilter(self)
        if new is not None:
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept the override, so that the key reaches the widget and triggers no shortcut."""
        if not isinstance(event, QKeyEvent) or not isinstance(watched, QWidget):
            return False
        if event.type() == QEvent.Type.KeyPress:
            return watched.window() is self._window and self._pressed(watched, event)
        if event.type() != QEvent.Type.ShortcutOverride or not belongs_to(watched, event):
            return False
        event.accept()
        return True

    def _pressed(self, widget: QWidget, event: QKeyEvent) -> bool:
        """Whether a pressed key was handled here."""
        if event.key() not in QUIET and not belongs_to(widget, event):
            self._idle()
        if event.key() != Key.Key_Escape or not isinstance(widget, QAbstractItemView):
            return False
        self._leave()
        return True


def claim_key(event: QEvent, owns: Callable[[QKeyEvent], object]) -> bool:
    """Keep a key that a widget `owns` from shortcuts; call it in the widget's `event`."""
    if (
        event.type() != QEvent.Type.ShortcutOverride
        or not isinstance(event, QKeyEvent)
        or not owns(event)
    ):
        return False
    event.accept()
    return True


def belongs_to(widget: QObject | None, event: QKeyEvent) -> bool:
    """Whether a widget handles a key itself."""
    key = Key(event.key())
    command = event.modifiers() & COMMANDS
    if isinstance(widget, EDITORS):
        return not command and (bool(event.text()) or key in MOVES or key in PAGES)
    if command:
        return False
    if isinstance(widget, QAbstractItemView):
        # A table accepts other keys that open an editor.
        return (key in MOVES or key in PAGES) and not widget.property(GIVES_MOVES)
    if isinstance(widget, QComboBox):  # a closed one does nothing with ← and →
        return key in MOVES - {Key.Key_Left, Key.Key_Right} or key == Key.Key_Space
    if isinstance(widget, QAbstractSlider | QTabBar):
        return key in MOVES
    return isinstance(widget, QAbstractButton) and key == Key.Key_Space
