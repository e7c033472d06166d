"""Columns of cards and the placement of boxes. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from msgspec import Struct

from core.document.document import Document, Mask, Scale
from core.document.orientation import ROWS, Orientation
from core.stages import Plan, has_scores, spec_of
from core.stages.multiply import SCORES
from core.stages.project import K, Q
from core.stages.rotate import ROTATE
from core.stages.softmax import WEIGHTS
from gui.views.diagram.arrows import gap_widths
from gui.views.diagram.card_sizes import (
    ATTENTION_HEIGHT,
    LABELS,
    LEAST_ROW,
    MOST_COLUMNS,
    PAD,
    SIDE_PAD,
    CardSize,
    CardSizer,
    CardStyle,
    in_softmax,
)
from gui.views.diagram.shapes import (
    CONTEXT_TOKENS,
    STACK_Y,
    TOKENS,
    WORDS,
    CardBox,
    Rect,
)

# Numbers of folded columns, see card_sizes.CardStyle.fold.
FOLDED = 3


@dataclass(frozen=True, slots=True)
class Column:
    """Vertically stacked cards and the kind of their column."""

    cards: tuple[CardSize, ...]
    kind: str

    @property
    def ids(self) -> tuple[str, ...]:
        """Stage ids from top to bottom."""
        return tuple(card.stage_id for card in self.cards)

    @property
    def width(self) -> float:
        """Width of the widest card."""
        return max(card.outer_width for card in self.cards)


def column_ids(document: Document, plan: Plan, fold: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return the kind and the stages of every column."""
    yield from _sources(document, plan)
    projections = [stage for stage in plan if stage.spec.side]
    projected = tuple(stage.id for stage in projections if stage.kind is not ROTATE)
    rotated = tuple(stage.id for stage in projections if stage.kind is ROTATE)
    yield from (("side", ids) for ids in (projected, rotated) if ids)
    attention = [stage.id for stage in plan if stage.attends]
    yield from _paired("attention", attention[:-2], fold >= 2)
    yield from _paired("attention", attention[-2:], fold >= 3)
    output = list(plan.ids[plan.index(attention[-1]) + 1 :])
    yield from _paired("single", output[:-2], False)
    yield from _paired("single", output[-2:], fold >= 1)


def _sources(document: Document, plan: Plan) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return the columns before Q, K and V: tokens or vectors, context below, positions beside.

    Where only X has positions, the context follows them, next to the keys that it feeds.
    """
    own, other = (tuple(stage.id for stage in stages) for stages in plan.vectors)
    if not own:
        yield "input", (TOKENS,) if document.context is None else (TOKENS, CONTEXT_TOKENS)
    elif len(other) == 3:
        yield from zip(("input", "around", "input"), zip(own, other, strict=True), strict=True)
    elif other and len(own) == 3:
        yield from (("input", own[:2]), ("input", (own[2], *other)))
    elif other:
        yield "input", own + other
    else:
        yield "input", own[:2]
        yield from (("single", (both,)) for both in own[2:])


def _paired(kind: str, ids: list[str], pair: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    step = 2 if pair else 1
    for start in range(0, len(ids), step):
        yield kind, tuple(ids[start : start + step])


MARGIN = 7.0
GAP = 7.0
FOLD_GAP = 18.0
# Space for the softmax's caption and for the arrow of V.
CAPTION = 22.0
LANE = 20.0
# Gap between the two halves of the softmax and the frame around them.
FRAME = 7.0
# Where given weights stand in the height: above the lane of V.
GIVEN_MIDDLE = 0.4


def matrix_height(
    document: Document, kind: str, ids: tuple[str, ...], inner: float, style: CardStyle
) -> float:
    """Return the height available to each matrix in a column."""
    count, stack = len(ids), STACK_Y * min(document.h - 1, 4)
    if kind == "side":
        return (inner - 2 * GAP) / 3 - 2 * SIDE_PAD - stack
    if kind == "attention":
        inner -= _reserved_height(kind, ids) + (count - 1) * FOLD_GAP
        labels = (
            LABELS if style.names_tokens(SCORES.name) or style.names_tokens(WEIGHTS.name) else 0.0
        )
        return inner / count - style.heading - PAD - labels - stack
    if kind in ("input", "around"):
        inner -= _reserved_height(kind, ids)
        return (inner - GAP * (count - 1)) / count - style.heading - PAD
    area = (inner - FOLD_GAP * (count - 1)) / count - style.heading - PAD - stack
    return area if style.cell else min(area, ATTENTION_HEIGHT)


def lane_height(plan: Plan) -> float:
    """Return the height of the lane past each of two tables of positions in their own column."""
    return LANE if len(plan.vectors[1]) == 3 else 0.0


def fits_height(
    cards: Sequence[CardSize], group: tuple[str, tuple[str, ...]], height: float
) -> bool:
    """Return whether the cards of a column fit the height of the picture."""
    kind, ids = group
    gap = GAP if kind in ("side", "input", "around") else FOLD_GAP
    total = sum(card.outer_height for card in cards) + gap * (len(ids) - 1)
    return total <= height - 2 * MARGIN - _reserved_height(kind, ids) + 0.01


def _reserved_height(kind: str, ids: tuple[str, ...]) -> float:
    """Return the height that a column leaves to V's lane, captions or lanes around it."""
    if kind == "around":
        return 2 * LANE
    if kind != "attention":
        return 0.0
    return LANE + (CAPTION if len(ids) == 1 or any(map(in_softmax, ids)) else 0.0)


def place_boxes(
    columns: list[Column], gaps: list[float], height: float, orientation: Orientation
) -> Iterator[CardBox]:
    """Place the boxes of all columns, from left to right."""
    x, middles = MARGIN, dict[str, float]()
    for column, gap in zip(columns, [*gaps, 0.0], strict=True):
        for card, middle in zip(column.cards, _middles(column, height, middles), strict=True):
            middles[card.stage_id] = middle
            top = middle - card.outer_height / 2 + card.depth * STACK_Y
            left = x + (column.width - card.outer_width) / 2
            yield _box(card, left, top, orientation)
        x += column.width + gap


def _middles(column: Column, height: float, known: dict[str, float]) -> list[float]:
    """Return the vertical centres of the cards of a column."""
    cards = column.cards
    if column.kind == "side" and spec_of(cards[0].stage_id).kind is ROTATE:
        return [known[Q.name], known[K.name]]
    if column.kind == "side" and len(cards) == 1:  # values below the arrow to given weights
        return [height - MARGIN - cards[0].outer_height / 2]
    if column.kind == "attention":
        top = MARGIN + _reserved_height(column.kind, column.ids) - LANE
        wanted = (known[Q.name] + known[K.name]) / 2 if Q.name in known else height * GIVEN_MIDDLE
        return _stacked(cards, top, height - MARGIN - LANE, wanted, FOLD_GAP)
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
    cards: tuple[CardSize, ...], top: float, bottom: float, wanted: float, gap: float
) -> list[float]:
    """Stack cards vertically, centred as near to `wanted` as the ends allow."""
    total = sum(card.outer_height for card in cards) + gap * (len(cards) - 1)
    y = max(min(wanted - total / 2, bottom - total), top)
    middles = []
    for card in cards:
        middles.append(y + card.outer_height / 2)
        y += card.outer_height + gap
    return middles


def _box(card: CardSize, left: float, top: float, orientation: Orientation) -> CardBox:
    rect = Rect(left, top, card.width, card.height)
    free = card.width - 2 * PAD - card.side - card.label_width - card.matrix_width
    x = left + PAD + card.side + card.label_width + free / 2
    above = (
        (card.height - card.label_height - card.matrix_height) / 2 if card.side else card.heading
    )
    matrix = Rect(x, top + above + card.label_height, card.matrix_width, card.matrix_height)
    return CardBox(
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


def in_order(plan: Plan, boxes: Iterable[CardBox]) -> tuple[CardBox, ...]:
    """Return the boxes in the order of the plan."""
    order = {name: position for position, name in enumerate((*WORDS, *plan.ids))}
    return tuple(sorted(boxes, key=lambda box: order[box.stage_id]))


def softmax_frame(plan: Plan, boxes: tuple[CardBox, ...]) -> Rect | None:
    """Return the frame around the two halves of the softmax, with its caption on top."""
    if not has_scores(plan):
        return None
    halves = [box.outer for box in boxes if in_softmax(box.stage_id)]
    left, right = min(half.x for half in halves), max(half.right for half in halves)
    top, bottom = min(half.y for half in halves), max(half.bottom for half in halves)
    return Rect(
        left - FRAME, top - CAPTION, right - left + 2 * FRAME, bottom - top + CAPTION + FRAME
    )


# Width in pixels of the band that indicates hidden columns.
BAND = 38.0
# Margin around the outermost cards in layout units: the ring of the current one, the softmax frame.
AROUND = 11.0


class ColumnLayout(Struct, frozen=True):
    """Cards of a picture in columns, from left to right."""

    boxes: tuple[tuple[CardBox, ...], ...]

    def left(self, index: int) -> float:
        """Return the left edge of a column."""
        return min(box.outer.x for box in self.boxes[index])

    def right(self, index: int) -> float:
        """Return the right edge of a column."""
        return max(box.outer.right for box in self.boxes[index])

    def gaps(self, first: int, last: int) -> list[float]:
        """Return the free widths between the columns of a range."""
        return [self.left(index + 1) - self.right(index) for index in range(first, last)]

    def index_of(self, stage_id: str) -> int:
        """Return the column of a stage."""
        return next(
            i
            for i, column in enumerate(self.boxes)
            if any(box.stage_id == stage_id for box in column)
        )

    def stages(self, start: int, end: int) -> int:
        """Return the number of stages in a half-open range of columns."""
        return sum(box.stage_id not in WORDS for column in self.boxes[start:end] for box in column)


def columns_of(boxes: Sequence[CardBox]) -> ColumnLayout:
    """Group the cards of a picture into columns by their overlap in x."""
    found: list[list[CardBox]] = []
    for box in sorted(boxes, key=lambda box: box.outer.x):
        if found and box.outer.x < max(other.outer.right for other in found[-1]):
            found[-1].append(box)
        else:
            found.append([box])
    return ColumnLayout(tuple(map(tuple, found)))


def visible_columns(columns: ColumnLayout, here: int, area: float, band: float) -> tuple[int, int]:
    """Return the first and last visible column, alternately extended from the current one.

    The current column is always visible.
    """
    first = last = here
    grown = True
    while grown:
        grown = False
        for before, after in ((1, 0), (0, 1)):
            start, end = max(first - before, 0), min(last + after, len(columns.boxes) - 1)
            if (start, end) != (first, last) and needed_width(columns, start, end, band) <= area:
                first, last, grown = start, end, True
    return first, last


def bands(columns: ColumnLayout, first: int, last: int, band: float) -> tuple[float, float]:
    """Return the free width at either end: a band where columns are hidden."""
    return band if first else 0.0, band if last < len(columns.boxes) - 1 else 0.0


def needed_width(columns: ColumnLayout, first: int, last: int, band: float) -> float:
    """Return the width that a range of columns needs."""
    return (
        columns.right(last)
        - columns.left(first)
        + 2 * AROUND
        + sum(bands(columns, first, last, band))
    )


Groups = tuple[tuple[str, tuple[str, ...]], ...]


class ColumnSizer(CardSizer):
    """Caches columns, gaps and cards of one document and orientation for all layouts.

    `shown` is the plan whose stages are drawn. In a `roomy` picture, optional stages that are off
    keep their places, see `without_missing`.
    """

    def __init__(
        self, document: Document, plan: Plan, shown: Plan | None = None, *, roomy: bool = False
    ) -> None:
        super().__init__(document)
        self.plan, self.shown, self.roomy = plan, shown or plan, roomy
        self._groups: dict[int, Groups] = {}
        self._gaps: dict[tuple[int, bool], list[float]] = {}

    def groups(self, fold: int) -> Groups:
        """Return the kind and the stages of every column."""
        if fold not in self._groups:
            self._groups[fold] = tuple(column_ids(self.document, self.plan, fold))
        return self._groups[fold]

    def gaps(self, style: CardStyle) -> list[float]:
        """Return the minimum gap after each column but the last."""
        key = style.fold, style.arrows
        if key not in self._gaps:
            ids = [ids for _, ids in self.groups(style.fold)]
            self._gaps[key] = gap_widths(self.document, self.plan, ids, style)
        return self._gaps[key]

    def heights(self, height: float, style: CardStyle) -> list[float]:
        """Return the height available to the matrices of each column."""
        inner = height - 2 * MARGIN
        return [
            matrix_height(self.document, kind, ids, inner, style)
            for kind, ids in self.groups(style.fold)
        ]

    def cards(self, heights: list[float], style: CardStyle) -> list[list[CardSize]]:
        """Return the cards of every column."""
        groups = self.groups(style.fold)
        return [
            [self.card(name, height, style) for name in ids]
            for height, (_, ids) in zip(heights, groups, strict=True)
        ]

    def readable(self, height: float, orientation: Orientation) -> bool:
        """Return whether half of the cards could have digits if each had the full height in pixels.

        Otherwise, as with hundreds of tokens, no layout with digits is worth trying.
        """
        stages = [name for _, ids in self.groups(0) for name in ids if name not in WORDS]
        shapes = [orientation.pair(*self.document.stage_shape(name)[-2:]) for name in stages]
        able = [rows * LEAST_ROW <= height and columns <= MOST_COLUMNS for rows, columns in shapes]
        return 2 * sum(able) >= len(stages)


# Places of stages that can be switched off, so that a switch moves few boxes: the picture is laid
# out for the experiment with scale and mask. Where one is off, the boxes before its place and the
# last ones stay where they are; those between spread over the free width.


def with_optional_stages(document: Document) -> Document:
    """Return an experiment with scale and mask; given weights have neither."""
    if document.source == "weights":
        return document
    scale = Scale() if document.scale.kind == "none" else document.scale
    mask = Mask("causal") if document.mask.kind == "none" else document.mask
    return replace(document, scale=scale, mask=mask)


def without_missing(boxes: tuple[CardBox, ...], plan: Plan) -> Iterator[CardBox]:
    """Return the boxes of a plan; the width of missing columns goes to the gaps after them."""
    columns = columns_of(boxes)
    drawn = [
        [box for box in column if box.stage_id in (*WORDS, *plan.ids)] for column in columns.boxes
    ]
    missing = [index for index, column in enumerate(drawn) if not column]
    after = sum(map(bool, drawn[missing[0] :])) if missing else 0
    free = {index: columns.right(index) - columns.right(index - 1) for index in missing}
    shift = 0.0
    for index, column in enumerate(drawn):
        if index in free:
            shift -= free[index]
        elif missing and index > missing[0]:
            shift += sum(free.values()) / after
        for box in column:
            yield box.moved(shift)
