"""The three marks: a tick, an arrow, a cross. Shape and colour say the same."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.check import FOLLOWS, RIGHT, WRONG
from gui.painting.theme import Colours

Lines = tuple[tuple[tuple[float, float], ...], ...]

# In a square of 1 × 1.
_SHAPES: dict[str, Lines] = {
    RIGHT: (((0.1, 0.55), (0.4, 0.85), (0.92, 0.15)),),
    FOLLOWS: (((0.05, 0.5), (0.92, 0.5)), ((0.6, 0.18), (0.92, 0.5), (0.6, 0.82))),
    WRONG: (((0.15, 0.15), (0.85, 0.85)), ((0.85, 0.15), (0.15, 0.85))),
}


def mark_colour(theme: Colours, verdict: str) -> QColor:
    """Green, blue or red; the text's colour where there is no verdict."""
    names = {RIGHT: theme.value, FOLLOWS: theme.accent, WRONG: theme.error}
    return QColor(names.get(verdict, theme.text))


def paint_mark(painter: QPainter, rect: QRectF, verdict: str, theme: Colours) -> None:
    """Draw a verdict's mark into a rectangle; nothing where there is none."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(mark_colour(theme, verdict), max(1.5, rect.width() * 0.17))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for line in _SHAPES.get(verdict, ()):
        points = [
            QPointF(rect.x() + x * rect.width(), rect.y() + y * rect.height()) for x, y in line
        ]
        painter.drawPolyline(QPolygonF(points))
    painter.restore()
