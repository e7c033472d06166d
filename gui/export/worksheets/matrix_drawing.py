"""Matrices on paper: measure them, split them into pages, draw them with labels. Page geometry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.export.worksheets.blocks import MatrixTable
from gui.painting import text_layout
from gui.painting.color_scale import levels_of
from gui.painting.matrix import Frame, MatrixSpec, paint_matrix
from gui.painting.shapes import draw_box
from gui.painting.text_layout import draw_text
from gui.painting.theme import BODY, CAPTION, LIGHT, font

# A4 at 96 pixels an inch, with margins that every printer leaves free.
PAGE = (793.7, 1122.5)
LEFT, TOP, BOTTOM = 60.0, 52.0, 64.0
WIDTH = PAGE[0] - 2 * LEFT
HEIGHT = PAGE[1] - TOP - BOTTOM

NAME, LABEL = 20.0, 18.0  # heights of a matrix's name and of its column labels
TAIL_GAP = 6.0  # before a row or column that is set apart
BLANK_HEIGHT, CELL_HEIGHT = 28.0, 20.0
LONGEST_LABEL, LONGEST_COLUMN_LABEL = 96.0, 58.0
TALLEST, TALLEST_FIRST = 0.9, 0.7  # of a page; a title and a formula precede the first table
MOST_ROWS = 30  # of coloured cells with digits
ALONE, TOGETHER = 420.0, 186.0  # sides of a matrix that is shown by its colours alone
SHARPNESS = 3.0  # printed dots in a pixel, for matrices painted as images

INK, SOFT, LINE, PALE = "#000000", "#4A4A4A", "#6E6E6E", "#EFEFEF"


@dataclass(frozen=True, slots=True)
class MatrixDrawing:
    """A labelled matrix on paper, with the widths of row labels and cells in pixels."""

    table: MatrixTable
    decimals: int
    label: float
    width: float
    height: float
    digits: bool = True

    @property
    def size(self) -> QSizeF:
        """Width and height in pixels."""
        table = self.table
        width = self.label + len(table.columns) * self.width
        height = LABEL + len(table.rows) * self.height
        tail = TAIL_GAP if table.tail else 0.0
        return QSizeF(width + tail, height) if table.tail != "row" else QSizeF(width, height + tail)

    def paint(self, painter: QPainter, rect: QRectF) -> None:
        """Draw labels and cells at the upper left corner of a rectangle."""
        painter.translate(rect.topLeft())
        self._paint_labels(painter)
        if self.table.values is not None:
            self._paint_colours(painter)
            return
        for i in range(len(self.table.rows)):
            for j in range(len(self.table.columns)):
                self._paint_cell(painter, i, j)

    def _cell(self, i: int, j: int) -> QRectF:
        """The rectangle of a cell; a tail is set apart."""
        table = self.table
        right = TAIL_GAP if table.tail == "column" and j == len(table.columns) - 1 else 0.0
        down = TAIL_GAP if table.tail == "row" and i == len(table.rows) - 1 else 0.0
        x, y = self.label + j * self.width + right, LABEL + i * self.height + down
        return QRectF(x, y, self.width, self.height)

    def _paint_labels(self, painter: QPainter) -> None:
        """Draw the labels; only every few of them if cells are small."""
        table, face = self.table, font(CAPTION)
        longest = min(_longest(table.columns, CAPTION) + 4, LONGEST_COLUMN_LABEL)
        every = 1 if self.digits else ceil(longest / self.width)
        across = text_layout.CENTRE if every == 1 else text_layout.LEFT
        for j in range(0, len(table.columns), every):
            place = QRectF(self._cell(0, j).x(), 0.0, self.width * every, LABEL)
            draw_text(painter, place, across, table.columns[j], face, SOFT)
        for i in range(0, len(table.rows), ceil(14.0 / self.height)):
            y, height = self._cell(i, 0).y() - 3, max(self.height, 14.0) + 6
            place = QRectF(0.0, y, self.label - 6, height)
            draw_text(painter, place, text_layout.RIGHT, table.rows[i], face, SOFT)

    def _paint_cell(self, painter: QPainter, i: int, j: int) -> None:
        """Draw an uncoloured cell; given numbers are on grey."""
        cell = self._cell(i, j)
        given = self.table.kind == "given" or (i, j) in self.table.pinned
        draw_box(painter, cell, QPen(QColor(LINE), 0.8), PALE if given else None)
        draw_text(painter, cell, text_layout.CENTRE, self.table.cells[i][j], font(BODY), INK)

    def _paint_colours(self, painter: QPainter) -> None:
        """Draw the cells in the colours of their values, in the light theme."""
        table = self.table
        assert table.values is not None
        assert table.scale_values is not None
        frames: tuple[Frame, ...] = ()
        if table.focus is not None:
            row, column = table.focus
            frames = (Frame((row, row + 1), (column, column + 1), LIGHT.accent),)
        spec = MatrixSpec(
            table.values,
            levels_of(table.scale_values, table.stage),
            self.decimals,
            frames=frames,
            pinned=table.pinned,
            digits=BODY * SHARPNESS if self.digits else None,
        )
        area = self._cell(0, 0).united(self._cell(len(table.rows) - 1, len(table.columns) - 1))
        paint_matrix(painter, area, spec, LIGHT, SHARPNESS)


def _longest(texts: Iterable[str], pixels: int) -> float:
    """The width of the widest text."""
    face = QFontMetricsF(font(pixels))
    return max(map(face.horizontalAdvance, texts))


def matrix_drawing(table: MatrixTable, decimals: int, *, alone: bool = True) -> MatrixDrawing:
    """Measure a matrix: cells for handwriting, for the longest number, or for colours alone.

    Colours without digits are larger if the matrix is `alone`.
    """
    label = min(LONGEST_LABEL, _longest(table.rows, CAPTION) + 8) if any(table.rows) else 0.0
    rows, columns = len(table.rows), len(table.columns)
    if table.cells:
        width = min(_longest(table.columns, CAPTION), LONGEST_COLUMN_LABEL) + 6
        if table.kind == "blank":
            width = max(34.0 + 8.0 * decimals, width)
            return MatrixDrawing(table, decimals, label, width, BLANK_HEIGHT)
        number = _longest((text for row in table.cells for text in row), BODY)
        width = max(number + 14, 34.0, width)
        if table.kind != "colour" or (columns * width <= WIDTH - label and rows <= MOST_ROWS):
            return MatrixDrawing(table, decimals, label, width, CELL_HEIGHT)
    side = ALONE if alone else TOGETHER
    square = min(side / max(rows, columns), 24.0)
    width, height = max(square, min(side / columns, 8.0)), max(square, min(side / rows, 8.0))
    return MatrixDrawing(table, decimals, label, width, height, digits=False)


def split_table(
    table: MatrixTable, decimals: int, *, first: bool = False, scale: float = 1.0
) -> list[MatrixTable]:
    """The parts of a table that fit a page each; coloured tables shrink instead."""
    if table.kind == "colour":
        return [table]
    drawing = matrix_drawing(table, decimals)
    most_columns = max(1, int((WIDTH / scale - drawing.label - TAIL_GAP) // drawing.width))
    height = HEIGHT / scale * (TALLEST_FIRST if first else TALLEST) - NAME - LABEL - TAIL_GAP
    most_rows = max(1, int(height // drawing.height))
    count = len(table.rows)
    return table.split(ceil(count / ceil(count / most_rows)), most_columns)
