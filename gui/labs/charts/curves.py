"""Lines, points and bands in a chart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.base.arrays import Array
from gui.labs.charts.chart import Chart
from gui.labs.charts.strokes import ChartStroke

CROWDED = 4  # points a unit of width, from which only the extremes of each unit are drawn
_EDGE = 2.0  # how far a line's width may reach over the plot


@contextmanager
def _inside(painter: QPainter, chart: Chart) -> Iterator[None]:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setClipRect(
        chart.rect.adjusted(-_EDGE, -_EDGE, _EDGE, _EDGE), Qt.ClipOperation.IntersectClip
    )
    try:
        yield
    finally:
        painter.restore()


def paint_line(
    painter: QPainter,
    chart: Chart,
    xs: npt.ArrayLike,
    ys: npt.ArrayLike,
    stroke: ChartStroke,
    *,
    stepped: bool = False,
) -> None:
    """A line through (x, y), x rising, interrupted where a value is not finite; `stepped` keeps y until the next x."""
    with _inside(painter, chart):
        painter.setPen(stroke.pen())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for across, down in _pieces(
            np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)
        ):
            if stepped:
                across, down = np.repeat(across, 2)[1:], np.repeat(down, 2)[:-1]
            painter.drawPolyline(chart.polygon(*_thinned(across, down, chart)))


def paint_points(
    painter: QPainter,
    chart: Chart,
    xs: npt.ArrayLike,
    ys: npt.ArrayLike,
    colour: str,
    *,
    radius: float = 3.5,
    ground: str = "",
    ring: bool = False,
) -> None:
    """Discs, or rings filled with the ground, at (x, y); a rim of the ground sets discs off from lines."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    rim = colour if ring else ground
    painter.setPen(QPen(QColor(rim), 1.8) if rim else QPen(Qt.PenStyle.NoPen))
    painter.setBrush(QColor(ground if ring and ground else colour))
    for point in _seen(chart, np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)):
        painter.drawEllipse(point, radius, radius)
    painter.restore()


def paint_band(
    painter: QPainter,
    chart: Chart,
    xs: npt.ArrayLike,
    lows: npt.ArrayLike,
    highs: npt.ArrayLike,
    colour: str,
    *,
    opacity: float = 0.18,
) -> None:
    """What lies between two lines over the same x, filled."""
    across, below, above = (np.asarray(values, dtype=np.float64) for values in (xs, lows, highs))
    with _inside(painter, chart):
        fill = QColor(colour)
        fill.setAlphaF(opacity)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        top, bottom = chart.polygon(across, above), chart.polygon(across[::-1], below[::-1])
        painter.drawPolygon(QPolygonF([*top.toList(), *bottom.toList()]))


def _seen(chart: Chart, xs: Array, ys: Array) -> list[QPointF]:
    """The points within the plot; a point on its edge counts."""
    finite = np.isfinite(xs) & np.isfinite(ys)
    room = QRectF(chart.rect).adjusted(-1.0, -1.0, 1.0, 1.0)
    return [
        point for point in chart.polygon(xs[finite], ys[finite]).toList() if room.contains(point)
    ]


def _pieces(xs: Array, ys: Array) -> Iterator[tuple[Array, Array]]:
    """The runs of at least two points that are finite."""
    finite = np.isfinite(xs) & np.isfinite(ys)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], finite, [False]]).astype(np.int8)))
    for start, end in edges.reshape(-1, 2):
        if end - start > 1:
            yield xs[start:end], ys[start:end]


def _thinned(xs: Array, ys: Array, chart: Chart) -> tuple[Array, Array]:
    """A line so crowded that nobody sees its points: first, least, largest and last of each unit of width."""
    width = max(int(chart.rect.width()), 1)
    if len(xs) <= CROWDED * width:
        return xs, ys
    kept: list[int] = []
    for column in np.array_split(np.arange(len(xs)), width):
        values = ys[column]
        kept += sorted({column[0], column[values.argmin()], column[values.argmax()], column[-1]})
    return xs[kept], ys[kept]
