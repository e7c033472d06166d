"""Pen and brush, shapes and texts of a painter."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QGradient,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
)

Line = QPen | QColor | str | None
Fill = QBrush | QColor | QGradient | str | None
Shape = QRectF | QLineF | QPolygonF | QPainterPath


def faded(colour: str, opacity: float) -> QColor:
    """Return a colour with an opacity from 0 to 1."""
    result = QColor(colour)
    result.setAlphaF(opacity)
    return result


def square_around(centre: QPointF, half: float) -> QRectF:
    """Return the square around a point that reaches `half` to each side."""
    return QRectF(centre.x() - half, centre.y() - half, 2 * half, 2 * half)


def pen_of(line: Line, width: float = 1.0) -> QPen | None:
    """Return the pen of a colour; a pen stays as it is, "" and None are no line."""
    return line if isinstance(line, QPen) else QPen(QColor(line), width) if line else None


def set_ink(painter: QPainter, line: Line, fill: Fill = None) -> None:
    """Set pen and brush by colours; None draws no line, or fills nothing."""
    pen = QColor(line) if isinstance(line, str) else line
    brush = QColor(fill) if isinstance(fill, str) else fill
    painter.setPen(Qt.PenStyle.NoPen if pen is None else pen)
    painter.setBrush(Qt.BrushStyle.NoBrush if brush is None else brush)


def draw_box(
    painter: QPainter, rect: QRectF | QRect, line: Line, fill: Fill = None, radius: float = 0.0
) -> None:
    """Draw a rectangle with corners of a radius."""
    set_ink(painter, line, fill)
    if radius:
        painter.drawRoundedRect(rect, radius, radius)
    else:
        painter.drawRect(rect)


def paint_shape(
    painter: QPainter,
    shape: Shape,
    *,
    line: Line = None,
    width: float = 1.0,
    fill: Fill = None,
    radius: float = 0.0,
) -> None:
    """Draw a rectangle with corners of a radius, a segment, a polygon or a path.

    `width` is that of a line given by its colour; "" is no line, or no filling.
    """
    pen, brush = pen_of(line, width), fill or None
    if isinstance(shape, QRectF):
        draw_box(painter, shape, pen, brush, radius)
        return
    set_ink(painter, pen, brush)
    match shape:
        case QLineF():
            painter.drawLine(shape)
        case QPolygonF():
            painter.drawPolygon(shape)
        case QPainterPath():
            painter.drawPath(shape)


def paint_disc(
    painter: QPainter,
    centre: QPointF,
    radius: float,
    *,
    line: Line = None,
    width: float = 1.0,
    fill: Fill = None,
) -> None:
    """Draw a disc or a ring."""
    set_ink(painter, pen_of(line, width), fill or None)
    painter.drawEllipse(centre, radius, radius)


def paint_curve(
    painter: QPainter, points: Sequence[QPointF], line: Line, width: float = 1.0
) -> None:
    """Draw a line through points."""
    set_ink(painter, pen_of(line, width))
    painter.drawPolyline(QPolygonF(points))


def paint_arrow_head(
    painter: QPainter, line: QLineF, length: float, half: float, colour: str | QColor
) -> None:
    """Draw a triangle at the end of a line, `half` wide to either side."""
    back, angle = line.pointAt(1.0 - length / line.length()), math.radians(line.angle())
    aside = QPointF(math.sin(angle), math.cos(angle)) * half
    paint_shape(painter, QPolygonF([line.p2(), back + aside, back - aside]), fill=colour)


def write(
    painter: QPainter,
    place: QRectF | QPointF,
    text: str,
    face: QFont,
    colour: QColor | str,
    flags: int | Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> None:
    """Draw a text in a rectangle, or from a point of its baseline."""
    painter.setFont(face)
    painter.setPen(QColor(colour))
    if isinstance(place, QPointF):
        painter.drawText(place, text)
    else:
        painter.drawText(place, int(flags), text)
