"""The heatmap on any painter, without a canvas: the current stage or, in the manner of the panel, all its heads."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter

from core.base.cell import Cell
from gui.painting.matrix import cell_at
from gui.painting.theme import colours
from gui.session.state import State
from gui.views.heatmaps.axes import bar_numbers, paint_axes, paint_bar
from gui.views.heatmaps.heatmap_data import ONE, Pane, choose, panes
from gui.views.heatmaps.heatmap_spec import HeatmapSpec, make_sheet
from gui.views.heatmaps.layout import Layout, Request, lay_out
from gui.views.heatmaps.painting import (
    SMALLEST_DIGITS,
    coloured,
    paint_between,
    paint_over,
    paint_under,
)
from gui.views.heatmaps.visible_cells import Look, look_at, seen

MARGIN = 4.0
OFF_OPACITY = 0.35


@dataclass(frozen=True, slots=True, eq=False)
class Heatmap:
    """A sheet and where everything of it lies."""

    sheet: HeatmapSpec
    layout: Layout
    stage_id: str

    @property
    def chosen(self) -> Pane:
        """The pane of the head that is looked at."""
        return next(
            (pane for pane in self.sheet.panes if pane.head == self.sheet.head), self.sheet.panes[0]
        )

    def cell_at(self, state: State, point: QPointF) -> Cell | None:
        """The document's cell under a point."""
        for pane, rect in zip(self.sheet.panes, self.layout.matrices, strict=True):
            place = cell_at(rect, *pane.shape, point)
            if place is not None:
                return state.orientation.cell(Cell(self.stage_id, *place, pane.head))
        return None


def make_heatmap(state: State, rect: QRectF) -> Heatmap:
    """Lay out the current stage in a rectangle; a difference to a run that cannot be shown is left out."""
    state = replace(state, preferences=replace(state.preferences, heatmap_stage=""))
    choice = choose(state)
    if choice.missing:
        state = replace(state, preferences=replace(state.preferences, heatmap_view=ONE))
        choice = choose(state)
    return _laid_out(make_sheet(state, choice, panes(choice, state.trace)), rect, choice.stage.id)


def _laid_out(sheet: HeatmapSpec, rect: QRectF, stage_id: str) -> Heatmap:
    rows, columns = sheet.shape
    numbers = bar_numbers(sheet.panes[0].levels, sheet.decimals)
    request = Request(
        len(sheet.panes), rows, columns, sheet.rows, sheet.captions, sheet.plain_captions, numbers
    )
    return Heatmap(sheet, lay_out(rect, request), stage_id)


def paint_heatmap(painter: QPainter, rect: QRectF, state: State) -> None:
    """Draw the heatmap of a state into a rectangle."""
    _paint(painter, rect, make_heatmap(state, rect))


def paint_sheet(
    painter: QPainter,
    rect: QRectF,
    inner: QRectF,
    sheet: HeatmapSpec,
    least: float = SMALLEST_DIGITS,
) -> None:
    """Draw a sheet as the canvas does: the ground of a rectangle, and everything else inside another."""
    _paint(painter, rect, _laid_out(sheet, inner, ""), least)


def _paint(painter: QPainter, rect: QRectF, shown: Heatmap, least: float = SMALLEST_DIGITS) -> None:
    sheet, layout = shown.sheet, shown.layout
    painter.fillRect(rect, QColor(colours(sheet.shade).surface))
    paint_under(painter, layout, sheet)
    for pane, where in zip(sheet.panes, layout.matrices, strict=True):
        painter.setOpacity(OFF_OPACITY if pane.head in sheet.off else 1.0)
        look = _look(painter, pane, where)
        painter.drawImage(look.rect(where, pane.shape), _image(seen(pane, look), sheet.shade))
    painter.setOpacity(1.0)
    paint_between(painter, layout, layout.matrices, sheet)
    paint_axes(painter, layout, layout.matrices, sheet)
    paint_over(painter, layout, layout.matrices, sheet, least)
    paint_bar(painter, layout, shown.chosen.levels, sheet, focused_value(sheet, shown.chosen))


def _look(painter: QPainter, pane: Pane, where: QRectF) -> Look:
    """As many cells as pixels; on paper all of them, since that can be looked at more closely."""
    engine, device = painter.paintEngine(), painter.device()
    if engine is None or device is None or engine.type() is not QPaintEngine.Type.Raster:
        return Look(0, pane.shape[0], 0, pane.shape[1])
    return look_at(
        pane.shape, where, where, painter.combinedTransform().m11() * device.devicePixelRatioF()
    )


def _image(pane: Pane, shade: str) -> QImage:
    pixels = coloured(pane, colours(shade))
    height, width = pane.shape
    return QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()


def focused_value(sheet: HeatmapSpec, pane: Pane) -> float | None:
    """What the pointer at the bar points at, if anything."""
    focus = sheet.focus
    if focus is None or pane.stands_out(focus.row, focus.column):
        return None
    return float(pane.values[focus.row, focus.column])
