"""Text on one line with indices below it, painted."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from gui.painting import text_cache as prepared
from gui.painting.theme import LOWERED, font, script_size
from gui.texts.rich_text import subscript_pieces


def width_of(text: str, face: QFont) -> float:
    """The width of a text with its indices."""
    return sum(prepared.width_of(piece, small) for piece, small, _ in _laid_out(text, face))


def draw_centred(painter: QPainter, rect: QRectF, text: str, face: QFont) -> None:
    """A text with its indices in the middle of a rectangle, with the painter's pen."""
    draw(
        painter,
        QPointF(rect.center().x() - width_of(text, face) / 2, rect.center().y()),
        text,
        face,
    )


def draw(painter: QPainter, start: QPointF, text: str, face: QFont) -> None:
    """A text with its indices from a point on, at half the height of its line, with the painter's pen."""
    metrics = QFontMetricsF(face)
    x, y = start.x(), start.y() + (metrics.ascent() - metrics.descent()) / 2
    for piece, small, drop in _laid_out(text, face):
        prepared.write_at(painter, x, y + drop, piece, small)
        x += prepared.width_of(piece, small)


def _laid_out(text: str, face: QFont) -> Iterator[tuple[str, QFont, float]]:
    """Each piece with its font and how far it stands below the line."""
    for piece, below in subscript_pieces(text):
        size = face.pixelSize()
        yield (
            piece,
            font(script_size(size), bold=face.bold()) if below else face,
            size * LOWERED if below else 0.0,
        )
