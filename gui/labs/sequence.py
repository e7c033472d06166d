"""Exhibit of the lab `sequence`: texts of its four views, and the picture of signal paths."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPolygonF

from core.base.arrays import Array, frozen
from core.labs.controls import Value
from core.labs.sequence import FAR_N, SequenceResult
from gui.labs import sequence_picture
from gui.labs.charts import (
    FACTS_HEIGHT,
    Chart,
    Fact,
    Names,
    grid_rect,
    grouped,
    paint_facts,
    paint_grid,
    write,
)
from gui.labs.exhibit import ExhibitView, LabView, Spot, Viewed
from gui.labs.wording import counted, measured
from gui.painting.color_scale import Levels
from gui.painting.matrix import cell_rect
from gui.painting.shapes import paint_shape
from gui.painting.theme import CAPTION, Colours, font
from gui.texts.translation import mark, tr

GAP = 36.0
AXES = 22.0
LARGEST = 90.0  # largest cell


def paint(painter: QPainter, bounds: QRectF, view: LabView) -> None:
    """Paint two matrices of path lengths: rows are outputs, columns inputs."""
    result: SequenceResult = view.result
    assert result.nets is not None
    inside = bounds.adjusted(16.0, 8.0, -16.0, -8.0)
    high = inside.height() - FACTS_HEIGHT - AXES - 16.0
    wide = (inside.width() - GAP) / 2
    numbers = tuple(str(token + 1) for token in range(result.n))
    ones = frozen(np.ones((result.n, result.n)))
    for left, title, colour, paths in (
        (inside.left(), tr("RNN"), view.theme.text, result.nets.paths),
        (inside.left() + wide + GAP, tr("Attention"), view.theme.weights, ones),
    ):
        names = Names(title, numbers, numbers, colour)
        rect = grid_rect(
            QRectF(left, inside.top(), wide, high),
            result.n,
            result.n,
            names,
            widest=LARGEST,
            tallest=LARGEST,
        )
        side = min(rect.width(), rect.height())
        lower = max(0.0, high - (rect.top() - inside.top()) - side) / 2
        rect = QRectF(rect.left(), rect.top() + lower, side, side)
        paint_grid(painter, rect, view, paths, Levels(0.0, float(result.n)), names, decimals=0)
        _paint_nowhere(painter, rect, paths, view.theme)
        below = QRectF(rect.left(), rect.bottom() + 2.0, wide, AXES)
        write(
            painter, below, tr("rows: output t · columns: input i"), view.theme.muted, font(CAPTION)
        )
    area = QRectF(inside.left(), inside.bottom() - FACTS_HEIGHT, inside.width(), FACTS_HEIGHT)
    paint_facts(painter, area, view.theme, _facts(result, view.theme))


def _paint_nowhere(painter: QPainter, rect: QRectF, paths: Array, theme: Colours) -> None:
    """Hatch the cells of later inputs, which an earlier state cannot see."""
    n = len(paths)
    if paths.all():
        return
    corners = [rect.topRight()]
    for row in range(n):
        reach = int(np.count_nonzero(paths[row]))
        cell = cell_rect(rect, n, n, row, reach - 1)
        corners += [QPointF(cell.right(), cell.top()), QPointF(cell.right(), cell.bottom())]
    for brush in (
        QBrush(QColor(theme.sunken)),
        QBrush(QColor(theme.ghost), Qt.BrushStyle.BDiagPattern),
    ):
        paint_shape(painter, QPolygonF(corners), fill=brush)


def _facts(result: SequenceResult, theme: Colours) -> tuple[Fact, ...]:
    assert result.nets is not None
    longest = str(int(result.nets.paths.max()))
    return (
        Fact(tr("longest path, RNN"), longest, theme.text),
        Fact(tr("longest path, attention"), "1", theme.weights),
        Fact(tr("sequential steps, RNN"), str(result.n), theme.text),
        Fact(tr("steps, attention"), "1", theme.weights),
    )


class SequenceExhibit(Viewed):
    """The chain and the fan, the sensitivities, the paths, the costs."""

    made = mark("Tokens and weights are drawn at random; no network was trained.")

    labels = {
        "view": mark("Picture"),
        "n": mark("Tokens n"),
        "d": mark("Width d"),
        "gain": mark("Recurrent gain"),
        "seed": mark("Seed"),
        "step": mark("Tokens read"),
        "forget": mark("Bias of the LSTM’s forget gate"),
    }
    helps = {
        "gain": mark(
            "How much one step of the RNN stretches its state: every singular value of W."
        ),
        "forget": mark(
            "The larger it is, the more of its cell the LSTM keeps at each step; at 0 about half."
        ),
        "step": mark("The RNN reads one token a step; attention has them all after the first."),
    }

    def spots(self, area: QRectF, view: LabView) -> tuple[Spot, ...]:
        """Return the last state of the chain, and the number of tokens in the chart of costs."""
        if view.setting["view"] == "run":
            return (_step_spot(area, view.result),)
        return (_count_spot(area, view),) if view.setting["view"] == "cost" else ()


def _step_spot(area: QRectF, result: SequenceResult) -> Spot:
    where = sequence_picture.sequence_layout(area, result)
    name = tr("{step} of {n} tokens read", step=result.step, n=result.n)
    drag = partial(_step_at, where, result)
    return Spot(
        "step", sequence_picture.handle(where, result), name, "step", drag=drag, nudge=where.wide
    )


def _step_at(
    where: sequence_picture.SequenceLayout, result: SequenceResult, point: QPointF
) -> Value:
    """Return the step at a point; the empty state is farther left, so keys still reach step 1."""
    ahead = max(0.0, where.left - where.wide / 2 - where.middle(-1)) if result.step == 0 else 0.0
    return where.step_at(point.x() + ahead, result.n)


def _count_spot(rect: QRectF, view: LabView) -> Spot:
    chart = sequence_picture.chart_of(rect, view)
    x = chart.at_x(float(view.result.n))
    area = QRectF(x - 4.0, chart.rect.top(), 8.0, chart.rect.height())
    name = tr("{n} tokens", n=view.result.n)
    return Spot("n", area, name, "n", drag=partial(_count_at, chart), nudge=chart.rect.width() / 48)


def _count_at(chart: Chart, point: QPointF) -> Value:
    return min(max(round(chart.value_x(point)), 2), FAR_N)


def _notice_run(view: LabView) -> str:
    result: SequenceResult = view.result
    if result.step == 0:
        return tr("Nothing is read yet. The RNN will need {n} steps, attention 1.", n=result.n)
    return tr(
        "Step {step}: the RNN knows {step} of {n} states, attention all {n} outputs since step 1.",
        step=result.step,
        n=result.n,
    )


def _notice_nudge(view: LabView) -> str:
    result: SequenceResult = view.result
    assert result.nets is not None
    assert result.nets.by_lstm is not None
    rnn, attention = float(result.nets.by_rnn.exact[-1]), float(result.nets.by_attention.exact[-1])
    return tr(
        "When token 1 is nudged, at token {n} the RNN still feels {rnn} of it, the LSTM {lstm}, "
        "attention {attention}.",
        n=result.n,
        rnn=measured(rnn, view.decimals),
        lstm=measured(float(result.nets.by_lstm.exact[-1]), view.decimals),
        attention=measured(attention, view.decimals),
    )


def _notice_paths(view: LabView) -> str:
    return tr(
        "A signal from token 1 passes through the RNN {n} times: once when it is read, then "
        "{steps} more steps to token {n}. It passes through attention once.",
        n=view.result.n,
        steps=view.result.n - 1,
    )


def _notice_cost(view: LabView) -> str:
    result: SequenceResult = view.result
    n, d = grouped(result.n, 0), grouped(result.d, 0)
    pairs, chain = counted(result.cost.pairs), counted(result.cost.recurrence)
    if result.n == result.d:
        return tr("At n = d = {n} both need {count} multiply-adds.", n=n, count=pairs)
    if result.n < result.d:
        return tr(
            "n = {n} is less than d = {d}: n²·d = {pairs} is less than n·d² = {chain}.",
            n=n,
            d=d,
            pairs=pairs,
            chain=chain,
        )
    return tr(
        "n = {n} is more than d = {d}: n²·d = {pairs} is more than n·d² = {chain}.",
        n=n,
        d=d,
        pairs=pairs,
        chain=chain,
    )


VIEWS = {
    "run": ExhibitView(
        mark("Both at work"),
        mark("Rewind, then play: when is the last output of either network known?"),
        _notice_run,
        sequence_picture.paint_run,
    ),
    "nudge": ExhibitView(
        mark("A nudge of token 1"),
        mark(
            "Find a recurrent gain at which the first token is felt as much at the end as at "
            "the start."
        ),
        _notice_nudge,
        sequence_picture.paint_nudge,
    ),
    "paths": ExhibitView(
        mark("Paths between tokens"),
        mark("Double the number of tokens: which of the four numbers double?"),
        _notice_paths,
        paint,
    ),
    "cost": ExhibitView(
        mark("Multiply-adds"),
        mark("Set d = 512: up to which sentence length are pairs cheaper than the recurrence?"),
        _notice_cost,
        sequence_picture.paint_cost,
    ),
}

EXHIBIT = SequenceExhibit(VIEWS)
