"""Motion of operands in a step. Purely visual: the new state is complete before it starts.

A motion is data (movements between rectangles); animation_painter draws it at a moment between 0
and 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from core.base.arrays import Array
from core.explain import timeline as cursors
from core.explain.timeline import Grain, Reach, revealed
from core.stages import Stage
from core.stages.multiply import DOT_PRODUCT
from core.stages.terms import Block
from gui.painting.color_scale import Levels
from gui.session.reached import stage_levels_reached
from gui.session.state import State
from gui.views.diagram.shapes import CardBox, DiagramLayout, Rect
from gui.views.diagram.stage_animations import (
    Added,
    Animation,
    AnimationContext,
    Joined,
    Ramp,
    Sweep,
    animation_of,
)

# End times of the arrival of operands and of their animation; then the result glows.
LAND, MEET = 0.36, 0.86
# The same without an animation.
MEET_AT_ONCE = 0.68
MOST_HEADS = 16


@dataclass(frozen=True, slots=True, eq=False)
class MovingBlock:
    """Block of numbers that moves to the result; if `turned`, its rows become columns."""

    stage_id: str
    start: Rect
    end: Rect
    values: Array
    levels: Levels
    turned: bool = False


class MovingLabel(Struct, frozen=True):
    """Operation label (÷ √2, × W_Q) that moves from its arrow to the result."""

    text: str
    source: str
    start: tuple[float, float]
    end: tuple[float, float]


class StepMotion(Struct, frozen=True, eq=False):
    """Motion of one step; `old_extent` is shown until the operands have reached `result`.

    `animation` is drawn there. `grain` is the size of the step: a cell, a row or more.
    """

    stage_id: str
    old_extent: tuple[int, int]
    result: Rect
    blocks: tuple[MovingBlock, ...]
    labels: tuple[MovingLabel, ...]
    animation: Animation | None
    grain: Grain

    @property
    def arrival(self) -> float:
        """Time (0 to 1) when the operands have arrived."""
        return MEET_AT_ONCE if self.animation is None else LAND

    @property
    def result_time(self) -> float:
        """Time (0 to 1) when the result appears."""
        return MEET_AT_ONCE if self.animation is None else MEET

    @property
    def keeps_operands(self) -> bool:
        """Return whether the operands remain visible during the animation."""
        return isinstance(self.animation, Sweep | Ramp | Joined | Added)

    def animation_progress(self, progress: float) -> float:
        """Convert the progress of the motion to that of the animation, both 0 to 1."""
        return (
            min(max((progress - self.arrival) / (self.result_time - self.arrival), 0.0), 1.0)
            if self.animation
            else 0.0
        )


def motion_between(old: State, new: State, layout: DiagramLayout) -> StepMotion | None:
    """Return the motion to a new state: only forward, to the same or next stage of one run."""
    if (
        old.trace is not new.trace
        or old.visible_until == new.visible_until
        or not _forward(old, new)
    ):
        return None
    stage, box = new.trace.plan[new.visible_until.stage], layout.box(new.visible_until.stage)
    previous = revealed(new.trace.plan, old.visible_until, stage.id, (box.rows, box.columns))
    block = _new_block(new, box, previous)
    if block is None or (stage.entered and not stage.reads):
        return None
    flights = (
        _joined(new, layout, stage, block)
        if stage.kind.joins_heads
        else _gathered(new, layout, stage, block)
    )
    result = box.block_rect(block.rows, block.columns)
    animation = animation_of(AnimationContext(new, layout, stage, block))
    return StepMotion(
        stage.id,
        previous,
        result,
        flights,
        _chips(layout, stage, result),
        animation,
        _grain(new, block),
    )


def _grain(new: State, block: Block) -> Grain:
    """Return the size of a step; the start of a row counts as a cell."""
    if block.rows[1] - block.rows[0] > 1:
        return Grain.STAGE
    wide = block.columns[1] - block.columns[0] > 1 and new.visible_until.reach is not Reach.LEAD
    return Grain.ROW if wide else Grain.CELL


def _forward(old: State, new: State) -> bool:
    plan = new.trace.plan
    if not 0 <= plan.index(new.visible_until.stage) - plan.index(old.visible_until.stage) <= 1:
        return False
    line = cursors.timeline(new.trace)
    return line.position(new.visible_until) > line.position(old.visible_until)


def _new_block(new: State, box: CardBox, previous: tuple[int, int]) -> Block | None:
    """Return the newly shown cells as a block; the row itself at its maximum or sum."""
    cursor, columns = new.visible_until, (0, box.columns)
    if cursor.reach is Reach.LEAD:
        return Block(box.stage_id, (cursor.row, cursor.row + 1), columns)
    rows, cells = revealed(new.trace.plan, cursor, box.stage_id, (box.rows, box.columns))
    if rows > previous[0] and (rows > previous[0] + 1 or cells == 0):
        start = (previous[1], box.columns) if rows == previous[0] + 1 else columns
        return Block(box.stage_id, (previous[0], rows), start)
    if cells:
        return Block(
            box.stage_id, (rows, rows + 1), (previous[1] if rows == previous[0] else 0, cells)
        )
    return None


def _gathered(
    state: State, layout: DiagramLayout, stage: Stage, block: Block
) -> tuple[MovingBlock, ...]:
    target = layout.box(stage.id)
    blocks = stage.kind.dependencies(state.document, stage, block, state.cursor.head)
    if stage.kind is DOT_PRODUCT:  # queries move as rows, keys as transposed columns
        ends = (
            target.block_rect(block.rows, (0, target.columns)),
            target.block_rect((0, target.rows), block.columns),
        )
        query, key = (_flight(state, layout, *pair) for pair in zip(blocks, ends, strict=True))
        return query, replace(key, turned=True)
    end = target.block_rect(block.rows, block.columns)
    return tuple(_flight(state, layout, feed, end) for feed in blocks)


def _flight(state: State, layout: DiagramLayout, feed: Block, end: Rect) -> MovingBlock:
    start = layout.box(feed.stage_id).block_rect(feed.rows, feed.columns)
    values = state.trace.matrix(feed.stage_id, state.cursor.head)[
        slice(*feed.rows), slice(*feed.columns)
    ]
    return MovingBlock(
        feed.stage_id,
        start,
        end,
        state.orientation.matrix(values),
        stage_levels_reached(state, feed.stage_id),
    )


def _joined(
    state: State, layout: DiagramLayout, stage: Stage, block: Block
) -> tuple[MovingBlock, ...]:
    """Return the movements of heads from their cards in the stack to adjacent blocks."""
    (heads,) = stage.reads
    source, target, document = layout.box(heads), layout.box(stage.id), state.document.scope(heads)
    flights = []
    for head in range(min(document.h, MOST_HEADS)):
        first, last = head * document.v, (head + 1) * document.v
        span = max(first, block.columns[0]), min(last, block.columns[1])
        if span[0] >= span[1] or not document.heads[head].enabled:
            continue
        level = min((head - state.cursor.head) % document.h, source.depth)
        feed = Block(heads, block.rows, (span[0] - first, span[1] - first))
        start = source.block_rect(feed.rows, feed.columns)
        edge = source.edge(level)
        end = target.block_rect(block.rows, span)
        values = state.trace.matrix(heads, head)[slice(*feed.rows), slice(*feed.columns)]
        start = start.moved(edge.x - source.rect.x, edge.y - source.rect.y)
        values = state.orientation.matrix(values)
        flights.append(MovingBlock(heads, start, end, values, stage_levels_reached(state, heads)))
    return tuple(flights)


def _chips(layout: DiagramLayout, stage: Stage, result: Rect) -> tuple[MovingLabel, ...]:
    return tuple(
        MovingLabel(
            arrow.label, arrow.inputs[0] if arrow.inputs else arrow.source, arrow.at, result.centre
        )
        for arrow in layout.arrows
        if arrow.target == stage.id and arrow.label and (arrow.inputs or stage.kind.moves_label)
    )


Changed = dict[str, npt.NDArray[np.bool_]]


def changed_cells(old: State, new: State) -> Changed:
    """Return the cells of every stage, for the head in front, that an edit has changed."""
    if old.document is new.document:
        return {}
    changed: Changed = {}
    for stage in new.trace.plan:
        if stage.id not in old.trace or old.trace[stage.id] is new.trace[stage.id]:
            continue
        if old.trace[stage.id].shape == new.trace[stage.id].shape:
            cells = old.trace.matrix(stage.id, new.cursor.head) != new.trace.matrix(
                stage.id, new.cursor.head
            )
            if cells.any():
                changed[stage.id] = cells
    return changed
