"""Who gets a key: the window's shortcuts, or the widget in which a person is working."""

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
# What begins a command, and what goes from one widget to the next.
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
GIVES_MOVES = "gives_moves"  # a property of tables that leave the keys that move to the window
EDITORS = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)


class ShortcutFilter(QObject):
    """Lets the widget that has the keyboard keep the keys that belong to it. Watches that one widget alone.

    `idle` hears of every other key in the window: one that is no command came to the widget although it has no use
    for it. Esc in a table in which nothing is typed leads out of it: `leave` gives the keyboard back to the steps.
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
        """Accepting the override keeps a key from becoming a shortcut; it then reaches the widget as typed."""
        if not isinstance(event, QKeyEvent) or not isinstance(watched, QWidget):
            return False
        if event.type() == QEvent.Type.KeyPress:
            return watched.window() is self._window and self._pressed(watched, event)
        if event.type() != QEvent.Type.ShortcutOverride or not belongs_to(watched, event):
            return False
        event.accept()
        return True

    def _pressed(self, widget: QWidget, event: QKeyEvent) -> bool:
        """Whether a key in the window has done what it is there for."""
        if event.key() not in QUIET and not belongs_to(widget, event):
            self._idle()
        if event.key() != Key.Key_Escape or not isinstance(widget, QAbstractItemView):
            return False
        self._leave()
        return True


def claim_key(event: QEvent, owns: Callable[[QKeyEvent], object]) -> bool:
    """Whether a key is kept from the shortcuts, for a widget's `event`: what it `owns` then comes as a key pressed."""
    if (
        event.type() != QEvent.Type.ShortcutOverride
        or not isinstance(event, QKeyEvent)
        or not owns(event)
    ):
        return False
    event.accept()
    return True


def belongs_to(widget: QObject | None, event: QKeyEvent) -> bool:
    """Whether a key is the widget's own business."""
    key = Key(event.key())
    command = event.modifiers() & COMMANDS
    if isinstance(widget, EDITORS):
        return not command and (bool(event.text()) or key in MOVES or key in PAGES)
    if command:
        return False
    if isinstance(widget, QAbstractItemView):
        # What else opens an editor, the table accepts by itself.
        return (key in MOVES or key in PAGES) and not widget.property(GIVES_MOVES)
    if isinstance(widget, QComboBox | QAbstractSlider | QTabBar):
        return key in MOVES or key == Key.Key_Space
    return isinstance(widget, QAbstractButton) and key == Key.Key_Space
