"""Where cards stand in their columns, and how much height they may take. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.stages import SPECS, Plan, spec_of
from core.stages.multiply import SCORES
from core.stages.project import K, Q
from core.stages.rotate import ROTATE
from core.stages.softmax import WEIGHTS
from gui.views.diagram.card_sizes import ATTENTION_HEIGHT, LABELS, PAD, SIDE_PAD, Card, Style
from gui.views.diagram.columns import Column
from gui.views.diagram.shapes import STACK_Y, WORDS, Box, Rect

MARGIN = 7.0
GAP = 7.0
FOLD_GAP = 18.0
# Left to the softmax's caption and to the arrow of V.
CAPTION = 22.0
LANE = 20.0
# Between the two halves of the softmax and the frame around them.
FRAME = 7.0


def room_of(
    document: Document, kind: str, ids: tuple[str, ...], inner: float, style: Style
) -> float:
    """How high a matrix may be in a column of so many cards."""
    count, stack = len(ids), STACK_Y * min(document.h - 1, 4)
    if kind == "side":
        return (inner - 2 * GAP) / 3 - 2 * SIDE_PAD - stack
    if kind == "attention":
        inner -= _spared(kind, ids) + (count - 1) * FOLD_GAP
        labels = (
            LABELS if style.names_tokens(SCORES.name) or style.names_tokens(WEIGHTS.name) else 0.0
        )
        return inner / count - style.heading - PAD - labels - stack
    if kind in ("input", "around"):
        inner -= _spared(kind, ids)
        return (inner - GAP * (count - 1)) / count - style.heading - PAD
    room = (inner - FOLD_GAP * (count - 1)) / count - style.heading - PAD - stack
    return room if style.cell else min(room, ATTENTION_HEIGHT)


def around(plan: Plan) -> float:
    """The height of the lane past each of two tables of positions in a column of their own."""
    return LANE if len(plan.vectors[1]) == 3 else 0.0


def stands(cards: Sequence[Card], group: tuple[str, tuple[str, ...]], height: float) -> bool:
    """Whether the cards of a column are not higher than the picture."""
    kind, ids = group
    gap = GAP if kind in ("side", "input", "around") else FOLD_GAP
    total = sum(card.outer_height for card in cards) + gap * (len(ids) - 1)
    return total <= height - 2 * MARGIN - _spared(kind, ids) + 0.01


def _spared(kind: str, ids: tuple[str, ...]) -> float:
    """The height that a column leaves to V's lane and to the softmax's caption, or to the lanes around it."""
    if kind == "around":
        return 2 * LANE
    if kind != "attention":
        return 0.0
    return LANE + (CAPTION if len(ids) == 1 or any(map(in_softmax, ids)) else 0.0)


def place(
    columns: list[Column], gaps: list[float], height: float, orientation: Orientation
) -> Iterator[Box]:
    """The boxes of all columns, from left to right."""
    x, middles = MARGIN, dict[str, float]()
    for column, gap in zip(columns, [*gaps, 0.0], strict=True):
        for card, middle in zip(column.cards, _middles(column, height, middles), strict=True):
            middles[card.stage_id] = middle
            top = middle - card.outer_height / 2 + card.depth * STACK_Y
            left = x + (column.width - card.outer_width) / 2
            yield _box(card, left, top, orientation)
        x += column.width + gap


def _middles(column: Column, height: float, known: dict[str, float]) -> list[float]:
    """The heights at which the cards of a column stand."""
    cards = column.cards
    if column.kind == "side" and spec_of(cards[0].stage_id).kind is ROTATE:
        return [known[Q.name], known[K.name]]
    if column.kind == "attention":
        top = MARGIN + _spared(column.kind, column.ids) - LANE
        return _stacked(
            cards, top, height - MARGIN - LANE, (known[Q.name] + known[K.name]) / 2, FOLD_GAP
        )
    gap = FOLD_GAP if column.kind == "single" else GAP
    if column.kind == "around":
        return _stacked(cards, MARGIN + LANE, height - MARGIN - LANE, height / 2, gap)
    spare = height - 2 * MARGIN - sum(card.outer_height for card in cards)
    return _stacked(
        cards,
        MARGIN,
        height - MARGIN,
        height / 2,
        min(max(spare / max(1, len(cards) - 1), gap), 4 * GAP),
    )


def _stacked(
    cards: tuple[Card, ...], top: float, bottom: float, wanted: float, gap: float
) -> list[float]:
    """Cards one below the other, their middle as near to a wanted height as the ends allow."""
    total = sum(card.outer_height for card in cards) + gap * (len(cards) - 1)
    y = max(min(wanted - total / 2, bottom - total), top)
    middles = []
    for card in cards:
        middles.append(y + card.outer_height / 2)
        y += card.outer_height + gap
    return middles


def _box(card: Card, left: float, top: float, orientation: Orientation) -> Box:
    rect = Rect(left, top, card.width, card.height)
    free = card.width - 2 * PAD - card.side - card.label_width - card.matrix_width
    x = left + PAD + card.side + card.label_width + free / 2
    above = (
        (card.height - card.label_height - card.matrix_height) / 2 if card.side else card.heading
    )
    matrix = Rect(x, top + above + card.label_height, card.matrix_width, card.matrix_height)
    return Box(
        card.stage_id,
        rect,
        matrix,
        card.rows,
        card.columns,
        card.side > 0,
        card.side or card.heading,
        card.depth,
        card.label_width,
        card.label_height,
        ROWS if card.stage_id in WORDS else orientation,
    )


def in_order(plan: Plan, boxes: tuple[Box, ...]) -> tuple[Box, ...]:
    """The boxes in the order of the plan."""
    order = {name: position for position, name in enumerate((*WORDS, *plan.ids))}
    return tuple(sorted(boxes, key=lambda box: order[box.stage_id]))


def in_softmax(stage_id: str) -> bool:
    """Whether a card is one of the two halves of the softmax."""
    return stage_id in SPECS and spec_of(stage_id).kind.in_softmax


def softmax_frame(boxes: tuple[Box, ...]) -> Rect:
    """The frame around the two halves of the softmax, with room for its caption on top."""
    halves = [box.outer for box in boxes if in_softmax(box.stage_id)]
    left, right = min(half.x for half in halves), max(half.right for half in halves)
    top, bottom = min(half.y for half in halves), max(half.bottom for half in halves)
    return Rect(
        left - FRAME, top - CAPTION, right - left + 2 * FRAME, bottom - top + CAPTION + FRAME
    )
