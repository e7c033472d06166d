"""Operands and signs laid out in a rectangle: windows, places, labels, and what is drawn of each matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from core.cell import Cell
from core.numbers import show
from gui.lines import line_width, span_colour
from gui.matrix import Frame, Picture, cell_at, longest_text, shown_part
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
from gui.stage.operation import Axis, Mark, Operand, Operation, Pile, Range, Sign, operands_of
from gui.state import State
from gui.texts.spans import short
from gui.theme import BODY, CAPTION, DISPLAY, colours, font

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


def lay_out(shown: Operation, rect: QRectF, state: State) -> Laid:
    """Matrices and signs as large as the rectangle allows."""
    longest = max((_longest(operand, state) for operand in shown.operands), key=len)
    shown, items, room, way = _fitted(shown, rect, longest)
    count, size, places = arranged(items, _sizes(shown), room)
    windows = {name: window(axis.size, count[name], axis.focus) for name, axis in shown.axes.items()}
    digits = _digit_size(longest, size, way.squeeze, LARGEST_DIGITS * grown(rect))
    placed: list[Placed] = []
    signs: list[tuple[Sign, QRectF]] = []
    for item, block, at in zip(shown.items, items, places, strict=True):
        if isinstance(item, Sign):
            signs.append((item, _moved(at, rect)))
            continue
        parts = _parts(item, block, at, shown.sizes, count, size[1])
        placed += [
            replace(
                _placed(shown, operand, part, _moved(where, rect), windows, state, (digits, way.squeeze), lowest, more),
                text=way.text,
            )
            for operand, part, where, lowest, more in parts
        ]
    return tuple(placed), tuple(signs)


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


def _placed(
    shown: Operation,
    item: Operand,
    block: Block,
    rect: QRectF,
    windows: dict[str, Window],
    state: State,
    digits: tuple[float | None, float],
    lowest: bool,
    more: tuple[bool, bool],
) -> Placed:
    rows, columns = windows[item.rows], windows[item.columns]
    theme = colours(state.shade)
    part = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
    picture = Picture(
        item.values[part],
        item.levels,
        0 if item.whole_numbers else state.decimals,
        _part_of(item, item.shown, rows, columns),
        tuple(frame for mark in item.marks if (frame := _frame(mark, rows, columns, theme)) is not None),
        _cells(item, rows, columns, frozenset(pin.cell for pin in state.document.pins)),
        _cells(item, rows, columns, state.document.filled),
        off=item.off,
        digits=digits[0],
        squeeze=digits[1],
        by_column=item.by_column,
        asked=_part_of(item, item.asked, rows, columns),
        scores=None if item.scores is None else item.scores[part],
    )
    axes = shown.axes
    return Placed(item, rect, rows, columns, axes[item.rows], axes[item.columns], picture, block.left, lowest, more)


def _part_of(item: Operand, extent: Range, rows: Window, columns: Window) -> Range:
    """How far an extent of the matrix (what stands there, what is asked) reaches in the window."""
    lines, places = (columns, rows) if item.by_column else (rows, columns)
    return shown_part(extent, (lines.start, lines.stop), (places.start, places.stop))


def _cells(item: Operand, rows: Window, columns: Window, wanted: frozenset[Cell]) -> frozenset[tuple[int, int]]:
    """Which cells of the window are among the wanted ones."""
    if not wanted or not item.tensor:
        return frozenset()
    found = set()
    for row in range(rows.start, rows.stop):
        for column in range(columns.start, columns.stop):
            own = (column, row) if item.transposed else (row, column)
            if Cell(item.tensor, *own, item.head) in wanted:
                found.add((row - rows.start, column - columns.start))
    return frozenset(found)


def _frame(mark: Mark, rows: Window, columns: Window, theme: object) -> Frame | None:
    part = _clip(mark.rows, rows), _clip(mark.columns, columns)
    if part[0] is None or part[1] is None:
        return None
    colour = span_colour(theme, mark.role)  # type: ignore[arg-type]
    return Frame(part[0], part[1], QColor(colour).name(), 3.0 if mark.role == "result" else 2.5)


def _clip(wanted: Range, part: Window) -> tuple[int, int] | None:
    """A range in the coordinates of a window, None where nothing of it is inside."""
    if wanted is None:
        return 0, part.count
    start, stop = max(wanted[0] - part.start, 0), min(wanted[1] - part.start, part.count)
    return (start, stop) if start < stop else None
