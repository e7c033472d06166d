"""A text of several lines with indices below the line, painted into a width."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QPainter, QTextCharFormat, QTextLayout, QTextOption

from gui.texts.subscripts import pieces
from gui.theme import CAPTION
from gui.widgets.subscripts import SMALLER

LEADING = 1.25  # from line to line, of a line's own height
READABLE = CAPTION  # pixels of an index at the least
ENLARGED = 1.5  # Qt takes two thirds of it for an index


class Paragraph:
    """Broken into lines no wider than `width`; `height` is what it takes."""

    def __init__(self, text: str, face: QFont, width: float) -> None:
        parts = pieces(text)
        self._layout = QTextLayout("".join(part for part, _ in parts), face)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._layout.setTextOption(option)
        self._layout.setFormats(_lowered(parts, face.pixelSize()))
        self.height, self.width = self._broken(max(width, 1.0))

    def _broken(self, width: float) -> tuple[float, float]:
        """The height of all lines, and the width of the longest."""
        y, bottom, longest = 0.0, 0.0, 0.0
        self._layout.beginLayout()
        while (line := self._layout.createLine()).isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0.0, y))
            bottom = y + line.height()
            y += line.height() * LEADING
            longest = max(longest, line.naturalTextWidth())
        self._layout.endLayout()
        return bottom, longest

    def paint(self, painter: QPainter, at: QPointF, colour: str) -> None:
        """With its upper left corner at a point."""
        painter.setPen(QColor(colour))
        self._layout.draw(painter, at)


def _lowered(parts: list[tuple[str, bool]], size: int) -> list[QTextLayout.FormatRange]:
    found, start = [], 0
    for part, below in parts:
        if below:
            span = QTextLayout.FormatRange()
            span.start, span.length = start, len(part)
            shape = QTextCharFormat()
            shape.setProperty(QTextCharFormat.Property.FontPixelSize, round(max(SMALLER * size, READABLE) * ENLARGED))
            shape.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSubScript)
            span.format = shape
            found.append(span)
        start += len(part)
    return found
