"""Lines, points, bands, bars, legends and labels in a chart. Lines differ by color and by dashes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from core.base.arrays import Array
from gui.labs.charts.frame import CENTRED, LINE, TITLE_LINE, Chart, write
from gui.painting.shapes import faded, paint_disc, paint_shape, set_ink
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.widgets.subscripts import width_of

_DASHES = {"solid": (), "dashed": (6.0, 3.5), "dotted": (1.2, 2.8), "dashdot": (7.0, 3.0, 1.2, 3.0)}
# Orange and blue first: they stay apart for every kind of colour vision.
_SERIES = (
    ("query", "solid"),
    ("key", "dashed"),
    ("value", "dashdot"),
    ("weights", "dotted"),
    ("text", "solid"),
    ("muted", "dashed"),
)


@dataclass(frozen=True, slots=True)
class ChartStroke:
    """The colour, dashes ("solid", "dashed", "dotted", "dashdot") and width in units of a line."""

    colour: str
    dash: str = "solid"
    width: float = 2.0

    def pen(self) -> QPen:
        """The pen that draws it."""
        pen = QPen(QColor(self.colour), self.width)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if self.dash != "solid":
            pen.setDashPattern(_DASHES[self.dash])
        return pen


def versus(theme: Colours) -> tuple[ChartStroke, ChartStroke]:
    """What it is about and what that is compared with, where neither has a role whose colour it
    could wear.
    """
    return ChartStroke(theme.text), ChartStroke(theme.disabled, "dashed")


def stroke(theme: Colours, index: int, width: float = 2.0) -> ChartStroke:
    """The stroke of the first, second … series of a chart; six differ."""
    role, dash = _SERIES[index % len(_SERIES)]
    return ChartStroke(getattr(theme, role), dash, width)


CROWDED = 4  # points a unit of width, from which only the extremes of each unit are drawn
_EDGE = 2.0  # how far a line's width may reach over the plot


@contextmanager
def _inside(painter: QPainter, chart: Chart) -> Iterator[None]:
    painter.save()
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
) -> None:
    """A line through (x, y), x rising, interrupted where a value is not finite."""
    with _inside(painter, chart):
        set_ink(painter, stroke.pen())
        for across, down in _pieces(
            np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)
        ):
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
    """Discs, or rings filled with the ground, at (x, y); a rim of the ground sets discs off from
    lines.
    """
    rim = colour if ring else ground
    for point in _seen(chart, np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)):
        paint_disc(
            painter,
            point,
            radius,
            line=rim,
            width=1.8,
            fill=ground if ring and ground else colour,
        )


def _seen(chart: Chart, xs: Array, ys: Array) -> list[QPointF]:
    """The points within the plot; a point on its edge counts."""
    finite = np.isfinite(xs) & np.isfinite(ys)
    area = QRectF(chart.rect).adjusted(-1.0, -1.0, 1.0, 1.0)
    return [
        point for point in chart.polygon(xs[finite], ys[finite]).toList() if area.contains(point)
    ]


def _pieces(xs: Array, ys: Array) -> Iterator[tuple[Array, Array]]:
    """The runs of at least two points that are finite."""
    finite = np.isfinite(xs) & np.isfinite(ys)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], finite, [False]]).astype(np.int8)))
    for start, end in edges.reshape(-1, 2):
        if end - start > 1:
            yield xs[start:end], ys[start:end]


def _thinned(xs: Array, ys: Array, chart: Chart) -> tuple[Array, Array]:
    """A line so crowded that nobody sees its points: first, least, largest and last of each unit of
    width.
    """
    width = max(int(chart.rect.width()), 1)
    if len(xs) <= CROWDED * width:
        return xs, ys
    kept: list[int] = []
    for column in np.array_split(np.arange(len(xs)), width):
        values = ys[column]
        kept += sorted({column[0], column[values.argmin()], column[values.argmax()], column[-1]})
    return xs[kept], ys[kept]


FILLED = 0.72  # of the place of a name
WIDEST = 72.0  # units a bar


@dataclass(frozen=True, slots=True, eq=False)
class BarChart:
    """One bar for each name: values in a colour, with their texts `lift` units over them (none:
    ()).

    Hollow bars are outlines.
    """

    values: Array
    colour: str
    texts: tuple[str, ...] = ()
    hollow: bool = False
    lift: float = 0.0


def bar_rect(chart: Chart, place: int, value: float, group: int = 0, groups: int = 1) -> QRectF:
    """The bar of a value over the name at a place, from the zero line (or the low end); `group` of
    `groups` there.
    """
    whole = chart.rect.width() * chart.x.part(chart.x.low + 1.0)
    width = min(whole * FILLED / groups, WIDEST)
    left = chart.at_x(float(place)) + (group - groups / 2) * width
    foot = chart.zero
    top = min(max(chart.at_y(value), chart.rect.top()), chart.rect.bottom())
    return QRectF(left + 1.0, min(foot, top), max(width - 2.0, 1.0), abs(foot - top))


def paint_bars(painter: QPainter, chart: Chart, theme: Colours, groups: Sequence[BarChart]) -> None:
    """Bars side by side over each name. Texts stand beyond their ends if all of a group have room."""
    for index, bars in enumerate(groups):
        rects = [
            bar_rect(chart, place, float(v), index, len(groups))
            for place, v in enumerate(bars.values)
        ]
        for rect in rects:
            paint_shape(
                painter,
                rect.adjusted(0.8, 0.8, -0.8, 0.0) if bars.hollow else rect,
                line=bars.colour if bars.hollow else "",
                width=1.6,
                fill="" if bars.hollow else bars.colour,
                radius=min(3.0, rect.height() / 2),
            )
        if bars.texts and _fit(rects, bars.texts):
            for rect, value, text in zip(rects, bars.values, bars.texts, strict=True):
                _paint_text(
                    painter,
                    rect.adjusted(0, -bars.lift, 0, bars.lift),
                    text,
                    float(value) < 0.0,
                    theme,
                )


def paint_histogram(
    painter: QPainter,
    chart: Chart,
    theme: Colours,
    edges: npt.ArrayLike,
    heights: npt.ArrayLike,
    colour: str,
) -> None:
    """Bars without gaps, the i-th from edges[i] to edges[i + 1].  # (b + 1,), (b,)"""
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
            paint_shape(
                painter,
                QRectF(left, top, right - left, foot - top),
                line=theme.surface if right - left > 3.0 else "",
                width=0.6,
                fill=faded(colour, 0.42),
            )


def _fit(rects: Sequence[QRectF], texts: Sequence[str]) -> bool:
    """Whether no text is wider than its bar, and a little more."""
    measure = QFontMetricsF(font(CAPTION)).horizontalAdvance
    return all(measure(text) <= rect.width() + 1.0 for rect, text in zip(rects, texts, strict=True))


def _paint_text(painter: QPainter, rect: QRectF, text: str, below: bool, theme: Colours) -> None:
    top = rect.bottom() + 1.0 if below else rect.top() - LINE
    area = QRectF(rect.left() - 4.0, top, rect.width() + 8.0, LINE)
    write(painter, area, text, theme.text, font(CAPTION), CENTRED)


SWATCH = 22.0
_GAP = 7.0
_APART = 20.0  # between entries of a legend


Curve = tuple[str, npt.ArrayLike, ChartStroke]  # name, values, line


def paint_curves(
    painter: QPainter, chart: Chart, xs: npt.ArrayLike, curves: Sequence[Curve]
) -> None:
    """Lines over the same x with their names at the right, moved apart where the lines come close.

    The chart needs room for them: `right` of chart_in, as wide as `ends_width` of the names.
    """
    for _, values, stroke in curves:
        paint_line(painter, chart, xs, values, stroke)
    paint_ends(painter, chart, xs, curves)


def paint_ends(painter: QPainter, chart: Chart, xs: npt.ArrayLike, curves: Sequence[Curve]) -> None:
    """The names alone of lines over the same x."""
    face = font(CAPTION, bold=True)
    places = [chart.point(np.asarray(xs)[-1], np.asarray(values)[-1]) for _, values, _ in curves]
    order = sorted(range(len(curves)), key=lambda index: places[index].y())
    heights = _spread([places[index].y() for index in order], chart.rect.top(), chart.rect.bottom())
    for index, y in zip(order, heights, strict=True):
        name, _, stroke = curves[index]
        left = min(places[index].x(), chart.rect.right()) + _GAP
        area = QRectF(left, y - LINE / 2, width_of(name, face) + 1.0, LINE)
        write(painter, area, name, stroke.colour, face)


def ends_width(names: Sequence[str]) -> float:
    """The room that names at the ends of lines need beside the plot."""
    return (
        max((width_of(name, font(CAPTION, bold=True)) for name in names), default=0.0) + _GAP + 2.0
    )


def _spread(places: Sequence[float], top: float, bottom: float) -> list[float]:
    """Rising places moved as little as a pass down and a pass up need, so that names of LINE height
    stand apart.
    """
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
    """Names after a piece of their line (or a block of its colour), in rows from the left; gives
    the height taken.
    """
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
    return y + LINE - area.top()


def paint_title_legend(
    painter: QPainter,
    rect: QRectF,
    theme: Colours,
    title: str,
    entries: Sequence[tuple[str, ChartStroke]],
    *,
    block: bool = False,
) -> None:
    """A legend at the right of the title of the chart that fills a room; none where the title
    leaves no room for it.
    """
    wide = legend_width(entries)
    left = rect.right() - wide
    if left >= rect.left() + width_of(title, font(BODY, bold=True)) + _APART:
        area = QRectF(left, rect.top() + (TITLE_LINE - LINE) / 2, wide + 1.0, LINE)
        paint_legend(painter, area, theme, entries, block=block)


def _paint_swatch(painter: QPainter, area: QRectF, stroke: ChartStroke, block: bool) -> None:
    middle = area.center().y()
    if block:
        square = QRectF(area.right() - 12.0, middle - 6.0, 12.0, 12.0)
        paint_shape(painter, square, fill=stroke.colour, radius=2.5)
    else:
        line = QLineF(area.left(), middle, area.right(), middle)
        paint_shape(painter, line, line=stroke.pen())


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

    The name of a vertical one may stand `above` the plot, where no curve runs, on the line of the
    vertical axis' name.
    """
    drawn = stroke or ChartStroke(theme.muted, "dashed", 1.4)
    rect = chart.rect
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
        painter.fillRect(area.adjusted(-2, 1, 2, -1), faded(theme.surface, 0.85))
        write(painter, area, text, drawn.colour, font(CAPTION))
