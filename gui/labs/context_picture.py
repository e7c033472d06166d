"""Two sentences with the word in both, what it took from whom, and where the mixture lies between fruit and company."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from core.labs.context import FRUIT, TECH, Compared, Meaning
from core.numbers import show
from gui.labs.charts import Axis, Chart, paint_chart, write
from gui.labs.exhibit import Shown
from gui.language import tr
from gui.theme import BODY, CAPTION, TITLE, Colours, font

CENTRE = Qt.AlignmentFlag.AlignCenter
CHIP = 34.0
ARCH = 62.0  # how high the lines rise above the tokens
THICKEST = 14.0
BAR = 24.0
WIDE = 1.25


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """Sentences with their shares on the left, the plane on the right (or below, where there is no width)."""
    result: Compared = shown.result
    if room.width() >= WIDE * room.height():
        left = QRectF(room.left() + 12, room.top() + 6, room.width() * 0.55 - 24, room.height() - 12)
        plane = QRectF(room.left() + room.width() * 0.55, room.top() + 6, room.width() * 0.45 - 12, room.height() - 12)
    else:
        left = QRectF(room.left() + 12, room.top() + 6, room.width() - 24, room.height() * 0.55)
        plane = QRectF(room.left() + 12, left.bottom() + 8, room.width() - 24, room.height() * 0.45 - 20)
    half = (left.height() - 14) / 2
    theme = shown.look.theme
    for index, (meaning, colour) in enumerate(((result.first, theme.value), (result.second, theme.query))):
        area = QRectF(left.left(), left.top() + index * (half + 14), left.width(), half)
        _paint_sentence(painter, area, meaning, f"y{'₁₂'[index]}", colour, shown)
    _paint_plane(painter, plane, result, shown)


# One sentence


def _paint_sentence(painter: QPainter, area: QRectF, meaning: Meaning, name: str, colour: str, shown: Shown) -> None:
    chips = _chips(area, meaning.document.tokens)
    for index in sorted(range(len(chips)), key=lambda token: float(meaning.weights[token])):
        _paint_share(painter, chips, index, meaning, shown)
    for index, (chip, token) in enumerate(zip(chips, meaning.document.tokens, strict=True)):
        _paint_chip(painter, chip, token, colour if index == meaning.place else "", shown.look.theme)
    bars = QRectF(area.left(), chips[0].bottom() + 16, area.width(), area.bottom() - chips[0].bottom() - 16)
    _paint_parts(painter, bars, meaning, name, colour, shown)


def _chips(area: QRectF, tokens: tuple[str, ...]) -> list[QRectF]:
    """The tokens in a row, below the room for the lines."""
    top = area.top() + min(ARCH, area.height() * 0.3) + 18
    step = area.width() / len(tokens)
    chips = []
    for index, token in enumerate(tokens):
        width = max(CHIP * 1.6, QFontMetricsF(font(TITLE)).horizontalAdvance(token) + 24)
        chips.append(QRectF(area.left() + (index + 0.5) * step - width / 2, top, width, CHIP))
    return chips


def _paint_chip(painter: QPainter, chip: QRectF, token: str, colour: str, theme: Colours) -> None:
    painter.setPen(QPen(QColor(colour or theme.line), 2.5 if colour else 1.2))
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(chip, 8, 8)
    write(painter, chip, token, theme.text, font(TITLE, bold=bool(colour)), CENTRE)


def _paint_share(painter: QPainter, chips: list[QRectF], index: int, meaning: Meaning, shown: Shown) -> None:
    """An arch from a token to the word, as thick as its share, with the number on it."""
    theme = shown.look.theme
    start, end = chips[index], chips[meaning.place]
    high = min(ARCH, start.top())
    begin, finish = QPointF(start.center().x(), start.top()), QPointF(end.center().x(), end.top())
    path = QPainterPath(begin)
    if index == meaning.place:
        path.cubicTo(begin + QPointF(-26, -high), finish + QPointF(26, -high), finish)
    else:
        path.cubicTo(begin + QPointF(0, -high), finish + QPointF(0, -high), finish)
    width = 1.0 + (THICKEST - 1.0) * float(meaning.weights[index])
    painter.setPen(QPen(QColor(theme.weights), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)
    text = show(float(meaning.weights[index]), shown.look.decimals)
    face = font(BODY, bold=True)
    wide = QFontMetricsF(face).horizontalAdvance(text) + 10
    at = path.pointAtPercent(0.5 if index == meaning.place else 0.3)
    plate = QRectF(at.x() - wide / 2, at.y() - 10, wide, 20)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(plate, 5, 5)
    write(painter, plate, text, theme.weights, face, CENTRE)


def _paint_parts(painter: QPainter, area: QRectF, meaning: Meaning, name: str, colour: str, shown: Shown) -> None:
    """Two bars, how much fruit and how much company; each cut where another neighbour's part begins."""
    theme, decimals = shown.look.theme, shown.look.decimals
    titles = (tr("{name} fruit", name=name), tr("{name} company", name=name))
    label = max(QFontMetricsF(font(BODY)).horizontalAdvance(title) for title in titles) + 12
    most = max(3.2, float(meaning.y[:2].max()))
    unit = max(20.0, area.width() - label - 56) / most
    high = min(BAR, (area.height() - 10) / 2)
    for row, (feature, title) in enumerate(((FRUIT, titles[0]), (TECH, titles[1]))):
        y = area.top() + row * (high + 8)
        write(painter, QRectF(area.left(), y, label, high), title, colour, font(BODY, bold=True))
        x = area.left() + label
        for token, part in zip(meaning.document.tokens, meaning.parts[:, feature], strict=True):
            if part > 0:
                cell = QRectF(x, y, float(part) * unit, high)
                _paint_part(painter, cell, token, theme)
                x += cell.width()
        total = show(float(meaning.y[feature]), decimals)
        write(painter, QRectF(x + 8, y, 60, high), total, theme.text, font(BODY, bold=True))


def _paint_part(painter: QPainter, cell: QRectF, token: str, theme: Colours) -> None:
    painter.setPen(QPen(QColor(theme.surface), 2))
    painter.setBrush(QColor(theme.accent_soft))
    painter.drawRoundedRect(cell, 4, 4)
    if QFontMetricsF(font(CAPTION)).horizontalAdvance(token) <= cell.width() - 6:
        write(painter, cell, token, theme.text, font(CAPTION), CENTRE)


# The plane


def _paint_plane(painter: QPainter, area: QRectF, result: Compared, shown: Shown) -> None:
    """x and both y as arrows in the plane of the two meanings."""
    theme = shown.look.theme
    side = min(area.width(), area.height())
    square = QRectF(area.center().x() - side / 2, area.center().y() - side / 2, side, side)
    most = max(3.0, float(result.first.y[:2].max()), float(result.second.y[:2].max()))
    chart = paint_chart(
        painter, square, Axis(0.0, most), Axis(0.0, most), theme,
        x_label=tr("fruit"), y_label=tr("company"), title=tr("The word before and after"),
    )  # fmt: skip
    arrows = (
        ("x", result.first.x, theme.text), ("y₁", result.first.y, theme.value), ("y₂", result.second.y, theme.query),
    )  # fmt: skip
    for name, vector, colour in arrows:
        _paint_arrow(painter, chart, (float(vector[FRUIT]), float(vector[TECH])), name, colour)
    cosines = tr("cos(y₁, y₂) = {value}", value=show(result.cosine, shown.look.decimals))
    corner = QRectF(chart.rect.right() - 190, chart.rect.top() + 6, 184, 22)
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    write(painter, corner, cosines, theme.text, font(TITLE, bold=True), right)


def _paint_arrow(painter: QPainter, chart: Chart, to: tuple[float, float], name: str, colour: str) -> None:
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
    write(painter, QRectF(at.x() - 16, at.y() - 11, 32, 22), name, colour, font(TITLE, bold=True), CENTRE)
