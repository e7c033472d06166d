"""Picture of the quiz: a card, and the results by topic beside it or alone."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from core.quiz.deck import deck
from core.quiz.exercises import GivenMatrix
from core.quiz.quiz import VIEWS, QuizPage, TopicScore
from gui.labs.charts import CENTRED, RIGHT_ALIGNED, paint_grid, write
from gui.labs.exhibit import LabView, Spot
from gui.labs.quiz_page import (
    BADGE,
    INSET,
    MARK,
    NARROW,
    PageLayout,
    number,
    option_text,
    page_layout,
    prove_name,
    spoken_text,
)
from gui.painting.color_scale import levels_of
from gui.painting.shapes import paint_disc, paint_shape
from gui.painting.theme import BODY, CAPTION, DISPLAY, TITLE, Colours, font, role_colour
from gui.texts.translation import current_language, tr
from gui.widgets.subscripts import Paragraph, width_of

HEAD = 52.0
LEGEND = 30.0
WIDEST_BAR = 760.0
TALLEST, TALLEST_ALONE = 62.0, 92.0  # height of a topic, beside a card and alone
LARGE = 400.0  # least width of results without a card
THICK = 14.0


def topic_name(topic: str) -> str:
    """Return a topic in the current language."""
    return deck().topics[topic].of(current_language())


def total(page: QuizPage) -> TopicScore:
    """Sum all topics."""
    cards, answered, right = (
        sum(getattr(one, name) for one in page.tallies) for name in ("cards", "answered", "right")
    )
    return TopicScore("", cards, answered, right)


def rows(area: QRectF, page: QuizPage) -> list[QRectF]:
    """Return the rectangle of each topic between head and legend."""
    inner = QRectF(area.left(), area.top() + HEAD, area.width(), area.height() - HEAD - LEGEND)
    tallest = TALLEST_ALONE if area.width() > LARGE else TALLEST
    high = min(inner.height() / len(page.tallies), tallest)
    return [
        QRectF(inner.left(), inner.top() + place * high, inner.width(), high)
        for place in range(len(page.tallies))
    ]


def results_area(area: QRectF) -> QRectF:
    """Return the rectangle of the results alone."""
    return QRectF(
        area.left() + 24.0,
        area.top() + 16.0,
        min(area.width() - 48.0, WIDEST_BAR),
        area.height() - 28.0,
    )


def result_spots(area: QRectF, page: QuizPage) -> tuple[Spot, ...]:
    """Return topics as spots that show their cards."""
    return tuple(
        Spot(f"topic/{one.topic}", row.adjusted(0, 2, 0, -2), score_text(one), "topic", one.topic)
        for row, one in zip(rows(area, page), page.tallies, strict=True)
    )


def score_text(one: TopicScore) -> str:
    """Describe a topic with its numbers."""
    return tr(
        "{topic}: {right} right on the first try of {answered} answered; {cards} cards",
        topic=topic_name(one.topic),
        right=one.right,
        answered=one.answered,
        cards=one.cards,
    )


def paint_results(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint all topics, with a sum above and a legend below."""
    page: QuizPage = view.result
    theme, whole = view.theme, total(page)
    large = area.width() > LARGE
    write(
        painter,
        QRectF(area.left(), area.top(), area.width(), 18.0),
        tr("Right on the first try"),
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
    painter: QPainter, row: QRectF, one: TopicScore, theme: Colours, *, current: bool
) -> None:
    """Paint name and number above the bar."""
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
    write(
        painter,
        line,
        number,
        theme.text if one.answered else theme.muted,
        font(CAPTION),
        RIGHT_ALIGNED,
    )
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
    paint_shape(painter, track, line=theme.line)


def _paint_part(painter: QPainter, area: QRectF, brush: QColor | QBrush) -> None:
    if area.width() > 0.0:
        paint_shape(painter, area, fill=brush)


def _paint_legend(painter: QPainter, area: QRectF, theme: Colours) -> None:
    """Paint the meaning of filled, hatched and empty parts."""
    kinds: tuple[tuple[str, QColor | QBrush], ...] = (
        (tr("right"), QColor(theme.value)),
        (tr("wrong at first"), QBrush(QColor(theme.error), Qt.BrushStyle.BDiagPattern)),
        (tr("open"), QColor(theme.sunken)),
    )
    x = area.left()
    for name, brush in kinds:
        box = QRectF(x, area.center().y() - 5.0, 12.0, 10.0)
        _paint_part(painter, box, brush)
        paint_shape(painter, box, line=theme.line)
        text = QRectF(
            box.right() + 5.0, area.top(), width_of(name, font(CAPTION)) + 1.0, area.height()
        )
        write(painter, text, name, theme.muted, font(CAPTION))
        x = text.right() + 16.0


WIDE = 1.7  # aspect ratio of a cell of a given matrix
BETWEEN = 34.0


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the card, or the results alone."""
    if view.setting["view"] != VIEWS[0]:
        paint_results(painter, results_area(area), view)
        return
    where = page_layout(area, view)
    painter.save()
    painter.translate(area.topLeft())
    painter.scale(where.scale, where.scale)
    painter.translate(-area.topLeft())
    _paint_card(painter, where, view)
    painter.restore()
    if not where.side.isEmpty():
        paint_results(painter, where.side, view)


def _paint_card(painter: QPainter, where: PageLayout, view: LabView) -> None:
    _paint_head(painter, where, view)
    page: QuizPage = view.result
    where.question[1].paint(painter, where.question[0].topLeft(), view.theme.text)
    _paint_given(painter, where, view)
    for place, (area, text) in enumerate(where.options):
        _paint_option(painter, area, text, page, place, view.theme)
    if page.typed:
        _paint_typed(painter, where, view)
    if page.reply is not None:
        _paint_feedback(painter, where, page, view.theme)
    else:
        _paint_hint(painter, where, page, view.theme)


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return options by number, then proof and neighbours, then topics."""
    page: QuizPage = view.result
    if view.setting["view"] != VIEWS[0]:
        return result_spots(results_area(area), page)
    where = page_layout(area, view)
    found = [
        Spot(
            f"{page.card.id}/{place}",
            where.seen(inner, area),
            _spoken_option(view, place),
            "answer",
            str(place + 1),
            key=str(place + 1),
        )
        for place, (inner, _) in enumerate(where.options)
    ]
    if page.proof and page.reply is not None:
        found.append(
            Spot("prove", where.seen(where.prove, area), prove_name(page), "prove", press=True)
        )
    for spot_id, inner, name, card, key in (
        ("previous", where.previous, tr("Previous card"), page.before, "PgUp"),
        ("next", where.following, tr("Next card"), page.after, "PgDown"),
    ):
        if card:
            found.append(Spot(spot_id, where.seen(inner, area), name, "card", card, key=key))
    return (*found, *(() if where.side.isEmpty() else result_spots(where.side, page)))


def _spoken_option(view: LabView, place: int) -> str:
    text = spoken_text(option_text(view.result, place, view.decimals))
    mark = _mark(view.result, place)
    return tr("{number}: {text}", number=place + 1, text=f"{text}. {mark}" if mark else text)


def _mark(page: QuizPage, place: int) -> str:
    """Return the verdict on an option once there is an answer."""
    if page.reply is None:
        return ""
    if page.order[place] == 0:
        return tr("✓ right")
    return tr("✗ wrong") if page.reply.option == page.order[place] else ""


def _paint_head(painter: QPainter, where: PageLayout, view: LabView) -> None:
    """Paint topic and card number, and at the right the buttons of the neighbours."""
    page: QuizPage = view.result
    place = tr("{number} of {most}", number=page.place + 1, most=page.count)
    text = f"{topic_name(page.card.topic)}  ·  {place}"
    rect = where.head.adjusted(0, 0, -(where.head.right() - where.previous.left() + 8.0), 0)
    write(painter, rect, text, view.theme.muted, font(CAPTION))
    for area, name, card in (
        (where.previous, tr("‹ Previous"), page.before),
        (where.following, tr("Next ›"), page.after),
    ):
        _paint_chip(painter, area, name, view.theme, on=bool(card))


def _paint_chip(
    painter: QPainter, area: QRectF, text: str, theme: Colours, *, on: bool, full: bool = False
) -> None:
    paint_shape(
        painter,
        area,
        line=theme.accent if on else theme.line,
        fill=theme.accent if full else "",
        radius=6.0,
    )
    colour = theme.on_accent if full else theme.accent if on else theme.disabled
    write(painter, area, text, colour, font(BODY, bold=full), CENTRED)


def _paint_given(painter: QPainter, where: PageLayout, view: LabView) -> None:
    """Paint the matrices of the question with symbols in role colours."""
    if view.result.exercise is None:
        return
    x = where.given.left()
    for given in view.result.exercise.given:
        rows, columns = given.values.shape
        rect = QRectF(x, where.given.top() + 20.0, columns * where.row * WIDE, rows * where.row)
        colour = role_colour(view.theme, given.tensor).name()
        write(
            painter,
            QRectF(x, where.given.top(), rect.width() + BETWEEN, 18.0),
            symbol(given),
            colour,
            font(BODY, bold=True),
        )
        paint_grid(
            painter,
            rect,
            view,
            given.values,
            levels_of(given.values, given.tensor),
            decimals=_places(given),
            digits=0.0,
        )
        x = rect.right() + BETWEEN


def symbol(given: GivenMatrix) -> str:
    """Return the symbol of a given matrix."""
    return "[A₁V₁ A₂V₂]" if given.symbol == "concat" else given.symbol


def _places(given: GivenMatrix) -> int:
    """Return the decimals of its numbers."""
    return next(
        (
            places
            for places in range(3)
            if (abs(given.values - given.values.round(places)) < 1e-9).all()
        ),
        3,
    )


def _paint_option(
    painter: QPainter, area: QRectF, text: Paragraph, page: QuizPage, place: int, theme: Colours
) -> None:
    """Paint a box with its number; after an answer, mark the right and the chosen one."""
    mark = _mark(page, place)
    right = page.order[place] == 0
    colour = (theme.value if right else theme.error) if mark else theme.line
    paint_shape(
        painter,
        area,
        line=colour,
        width=2.0 if mark else 1.0,
        fill=theme.surface if mark else theme.sunken,
        radius=7.0,
    )
    badge = QRectF(area.left() + INSET, area.center().y() - BADGE / 2, BADGE, BADGE)
    ink = colour if mark else theme.muted
    paint_disc(painter, badge.center(), BADGE / 2, line=ink)
    write(painter, badge, str(place + 1), ink, font(CAPTION, bold=True), CENTRED)
    at = QPointF(badge.right() + 8.0, area.center().y() - text.height / 2 + 1.0)
    text.paint(painter, at, theme.muted if page.reply is not None and not mark else theme.text)
    if mark:
        rect = QRectF(area.right() - INSET - MARK, area.top(), MARK, area.height())
        line = mark if area.width() >= NARROW else mark[0]
        write(painter, rect, line, colour, font(BODY, bold=True), RIGHT_ALIGNED)


def _paint_typed(painter: QPainter, where: PageLayout, view: LabView) -> None:
    """Paint the typed answer or its field."""
    page: QuizPage = view.result
    area = QRectF(where.card.left(), where.feedback[0][0].top() - 34.0, where.card.width(), 24.0)
    if page.reply is None:
        text, colour = (
            tr("Type the number into the field; two decimals are enough."),
            view.theme.muted,
        )
    else:
        mark = tr("✓ right") if page.reply.right else tr("✗ wrong")
        typed = number(page.reply.number, view.decimals)
        text = tr("Your answer: {number}   {mark}", number=typed, mark=mark)
        colour = view.theme.value if page.reply.right else view.theme.error
    write(painter, area, text, colour, font(BODY, bold=page.reply is not None))


def _paint_feedback(painter: QPainter, where: PageLayout, page: QuizPage, theme: Colours) -> None:
    """Paint verdict, explanation and the proof button."""
    colour = theme.value if page.reply is not None and page.reply.right else theme.error
    for (area, text), ink in zip(where.feedback, (colour, theme.text), strict=True):
        text.paint(painter, area.topLeft(), ink)
    if page.proof:
        _paint_chip(painter, where.prove, prove_name(page), theme, on=True, full=True)


def _paint_hint(painter: QPainter, where: PageLayout, page: QuizPage, theme: Colours) -> None:
    """Paint how to answer, in the space of the verdict."""
    if not page.typed:
        area = QRectF(
            where.feedback[0][0].left(), where.feedback[0][0].top(), where.card.width(), 20.0
        )
        hint = tr("Click an answer, or press its number.")
        write(painter, area, hint, theme.muted, font(where.small))
