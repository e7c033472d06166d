"""Edit ▸ Copy, Paste, Select all: for the table or the field that has the keyboard."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QGuiApplication
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

# What each action calls at the widget. A table says in `clips` which of them it knows, a field of text knows its own.
DEEDS = {
    "clip_copy": "copy",
    "clip_paste": "paste",
    "clip_whole": "paste_whole",
    "select_all": "selectAll",
}
PASTES = ("clip_paste", "clip_whole")
_OF_TEXT = ("clip_copy", "clip_paste", "select_all")
_TEXTS = (QLineEdit, QTextEdit, QPlainTextEdit)


class EditActions(QObject):
    """Remembers who had the keyboard before a menu was opened by it."""

    def __init__(self, window: QWidget, actions: dict[str, QAction]) -> None:
        super().__init__(window)
        self._window, self._actions = window, actions
        self._last: QWidget | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)
        for action in (
            actions.values()
        ):  # the keys are heard by who has the keyboard; the menu only names them
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)

    def _follow(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is not None and new.window() is self._window and not isinstance(new, QMenuBar):
            self._last = new

    @property
    def target(self) -> QWidget | None:
        """Who would copy or paste now."""
        widget = self._last
        if widget is None or not isValid(widget) or not widget.isVisible():
            return None
        return widget.findChild(QLineEdit) if isinstance(widget, QAbstractSpinBox) else widget

    def offer(self) -> None:
        """Which of the actions there are for who has the keyboard; nothing is pasted from an empty clipboard."""
        data = QGuiApplication.clipboard().mimeData()
        text = data is not None and data.hasText()
        for name, action in self._actions.items():
            action.setEnabled(name in self._known() and (text or name not in PASTES))

    def _known(self) -> tuple[str, ...]:
        target = self.target
        known: tuple[str, ...] = getattr(
            target, "clips", _OF_TEXT if isinstance(target, _TEXTS) else ()
        )
        reads = isinstance(target, _TEXTS) and target.isReadOnly()
        return tuple(name for name in known if not (reads and name in PASTES))

    def perform(self, name: str) -> None:
        """Have it done."""
        if name in self._known():
            deed: Callable[[], object] = getattr(self.target, DEEDS[name])
            deed()
