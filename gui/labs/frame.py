"""The picture of a lab with its words, on any painter: the window, pictures, and what the hall sees draw with it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from core.labs import catalogue
from core.labs.lab import Setting
from gui.labs.catalogue import exhibit
from gui.labs.exhibit import Look, Shown
from gui.texts.labs import lab_claim, lab_title
from gui.theme import BODY, DISPLAY, Colours, font

WRAP = int(Qt.TextFlag.TextWordWrap)
BETWEEN = 10.0
BAR = 3.0


def show_lab(lab_id: str, setting: Setting, look: Look) -> Shown:
    """All that a picture shows of a setting."""
    return Shown(setting, catalogue.lab(lab_id).work_out(setting), look)


def paint_sheet(painter: QPainter, room: QRectF, lab_id: str, shown: Shown, *, titled: bool = True) -> None:
    """Title and claim above, the picture, and below it what to notice; without its title in a lesson, which has one."""
    theme = shown.look.theme
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    top = room.top() + (_paint_head(painter, room, lab_id, theme) if titled else 0.0)
    notice = exhibit(lab_id).notice(shown)
    high = _height(notice, font(BODY), room.width() - BAR - 10)
    below = QRectF(room.left(), room.bottom() - high, room.width(), high)
    _paint_notice(painter, below, notice, theme)
    place = QRectF(room.left(), top, room.width(), max(40.0, below.top() - BETWEEN - top))
    paint_picture(painter, place, lab_id, shown)


def paint_picture(painter: QPainter, place: QRectF, lab_id: str, shown: Shown) -> None:
    """The picture alone; whatever it sets on the painter is undone."""
    painter.save()
    exhibit(lab_id).paint(painter, place, shown)
    painter.restore()


def _paint_head(painter: QPainter, room: QRectF, lab_id: str, theme: Colours) -> float:
    title, claim = lab_title(lab_id), lab_claim(lab_id)
    painter.setPen(QColor(theme.text))
    painter.setFont(font(DISPLAY, bold=True))
    high = QFontMetricsF(font(DISPLAY, bold=True)).height()
    painter.drawText(QRectF(room.left(), room.top(), room.width(), high), Qt.AlignmentFlag.AlignLeft, title)
    claim_high = _height(claim, font(BODY), room.width())
    painter.setPen(QColor(theme.muted))
    painter.setFont(font(BODY))
    painter.drawText(QRectF(room.left(), room.top() + high + 2, room.width(), claim_high), WRAP, claim)
    return high + claim_high + 2 + BETWEEN


def _paint_notice(painter: QPainter, place: QRectF, notice: str, theme: Colours) -> None:
    painter.fillRect(QRectF(place.left(), place.top(), BAR, place.height()), QColor(theme.accent))
    painter.setPen(QColor(theme.text))
    painter.setFont(font(BODY))
    painter.drawText(place.adjusted(BAR + 8, 0, 2, 2), WRAP, notice)


def _height(text: str, face: QFont, width: float) -> float:
    return QFontMetricsF(face).boundingRect(QRectF(0, 0, width, 2000), WRAP, text).height()
