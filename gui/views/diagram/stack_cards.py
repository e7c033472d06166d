"""Sizes of the cards in the diagram of a stack, and their columns. Free of Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.document.document import Document
from core.document.orientation import Orientation
from core.stages import Stage
from gui.texts.names import raised_layer
from gui.views.diagram.card_sizes import LEAST_ROW
from gui.views.diagram.labels import card_heading, number_width, text_width
from gui.views.diagram.shapes import MOST_EDGES, STACK_X, STACK_Y, CardBox, Rect

GAP, COLUMN_GAP = 6.0, 11.0
HEADING, PAD = 23.0, 6.0
# Rows of matrices in numbers; cells and images in colours.
DIGIT_ROW, DIGIT_SIZE = 20.0, 12.0
COLOUR_CELL, WIDEST_IMAGE, NARROWEST_IMAGE = 9.0, 46.0, 22.0
LEAST_MATRIX = 6.0
SIDE_SYMBOL = 22.0


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
    raised: str = ""  # the layer of the stage, where another one is open

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
    layer: int  # the open one; 0 for the next word
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
        raised = raised_layer(document, name, self.layer)
        heading = card_heading(document, name, self.orientation, raised)
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
            *(False, depth, digits, raised),
        )


Column = tuple[Card, ...]


def least_height(document: Document) -> float:
    """Return the least height of Q over K over V, and of two cards one above the other."""
    edges = min(document.h - 1, MOST_EDGES) * STACK_Y
    return max(
        3 * (PAD + LEAST_MATRIX + edges) + 2 * GAP,
        2 * (HEADING + PAD + LEAST_MATRIX + edges) + GAP,
    )


def columns_of_cards(sizes: Sizes, stages: Sequence[Stage]) -> list[Column]:
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


def panel_width(columns: Sequence[Column]) -> float:
    widths = [max(card.outer_width for card in column) for column in columns]
    return sum(widths) + COLUMN_GAP * (len(widths) - 1) + 3 * PAD


def card_box(card: Card, left: float, top: float, orientation: Orientation) -> CardBox:
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
        image=not card.digits,
        raised=card.raised,
    )


# Arrows
