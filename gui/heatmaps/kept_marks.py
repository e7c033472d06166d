"""What is drawn around and over the images of a heatmap view, kept as pixmaps: a step back and forth draws it once."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.heatmaps.layout import Layout
from gui.heatmaps.panes import Pane
from gui.heatmaps.picture import paint_marks
from gui.heatmaps.sheet import Sheet
from gui.pixmaps import Hashed, Pixmaps, Sources, owner, place

Wholes = tuple[QRectF, ...]


class KeptMarks:
    """Digits, marks, titles, tokens and the bar of colours."""

    def __init__(self) -> None:
        self._pixmaps = Pixmaps()

    def paint(self, painter: QPainter, area: QRectF, layout: Layout, wholes: Wholes, sheet: Sheet, pane: Pane) -> None:
        """Everything inside an area in units; `pane` is the one that the bar speaks of."""
        arrays = tuple(array for pane in sheet.panes for array in _arrays(pane))
        key = Hashed(
            tuple(map(place, arrays)), tuple(map(_rect, wholes)), tuple(map(_rect, layout.matrices)), layout.captions,
            pane.head, pane.levels, sheet.panes[0].difference, sheet.rows, sheet.columns, sheet.captions, sheet.titles,
            sheet.decimals, sheet.shade, sheet.head, sheet.focus, sheet.bold_row, sheet.bold_column, sheet.feeding,
            sheet.pinned, sheet.off, _rect(area), _rect(layout.bar),
        )  # fmt: skip
        size = 1.0, painter.combinedTransform().m11()
        paint = partial(paint_marks, layout=layout, wholes=wholes, sheet=sheet, pane=pane)
        pixmap = self._pixmaps.make("marks", key, tuple(map(owner, arrays)), size, area, paint)
        painter.drawPixmap(area.topLeft(), pixmap)


def _arrays(pane: Pane) -> Sources:
    found = (pane.values, pane.masked, pane.half_masked, pane.withheld)
    return tuple(array for array in found if array is not None)


def _rect(rect: QRectF) -> tuple[float, float, float, float]:
    return rect.x(), rect.y(), rect.width(), rect.height()
