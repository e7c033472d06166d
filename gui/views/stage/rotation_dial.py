"""A pair of numbers as a hand on a dial: where it pointed, and where it points after it has turned."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from gui.painting.math_text import span_colour
from gui.painting.theme import Colours
from gui.views.stage.operation import Turn

DIAL_RADIUS = 34.0
HEAD = 7.0  # length of an arrow's head
ARC = 0.5  # of the radius, where the arc of the turn runs


def paint_dial(painter: QPainter, middle: QPointF, turn: Turn, theme: Colours) -> None:
    """Draw the dial; a pair of zeros has no direction and leaves it empty."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.line), 1.2))
    painter.drawEllipse(middle, DIAL_RADIUS, DIAL_RADIUS)
    for x, y in ((DIAL_RADIUS, 0.0), (0.0, DIAL_RADIUS)):
        painter.drawLine(middle - QPointF(x, y), middle + QPointF(x, y))
    if any(turn.before) and all(map(math.isfinite, (*turn.before, *turn.after))):
        colour = span_colour(theme, turn.role)
        _paint_arc(painter, middle, turn, theme)
        _paint_hand(painter, middle, _angle(turn.before), QColor(theme.muted))
        _paint_hand(painter, middle, _angle(turn.after), colour)
    painter.restore()


def _angle(point: tuple[float, float]) -> float:
    return math.atan2(point[1], point[0])


def _at(middle: QPointF, angle: float, radius: float) -> QPointF:
    """A place on the dial; angles run against the clock from the right, as in mathematics."""
    return middle + QPointF(math.cos(angle), -math.sin(angle)) * radius


def _paint_hand(painter: QPainter, middle: QPointF, angle: float, colour: QColor) -> None:
    tip = _at(middle, angle, DIAL_RADIUS - 3)
    painter.setPen(QPen(colour, 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLine(middle, tip)
    for side in (math.pi - 0.45, math.pi + 0.45):
        painter.drawLine(tip, _at(tip, angle + side, HEAD))


def _paint_arc(painter: QPainter, middle: QPointF, turn: Turn, theme: Colours) -> None:
    """The way from the one hand to the other, against the clock."""
    radius = DIAL_RADIUS * ARC
    start = math.degrees(_angle(turn.before))
    sweep = (math.degrees(_angle(turn.after)) - start) % 360
    around = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
    path = QPainterPath()
    path.arcMoveTo(around, start)
    path.arcTo(around, start, sweep)
    painter.setPen(QPen(QColor(theme.accent), 1.6, Qt.PenStyle.DotLine))
    painter.drawPath(path)
