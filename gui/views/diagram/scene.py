"""Specification of each card from state and layout: shown cells, frames and texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np

from core.base.arrays import Array
from core.base.cell import Cell
from core.base.number_format import show
from core.compute.trace import Trace
from core.document.document import Document
from core.document.parts import layer_id
from core.explain.derivation import derive_lead
from core.explain.timeline import Reach
from core.stages import masked_scores
from core.stages.softmax import WEIGHTS
from core.stages.terms import Block
from gui.painting.color_scale import Levels, scores_behind
from gui.painting.matrix import Frame, MatrixSpec, oriented
from gui.painting.theme import Colours, colours
from gui.session.reached import stage_levels_reached
from gui.session.state import State
from gui.texts.names import role_of, visible_tokens
from gui.views.diagram.geometry import layout, strip
from gui.views.diagram.labels import CardHeading, card_heading, head_chip
from gui.views.diagram.shapes import CONTEXT_TOKENS, WORDS, CardBox, DiagramLayout
from gui.views.diagram.stack_layout import stack_layout
from gui.views.diagram.viewport_crop import Crop, crop_layout

MakeLayout = Callable[..., DiagramLayout]  # called as geometry.layout
ROW_LABELS_MOST = 200
NO_LEVELS = Levels(-1.0, 1.0)  # of a card without numbers


class Status(StrEnum):
    """Position of a stage relative to the cursor."""

    BEHIND = "behind"
    HERE = "here"
    AHEAD = "ahead"


@dataclass(frozen=True, slots=True, eq=False)
class CardSpec:
    """Everything that one card shows.

    `lead` is the note of a softmax row in progress: the row, and its maximum or sum as text.
    `tokens` are the names of rows and columns in drawn order. Rows and `source_frames` are
    in document order; `picture` is in drawn order.
    """

    box: CardBox
    status: Status
    heading: CardHeading
    chip: tuple[str, ...]
    tokens: tuple[tuple[str, ...], tuple[str, ...]]
    picture: MatrixSpec | None
    masked_rows: tuple[int, ...]
    blocks: int
    off_blocks: tuple[int, ...]
    disabled_edges: tuple[bool, ...]
    lead: tuple[int, str] | None
    source_frames: tuple[Frame, ...] = ()


_last: list[tuple[tuple[object, ...], DiagramLayout]] = []
_last_seen: list[tuple[DiagramLayout, str, tuple[float, float], Crop]] = []
MOST_LAYOUTS = 16  # layouts: of the window, the presentation screen, the previews and a class


def layout_of(state: State, area: tuple[float, float], make: MakeLayout = layout) -> DiagramLayout:
    """Return the layout for an area in pixels; the same object while sizes and texts are equal."""
    document, plan = state.document, state.trace.plan
    sizes = tuple(document.sizes.values())
    key = (
        plan,
        sizes,
        _words(document),
        document.scale,
        state.decimals,
        area,
        state.wording,
        state.orientation,
        state.cursor.stage if document.is_stack else make,
    )
    for known, diagram in _last:
        if known == key:
            return diagram
    if document.is_stack:
        make = partial(stack_layout, stage_id=state.cursor.stage)
    diagram = make(document, plan, state.decimals, area, state.orientation)
    _last[:] = [(key, diagram), *_last[: MOST_LAYOUTS - 1]]
    return diagram


def visible_crop(state: State, area: tuple[float, float]) -> Crop:
    """Return the part of the diagram on a presentation screen: whole, readable cards.

    They surround the current stage. The area is in units.
    """
    diagram, stage = layout_of(state, area, strip), state.cursor.stage
    if diagram.stream is not None:  # shows the open layer alone
        return Crop(diagram, 1.0)
    for known, at, size, part in _last_seen:
        if known is diagram and (at, size) == (stage, area):
            return part
    part = crop_layout(diagram, stage, area)
    _last_seen[:] = [(diagram, stage, area, part), *_last_seen[: MOST_LAYOUTS - 1]]
    return part


def card_specs(
    state: State, diagram: DiagramLayout, shown: tuple[int, int] | None = None
) -> list[CardSpec]:
    """Return every card; `shown` replaces the current stage's extent while operands move."""
    frames = focus_frames(state, diagram)
    return [card_spec(state, box, frames.get(box.stage_id, ()), shown) for box in diagram.boxes]


def status_of(state: State, stage_id: str) -> Status:
    """Return whether a stage lies before, at or after the cursor."""
    if stage_id in WORDS:
        return Status.BEHIND
    here, there = state.trace.plan.index(state.cursor.stage), state.trace.plan.index(stage_id)
    return Status.HERE if here == there else Status.BEHIND if there < here else Status.AHEAD


def card_spec(
    state: State, box: CardBox, frames: tuple[Frame, ...], shown: tuple[int, int] | None
) -> CardSpec:
    """Return one card."""
    document, trace, head, name = state.document, state.trace, state.cursor.head, box.stage_id
    heads = document.scope(name).heads
    status, words = (
        status_of(state, name),
        card_heading(state.document, name, state.orientation, box.raised),
    )
    if name in WORDS:
        sentence = _visible(document.key_tokens if name == CONTEXT_TOKENS else document.tokens)
        return CardSpec(box, status, words, (), (sentence, ()), None, (), 1, (), (), None)
    axes, headwise = trace.plan[name].axes, trace.plan[name].headwise
    tokens = state.orientation.pair(*(_visible(document.labels(axis) or ()) for axis in axes[-2:]))
    predicted = state.predicted_extent(name, (box.rows, box.columns))
    empty = status is Status.AHEAD and predicted is None  # a card without numbers, for any values
    levels = NO_LEVELS if empty else stage_levels_reached(state, name)
    picture = _picture(
        state, box, frames, shown if status is Status.HERE else None, predicted, levels
    )
    chip = head_chip(head, len(heads))[box.chip :] if headwise else ()
    enabled = tuple(one.enabled for one in heads)
    edges = tuple(not enabled[(head + level) % len(heads)] for level in range(1, box.depth + 1))
    kind = trace.plan[name].kind
    blocks = len(heads) if kind.joins_heads else 1
    off = tuple(index for index, on in enumerate(enabled) if not on) if kind.joins_heads else ()
    masked = (
        _masked_rows(trace, name, head)
        if kind.marks_empty_rows and status is not Status.AHEAD
        else ()
    )
    masked = tuple(row for row in masked if picture.is_shown(*box.orientation.pair(row, 0)))
    lead = _lead(state, name)
    return CardSpec(
        box,
        status,
        words,
        chip,
        tokens,
        picture,
        masked,
        blocks,
        off,
        edges,
        lead,
        frames,
    )


def _visible(tokens: tuple[str, ...]) -> tuple[str, ...]:
    return visible_tokens(tokens[:ROW_LABELS_MOST])


def _words(document: Document) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Return the tokens that determine the widths of cards, and whether there are two sentences."""
    key_tokens = document.key_tokens[:ROW_LABELS_MOST]
    return document.tokens[:ROW_LABELS_MOST], key_tokens, document.context is not None


def _picture(
    state: State,
    box: CardBox,
    frames: tuple[Frame, ...],
    shown: tuple[int, int] | None,
    predicted: tuple[int, int] | None,
    levels: Levels,
) -> MatrixSpec:
    document, trace, head, name = state.document, state.trace, state.cursor.head, box.stage_id
    headwise = trace.plan[name].headwise
    picture = MatrixSpec(
        trace.matrix(name, head),
        levels,
        state.decimals,
        shown if shown is not None else state.revealed(name, (box.rows, box.columns)),
        frames,
        _pinned(document, name, head if headwise else 0),
        _filled(document, name, head if headwise else 0),
        off=headwise and not document.scope(name).heads[head].enabled,
        predicted=predicted,
        scores=_scores_behind(trace, name, head),
    )
    return oriented(picture, box.orientation)


def _scores_behind(trace: Trace, stage_id: str, head: int) -> Array | None:
    """Return the scores for hatching; for outputs, rows of queries without any allowed key."""
    stage = trace.plan[stage_id]
    rows = (
        _masked_rows(trace, stage_id, head)
        if stage.kind.marks_empty_rows and not stage.attends
        else ()
    )
    if not rows:
        return scores_behind(trace, stage_id, head)
    blank = np.zeros(trace.matrix(stage_id, head).shape)
    blank[list(rows)] = -np.inf
    return blank


def _pinned(document: Document, stage_id: str, head: int) -> frozenset[tuple[int, int]]:
    cells = (pin.cell for pin in document.pins if pin.stage == stage_id)
    return frozenset((cell.row, cell.column) for cell in cells if cell.head == head)


def _filled(document: Document, stage_id: str, head: int) -> frozenset[tuple[int, int]]:
    if not document.filled:
        return frozenset()
    return frozenset(
        (cell.row, cell.column)
        for cell in document.filled
        if cell.tensor == stage_id and cell.head == head
    )


def _masked_rows(trace: Trace, stage_id: str, head: int) -> tuple[int, ...]:
    """Return the queries without any allowed key in the layer of a stage."""
    scores = masked_scores(trace, layer_id(trace.plan[stage_id].layer, WEIGHTS.name))
    if scores is None:
        return ()
    return tuple(np.flatnonzero(np.isneginf(scores[head].max(axis=1))).tolist())


def _lead(state: State, stage_id: str) -> tuple[int, str] | None:
    cursor = state.cursor
    if cursor.stage != stage_id or cursor.reach is not Reach.LEAD:
        return None
    step = derive_lead(state.document, state.trace, stage_id, cursor.row, cursor.head)
    sign = "max" if step.kind == "max" else "Σ"
    return cursor.row, f"{sign} = {show(step.value, state.decimals)}"


def focus_frames(state: State, diagram: DiagramLayout) -> dict[str, tuple[Frame, ...]]:
    """Frame the focused cell, and the shown rows and columns that feed it in role colours."""
    cell, theme, plan = state.focus, colours(state.shade), state.trace.plan
    if cell.tensor not in plan or (plan[cell.tensor].headwise and cell.head != state.cursor.head):
        return {}
    found: dict[str, tuple[Frame, ...]] = {}
    shown = {box.stage_id for box in diagram.boxes}  # without those of a layer that is not open
    block = Block(cell.tensor, (cell.row, cell.row + 1), (cell.column, cell.column + 1))
    stage = plan[cell.tensor]
    for feed in stage.kind.dependencies(state.document, stage, block, state.cursor.head):
        if feed.stage_id in shown and status_of(state, feed.stage_id) is not Status.AHEAD:
            colour = source_colour(theme, feed.stage_id)
            frame = Frame(
                feed.rows, feed.columns, colour, _frame_width(diagram, feed.stage_id, 2.5)
            )
            found[feed.stage_id] = (*found.get(feed.stage_id, ()), frame)
    if cell.tensor in shown and not _opens_a_row(state, cell):
        own = Frame(
            block.rows, block.columns, theme.accent, _frame_width(diagram, cell.tensor, 3.0)
        )
        found[cell.tensor] = (*found.get(cell.tensor, ()), own)
    return found


def _frame_width(diagram: DiagramLayout, stage_id: str, most: float) -> float:
    """Return the width of a frame, thinner around small cells so as not to hide them."""
    box = diagram.box(stage_id)
    return min(most, max(1.2, min(box.cell_size) * 0.11))


def _opens_a_row(state: State, cell: Cell) -> bool:
    """Return whether a row's maximum or sum is in progress, so that no cell can be marked."""
    cursor = state.cursor
    return cell.tensor == cursor.stage and cursor.reach is Reach.LEAD and cell.row == cursor.row


def source_colour(theme: Colours, stage_id: str) -> str:
    """Return the colour of a stage's numbers as a source: its role's, else the accent."""
    role = role_of(stage_id, "accent")
    return str(getattr(theme, role))
