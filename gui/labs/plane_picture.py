"""Picture of the lab `plane`: query and keys, values and output, and the weights below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.base.arrays import Array
from core.base.number_format import show
from core.labs.controls import Points
from core.labs.plane import LAB, Plane
from core.stages import plan, softmax_source
from gui.labs.arrows import (
    KNOB,
    Field,
    Label,
    paint_arrow,
    paint_field,
    paint_labels,
    paint_numbers,
    together,
)
from gui.labs.charts import (
    CENTRED,
    RIGHT_ALIGNED,
    ChartStroke,
    legend_width,
    legible_size,
    paint_grid,
    paint_legend,
    write,
)
from gui.labs.exhibit import LabView
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame, cell_rect
from gui.painting.shapes import faded, paint_curve, paint_disc, paint_shape
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.names import stage_name, visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

AIR = 16.0  # gap between a title and the legend
Line = tuple[str, ChartStroke]


def key_lines(view: LabView) -> tuple[Line, ...]:
    """Return the legend of the keys."""
    return (
        ((tr("where the key goes"), ChartStroke(view.theme.key, "dashed", 1.4)),)
        if view.result.path is not None
        else ()
    )


def value_lines(view: LabView) -> tuple[Line, ...]:
    """Return the legend of the values."""
    hull = ((tr("hull"), ChartStroke(view.theme.value, "dashed", 1.2)),)
    return (
        (*hull, (tr("where y goes"), ChartStroke(view.theme.text, "solid", 2.0)))
        if view.result.path is not None
        else hull
    )


def paint_lines(
    painter: QPainter, row: QRectF, title: float, theme: Colours, lines: Sequence[Line]
) -> None:
    """Paint the legend at the right of a row beside its title: the last entries that fit."""
    while lines and title + AIR + legend_width(lines) + 2.0 > row.width():
        lines = lines[1:]
    if lines:
        wide = legend_width(lines) + 2.0
        paint_legend(
            painter, QRectF(row.right() - wide, row.top() + 2.0, wide, row.height()), theme, lines
        )


def paint_way(painter: QPainter, field: Field, view: LabView) -> None:
    """Paint the line along which the key moves, and its projection onto the query."""
    theme, result = view.theme, view.result
    paint_shape(
        painter,
        QLineF(field.at(result.path.ends[0]), field.at(result.path.ends[1])),
        line=QPen(QColor(theme.key), 1.4, Qt.PenStyle.DashLine),
    )
    if result.key_exact:
        length = float((result.query**2).sum())
        key = result.keys[int(view.setting["key"])]
        foot = result.query * (float(key @ result.query) / length)
        paint_shape(
            painter,
            QLineF(field.at(key), field.at(foot)),
            line=QPen(QColor(theme.muted), 1.2, Qt.PenStyle.DotLine),
        )
        paint_shape(
            painter,
            QLineF(field.area.center(), field.at(foot)),
            line=QPen(QColor(theme.query), 1.2, Qt.PenStyle.DotLine),
        )


def paint_hull(painter: QPainter, field: Field, corners: Array, theme: Colours) -> None:
    """Paint the convex hull of the values."""
    paint_shape(
        painter,
        QPolygonF([field.at(corner) for corner in corners]),
        line=QPen(QColor(theme.value), 1.2, Qt.PenStyle.DashLine),
        fill=faded(theme.value, 0.14),
    )


def paint_path(painter: QPainter, field: Field, view: LabView) -> None:
    """Paint the possible positions of y, with a dot every few steps, and its limit."""
    theme, path = view.theme, view.result.path
    paint_curve(painter, [field.at(point) for point in path.outputs], theme.text, 2.0)
    for point in path.outputs[:: (len(path.outputs) - 1) // 20]:
        paint_disc(painter, field.at(point), 2.6, fill=theme.text)
    paint_disc(painter, field.at(path.rest), 4.0, line=theme.text, width=1.8, fill=theme.surface)


GAP = 24.0
TITLE_ROW = 24.0
NAMES = 20.0
SHARE_ROW = 18.0  # height of the preserved share, below the titles
NAMED = 8  # most names in a plane, by weight
SHARED = 3  # most names in one label
THICK = 5.0  # extra width of an arrow of weight 1


@dataclass(frozen=True, slots=True)
class PlaneLayout:
    """The two planes, the matrix of scores and weights below, and its row names."""

    keys: Field
    values: Field
    table: QRectF
    names: QRectF


def query_token(view: LabView) -> str:
    """Return the token of the query."""
    return visible_token(view.result.document.tokens[int(view.setting["row"])])


def key_token(view: LabView, place: int) -> str:
    """Return the token of a key and its value."""
    return visible_token(view.result.document.key_tokens[place])


def plane_layout(area: QRectF, view: LabView) -> PlaneLayout:
    """Lay out an area."""
    result: Plane = view.result
    inside = area.adjusted(2.0, 4.0, -2.0, -10.0)
    row = min(max(inside.height() * 0.06, 24.0), 40.0)
    bottom = inside.bottom() - NAMES - 2 * row - 14.0
    wide = (inside.width() - GAP) / 2
    top = inside.top() + TITLE_ROW + (SHARE_ROW if _projected(result) else 4.0)
    left = QRectF(inside.left(), top, wide, bottom - top)
    names = max(width_of(name, font(BODY)) for name in _row_names(result)) + 14.0
    table = QRectF(inside.left() + names, bottom + 14.0 + NAMES, inside.width() - names, 2 * row)
    return PlaneLayout(
        Field(left, result.key_reach),
        Field(left.translated(wide + GAP, 0.0), result.value_reach),
        table,
        QRectF(inside.left(), table.top(), names - 14.0, 2 * row),
    )


def _projected(result: Plane) -> bool:
    return not (result.key_exact and result.value_exact)


def _row_names(result: Plane) -> tuple[str, str]:
    """Return the names of the softmax input and output."""
    return stage_name(softmax_source(plan(result.document))).lower(), tr("weight α")


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the whole picture."""
    where, theme, result = plane_layout(area, view), view.theme, view.result
    keys_share = "" if result.key_exact else _share(result.key_share, view)
    values_share = "" if result.value_exact else _share(result.value_share, view)
    low = _projected(result)
    _paint_titles(
        painter,
        where.keys.area,
        tr("The query among the keys"),
        keys_share,
        key_lines(view),
        theme,
        two=low,
    )
    _paint_titles(
        painter,
        where.values.area,
        tr("The output among the values"),
        values_share,
        value_lines(view),
        theme,
        two=low,
    )
    _paint_keys(painter, where.keys, view)
    _paint_values(painter, where.values, view)
    _paint_table(painter, where, view)


def _share(share: float, view: LabView) -> str:
    """Describe a projection and the share it preserves."""
    percent = show(100 * share, max(0, view.decimals - 2))
    return tr("PCA: {share}% of the variance kept, weights exact", share=percent)


def _paint_titles(
    painter: QPainter,
    rect: QRectF,
    title: str,
    below: str,
    lines: Sequence[Line],
    theme: Colours,
    *,
    two: bool,
) -> None:
    """Paint a title with the legend, and a line below it if a plane needs `two` lines."""
    top = rect.top() - TITLE_ROW - (SHARE_ROW if two else 4.0)
    row = QRectF(rect.left(), top, rect.width(), TITLE_ROW)
    write(painter, row, title, theme.text, font(BODY, bold=True))
    paint_lines(painter, row, width_of(title, font(BODY, bold=True)), theme, lines)
    area = QRectF(rect.left(), top + TITLE_ROW - 3.0, rect.width(), 18.0)
    write(painter, area, below, theme.warning, font(CAPTION))


# The query among the keys


def _paint_keys(painter: QPainter, field: Field, view: LabView) -> None:
    theme, result = view.theme, view.result
    painter.save()
    painter.setClipRect(field.area)
    paint_field(painter, field, theme)
    if result.path is not None:
        paint_way(painter, field, view)
    for tip, weight in zip(result.keys, result.weights, strict=True):
        paint_arrow(painter, field, tip, theme.key, 1.4 + THICK * float(weight))
    paint_arrow(painter, field, result.query, theme.query, 3.5)
    _paint_knobs(painter, field, view, "keys", result.keys, theme.key)
    _paint_knobs(painter, field, view, "query", result.query[None], theme.query)
    labels = [Label(result.query, f"q {query_token(view)}", theme.query)]
    labels += _labels(field, view, "k", result.keys, theme.key)
    taken = paint_labels(painter, field, labels, [result.query, *result.keys], theme)
    paint_numbers(painter, field, taken, theme)
    painter.restore()


# The output among the values


def _paint_values(painter: QPainter, field: Field, view: LabView) -> None:
    theme, result = view.theme, view.result
    painter.save()
    painter.setClipRect(field.area)
    paint_field(painter, field, theme)
    paint_hull(painter, field, result.corners, theme)
    for tip, weight in zip(result.values, result.weights, strict=True):
        paint_arrow(
            painter,
            field,
            tip,
            faded(theme.value, 0.55).name(QColor.NameFormat.HexArgb),
            1.0 + THICK * float(weight),
        )
    if result.path is not None:
        paint_path(painter, field, view)
    _paint_knobs(painter, field, view, "values", result.values, theme.value)
    paint_arrow(painter, field, result.output, theme.text, 3.0)
    paint_disc(
        painter, field.at(result.output), KNOB, line=theme.surface, width=1.5, fill=theme.text
    )
    labels = [Label(result.output, _output_name(view), theme.text)]
    labels += _labels(field, view, "v", result.values, theme.value)
    taken = paint_labels(painter, field, labels, [result.output, *result.values], theme)
    paint_numbers(painter, field, taken, theme)
    painter.restore()


def _output_name(view: LabView) -> str:
    result, decimals = view.result, view.decimals
    if not result.value_exact or result.document.v != 2:
        return "y"
    x, y = (show(float(number), decimals) for number in result.output)
    return f"y ({x}, {y})"


# Tips


def _labels(field: Field, view: LabView, letter: str, tips: Array, colour: str) -> list[Label]:
    """Label the points, the followed one first, then by weight; coinciding ones share a label."""
    order = [int(view.setting["key"]), *map(int, np.argsort(-view.result.weights, kind="stable"))]
    order = list(dict.fromkeys(order))
    groups = [[order[index] for index in group] for group in together(field, tips[order])]
    labels = []
    for group in groups[:NAMED]:
        names = [key_token(view, place) for place in group]
        more = "…" if len(names) > SHARED else ""
        labels.append(
            Label(tips[group[0]], f"{letter} {tr(', ').join(names[:SHARED])}{more}", colour)
        )
    return labels


def arrows(view: LabView) -> dict[str, Points]:
    """Return the controls of draggable arrows by kind."""
    controls = LAB.valued(view.setting)
    return {
        control.id.partition("-")[0]: control for control in controls if isinstance(control, Points)
    }


def _paint_knobs(
    painter: QPainter, field: Field, view: LabView, kind: str, tips: Array, colour: str
) -> None:
    """Paint discs at the draggable tips."""
    if kind in arrows(view):
        for index, tip in enumerate(tips):
            held = view.appearance.focus == f"{kind} {index}"
            fill = colour if held else view.theme.surface
            paint_disc(painter, field.at(tip), KNOB - 0.5, line=colour, width=2.0, fill=fill)


# The table


def column(where: PlaneLayout, count: int, place: int) -> QRectF:
    cell = cell_rect(where.table, 2, count, 0, place)
    return QRectF(
        cell.left() + 1.0, cell.top() - NAMES, cell.width() - 2.0, NAMES + 2 * cell.height()
    )


def _paint_table(painter: QPainter, where: PlaneLayout, view: LabView) -> None:
    """Paint scores above weights, one column per key; the followed one framed."""
    theme, result, decimals = view.theme, view.result, view.decimals
    count = len(result.weights)
    high = where.table.height() / 2
    followed = (int(view.setting["key"]), int(view.setting["key"]) + 1)
    sizes = [
        legible_size(v, decimals, where.table.width() / count, high)
        for v in (result.scores[None], result.weights[None])
    ]
    for index, (values, name) in enumerate(
        zip((result.scores, result.weights), _row_names(result), strict=True)
    ):
        row = QRectF(
            where.table.left(), where.table.top() + index * high, where.table.width(), high
        )
        levels = Levels(0.0, 1.0) if index else levels_of(result.scores, "scores")
        frames = (Frame((0, 1), followed, theme.key, 2.0),)
        hidden = result.scores[None] if index else None  # −∞ marks a masked weight
        paint_grid(
            painter,
            row,
            view,
            values[None],
            levels,
            frames=frames,
            digits=min(sizes) or None,
            scores=hidden,
        )
        colour = theme.weights if index else theme.muted
        area = QRectF(where.names.left(), row.top(), where.names.width(), high)
        write(painter, area, name, colour, font(BODY), RIGHT_ALIGNED)
    for place in range(count):
        head = QRectF(column(where, count, place))
        if head.width() > 14.0:
            area = QRectF(head.left(), head.top(), head.width(), NAMES)
            write(painter, area, key_token(view, place), theme.muted, font(CAPTION), CENTRED)
