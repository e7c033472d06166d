"""What one table shows of a state, and what differs between two of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from core.base.arrays import Array, BoolArray
from core.base.cell import Cell
from core.compute.trace import Trace
from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.explain.derivation import derive
from core.explain.terms import cells_of
from gui.painting.color_scale import Levels, levels_of, stage_levels
from gui.session.state import Extent, State
from gui.views.tables.editing import has_heads, is_entered

Place = tuple[int, int]
NO_NUMBERS: Array = np.zeros((0, 0))


class Contents(Struct, frozen=True, eq=False):
    """One tensor of one head as the rows and columns that are seen, with its marks; places are rows and columns seen.

    `source` is the array that the values are a view of: the same object means that nothing changed.
    `feeds` are the cells that the focused cell is computed from. `open_part` is how much may be shown while the rest
    is to be predicted; None means all.
    """

    document: Document
    tensor: str
    head: int
    source: Array | None
    values: Array
    levels: Levels
    entered: bool
    pinned: frozenset[Place]
    filled: frozenset[Place]
    focus: Place | None
    feeds: frozenset[Place]
    decimals: int
    shade: str
    language: str
    open_part: Extent | None = None
    orientation: Orientation = ROWS

    def withholds(self, row: int, column: int) -> bool:
        """Whether the number at a place is not to be shown yet."""
        if self.open_part is None:
            return False
        rows, cells = self.open_part
        row, column = self.orientation.pair(row, column)
        return row > rows or (row == rows and column >= cells)

    def cell(self, row: int, column: int) -> Cell:
        """The address of a place."""
        return Cell(
            self.tensor,
            *self.orientation.pair(row, column),
            self.head if has_heads(self.tensor) else 0,
        )


def contents(state: State, tensor: str, before: Contents | None = None) -> Contents:
    """The table of a tensor; `before` lends what has not changed."""
    head = state.cursor.head if has_heads(tensor) else 0
    document, trace = state.document, state.trace
    source = _source(document, trace, tensor, head)
    known = before is not None and before.source is source and before.tensor == tensor
    seen = state.orientation
    return Contents(
        document,
        tensor,
        head,
        source,
        seen.matrix(_matrix(source, head)),
        before.levels if before is not None and known else _levels(trace, tensor, source),
        is_entered(document, tensor),
        _places((pin.cell for pin in document.pins), tensor, head, seen),
        _places(document.filled, tensor, head, seen),
        _place(state.focus, tensor, head, seen),
        _feeds(state, tensor, head),
        state.decimals,
        state.shade,
        state.language,
        _open_part(state, tensor),
        seen,
    )


def _open_part(state: State, tensor: str) -> Extent | None:
    if tensor not in state.trace:
        return None
    rows, columns = state.trace[tensor].shape[-2:]
    return state.visible_extent(tensor, (rows, columns))


def _source(document: Document, trace: Trace, tensor: str, head: int) -> Array | None:
    """The array of a stage or of an entered tensor; None for one that this experiment does not use."""
    if tensor in trace:
        return trace[tensor]
    return document.tensor(tensor, head) if tensor in document.inputs else None


def _matrix(source: Array | None, head: int) -> Array:
    if source is None:
        return NO_NUMBERS
    if source.ndim == 3:
        matrix: Array = source[head]
        return matrix
    return source.reshape(1, -1) if source.ndim == 1 else source


def _levels(trace: Trace, tensor: str, source: Array | None) -> Levels:
    if tensor in trace:
        return stage_levels(trace, tensor)
    return levels_of(NO_NUMBERS if source is None else source, tensor)


def _place(cell: Cell, tensor: str, head: int, seen: Orientation) -> Place | None:
    return seen.pair(cell.row, cell.column) if cell.tensor == tensor and cell.head == head else None


def _places(cells: Iterable[Cell], tensor: str, head: int, seen: Orientation) -> frozenset[Place]:
    places = (_place(cell, tensor, head, seen) for cell in cells)
    return frozenset(place for place in places if place is not None)


def _feeds(state: State, tensor: str, head: int) -> frozenset[Place]:
    """Cells of this table that the focused cell is computed from."""
    document, trace, focus = state.document, state.trace, state.focus
    if focus.tensor not in trace.plan:
        return frozenset()
    stage = trace.plan[focus.tensor]
    if stage.entered or tensor not in (*stage.reads, *stage.inputs):
        return frozenset()
    # Without its pins the document gives the same terms, and nothing has to be computed again.
    step = derive(document.with_(pins=()) if document.pins else document, trace, focus)
    return _places(cells_of(step.terms, tensor), tensor, head, state.orientation)


def same_frame(old: Contents, new: Contents) -> bool:
    """Whether both are the same tensor, head, shape and way to see it, so that cells can be compared one by one."""
    return _frame(old) == _frame(new)


def _frame(shown: Contents) -> tuple[object, ...]:
    return shown.tensor, shown.head, shown.values.shape, shown.orientation


def changed_values(old: Contents, new: Contents) -> BoolArray | None:
    """Which numbers differ; None if none does. Both have the same frame."""
    if old.source is new.source:
        return None
    changed: BoolArray = np.not_equal(old.values, new.values)
    return changed if changed.any() else None


def changed_block(
    old: Contents, new: Contents, values: BoolArray | None
) -> tuple[Place, Place] | None:
    """The smallest block (first and last place) that holds all that looks different; None if nothing does."""
    rows, columns = new.values.shape
    if not rows:
        return None
    if _manner(old) != _manner(new):
        return (0, 0), (rows - 1, columns - 1)
    places = (
        {place for place in (old.focus, new.focus) if place is not None}
        if old.focus != new.focus
        else set()
    )
    places |= (old.pinned ^ new.pinned) | (old.filled ^ new.filled) | (old.feeds ^ new.feeds)
    if values is not None:
        for axis in (0, 1):
            along = np.flatnonzero(values.any(axis=1 - axis))
            first, last = int(along[0]), int(along[-1])
            places |= {(first, -1), (last, -1)} if axis == 0 else {(-1, first), (-1, last)}
    touched_rows = [row for row, _ in places if 0 <= row < rows]
    touched_columns = [column for _, column in places if 0 <= column < columns]
    if not touched_rows or not touched_columns:
        return None
    return (min(touched_rows), min(touched_columns)), (max(touched_rows), max(touched_columns))


def _manner(shown: Contents) -> tuple[object, ...]:
    """What changes the looks of every number."""
    return shown.levels, shown.decimals, shown.shade, shown.language, shown.open_part
