"""The focused cell in words, with its value or why there is none. Free of Qt."""

from __future__ import annotations

from core.base.cell import Cell
from core.base.number_format import show
from gui.session.state import State
from gui.texts.spoken import in_head, joined, marks, place
from gui.texts.translation import tr


def spoken_cell(state: State, cell: Cell, *, standing: bool) -> str:
    """Scores, query 吃, key 鱼, 0.50; with the head where there are several, and with what is special about it.

    `standing` leaves out what the steps have not reached yet, as diagram and stage view do; a number that is to be
    predicted is never told.
    """
    document = state.document
    words = in_head(place(cell, document, state.orientation), cell, document)
    if cell.tensor in state.trace.plan:
        if state.is_predicted(cell.tensor, cell.row, cell.column):
            return joined((words, tr("to be predicted")))
        if state.hides(cell) or (
            standing and not state.is_visible(cell.tensor, cell.row, cell.column)
        ):
            return joined((words, tr("not reached yet")))
    value = show(_value(state, cell), state.decimals)
    return joined((words, value, *marks(cell, document, masked=is_masked(state, cell))))


def is_masked(state: State, cell: Cell) -> bool:
    """Whether a mask keeps a query from a key, at a stage that a mask reaches."""
    if cell.tensor not in ("masked", "exp", "weights") or "masked" not in state.trace:
        return False
    return bool(
        state.trace.value(Cell("masked", cell.row, cell.column, cell.head)) == float("-inf")
    )


def _value(state: State, cell: Cell) -> float:
    if cell.tensor in state.trace:
        return state.trace.value(cell)
    values = state.document.tensor(cell.tensor, cell.head)
    assert values is not None, "a cell in focus exists"
    return float(values[cell.row, cell.column] if values.ndim == 2 else values[cell.column])
