"""What is covered by a presentation rests: it is told nothing, paints nothing, and catches up when it is seen again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtWidgets import QWidget

from gui.errors.excepthook import guard
from gui.session.state import State


class StateView(Protocol):
    """Anything that shows the state."""

    def show_state(self, old: State | None, new: State) -> None:
        """Show what changed between two states; everything when there was none before."""


class StateDispatcher:
    """The views of a window. While they rest, the states that they miss are one step for them.

    A view that fails stops no other; the states that it has failed to show are one step for it, too.
    """

    def __init__(self, window: QWidget, views: Sequence[StateView]) -> None:
        self._window, self._views = window, views
        self._resting = False
        self._missed: tuple[State, State] | None = None
        self._failed: dict[
            int, State | None
        ] = {}  # views that failed, and the last state that they have shown

    def show_state(self, old: State | None, new: State) -> None:
        """Every view in turn, or later."""
        if self._resting and old is not None:
            self._missed = (self._missed[0] if self._missed else old, new)
            return
        for number, view in enumerate(self._views):
            shown = self._failed.pop(number, old)
            if not guard(view.show_state, shown, new):
                self._failed[number] = shown

    def pause(self, on: bool) -> None:
        """Whether nobody sees the window now."""
        if on == self._resting:
            return
        self._resting = on
        if self._missed and not on:
            missed, self._missed = self._missed, None
            self.show_state(*missed)
        self._window.setUpdatesEnabled(not on)
