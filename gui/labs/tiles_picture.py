"""Picture of the lab `tiles`: the table in tiles, one block of keys as a sum, and the running values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from core.base.arrays import Array
from core.labs.tiles import TilesResult
from core.stages.terms import Factor, Term
from gui.labs.charts import (
    CENTRED,
    NAME_GAP,
    NAME_LINE,
    RIGHT_ALIGNED,
    TITLE_LINE,
    Fact,
    Names,
    legible_size,
    names_width,
    paint_facts,
    paint_grid,
    split_facts,
    write,
)
from gui.labs.exhibit import LabView, Spot, split
from gui.labs.wording import counted, measured
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame, cell_rect
from gui.painting.shapes import faded, paint_shape
from gui.painting.text_layout import line_width
from gui.painting.text_layout import paint_line as paint_maths
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.names import visible_token
from gui.texts.rich_text import Line, Span, add, operator, plain_text
from gui.texts.sum_style import SumStyle, join_terms, product, product_seen
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

WIDE = 1.2  # aspect ratio from which map and sum are side by side
MAP_PART = 0.38
BETWEEN = 28.0
LABEL = 34.0  # width left of the map
KEY_LINE = 16.0
MOST_UNITS = 6  # most columns of V of full width
WIDEST_CELL, TALLEST_ROW, LEAST_ROW = 100.0, 46.0, 15.0
SUM_LINE, SUM_SIZES = 22.0, (15, 14, 13, 12, 11)  # of the worked sum
APART = 10.0  # between the columns of the sum, and above its result
HISTORY = ("m", "ρ", "ℓ")
WRONG = 1e-9  # larger differences are no rounding errors


@dataclass(frozen=True, slots=True)
class TilesLayout:
    """Rectangles of facts, map, sum and history; facts and history are empty if they do not fit.

    `cells` are those of the whole table. The sum has columns for s, weight, ℓ and V, each `row`
    high per key; below its results, `worked` holds the sum of the chosen one.
    """

    facts: QRectF
    map: QRectF
    cells: QRectF
    names: QRectF
    columns: tuple[QRectF, ...]
    row: float
    worked: QRectF
    history: QRectF

    def below(self, column: QRectF, rows: int) -> QRectF:
        """Return the rectangle of the result of a column, below `rows` rows."""
        return QRectF(
            column.left(), column.top() + rows * self.row + APART, column.width(), self.row
        )


def tiles_layout(area: QRectF, view: LabView) -> TilesLayout:
    """Lay out an area: first the history, then the facts are omitted if it is low."""
    result: TilesResult = view.result
    facts, below = split_facts(area, 14.0)
    wide = area.width() >= WIDE * area.height()
    left, right = split(below, MAP_PART if wide else 0.42, BETWEEN if wide else 16, across=wide)
    document = result.document
    size = min(
        (left.width() - LABEL) / document.m,
        (left.height() - TITLE_LINE - 8 - 2 * KEY_LINE) / document.n,
    )
    size = max(size, 0.1)
    corner = QPointF(left.left() + LABEL, left.top() + TITLE_LINE)
    cells = QRectF(corner.x(), corner.y(), size * document.m, size * document.n)
    rows = min(result.block, document.m) + 3  # so far, the keys, the result, the mean
    free = right.height() - TITLE_LINE - NAME_LINE - APART - SUM_LINE
    least = (free - TITLE_LINE - NAME_LINE - 2 * APART) / (rows + len(HISTORY))
    row = min(max(least if least >= LEAST_ROW else free / rows, 1.0), TALLEST_ROW)
    names, columns = _columns(right, row, rows, view)
    end = columns[0].top() + len(_row_names(view)) * row + APART
    worked = QRectF(names.left(), end, columns[-1].right() - names.left(), SUM_LINE)
    history = QRectF()
    if least >= LEAST_ROW:
        side = names_width(HISTORY) + NAME_GAP
        top = columns[0].top() + rows * row + SUM_LINE + 2 * APART + TITLE_LINE + NAME_LINE
        across = min(right.width() - side, WIDEST_CELL * result.steps)
        history = QRectF(right.left() + side, top, across, len(HISTORY) * row)
    return TilesLayout(facts, left, cells, names, columns, row, worked, history)


def _columns(
    area: QRectF, row: float, rows: int, view: LabView
) -> tuple[QRectF, tuple[QRectF, ...]]:
    """Return the rectangles of the row names and of the columns s, weight, ℓ and V."""
    v = view.result.V.shape[1]
    side = min(names_width(_row_names(view)), area.width() * 0.3) + NAME_GAP
    parts = (1, 1, 1, min(v, MOST_UNITS))
    free = area.width() - side - APART * (len(parts) - 1)
    cell = max(min(free / sum(parts), WIDEST_CELL), 1.0)
    top = area.top() + TITLE_LINE + NAME_LINE
    names = QRectF(area.left(), top, side, row)
    x, columns = names.right(), []
    for part in parts:
        columns.append(QRectF(x, top, cell * part, row * (rows - 2)))
        x += cell * part + APART
    return names, tuple(columns)


def _row_names(view: LabView) -> tuple[str, ...]:
    """Name the rows of the sum: the state so far, the keys, the new state, and the mean."""
    result: TilesResult = view.result
    keys = map(visible_token, result.document.key_tokens[result.keys])
    return tr("m, ℓ, o so far"), *keys, tr("m, ℓ, o now"), "o ÷ ℓ"


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint everything."""
    where = tiles_layout(area, view)
    if where.facts.height():
        paint_facts(painter, where.facts, view.theme, _facts(view))
    _paint_map(painter, where, view)
    _paint_sum(painter, where, view)
    _paint_worked(painter, where, view)
    if where.history.height():
        _paint_history(painter, where, view)


def _facts(view: LabView) -> list[Fact]:
    result, theme = view.result, view.theme
    raised = int((result.running.factors[1:, result.query] < 1.0).sum())
    wrong = theme.error if result.difference > WRONG else ""
    facts = [
        Fact(
            tr("Scores held: all → one tile"),
            counted(result.table_size),
            "",
            counted(result.tile_size),
            theme.accent,
        ),
        Fact(tr("Numbers kept of a query"), counted(2 + result.V.shape[1])),
        Fact(
            tr("Largest difference from whole rows"),
            measured(result.difference, view.decimals),
            wrong,
        ),
    ]
    if result.skipped.any():
        share = tr("{seen} of {n}", seen=int(result.skipped.sum()), n=result.skipped.size)
        facts.append(Fact(tr("Tiles that can be skipped"), share))
    if result.rescale:
        facts.append(Fact(tr("Blocks that raise m"), counted(raised)))
    return facts


# The table of scores


def _tile(where: TilesLayout, result: TilesResult, row: int, column: int) -> QRectF:
    """Return the rectangle of a tile by its query block and key block."""
    n, m, block = result.document.n, result.document.m, result.block
    first = cell_rect(where.cells, n, m, row * block, column * block)
    last = cell_rect(
        where.cells, n, m, min((row + 1) * block, n) - 1, min((column + 1) * block, m) - 1
    )
    return first.united(last)


def _paint_map(painter: QPainter, where: TilesLayout, view: LabView) -> None:
    """Paint the tiles in the order in which they are computed: query block by query block."""
    result, theme = view.result, view.theme
    title = QRectF(where.map.left(), where.map.top(), where.map.width(), TITLE_LINE)
    write(painter, title, tr("Scores, tile by tile"), theme.text, font(BODY, bold=True))
    rows, columns = result.skipped.shape
    now = result.query // result.block, result.step
    gap = min(1.2, where.cells.width() / columns * 0.05)
    for row in range(rows):
        for column in range(columns):
            tile = _tile(where, result, row, column).adjusted(gap, gap, -gap, -gap)
            kind = "skipped" if result.skipped[row, column] else _kind((row, column), now)
            _paint_tile(painter, tile, kind, theme)
    if not result.skipped[now]:
        values = result.scores[result.queries, result.keys]
        paint_grid(
            painter,
            _tile(where, result, *now),
            view,
            values,
            _score_levels(result),
            scores=values,
        )
    _paint_query(painter, where, view)
    _paint_legend(painter, where, result, theme)


def _kind(tile: tuple[int, int], now: tuple[int, int]) -> str:
    return "now" if tile == now else "dropped" if tile < now else "ahead"


def _paint_tile(painter: QPainter, tile: QRectF, kind: str, theme: Colours) -> None:
    """Paint a tile, or its sample in the legend."""
    if kind == "now":
        paint_shape(painter, tile, line=theme.accent, width=1.6, fill=theme.accent_soft)
    elif kind == "dropped":
        paint_shape(painter, tile, fill=faded(theme.muted, 0.22))
    else:
        paint_shape(painter, tile, line=theme.ghost, width=0.8)
        if kind == "skipped":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QBrush(QColor(theme.ghost), Qt.BrushStyle.BDiagPattern))
            painter.drawRect(tile)


def _paint_query(painter: QPainter, where: TilesLayout, view: LabView) -> None:
    """Frame the row of the chosen query and the current tile."""
    result, theme, cells = view.result, view.theme, where.cells
    tile = _tile(where, result, result.query // result.block, result.step)
    paint_shape(painter, tile.adjusted(-1, -1, 1, 1), line=theme.accent, width=2.0)
    row = _query_row(where, result, result.query)
    frame = QRectF(cells.left() - 2, row.top() - 1, cells.width() + 4, row.height() + 2)
    paint_shape(painter, frame, line=theme.query, width=1.8, radius=3)
    label = QRectF(where.map.left(), row.center().y() - 9, LABEL - 6, 18)
    token = visible_token(result.document.tokens[result.query])
    write(painter, label, token, theme.query, font(CAPTION, bold=True), RIGHT_ALIGNED)


def _query_row(where: TilesLayout, result: TilesResult, query: int) -> QRectF:
    return cell_rect(where.cells, result.document.n, 1, query, 0)


def _paint_legend(
    painter: QPainter, where: TilesLayout, result: TilesResult, theme: Colours
) -> None:
    """Paint the kinds of tiles in one or two lines below the table."""
    entries = [("now", tr("held now")), ("dropped", tr("not kept")), ("ahead", tr("to come"))]
    if result.skipped.any():
        entries.append(("skipped", tr("skipped")))
    x, y = where.cells.left(), where.cells.bottom() + 8
    for kind, text in entries:
        wide = 17 + width_of(text, font(CAPTION)) + 1
        if x > where.cells.left() and x + wide > where.map.right():
            x, y = where.cells.left(), y + KEY_LINE
        _paint_tile(painter, QRectF(x, y + 3, 11, 11), kind, theme)
        line = QRectF(x + 17, y, max(where.map.right() - x - 17, 1.0), KEY_LINE)
        write(painter, line, text, theme.muted, font(CAPTION))
        x += wide + 14


# One block as a sum


def _score_levels(result: TilesResult) -> Levels:
    scores = result.scores
    return levels_of(scores[np.isfinite(scores)], "scores")


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """Part of the sum: heading, colour, rows, their scale, and its results below."""

    title: str
    colour: str
    values: Array
    levels: Levels
    results: tuple[Array, ...] = ()
    scores: Array | None = None


def _sum_columns(view: LabView) -> tuple[_Column, ...]:
    """Return the columns s, weight, ℓ and V: every result is the sum of weight times entry."""
    result, theme = view.result, view.theme
    m, total, output = result.before
    now_m, now_total, now_output = result.state(result.step)
    running, query = result.running, result.query
    s = np.concatenate([[m], result.scores[query, result.keys]])[:, None]
    p = np.concatenate(
        [[running.factors[result.step, query]], running.numerators[query, result.keys]]
    )[:, None]
    ones = np.concatenate([[total], np.ones(len(s) - 1)])[:, None]
    rows = np.vstack([output, result.V[result.keys]])
    mean = running.means[result.step, query]
    sums = Levels(0.0, max(float(running.sums[:, query].max()), 1.0))
    values = levels_of(np.vstack([result.V, now_output[None], rows]), "V")
    base = result.document.softmax.base
    return (
        _Column("s", theme.text, s, _score_levels(result), (np.array([[now_m]]),), s),
        _Column(f"{base}^(s−m)", theme.weights, p, Levels(0.0, 1.0), (), s),
        _Column("ℓ", theme.text, ones, sums, (np.array([[now_total]]),)),
        _Column("V", theme.value, rows, values, (now_output[None], mean[None])),
    )


def _paint_sum(painter: QPainter, where: TilesLayout, view: LabView) -> None:
    """Paint the state so far and the keys of the block, weighted, and their sum below a line."""
    result, theme = view.result, view.theme
    parts, names = _sum_columns(view), _row_names(view)
    head = QRectF(
        where.names.left(),
        where.names.top() - NAME_LINE - TITLE_LINE,
        where.columns[-1].right() - where.names.left(),
        TITLE_LINE,
    )
    write(painter, head, block_title(result), theme.text, font(BODY, bold=True))
    rows = len(parts[0].values)
    sizes = [
        legible_size(values, view.decimals, column.width() / values.shape[1], where.row)
        for column, part in zip(where.columns, parts, strict=True)
        for values in (part.values, *part.results)
    ]
    digits = min(filter(None, sizes), default=0.0) or None
    for column, part in zip(where.columns, parts, strict=True):
        title = QRectF(column.left(), column.top() - NAME_LINE, column.width(), NAME_LINE)
        title.adjust(-APART / 2, 0, APART / 2, 0)
        write(painter, title, part.title, part.colour, font(CAPTION, bold=True), CENTRED)
        body = QRectF(column.left(), column.top(), column.width(), rows * where.row)
        paint_grid(painter, body, view, part.values, part.levels, digits=digits, scores=part.scores)
        for place, values in enumerate(part.results):
            rect = where.below(column, rows).translated(0, place * where.row)
            frames = (Frame((0, 1), (0, values.shape[1]), theme.accent, 1.6),) if not place else ()
            paint_grid(painter, rect, view, values, part.levels, digits=digits, frames=frames)
    line = where.columns[0].top() + rows * where.row + APART / 2
    ends = where.columns[0].left(), where.columns[-1].right()
    paint_shape(painter, QLineF(ends[0], line, ends[1], line), line=theme.muted, width=1.2)
    for place, name in enumerate(names):
        top = where.names.top() + place * where.row + (APART if place >= rows else 0.0)
        spot = QRectF(where.names.left(), top, where.names.width() - NAME_GAP, where.row)
        colour = theme.key if 0 < place < rows else theme.text
        write(painter, spot, name, colour, font(CAPTION), RIGHT_ALIGNED)


def _result_cell(where: TilesLayout, view: LabView, column: int) -> QRectF:
    """Return the cell of ℓ (column 0) or of an entry of o (1 to v)."""
    rows = len(_row_names(view)) - 2
    whole = where.below(where.columns[3 if column else 2], rows)
    return cell_rect(whole, 1, view.result.V.shape[1], 0, column - 1) if column else whole


def worked_line(view: LabView, column: int, most: int | None = None) -> Line:
    """Return ℓ (column 0) or an entry of o as a sum of weight times entry, of at most `most` terms."""
    result = view.result
    _, weights, ones, values = _sum_columns(view)
    entries = values.values[:, column - 1] if column else ones.values[:, 0]
    pairs = zip(weights.values[:, 0].tolist(), entries.tolist(), strict=True)
    terms = [Term((Factor(weight), Factor(entry))) for weight, entry in pairs]
    _, total, output = result.state(result.step)
    value = float(output[column - 1]) if column else total
    style = SumStyle(result.document, view.decimals, most)
    sizes = [abs(term.value) for term in terms]
    name = (Span("o"), Span(str(column), level=-1)) if column else (Span("ℓ"),)
    added = join_terms(style, sizes, lambda index: product(style, terms[index]), operator("+"))
    seen = add([product_seen(style, term) for term in terms])
    return (*name, operator("="), *added, *style.result(seen, value))


def _paint_worked(painter: QPainter, where: TilesLayout, view: LabView) -> None:
    """Mark the chosen result and write its sum: as large as fits, then with fewer terms."""
    theme = view.theme
    column = int(view.setting["column"])
    cell = _result_cell(where, view, column)
    paint_shape(painter, cell.adjusted(2, 2, -2, -2), line=theme.accent, width=2.0, radius=3)
    tries: list[tuple[int | None, int]] = [(None, size) for size in SUM_SIZES]
    tries += [(most, SUM_SIZES[-1]) for most in range(view.result.block, 0, -1)]
    for most, size in tries:
        line = worked_line(view, column, most)
        if line_width(line, size) <= where.worked.width():
            baseline = where.worked.center().y() + size * 0.36
            paint_maths(painter, where.worked.left(), baseline, line, size, theme)
            return


def block_title(result: TilesResult) -> str:
    token = visible_token(result.document.tokens[result.query])
    return tr(
        "Query {query}, block {block} of {blocks}",
        query=token,
        block=result.step + 1,
        blocks=result.steps,
    )


# The running values


def _paint_history(painter: QPainter, where: TilesLayout, view: LabView) -> None:
    """Paint m, ρ and ℓ after each block, those to come empty."""
    result, theme, running = view.result, view.theme, view.result.running
    rows = [array[:, result.query] for array in (running.maxima, running.factors, running.sums)]
    scales = (
        _score_levels(result),
        Levels(0.0, 1.0),
        Levels(0.0, max(float(rows[2].max()), 1.0)),
    )
    rect, steps = where.history, result.steps
    sizes = [
        legible_size(row[None], view.decimals, rect.width() / steps, where.row) for row in rows
    ]
    digits = min(sizes) or None
    title = QRectF(
        where.names.left(),
        rect.top() - NAME_LINE - TITLE_LINE,
        where.columns[-1].right() - where.names.left(),
        TITLE_LINE,
    )
    write(painter, title, tr("After each block of keys"), theme.text, font(BODY, bold=True))
    for place, (name, values, levels) in enumerate(zip(HISTORY, rows, scales, strict=True)):
        line = QRectF(rect.left(), rect.top() + place * where.row, rect.width(), where.row)
        columns = tuple(str(step + 1) for step in range(steps)) if place == 0 else ()
        paint_grid(
            painter,
            line,
            view,
            values[None],
            levels,
            Names(columns=columns),
            shown=(0, result.step + 1),
            digits=digits,
            scores=values[None] if name == "m" else None,
        )
        label = QRectF(where.names.left(), line.top(), rect.left() - where.names.left(), where.row)
        write(
            painter, label.adjusted(0, 0, -NAME_GAP, 0), name, theme.text, font(BODY), RIGHT_ALIGNED
        )
    now = _block_cell(where, steps, result.step)
    paint_shape(painter, now.adjusted(-1, -1, 1, 1), line=theme.accent, width=2.0, radius=3)


def _block_cell(where: TilesLayout, steps: int, step: int) -> QRectF:
    return cell_rect(where.history, 1, steps, 0, step)


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the chosen query, draggable, the other queries and the blocks, clickable."""
    result: TilesResult = view.result
    where = tiles_layout(area, view)
    n, cells = result.document.n, where.cells
    high = cells.height() / n

    def row(query: int) -> QRectF:
        whole = _query_row(where, result, query)
        return QRectF(whole.left() - LABEL, whole.top(), whole.width() + LABEL, high)

    def dragged(point: QPointF) -> int:
        return int(min(max((point.y() - cells.top()) // high, 0), n - 1)) + 1

    own = Spot(
        "query", row(result.query), _query_name(view, result.query), "query", None, dragged, high
    )
    others = (
        Spot(f"query {query}", row(query), _query_name(view, query), "query", query + 1, tab=False)
        for query in range(n)
        if query != result.query
    )
    blocks = (
        Spot(
            f"block {step}",
            _block_cell(where, result.steps, step),
            tr("Block {block} of {blocks}", block=step + 1, blocks=result.steps),
            "step",
            step,
            tab=False,
        )
        for step in range(result.steps if where.history.height() else 0)
    )
    results = (
        Spot(
            f"result {column}",
            _result_cell(where, view, column),
            plain_text(worked_line(view, column)),
            "column",
            column,
            tab=result.V.shape[1] <= MOST_UNITS,
        )
        for column in range(1 + result.V.shape[1])
    )
    return (own, *results, *others, *blocks)


def _query_name(view: LabView, query: int) -> str:
    result: TilesResult = view.result
    token = visible_token(result.document.tokens[query])
    gap = np.abs(result.running.means[-1, query] - result.trace.matrix("heads", result.head)[query])
    return tr(
        "Query {query}: differs from its whole row by {gap}",
        query=token,
        gap=measured(float(gap.max()), view.decimals),
    )
