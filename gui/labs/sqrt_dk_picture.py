"""The picture of √d_k: dot products as they are (left) and divided (right) on one scale, and what the softmax makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.number_format import show
from core.labs.sqrt_dk import REACH, SIZES, WIDEST, DotProducts, normal
from gui.labs.charts import (
    Axis,
    Bars,
    End,
    Stroke,
    ends_width,
    paint_bars,
    paint_chart,
    paint_ends,
    paint_histogram,
    paint_line,
    paint_points,
    paint_rule,
    paint_title_legend,
    versus,
)
from gui.labs.exhibit import Shown
from gui.labs.facts import HEIGHT as FACTS
from gui.labs.facts import Fact, paint_facts
from gui.labs.measured import measured
from gui.painting.theme import Colours
from gui.texts.translation import mark, tr, tr_marked

GAP = 28.0
ROOMY = 560.0  # units of height from which axes have names
LEAST_CHART = (
    112.0  # of one of two rows of charts: in less there is one row, the dot products alone
)
AXIS_NAMES = {
    "gradient": mark("mean ‖∂α/∂z‖"),
    "largest": mark("mean largest weight"),
    "entropy": mark("mean entropy, nats"),
}
TITLES = {
    "gradient": mark("Mean gradient left"),
    "largest": mark("Mean largest weight"),
    "entropy": mark("Mean entropy of a row"),
}


@dataclass(frozen=True, slots=True)
class Places:
    """Four charts, two by two, or in a low room the first two alone, and the row of measured numbers."""

    charts: tuple[QRectF, ...]
    facts: QRectF
    roomy: bool


def places(room: QRectF) -> Places:
    """The layout for a room."""
    inside = room.adjusted(2.0, 4.0, -2.0, -8.0)
    facts = QRectF(inside.left(), inside.bottom() - FACTS, inside.width(), FACTS)
    wide, free = (inside.width() - GAP) / 2, facts.top() - 14.0 - inside.top()
    high = (free - 14.0) / 2
    if high < LEAST_CHART:
        high = free
    tops = (inside.top(),) if high == free else (inside.top(), inside.top() + high + 14.0)
    lefts = (inside.left(), inside.left() + wide + GAP)
    charts = tuple(QRectF(left, top, wide, high) for top in tops for left in lefts)
    return Places(charts, facts, room.height() >= ROOMY)


def strokes(theme: Colours) -> tuple[Stroke, Stroke]:
    """Without scaling, and with it, wherever the two stand side by side."""
    scaled, without = versus(theme)
    return without, scaled


def _names() -> tuple[str, str]:
    return tr("without scaling"), tr("divided by √d_k")


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """The whole picture."""
    where = places(room)
    for which in (0, 1):
        _paint_histogram(painter, where.charts[which], shown, which, where.roomy)
    if len(where.charts) > 2:
        _paint_row(painter, where.charts[2], shown, where.roomy)
        _paint_curves(painter, where.charts[3], shown, where.roomy)
    paint_facts(painter, where.facts, shown.look.theme, _facts(shown))


def _paint_histogram(
    painter: QPainter, room: QRectF, shown: Shown, which: int, roomy: bool
) -> None:
    """Both on the axis of the wider one, so that the eye compares widths; the curve is N(0, d_k), or N(0, 1)."""
    theme, result = shown.look.theme, shown.result
    sigma = 1.0 if which else result.spread
    bins = result.histograms[which]
    peak = max(float(bins.heights.max()), float(normal(np.zeros(1), sigma)[0]))
    x, y = Axis(-REACH * result.spread, REACH * result.spread), Axis(0.0, peak * 1.08)
    title = tr("Divided by √d_k") if which else tr("Dot products")
    chart = paint_chart(
        painter,
        room,
        x,
        y,
        theme,
        title=title,
        x_label=("q · k / √d_k" if which else "q · k") if roomy else "",
        y_label=tr("density") if roomy else "",
    )
    paint_histogram(painter, chart, theme, bins.edges, bins.heights, strokes(theme)[which].colour)
    at = np.linspace(-REACH * sigma, REACH * sigma, 241)
    theory = Stroke(theme.text, width=1.6)
    paint_line(painter, chart, at, normal(at, sigma), theory)
    name = tr("theory for large d_k: N(0, {variance})", variance=1 if which else result.d_k)
    paint_title_legend(painter, room, theme, title, [(name, theory)])


def _paint_row(painter: QPainter, room: QRectF, shown: Shown, roomy: bool) -> None:
    """The weights of the first row, both ways, key by key."""
    theme, result, decimals = shown.look.theme, shown.result, shown.look.decimals
    names = Axis.named(str(key + 1) for key in range(result.keys))
    title = tr("One row of weights")
    chart = paint_chart(
        painter,
        room,
        names,
        Axis(0.0, 1.12),
        theme,
        x_label=tr("key") if roomy else "",
        y_label="α" if roomy else "",
        title=title,
    )
    groups = [
        Bars(weights, stroke.colour, tuple(show(float(weight), decimals) for weight in weights))
        for weights, stroke in zip(result.row, strokes(theme), strict=True)
    ]
    paint_bars(painter, chart, theme, groups)
    paint_title_legend(
        painter, room, theme, title, list(zip(_names(), strokes(theme), strict=True)), block=True
    )


def _paint_curves(painter: QPainter, room: QRectF, shown: Shown, roomy: bool) -> None:
    """The mean over all rows against d_k, with the sample's own points at the d_k that is set."""
    theme, result = shown.look.theme, shown.result
    name = shown.setting["curve"]
    curves, now = result.curves[name], result.measures[name]
    names = _names()
    y = Axis.over(curves, zero=True, room=0.12)
    x = Axis(1.0, float(WIDEST), log=True, base=2)
    chart = paint_chart(
        painter,
        room,
        x,
        y,
        theme,
        x_label="d_k" if roomy else "",
        right=ends_width(names),
        y_label=tr_marked(AXIS_NAMES[name]) if roomy else "",
        title=tr_marked(TITLES[name]),
    )
    paint_rule(
        painter, chart, theme, result.d_k, f"d_k = {result.d_k}" if roomy else "", vertical=True
    )
    for values, value, stroke in zip(curves, now, strokes(theme), strict=True):
        paint_line(painter, chart, SIZES, values, stroke)
        paint_points(
            painter, chart, [result.d_k], [value], stroke.colour, radius=5.0, ground=theme.surface
        )
    last = [
        End(n, WIDEST, float(c[-1]), s)
        for n, c, s in zip(names, curves, strokes(theme), strict=True)
    ]
    paint_ends(painter, chart, theme, last)


def _facts(shown: Shown) -> list[Fact]:
    """What is measured, without scaling and with it, in the colours of the two."""
    result: DotProducts = shown.result
    named = [
        (tr("Spread σ"), np.array(result.sigmas)),
        (tr("Mean gradient left"), result.measures["gradient"]),
        (tr("Mean largest weight"), result.measures["largest"]),
        (tr("Mean entropy of a row"), result.measures["entropy"]),
    ]
    without, scaled = (stroke.colour for stroke in strokes(shown.look.theme))
    facts = []
    for name, pair in named:
        before, after = (measured(float(value), shown.look.decimals) for value in pair)
        facts.append(Fact(name, before, without, after, scaled))
    return [*facts, Fact(tr("Rows averaged"), str(len(result.products)))]
