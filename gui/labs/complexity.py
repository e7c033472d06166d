"""Exhibit of the lab `complexity`: texts, table and chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.arrays import frozen
from core.base.number_format import show
from core.labs.complexity import Bill, Cost
from gui.labs.charts import (
    LEFT_ALIGNED,
    RIGHT_ALIGNED,
    ChartAxis,
    ChartStroke,
    Fact,
    chart_in,
    ends_width,
    paint_curves,
    paint_facts,
    paint_frame,
    paint_line,
    paint_points,
    paint_rule,
    split_facts,
    versus,
    write,
)
from gui.labs.exhibit import Exhibit, LabView, split
from gui.labs.wording import bytes_text, counted, listed, seconds_text
from gui.painting.shapes import faded, paint_shape
from gui.painting.theme import CAPTION, Colours, font
from gui.texts.names import stage_name, symbol_here
from gui.texts.translation import mark, tr
from gui.widgets.subscripts import width_of

GROUPS = (
    ("Q", "K", "V"),
    ("scores", "heads"),
    ("Y",),
)  # matrix products, grouped as the curves of the chart
HEAD = 22.0  # height of the column names
TALLEST, TABLE_LEAST = 40.0, 15.0  # height of a line
LARGEST, SMALLEST = 16.0, 9.0  # font size of a line
PART = 0.6  # font size relative to the line height
SOFT = 0.72  # opacity of bars
LEAST_BAR = 48.0  # least width of the longest bar


def formula_text(cost: Cost, crossed: bool) -> str:
    """Return n·d·h·d_k, "" for entered data.

    `crossed` if keys come from another sentence of m tokens.
    """
    names = {"k": "d_k", "v": "d_v", "o": "d_model", "m": "m" if crossed else "n"}
    text = "·".join(names.get(letter, letter) for letter in cost.letters)
    text = text.replace("n·n", "n²")
    return text.replace("h·", f"h/{cost.fewer}·") if cost.fewer > 1 else text


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of texts with its heading and alignment."""

    heading: str
    texts: tuple[str, ...]
    right: bool = True

    def width(self, size: float) -> float:
        """Return the width of its widest text."""
        return (
            max(
                width_of(self.heading, font(CAPTION)),
                *(width_of(text, font(size)) for text in self.texts),
            )
            + 14.0
        )


def paint_table(painter: QPainter, area: QRectF, bill: Bill, theme: Colours) -> None:
    """Paint the most expensive stages that fit, with formulas if the width suffices."""
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
    """Return the costs with the most operations in their original order."""
    chosen = sorted(range(len(costs)), key=lambda place: -costs[place].count)[: max(1, most)]
    return [costs[place] for place in sorted(chosen)]


def _wide(columns: Sequence[_Column], size: float) -> float:
    return sum(column.width(size) for column in columns)


def _columns(
    bill: Bill, costs: Sequence[Cost], *, formulas: bool = True
) -> tuple[list[_Column], list[_Column]]:
    """Return the columns left and right of the bars."""
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
    """Paint a column; `first` is the rectangle of its first line."""
    align = RIGHT_ALIGNED if column.right else LEFT_ALIGNED
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
    """Return the strokes of projections, pairs and output, for chart and table."""
    first, last = versus(theme)
    return first, ChartStroke(theme.weights, "dashed"), ChartStroke(last.colour, "dashdot")


def _paint_bars(painter: QPainter, first: QRectF, costs: Sequence[Cost], theme: Colours) -> None:
    """Paint bars of operations: products in the colours of their curves, elementwise stages pale."""
    groups = dict(zip(GROUPS, strokes(theme), strict=True))
    colours = {stage: line.colour for stages, line in groups.items() for stage in stages}
    most = max(cost.count for cost in costs) or 1
    for row, cost in enumerate(costs):
        soft = faded(colours.get(cost.stage, theme.ghost), SOFT)
        length = max(1.5, first.width() * cost.count / most) if cost.count else 0.0
        high = min(20.0, first.height() * 0.62)
        top = first.top() + row * first.height() + (first.height() - high) / 2
        paint_shape(painter, QRectF(first.left(), top, length, high), fill=soft, radius=3)


WIDE = 1.3  # aspect ratio from which table and chart are side by side


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint facts above, the table, and the chart beside or below it."""
    bill: Bill = view.result
    facts, below = split_facts(area, 14.0)
    if not facts.isEmpty():
        _paint_facts(painter, facts, bill, view.theme)
    wide = area.width() >= WIDE * area.height()
    table, chart = split(below, 0.56 if wide else 0.55, 28 if wide else 12, across=wide)
    paint_table(painter, table, bill, view.theme)
    _paint_growth(painter, chart, bill, view.theme)


def _paint_facts(painter: QPainter, area: QRectF, bill: Bill, theme: Colours) -> None:
    times = [cost.seconds for cost in bill.costs if cost.seconds is not None]
    facts = [
        Fact(tr("Multiply-adds"), counted(bill.total)),
        Fact(tr("Memory of all stages"), bytes_text(bill.bytes)),
        Fact(tr("Key–value cache"), bytes_text(bill.cache)),
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
    """Paint multiply-adds against the growing size on logarithmic axes, with the measured times."""
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
    chart = paint_frame(
        painter,
        chart_in(
            plot,
            x,
            ChartAxis(least, max(most, least * 10), log=True),
            x_label=bill.axis,
            y_label=tr("multiply-adds"),
            title=tr("How it grows with {axis}", axis=bill.axis),
            right=ends_width(names),
        ),
        theme,
    )
    seen = [(name, np.maximum(values, least), line) for name, values, line in curves]
    paint_curves(painter, chart, bill.lengths, seen)
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
    chart = paint_frame(
        painter,
        chart_in(
            area,
            x,
            y,
            x_label="n",
            y_label="ms",
            title=tr("Measured here: a whole run"),
            right=right,
        ),
        theme,
    )
    paint_line(painter, chart, lengths, times, ChartStroke(theme.text))
    paint_points(painter, chart, lengths, times, theme.text)


class ComplexityExhibit(Exhibit):
    """The costs and their growth."""

    made = mark(
        "Drawn at random; in seven of the eight heads W_Q and W_K were built for what the head is named "
        "after. Costs do not depend on the numbers."
    )

    labels = {
        "n": mark("Tokens n"),
        "d": mark("Width d"),
        "h": mark("Heads h"),
        "grows": mark("What grows in the chart"),
        "shared": mark("Query heads per head of keys and values"),
        "blockwise": mark("Block by block (FlashAttention)"),
        "measure": mark("Measure on this machine"),
    }
    helps = {
        "n": mark(
            "The counts change at once; times are measured only for the experiment's own sizes."
        ),
        "h": mark("Each head is d ÷ h wide where width or heads are not the experiment's own."),
        "shared": mark("Grouped queries: K and V have fewer heads, and so does their cache."),
        "blockwise": mark(
            "No n × n matrix is stored, only the maximum and the sum of each row. The number of "
            "multiply-adds is the same."
        ),
        "measure": mark(
            "Every stage seven times, of which the median counts; then whole runs of growing "
            "length."
        ),
    }
    options = {"n": mark("n"), "d": mark("d"), "h": mark("h")}

    def notice(self, view: LabView) -> str:
        """Name the most expensive stage and the part that grows quadratically."""
        bill: Bill = view.result
        products = sum(cost.count for cost in bill.costs if cost.product) or 1
        pairs = sum(
            cost.count for cost in bill.costs if cost.product and {"n", "m"} <= set(cost.letters)
        )
        share = show(100 * pairs / products, 0)
        dearest = listed([stage_name(cost.stage) for cost in bill.dearest])
        if bill.blockwise:
            return tr(
                "Block by block, all stages take {memory}: no n × n matrix is stored. There are "
                "still {total} multiply-adds, and the pairs take {share}% of them.",
                memory=bytes_text(bill.bytes),
                total=counted(bill.total),
                share=share,
            )
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
        """Suggest measuring, then n larger than d."""
        if view.result.own and not view.result.timed:
            return tr(
                "Measure on this machine: is the stage with the most operations also the slowest?"
            )
        return tr(
            "Move n until the pairs take as much as Q, K and V. How large is n then, against d?"
        )

    paint = staticmethod(paint)

    def spoken(self, view: LabView) -> str:
        """Describe every stage with its count and memory."""
        lines = tr("; ").join(
            tr(
                "{stage}: {count} operations, {memory}",
                stage=stage_name(cost.stage),
                count=counted(cost.count),
                memory=bytes_text(cost.size),
            )
            for cost in view.result.costs
        )
        return tr("{lines}. {notice}", lines=lines, notice=self.notice(view))


EXHIBIT = ComplexityExhibit()
