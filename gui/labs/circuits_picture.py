"""Picture of the lab `circuits`: two tables of words as products, and their singular values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.arrays import Array
from core.labs.circuits import Circuit, CircuitsResult
from gui.labs.charts import (
    LEFT_ALIGNED,
    NAME_GAP,
    NAME_LINE,
    RIGHT_ALIGNED,
    TITLE_LINE,
    BarChart,
    Chart,
    ChartAxis,
    Fact,
    Names,
    chart_in,
    legible_size,
    names_width,
    paint_bars,
    paint_facts,
    paint_frame,
    paint_grid,
    split_facts,
    write,
)
from gui.labs.exhibit import LabView, Spot, split
from gui.labs.wording import measured
from gui.painting.color_scale import levels_of
from gui.painting.theme import BODY, CAPTION, font, role_colour
from gui.texts.names import visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

GAP = 26.0
BETWEEN = 8.0  # a product and its factors
WIDEST_CELL, TALLEST_ROW = 66.0, 44.0
LEAST_CHART, MOST_CHART, LEAST_ROW = 104.0, 260.0, 17.0
NOTE_LINE, NOTE_GAP = 18.0, 6.0
# Symbols of the product, its left factor and the one above it, and the stages that colour those.
QK = "W_Q W_Kᵀ", "X W_Q", "(X W_K)ᵀ", "Q", "K"
OV = "W_V W_O", "X W_V", "W_O W_U", "V", "Y"
CUTS = "cut", "cut_ov"
_LOW = "₁₂₃₄₅₆₇₈"


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Rectangles of one product: its title, the factors, the table, and the chart (if it fits)."""

    title: QRectF
    left: QRectF
    above: QRectF
    table: QRectF
    chart: Chart | None


@dataclass(frozen=True, slots=True)
class CircuitsLayout:
    """The facts (empty in a low area), both products, and the note below them."""

    facts: QRectF
    tables: tuple[TableLayout, TableLayout]
    note: QRectF


def circuits_layout(area: QRectF, view: LabView) -> CircuitsLayout:
    """Lay out an area: both products side by side; a low area has no charts, then no facts."""
    result: CircuitsResult = view.result
    facts, body = split_facts(area, 10.0)
    note = QRectF(body.left(), body.bottom() - NOTE_LINE, body.width(), NOTE_LINE)
    body.setBottom(note.top() - NOTE_GAP)
    sides = split(body, 0.5, GAP, across=True)
    circuits = (result.qk, result.ov)
    rows = max(len(one.table) + len(one.above) for one in circuits)
    fixed = TITLE_LINE + NAME_LINE + BETWEEN
    free = body.height() - fixed - rows * LEAST_ROW - 2 * BETWEEN
    chart = min(free, MOST_CHART, body.height() * 0.36)
    high = chart if chart >= LEAST_CHART else 0.0
    row = min((body.height() - fixed - high - (2 * BETWEEN if high else 0.0)) / rows, TALLEST_ROW)
    one, other = (
        _table(side, result, circuit, max(row, 1.0), high)
        for side, circuit in zip(sides, circuits, strict=True)
    )
    return CircuitsLayout(facts, (one, other), note)


def _table(
    room: QRectF, result: CircuitsResult, circuit: Circuit, row: float, chart: float
) -> TableLayout:
    inner, columns = circuit.left.shape[1], circuit.table.shape[1]
    names = names_width([visible_token(token) for token in result.tokens])
    side = min(names, room.width() * 0.2) + NAME_GAP
    wide = min((room.width() - side - BETWEEN) / (inner + columns), WIDEST_CELL)
    title = QRectF(room.left(), room.top(), room.width(), TITLE_LINE)
    top = title.bottom() + NAME_LINE
    x = room.left() + side
    table_left, table_top = x + inner * wide + BETWEEN, top + inner * row + BETWEEN
    high = len(circuit.table) * row
    above = QRectF(table_left, top, columns * wide, inner * row)
    table = QRectF(table_left, table_top, columns * wide, high)
    left = QRectF(x, table_top, inner * wide, high)
    plot = None
    if chart:
        foot = QRectF(room.left(), room.bottom() - chart, room.width(), chart)
        axis = ChartAxis(0.0, float(circuit.values.max(initial=0.0)) * 1.25 or 1.0)
        product = (QK if circuit is result.qk else OV)[0]
        text = tr("Singular values of {product}", product=product)
        plot = chart_in(foot, _singular_names(circuit), axis, title=text)
    return TableLayout(title, left, above, table, plot)


def _singular_names(circuit: Circuit) -> ChartAxis:
    return ChartAxis.named(f"σ{_LOW[place]}" for place in range(len(circuit.values)))


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint everything."""
    result: CircuitsResult = view.result
    where = circuits_layout(area, view)
    if where.facts.height():
        paint_facts(painter, where.facts, view.theme, _facts(view))
    titles = tr("What each word looks for"), _said_title(result)
    tokens = [visible_token(token) for token in result.tokens]
    columns = tokens, [visible_token(word) for word in result.columns]
    circuits, symbols = (result.qk, result.ov), (QK, _ov_symbols(result))
    for parts in zip(where.tables, circuits, symbols, titles, columns, strict=True):
        _paint_table(painter, *parts, tokens, view)
    note = tr("For the words alone: without positions, biases, masks, norms and earlier layers.")
    write(painter, where.note, note, view.theme.muted, font(CAPTION), LEFT_ALIGNED)


def _said_title(result: CircuitsResult) -> str:
    if result.has_words:
        return tr("What it adds to each logit")
    return tr("What it adds to each column of Y")


def _ov_symbols(result: CircuitsResult) -> tuple[str, str, str, str, str]:
    product, left, above, *roles = OV
    return product, left, above if result.has_words else "W_O", roles[0], roles[1]


def _facts(view: LabView) -> list[Fact]:
    result, accent = view.result, view.theme.accent
    facts = []
    if result.qk.factor != 1.0:
        facts.append(Fact(tr("Factor c of the scores"), view.show(result.qk.factor)))
    if result.angle:
        turned = measured(result.score_change, view.decimals)
        facts.append(Fact(tr("Change of the left table by turning"), turned, accent))
    for circuit, (name, *_) in zip((result.qk, result.ov), (QK, OV), strict=True):
        gone = tr("{kept} of {count}", kept=circuit.kept, count=len(circuit.values))
        facts.append(Fact(tr("Rank of {product}", product=name), gone))
    facts.append(Fact(tr("Largest change of a weight"), _change(result.weight_change, view)))
    facts.append(Fact("‖ΔY‖ ÷ ‖Y‖", _change(result.change, view)))
    return facts


def _change(value: float, view: LabView) -> str:
    return measured(value, view.decimals)


def _paint_table(
    painter: QPainter,
    where: TableLayout,
    circuit: Circuit,
    symbols: Sequence[str],
    title: str,
    columns: Sequence[str],
    rows: Sequence[str],
    view: LabView,
) -> None:
    """Paint a table with its factors to the left and above it, and its singular values."""
    theme, (_, left, above, *stages) = view.theme, symbols
    face = font(BODY, bold=True)
    if width_of(title, face) > where.title.width():
        face = font(CAPTION, bold=True)
    write(painter, where.title, title, theme.text, face, LEFT_ALIGNED)
    shown: list[tuple[QRectF, Array, str, Names]] = [
        (where.left, circuit.left, stages[0], Names(rows=tuple(rows))),
        (where.above, circuit.above, stages[1], Names(columns=tuple(columns))),
        (where.table, circuit.table, "scores", Names()),
    ]
    wide, high = where.table.width() / len(columns), where.table.height() / len(rows)
    sizes = [legible_size(values, view.decimals, wide, high) for _, values, _, _ in shown]
    digits = min(sizes) or None
    for rect, values, stage, names in shown:
        paint_grid(painter, rect, view, values, levels_of(values, stage), names, digits=digits)
    _paint_symbols(painter, where, (left, above), stages, view)
    if where.chart is not None:
        _paint_singular(painter, where.chart, circuit, view)


def _paint_symbols(
    painter: QPainter,
    where: TableLayout,
    symbols: Sequence[str],
    stages: Sequence[str],
    view: LabView,
) -> None:
    """Name the left factor above it, and the upper one beside it; neither where it has no room."""
    face = font(CAPTION, bold=True)
    corner = QRectF(
        where.title.left(), where.above.top(), where.left.right() - where.title.left(), 0.0
    )
    height = where.table.top() - where.above.top()
    lower = QRectF(corner.left(), where.table.top() - NAME_LINE - 1.0, corner.width(), NAME_LINE)
    upper = QRectF(corner.left(), where.above.top(), corner.width(), NAME_LINE)
    fits = height >= 2 * NAME_LINE
    if not fits:
        upper.moveTop(where.title.bottom())
    for line, symbol, stage in zip((lower, upper), symbols, stages, strict=True):
        if width_of(symbol, face) <= line.width():
            colour = role_colour(view.theme, stage).name()
            write(painter, line, symbol, colour, face, RIGHT_ALIGNED)


def _paint_singular(painter: QPainter, chart: Chart, circuit: Circuit, view: LabView) -> None:
    """Paint a bar for each singular value; those that are cut off are grey, and their texts say so."""
    theme = view.theme
    paint_frame(painter, chart, theme)
    kept = np.arange(len(circuit.values)) < circuit.kept
    texts = [
        view.show(value) if own else tr("{value} cut", value=view.show(value))
        for value, own in zip(circuit.values, kept, strict=True)
    ]
    for those, colour in ((kept, theme.accent), (~kept, theme.disabled)):
        bars = np.where(those, circuit.values, 0.0)
        words = tuple(text if own else "" for text, own in zip(texts, those, strict=True))
        paint_bars(painter, chart, theme, [BarChart(bars, colour, words)])


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the bars of singular values; a click keeps it and all larger ones."""
    where, result = circuits_layout(area, view), view.result
    found = []
    circuits = zip(where.tables, (result.qk, result.ov), CUTS, (QK, OV), strict=True)
    for table, circuit, control, (product, *_) in circuits:
        count = len(circuit.values)
        if table.chart is None or control not in view.setting.values:
            continue
        plot = table.chart.rect
        wide = plot.width() / count
        for place, value in enumerate(circuit.values):
            rect = QRectF(plot.left() + place * wide, plot.top(), wide, plot.height())
            name = tr(
                "Singular value {number} of {product}: {value}; a click makes it the last one kept",
                number=place + 1,
                product=product,
                value=view.show(value),
            )
            found.append(Spot(f"{control} {place + 1}", rect, name, control, count - place - 1))
    return tuple(found)
