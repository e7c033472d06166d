"""What is drawn around and over the images of a heatmap view, kept as pixmaps: a step back and forth draws it once."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from gui.painting.pixmap_cache import Hashed, Key, Paint, PixmapCache, Sources, owner, place
from gui.views.heatmaps.axes import bar_texts, paint_said, paint_scale, pointed
from gui.views.heatmaps.heatmap_data import Pane
from gui.views.heatmaps.heatmap_spec import HeatmapSpec
from gui.views.heatmaps.layout import Layout
from gui.views.heatmaps.painting import digits_in, paint_over
from gui.views.heatmaps.picture import focused_value, paint_around

Wholes = tuple[QRectF, ...]
Size = tuple[float, float]
BESIDE, NUMBERS = 12.0, 128.0  # what the bar needs around it, and at its right for its numbers


class KeptMarks:
    """Digits, marks, titles, tokens and the bar of colours."""

    def __init__(self) -> None:
        self._pixmaps = PixmapCache()

    def paint(
        self,
        painter: QPainter,
        area: QRectF,
        layout: Layout,
        wholes: Wholes,
        sheet: HeatmapSpec,
        pane: Pane,
        least: float,
    ) -> None:
        """Everything inside an area in units; `pane` is the one that the bar speaks of, `least` the smallest digits.

        What stays when numbers change is a picture of its own, on a copy of which digits are written, and the bar is
        another: where no digits are seen, other numbers change nothing but the bar.
        """
        size = 1.0, painter.combinedTransform().m11()
        same = Hashed(
            tuple(map(_rect, wholes)),
            tuple(map(_rect, layout.matrices)),
            layout.captions,
            _rect(area),
            sheet.rows,
            sheet.columns,
            sheet.captions,
            sheet.titles,
            sheet.shade,
            sheet.head,
            sheet.bold_row,
            sheet.bold_column,
            len(sheet.panes),
            sheet.panes[0].head,
        )
        arrays, digits = _told(layout, wholes, sheet, least)
        key = Hashed(same, digits, sheet.focus, sheet.feeding, sheet.pinned, sheet.off)
        around = partial(paint_around, layout=layout, wholes=wholes, sheet=sheet)
        over = partial(paint_over, layout=layout, wholes=wholes, sheet=sheet, least=least)
        self._draw(painter, area, size, ("around", same, around), ("marks", key, arrays, over))
        self._paint_bar(painter, layout, sheet, pane, size)

    def _paint_bar(
        self, painter: QPainter, layout: Layout, sheet: HeatmapSpec, pane: Pane, size: Size
    ) -> None:
        """The bar, and over it what its numbers and its pointer say now."""
        bar, levels, shade = layout.bar, pane.levels, sheet.shade
        numbers, at = bar_texts(levels, sheet), pointed(levels, focused_value(sheet, pane))
        bounds = _whole_pixels(bar.adjusted(-BESIDE, -BESIDE, NUMBERS, BESIDE), size[1])
        bare = Hashed(_rect(bar), levels.sequential, shade)
        scale = partial(paint_scale, bar=bar, levels=levels, shade=shade)
        said = partial(paint_said, bar=bar, sheet=sheet, numbers=numbers, at=at)
        self._draw(
            painter,
            bounds,
            size,
            ("scale", bare, scale),
            ("bar", Hashed(bare, numbers, at), (), said),
        )

    def _draw(
        self,
        painter: QPainter,
        area: QRectF,
        size: Size,
        lasting: tuple[str, Key, Paint],
        passing: tuple[str, Key, Sources, Paint],
    ) -> None:
        """What passes, over what lasts; both are kept, and only what is not there is painted."""
        name, key, sources, over = passing
        pixmap = self._pixmaps.find(name, key, sources, size)
        if pixmap is None:
            under, same, paint = lasting
            ground = self._pixmaps.make(under, same, (), size, area, paint)
            pixmap = self._pixmaps.make(name, key, sources, size, area, over, ground)
        painter.drawPixmap(area.topLeft(), pixmap)


def _told(layout: Layout, wholes: Wholes, sheet: HeatmapSpec, least: float) -> tuple[Sources, Key]:
    """The arrays of which digits are written, and all that says which they are; none where they are too small."""
    shown = zip(sheet.panes, layout.matrices, wholes, strict=True)
    if not any(
        digits_in(pane, window, whole, sheet.decimals, least) for pane, window, whole in shown
    ):
        return (), ()
    arrays = tuple(array for pane in sheet.panes for array in _arrays(pane))
    levels = tuple(pane.levels for pane in sheet.panes)
    key = tuple(map(place, arrays)), levels, sheet.panes[0].difference, sheet.decimals, least
    return tuple(map(owner, arrays)), key


def _whole_pixels(area: QRectF, ratio: float) -> QRectF:
    """An area from whole pixels on, so that what is painted in it stands as it would without it."""
    corner = QPointF(math.floor(area.x() * ratio) / ratio, math.floor(area.y() * ratio) / ratio)
    return QRectF(corner, area.bottomRight())


def _arrays(pane: Pane) -> Sources:
    found = (pane.values, pane.masked, pane.half_masked, pane.withheld)
    return tuple(array for array in found if array is not None)


def _rect(rect: QRectF) -> tuple[float, float, float, float]:
    return rect.x(), rect.y(), rect.width(), rect.height()
