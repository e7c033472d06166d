"""Matrices with a title and row and column names, fitted into a rectangle of a lab's picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from core.base.arrays import Array
from gui.labs.charts import write
from gui.painting.matrix import MatrixSpec, cell_rect, digit_size, paint_matrix
from gui.painting.theme import BODY, CAPTION, DISPLAY, Colours, font

TITLE_LINE = 22.0
NAME_LINE = 18.0
GAP = 6.0
WIDEST_NAMES = 0.28  # of the room's width
LARGEST_CELL = 64.0
LEAST_NAME = 12.5  # from row to row: below, names would touch
TIGHT = 1.45  # times the height of a cell, for numbers that else were smaller than names
COUNTED_IN = 1, 2, 5, 10, 20, 50
SHORT_NAME = 22.0  # what is left of a long name over a narrow column

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, slots=True)
class Names:
    """What stands around a matrix; `colour` is that of the title, "" for plain text. Empty names take no room.

    `indent` moves the title to the right, for what stands before it.
    """

    title: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    colour: str = ""
    indent: float = 0.0


def grid_rect(
    area: QRectF,
    rows: int,
    columns: int,
    names: Names,
    *,
    widest: float = LARGEST_CELL,
    tallest: float = LARGEST_CELL,
) -> QRectF:
    """Where the cells of a matrix lie in a room: as large as fits, at most so large, in its upper left, below names."""
    left = min(names_width(names.rows), area.width() * WIDEST_NAMES) + GAP if names.rows else 0.0
    above = (TITLE_LINE if names.title else 0.0) + (NAME_LINE if names.columns else 0.0)
    wide = min(max(area.width() - left, 1.0) / columns, widest)
    high = min(max(area.height() - above, 1.0) / rows, tallest)
    return QRectF(area.left() + left, area.top() + above, wide * columns, high * rows)


def names_width(names: Sequence[str]) -> float:
    """The room that names of rows need."""
    return max(map(QFontMetricsF(font(CAPTION)).horizontalAdvance, names), default=0.0) + 1.0


def every_so_many(least: float, apart: float, count: int) -> int:
    """Every how many of so many things a name can stand that needs so much room; the first alone where none can."""
    return math.ceil(least / apart) if apart * count > least else max(count, 1)


def every_round_number(least: float, apart: float, count: int) -> int:
    """The same for numbers: a step in which one counts, so that 7 and 9 are found between 5 and 10."""
    every = every_so_many(least, apart, count)
    return next((step for step in COUNTED_IN if step >= every), every)


def paint_legible(painter: QPainter, rect: QRectF, picture: MatrixSpec, theme: Colours) -> None:
    """A matrix alone, its numbers as large as names where its cells just hold them, nowhere larger than a heading."""
    if picture.digits == 0.0:
        wide, high = rect.width() / picture.columns, rect.height() / picture.rows
        picture = replace(
            picture, digits=legible_size(picture.values, picture.decimals, wide, high) or None
        )
    paint_matrix(painter, rect, picture, theme)


def legible_size(values: Array, decimals: int, width: float, height: float) -> float:
    """The font size of numbers in cells of this size; 0 if none that can be read has room."""
    tight = digit_size(values, decimals, width, height * TIGHT)
    return min(max(digit_size(values, decimals, width, height), min(tight, CAPTION)), DISPLAY)


def paint_grid(
    painter: QPainter, rect: QRectF, picture: MatrixSpec, theme: Colours, names: Names
) -> None:
    """The matrix in its rectangle, with its title and names around it."""
    paint_legible(painter, rect, picture, theme)
    above = NAME_LINE if names.columns else 0.0
    if names.title:
        area = max(
            rect.width(), QFontMetricsF(font(BODY, bold=True)).horizontalAdvance(names.title) + 2.0
        )
        title = QRectF(
            rect.left() + names.indent, rect.top() - above - TITLE_LINE, area, TITLE_LINE
        )
        write(painter, title, names.title, names.colour or theme.text, font(BODY, bold=True))
    _paint_rows(painter, rect, picture.rows, theme, names.rows)
    _paint_columns(painter, rect, picture.columns, theme, names.columns)


def _paint_rows(
    painter: QPainter, rect: QRectF, rows: int, theme: Colours, names: tuple[str, ...]
) -> None:
    """Every name, or every so many, so that none touch."""
    every = every_so_many(LEAST_NAME, rect.height() / rows, len(names))
    for row in range(0, len(names), every):
        cell = cell_rect(rect, rows, 1, row, 0)
        width = min(names_width(names), rect.left() - GAP)
        area = QRectF(
            rect.left() - GAP - width, cell.center().y() - NAME_LINE / 2, width, NAME_LINE
        )
        write(painter, area, names[row], theme.muted, font(CAPTION), _RIGHT)


def _paint_columns(
    painter: QPainter, rect: QRectF, columns: int, theme: Colours, names: tuple[str, ...]
) -> None:
    """Long names are cut down to their columns; where not even a short one fits, only every so many stand."""
    wide = rect.width() / columns
    every = every_so_many(min(names_width(names), SHORT_NAME) + 3.0, wide, len(names))
    for column in range(0, len(names), every):
        middle = rect.left() + (column + 0.5) * wide
        area = QRectF(
            middle - every * wide / 2 + 1.0, rect.top() - NAME_LINE, every * wide - 2.0, NAME_LINE
        )
        write(painter, area, names[column], theme.muted, font(CAPTION), _CENTRE)
