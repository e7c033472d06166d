"""The picture of a presented step: headline and panels, for screens, previews and exports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QPointF, QRect, QRectF, QSize
from PySide6.QtGui import QColor, QFont, QPainter

from core.lesson.model import PAGE_VIEW
from gui.labs.frame import paint_lab
from gui.painting.text_size import in_units
from gui.painting.theme import BODY, TITLE, colours, font
from gui.presentation.panel_painters import paint_code, paint_page, paint_sum
from gui.session.presented_views import PresentedViews
from gui.session.state import State
from gui.texts.translation import localized_label, tr
from gui.views.diagram.picture import paint_diagram
from gui.views.heatmaps.painting import paint_heatmap
from gui.views.stage.picture import paint_stage
from gui.views.stage.scene import is_low
from gui.widgets.subscripts import Paragraph

LINES = 36
# The smallest text of each panel, in units.
SMALLEST_TEXT = {
    "diagram": 8.5,
    "stage": 11.9,
    "derivation": 11.9,
    "heatmap": 9.8,
    "code": 11.9,
    "lab": 11.9,
    "page": 11.9,
    "words": 11.9,
}
MARGIN, BETWEEN = 10, 10  # units of words
DIAGRAM = 106  # units of a diagram whose cards are not cut


def text_height(screen: QRect | QSize, percent: int = 100) -> int:
    """The height that text sizes follow: the screen's, or 3/4 of its width if that is less.

    A window on half of a screen so has as much room for numbers as a screen of 4:3. `percent` is
    the text size of the presentation.
    """
    return min(screen.height(), screen.width() * 3 // 4) * percent // 100


def unit_for(part: str, height: int) -> float:
    """Pixels in a unit of a panel (or of "words") on a screen of this text height."""
    return max(height, LINES) / LINES / SMALLEST_TEXT[part]


def panel_rects(area: QRect, choice: PresentedViews, height: int) -> tuple[QRect, ...]:
    """The rectangles of the panels below the headline."""
    unit = unit_for("words", height)
    inner = area.adjusted(*(round(side * MARGIN * unit) for side in (1, 1, -1, -1)))
    if len(choice.panels) == 1:
        return (inner,)
    gap, aspect = round(BETWEEN * unit), area.width() / max(1, height)
    if choice.is_side_by_side(aspect):
        first = round((inner.width() - gap) * choice.share(aspect))
        second = inner.adjusted(first + gap, 0, 0, 0)
        return QRect(inner.x(), inner.y(), first, inner.height()), second
    first = _high(choice, inner.height() - gap, choice.share(aspect), height)
    return QRect(inner.x(), inner.y(), inner.width(), first), inner.adjusted(0, first + gap, 0, 0)


def _high(choice: PresentedViews, room: int, share: float, height: int) -> int:
    """The height of the upper panel; a diagram gets what its cards need, up to half of the room."""
    needed = min(round(DIAGRAM * unit_for("diagram", height)), room // 2)
    shares = (round(room * share), room - round(room * share))
    if (
        choice.percent
        or "diagram" not in choice.panels
        or shares[choice.panels.index("diagram")] >= needed
    ):
        return shares[0]
    return needed if choice.panels[0] == "diagram" else room - needed


def gap_between(places: tuple[QRect, ...]) -> QRect:
    """The rectangle between two panels, empty for one."""
    if len(places) < 2:
        return QRect()
    first, second = places
    if first.x() == second.x():
        return QRect(first.x(), first.bottom() + 1, first.width(), second.y() - first.bottom() - 1)
    return QRect(first.right() + 1, first.y(), second.x() - first.right() - 1, first.height())


ABOVE, LINE_GAP, BAR = 8.0, 4.0, 3.0


@dataclass(frozen=True, slots=True)
class Headline:
    """The texts above the panels, "" if missing.

    `reserved` is an answer that is not shown yet; its room is kept, so that nothing moves later.
    """

    title: str = ""
    question: str = ""
    answer: str = ""
    reserved: str = ""


def headline_of(state: State, answered: bool, *, comes: bool = True) -> Headline:
    """The headline of a state; `comes` says whether the answer may still be shown."""
    if state.scene is None:
        return Headline()
    scene, language = state.scene.scene, state.language
    title = (
        ""
        if state.view == PAGE_VIEW
        else localized_label(scene.title.texts, scene.title.of(language))
    )
    question, answer = scene.question.of(language), scene.answer.of(language)
    if answered:
        return Headline(title, question, answer)
    return Headline(title, question, reserved=answer if comes else "")


@dataclass(frozen=True, slots=True)
class _Line:
    """One text with its colour, and the colour of the bar before it ("" for none)."""

    text: str
    face: QFont
    colour: str = "text"
    bar: str = ""

    def room(self, width: float) -> float:
        """The width for the text."""
        return width - 2 * MARGIN - 4 - (BAR + 8 if self.bar else 0)

    def height(self, width: float) -> float:
        """The height at a width."""
        return self.paragraph(width).height

    def paragraph(self, width: float) -> Paragraph:
        """The text in lines, with subscripts and powers."""
        return Paragraph(self.text, self.face, self.room(width))


def _lines(words: Headline) -> list[_Line]:
    face = font(BODY + 1)
    lines = (
        _Line(words.title, font(TITLE, bold=True)),
        _Line(words.question, face, "accent", "accent"),
        _Line(words.answer or words.reserved, face, "text", "value"),
    )
    return [line for line in lines if line.text]


def headline_height(words: Headline, width: int, height: int) -> int:
    """The height of a headline in pixels on a screen of this size."""
    unit, lines = unit_for("words", height), _lines(words)
    if not lines:
        return 0
    return round(
        (ABOVE + sum(line.height(round(width / unit)) + LINE_GAP for line in lines)) * unit
    )


def paint_headline(
    painter: QPainter, place: QRect, height: int, words: Headline, state: State
) -> None:
    """Paint a headline into its part of the screen."""
    theme = colours(state.shade)
    with in_units(painter, place, unit_for("words", height)) as room:
        y = ABOVE
        for line in _lines(replace(words, reserved="")):
            high = line.height(room.width())
            x = MARGIN + 4.0
            if line.bar:
                painter.fillRect(QRectF(x, y + 2, BAR, high - 4), QColor(getattr(theme, line.bar)))
                x += BAR + 8
            paragraph = line.paragraph(room.width())
            paragraph.paint(painter, QPointF(x, y), getattr(theme, line.colour))
            y += high + LINE_GAP


def spoken_headline(words: Headline) -> str:
    """The headline for screen readers."""
    return tr(" — ").join(text for text in (words.title, words.question, words.answer) if text)


def stage_texts(choice: PresentedViews, words: Headline) -> tuple[bool, bool]:
    """Whether the stage panel is brief, and whether it has a worked sum.

    Numbers come first below a question; one worked sum is enough.
    """
    return bool(words.question) or "derivation" in choice.panels, "derivation" not in choice.panels


Paint = Callable[[QPainter, QRectF, State], None]
PAINTERS: Mapping[str, Paint] = {
    "diagram": partial(paint_diagram, whole=False),
    "stage": paint_stage,
    "derivation": paint_sum,
    "heatmap": paint_heatmap,
    "code": paint_code,
    "lab": paint_lab,
    "page": paint_page,
}


def slide_areas(
    screen: QRect, choice: PresentedViews, words: Headline, percent: int = 100
) -> tuple[QRect, tuple[QRect, ...]]:
    """The rectangles of headline and panels at a text size."""
    height = text_height(screen, percent)
    head = headline_height(words, screen.width(), height)
    below = screen.adjusted(0, head, 0, 0)
    return QRect(screen.x(), screen.y(), screen.width(), head), panel_rects(below, choice, height)


def paint_panel(
    painter: QPainter, place: QRect, panel: str, state: State, height: int, paint: Paint
) -> None:
    """Paint one panel into its rectangle."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    with in_units(painter, place, unit_for(panel, height)) as room:
        paint(painter, room, state)


def _stage_painter(brief: bool, card: bool) -> Paint:
    return lambda painter, rect, state: paint_stage(
        painter, rect, state, brief=brief or is_low(rect), card=card
    )


def paint_slide(
    painter: QPainter,
    screen: QRect,
    state: State,
    choice: PresentedViews,
    words: Headline,
    painters: Mapping[str, Paint] = PAINTERS,
) -> None:
    """Paint headline and panels; `screen` may be small, `painters` may replace the usual ones."""
    painter.fillRect(screen, QColor(colours(state.shade).surface))
    percent = state.preferences.presented_text
    height = text_height(screen, percent)
    head, places = slide_areas(screen, choice, words, percent)
    brief, card = stage_texts(choice, words)
    for panel, place in zip(choice.panels, places, strict=True):
        paint = painters[panel]
        if paint is paint_stage:
            paint = _stage_painter(brief, card)
        paint_panel(painter, place, panel, state, height, paint)
    paint_headline(painter, head, height, words, state)
