"""The worked sum alone, as large as it fits."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.painting.math_text import elided
from gui.painting.theme import TITLE, colours, font
from gui.session.state import State
from gui.texts.stage_texts import meaning
from gui.views.stage.card import Card, Telling, is_whole, make_card, paint_card
from gui.views.stage.shown_cell import target

TITLE_ROOM = 34.0
ALONE = 240.0  # lower, another panel says what the stage is
STEPS = (2.4, 2.1, 1.8, 1.6, 1.4, 1.25, 1.1, 1.0)
SHORTENED = (1.4, 1.25, 1.1, 1.0)


def paint_sum(painter: QPainter, rect: QRectF, state: State) -> None:
    """Draw the stage's title and the worked sum of the marked cell into a rectangle."""
    theme, looked_at = colours(state.shade), target(state)
    alone = rect.height() > ALONE
    if alone:
        face = font(TITLE, bold=True)
        title = QRectF(rect.x() + 6, rect.y(), rect.width() - 12, TITLE_ROOM)
        says = meaning(state.document, looked_at.stage, state.orientation)
        painter.setFont(face)
        painter.setPen(QColor(theme.text))
        painter.drawText(
            title, int(Qt.AlignmentFlag.AlignVCenter), elided(says.title, face, title.width())
        )
    room = rect.adjusted(0, TITLE_ROOM if alone else 0, 0, 0)
    card, larger = _largest(state, room)
    painter.save()
    painter.translate(room.x(), room.y() + max(0.0, (room.height() - card.height * larger) * 0.42))
    painter.scale(larger, larger)
    paint_card(painter, QRectF(0, 0, room.width() / larger, card.height), card, theme, chips=False)
    painter.restore()


def _largest(state: State, room: QRectF) -> tuple[Card, float]:
    """The card at the largest scale at which all of it fits; else all of the sum alone; of a sum too long for that, as
    many terms as there is room for in letters that are still large."""
    telling = Telling(state, target(state))
    sums: list[tuple[Card, float]] = []
    for larger in STEPS:
        width, height = room.width() / larger, room.height() / larger
        card = make_card(telling, width, height)
        if card.height <= height and not card.shortened:
            if is_whole(card, width):
                return card, larger
            sums.append((card, larger))
    if sums:
        return sums[0]
    for larger in SHORTENED:
        card = make_card(telling, room.width() / larger, room.height() / larger)
        if card.height * larger <= room.height():
            return card, larger
    return card, 1.0
