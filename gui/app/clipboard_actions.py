"""Edit ▸ Copy, Paste, Select all: for the table or the text field with the keyboard focus."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from shiboken6 import isValid

# The method of the widget by action. A table lists in `clips` the actions that it has.
METHODS = {
    "clip_copy": "copy",
    "clip_paste": "paste",
    "clip_whole": "paste_whole",
    "clip_clear": "clear",
    "select_all": "selectAll",
}
PASTES = ("clip_paste", "clip_whole")
_TEXT_ACTIONS = ("clip_copy", "clip_paste", "select_all")
_TEXT_WIDGETS = (QLineEdit, QTextEdit, QPlainTextEdit)


class ClipboardActions(QObject):
    """Remember which widget had the keyboard focus before a menu opened."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._last: QWidget | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)

    def _follow(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is not None and new.window() is self._window and not isinstance(new, QMenuBar):
            self._last = new

    @property
    def target(self) -> QWidget | None:
        """The widget to copy from or paste into."""
        widget = self._last
        if widget is None or not isValid(widget) or not widget.isVisible():
            return None
        return widget.findChild(QLineEdit) if isinstance(widget, QAbstractSpinBox) else widget

    @property
    def is_text(self) -> bool:
        """Whether the target is a text field."""
        return isinstance(self.target, _TEXT_WIDGETS)

    @staticmethod
    def has_text() -> bool:
        """Whether there is a text on the clipboard."""
        data = QGuiApplication.clipboard().mimeData()
        return data is not None and data.hasText()

    def can(self, action_id: str) -> bool:
        """Whether the target has an action now; nothing is pasted from an empty clipboard."""
        return (action_id not in PASTES or self.has_text()) and self._knows(action_id)

    def _knows(self, action_id: str) -> bool:
        target = self.target
        if isinstance(target, _TEXT_WIDGETS) and target.isReadOnly() and action_id in PASTES:
            return False
        texts = _TEXT_ACTIONS if isinstance(target, _TEXT_WIDGETS) else ()
        return action_id in getattr(target, "clips", texts)

    def perform(self, action_id: str) -> None:
        """Carry out an action on the target."""
        if self._knows(action_id):
            method: Callable[[], object] = getattr(self.target, METHODS[action_id])
            method()

    def edit(self) -> bool:
        """Edit the current cell of a target that has numbers of its own; False if it has none."""
        edit: Callable[[], object] | None = getattr(self.target, "edit_current", None)
        if edit is not None:
            edit()
        return edit is not None
