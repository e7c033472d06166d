"""How much of a nudge of the first token is still felt at every token, on a logarithmic axis."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.number_format import show_significant
from core.labs.sequence import Compared
from core.labs.sequence_nets import Felt
from gui.labs.charts import (
    Axis,
    Chart,
    Stroke,
    paint_chart,
    paint_legend,
    paint_line,
    paint_points,
    write,
)
from gui.labs.exhibit import Shown
from gui.labs.facts import HEIGHT, Fact, paint_facts
from gui.labs.measured import measured
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.translation import tr

LOST = 1e-9  # below, the difference of two runs is nothing but their rounding
FLOOR = 1e-16
LEAST = 300.0  # units of height from which there is room for the numbers below the chart


def strokes(theme: Colours) -> tuple[Stroke, Stroke]:
    """The lines of the RNN and of attention."""
    return Stroke(theme.text, "solid", 2.4), Stroke(theme.weights, "dashed", 2.4)


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """Two curves: lines by the chain rule, rings by really nudging the token."""
    result: Compared = shown.result
    assert result.nets is not None
    theme = shown.look.theme
    inside = room.adjusted(16.0, 8.0, -16.0, -8.0)
    title = QRectF(inside.left(), inside.top(), inside.width(), 24.0)
    write(
        painter,
        title,
        tr("Change of the output for a nudge of token 1"),
        theme.text,
        font(BODY, bold=True),
    )
    rnn, attention = strokes(theme)
    entries = ((tr("RNN, ‖∂hₜ/∂x₁‖"), rnn), (tr("attention, ‖∂yₜ/∂x₁‖"), attention))
    legend = QRectF(inside.left(), title.bottom(), inside.width(), 20.0)
    taken = paint_legend(painter, legend, theme, entries)
    note = tr("lines: chain rule · rings: token 1 really nudged")
    below = QRectF(inside.left(), legend.top() + taken + 2.0, inside.width(), 18.0)
    write(painter, below, note, theme.muted, font(CAPTION))
    counts = HEIGHT + 12.0 if room.height() >= LEAST else 0.0
    area = QRectF(
        inside.left(),
        below.bottom() + 4.0,
        inside.width(),
        inside.bottom() - below.bottom() - counts - 4.0,
    )
    values = np.concatenate([result.nets.by_rnn.exact, result.nets.by_attention.exact])
    x, y = Axis(1.0, float(result.n), whole=True), Axis.decades(np.maximum(values, FLOOR))
    chart = paint_chart(painter, area, x, y, theme, x_label=tr("token t"))
    for felt, line in ((result.nets.by_attention, attention), (result.nets.by_rnn, rnn)):
        _paint_felt(painter, chart, felt, line, theme)
    if counts:
        facts = QRectF(inside.left(), inside.bottom() - HEIGHT, inside.width(), HEIGHT)
        paint_facts(painter, facts, theme, _facts(shown))


def _paint_felt(painter: QPainter, chart: Chart, felt: Felt, line: Stroke, theme: Colours) -> None:
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


def _facts(shown: Shown) -> tuple[Fact, ...]:
    result: Compared = shown.result
    assert result.nets is not None
    theme, decimals = shown.look.theme, shown.look.decimals
    return (
        Fact(
            tr("RNN, at token {n}", n=result.n),
            _felt(float(result.nets.by_rnn.exact[-1]), decimals),
            theme.text,
        ),
        Fact(
            tr("attention, at token {n}", n=result.n),
            _felt(float(result.nets.by_attention.exact[-1]), decimals),
            theme.weights,
        ),
        Fact(tr("line and rings differ by at most"), measured(result.nets.worst, decimals)),
    )


def _felt(value: float, decimals: int) -> str:
    return measured(value, decimals) if value < 1e-4 else show_significant(value, decimals)
