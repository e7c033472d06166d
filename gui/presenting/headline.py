"""What stands above the panels while a lesson is played: the scene's title, its question, and its answer."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from gui.language import tr
from gui.presenting.sizes import MARGIN, unit_for
from gui.state import State
from gui.theme import BODY, TITLE, colours, font
from gui.units import in_units

WRAP = int(Qt.TextFlag.TextWordWrap)
ABOVE, BETWEEN, BAR = 8.0, 4.0, 3.0


@dataclass(frozen=True, slots=True)
class Headline:
    """The words; "" where there are none. The answer is there only once it is shown."""

    title: str = ""
    question: str = ""
    answer: str = ""


def headline_of(state: State, answered: bool) -> Headline:
    """The words of the scene at which we stand."""
    if state.shown is None:
        return Headline()
    scene, language = state.shown.scene, state.language
    answer = scene.answer.of(language) if answered else ""
    return Headline(scene.title.of(language), scene.question.of(language), answer)


def _lines(words: Headline) -> list[tuple[str, QFont, str]]:
    lines = [(words.title, font(TITLE, bold=True), "text"), (words.question, font(BODY + 1), "accent")]
    return [line for line in [*lines, (words.answer, font(BODY + 1), "text")] if line[0]]


def headline_height(words: Headline, width: int, height: int) -> int:
    """How many pixels the words take on a screen of this size."""
    unit = unit_for("words", height)
    lines = _lines(words)
    if not lines:
        return 0
    room = width / unit - 2 * MARGIN - 4
    return round((ABOVE + sum(_needs(text, face, room) + BETWEEN for text, face, _ in lines)) * unit)


def _needs(text: str, face: QFont, width: float) -> float:
    return QFontMetricsF(face).boundingRect(QRectF(0, 0, width, 400), WRAP, text).height()


def paint_headline(painter: QPainter, place: QRect, height: int, words: Headline, state: State) -> None:
    """Draw the words into their part of a screen of this height."""
    theme = colours(state.dark)
    with in_units(painter, place, unit_for("words", height)) as room:
        y = ABOVE
        for text, face, colour in _lines(words):
            line = QRectF(
                MARGIN + 4, y, room.width() - 2 * MARGIN - 4, _needs(text, face, room.width() - 2 * MARGIN - 4)
            )
            if colour == "accent" or text == words.answer:
                bar = QRectF(MARGIN + 4, y + 2, BAR, line.height() - 4)
                painter.fillRect(bar, QColor(theme.accent if colour == "accent" else theme.value))
                line.setLeft(line.left() + BAR + 8)
            painter.setFont(face)
            painter.setPen(QColor(getattr(theme, colour)))
            painter.drawText(line.adjusted(0, 0, 0, 20), WRAP, text)
            y += line.height() + BETWEEN


def spoken_headline(words: Headline) -> str:
    """The words for a screen reader."""
    return tr(" — ").join(text for text in (words.title, words.question, words.answer) if text)
