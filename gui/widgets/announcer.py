"""Tells screen readers what a step, a move of the focus, another head or an edit has brought.

Painted views describe themselves, but a reader speaks such a description only when it arrives there, and the keyboard
may be anywhere.
"""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget

from gui.session.spoken_cell import spoken_cell
from gui.session.state import State

_HEARD = ("cursor", "focus", "trace", "hidden", "decimals", "language")


def announce(widget: QWidget, words: str) -> None:
    """Have a screen reader say something that has just happened at a widget."""
    from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, words))


class Announcer:
    """One sentence a change, told by the window in front."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._said = ""

    def show_state(self, old: State | None, new: State) -> None:
        """Tell the focused cell where it is another one or has another value."""
        if old is not None and all(getattr(old, name) is getattr(new, name) for name in _HEARD):
            return
        before, self._said = self._said, spoken_cell(new, new.focus, only_visible=True)
        # The cells of a table are spoken by the reader itself.
        if (
            old is not None
            and before != self._said
            and not isinstance(QApplication.focusWidget(), QAbstractItemView)
        ):
            announce(QApplication.activeWindow() or self._window, self._said)
