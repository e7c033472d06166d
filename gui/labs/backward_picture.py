"""Picture of the lab `backward`: the graph of stages, a stage beside its gradient, one worked
gradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from core.base.arrays import Array
from core.base.number_format import show
from core.document.document import Document
from core.labs.backward import SHARPEST, SOFTEST, Backward
from core.labs.controls import Value
from core.stages import Plan
from core.stages.rotate import ROTATE
from gui.labs.backward_card import paint_card, sum_text
from gui.labs.charts import (
    CENTRED,
    NAME_LINE,
    TITLE_LINE,
    Chart,
    ChartAxis,
    ChartStroke,
    Names,
    chart_in,
    grid_rect,
    paint_frame,
    paint_grid,
    paint_line,
    paint_points,
    write,
)
from gui.labs.exhibit import LabView, Spot
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame, cell_at, cell_rect
from gui.painting.shapes import paint_arrow_head, paint_shape, square_around
from gui.painting.theme import CAPTION, Colours, font, role_colour
from gui.texts.gradients import column_names, gradient_rule, gradient_symbol, row_names
from gui.texts.names import axes_of, long_name, symbol, symbol_here
from gui.texts.translation import tr

TALLEST_SIGN = 36.0
WIDEST_SIGN = 90.0
LEAST_GAP = 11.0  # gap between signs of neighbouring columns
ARROW = 4.0
LANES = 3
ENTERED = ("W_", "b_")  # name prefixes of matrices and biases
_QUERY, _KEY, _VALUE = 0.0, 1.0, 2.0
_SCORES, _CONTEXT = 0.5, 1.5
_LANES = {"query": _QUERY, "key": _KEY, "value": _VALUE}  # colours by role
_APART = 0.42  # lanes from the middle to X and to P


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A stage or an entered tensor: its column from the left, its lane from above."""

    name: str
    column: int
    lane: float


@dataclass(frozen=True, slots=True)
class StageGraph:
    """The graph of stages: signs by name, and edges as pairs (read, reader)."""

    signs: dict[str, GraphNode]
    links: tuple[tuple[str, str], ...]
    columns: int


def layout_graph(plan: Plan, steps: tuple[str, ...]) -> StageGraph:
    """Lay out the graph: forward order from left to right, parallel stages below each other."""
    signs: list[GraphNode] = []
    column = 0
    for group in _columns(plan):
        here = [(name, lane) for name, lane in group if name in steps]
        signs += [GraphNode(name, column, lane) for name, lane in here]
        column += 1 if here else 0
    return StageGraph({sign.name: sign for sign in signs}, _links(plan, steps), column)


def _columns(plan: Plan) -> list[list[tuple[str, float]]]:
    """List all possible names by column, each with its lane."""
    own, other = plan.vectors
    sides = [stage for stage in plan if stage.spec.side]
    projected = [stage for stage in sides if stage.kind is not ROTATE]
    later = plan.stages[len(own) + len(other) + len(sides) :]
    before: list[tuple[str, float]] = []
    sentences = ((own, _QUERY if other else _KEY), (other, _CONTEXT))
    for stages, lane in sentences:
        positions = stages[1:2]  # sines are omitted
        up = _APART if any(stage.entered for stage in positions) else 0.0
        before += [(stage.id, lane - up) for stage in stages[:1]]
        before += [(stage.id, lane + _APART) for stage in positions]
    columns = [before, [(stages[2].id, lane) for stages, lane in sentences if len(stages) == 3]]
    for place in range(2):  # weights, then biases
        columns.append(
            [
                (name, _LANES[stage.spec.role])
                for stage in projected
                for name in stage.inputs[place : place + 1]
            ]
        )
    for group in (projected, [stage for stage in sides if stage.kind is ROTATE]):
        columns.append([(stage.id, _LANES[stage.spec.role]) for stage in group])
    for stage in later:
        lane = _SCORES if stage.attends else _KEY
        columns += [[(name, lane)] for name in (*stage.inputs, stage.id)]
    return columns


def _links(plan: Plan, steps: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    links: list[tuple[str, str]] = []
    for stage in plan:
        if stage.id not in steps:
            continue
        for source in stage.reads:
            while source not in steps and plan[source].reads:  # omitted, as the numerators are
                source = plan[source].reads[0]
            if source in steps:
                links.append((source, stage.id))
    return tuple(links)


def lines(graph: StageGraph, done: tuple[str, ...]) -> dict[tuple[str, str], bool]:
    """Return the edges with a flag for those the gradient has passed, which come last.

    An edge to a reader passes through its matrix and bias in between.
    """
    found: dict[tuple[str, str], bool] = {}
    for source, reader in graph.links:
        for pair in pairwise((source, *_between(graph, source, reader), reader)):
            taken = source in done or pair[0] in done
            found[pair] = found.get(pair, False) or taken
    return dict(sorted(found.items(), key=lambda line: line[1]))


def _between(graph: StageGraph, source: str, reader: str) -> list[str]:
    start, end = graph.signs[source], graph.signs[reader]
    between = [
        sign
        for sign in graph.signs.values()
        if sign.name[:2] in ENTERED
        and sign.lane == end.lane
        and start.column < sign.column < end.column
    ]
    return [sign.name for sign in sorted(between, key=lambda sign: sign.column)]


def sign_rects(area: QRectF, graph: StageGraph) -> dict[str, QRectF]:
    """Return the rectangle of each sign."""
    wide = area.width() / graph.columns
    high = area.height() / LANES
    width, height = min(WIDEST_SIGN, wide - LEAST_GAP), min(TALLEST_SIGN, high * 0.8)
    rects = {}
    for sign in graph.signs.values():
        centre = QPointF(
            area.left() + (sign.column + 0.5) * wide, area.top() + (sign.lane + 0.5) * high
        )
        rects[sign.name] = QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height)
    return rects


def paint_graph(
    painter: QPainter,
    area: QRectF,
    graph: StageGraph,
    document: Document,
    done: tuple[str, ...],
    theme: Colours,
) -> None:
    """Paint the signs reached by the gradient (the last of `done` is current) and their edges."""
    rects = sign_rects(area, graph)
    for (left, right), taken in lines(graph, done).items():
        _paint_link(painter, rects[left], rects[right], taken, theme)
    for name, rect in rects.items():
        text = name if name[:2] in ENTERED else symbol_here(document, name)
        _paint_sign(painter, rect, text, name, done, theme)


def _paint_link(
    painter: QPainter, source: QRectF, reader: QRectF, taken: bool, theme: Colours
) -> None:
    """Paint an edge from the reader to the source, with an arrowhead once the gradient has passed."""
    start = QPointF(reader.left(), reader.center().y())
    end = QPointF(source.right() + (ARROW if taken else 0.0), source.center().y())
    colour = theme.accent if taken else theme.ghost
    paint_shape(painter, QLineF(start, end), line=colour, width=1.8 if taken else 1.2)
    if taken:
        tip = end - QPointF(ARROW - 1.0, 0.0)
        level = QLineF(tip + QPointF(ARROW, 0.0), tip)
        paint_arrow_head(painter, level, ARROW + 2, ARROW, colour)


def _paint_sign(
    painter: QPainter, rect: QRectF, text: str, name: str, done: tuple[str, ...], theme: Colours
) -> None:
    current, reached = name == done[-1], name in done
    edge = role_colour(theme, name) if reached else QColor(theme.muted)
    paint_shape(
        painter,
        rect,
        line=theme.accent if current else edge,
        width=1.4,
        fill=theme.accent if current else theme.surface,
        radius=5,
    )
    colour = (
        theme.on_accent if current else role_colour(theme, name).name() if reached else theme.muted
    )
    face = font(max(CAPTION, min(rect.height() * 0.5, rect.width() * 0.2)), bold=reached)
    write(painter, rect.adjusted(1, 0, -1, 0), text, colour, face, CENTRED)


MARGIN = 14.0
GAP = 14.0
HEADING = 26.0
LEAST_AIR = 6.0  # units above and below the matrices
LEAST_FOOT, MOST_FOOT = 118.0, 340.0
LEAST_CARD = 88.0  # least height for the sum alone
LEAST_ROW, LEAST_ROWS = (
    18.0,
    108.0,
)  # least heights of a row and of a matrix, before anything is placed below
WIDEST_CELL, TALLEST_CELL = 160.0, 92.0
LEAST_NAMED = 150.0  # least height of a chart with axis names
MOST_SPOTS = 81  # most cells with a spot each; a larger matrix is one draggable spot


@dataclass(frozen=True, slots=True)
class BackwardLayout:
    """Layout of the picture; without chart, and then without card, in a low area."""

    graph: QRectF
    heading: QRectF
    numbers: QRectF
    gradient: QRectF
    card: QRectF
    chart: QRectF


def backward_layout(area: QRectF, result: Backward) -> BackwardLayout:
    """Lay out the graph above, two matrices side by side below it, sum and chart at the bottom.

    The matrices get their height first; spare height becomes space between the three.
    """
    inside = area.adjusted(MARGIN, MARGIN / 2, -MARGIN, -MARGIN / 2)
    top = QRectF(
        inside.left(), inside.top(), inside.width(), min(max(inside.height() * 0.22, 78.0), 210.0)
    )
    free = inside.height() - top.height() - HEADING - 2 * LEAST_AIR
    least = _foot(free, inside.height(), result)
    body = min(free - least, grid_height(result))
    foot = min(free - body, MOST_FOOT) if least else 0.0
    air = (free + 2 * LEAST_AIR - body - foot) / 2
    heading = QRectF(inside.left(), top.bottom() + air, inside.width(), HEADING)
    half = (inside.width() - 2 * GAP) / 2
    left = QRectF(inside.left(), heading.bottom(), half, body)
    right = QRectF(inside.right() - half, heading.bottom(), half, body)
    wide = inside.width() * (0.6 if least >= LEAST_FOOT else 1.0)
    card = QRectF(inside.left(), inside.bottom() - foot, wide, foot)
    chart = QRectF(card.right() + GAP, card.top(), inside.right() - card.right() - GAP, foot)
    if least < LEAST_FOOT:
        chart = QRectF()
    return BackwardLayout(top, heading, _grid(left, result), _grid(right, result), card, chart)


def _foot(free: float, high: float, result: Backward) -> float:
    """Return the least height of sum and chart, of the sum alone, or 0; matrices have priority."""
    needed = TITLE_LINE + NAME_LINE + min(result.numbers.shape[0] * LEAST_ROW, LEAST_ROWS)
    return next(
        (foot for foot in (max(LEAST_FOOT, high * 0.33), LEAST_CARD) if free - foot >= needed), 0.0
    )


def grid_height(result: Backward) -> float:
    """Return the largest height of a matrix with title and names."""
    return float(result.numbers.shape[0] * TALLEST_CELL + TITLE_LINE + NAME_LINE)


def _grid(area: QRectF, result: Backward) -> QRectF:
    rows, columns = result.numbers.shape
    return grid_rect(
        area, rows, columns, names_of(result), widest=WIDEST_CELL, tallest=TALLEST_CELL
    )


def names_of(result: Backward, title: str = "·", colour: str = "") -> Names:
    """Return the names around both matrices, with tokens along queries and keys."""
    document = result.run.document
    columns = column_names(document, result.name) if axes_of(result.name)[1] in ("n", "m") else ()
    return Names(title, row_names(document, result.name), columns, colour)


def graph_of(result: Backward) -> StageGraph:
    """Lay out the graph of the experiment."""
    return layout_graph(result.run.trace.plan, result.steps)


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the whole picture."""
    result: Backward = view.result
    where, theme = backward_layout(area, result), view.theme
    done = result.steps[: result.steps.index(result.name) + 1]
    paint_graph(painter, where.graph, graph_of(result), result.run.document, done, theme)
    _paint_heading(painter, where.heading, result, theme)
    document = result.run.document
    title = f"{symbol(result.name, document)}  ·  {long_name(result.name)}"
    colour = role_colour(theme, result.name).name()
    levels = levels_of(result.numbers, result.name)
    _paint_grid(
        painter, where.numbers, result.numbers, levels, view, names_of(result, title, colour)
    )
    back = names_of(result, gradient_symbol(result.name), theme.accent)
    _paint_grid(painter, where.gradient, result.gradient, gradient_levels(result), view, back)
    if where.card.height():
        paint_card(painter, where.card, view)
    if where.chart.height():
        _paint_chart(painter, where.chart, result, theme)


def gradient_levels(result: Backward) -> Levels:
    """Return the colour scale of the gradient, fixed by W_Q × 1, so that vanishing gradients fade."""
    reach = max(result.reach, float(np.abs(result.gradient).max()))
    return Levels(-reach, reach) if reach > 0.0 else Levels(-1.0, 1.0)


def _paint_heading(painter: QPainter, area: QRectF, result: Backward, theme: Colours) -> None:
    text = gradient_rule(result.run.document, result.run.trace.plan, result.name, result.aim)
    write(painter, area, text, theme.text, font(HEADING * 0.62, bold=True))


def _paint_grid(
    painter: QPainter, rect: QRectF, values: Array, levels: Levels, view: LabView, names: Names
) -> None:
    result, theme = view.result, view.theme
    row, column = result.cell.row, result.cell.column
    frame = Frame((row, row + 1), (column, column + 1), theme.accent)
    paint_grid(painter, rect, view, values, levels, names, frames=(frame,))


def norm_chart(area: QRectF, result: Backward) -> Chart:
    """Build the chart of ‖∂L/∂S‖ against the factor of W_Q."""
    x = ChartAxis(SOFTEST, SHARPEST, log=True)
    y = ChartAxis.over(result.norms, [result.run.scores_norm], zero=True)
    across = up = ""
    if area.height() >= LEAST_NAMED:
        query = "Q" if result.run.document.source == "qkv" else "W_Q"
        across = tr("{query} × this factor", query=query)
        up = f"‖{gradient_symbol(result.run.scores)}‖"
    title = tr("Gradient left at the scores")
    return chart_in(area, x, y, x_label=across, y_label=up, title=title)


def _paint_chart(painter: QPainter, area: QRectF, result: Backward, theme: Colours) -> None:
    chart = paint_frame(painter, norm_chart(area, result), theme)
    paint_line(painter, chart, result.factors, result.norms, ChartStroke(theme.weights))
    now = [result.factor], [result.run.scores_norm]
    paint_points(painter, chart, *now, theme.accent, radius=5.0, ground=theme.surface)


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the signs of the graph, the cells of the gradient, and the dot of the chart."""
    result: Backward = view.result
    where = backward_layout(area, result)
    rects = sign_rects(where.graph, graph_of(result))
    signs = [
        Spot(
            f"step {name}",
            rects[name],
            f"{gradient_symbol(name)}, {long_name(name)}",
            "step",
            place,
        )
        for place, name in enumerate(result.steps)
    ]
    dial = (_dial(where.chart, view),) if where.chart.height() else ()
    return (*signs, *_cells(where, view), *dial)


def _dial(area: QRectF, view: LabView) -> Spot:
    """Return the draggable dot of the chart."""
    result: Backward = view.result
    chart = norm_chart(area, result)
    dot = chart.point(result.factor, result.run.scores_norm)
    text = tr(
        "Factor {factor}: ‖∂L/∂S‖ = {norm}",
        factor=view.show(result.factor),
        norm=view.show(result.run.scores_norm),
    )
    handle = square_around(dot, 9.0)
    return Spot("factor", handle, text, "sharpness", drag=partial(_factor, chart))


def _factor(chart: Chart, point: QPointF) -> Value:
    return float(f"{chart.value_x(point):.3g}")


def _cells(where: BackwardLayout, view: LabView) -> list[Spot]:
    rows, columns = view.result.gradient.shape
    if rows * columns == 1:
        return []
    if rows * columns > MOST_SPOTS:
        return [_whole(where, view)]
    return [
        Spot(
            f"cell {row} {column}",
            cell_rect(where.gradient, rows, columns, row, column),
            _cell_name(view.result, row, column, view.decimals),
            "cell",
            row * columns + column + 1,
        )
        for row in range(rows)
        for column in range(columns)
    ]


def _cell_name(result: Backward, row: int, column: int, decimals: int) -> str:
    number = show(float(result.gradient[row, column]), decimals)
    return f"{gradient_symbol(result.name)} ({row + 1}, {column + 1}) = {number}"


def _whole(where: BackwardLayout, view: LabView) -> Spot:
    """Return one spot for a large matrix: the selected cell, draggable."""
    result: Backward = view.result
    rows, columns = result.gradient.shape
    area = cell_rect(where.gradient, rows, columns, result.cell.row, result.cell.column)
    nudge = max(area.width(), area.height())
    return Spot(
        "cell",
        area,
        sum_text(view),
        "cell",
        drag=partial(_cell_under, where.gradient, rows, columns),
        nudge=nudge,
    )


def _cell_under(rect: QRectF, rows: int, columns: int, point: QPointF) -> Value:
    x = min(max(point.x(), rect.left()), rect.right() - 1e-6)
    y = min(max(point.y(), rect.top()), rect.bottom() - 1e-6)
    row, column = cell_at(rect, rows, columns, QPointF(x, y)) or (0, 0)
    return row * columns + column + 1
