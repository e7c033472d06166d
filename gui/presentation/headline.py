"""What stands above the panels while a lesson is played: the scene's title, its question, and its answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from gui.painting.scaling import in_units
from gui.painting.theme import BODY, TITLE, colours, font
from gui.presentation.sizes import MARGIN, unit_for
from gui.session.state import State
from gui.texts.translation import tr

WRAP = int(Qt.TextFlag.TextWordWrap)
ABOVE, BETWEEN, BAR = 8.0, 4.0, 3.0


@dataclass(frozen=True, slots=True)
class Headline:
    """The words; "" where there are none. The answer is there only once it is shown; until then it `waits`, and its
    room is kept, so that nothing moves when it comes."""

    title: str = ""
    question: str = ""
    answer: str = ""
    waits: str = ""


def headline_of(state: State, answered: bool, *, comes: bool = True) -> Headline:
    """The words of the scene at which we stand; `comes`: the answer may still be shown, where the picture moves on."""
    if state.scene is None:
        return Headline()
    scene, language = state.scene.scene, state.language
    title, question, answer = (
        words.of(language) for words in (scene.title, scene.question, scene.answer)
    )
    if answered:
        return Headline(title, question, answer)
    return Headline(title, question, waits=answer if comes else "")


@dataclass(frozen=True, slots=True)
class _Line:
    """One text, the colour of its words, and that of the bar before it ("" for none)."""

    text: str
    face: QFont
    colour: str = "text"
    bar: str = ""

    def room(self, width: float) -> float:
        """The width that is left for the words."""
        return width - 2 * MARGIN - 4 - (BAR + 8 if self.bar else 0)

    def height(self, width: float) -> float:
        """What it needs where there is so much width."""
        room = QRectF(0, 0, self.room(width), 400)
        return QFontMetricsF(self.face).boundingRect(room, WRAP, self.text).height()


def _lines(words: Headline) -> list[_Line]:
    said = font(BODY + 1)
    lines = (
        _Line(words.title, font(TITLE, bold=True)),
        _Line(words.question, said, "accent", "accent"),
        _Line(words.answer or words.waits, said, "text", "value"),
    )
    return [line for line in lines if line.text]


def headline_height(words: Headline, width: int, height: int) -> int:
    """How many pixels the words take on a screen of this size."""
    unit, lines = unit_for("words", height), _lines(words)
    if not lines:
        return 0
    return round((ABOVE + sum(line.height(round(width / unit)) + BETWEEN for line in lines)) * unit)


def paint_headline(
    painter: QPainter, place: QRect, height: int, words: Headline, state: State
) -> None:
    """Draw the words into their part of a screen of this height."""
    theme = colours(state.shade)
    with in_units(painter, place, unit_for("words", height)) as room:
        y = ABOVE
        for line in _lines(replace(words, waits="")):
            high = line.height(room.width())
            x = MARGIN + 4.0
            if line.bar:
                painter.fillRect(QRectF(x, y + 2, BAR, high - 4), QColor(getattr(theme, line.bar)))
                x += BAR + 8
            painter.setFont(line.face)
            painter.setPen(QColor(getattr(theme, line.colour)))
            painter.drawText(QRectF(x, y, line.room(room.width()), high + 2), WRAP, line.text)
            y += high + BETWEEN


def spoken_headline(words: Headline) -> str:
    """The words for a screen reader."""
    return tr(" — ").join(text for text in (words.title, words.question, words.answer) if text)
