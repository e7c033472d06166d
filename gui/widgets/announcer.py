"""Announce changes to screen readers.

A reader speaks the description of a painted view only when the focus arrives there.
"""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget

from gui.session.spoken_cell import spoken_cell
from gui.session.state import State

_HEARD = ("cursor", "focus", "trace", "hidden", "decimals", "language")


def announce(widget: QWidget, words: str) -> None:
    """Let a screen reader speak a text."""
    from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, words))


class Announcer:
    """Announce the focused cell."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._said = ""

    def show_state(self, old: State | None, new: State) -> None:
        """Announce the focused cell if it or its value changed."""
        if old is not None and all(getattr(old, name) is getattr(new, name) for name in _HEARD):
            return
        before, self._said = self._said, spoken_cell(new, new.focus, only_visible=True)
        # Readers speak the cells of a table by themselves.
        if (
            old is not None
            and before != self._said
            and not isinstance(QApplication.focusWidget(), QAbstractItemView)
        ):
            announce(QApplication.activeWindow() or self._window, self._said)
