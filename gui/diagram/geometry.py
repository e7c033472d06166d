"""Plan and sizes → boxes and arrows as plain numbers. Free of Qt.

Columns from left to right: tokens or X (P below), X′, Q over K over V, then one column a stage. The stages of the
attention matrix stand at the height between Q and K, so that V's arrow passes below them to A·V.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.document import Document
from core.orientation import ROWS, Orientation
from core.plan import Plan
from gui.diagram.arrows import gap_widths, route
from gui.diagram.measures import (
    ATTENTION_HEIGHT,
    BARE,
    FULL,
    LABELS,
    LEAN,
    PAD,
    ROW,
    SIDE_HEADING,
    SIDE_LEAST,
    Card,
    Style,
    measure,
    names_fit,
)
from gui.diagram.shapes import STACK_Y, TOKENS, Box, Layout, Rect

MARGIN = 10.0
GAP = 8.0
WIDEST_GAP = 96.0
CAPTION = 23.0
LANE = 24.0
SECOND_LINE = 15.0
# The room of the diagram in a window of 1280 × 720.
ROOM = (1240.0, 260.0)
# How much taller than at rest the picture may become to use the height of its window.
MOST_STRETCH = 1.7


@dataclass(frozen=True, slots=True)
class _Column:
    """Cards that stand one over the other, and what kind of column it is."""

    cards: tuple[Card, ...]
    kind: str

    @property
    def width(self) -> float:
        return max(card.outer_width for card in self.cards)


def layout(
    document: Document,
    plan: Plan,
    decimals: int = 2,
    room: tuple[float, float] = ROOM,
    orientation: Orientation = ROWS,
) -> Layout:
    """Boxes and arrows for a window of `room` pixels: with digits in the cells if the picture then needs hardly
    any shrinking, else with smaller cells whose colours carry it. Slack goes into taller cells and wider gaps."""
    best = None
    for style in (FULL, LEAN, BARE):
        style = replace(style, orientation=orientation)
        candidate = _arranged(document, plan, decimals, room[0] / room[1], style)
        scale = min(room[0] / candidate.width, room[1] / candidate.height)
        if scale >= style.enough:
            return candidate
        if best is None or scale > best[0]:
            best = scale, candidate
    assert best is not None
    return best[1]


def _arranged(document: Document, plan: Plan, decimals: int, aspect: float, style: Style) -> Layout:
    style = _without_second_line(document, plan, decimals, style)
    height = _least_height(document, plan, style)
    columns = _columns(document, plan, decimals, height, style)
    gaps = gap_widths(document, plan, [_ids(column) for column in columns], style.orientation)
    width = _width(columns, gaps)
    if width / height > aspect:
        height = min(width / aspect, height * MOST_STRETCH)
        columns = _columns(document, plan, decimals, height, style)
        width = _width(columns, gaps)
    slack = max(0.0, height * aspect - width) / max(1, len(gaps))
    gaps = [min(gap + slack, max(gap, WIDEST_GAP)) for gap in gaps]
    boxes = tuple(_place(columns, gaps, height, style.orientation))
    arrows = tuple(route(document, plan, boxes, height - MARGIN, style.orientation))
    return Layout(_width(columns, gaps), height, _in_order(plan, boxes), arrows, _softmax(boxes))


def _without_second_line(document: Document, plan: Plan, decimals: int, style: Style) -> Style:
    """Where every name fits in one line, no room is kept for a second one."""
    columns = _columns(document, plan, decimals, _least_height(document, plan, style), style)
    cards = [card for column in columns for card in column.cards]
    spare = 0.0 if style.all_labels or not names_fit(document, cards, style) else SECOND_LINE
    return replace(style, heading=style.heading - spare)


def _ids(column: _Column) -> tuple[str, ...]:
    return tuple(card.stage_id for card in column.cards)


def _width(columns: list[_Column], gaps: list[float]) -> float:
    return 2 * MARGIN + sum(column.width for column in columns) + sum(gaps)


def _least_height(document: Document, plan: Plan, style: Style) -> float:
    """The height at which everything can be read."""
    n, stack = document.n, STACK_Y * min(document.h - 1, 4)
    rows, above = n, 0.0
    if style.orientation.columns:
        rows, above = max(document.k, document.v), LABELS
    projections = 3 * (max(SIDE_LEAST, min(rows * 20.0, 72.0) + above) + 2 * PAD + stack) + 2 * GAP
    attention = CAPTION + LANE + style.heading + PAD + LABELS + stack + min(n * ROW, ATTENTION_HEIGHT)
    rows = document.d if style.orientation.columns else n
    inputs = 2 * (min(rows * 20.0, 72.0) + above + style.heading + PAD) + GAP if "P" in plan else 0.0
    return 2 * MARGIN + max(projections, attention, inputs)


def _column_ids(plan: Plan) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The kind and the stages of every column."""
    grouped = {"X": ("input", ("X", "P")), "Q": ("side", ("Q", "K", "V")), "Q_rot": ("side", ("Q_rot", "K_rot"))}
    if "X" not in plan:
        yield "input", (TOKENS,)
    for stage in plan:
        if stage.id in grouped:
            kind, ids = grouped[stage.id]
            yield kind, tuple(name for name in ids if name in plan)
        elif stage.id not in ("P", "K", "V", "K_rot"):
            yield ("attention" if stage.attends else "single"), (stage.id,)


def _columns(document: Document, plan: Plan, decimals: int, height: float, style: Style) -> list[_Column]:
    inner, stack = height - 2 * MARGIN, STACK_Y * min(document.h - 1, 4)
    heights = {
        "side": (inner - 2 * GAP) / 3 - 2 * PAD - stack,
        "attention": inner - CAPTION - LANE - style.heading - PAD - LABELS - stack,
        "single": min(inner - style.heading - PAD - stack, ATTENTION_HEIGHT),
    }
    columns = []
    for kind, ids in _column_ids(plan):
        room = heights.get(kind, (inner - GAP * (len(ids) - 1)) / len(ids) - style.heading - PAD)
        cards = [measure(document, name, decimals, room, style) for name in ids]
        widest = max(card.width for card in cards)
        columns.append(_Column(tuple(replace(card, least_width=widest) for card in cards), kind))
    return _evened(columns)


def _evened(columns: list[_Column]) -> list[_Column]:
    """The attention matrices begin at one height, whether tokens stand above their columns or not."""
    highest = max(card.label_height for column in columns if column.kind == "attention" for card in column.cards)
    return [
        replace(column, cards=tuple(_raised(card, highest) for card in column.cards))
        if column.kind == "attention"
        else column
        for column in columns
    ]


def _raised(card: Card, label_height: float) -> Card:
    return replace(card, heading=card.heading + label_height - card.label_height)


def _place(columns: list[_Column], gaps: list[float], height: float, orientation: Orientation) -> Iterator[Box]:
    x, middles = MARGIN, dict[str, float]()
    for column, gap in zip(columns, [*gaps, 0.0], strict=True):
        for card, middle in zip(column.cards, _middles(column, height, middles), strict=True):
            middles[card.stage_id] = middle
            top = middle - card.outer_height / 2 + card.depth * STACK_Y
            left = x + (column.width - card.outer_width) / 2
            yield _box(card, left, top, orientation)
        x += column.width + gap


def _middles(column: _Column, height: float, known: dict[str, float]) -> list[float]:
    """The heights at which the cards of a column stand."""
    cards = column.cards
    if column.kind == "side" and cards[0].stage_id == "Q_rot":
        return [known["Q"], known["K"]]
    if column.kind == "attention":
        half = cards[0].outer_height / 2
        wanted = (known["Q"] + known["K"]) / 2
        return [min(max(wanted, MARGIN + CAPTION + half), height - MARGIN - LANE - half)]
    total = sum(card.outer_height for card in cards)
    gap = min((height - 2 * MARGIN - total) / max(1, len(cards) - 1), 4 * GAP)
    y = (height - total - gap * (len(cards) - 1)) / 2
    middles = []
    for card in cards:
        middles.append(y + card.outer_height / 2)
        y += card.outer_height + gap
    return middles


def _box(card: Card, left: float, top: float, orientation: Orientation) -> Box:
    rect = Rect(left, top, card.width, card.height)
    used = SIDE_HEADING if card.side else 0.0
    free = card.width - 2 * PAD - used - card.label_width - card.matrix_width
    x = left + PAD + used + card.label_width + free / 2
    above = (card.height - card.label_height - card.matrix_height) / 2 if card.side else card.heading
    matrix = Rect(x, top + above + card.label_height, card.matrix_width, card.matrix_height)
    heading = SIDE_HEADING if card.side else card.heading
    return Box(
        card.stage_id, rect, matrix, card.rows, card.columns,
        card.side, heading, card.depth, card.label_width, card.label_height,
        ROWS if card.stage_id == TOKENS else orientation,
    )  # fmt: skip


def _in_order(plan: Plan, boxes: tuple[Box, ...]) -> tuple[Box, ...]:
    order = {name: position for position, name in enumerate((TOKENS, *plan.ids))}
    return tuple(sorted(boxes, key=lambda box: order[box.stage_id]))


def _softmax(boxes: tuple[Box, ...]) -> Rect:
    """The frame around the two halves of the softmax, with room for its caption on top."""
    first, last = (next(box.outer for box in boxes if box.stage_id == name) for name in ("exp", "weights"))
    top, bottom = min(first.y, last.y), max(first.bottom, last.bottom)
    return Rect(first.x - 8, top - CAPTION, last.right - first.x + 16, bottom - top + CAPTION + 8)
