"""Exhibit of the lab `context`: texts, arcs and picture."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from core.base.number_format import show
from core.labs.context import DEED, FRUIT, PERSON, SENTENCES, TECH, WORD, ContextResult, Meaning
from core.labs.lab import Setting
from gui.labs.charts import Chart, ChartAxis, paint_chart, write
from gui.labs.exhibit import Exhibit, LabView
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.texts.translation import mark, tr, tr_marked

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
        painter.setPen(
            QPen(
                QColor(view.appearance.theme.weights),
                width,
                Qt.PenStyle.SolidLine,
                Qt.PenCapStyle.FlatCap,
            )
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(arc(seats, index, meaning.place, high).path)


def paint_shares(
    painter: QPainter, seats: list[QRectF], meaning: Meaning, high: float, view: LabView
) -> None:
    """Paint the weights on all arcs."""
    theme, face = view.appearance.theme, font(BODY, bold=True)
    for index, weight in enumerate(meaning.weights):
        text = show(float(weight), view.appearance.decimals)
        plate = QRectF(0.0, 0.0, QFontMetricsF(face).horizontalAdvance(text) + 8.0, PLATE)
        plate.moveCenter(arc(seats, index, meaning.place, high).label)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(plate, 5, 5)
        write(painter, plate, text, theme.weights, face, Qt.AlignmentFlag.AlignCenter)


CENTRE = Qt.AlignmentFlag.AlignCenter
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
    if area.width() >= WIDE * area.height():
        left = QRectF(
            area.left() + 12, area.top() + 6, area.width() * 0.55 - 24, area.height() - 12
        )
        plane = QRectF(
            area.left() + area.width() * 0.55,
            area.top() + 6,
            area.width() * 0.45 - 12,
            area.height() - 12,
        )
    else:
        left = QRectF(area.left() + 12, area.top() + 6, area.width() - 24, area.height() * 0.55)
        plane = QRectF(
            area.left() + 12, left.bottom() + 8, area.width() - 24, area.height() * 0.45 - 20
        )
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
        _paint_chip(painter, chip, token, view.appearance.theme, bold=index == meaning.place)
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
        found.append(QRectF(area.left() + (index + 0.5) * step - width / 2, top, width, CHIP))
    return found


def _paint_chip(painter: QPainter, chip: QRectF, token: str, theme: Colours, *, bold: bool) -> None:
    painter.setPen(QPen(QColor(theme.text if bold else theme.muted), 2.5 if bold else 1.0))
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(chip, 8, 8)
    write(painter, chip, token, theme.text, font(TITLE, bold=bold), CENTRE)


def _paint_parts(
    painter: QPainter, area: QRectF, meaning: Meaning, name: str, view: LabView
) -> None:
    """Paint two bars, fruit and company, split by token, and the other two columns as numbers."""
    theme, decimals = view.appearance.theme, view.appearance.decimals
    titles = (tr("{name} fruit", name=name), tr("{name} company", name=name))
    label = max(QFontMetricsF(font(BODY)).horizontalAdvance(title) for title in titles) + 12
    most = max(3.2, float(meaning.y[:2].max()))
    unit = max(20.0, area.width() - label - 56) / most
    captioned = area.height() >= 2 * LEAST_BAR + OTHERS + 8
    high = min(BAR, (area.height() - 8 - OTHERS * captioned) / 2)
    for row, (feature, title) in enumerate(((FRUIT, titles[0]), (TECH, titles[1]))):
        y = area.top() + row * (high + 4)
        write(
            painter, QRectF(area.left(), y, label, high), title, theme.text, font(BODY, bold=True)
        )
        x = area.left() + label
        for token, part in zip(meaning.document.tokens, meaning.parts[:, feature], strict=True):
            if part > 0:
                cell = QRectF(x, y, float(part) * unit, high)
                _paint_part(painter, cell, token, theme)
                x += cell.width()
        total = show(float(meaning.y[feature]), decimals)
        write(painter, QRectF(x + 8, y, 60, high), total, theme.text, font(BODY, bold=True))
    if captioned:
        _paint_others(
            painter,
            QRectF(area.left(), area.top() + 2 * high + 8, area.width(), OTHERS),
            meaning,
            view,
        )


def _paint_others(painter: QPainter, area: QRectF, meaning: Meaning, view: LabView) -> None:
    """Paint the columns that the plane omits."""
    decimals = view.appearance.decimals
    others = tr(
        "the other two columns: person {person}, deed {deed}",
        person=show(float(meaning.y[PERSON]), decimals),
        deed=show(float(meaning.y[DEED]), decimals),
    )
    write(painter, area, others, view.appearance.theme.muted, font(CAPTION))


def _paint_part(painter: QPainter, cell: QRectF, token: str, theme: Colours) -> None:
    painter.setPen(QPen(QColor(theme.muted), 1))
    painter.setBrush(QColor(theme.sunken))
    painter.drawRoundedRect(cell.adjusted(1, 0, -1, 0), 4, 4)
    if QFontMetricsF(font(CAPTION)).horizontalAdvance(token) <= cell.width() - 6:
        write(painter, cell, token, theme.text, font(CAPTION), CENTRE)


# The plane


def _paint_plane(painter: QPainter, area: QRectF, result: ContextResult, view: LabView) -> None:
    """Paint x and both y as arrows in the plane of the two meanings."""
    theme = view.appearance.theme
    side = min(area.width(), area.height())
    square = QRectF(area.center().x() - side / 2, area.center().y() - side / 2, side, side)
    most = max(3.0, float(result.first.y[:2].max()), float(result.second.y[:2].max()))
    chart = paint_chart(
        painter,
        square,
        ChartAxis(0.0, most),
        ChartAxis(0.0, most),
        theme,
        x_label=tr("fruit"),
        y_label=tr("company"),
        title=tr("The word before and after: 2 of its 4 columns"),
    )
    ink = theme.text
    arrows = (
        ("x", result.first.x, theme.muted),
        ("y₁", result.first.y, ink),
        ("y₂", result.second.y, ink),
    )
    taken: list[QRectF] = []
    for name, vector, colour in arrows:
        _paint_arrow(
            painter, chart, (float(vector[FRUIT]), float(vector[TECH])), name, colour, taken
        )
    _paint_cosine(painter, chart, show(result.cosine, view.appearance.decimals), theme)


def _paint_cosine(painter: QPainter, chart: Chart, value: str, theme: Colours) -> None:
    """Paint the cosine above the plane, at the right."""
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    above = QRectF(chart.rect.left() + 40, chart.rect.top() - 31, chart.rect.width() - 40, 22)
    write(
        painter,
        above,
        tr("cos(y₁, y₂) = {value}", value=value),
        theme.text,
        font(BODY + 2, bold=True),
        right,
    )
    if chart.rect.height() >= CAPTIONED:
        write(
            painter,
            above.translated(0, 26),
            tr("over all 4 columns"),
            theme.muted,
            font(CAPTION),
            right,
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
    painter.setPen(QPen(QColor(colour), 2.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    line = QLineF(start, end)
    if line.length() < 4:
        return
    along = QPointF(line.dx(), line.dy()) / line.length()
    side = QPointF(-along.y(), along.x()) * 6
    painter.drawLine(QLineF(start, end - along * 10))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawPolygon(QPolygonF([end, end - along * 13 + side, end - along * 13 - side]))
    at = end + along * 12
    place = QRectF(at.x() - 11, at.y() - 11, 22, 22)
    while any(place.intersects(other) for other in taken):
        place.translate(1.0, 0.0)
    taken.append(place)
    write(painter, place, name, colour, font(TITLE, bold=True), CENTRE)


LABELS = {
    "first": mark("First sentence"),
    "second": mark("Second sentence"),
    "sharpness": mark("How sharply it looks (W_Q times)"),
    "opens": mark("Opens in the main window"),
}
OPTIONS = {"first": mark("first"), "second": mark("second")}

HELP = {"sharpness": mark("At 0 every neighbour counts alike.")}


class ContextExhibit(Exhibit):
    """One word in two sentences."""

    labels = LABELS
    helps = HELP

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Name the sentences."""
        return tr_marked(OPTIONS[option]) if control_id == "opens" else " ".join(SENTENCES[option])

    def notice(self, view: LabView) -> str:
        """Report that x is equal and how much the outputs differ."""
        result: ContextResult = view.result
        if result.first.document is result.second.document:
            return tr(
                "The same sentence twice gives the same output: only the neighbours make a difference."
            )
        value = show(result.cosine, view.appearance.decimals)
        if result.cosine > 0.95:
            return tr(
                "{word} goes in with the same x and comes out nearly the same: the cosine of y₁ and y₂ is {value}.",
                word=WORD,
                value=value,
            )
        return tr(
            "{word} goes in with the same x twice and comes out as y₁ and y₂, whose cosine is {value}.",
            word=WORD,
            value=value,
        )

    def attempt(self, view: LabView) -> str:
        """Suggest sharpness, then a word alone."""
        if view.setting["sharpness"] < 0.5:
            return tr(
                "Raise the sharpness: which neighbours gain, and which way do the arrows turn?"
            )
        return tr(
            "Let {word} stand alone: what is its y then? Then lower the sharpness to 0.", word=WORD
        )

    paint = staticmethod(paint)

    def spoken(self, view: LabView) -> str:
        """Describe each sentence with its weights and the output of the word."""
        result: ContextResult = view.result
        said = tr("; ").join(_spoken(meaning, view) for meaning in (result.first, result.second))
        return tr("{said}. {notice}", said=said, notice=self.notice(view))


def _spoken(meaning: Meaning, view: LabView) -> str:
    decimals = view.appearance.decimals
    pairs = zip(meaning.document.tokens, meaning.weights, strict=True)
    shares = tr(", ").join(f"{token} {show(float(weight), decimals)}" for token, weight in pairs)
    return tr(
        "{sentence}: weights {shares}; fruit {fruit}, company {company}, person {person}, deed {deed}",
        sentence=" ".join(meaning.document.tokens),
        shares=shares,
        fruit=show(float(meaning.y[FRUIT]), decimals),
        company=show(float(meaning.y[TECH]), decimals),
        person=show(float(meaning.y[PERSON]), decimals),
        deed=show(float(meaning.y[DEED]), decimals),
    )


EXHIBIT = ContextExhibit()
