"""Texts and layout of a quiz card, in the largest type sizes that fit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF

from core.base.number_format import show
from core.lesson.model import LocalizedText
from core.quiz.exercises import Terms
from core.quiz.quiz import QuizPage
from gui.labs.exhibit import LabView
from gui.painting.theme import BODY, CAPTION, DISPLAY, TITLE, font
from gui.texts.translation import current_language, tr
from gui.widgets.subscripts import Paragraph

LEAST = 2  # least decimals, to tell the options apart
PLAIN = 3  # most decimals of a number written in full


def number(value: float, decimals: int) -> str:
    """Format a number as short as possible: 3, 0.125; others with the chosen decimals."""
    for places in range(PLAIN + 1):
        if abs(value - round(value, places)) < 1e-9:
            return show(value, places)
    return show(value, max(LEAST, decimals))


def added(terms: Terms, decimals: int) -> str:
    """Format 2·(−1) + 3·4, negative factors in brackets."""
    return " + ".join("·".join(_factor(value, decimals) for value in term) for term in terms)


def _factor(value: float, decimals: int) -> str:
    text = number(value, decimals)
    return f"({text})" if value < 0 else text


def card_text(words: LocalizedText, page: QuizPage, decimals: int) -> str:
    """Fill the exercise's numbers into a text of the card."""
    text = words.of(current_language())
    drawn = page.exercise
    if drawn is None:
        return text
    numbers = {name: number(value, decimals) for name, value in drawn.values.items()}
    return text.format(
        **numbers, right=number(drawn.right, decimals), sum=added(drawn.terms, decimals)
    )


def option_text(page: QuizPage, place: int, decimals: int) -> str:
    """Return the displayed option at an index."""
    index = page.order[place]
    if page.exercise is not None:
        return number(page.exercise.numbers[index], decimals)
    return page.card.options[index].of(current_language())


def verdict_text(page: QuizPage, decimals: int) -> str:
    """Return right or wrong, with the mistake if known; "" before an answer."""
    if page.reply is None:
        return ""
    if page.reply.right:
        return tr("Right.")
    if page.exercise is not None and page.reply.option > 0:
        return tr(
            "Wrong: {slip}",
            slip=card_text(page.card.slips[page.reply.option - 1][1], page, decimals),
        )
    if page.exercise is not None:
        return tr("Wrong: it is not {number}.", number=number(page.reply.number, decimals))
    return tr("Wrong.")


def spoken_text(text: str) -> str:
    """Replace signs that screen readers skip by words."""
    return text.replace("−∞", tr("minus infinity"))


# Font sizes of question (the largest), options and explanation, and the row height of a matrix,
# in order of preference.
SIZES = (
    (DISPLAY, TITLE, TITLE, 38.0),
    (DISPLAY, TITLE, BODY, 34.0),
    (DISPLAY, BODY, BODY, 30.0),
    (TITLE, BODY, BODY, 26.0),
    (TITLE, BODY, BODY, 22.0),
    (TITLE, BODY, CAPTION, 20.0),
    (TITLE, CAPTION, CAPTION, 18.0),
    (BODY, CAPTION, CAPTION, 18.0),
)
WIDEST = 940.0  # largest width of a text column
MARGIN = 18.0
SIDE = 250.0  # width of the results beside the card
SIDE_FROM = 1000.0  # least width with results beside the card
GAP = 44.0  # gap between card and results
CHIP = 26.0
BADGE = 20.0
INSET = 10.0
MARK, SHORT_MARK = 74.0, 18.0  # width of "✓ right" at the end of an option, or of "✓" alone
NARROW = 400.0  # width of an option with the short mark
TIGHT = 3.0  # gap between parts of a card too high for its area
SCALES = (
    1.0,
    0.95,
    0.9,
    0.85,
    0.8,
    0.75,
    0.7,
    0.65,
    0.6,
)  # smallest scale of a card that still does not fit


@dataclass(frozen=True, slots=True, eq=False)
class PageLayout:
    """Rectangles with their texts. `given` is the band of the matrices, `row` their row height.

    Coordinates are in units of `scale`, below 1 only in the lowest areas, from the area's upper
    left corner. `feedback` is the verdict and the explanation, one below the other; `prove` the
    button below them.
    """

    card: QRectF
    side: QRectF
    head: QRectF
    previous: QRectF
    following: QRectF
    question: tuple[QRectF, Paragraph]
    given: QRectF
    row: float
    options: tuple[tuple[QRectF, Paragraph], ...]
    feedback: tuple[tuple[QRectF, Paragraph], ...]
    prove: QRectF
    small: float
    scale: float = 1.0

    def seen(self, area: QRectF, rect: QRectF) -> QRectF:
        """Map a rectangle of the layout to the area."""
        corner = rect.topLeft() + (area.topLeft() - rect.topLeft()) * self.scale
        return QRectF(corner, area.size() * self.scale)


def page_layout(area: QRectF, view: LabView) -> PageLayout:
    """Lay out the card; equal before and after an answer except in the lowest areas."""
    side = QRectF()
    card = area.adjusted(MARGIN, 10.0, -MARGIN, -8.0)
    beside = area.width() >= SIDE_FROM
    card.setWidth(min(card.width() - (SIDE + GAP if beside else 0.0), WIDEST))
    if beside:
        side = QRectF(card.right() + GAP, card.top(), SIDE, card.height())
    for sizes in SIZES:
        found, bottom = _laid(card, side, view, sizes)
        if bottom <= card.bottom():
            return found
    return _shrunk(area, view)


def _shrunk(area: QRectF, view: LabView) -> PageLayout:
    """Lay out the card with small gaps and, if still too high, scaled down."""
    for scale in SCALES:
        card = QRectF(area.topLeft(), area.size() / scale).adjusted(MARGIN, 4.0, -MARGIN, -4.0)
        found, bottom = _laid(card, QRectF(), view, SIZES[-1], tight=True)
        if (
            found.feedback[0][0].bottom() if view.result.reply is None else bottom
        ) <= card.bottom():
            break
    return replace(found, scale=scale)


def _laid(
    card: QRectF,
    side: QRectF,
    view: LabView,
    sizes: tuple[int, int, int, float],
    *,
    tight: bool = False,
) -> tuple[PageLayout, float]:
    """Lay out with given sizes; returns the layout and its end.

    A tight one has options in two columns and the proof beside the verdict.
    """
    page: QuizPage = view.result
    asked, offered, small, row = sizes
    air = TIGHT if tight else 16.0 if row >= 34.0 else 10.0 if row >= 26.0 else 6.0
    head = QRectF(card.left(), card.top(), card.width(), CHIP)
    previous, following = _chips(head)
    y = head.bottom() + air
    question = _paragraph(
        card_text(page.card.question, page, view.decimals), asked, card, y, bold=True
    )
    y = question[0].bottom() + air
    given = QRectF(card.left(), y, card.width(), _given_height(page, row))
    y = given.bottom() + (air if given.height() else 0.0)
    options = _options(
        page, view.decimals, offered, QRectF(card.left(), y, card.width(), 0.0), 2 if tight else 1
    )
    y = options[-1][0].bottom() + air if options else y + CHIP + air
    feedback, y = _feedback(page, view.decimals, small, card, y)
    prove = (
        QRectF(card.left(), y + air * 0.8, _chip_width(prove_name(page)), CHIP)
        if page.proof
        else QRectF()
    )
    if tight and page.proof:
        prove.moveTopRight(QPointF(card.right(), feedback[0][0].top()))
        feedback, y = _feedback(page, view.decimals, small, card, feedback[0][0].top(), prove)
    found = PageLayout(
        card,
        side,
        head,
        previous,
        following,
        question,
        given,
        row,
        options,
        feedback,
        prove,
        float(small),
    )
    return found, max(prove.bottom(), y)


def prove_name(page: QuizPage) -> str:
    """Return the text of the button that leads to the proof."""
    if page.proof == "lab":
        return tr("Prove it in a lab")
    return tr("Prove it in the main window")


def _chips(head: QRectF) -> tuple[QRectF, QRectF]:
    """Return the buttons of the previous and next card at the right of the head."""
    wide = [_chip_width(tr("‹ Previous")), _chip_width(tr("Next ›"))]
    following = QRectF(head.right() - wide[1], head.top(), wide[1], head.height())
    return QRectF(following.left() - 8.0 - wide[0], head.top(), wide[0], head.height()), following


def _chip_width(text: str) -> float:
    wide: float = QFontMetricsF(font(BODY, bold=True)).horizontalAdvance(text)
    return wide + 24.0


def _given_height(page: QuizPage, row: float) -> float:
    if page.exercise is None or not page.exercise.given:
        return 0.0
    rows = max(int(one.values.shape[0]) for one in page.exercise.given)
    return 20.0 + row * rows


def _paragraph(
    text: str, size: float, card: QRectF, y: float, *, bold: bool = False
) -> tuple[QRectF, Paragraph]:
    paragraph = Paragraph(text, font(size, bold=bold), card.width())
    return QRectF(card.left(), y, card.width(), paragraph.height), paragraph


def _options(
    page: QuizPage, decimals: int, size: int, area: QRectF, columns: int = 1
) -> tuple[tuple[QRectF, Paragraph], ...]:
    """Lay out sentences below each other or in columns, numbers side by side.

    None for typed answers.
    """
    if page.typed:
        return ()
    texts = [option_text(page, place, decimals) for place in range(len(page.order))]
    pad = TIGHT if columns > 1 else 5.0 if size < TITLE else 8.0
    if page.exercise is not None:
        wide = (area.width() - 8.0 * (len(texts) - 1)) / len(texts)
        inner = [Paragraph(text, font(size, bold=True), wide) for text in texts]
        high = max(one.height for one in inner) + 2 * pad + 2.0
        return tuple(
            (QRectF(area.left() + place * (wide + 8.0), area.top(), wide, high), one)
            for place, one in enumerate(inner)
        )
    wide = (area.width() - pad * (columns - 1)) / columns
    mark = MARK if wide >= NARROW else SHORT_MARK
    inner = [Paragraph(text, font(size), wide - 2 * INSET - BADGE - 8.0 - mark) for text in texts]
    found, y = [], area.top()
    for first in range(0, len(inner), columns):
        line = inner[first : first + columns]
        high = max(max(one.height for one in line), BADGE) + 2 * pad
        found += [
            (QRectF(area.left() + at * (wide + pad), y, wide, high), one)
            for at, one in enumerate(line)
        ]
        y += high + pad
    return tuple(found)


def _feedback(
    page: QuizPage, decimals: int, size: int, card: QRectF, y: float, beside: QRectF | None = None
) -> tuple[tuple[tuple[QRectF, Paragraph], ...], float]:
    """Lay out verdict and explanation, with reserved space before an answer; `beside` has its own."""
    wide = (
        QRectF(card.left(), card.top(), beside.left() - 8.0 - card.left(), 0.0) if beside else card
    )
    verdict = _paragraph(verdict_text(page, decimals) or tr("Right."), size, wide, y, bold=True)
    top = (
        max(verdict[0].bottom() + 6.0, beside.bottom() + 2.0)
        if beside
        else verdict[0].bottom() + 6.0
    )
    explained = _paragraph(card_text(page.card.explanation, page, decimals), size, card, top)
    return (verdict, explained), explained[0].bottom()
