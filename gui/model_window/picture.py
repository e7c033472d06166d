"""What the model window shows, as one picture: tokens, map, head, changes or the next word."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from gui.model_window.canvas import Canvas
from gui.model_window.changes_view import ChangesView
from gui.model_window.head_filters import filter_name
from gui.model_window.head_panel import HeadPanel
from gui.model_window.head_view import HeadView
from gui.model_window.map_view import MapView
from gui.model_window.next_word import NextBars, next_words
from gui.model_window.reasons_view import ReasonsView
from gui.model_window.sentences import TokenStrip
from gui.model_window.state import ALL, A, B, ModelState
from gui.model_window.wording import edit_name, head_title, model_facts, pair_words, shown_name
from gui.painting.text_layout import LEFT, RIGHT, draw_text
from gui.painting.text_size import saved
from gui.painting.theme import BODY, CAPTION, TITLE, colours, font
from gui.texts.translation import tr

MARGIN, GAP = 20.0, 16.0
RIGHT_PART = 0.37  # of the width
SIZE = (1600, 900)


def paint_model(painter: QPainter, area: QRectF, state: ModelState) -> None:
    """Paint what is looked at into an area of at least 1280 × 720 units."""
    theme, model = colours(state.shade), state.model
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(area, QColor(theme.surface))
    room = area.adjusted(MARGIN, MARGIN - 6, -MARGIN, -MARGIN)
    if model is None:
        return
    line = QRectF(room.x(), room.y(), room.width(), 26.0)
    draw_text(painter, line, LEFT, state.title, font(TITLE, bold=True), theme.text)
    draw_text(painter, line, RIGHT, model_facts(model), font(CAPTION), theme.muted)
    top = line.bottom() + 6.0
    for name in (A, B) if state.setting.other else (A,):
        top = _paint_strip(painter, QRectF(room.x(), top, room.width(), 46.0), name, state)
    edits = "; ".join(edit_name(each, state) for each in state.setting.edits)
    said = [shown_name(state.look.show)]
    if state.look.filter != ALL:
        said.append(filter_name(state, state.look.filter))
    text = tr("Shown: {what}", what=tr(", ").join(said))
    line = QRectF(room.x(), top, room.width(), 20.0)
    draw_text(painter, line, LEFT, f"{text}  ·  {edits}" if edits else text, font(BODY), theme.text)
    body = QRectF(room.x(), line.bottom() + 6.0, room.width(), room.bottom() - line.bottom() - 6.0)
    wide = body.width() * RIGHT_PART
    left = QRectF(body.x(), body.y(), body.width() - wide - GAP, body.height())
    right = QRectF(left.right() + GAP, body.y(), wide, body.height())
    _paint_left(painter, left, state)
    _paint_right(painter, right, state)


def _paint_strip(painter: QPainter, area: QRectF, name: str, state: ModelState) -> float:
    """The tokens of a sentence, smaller where they are many; returns the lower edge."""
    strip = TokenStrip(name)
    strip.show_state(None, state)
    natural = strip.sizeHint().width() / strip.unit
    scale = min(1.0, area.width() / max(natural, 1.0))
    place = QRectF(0.0, 0.0, natural, area.height())
    _paint(painter, strip, area.x(), area.y(), place, scale)
    return area.y() + area.height() * scale + 4.0


def _paint(
    painter: QPainter, canvas: Canvas, x: float, y: float, place: QRectF, scale: float = 1.0
) -> None:
    with saved(painter):
        painter.translate(x, y)
        painter.scale(scale, scale)
        painter.setClipRect(place)
        canvas.paint(painter, place, colours(canvas.state.shade))


def _paint_left(painter: QPainter, area: QRectF, state: ModelState) -> None:
    """The map, above what the edits changed."""
    below = 0.0
    if state.setting.edits:
        changes = ChangesView()
        changes.show_state(None, state)
        below = min(changes.sizeHint().height() / changes.unit, area.height() * 0.4)
        heading = QRectF(area.x(), area.bottom() - below - 22.0, area.width(), 20.0)
        theme = colours(state.shade)
        title = tr("What the edits changed")
        draw_text(painter, heading, LEFT, title, font(BODY, bold=True), theme.text)
        place = QRectF(0.0, 0.0, area.width(), below)
        _paint(painter, changes, area.x(), area.bottom() - below, place)
        below += 30.0
    view = MapView()
    view.show_state(None, state)
    place = QRectF(0.0, 0.0, area.width(), area.height() - below)
    _paint(painter, view, area.x(), area.y(), place)


def _paint_right(painter: QPainter, area: QRectF, state: ModelState) -> None:
    """The next word, the head, and the reasons of the chosen pair."""
    theme, y = colours(state.shade), area.y()
    words = next_words(state, 1.0)
    if words is not None:
        line = QRectF(area.x(), y, area.width(), 22.0)
        draw_text(painter, line, LEFT, tr("Next word"), font(TITLE, bold=True), theme.text)
        bars = NextBars()
        bars.show_state(None, state)
        bars.show_words(words, -1)
        high = bars.sizeHint().height() / bars.unit
        _paint(painter, bars, area.x(), y + 24.0, QRectF(0.0, 0.0, area.width(), high))
        y += 24.0 + high + 8.0
    line = QRectF(area.x(), y, area.width(), 22.0)
    place = state.look.layer, state.look.head
    draw_text(painter, line, LEFT, head_title(place), font(TITLE, bold=True), theme.text)
    bottom = area.bottom()
    if state.reasons is not None:
        reasons = ReasonsView()
        reasons.show_state(None, state)
        high = reasons.sizeHint().height() / reasons.unit
        bottom -= high
        _paint(painter, reasons, area.x(), bottom, QRectF(0.0, 0.0, area.width(), high))
        bottom -= 26.0
        line = QRectF(area.x(), bottom, area.width(), 20.0)
        draw_text(painter, line, LEFT, pair_words(state), font(BODY), theme.text)
    view = HeadView()
    view.show_state(None, state)
    view.show_values(HeadPanel.values(state))
    place_ = QRectF(0.0, 0.0, area.width(), bottom - y - 30.0)
    _paint(painter, view, area.x(), y + 26.0, place_)
