"""Where a slide stands in the run: a chip a stage, native shapes; and the stage's formula, large."""

from __future__ import annotations

import io
import re
from typing import Any

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from core.stages import Stage
from gui.export.options import Options
from gui.export.slide_parts import LAYOUT, SMALLEST, Box, describe, drawn, fitting, write_in
from gui.export.slide_words import diagram_words, formula_words
from gui.painting.formulas import SHIPPED_SIZE, formula, formula_size, paint_formula
from gui.painting.theme import colours
from gui.session.state import State
from gui.texts.names import stage_symbol
from gui.texts.translation import tr

GAP = 0.06  # inches between two chips
LARGEST_SYMBOL = 16.0  # points
LARGEST_FORMULA = 2.5  # times the size at which formulas are shipped: 32 points
# Ground and ink of what is shown, of what is to come, of what is computed.
_CHIPS = (("accent", "on_accent"), ("sunken", "muted"), ("accent_soft", "text"))
_BESIDE = r",? *\\q?quad\b"  # what sets two formulas apart on a line
APART = 0.12  # inches between two formulas, before they are enlarged


def add_strip(slide: Any, box: Box, state: State, options: Options) -> None:
    """A chip for each stage: those that are computed, the one that is shown, those to come."""
    stages = state.trace.plan.stages
    here = state.trace.plan.index(state.cursor.stage)
    group = slide.shapes.add_group_shape()
    group.name = tr("Diagram")
    describe(group, diagram_words(state))
    width = (box.width + GAP) / len(stages) - GAP
    symbols = [_symbol(stage, state) for stage in stages]
    size = min(fitting(symbol, width, LARGEST_SYMBOL, SMALLEST) for symbol in symbols)
    for index, symbol in enumerate(symbols):
        place = Box(box.x + index * (width + GAP), box.y, width, box.height)
        _add_chip(group, place, symbol, size, options, index - here)


def _symbol(stage: Stage, state: State) -> str:
    return stage_symbol(stage.id, state.document.scale.kind, state.orientation)


def _add_chip(
    group: Any, place: Box, symbol: str, size: float, options: Options, ahead: int
) -> None:
    """One chip; `ahead` is how many steps it lies beyond the one that is shown, below 0 for what is computed."""
    from pptx.enum.shapes import MSO_SHAPE
    from pptx.oxml.ns import qn

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
    write_in(
        chip, symbol, size, options, ink, getattr(colours(options.shade), ground), bold=not ahead
    )


def add_formula(slide: Any, box: Box, state: State) -> float:
    """The formula of the stage as a picture, as large as the box allows; returns its height in inches.

    Formulas side by side stand one over the other.
    """
    colour = colours(state.shade).text
    lines = re.split(
        _BESIDE, formula(state.document, state.cursor.stage, orientation=state.orientation)
    )
    natural = [formula_size(latex, colour, SHIPPED_SIZE) / LAYOUT for latex in lines]
    wide = max(size.width() for size in natural)
    high = sum(size.height() for size in natural) + APART * (len(lines) - 1)
    scale = min(LARGEST_FORMULA, box.width / wide, box.height / high)
    place = Box(box.x, box.y, wide * scale, high * scale)

    def paint(painter: QPainter, rect: QRectF, _state: State) -> None:
        unit, y = rect.width() / wide, 0.0
        for latex, size in zip(lines, natural, strict=True):
            paint_formula(
                painter, QRectF(QPointF(0.0, y), size * unit), latex, colour, SHIPPED_SIZE
            )
            y += (size.height() + APART) * unit

    shape = slide.shapes.add_picture(io.BytesIO(drawn(place, state, paint)), *place.lengths)
    shape.name = tr("Formula")
    describe(shape, formula_words(state))
    return place.height
