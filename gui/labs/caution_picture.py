"""Pictures of the lab `caution`: square heatmaps side by side, one for each view."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.arrays import Array, frozen
from core.document.document import Document
from core.labs.caution import CautionResult, Twin
from gui.labs.charts import (
    CENTRED,
    FACTS_HEIGHT,
    NAME_GAP,
    NAME_LINE,
    RIGHT_ALIGNED,
    TITLE_LINE,
    BarChart,
    Chart,
    ChartAxis,
    ChartStroke,
    Fact,
    Names,
    bar_rect,
    chart_in,
    names_width,
    paint_bars,
    paint_facts,
    paint_frame,
    paint_grid,
    paint_points,
    paint_rule,
    paint_title_legend,
    write,
)
from gui.labs.exhibit import ROOMY_HEIGHT, LabView, Spot, split
from gui.labs.wording import measured
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame, cell_rect
from gui.painting.theme import CAPTION, font
from gui.texts.names import head_name, subscript, visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

MARGIN = 16.0
BETWEEN = 26.0
LARGEST = 74.0
ABOVE = TITLE_LINE + NAME_LINE
WEIGHTS = Levels(0.0, 1.0)


def names_of(document: Document, title: str, colour: str = "", *, rows: bool = False) -> Names:
    """Return tokens as columns and optionally as rows."""
    tokens = tuple(map(visible_token, document.tokens))
    return Names(title, tokens if rows else (), tokens, colour)


def panels(area: QRectF, document: Document, columns: tuple[int, ...]) -> tuple[QRectF, ...]:
    """Return matrices of n rows and given columns side by side, with names above and equal cells."""
    n = document.n
    left = (
        min(names_width(tuple(map(visible_token, document.tokens))), area.width() * 0.14) + NAME_GAP
    )
    wide = (area.width() - left - BETWEEN * (len(columns) - 1)) / sum(columns)
    high = (area.height() - ABOVE) / n
    wide, high = min(wide, LARGEST * 1.5), min(high, LARGEST)
    x, found = area.left() + left, []
    for count in columns:
        found.append(QRectF(x, area.top() + ABOVE, wide * count, high * n))
        x += wide * count + BETWEEN
    return tuple(found)


def paint_weights(
    painter: QPainter,
    rect: QRectF,
    view: LabView,
    values: Array,
    names: Names,
    levels: Levels = WEIGHTS,
) -> None:
    """Paint a matrix with the selected row framed."""
    row = view.result.token
    frames = (Frame((row, row + 1), (0, values.shape[1]), view.theme.accent, 2.0),)
    paint_grid(painter, rect, view, values, levels, names, frames=frames)


def row_spots(rect: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return rows as spots that select them."""
    return tuple(
        Spot(
            f"row {row}",
            cell_rect(rect, view.result.document.n, 1, row, 0),
            tr("Row of “{token}”", token=visible_token(token)),
            "token",
            str(row),
        )
        for row, token in enumerate(view.result.document.tokens)
    )


def halves(
    area: QRectF, document: Document, below: float = 0.0
) -> tuple[tuple[QRectF, ...], QRectF]:
    """Return two heatmaps side by side above `below` free units, and the rectangle of a chart.

    In a low area the heatmaps take all the height.
    """
    inside = area.adjusted(MARGIN, 8.0, -MARGIN, -8.0)
    part = 0.56 if area.height() >= ROOMY_HEIGHT else 1.0
    upper = QRectF(inside.left(), inside.top(), inside.width(), inside.height() * part - below)
    maps = panels(upper, document, (document.n, document.n))
    if part == 1.0:
        return maps, QRectF()
    top = maps[0].bottom() + below + 18.0
    high = min(inside.bottom() - top, 300.0)
    return maps, QRectF(
        inside.left(), top, min(inside.width(), maps[1].right() - inside.left() + 60.0), high
    )


def paint_pairs(
    painter: QPainter,
    area: QRectF,
    view: LabView,
    title: str,
    series: Sequence[tuple[str, Array, str]],
) -> None:
    """Paint grouped bars for every token; nothing without an area."""
    if area.isEmpty():
        return
    tokens = tuple(map(visible_token, view.result.document.tokens))
    most = max(float(np.max(values)) for _, values, _ in series)
    chart = paint_frame(
        painter,
        chart_in(area, ChartAxis.named(tokens), ChartAxis(0.0, max(most, 0.1) * 1.2), title=title),
        view.theme,
    )
    bars = [
        BarChart(np.asarray(values), colour, tuple(view.show(value) for value in values))
        for _, values, colour in series
    ]
    paint_bars(painter, chart, view.theme, bars)
    legend = [(name, ChartStroke(colour)) for name, _, colour in series]
    paint_title_legend(painter, area, view.theme, title, legend, block=True)


STRIP = 26.0
AIR = 10.0


def paint_norms(painter: QPainter, rect: QRectF, view: LabView) -> None:
    """Paint the whole picture."""
    cautioned: CautionResult = view.result
    flows, theme, document = cautioned.contributions, view.theme, cautioned.document
    assert flows is not None
    maps, area = halves(rect, document, STRIP + AIR)
    paint_weights(
        painter,
        maps[0],
        view,
        flows.A,
        names_of(document, tr("Weights A"), theme.weights, rows=True),
    )
    paint_weights(
        painter,
        maps[1],
        view,
        flows.share,
        names_of(document, tr("Share of what flows"), theme.value),
    )
    strip = QRectF(maps[0].left(), maps[0].bottom() + AIR, maps[0].width(), STRIP)
    most = max(float(flows.lengths.max()), 1e-12)
    paint_grid(painter, strip, view, frozen(flows.lengths[None]), Levels(0.0, most))
    name = QRectF(
        rect.left() + 2.0, strip.top(), maps[0].left() - NAME_GAP - rect.left() - 2.0, STRIP
    )
    write(painter, name, tr("length"), theme.muted, font(CAPTION), RIGHT_ALIGNED)
    caption = QRectF(maps[1].left(), strip.top(), rect.right() - MARGIN - maps[1].left(), STRIP)
    text = tr("← of what each key has to give, ‖v·W_O‖")
    short = "← ‖v·W_O‖"
    fits = width_of(text, font(CAPTION)) <= caption.width()
    write(painter, caption, text if fits else short, theme.muted, font(CAPTION))
    row = cautioned.token
    title = tr("Row of “{token}”", token=visible_token(document.tokens[row]))
    series = (
        (tr("weight"), flows.A[row], theme.weights),
        (tr("share of what flows"), flows.share[row], theme.value),
    )
    paint_pairs(painter, area, view, title, series)


def norm_spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the rows of A."""
    return row_spots(halves(area, view.result.document, STRIP + AIR)[0][0], view)


def paint_rollout(painter: QPainter, rect: QRectF, view: LabView) -> None:
    """Paint the whole picture."""
    cautioned: CautionResult = view.result
    rolled, theme, document = cautioned.rollout, view.theme, cautioned.document
    assert rolled is not None
    count, row = len(rolled.layers), cautioned.token
    maps, area = halves(rect, document)
    last = tr("Weights of layer {count}, heads averaged", count=count)
    flow = tr("Rollout up to layer {count}", count=count)
    paint_weights(
        painter,
        maps[0],
        view,
        rolled.layers[-1],
        names_of(document, last, theme.weights, rows=True),
    )
    paint_weights(painter, maps[1], view, rolled.flow[-1], names_of(document, flow, theme.value))
    title = tr("Row of “{token}”", token=visible_token(document.tokens[row]))
    series = (
        (tr("weight, layer {count}", count=count), rolled.layers[-1][row], theme.weights),
        (tr("rollout"), rolled.flow[-1][row], theme.value),
    )
    paint_pairs(painter, area, view, title, series)


def rollout_spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the rows of the weights."""
    return row_spots(halves(area, view.result.document)[0][0], view)


def places(area: QRectF, view: LabView) -> tuple[tuple[QRectF, ...], tuple[QRectF, ...], QRectF]:
    """Return the rectangles of weights and difference, V and outputs, and the facts, if not low."""
    document = view.result.document
    inside = area.adjusted(MARGIN, 8.0, -MARGIN, -6.0)
    high = FACTS_HEIGHT if area.height() >= ROOMY_HEIGHT else 0.0
    facts = QRectF(inside.left(), inside.bottom() - high, inside.width(), high)
    half = (inside.height() - (high + 14.0 if high else 0.0) - BETWEEN * 0.5) / 2
    upper = QRectF(inside.left(), inside.top(), inside.width(), half)
    n, v = document.n, document.v
    above = panels(upper, document, (n, n, n))
    lower = QRectF(inside.left(), above[0].bottom() + BETWEEN * 0.5, inside.width(), half)
    below = panels(lower, document, (n, n, n))
    wide = min(below[0].width() / v, 74.0)
    outputs = tuple(QRectF(rect.left(), rect.top(), wide * v, rect.height()) for rect in below)
    facts.moveTop(min(facts.top(), outputs[0].bottom() + 18.0))
    return above, outputs, facts


def paint_same_output(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the whole picture."""
    pair, theme, document = view.result.twin, view.theme, view.result.document
    assert pair is not None
    above, below, facts = places(area, view)
    most = max(float(abs(pair.D).max()), 1e-12)
    for rect, values, name, levels, first in (
        (above[0], pair.A, tr("Weights A"), Levels(0.0, 1.0), True),
        (above[1], pair.B, tr("Other weights B"), Levels(0.0, 1.0), False),
        (above[2], pair.D, tr("Difference B − A"), Levels(-most, most), False),
    ):
        colour = theme.weights if levels.sequential else ""
        paint_weights(
            painter, rect, view, values, names_of(document, name, colour, rows=first), levels
        )
    _paint_outputs(painter, below, view, pair)
    if facts.height():
        paint_facts(painter, facts, theme, _facts(pair, view.decimals))


def _paint_outputs(painter: QPainter, below: tuple[QRectF, ...], view: LabView, pair: Twin) -> None:
    """Paint A·V below A, B·V below B, and V below the difference in its null space."""
    columns = tuple(f"v{subscript(column + 1)}" for column in range(pair.V.shape[1]))
    rows = names_of(view.result.document, "", rows=True).rows
    for rect, values, name, first in (
        (below[0], pair.outputs, "A·V", True),
        (below[1], pair.twins, "B·V", False),
        (below[2], pair.V, "V", False),
    ):
        levels = levels_of(pair.V if name == "V" else pair.outputs, "V")
        names = Names(name, rows if first else (), columns, view.theme.value)
        paint_grid(painter, rect, view, values, levels, names)


def _facts(pair: Twin, decimals: int) -> list[Fact]:
    free = sorted({int(count) for count in pair.free})
    dimensions = str(free[0]) if len(free) == 1 else f"{free[0]} – {free[-1]}"
    return [
        Fact(tr("largest |B − A|"), measured(pair.moved, decimals)),
        Fact(tr("largest |B·V − A·V|"), measured(pair.gap, decimals)),
        Fact(tr("free directions per row"), dimensions),
    ]


def same_output_spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the rows of A."""
    return row_spots(places(area, view)[0][0], view)


SIDE_BY_SIDE = 1.25  # aspect ratio from which chart and weights are side by side
TALLEST = 520.0
SPREAD = 0.34  # part of a head's width, to either side, covered by its rows


def areas(area: QRectF) -> tuple[QRectF, QRectF]:
    """Return the rectangles of the chart and of the weights."""
    inside = area.adjusted(MARGIN, 8.0, -MARGIN, -10.0)
    inside.setHeight(min(inside.height(), TALLEST))
    wide = area.width() >= SIDE_BY_SIDE * area.height()
    return split(inside, 0.48 if wide else 0.46, 24.0 if wide else 16.0, across=wide)


def chart_of(area: QRectF, cautioned: CautionResult) -> Chart:
    """Build the chart: heads along x, nats along y, up to beyond the maximum entropy."""
    spread = cautioned.entropies
    assert spread is not None
    names = ChartAxis.named(short_names(cautioned))
    top = max(float(spread.most.max()), 0.1) * 1.18
    return chart_in(
        area, names, ChartAxis(0.0, top), y_label=tr("entropy in nats"), title=tr("Entropy by head")
    )


def short_names(cautioned: CautionResult) -> tuple[str, ...]:
    """Return head names, or numbers if there are many."""
    heads = cautioned.document.heads
    if len(heads) > 4:
        return tuple(str(head + 1) for head in range(len(heads)))
    return tuple(head_name(index, head.name) for index, head in enumerate(heads))


def paint_entropy(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the whole picture."""
    cautioned: CautionResult = view.result
    spread, theme, document = cautioned.entropies, view.theme, cautioned.document
    assert spread is not None
    left, right = areas(area)
    chart = paint_frame(painter, chart_of(left, cautioned), theme)
    paint_bars(painter, chart, theme, [BarChart(spread.means, theme.weights)])
    for head, mean in enumerate(spread.means):
        bar = bar_rect(chart, head, float(mean))
        foot = QRectF(bar.left(), bar.bottom() - 22.0, bar.width(), 18.0)
        write(
            painter,
            foot,
            view.show(mean),
            theme.surface,
            font(CAPTION, bold=True),
            CENTRED,
        )
    for head, rows in enumerate(spread.rows):
        at = head + np.linspace(-SPREAD, SPREAD, len(rows))
        paint_points(painter, chart, at, rows, theme.text, radius=2.6, ground=theme.surface)
    most = float(spread.most.max())
    name = tr(
        "ln {count} = {most}: equal shares",
        count=round(math.exp(most)),
        most=view.show(most),
    )
    paint_rule(painter, chart, theme, most, name)
    legend = [(tr("mean"), ChartStroke(theme.weights)), (tr("rows"), ChartStroke(theme.text))]
    paint_title_legend(painter, left, theme, tr("Entropy by head"), legend, block=True)
    rect = panels(right, document, (document.n,))[0]
    title = tr(
        "Weights of {head}", head=head_name(cautioned.head, document.heads[cautioned.head].name)
    )
    paint_weights(
        painter,
        rect,
        view,
        spread.A[cautioned.head],
        names_of(document, title, theme.weights, rows=True),
    )


def entropy_spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return bars that select a head and rows that select a token."""
    cautioned: CautionResult = view.result
    left, right = areas(area)
    chart = chart_of(left, cautioned)
    wide = chart.rect.width() / cautioned.document.h
    heads: tuple[Spot, ...] = ()
    if cautioned.document.h > 1:
        heads = tuple(
            Spot(
                f"head {head}",
                QRectF(
                    chart.rect.left() + head * wide, chart.rect.top(), wide, chart.rect.height()
                ),
                head_name(head, cautioned.document.heads[head].name),
                "head",
                str(head),
            )
            for head in range(cautioned.document.h)
        )
    return (
        *heads,
        *row_spots(panels(right, cautioned.document, (cautioned.document.n,))[0], view),
    )
