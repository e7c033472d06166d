"""A row of measured numbers below a picture: what is measured, small, and the number under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from gui.labs.charts import write
from gui.theme import CAPTION, TITLE, Colours, font
from gui.widgets.subscripts import width_of

HEIGHT = 44.0
_BETWEEN = 28.0


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and its number as a text; `colour` of the number, "" for plain text."""

    name: str
    number: str
    colour: str = ""


def paint_facts(painter: QPainter, area: QRectF, theme: Colours, facts: Sequence[Fact]) -> None:
    """Facts side by side from the left, with thin lines between them; the last ones go where room is short."""
    x = area.left()
    for index, fact in enumerate(facts):
        width = max(width_of(fact.name, font(CAPTION)), width_of(fact.number, font(TITLE, bold=True))) + 2.0
        if index and x + width > area.right():
            return
        if index:
            painter.setPen(QPen(QColor(theme.line), 1.0))
            painter.drawLine(QLineF(x - _BETWEEN / 2, area.top() + 3.0, x - _BETWEEN / 2, area.top() + HEIGHT - 3.0))
        write(painter, QRectF(x, area.top(), width, 18.0), fact.name, theme.muted, font(CAPTION))
        number = QRectF(x, area.top() + 19.0, width, 24.0)
        write(painter, number, fact.number, fact.colour or theme.text, font(TITLE, bold=True))
        x += width + _BETWEEN
