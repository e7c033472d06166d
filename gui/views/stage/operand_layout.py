"""Operands and operators laid out in a rectangle, with their labels and visible cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QColor

from core.base.cell import Cell
from gui.painting.matrix import Frame, MatrixSpec, cell_at, clip_extent
from gui.painting.text_layout import line_width, span_colour
from gui.painting.theme import BODY, Colours, colours
from gui.session.state import State
from gui.views.stage.layout import (
    COLUMN_DOTS,
    ROW_DOTS,
    AxisWindow,
    CellsRect,
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
    Operator,
    Range,
)
from gui.views.stage.size_fitting import (
    LABEL_LINE,
    LARGEST_DIGITS,
    OVERVIEW_GAP,
    OperationFitter,
    digit_size,
    growth_factor,
    names_rows,
    place_fitted,
)

PART_FRAME = 1.2  # the width of a frame in an overview


def matrix_spec(
    item: Operand,
    rows: AxisWindow,
    columns: AxisWindow,
    state: State,
    digits: float | None,
    squeeze: float,
) -> MatrixSpec:
    """What is drawn of an operand: the visible cells with frames and marks.

    `digits` is the size of the digits, None for none; `squeeze` narrows them.
    """
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
        predicted=_part_of(item, item.predicted, rows, columns),
        scores=None if item.scores is None else item.scores[part],
    )


def overview_spec(placed: PlacedOperand, theme: Colours) -> MatrixSpec:
    """A whole matrix in colours, with a frame around the part that is shown with digits."""
    item, rows, columns = placed.operand, placed.rows, placed.columns
    part = Frame((rows.start, rows.stop), (columns.start, columns.stop), theme.accent, PART_FRAME)
    return MatrixSpec(
        item.values,
        item.levels,
        0,
        item.shown,
        (part,),
        off=item.off,
        digits=None,
        by_column=item.by_column,
        scores=item.scores,
    )


def _part_of(item: Operand, extent: Range, rows: AxisWindow, columns: AxisWindow) -> Range:
    """How far an extent of the matrix reaches into its visible part."""
    lines, places = (columns, rows) if item.by_column else (rows, columns)
    return clip_extent(extent, (lines.start, lines.stop), (places.start, places.stop))


def _cells(
    item: Operand, rows: AxisWindow, columns: AxisWindow, wanted: frozenset[Cell]
) -> frozenset[tuple[int, int]]:
    """Which visible cells are among the wanted ones, counted from the first visible one."""
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
    """A range counted from the start of a window; None if it lies outside."""
    if wanted is None:
        return 0, part.count
    start, stop = max(wanted[0] - part.start, 0), min(wanted[1] - part.start, part.count)
    return (start, stop) if start < stop else None


@dataclass(frozen=True, slots=True, eq=False)
class PlacedOperand:
    """An operand with the visible part of its axes and the rectangle of its cells.

    `labels_width` is reserved at its left. In a stack only the `lowest` names its columns;
    `omitted` says that others are left out above or below. Names and title are `text` times as
    large as usual; names of columns alternate between `label_lines` lines. `overview` is where the
    whole matrix is shown in colours.
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
    overview: QRectF | None = None

    def size(self, base: int) -> int:
        """A size of the type scale, magnified by `text`."""
        return round(base * self.text)

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        """The row and column of the whole matrix, as drawn, under a point."""
        if self.overview is not None and self.overview.contains(point):
            return cell_at(self.overview, self.rows.total, self.columns.total, point)
        found = cell_at(self.rect, self.rows.count, self.columns.count, point)
        return (
            None if found is None else (found[0] + self.rows.start, found[1] + self.columns.start)
        )

    @property
    def row_dots(self) -> float:
        """The height of the dots above the first row, and below the last."""
        return ROW_DOTS if self.rows.cut else 0.0

    @property
    def column_dots(self) -> float:
        """The width of the dots before the first column, and after the last."""
        return COLUMN_DOTS if self.columns.cut else 0.0

    @property
    def names_rows(self) -> bool:
        """Whether rows have labels: tokens, or numbers where tokens are columns."""
        return names_rows(self.operand, self.row_axis)

    @property
    def names_columns(self) -> bool:
        """Whether columns have labels."""
        return self.lowest and self.column_axis.size > 1

    @property
    def row_labels(self) -> QRectF:
        """The rectangle of the labels of the rows."""
        return QRectF(
            self.rect.x() - self.labels_width - self.column_dots,
            self.rect.y(),
            self.labels_width,
            self.rect.height(),
        )

    @property
    def column_labels(self) -> QRectF:
        """The rectangle of the labels of the columns."""
        more = ROW_DOTS if self.omitted[1] else 0.0
        high = LABEL_LINE * self.text * self.label_lines
        return QRectF(
            self.rect.x(), self.rect.bottom() + self.row_dots + more, self.rect.width(), high
        )


def names_fit(placed: PlacedOperand, rect: QRectF) -> bool:
    """Whether a matrix lies inside a rectangle, and its title does not touch the name of its rows."""
    if placed.operand.title_left or placed.rect.right() > rect.right() + 1:
        return placed.rect.right() <= rect.right() + 1
    beyond = (
        line_width(placed.operand.title, placed.size(BODY), bold=True) - placed.rect.width()
    ) / 2
    return placed.row_labels.left() >= rect.left() - 1 and (
        beyond <= 0 or not placed.operand.row_name
    )


class OperationLayout:
    """An operation in a rectangle, as large as that allows.

    Matrices are placed only when `placed` is read.
    """

    def __init__(self, fitter: OperationFitter, rect: QRectF) -> None:
        self._rect, self._state = rect, fitter.state
        fitted = fitter.fit(rect)
        self._operation, self._items, _, self._options = fitted
        (self._counts, self._cell, self._places), self._two_lines = place_fitted(fitted)
        most = LARGEST_DIGITS * growth_factor(rect)
        self._digits = digit_size(fitter.longest, self._cell, self._options.squeeze, most)

    @cached_property
    def windows(self) -> dict[str, AxisWindow]:
        """What is visible of each axis."""
        return {
            name: window(axis.size, self._counts[name], axis.focus)
            for name, axis in self._operation.axes.items()
        }

    @property
    def readable(self) -> int:
        """How many numbers can be read."""
        if self._digits is None:
            return 0
        counts, operands = self._counts, self._operation.operands
        return sum(counts[operand.rows] * counts[operand.columns] for operand in operands)

    @property
    def cut(self) -> bool:
        """Whether rows, columns or digits are left out."""
        operands = self._operation.operands
        axes = {axis for operand in operands for axis in (operand.rows, operand.columns)}
        return self._digits is None or any(self.windows[axis].cut for axis in axes)

    @property
    def cut_sum(self) -> AxisWindow | None:
        """The window of an axis that is summed over; None if no sum is cut."""
        windows = (self.windows[axis] for axis in sorted(summed_axes(self._items)))
        return next((part for part in windows if part.cut), None)

    def cuts_matrix_of(self, most: int) -> bool:
        """Whether rows are left out of a matrix that has at most so many."""
        windows = (self.windows[operand.rows] for operand in self._operation.operands)
        return any(part.cut and part.total <= most for part in windows)

    @cached_property
    def placed(self) -> tuple[tuple[PlacedOperand, ...], tuple[tuple[Operator, QRectF], ...]]:
        """Matrices and operators with their rectangles."""
        placed: list[PlacedOperand] = []
        operators: list[tuple[Operator, QRectF]] = []
        for item, box, at in zip(self._operation.items, self._items, self._places, strict=True):
            if isinstance(item, Operator):
                operators.append((item, self._moved(at)))
            elif isinstance(item, Operand) and isinstance(box, MatrixBox):
                placed.append(self._placed(item, box, at))
            elif isinstance(item, OperandStack) and isinstance(box, StackBox):
                placed += self._placed_stack(item, box, at)
        return tuple(placed), tuple(operators)

    def _placed_stack(
        self, item: OperandStack, box: StackBox, at: CellsRect
    ) -> Iterator[PlacedOperand]:
        sizes, last = self._operation.sizes, len(item.operands) - 1
        places = place_in_stack(box, at, sizes, self._counts, self._cell[1])
        for i, parts in enumerate(zip(item.operands, box.boxes, places, strict=True)):
            omitted = item.before and i == 0, item.after and i == last
            yield self._placed(*parts, lowest=i == last, omitted=omitted)

    def _placed(
        self,
        item: Operand,
        box: MatrixBox,
        at: CellsRect,
        lowest: bool = True,
        omitted: tuple[bool, bool] = (False, False),
    ) -> PlacedOperand:
        axes, rows, columns = (
            self._operation.axes,
            self.windows[item.rows],
            self.windows[item.columns],
        )
        rect, own_labels, overview = self._moved(at), box.labels_width, None
        if box.overview is not None:
            dots = COLUMN_DOTS if columns.cut else 0.0
            left = rect.x() - dots - box.labels_width
            own_labels -= box.overview[0] + OVERVIEW_GAP
            overview = QRectF(QPointF(left, 0), QSizeF(*box.overview))
            overview.moveTop(rect.center().y() - overview.height() / 2)
        return PlacedOperand(
            operand=item,
            rect=rect,
            rows=rows,
            columns=columns,
            row_axis=axes[item.rows],
            column_axis=axes[item.columns],
            matrix=matrix_spec(
                item, rows, columns, self._state, self._digits, self._options.squeeze
            ),
            labels_width=own_labels,
            lowest=lowest,
            omitted=omitted,
            text=self._options.text,
            label_lines=2 if item.columns in self._two_lines else 1,
            overview=overview,
        )

    def _moved(self, at: CellsRect) -> QRectF:
        return QRectF(self._rect.x() + at.x, self._rect.y() + at.y, at.width, at.height)
