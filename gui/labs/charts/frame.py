"""Plot area of a chart with its title, axis labels, tick labels and grid lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPolygonF

from core.base.arrays import Array
from gui.labs.charts.axis import ChartAxis, Tick, ticks
from gui.painting.color_scale import contrast
from gui.painting.shapes import faded, paint_shape
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.widgets.subscripts import draw, width_of

_FAR = 3.0  # axis lengths beyond an end at which what lies farther is drawn


@dataclass(frozen=True, slots=True)
class Chart:
    """The rectangle of the plot itself, without its labels, the axes along its lower and left
    sides, their names and the title.
    """

    rect: QRectF
    x: ChartAxis
    y: ChartAxis
    x_label: str = ""
    y_label: str = ""
    title: str = ""

    def at_x(self, value: float) -> float:
        """The horizontal place of a value, in units of the painter."""
        return self.rect.left() + _near(self.x.part(value)) * self.rect.width()

    def at_y(self, value: float) -> float:
        """The vertical place of a value, in units of the painter."""
        return self.rect.bottom() - _near(self.y.part(value)) * self.rect.height()

    def point(self, x: float, y: float) -> QPointF:
        """Where a pair of values lies."""
        return QPointF(self.at_x(x), self.at_y(y))

    @property
    def zero(self) -> float:
        """The vertical place of 0, or of the low end where 0 is not on the axis."""
        holds = not self.y.log and self.y.low <= 0.0 <= self.y.high
        return self.at_y(0.0) if holds else self.rect.bottom()

    def value_x(self, point: QPointF) -> float:
        """The value of the horizontal axis at a point, kept within its ends."""
        return self.x.value((point.x() - self.rect.left()) / self.rect.width())

    def value_y(self, point: QPointF) -> float:
        """The value of the vertical axis at a point, kept within its ends."""
        return self.y.value((self.rect.bottom() - point.y()) / self.rect.height())

    def polygon(self, xs: Array, ys: Array) -> QPolygonF:
        """Pairs of finite values as points.  # (p,), (p,)"""
        across = self.rect.left() + np.clip(self.x.part(xs), -_FAR, 1 + _FAR) * self.rect.width()
        down = self.rect.bottom() - np.clip(self.y.part(ys), -_FAR, 1 + _FAR) * self.rect.height()
        return QPolygonF(
            [QPointF(x, y) for x, y in zip(across.tolist(), down.tolist(), strict=True)]
        )


def _near(part: float) -> float:
    return min(max(part, -_FAR), 1.0 + _FAR)


LINE = 18.0  # the height of a line of captions
TITLE_LINE = 24.0
GAP = 6.0  # between numbers and the axis
ABOVE = 8.0  # between the plot and what names it
BETWEEN = 14.0  # at least so much between two numbers of the horizontal axis
LEAST_ROW = 34.0  # of the vertical one, from number to number
SHORT_NAME = 40.0  # names are cut down to this before some of them are left out
STRONG = 4.0  # contrast from which a line of the grid would be as strong as one that is drawn
MOST, MOST_ROWS = 9, 7  # numbers of a horizontal and of a vertical axis: more are noise

LEFT_ALIGNED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT_ALIGNED = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRED = Qt.AlignmentFlag.AlignCenter


def write(
    painter: QPainter,
    area: QRectF,
    text: str,
    colour: str,
    face: QFont,
    align: Qt.AlignmentFlag = LEFT_ALIGNED,
) -> None:
    """One line of text in an area, halfway up: d_k with its index, and elided if it is wider than
    the area.
    """
    wide = width_of(text, face)
    if wide > area.width() + 0.5:
        text = QFontMetricsF(face).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        wide = width_of(text, face)
    left = area.left()
    if align & Qt.AlignmentFlag.AlignRight:
        left = area.right() - wide
    elif align & Qt.AlignmentFlag.AlignHCenter:
        left = area.center().x() - wide / 2
    painter.setPen(QColor(colour))
    draw(painter, QPointF(left, area.center().y()), text, face)


def paint_plate(
    painter: QPainter, area: QRectF, text: str, colour: str, face: QFont, **shape: Any
) -> None:
    """A text in the middle of a rectangle; `shape` is its look, as of paint_shape."""
    paint_shape(painter, area, **shape)
    write(painter, area, text, colour, face, CENTRED)


def chart_in(
    area: QRectF,
    x: ChartAxis,
    y: ChartAxis,
    *,
    x_label: str = "",
    y_label: str = "",
    title: str = "",
    right: float = 12.0,
) -> Chart:
    """The chart that fills a room when its labels, its numbers and `right` units beside the plot
    have their place.
    """
    above = (TITLE_LINE if title else 0.0) + (LINE if y_label else 0.0) + ABOVE
    below = GAP + LINE + (LINE if x_label else 0.0)
    height = max(area.height() - above - below, 1.0)
    left = max((_width(tick.text) for tick in _rows(y, height)), default=0.0) + GAP
    plot = QRectF(
        area.left() + left, area.top() + above, max(area.width() - left - right, 1.0), height
    )
    return Chart(plot, x, y, x_label, y_label, title)


def paint_frame(painter: QPainter, chart: Chart, theme: Colours) -> Chart:
    """Numbers, the lines they stand at, names of the axes and title, around the plot's rectangle.

    The chart comes back, for what is to be drawn in it.
    """
    _paint_rows(painter, chart, theme)
    _paint_columns(painter, chart, theme)
    _paint_labels(painter, chart, theme)
    return chart


@cache
def grid_colour(theme: Colours) -> QColor:
    """Lines to read numbers by: never so strong that they look like data, not even in high
    contrast.
    """
    strong = contrast(QColor(theme.line), QColor(theme.surface)) > STRONG
    return faded(theme.line, 0.28) if strong else QColor(theme.line)


def _paint_rows(painter: QPainter, chart: Chart, theme: Colours) -> None:
    rect = chart.rect
    for tick in _rows(chart.y, rect.height()):
        y = chart.at_y(tick.value)
        paint_shape(painter, QLineF(rect.left(), y, rect.right(), y), line=grid_colour(theme))
        width = _width(tick.text) + 1.0
        area = QRectF(rect.left() - GAP - width, y - LINE / 2, width, LINE)
        write(painter, area, tick.text, theme.muted, font(CAPTION), RIGHT_ALIGNED)
    zero = chart.zero
    line = QLineF(rect.left(), zero, rect.right(), zero)
    paint_shape(painter, line, line=theme.muted, width=1.2)


def _paint_columns(painter: QPainter, chart: Chart, theme: Colours) -> None:
    rect = chart.rect
    for tick in _columns(chart.x, rect.width()):
        x = chart.at_x(tick.value)
        if not chart.x.names:
            paint_shape(painter, QLineF(x, rect.bottom(), x, rect.bottom() + 4.0), line=theme.muted)
        width = _width(tick.text) + 2.0
        if chart.x.names:
            width = min(width, max(rect.width() / len(chart.x.names), SHORT_NAME) - 2.0)
        area = QRectF(x - width / 2, rect.bottom() + GAP, width, LINE)
        write(painter, area, tick.text, theme.muted, font(CAPTION), CENTRED)


def _paint_labels(painter: QPainter, chart: Chart, theme: Colours) -> None:
    rect = chart.rect
    numbers = max((_width(tick.text) for tick in _rows(chart.y, rect.height())), default=0.0) + GAP
    left, width = rect.left() - numbers, rect.width() + numbers
    top = rect.top() - ABOVE
    if chart.y_label:
        top -= LINE
        write(
            painter, QRectF(left, top - 3.0, width, LINE), chart.y_label, theme.muted, font(CAPTION)
        )
    if chart.title:
        write(
            painter,
            QRectF(left, top - TITLE_LINE, width, TITLE_LINE),
            chart.title,
            theme.text,
            font(BODY, bold=True),
        )
    if chart.x_label:
        area = QRectF(left, rect.bottom() + GAP + LINE, width, LINE)
        write(painter, area, chart.x_label, theme.muted, font(CAPTION), RIGHT_ALIGNED)


def _width(text: str) -> float:
    return QFontMetricsF(font(CAPTION)).horizontalAdvance(text)


def _rows(axis: ChartAxis, height: float) -> tuple[Tick, ...]:
    """The numbers of a vertical axis, with room between them."""
    if axis.names:
        return _apart(axis, height, lambda tick: LINE, len(axis.names))
    return _apart(
        axis, height, lambda tick: LEAST_ROW, max(2, min(int(height / LEAST_ROW) + 1, MOST_ROWS))
    )


def _columns(axis: ChartAxis, width: float) -> tuple[Tick, ...]:
    """The numbers or names of a horizontal axis; no two of them touch."""
    if axis.names:
        wanted = min(max(map(_width, axis.names)) + GAP, SHORT_NAME)
        return ticks(axis, max(1, int(width // wanted)))
    return _apart(axis, width, lambda tick: _width(tick.text) + BETWEEN, MOST)


def _apart(
    axis: ChartAxis, length: float, size: Callable[[Tick], float], most: int
) -> tuple[Tick, ...]:
    """As many ticks as stand apart on an axis of a length, each taking its size around its place.

    One alone says nothing of the scale: rather than that, the first and the last of a finer choice.
    """

    def apart(chosen: tuple[Tick, ...]) -> bool:
        return all(
            length * (axis.part(b.value) - axis.part(a.value)) >= (size(a) + size(b)) / 2
            for a, b in pairwise(chosen)
        )

    for count in range(most, 1, -1):
        chosen = ticks(axis, count)
        if len(chosen) > 1 and apart(chosen):
            return chosen
    finer = next(
        (many for many in (ticks(axis, most + more) for more in (1, 2, 3)) if len(many) > 1), ()
    )
    ends = (finer[0], finer[-1]) if finer else ()
    return ends if ends and apart(ends) else ticks(axis, 1)
