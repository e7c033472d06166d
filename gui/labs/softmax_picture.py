"""The picture of the softmax: scores as bars to be dragged, weights beside them, the numbers on their way below."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.base.arrays import Array, frozen
from core.base.number_format import show
from core.labs.controls import Value
from core.labs.softmax import COLDEST, HOTTEST, REACH, Shares
from gui.labs.charts import (
    Axis,
    Bars,
    Chart,
    End,
    Stroke,
    bar_rect,
    chart_in,
    ends_width,
    paint_bars,
    paint_chart,
    paint_ends,
    paint_frame,
    paint_legend,
    paint_line,
    paint_points,
    paint_rule,
    stroke,
    write,
)
from gui.labs.exhibit import Shown, Spot
from gui.labs.facts import HEIGHT as FACTS
from gui.labs.facts import Fact, paint_facts
from gui.labs.grids import paint_legible
from gui.labs.measured import measured
from gui.painting.color_scale import Levels, levels_of
from gui.painting.math_text import line_width
from gui.painting.math_text import paint_line as paint_maths
from gui.painting.matrix import Frame, MatrixSpec
from gui.painting.theme import CAPTION, Colours, font
from gui.texts.names import stage_name
from gui.texts.rich_text import Line, Span
from gui.texts.translation import tr

GAP = 24.0
HEAD = 20.0  # the names of the keys above the numbers
HANDLE = 7.0
BEYOND = 1.18  # of the reach is seen, at least: there is room for the numbers beyond the bars
NUMBER = 18.0  # units of height that such a number takes
MATHS = 15.0  # units of the formulas' letters
STEP = 0.1  # of a score that is dragged
LEAST_CHARTS = 185.0  # units of height below which the charts take the room of the measured numbers
LEAST_NAMED = 130.0  # and below which their vertical axes have no name


@dataclass(frozen=True, slots=True)
class Places:
    """The two charts, the table of numbers below them (without its names), and the row of measured numbers.

    In a low room that row is as high as nothing.
    """

    scores: Chart
    right: QRectF
    table: QRectF
    facts: QRectF
    row: float


def key_name(index: int) -> str:
    """k₁, k₂ …"""
    return f"k_{index + 1}" if index > 8 else "k" + "₁₂₃₄₅₆₇₈₉"[index]


def places(room: QRectF, shown: Shown) -> Places:
    """The layout for a room."""
    result: Shares = shown.result
    inside = room.adjusted(2.0, 4.0, -2.0, -8.0)
    row = min(max(inside.height() * 0.055, 22.0), 40.0)
    table_high = HEAD + 3 * row
    roomy = inside.height() - 14.0 - table_high - 12.0 - FACTS >= LEAST_CHARTS
    facts = (
        QRectF(inside.left(), inside.bottom() - FACTS, inside.width(), FACTS) if roomy else QRectF()
    )
    table_top = (facts.top() - 12.0 if roomy else inside.bottom()) - table_high
    high = table_top - 14.0 - inside.top()
    wide = (inside.width() - GAP) / 2
    names = Axis.named(key_name(index) for index in range(len(result.scores)))
    left = QRectF(inside.left(), inside.top(), wide, high)
    scores = chart_in(
        left, names, _axis(high), y_label=_axis_name("s", high), title=_scores_title(shown)
    )
    named = max(line_width(line, MATHS) for line, _ in _rows(shown)) + 14.0
    table = QRectF(inside.left() + named, table_top + HEAD, inside.width() - named, 3 * row)
    return Places(scores, QRectF(left.right() + GAP, inside.top(), wide, high), table, facts, row)


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """The whole picture."""
    where = places(room, shown)
    _paint_scores(painter, where, shown)
    if shown.setting["view"] == "sweep":
        _paint_sweep(painter, where.right, shown)
    else:
        _paint_weights(painter, where.right, shown)
    _paint_table(painter, where, shown)
    if where.facts.height():
        paint_facts(painter, where.facts, shown.look.theme, _facts(shown))


def spots(room: QRectF, shown: Shown) -> tuple[Spot, ...]:
    """The end of each bar of a score, dragged up and down."""
    chart, scores = places(room, shown).scores, shown.result.scores
    return tuple(
        Spot(
            id=f"score {index}",
            area=_handle(chart, index, float(score)).adjusted(-4.0, -5.0, 4.0, 5.0),
            name=tr(
                "Score of {key}: {score}",
                key=key_name(index),
                score=show(float(score), shown.look.decimals),
            ),
            control="scores",
            drag=partial(_dragged, chart, tuple(map(float, scores)), index),
            nudge=max(4.0, chart.rect.height() * STEP * chart.y.part(chart.y.low + 1.0)),
        )
        for index, score in enumerate(scores)
    )


def _dragged(chart: Chart, scores: tuple[float, ...], index: int, point: QPointF) -> Value:
    value = round(round(min(max(chart.value_y(point), -REACH), REACH) / STEP) * STEP, 10)
    return (*scores[:index], value, *scores[index + 1 :])


def _handle(chart: Chart, index: int, score: float) -> QRectF:
    bar = bar_rect(chart, index, score)
    wide = min(bar.width() * 0.6, 30.0)
    return QRectF(bar.center().x() - wide / 2, chart.at_y(score) - HANDLE / 2, wide, HANDLE)


def _scores_title(shown: Shown) -> str:
    """What it is, and where it can be done what one can do."""
    return tr("Scores: drag them") if shown.look.live else stage_name("scores")


def _axis(high: float) -> Axis:
    """Of the scores, in a chart of a height of which its words take some."""
    plot = max(high - 60.0, 2.0 * NUMBER + 30.0)
    reach = REACH * max(BEYOND, plot / (plot - 2.0 * NUMBER))
    return Axis(-reach, reach)


def _axis_name(name: str, high: float) -> str:
    return name if high >= LEAST_NAMED else ""


def _paint_scores(painter: QPainter, where: Places, shown: Shown) -> None:
    theme, scores, chart = shown.look.theme, shown.result.scores, where.scores
    paint_frame(
        painter, chart, theme, "", _axis_name("s", where.right.height()), _scores_title(shown)
    )
    texts = tuple(show(float(score), shown.look.decimals) for score in scores)
    paint_bars(painter, chart, theme, [Bars(scores, theme.disabled, texts, lift=HANDLE / 2)])
    for index, score in enumerate(scores):
        held = shown.look.focus == f"score {index}"
        painter.setPen(QPen(QColor(theme.accent), 2.0))
        painter.setBrush(QColor(theme.accent if held else theme.surface))
        painter.drawRoundedRect(_handle(chart, index, float(score)), HANDLE / 2, HANDLE / 2)


def _paint_weights(painter: QPainter, room: QRectF, shown: Shown) -> None:
    theme, result, decimals = shown.look.theme, shown.result, shown.look.decimals
    names = Axis.named(key_name(index) for index in range(len(result.weights)))
    title = tr("Weights: shares of 1")
    chart = paint_chart(
        painter,
        room,
        names,
        Axis(0.0, 1.0),
        theme,
        y_label=_axis_name("α", room.height()),
        title=title,
    )
    texts = tuple(show(float(weight), decimals) for weight in result.weights)
    paint_bars(painter, chart, theme, [Bars(result.weights, theme.weights, texts)])
    if shown.setting["hardmax"]:
        paint_bars(painter, chart, theme, [Bars(result.hardmax, theme.text, hollow=True)])
        legend = QRectF(
            chart.rect.left() + 24.0, chart.rect.top() - 26.0, chart.rect.width() - 24.0, 18.0
        )
        entries = [
            ("softmax", Stroke(theme.weights, width=7.0)),
            ("hardmax", Stroke(theme.text, width=1.6)),
        ]
        paint_legend(painter, legend, theme, entries)


def _paint_sweep(painter: QPainter, room: QRectF, shown: Shown) -> None:
    theme, result = shown.look.theme, shown.result
    names = [key_name(index) for index in range(len(result.weights))]
    axes = Axis(COLDEST, HOTTEST, log=True), Axis(0.0, 1.0)
    title = tr("Weights at every temperature")
    across, up = _axis_name("T", room.height()), _axis_name("α", room.height())
    chart = paint_chart(
        painter,
        room,
        *axes,
        theme,
        x_label=across,
        y_label=up,
        title=title,
        right=ends_width(names),
    )
    temperature = float(shown.setting["temperature"])
    now = f"T = {show(temperature, shown.look.decimals)}"
    paint_rule(painter, chart, theme, temperature, now, vertical=True, above=bool(up))
    ends = []
    for index, name in enumerate(names):
        line = stroke(theme, index)
        paint_line(painter, chart, result.temperatures, result.sweep[:, index], line)
        ends.append(End(name, HOTTEST, float(result.sweep[-1, index]), line))
        weight = [float(result.weights[index])]
        paint_points(
            painter, chart, [temperature], weight, line.colour, radius=4.5, ground=theme.surface
        )
    paint_ends(painter, chart, theme, ends)


def _rows(shown: Shown) -> tuple[tuple[Line, Array], ...]:
    """The numbers on their way, each row with its formula."""
    result: Shares = shown.result
    base = shown.setting["base"]
    power = "z − max z" if shown.setting["subtract"] else "z"
    return (
        ((Span("z = (s + c) / T"),), result.z),
        ((Span("p = "), Span(base), Span(power, level=1)), result.numerators),
        ((Span("α = p / Σ p", "weights"),), result.weights),
    )


def _paint_table(painter: QPainter, where: Places, shown: Shown) -> None:
    """One column a key and one for the sum; every row has the colours of its own scale."""
    theme, result, decimals = shown.look.theme, shown.result, shown.look.decimals
    count = len(result.scores)
    cell = where.table.width() / (count + 1.15)
    for index in range(count):
        head = QRectF(where.table.left() + index * cell, where.table.top() - HEAD, cell, HEAD)
        _write_centred(painter, head, key_name(index), theme)
    sums = where.table.right() - cell
    _write_centred(painter, QRectF(sums, where.table.top() - HEAD, cell, HEAD), "Σ", theme)
    totals = (None, result.total, float(result.weights.sum()))
    for index, ((line, values), total) in enumerate(zip(_rows(shown), totals, strict=True)):
        top = where.table.top() + index * where.row
        start = where.table.left() - 14.0 - line_width(line, MATHS)
        paint_maths(painter, start, top + where.row / 2 + MATHS * 0.36, line, MATHS, theme)
        levels = levels_of(values, "z" if index == 0 else "weights")
        cells = QRectF(where.table.left(), top, cell * count, where.row)
        paint_legible(painter, cells, _row(values, levels, decimals), theme)
        if total is not None:
            sum_levels = levels if index == 1 else Levels(0.0, 1.0)
            picture = _row(
                frozen([total]), sum_levels, decimals, (Frame((0, 1), (0, 1), theme.muted, 1.2),)
            )
            paint_legible(painter, QRectF(sums, top, cell, where.row), picture, theme)


def _row(
    values: Array, levels: Levels, decimals: int, frames: tuple[Frame, ...] = ()
) -> MatrixSpec:
    return MatrixSpec(np.asarray(values)[None], levels, decimals, frames=frames)


def _write_centred(painter: QPainter, area: QRectF, text: str, theme: Colours) -> None:
    write(painter, area, text, theme.muted, font(CAPTION), Qt.AlignmentFlag.AlignCenter)


def _facts(shown: Shown) -> list[Fact]:
    result, decimals, theme = shown.result, shown.look.decimals, shown.look.theme
    entropy = tr(
        "{entropy} of {most} nats",
        entropy=show(result.entropy, decimals),
        most=show(result.most_entropy, decimals),
    )
    wrong = theme.error if result.difference > 1e-9 else ""
    facts = [
        Fact(tr("Largest change by c"), measured(result.difference, decimals), wrong),
        Fact(tr("Entropy of the weights"), entropy),
        Fact(tr("Gradient left, ‖∂α/∂s‖"), measured(result.gradient, decimals)),
    ]
    if shown.setting["base"] != "e":
        facts.append(
            Fact(tr("The same as base e at"), f"T = {show(result.equal_temperature, decimals)}")
        )
    return facts
