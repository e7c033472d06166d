"""Operands and signs laid out in a rectangle: windows, places, labels, and what is drawn of each matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QPointF, QRectF

from gui.painting.math_text import line_width
from gui.painting.matrix import MatrixSpec, cell_at
from gui.painting.theme import BODY
from gui.session.state import State
from gui.views.stage.clipping import picture_of
from gui.views.stage.layout import (
    CUT,
    CUT_ROWS,
    Block,
    Item,
    Place,
    Stack,
    Window,
    summed_axes,
    window,
    within,
)
from gui.views.stage.operation import Axis, Operand, Operation, Pile, Sign
from gui.views.stage.size_fitting import (
    LABEL_LINE,
    LARGEST_DIGITS,
    Fitted,
    Fitting,
    digit_size,
    grown,
    in_places,
    longest_number,
    names_rows,
)


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """An operand with the windows of its axes, where its cells stand, and what is drawn there.

    `labels` is the room at its left. Of a pile only the `lowest` names its columns; `more` says that others are left
    out above or below. Its names and its title are `text` times as large as usual; those of its columns take turns on
    so many `lines`.
    """

    operand: Operand
    rect: QRectF
    rows: Window
    columns: Window
    row_axis: Axis
    column_axis: Axis
    picture: MatrixSpec
    labels: float
    lowest: bool = True
    more: tuple[bool, bool] = (False, False)
    text: float = 1.0
    lines: int = 1

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
        return QRectF(
            self.rect.x() - self.labels - self.column_dots,
            self.rect.y(),
            self.labels,
            self.rect.height(),
        )

    @property
    def column_labels(self) -> QRectF:
        """Where the labels of the columns stand."""
        more = CUT_ROWS if self.more[1] else 0.0
        high = LABEL_LINE * self.text * self.lines
        return QRectF(
            self.rect.x(), self.rect.bottom() + self.row_dots + more, self.rect.width(), high
        )


Laid = tuple[tuple[Placed, ...], tuple[tuple[Sign, QRectF], ...]]


def names_fit(placed: Placed, rect: QRectF) -> bool:
    """Whether a matrix lies inside a rectangle, and its title clear of the name of its rows."""
    if placed.operand.aside or placed.rect.right() > rect.right() + 1:
        return placed.rect.right() <= rect.right() + 1
    beyond = (
        line_width(placed.operand.title, placed.size(BODY), bold=True) - placed.rect.width()
    ) / 2
    return placed.row_labels.left() >= rect.left() - 1 and (
        beyond <= 0 or not placed.operand.row_name
    )


class Arrangement:
    """An operation in a rectangle, as large as that allows: what can be read of it is known before all is placed."""

    def __init__(self, fitted: Fitted, longest: str, rect: QRectF, state: State) -> None:
        self._rect, self._state = rect, state
        self._shown, self._items, _, self._way = fitted
        (self._count, self._cell, self._places), self._turning = in_places(fitted)
        self._digits = digit_size(
            longest, self._cell, self._way.squeeze, LARGEST_DIGITS * grown(rect)
        )

    @cached_property
    def windows(self) -> dict[str, Window]:
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
    def summed(self) -> Window | None:
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
        lines = 2 if item.columns in self._turning else 1
        return Placed(
            item, rect, rows, columns, *axes, picture, block.left, lowest, more, text, lines
        )


class Arranging:
    """An operation to be arranged, in one rectangle or another."""

    def __init__(self, shown: Operation, state: State) -> None:
        self._state = state
        self._longest = max((longest_number(operand, state) for operand in shown.operands), key=len)
        self._fitting = Fitting(shown, self._longest)

    def inside(self, rect: QRectF) -> Arrangement:
        """Arranged in a rectangle."""
        return Arrangement(self._fitting.inside(rect), self._longest, rect, self._state)


def _moved(at: Place, rect: QRectF) -> QRectF:
    return QRectF(rect.x() + at.x, rect.y() + at.y, at.width, at.height)


Part = tuple[Operand, Block, Place, bool, tuple[bool, bool]]


def _parts(
    item: Operand | Pile,
    block: Item,
    at: Place,
    sizes: Mapping[str, int],
    count: Mapping[str, int],
    cell: float,
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
        for i, (operand, part, where) in enumerate(
            zip(item.operands, block.blocks, places, strict=True)
        )
    ]
