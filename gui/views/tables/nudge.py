"""Changing a value a little: by keys, or by dragging. One drag, and one row of key presses, is one undo step."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from functools import partial

import numpy as np

from core.base.arrays import Array
from core.base.cell import Cell
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import cell_name
from gui.texts.translation import mark
from gui.views.tables.contents import contents
from gui.views.tables.editing import is_entered
from gui.views.tables.set_values import require_uncovered, set_numbers

# So many pixels of a drag are one unit.
PIXELS = 6
_drags = itertools.count(1)


def unit(values: Array, decimals: int) -> int:
    """The power of ten of one nudge: tenths as a rule, finer or coarser where a tensor's numbers are.

    Never finer than what is shown.
    """
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max()) if finite.size else 0.0
    magnitude = math.floor(math.log10(largest)) if largest > 0 else 0
    power = min(-1, magnitude) if magnitude < 3 else magnitude - 2
    return max(power, -decimals)


def nudged(value: float, steps: float, power: int) -> float:
    """value + steps · 10^power, counted in decimals: 0.2 and a tenth is 0.3. A masked score (−∞) counts from 0."""
    start = value if math.isfinite(value) else 0.0
    return float(Decimal(repr(start)) + Decimal(repr(float(steps))) * Decimal(10) ** power)


def nudge(session: Session, steps: float) -> bool:
    """The focused value moved by so many units; a computed one is pinned. False where the session refuses it."""
    return session.tried(partial(_nudge, session, steps))


def _nudge(session: Session, steps: float) -> None:
    cell = session.state.focus
    if not contents(session.state, cell.tensor).values.size:
        return  # a bias that only other heads have
    require_uncovered(session.state, cell)
    value, power = _now(session.state, cell)
    _set(session, cell, nudged(value, steps, power), f"nudge:{cell}")


class Drag:
    """One drag on a cell: the value follows the pointer, counted from where it was."""

    def __init__(self, session: Session, cell: Cell) -> None:
        """Raises UserError "cell.covered" for what is not to be seen yet."""
        require_uncovered(session.state, cell)
        self._session = session
        self._cell = cell
        self._start, self._power = _now(session.state, cell)
        self._merge = f"drag:{next(_drags)}"

    def to(self, pixels: float, factor: float = 1.0) -> None:
        """The pointer stands so many pixels above where the drag began."""
        steps = int(pixels / PIXELS)
        value = nudged(self._start, steps * factor, self._power)
        self._session.tried(lambda: _set(self._session, self._cell, value, self._merge))


def _now(state: State, cell: Cell) -> tuple[float, int]:
    """The value at a cell and the power of ten of its unit."""
    shown = contents(state, cell.tensor)
    return float(shown.values[shown.orientation.pair(cell.row, cell.column)]), unit(
        shown.values, state.decimals
    )


def _set(session: Session, cell: Cell, value: float, merge: str) -> None:
    document = session.state.document
    name = cell_name(cell, document, session.state.orientation)
    if _now(session.state, cell)[0] == value:
        return
    text = mark("Nudge {name}") if is_entered(document, cell.tensor) else mark("Pin {name}")
    set_numbers(session, {cell: value}, text=text, merge=merge, name=name)
