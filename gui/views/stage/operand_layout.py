"""Operands and operators laid out in a rectangle: windows, places, labels, and the cells that are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from core.base.cell import Cell
from gui.painting.math_text import line_width, span_colour
from gui.painting.matrix import Frame, MatrixSpec, cell_at, shown_part
from gui.painting.theme import BODY, Colours, colours
from gui.session.state import State
from gui.views.stage.layout import (
    COLUMN_DOTS,
    ROW_DOTS,
    AxisWindow,
    CellsRect,
    Item,
    MatrixBox,
    StackBox,
    place_in_stack,
    summed_axes,
    window,
)
from gui.views.stage.operation import (
    CellMark,
    Operand,
    OperandAxis,
    OperandStack,
    Operation,
    Operator,
    Range,
)
from gui.views.stage.size_fitting import (
    LABEL_LINE,
    LARGEST_DIGITS,
    Fitted,
    OperationFitter,
    digit_size,
    growth_factor,
    longest_number,
    names_rows,
    place_fitted,
)


def matrix_spec(
    item: Operand,
    rows: AxisWindow,
    columns: AxisWindow,
    state: State,
    digits: float | None,
    squeeze: float,
) -> MatrixSpec:
    """A matrix with digits so large (None: without) and squeezed so far."""
    theme = colours(state.shade)
    part = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
    return MatrixSpec(
        item.values[part],
        item.levels,
        0 if item.whole_numbers else state.decimals,
        _part_of(item, item.shown, rows, columns),
        tuple(
            frame
            for mark in item.marks
            if (frame := _frame(mark, rows, columns, theme)) is not None
        ),
        _cells(item, rows, columns, frozenset(pin.cell for pin in state.document.pins)),
        _cells(item, rows, columns, state.document.filled),
        off=item.off,
        digits=digits,
        squeeze=squeeze,
        by_column=item.by_column,
        asked=_part_of(item, item.predicted, rows, columns),
        scores=None if item.scores is None else item.scores[part],
    )


def _part_of(item: Operand, extent: Range, rows: AxisWindow, columns: AxisWindow) -> Range:
    """How far an extent of the matrix (what stands there, what is asked) reaches in the window."""
    lines, places = (columns, rows) if item.by_column else (rows, columns)
    return shown_part(extent, (lines.start, lines.stop), (places.start, places.stop))


def _cells(
    item: Operand, rows: AxisWindow, columns: AxisWindow, wanted: frozenset[Cell]
) -> frozenset[tuple[int, int]]:
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


def _frame(mark: CellMark, rows: AxisWindow, columns: AxisWindow, theme: Colours) -> Frame | None:
    part = _clip(mark.rows, rows), _clip(mark.columns, columns)
    if part[0] is None or part[1] is None:
        return None
    colour = span_colour(theme, mark.role)
    return Frame(part[0], part[1], QColor(colour).name(), 3.0 if mark.role == "result" else 2.5)


def _clip(wanted: Range, part: AxisWindow) -> tuple[int, int] | None:
    """A range in the coordinates of a window, None where nothing of it is inside."""
    if wanted is None:
        return 0, part.count
    start, stop = max(wanted[0] - part.start, 0), min(wanted[1] - part.start, part.count)
    return (start, stop) if start < stop else None


@dataclass(frozen=True, slots=True, eq=False)
class PlacedOperand:
    """An operand with the windows of its axes, where its cells stand, and what is drawn there.

    `labels` is the room at its left. Of a pile only the `lowest` names its columns; `more` says that others are left
    out above or below. Its names and its title are `text` times as large as usual; those of its columns take turns on
    so many `lines`.
    """

    operand: Operand
    rect: QRectF
    rows: AxisWindow
    columns: AxisWindow
    row_axis: OperandAxis
    column_axis: OperandAxis
    matrix: MatrixSpec
    labels_width: float
    lowest: bool = True
    omitted: tuple[bool, bool] = (False, False)
    text: float = 1.0
    label_lines: int = 1

    def size(self, base: int) -> int:
        """A size of the type scale, as it is here."""
        return round(base * self.text)

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        """The row and column of the whole matrix, as drawn, under a point."""
        found = cell_at(self.rect, self.rows.count, self.columns.count, point)
        return (
            None if found is None else (found[0] + self.rows.start, found[1] + self.columns.start)
        )

    @property
    def row_dots(self) -> float:
        """Room for the dots above the first row, and as much below the last."""
        return ROW_DOTS if self.rows.cut else 0.0

    @property
    def column_dots(self) -> float:
        """Room for the dots before the first column, and as much behind the last."""
        return COLUMN_DOTS if self.columns.cut else 0.0

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
        return QRectF(
            self.rect.x() - self.labels_width - self.column_dots,
            self.rect.y(),
            self.labels_width,
            self.rect.height(),
        )

    @property
    def column_labels(self) -> QRectF:
        """Where the labels of the columns stand."""
        more = ROW_DOTS if self.omitted[1] else 0.0
        high = LABEL_LINE * self.text * self.label_lines
        return QRectF(
            self.rect.x(), self.rect.bottom() + self.row_dots + more, self.rect.width(), high
        )


Laid = tuple[tuple[PlacedOperand, ...], tuple[tuple[Operator, QRectF], ...]]


def names_fit(placed: PlacedOperand, rect: QRectF) -> bool:
    """Whether a matrix lies inside a rectangle, and its title clear of the name of its rows."""
    if placed.operand.title_left or placed.rect.right() > rect.right() + 1:
        return placed.rect.right() <= rect.right() + 1
    beyond = (
        line_width(placed.operand.title, placed.size(BODY), bold=True) - placed.rect.width()
    ) / 2
    return placed.row_labels.left() >= rect.left() - 1 and (
        beyond <= 0 or not placed.operand.row_name
    )


class OperationLayout:
    """An operation in a rectangle, as large as that allows: what can be read of it is known before all is placed."""

    def __init__(self, fitted: Fitted, longest: str, rect: QRectF, state: State) -> None:
        self._rect, self._state = rect, state
        self._shown, self._items, _, self._way = fitted
        (self._count, self._cell, self._places), self._turning = place_fitted(fitted)
        self._digits = digit_size(
            longest, self._cell, self._way.squeeze, LARGEST_DIGITS * growth_factor(rect)
        )

    @cached_property
    def windows(self) -> dict[str, AxisWindow]:
        """What is shown of each axis."""
        return {
            name: window(axis.size, self._count[name], axis.focus)
            for name, axis in self._shown.axes.items()
        }

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

    @property
    def cut_sum(self) -> AxisWindow | None:
        """What is seen of an axis that is summed over, None where no sum is cut."""
        cut = (
            self.windows[axis]
            for axis in sorted(summed_axes(self._items))
            if self.windows[axis].cut
        )
        return next(cut, None)

    def loses(self, most: int) -> bool:
        """Whether rows are left out of a matrix that has so many at the most."""
        return any(
            part.cut and part.total <= most
            for part in (self.windows[one.rows] for one in self._shown.operands)
        )

    @property
    def _axes(self) -> set[str]:
        return {
            axis for operand in self._shown.operands for axis in (operand.rows, operand.columns)
        }

    @cached_property
    def placed(self) -> Laid:
        """Matrices and signs in their places."""
        placed: list[PlacedOperand] = []
        signs: list[tuple[Operator, QRectF]] = []
        for item, block, at in zip(self._shown.items, self._items, self._places, strict=True):
            if isinstance(item, Operator):
                signs.append((item, _moved(at, self._rect)))
            else:
                parts = _matrices_of(item, block, at, self._shown.sizes, self._count, self._cell[1])
                placed += [self._placed(part) for part in parts]
        return tuple(placed), tuple(signs)

    def _placed(self, part: Part) -> PlacedOperand:
        item, block, where, lowest, more = part
        shown, rows, columns = self._shown, self.windows[item.rows], self.windows[item.columns]
        picture = matrix_spec(item, rows, columns, self._state, self._digits, self._way.squeeze)
        axes = shown.axes[item.rows], shown.axes[item.columns]
        rect, text = _moved(where, self._rect), self._way.text
        lines = 2 if item.columns in self._turning else 1
        return PlacedOperand(
            item, rect, rows, columns, *axes, picture, block.labels_width, lowest, more, text, lines
        )


class OperationLayouter:
    """An operation to be arranged, in one rectangle or another."""

    def __init__(self, shown: Operation, state: State) -> None:
        self._state = state
        self._longest = max((longest_number(operand, state) for operand in shown.operands), key=len)
        self._fitting = OperationFitter(shown, self._longest)

    def lay_out(self, rect: QRectF) -> OperationLayout:
        """Arranged in a rectangle."""
        return OperationLayout(self._fitting.fit(rect), self._longest, rect, self._state)


def _moved(at: CellsRect, rect: QRectF) -> QRectF:
    return QRectF(rect.x() + at.x, rect.y() + at.y, at.width, at.height)


Part = tuple[Operand, MatrixBox, CellsRect, bool, tuple[bool, bool]]


def _matrices_of(
    item: Operand | OperandStack,
    block: Item,
    at: CellsRect,
    sizes: Mapping[str, int],
    count: Mapping[str, int],
    cell: float,
) -> list[Part]:
    """Each matrix of an item, whether it is the lowest, and whether others are left out above or below it."""
    if isinstance(item, Operand) and isinstance(block, MatrixBox):
        return [(item, block, at, True, (False, False))]
    assert isinstance(item, OperandStack)
    assert isinstance(block, StackBox)
    last = len(item.operands) - 1
    places = place_in_stack(block, at, sizes, count, cell)
    return [
        (operand, part, where, i == last, (item.before and i == 0, item.after and i == last))
        for i, (operand, part, where) in enumerate(
            zip(item.operands, block.boxes, places, strict=True)
        )
    ]
