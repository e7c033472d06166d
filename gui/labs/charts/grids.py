"""Matrices with a title and row and column names, fitted into a rectangle of a lab's picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from core.base.arrays import Array
from gui.labs.charts.frame import CENTRED, RIGHT_ALIGNED, write
from gui.labs.exhibit import LabView
from gui.painting.color_scale import Levels
from gui.painting.matrix import MatrixSpec, cell_rect, digit_size, paint_matrix
from gui.painting.theme import BODY, CAPTION, DISPLAY, Colours, font

TITLE_LINE = 22.0
NAME_LINE = 18.0
NAME_GAP = 6.0
WIDEST_NAMES = 0.28  # part of the area's width
LARGEST_CELL = 64.0
LEAST_NAME = 12.5  # least row distance of names
TIGHT = 1.45  # font size relative to the cell height, for numbers smaller than names
COUNTED_IN = 1, 2, 5, 10, 20, 50
SHORT_NAME = 22.0  # shortest cut name of a narrow column


@dataclass(frozen=True, slots=True)
class Names:
    """Texts around a matrix; `colour` of the title, "" for plain text. Empty names take no space.

    `indent` moves the title to the right.
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
    """Return the rectangle of a matrix's cells, below its names: as large as fits, up to a limit."""
    left = (
        min(names_width(names.rows), area.width() * WIDEST_NAMES) + NAME_GAP if names.rows else 0.0
    )
    above = (TITLE_LINE if names.title else 0.0) + (NAME_LINE if names.columns else 0.0)
    wide = min(max(area.width() - left, 1.0) / columns, widest)
    high = min(max(area.height() - above, 1.0) / rows, tallest)
    return QRectF(area.left() + left, area.top() + above, wide * columns, high * rows)


def names_width(names: Sequence[str]) -> float:
    """Return the width of the row names."""
    return max(map(QFontMetricsF(font(CAPTION)).horizontalAdvance, names), default=0.0) + 1.0


def name_step(least: float, apart: float, count: int) -> int:
    """Return the step between names that fit; only the first is shown if none fits."""
    return math.ceil(least / apart) if apart * count > least else max(count, 1)


def number_step(least: float, apart: float, count: int) -> int:
    """Return the step between numbers that fit, rounded to a convenient one."""
    every = name_step(least, apart, count)
    return next((step for step in COUNTED_IN if step >= every), every)


def legible_size(values: Array, decimals: int, width: float, height: float) -> float:
    """Return the font size of numbers in cells of this size; 0 if none is readable."""
    tight = digit_size(values, decimals, width, height * TIGHT)
    return min(max(digit_size(values, decimals, width, height), min(tight, CAPTION)), DISPLAY)


def paint_grid(
    painter: QPainter,
    rect: QRectF,
    view: LabView,
    values: Array,
    levels: Levels,
    names: Names = Names(),
    **options: Any,
) -> None:
    """Paint a matrix with its title and names; `options` are those of MatrixSpec.

    Numbers are at least as large as names if possible.
    """
    theme, options = view.theme, {"decimals": view.decimals, **options}
    wide, high = rect.width() / values.shape[1], rect.height() / values.shape[0]
    if "digits" not in options:
        options["digits"] = legible_size(values, options["decimals"], wide, high) or None
    picture = MatrixSpec(values, levels, **options)
    paint_matrix(painter, rect, picture, theme)
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
    """Paint the row names, skipping some if they would touch."""
    every = name_step(LEAST_NAME, rect.height() / rows, len(names))
    for row in range(0, len(names), every):
        cell = cell_rect(rect, rows, 1, row, 0)
        width = min(names_width(names), rect.left() - NAME_GAP)
        area = QRectF(
            rect.left() - NAME_GAP - width, cell.center().y() - NAME_LINE / 2, width, NAME_LINE
        )
        write(painter, area, names[row], theme.muted, font(CAPTION), RIGHT_ALIGNED)


def _paint_columns(
    painter: QPainter, rect: QRectF, columns: int, theme: Colours, names: tuple[str, ...]
) -> None:
    """Paint the column names, cut to their columns, skipping some if they do not fit."""
    wide = rect.width() / columns
    every = name_step(min(names_width(names), SHORT_NAME) + 3.0, wide, len(names))
    for column in range(0, len(names), every):
        middle = rect.left() + (column + 0.5) * wide
        area = QRectF(
            middle - every * wide / 2 + 1.0, rect.top() - NAME_LINE, every * wide - 2.0, NAME_LINE
        )
        write(painter, area, names[column], theme.muted, font(CAPTION), CENTRED)
