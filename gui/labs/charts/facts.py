"""Measured numbers with their names, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QPainter

from gui.labs.charts.frame import write
from gui.labs.exhibit import ROOMY_HEIGHT
from gui.painting.shapes import paint_shape
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.widgets.subscripts import width_of

FACTS_HEIGHT = 44.0
_SIZES = (
    (28.0, TITLE),
    (18.0, TITLE),
    (16.0, BODY + 1),
    (14.0, BODY),
)  # gaps between facts, and font sizes of their numbers


def split_facts(area: QRectF, gap: float) -> tuple[QRectF, QRectF]:
    """Return the line of the facts, empty in a low area, and after a gap the rest of an area."""
    inner = area.adjusted(12.0, 6.0, -12.0, -6.0)
    if area.height() < ROOMY_HEIGHT:
        return QRectF(), inner
    facts = QRectF(inner.left(), inner.top(), inner.width(), FACTS_HEIGHT)
    return facts, inner.adjusted(0.0, FACTS_HEIGHT + gap, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Fact:
    """A name with a number as text and, after an arrow, an optional second one.

    "" is the text colour.
    """

    name: str
    number: str
    colour: str = ""
    then: str = ""
    then_colour: str = ""

    def pieces(self, theme: Colours) -> list[tuple[str, str]]:
        """Return the texts of the number with their colours."""
        first = [(self.number, self.colour or theme.text)]
        return (
            [*first, (" → ", theme.muted), (self.then, self.then_colour or theme.text)]
            if self.then
            else first
        )


def paint_facts(painter: QPainter, area: QRectF, theme: Colours, facts: Sequence[Fact]) -> None:
    """Paint facts side by side with separators, closer and smaller if space is short.

    The last ones are omitted if that does not suffice.
    """
    between, size, widths = _fitting(area.width(), theme, facts)
    x = area.left()
    for index, (fact, width) in enumerate(zip(facts, widths, strict=False)):
        if index:
            paint_shape(
                painter,
                QLineF(
                    x - between / 2,
                    area.top() + 3.0,
                    x - between / 2,
                    area.top() + FACTS_HEIGHT - 3.0,
                ),
                line=theme.line,
            )
        write(painter, QRectF(x, area.top(), width, 18.0), fact.name, theme.muted, font(CAPTION))
        _paint_number(painter, QRectF(x, area.top() + 19.0, width, 24.0), fact.pieces(theme), size)
        x += width + between


def _fitting(area: float, theme: Colours, facts: Sequence[Fact]) -> tuple[float, int, list[float]]:
    """Return the gap, font size and widths: first as many facts, then as large as fit."""
    tries = (
        (count, between, size) for count in range(len(facts), 0, -1) for between, size in _SIZES
    )
    for count, between, size in tries:
        widths = [_width(fact, size, theme) for fact in facts[:count]]
        if sum(widths) + between * (count - 1) <= area:
            break
    return between, size, widths


def _width(fact: Fact, size: int, theme: Colours) -> float:
    number = sum(width_of(text, font(size, bold=True)) for text, _ in fact.pieces(theme))
    return max(width_of(fact.name, font(CAPTION)), number) + 2.0


def _paint_number(
    painter: QPainter, area: QRectF, pieces: Sequence[tuple[str, str]], size: int
) -> None:
    x, face = area.left(), font(size, bold=True)
    for text, colour in pieces:
        width = width_of(text, face)
        write(painter, QRectF(x, area.top(), width, area.height()), text, colour, face)
        x += width
