"""Multiply-adds of a layer against the number of tokens, both axes logarithmic, with the point where they cross."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from core.labs.sequence import FAR_N, Compared, Cost
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
from gui.labs.charts.ticks import grouped
from gui.labs.exhibit import Shown
from gui.labs.facts import HEIGHT, Fact, paint_facts
from gui.labs.measured import counted
from gui.labs.sequence_nudge import strokes
from gui.painting.theme import BODY, Colours, font
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

LEAST = 300.0  # units of height from which there is room for the counts below the chart

RECURRENCE, PAIRS = "RNN  n·d²", "QKᵀ  n²·d"


def chart_of(room: QRectF, shown: Shown) -> Chart:
    """Where the two lines lie: n from 1 to its most."""
    result: Compared = shown.result
    inside = room.adjusted(16.0, 8.0, -16.0, -8.0)
    counts = HEIGHT + 16.0 if room.height() >= LEAST else 0.0
    area = QRectF(inside.left(), inside.top(), inside.width(), inside.height() - counts)
    ends = [Cost(n, result.d) for n in (1, FAR_N)]
    x = Axis.decades([1.0, float(FAR_N)])
    y = Axis.decades([float(count) for cost in ends for count in (cost.recurrence, cost.pairs)])
    right = ends_width((RECURRENCE, PAIRS))
    return chart_in(area, x, y, x_label=" ", y_label=" ", title=" ", right=right)


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """The two lines, the crossing, and what the layer really costs at the n chosen."""
    result: Compared = shown.result
    theme = shown.look.theme
    chart = chart_of(room, shown)
    title = tr("Multiply-adds of a layer of width d = {d}", d=result.d)
    paint_frame(painter, chart, theme, tr("tokens n"), tr("multiply-adds"), title)
    _paint_lines(painter, chart, result, theme)
    rule = Stroke(theme.accent, "solid", 1.6)
    paint_rule(
        painter,
        chart,
        theme,
        float(result.n),
        f"n = {grouped(result.n, 0)}",
        vertical=True,
        stroke=rule,
    )
    _paint_crossing(painter, chart, result.d, theme)
    if room.height() >= LEAST:
        inside = room.adjusted(16.0, 8.0, -16.0, -8.0)
        area = QRectF(inside.left(), inside.bottom() - HEIGHT, inside.width(), HEIGHT)
        paint_facts(painter, area, theme, _facts(result, theme))


def _paint_crossing(painter: QPainter, chart: Chart, d: int, theme: Colours) -> None:
    """Where both cost the same; its name lies below the lines, which rise from there."""
    count = float(Cost(d, d).pairs)
    paint_points(painter, chart, [d], [count], theme.text, radius=5.5, ground=theme.surface)
    point, text = chart.point(d, count), f"n = d = {grouped(d, 0)}"
    wide = width_of(text, font(BODY, bold=True)) + 2.0
    area = QRectF(min(point.x() + 12.0, chart.rect.right() - wide), point.y() + 8.0, wide, 20.0)
    painter.fillRect(area.adjusted(-3.0, 0.0, 3.0, 0.0), QColor(theme.surface))
    write(painter, area, text, theme.text, font(BODY, bold=True))


def _paint_lines(painter: QPainter, chart: Chart, result: Compared, theme: Colours) -> None:
    ns = np.geomspace(chart.x.low, chart.x.high, 81)
    rnn, attention = strokes(theme)
    counts = ((RECURRENCE, ns * result.d**2, rnn), (PAIRS, ns**2 * result.d, attention))
    for _, values, line in counts:
        paint_line(painter, chart, ns, values, line)
    here = ((result.cost.recurrence, rnn.colour), (result.cost.pairs, attention.colour))
    for value, colour in here:
        paint_points(painter, chart, [result.n], [value], colour, radius=4.5, ground=theme.surface)
    paint_ends(
        painter,
        chart,
        theme,
        [
            End(name, chart.x.high, min(float(values[-1]), chart.y.high), line)
            for name, values, line in counts
        ],
    )


def _facts(result: Compared, theme: Colours) -> tuple[Fact, ...]:
    """The leading terms, and the whole layers: 2·n·d² and 3·n·d² + 2·n²·d."""
    cost = result.cost
    return (
        Fact("n·d²", counted(cost.recurrence), theme.text),
        Fact("n²·d", counted(cost.pairs), theme.weights),
        Fact(tr("whole RNN, 2·n·d²"), counted(cost.rnn)),
        Fact(tr("whole head, 3·n·d² + 2·n²·d"), counted(cost.attention)),
    )
