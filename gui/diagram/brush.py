"""Small painting helpers of the diagram: Qt rectangles, texts that never get too small, chips."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from gui.diagram.shapes import Rect
from gui.theme import CAPTION, font

# However small the picture is drawn, texts grow against it up to this factor, and below LEAST pixels they are left out.
MOST_GROWTH = 1.45
LEAST = 9.0

Align = Qt.AlignmentFlag


def qrect(rect: Rect) -> QRectF:
    """The rectangle for Qt."""
    return QRectF(rect.x, rect.y, rect.w, rect.h)


def text_size(base: float, scale: float) -> float:
    """A font size in layout units that is not under 12 pixels on the screen, as far as cards have room for it."""
    return max(base, min(CAPTION / scale, base * MOST_GROWTH))


def text_font(base: float, scale: float, *, bold: bool = False) -> QFont:
    """The program's font at a size of the type scale."""
    return font(text_size(base, scale), bold=bold)


def readable(base: float, scale: float) -> bool:
    """Whether a text of this size can be read at all."""
    return text_size(base, scale) * scale >= LEAST


def width_of(text: str, face: QFont) -> float:
    """How wide a text is."""
    return QFontMetricsF(face).horizontalAdvance(text)


def draw_text(painter: QPainter, rect: QRectF, align: Align, text: str, face: QFont, colour: str | QColor) -> None:
    """One line, cut with an ellipsis where it does not fit."""
    metrics = QFontMetricsF(face)
    if metrics.horizontalAdvance(text) > rect.width():
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.setFont(face)
    painter.setPen(QColor(colour))
    painter.drawText(rect, align.value | Qt.TextFlag.TextSingleLine.value, text)


def draw_chip(painter: QPainter, middle: QPointF, text: str, face: QFont, ink: str, fill: str) -> QRectF:
    """A text in a rounded patch; returns the patch."""
    metrics = QFontMetricsF(face)
    width, height = metrics.horizontalAdvance(text) + 10.0, metrics.height() + 1.0
    patch = QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(fill))
    painter.drawRoundedRect(patch, height / 2, height / 2)
    painter.setFont(face)
    painter.setPen(QColor(ink))
    painter.drawText(patch, Align.AlignCenter, text)
    return patch


def outline(painter: QPainter, rect: QRectF, pen: QPen, fill: QColor | None, radius: float) -> None:
    """A rounded rectangle."""
    painter.setPen(pen)
    painter.setBrush(fill if fill is not None else QColor(0, 0, 0, 0))
    painter.drawRoundedRect(rect, radius, radius)
