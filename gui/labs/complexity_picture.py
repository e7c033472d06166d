"""The bill: sums, a line for each stage, and beside them how the products grow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.arrays import frozen
from core.labs.complexity import Bill
from gui.labs.charts import (
    Axis,
    Chart,
    End,
    Stroke,
    ends_width,
    paint_chart,
    paint_ends,
    paint_line,
    paint_points,
    paint_rule,
)
from gui.labs.complexity_table import paint_table, strokes
from gui.labs.exhibit import Shown
from gui.labs.facts import HEIGHT, Fact, paint_facts
from gui.labs.measured import counted
from gui.labs.memory import bytes_text, seconds_text
from gui.painting.theme import Colours
from gui.texts.translation import tr

WIDE = 1.3  # width to height from which table and chart stand side by side
LEAST = 300.0  # units of height from which there is room for the sums above


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """Facts above, the table, and the chart beside or below it."""
    bill: Bill = shown.result
    below = room.adjusted(12, 6, -12, -6)
    if room.height() >= LEAST:
        _paint_facts(
            painter,
            QRectF(below.left(), below.top(), below.width(), HEIGHT),
            bill,
            shown.look.theme,
        )
        below = below.adjusted(0, HEIGHT + 14, 0, 0)
    if room.width() >= WIDE * room.height():
        table = QRectF(below.left(), below.top(), below.width() * 0.56, below.height())
        chart = QRectF(
            table.right() + 28, below.top(), below.right() - table.right() - 28, below.height()
        )
    else:
        table = QRectF(below.left(), below.top(), below.width(), below.height() * 0.55)
        chart = QRectF(
            below.left(), table.bottom() + 12, below.width(), below.bottom() - table.bottom() - 12
        )
    paint_table(painter, table, bill, shown.look.theme)
    _paint_growth(painter, chart, bill, shown.look.theme)


def _paint_facts(painter: QPainter, area: QRectF, bill: Bill, theme: Colours) -> None:
    times = [cost.seconds for cost in bill.costs if cost.seconds is not None]
    facts = [
        Fact(tr("Multiply-adds"), counted(bill.total)),
        Fact(tr("Memory of all stages"), bytes_text(bill.bytes)),
    ]
    if times:
        facts.append(Fact(tr("Measured, all stages"), seconds_text(sum(times))))
    sizes = bill.sizes
    facts.append(
        Fact(tr("Tokens n, width d, heads h"), f"{sizes['n']}, {sizes['d']}, {sizes['h']}")
    )
    paint_facts(painter, area, theme, facts)


# The chart


def _paint_growth(painter: QPainter, area: QRectF, bill: Bill, theme: Colours) -> None:
    """Multiply-adds against the size that grows, on logarithmic axes; what was measured as points of its own scale."""
    names = (tr("Q, K, V"), tr("pairs"), "W_O")
    curves = [
        (name, values, line)
        for name, values, line in zip(
            names, (bill.projections, bill.pairs, bill.output), strokes(theme), strict=True
        )
        if float(values.max()) > 0
    ]
    timed = [(n, seconds) for n, seconds in bill.timed if bill.axis == "n"]
    plot = QRectF(area.left(), area.top(), area.width(), area.height() * (0.6 if timed else 1.0))
    most = max(float(values.max()) for _, values, _ in curves) if curves else 10.0
    least = min(float(values[values > 0].min()) for _, values, _ in curves) if curves else 1.0
    x = Axis(float(bill.lengths[0]), float(bill.lengths[-1]), log=True)
    chart = paint_chart(
        painter,
        plot,
        x,
        Axis(least, max(most, least * 10), log=True),
        theme,
        x_label=bill.axis,
        y_label=tr("multiply-adds"),
        title=tr("How it grows with {axis}", axis=bill.axis),
        right=ends_width(names),
    )
    for _, values, line in curves:
        paint_line(painter, chart, bill.lengths, frozen(np.maximum(values, least)), line)
    ends = [
        End(name, chart.x.high, max(float(values[-1]), least), line)
        for name, values, line in curves
    ]
    paint_ends(painter, chart, theme, ends)
    paint_rule(painter, chart, theme, float(bill.sizes[bill.axis]), tr("now"), vertical=True)
    if timed:
        rest = QRectF(
            area.left(), plot.bottom() + 10, area.width(), area.bottom() - plot.bottom() - 10
        )
        _paint_times(painter, rest, timed, x, theme, ends_width(names))


def _paint_times(
    painter: QPainter,
    area: QRectF,
    timed: Sequence[tuple[int, float]],
    x: Axis,
    theme: Colours,
    right: float,
) -> None:
    lengths = frozen([float(n) for n, _ in timed])
    times = frozen([seconds * 1000 for _, seconds in timed])
    y = Axis(float(times.min()) / 1.5, float(times.max()) * 1.5, log=True)
    chart: Chart = paint_chart(
        painter,
        area,
        x,
        y,
        theme,
        x_label="n",
        y_label="ms",
        title=tr("Measured here: a whole run"),
        right=right,
    )
    line = Stroke(theme.text)
    paint_line(painter, chart, lengths, times, line)
    paint_points(painter, chart, lengths, times, theme.text)
