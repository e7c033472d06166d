"""The bill: a line for each stage with its formula, operations, memory and time; beside it how the products grow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from core.arrays import frozen
from core.labs.complexity import Bill, Cost
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
    stroke,
    write,
)  # fmt: skip
from gui.labs.exhibit import Shown
from gui.labs.facts import HEIGHT, Fact, paint_facts
from gui.labs.measured import counted
from gui.labs.memory import bytes_text, seconds_text
from gui.language import tr
from gui.texts.names import symbol_here
from gui.theme import BODY, CAPTION, Colours, font

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
WIDE = 1.3
LINE = 30.0  # the tallest line of the table
BAR = 0.34  # of the table's width, for the longest bar


def formula_text(cost: Cost, crossed: bool) -> str:
    """n·d·h·d_k, and nothing for what was entered; `crossed` where keys come from another sentence of m tokens."""
    names = {"k": "d_k", "v": "d_v", "o": "d_model", "m": "m" if crossed else "n"}
    text = "·".join(names.get(letter, letter) for letter in cost.letters)
    return text.replace("n·n", "n²")


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """Facts above, the table, and the chart beside or below it."""
    bill: Bill = shown.result
    inner = room.adjusted(12, 6, -12, -6)
    _paint_facts(painter, QRectF(inner.left(), inner.top(), inner.width(), HEIGHT), bill, shown.look.theme)
    below = inner.adjusted(0, HEIGHT + 14, 0, 0)
    if room.width() >= WIDE * room.height():
        table = QRectF(below.left(), below.top(), below.width() * 0.56, below.height())
        chart = QRectF(table.right() + 28, below.top(), below.right() - table.right() - 28, below.height())
    else:
        table = QRectF(below.left(), below.top(), below.width(), below.height() * 0.55)
        chart = QRectF(below.left(), table.bottom() + 12, below.width(), below.bottom() - table.bottom() - 12)
    _paint_table(painter, table, bill, shown.look.theme)
    _paint_growth(painter, chart, bill, shown.look.theme)


def _paint_facts(painter: QPainter, area: QRectF, bill: Bill, theme: Colours) -> None:
    times = [cost.seconds for cost in bill.costs if cost.seconds is not None]
    facts = [
        Fact(tr("Multiply-adds"), counted(bill.total), theme.query),
        Fact(tr("Memory of all stages"), bytes_text(bill.bytes), theme.value),
    ]
    if times:
        facts.append(Fact(tr("Measured, all stages"), seconds_text(sum(times)), theme.weights))
    sizes = bill.sizes
    facts.append(Fact(tr("Tokens n, width d, heads h"), f"{sizes['n']}, {sizes['d']}, {sizes['h']}"))
    paint_facts(painter, area, theme, facts)


# The table


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of texts: its heading, and where it ends on the right."""

    heading: str
    texts: tuple[str, ...]
    right: bool = True

    @property
    def width(self) -> float:
        """As wide as its widest text."""
        metrics = QFontMetricsF(font(BODY))
        heading = QFontMetricsF(font(CAPTION)).horizontalAdvance(self.heading)
        return max([heading, *map(metrics.horizontalAdvance, self.texts)]) + 14


def _paint_table(painter: QPainter, area: QRectF, bill: Bill, theme: Colours) -> None:
    costs = bill.costs
    symbols = tuple(symbol_here(bill.document, cost.stage) for cost in costs)
    columns = [
        _Column("", symbols, right=False),
        _Column(
            tr("operations"),
            tuple(formula_text(cost, bill.document.context is not None) for cost in costs),
            right=False,
        ),
        _Column("", tuple(counted(cost.count) if cost.count else tr("entered") for cost in costs)),
        _Column(tr("memory"), tuple(bytes_text(cost.size) for cost in costs)),
    ]
    if any(cost.seconds is not None for cost in costs):
        texts = tuple("" if cost.seconds is None else seconds_text(cost.seconds) for cost in costs)
        columns.append(_Column(tr("time"), texts))
    high = min(LINE, (area.height() - 22) / max(1, len(costs)))
    size = min(float(BODY), high * 0.62)
    bar = max(24.0, area.width() - sum(column.width for column in columns) - 8)
    left = area.left()
    for place, column in enumerate(columns):
        _paint_column(painter, QRectF(left, area.top(), column.width, high), column, theme, size)
        left += column.width
        if place == 1:
            _paint_bars(painter, QRectF(left + 4, area.top() + 22, bar - 8, high), costs, theme)
            left += bar


def _paint_column(painter: QPainter, first: QRectF, column: _Column, theme: Colours, size: float) -> None:
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    align = RIGHT if column.right else left
    heading = QRectF(first.left(), first.top(), first.width() - 8, 20)
    write(painter, heading, column.heading, theme.muted, font(CAPTION), align)
    for row, text in enumerate(column.texts):
        cell = QRectF(first.left(), first.top() + 22 + row * first.height(), first.width() - 8, first.height())
        write(painter, cell, text, theme.text if column.right else theme.muted, font(size), align)


def _paint_bars(painter: QPainter, first: QRectF, costs: Sequence[Cost], theme: Colours) -> None:
    """As long as the operations are many: products in one colour, what acts on each number alone in another."""
    most = max(cost.count for cost in costs) or 1
    painter.setPen(Qt.PenStyle.NoPen)
    for row, cost in enumerate(costs):
        painter.setBrush(QColor(theme.query if cost.product else theme.key))
        length = max(1.5, first.width() * cost.count / most) if cost.count else 0.0
        high = min(16.0, first.height() * 0.62)
        top = first.top() + row * first.height() + (first.height() - high) / 2
        painter.drawRoundedRect(QRectF(first.left(), top, length, high), 3, 3)


# The chart


def _paint_growth(painter: QPainter, area: QRectF, bill: Bill, theme: Colours) -> None:
    """Multiply-adds against the size that grows, on logarithmic axes; what was measured as points of its own scale."""
    names = (tr("Q, K, V"), tr("pairs"), "W_O")
    curves = [
        (name, values, stroke(theme, index))
        for index, (name, values) in enumerate(zip(names, (bill.projections, bill.pairs, bill.output), strict=True))
        if float(values.max()) > 0
    ]
    timed = [(n, seconds) for n, seconds in bill.timed if bill.axis == "n"]
    plot = QRectF(area.left(), area.top(), area.width(), area.height() * (0.6 if timed else 1.0))
    most = max(float(values.max()) for _, values, _ in curves) if curves else 10.0
    least = min(float(values[values > 0].min()) for _, values, _ in curves) if curves else 1.0
    x = Axis(float(bill.lengths[0]), float(bill.lengths[-1]), log=True)
    chart = paint_chart(
        painter, plot, x, Axis(least, max(most, least * 10), log=True), theme, x_label=bill.axis,
        y_label=tr("multiply-adds"), title=tr("How it grows with {axis}", axis=bill.axis), right=ends_width(names),
    )  # fmt: skip
    for _, values, line in curves:
        paint_line(painter, chart, bill.lengths, frozen(np.maximum(values, least)), line)
    ends = [End(name, chart.x.high, max(float(values[-1]), least), line) for name, values, line in curves]
    paint_ends(painter, chart, theme, ends)
    paint_rule(painter, chart, theme, float(bill.sizes[bill.axis]), tr("now"), vertical=True)
    if timed:
        rest = QRectF(area.left(), plot.bottom() + 10, area.width(), area.bottom() - plot.bottom() - 10)
        _paint_times(painter, rest, timed, x, theme, ends_width(names))


def _paint_times(
    painter: QPainter, area: QRectF, timed: Sequence[tuple[int, float]], x: Axis, theme: Colours, right: float
) -> None:
    lengths = frozen([float(n) for n, _ in timed])
    times = frozen([seconds * 1000 for _, seconds in timed])
    y = Axis(float(times.min()) / 1.5, float(times.max()) * 1.5, log=True)
    chart: Chart = paint_chart(
        painter, area, x, y, theme, x_label="n", y_label="ms", title=tr("Measured here: a whole run"), right=right
    )
    line = Stroke(theme.weights)
    paint_line(painter, chart, lengths, times, line)
    paint_points(painter, chart, lengths, times, theme.weights)
