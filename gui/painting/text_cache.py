"""Short texts laid out once: drawn again they cost a fifth. Where text must stay text, in a PDF or SVG, it does."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QStaticText, QTextLayout, QTransform

KEPT = 3000  # texts, of about a kilobyte each
# Where a text stands in its rectangle, as a part of the room that it leaves.
LEFT, CENTRE, RIGHT = 0.0, 0.5, 1.0

Size = tuple[float, float]
_ANYWHERE = QRectF(0.0, 0.0, 1e5, 1e5)


def size_of(painter: QPainter) -> Size:
    """How many times as large a painter draws, across and down: texts are laid out for it."""
    transform = painter.deviceTransform()
    if transform.isRotating():
        return 1.0, 1.0
    across, down = transform.m11(), transform.m22()
    return (1.0, 1.0) if across == down == 1.0 else (round(across, 6), round(down, 6))


class TextMetrics(NamedTuple):
    """How large a line is, as `QPainter.drawText` takes it: `QStaticText` rounds its height up."""

    width: float
    height: float
    ascent: float


@lru_cache(maxsize=KEPT)
def text_metrics(text: str, face: QFont) -> TextMetrics:
    """How large a line is in a font of `gui.painting.theme`."""
    area = QFontMetricsF(face).boundingRect(_ANYWHERE, Qt.TextFlag.TextSingleLine, text)
    layout = QTextLayout(text, face)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(_ANYWHERE.width())
    layout.endLayout()
    return TextMetrics(area.width(), area.height(), line.ascent())


@lru_cache(maxsize=KEPT)
def prepared_text(text: str, face: QFont, size: Size) -> QStaticText:
    """A line for `QPainter.drawStaticText`, laid out for a font of `gui.painting.theme` and a size."""
    line = QStaticText(text)
    line.setTextFormat(Qt.TextFormat.PlainText)
    line.prepare(QTransform.fromScale(*size), face)
    return line


@lru_cache(maxsize=KEPT)
def width_of(text: str, face: QFont) -> float:
    """How wide a text is in a font of `gui.painting.theme`."""
    return QFontMetricsF(face).horizontalAdvance(text)


@lru_cache(maxsize=KEPT)
def cut(text: str, face: QFont, width: float, *, inside: bool = False) -> str:
    """A text cut to a width, with an ellipsis: at its end, or inside where names may differ only at their ends."""
    if width_of(text, face) <= width:
        return text
    mode = Qt.TextElideMode.ElideMiddle if inside else Qt.TextElideMode.ElideRight
    return QFontMetricsF(face).elidedText(text, mode, width)


def write(painter: QPainter, rect: QRectF, text: str, face: QFont, across: float = CENTRE) -> None:
    """One line at half the height of a rectangle, in the colour of the painter's pen; cut off where it is wider."""
    if not text:
        return
    line, (width, height, _) = prepared_text(text, face, size_of(painter)), text_metrics(text, face)
    painter.setFont(face)
    free = rect.width() - width
    if free < -1.0:
        painter.save()
        painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
    painter.drawStaticText(
        QPointF(rect.x() + free * across, rect.y() + (rect.height() - height) / 2), line
    )
    if free < -1.0:
        painter.restore()


def write_at(painter: QPainter, x: float, baseline: float, text: str, face: QFont) -> None:
    """A line from a point of its baseline on, in the colour of the painter's pen."""
    painter.setFont(face)
    painter.drawStaticText(
        QPointF(x, baseline - text_metrics(text, face).ascent),
        prepared_text(text, face, size_of(painter)),
    )
