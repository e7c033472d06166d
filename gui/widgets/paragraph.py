"""A text of several lines with indices below the line, painted into a width."""

from __future__ import annotations

from functools import lru_cache
from math import ceil

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QPainter, QTextCharFormat, QTextLayout, QTextOption

from gui.painting.theme import script_size
from gui.texts.rich_text import subscript_pieces

LEADING = 1.25  # from line to line, of a line's own height
ENLARGED = 1.5  # Qt takes two thirds of it for an index


class Paragraph:
    """Broken into lines no wider than `width`; `height` is what it takes."""

    def __init__(self, text: str, face: QFont, width: float) -> None:
        parts = subscript_pieces(text)
        self._layout = QTextLayout("".join(part for part, _ in parts), face)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._layout.setTextOption(option)
        self._layout.setFormats(_lowered(parts, face.pixelSize()))
        self.height, self.width = self._broken(
            max(width, 1.0), *_plain_line("".join(part for part, _ in parts), face)
        )

    def _broken(self, width: float, ascent: float, height: float) -> tuple[float, float]:
        """The height of all lines, and the width of the longest. An index below a line does not move it."""
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
        """With its upper left corner at a point."""
        painter.setPen(QColor(colour))
        self._layout.draw(painter, at)


@lru_cache(maxsize=256)
def _plain_line(text: str, face: QFont) -> tuple[float, float]:
    """How far a line reaches above its baseline, and its height, without any index."""
    layout = QTextLayout(text, face)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(1e5)
    found = line.ascent(), line.height()
    layout.endLayout()
    return found


def _lowered(parts: list[tuple[str, bool]], size: int) -> list[QTextLayout.FormatRange]:
    found, start = [], 0
    for part, below in parts:
        if below:
            span = QTextLayout.FormatRange()
            span.start, span.length = start, len(part)
            shape = QTextCharFormat()
            shape.setProperty(
                QTextCharFormat.Property.FontPixelSize, ceil(script_size(size) * ENLARGED)
            )
            shape.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSubScript)
            span.format = shape
            found.append(span)
        start += len(part)
    return found
