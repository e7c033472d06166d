"""The heatmap on a slide: larger where its matrix is small, so that the last row reads its letters."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.session.state import State
from gui.views.heatmaps.picture import Heatmap, make_heatmap, paint_heatmap

LARGEST = 2.0  # times the heatmap's own size
CELL = 40.0  # a side that holds a number well, in the heatmap's own units
BESIDE, AROUND = 150.0, 40.0  # what tokens, captions and bar take of the width and of the height


def paint_large(painter: QPainter, rect: QRectF, state: State) -> None:
    """Draw the heatmap of a state into a rectangle, as large as its cells keep room for their numbers."""
    unit = enlarged(rect, make_heatmap(state, rect))
    painter.save()
    painter.translate(rect.topLeft())
    painter.scale(unit, unit)
    paint_heatmap(painter, QRectF(0.0, 0.0, rect.width() / unit, rect.height() / unit), state)
    painter.restore()


def enlarged(rect: QRectF, shown: Heatmap) -> float:
    """How many times as large as its own size a heatmap is painted: from 1 to LARGEST."""
    rows, columns = shown.sheet.shape
    across = shown.layout.across
    down = math.ceil(len(shown.sheet.panes) / across)
    wide, high = columns * across * CELL + BESIDE, rows * down * CELL + AROUND
    return min(LARGEST, max(1.0, min(rect.width() / wide, rect.height() / high)))
