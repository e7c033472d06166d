"""Numbers changed through the session: typed, nudged by keys, dragged or pasted."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from decimal import Decimal
from functools import partial

import numpy as np

from core.base.arrays import Array
from core.base.cell import Cell
from core.base.errors import UserError
from core.base.number_format import exact, shortened
from core.exchange.expression import parse_number
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import cell_name
from gui.texts.translation import mark
from gui.views.tables.contents import table_contents
from gui.views.tables.edits import is_entered, with_values

PIXELS_PER_UNIT = 6
_drag_numbers = itertools.count(1)


def require_visible(state: State, cell: Cell) -> None:
    """Raise UserError "cell.covered" for a number to be predicted, "cell.ahead" for one ahead."""
    require_editable(state, cell)
    if state.is_covered(cell):
        raise UserError("cell.ahead")


def require_editable(state: State, cell: Cell) -> None:
    """Raise UserError "cell.covered" for a number that is to be predicted."""
    if state.hides(cell):
        raise UserError("cell.covered")


def set_numbers(
    session: Session, cells: Mapping[Cell, float], *, text: str, merge: str = "", **values: object
) -> bool:
    """Replace numbers of one tensor (and head) as one undo step named by a marked text.

    False where the session refuses it. Raises UserError "cell.covered".
    """
    if session.state.hides_ahead:
        for cell in cells:
            require_editable(session.state, cell)
    return session.change(with_values, cells, text=text, merge=merge, **values)


def value_at(state: State, cell: Cell) -> float | None:
    """The number of a cell.

    None for a bias that only other heads have, and for one not to be seen yet.
    """
    contents = table_contents(state, cell.tensor)
    if not contents.values.size or state.is_covered(cell):
        return None
    return contents.value(cell)


def enter_text(session: Session, cell: Cell, text: str) -> bool:
    """Take over what was typed as one undo step; the same number again changes nothing.

    False where the session refuses it. Raises UserError as core.exchange.parse_number does, and
    "cell.covered" for a cell that is to be predicted.
    """
    number, state = parse_number(text), session.state
    before, entered = value_at(state, cell), is_entered(state.document, cell.tensor)
    same = () if entered or before is None else (exact(before), shortened(before))
    if exact(number) in same:
        return True  # an editor that was opened and left makes no what-if value
    name = cell_name(cell, state.document, state.orientation)
    what = mark("Set {name}") if entered else mark("Pin {name}")
    return set_numbers(session, {cell: number}, text=what, name=name)


def unit_power(values: Array, decimals: int) -> int:
    """The power of ten of one nudge: tenths, finer or coarser as the tensor's numbers are.

    Never finer than what is shown.
    """
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max()) if finite.size else 0.0
    magnitude = math.floor(math.log10(largest)) if largest > 0 else 0
    power = min(-1, magnitude) if magnitude < 3 else magnitude - 2
    return max(power, -decimals)


def nudged(value: float, steps: float, power: int) -> float:
    """value + steps · 10^power, counted in decimals: 0.2 + 0.1 is 0.3.

    A masked score (−∞) counts from 0.
    """
    start = value if math.isfinite(value) else 0.0
    return float(Decimal(repr(start)) + Decimal(repr(float(steps))) * Decimal(10) ** power)


def nudge(session: Session, steps: float) -> bool:
    """Move the focused value by a number of units; a computed one is pinned.

    False where the session refuses it.
    """
    return session.attempt(partial(_nudge, session, steps))


def _nudge(session: Session, steps: float) -> None:
    cell, contents = session.state.focus, table_contents(session.state, session.state.focus.tensor)
    if not contents.values.size:
        return  # a bias that only other heads have
    require_visible(session.state, cell)
    power = unit_power(contents.visible_values(), session.state.decimals)
    _move_value(session, cell, nudged(contents.value(cell), steps, power), f"nudge:{cell}")


class Drag:
    """One drag on a cell: the value follows the pointer, counted from where it was."""

    def __init__(self, session: Session, cell: Cell) -> None:
        """Raises UserError as `require_visible` does."""
        require_visible(session.state, cell)
        contents = table_contents(session.state, cell.tensor)
        self._session, self._cell, self._start = session, cell, contents.value(cell)
        self._power = unit_power(contents.visible_values(), session.state.decimals)
        self._merge = f"drag:{next(_drag_numbers)}"

    def move_to(self, pixels: float, factor: float = 1.0) -> None:
        """Take the value for a pointer `pixels` above where the drag began."""
        steps = int(pixels / PIXELS_PER_UNIT)
        value = nudged(self._start, steps * factor, self._power)
        self._session.attempt(lambda: _move_value(self._session, self._cell, value, self._merge))


def _move_value(session: Session, cell: Cell, value: float, merge: str) -> None:
    document = session.state.document
    if table_contents(session.state, cell.tensor).value(cell) == value:
        return
    text = mark("Nudge {name}") if is_entered(document, cell.tensor) else mark("Pin {name}")
    name = cell_name(cell, document, session.state.orientation)
    set_numbers(session, {cell: value}, text=text, merge=merge, name=name)
