"""The lines of the plane that are no arrows: hull, way of the key that is followed, way of y; and their legend."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.base.arrays import Array
from gui.labs.arrows import Field
from gui.labs.charts import Stroke, legend_width, paint_legend
from gui.labs.exhibit import Shown
from gui.painting.theme import Colours
from gui.texts.translation import tr

AIR = 16.0  # units between a title and the legend
Line = tuple[str, Stroke]


def key_lines(shown: Shown) -> tuple[Line, ...]:
    """The lines among the keys."""
    theme = shown.look.theme
    return (
        ((tr("where the key goes"), Stroke(theme.key, "dashed", 1.4)),)
        if shown.result.path is not None
        else ()
    )


def value_lines(shown: Shown) -> tuple[Line, ...]:
    """The lines among the values."""
    theme = shown.look.theme
    hull = ((tr("hull"), Stroke(theme.value, "dashed", 1.2)),)
    return (
        (*hull, (tr("where y goes"), Stroke(theme.text, "solid", 2.0)))
        if shown.result.path is not None
        else hull
    )


def paint_lines(
    painter: QPainter, row: QRectF, title: float, theme: Colours, lines: Sequence[Line]
) -> None:
    """What they are, at the right of a row of which a title takes so much: the last ones, as many as have room."""
    while lines and title + AIR + legend_width(lines) + 2.0 > row.width():
        lines = lines[1:]
    if lines:
        wide = legend_width(lines) + 2.0
        paint_legend(
            painter, QRectF(row.right() - wide, row.top() + 2.0, wide, row.height()), theme, lines
        )


def paint_way(painter: QPainter, field: Field, shown: Shown) -> None:
    """The line along which the key goes, and its foot on the query's line: that far its score goes."""
    theme, result = shown.look.theme, shown.result
    painter.setPen(QPen(QColor(theme.key), 1.4, Qt.PenStyle.DashLine))
    painter.drawLine(QLineF(field.at(result.path.ends[0]), field.at(result.path.ends[1])))
    if result.key_exact:
        length = float((result.query**2).sum())
        key = result.keys[int(shown.setting["key"])]
        foot = result.query * (float(key @ result.query) / length)
        painter.setPen(QPen(QColor(theme.muted), 1.2, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(field.at(key), field.at(foot)))
        painter.setPen(QPen(QColor(theme.query), 1.2, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(field.room.center(), field.at(foot)))


def paint_hull(painter: QPainter, field: Field, corners: Array, theme: Colours) -> None:
    """All that a mean of the values can be."""
    fill = QColor(theme.value)
    fill.setAlphaF(0.14)
    painter.setPen(QPen(QColor(theme.value), 1.2, Qt.PenStyle.DashLine))
    painter.setBrush(fill)
    painter.drawPolygon(QPolygonF([field.at(corner) for corner in corners]))


def paint_path(painter: QPainter, field: Field, shown: Shown) -> None:
    """Where y can be, with a dot for every few steps of the key, and the mean of the others at its beginning."""
    theme, path = shown.look.theme, shown.result.path
    painter.setPen(QPen(QColor(theme.text), 2.0))
    painter.drawPolyline(QPolygonF([field.at(point) for point in path.outputs]))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.text))
    for point in path.outputs[:: (len(path.outputs) - 1) // 20]:
        painter.drawEllipse(field.at(point), 2.6, 2.6)
    painter.setPen(QPen(QColor(theme.text), 1.8))
    painter.setBrush(QColor(theme.surface))
    painter.drawEllipse(field.at(path.rest), 4.0, 4.0)
