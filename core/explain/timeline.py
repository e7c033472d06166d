"""The timeline of a run: one line of positions, stepped by stage, row or cell; and the focused
cell.

Every stage is a block of positions in reading order: row by row, and cell by cell in a row. A row
of the softmax opens with a sub-step of its own (the row's maximum before e^{s−max}, the row's sum
before the quotients). A stage that was entered is one position. "The stage is complete" is the
position of its last cell, so that the three grains are coarser and finer stops on the same line;
its two ends are stops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from msgspec import Struct

from core.base.cell import Cell
from core.compute.trace import Trace
from core.document.document import Document
from core.document.parts import is_headwise, is_of_head, is_stage, layer_id
from core.stages import Plan, Stage
from core.stages import plan as plan_of

MANY_KEYS = 16  # in longer rows a step focuses the largest number


class Grain(StrEnum):
    """How far one step goes."""

    STAGE = "stage"
    ROW = "row"
    CELL = "cell"


class Reach(StrEnum):
    """How much of the current stage is revealed: all, rows up to the cursor, cells up to it, or a
    row's sub-step.
    """

    WHOLE = "whole"
    ROW = "row"
    CELL = "cell"
    LEAD = "lead"


@dataclass(frozen=True, slots=True)
class Cursor:
    """The stage, the head that is looked at, the row and column, and how much of the stage is
    revealed.
    """

    stage: str
    head: int = 0
    row: int = 0
    column: int = 0
    reach: Reach = Reach.WHOLE


class StageSpan(Struct, frozen=True):
    """The positions of one stage: `rows` rows of `slots` positions; the first `lead` of a row are
    sub-steps.
    """

    stage: Stage
    start: int
    rows: int
    slots: int
    lead: int

    @property
    def end(self) -> int:
        """The position at which the stage is complete."""
        return self.start + self.rows * self.slots - 1


class Timeline(Struct, frozen=True):
    """The whole line: a block for each stage."""

    blocks: tuple[StageSpan, ...]

    @property
    def length(self) -> int:
        """Number of positions."""
        return self.blocks[-1].end + 1

    def block(self, stage_id: str) -> StageSpan:
        """The stretch of a stage; KeyError if the plan lacks it."""
        for block in self.blocks:
            if block.stage.id == stage_id:
                return block
        raise KeyError(stage_id)

    def block_at(self, position: int) -> StageSpan:
        """The stretch that holds a position."""
        return next(block for block in self.blocks if position <= block.end)

    def position(self, cursor: Cursor) -> int:
        """The position of a cursor."""
        block = self.block(cursor.stage)
        if cursor.reach is Reach.WHOLE or block.stage.entered:
            return block.end
        start = block.start + cursor.row * block.slots
        if cursor.reach is Reach.LEAD:
            return start
        if cursor.reach is Reach.ROW:
            return start + block.slots - 1
        return start + block.lead + cursor.column

    def next_stop(self, position: int, grain: Grain) -> int:
        """The first stop after a position, or the line's end."""
        if position >= self.length - 1:
            return self.length - 1
        block = self.block_at(position + 1)
        return _stop_from(block, position + 1, grain)

    def previous_stop(self, position: int, grain: Grain) -> int:
        """The last stop before a position, or the line's first stop."""
        first = _stop_from(self.blocks[0], 0, grain)
        if position <= first:
            return first
        block = self.block_at(position - 1)
        return _stop_until(self.blocks, block, position - 1, grain)

    def cursor_at(self, position: int, grain: Grain, near: Cursor) -> Cursor:
        """The cursor at a position.

        The grain walks over rows, or over cells: those the position alone decides, so that back
        undoes forward. `near` gives the rest.
        """
        block = self.block_at(position)
        row, slot = divmod(position - block.start, block.slots)
        reach = _reach(block, position, grain, slot)
        column = max(slot - block.lead, 0) if grain is Grain.CELL else near.column
        row = near.row if grain is Grain.STAGE else row
        return replace(near, stage=block.stage.id, row=row, column=column, reach=reach)


def timeline(trace: Trace) -> Timeline:
    """The line of positions through a trace."""
    blocks: list[StageSpan] = []
    start = 0
    for stage in trace.plan:
        rows, columns = trace[stage.id].shape[-2:]
        lead = 1 if stage.lead else 0
        block = (
            StageSpan(stage, start, 1, 1, 0)
            if stage.entered
            else StageSpan(stage, start, rows, lead + columns, lead)
        )
        blocks.append(block)
        start = block.end + 1
    return Timeline(tuple(blocks))


def _reach(block: StageSpan, position: int, grain: Grain, slot: int) -> Reach:
    if block.stage.entered or (position == block.end and grain is Grain.STAGE):
        return Reach.WHOLE
    if slot < block.lead:
        return Reach.LEAD
    return Reach.CELL if grain is Grain.CELL else Reach.ROW


def _stop_from(block: StageSpan, position: int, grain: Grain) -> int:
    """The first stop at or after a position inside a block."""
    if grain is Grain.STAGE:
        return block.end
    if grain is Grain.CELL:
        return position
    row, slot = divmod(position - block.start, block.slots)
    start = block.start + row * block.slots
    return start if slot == 0 and block.lead else start + block.slots - 1


def _stop_until(
    blocks: tuple[StageSpan, ...], block: StageSpan, position: int, grain: Grain
) -> int:
    """The last stop at or before a position."""
    if grain is Grain.CELL or position == block.end:
        return position
    row, slot = divmod(position - block.start, block.slots)
    start = block.start + row * block.slots
    if grain is Grain.ROW and slot == block.slots - 1:
        return position
    if grain is Grain.ROW and block.lead:
        return start
    before = start - 1 if grain is Grain.ROW else block.start - 1
    return max(before, blocks[0].start)


def step(trace: Trace, cursor: Cursor, grain: Grain, by: int) -> Cursor:
    """The cursor `by` steps on (or back, if negative); the ends of the line are stops."""
    line = timeline(trace)
    position = line.position(cursor)
    for _ in range(abs(by)):
        position = (
            line.next_stop(position, grain) if by > 0 else line.previous_stop(position, grain)
        )
    if position == line.position(cursor):
        return cursor
    return _inside(trace, line.cursor_at(position, grain, cursor))


def first(trace: Trace, cursor: Cursor, grain: Grain) -> Cursor:
    """The first stop of the line."""
    line = timeline(trace)
    return _inside(
        trace, line.cursor_at(line.previous_stop(0, grain), grain, replace(cursor, row=0, column=0))
    )


def last(trace: Trace, cursor: Cursor, grain: Grain) -> Cursor:
    """The end of the line."""
    line = timeline(trace)
    return _inside(trace, line.cursor_at(line.length - 1, Grain.STAGE, cursor))


def at_end(trace: Trace, cursor: Cursor) -> bool:
    """Whether nothing comes after it."""
    line = timeline(trace)
    return line.position(cursor) == line.length - 1


def at_stage(trace: Trace, cursor: Cursor, stage_id: str) -> Cursor:
    """A whole stage (the nearest one that the plan has), keeping the row and column as far as they
    exist there.
    """
    return _inside(trace, replace(cursor, stage=trace.plan.nearest(stage_id), reach=Reach.WHOLE))


def at_layer(trace: Trace, cursor: Cursor, by: int) -> Cursor:
    """The same stage `by` layers on (or back, if negative); the cursor where there is no such layer.

    Before the layers the next one is the first, after them the one before is the last, each at its
    first stage. A stage that a layer lacks is the nearest one before it there, or its first.
    """
    layers, here = trace.plan.layers, trace.plan[cursor.stage].layer
    if here is None:
        before = trace.plan.is_before_layers(cursor.stage)
        place = (-1 if before else len(layers)) + by
    else:
        place = layers.index(here) + by
    if not 0 <= place < len(layers):
        return cursor
    own = [stage.id for stage in trace.plan.of_layer(layers[place])]
    name = trace.plan[cursor.stage].spec.name
    wanted = trace.plan.nearest(layer_id(layers[place], name)) if here is not None else own[0]
    stage = wanted if wanted in own else own[0]
    return clamp(trace, replace(cursor, stage=stage))


def clamp(trace: Trace, cursor: Cursor) -> Cursor:
    """The cursor moved as little as another plan and other sizes require."""
    if cursor.stage not in trace:
        return at_stage(trace, cursor, cursor.stage)
    kept = _inside(trace, cursor)
    if trace.plan[kept.stage].entered and kept.reach is not Reach.WHOLE:
        return replace(kept, reach=Reach.WHOLE)
    if kept.reach is Reach.LEAD and not trace.plan[kept.stage].lead:
        return replace(kept, reach=Reach.ROW)
    return kept


def _inside(trace: Trace, cursor: Cursor) -> Cursor:
    rows, columns = trace[cursor.stage].shape[-2:]
    heads = open_scope(trace, cursor.stage).h
    inside = (
        min(cursor.head, heads - 1),
        min(cursor.row, rows - 1),
        min(cursor.column, columns - 1),
    )
    if inside == (cursor.head, cursor.row, cursor.column):
        return cursor
    return replace(cursor, head=inside[0], row=inside[1], column=inside[2])


def open_scope(trace: Trace, stage_id: str) -> Document:
    """The document whose heads are shown at a stage: that of the open layer of a stack."""
    document = trace.document
    if not document.is_stack:
        return document
    layer = trace.plan.nearest_layer(stage_id) or 1  # all may be switched off
    return document.scopes[layer - 1]


def start(trace: Trace, document: Document) -> Cursor:
    """The first stage, complete, at the first head that is switched on."""
    heads = document.layers[0].heads if document.is_stack else document.heads
    on = [index for index, head in enumerate(heads) if head.enabled]
    return Cursor(trace.plan.stages[0].id, head=on[0] if on else 0)


def reveals(plan: Plan, cursor: Cursor, stage_id: str, row: int, column: int) -> bool:
    """Whether a cell is revealed: its stage is before the cursor, or the cursor has reached it."""
    here, there = plan.index(cursor.stage), plan.index(stage_id)
    if there != here:
        return there < here
    rows, cells = revealed(plan, cursor, stage_id, (row + 1, column + 1))
    return row < rows or (row == rows and column < cells)


def revealed(plan: Plan, cursor: Cursor, stage_id: str, shape: tuple[int, int]) -> tuple[int, int]:
    """How much of a stage's matrix is revealed: (whole rows, cells of the next row)."""
    here, there = plan.index(cursor.stage), plan.index(stage_id)
    if there < here or (there == here and cursor.reach is Reach.WHOLE):
        return shape[0], 0
    if there > here:
        return 0, 0
    if cursor.reach is Reach.ROW:
        return cursor.row + 1, 0
    return cursor.row, cursor.column + 1 if cursor.reach is Reach.CELL else 0


# The focused cell


def has_heads(tensor: str) -> bool:
    """Whether a stage or an entered tensor has a matrix for each head."""
    return is_of_head(tensor) or is_headwise(tensor)


def shape_of(document: Document, tensor: str) -> tuple[int, int]:
    """Rows and columns of a stage or of an entered tensor."""
    if is_stage(tensor):
        rows, columns = document.stage_shape(tensor)[-2:]
        return rows, columns
    heads = range(document.scope(tensor).h if is_of_head(tensor) else 1)
    found = (document.tensor(tensor, head) for head in heads)
    array = next((each for each in found if each is not None), None)
    if array is None:
        return 1, 1
    return (1, array.shape[0]) if array.ndim == 1 else (array.shape[0], array.shape[1])


def exists(document: Document, cell: Cell) -> bool:
    """Whether the experiment has such a cell, computed or entered."""
    if not _is_there(document, cell.tensor):
        return False
    rows, columns = shape_of(document, cell.tensor)
    return (
        0 <= cell.row < rows
        and 0 <= cell.column < columns
        and 0 <= cell.head < document.scope(cell.tensor).h
    )


def first_focus(trace: Trace, cursor: Cursor, cell: Cell) -> Cell:
    """The cell of a cursor, or the largest of its row where a row of many keys is complete.

    A column that was chosen stays.
    """
    row_is_complete = cursor.reach in (Reach.WHOLE, Reach.ROW)
    stage = trace.plan[cursor.stage]
    if not (stage.attends or stage.kind.shares) or not row_is_complete or cursor.column:
        return cell
    row = trace.matrix(cursor.stage, cell.head)[cell.row]
    return replace(cell, column=int(row.argmax())) if row.size > MANY_KEYS else cell


def surviving_focus(document: Document, focus: Cell, otherwise: Cell) -> Cell:
    """The focus clamped to the new shape of its tensor; the other cell if the tensor is gone."""
    if not _is_there(document, focus.tensor):
        return otherwise
    rows, columns = shape_of(document, focus.tensor)
    head = min(focus.head, document.scope(focus.tensor).h - 1)
    return Cell(focus.tensor, min(focus.row, rows - 1), min(focus.column, columns - 1), head)


def _is_there(document: Document, tensor: str) -> bool:
    return tensor in plan_of(document) if is_stage(tensor) else tensor in document.inputs
