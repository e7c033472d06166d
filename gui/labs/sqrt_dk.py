"""Exhibit of the lab `sqrt-dk`: texts, histograms and curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.number_format import show
from core.labs.lab import Setting
from core.labs.sqrt_dk import REACH, SIZES, WIDEST, DotProducts, normal
from gui.labs.charts import (
    FACTS_HEIGHT,
    BarChart,
    ChartAxis,
    ChartStroke,
    Fact,
    chart_in,
    ends_width,
    grouped,
    paint_bars,
    paint_ends,
    paint_facts,
    paint_frame,
    paint_histogram,
    paint_line,
    paint_points,
    paint_rule,
    paint_title_legend,
    versus,
)
from gui.labs.exhibit import Exhibit, LabView
from gui.labs.wording import measured
from gui.painting.theme import Colours
from gui.texts.translation import mark, tr, tr_marked

GAP = 28.0
ROOMY = 560.0  # least height with axis names
LEAST_CHART = 112.0  # least height of each of two rows of charts
AXIS_NAMES = {
    "gradient": mark("rows with ‖∂α/∂q‖ < 0.01"),
    "largest": mark("mean largest weight"),
    "entropy": mark("mean entropy, nats"),
}
TITLES = {
    "gradient": mark("Share of rows with hardly any gradient"),
    "largest": mark("Mean largest weight"),
    "entropy": mark("Mean entropy of a row"),
}


@dataclass(frozen=True, slots=True)
class SqrtDkLayout:
    """Four charts, two by two, or the first two in a low area, and the measured numbers."""

    charts: tuple[QRectF, ...]
    facts: QRectF
    roomy: bool


def sqrt_dk_layout(area: QRectF) -> SqrtDkLayout:
    """Lay out an area."""
    inside = area.adjusted(2.0, 4.0, -2.0, -8.0)
    facts = QRectF(inside.left(), inside.bottom() - FACTS_HEIGHT, inside.width(), FACTS_HEIGHT)
    wide, free = (inside.width() - GAP) / 2, facts.top() - 14.0 - inside.top()
    high = (free - 14.0) / 2
    if high < LEAST_CHART:
        high = free
    tops = (inside.top(),) if high == free else (inside.top(), inside.top() + high + 14.0)
    lefts = (inside.left(), inside.left() + wide + GAP)
    charts = tuple(QRectF(left, top, wide, high) for top in tops for left in lefts)
    return SqrtDkLayout(charts, facts, area.height() >= ROOMY)


def strokes(theme: Colours) -> tuple[ChartStroke, ChartStroke]:
    """Return the strokes without and with scaling."""
    scaled, without = versus(theme)
    return without, scaled


def _by(view: LabView) -> str:
    """Return what the products are divided by."""
    return "d_k" if view.setting["divisor"] == "d_k" else "√d_k"


def _names(view: LabView) -> tuple[str, str]:
    return tr("without scaling"), tr("divided by {divisor}", divisor=_by(view))


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the whole picture."""
    where = sqrt_dk_layout(area)
    for which in (0, 1):
        _paint_histogram(painter, where.charts[which], view, which, where.roomy)
    if len(where.charts) > 2:
        _paint_row(painter, where.charts[2], view, where.roomy)
        _paint_curves(painter, where.charts[3], view, where.roomy)
    paint_facts(painter, where.facts, view.theme, _facts(view))


def _paint_histogram(
    painter: QPainter, area: QRectF, view: LabView, which: int, roomy: bool
) -> None:
    """Paint a histogram and N(0, d_k), or that of the quotients; both share the wider one's axis."""
    theme, result = view.theme, view.result
    sigma = result.spread / result.divisor if which else result.spread
    bins = result.histograms[which]
    peak = max(float(bins.heights.max()), float(normal(np.zeros(1), sigma)[0]))
    x, y = ChartAxis(-REACH * result.spread, REACH * result.spread), ChartAxis(0.0, peak * 1.08)
    by = _by(view)
    title = tr("Divided by {divisor}", divisor=by) if which else tr("Dot products")
    chart = paint_frame(
        painter,
        chart_in(
            area,
            x,
            y,
            title=title,
            x_label=(f"q · k / {by}" if which else "q · k") if roomy else "",
            y_label=tr("density") if roomy else "",
        ),
        theme,
    )
    paint_histogram(painter, chart, theme, bins.edges, bins.heights, strokes(theme)[which].colour)
    at = np.linspace(-REACH * sigma, REACH * sigma, 241)
    theory = ChartStroke(theme.text, width=1.6)
    paint_line(painter, chart, at, normal(at, sigma), theory)
    variance = sigma**2
    written = f"{variance:.2g}" if which else str(result.d_k)
    name = tr("theory for large d_k: N(0, {variance})", variance=written)
    paint_title_legend(painter, area, theme, title, [(name, theory)])


def _paint_row(painter: QPainter, area: QRectF, view: LabView, roomy: bool) -> None:
    """Paint the weights of the first row, key by key, without and with scaling."""
    theme, result, decimals = view.theme, view.result, view.decimals
    names = ChartAxis.named(str(key + 1) for key in range(result.keys))
    title = tr("One row of weights")
    chart = paint_frame(
        painter,
        chart_in(
            area,
            names,
            ChartAxis(0.0, 1.12),
            x_label=tr("key") if roomy else "",
            y_label="α" if roomy else "",
            title=title,
        ),
        theme,
    )
    groups = [
        BarChart(weights, stroke.colour, tuple(show(float(weight), decimals) for weight in weights))
        for weights, stroke in zip(result.row, strokes(theme), strict=True)
    ]
    paint_bars(painter, chart, theme, groups)
    paint_title_legend(
        painter,
        area,
        theme,
        title,
        list(zip(_names(view), strokes(theme), strict=True)),
        block=True,
    )


def _paint_curves(painter: QPainter, area: QRectF, view: LabView, roomy: bool) -> None:
    """Paint the means over all rows against d_k, with points at the chosen d_k."""
    theme, result = view.theme, view.result
    name = view.setting["curve"]
    curves, now = result.curves[name], result.measures[name]
    names = _names(view)
    y = ChartAxis.over(curves, zero=True, margin=0.12)
    x = ChartAxis(1.0, float(WIDEST), log=True, base=2)
    chart = paint_frame(
        painter,
        chart_in(
            area,
            x,
            y,
            x_label="d_k" if roomy else "",
            right=ends_width(names),
            y_label=tr_marked(AXIS_NAMES[name]) if roomy else "",
            title=tr_marked(TITLES[name]),
        ),
        theme,
    )
    paint_rule(
        painter, chart, theme, result.d_k, f"d_k = {result.d_k}" if roomy else "", vertical=True
    )
    lines = list(zip(names, curves, strokes(theme), strict=True))
    for value, (_, values, stroke) in zip(now, lines, strict=True):
        paint_line(painter, chart, SIZES, values, stroke)
        paint_points(
            painter, chart, [result.d_k], [value], stroke.colour, radius=5.0, ground=theme.surface
        )
    paint_ends(painter, chart, SIZES, lines)


def _facts(view: LabView) -> list[Fact]:
    """Return the measures without and with scaling, in their colours."""
    result: DotProducts = view.result
    named = [
        (tr("Spread σ"), np.array(result.sigmas)),
        (tr("Rows with ‖∂α/∂q‖ < 0.01"), result.measures["gradient"]),
        (tr("Mean largest weight"), result.measures["largest"]),
        (tr("Mean entropy of a row"), result.measures["entropy"]),
    ]
    without, scaled = (stroke.colour for stroke in strokes(view.theme))
    facts = []
    for name, pair in named:
        before, after = (measured(float(value), view.decimals) for value in pair)
        facts.append(Fact(name, before, without, after, scaled))
    return [*facts, Fact(tr("Rows"), str(len(result.products)))]


OPTIONS = {
    **TITLES,
    "root": mark("√dₖ"),
    "d_k": mark("dₖ"),
}
SHORT = 12  # d_k up to which scaling has little effect


class SqrtDkExhibit(Exhibit):
    """Two histograms, one row of weights, and curves over d_k, with and without scaling."""

    labels = {
        "d_k": mark("Size of queries and keys, dₖ"),
        "keys": mark("Keys in a row, n"),
        "divisor": mark("Divide by"),
        "curve": mark("Curve against dₖ"),
        "samples": mark("Dot products drawn"),
        "seed": mark("Seed"),
    }
    helps = {
        "d_k": mark("The vectors only grow longer: their first numbers stay the same."),
        "keys": mark("The softmax divides its 1 among them."),
        "divisor": mark("√dₖ keeps σ at 1; dₖ makes it smaller and smaller."),
        "samples": mark("The more, the smoother the histogram."),
        "seed": mark("The entries of q and k are drawn from N(0, 1); the seed chooses which."),
    }

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Name the measure, the divisor, or the sample size."""
        return tr_marked(OPTIONS[option]) if option in OPTIONS else grouped(float(option), 0)

    def notice(self, view: LabView) -> str:
        """Report the spread of the products and its effect on the softmax."""
        result: DotProducts = view.result
        if result.d_k == 1:
            return tr(
                "With dₖ = 1 the divisor is 1: both sides are the same, with σ = {sigma} "
                "(theory: 1). The product of two normal numbers is not normal; the curve "
                "holds for large dₖ.",
                sigma=view.show(result.sigmas[0]),
            )
        raw, scaled = result.flat_rows
        spread = tr(
            "At dₖ = {d_k} the dot products have σ = {sigma} (theory: √dₖ = {theory}), "
            "after the division {scaled}.",
            d_k=result.d_k,
            sigma=view.show(result.sigmas[0]),
            theory=view.show(result.spread),
            scaled=view.show(result.sigmas[1]),
        )
        flat = tr(
            "Rows with hardly any gradient for the query, ‖∂α/∂q‖ below 0.01: {raw} of "
            "{rows} without scaling, {scaled} of {rows} with it.",
            raw=raw,
            scaled=scaled,
            rows=len(result.products),
        )
        return tr("{said} {more}", said=spread, more=flat)

    def attempt(self, view: LabView) -> str:
        """Suggest the end of the slider, then its beginning, then more keys."""
        if view.setting["divisor"] == "d_k":
            return tr("Drag dₖ up to 1024: what do the weights of the row become?")
        if view.result.d_k == 1:
            return tr(
                "The histogram of a single product is not bell-shaped. From which dₖ on is it?"
            )
        if view.result.d_k <= SHORT:
            return tr(
                "Drag dₖ up to 1024 and watch the row of weights without scaling: how many "
                "keys still get a share?"
            )
        if view.setting["keys"] == 8:
            return tr("Take 64 keys instead of 8, and dₖ = 1024: does that keep the gradient?")
        return tr("Drag dₖ down to 1: where do the two curves meet?")

    paint = staticmethod(paint)

    def spoken(self, view: LabView) -> str:
        """Describe the notice and the weights of the first row."""
        raw, scaled = (
            tr(", ").join(view.show(weight) for weight in row) for row in view.result.row
        )
        return tr(
            "{notice} One row of weights without scaling: {raw}; divided by {divisor}: {scaled}.",
            notice=self.notice(view),
            divisor=_by(view),
            raw=raw,
            scaled=scaled,
        )


EXHIBIT = SqrtDkExhibit()
