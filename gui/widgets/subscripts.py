"""Paint text with subscripts and powers: on one line, or as a paragraph of a given width."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import ceil

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)

from gui.painting import text_layout
from gui.painting.theme import LOWERED, RAISED, font, script_size
from gui.texts.rich_text import script_pieces


def width_of(text: str, face: QFont) -> float:
    """The width of a text with subscripts."""
    return sum(text_layout.width_of(piece, small) for piece, small, _ in _laid_out(text, face))


def draw_centred(painter: QPainter, rect: QRectF, text: str, face: QFont) -> None:
    """Draw a text with subscripts centred in a rectangle, with the painter's pen."""
    draw(
        painter,
        QPointF(rect.center().x() - width_of(text, face) / 2, rect.center().y()),
        text,
        face,
    )


def draw(painter: QPainter, start: QPointF, text: str, face: QFont) -> None:
    """Draw a text with subscripts from a point at half the height of its line, with the painter's
    pen.
    """
    metrics = QFontMetricsF(face)
    x, y = start.x(), start.y() + (metrics.ascent() - metrics.descent()) / 2
    for piece, small, drop in _laid_out(text, face):
        text_layout.draw_line_at(painter, x, y + drop, piece, small)
        x += text_layout.width_of(piece, small)


def _laid_out(text: str, face: QFont) -> Iterator[tuple[str, QFont, float]]:
    """Each piece with its font and its offset below the line."""
    for piece, level in script_pieces(text):
        size = face.pixelSize()
        drop = size * (LOWERED if level < 0 else -RAISED if level > 0 else 0.0)
        yield piece, font(script_size(size), bold=face.bold()) if level else face, drop


LEADING = 1.25  # line spacing, relative to the height of a line
ENLARGED = 1.5  # Qt scales subscripts by two thirds


class Paragraph:
    """Text with subscripts, broken into lines of at most `width`."""

    def __init__(self, text: str, face: QFont, width: float) -> None:
        parts = script_pieces(text)
        self._layout = QTextLayout("".join(part for part, _ in parts), face)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._layout.setTextOption(option)
        self._layout.setFormats(_scripts(parts, face.pixelSize()))
        self.height, self.width = self._broken(
            max(width, 1.0), *_plain_line("".join(part for part, _ in parts), face)
        )

    def _broken(self, width: float, ascent: float, height: float) -> tuple[float, float]:
        """Break into lines; return height and longest width. A subscript does not move its line."""
        y, bottom, longest = 0.0, 0.0, 0.0
        self._layout.beginLayout()
        while (line := self._layout.createLine()).isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0.0, y + ascent - line.ascent()))
            bottom = y + height
            y += height * LEADING
            longest = max(longest, line.naturalTextWidth())
        self._layout.endLayout()
        return bottom, longest

    def paint(self, painter: QPainter, at: QPointF, colour: str) -> None:
        """Paint with the upper left corner at a point."""
        painter.setPen(QColor(colour))
        self._layout.draw(painter, at)


@lru_cache(maxsize=256)
def _plain_line(text: str, face: QFont) -> tuple[float, float]:
    """Ascent and height of a line without subscripts."""
    layout = QTextLayout(text, face)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(1e5)
    found = line.ascent(), line.height()
    layout.endLayout()
    return found


def _scripts(parts: list[tuple[str, int]], size: int) -> list[QTextLayout.FormatRange]:
    found, start = [], 0
    for part, level in parts:
        if level:
            span = QTextLayout.FormatRange()
            span.start, span.length = start, len(part)
            shape = QTextCharFormat()
            shape.setProperty(
                QTextCharFormat.Property.FontPixelSize, ceil(script_size(size) * ENLARGED)
            )
            shape.setVerticalAlignment(
                QTextCharFormat.VerticalAlignment.AlignSubScript
                if level < 0
                else QTextCharFormat.VerticalAlignment.AlignSuperScript
            )
            span.format = shape
            found.append(span)
        start += len(part)
    return found
