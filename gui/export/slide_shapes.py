"""Shapes of slides, in inches: titles, texts, sums, tables, pictures and the strip of stages."""

from __future__ import annotations

import io
import math
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any

from pptx.dml.color import RGBColor
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.oxml.ns import qn
from pptx.util import Emu, Inches, Pt
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from core.stages import Stage
from gui.export.options import ExportOptions
from gui.export.paint_devices import png_bytes
from gui.export.slide_text import diagram_words, formula_words
from gui.labs.frame import paint_lab
from gui.painting.formulas import SHIPPED_SIZE, formula, formula_size, paint_formula
from gui.painting.text_layout import span_colour
from gui.painting.text_size import saved
from gui.painting.theme import colours
from gui.session.state import State
from gui.texts.glyphs import as_written
from gui.texts.names import symbol_here
from gui.texts.rich_text import Line, Span, script_pieces
from gui.texts.translation import current_language, language_tag, tr
from gui.views.heatmaps.layout import Heatmap
from gui.views.heatmaps.painting import make_heatmap, paint_heatmap

WIDTH, HEIGHT, LEFT = 13.333, 7.5, 0.6
SHARPER = 2  # pixels a unit
_BASELINES = {-1: "-25000", 0: "0", 1: "30000"}
_EAST_ASIAN, _MONO = "Microsoft YaHei", "Consolas"
LAYOUT = 96  # units of the diagram's layout in an inch
LARGEST_SUM, LARGEST_DIGITS = 32.0, 36.0  # points
SMALLEST, LINE = 11.0, 1.25  # points of running text; a line's height by its size
MOST_LINES, SHORT_LINES = 3, 0.85  # of a title
SMALLER = 0.66  # raised and lowered pieces, as a part of the line's size


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
    fill_shape(slide.background, colours(shade).surface)


def fill_shape(shape: Any, colour: str) -> None:
    shape.fill.solid()
    shape.fill.fore_color.rgb = _rgb(colour)


def fill_title(slide: Any, box: SlideBox, text: str, size: float, options: ExportOptions) -> None:
    """Fill the title placeholder, which outlines and screen readers use.

    A long title is smaller, or has more lines where it is larger so.
    """
    shape = slide.shapes.title
    shape.left, shape.top, shape.width, shape.height = box.lengths
    size = max(_title_size(box, text, size, lines) for lines in range(1, MOST_LINES + 1))
    _write(shape.text_frame, typeset_small(text), size, options, bold=True, ink_name="text")


def _title_size(box: SlideBox, text: str, size: float, lines: int) -> float:
    """The size in points at which a title fits `lines` lines; words leave some of them short."""
    across = box.width * 72 / max(width_in_ems(text) * 1.04, 1.0)
    if lines == 1:
        return min(size, across)
    return min(size, across * lines * SHORT_LINES, (box.height - 0.1) * 72 / (lines * LINE))


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
        typeset_small(text),
        size,
        options,
        ink_name=ink_name,
    )


def typeset_small(text: str) -> Line:
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
    fill_shape(shape, ground)
    frame = shape.text_frame
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
    _write(frame, typeset_small(text), size, options, bold=bold, ink_name=ink_name)
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
        run = add_run(paragraph, span, size, colour, bold=bold or span.role == "result")
        run.font.name = typeface


def add_run(paragraph: Any, span: Span, size: float, colour: str, *, bold: bool) -> Any:
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


def sum_height(line: Line, width: float, size: float) -> float:
    """The height in inches that a sum needs in a box of a width, at a size in points."""
    length = sum(width_in_ems(span.text) * (SMALLER if span.level else 1) for span in line)
    return ceil(length * size / (0.75 * width * 72)) * size * LINE / 72


def fitting_size(
    text: str, width: float, largest: float = LARGEST_DIGITS, least: float = 6.0
) -> float:
    """The largest size in points, within two limits, at which a text fits a width in inches."""
    return max(least, min(largest, (width - 0.1) * 72 / max(width_in_ems(text), 0.1)))


def width_in_ems(text: str) -> float:
    """Approximate width of a text in ems; a Chinese character counts as one."""
    return sum(1.0 if unicodedata.east_asian_width(sign) in "WF" else 0.6 for sign in text)


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
