"""Exhibit of the lab `decode`: texts and the picture of cache, new row and weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.arrays import Array
from core.base.number_format import show
from core.labs.controls import Clock
from core.labs.decode import DecodeResult, layer_of
from core.labs.lab import Setting
from gui.labs.charts import (
    CENTRED,
    FACTS_HEIGHT,
    LEFT_ALIGNED,
    NAME_LINE,
    RIGHT_ALIGNED,
    TITLE_LINE,
    ChartAxis,
    Fact,
    chart_in,
    legible_size,
    names_width,
    paint_facts,
    paint_frame,
    paint_grid,
    paint_legend,
    paint_line,
    paint_points,
    versus,
    write,
)
from gui.labs.exhibit import Exhibit, LabView, Spot, head_option
from gui.labs.wording import counted, measured, with_off
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame, cell_rect
from gui.painting.matrix import paint_frame as paint_band
from gui.painting.shapes import paint_shape
from gui.painting.theme import BODY, CAPTION, Colours, font, role_colour
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr

MARGIN = 14.0
GAP = 18.0
TALLEST_ROW = 76.0
WIDEST_CELL = 84.0
LEAST_ROWS = (
    26.0,
    19.0,
)  # least height of a row; below it first the chart, then the facts are omitted
LEAST_FOOT, MOST_FOOT = 128.0, 260.0
MOST_COLUMNS = 12  # most columns of full width
LINE = 22.0
NAMES = ("Q", "K", "V", "weights", "Y")
CACHED = ("K", "V")


@dataclass(frozen=True, slots=True)
class DecodeLayout:
    """Layout of the picture; all matrices have one row per token.

    In a low area the costs are a line of facts without a chart, or absent.
    """

    tokens: QRectF
    matrices: dict[str, QRectF]
    costs: QRectF
    chart: QRectF

    def token(self, row: int, count: int) -> QRectF:
        """Return the rectangle of a token's name."""
        return cell_rect(self.tokens, count, 1, row, 0).adjusted(0.0, 2.0, 0.0, -2.0)


def decode_layout(area: QRectF, view: LabView) -> DecodeLayout:
    """Lay out the matrices in one row, costs and chart below if they fit."""
    result: DecodeResult = view.result
    document, scope = result.document, result.scope
    inside = area.adjusted(MARGIN, MARGIN / 2, -MARGIN, -MARGIN / 2)
    n = document.n
    above = TITLE_LINE + NAME_LINE
    foot = _foot(inside.height() - above, n, inside.height() * 0.3)
    row = min((inside.height() - above - foot - (GAP if foot else 0.0)) / n, TALLEST_ROW)
    top = inside.top() + above
    side = min(
        names_width([visible_token(token) for token in document.tokens]) + 16.0,
        inside.width() * 0.16,
    )
    tokens = QRectF(inside.left(), top, side, n * row)
    columns = (scope.k, scope.k, scope.v, n, scope.stage_shape("Y")[1])
    parts = [min(each, MOST_COLUMNS) for each in columns]
    cell = min((inside.width() - side - GAP * len(NAMES)) / sum(parts), WIDEST_CELL)
    x, matrices = tokens.right(), {}
    for name, part in zip(NAMES, parts, strict=True):
        matrices[name] = QRectF(x + GAP, top, cell * part, n * row)
        x = matrices[name].right()
    lower = QRectF(inside.left(), inside.bottom() - foot, inside.width(), foot)
    if foot < LEAST_FOOT:
        return DecodeLayout(tokens, matrices, lower, QRectF())
    wide = lower.width() * 0.52
    costs = QRectF(lower.left(), lower.top(), wide, foot)
    return DecodeLayout(
        tokens,
        matrices,
        costs,
        QRectF(costs.right() + GAP, lower.top(), lower.width() - wide - GAP, foot),
    )


def _foot(free: float, rows: int, wanted: float) -> float:
    """Return the height below the matrices: chart and costs, a line of facts, or 0."""
    foot = min(max(free - rows * TALLEST_ROW - GAP, LEAST_FOOT, wanted), MOST_FOOT)
    heights = zip((foot, FACTS_HEIGHT), LEAST_ROWS, strict=True)
    return next((high for high, least in heights if free - high - GAP >= rows * least), 0.0)


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the whole picture."""
    where = decode_layout(area, view)
    _paint_tokens(painter, where, view)
    sizes = [size for name, rect in where.matrices.items() if (size := _size(rect, name, view))]
    for name, rect in where.matrices.items():
        _paint_title(painter, rect, name, view)
        _paint_rows(painter, rect, name, view, min(sizes, default=0.0))
    _paint_columns(painter, where.matrices["weights"], view)
    if where.chart.height():
        _paint_costs(painter, where.costs, view)
        _paint_chart(painter, where.chart, view.result, view.theme)
    elif where.costs.height():
        paint_facts(painter, where.costs, view.theme, _costs(view))


def _paint_tokens(painter: QPainter, where: DecodeLayout, view: LabView) -> None:
    """Paint the tokens: the newest highlighted, future ones hidden."""
    result, theme = view.result, view.theme
    tokens = result.document.tokens
    for row, token in enumerate(tokens):
        area = where.token(row, len(tokens))
        new = row == result.step
        if new:
            paint_shape(painter, area, fill=theme.accent, radius=5.0)
        colour = theme.on_accent if new else theme.text if row < result.step else theme.disabled
        write(
            painter,
            area.adjusted(2, 0, -2, 0),
            visible_token(token),
            colour,
            font(BODY, bold=new),
            CENTRED,
        )


def _paint_title(painter: QPainter, rect: QRectF, name: str, view: LabView) -> None:
    """Paint the name of a matrix and, below, the state of its rows."""
    result, theme = view.result, view.theme
    width = max(rect.width() + GAP - 4.0, 40.0)
    top = rect.top() - TITLE_LINE - NAME_LINE
    symbol = {"weights": "A"}.get(name, name)
    title = QRectF(rect.left(), top, width, TITLE_LINE)
    write(painter, title, symbol, role_colour(theme, name).name(), font(15, bold=True))
    if name != "weights":
        line = QRectF(rect.left(), rect.top() - NAME_LINE - 3.0, width, NAME_LINE)
        write(painter, line, _fate(name, result.keeps), theme.muted, font(CAPTION))


def _fate(name: str, keeps: bool) -> str:
    if not keeps:
        return tr("all again")
    return tr("kept") if name in CACHED else tr("used once") if name == "Q" else tr("said")


def _paint_columns(painter: QPainter, rect: QRectF, view: LabView) -> None:
    """Paint the names of the keys if they fit."""
    theme, tokens = view.theme, view.result.document.tokens
    if names_width([visible_token(token) for token in tokens]) > rect.width() / len(tokens) + 6.0:
        return
    for column, token in enumerate(tokens):
        cell = cell_rect(rect, len(tokens), len(tokens), 0, column)
        area = QRectF(
            cell.left() - 3.0, rect.top() - NAME_LINE - 3.0, cell.width() + 6.0, NAME_LINE
        )
        known = column <= view.result.step
        write(
            painter,
            area,
            visible_token(token),
            theme.muted if known else theme.disabled,
            font(CAPTION),
            CENTRED,
        )


def matrix_of(view: LabView, name: str) -> Array:
    """Return the rows so far: cached ones, the newest as decoded, others from the full run."""
    result: DecodeResult = view.result
    head, m = view.setting.head, result.step + 1
    if name in CACHED:
        kept: Array = result.kept(name)[head]
        return kept
    values = np.array(result.full.matrix(result.id(name), head)[:m])
    row = result.row(name)
    new = (row[head] if row.ndim == 3 else row)[0]
    values[-1, : len(new)] = new  # weights of the tokens so far; all others are 0
    return values


def levels(view: LabView, name: str) -> Levels:
    """Return one colour scale for all steps, from the whole sentence."""
    return levels_of(view.result.full[view.result.id(name)], name)


def _size(rect: QRectF, name: str, view: LabView) -> float:
    """Return the largest font size of numbers that fit; 0 if none fits."""
    values, n = matrix_of(view, name), view.result.document.n
    return legible_size(values, view.decimals, rect.width() / values.shape[1], rect.height() / n)


def _paint_rows(painter: QPainter, rect: QRectF, name: str, view: LabView, common: float) -> None:
    """Paint rows: future ones empty, the current one framed, unneeded ones pale.

    `common` is the font size of numbers.
    """
    result, theme = view.result, view.theme
    n, m = result.document.n, result.step + 1
    so_far = matrix_of(view, name)
    columns = so_far.shape[1]
    values, ahead = np.zeros((n, columns)), np.zeros((n, columns))
    values[:m] = so_far
    if name == "weights":
        ahead[np.triu_indices(n, 1)] = -np.inf
    digits = common if _size(rect, name, view) else None
    for first, after in ((0, m - 1), (m - 1, n)):
        if after > first:
            paint_grid(
                painter,
                _rows_of(rect, n, first, after),
                view,
                values[first:after],
                levels(view, name),
                digits=digits,
                scores=ahead[first:after],
                off=after < m and result.keeps and name not in CACHED,
                shown=None if after < m else (1, 0),
            )
    band = (m - 1 if result.keeps else 0, m), (0, m if name == "weights" else columns)
    paint_band(painter, rect, n, columns, Frame(*band, theme.accent), theme.surface)


def _rows_of(rect: QRectF, rows: int, first: int, after: int) -> QRectF:
    return cell_rect(rect, rows, 1, first, 0).united(cell_rect(rect, rows, 1, after - 1, 0))


def _paint_costs(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint multiply-adds (this step, total; with and without cache), memory, difference."""
    result, theme = view.result, view.theme
    m = result.step + 1
    head = (tr("multiply-adds"), tr("with the cache"), tr("without it"))
    now = (tr("this step"), counted(result.cached[m - 1]), counted(result.again[m - 1]))
    all_steps = (
        tr("all steps so far"),
        counted(sum(result.cached[:m])),
        counted(sum(result.again[:m])),
    )
    columns = (0.34, 0.36, 0.3)
    y = area.top()
    for row, texts in enumerate((head, now, all_steps)):
        x = area.left()
        for column, (text, part) in enumerate(zip(texts, columns, strict=True)):
            place = QRectF(x, y, area.width() * part - 8.0, LINE)
            chosen = row > 0 and column == (1 if result.keeps else 2)
            colour = (
                theme.accent if chosen else theme.muted if row == 0 or column == 0 else theme.text
            )
            face = font(BODY if row and column else CAPTION, bold=chosen)
            write(
                painter,
                place,
                text,
                colour,
                face,
                RIGHT_ALIGNED if column else LEFT_ALIGNED,
            )
            x += area.width() * part
        y += LINE
    for text, number in _facts(result, view.decimals):
        write(
            painter,
            QRectF(area.left(), y + 4.0, area.width() * 0.7 - 8.0, LINE),
            text,
            theme.muted,
            font(CAPTION),
        )
        place = QRectF(area.left() + area.width() * 0.4, y + 4.0, area.width() * 0.6 - 8.0, LINE)
        write(painter, place, number, theme.text, font(BODY, bold=True), RIGHT_ALIGNED)
        y += LINE


def _costs(view: LabView) -> list[Fact]:
    """Return the costs as a line: without the cache, then with it."""
    result, m = view.result, view.result.step + 1
    rows = (
        (tr("Multiply-adds, this step"), result.again[m - 1], result.cached[m - 1]),
        (tr("all steps so far"), sum(result.again[:m]), sum(result.cached[:m])),
    )
    accent = view.theme.accent
    if result.keeps:
        facts = [
            Fact(name, counted(again), "", counted(cached), accent) for name, again, cached in rows
        ]
    else:
        facts = [Fact(name, counted(again), accent) for name, again, _ in rows]
    return facts + [Fact(name, number) for name, number in _facts(result, view.decimals)]


def _facts(result: DecodeResult, decimals: int) -> tuple[tuple[str, str], ...]:
    memory = tr(
        "{numbers} numbers, {bytes} bytes",
        numbers=counted(result.numbers),
        bytes=counted(result.bytes),
    )
    off = measured(result.difference, decimals)
    return (tr("in the cache"), memory), (tr("differs from the whole run by"), off)


def _paint_chart(painter: QPainter, area: QRectF, result: DecodeResult, theme: Colours) -> None:
    """Paint the multiply-adds of each step below a legend of one or two rows."""
    cached, again = versus(theme)
    lines = ((tr("with the cache"), result.cached, cached), (tr("without it"), result.again, again))
    legend = paint_legend(painter, area, theme, [(name, drawn) for name, _, drawn in lines])
    x = ChartAxis(1.0, float(len(result.again)), whole=True)
    y = ChartAxis(0.0, float(result.again[-1]) * 1.05)
    below = area.adjusted(0.0, legend + 2.0, 0.0, 0.0)
    chart = chart_in(below, x, y, x_label=tr("token"), y_label=tr("multiply-adds per step"))
    paint_frame(painter, chart, theme)
    steps = np.arange(1.0, len(result.again) + 1.0)
    for _, counts, drawn in lines:
        paint_line(painter, chart, steps, np.array(counts, dtype=np.float64), drawn)
        now = [result.step + 1.0], [float(counts[result.step])]
        paint_points(painter, chart, *now, drawn.colour, radius=4.5, ground=theme.surface)


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the tokens as spots that select the newest."""
    where, tokens = decode_layout(area, view), view.result.document.tokens
    return tuple(
        Spot(f"token {row}", where.token(row, len(tokens)), _token_name(view, row), "step", row)
        for row in range(len(tokens))
    )


def _token_name(view: LabView, row: int) -> str:
    result: DecodeResult = view.result
    return tr(
        "“{token}”, token {number}: {cached} multiply-adds with the cache, {again} without it",
        token=visible_token(result.document.tokens[row]),
        number=row + 1,
        cached=counted(result.cached[row]),
        again=counted(result.again[row]),
    )


class DecodeExhibit(Exhibit):
    """One row of new numbers across all matrices."""

    made = mark("These numbers were drawn at random and rounded; no model learned them.")

    labels = {
        "step": mark("Newest token"),
        "cache": mark("Keep keys and values"),
        "layer": mark("Layer"),
        "head": mark("Head"),
    }
    helps = {
        "step": mark("One token after another, as a language model writes."),
        "cache": mark("Off: everything is recomputed for each new token."),
    }

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Name the heads of the layer."""
        if control_id == "head":
            return head_option(layer_of(setting), int(option))
        return super().option(control_id, option, setting)

    def clock_text(self, control: Clock, value: int) -> str:
        """Return the clock's text: tokens count from 1, as in the chart."""
        return tr("{number} of {most}", number=value + 1, most=control.last + 1)

    def notice(self, view: LabView) -> str:
        """Report the savings of the cache and the equality of the results."""
        return with_off(_notice(view), view.result.scope, view.setting.head)

    def attempt(self, view: LabView) -> str:
        """Suggest stepping, then switching off the cache."""
        result: DecodeResult = view.result
        if not result.keeps and result.step:
            return tr(
                "Which rows of K and V have changed since the token before? Switch the cache on again."
            )
        if result.step < result.document.n - 1:
            return tr("Play to the end: how do the framed row of weights and the cache grow?")
        return tr("Why is no row of Q kept? Think of who asks and who answers.")

    paint = staticmethod(paint)
    spots = staticmethod(spots)

    def spoken(self, view: LabView) -> str:
        """Describe the newest row of weights and the notice."""
        weights = view.result.row("weights")[view.setting.head, 0]
        pairs = zip(view.result.document.tokens, weights, strict=False)
        text = tr(", ").join(f"{visible_token(token)} {view.show(a)}" for token, a in pairs)
        return tr(
            "Weights of the newest token: {said}. {notice}", said=text, notice=self.notice(view)
        )


def _notice(view: LabView) -> str:
    result: DecodeResult = view.result
    token = visible_token(result.document.tokens[result.step])
    cached, again = result.cached[result.step], result.again[result.step]
    if result.step == 0:
        return tr(
            "The first token has nothing before it: with or without a cache it costs {cached} multiply-adds.",
            cached=counted(cached),
        )
    if not result.keeps:
        return tr(
            "Without a cache “{token}” costs {again} multiply-adds, and all rows above come out as they were.",
            token=token,
            again=counted(again),
        )
    return tr(
        "With the cache “{token}” costs {cached} multiply-adds; without it {again}, {times} times as many. "
        "The results differ by {gap}.",
        token=token,
        cached=counted(cached),
        again=counted(again),
        times=show(again / cached, 1),
        gap=measured(result.difference, view.decimals),
    )


EXHIBIT = DecodeExhibit()
