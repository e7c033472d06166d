"""One number typed for a cell, wherever it is typed: an entered one is set, a computed one pinned."""

from __future__ import annotations

from core.base.cell import Cell
from core.base.number_format import exact
from core.exchange import parse_number
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import cell_name
from gui.texts.translation import mark
from gui.views.tables.contents import contents
from gui.views.tables.editing import is_entered
from gui.views.tables.set_values import set_numbers


def value_at(state: State, cell: Cell) -> float | None:
    """The number of a cell; None where there is none (a bias that only other heads have), or none to be seen yet."""
    shown = contents(state, cell.tensor)
    if not shown.values.size or state.hides(cell):
        return None
    return float(shown.values[shown.orientation.pair(cell.row, cell.column)])


def take_text(session: Session, cell: Cell, text: str) -> bool:
    """Take over what was typed as one undo step; the very number that stood there changes nothing.

    False where the session refuses it. Raises UserError, as core.exchange.parse_number does, for what is no number, and
    "cell.covered" for a cell that is not to be seen yet.
    """
    number, state = parse_number(text), session.state
    before, entered = value_at(state, cell), is_entered(state.document, cell.tensor)
    if not entered and before is not None and exact(number) == exact(before):
        return True  # an editor that was opened and left: no what-if value comes of it
    name = cell_name(cell, state.document, state.orientation)
    what = mark("Set {name}") if entered else mark("Pin {name}")
    return set_numbers(session, {cell: number}, text=what, name=name)
