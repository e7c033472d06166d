"""Pictures of the lab `sinks`: a sentence with a window cache, and one query with a null key."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.labs.sinks import NULL, REACH, SHIFT, RowResult, WindowResult
from gui.labs.charts import (
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
    chart_in,
    ends_width,
    grid_rect,
    legible_size,
    names_width,
    paint_bars,
    paint_curves,
    paint_facts,
    paint_frame,
    paint_grid,
    paint_points,
    paint_rule,
    paint_title_legend,
    split_facts,
    stroke,
    write,
)
from gui.labs.draggable_bars import bar_spots, paint_draggable_bars
from gui.labs.exhibit import LabView, Spot, split
from gui.labs.wording import counted, measured, quoted
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame, cell_rect
from gui.painting.theme import CAPTION, font
from gui.texts.names import visible_token
from gui.texts.translation import tr

GAP = 26.0
LEAST_HALF = 110.0  # least height of each of two charts
WIDEST_CELL = 60.0
ROW, TALLEST_ROW = 24.0, 40.0
LEAST_SCORES = 90.0  # least height of the chart of scores


# A sentence and its cache


def _names(result: WindowResult, *, null: bool) -> tuple[str, ...]:
    tokens = tuple(map(visible_token, result.tokens))
    return (NULL, *tokens) if null else tokens


def _grid(area: QRectF, view: LabView) -> tuple[QRectF, Names]:
    """Return the cells of the weights and the names around them."""
    result: WindowResult = view.result
    names = Names(
        tr("Weights of the cache"),
        _names(result, null=False),
        _names(result, null=result.null),
    )
    rows = len(result.tokens)
    columns = rows + result.null
    return grid_rect(area, rows, columns, names, widest=WIDEST_CELL, tallest=WIDEST_CELL), names


def _halves(area: QRectF) -> tuple[QRectF, QRectF, QRectF]:
    """Return the rectangles of facts, weights and charts."""
    facts, below = split_facts(area, 12.0)
    left, right = split(below, 0.55, GAP, across=True)
    return facts, left, right


def paint_cache(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the weights with what the cache lacks hatched, the chosen row, and the errors."""
    result, theme = view.result, view.theme
    facts, left, right = _halves(area)
    if facts.height():
        paint_facts(painter, facts, theme, cache_facts(view))
    rect, names = _grid(left, view)
    trace = result.runs[result.kept]
    values = trace.matrix("weights")
    frame = Frame((result.token, result.token + 1), (0, values.shape[1]), theme.query, 2.0)
    masked = np.where(trace.matrix("weights") > 0.0, 0.0, -np.inf)
    paint_grid(painter, rect, view, values, Levels(0.0, 1.0), names, scores=masked, frames=(frame,))
    if right.height() >= 2 * LEAST_HALF:
        upper, lower = split(right, 0.5, 10.0, across=False)
        _paint_row(painter, upper, view)
        _paint_errors(painter, lower, view)
    else:
        _paint_errors(painter, right, view)


def cache_facts(view: LabView) -> list[Fact]:
    """Return the weight of what takes the rest, the sizes of the cache and the errors."""
    result, token, accent = view.result, view.result.token, view.theme.accent
    rest = tr("Null key, all keys kept") if result.null else tr("First token, all keys kept")
    facts = [
        Fact(rest, view.show(result.rest[token])),
        Fact(
            tr("Keys in the cache"),
            counted(result.cached("all")),
            "",
            counted(result.cached(result.kept)),
            accent,
        ),
    ]
    texts = {"window": tr("‖Δy‖, window alone"), "first": tr("‖Δy‖, first token kept")}
    for kept, text in texts.items():
        colour = accent if kept == result.kept else ""
        number = measured(float(result.errors[kept][token]), view.decimals)
        facts.append(Fact(text, number, colour))
    return facts


def _paint_row(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the weights of the chosen token, beside those with all keys as outlines."""
    result, theme = view.result, view.theme
    names = ChartAxis.named(_names(result, null=result.null))
    token = visible_token(result.tokens[result.token])
    title = tr("Weights of {token}", token=quoted(token))
    chart = paint_frame(painter, chart_in(area, names, ChartAxis(0.0, 1.0), title=title), theme)
    now, whole = (
        result.runs[kept].matrix("weights")[result.token] for kept in (result.kept, "all")
    )
    paint_bars(painter, chart, theme, [BarChart(now, theme.weights)])
    paint_bars(painter, chart, theme, [BarChart(whole, theme.text, hollow=True)])
    entries = [
        (tr("this cache"), ChartStroke(theme.weights, width=7.0)),
        (tr("all keys"), ChartStroke(theme.text, width=1.6)),
    ]
    line = QRectF(area.left(), area.top(), area.width(), TITLE_LINE)
    paint_title_legend(painter, line, theme, title, entries)


def _error_chart(area: QRectF, view: LabView) -> tuple[Chart, list[str]]:
    result: WindowResult = view.result
    names = [tr("window alone"), tr("first token kept")]
    most = max(float(result.errors["window"].max()), 0.5)
    chart = chart_in(
        area,
        ChartAxis(1.0, float(len(result.tokens)), whole=True),
        ChartAxis(0.0, most * 1.1),
        x_label=tr("token"),
        title=tr("‖Δy‖ against all keys"),
        right=ends_width(names),
    )
    return chart, names


def _paint_errors(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint how far the outputs are from those with all keys, token by token."""
    result, theme = view.result, view.theme
    chart, names = _error_chart(area, view)
    paint_frame(painter, chart, theme)
    places = np.arange(1.0, len(result.tokens) + 1.0)
    lines = [ChartStroke(theme.text), ChartStroke(theme.accent, "dashed")]
    errors = [result.errors["window"], result.errors["first"]]
    paint_curves(painter, chart, places, list(zip(names, errors, lines, strict=True)))
    for values, line in zip(errors, lines, strict=True):
        now = [result.token + 1.0], [float(values[result.token])]
        paint_points(painter, chart, *now, line.colour, radius=4.5, ground=theme.surface)


def cache_spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the rows of the weights, which choose the token."""
    result: WindowResult = view.result
    rect, _ = _grid(_halves(area)[1], view)
    n = len(result.tokens)
    return tuple(
        Spot(
            f"token {token}",
            cell_rect(rect, n, 1, token, 0),
            tr(
                "{token}: ‖Δy‖ {window} with the window alone, {first} with the first token",
                token=quoted(result.tokens[token]),
                window=view.show(result.errors["window"][token]),
                first=view.show(result.errors["first"][token]),
            ),
            "token",
            token,
            tab=token == result.token,
        )
        for token in range(n)
    )


# One query and a null key


@dataclass(frozen=True, slots=True)
class QueryLayout:
    """Rectangles of facts, scores, table and curve; the chart of scores is None in a low area.

    The table has a column for each key and one for the null key; `sums` is the column of sums.
    """

    facts: QRectF
    scores: Chart | None
    table: QRectF
    sums: QRectF
    row: float
    curve: QRectF


def _row_names() -> tuple[str, str, str]:
    return "s + c", "softmax", tr("with ∅")


def query_layout(area: QRectF, view: LabView) -> QueryLayout:
    """Lay out an area: the scores above the table, the curve at the right."""
    result: RowResult = view.result
    facts, below = split_facts(area, 12.0)
    left, curve = split(below, 0.56, GAP, across=True)
    names = names_width(_row_names()) + NAME_GAP + 4.0
    columns = len(result.scores)
    cell = (left.width() - names) / (columns + 2.3)
    row = min(max(below.height() * 0.09, ROW), TALLEST_ROW)
    high = NAME_LINE + 3 * row
    scores = None
    if below.height() - high >= LEAST_SCORES + TITLE_LINE:
        top = below.top() + TITLE_LINE
        bottom = below.bottom() - high - NAME_GAP
        plot = QRectF(left.left() + names, top, cell * columns, bottom - top)
        axis = ChartAxis.named(_key_names(result))
        title = tr("Scores: drag them") if view.appearance.live else tr("Scores")
        scores = Chart(plot, axis, ChartAxis(-REACH * 1.3, REACH * 1.3), title=title)
    table = QRectF(left.left() + names, below.bottom() - 3 * row, cell * (columns + 1), 3 * row)
    sums = QRectF(table.right() + cell * 0.3, table.top(), cell, table.height())
    return QueryLayout(facts, scores, table, sums, row, curve)


def _key_names(result: RowResult) -> list[str]:
    return [f"k{'₁₂₃₄₅₆₇₈'[place]}" for place in range(len(result.scores))]


def paint_query(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the scores, the weights without and with a null key, and what the keys get."""
    theme, where = view.theme, query_layout(area, view)
    if where.facts.height():
        paint_facts(painter, where.facts, theme, query_facts(view))
    if where.scores is not None:
        paint_frame(painter, where.scores, theme)
        paint_draggable_bars(painter, where.scores, view, np.array(view.setting["scores"]))
    _paint_table(painter, where, view)
    _paint_curve(painter, where.curve, view)


def query_facts(view: LabView) -> list[Fact]:
    """Return what the keys get and the two outputs."""
    result: RowResult = view.result
    accent = view.theme.accent

    def vector(values: object) -> str:
        return f"({', '.join(view.show(value) for value in np.asarray(values))})"

    return [
        Fact(
            tr("Sum of the weights of the keys"),
            view.show(1.0),
            "",
            view.show(result.total),
            accent,
        ),
        Fact(tr("Output y"), vector(result.y_plain), "", vector(result.y_null), accent),
    ]


def _paint_table(painter: QPainter, where: QueryLayout, view: LabView) -> None:
    """Paint scores and weights; the softmax alone has no null key, and every row has its sum."""
    result, theme = view.result, view.theme
    keys, m = _key_names(result), len(result.scores)
    scores, beside = np.append(result.scores, 0.0), np.append(result.shared, result.null)
    rows = (
        (scores, levels_of(scores, "scores"), None),
        (result.plain, Levels(0.0, 1.0), float(result.plain.sum())),
        (beside, Levels(0.0, 1.0), result.total),
    )
    cell = where.table.width() / (m + 1)
    sizes = [legible_size(values[None], view.decimals, cell, where.row) for values, _, _ in rows]
    digits = min(sizes) or None
    heads = (*([""] * m if where.scores is not None else keys), NULL)
    for place, ((values, levels, total), name) in enumerate(zip(rows, _row_names(), strict=True)):
        line = QRectF(
            where.table.left(), where.table.top() + place * where.row, cell * len(values), where.row
        )
        names = Names(columns=heads if place == 0 else ())
        paint_grid(painter, line, view, values[None], levels, names, digits=digits)
        label = QRectF(line.left() - 90.0, line.top(), 90.0 - NAME_GAP, where.row)
        write(painter, label, name, theme.text, font(CAPTION, bold=place == 2), RIGHT_ALIGNED)
        if total is not None:
            box = QRectF(where.sums.left(), line.top(), cell, where.row)
            frames = (Frame((0, 1), (0, 1), theme.muted, 1.2),)
            sums = np.array([[total]])
            paint_grid(painter, box, view, sums, Levels(0.0, 1.0), digits=digits, frames=frames)
    head = QRectF(where.sums.left(), where.table.top(), cell, where.row)
    write(painter, head, f"Σ k₁…k{'₁₂₃₄₅₆₇₈'[m - 1]}", theme.muted, font(CAPTION), RIGHT_ALIGNED)


def _paint_curve(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the sum of the weights against the shift of all scores."""
    result, theme = view.result, view.theme
    names = ["softmax", tr("with ∅")]
    chart = chart_in(
        area,
        ChartAxis(-SHIFT, SHIFT),
        ChartAxis(0.0, 1.2),
        x_label=tr("shift c"),
        y_label="Σ e^(s+c) ÷ (1 + Σ e^(s+c))",
        title=tr("What the keys get"),
        right=ends_width(names),
    )
    paint_frame(painter, chart, theme)
    shift = float(view.setting["shift"])
    paint_rule(painter, chart, theme, shift, f"c = {view.show(shift)}", vertical=True)
    ones = np.ones_like(result.totals)
    lines = [stroke(theme, 5), ChartStroke(theme.weights, width=2.5)]
    curves = list(zip(names, (ones, result.totals), lines, strict=True))
    paint_curves(painter, chart, result.shifts, curves)
    for value, line in zip((1.0, result.total), lines, strict=True):
        paint_points(
            painter, chart, [shift], [value], line.colour, radius=4.5, ground=theme.surface
        )


def query_spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the end of each score's bar, vertically draggable."""
    where, result = query_layout(area, view), view.result
    if where.scores is None:
        return ()
    scores = np.array(view.setting["scores"])
    names = [
        tr("Score of {key}: {score}", key=name, score=view.show(score))
        for name, score in zip(_key_names(result), scores, strict=True)
    ]
    return bar_spots(where.scores, scores, "scores", REACH, names)
