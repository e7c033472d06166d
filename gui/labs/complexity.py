"""Exhibit of the lab `complexity`: texts, table and chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from core.base.arrays import frozen
from core.base.number_format import show
from core.labs.complexity import Bill, Cost
from core.labs.lab import Setting
from gui.labs.charts import (
    Chart,
    ChartAxis,
    ChartStroke,
    End,
    ends_width,
    paint_chart,
    paint_ends,
    paint_line,
    paint_points,
    paint_rule,
    versus,
    write,
)
from gui.labs.exhibit import Exhibit, LabView
from gui.labs.wording import HEIGHT, Fact, bytes_text, counted, listed, paint_facts, seconds_text
from gui.painting.theme import CAPTION, Colours, font
from gui.texts.names import stage_name, symbol_here
from gui.texts.translation import mark, tr, tr_marked
from gui.widgets.subscripts import width_of

GROUPS = (
    ("Q", "K", "V"),
    ("scores", "heads"),
    ("Y",),
)  # stages of products, as the curves of the chart group them
HEAD = 22.0  # the names of the columns
TALLEST, TABLE_LEAST = 40.0, 15.0  # a line
LARGEST, SMALLEST = 16.0, 9.0  # its letters
PART = 0.6  # of a line's height, for its letters
SOFT = 0.72  # how opaque bars are: in a row below each other they would outshine all else
LEAST_BAR = 48.0  # units of width for the longest bar

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def formula_text(cost: Cost, crossed: bool) -> str:
    """n·d·h·d_k, and nothing for what was entered; `crossed` where keys come from another sentence of m tokens."""
    names = {"k": "d_k", "v": "d_v", "o": "d_model", "m": "m" if crossed else "n"}
    text = "·".join(names.get(letter, letter) for letter in cost.letters)
    return text.replace("n·n", "n²")


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of texts: its heading, and on which side it ends."""

    heading: str
    texts: tuple[str, ...]
    right: bool = True

    def width(self, size: float) -> float:
        """As wide as its widest text with letters of a size."""
        return (
            max(
                width_of(self.heading, font(CAPTION)),
                *(width_of(text, font(size)) for text in self.texts),
            )
            + 14.0
        )


def paint_table(painter: QPainter, area: QRectF, bill: Bill, theme: Colours) -> None:
    """As many stages as lines that can be read have room, the dearest; formulas where the width is enough for them."""
    costs = _dearest(bill.costs, int((area.height() - HEAD) / TABLE_LEAST))
    high = min(TALLEST, (area.height() - HEAD) / max(1, len(costs)))
    for size in range(int(max(SMALLEST, min(LARGEST, high * PART))), int(SMALLEST) - 1, -1):
        left, right = _columns(bill, costs)
        if area.width() - _wide((*left, *right), size) < LEAST_BAR:
            left, right = _columns(bill, costs, formulas=False)
        if area.width() - _wide((*left, *right), size) >= LEAST_BAR:
            break
    x = area.left()
    for column in left:
        _paint_column(painter, QRectF(x, area.top(), column.width(size), high), column, theme, size)
        x += column.width(size)
    bar = area.right() - _wide(right, size) - x
    _paint_bars(
        painter, QRectF(x + 4.0, area.top() + HEAD, max(bar, 4.0) - 4.0, high), costs, theme
    )
    x = area.right() - _wide(right, size)
    for column in right:
        _paint_column(painter, QRectF(x, area.top(), column.width(size), high), column, theme, size)
        x += column.width(size)


def _dearest(costs: Sequence[Cost], most: int) -> list[Cost]:
    """So many of them, those with most operations, in their order."""
    kept = sorted(range(len(costs)), key=lambda place: -costs[place].count)[: max(1, most)]
    return [costs[place] for place in sorted(kept)]


def _wide(columns: Sequence[_Column], size: float) -> float:
    return sum(column.width(size) for column in columns)


def _columns(
    bill: Bill, costs: Sequence[Cost], *, formulas: bool = True
) -> tuple[list[_Column], list[_Column]]:
    """What stands at the left of the bars, and what at the right."""
    some = (
        tr("{seen} of {n}", seen=len(costs), n=len(bill.costs))
        if len(costs) < len(bill.costs)
        else ""
    )
    left = [
        _Column(some, tuple(symbol_here(bill.document, cost.stage) for cost in costs), right=False)
    ]
    if formulas:
        crossed = bill.document.context is not None
        left.append(
            _Column(
                tr("operations"), tuple(formula_text(cost, crossed) for cost in costs), right=False
            )
        )
    counts = tuple(counted(cost.count) if cost.count else tr("entered") for cost in costs)
    right = [
        _Column("" if formulas else tr("operations"), counts),
        _Column(tr("memory"), tuple(bytes_text(cost.size) for cost in costs)),
    ]
    if any(cost.seconds is not None for cost in costs):
        texts = tuple("" if cost.seconds is None else seconds_text(cost.seconds) for cost in costs)
        right.append(_Column(tr("time"), texts))
    return left, right


def _paint_column(
    painter: QPainter, first: QRectF, column: _Column, theme: Colours, size: float
) -> None:
    """`first` is as wide as the column and as high as a line."""
    align = _RIGHT if column.right else _LEFT
    start = first.left() + (10.0 if column.right else 0.0)
    wide = first.width() - (10.0 if column.right else 4.0)
    write(
        painter,
        QRectF(start, first.top(), wide, 20.0),
        column.heading,
        theme.muted,
        font(CAPTION),
        align,
    )
    for row, text in enumerate(column.texts):
        cell = QRectF(start, first.top() + HEAD + row * first.height(), wide, first.height())
        write(painter, cell, text, theme.text if column.right else theme.muted, font(size), align)


def strokes(theme: Colours) -> tuple[ChartStroke, ChartStroke, ChartStroke]:
    """Of Q, K and V, of the pairs, and of the output, in the chart as in the table."""
    first, last = versus(theme)
    return first, ChartStroke(theme.weights, "dashed"), ChartStroke(last.colour, "dashdot")


def _paint_bars(painter: QPainter, first: QRectF, costs: Sequence[Cost], theme: Colours) -> None:
    """As long as the operations are many: products as coloured as their curves, what acts on each number pale."""
    groups = dict(zip(GROUPS, strokes(theme), strict=True))
    colours = {stage: line.colour for stages, line in groups.items() for stage in stages}
    most = max(cost.count for cost in costs) or 1
    painter.setPen(Qt.PenStyle.NoPen)
    for row, cost in enumerate(costs):
        colour = QColor(colours.get(cost.stage, theme.ghost))
        colour.setAlphaF(SOFT)
        painter.setBrush(colour)
        length = max(1.5, first.width() * cost.count / most) if cost.count else 0.0
        high = min(20.0, first.height() * 0.62)
        top = first.top() + row * first.height() + (first.height() - high) / 2
        painter.drawRoundedRect(QRectF(first.left(), top, length, high), 3, 3)


WIDE = 1.3  # width to height from which table and chart stand side by side
LEAST = 300.0  # units of height from which there is room for the sums above


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Facts above, the table, and the chart beside or below it."""
    bill: Bill = view.result
    below = area.adjusted(12, 6, -12, -6)
    if area.height() >= LEAST:
        _paint_facts(
            painter,
            QRectF(below.left(), below.top(), below.width(), HEIGHT),
            bill,
            view.appearance.theme,
        )
        below = below.adjusted(0, HEIGHT + 14, 0, 0)
    if area.width() >= WIDE * area.height():
        table = QRectF(below.left(), below.top(), below.width() * 0.56, below.height())
        chart = QRectF(
            table.right() + 28, below.top(), below.right() - table.right() - 28, below.height()
        )
    else:
        table = QRectF(below.left(), below.top(), below.width(), below.height() * 0.55)
        chart = QRectF(
            below.left(), table.bottom() + 12, below.width(), below.bottom() - table.bottom() - 12
        )
    paint_table(painter, table, bill, view.appearance.theme)
    _paint_growth(painter, chart, bill, view.appearance.theme)


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
    x = ChartAxis(float(bill.lengths[0]), float(bill.lengths[-1]), log=True)
    chart = paint_chart(
        painter,
        plot,
        x,
        ChartAxis(least, max(most, least * 10), log=True),
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
    x: ChartAxis,
    theme: Colours,
    right: float,
) -> None:
    lengths = frozen([float(n) for n, _ in timed])
    times = frozen([seconds * 1000 for _, seconds in timed])
    y = ChartAxis(float(times.min()) / 1.5, float(times.max()) * 1.5, log=True)
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
    line = ChartStroke(theme.text)
    paint_line(painter, chart, lengths, times, line)
    paint_points(painter, chart, lengths, times, theme.text)


LABELS = {
    "n": mark("Tokens n"),
    "d": mark("Width d"),
    "h": mark("Heads h"),
    "grows": mark("What grows in the chart"),
    "measure": mark("Measure on this machine"),
}
OPTIONS = {"n": mark("n"), "d": mark("d"), "h": mark("h")}
HELP = {
    "n": mark("The counts follow at once; times are measured for the experiment's own sizes."),
    "h": mark("Each head is d ÷ h wide where width or heads are not the experiment's own."),
    "measure": mark(
        "Every stage seven times, the median counts; then whole runs of growing length."
    ),
}


class ComplexityExhibit(Exhibit):
    """The bill and its growth."""

    labels = LABELS
    helps = HELP

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """The axes."""
        return tr_marked(OPTIONS[option])

    def notice(self, view: LabView) -> str:
        """The dearest stage, and which part grows with the square."""
        bill: Bill = view.result
        products = sum(cost.count for cost in bill.costs if cost.product) or 1
        pairs = sum(
            cost.count for cost in bill.costs if cost.product and {"n", "m"} <= set(cost.letters)
        )
        share = show(100 * pairs / products, 0)
        dearest = listed([stage_name(cost.stage) for cost in bill.dearest])
        timed = [cost for cost in bill.costs if cost.seconds is not None]
        if timed:
            slowest = max(timed, key=lambda cost: cost.seconds or 0.0)
            return tr(
                "Most operations: {dearest}. Most time on this machine: {slowest}, {time}.",
                dearest=dearest,
                slowest=stage_name(slowest.stage),
                time=seconds_text(slowest.seconds or 0.0),
            )
        return tr(
            "The pairs, {pairs} of them, take {share}% of {total} multiply-adds; most operations: {dearest}.",
            pairs="n²" if bill.document.context is None else "n·m",
            share=share,
            total=counted(bill.total),
            dearest=dearest,
        )

    def attempt(self, view: LabView) -> str:
        """Measure; then make n larger than d."""
        bill: Bill = view.result
        if bill.own and not bill.timed:
            return tr(
                "Measure on this machine: is the stage with most operations the slowest, too?"
            )
        return tr(
            "Move n until the pairs take as much as Q, K and V. How large is n then, against d?"
        )

    def paint(self, painter: QPainter, area: QRectF, view: LabView) -> None:
        """The picture."""
        paint(painter, area, view)

    def spoken(self, view: LabView) -> str:
        """Every stage with its count and memory."""
        bill: Bill = view.result
        lines = tr("; ").join(
            tr(
                "{stage}: {count} operations, {memory}",
                stage=stage_name(cost.stage),
                count=counted(cost.count),
                memory=bytes_text(cost.size),
            )
            for cost in bill.costs
        )
        return tr("{lines}. {notice}", lines=lines, notice=self.notice(view))


EXHIBIT = ComplexityExhibit()
