"""What is drawn around and over the images of a heatmap view, kept as pixmaps: a step back and forth draws it once."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.heatmaps.layout import Layout
from gui.heatmaps.panes import Pane
from gui.heatmaps.picture import paint_around, paint_numbers
from gui.heatmaps.sheet import Sheet
from gui.pixmaps import Hashed, Pixmaps, Sources, owner, place

Wholes = tuple[QRectF, ...]


class KeptMarks:
    """Digits, marks, titles, tokens and the bar of colours."""

    def __init__(self) -> None:
        self._pixmaps = Pixmaps()

    def paint(
        self, painter: QPainter, area: QRectF, layout: Layout, wholes: Wholes, sheet: Sheet, pane: Pane, least: float
    ) -> None:
        """Everything inside an area in units; `pane` is the one that the bar speaks of, `least` the smallest digits.

        What stays when numbers change is a picture of its own, on a copy of which the rest is painted.
        """
        arrays = tuple(array for pane in sheet.panes for array in _arrays(pane))
        same = Hashed(
            tuple(map(_rect, wholes)), tuple(map(_rect, layout.matrices)), layout.captions, _rect(area), sheet.rows,
            sheet.columns, sheet.captions, sheet.titles, sheet.shade, sheet.head, sheet.bold_row, sheet.bold_column,
            len(sheet.panes), sheet.panes[0].head,
        )  # fmt: skip
        key = Hashed(
            same, tuple(map(place, arrays)), pane.head, pane.levels, sheet.panes[0].difference, sheet.decimals,
            sheet.focus, sheet.feeding, sheet.pinned, sheet.off, _rect(layout.bar),
        )  # fmt: skip
        size, sources = (1.0, painter.combinedTransform().m11()), tuple(map(owner, arrays))
        pixmap = self._pixmaps.find("marks", key, sources, size)
        if pixmap is None:
            around = partial(paint_around, layout=layout, wholes=wholes, sheet=sheet)
            ground = self._pixmaps.make("around", same, (), size, area, around)
            paint = partial(paint_numbers, layout=layout, wholes=wholes, sheet=sheet, pane=pane, least=least)
            pixmap = self._pixmaps.make("marks", key, sources, size, area, paint, ground)
        painter.drawPixmap(area.topLeft(), pixmap)


def _arrays(pane: Pane) -> Sources:
    found = (pane.values, pane.masked, pane.half_masked, pane.withheld)
    return tuple(array for array in found if array is not None)


def _rect(rect: QRectF) -> tuple[float, float, float, float]:
    return rect.x(), rect.y(), rect.width(), rect.height()
