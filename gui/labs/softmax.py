"""Exhibit of the lab `softmax`: texts and the picture of scores, exponentials and weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.arrays import Array, frozen
from core.base.number_format import show
from core.labs.lab import Setting
from core.labs.softmax import COLDEST, HOTTEST, REACH, SoftmaxResult
from gui.labs.charts import (
    CENTRED,
    FACTS_HEIGHT,
    BarChart,
    Chart,
    ChartAxis,
    ChartStroke,
    Fact,
    chart_in,
    ends_width,
    paint_bars,
    paint_ends,
    paint_facts,
    paint_frame,
    paint_grid,
    paint_legend,
    paint_line,
    paint_points,
    paint_rule,
    stroke,
    write,
)
from gui.labs.draggable_bars import bar_spots, paint_draggable_bars
from gui.labs.exhibit import Exhibit, LabView, Spot
from gui.labs.wording import leaders, listed, measured
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame
from gui.painting.text_layout import line_width
from gui.painting.text_layout import paint_line as paint_maths
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.names import stage_name
from gui.texts.rich_text import Line, Span
from gui.texts.translation import mark, tr

GAP = 24.0
HEAD = 20.0  # height of the key names above the numbers
BEYOND = 1.18  # visible part of the reach at least, for numbers beyond the bars
NUMBER = 18.0  # height of such a number
MATHS = 15.0  # font size of the formulas
LEAST_CHARTS = 185.0  # height below which charts replace the measured numbers
LEAST_NAMED = 130.0  # height below which vertical axes have no name


@dataclass(frozen=True, slots=True)
class SoftmaxLayout:
    """The two charts, the table of numbers below (without names), and the measured numbers.

    In a low area the row of measured numbers has no height.
    """

    scores: Chart
    right: QRectF
    table: QRectF
    facts: QRectF
    row: float


def key_name(index: int) -> str:
    """Return k₁, k₂ …"""
    return f"k_{index + 1}" if index > 8 else "k" + "₁₂₃₄₅₆₇₈₉"[index]


def softmax_layout(area: QRectF, view: LabView) -> SoftmaxLayout:
    """Lay out an area."""
    inside = area.adjusted(2.0, 4.0, -2.0, -8.0)
    row = min(max(inside.height() * 0.055, 22.0), 40.0)
    table_high = HEAD + 3 * row
    roomy = inside.height() - 14.0 - table_high - 12.0 - FACTS_HEIGHT >= LEAST_CHARTS
    facts = (
        QRectF(inside.left(), inside.bottom() - FACTS_HEIGHT, inside.width(), FACTS_HEIGHT)
        if roomy
        else QRectF()
    )
    table_top = (facts.top() - 12.0 if roomy else inside.bottom()) - table_high
    high = table_top - 14.0 - inside.top()
    wide = (inside.width() - GAP) / 2
    names = ChartAxis.named(key_name(index) for index in range(len(view.result.scores)))
    left = QRectF(inside.left(), inside.top(), wide, high)
    title = tr("Scores: drag them") if view.appearance.live else stage_name("scores")
    scores = chart_in(left, names, _axis(high), y_label=_axis_name("s", high), title=title)
    named = max(line_width(line, MATHS) for line, _ in _rows(view)) + 14.0
    table = QRectF(inside.left() + named, table_top + HEAD, inside.width() - named, 3 * row)
    return SoftmaxLayout(
        scores, QRectF(left.right() + GAP, inside.top(), wide, high), table, facts, row
    )


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the whole picture."""
    where = softmax_layout(area, view)
    _paint_scores(painter, where, view)
    if view.setting["view"] == "sweep":
        _paint_sweep(painter, where.right, view)
    else:
        _paint_weights(painter, where.right, view)
    _paint_table(painter, where, view)
    if where.facts.height():
        paint_facts(painter, where.facts, view.theme, _facts(view))


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the end of each score's bar, vertically draggable."""
    scores = view.result.scores
    names = [
        tr("Score of {key}: {score}", key=key_name(index), score=view.show(score))
        for index, score in enumerate(scores)
    ]
    return bar_spots(softmax_layout(area, view).scores, scores, "scores", REACH, names)


def _axis(high: float) -> ChartAxis:
    """Return the axis of the scores, leaving space for numbers in a chart of a given height."""
    plot = max(high - 60.0, 2.0 * NUMBER + 30.0)
    reach = REACH * max(BEYOND, plot / (plot - 2.0 * NUMBER))
    return ChartAxis(-reach, reach)


def _axis_name(name: str, high: float) -> str:
    return name if high >= LEAST_NAMED else ""


def _paint_scores(painter: QPainter, where: SoftmaxLayout, view: LabView) -> None:
    paint_frame(painter, where.scores, view.theme)
    paint_draggable_bars(painter, where.scores, view, view.result.scores)


def _paint_weights(painter: QPainter, area: QRectF, view: LabView) -> None:
    theme, result, decimals = view.theme, view.result, view.decimals
    names = ChartAxis.named(key_name(index) for index in range(len(result.weights)))
    title = tr("Weights: shares of 1")
    chart = paint_frame(
        painter,
        chart_in(
            area, names, ChartAxis(0.0, 1.0), y_label=_axis_name("α", area.height()), title=title
        ),
        theme,
    )
    texts = tuple(written(float(weight), decimals) for weight in result.weights)
    bars = np.nan_to_num(result.weights)  # no bar where there is no number
    paint_bars(painter, chart, theme, [BarChart(bars, theme.weights, texts)])
    if view.setting["hardmax"]:
        paint_bars(painter, chart, theme, [BarChart(result.hardmax, theme.text, hollow=True)])
        legend = QRectF(
            chart.rect.left() + 24.0, chart.rect.top() - 26.0, chart.rect.width() - 24.0, 18.0
        )
        entries = [
            ("softmax", ChartStroke(theme.weights, width=7.0)),
            ("hardmax", ChartStroke(theme.text, width=1.6)),
        ]
        paint_legend(painter, legend, theme, entries)


def _paint_sweep(painter: QPainter, area: QRectF, view: LabView) -> None:
    theme, result = view.theme, view.result
    names = [key_name(index) for index in range(len(result.weights))]
    axes = ChartAxis(COLDEST, HOTTEST, log=True), ChartAxis(0.0, 1.0)
    title = tr("Weights at every temperature")
    across, up = _axis_name("T", area.height()), _axis_name("α", area.height())
    chart = paint_frame(
        painter,
        chart_in(area, *axes, x_label=across, y_label=up, title=title, right=ends_width(names)),
        theme,
    )
    temperature = float(view.setting["temperature"])
    now = f"T = {view.show(temperature)}"
    paint_rule(painter, chart, theme, temperature, now, vertical=True, above=bool(up))
    lines = [stroke(theme, index) for index in range(len(names))]
    curves = list(zip(names, result.sweep.T, lines, strict=True))
    for weight, (_, values, line) in zip(result.weights, curves, strict=True):
        paint_line(painter, chart, result.temperatures, values, line)
        if np.isfinite(weight):
            paint_points(
                painter,
                chart,
                [temperature],
                [weight],
                line.colour,
                radius=4.5,
                ground=theme.surface,
            )
    paint_ends(painter, chart, result.temperatures, curves)


def _rows(view: LabView) -> tuple[tuple[Line, Array], ...]:
    """Return each row of numbers with its formula."""
    result: SoftmaxResult = view.result
    base = view.setting["base"]
    power = "z − max z" if view.setting["subtract"] else "z"
    return (
        ((Span("z = (s + c) / T"),), result.z),
        ((Span("p = "), Span(base), Span(power, level=1)), result.numerators),
        ((Span("α = p / Σ p", "weights"),), result.weights),
    )


def _paint_table(painter: QPainter, where: SoftmaxLayout, view: LabView) -> None:
    """Paint one column per key and one for the sum; every row has its own colour scale."""
    theme, result = view.theme, view.result
    count = len(result.scores)
    cell = where.table.width() / (count + 1.15)
    for index in range(count):
        head = QRectF(where.table.left() + index * cell, where.table.top() - HEAD, cell, HEAD)
        _write_centred(painter, head, key_name(index), theme)
    sums = where.table.right() - cell
    _write_centred(painter, QRectF(sums, where.table.top() - HEAD, cell, HEAD), "Σ", theme)
    totals = (None, result.total, float(result.weights.sum()))
    for index, ((line, values), total) in enumerate(zip(_rows(view), totals, strict=True)):
        top = where.table.top() + index * where.row
        start = where.table.left() - 14.0 - line_width(line, MATHS)
        paint_maths(painter, start, top + where.row / 2 + MATHS * 0.36, line, MATHS, theme)
        levels = levels_of(values, "z" if index == 0 else "weights")
        cells = QRectF(where.table.left(), top, cell * count, where.row)
        _paint_cells(painter, cells, view, values, levels)
        if total is not None:
            _paint_cells(
                painter,
                QRectF(sums, top, cell, where.row),
                view,
                frozen([total]),
                levels if index == 1 else Levels(0.0, 1.0),
                frames=(Frame((0, 1), (0, 1), theme.muted, 1.2),),
            )


def _paint_cells(
    painter: QPainter, area: QRectF, view: LabView, values: Array, levels: Levels, **options: Any
) -> None:
    """Paint a row of numbers; where some are no numbers, all as NumPy writes them, without colours."""
    if np.isfinite(values).all():
        paint_grid(painter, area, view, frozen(values[None]), levels, **options)
        return
    paint_grid(
        painter, area, view, frozen(np.zeros((1, len(values)))), levels, digits=None, **options
    )
    wide = area.width() / len(values)
    for index, value in enumerate(values):
        cell = QRectF(area.left() + index * wide, area.top(), wide, area.height())
        text, broken = written(float(value), view.decimals), not np.isfinite(value)
        colour = view.theme.error if broken else view.theme.text
        write(painter, cell, text, colour, font(BODY, bold=bool(broken)), CENTRED)


def written(value: float, decimals: int) -> str:
    """Format a number, inf and nan as NumPy does."""
    return show(value, decimals) if math.isfinite(value) else f"{value}"


def _write_centred(painter: QPainter, area: QRectF, text: str, theme: Colours) -> None:
    write(painter, area, text, theme.muted, font(CAPTION), CENTRED)


def _facts(view: LabView) -> list[Fact]:
    result, decimals, theme = view.result, view.decimals, view.theme
    entropy = tr(
        "{entropy} of {most} nats",
        entropy=written(result.entropy, decimals),
        most=show(result.most_entropy, decimals),
    )

    def small(value: float) -> str:
        return measured(value, decimals) if math.isfinite(value) else written(value, decimals)

    wrong = "" if result.difference <= 1e-9 else theme.error
    facts = [
        Fact(tr("Largest change by c"), small(result.difference), wrong),
        Fact(tr("Entropy of the weights"), entropy),
        Fact(tr("Gradient left, ‖∂α/∂s‖"), small(result.gradient)),
    ]
    if view.setting["base"] != "e":
        facts.append(
            Fact(tr("The same as base e at"), f"T = {show(result.equal_temperature, decimals)}")
        )
    return facts


SATURATED, EVEN = 0.99, 0.98  # part of the whole weight, of the largest entropy


class SoftmaxExhibit(Exhibit):
    """Scores as draggable bars, all intermediate numbers, and the weights."""

    labels = {
        "scores": mark("Scores s"),
        "temperature": mark("Temperature T"),
        "constant": mark("Constant c added to every score"),
        "base": mark("Base of the power"),
        "subtract": mark("Subtract the largest score"),
        "hardmax": mark("Compare with hardmax"),
        "view": mark("Beside the scores"),
    }
    helps = {
        "scores": mark("Drag the bars, or select one with Tab and move it with the arrow keys."),
        "temperature": mark(
            "All scores are divided by T: below 1 the largest one gains, above 1 the shares "
            "even out."
        ),
        "constant": mark("The same number for all: it cancels in the division."),
        "base": mark("Base b is base e at the temperature T / ln b."),
        "subtract": mark("It changes no weight either, and keeps every power at most 1."),
        "hardmax": mark("Everything to the largest score: what softmax approaches as T goes to 0."),
    }
    options = {"shares": mark("Weights"), "sweep": mark("Weights at every T")}

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """Name the key of a score."""
        return key_name(index)

    def notice(self, view: LabView) -> str:
        """Report an overflow, a constant, saturation, uniform weights, or weights in general."""
        result: SoftmaxResult = view.result
        if result.warnings:
            return _broken(result, view.setting["base"], view.decimals)
        gap = measured(result.difference, view.decimals)
        if float(view.setting["constant"]) != 0.0:
            constant = view.show(view.setting["constant"])
            return tr(
                "{c} was added to every score, and no weight moved by more than {gap}.",
                c=constant,
                gap=gap,
            )
        return _shares(result, view.decimals)

    def attempt(self, view: LabView) -> str:
        """Suggest temperature, then constant, overflow, and the other base."""
        setting = view.setting
        if float(setting["constant"]) != 0.0 and setting["subtract"]:
            return tr("Go to c = 800, then switch off “Subtract the largest score”.")
        if not setting["subtract"]:
            return tr(
                "Find the c at which the weights break down. With base 2, is it smaller or larger?"
            )
        if float(setting["temperature"]) == 1.0:
            return tr("Lower T to 0.1, then raise it to 20: what do the weights approach?")
        return tr("Set T back to 1 and add a constant: which bars on the right move?")

    paint = staticmethod(paint)
    spots = staticmethod(spots)

    def spoken(self, view: LabView) -> str:
        """Describe each score with its weight, and the notice."""
        pairs = tr("; ").join(
            tr(
                "{key}: score {score}, weight {weight}",
                key=key_name(index),
                score=view.show(score),
                weight=written(float(weight), view.decimals),
            )
            for index, (score, weight) in enumerate(
                zip(view.result.scores, view.result.weights, strict=True)
            )
        )
        return tr("{pairs}. {notice}", pairs=pairs, notice=self.notice(view))


def _broken(result: SoftmaxResult, base: str, decimals: int) -> str:
    """Report what NumPy gives and warns of."""
    power = "np.exp(z)" if base == "e" else f"{base}.0 ** z"
    weights = " ".join(written(float(weight), decimals) for weight in result.weights)
    reason = (
        tr("Every power is below the smallest number the machine can represent: 0 ÷ 0.")
        if result.vanishes
        else tr(
            "A power or their sum is above the largest number the machine can represent, 1.8×10³⁰⁸."
        )
    )
    return tr(
        "{reason} With p = {power}, NumPy’s p / p.sum() is [{weights}], and it warns: {warnings}.",
        reason=reason,
        power=power,
        weights=weights,
        warnings=tr("; ").join(f"RuntimeWarning: {text}" for text in result.warnings),
    )


def _shares(result: SoftmaxResult, decimals: int) -> str:
    most = leaders(result.scores, decimals)
    winner, names = key_name(most[0]), listed([key_name(place) for place in most])
    weight = show(float(result.weights[most[0]]), decimals)
    left = measured(result.gradient, decimals)
    if result.weights.max() >= SATURATED:
        return tr(
            "Saturated: {key} takes {weight} of the whole, and the gradient left for the scores "
            "is {gradient}.",
            key=key_name(result.winner),
            weight=weight,
            gradient=left,
        )
    if len(most) == len(result.scores):
        return tr("Equal scores get equal shares: {weight} each.", weight=weight)
    if result.entropy >= EVEN * result.most_entropy:
        if len(most) > 1:
            return tr(
                "Nearly equal shares: the largest scores, those of {keys}, get {weight} each.",
                keys=names,
                weight=weight,
            )
        return tr(
            "Nearly equal shares: the largest score, that of {key}, gets {weight}.",
            key=winner,
            weight=weight,
        )
    if len(most) > 1:
        return tr(
            "All shares are positive and sum to {sum}; {keys} have the largest scores and "
            "get {weight} each.",
            sum=show(float(result.weights.sum()), decimals),
            keys=names,
            weight=weight,
        )
    return tr(
        "All shares are positive and sum to {sum}; {key} has the largest score and gets {weight}.",
        sum=show(float(result.weights.sum()), decimals),
        key=winner,
        weight=weight,
    )


EXHIBIT = SoftmaxExhibit()
