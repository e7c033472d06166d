"""Hints in the panel "Check": one after the other for the same number, from the beginning again after the last."""

from __future__ import annotations

from core.base.cell import Cell
from core.check import Report
from core.document.focus import exists
from gui.session.state import State
from gui.texts.hints import hints


class Hinting:
    """For which number hints were asked, and how many."""

    def __init__(self) -> None:
        self._cell: Cell | None = None
        self._given = 0

    def ask(self, cell: Cell) -> None:
        """The first hint for a number, or the next one."""
        self._given = self._given + 1 if cell == self._cell else 1
        self._cell = cell

    def forget(self) -> None:
        """No hint is shown any more."""
        self._cell = None

    def shown(self, state: State, report: Report | None) -> tuple[str, int, int]:
        """The hint that is shown, "" where none is; its number, from 1, and how many there are for this number.

        Numbers that are still hidden are in none of them.
        """
        if self._cell is None or not exists(state.document, self._cell):
            return "", 0, 0
        decimals = None if state.predict and state.hidden is None else state.decimals
        found = hints(state.document, state.trace, report, self._cell, state.orientation, decimals)
        place = (self._given - 1) % len(found)
        return found[place], place + 1, len(found)
