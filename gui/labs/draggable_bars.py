"""Bars of a chart whose ends are dragged, to set a control of several numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from core.base.arrays import Array
from core.labs.controls import Value
from gui.labs.charts import BarChart, Chart, bar_rect, paint_bars
from gui.labs.exhibit import LabView, Spot
from gui.painting.shapes import paint_shape

HANDLE = 7.0
STEP = 0.1  # step of a dragged number


def paint_draggable_bars(painter: QPainter, chart: Chart, view: LabView, values: Array) -> None:
    """Paint a bar with its number and a handle for each value; a focused one is filled."""
    theme = view.theme
    texts = tuple(view.show(value) for value in values)
    paint_bars(painter, chart, theme, [BarChart(values, theme.disabled, texts, lift=HANDLE / 2)])
    for index, value in enumerate(values):
        held = view.appearance.focus == _spot_id(index)
        paint_shape(
            painter,
            _handle(chart, index, float(value)),
            line=theme.accent,
            width=2.0,
            fill=theme.accent if held else theme.surface,
            radius=HANDLE / 2,
        )


def bar_spots(
    chart: Chart, values: Array, control: str, reach: float, names: Sequence[str]
) -> tuple[Spot, ...]:
    """Return the end of each bar, vertically draggable from −reach to reach."""
    numbers = tuple(map(float, values))
    return tuple(
        Spot(
            id=_spot_id(index),
            area=_handle(chart, index, value).adjusted(-4.0, -5.0, 4.0, 5.0),
            name=name,
            control=control,
            drag=partial(_dragged, chart, numbers, index, reach),
            nudge=max(4.0, chart.rect.height() * STEP * chart.y.part(chart.y.low + 1.0)),
        )
        for index, (value, name) in enumerate(zip(numbers, names, strict=True))
    )


def _spot_id(index: int) -> str:
    return f"score {index}"


def _dragged(
    chart: Chart, values: tuple[float, ...], index: int, reach: float, point: QPointF
) -> Value:
    value = round(round(min(max(chart.value_y(point), -reach), reach) / STEP) * STEP, 10)
    return (*values[:index], value, *values[index + 1 :])


def _handle(chart: Chart, index: int, value: float) -> QRectF:
    bar = bar_rect(chart, index, value)
    wide = min(bar.width() * 0.6, 30.0)
    return QRectF(bar.center().x() - wide / 2, chart.at_y(value) - HANDLE / 2, wide, HANDLE)
