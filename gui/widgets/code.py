"""Paint highlighted code."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from gui.painting.shapes import write
from gui.painting.theme import BODY, Colours, mono
from gui.texts.exchange import Piece

# Other roles are those of tensors, and are called as their colours.
_COLOURS = {
    "plain": "text",
    "space": "text",
    "comment": "muted",
    "call": "accent",
    "keyword": "accent",
}


def code_width(text: str) -> float:
    """The width of a text as code."""
    return QFontMetricsF(mono(BODY)).horizontalAdvance(text)


def pieces_width(pieces: Iterable[Piece]) -> float:
    """The width of pieces on one line."""
    return code_width("".join(piece.text for piece in pieces))


def piece_colour(theme: Colours, role: str) -> str:
    """The colour of a piece."""
    return str(getattr(theme, _COLOURS.get(role, role)))


def paint_pieces(
    painter: QPainter,
    x: float,
    baseline: float,
    pieces: Iterable[Piece],
    theme: Colours,
    *,
    muted: bool = False,
    face: QFont | None = None,
) -> None:
    """Paint pieces on one line in a monospaced font, in colour or muted."""
    face = face or mono(BODY)
    for piece in pieces:
        colour = theme.muted if muted else piece_colour(theme, piece.role)
        write(painter, QPointF(x, baseline), piece.text, face, colour)
        x += QFontMetricsF(face).horizontalAdvance(piece.text)
