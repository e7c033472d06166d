"""Layout of the diagram of a stack: the residual stream with a lane for each token on top, the
sub-layers of the open layer below it, the other layers folded. Free of Qt.

Matrices on the stream have their rows on the lanes. The current stage and what it reads show
numbers where these are readable; other stages show colours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise

from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.stages import Plan, Stage
from core.stages.inputs import ADD
from core.stages.multiply import MIX
from gui.texts.names import visible_token
from gui.views.diagram.card_sizes import LEAST_ROW
from gui.views.diagram.labels import card_heading, number_width, text_width, token_width
from gui.views.diagram.shapes import (
    MOST_EDGES,
    STACK_X,
    STACK_Y,
    Arrow,
    CardBox,
    DiagramLayout,
    FoldedLayers,
    Panel,
    Point,
    Rect,
    Stream,
)

# The area for which all sizes below are meant; they grow with larger areas.
AREA = (1240.0, 254.0)
SMALLEST, LARGEST = 0.86, 2.2
MARGIN, GAP, COLUMN_GAP = 8.0, 6.0, 12.0
HEADING, PAD = 23.0, 6.0
# Rows of matrices on the stream and in numbers; the most rows and columns with numbers.
LANE, DIGIT_ROW, DIGIT_SIZE = 22.0, 20.0, 12.0
MOST_ROWS, MOST_COLUMNS = 6, 12
# Cells and images in colours.
COLOUR_CELL, WIDEST_IMAGE, NARROWEST_IMAGE = 9.0, 46.0, 22.0
TALLEST_BAND = 72.0
LEAST_MATRIX = 6.0
TITLE = 22.0  # of a panel
PLUS = 22.0
FOLDED = 84.0
LEAST_MINIATURE = 22.0
MOST_FOLDED = 2  # cards on either side; more layers share the outer one
SIDE_SYMBOL = 22.0

Find = Callable[[str], CardBox]


@dataclass(frozen=True, slots=True)
class Section:
    """The open part of a stack: the stages on the stream, and the sub-layers between them.

    `stream` and `panels` alternate: what comes in, the first sub-layer, what it makes, the second.
    """

    number: int  # of the layer; 0 for the next word
    stream: tuple[tuple[Stage, ...], ...]
    panels: tuple[tuple[str, tuple[Stage, ...]], ...]

    @property
    def stages(self) -> Iterator[Stage]:
        """All its stages."""
        return chain(*self.stream, *(stages for _, stages in self.panels))


def section_of(plan: Plan, stage_id: str) -> Section:
    """Return the open part of the plan at a stage: its layer, the first one before it, or the next
    word after the last one.
    """
    stage = plan[stage_id]
    layers = plan.layers
    before = not layers or plan.index(stage_id) < plan.index(plan.of_layer(layers[0])[0].id)
    if stage.layer is None and (not before or not layers):
        return _next_word(plan)
    return _layer(plan, layers[0] if stage.layer is None else stage.layer)


def _incoming(plan: Plan, first: Stage) -> tuple[Stage, ...]:
    """Return what comes into the stages from `first` on: all vectors before the first layer, or the
    result of the layer before.
    """
    before = plan.stages[: plan.index(first.id)]
    return before if all(stage.layer is None for stage in before) else before[-1:]


def _layer(plan: Plan, number: int) -> Section:
    stages = plan.of_layer(number)
    stream, panels = [_incoming(plan, stages[0])], []
    for name, part in (
        ("attention", [stage for stage in stages if not stage.spec.of_mlp]),
        ("mlp", [stage for stage in stages if stage.spec.of_mlp]),
    ):
        first = next((at for at, stage in enumerate(part) if stage.kind is ADD), len(part))
        if part:
            panels.append((name, tuple(part[:first])))
            stream.append(tuple(part[first:]))
    return Section(number, tuple(stream), tuple(panels))


def _next_word(plan: Plan) -> Section:
    last = max((plan.index(stage.id) for stage in plan if stage.layer is not None), default=-1)
    after = plan.stages[last + 1 :]
    if last < 0:
        return Section(0, (after,), ())
    return Section(0, (plan.stages[last : last + 1], ()), (("output", after),))


@dataclass(frozen=True, slots=True)
class Card:
    """Size of a card and of its matrix; `digits` says that its cells are made for numbers."""

    stage_id: str
    shape: tuple[int, int]
    matrix: tuple[float, float]
    width: float
    height: float
    side: bool
    depth: int
    digits: bool

    @property
    def outer_width(self) -> float:
        """Width with the edges of the heads behind."""
        return self.width + self.depth * STACK_X

    @property
    def outer_height(self) -> float:
        """Height with the edges of the heads behind."""
        return self.height + self.depth * STACK_Y


@dataclass(frozen=True, slots=True)
class Sizes:
    """Measures the cards of a stack; `numbers` are the stages that show numbers."""

    document: Document
    orientation: Orientation
    decimals: int
    lane: float
    inner: float  # height of the cards of a panel
    scale: float  # pixels of a unit
    numbers: frozenset[str] = field(default=frozenset())

    def card(self, stage: Stage, height: float, *, on_stream: bool = False) -> Card:
        """Return a card whose matrix is at most `height` high, or has its rows on the lanes."""
        document, name = self.document, stage.id
        own = document.stage_shape(name)[-2:]
        rows, columns = self.orientation.pair(*own)
        digits = name in self.numbers
        row = self.lane if on_stream else min(DIGIT_ROW, height / rows)
        digits = digits and (on_stream or row * self.scale >= LEAST_ROW)
        if digits:
            usual = "\N{MINUS SIGN}0." + "0" * self.decimals
            wide = DIGIT_SIZE * number_width(usual) + 8.0
        else:
            row = row if on_stream else min(COLOUR_CELL, height / rows)
            wide = min(COLOUR_CELL, WIDEST_IMAGE / columns)
        matrix = max(columns * wide, NARROWEST_IMAGE), rows * row
        depth = min(document.scope(name).h - 1, MOST_EDGES) if stage.headwise else 0
        heading = card_heading(document, name, self.orientation)
        symbol = text_width(heading.symbol, 17.0)
        if stage.spec.side:
            return Card(
                *(name, (own[0], own[1]), matrix, matrix[0] + 2 * PAD + SIDE_SYMBOL),
                *(matrix[1] + PAD, True, depth, digits),
            )
        shape = text_width(heading.shape) + 8.0 if digits else 0.0
        width = 2 * PAD + max(matrix[0], symbol + shape)
        return Card(
            *(name, (own[0], own[1]), matrix, width, HEADING + matrix[1] + PAD),
            *(False, depth, digits),
        )


Column = tuple[Card, ...]


def stack_layout(
    document: Document,
    plan: Plan,
    decimals: int = 2,
    area: tuple[float, float] = AREA,
    orientation: Orientation = ROWS,
    *,
    stage_id: str,
) -> DiagramLayout:
    """Lay out the part of a stack around a stage for an area in pixels.

    Equal arguments give equal pictures; a step inside a stage moves nothing.
    """
    scale = min(max(min(area[0] / AREA[0], area[1] / AREA[1]), SMALLEST), LARGEST)
    width, height = area[0] / scale, area[1] / scale
    section = section_of(plan, stage_id)
    rows = document.n if not orientation.columns else document.d
    tall = min(rows * LANE, max(TALLEST_BAND, height * 0.3))
    lane = tall / rows
    band = Rect(MARGIN, MARGIN, width - 2 * MARGIN, HEADING + tall + 2 * PAD)
    around = band.bottom + 2 * MARGIN + TITLE + 2 * PAD
    height = max(height, around + _least_inner(document))  # then the picture is scaled down
    inner = height - around
    sizes = Sizes(document, orientation, decimals, lane, inner, scale)
    folded = list(_folded(document, plan, section))
    for numbers in _numbers(document, section, plan[stage_id], orientation):
        sizes = replace(sizes, numbers=frozenset(numbers))
        drawing = _Drawing(sizes, section, band, folded, height)
        if drawing.needed <= width or not numbers:
            break
    return drawing.placed(plan, width)


def _least_inner(document: Document) -> float:
    """Return the least height of Q over K over V, and of two cards one above the other."""
    edges = min(document.h - 1, MOST_EDGES) * STACK_Y
    return max(
        3 * (PAD + LEAST_MATRIX + edges) + 2 * GAP,
        2 * (HEADING + PAD + LEAST_MATRIX + edges) + GAP,
    )


def _numbers(
    document: Document, section: Section, stage: Stage, orientation: Orientation
) -> Iterator[tuple[str, ...]]:
    """Return the stages that may show numbers, the most first: the current one and what it reads."""
    shown = {one.id for one in section.stages}
    wanted = [name for name in (stage.id, *stage.reads) if name in shown]
    found = []
    for name in wanted:
        rows, columns = orientation.pair(*document.stage_shape(name)[-2:])
        if rows <= MOST_ROWS and columns <= MOST_COLUMNS:
            found.append(name)
    for count in range(len(found), -1, -1):
        yield tuple(found[:count])


def _folded(
    document: Document, plan: Plan, section: Section
) -> Iterator[tuple[tuple[int, ...], tuple[Stage, ...], bool]]:
    """Return the folded parts with their layers, their stages, and whether they come before."""
    layers = plan.layers
    before = [number for number in layers if not section.number or number < section.number]
    after = [number for number in layers if section.number and number > section.number]
    for numbers in _grouped(before, first=True):
        yield numbers, _stages(plan, numbers), True
    for numbers in _grouped(after, first=False):
        yield numbers, _stages(plan, numbers), False
    ending = dict(_next_word(plan).panels).get("output", ())
    if section.number and ending:
        yield (), ending, False


def _grouped(numbers: list[int], *, first: bool) -> list[tuple[int, ...]]:
    """Return layers as cards of one each; the layers that are furthest away share one."""
    if len(numbers) <= MOST_FOLDED:
        return [(number,) for number in numbers]
    if first:
        return [tuple(numbers[: 1 - MOST_FOLDED]), *((one,) for one in numbers[1 - MOST_FOLDED :])]
    return [
        *((one,) for one in numbers[: MOST_FOLDED - 1]),
        tuple(numbers[MOST_FOLDED - 1 :]),
    ]


def _stages(plan: Plan, numbers: Sequence[int]) -> tuple[Stage, ...]:
    return tuple(stage for number in numbers for stage in plan.of_layer(number))


class _Drawing:
    """Places the parts of one picture from left to right."""

    def __init__(
        self,
        sizes: Sizes,
        section: Section,
        band: Rect,
        folded: list[tuple[tuple[int, ...], tuple[Stage, ...], bool]],
        height: float,
    ) -> None:
        self.sizes, self.section, self.band, self.height = sizes, section, band, height
        self.folded = folded
        tokens = [visible_token(token) for token in sizes.document.tokens]
        named = sizes.lane >= 14.0 and not sizes.orientation.columns
        self.names = min(max(map(token_width, tokens)), 64.0) + 12.0 if named else 0.0
        self.cards = [
            [sizes.card(stage, 0.0, on_stream=True) for stage in stages]
            for stages in section.stream
        ]
        self.panels = [_columns(sizes, stages) for _, stages in section.panels]
        self.widths = [
            max(_panel_width(columns), self._stream_width(at))
            for at, columns in enumerate(self.panels)
        ]
        before = sum(1 for *_, early in folded if early)
        self.left = MARGIN + self.names + before * (FOLDED + GAP) + 2 * GAP
        self.needed = self.left + self._section_width() + self._right_width()

    def _stream_width(self, at: int) -> float:
        cards = self.cards[at] if at < len(self.cards) else []
        return sum(card.outer_width + COLUMN_GAP for card in cards)

    def _has_plus(self, at: int) -> bool:
        """Whether the sub-layer is added to what came into it."""
        stages = self.section.stream[at + 1]
        return bool(stages) and stages[0].kind is ADD

    def _section_width(self) -> float:
        total = 0.0
        for at, width in enumerate(self.widths):
            total += width + GAP + (PLUS + GAP if self._has_plus(at) else 0.0)
            if at + 1 == len(self.widths):
                total += self._stream_width(at + 1)
        return total or self._stream_width(0)

    def _right_width(self) -> float:
        after = sum(1 for *_, early in self.folded if not early)
        return 2 * GAP + after * (FOLDED + GAP) + MARGIN

    def placed(self, plan: Plan, width: float) -> DiagramLayout:
        """Return the layout; free width is shared by the sub-layers."""
        width = max(width, self.needed)
        spare = (width - self.needed) / max(1, len(self.panels))
        band = replace_width(self.band, width - 2 * MARGIN)
        top = band.bottom + MARGIN
        boxes: list[CardBox] = []
        panels, pluses, cuts = [], [], []
        x = self.left
        for at, columns in enumerate(self.panels):
            boxes += self._on_stream(at, x)
            share = self.widths[at] + spare
            name, stages = self.section.panels[at]
            rect = Rect(x, top, share, self.height - top - MARGIN)
            panels.append(Panel(name, rect, tuple(stage.id for stage in stages)))
            boxes += self._in_panel(columns, rect)
            x += share + GAP
            if self._has_plus(at):
                middle = band.y + HEADING + PAD
                tall = len(self._lanes()) * self.sizes.lane or self._tall()
                pluses.append((self.section.stream[at + 1][0].id, Rect(x, middle, PLUS, tall)))
                x += PLUS + GAP
            elif self.section.number:
                cuts.append((x - GAP - 14.0, x - GAP + 6.0))
        last = len(self.panels)
        if last < len(self.cards):
            boxes += self._on_stream(last, x)
            x += self._stream_width(last)
        frame = Rect(self.left - GAP, MARGIN - 4.0, x - self.left + 2 * GAP, self.height - 8.0)
        stream = Stream(
            band,
            MARGIN + self.names,
            self._lanes(),
            tuple(pluses),
            tuple(cuts),
            tuple(panels),
            tuple(self._folded_cards(x, top)),
            frame if self.section.number else None,
            self.section.number,
        )
        order = {name: at for at, name in enumerate(plan.ids)}
        found = tuple(sorted(boxes, key=lambda box: order[box.stage_id]))
        arrows = tuple(self._arrows(found, dict(pluses), panels))
        digits = bool(self.sizes.numbers)
        return DiagramLayout(width, self.height, found, arrows, None, digits, stream)

    def _tall(self) -> float:
        rows = self.sizes.orientation.pair(self.sizes.document.n, self.sizes.document.d)[0]
        return rows * self.sizes.lane

    def _lanes(self) -> tuple[float, ...]:
        if self.sizes.orientation.columns:
            return ()
        first = self.band.y + HEADING + PAD + self.sizes.lane / 2
        return tuple(first + row * self.sizes.lane for row in range(self.sizes.document.n))

    def _on_stream(self, at: int, x: float) -> Iterator[CardBox]:
        for card in self.cards[at]:
            yield _box(card, x, self.band.y + PAD, self.sizes.orientation)
            x += card.outer_width + COLUMN_GAP

    def _in_panel(self, columns: Sequence[Column], rect: Rect) -> Iterator[CardBox]:
        free = rect.w - _panel_width(columns)
        gap = COLUMN_GAP + min(free / max(1, len(columns) - 1), 3 * COLUMN_GAP)
        used = _panel_width(columns) + (gap - COLUMN_GAP) * (len(columns) - 1)
        x = rect.x + 1.5 * PAD + (rect.w - used) / 2
        area = rect.y + TITLE, rect.bottom - PAD
        for column in columns:
            width = max(card.outer_width for card in column)
            total = sum(card.outer_height for card in column) + GAP * (len(column) - 1)
            y = area[0] + max(0.0, (area[1] - area[0] - total) / 2)
            for card in column:
                top = y + card.depth * STACK_Y
                yield _box(card, x + (width - card.outer_width) / 2, top, self.sizes.orientation)
                y += card.outer_height + GAP
            x += width + gap

    def _folded_cards(self, right: float, top: float) -> Iterator[FoldedLayers]:
        left, right = MARGIN + self.names + GAP, right + 2 * GAP
        tall = self.height - top - MARGIN
        for layers, stages, early in self.folded:
            x = left if early else right
            rect = Rect(x, top, FOLDED, tall)
            boxes = tuple(self._miniatures(stages, rect)) if len(layers) < 2 else ()
            target = stages[0] if not early else stages[-1]
            yield FoldedLayers(rect, layers, target.id, len(stages), boxes)
            left, right = (left + FOLDED + GAP, right) if early else (left, right + FOLDED + GAP)

    def _miniatures(self, stages: Sequence[Stage], rect: Rect) -> Iterator[CardBox]:
        """Return small pictures of the weights and of what is added, one below the other."""
        chosen = [stage for stage in stages if stage.kind.shares or stage.kind is ADD]
        space = rect.h - TITLE - 22.0
        chosen = chosen[: max(1, int(space / LEAST_MINIATURE))]
        y = rect.y + TITLE + 4.0
        tall = space / max(1, len(chosen)) - GAP
        for stage in chosen:
            card = self.sizes.card(stage, max(tall, 4.0))
            w, h = min(card.matrix[0], rect.w - 2 * PAD - 26.0), min(card.matrix[1], tall)
            at = Rect(rect.right - PAD - w, y, w, h)
            box = CardBox(stage.id, at, at, *card.shape, orientation=self.sizes.orientation)
            yield box
            y += tall + GAP

    def _arrows(
        self, boxes: tuple[CardBox, ...], pluses: Mapping[str, Rect], panels: Sequence[Panel]
    ) -> Iterator[Arrow]:
        by_id = {box.stage_id: box for box in boxes}
        for stage in self.section.stages:
            end = by_id[stage.id]
            for source in stage.reads:
                if source not in by_id:
                    continue
                start = by_id[source]
                if stage.id in pluses:
                    if start.rect.y >= self.band.bottom:
                        yield _arrow(start, end, _rise(start, pluses[stage.id]))
                elif start.rect.y < self.band.bottom <= end.rect.y:
                    yield _arrow(start, end, _fall(start, end))
                elif start.rect.bottom <= end.outer.y and start.rect.x < end.rect.right:
                    yield _arrow(start, end, _down(start, end))
                elif stage.kind is MIX and source == stage.reads[1]:
                    floor = next(panel.rect.bottom for panel in panels if stage.id in panel.stages)
                    yield _arrow(start, end, _below(start, end, boxes, floor - 3.0))
                elif end.rect.y >= self.band.bottom:
                    yield _arrow(start, end, _across(start, end))


def replace_width(rect: Rect, width: float) -> Rect:
    """Return a rectangle with another width."""
    return Rect(rect.x, rect.y, width, rect.h)


def _columns(sizes: Sizes, stages: Sequence[Stage]) -> list[Column]:
    """Return the cards of a sub-layer in columns: Q over K over V, and pairs in colours."""
    columns: list[list[Stage]] = []
    for stage in stages:
        last = columns[-1] if columns else []
        if last and _joins(sizes, last, stage):
            last.append(stage)
        else:
            columns.append([stage])
    return [_sized(sizes, column) for column in columns]


def _joins(sizes: Sizes, column: list[Stage], stage: Stage) -> bool:
    before = column[-1]
    if stage.spec.side:
        return before.spec.side and before.kind is stage.kind
    if before.spec.side or len(column) > 1 or {stage.id, before.id} & sizes.numbers:
        return False
    pairs = (stage.attends and before.attends) or stage.kind.joins_heads
    gated = len(stage.reads) == 1 and before.reads == stage.reads
    return pairs or gated


def _sized(sizes: Sizes, column: Sequence[Stage]) -> Column:
    count = len(column)
    edges = max(
        min(sizes.document.scope(stage.id).h - 1, MOST_EDGES) if stage.headwise else 0
        for stage in column
    )
    each = (sizes.inner - GAP * (count - 1)) / count - edges * STACK_Y
    above = PAD if column[0].spec.side else HEADING + PAD
    return tuple(sizes.card(stage, max(each - above, LEAST_MATRIX)) for stage in column)


def _panel_width(columns: Sequence[Column]) -> float:
    widths = [max(card.outer_width for card in column) for column in columns]
    return sum(widths) + COLUMN_GAP * (len(widths) - 1) + 3 * PAD


def _box(card: Card, left: float, top: float, orientation: Orientation) -> CardBox:
    width, height = card.matrix
    rect = Rect(left, top, card.width, card.height)
    if card.side:
        matrix = Rect(rect.right - PAD - width, top + (card.height - height) / 2, width, height)
        heading = SIDE_SYMBOL
    else:
        matrix = Rect(left + (card.width - width) / 2, top + HEADING, width, height)
        heading = HEADING
    return CardBox(
        card.stage_id,
        rect,
        matrix,
        *card.shape,
        side=card.side,
        heading=heading,
        depth=card.depth,
        orientation=orientation,
    )


# Arrows


def _arrow(start: CardBox, end: CardBox, points: tuple[Point, ...]) -> Arrow:
    middle = points[len(points) // 2]
    return Arrow(start.stage_id, end.stage_id, "", points, middle, 0.0)


def _straight(*points: Point) -> tuple[Point, ...]:
    """Return a path of straight lines as cubic curves."""
    found = [points[0]]
    for a, b in pairwise(points):
        found += [
            (a[0] + (b[0] - a[0]) / 3, a[1] + (b[1] - a[1]) / 3),
            (b[0] - (b[0] - a[0]) / 3, b[1] - (b[1] - a[1]) / 3),
            b,
        ]
    return tuple(found)


def _across(start: CardBox, end: CardBox) -> tuple[Point, ...]:
    a, b = (start.outer.right, start.rect.centre[1]), (end.rect.x, end.rect.centre[1])
    half = (b[0] - a[0]) / 2
    return (a, (a[0] + half, a[1]), (b[0] - half, b[1]), b)


def _down(start: CardBox, end: CardBox) -> tuple[Point, ...]:
    x = end.rect.centre[0]
    return _straight((x, start.rect.bottom), (x, end.outer.y))


def _fall(start: CardBox, end: CardBox) -> tuple[Point, ...]:
    """From the stream down to the first stage of a sub-layer."""
    x = min(max(end.rect.centre[0], start.rect.x + 10.0), start.rect.right - 10.0)
    top, bottom = start.rect.bottom, end.outer.y
    if abs(x - end.rect.centre[0]) < 1.0:
        return _straight((x, top), (x, bottom))
    turn = top + 7.0
    at = end.rect.centre[0]
    return _straight((x, top), (x, turn), (at, turn), (at, bottom))


def _rise(start: CardBox, plus: Rect) -> tuple[Point, ...]:
    """From the result of a sub-layer up to the place where it is added."""
    x, y = plus.centre[0], start.rect.centre[1]
    return _straight((start.outer.right, y), (x, y), (x, plus.bottom))


def _below(
    start: CardBox, end: CardBox, boxes: tuple[CardBox, ...], floor: float
) -> tuple[Point, ...]:
    """V below the attention matrices, then up to the weighted sum."""
    a, b = (start.outer.right, start.rect.centre[1]), (end.rect.x, end.rect.centre[1] + 8.0)
    between = [
        box.rect.bottom
        for box in boxes
        if a[0] < box.outer.x and box.outer.right < b[0] and box.rect.bottom > a[1]
    ]
    y = min(max([a[1], *(bottom + 3.0 for bottom in between)]), floor)
    return _straight(a, (a[0] + 7.0, a[1]), (a[0] + 7.0, y), (b[0] - 7.0, y), (b[0] - 7.0, b[1]), b)
