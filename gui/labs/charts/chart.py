"""Where values lie in a rectangle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPolygonF

from core.base.arrays import Array
from gui.labs.charts.axis import ChartAxis

_FAR = 3.0  # axis lengths beyond an end at which what lies farther is drawn


@dataclass(frozen=True, slots=True)
class Chart:
    """The rectangle of the plot itself, without its labels, and the axes along its lower and left sides."""

    rect: QRectF
    x: ChartAxis
    y: ChartAxis

    def at_x(self, value: float) -> float:
        """The horizontal place of a value, in units of the painter."""
        return self.rect.left() + _near(self.x.part(value)) * self.rect.width()

    def at_y(self, value: float) -> float:
        """The vertical place of a value, in units of the painter."""
        return self.rect.bottom() - _near(self.y.part(value)) * self.rect.height()

    def point(self, x: float, y: float) -> QPointF:
        """Where a pair of values lies."""
        return QPointF(self.at_x(x), self.at_y(y))

    def value_x(self, point: QPointF) -> float:
        """The value of the horizontal axis at a point, kept within its ends."""
        return self.x.value((point.x() - self.rect.left()) / self.rect.width())

    def value_y(self, point: QPointF) -> float:
        """The value of the vertical axis at a point, kept within its ends."""
        return self.y.value((self.rect.bottom() - point.y()) / self.rect.height())

    def polygon(self, xs: Array, ys: Array) -> QPolygonF:
        """Pairs of finite values as points.  # (p,), (p,)"""
        across = self.rect.left() + np.clip(self.x.part(xs), -_FAR, 1 + _FAR) * self.rect.width()
        down = self.rect.bottom() - np.clip(self.y.part(ys), -_FAR, 1 + _FAR) * self.rect.height()
        return QPolygonF(
            [QPointF(x, y) for x, y in zip(across.tolist(), down.tolist(), strict=True)]
        )


def _near(part: float) -> float:
    return min(max(part, -_FAR), 1.0 + _FAR)
