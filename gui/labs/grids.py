"""Matrices with a title and the names of their rows and columns, in the room that a lab's picture gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.labs.charts import write
from gui.matrix import Picture, cell_rect, paint_matrix
from gui.theme import BODY, CAPTION, Colours, font

TITLE_LINE = 22.0
NAME_LINE = 18.0
GAP = 6.0
WIDEST_NAMES = 0.28  # of the room's width
LARGEST_CELL = 64.0
LEAST_NAME = 13.0  # of a row's height: below, names would touch

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, slots=True)
class Names:
    """What stands around a matrix; `colour` is that of the title, "" for plain text. Empty names take no room."""

    title: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    colour: str = ""


def grid_rect(
    room: QRectF, rows: int, columns: int, names: Names, *, widest: float = LARGEST_CELL, tallest: float = LARGEST_CELL
) -> QRectF:
    """Where the cells of a matrix lie in a room: as large as fits, at most so large, in its upper left, below names."""
    left = min(names_width(names.rows), room.width() * WIDEST_NAMES) + GAP if names.rows else 0.0
    above = (TITLE_LINE if names.title else 0.0) + (NAME_LINE if names.columns else 0.0)
    wide = min(max(room.width() - left, 1.0) / columns, widest)
    high = min(max(room.height() - above, 1.0) / rows, tallest)
    return QRectF(room.left() + left, room.top() + above, wide * columns, high * rows)


def names_width(names: Sequence[str]) -> float:
    """The room that names of rows need."""
    return max(map(QFontMetricsF(font(CAPTION)).horizontalAdvance, names), default=0.0) + 1.0


def paint_grid(painter: QPainter, rect: QRectF, picture: Picture, theme: Colours, names: Names) -> None:
    """The matrix in its rectangle, with its title and names around it."""
    paint_matrix(painter, rect, picture, theme)
    above = NAME_LINE if names.columns else 0.0
    if names.title:
        room = max(rect.width(), QFontMetricsF(font(BODY, bold=True)).horizontalAdvance(names.title) + 2.0)
        title = QRectF(rect.left(), rect.top() - above - TITLE_LINE, room, TITLE_LINE)
        write(painter, title, names.title, names.colour or theme.text, font(BODY, bold=True))
    if names.rows and rect.height() / picture.rows >= LEAST_NAME:
        for row, name in enumerate(names.rows):
            cell = cell_rect(rect, picture.rows, picture.columns, row, 0)
            width = names_width((name,))
            area = QRectF(rect.left() - GAP - width, cell.top(), width, cell.height())
            write(painter, area, name, theme.muted, font(CAPTION), _RIGHT)
    for column, name in enumerate(names.columns):
        cell = cell_rect(rect, picture.rows, picture.columns, 0, column)
        if cell.width() >= LEAST_NAME:
            area = QRectF(cell.left() + 1.0, rect.top() - NAME_LINE, cell.width() - 2.0, NAME_LINE)
            write(painter, area, name, theme.muted, font(CAPTION), _CENTRE)
