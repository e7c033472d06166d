"""Pen and brush, boxes and texts of a painter."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QGradient, QPainter, QPen

Line = QPen | QColor | str | None
Fill = QBrush | QColor | QGradient | str | None


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
