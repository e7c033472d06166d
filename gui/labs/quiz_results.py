"""Results by topic: a bar for each, of which as much is filled as was right at the first try."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from core.quiz.deck import deck
from core.quiz.quiz import Page, Tally
from gui.labs.charts import write
from gui.labs.exhibit import Shown, Spot
from gui.painting.theme import BODY, CAPTION, DISPLAY, TITLE, Colours, font
from gui.texts.translation import current_language, tr
from gui.widgets.subscripts import width_of

HEAD = 52.0
LEGEND = 30.0
WIDEST = 760.0
TALLEST, TALLEST_ALONE = 62.0, 92.0  # of a topic, beside a card and alone
LARGE = 400.0  # width from which they are alone
THICK = 14.0

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def topic_name(topic: str) -> str:
    """A topic in the current language."""
    return deck().topics[topic].of(current_language())


def total(page: Page) -> Tally:
    """All topics together."""
    cards, answered, right = (
        sum(getattr(one, name) for one in page.tallies) for name in ("cards", "answered", "right")
    )
    return Tally("", cards, answered, right)


def rows(area: QRectF, page: Page) -> list[QRectF]:
    """Where each topic stands, between the head and the legend."""
    inner = QRectF(area.left(), area.top() + HEAD, area.width(), area.height() - HEAD - LEGEND)
    tallest = TALLEST_ALONE if area.width() > LARGE else TALLEST
    high = min(inner.height() / len(page.tallies), tallest)
    return [
        QRectF(inner.left(), inner.top() + place * high, inner.width(), high)
        for place in range(len(page.tallies))
    ]


def results_area(room: QRectF) -> QRectF:
    """The results alone in a room."""
    return QRectF(
        room.left() + 24.0,
        room.top() + 16.0,
        min(room.width() - 48.0, WIDEST),
        room.height() - 28.0,
    )


def spots(area: QRectF, page: Page) -> tuple[Spot, ...]:
    """A click on a topic shows its cards."""
    return tuple(
        Spot(f"topic/{one.topic}", row.adjusted(0, 2, 0, -2), spoken_tally(one), "topic", one.topic)
        for row, one in zip(rows(area, page), page.tallies, strict=True)
    )


def spoken_tally(one: Tally) -> str:
    """A topic with its numbers."""
    return tr(
        "{topic}: {right} right at the first try of {answered} answered; {cards} cards",
        topic=topic_name(one.topic),
        right=one.right,
        answered=one.answered,
        cards=one.cards,
    )


def paint(painter: QPainter, area: QRectF, shown: Shown) -> None:
    """All topics, with a sum above and a legend below."""
    page: Page = shown.result
    theme, whole = shown.look.theme, total(page)
    large = area.width() > LARGE
    write(
        painter,
        QRectF(area.left(), area.top(), area.width(), 18.0),
        tr("Right at the first try"),
        theme.muted,
        font(CAPTION),
    )
    number = tr("{right} of {answered}", right=whole.right, answered=whole.answered)
    face = font(DISPLAY if large else TITLE, bold=True)
    write(
        painter,
        QRectF(area.left(), area.top() + 18.0, area.width(), 28.0),
        number,
        theme.text,
        face,
    )
    for row, one in zip(rows(area, page), page.tallies, strict=True):
        _paint_row(painter, row, one, theme, current=one.topic == page.card.topic)
    bottom = rows(area, page)[-1].bottom()
    _paint_legend(painter, QRectF(area.left(), bottom + 6.0, area.width(), LEGEND - 6.0), theme)


def _paint_row(
    painter: QPainter, row: QRectF, one: Tally, theme: Colours, *, current: bool
) -> None:
    """The name and its number over the bar."""
    thick = min(THICK, row.height() * 0.28)
    line = QRectF(row.left(), row.center().y() - thick - 5.0, row.width(), 16.0)
    number = (
        tr("{right} of {answered}", right=one.right, answered=one.answered)
        if one.answered
        else tr("not yet")
    )
    write(
        painter,
        line.adjusted(0, 0, -64.0, 0),
        topic_name(one.topic),
        theme.text,
        font(BODY, bold=current),
    )
    write(painter, line, number, theme.text if one.answered else theme.muted, font(CAPTION), _RIGHT)
    track = QRectF(row.left(), line.bottom() + 3.0, row.width(), thick)
    unit = track.width() / one.cards
    _paint_part(
        painter, QRectF(track.left(), track.top(), track.width(), thick), QColor(theme.sunken)
    )
    wrong = QRectF(track.left(), track.top(), unit * one.answered, thick)
    _paint_part(painter, wrong, QBrush(QColor(theme.error), Qt.BrushStyle.BDiagPattern))
    _paint_part(
        painter, QRectF(track.left(), track.top(), unit * one.right, thick), QColor(theme.value)
    )
    painter.setPen(QPen(QColor(theme.line), 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(track)


def _paint_part(painter: QPainter, area: QRectF, brush: QColor | QBrush) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(brush)
    if area.width() > 0.0:
        painter.drawRect(area)


def _paint_legend(painter: QPainter, area: QRectF, theme: Colours) -> None:
    """What filled, hatched and empty parts mean."""
    kinds: tuple[tuple[str, QColor | QBrush], ...] = (
        (tr("right"), QColor(theme.value)),
        (tr("wrong at first"), QBrush(QColor(theme.error), Qt.BrushStyle.BDiagPattern)),
        (tr("open"), QColor(theme.sunken)),
    )
    x = area.left()
    for name, brush in kinds:
        box = QRectF(x, area.center().y() - 5.0, 12.0, 10.0)
        _paint_part(painter, box, brush)
        painter.setPen(QPen(QColor(theme.line), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box)
        text = QRectF(
            box.right() + 5.0, area.top(), width_of(name, font(CAPTION)) + 1.0, area.height()
        )
        write(painter, text, name, theme.muted, font(CAPTION))
        x = text.right() + 16.0
