"""Where everything of a card lies: the largest sizes of the type scale at which all of it has room."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from core.labs.quiz import Page
from gui.labs import quiz_words as words
from gui.labs.exhibit import Shown
from gui.language import tr
from gui.theme import BODY, CAPTION, DISPLAY, TITLE, font
from gui.widgets.paragraph import Paragraph

# Sizes of question, options and explanation, and the height of a row of a matrix; the first that fits is taken.
SIZES = (
    (DISPLAY, TITLE, TITLE, 38.0),
    (DISPLAY, TITLE, BODY, 34.0),
    (TITLE, TITLE, BODY, 30.0),
    (TITLE, BODY, BODY, 26.0),
    (BODY, BODY, BODY, 22.0),
    (BODY, BODY, CAPTION, 20.0),
    (BODY, CAPTION, CAPTION, 18.0),
)
WIDEST = 940.0  # a column of text
MARGIN = 18.0
SIDE = 250.0  # the results beside the card
SIDE_FROM = 1000.0  # width of the room from which they stand there
GAP = 44.0  # between the card and them
CHIP = 26.0
BADGE = 20.0
INSET = 10.0
MARK = 74.0  # for "✓ right" at the end of an option


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Rectangles with what is written in them. `given` is the band of the matrices, `row` the height of their rows.

    `told` is the verdict and the explanation, one under the other; `prove` the button below them.
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
    told: tuple[tuple[QRectF, Paragraph], ...]
    prove: QRectF
    small: float


def places(room: QRectF, shown: Shown) -> Places:
    """The layout of the card in its room. It is the same before and after an answer."""
    side = QRectF()
    card = room.adjusted(MARGIN, 10.0, -MARGIN, -8.0)
    beside = room.width() >= SIDE_FROM
    card.setWidth(min(card.width() - (SIDE + GAP if beside else 0.0), WIDEST))
    if beside:
        side = QRectF(card.right() + GAP, card.top(), SIDE, card.height())
    for sizes in SIZES:
        found, bottom = _laid(card, side, shown, sizes)
        if bottom <= card.bottom():
            break
    return found


def _laid(card: QRectF, side: QRectF, shown: Shown, sizes: tuple[int, int, int, float]) -> tuple[Places, float]:
    """The layout in some sizes, and where it ends."""
    page: Page = shown.result
    decimals = shown.look.decimals
    asked, offered, small, row = sizes
    air = 6.0 if asked == BODY else 10.0 if asked == TITLE else 16.0
    head = QRectF(card.left(), card.top(), card.width(), CHIP)
    previous, following = _chips(head)
    y = head.bottom() + air
    question = _paragraph(words.said(page.card.question, page, decimals), asked, card, y, bold=True)
    y = question[0].bottom() + air
    given = QRectF(card.left(), y, card.width(), _given_height(page, row))
    y = given.bottom() + (air if given.height() else 0.0)
    options = _options(page, decimals, offered, QRectF(card.left(), y, card.width(), 0.0))
    y = options[-1][0].bottom() + air if options else y + CHIP + air
    told, y = _told(page, decimals, small, card, y)
    prove = QRectF(card.left(), y + air * 0.8, _chip_width(prove_name(page)), CHIP) if page.proof else QRectF()
    found = Places(card, side, head, previous, following, question, given, row, options, told, prove, float(small))
    return found, prove.bottom() if page.proof else y


def prove_name(page: Page) -> str:
    """The button that leads to the proof."""
    if page.proof == "lab":
        return tr("Prove it in a lab")
    return tr("Prove it in the main window")


def _chips(head: QRectF) -> tuple[QRectF, QRectF]:
    """To the card before and to the one after, at the right of the head."""
    wide = [_chip_width(tr("‹ Previous")), _chip_width(tr("Next ›"))]
    following = QRectF(head.right() - wide[1], head.top(), wide[1], head.height())
    return QRectF(following.left() - 8.0 - wide[0], head.top(), wide[0], head.height()), following


def _chip_width(text: str) -> float:
    wide: float = QFontMetricsF(font(BODY, bold=True)).horizontalAdvance(text)
    return wide + 24.0


def _given_height(page: Page, row: float) -> float:
    if page.exercise is None or not page.exercise.given:
        return 0.0
    rows = max(int(one.values.shape[0]) for one in page.exercise.given)
    return 20.0 + row * rows


def _paragraph(text: str, size: float, card: QRectF, y: float, *, bold: bool = False) -> tuple[QRectF, Paragraph]:
    paragraph = Paragraph(text, font(size, bold=bold), card.width())
    return QRectF(card.left(), y, card.width(), paragraph.height), paragraph


def _options(page: Page, decimals: int, size: int, area: QRectF) -> tuple[tuple[QRectF, Paragraph], ...]:
    """Sentences under each other; numbers beside each other. None where a number is to be typed."""
    if page.typed:
        return ()
    texts = [words.option(page, place, decimals) for place in range(len(page.order))]
    pad = 5.0 if size < TITLE else 8.0
    if page.exercise is not None:
        wide = (area.width() - 8.0 * (len(texts) - 1)) / len(texts)
        inner = [Paragraph(text, font(size, bold=True), wide) for text in texts]
        high = max(one.height for one in inner) + 2 * pad + 2.0
        return tuple(
            (QRectF(area.left() + place * (wide + 8.0), area.top(), wide, high), one) for place, one in enumerate(inner)
        )
    found, y = [], area.top()
    for text in texts:
        one = Paragraph(text, font(size), area.width() - 2 * INSET - BADGE - 8.0 - MARK)
        found.append((QRectF(area.left(), y, area.width(), max(one.height, BADGE) + 2 * pad), one))
        y = found[-1][0].bottom() + pad
    return tuple(found)


def _told(
    page: Page, decimals: int, size: int, card: QRectF, y: float
) -> tuple[tuple[tuple[QRectF, Paragraph], ...], float]:
    """The verdict and the explanation; before an answer their room is kept free."""
    verdict = _paragraph(words.verdict(page, decimals) or tr("Right."), size, card, y, bold=True)
    explained = _paragraph(words.said(page.card.explanation, page, decimals), size, card, verdict[0].bottom() + 6.0)
    return (verdict, explained), explained[0].bottom()
