"""Tables on paper: how large they are, how they are cut where a page is too small, and how they are painted."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.export.worksheets.blocks import MatrixTable
from gui.export.worksheets.strips import HEIGHT, WIDTH
from gui.painting.color_scale import levels_of
from gui.painting.matrix import Frame, MatrixSpec, paint_matrix
from gui.painting.text_layout import elided
from gui.painting.theme import BODY, CAPTION, LIGHT, font

INK, SOFT, LINE, PALE = "#000000", "#4A4A4A", "#6E6E6E", "#EFEFEF"
SHARPNESS = 3.0  # printed dots in a pixel, for matrices painted as images
NAME, LABEL, GAP = (
    20.0,
    18.0,
    6.0,
)  # heights of a name and of a line of labels; what sets a tail apart
BLANK_HEIGHT, FULL_HEIGHT = 36.0, 24.0
LONGEST_LABEL = 96.0
TALLEST, TALLEST_FIRST = (
    0.9,
    0.7,
)  # of a page; above the first grid stand a title and what introduces it
LONGEST_COLUMN = 58.0
MOST_ROWS = 30  # of coloured cells with digits
ALONE, TOGETHER = 420.0, 186.0  # sides of a matrix that is shown by its colours alone


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of one grid: the column of labels, a cell's width and height, and the whole with its name and labels.

    `digits` says whether numbers stand in the cells.
    """

    label: float
    cell_width: float
    cell_height: float
    width: float
    height: float
    digits: bool


def measure(grid: MatrixTable, decimals: int, alone: bool) -> Sizes:
    """How large a grid is; one that is `alone` may be larger where colours stand for its numbers."""
    label = min(LONGEST_LABEL, _widest(grid.rows) + 8) if any(grid.rows) else 0.0
    rows, columns = len(grid.rows), len(grid.columns)
    digits = bool(grid.cells)
    width, height = _cell(grid, decimals) if digits else (0.0, 0.0)
    if not digits or (
        grid.kind == "colour" and (columns * width > WIDTH - label or rows > MOST_ROWS)
    ):
        digits = False
        width, height = _coloured_cell(rows, columns, ALONE if alone else TOGETHER)
    wide = label + columns * width + (GAP if grid.tail == "column" else 0.0)
    high = NAME + LABEL + rows * height + (GAP if grid.tail == "row" else 0.0)
    named = (
        QFontMetricsF(font(BODY, bold=True)).horizontalAdvance(f"{grid.name}  {grid.detail}") + 8
    )
    return Sizes(label, width, height, max(wide, named), high, digits)


def _widest(labels: tuple[str, ...]) -> float:
    face = QFontMetricsF(font(CAPTION))
    return max(face.horizontalAdvance(text) for text in labels)


def _cell(grid: MatrixTable, decimals: int) -> tuple[float, float]:
    """Width and height of a cell: room for a hand, or for what stands there; and for the labels, if they are short."""
    label = min(_widest(grid.columns), LONGEST_COLUMN) + 6
    if grid.kind == "blank":
        return max(36.0 + 10.0 * decimals, label), BLANK_HEIGHT
    face = QFontMetricsF(font(BODY))
    longest = max(face.horizontalAdvance(text) for row in grid.cells for text in row)
    return max(longest + 14, 34.0, label), FULL_HEIGHT


def _coloured_cell(rows: int, columns: int, side: float) -> tuple[float, float]:
    """Square cells in a picture of a certain side; where it would be a thread, wider ones."""
    square = min(side / max(rows, columns), 24.0)
    return max(square, min(side / columns, 8.0)), max(square, min(side / rows, 8.0))


def cut(grid: MatrixTable, decimals: int, *, first: bool = False) -> list[MatrixTable]:
    """The grid, or the parts that fit a page each; colours are made smaller instead."""
    if grid.kind == "colour":
        return [grid]
    sizes = measure(grid, decimals, alone=True)
    most_columns = max(1, int((WIDTH - sizes.label - GAP) // sizes.cell_width))
    tallest = TALLEST_FIRST if first else TALLEST
    most_rows = max(1, int((HEIGHT * tallest - NAME - LABEL - GAP) // sizes.cell_height))
    return grid.split(_even(len(grid.rows), most_rows), most_columns)


def _even(count: int, most: int) -> int:
    """How many of so many each part has, so that the last one is no remnant."""
    return ceil(count / ceil(count / most))


def paint_grid(
    painter: QPainter, x: float, y: float, grid: MatrixTable, sizes: Sizes, decimals: int
) -> None:
    """The name, the labels and the cells, from the upper left corner."""
    _paint_name(painter, x, y, grid)
    _paint_labels(painter, x, y + NAME, grid, sizes)
    left, top = x + sizes.label, y + NAME + LABEL
    if grid.values is not None:
        area = QRectF(
            left, top, len(grid.columns) * sizes.cell_width, len(grid.rows) * sizes.cell_height
        )
        _paint_colours(painter, area, grid, decimals, written=sizes.digits)
        return
    for i in range(len(grid.rows)):
        for j in range(len(grid.columns)):
            cell = QRectF(
                *_corner(grid, sizes, left, top, i, j), sizes.cell_width, sizes.cell_height
            )
            _paint_cell(painter, cell, grid, i, j)


def _corner(
    grid: MatrixTable, sizes: Sizes, left: float, top: float, i: int, j: int
) -> tuple[float, float]:
    right = GAP if grid.tail == "column" and j == len(grid.columns) - 1 else 0.0
    down = GAP if grid.tail == "row" and i == len(grid.rows) - 1 else 0.0
    return left + j * sizes.cell_width + right, top + i * sizes.cell_height + down


def _paint_name(painter: QPainter, x: float, y: float, grid: MatrixTable) -> None:
    """The symbol as mathematics has it (what follows "_" is lowered), and what it belongs to."""
    name, _, index = grid.name.partition("_")
    for text, face, drop in (
        (name, font(BODY, bold=True), 0.0),
        (index, font(CAPTION, bold=True), 4.0),
    ):
        painter.setFont(face)
        painter.setPen(QColor(INK))
        painter.drawText(QPointF(x, y + 13 + drop), text)
        x += QFontMetricsF(face).horizontalAdvance(text)
    painter.setFont(font(CAPTION))
    painter.setPen(QColor(SOFT))
    painter.drawText(QPointF(x + 8, y + 13), grid.detail)


def _paint_labels(painter: QPainter, x: float, y: float, grid: MatrixTable, sizes: Sizes) -> None:
    """Labels at the left and above; where there is no room for each of them, for some."""
    face = font(CAPTION)
    painter.setFont(face)
    painter.setPen(QColor(SOFT))
    left, top = x + sizes.label, y + LABEL
    every = (
        1
        if sizes.digits
        else ceil(min(_widest(grid.columns) + 4, LONGEST_COLUMN) / sizes.cell_width)
    )
    for j in range(0, len(grid.columns), every):
        corner, _ = _corner(grid, sizes, left, top, 0, j)
        text = elided(grid.columns[j], face, sizes.cell_width * every - 2)
        align = Qt.AlignmentFlag.AlignCenter if every == 1 else Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(corner, y, sizes.cell_width * every, LABEL), align, text)
    every = ceil(14.0 / sizes.cell_height)
    for i in range(0, len(grid.rows), every):
        _, corner = _corner(grid, sizes, left, top, i, 0)
        place = QRectF(x, corner - 3, sizes.label - 6, max(sizes.cell_height, 14.0) + 6)
        align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(place, align, elided(grid.rows[i], face, place.width()))


def _paint_cell(painter: QPainter, cell: QRectF, grid: MatrixTable, i: int, j: int) -> None:
    printed = grid.kind == "given" or (i, j) in grid.pinned
    painter.setPen(QPen(QColor(LINE), 0.8))
    painter.setBrush(QColor(PALE) if printed else Qt.BrushStyle.NoBrush)
    painter.drawRect(cell)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setFont(font(BODY))
    painter.setPen(QColor(INK))
    painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, grid.cells[i][j])


def _paint_colours(
    painter: QPainter, area: QRectF, grid: MatrixTable, decimals: int, *, written: bool
) -> None:
    """As the window paints it, in colours that do not hide digits in print."""
    assert grid.values is not None
    assert grid.scale_values is not None
    frames: tuple[Frame, ...] = ()
    if grid.focus is not None:
        row, column = grid.focus
        frames = (Frame((row, row + 1), (column, column + 1), LIGHT.accent),)
    digits = BODY * SHARPNESS if written else None
    levels = levels_of(grid.scale_values, grid.stage)
    picture = MatrixSpec(
        grid.values, levels, decimals, frames=frames, pinned=grid.pinned, digits=digits
    )
    paint_matrix(painter, area, picture, LIGHT, SHARPNESS)
