"""Where a picture goes on beyond its room: it fades out, and a chip says how many stages there are that way."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPen

from gui.painting.theme import CAPTION, Colours
from gui.views.diagram.column_window import BAND
from gui.views.diagram.paint_utils import Align, height_of, sized_font, width_of
from gui.views.diagram.viewport_crop import Excerpt

INSET, AIR, HEAD = 4.0, 5.0, 4.0


def paint_beyond(painter: QPainter, room: QRectF, seen: Excerpt, theme: Colours) -> None:
    """Both ends of the room, where anything is hidden there."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for count, way in ((seen.before, -1.0), (seen.after, 1.0)):
        if count:
            edge = room.left() if way < 0 else room.right()
            _paint_fading(painter, room, edge, way, theme)
            _paint_chip(painter, QPointF(edge, room.center().y()), way, f"+{count}", theme)
    painter.restore()


def _paint_fading(painter: QPainter, room: QRectF, edge: float, way: float, theme: Colours) -> None:
    """Opaque at the very edge, so that nothing looks cut."""
    solid, clear = QColor(theme.surface), QColor(theme.surface)
    clear.setAlpha(0)
    fading = QLinearGradient(edge, 0.0, edge - way * BAND, 0.0)
    for place, colour in ((0.0, solid), (0.3, solid), (1.0, clear)):
        fading.setColorAt(place, colour)
    left = edge if way < 0 else edge - BAND
    painter.fillRect(QRectF(left, room.top(), BAND, room.height()), fading)


def _paint_chip(painter: QPainter, edge: QPointF, way: float, text: str, theme: Colours) -> None:
    """A number with an arrow head that points out of the room."""
    face = sized_font(CAPTION, bold=True)
    wide, high = width_of(text, face) + HEAD + 3 * AIR, height_of(face) + 4.0
    left = edge.x() + INSET if way < 0 else edge.x() - INSET - wide
    patch = QRectF(left, edge.y() - high / 2, wide, high)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.accent_soft))
    painter.drawRoundedRect(patch, high / 2, high / 2)
    words = (
        patch.adjusted(HEAD + 2 * AIR, 0, -AIR, 0)
        if way < 0
        else patch.adjusted(AIR, 0, -HEAD - 2 * AIR, 0)
    )
    painter.setFont(face)
    painter.setPen(QColor(theme.text))
    painter.drawText(words, Align.AlignCenter.value | Qt.TextFlag.TextDontClip.value, text)
    tip = QPointF(patch.left() + AIR + 1.0 if way < 0 else patch.right() - AIR - 1.0, edge.y())
    painter.setPen(QPen(QColor(theme.text), 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    for side in (-HEAD, HEAD):
        painter.drawLine(tip, tip + QPointF(-way * HEAD, side))
