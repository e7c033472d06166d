"""A cell in words for screen readers: weights, query 吃, key 鱼, 0.33. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from core.base.cell import Cell
from core.base.number_format import show
from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.document.parts import is_headwise, is_of_head, is_stage
from core.stages import masked_scores
from gui.session.state import State
from gui.texts.names import axes_of, head_name, long_name, stage_name
from gui.texts.rich_text import short_token
from gui.texts.translation import tr


def spoken_place(
    cell: Cell, document: Document, orientation: Orientation = ROWS, name: str = ""
) -> str:
    """Tensor and place of a cell, by tokens where it has some, else by numbers from 1. `name`
    replaces the tensor's.
    """
    if not is_stage(cell.tensor):
        return _numbered(cell, orientation)
    name, (rows, columns) = name or stage_name(cell.tensor), axes_of(cell.tensor)
    row = short_token(document.row_tokens(cell.tensor), cell.row)
    if (rows, columns) == ("n", "m"):
        key = short_token(document.key_tokens, cell.column)
        return tr("{stage}, query {row}, key {column}", stage=name, row=row, column=key)
    if columns == "u":
        word = short_token(document.labels("u") or (), cell.column)
        return tr("{stage}, {row}, word {word}", stage=name, row=row, word=word)
    if orientation.columns:
        return tr("{stage}, row {row}, {column}", stage=name, row=cell.column + 1, column=row)
    return tr("{stage}, {row}, column {column}", stage=name, row=row, column=cell.column + 1)


def _numbered(cell: Cell, orientation: Orientation) -> str:
    """A place in a tensor without tokens; a vector has only columns."""
    name = long_name(cell.tensor)
    if not axes_of(cell.tensor)[0]:
        return tr("{tensor}, number {number}", tensor=name, number=cell.column + 1)
    row, column = orientation.pair(cell.row + 1, cell.column + 1)
    return tr("{tensor}, row {row}, column {column}", tensor=name, row=row, column=column)


def with_head(words: str, cell: Cell, document: Document) -> str:
    """A phrase with the head before it, where there are several."""
    headwise = is_headwise(cell.tensor) or is_of_head(cell.tensor)
    heads = document.scope(cell.tensor).heads
    if len(heads) == 1 or not headwise:
        return words
    return join_phrases((head_name(cell.head, heads[cell.head].name), words))


def cell_marks(cell: Cell, document: Document, *, masked: bool = False) -> tuple[str, ...]:
    """What pictures show by hatching, a folded corner and a dotted line."""
    pinned = any(pin.cell == cell for pin in document.pins)
    said = (
        (masked, tr("masked")),
        (pinned, tr("pinned what-if value")),
        (cell in document.filled, tr("filled in")),
    )
    return tuple(word for there, word in said if there)


def join_phrases(parts: Iterable[str]) -> str:
    """Join parts of a sentence."""
    return reduce(lambda said, more: tr("{where}, {value}", where=said, value=more), parts)


def spoken_cell(state: State, cell: Cell, *, only_visible: bool) -> str:
    """Place, value and marks of a cell, such as Scores, query 吃, key 鱼, 0.50.

    Values that heatmaps and tables cover are left out; with `only_visible` all values ahead, as in
    diagram and stage view.
    """
    document = state.document
    words = with_head(spoken_place(cell, document, state.orientation), cell, document)
    if cell.tensor in state.trace.plan:
        if state.is_predicted(cell.tensor, cell.row, cell.column):
            return join_phrases((words, tr("to be predicted")))
        if state.is_covered(cell) or (
            only_visible and not state.is_visible(cell.tensor, cell.row, cell.column)
        ):
            return join_phrases((words, tr("not reached yet")))
    value = show(_value(state, cell), state.decimals)
    return join_phrases((words, value, *cell_marks(cell, document, masked=is_masked(state, cell))))


def is_masked(state: State, cell: Cell) -> bool:
    """Whether a cell is masked, in the stages from the mask to the weights."""
    masked = masked_scores(state.trace, cell.tensor)
    return masked is not None and bool(masked[cell.head, cell.row, cell.column] == float("-inf"))


def _value(state: State, cell: Cell) -> float:
    if cell.tensor in state.trace:
        return state.trace.value(cell)
    values = state.document.tensor(cell.tensor, cell.head)
    assert values is not None, "a cell in focus exists"
    return float(values[cell.row, cell.column] if values.ndim == 2 else values[cell.column])
