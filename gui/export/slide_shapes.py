"""Shapes of slides, in inches: titles, texts, sums, tables, pictures and the strip of stages."""

from __future__ import annotations

import io
import math
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any

import numpy as np
from pptx.dml.color import RGBColor
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls, qn
from pptx.util import Emu, Inches, Pt
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from core.stages import Stage
from gui.export.options import ExportOptions
from gui.export.paint_devices import png_bytes
from gui.export.slide_text import SlideTable, diagram_words, formula_words, hidden_text
from gui.labs.frame import paint_lab
from gui.painting.color_scale import Levels, ink, levels_of, stage_levels, value_colour
from gui.painting.formulas import SHIPPED_SIZE, formula, formula_size, paint_formula
from gui.painting.text_layout import span_colour
from gui.painting.text_size import saved
from gui.painting.theme import Colours, colours, font
from gui.session.state import State
from gui.texts.glyphs import as_written
from gui.texts.names import symbol_here
from gui.texts.rich_text import Line, Span, script_pieces, short
from gui.texts.translation import current_language, language_tag, tr
from gui.views.heatmaps.layout import Heatmap
from gui.views.heatmaps.painting import make_heatmap, paint_heatmap
from gui.widgets.subscripts import draw_centred

WIDTH, HEIGHT, LEFT = 13.333, 7.5, 0.6
LAYOUT = 96  # units of the diagram's layout in an inch
SHARPER = 2  # pixels a unit
_BASELINES = {-1: "-25000", 0: "0", 1: "30000"}
_EAST_ASIAN, _MONO = "Microsoft YaHei", "Consolas"
FRAME = 28_575  # of a pinned number's line, 2¼ points in English Metric Units
SMALLEST, LINE = 11.0, 1.25  # points of running text; a line's height by its size
LARGEST_SUM, LARGEST_DIGITS = 32.0, 36.0  # points
SMALLER = 0.66  # raised and lowered pieces, as a part of the line's size
HIGHEST_ROW, WIDEST_NUMBER, WIDEST_LABEL = 1.0, 1.6, 1.8  # inches
LEAST_LABEL = 1.2


@dataclass(frozen=True, slots=True)
class SlideBox:
    """A rectangle on a slide, in inches."""

    x: float
    y: float
    width: float
    height: float

    @property
    def lengths(self) -> tuple[Any, Any, Any, Any]:
        """Left, top, width and height for python-pptx. The far edges are rounded, not the sizes, so
        that boxes side by side never overlap.
        """
        left, top = Inches(self.x), Inches(self.y)
        right, bottom = Inches(self.x + self.width), Inches(self.y + self.height)
        return left, top, Emu(right - left), Emu(bottom - top)


Paint = Callable[[QPainter, QRectF, State], None]


@dataclass(frozen=True, slots=True)
class SlidePicture:
    """A picture on a slide: its name, alternative text and painter."""

    name: str
    description: str
    paint: Paint


def paint_background(slide: Any, shade: str) -> None:
    """Fill the slide with the surface colour of the theme."""
    _fill(slide.background, colours(shade).surface)


def _fill(shape: Any, colour: str) -> None:
    shape.fill.solid()
    shape.fill.fore_color.rgb = _rgb(colour)


def fill_title(slide: Any, box: SlideBox, text: str, size: float, options: ExportOptions) -> None:
    """Fill the title placeholder, which outlines and screen readers use."""
    shape = slide.shapes.title
    shape.left, shape.top, shape.width, shape.height = box.lengths
    size = min(size, box.width * 72 / max(width_in_ems(text) * 1.04, 1.0))
    _write(shape.text_frame, _lowered(text), size, options, bold=True, ink_name="text")


def add_text(
    slide: Any,
    box: SlideBox,
    text: str,
    size: float,
    options: ExportOptions,
    ink_name: str = "muted",
) -> None:
    """Add running text, smaller where it would need more lines than the box has."""
    while (
        size > SMALLEST
        and width_in_ems(text) * size * LINE * size > box.width * box.height * 72 * 72
    ):
        size -= 1
    _write(
        slide.shapes.add_textbox(*box.lengths).text_frame,
        _lowered(text),
        size,
        options,
        ink_name=ink_name,
    )


def _lowered(text: str) -> Line:
    """A text as spans, with the indices of symbols lowered and powers raised."""
    return tuple(Span(piece, level=level) for piece, level in script_pieces(text))


def add_code(slide: Any, box: SlideBox, text: str, options: ExportOptions) -> None:
    """Add lines of code in the largest size at which the longest line fits."""
    shape = slide.shapes.add_textbox(*box.lengths)
    shape.name = tr("Code")
    lines = text.split("\n")
    widest = box.width * 72 / max(0.62 * max(map(len, lines)), 1.0)
    size = max(8.0, min(16.0, widest, box.height * 72 / (LINE * len(lines))))
    _write(shape.text_frame, (Span(text),), size, options, ink_name="text", typeface=_MONO)


def add_line(slide: Any, box: SlideBox, line: Line, options: ExportOptions) -> None:
    """Add a worked sum in role colours, as large as its box allows."""
    shape = slide.shapes.add_textbox(*box.lengths)
    _write(shape.text_frame, line, _line_size(line, box), options)
    shape.name = tr("Worked sum")


def _line_size(line: Line, box: SlideBox) -> float:
    """The size in points at which a sum fits; a quarter of each line may stay empty."""
    length = sum(width_in_ems(span.text) * (SMALLER if span.level else 1.0) for span in line)
    size = LARGEST_SUM
    while (
        size > SMALLEST
        and ceil(length * size / (0.75 * box.width * 72)) * size * LINE > box.height * 72
    ):
        size -= 1
    return size


def write_centered(
    shape: Any,
    text: str,
    size: float,
    options: ExportOptions,
    ink_name: str,
    ground: str,
    *,
    bold: bool,
) -> None:
    """Write a short text into the middle of a filled shape."""
    _fill(shape, ground)
    frame = shape.text_frame
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
    _write(frame, _lowered(text), size, options, bold=bold, ink_name=ink_name)
    frame.word_wrap, frame.vertical_anchor = False, MSO_ANCHOR.MIDDLE
    frame.paragraphs[0].alignment = PP_ALIGN.CENTER


def _write(
    frame: Any,
    line: Line,
    size: float,
    options: ExportOptions,
    *,
    bold: bool = False,
    ink_name: str = "",
    typeface: str | None = None,
) -> None:
    frame.word_wrap = True
    frame.vertical_anchor = MSO_ANCHOR.MIDDLE if bold else MSO_ANCHOR.TOP
    paragraph = frame.paragraphs[0]
    paragraph.alignment = PP_ALIGN.LEFT
    theme = colours(options.shade)
    for span in line:
        colour = getattr(theme, ink_name) if ink_name else span_colour(theme, span.role).name()
        run = _add_run(paragraph, span, size, colour, bold=bold or span.role == "result")
        run.font.name = typeface


def _add_run(paragraph: Any, span: Span, size: float, colour: str, *, bold: bool) -> Any:
    """Add a span with its language and a Chinese font; Latin letters keep the deck's font."""
    run = paragraph.add_run()
    run.text = span.text
    run.font.size, run.font.bold = Pt(size), bold
    run.font.color.rgb = _rgb(colour)
    properties = run._r.get_or_add_rPr()
    properties.set("lang", language_tag(current_language()))
    properties.set("baseline", _BASELINES[span.level])
    east = properties.makeelement(qn("a:ea"), {"typeface": _EAST_ASIAN})
    properties.append(east)
    return run


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


def sum_height(line: Line, width: float, size: float) -> float:
    """The height in inches that a sum needs in a box of a width, at a size in points."""
    length = sum(width_in_ems(span.text) * (SMALLER if span.level else 1) for span in line)
    return ceil(length * size / (0.75 * width * 72)) * size * LINE / 72


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


def fitting_size(
    text: str, width: float, largest: float = LARGEST_DIGITS, least: float = 6.0
) -> float:
    """The largest size in points, within two limits, at which a text fits a width in inches."""
    return max(least, min(largest, (width - 0.1) * 72 / max(width_in_ems(text), 0.1)))


def _shortened(text: str, width: float) -> str:
    """Cut a label so that it fits in twelve points, in a narrow column in nine."""
    room = (width - 0.1) * 72 / (12 if width > 0.7 else 9)
    lengths = (n for n in range(len(text), 1, -1) if width_in_ems(short(text, n)) <= room)
    return short(text, next(lengths, 2))


def width_in_ems(text: str) -> float:
    """Approximate width of a text in ems; a Chinese character counts as one."""
    return sum(1.0 if unicodedata.east_asian_width(sign) in "WF" else 0.6 for sign in text)


def _label(cell: Any, text: str, size: float, theme: Colours, *, marked: bool) -> None:
    _fill(cell, theme.accent_soft if marked else theme.sunken)
    _cell_text(cell, text, size, theme.text, bold=marked)


def _number(
    cell: Any, text: str, value: float, size: float, state: State, levels: Levels, marked: bool
) -> None:
    theme = colours(state.shade)
    plain = not text or value == float("-inf")
    colour = QColor(theme.surface if plain else value_colour(theme, levels, value))
    _fill(cell, colour.name())
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
    for span in _lowered(text) if text else ():
        _add_run(paragraph, span, size, colour, bold=bold)


def add_picture(slide: Any, box: SlideBox, state: State, picture: SlidePicture) -> None:
    """Add a painted picture of a state with its alternative text."""
    shape = slide.shapes.add_picture(
        io.BytesIO(drawing_png(box, state, picture.paint)), *box.lengths
    )
    shape.name = picture.name
    describe(shape, picture.description)


def describe(shape: Any, words: str) -> None:
    """Set the alternative text; python-pptx has no call for it."""
    shape._element.xpath(".//p:cNvPr")[0].set("descr", words)


def drawing_png(box: SlideBox, state: State, paint: Paint) -> bytes:
    """Paint a picture in the proportions of a box, as PNG."""
    width, height = box.width * LAYOUT, box.height * LAYOUT
    image = QImage(round(width * SHARPER), round(height * SHARPER), QImage.Format.Format_RGB32)
    image.fill(QColor(colours(state.shade).surface))  # the last pixels are only partly covered
    with QPainter(image) as painter, as_written(yes=False):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(SHARPER, SHARPER)
        paint(painter, QRectF(0, 0, width, height), state)
    return png_bytes(image)


def _rgb(name: str) -> Any:

    return RGBColor(*bytes.fromhex(name.removeprefix("#")))  # type: ignore[no-untyped-call]


GAP = 0.06  # inches between two chips
LARGEST_SYMBOL = 16.0  # points
LARGEST_FORMULA = 2.5  # times the size at which formulas are shipped: 32 points
_BESIDE = r",? *\\q?quad\b"  # what sets two formulas apart on a line
APART = 0.12  # inches between two formulas, before they are enlarged


def _strip_stages(state: State) -> list[Stage]:
    """The stages outside the layers, and those of the layer that the cursor is in or nearest to."""
    plan = state.trace.plan
    at = plan.index(state.cursor.stage)
    before = [stage.layer for stage in plan.stages[: at + 1] if stage.layer is not None]
    layer = before[-1] if before else min(plan.layers, default=None)
    return [stage for stage in plan if stage.layer in (None, layer)]


def add_strip(slide: Any, box: SlideBox, state: State, options: ExportOptions) -> None:
    """Add a chip for each stage: computed, current or to come. In a stack those of one layer."""
    stages = _strip_stages(state)
    current = [stage.id for stage in stages].index(state.cursor.stage)
    group = slide.shapes.add_group_shape()
    group.name = tr("Diagram")
    describe(group, diagram_words(state))
    width = (box.width + GAP) / len(stages) - GAP
    symbols = [symbol_here(state.document, stage.id, state.orientation) for stage in stages]
    size = min(fitting_size(symbol, width, LARGEST_SYMBOL, SMALLEST) for symbol in symbols)
    for index, symbol in enumerate(symbols):
        place = SlideBox(box.x + index * (width + GAP), box.y, width, box.height)
        _add_chip(group, place, symbol, size, options, index - current)


def _add_chip(
    group: Any, place: SlideBox, symbol: str, size: float, options: ExportOptions, ahead: int
) -> None:
    """Add one chip; `ahead` is its distance from the current stage, negative for computed ones."""
    chip = group.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, *place.lengths)
    ground, ink = (
        ("accent", "on_accent")
        if not ahead
        else ("accent_soft", "text")
        if ahead < 0
        else ("sunken", "muted")
    )
    chip._element.remove(
        chip._element.find(qn("p:style"))
    )  # shadows and borders of the deck's theme
    chip.line.fill.background()
    write_centered(
        chip, symbol, size, options, ink, getattr(colours(options.shade), ground), bold=not ahead
    )


def add_formula(slide: Any, box: SlideBox, state: State) -> float:
    """Add the stage's formula as a picture as large as fits; return its height in inches.

    Several formulas stand one below the other.
    """
    colour = colours(state.shade).text
    lines = re.split(
        _BESIDE, formula(state.document, state.cursor.stage, orientation=state.orientation)
    )
    natural = [formula_size(latex, colour, SHIPPED_SIZE) / LAYOUT for latex in lines]
    wide = max(size.width() for size in natural)
    high = sum(size.height() for size in natural) + APART * (len(lines) - 1)
    scale = min(LARGEST_FORMULA, box.width / wide, box.height / high)
    place = SlideBox(box.x, box.y, wide * scale, high * scale)

    def paint(painter: QPainter, rect: QRectF, _state: State) -> None:
        unit, y = rect.width() / wide, 0.0
        for latex, size in zip(lines, natural, strict=True):
            paint_formula(
                painter, QRectF(QPointF(0.0, y), size * unit), latex, colour, SHIPPED_SIZE
            )
            y += (size.height() + APART) * unit

    shape = slide.shapes.add_picture(io.BytesIO(drawing_png(place, state, paint)), *place.lengths)
    shape.name = tr("Formula")
    describe(shape, formula_words(state))
    return place.height


LEAST_POINTS, LEAST_IN_LABS = 14.0, 9.0  # of the texts of a lab on a slide; the same in its units


def paint_large_lab(painter: QPainter, rect: QRectF, state: State) -> None:
    """Paint a lab so large that its smallest text has LEAST_POINTS."""
    unit = LEAST_POINTS / 72 * LAYOUT / LEAST_IN_LABS
    with saved(painter):
        painter.translate(rect.topLeft())
        painter.scale(unit, unit)
        paint_lab(painter, QRectF(0.0, 0.0, rect.width() / unit, rect.height() / unit), state)


LARGEST = 2.0  # times the heatmap's own size
CELL = 40.0  # a side that holds a number well, in the heatmap's own units
BESIDE, AROUND = 150.0, 40.0  # what tokens, captions and bar take of the width and of the height


def paint_large_heatmap(painter: QPainter, rect: QRectF, state: State) -> None:
    """Paint the heatmap as large as its numbers need."""
    unit = heatmap_scale(rect, make_heatmap(state, rect))
    with saved(painter):
        painter.translate(rect.topLeft())
        painter.scale(unit, unit)
        paint_heatmap(painter, QRectF(0.0, 0.0, rect.width() / unit, rect.height() / unit), state)


def heatmap_scale(rect: QRectF, shown: Heatmap) -> float:
    """The factor by which a heatmap is enlarged, from 1 to LARGEST."""
    rows, columns = shown.spec.shape
    across = shown.layout.across
    down = math.ceil(len(shown.spec.panes) / across)
    wide, high = columns * across * CELL + BESIDE, rows * down * CELL + AROUND
    return min(LARGEST, max(1.0, min(rect.width() / wide, rect.height() / high)))
