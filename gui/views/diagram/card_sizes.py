"""Sizes of matrices and cards: the real shape within limits. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from msgspec import Struct

from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.document.parts import is_headwise, is_stage, stage_axes
from core.stages import SPECS, spec_of
from gui.texts.names import visible_token
from gui.views.diagram.labels import (
    card_heading,
    head_chip,
    name_width,
    number_width,
    text_width,
    token_width,
    words_of,
)
from gui.views.diagram.labels import name_lines as lines_of
from gui.views.diagram.shapes import MOST_EDGES, STACK_X, STACK_Y, TOKENS, WORDS, CardBox

# Limit of the growth of texts in a reduced picture, see paint_utils.text_size().
GROWTH = 1.17
PAD, SIDE_PAD = 6.0, 3.0
TOKENS_HEADING, HEADING_SIZE = 30.0, 14.0  # height of the heading of tokens, and of its letters
SIDE_LEAST = 54.0
LABELS = 16.0
ROW = 26.0
# Minimum height in pixels of rows with digits or names.
LEAST_ROW = 10.8
# Matrices with more columns are drawn as an image.
MOST_COLUMNS = 12
# Minimum size of digits in pixels.
LEAST_DIGITS = 9.0
# Size of digits as fractions of the height and width of their cell, and their least horizontal
# scale. paint_utils.digits_in() uses the same numbers.
DIGIT_HEIGHT, DIGIT_WIDTH, SQUEEZE = 0.84, 0.86, 0.84
# Maximum height of cells; they are never higher than wide.
TALLEST = 0.95
SYMBOL_LINE, NAME_LINE = 23.0, 17.0
NAMED_STAGES, FEW_STAGES = (
    frozenset((*WORDS, *(name for name, spec in SPECS.items() if spec.row_names >= least)))
    for least in (1, 2)
)
ATTENTION_HEIGHT = 132.0
# Longer tokens may be shortened beside a row or above a column.
LONGEST_NAME = 64.0
SHORTENED = 36.0


@dataclass(frozen=True, slots=True)
class CardStyle:
    """Level of detail of cards.

    `named` are the stages with tokens beside their rows (None: all); `arrows` says whether all
    arrows have labels or only those of weights. `fold` is how far columns are stacked: 1
    the joined heads over Y, 2 also the scores, 3 also the two halves of the softmax. `cell` is the
    width of a cell, enough for a number such as −0.00 (0: no digits), `scale` the pixels of a unit.

    Without digits, `widest` limits matrices, `growth` is the factor of texts, and `plain` cards
    have space only for their symbols.
    """

    named: frozenset[str] | None = None
    arrows: bool = True
    fold: int = 0
    cell: float = 0.0
    scale: float = 1.0
    heading: float = SYMBOL_LINE + NAME_LINE
    widest: float = 104.0
    growth: float = 1.0
    plain: bool = False
    decimals: int = 2
    orientation: Orientation = ROWS

    def names_tokens(self, stage_id: str) -> bool:
        """Return whether a stage shows its tokens beside its rows."""
        return self.named is None or stage_id in self.named


BARE = CardStyle(named=NAMED_STAGES, heading=68.0, growth=1.45)
PLAIN = replace(BARE, named=frozenset(), heading=36.0, plain=True)


@dataclass(frozen=True, slots=True)
class CardSize:
    """Size of one card and of its matrix; `digits` is the size of digits in pixels, or 0."""

    stage_id: str
    rows: int
    columns: int
    matrix_width: float
    matrix_height: float
    label_width: float
    label_height: float
    side: float
    depth: int
    heading: float = 0.0
    least_width: float = 0.0
    digits: float = 0.0

    @property
    def width(self) -> float:
        """Width of the front card."""
        return max(2 * PAD + self.label_width + self.matrix_width + self.side, self.least_width)

    @property
    def height(self) -> float:
        """Height of the front card."""
        inner = self.label_height + self.matrix_height
        return 2 * SIDE_PAD + max(inner, SIDE_LEAST) if self.side else self.heading + inner + PAD

    @property
    def outer_width(self) -> float:
        """Width with the edges of the heads behind."""
        return self.width + self.depth * STACK_X

    @property
    def outer_height(self) -> float:
        """Height with the edges of the heads behind."""
        return self.height + self.depth * STACK_Y


def name_lines(document: Document, cards: Iterable[CardSize], style: CardStyle) -> int:
    """Return the number of lines for names above matrices, at most two, or three in both languages.

    Return 0 if one of the names does not fit at all.
    """
    most = 0
    for card in cards:
        if not card.side and card.stage_id not in WORDS:
            names = card_heading(document, card.stage_id, style.orientation).names
            most = max(
                most,
                len(
                    lines_of(
                        names, 1 + len(names), (card.width - 2 * PAD) / style.growth, name_width
                    )
                ),
            )
    return most


def in_softmax(stage_id: str) -> bool:
    """Return whether a card is one of the two halves of the softmax."""
    return is_stage(stage_id) and spec_of(stage_id).kind.in_softmax


class CardConstants(Struct, frozen=True):
    """Properties of a card that do not depend on the size of its cells.

    `rows` and `columns` are in drawn order, `own` in document order. `beside` and `above` are the
    space for token names, 0 without names.
    """

    stage_id: str
    own: tuple[int, int]
    rows: int
    columns: int
    square: bool
    beside: float
    above: float
    side: float
    depth: int
    least: float


class CardSizer:
    """Measures the cards of one document, with a cache of constant properties."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._known: dict[tuple[object, ...], CardConstants] = {}
        self._widths: dict[tuple[str, ...], tuple[float, ...]] = {}

    def fixed(self, stage_id: str, style: CardStyle) -> CardConstants:
        """Return the properties of a card that are the same at every size."""
        key = (stage_id, style.named, style.arrows, style.growth, style.cell > 0, style.plain)
        if key not in self._known:
            self._known[key] = self._fixed(stage_id, style)
        return self._known[key]

    def _fixed(self, stage_id: str, style: CardStyle) -> CardConstants:
        document, axes = self.document, stage_axes(stage_id)
        own_rows, own_columns = document.stage_shape(stage_id)[-2:]
        rows, columns = style.orientation.pair(own_rows, own_columns)
        down, across = style.orientation.pair(*(document.labels(axis) for axis in axes[-2:]))
        named = style.names_tokens(stage_id)
        side = (
            _side_heading(document, stage_id, style)
            if is_stage(stage_id) and spec_of(stage_id).side
            else 0.0
        )
        return CardConstants(
            stage_id,
            (own_rows, own_columns),
            rows,
            columns,
            axes[-2:] == ("n", "m"),
            label_space(self._widths_of(down), style) if named and down else 0.0,
            # What fits each token, or the start of a long one, above its column.
            max(min(width, SHORTENED) for width in self._widths_of(across)) or 1.0
            if named and across
            else 0.0,
            side,
            min(document.h - 1, MOST_EDGES) if axes[0] == "h" else 0,
            0.0 if side else _heading_width(document, stage_id, style),
        )

    def _widths_of(self, tokens: tuple[str, ...]) -> tuple[float, ...]:
        """Return the widths of tokens; if there are many, of the named ones."""
        if tokens not in self._widths:
            self._widths[tokens] = tuple(
                token_width(visible_token(token)) for token in tokens[:200]
            )
        return self._widths[tokens]

    def card(self, stage_id: str, height: float, style: CardStyle) -> CardSize:
        """Return a card whose matrix is at most `height` high."""
        if stage_id in WORDS:
            return _tokens_card(stage_id, self.document, height)
        parts = self.fixed(stage_id, style)
        tall = height - (LABELS if parts.above and not parts.square else 0.0)
        w, h, digits = _matrix(parts, tall, style)
        beside = h / parts.rows * style.scale >= LEAST_ROW
        above = (
            LABELS
            if 0.0 < parts.above <= w / parts.columns and (beside or style.orientation.columns)
            else 0.0
        )
        return CardSize(
            stage_id,
            *parts.own,
            w,
            h,
            parts.beside if beside else 0.0,
            above,
            parts.side,
            parts.depth,
            style.heading,
            parts.least,
            digits,
        )


def _tokens_card(stage_id: str, document: Document, height: float) -> CardSize:
    tokens = document.tokens if stage_id == TOKENS else document.key_tokens
    heading = " ".join(card_heading(document, stage_id).names)
    widest = max(token_width(visible_token(token), 13.0) for token in tokens[:200])
    width = min(max(widest + 16.0, text_width(heading, HEADING_SIZE) + 2 * PAD, 60.0), 110.0)
    return CardSize(
        stage_id,
        len(tokens),
        1,
        width,
        min(len(tokens) * ROW, height),
        0.0,
        0.0,
        0.0,
        0,
        TOKENS_HEADING,
    )


def _matrix(parts: CardConstants, height: float, style: CardStyle) -> tuple[float, float, float]:
    """Return width, height and size of digits; 0 digits if the cells are too small for them."""
    rows, columns = parts.rows, parts.columns
    if style.cell and columns <= MOST_COLUMNS:
        row = min(height / rows, max(style.cell * TALLEST, ROW))
        if row * style.scale >= LEAST_ROW:
            digits = style.scale * min(row * DIGIT_HEIGHT, style.cell * _per_width(style.decimals))
            return columns * style.cell, rows * row, digits
    return *matrix_size(rows, columns, height, style, parts.square), 0.0


@cache
def _per_width(decimals: int) -> float:
    """Return the size of digits per width of a cell for −0.00."""
    usual = "\N{MINUS SIGN}0" + ("." + "0" * decimals if decimals else "")
    return DIGIT_WIDTH / (SQUEEZE * number_width(usual))


def least_cell(style: CardStyle) -> float:
    """Return the width of the narrowest cell for −0.00 in the smallest digits."""
    return LEAST_DIGITS * 1.01 / (style.scale * _per_width(style.decimals))


def matrix_size(
    rows: int, columns: int, height: float, style: CardStyle, square: bool = False
) -> tuple[float, float]:
    """Return width and height of a matrix without digits: an image of the real shape."""
    side = min(18.0, style.widest / columns, height / rows)
    most = 1.15 if square else 2.0
    return min(max(columns * side * most, 48.0), style.widest), max(rows * side, 26.0)


def label_space(widths: tuple[float, ...], style: CardStyle) -> float:
    """Return the width for tokens beside the rows, up to about nine letters."""
    return min(max(max(widths) * style.growth, 12.0), LONGEST_NAME) + 6.0


def _side_heading(document: Document, stage_id: str, style: CardStyle) -> float:
    """Return the width of a heading left of a matrix: symbol and head, name, shape."""
    words = card_heading(document, stage_id, style.orientation)
    if style.plain:
        return text_width(words.symbol, 16.0) * style.growth + 8.0
    shape = text_width(words.shape)
    beside = 30.0 if document.h > 1 else shape + 5.0 if len(words.names) > 1 else 0.0
    name = max(text_width(word.rstrip()) for name in words.names for word in words_of(name))
    widest = max(text_width(words.symbol, 16.0) + beside, name, shape)
    return min(max(widest * style.growth + 8.0, 34.0), 68.0)


def _heading_width(document: Document, stage_id: str, style: CardStyle) -> float:
    """Return the minimum width of a card with its heading above."""
    words = card_heading(document, stage_id, style.orientation)
    symbol = text_width(words.symbol, 15.0)
    if style.plain:
        return 2 * PAD + symbol * style.growth
    if style.cell and not style.arrows:
        return 2 * PAD + min(symbol, 96.0)
    chip = 36.0 if style.arrows and document.h > 1 and is_headwise(stage_id) else 0.0
    first = symbol + 6.0 + text_width(words.shape) * style.growth + chip
    widest = (
        max(text_width(word.rstrip()) for name in words.names for word in words_of(name))
        * style.growth
    )
    most = 168.0 if style.orientation.columns else 128.0  # many features as rows make narrow cards
    return 2 * PAD + max(first, min(widest, most))


SYMBOL, SIDE_SYMBOL, BETWEEN, ROUND = (
    17.5,
    22.0,
    6.0,
    10.0,
)  # bold letters of the symbol, spaces between words, ends of the chip


def with_one_chip(
    document: Document, boxes: tuple[CardBox, ...], style: CardStyle
) -> tuple[CardBox, ...]:
    """Give all boxes of heads the fullest wording of the chip that fits on each of them."""
    wordings = head_chip(document.h - 1, document.h)
    if not wordings:
        return boxes
    widths = [text_width(text) * style.growth + ROUND for text in wordings]
    headed = {box.stage_id: _free(document, box, style) for box in boxes if _has_heads(box)}
    free_widths = [
        free for free in headed.values() if free >= widths[-1]
    ]  # cards without space for the shortest wording get none
    chip = next(
        (at for at, width in enumerate(widths) if all(width <= free for free in free_widths)),
        len(widths) - 1,
    )
    return tuple(replace(box, chip=chip) if box.stage_id in headed else box for box in boxes)


def _has_heads(box: CardBox) -> bool:
    return box.stage_id not in WORDS and is_headwise(box.stage_id)


def _free(document: Document, box: CardBox, style: CardStyle) -> float:
    """Return the free width of a card's first line, less symbol and, if it is there, shape."""
    if box.side:
        return box.heading - SIDE_SYMBOL
    words = card_heading(document, box.stage_id, style.orientation)
    used = text_width(words.symbol, SYMBOL) + text_width(words.shape) * style.growth + 2 * BETWEEN
    return box.rect.w - 2 * PAD - used
