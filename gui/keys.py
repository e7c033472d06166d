"""Who gets a key: the window's shortcuts, or the widget in which a person is working."""

from __future__ import annotations

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
MOVES = {Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down, Key.Key_Home, Key.Key_End}
PAGES = {Key.Key_PageUp, Key.Key_PageDown}
GIVES_MOVES = "gives_moves"  # a property of tables that leave the keys that move to the window
EDITORS = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)


class KeyArbiter(QObject):
    """Lets the widget that has the keyboard keep the keys that belong to it. Watches that one widget alone."""

    def __init__(self, app: QApplication, parent: QObject) -> None:
        super().__init__(parent)
        app.focusChanged.connect(self._follow)

    def _follow(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is not None:
            old.removeEventFilter(self)
        if new is not None:
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accepting the override keeps a key from becoming a shortcut; it then reaches the widget as typed."""
        is_override = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if not is_override or not belongs_to(watched, event):  # type: ignore[arg-type]
            return False
        event.accept()
        return True


def belongs_to(widget: QObject | None, event: QKeyEvent) -> bool:
    """Whether a key is the widget's own business."""
    key = Key(event.key())
    command = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
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
