"""What names the marks of a chart: at the ends of lines, in a row above it, and beside lines of reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.labs.charts.chart import Chart
from gui.labs.charts.frame import LINE, TITLE_LINE, write
from gui.labs.charts.strokes import ChartStroke
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.widgets.subscripts import width_of

SWATCH = 22.0
_GAP = 7.0
_APART = 20.0  # between entries of a legend


@dataclass(frozen=True, slots=True)
class End:
    """The name of a line, at its last point."""

    name: str
    x: float
    y: float
    stroke: ChartStroke


def paint_ends(painter: QPainter, chart: Chart, theme: Colours, ends: Sequence[End]) -> None:
    """Names at the right of the lines that they belong to, moved apart where the lines come close.

    The chart needs room for them: `right` of paint_chart, as wide as `ends_width` of the names.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.surface), 0))
    chosen = sorted(ends, key=lambda end: chart.at_y(end.y))
    heights = _spread([chart.at_y(end.y) for end in chosen], chart.rect.top(), chart.rect.bottom())
    face = font(CAPTION, bold=True)
    for end, y in zip(chosen, heights, strict=True):
        width = width_of(end.name, face) + 1.0
        left = min(chart.at_x(end.x), chart.rect.right()) + _GAP
        write(painter, QRectF(left, y - LINE / 2, width, LINE), end.name, end.stroke.colour, face)
    painter.restore()


def ends_width(names: Sequence[str]) -> float:
    """The room that names at the ends of lines need beside the plot."""
    return (
        max((width_of(name, font(CAPTION, bold=True)) for name in names), default=0.0) + _GAP + 2.0
    )


def _spread(places: Sequence[float], top: float, bottom: float) -> list[float]:
    """Rising places moved as little as a pass down and a pass up need, so that names of LINE height stand apart."""
    spread: list[float] = []
    for place in places:
        lowest = spread[-1] + LINE * 0.85 if spread else top
        spread.append(max(place, lowest))
    limit = bottom
    for index in reversed(range(len(spread))):
        spread[index] = min(spread[index], limit)
        limit = spread[index] - LINE * 0.85
    return spread


def legend_width(entries: Sequence[tuple[str, ChartStroke]]) -> float:
    """The width at which a legend takes one row."""
    return (
        sum(SWATCH + _GAP + width_of(name, font(CAPTION)) + 1.0 + _APART for name, _ in entries)
        - _APART
    )


def paint_legend(
    painter: QPainter,
    area: QRectF,
    theme: Colours,
    entries: Sequence[tuple[str, ChartStroke]],
    *,
    block: bool = False,
) -> float:
    """Names after a piece of their line (or a block of its colour), in rows from the left; gives the height taken."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    face = font(CAPTION)
    x, y = area.left(), area.top()
    for name, stroke in entries:
        width = SWATCH + _GAP + width_of(name, face) + 1.0
        if x > area.left() and x + width > area.right():
            x, y = area.left(), y + LINE
        _paint_swatch(painter, QRectF(x, y, SWATCH, LINE), stroke, block)
        text = QRectF(x + SWATCH + _GAP, y, min(width, area.width()) - SWATCH - _GAP, LINE)
        write(painter, text, name, theme.text, face)
        x += width + _APART
    painter.restore()
    return y + LINE - area.top()


def paint_title_legend(
    painter: QPainter,
    room: QRectF,
    theme: Colours,
    title: str,
    entries: Sequence[tuple[str, ChartStroke]],
    *,
    block: bool = False,
) -> None:
    """A legend at the right of the title of the chart that fills a room; none where the title leaves no room for it."""
    wide = legend_width(entries)
    left = room.right() - wide
    if left >= room.left() + width_of(title, font(BODY, bold=True)) + _APART:
        area = QRectF(left, room.top() + (TITLE_LINE - LINE) / 2, wide + 1.0, LINE)
        paint_legend(painter, area, theme, entries, block=block)


def _paint_swatch(painter: QPainter, area: QRectF, stroke: ChartStroke, block: bool) -> None:
    middle = area.center().y()
    if block:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(stroke.colour))
        painter.drawRoundedRect(QRectF(area.right() - 12.0, middle - 6.0, 12.0, 12.0), 2.5, 2.5)
        return
    painter.setPen(stroke.pen())
    painter.drawLine(QLineF(area.left(), middle, area.right(), middle))


def paint_rule(
    painter: QPainter,
    chart: Chart,
    theme: Colours,
    value: float,
    text: str = "",
    *,
    vertical: bool = False,
    above: bool = False,
    stroke: ChartStroke | None = None,
) -> None:
    """A line of reference across the plot at a value, with its name at its far end, inside.

    The name of a vertical one may stand `above` the plot, where no curve runs, on the line of the vertical axis' name.
    """
    drawn = stroke or ChartStroke(theme.muted, "dashed", 1.4)
    rect = chart.rect
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(drawn.pen())
    width = width_of(text, font(CAPTION)) + 1.0
    if vertical:
        x = chart.at_x(value)
        painter.drawLine(QLineF(x, rect.top(), x, rect.bottom()))
        left = x - 5.0 - width if x + 5.0 + width > rect.right() else x + 5.0
        area = QRectF(left, rect.top(), width, LINE)
        if above:
            left = min(max(x - width / 2, rect.left() + 8.0), rect.right() - width)
            area = QRectF(left, rect.top() - LINE - 2.0, width, LINE)
    else:
        y = chart.at_y(value)
        painter.drawLine(QLineF(rect.left(), y, rect.right(), y))
        area = QRectF(rect.right() - width, y if y - LINE < rect.top() else y - LINE, width, LINE)
    if text:
        ground = QColor(theme.surface)
        ground.setAlphaF(0.85)
        painter.fillRect(area.adjusted(-2, 1, 2, -1), ground)
        write(painter, area, text, drawn.colour, font(CAPTION))
    painter.restore()
