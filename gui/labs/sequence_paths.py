"""How far it is from every token to every other one: through an RNN, and through attention."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPolygonF

from core.base.arrays import Array, frozen
from core.labs.sequence import Compared
from gui.labs.charts import write
from gui.labs.exhibit import Shown
from gui.labs.facts import HEIGHT, Fact, paint_facts
from gui.labs.grids import Names, grid_rect, paint_grid
from gui.painting.color_scale import Levels
from gui.painting.matrix import MatrixSpec, cell_rect
from gui.painting.theme import CAPTION, Colours, font
from gui.texts.translation import tr

GAP = 36.0
AXES = 22.0
LARGEST = 90.0  # a cell


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """Two matrices: rows are outputs, columns are inputs, cells count passes through the network."""
    result: Compared = shown.result
    assert result.nets is not None
    theme = shown.look.theme
    inside = room.adjusted(16.0, 8.0, -16.0, -8.0)
    high = inside.height() - HEIGHT - AXES - 16.0
    wide = (inside.width() - GAP) / 2
    numbers = tuple(str(token + 1) for token in range(result.n))
    ones = frozen(np.ones((result.n, result.n)))
    for left, title, colour, paths in (
        (inside.left(), tr("RNN"), theme.text, result.nets.paths),
        (inside.left() + wide + GAP, tr("Attention"), theme.weights, ones),
    ):
        names = Names(title, numbers, numbers, colour)
        rect = grid_rect(
            QRectF(left, inside.top(), wide, high),
            result.n,
            result.n,
            names,
            widest=LARGEST,
            tallest=LARGEST,
        )
        side = min(rect.width(), rect.height())
        lower = max(0.0, high - (rect.top() - inside.top()) - side) / 2
        rect = QRectF(rect.left(), rect.top() + lower, side, side)
        paint_grid(painter, rect, MatrixSpec(paths, Levels(0.0, float(result.n)), 0), theme, names)
        _paint_nowhere(painter, rect, paths, theme)
        below = QRectF(rect.left(), rect.bottom() + 2.0, wide, AXES)
        write(painter, below, tr("rows: output t · columns: input i"), theme.muted, font(CAPTION))
    area = QRectF(inside.left(), inside.bottom() - HEIGHT, inside.width(), HEIGHT)
    paint_facts(painter, area, theme, _facts(result, theme))


def _paint_nowhere(painter: QPainter, rect: QRectF, paths: Array, theme: Colours) -> None:
    """What comes later cannot be seen by an earlier state: hatched."""
    n = len(paths)
    if paths.all():
        return
    corners = [rect.topRight()]
    for row in range(n):
        reach = int(np.count_nonzero(paths[row]))
        cell = cell_rect(rect, n, n, row, reach - 1)
        corners += [QPointF(cell.right(), cell.top()), QPointF(cell.right(), cell.bottom())]
    painter.setPen(Qt.PenStyle.NoPen)
    for brush in (
        QBrush(QColor(theme.sunken)),
        QBrush(QColor(theme.ghost), Qt.BrushStyle.BDiagPattern),
    ):
        painter.setBrush(brush)
        painter.drawPolygon(QPolygonF(corners))


def _facts(result: Compared, theme: Colours) -> tuple[Fact, ...]:
    assert result.nets is not None
    longest = str(int(result.nets.paths.max()))
    return (
        Fact(tr("longest way, RNN"), longest, theme.text),
        Fact(tr("longest way, attention"), "1", theme.weights),
        Fact(tr("steps one after the other, RNN"), str(result.n), theme.text),
        Fact(tr("steps, attention"), "1", theme.weights),
    )
