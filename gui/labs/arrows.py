"""A plane with grid, arrows and points; both axes share one scale, so angles are true."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from core.base.arrays import Array
from gui.labs.charts import CENTRED, ChartAxis, ChartStroke, grid_colour, ticks, write
from gui.painting.shapes import faded, paint_arrow_head, paint_shape, square_around
from gui.painting.theme import CAPTION, Colours, font
from gui.widgets.subscripts import width_of

HEAD = 9.0  # length of an arrowhead in units
LABEL = 18.0
KNOB = 6.0
BEYOND = 1.06  # visible part beyond the reach, for points at the edge
APART = (8.0, 20.0, 34.0)  # distance of a name from its point
TURNS = (0.0, 0.7, -0.7, 1.4, -1.4, 2.2, -2.2, math.pi)


@dataclass(frozen=True, slots=True)
class Field:
    """A rectangle that shows the plane around the origin, a little beyond `reach` each way."""

    area: QRectF
    reach: float

    @property
    def unit(self) -> float:
        """Return painter units per unit of the plane."""
        return min(self.area.width(), self.area.height()) / (2 * BEYOND * self.reach)

    def at(self, point: Array) -> QPointF:
        """Map a point (2,) of the plane to the painter."""
        centre = self.area.center()
        return QPointF(
            centre.x() + float(point[0]) * self.unit, centre.y() - float(point[1]) * self.unit
        )

    def value(self, place: QPointF, step: float) -> tuple[float, float]:
        """Map a painter point to the plane, limited to the reach and rounded to a step."""
        centre = self.area.center()
        raw = ((place.x() - centre.x()) / self.unit, (centre.y() - place.y()) / self.unit)
        clamped = (min(max(value, -self.reach), self.reach) for value in raw)
        x, y = (round(round(value / step) * step, 9) for value in clamped)
        return x, y


def paint_field(painter: QPainter, field: Field, theme: Colours) -> None:
    """Paint grid and axes."""
    area = field.area
    painter.fillRect(area, QColor(theme.sunken))
    across, up = area.width() / 2 / field.unit, area.height() / 2 / field.unit
    first, second, *_ = ticks(ChartAxis(-field.reach, field.reach), 10)
    step = second.value - first.value  # that of the numbers, if these are close
    for values, far, vertical in ((across, up, True), (up, across, False)):
        for count in range(-int(values / step), int(values / step) + 1):
            ends = np.array([(count * step, -far), (count * step, far)])[
                :, :: 1 if vertical else -1
            ]
            line = QLineF(field.at(ends[0]), field.at(ends[1]))
            paint_shape(painter, line, line=grid_colour(theme) if count else theme.muted)


def paint_numbers(painter: QPainter, field: Field, taken: Sequence[QRectF], theme: Colours) -> None:
    """Paint tick labels along the axes, except at occupied places."""
    centre = field.area.center()
    for tick in ticks(ChartAxis(-field.reach, field.reach), 5):
        if tick.value == 0.0 or abs(tick.value) >= field.reach * 0.99:
            continue
        width = width_of(tick.text, font(CAPTION)) + 2.0
        below = QRectF(
            centre.x() + tick.value * field.unit - width / 2, centre.y() + 2.0, width, 16.0
        )
        beside = QRectF(
            centre.x() - width - 4.0, centre.y() - tick.value * field.unit - 8.0, width, 16.0
        )
        for area in (below, beside):
            if not any(area.intersects(other) for other in taken):
                write(painter, area, tick.text, theme.muted, font(CAPTION), CENTRED)


def paint_arrow(
    painter: QPainter, field: Field, tip: Array, colour: str, width: float = 2.0
) -> None:
    """Paint an arrow from the origin to a point."""
    line = QLineF(field.area.center(), field.at(tip))
    long = line.length()
    head = min(HEAD + width, long)
    if long > head:
        shaft = QLineF(line.p1(), line.pointAt((long - head * 0.8) / long))
        paint_shape(painter, shaft, line=ChartStroke(colour, width=width).pen())
    if long > 1.0:
        paint_arrow_head(painter, line, head, head * 0.42, colour)


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """A name beside its point."""

    tip: Array
    text: str
    colour: str


def paint_labels(
    painter: QPainter,
    field: Field,
    labels: Sequence[Label],
    points: Sequence[Array],
    theme: Colours,
) -> list[QRectF]:
    """Paint names by priority, without those that would cover another name or a point.

    Returns the covered rectangles.
    """
    knobs = [square_around(field.at(point), KNOB) for point in points]
    taken: list[QRectF] = []
    for label in labels:
        own = field.at(label.tip)
        others = [knob for knob in knobs if not knob.contains(own)]
        areas = (
            area
            for area in _areas(field, label)
            if not any(area.intersects(rect) for rect in (*taken, *others))
        )
        area = next(areas, None)
        if area is not None:
            taken.append(area)
            _paint_label(painter, area, label, theme)
    return taken


def _areas(field: Field, label: Label) -> Iterator[QRectF]:
    """List candidate rectangles of a name: outwards first, then sideways, then farther away."""
    place, width = field.at(label.tip), width_of(label.text, font(CAPTION, bold=True)) + 6.0
    outwards = (
        math.atan2(float(label.tip[1]), float(label.tip[0])) if label.tip.any() else -math.pi / 2
    )
    inside = field.area.adjusted(2, 2, -2, -2)
    for apart in APART:
        for turn in TURNS:
            across, up = math.cos(outwards + turn), math.sin(outwards + turn)
            centre = QPointF(
                place.x() + across * (apart + width / 2), place.y() - up * (apart + LABEL / 2)
            )
            area = QRectF(centre.x() - width / 2, centre.y() - LABEL / 2, width, LABEL)
            if inside.contains(area):
                yield area


def _paint_label(painter: QPainter, area: QRectF, label: Label, theme: Colours) -> None:
    """Paint a name on a background that separates it from lines."""
    plate = area.adjusted(0, 1, 0, -1)
    paint_shape(painter, plate, fill=faded(theme.sunken, 0.8), radius=4)
    write(painter, area, label.text, label.colour, font(CAPTION, bold=True), CENTRED)


def together(field: Field, tips: Array) -> list[list[int]]:
    """Group points that coincide on the screen, in order of first appearance."""
    groups: list[list[int]] = []
    for index, tip in enumerate(tips):
        here = field.at(tip)
        for group in groups:
            if (field.at(tips[group[0]]) - here).manhattanLength() < KNOB:
                group.append(index)
                break
        else:
            groups.append([index])
    return groups
