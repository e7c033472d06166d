"""The picture of the way back: the road, a stage's numbers beside their gradients, and one of these worked out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from core.base.arrays import Array
from core.base.number_format import show
from core.labs.backward import SHARPEST, SOFTEST, Backward
from core.labs.controls import Value
from gui.labs.backward_card import paint_card, sum_text
from gui.labs.backward_map import Road, paint_road, road, sign_rects
from gui.labs.charts import (
    Axis,
    Chart,
    Stroke,
    chart_in,
    paint_frame,
    paint_line,
    paint_points,
    write,
)
from gui.labs.exhibit import Shown, Spot
from gui.labs.grids import NAME_LINE, TITLE_LINE, Names, grid_rect, paint_grid
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame, MatrixSpec, cell_at, cell_rect
from gui.painting.theme import Colours, font, role_colour
from gui.texts.gradients import column_names, row_names, rule, slope_of
from gui.texts.names import axes_of, long_name, symbol
from gui.texts.translation import tr

MARGIN = 14.0
GAP = 14.0
HEADING = 26.0
LEAST_AIR = 6.0  # above and below the matrices
LEAST_FOOT, MOST_FOOT = 118.0, 340.0
LEAST_CARD = (
    88.0  # where there is less for sum and chart than above the sum stands alone, and then neither
)
LEAST_ROW, LEAST_ROWS = (
    18.0,
    108.0,
)  # of a matrix, and of all its rows, before anything stands below
WIDEST_CELL, TALLEST_CELL = 160.0, 92.0
LEAST_NAMED = 150.0  # the height from which the chart names its axes
MOST_SPOTS = (
    81  # cells that are each a spot; of a larger matrix the whole is one, to be dragged over
)

_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, slots=True)
class Places:
    """Where everything lies; in a low room there is no chart, and then no card either."""

    road: QRectF
    heading: QRectF
    numbers: QRectF
    gradient: QRectF
    card: QRectF
    chart: QRectF


def places(room: QRectF, result: Backward) -> Places:
    """The road above, the two matrices below it side by side, the sum and the chart at the bottom.

    The matrices get what they need, the rest what they leave; what nobody needs is air between the three.
    """
    inside = room.adjusted(MARGIN, MARGIN / 2, -MARGIN, -MARGIN / 2)
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
    return Places(top, heading, _grid(left, result), _grid(right, result), card, chart)


def _foot(free: float, high: float, result: Backward) -> float:
    """The least height of sum and chart, of the sum alone, or of nothing: the matrices come first."""
    needed = TITLE_LINE + NAME_LINE + min(result.numbers.shape[0] * LEAST_ROW, LEAST_ROWS)
    return next(
        (foot for foot in (max(LEAST_FOOT, high * 0.33), LEAST_CARD) if free - foot >= needed), 0.0
    )


def grid_height(result: Backward) -> float:
    """The height that a matrix takes at most, with title and names."""
    return float(result.numbers.shape[0] * TALLEST_CELL + TITLE_LINE + NAME_LINE)


def _grid(room: QRectF, result: Backward) -> QRectF:
    rows, columns = result.numbers.shape
    return grid_rect(
        room, rows, columns, names_of(result), widest=WIDEST_CELL, tallest=TALLEST_CELL
    )


def names_of(result: Backward, title: str = "·", colour: str = "") -> Names:
    """The names around both matrices, token names along queries and keys."""
    document = result.run.document
    columns = column_names(document, result.name) if axes_of(result.name)[1] in ("n", "m") else ()
    return Names(title, row_names(document, result.name), columns, colour)


def the_road(result: Backward) -> Road:
    """The signs of the experiment."""
    return road(result.run.trace.plan, result.steps)


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """The whole picture."""
    result: Backward = shown.result
    where, theme = places(room, result), shown.look.theme
    done = result.steps[: result.steps.index(result.name) + 1]
    paint_road(painter, where.road, the_road(result), result.run.document, done, theme)
    _paint_heading(painter, where.heading, result, theme)
    document = result.run.document
    title = f"{symbol(result.name, document)}  ·  {long_name(result.name)}"
    colour = role_colour(theme, result.name).name()
    levels = levels_of(result.numbers, result.name)
    _paint_grid(
        painter, where.numbers, result.numbers, levels, shown, names_of(result, title, colour)
    )
    back = names_of(result, slope_of(result.name), theme.accent)
    _paint_grid(painter, where.gradient, result.gradient, gradient_levels(result), shown, back)
    if where.card.height():
        paint_card(painter, where.card, shown)
    if where.chart.height():
        _paint_chart(painter, where.chart, result, theme)


def gradient_levels(result: Backward) -> Levels:
    """The scale of the gradient, which W_Q × 1 sets: what dies away pales."""
    reach = max(result.reach, float(np.abs(result.gradient).max()))
    return Levels(-reach, reach) if reach > 0.0 else Levels(-1.0, 1.0)


def _paint_heading(painter: QPainter, area: QRectF, result: Backward, theme: Colours) -> None:
    there = result.run
    text = rule(there.document, there.trace.plan, result.name, result.aim)
    write(painter, area, text, theme.text, font(HEADING * 0.62, bold=True))


def _paint_grid(
    painter: QPainter, rect: QRectF, values: Array, levels: Levels, shown: Shown, names: Names
) -> None:
    result, theme = shown.result, shown.look.theme
    row, column = result.cell.row, result.cell.column
    frame = Frame((row, row + 1), (column, column + 1), theme.accent)
    picture = MatrixSpec(values, levels, shown.look.decimals, frames=(frame,))
    paint_grid(painter, rect, picture, theme, names)


def norm_chart(area: QRectF, result: Backward) -> Chart:
    """‖∂L/∂S‖ against the factor of W_Q."""
    x = Axis(SOFTEST, SHARPEST, log=True)
    y = Axis.over(result.norms, [result.run.scores_norm], zero=True)
    across, up = _axis_names(area, result)
    return chart_in(area, x, y, x_label=across, y_label=up, title=_chart_title())


def _chart_title() -> str:
    return tr("Gradient left at the scores")


def _axis_names(area: QRectF, result: Backward) -> tuple[str, str]:
    """The names of both axes, or none where the chart would be nothing but names."""
    if area.height() < LEAST_NAMED:
        return "", ""
    query = "Q" if result.run.document.source == "qkv" else "W_Q"
    return tr("{query} × this factor", query=query), f"‖{slope_of(result.run.scores)}‖"


def _paint_chart(painter: QPainter, area: QRectF, result: Backward, theme: Colours) -> None:
    chart = norm_chart(area, result)
    across, up = _axis_names(area, result)
    paint_frame(painter, chart, theme, across, up, _chart_title())
    paint_line(painter, chart, result.factors, result.norms, Stroke(theme.weights))
    now = [result.factor], [result.run.scores_norm]
    paint_points(painter, chart, *now, theme.accent, radius=5.0, ground=theme.surface)


def spots(room: QRectF, shown: Shown) -> tuple[Spot, ...]:
    """The signs of the road, the cells of the gradient, and the dot of the chart."""
    result: Backward = shown.result
    where = places(room, result)
    rects = sign_rects(where.road, the_road(result))
    signs = [
        Spot(f"step {name}", rects[name], _sign_name(result, name), "step", place)
        for place, name in enumerate(result.steps)
    ]
    dial = (_dial(where.chart, shown),) if where.chart.height() else ()
    return (*signs, *_cells(where, shown), *dial)


def _dial(area: QRectF, shown: Shown) -> Spot:
    """The dot of the chart, dragged to another factor."""
    result: Backward = shown.result
    chart = norm_chart(area, result)
    dot = chart.point(result.factor, result.run.scores_norm)
    decimals = shown.look.decimals
    said = tr(
        "Factor {factor}: ‖∂L/∂S‖ = {norm}",
        factor=show(result.factor, decimals),
        norm=show(result.run.scores_norm, decimals),
    )
    handle = QRectF(dot.x() - 9.0, dot.y() - 9.0, 18.0, 18.0)
    return Spot("factor", handle, said, "sharpness", drag=partial(_factor, chart))


def _sign_name(result: Backward, name: str) -> str:
    return f"{slope_of(name)}, {long_name(name)}"


def _factor(chart: Chart, point: QPointF) -> Value:
    return float(f"{chart.value_x(point):.3g}")


def _cells(where: Places, shown: Shown) -> list[Spot]:
    result: Backward = shown.result
    rows, columns = result.gradient.shape
    if rows * columns == 1:
        return []
    if rows * columns > MOST_SPOTS:
        return [_whole(where, shown)]
    decimals = shown.look.decimals
    return [
        Spot(
            f"cell {row} {column}",
            cell_rect(where.gradient, rows, columns, row, column),
            _cell_name(result, row, column, decimals),
            "cell",
            row * columns + column + 1,
        )
        for row in range(rows)
        for column in range(columns)
    ]


def _cell_name(result: Backward, row: int, column: int, decimals: int) -> str:
    number = show(float(result.gradient[row, column]), decimals)
    return f"{slope_of(result.name)} ({row + 1}, {column + 1}) = {number}"


def _whole(where: Places, shown: Shown) -> Spot:
    """The frame of the cell that is looked at, dragged over the matrix."""
    result: Backward = shown.result
    rows, columns = result.gradient.shape
    area = cell_rect(where.gradient, rows, columns, result.cell.row, result.cell.column)
    nudge = max(area.width(), area.height())
    return Spot(
        "cell",
        area,
        sum_text(shown),
        "cell",
        drag=partial(_cell_under, where.gradient, rows, columns),
        nudge=nudge,
    )


def _cell_under(rect: QRectF, rows: int, columns: int, point: QPointF) -> Value:
    x = min(max(point.x(), rect.left()), rect.right() - 1e-6)
    y = min(max(point.y(), rect.top()), rect.bottom() - 1e-6)
    row, column = cell_at(rect, rows, columns, QPointF(x, y)) or (0, 0)
    return row * columns + column + 1
