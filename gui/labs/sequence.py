"""The lab of sequences in words; its four pictures."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPointF, QRectF

from core.labs.controls import Value
from core.labs.sequence import FAR_N, Compared
from gui.labs import sequence_cost, sequence_nudge, sequence_paths, sequence_run
from gui.labs.charts import Chart
from gui.labs.charts.ticks import grouped
from gui.labs.exhibit import Shown, Spot
from gui.labs.measured import counted, measured
from gui.labs.views import View, Viewed
from gui.texts.translation import mark, tr

LABELS = {
    "view": mark("Picture"),
    "n": mark("Tokens n"),
    "d": mark("Width d"),
    "gain": mark("Recurrent gain"),
    "seed": mark("Seed"),
    "step": mark("Tokens read"),
}
HELP = {
    "gain": mark("By how much one step of the RNN stretches its state: every singular value of W."),
    "step": mark("The RNN reads one token a step; attention has them all after the first."),
}


class SequenceExhibit(Viewed):
    """The chain and the fan, the nudge, the ways, the cost."""

    labels = LABELS
    helps = HELP

    def spots(self, room: QRectF, shown: Shown) -> tuple[Spot, ...]:
        """The last state of the chain; the number of tokens in the chart of costs."""
        result: Compared = shown.result
        if shown.setting["view"] == "run":
            return (_step_spot(room, result),)
        return (_count_spot(room, shown),) if shown.setting["view"] == "cost" else ()


def _step_spot(room: QRectF, result: Compared) -> Spot:
    where = sequence_run.places(room, result)
    name = tr("{step} of {n} tokens read", step=result.step, n=result.n)
    drag = partial(_step_at, where, result)
    return Spot(
        "step", sequence_run.handle(where, result), name, "step", drag=drag, nudge=where.wide
    )


def _step_at(where: sequence_run.Places, result: Compared, point: QPointF) -> Value:
    """The empty state stands farther to the left than a token's width: from there, too, a key leads to the first."""
    ahead = max(0.0, where.left - where.wide / 2 - where.middle(-1)) if result.step == 0 else 0.0
    return where.step_at(point.x() + ahead, result.n)


def _count_spot(room: QRectF, shown: Shown) -> Spot:
    result: Compared = shown.result
    chart = sequence_cost.chart_of(room, shown)
    x = chart.at_x(float(result.n))
    area = QRectF(x - 4.0, chart.rect.top(), 8.0, chart.rect.height())
    name = tr("{n} tokens", n=result.n)
    return Spot("n", area, name, "n", drag=partial(_count_at, chart), nudge=chart.rect.width() / 48)


def _count_at(chart: Chart, point: QPointF) -> Value:
    return min(max(round(chart.value_x(point)), 2), FAR_N)


def _notice_run(shown: Shown) -> str:
    result: Compared = shown.result
    if result.step == 0:
        return tr("Nothing is read yet. The RNN will need {n} steps, attention 1.", n=result.n)
    return tr(
        "Step {step}: the RNN knows {step} of {n} states, attention all {n} outputs since step 1.",
        step=result.step,
        n=result.n,
    )


def _notice_nudge(shown: Shown) -> str:
    result: Compared = shown.result
    assert result.nets is not None
    rnn, attention = float(result.nets.by_rnn.exact[-1]), float(result.nets.by_attention.exact[-1])
    decimals = shown.look.decimals
    return tr(
        "At token {n} the RNN feels {rnn} of a nudge of token 1, attention {attention}.",
        n=result.n,
        rnn=measured(rnn, decimals),
        attention=measured(attention, decimals),
    )


def _notice_paths(shown: Shown) -> str:
    return tr(
        "A signal of token 1 passes through the RNN {n} times: once as it is read, then {steps} steps on to token {n}. "
        "Through attention it passes once.",
        n=shown.result.n,
        steps=shown.result.n - 1,
    )


def _notice_cost(shown: Shown) -> str:
    result: Compared = shown.result
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
    "run": View(
        mark("Both at work"),
        mark("Rewind, then play: when is the last output of either network known?"),
        _notice_run,
        sequence_run.paint,
    ),
    "nudge": View(
        mark("A nudge of token 1"),
        mark(
            "Find a recurrent gain at which the first token is felt at the end as much as at the start."
        ),
        _notice_nudge,
        sequence_nudge.paint,
    ),
    "paths": View(
        mark("Ways between tokens"),
        mark("Double the number of tokens: which of the four numbers double?"),
        _notice_paths,
        sequence_paths.paint,
    ),
    "cost": View(
        mark("Multiply-adds"),
        mark("Take d = 512: up to which sentence length are pairs cheaper than the recurrence?"),
        _notice_cost,
        sequence_cost.paint,
    ),
}

EXHIBIT = SequenceExhibit(VIEWS)
