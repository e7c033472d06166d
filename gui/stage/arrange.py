"""Operands and signs laid out in a rectangle: windows, places, labels, and what is drawn of each matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from operator import itemgetter

from PySide6.QtCore import QPointF, QRectF

from core.numbers import show
from gui.lines import line_width
from gui.matrix import Picture, cell_at, longest_text
from gui.prepared import width_of
from gui.stage.dial import DIAL_RADIUS
from gui.stage.layout import (
    CUT,
    CUT_ROWS,
    Block,
    Gap,
    Item,
    Place,
    Room,
    Sizes,
    Stack,
    Window,
    arranged,
    counted,
    window,
    within,
)
from gui.stage.operation import Axis, Operand, Operation, Pile, Sign, operands_of
from gui.stage.windowed import picture_of
from gui.state import State
from gui.texts.spans import short
from gui.theme import BODY, CAPTION, DISPLAY, font

TITLE_LINE = 20.0
LABEL_LINE = 18.0
LARGEST_CELL, LARGEST_DIGITS = (104.0, 54.0), 20.0
ORDINARY_ROOM, MOST_GROWN = (760.0, 250.0), 1.3  # in a larger room than that the largest grow as far as this
LEAST_WIDTH, LEAST_HEIGHT = 20.0, 16.5
LOWEST = 15.0  # a cell's height, where that saves a row
LARGEST_SEARCHED = 20_000  # numbers of a matrix, beyond which nobody waits for the longest
DIGITS, DIGITS_LOW = 0.72, 0.8  # of a cell's height, and where it is lower than usual
DIGITS_ACROSS = 0.8  # of its width, unless they would get smaller than a caption
NARROW = 640.0  # below this width everything moves closer together
LABEL_MOST = 96.0, 0.085  # pixels, and part of the width


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """An operand with the windows of its axes, where its cells stand, and what is drawn there.

    `labels` is the room at its left. Of a pile only the `lowest` names its columns; `more` says that others are left
    out above or below. Its names and its title are `text` times as large as usual.
    """

    operand: Operand
    rect: QRectF
    rows: Window
    columns: Window
    row_axis: Axis
    column_axis: Axis
    picture: Picture
    labels: float
    lowest: bool = True
    more: tuple[bool, bool] = (False, False)
    text: float = 1.0

    def size(self, base: int) -> int:
        """A size of the type scale, as it is here."""
        return round(base * self.text)

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        """The row and column of the whole matrix, as drawn, under a point."""
        found = cell_at(self.rect, self.rows.count, self.columns.count, point)
        return None if found is None else (found[0] + self.rows.start, found[1] + self.columns.start)

    @property
    def row_dots(self) -> float:
        """Room for the dots above the first row, and as much below the last."""
        return CUT_ROWS if self.rows.cut else 0.0

    @property
    def column_dots(self) -> float:
        """Room for the dots before the first column, and as much behind the last."""
        return CUT if self.columns.cut else 0.0

    @property
    def names_rows(self) -> bool:
        """Whether labels stand beside the rows: tokens, or numbers where tokens are columns."""
        return names_rows(self.operand, self.row_axis)

    @property
    def names_columns(self) -> bool:
        """Whether labels stand below the columns."""
        return self.lowest and self.column_axis.size > 1

    @property
    def row_labels(self) -> QRectF:
        """Where the labels of the rows stand."""
        return QRectF(self.rect.x() - self.labels - self.column_dots, self.rect.y(), self.labels, self.rect.height())

    @property
    def column_labels(self) -> QRectF:
        """Where the labels of the columns stand."""
        more = CUT_ROWS if self.more[1] else 0.0
        return QRectF(
            self.rect.x(), self.rect.bottom() + self.row_dots + more, self.rect.width(), LABEL_LINE * self.text
        )


Laid = tuple[tuple[Placed, ...], tuple[tuple[Sign, QRectF], ...]]


def names_rows(operand: Operand, axis: Axis) -> bool:
    """Whether the rows of an operand are named."""
    return operand.labelled and (axis.tokens is not None or (operand.by_column and axis.size > 1))


def names_fit(placed: Placed, rect: QRectF) -> bool:
    """Whether a matrix lies inside a rectangle, and its title clear of the name of its rows."""
    if placed.operand.aside or placed.rect.right() > rect.right() + 1:
        return placed.rect.right() <= rect.right() + 1
    beyond = (line_width(placed.operand.title, placed.size(BODY), bold=True) - placed.rect.width()) / 2
    return placed.row_labels.left() >= rect.left() - 1 and (beyond <= 0 or not placed.operand.row_name)


class Arrangement:
    """An operation in a rectangle, as large as that allows: what can be read of it is known before all is placed."""

    def __init__(self, shown: Operation, longest: str, rect: QRectF, state: State) -> None:
        self._rect, self._state = rect, state
        self._shown, self._items, room, self._way = _fitted(shown, rect, longest)
        self._count, self._cell, self._places = arranged(self._items, _sizes(self._shown), room)
        self._digits = _digit_size(longest, self._cell, self._way.squeeze, LARGEST_DIGITS * grown(rect))

    @cached_property
    def windows(self) -> dict[str, Window]:
        """What is shown of each axis."""
        return {name: window(axis.size, self._count[name], axis.focus) for name, axis in self._shown.axes.items()}

    @property
    def readable(self) -> int:
        """How many numbers can be read."""
        if self._digits is None:
            return 0
        count = self._count
        return sum(count[operand.rows] * count[operand.columns] for operand in self._shown.operands)

    @property
    def cut(self) -> bool:
        """Whether rows or columns are left out, or digits."""
        return self._digits is None or any(self.windows[axis].cut for axis in self._axes)

    def loses(self, most: int) -> bool:
        """Whether rows are left out of a matrix that has so many at the most."""
        return any(part.cut and part.total <= most for part in (self.windows[one.rows] for one in self._shown.operands))

    @property
    def _axes(self) -> set[str]:
        return {axis for operand in self._shown.operands for axis in (operand.rows, operand.columns)}

    @cached_property
    def laid(self) -> Laid:
        """Matrices and signs in their places."""
        placed: list[Placed] = []
        signs: list[tuple[Sign, QRectF]] = []
        for item, block, at in zip(self._shown.items, self._items, self._places, strict=True):
            if isinstance(item, Sign):
                signs.append((item, _moved(at, self._rect)))
            else:
                parts = _parts(item, block, at, self._shown.sizes, self._count, self._cell[1])
                placed += [self._placed(part) for part in parts]
        return tuple(placed), tuple(signs)

    def _placed(self, part: Part) -> Placed:
        item, block, where, lowest, more = part
        shown, rows, columns = self._shown, self.windows[item.rows], self.windows[item.columns]
        picture = picture_of(item, rows, columns, self._state, self._digits, self._way.squeeze)
        axes = shown.axes[item.rows], shown.axes[item.columns]
        rect, text = _moved(where, self._rect), self._way.text
        return Placed(item, rect, rows, columns, *axes, picture, block.left, lowest, more, text)


class Arranging:
    """An operation to be arranged, in one rectangle or another."""

    def __init__(self, shown: Operation, state: State) -> None:
        self._shown, self._state = shown, state
        self._longest = max((_longest(operand, state) for operand in shown.operands), key=len)

    def inside(self, rect: QRectF) -> Arrangement:
        """Arranged in a rectangle."""
        return Arrangement(self._shown, self._longest, rect, self._state)


@dataclass(frozen=True, slots=True)
class Way:
    """How matrices come to stand in a row: `close` together, rows named once; the height of a cell at least; digits
    `squeeze`d to a part of their width; names `text` times as large as usual."""

    close: bool = False
    height: float = LEAST_HEIGHT
    squeeze: float = 1.0
    text: float = 1.0


WAYS = (Way(), Way(close=True), Way(close=True, height=LOWEST), Way(close=True, height=LOWEST, squeeze=0.86))
Fitted = tuple[Operation, tuple[Item, ...], Room, Way]


def _fitted(shown: Operation, rect: QRectF, longest: str) -> Fitted:
    """The roomiest way in which nothing is left out; else the one that shows more, its digits as they are."""
    tried: list[tuple[int, Fitted]] = []
    large = (Way(text=grown(rect)),) if grown(rect) > 1.0 else ()
    for way in (*large, *WAYS):
        named = _named_once(shown) if way.close else shown
        items = tuple(_item(named, item, rect.width(), way) for item in named.items)
        room = _room(rect, longest, way)
        count = counted(items, _sizes(named), room)
        tried.append((sum(count.values()), (named, items, room, way)))
        if count == named.sizes:
            return tried[-1][1]
    return max(tried[len(large) : len(large) + 2], key=itemgetter(0))[1]


def _sizes(shown: Operation) -> Sizes:
    return tuple(shown.sizes.items())


def _named_once(shown: Operation) -> Operation:
    """Rows that a matrix further to the left names are not named again; queries are, for there they meet keys."""
    named: set[str] = set()
    items: list[Operand | Pile | Sign] = []
    for item in shown.items:
        if isinstance(item, Operand) and item.labelled:
            again = item.rows in named and not item.row_name
            named.add(item.rows)
            items.append(replace(item, labelled=False) if again else item)
        else:
            items.append(item)
    return Operation(shown.axes, tuple(items), shown.document)


def _moved(at: Place, rect: QRectF) -> QRectF:
    return QRectF(rect.x() + at.x, rect.y() + at.y, at.width, at.height)


Part = tuple[Operand, Block, Place, bool, tuple[bool, bool]]


def _parts(
    item: Operand | Pile, block: Item, at: Place, sizes: Mapping[str, int], count: Mapping[str, int], cell: float
) -> list[Part]:
    """Each matrix of an item, whether it is the lowest, and whether others are left out above or below it."""
    if isinstance(item, Operand) and isinstance(block, Block):
        return [(item, block, at, True, (False, False))]
    assert isinstance(item, Pile)
    assert isinstance(block, Stack)
    last = len(item.operands) - 1
    places = within(block, at, sizes, count, cell)
    return [
        (operand, part, where, i == last, (item.before and i == 0, item.after and i == last))
        for i, (operand, part, where) in enumerate(zip(item.operands, block.blocks, places, strict=True))
    ]


def _item(shown: Operation, item: Operand | Pile | Sign, room: float, way: Way) -> Item:
    if isinstance(item, Sign):
        return _gap(item, way.close or room < NARROW)
    if isinstance(item, Operand):
        return _block(shown, item, room, way.text)
    blocks = tuple(_block(shown, operand, room, way.text) for operand in operands_of(item))
    return Stack(blocks, 2 * CUT_ROWS if item.before or item.after else 0.0)


def _gap(sign: Sign, close: bool) -> Gap:
    if sign.turn is not None:
        return Gap(2 * DIAL_RADIUS + (24.0 if close else 40.0))
    wide, above = width_of(sign.text, font(DISPLAY)), width_of(sign.above, font(BODY))
    return Gap(max(wide, above) + (12.0 if close or not sign.text else 24.0))


def _block(shown: Operation, item: Operand, room: float, text: float) -> Block:
    axis = shown.axes[item.rows]
    left = _label_width(axis) if names_rows(item, axis) else 0.0
    names = (width_of(name, font(CAPTION)) for name in (item.row_name, item.column_name) if name)
    left = max(min(left, LABEL_MOST[0], LABEL_MOST[1] * room), *names, 0.0) * text
    left += 10.0 if left else 0.0
    title = line_width(item.title, round(BODY * text), bold=True)
    return Block(item.rows, item.columns, left + (title + 10.0 if item.aside else 0.0), 0.0 if item.aside else title)


def _label_width(axis: Axis) -> float:
    if axis.tokens is None:
        return width_of(str(axis.size), font(BODY, bold=True))
    return _token_width(axis.tokens)


@lru_cache(maxsize=8)
def _token_width(tokens: tuple[str, ...]) -> float:
    """The width of the widest token; of a very long text its beginning and its end speak for all."""
    face = font(BODY, bold=True)
    return max(width_of(short(token), face) for token in (*tokens[:300], *tokens[-100:]))


def _room(rect: QRectF, longest: str, way: Way) -> Room:
    """The smallest cell holds the longest number that is shown at the caption's size."""
    wide = width_of(longest, font(CAPTION)) * way.squeeze + 4
    largest = LARGEST_CELL[0] * grown(rect), LARGEST_CELL[1] * grown(rect)
    least = max(wide, LEAST_WIDTH), way.height
    return Room(rect.width(), rect.height(), least, largest, TITLE_LINE * way.text, LABEL_LINE * way.text)


def _longest(operand: Operand, state: State) -> str:
    if operand.whole_numbers:
        return "−∞"
    if operand.values.size > LARGEST_SEARCHED:
        return show(-operand.levels.high, state.decimals)
    return longest_text(operand.values, state.decimals)


def grown(rect: QRectF) -> float:
    """How much larger than usual cells and digits may be in a rectangle."""
    return min(max(min(rect.width() / ORDINARY_ROOM[0], rect.height() / ORDINARY_ROOM[1]), 1.0), MOST_GROWN)


def _digit_size(longest: str, size: tuple[float, float], squeeze: float, most: float) -> float | None:
    """One size for the digits of all matrices; None where a caption's size does not fit."""
    at_100 = width_of(longest, font(100)) * squeeze
    part = DIGITS_LOW if size[1] < LEAST_HEIGHT else DIGITS * (0.8 if size[1] > 24 else 1.0)
    across = max(size[0] * DIGITS_ACROSS, min(size[0] - 4, at_100 * CAPTION / 100)) / at_100 * 100
    pixels = min(size[1] * part, across, most)
    return pixels if pixels >= CAPTION - 0.5 else None
