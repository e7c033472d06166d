"""Bars: grouped over names, and histograms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from core.base.arrays import Array
from gui.labs.charts.chart import Chart
from gui.labs.charts.frame import LINE, write
from gui.painting.theme import CAPTION, Colours, font

FILLED = 0.72  # of the place of a name
WIDEST = 72.0  # units a bar


@dataclass(frozen=True, slots=True, eq=False)
class BarChart:
    """One bar for each name: values in a colour, with their texts `lift` units over them (none: ()).

    Hollow bars are outlines.
    """

    values: Array
    colour: str
    texts: tuple[str, ...] = ()
    hollow: bool = False
    lift: float = 0.0


def bar_rect(chart: Chart, place: int, value: float, group: int = 0, groups: int = 1) -> QRectF:
    """The bar of a value over the name at a place, from the zero line (or the low end); `group` of `groups` there."""
    whole = chart.rect.width() * chart.x.part(chart.x.low + 1.0)
    width = min(whole * FILLED / groups, WIDEST)
    left = chart.at_x(float(place)) + (group - groups / 2) * width
    foot = (
        chart.at_y(0.0)
        if not chart.y.log and chart.y.low <= 0.0 <= chart.y.high
        else chart.rect.bottom()
    )
    top = min(max(chart.at_y(value), chart.rect.top()), chart.rect.bottom())
    return QRectF(left + 1.0, min(foot, top), max(width - 2.0, 1.0), abs(foot - top))


def paint_bars(painter: QPainter, chart: Chart, theme: Colours, groups: Sequence[BarChart]) -> None:
    """Bars side by side over each name. Texts stand beyond their ends if all of a group have room."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for index, bars in enumerate(groups):
        rects = [
            bar_rect(chart, place, float(v), index, len(groups))
            for place, v in enumerate(bars.values)
        ]
        for rect in rects:
            _paint_bar(painter, rect, bars)
        if bars.texts and _fit(rects, bars.texts):
            for rect, value, text in zip(rects, bars.values, bars.texts, strict=True):
                _paint_text(
                    painter,
                    rect.adjusted(0, -bars.lift, 0, bars.lift),
                    text,
                    float(value) < 0.0,
                    theme,
                )
    painter.restore()


def paint_histogram(
    painter: QPainter,
    chart: Chart,
    theme: Colours,
    edges: npt.ArrayLike,
    heights: npt.ArrayLike,
    colour: str,
) -> None:
    """Bars without gaps, the i-th from edges[i] to edges[i + 1].  # (b + 1,), (b,)"""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    fill = QColor(colour)
    fill.setAlphaF(0.42)
    painter.setBrush(fill)
    bounds = np.asarray(edges, dtype=np.float64)
    foot = chart.rect.bottom()
    for start, end, height in zip(
        bounds[:-1], bounds[1:], np.asarray(heights, dtype=np.float64), strict=True
    ):
        left, right = (
            min(max(chart.at_x(x), chart.rect.left()), chart.rect.right()) for x in (start, end)
        )
        top = max(chart.at_y(height), chart.rect.top())
        if height > 0.0 and right > left:
            painter.setPen(
                QPen(QColor(theme.surface), 0.6) if right - left > 3.0 else QPen(Qt.PenStyle.NoPen)
            )
            painter.drawRect(QRectF(left, top, right - left, foot - top))
    painter.restore()


def _paint_bar(painter: QPainter, rect: QRectF, bars: BarChart) -> None:
    painter.setPen(QPen(QColor(bars.colour), 1.6) if bars.hollow else QPen(Qt.PenStyle.NoPen))
    painter.setBrush(Qt.BrushStyle.NoBrush if bars.hollow else QColor(bars.colour))
    radius = min(3.0, rect.height() / 2)
    painter.drawRoundedRect(
        rect.adjusted(0.8, 0.8, -0.8, 0.0) if bars.hollow else rect, radius, radius
    )


def _fit(rects: Sequence[QRectF], texts: Sequence[str]) -> bool:
    """Whether no text is wider than its bar, and a little more."""
    measure = QFontMetricsF(font(CAPTION)).horizontalAdvance
    return all(measure(text) <= rect.width() + 1.0 for rect, text in zip(rects, texts, strict=True))


def _paint_text(painter: QPainter, rect: QRectF, text: str, below: bool, theme: Colours) -> None:
    top = rect.bottom() + 1.0 if below else rect.top() - LINE
    area = QRectF(rect.left() - 4.0, top, rect.width() + 8.0, LINE)
    write(painter, area, text, theme.text, font(CAPTION), Qt.AlignmentFlag.AlignCenter)
