"""Everything that the stage view draws, laid out: built once for a state and a size, then painted and clicked on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF

from core.cell import Cell
from core.numbers import show
from gui.matrix import Frame, Picture, cell_at
from gui.stage.build import operation
from gui.stage.card import Card, make_card, row_is_blank
from gui.stage.dial import DIAL_RADIUS
from gui.stage.header import Header, make_header
from gui.stage.layout import CUT, CUT_ROWS, Block, Gap, Item, Room, Window, cell_size, counts, place, window
from gui.stage.operation import Axis, Mark, Operand, Operation, Range, Sign
from gui.stage.target import Target, target
from gui.stage.text import line_width, span_colour
from gui.state import State
from gui.texts.spans import short
from gui.theme import BODY, CAPTION, DISPLAY, colours, font

MARGIN = 16.0
BETWEEN = 8.0
TITLE_LINE = 20.0
LABEL_LINE = 18.0
LARGEST_CELL = (104.0, 54.0)
LEAST_HEIGHT = 16.5
DIGITS = 0.72  # of a cell's height
NARROW = 640.0  # below this width everything moves closer together
LABEL_MOST = 96.0, 0.085  # pixels, and part of the width


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """An operand with the windows of its axes, where its cells stand, and what is drawn there."""

    operand: Operand
    rect: QRectF
    rows: Window
    columns: Window
    row_axis: Axis
    column_axis: Axis
    picture: Picture
    labels: float

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
    def row_labels(self) -> QRectF:
        """Where the labels of the rows stand."""
        return QRectF(self.rect.x() - self.labels - self.column_dots, self.rect.y(), self.labels, self.rect.height())

    @property
    def column_labels(self) -> QRectF:
        """Where the labels of the columns stand."""
        return QRectF(self.rect.x(), self.rect.bottom() + self.row_dots, self.rect.width(), LABEL_LINE)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The whole picture."""

    state: State
    target: Target
    header: Header
    placed: tuple[Placed, ...]
    signs: tuple[tuple[Sign, QRectF], ...]
    card: Card
    card_rect: QRectF

    def cell_at(self, point: QPointF) -> Cell | None:
        """The cell that a click at a point means: of a stage or of an entered tensor."""
        for placed in self.placed:
            found = placed.cell_at(point)
            if found is not None and placed.operand.tensor:
                row, column = reversed(found) if placed.operand.transposed else found
                return Cell(placed.operand.tensor, row, column, placed.operand.head)
        return None

    def label_at(self, point: QPointF) -> Cell | None:
        """The result's cell that a click on a row's or a column's label means."""
        cell = self.target.cell
        for placed in self.placed:
            for area, axis, part in (
                (placed.row_labels, placed.operand.rows, placed.rows),
                (placed.column_labels, placed.operand.columns, placed.columns),
            ):
                if axis not in ("i", "j") or not area.contains(point):
                    continue
                along = (point.y() - area.y()) / area.height() if area == placed.row_labels else (
                    (point.x() - area.x()) / area.width()
                )  # fmt: skip
                index = part.start + min(int(along * part.count), part.count - 1)
                row, column = (index, cell.column) if axis == "i" else (cell.row, index)
                return Cell(cell.tensor, row, column, cell.head)
        return None


def build_scene(state: State, rect: QRectF, *, formula: bool = True, chip: float = 0.0) -> Scene:
    """Lay everything out in a rectangle; without the formula where it is not typeset yet.

    `chip` is the width that is kept free at the end of the title's line.
    """
    looked_at = target(state)
    inner = inner_rect(rect)
    header = make_header(state, looked_at, inner, blank=row_is_blank(state, looked_at), formula=formula, chip=chip)
    card = make_card(state, looked_at, inner.width(), max(98.0, (inner.height() - header.height) * 0.43))
    card_rect = QRectF(inner.x(), inner.bottom() - card.height, inner.width(), card.height)
    top = inner.y() + header.height + BETWEEN
    middle = QRectF(inner.x(), top, inner.width(), card_rect.y() - BETWEEN - top)
    placed, signs = _lay_out(operation(state, looked_at), middle, state)
    return Scene(state, looked_at, header, placed, signs, card, card_rect)


def inner_rect(rect: QRectF) -> QRectF:
    """A rectangle without its margins."""
    return rect.adjusted(MARGIN, MARGIN - 4, -MARGIN, -MARGIN + 2)


def _lay_out(
    shown: Operation, rect: QRectF, state: State
) -> tuple[tuple[Placed, ...], tuple[tuple[Sign, QRectF], ...]]:
    items = [_item(shown, item, rect.width()) for item in shown.items]
    room = _room(shown, rect, state)
    count = counts(items, shown.sizes, room)
    size = cell_size(items, shown.sizes, count, room)
    windows = {name: window(axis.size, count[name], axis.focus) for name, axis in shown.axes.items()}
    places = place(items, shown.sizes, count, room, size)
    digits = _digit_size(shown, windows, state, size)
    placed: list[Placed] = []
    signs: list[tuple[Sign, QRectF]] = []
    for item, block, at in zip(shown.items, items, places, strict=True):
        where = QRectF(rect.x() + at.x, rect.y() + at.y, at.width, at.height)
        if isinstance(item, Sign):
            signs.append((item, where))
        elif isinstance(block, Block):
            placed.append(_placed(shown, item, block, where, windows, state, digits))
    return tuple(placed), tuple(signs)


def _item(shown: Operation, item: Operand | Sign, room: float) -> Item:
    if isinstance(item, Sign):
        if item.turn is not None:
            return Gap(2 * DIAL_RADIUS + (40.0 if room >= NARROW else 24.0))
        wide = QFontMetricsF(font(DISPLAY)).horizontalAdvance(item.text)
        above = QFontMetricsF(font(BODY)).horizontalAdvance(item.above)
        return Gap(max(wide, above) + (12.0 if room < NARROW or not item.text else 24.0))
    axis = shown.axes[item.rows]
    left = _label_width(axis.tokens) if item.labelled and axis.tokens else 0.0
    small = QFontMetricsF(font(CAPTION))
    names = (small.horizontalAdvance(name) for name in (item.row_name, item.column_name) if name)
    left = max(min(left, LABEL_MOST[0], LABEL_MOST[1] * room), *names, 0.0)
    return Block(item.rows, item.columns, left + (10.0 if left else 0.0), line_width(item.title, BODY, bold=True))


@lru_cache(maxsize=8)
def _label_width(tokens: tuple[str, ...]) -> float:
    """The width of the widest token; of a very long text its beginning and its end speak for all."""
    face = QFontMetricsF(font(BODY, bold=True))
    return max(face.horizontalAdvance(short(token)) for token in (*tokens[:300], *tokens[-100:]))


def _room(shown: Operation, rect: QRectF, state: State) -> Room:
    """The smallest cell holds the longest number that is shown at the caption's size."""
    longest = max((_longest(operand, state) for operand in shown.operands), key=len)
    wide = QFontMetricsF(font(CAPTION)).horizontalAdvance(longest) + 5
    return Room(
        rect.width(), rect.height(), (max(wide, 28.0), LEAST_HEIGHT), LARGEST_CELL, TITLE_LINE, LABEL_LINE
    )  # fmt: skip


def _longest(operand: Operand, state: State) -> str:
    if operand.whole_numbers:
        return "−∞"
    high = show(-operand.levels.high if operand.levels.low < 0 else operand.levels.high, state.decimals)
    return max(high, "−∞", key=len)


def _digit_size(shown: Operation, windows: dict[str, Window], state: State, size: tuple[float, float]) -> float | None:
    """One size for the digits of all matrices; None where a caption's size does not fit."""
    longest = max((_longest(operand, state) for operand in shown.operands), key=len)
    at_100 = QFontMetricsF(font(100)).horizontalAdvance(longest)
    pixels = min(size[1] * DIGITS * (0.8 if size[1] > 24 else 1.0), (size[0] - 4) / at_100 * 100, 20.0)
    return pixels if pixels >= CAPTION - 0.5 else None


def _placed(
    shown: Operation,
    item: Operand,
    block: Block,
    rect: QRectF,
    windows: dict[str, Window],
    state: State,
    digits: float | None,
) -> Placed:
    rows, columns = windows[item.rows], windows[item.columns]
    theme = colours(state.dark)
    picture = Picture(
        item.values[rows.start : rows.stop, columns.start : columns.stop],
        item.levels,
        0 if item.whole_numbers else state.decimals,
        _shown_part(item.shown, rows, columns),
        tuple(frame for mark in item.marks if (frame := _frame(mark, rows, columns, theme)) is not None),
        _cells(item, rows, columns, frozenset(pin.cell for pin in state.document.pins)),
        _cells(item, rows, columns, state.document.filled),
        off=item.off,
        digits=digits,
    )
    axes = shown.axes
    return Placed(item, rect, rows, columns, axes[item.rows], axes[item.columns], picture, block.left)


def _shown_part(shown: tuple[int, int] | None, rows: Window, columns: Window) -> tuple[int, int] | None:
    """How much of the window stands there, given how much of the matrix does."""
    if shown is None:
        return None
    if shown[0] < rows.start:
        return 0, 0
    if shown[0] >= rows.stop:
        return rows.count, 0
    return shown[0] - rows.start, min(max(shown[1] - columns.start, 0), columns.count)


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
