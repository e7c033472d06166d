"""Paint keys as caps: alternatives side by side, each a row of keys pressed together."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.painting.shapes import draw_box
from gui.painting.theme import Colours
from gui.texts.translation import mark, tr_marked

# Several words on one cap.
WHOLE = frozenset({"1 … 9", mark("Right button"), mark("Double click")})
BESIDE, APART = 3.0, 12.0  # between keys pressed together, and between alternatives

Caps = list[tuple[QRectF, str]]


def cap_places(
    alternatives: Sequence[str], metrics: QFontMetricsF, high: float, air: float
) -> Caps:
    """The rectangles of the keys, from (0, 0), `high` pixels high, with `air` around the text."""
    places: Caps = []
    x = 0.5
    for alternative in alternatives:
        said = tr_marked(alternative)
        for text in [said] if alternative in WHOLE else said.split():
            width = max(high, metrics.horizontalAdvance(text) + air)
            places.append((QRectF(x, 0.5, width, high - 1), text))
            x += width + BESIDE
        x += APART - BESIDE
    return places


def paint_caps(painter: QPainter, places: Caps, theme: Colours) -> None:
    """Paint each key as a cap with a thicker lower edge, in the painter's font."""
    for rect, text in places:
        draw_box(painter, rect, QPen(QColor(theme.line), 1), theme.line, 5)
        painter.setBrush(QColor(theme.sunken))
        painter.drawRoundedRect(rect.adjusted(0, 0, 0, -2), 5, 5)
        painter.setPen(QColor(theme.text))
        painter.drawText(rect.adjusted(0, 0, 0, -2), Qt.AlignmentFlag.AlignCenter, text)
