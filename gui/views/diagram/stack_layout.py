"""Layout of the diagram of a stack: the residual stream with a lane for each token on top, the
sub-layers of the open layer below it, the other layers folded. Free of Qt.

Matrices on the stream have their rows on the lanes. The current stage and what it reads show
numbers where these are readable; other stages show colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.stages import Plan, Stage
from core.stages.inputs import ADD
from gui.texts.names import visible_token
from gui.views.diagram.labels import token_width
from gui.views.diagram.shapes import (
    STACK_Y,
    CardBox,
    DiagramLayout,
    FoldedLayers,
    Panel,
    Rect,
    Stream,
)
from gui.views.diagram.stack_arrows import stack_arrows
from gui.views.diagram.stack_cards import (
    COLUMN_GAP,
    GAP,
    HEADING,
    PAD,
    Column,
    Sizes,
    card_box,
    columns_of_cards,
    least_height,
    panel_width,
)
from gui.views.diagram.stack_sections import Folded, Section, folded_parts, section_of

# The area for which all sizes are meant; they grow with larger areas.
AREA = (1240.0, 254.0)
SMALLEST, LARGEST = 0.86, 2.2
MARGIN = 8.0
LANE, TALLEST_BAND = 22.0, 72.0
MOST_ROWS, MOST_COLUMNS = 6, 12  # with numbers
TITLE = 22.0  # of a panel
PLUS = 22.0
MOST_NAMED = 1.5  # of the width; in a wider picture, which is scaled down, names are too small
FOLDED, LEAST_MINIATURE = 84.0, 22.0


def unit_for_stack(width: float, height: float, wanted: float) -> float:
    """Return the pixels per unit: `wanted`, or fewer so that all names have room, but at least 1."""
    return max(1.0, min(wanted, width / AREA[0], height / AREA[1]))


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
    height = max(height, around + least_height(document))  # then the picture is scaled down
    inner = height - around
    sizes = Sizes(document, orientation, decimals, lane, inner, scale, section.number)
    folded = list(folded_parts(plan, section))
    for numbers in _numbers(document, section, plan[stage_id], orientation):
        sizes = replace(sizes, numbers=frozenset(numbers))
        drawing = _Drawing(sizes, section, band, folded, height)
        if drawing.needed <= width or not numbers:
            break
    if drawing.needed > MOST_NAMED * width:
        drawing = _Drawing(sizes, section, band, folded, height, named=False)
    return drawing.placed(plan, width)


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


class _Drawing:
    """Places the parts of one picture from left to right."""

    def __init__(
        self,
        sizes: Sizes,
        section: Section,
        band: Rect,
        folded: list[Folded],
        height: float,
        *,
        named: bool = True,
    ) -> None:
        self.sizes, self.section, self.band, self.height = sizes, section, band, height
        self.folded = folded
        tokens = [visible_token(token) for token in sizes.document.tokens]
        named = named and sizes.lane >= 14.0 and not sizes.orientation.columns
        self.names = min(1.15 * max(map(token_width, tokens)), 70.0) + 12.0 if named else 0.0
        self.cards = [
            [sizes.card(stage, 0.0, on_stream=True) for stage in stages]
            for stages in section.stream
        ]
        self.panels = [columns_of_cards(sizes, stages) for _, stages in section.panels]
        self.widths = [
            max(panel_width(columns), self._stream_width(at))
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
        band = Rect(self.band.x, self.band.y, width - 2 * MARGIN, self.band.h)
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
        arrows = tuple(stack_arrows(self.section, found, self.band, dict(pluses), panels))
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
            yield card_box(card, x, self.band.y + PAD, self.sizes.orientation)
            x += card.outer_width + COLUMN_GAP

    def _in_panel(self, columns: Sequence[Column], rect: Rect) -> Iterator[CardBox]:
        free = rect.w - panel_width(columns)
        gap = COLUMN_GAP + min(free / max(1, len(columns) - 1), 3 * COLUMN_GAP)
        used = panel_width(columns) + (gap - COLUMN_GAP) * (len(columns) - 1)
        x = rect.x + 1.5 * PAD + (rect.w - used) / 2
        area = rect.y + TITLE, rect.bottom - PAD
        for column in columns:
            width = max(card.outer_width for card in column)
            total = sum(card.outer_height for card in column) + GAP * (len(column) - 1)
            y = area[0] + max(0.0, (area[1] - area[0] - total) / 2)
            for card in column:
                top = y + card.depth * STACK_Y
                yield card_box(
                    card, x + (width - card.outer_width) / 2, top, self.sizes.orientation
                )
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
            orientation = self.sizes.orientation
            yield CardBox(stage.id, at, at, *card.shape, orientation=orientation, image=True)
            y += tall + GAP
