"""How large the cells, digits and names of an operation can be in a rectangle, and what has to give way for that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter

from msgspec.structs import replace as replace_struct
from PySide6.QtCore import QRectF

from core.base.number_format import show
from gui.painting.math_text import line_width
from gui.painting.matrix import longest_text
from gui.painting.text_cache import width_of
from gui.painting.theme import BODY, CAPTION, DISPLAY, font
from gui.session.state import State
from gui.texts.rich_text import short
from gui.views.stage.layout import (
    DIAL_RADIUS,
    ROW_DOTS,
    CellsRect,
    Item,
    MatrixBox,
    OperatorBox,
    Sizes,
    Space,
    StackBox,
    cached_counts,
    cached_layout,
    summed_axes,
    window,
)
from gui.views.stage.operation import (
    Operand,
    OperandAxis,
    OperandStack,
    Operation,
    Operator,
    operands_of,
)

TITLE_LINE = 20.0
LABEL_LINE = 18.0
LARGEST_CELL, LARGEST_DIGITS = (104.0, 54.0), 20.0
ORDINARY_ROOM, MOST_GROWN = (
    (760.0, 250.0),
    1.3,
)  # in a larger room than that the largest grow as far as this
LEAST_WIDTH, LEAST_HEIGHT = 20.0, 16.5
LOWEST = 15.0  # a cell's height, where that saves a row
LARGEST_SEARCHED = 20_000  # numbers of a matrix, beyond which nobody waits for the longest
DIGITS, DIGITS_LOW = 0.72, 0.8  # of a cell's height, and where it is lower than usual
DIGITS_ACROSS = 0.8  # of its width, unless they would get smaller than a caption
AIR, TIGHT = (
    0.8 * CAPTION,
    4.0,
)  # beside digits, both sides together; and where that shows a matrix whole
NARROW = 640.0  # below this width everything moves closer together
FEW_ROWS = 8  # a matrix of so few is not cut for the sake of names
LABEL_MOST = 96.0, 0.085  # pixels, and part of the width


def names_rows(operand: Operand, axis: OperandAxis) -> bool:
    """Whether the rows of an operand are named."""
    return operand.names_rows and (axis.tokens is not None or (operand.by_column and axis.size > 1))


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How matrices come to stand in a row: `close` together, rows named once, or queries and keys too, `once`; the
    height of a cell at least; the room that the longest number leaves in its cell; digits `squeeze`d to a part of their
    width; names `text` times as large as usual."""

    close: bool = False
    once: bool = False
    height: float = LEAST_HEIGHT
    air: float = AIR
    squeeze: float = 1.0
    text: float = 1.0


FITS = (
    FitOptions(),
    FitOptions(close=True),
    FitOptions(close=True, air=TIGHT),
    FitOptions(close=True, height=LOWEST, air=TIGHT),
    FitOptions(close=True, height=LOWEST, air=TIGHT, squeeze=0.86),
)
# For the sake of an axis that is summed over.
FITS_FOR_SUMS = (
    FitOptions(close=True, air=TIGHT),
    FitOptions(close=True, once=True, air=TIGHT),
    FitOptions(close=True, air=TIGHT, squeeze=0.86),
    FitOptions(close=True, once=True, air=TIGHT, squeeze=0.86),
)
Fitted = tuple[Operation, tuple[Item, ...], Space, FitOptions]


class OperationFitter:
    """An operation of which the longest number is known, fitted into one rectangle or another."""

    def __init__(self, shown: Operation, longest: str) -> None:
        self._shown, self._longest = shown, longest
        self._rows: dict[tuple[float, bool, bool, float], tuple[Operation, tuple[Item, ...]]] = {}

    def fit(self, rect: QRectF) -> Fitted:
        """The roomiest way in which nothing is left out; else one in which sums are whole; else the one that shows
        more, its digits as they are."""
        tried: list[tuple[int, Fitted]] = []
        large = (FitOptions(text=growth_factor(rect)),) if growth_factor(rect) > 1.0 else ()
        for way in (*large, *FITS):
            found, count = self._tried(rect, way)
            tried.append((sum(count.values()), found))
            if count == found[0].sizes:
                return found
        best = max(tried[len(large) : len(large) + 2], key=itemgetter(0))[1]
        if not _sums_whole(best):
            for way in FITS_FOR_SUMS:
                found, _ = self._tried(rect, way)
                if _sums_whole(found):
                    return found
        return best

    def _tried(self, rect: QRectF, way: FitOptions) -> tuple[Fitted, Mapping[str, int]]:
        named, items = self._row(rect.width(), way)
        room = _room(rect, self._longest, way)
        return (named, items, room, way), cached_counts(items, sizes_of(named), room)

    def _row(self, width: float, way: FitOptions) -> tuple[Operation, tuple[Item, ...]]:
        """What stands side by side in a width: the same whichever heights and squeezed digits are tried."""
        key = width, way.close, way.once, way.text
        if key not in self._rows:
            named = _named_once(self._shown, queries=way.once) if way.close else self._shown
            self._rows[key] = named, tuple(_item(named, item, width, way) for item in named.items)
        return self._rows[key]


def _sums_whole(found: Fitted) -> bool:
    """Whether every product of a sum is seen."""
    shown, items, room, _ = found
    count = cached_counts(items, sizes_of(shown), room)
    return all(count[axis] == shown.sizes[axis] for axis in summed_axes(items))


def sizes_of(shown: Operation) -> Sizes:
    """How long the axes of an operation are, as its layout wants to know."""
    return tuple(shown.sizes.items())


Arranged = tuple[Mapping[str, int], tuple[float, float], tuple[CellsRect, ...]]


def place_fitted(found: Fitted) -> tuple[Arranged, frozenset[str]]:
    """How much of each axis is shown, the size of the cells and where everything stands; and the axes along which the
    names of columns take turns on two lines, unless that costs more than one row of many."""
    shown, items, room, way = found
    one_line = cached_layout(items, sizes_of(shown), room)
    axes = _names_cut(shown, one_line, way)
    if not axes:
        return one_line, frozenset()
    two = replace_struct(
        room, smallest_cell=(room.smallest_cell[0], LOWEST), label_height=2 * room.label_height
    )
    turned = cached_layout(items, sizes_of(shown), two)
    lost = [axis for axis, before in one_line[0].items() for _ in range(before - turned[0][axis])]
    few = any(shown.axes[axis].size <= FEW_ROWS for axis in lost)
    fits = len(lost) <= 1 and not few and turned[1][1] >= LOWEST
    return (turned, axes) if fits else (one_line, frozenset())


def _names_cut(shown: Operation, found: Arranged, way: FitOptions) -> frozenset[str]:
    """The axes of which the name of a column is wider than the column."""
    count, cell, _ = found
    face = font(round(CAPTION * way.text))
    cut = set()
    for name in {operand.columns for operand in shown.operands}:
        axis = shown.axes[name]
        part = window(axis.size, count[name], axis.focus)
        tokens = () if axis.tokens is None else axis.tokens[part.start : part.stop]
        if any(width_of(short(token), face) > cell[0] for token in tokens):
            cut.add(name)
    return frozenset(cut)


def _named_once(shown: Operation, *, queries: bool) -> Operation:
    """Rows that a matrix further to the left names are not named again; queries are, for there they meet keys, unless
    room is dear: then the first to name them says what they are, and keys are named below the first matrix alone."""
    named: dict[str, int] = {}
    below: set[str] = set()
    items: list[Operand | OperandStack | Operator] = []
    for item in shown.items:
        if isinstance(item, Operand) and item.names_rows:
            first = named.setdefault(item.rows, len(items))
            again = first < len(items) and (queries or not item.row_name)
            before = items[first] if again else item
            if again and item.row_name and isinstance(before, Operand):
                items[first] = replace(before, row_name=item.row_name)
            said = "" if again and item.columns in below else item.column_name
            below |= {item.columns} if item.column_name else set()
            item = replace(item, names_rows=False, row_name="", column_name=said) if again else item
        items.append(item)
    return Operation(shown.axes, tuple(items), shown.document)


def _item(
    shown: Operation, item: Operand | OperandStack | Operator, room: float, way: FitOptions
) -> Item:
    if isinstance(item, Operator):
        return _gap(item, way.close or room < NARROW)
    if isinstance(item, Operand):
        return _block(shown, item, room, way.text)
    blocks = tuple(_block(shown, operand, room, way.text) for operand in operands_of(item))
    return StackBox(blocks, 2 * ROW_DOTS if item.before or item.after else 0.0)


def _gap(sign: Operator, close: bool) -> OperatorBox:
    if sign.rotation is not None:
        return OperatorBox(2 * DIAL_RADIUS + (24.0 if close else 40.0))
    wide, above = width_of(sign.text, font(DISPLAY)), width_of(sign.above, font(BODY))
    return OperatorBox(max(wide, above) + (12.0 if close or not sign.text else 24.0))


def _block(shown: Operation, item: Operand, room: float, text: float) -> MatrixBox:
    axis = shown.axes[item.rows]
    left = _label_width(axis) if names_rows(item, axis) else 0.0
    names = (width_of(name, font(CAPTION)) for name in (item.row_name, item.column_name) if name)
    left = max(min(left, LABEL_MOST[0], LABEL_MOST[1] * room), *names, 0.0) * text
    left += 10.0 if left else 0.0
    title = line_width(item.title, round(BODY * text), bold=True)
    return MatrixBox(
        item.rows,
        item.columns,
        left + (title + 10.0 if item.title_left else 0.0),
        0.0 if item.title_left else title,
    )


def _label_width(axis: OperandAxis) -> float:
    if axis.tokens is None:
        return width_of(str(axis.size), font(BODY, bold=True))
    return _token_width(axis.tokens)


@lru_cache(maxsize=8)
def _token_width(tokens: tuple[str, ...]) -> float:
    """The width of the widest token; of a very long text its beginning and its end speak for all."""
    face = font(BODY, bold=True)
    return max(width_of(short(token), face) for token in (*tokens[:300], *tokens[-100:]))


def _room(rect: QRectF, longest: str, way: FitOptions) -> Space:
    """The smallest cell holds the longest number that is shown at the caption's size."""
    wide = width_of(longest, font(CAPTION)) * way.squeeze + way.air
    largest = LARGEST_CELL[0] * growth_factor(rect), LARGEST_CELL[1] * growth_factor(rect)
    least = max(wide, LEAST_WIDTH), way.height
    return Space(
        rect.width(), rect.height(), least, largest, TITLE_LINE * way.text, LABEL_LINE * way.text
    )


def longest_number(operand: Operand, state: State) -> str:
    """The text of the widest number of a matrix; of a very large one, what its largest could need."""
    if operand.whole_numbers:
        return "−∞"
    if operand.values.size > LARGEST_SEARCHED:
        return show(-operand.levels.high, state.decimals)
    return longest_text(operand.values, state.decimals)


def growth_factor(rect: QRectF) -> float:
    """How much larger than usual cells and digits may be in a rectangle."""
    return min(
        max(min(rect.width() / ORDINARY_ROOM[0], rect.height() / ORDINARY_ROOM[1]), 1.0), MOST_GROWN
    )


def digit_size(
    longest: str, size: tuple[float, float], squeeze: float, most: float
) -> float | None:
    """One size for the digits of all matrices; None where a caption's size does not fit."""
    at_100 = width_of(longest, font(100)) * squeeze
    part = DIGITS_LOW if size[1] < LEAST_HEIGHT else DIGITS * (0.8 if size[1] > 24 else 1.0)
    across = max(size[0] * DIGITS_ACROSS, min(size[0] - 4, at_100 * CAPTION / 100)) / at_100 * 100
    pixels = min(size[1] * part, across, most)
    return pixels if pixels >= CAPTION - 0.5 else None
