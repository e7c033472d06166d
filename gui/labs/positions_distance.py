"""Three ways to let a score know the distance, side by side over the same keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from core.base.arrays import Array
from core.base.number_format import show_significant
from core.labs.positions import Distances, Encoding
from gui.labs.charts import (
    Axis,
    Chart,
    End,
    Stroke,
    chart_in,
    paint_ends,
    paint_frame,
    paint_line,
    paint_points,
    paint_rule,
    write,
)
from gui.labs.charts.notes import ends_width
from gui.labs.exhibit import Shown
from gui.labs.measured import measured
from gui.labs.positions_marks import marks
from gui.painting.theme import BODY, CAPTION, font
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

BELOW = 44.0  # what is measured, below each chart
BETWEEN = 22.0
TALLEST = 700.0
FEW = 40  # keys up to which each has its point
DASHES = ("solid", "dashed", "dashdot", "dotted")


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One kind of positions: name, formula, one line of scores or several (lines, n), and the measured spread."""

    title: str
    formula: str
    lines: Array
    names: tuple[str, ...]
    spread: float


def panels(shown: Shown) -> tuple[Panel, ...]:
    """Sinusoidal, rotary, ALiBi."""
    distances: Distances = shown.result.distances
    slopes = tuple(
        f"m = {show_significant(float(slope), shown.look.decimals)}" for slope in distances.slopes
    )
    return (
        Panel(tr("Sinusoidal"), "P[i] · P[j]", distances.dots[None], (), distances.spread_dots),
        Panel(
            tr("Rotary (RoPE)"),
            "(R(i) q) · (R(j) k) / √d",
            distances.turned[None],
            (),
            distances.spread_turned,
        ),
        Panel(tr("ALiBi"), "−m · |i − j|", distances.biases, slopes, distances.spread_biases),
    )


def rooms(room: QRectF) -> tuple[QRectF, ...]:
    """Three charts side by side, with room for what is measured below each."""
    wide = (room.width() - 32.0 - 2 * BETWEEN) / 3
    high = min(room.height() - 20.0 - BELOW, TALLEST)
    top = room.top() + 8.0 + max(0.0, (room.height() - 20.0 - BELOW - high) / 2)
    return tuple(
        QRectF(room.left() + 16.0 + at * (wide + BETWEEN), top, wide, high) for at in range(3)
    )


def charts(room: QRectF, shown: Shown) -> tuple[Chart, ...]:
    """Where the curves lie."""
    return tuple(
        _chart(area, shown, panel) for area, panel in zip(rooms(room), panels(shown), strict=True)
    )


def _chart(area: QRectF, shown: Shown, panel: Panel) -> Chart:
    x = Axis(0.0, float(shown.result.encoding.n - 1), whole=True)
    y = Axis.over(panel.lines, zero=True)
    right = ends_width(panel.names) if _named(panel, area) else 12.0
    return chart_in(area, x, y, x_label="j", y_label=panel.formula, title=panel.title, right=right)


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """The three charts and what is measured of each."""
    theme = shown.look.theme
    for area, panel in zip(rooms(room), panels(shown), strict=True):
        _paint_panel(painter, area, shown, panel)
        below = QRectF(area.left(), area.bottom() + 6.0, area.width(), 18.0)
        write(painter, below, tr("spread at the same distance"), theme.muted, font(CAPTION))
        number = measured(panel.spread, shown.look.decimals)
        write(painter, below.translated(0.0, 18.0), number, theme.text, font(BODY, bold=True))


def _paint_panel(painter: QPainter, area: QRectF, shown: Shown, panel: Panel) -> None:
    encoding: Encoding = shown.result.encoding
    theme = shown.look.theme
    colour = theme.text
    chart = _chart(area, shown, panel)
    paint_frame(painter, chart, theme, tr("position j of the key"), panel.formula, panel.title)
    for mark in marks(encoding, theme):
        if mark.place < encoding.n:
            line = Stroke(mark.colour, "solid" if mark.control == "position" else "dashed", 1.4)
            paint_rule(painter, chart, theme, float(mark.place), vertical=True, stroke=line)
    places = np.arange(encoding.n, dtype=np.float64)
    for index, line_of in enumerate(panel.lines):
        paint_line(painter, chart, places, line_of, _stroke(colour, index))
    if encoding.n <= FEW and len(panel.lines) == 1:
        paint_points(
            painter, chart, places, panel.lines[0], colour, radius=2.6, ground=theme.surface
        )
    _paint_value(painter, chart, shown, panel)
    if _named(panel, area):
        strokes = [_stroke(colour, index) for index in range(len(panel.names))]
        ends = zip(panel.names, panel.lines[:, -1], strokes, strict=True)
        paint_ends(
            painter,
            chart,
            theme,
            [End(name, chart.x.high, float(last), line) for name, last, line in ends],
        )


def _named(panel: Panel, area: QRectF) -> bool:
    return bool(panel.names) and area.width() >= 260.0


def _stroke(colour: str, index: int) -> Stroke:
    return Stroke(colour, DASHES[index % len(DASHES)], 2.0)


def _paint_value(painter: QPainter, chart: Chart, shown: Shown, panel: Panel) -> None:
    """The score of the query with the key a shift further, as a number beside its point; of ALiBi the first head's."""
    encoding: Encoding = shown.result.encoding
    theme = shown.look.theme
    mark = marks(encoding, theme)[1]
    if mark.place >= encoding.n:
        return
    value = float(panel.lines[0][mark.place])
    paint_points(
        painter, chart, [mark.place], [value], mark.colour, radius=5.0, ground=theme.surface
    )
    text = show_significant(value, shown.look.decimals)
    wide = width_of(text, font(CAPTION, bold=True)) + 8.0
    point = chart.point(mark.place, value)
    left = (
        point.x() + 8.0 if point.x() + 8.0 + wide <= chart.rect.right() else point.x() - 8.0 - wide
    )
    area = QRectF(left, max(point.y() - 22.0, chart.rect.top()), wide, 18.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(area, 4.0, 4.0)
    write(painter, area, text, mark.colour, font(CAPTION, bold=True), Qt.AlignmentFlag.AlignCenter)
