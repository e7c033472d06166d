"""How large matrices and cards are: the real shape within limits. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.document import Document
from core.orientation import ROWS, Orientation
from core.plan import STAGE_AXES
from gui.diagram.shapes import MOST_EDGES, STACK_X, STACK_Y, TOKENS
from gui.diagram.words import heading, text_width

# Texts grow against a picture that is drawn smaller, see brush.text_size().
GROWTH = 1.17
PAD = 7.0
TOKENS_HEADING = 30.0
SIDE_HEADING = 58.0
SIDE_LEAST = 60.0
LABELS = 18.0
ROW = 26.0
# Rows lower than this hold no digits, and no names beside them.
LEAST_ROW = 12.0
WIDEST_WITH_DIGITS = 204.0
SIDE_STAGES = ("Q", "K", "V", "Q_rot", "K_rot")
NAMED_STAGES = (TOKENS, "X", "input", "Q", "Q_rot", "scores", "weights", "Y")
ATTENTION_HEIGHT = 132.0


@dataclass(frozen=True, slots=True)
class Style:
    """How much a card shows: cells wide enough for digits, tokens beside all rows or only where a strand begins.

    `widest` limits matrices without digits; `heading` is the height above a matrix, where a name may take two lines;
    `growth` how much texts grow against the picture at the scale that the style is for; `enough` the
    scale from which on the style is taken.
    """

    digits: bool
    all_labels: bool
    widest: float
    heading: float
    growth: float
    enough: float
    orientation: Orientation = ROWS


FULL = Style(digits=True, all_labels=True, widest=150.0, heading=43.0, growth=1.17, enough=0.82)
LEAN = Style(digits=True, all_labels=False, widest=132.0, heading=61.0, growth=1.2, enough=0.8)
BARE = Style(digits=False, all_labels=False, widest=104.0, heading=68.0, growth=1.45, enough=0.8)


@dataclass(frozen=True, slots=True)
class Card:
    """The size of one card and, within it, of its matrix."""

    stage_id: str
    rows: int
    columns: int
    matrix_width: float
    matrix_height: float
    label_width: float
    label_height: float
    side: bool
    depth: int
    heading: float = 0.0
    least_width: float = 0.0

    @property
    def width(self) -> float:
        """The front card's width."""
        inner = self.label_width + self.matrix_width
        return max(2 * PAD + inner + (SIDE_HEADING if self.side else 0.0), self.least_width)

    @property
    def height(self) -> float:
        """The front card's height."""
        inner = self.label_height + self.matrix_height
        return 2 * PAD + max(inner, SIDE_LEAST) if self.side else self.heading + inner + PAD

    @property
    def outer_width(self) -> float:
        """With the edges of the heads behind."""
        return self.width + self.depth * STACK_X

    @property
    def outer_height(self) -> float:
        """With the edges of the heads behind."""
        return self.height + self.depth * STACK_Y


def names_fit(document: Document, cards: Iterable[Card], style: Style) -> bool:
    """Whether every name above a matrix has room in one line."""
    return all(
        text_width(heading(document, card.stage_id, style.orientation).name) * style.growth <= card.width - 2 * PAD
        for card in cards
        if not card.side
    )


def cell_width(decimals: int) -> float:
    """The width at which a number with so many decimals can be read."""
    return min(max(text_width("−0." + "0" * decimals, 12.0) + 3.0, 26.0), 56.0)


def measure(document: Document, stage_id: str, decimals: int, height: float, style: Style) -> Card:
    """A card whose matrix is at most `height` high."""
    if stage_id == TOKENS:
        return _tokens_card(document, height)
    own_rows, own_columns = document.stage_shape(stage_id)[-2:]
    axes = STAGE_AXES[stage_id]
    side, attends = stage_id in SIDE_STAGES, axes[-2:] == ("n", "n")
    rows, columns = style.orientation.pair(own_rows, own_columns)
    room = height - LABELS if style.orientation.columns and not attends else height
    w, h = matrix_size(rows, columns, room, style, cell_width(decimals), attends)
    named = style.all_labels or stage_id in NAMED_STAGES
    beside, above = named and h / rows >= LEAST_ROW, named and _fit_above(document, w / columns)
    if not style.orientation.columns:
        above = above and beside
    token_rows, token_columns = style.orientation.pair(True, attends)
    label_width = label_room(document, style) if beside and token_rows else 0.0
    label_height = LABELS if above and token_columns else 0.0
    depth = min(document.h - 1, MOST_EDGES) if axes[0] == "h" else 0
    least = 0.0 if side else _heading_width(document, stage_id, style)
    return Card(stage_id, own_rows, own_columns, w, h, label_width, label_height, side, depth, style.heading, least)


def _tokens_card(document: Document, height: float) -> Card:
    width = min(max(max(text_width(token, 13.0) for token in document.tokens[:200]) + 16.0, 60.0), 110.0)
    return Card(TOKENS, document.n, 1, width, min(document.n * ROW, height), 0.0, 0.0, False, 0, TOKENS_HEADING)


def matrix_size(
    rows: int, columns: int, height: float, style: Style, cell: float, square: bool = False
) -> tuple[float, float]:
    """Width and height of a matrix: cells for digits where all of them fit, else an image of the real shape."""
    row = min(ROW, height / rows)
    if style.digits and row >= LEAST_ROW and columns * cell <= WIDEST_WITH_DIGITS:
        return columns * cell, rows * row
    side = min(18.0, style.widest / columns, height / rows)
    most = 1.15 if square else 2.0
    return min(max(columns * side * most, 48.0), style.widest), max(rows * side, 26.0)


def label_room(document: Document, style: Style) -> float:
    """How much room the tokens take beside the rows; longer ones are cut with an ellipsis."""
    widest = max(text_width(token) for token in document.tokens[:200])
    return min(max(widest * style.growth, 12.0), 54.0 if style.all_labels else 40.0) + 6.0


def _fit_above(document: Document, width: float) -> bool:
    """Whether at least every other token can be read above a column of this width."""
    fitting = sum(text_width(token) * GROWTH <= width for token in document.tokens[:200])
    return 2 * fitting >= min(document.n, 200)


def _heading_width(document: Document, stage_id: str, style: Style) -> float:
    words = heading(document, stage_id, style.orientation)
    chip = 36.0 if style.all_labels and document.h > 1 and STAGE_AXES[stage_id][0] == "h" else 0.0
    first = text_width(words.symbol, 15.0) + 6.0 + text_width(words.shape) * style.growth + chip
    names = [words.name] if style.all_labels else words.name.split(" ")
    most = 168.0 if style.orientation.columns else 128.0  # many features as rows make narrow cards
    return 2 * PAD + max(first, min(max(text_width(name) * style.growth for name in names), most))
