"""Exhibit of the lab `context`: texts, arcs and picture."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from core.labs.context import DEED, FRUIT, PERSON, TECH, ContextResult, Meaning, sentence
from core.labs.lab import Setting
from gui.labs.charts import (
    CENTRED,
    RIGHT_ALIGNED,
    Chart,
    ChartAxis,
    ChartStroke,
    chart_in,
    paint_frame,
    paint_plate,
    write,
)
from gui.labs.exhibit import BY_HAND, Exhibit, LabView, split
from gui.painting.shapes import paint_arrow_head, paint_shape, square_around
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.texts.translation import language_folder, mark, tr, tr_marked

THICKEST = 14.0
LOWEST = 0.4  # height of the lowest arc relative to the highest one
# End points of the nearest and the outermost arc, relative to the word's width; the second
# pair is for arcs from both sides, with the word's own loop and its number between them.
ENDS, SPREAD_ENDS = (0.38, 0.14), (0.48, 0.35)
FEET, BELLY = 5.0, 20.0  # half width of a loop at its base, and the bulge of its sides
LOOP = 40.0  # height of the highest loop
PLATE = 20.0  # height of a number
NUMBER = 0.42  # position of the number along an arc, closer to the token because arcs converge at the word
PEAK = 0.75  # height of a curve relative to its control points


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc from a token to the word, and the middle of its number."""

    path: QPainterPath
    label: QPointF


def arc(seats: list[QRectF], index: int, word: int, high: float) -> Arc:
    """Build one token's arc; height grows with distance up to `high` above the chips."""
    if index == word:
        return _loop(seats, word, high)
    chip, top, last = seats[word], seats[word].top(), len(seats) - 1
    away, farthest = abs(index - word), max(word, last - word)
    up = high * (LOWEST + (1.0 - LOWEST) * away / farthest)
    side, beside = (-1, word) if index < word else (1, last - word)
    nearest, outermost = ENDS if beside == farthest == last else SPREAD_ENDS
    off = nearest - (nearest - outermost) * (away - 1) / max(beside - 1, 1)
    start, end = seats[index].center().x(), chip.center().x() + side * chip.width() * off
    path = QPainterPath(QPointF(start, top))
    path.cubicTo(QPointF(start, top - up / PEAK), QPointF(end, top - up / PEAK), QPointF(end, top))
    return Arc(path, path.pointAtPercent(NUMBER))


def _loop(seats: list[QRectF], word: int, high: float) -> Arc:
    """Build the word's own loop on the side without arcs, its number above it."""
    chip, top = seats[word], seats[word].top()
    side = (word > 0) - (word < len(seats) - 1)
    x, up = chip.center().x() + side * chip.width() * 0.3, min(LOOP, high * 0.6)
    path = QPainterPath(QPointF(x - FEET, top))
    left, right = (
        QPointF(x - FEET - BELLY, top - up / PEAK),
        QPointF(x + FEET + BELLY, top - up / PEAK),
    )
    path.cubicTo(left, right, QPointF(x + FEET, top))
    return Arc(path, QPointF(x + side * FEET * 2, top - up - PLATE / 2 - THICKEST / 4))


def paint_arcs(
    painter: QPainter, seats: list[QRectF], meaning: Meaning, high: float, view: LabView
) -> None:
    """Paint all arcs with width by weight."""
    for index, weight in enumerate(meaning.weights):
        width = 1.0 + (THICKEST - 1.0) * float(weight)
        paint_shape(
            painter,
            arc(seats, index, meaning.place, high).path,
            line=QPen(
                QColor(view.theme.weights),
                width,
                Qt.PenStyle.SolidLine,
                Qt.PenCapStyle.FlatCap,
            ),
        )


def paint_shares(
    painter: QPainter, seats: list[QRectF], meaning: Meaning, high: float, view: LabView
) -> None:
    """Paint the weights on all arcs."""
    theme, face = view.theme, font(BODY, bold=True)
    for index, weight in enumerate(meaning.weights):
        text = view.show(weight)
        plate = QRectF(0.0, 0.0, QFontMetricsF(face).horizontalAdvance(text) + 8.0, PLATE)
        plate.moveCenter(arc(seats, index, meaning.place, high).label)
        paint_plate(painter, plate, text, theme.weights, face, fill=theme.surface, radius=5)


CHIP = 34.0
HEADROOM = 18.0  # units above the arcs
MOST_RISE = 170.0  # height of the arcs above the tokens
BAR = 24.0
OTHERS = 17.0  # line of the other columns
BARS_GAP = 12.0  # gap between tokens and bars
LEAST_PARTS = 40.0  # least height of bars; the plane shows the same values
LEAST_BAR = 16.0  # least height of bars with the line of the other columns
CAPTIONED = 200.0  # least size of a plane with words beside numbers
WIDE = 1.25


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint sentences with their weights on the left, the plane on the right (below if narrow)."""
    result: ContextResult = view.result
    wide = area.width() >= WIDE * area.height()
    left, plane = split(area, 0.55, 0, across=wide)
    if wide:
        left, plane = left.adjusted(12, 6, -12, -6), plane.adjusted(0, 6, -12, -6)
    else:
        left, plane = left.adjusted(12, 6, -12, 6), plane.adjusted(12, 14, -12, -6)
    half = (left.height() - 14) / 2
    for index, meaning in enumerate((result.first, result.second)):
        inner = QRectF(left.left(), left.top() + index * (half + 14), left.width(), half)
        _paint_sentence(painter, inner, meaning, f"y{'₁₂'[index]}", view)
    _paint_plane(painter, plane, result, view)


# One sentence


def _paint_sentence(
    painter: QPainter, area: QRectF, meaning: Meaning, name: str, view: LabView
) -> None:
    seats = chips(area, meaning.document.tokens)
    high = rise(area)
    paint_arcs(painter, seats, meaning, high, view)
    for index, (chip, token) in enumerate(zip(seats, meaning.document.tokens, strict=True)):
        own = index == meaning.place
        paint_plate(
            painter,
            chip,
            token,
            view.theme.text,
            font(TITLE, bold=own),
            line=view.theme.text if own else view.theme.muted,
            width=2.5 if own else 1.0,
            fill=view.theme.surface,
            radius=8,
        )
    paint_shares(painter, seats, meaning, high, view)
    below = seats[0].bottom() + BARS_GAP
    if area.bottom() - below >= LEAST_PARTS:
        bars = QRectF(area.left(), below, area.width(), area.bottom() - below)
        _paint_parts(painter, bars, meaning, name, view)


def rise(area: QRectF) -> float:
    """Return the height of the arcs, leaving space for the content below."""
    free = area.height() - HEADROOM - CHIP - BARS_GAP - 2 * BAR - 8.0 - OTHERS
    return min(max(area.height() * 0.3, free), MOST_RISE, area.height() * 0.5)


def chips(area: QRectF, tokens: tuple[str, ...]) -> list[QRectF]:
    """Return the rectangles of the tokens in a row."""
    top = area.top() + rise(area) + HEADROOM
    step = area.width() / len(tokens)
    found = []
    for index, token in enumerate(tokens):
        width = max(CHIP * 1.6, QFontMetricsF(font(TITLE)).horizontalAdvance(token) + 24)
        left = area.left() + (index + 0.5) * step - width / 2
        found.append(
            QRectF(round(left) + 0.5, top, round(width), CHIP)
        )  # on pixels: a crisp outline
    return found


def _paint_parts(
    painter: QPainter, area: QRectF, meaning: Meaning, name: str, view: LabView
) -> None:
    """Paint two bars, fruit and company, split by token, and the other two columns as numbers."""
    titles = (tr("{name} fruit", name=name), tr("{name} company", name=name))
    label = max(QFontMetricsF(font(BODY)).horizontalAdvance(title) for title in titles) + 12
    most = max(3.2, float(meaning.y[:2].max()))
    unit = max(20.0, area.width() - label - 56) / most
    captioned = area.height() >= 2 * LEAST_BAR + OTHERS + 8
    high = min(BAR, (area.height() - 8 - OTHERS * captioned) / 2)
    for row, (feature, title) in enumerate(((FRUIT, titles[0]), (TECH, titles[1]))):
        y = area.top() + row * (high + 4)
        write(
            painter,
            QRectF(area.left(), y, label, high),
            title,
            view.theme.text,
            font(BODY, bold=True),
        )
        x = area.left() + label
        for token, part in zip(meaning.document.tokens, meaning.parts[:, feature], strict=True):
            if part > 0:
                cell = QRectF(x, y, float(part) * unit, high)
                _paint_part(painter, cell, token, view.theme)
                x += cell.width()
        total = view.show(meaning.y[feature])
        write(painter, QRectF(x + 8, y, 60, high), total, view.theme.text, font(BODY, bold=True))
    if captioned:
        _paint_others(
            painter,
            QRectF(area.left(), area.top() + 2 * high + 8, area.width(), OTHERS),
            meaning,
            view,
        )


def _paint_others(painter: QPainter, area: QRectF, meaning: Meaning, view: LabView) -> None:
    """Paint the columns that the plane omits."""
    others = tr(
        "the other two columns: person {person}, action {deed}",
        person=view.show(meaning.y[PERSON]),
        deed=view.show(meaning.y[DEED]),
    )
    write(painter, area, others, view.theme.muted, font(CAPTION))


def _paint_part(painter: QPainter, cell: QRectF, token: str, theme: Colours) -> None:
    paint_shape(painter, cell.adjusted(1, 0, -1, 0), line=theme.muted, fill=theme.sunken, radius=4)
    if QFontMetricsF(font(CAPTION)).horizontalAdvance(token) <= cell.width() - 6:
        write(painter, cell, token, theme.text, font(CAPTION), CENTRED)


# The plane


def _paint_plane(painter: QPainter, area: QRectF, result: ContextResult, view: LabView) -> None:
    """Paint x and both y as arrows in the plane of the two meanings."""
    side = min(area.width(), area.height())
    square = QRectF(area.center().x() - side / 2, area.center().y() - side / 2, side, side)
    most = max(3.0, float(result.first.y[:2].max()), float(result.second.y[:2].max()))
    chart = paint_frame(
        painter,
        chart_in(
            square,
            ChartAxis(0.0, most),
            ChartAxis(0.0, most),
            x_label=tr("fruit"),
            y_label=tr("company"),
            title=tr("The word before and after: 2 of its 4 columns"),
        ),
        view.theme,
    )
    ink = view.theme.text
    arrows = (
        ("x", result.first.x, view.theme.muted),
        ("y₁", result.first.y, ink),
        ("y₂", result.second.y, ink),
    )
    taken: list[QRectF] = []
    for name, vector, colour in arrows:
        _paint_arrow(
            painter, chart, (float(vector[FRUIT]), float(vector[TECH])), name, colour, taken
        )
    _paint_cosine(painter, chart, view.show(result.cosine), view.theme)


def _paint_cosine(painter: QPainter, chart: Chart, value: str, theme: Colours) -> None:
    """Paint the cosine above the plane, at the right."""
    above = QRectF(chart.rect.left() + 40, chart.rect.top() - 31, chart.rect.width() - 40, 22)
    write(
        painter,
        above,
        tr("cos(y₁, y₂) = {value}", value=value),
        theme.text,
        font(BODY + 2, bold=True),
        RIGHT_ALIGNED,
    )
    if chart.rect.height() >= CAPTIONED:
        write(
            painter,
            above.translated(0, 26),
            tr("over all 4 columns"),
            theme.muted,
            font(CAPTION),
            RIGHT_ALIGNED,
        )


def _paint_arrow(
    painter: QPainter,
    chart: Chart,
    to: tuple[float, float],
    name: str,
    colour: str,
    taken: list[QRectF],
) -> None:
    """Paint an arrow from the origin with its name right of occupied places."""
    start, end = chart.point(0.0, 0.0), chart.point(*to)
    line = QLineF(start, end)
    long = line.length()
    if long < 4:
        return
    shaft = QLineF(start, line.pointAt(1 - 10 / long))
    paint_shape(painter, shaft, line=ChartStroke(colour, width=2.5).pen())
    paint_arrow_head(painter, line, 13, 6, colour)
    place = square_around(line.pointAt(1 + 12 / long), 11)
    while any(place.intersects(other) for other in taken):
        place.translate(1.0, 0.0)
    taken.append(place)
    write(painter, place, name, colour, font(TITLE, bold=True), CENTRED)


OPTIONS = {"first": mark("first"), "second": mark("second")}


class ContextExhibit(Exhibit):
    """One word in two sentences."""

    made = BY_HAND

    labels = {
        "first": mark("First sentence"),
        "second": mark("Second sentence"),
        "sharpness": mark("How sharply it looks (W_Q times)"),
        "opens": mark("Opens in the main window"),
    }
    helps = {"sharpness": mark("At 0 every neighbour counts the same.")}

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Name the sentences."""
        if control_id == "opens":
            return tr_marked(OPTIONS[option])
        return " ".join(sentence(option, 1.0, language_folder()).tokens)

    def notice(self, view: LabView) -> str:
        """Report that x is equal and how much the outputs differ."""
        result: ContextResult = view.result
        if result.first.document is result.second.document:
            return tr(
                "The same sentence twice gives the same output: only the neighbours make the "
                "difference."
            )
        value = view.show(result.cosine)
        if result.cosine > 0.95:
            return tr(
                "“{word}” goes in with the same x and comes out nearly the same: the cosine of y₁ and y₂ is {value}.",
                word=result.first.word,
                value=value,
            )
        return tr(
            "“{word}” goes in twice with the same x and comes out as y₁ and y₂, whose cosine is "
            "{value}.",
            word=result.first.word,
            value=value,
        )

    def attempt(self, view: LabView) -> str:
        """Suggest sharpness, then a word alone."""
        if view.setting["sharpness"] < 0.5:
            return tr(
                "Raise the sharpness: which neighbours gain, and which way do the arrows turn?"
            )
        return tr(
            "Let “{word}” stand alone: what is its y then? Then lower the sharpness to 0.",
            word=view.result.first.word,
        )

    paint = staticmethod(paint)

    def spoken(self, view: LabView) -> str:
        """Describe each sentence with its weights and the output of the word."""
        said = tr("; ").join(
            _spoken(meaning, view) for meaning in (view.result.first, view.result.second)
        )
        return tr("{said}. {notice}", said=said, notice=self.notice(view))


def _spoken(meaning: Meaning, view: LabView) -> str:
    pairs = zip(meaning.document.tokens, meaning.weights, strict=True)
    shares = tr(", ").join(f"{token} {view.show(weight)}" for token, weight in pairs)
    return tr(
        "{sentence}: weights {shares}; fruit {fruit}, company {company}, person {person}, "
        "action {deed}",
        sentence=" ".join(meaning.document.tokens),
        shares=shares,
        fruit=view.show(meaning.y[FRUIT]),
        company=view.show(meaning.y[TECH]),
        person=view.show(meaning.y[PERSON]),
        deed=view.show(meaning.y[DEED]),
    )


EXHIBIT = ContextExhibit()
