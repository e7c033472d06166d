"""Tables on slides: matrices with their numbers and names."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls
from pptx.util import Inches
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from gui.export.options import ExportOptions
from gui.export.slide_shapes import (
    LAYOUT,
    SlideBox,
    SlidePicture,
    add_picture,
    add_run,
    add_text,
    describe,
    fill_shape,
    fitting_size,
    typeset_small,
    width_in_ems,
)
from gui.export.slide_text import SlideTable, hidden_text
from gui.painting.color_scale import Levels, ink, levels_of, stage_levels, value_colour
from gui.painting.theme import Colours, colours, font
from gui.session.state import State
from gui.texts.rich_text import short
from gui.widgets.subscripts import draw_centred

FRAME = 28_575  # of a pinned number's line, 2¼ points in English Metric Units


HIGHEST_ROW, WIDEST_NUMBER, WIDEST_LABEL = 1.0, 1.6, 1.8  # inches


LEAST_LABEL = 1.2


def add_table(
    slide: Any, box: SlideBox, table: SlideTable, state: State, beside: float | None = None
) -> float:
    """Add an editable table with labels; numbers stand on the colours of their values.

    `beside` is a fixed width of the row labels; the table then fills its box. Returns its width in
    inches.
    """
    rows, columns = len(table.rows), len(table.columns)
    frame = slide.shapes.add_table(rows + 1, columns + 1, *box.lengths)
    frame.name = table.description
    describe(frame, table.description)
    grid = frame.table
    _shape_grid(grid, box, beside)
    size = _digit_size(grid, table)
    theme = colours(state.shade)
    levels = stage_levels(state.trace, state.cursor.stage)
    wide = float(grid.columns[1].width.inches)
    names = [_shortened(text, wide) for text in table.columns]
    first = float(grid.columns[0].width.inches)
    above = min(size, *(fitting_size(text, wide) for text in names))
    names_size = min(size, *(fitting_size(text, first) for text in table.rows))
    _label(
        grid.cell(0, 0),
        table.corner,
        min(names_size, fitting_size(table.corner, first)),
        theme,
        marked=False,
    )
    for column, text in enumerate(names):
        _label(grid.cell(0, column + 1), text, above, theme, marked=column == table.marked[1])
    for row, label in enumerate(table.rows):
        _label(grid.cell(row + 1, 0), label, names_size, theme, marked=row == table.marked[0])
        for column, text in enumerate(table.texts[row]):
            marked = (row, column) == table.marked
            cell = grid.cell(row + 1, column + 1)
            _number(cell, text, table.values[row][column], size, state, levels, marked)
            if (row, column) in table.pinned:
                _outline_cell(cell, theme.warning)
    if any(table.hidden):
        below = SlideBox(box.x - 0.1, box.y + box.height + 0.02, box.width, 0.35)
        add_text(slide, below, hidden_text(table), 12, ExportOptions(shade=state.shade))
    return first + wide * columns


def add_matrix(slide: Any, box: SlideBox, table: SlideTable, state: State) -> float:
    """Add an entered matrix as a picture with labels; return its width in inches."""
    columns, rows = len(table.columns) + 1, len(table.rows) + 1
    wide, high = min(WIDEST_NUMBER, box.width / columns), min(HIGHEST_ROW, box.height / rows)
    place = SlideBox(box.x, box.y, wide * columns, high * rows)
    paint = partial(_paint_matrix, table, (wide * LAYOUT, high * LAYOUT))
    add_picture(slide, place, state, SlidePicture(table.corner, table.description, paint))
    return place.width


def _paint_matrix(
    table: SlideTable, size: tuple[float, float], painter: QPainter, rect: QRectF, state: State
) -> None:
    """Paint the cells of a matrix, `size` units each, below and beside their labels."""
    theme, (wide, high) = colours(state.shade), size
    levels = levels_of(np.array(table.values), table.tensor)
    numbers = zip(table.rows, *zip(*table.texts, strict=True), strict=True)
    grid = ((table.corner, *table.columns), *numbers)
    longest = max(width_in_ems(text) for row in grid for text in row)
    face = font(min(high / 1.5, (wide - 10) / longest))
    for i, row in enumerate(grid):
        for j, text in enumerate(row):
            place = QRectF(rect.x() + j * wide, rect.y() + i * high, wide - 3, high - 3)
            ground, colour = QColor(theme.sunken), theme.text
            if i and j:
                ground = value_colour(theme, levels, table.values[i - 1][j - 1])
                colour = ink(ground).name()
            painter.fillRect(place, ground)
            painter.setPen(QColor(colour))
            draw_centred(painter, place, text, face)


def _shape_grid(grid: Any, box: SlideBox, label: float | None) -> None:
    """Set column widths and row heights: labels a little wider, all limited to a maximum."""
    grid.first_row = grid.horz_banding = False
    count = len(grid.columns) - 1
    number = (box.width - (label or 0.0)) / count
    if label is None:
        label = max(LEAST_LABEL, min(WIDEST_LABEL, box.width / (count + 1)))
        number = min(WIDEST_NUMBER, (box.width - label) / count)
    grid.columns[0].width = Inches(label)
    for index in range(count):
        grid.columns[index + 1].width = Inches(number)
    for row in grid.rows:
        row.height = Inches(min(HIGHEST_ROW, box.height / len(grid.rows)))


def _digit_size(grid: Any, table: SlideTable) -> float:
    """The size in points at which every number fits its cell."""
    longest = max((text for row in table.texts for text in row), key=len)
    high = float(grid.rows[0].height.inches) * 72 / 1.6
    return min(high, fitting_size(longest, grid.columns[1].width.inches))


def _shortened(text: str, width: float) -> str:
    """Cut a label so that it fits in twelve points, in a narrow column in nine."""
    room = (width - 0.1) * 72 / (12 if width > 0.7 else 9)
    lengths = (n for n in range(len(text), 1, -1) if width_in_ems(short(text, n)) <= room)
    return short(text, next(lengths, 2))


def _label(cell: Any, text: str, size: float, theme: Colours, *, marked: bool) -> None:
    fill_shape(cell, theme.accent_soft if marked else theme.sunken)
    _cell_text(cell, text, size, theme.text, bold=marked)


def _number(
    cell: Any, text: str, value: float, size: float, state: State, levels: Levels, marked: bool
) -> None:
    theme = colours(state.shade)
    plain = not text or value == float("-inf")
    colour = QColor(theme.surface if plain else value_colour(theme, levels, value))
    fill_shape(cell, colour.name())
    _cell_text(cell, text, size, theme.muted if plain else ink(colour).name(), bold=marked)


def _outline_cell(cell: Any, colour: str) -> None:
    """Draw a line around a cell, for which python-pptx has no call; it must precede the fill."""
    ink_ = f'<a:solidFill><a:srgbClr val="{colour.removeprefix("#").upper()}"/></a:solidFill>'
    properties = cell._tc.get_or_add_tcPr()
    for index, side in enumerate("LRTB"):
        properties.insert(
            index, parse_xml(f'<a:ln{side} {nsdecls("a")} w="{FRAME}">{ink_}</a:ln{side}>')
        )


def _cell_text(cell: Any, text: str, size: float, colour: str, *, bold: bool = False) -> None:
    cell.margin_left = cell.margin_right = Inches(0.04)
    cell.margin_top = cell.margin_bottom = Inches(0.02)
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
    paragraph = cell.text_frame.paragraphs[0]
    paragraph.alignment = PP_ALIGN.CENTER
    for span in typeset_small(text) if text else ():
        add_run(paragraph, span, size, colour, bold=bold)
