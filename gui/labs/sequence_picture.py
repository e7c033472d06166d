"""Pictures of the lab `sequence`: both networks at work, the effect of a nudge, the cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.base.arrays import Array
from core.base.number_format import show_significant
from core.labs.sequence import FAR_N, Nets, Sensitivity, SequenceCost, SequenceResult
from gui.labs.charts import (
    CENTRED,
    FACTS_HEIGHT,
    RIGHT_ALIGNED,
    Chart,
    ChartAxis,
    ChartStroke,
    Fact,
    chart_in,
    ends_width,
    grouped,
    legend_width,
    number_step,
    paint_curves,
    paint_facts,
    paint_frame,
    paint_grid,
    paint_legend,
    paint_line,
    paint_points,
    paint_rule,
    write,
)
from gui.labs.exhibit import ROOMY_HEIGHT, LabView
from gui.labs.wording import counted, measured
from gui.painting.color_scale import Levels, levels_of
from gui.painting.shapes import faded, paint_arrow_head, paint_disc, paint_shape
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.names import subscript
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

TITLE = 26.0
CHAIN = 44.0
NAMES = 20.0
LEFT = 56.0  # width before the first token
WIDEST = 110.0
LEAST_COLUMN = 22.0  # least distance of numbers
TALLEST_CELL = 30.0
LEAST = 110.0  # least height of matrices and fan


@dataclass(frozen=True, slots=True)
class SequenceLayout:
    """Columns of tokens, shared by both networks: chain, states, fan, outputs.

    In a low area states and outputs have no height.
    """

    left: float
    wide: float
    chain: float
    states: QRectF
    fan: tuple[float, float]
    outputs: QRectF

    def middle(self, token: int) -> float:
        """Return the x of a token's column; −1 is the empty state before the first."""
        return self.left + (token + 0.5) * self.wide if token >= 0 else self.left - LEFT / 2

    def step_at(self, x: float, last: int) -> int:
        """Return how many tokens the chain has read at x."""
        return min(max(int((x - self.left) // self.wide) + 1, 0), last)


def sequence_layout(area: QRectF, result: SequenceResult) -> SequenceLayout:
    """Lay out the RNN in the upper half, attention in the lower one."""
    n, d = result.n, result.d
    inside = area.adjusted(16.0, 8.0, -16.0, -8.0)
    wide = min((inside.width() - LEFT) / n, WIDEST)
    left = inside.left() + LEFT
    free = inside.height() - 2 * TITLE - CHAIN - 2 * NAMES - 16.0
    high = min(free * 0.36, d * TALLEST_CELL) if free >= LEAST else 0.0
    fan = free - 2 * high
    chain = inside.top() + TITLE + CHAIN / 2
    states = QRectF(left, inside.top() + TITLE + CHAIN, n * wide, high)
    fan_top = states.bottom() + 16.0 + TITLE + NAMES
    outputs = QRectF(left, fan_top + fan, n * wide, high)
    return SequenceLayout(left, wide, chain, states, (fan_top, fan_top + fan - 2.0), outputs)


def handle(where: SequenceLayout, result: SequenceResult) -> QRectF:
    """Return the last computed state, draggable along the chain."""
    size = min(max(where.wide - 4.0, 14.0), 34.0)
    return QRectF(where.middle(result.step - 1) - size / 2, where.chain - size / 2, size, size)


def paint_run(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint chain and states above, fan and outputs below."""
    result: SequenceResult = view.result
    assert result.nets is not None
    theme, where = view.theme, sequence_layout(area, result)
    _paint_titles(painter, area, where, result, theme)
    _paint_chain(painter, where, result, theme)
    _paint_fan(painter, where, result.nets, result.step > 0, theme)
    if where.states.height():
        done = result.n if result.step else 0
        _paint_columns(
            painter, where.states, result.nets.rnn.H, result.step, view, Levels(-1.0, 1.0)
        )
        _paint_columns(
            painter, where.outputs, result.nets.Y, done, view, levels_of(result.nets.Y, "Y")
        )
    _paint_names(painter, where, result, theme)


def _paint_titles(
    painter: QPainter, area: QRectF, where: SequenceLayout, result: SequenceResult, theme: Colours
) -> None:
    upper = QRectF(area.left() + 16.0, area.top() + 8.0, area.width() - 32.0, TITLE)
    text = tr("RNN: {step} of {n} states after {step} steps", step=result.step, n=result.n)
    write(painter, upper, text, theme.text, font(BODY, bold=True))
    lower = QRectF(upper.left(), where.fan[0] - NAMES - TITLE, upper.width(), TITLE)
    done = result.n if result.step else 0
    text = tr(
        "Attention: {done} of {n} outputs after {steps}",
        done=done,
        n=result.n,
        steps=_steps(min(result.step, 1)),
    )
    write(painter, lower, text, theme.weights, font(BODY, bold=True))
    used = width_of(text, font(BODY, bold=True)) + 24.0
    entries = [
        (tr("from token 1"), ChartStroke(theme.text)),
        (tr("from the others"), ChartStroke(theme.weights)),
    ]
    if used + legend_width(entries) > lower.width():
        entries.pop()
    paint_legend(painter, lower.adjusted(used, 4.0, 0.0, 0.0), theme, entries)


def _steps(count: int) -> str:
    return tr("1 step") if count == 1 else tr("{count} steps", count=count)


def _paint_chain(
    painter: QPainter, where: SequenceLayout, result: SequenceResult, theme: Colours
) -> None:
    """Paint the states, each linked to the previous one."""
    size = handle(where, result).width()
    write(
        painter,
        QRectF(where.middle(-1) - 22.0, where.chain - 12.0, 34.0, 24.0),
        "h₀",
        theme.muted,
        font(CAPTION, bold=True),
        CENTRED,
    )
    for token in range(result.n):
        reached = token < result.step
        colour = QColor(theme.text if reached else theme.ghost)
        x = where.middle(token)
        start = where.middle(token - 1) + (size / 2 if token else 12.0)
        _paint_arrow(painter, start, x - size / 2, where.chain, colour)
        paint_disc(
            painter,
            QPointF(x, where.chain),
            size / 2 - 1.0,
            line=QPen(colour, 1.6, Qt.PenStyle.SolidLine if reached else Qt.PenStyle.DotLine),
            fill=colour if token == result.step - 1 else "",
        )
        if size >= 26.0:
            ink = (
                theme.surface
                if token == result.step - 1
                else (theme.text if reached else theme.disabled)
            )
            area = QRectF(x - size / 2, where.chain - size / 2, size, size)
            write(
                painter, area, f"h{subscript(token + 1)}", ink, font(CAPTION, bold=reached), CENTRED
            )


def _paint_arrow(painter: QPainter, start: float, end: float, y: float, colour: QColor) -> None:
    if end - start < 2.0:
        return
    head = min(5.0, (end - start) * 0.6)
    paint_shape(painter, QLineF(start, y, end - head, y), line=colour, width=1.6)
    paint_arrow_head(painter, QLineF(start, y, end, y), head, 3.5, colour)


def _paint_columns(
    painter: QPainter, rect: QRectF, rows: Array, done: int, view: LabView, levels: Levels
) -> None:
    """Paint the computed vectors of the tokens as columns.  # (n, d)"""
    paint_grid(painter, rect, view, rows.T, levels, shown=(done, 0), by_column=True)


def _paint_fan(
    painter: QPainter, where: SequenceLayout, nets: Nets, done: bool, theme: Colours
) -> None:
    """Paint a line from every input to every output, its width by weight; token 1 is emphasised."""
    n = len(nets.A)
    for i in reversed(range(n)):
        for t in range(n):
            weight = float(nets.A[t, i])
            opacity = min(1.0, 0.12 + 1.2 * weight if i else 0.5 + weight) if done else 1.0
            colour = theme.line if not done else theme.weights if i else theme.text
            line = QLineF(where.middle(i), where.fan[0], where.middle(t), where.fan[1])
            width = 0.6 + 7.0 * weight if done else 0.6
            paint_shape(painter, line, line=faded(colour, opacity), width=width)


def _paint_names(
    painter: QPainter, where: SequenceLayout, result: SequenceResult, theme: Colours
) -> None:
    """Paint token numbers above the fan and below the outputs, and the names of both matrices."""
    every = number_step(LEAST_COLUMN, where.wide, result.n)
    for token in range(0, result.n, every):
        for y in (where.fan[0] - NAMES, where.outputs.bottom() + 1.0):
            area = QRectF(where.middle(token) - 14.0, y, 28.0, NAMES - 2.0)
            write(painter, area, str(token + 1), theme.muted, font(CAPTION), CENTRED)
    matrices = ((where.states, "h"), (where.outputs, "y"))
    for rect, name in matrices if where.states.height() else ():
        area = QRectF(where.left - LEFT, rect.top(), LEFT - 8.0, rect.height())
        write(painter, area, name, theme.text, font(BODY, bold=True), RIGHT_ALIGNED)
    area = QRectF(where.left - LEFT, where.fan[0] - NAMES, LEFT - 8.0, NAMES)
    write(painter, area, tr("token"), theme.muted, font(CAPTION), RIGHT_ALIGNED)


LOST = 1e-9  # smaller differences are rounding errors
FLOOR = 1e-16


def strokes(theme: Colours) -> tuple[ChartStroke, ChartStroke]:
    """Return the strokes of the RNN and of attention."""
    return ChartStroke(theme.text, "solid", 2.4), ChartStroke(theme.weights, "dashed", 2.4)


def paint_nudge(painter: QPainter, rect: QRectF, view: LabView) -> None:
    """Paint two curves: lines by the chain rule, rings by finite differences."""
    result: SequenceResult = view.result
    assert result.nets is not None
    inside = rect.adjusted(16.0, 8.0, -16.0, -8.0)
    title = QRectF(inside.left(), inside.top(), inside.width(), 24.0)
    write(
        painter,
        title,
        tr("Change of the output when token 1 is nudged"),
        view.theme.text,
        font(BODY, bold=True),
    )
    rnn, attention = strokes(view.theme)
    cell = ChartStroke(view.theme.value, "dashdot", rnn.width)
    entries = (
        (tr("RNN, ‖∂hₜ/∂x₁‖"), rnn),
        (tr("LSTM, ‖∂hₜ/∂x₁‖"), cell),
        (tr("attention, ‖∂yₜ/∂x₁‖"), attention),
    )
    nets = result.nets
    assert nets.by_lstm is not None
    felt_by = ((nets.by_attention, attention), (nets.by_lstm, cell), (nets.by_rnn, rnn))
    legend = QRectF(inside.left(), title.bottom(), inside.width(), 20.0)
    taken = paint_legend(painter, legend, view.theme, entries)
    note = tr("lines: chain rule · rings: token 1 actually nudged")
    below = QRectF(inside.left(), legend.top() + taken + 2.0, inside.width(), 18.0)
    write(painter, below, note, view.theme.muted, font(CAPTION))
    counts = FACTS_HEIGHT + 12.0 if rect.height() >= ROOMY_HEIGHT else 0.0
    area = QRectF(
        inside.left(),
        below.bottom() + 4.0,
        inside.width(),
        inside.bottom() - below.bottom() - counts - 4.0,
    )
    values = np.concatenate([felt.exact for felt, _ in felt_by])
    x, y = ChartAxis(1.0, float(result.n), whole=True), ChartAxis.decades(np.maximum(values, FLOOR))
    chart = paint_frame(painter, chart_in(area, x, y, x_label=tr("token t")), view.theme)
    for felt, line in felt_by:
        _paint_felt(painter, chart, felt, line, view.theme)
    if counts:
        facts = QRectF(inside.left(), inside.bottom() - FACTS_HEIGHT, inside.width(), FACTS_HEIGHT)
        paint_facts(painter, facts, view.theme, _facts(view))


def _paint_felt(
    painter: QPainter, chart: Chart, felt: Sensitivity, line: ChartStroke, theme: Colours
) -> None:
    places = np.arange(1.0, len(felt.exact) + 1.0)
    paint_line(painter, chart, places, felt.exact, line)
    kept = felt.finite >= LOST
    paint_points(
        painter,
        chart,
        places[kept],
        felt.finite[kept],
        line.colour,
        radius=4.0,
        ground=theme.surface,
        ring=True,
    )


def _facts(view: LabView) -> tuple[Fact, ...]:
    result: SequenceResult = view.result
    assert result.nets is not None
    assert result.nets.by_lstm is not None
    return (
        Fact(
            tr("RNN, at token {n}", n=result.n),
            _felt(float(result.nets.by_rnn.exact[-1]), view.decimals),
            view.theme.text,
        ),
        Fact(
            tr("LSTM, at token {n}", n=result.n),
            _felt(float(result.nets.by_lstm.exact[-1]), view.decimals),
            view.theme.value,
        ),
        Fact(
            tr("attention, at token {n}", n=result.n),
            _felt(float(result.nets.by_attention.exact[-1]), view.decimals),
            view.theme.weights,
        ),
        Fact(tr("line and rings differ by at most"), measured(result.nets.worst, view.decimals)),
    )


def _felt(value: float, decimals: int) -> str:
    return measured(value, decimals) if value < 1e-4 else show_significant(value, decimals)


RECURRENCE, PAIRS = "RNN  n·d²", "QKᵀ  n²·d"


def chart_of(rect: QRectF, view: LabView) -> Chart:
    """Build the chart of both lines, n from 1 to its maximum."""
    inside = rect.adjusted(16.0, 8.0, -16.0, -8.0)
    counts = FACTS_HEIGHT + 16.0 if rect.height() >= ROOMY_HEIGHT else 0.0
    area = QRectF(inside.left(), inside.top(), inside.width(), inside.height() - counts)
    ends = [SequenceCost(n, view.result.d) for n in (1, FAR_N)]
    x = ChartAxis.decades([1.0, float(FAR_N)])
    y = ChartAxis.decades(
        [float(count) for cost in ends for count in (cost.recurrence, cost.pairs)]
    )
    right = ends_width((RECURRENCE, PAIRS))
    return chart_in(
        area,
        x,
        y,
        x_label=tr("tokens n"),
        y_label=tr("multiply-adds"),
        title=tr("Multiply-adds of a layer of width d = {d}", d=view.result.d),
        right=right,
    )


def paint_cost(painter: QPainter, rect: QRectF, view: LabView) -> None:
    """Paint the two lines, the crossing, and the costs of the layer at the chosen n."""
    result: SequenceResult = view.result
    chart = paint_frame(painter, chart_of(rect, view), view.theme)
    _paint_lines(painter, chart, result, view.theme)
    rule = ChartStroke(view.theme.accent, "solid", 1.6)
    paint_rule(
        painter,
        chart,
        view.theme,
        float(result.n),
        f"n = {grouped(result.n, 0)}",
        vertical=True,
        stroke=rule,
    )
    _paint_crossing(painter, chart, result.d, view.theme)
    if rect.height() >= ROOMY_HEIGHT:
        inside = rect.adjusted(16.0, 8.0, -16.0, -8.0)
        area = QRectF(inside.left(), inside.bottom() - FACTS_HEIGHT, inside.width(), FACTS_HEIGHT)
        paint_facts(painter, area, view.theme, _cost_facts(result, view.theme))


def _paint_crossing(painter: QPainter, chart: Chart, d: int, theme: Colours) -> None:
    """Paint the point of equal costs; its name is below the lines, which rise from there."""
    count = float(SequenceCost(d, d).pairs)
    paint_points(painter, chart, [d], [count], theme.text, radius=5.5, ground=theme.surface)
    point, text = chart.point(d, count), f"n = d = {grouped(d, 0)}"
    wide = width_of(text, font(BODY, bold=True)) + 2.0
    area = QRectF(min(point.x() + 12.0, chart.rect.right() - wide), point.y() + 8.0, wide, 20.0)
    painter.fillRect(area.adjusted(-3.0, 0.0, 3.0, 0.0), QColor(theme.surface))
    write(painter, area, text, theme.text, font(BODY, bold=True))


def _paint_lines(painter: QPainter, chart: Chart, result: SequenceResult, theme: Colours) -> None:
    ns = np.geomspace(chart.x.low, chart.x.high, 81)
    rnn, attention = strokes(theme)
    counts = ((RECURRENCE, ns * result.d**2, rnn), (PAIRS, ns**2 * result.d, attention))
    paint_curves(painter, chart, ns, counts)
    here = ((result.cost.recurrence, rnn.colour), (result.cost.pairs, attention.colour))
    for value, colour in here:
        paint_points(painter, chart, [result.n], [value], colour, radius=4.5, ground=theme.surface)


def _cost_facts(result: SequenceResult, theme: Colours) -> tuple[Fact, ...]:
    """Return the leading terms and the whole layers: 2·n·d² and 3·n·d² + 2·n²·d."""
    cost = result.cost
    return (
        Fact("n·d²", counted(cost.recurrence), theme.text),
        Fact("n²·d", counted(cost.pairs), theme.weights),
        Fact(tr("whole RNN, 2·n·d²"), counted(cost.rnn)),
        Fact(tr("whole head, 3·n·d² + 2·n²·d"), counted(cost.attention)),
    )
