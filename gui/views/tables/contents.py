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
from core.explain.timeline import has_heads
from core.stages.terms import cells_of
from gui.painting.color_scale import Levels, levels_of, reached_levels
from gui.session.state import Extent, State
from gui.texts.names import symbol
from gui.views.tables.edits import is_entered

Place = tuple[int, int]
NO_NUMBERS: Array = np.zeros((0, 0))


class TableContents(Struct, frozen=True, eq=False):
    """One tensor of one head in the rows and columns of the table, with its marks.

    Places are (row, column) there.

    `source` is the array that the values are a view of: the same object means that nothing changed.
    `feeds` are the cells that the focused cell is computed from. `visible_extent` is how much is
    shown, None means all; the rest is not reached yet, or to be predicted while `predicting`.
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
    visible_extent: Extent | None = None
    predicting: bool = False
    orientation: Orientation = ROWS

    @property
    def symbol(self) -> str:
        """The symbol of the tensor."""
        return symbol(self.tensor, self.document, self.orientation)

    def is_hidden(self, row: int, column: int) -> bool:
        """Whether the number at a place is not shown yet; what-if values are."""
        if self.visible_extent is None:
            return False
        if (row, column) in self.pinned and not self.predicting:
            return False
        rows, cells = self.visible_extent
        row, column = self.orientation.pair(row, column)
        return row > rows or (row == rows and column >= cells)

    def is_locked(self, row: int, column: int) -> bool:
        """Whether the number at a place is to be predicted, and so must not be changed."""
        return self.predicting and self.is_hidden(row, column)

    def visible(self, cells: BoolArray) -> BoolArray:
        """The given cells without hidden ones."""
        if self.visible_extent is None:
            return cells
        rows, more = self.visible_extent
        shown = self.orientation.matrix(cells.copy())
        shown[rows + 1 :], shown[rows : rows + 1, more:] = False, False
        shown = self.orientation.matrix(shown)
        for place in () if self.predicting else self.pinned:
            shown[place] = cells[place]
        return shown

    def visible_values(self) -> Array:
        """The numbers that are shown, as a list where some are hidden."""
        if self.visible_extent is None:
            return self.values
        values: Array = self.values[self.visible(np.ones(self.values.shape, dtype=bool))]
        return values

    def cell(self, row: int, column: int) -> Cell:
        """The address of the number at a place."""
        return Cell(
            self.tensor,
            *self.orientation.pair(row, column),
            self.head if has_heads(self.tensor) else 0,
        )

    def value(self, cell: Cell) -> float:
        """The number of a cell of this table."""
        return float(self.values[self.orientation.pair(cell.row, cell.column)])

    @property
    def frame(self) -> tuple[object, ...]:
        """What two tables must share to be compared cell by cell."""
        return self.tensor, self.head, self.values.shape, self.orientation

    @property
    def style(self) -> tuple[object, ...]:
        """What changes the look of every number."""
        return self.levels, self.decimals, self.shade, self.language, self.visible_extent


def table_contents(state: State, tensor: str, before: TableContents | None = None) -> TableContents:
    """The table of a tensor; `before` lends the levels of an array that has not changed."""
    heads = state.document.scope(tensor).h if has_heads(tensor) else 1
    head = min(state.cursor.head, heads - 1)
    document, trace, orientation = state.document, state.trace, state.orientation
    source, extent = None, None
    if tensor in trace:
        source = trace[tensor]
        rows, columns = source.shape[-2:]
        extent = state.reached_extent(tensor, (rows, columns))
    elif tensor in document.inputs:
        source = document.tensor(tensor, head)

    def places(cells: Iterable[Cell]) -> frozenset[Place]:
        return frozenset(
            orientation.pair(cell.row, cell.column)
            for cell in cells
            if cell.tensor == tensor and cell.head == head
        )

    known = None if before is None else (before.source, before.tensor, before.visible_extent)
    if (
        before is not None
        and known is not None
        and before.source is source
        and known[1:] == (tensor, extent)
    ):
        levels = before.levels
    elif tensor in trace:
        levels = reached_levels(trace, tensor, extent)
    else:
        levels = levels_of(NO_NUMBERS if source is None else source, tensor)
    return TableContents(
        document=document,
        tensor=tensor,
        head=head,
        source=source,
        values=orientation.matrix(_matrix(source, head)),
        levels=levels,
        entered=is_entered(document, tensor),
        pinned=places(pin.cell for pin in document.pins),
        filled=places(document.filled),
        focus=next(iter(places([state.focus])), None),
        feeds=places(_feeds(state, trace, tensor)),
        decimals=state.decimals,
        shade=state.shade,
        language=state.language,
        visible_extent=extent,
        predicting=state.hides_ahead,
        orientation=orientation,
    )


def _matrix(source: Array | None, head: int) -> Array:
    """The matrix of one head, a vector as one row.

    An empty one if the experiment does not use the tensor.
    """
    if source is None:
        return NO_NUMBERS
    if source.ndim == 3:
        matrix: Array = source[head]
        return matrix
    return source.reshape(1, -1) if source.ndim == 1 else source


def _feeds(state: State, trace: Trace, tensor: str) -> Iterable[Cell]:
    """Cells of a tensor that the focused cell is computed from."""
    document, focus = state.document, state.focus
    if focus.tensor not in trace.plan:
        return ()
    stage = trace.plan[focus.tensor]
    if stage.entered or tensor not in (*stage.reads, *stage.inputs):
        return ()
    # Without its pins the document has the same terms, and nothing has to be computed again.
    step = derive(document.with_(pins=()) if document.pins else document, trace, focus)
    return cells_of(step.terms, tensor)


def changed_values(old: TableContents, new: TableContents) -> BoolArray | None:
    """Which numbers differ; None if none does. Both have the same frame."""
    if old.source is new.source:
        return None
    changed: BoolArray = np.not_equal(old.values, new.values)
    return changed if changed.any() else None


def changed_block(
    old: TableContents, new: TableContents, values: BoolArray | None
) -> tuple[Place, Place] | None:
    """The first and last place of the smallest block with everything that is drawn differently.

    None if nothing is.
    """
    rows, columns = new.values.shape
    if not rows:
        return None
    if old.style != new.style:
        return (0, 0), (rows - 1, columns - 1)
    places = (old.pinned ^ new.pinned) | (old.filled ^ new.filled) | (old.feeds ^ new.feeds)
    if old.focus != new.focus:
        places |= {place for place in (old.focus, new.focus) if place is not None}
    touched_rows, touched_columns = {row for row, _ in places}, {column for _, column in places}
    if values is not None:
        touched_rows |= set(np.flatnonzero(values.any(axis=1)).tolist())
        touched_columns |= set(np.flatnonzero(values.any(axis=0)).tolist())
    touched_rows &= set(range(rows))
    touched_columns &= set(range(columns))
    if not touched_rows or not touched_columns:
        return None
    return (min(touched_rows), min(touched_columns)), (max(touched_rows), max(touched_columns))
