"""Paints heatmaps on any painter: cells, digits, marks, titles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QImage,
    QPaintEngine,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
)

from core.base.cell import Cell
from core.base.number_format import show
from gui.painting.color_scale import ink, ramp, value_colour
from gui.painting.matrix import PLATE, cell_at, cell_rect, digit_size, paint_frame
from gui.painting.text_layout import LEFT, cut, text_metrics, width_of, write
from gui.painting.theme import CAPTION, Colours, colours, font
from gui.session.state import State
from gui.views.heatmaps.axes import bar_numbers, paint_axes, paint_bar
from gui.views.heatmaps.heatmap_data import (
    COLOR_COUNT,
    HALF_MASKED,
    HIDDEN,
    MASKED,
    ONE,
    Pane,
    choose_heatmap,
    make_panes,
)
from gui.views.heatmaps.heatmap_spec import HeatmapSpec, make_heatmap_spec
from gui.views.heatmaps.layout import HeatmapLayout, LayoutRequest, caption_width, lay_out
from gui.views.heatmaps.visible_cells import VisibleCells, find_visible, visible_pane

# Cells of at least this size stand apart with rounded corners; a mark around a cell is never smaller.
APART, SMALLEST_MARK = 13.0, 9.0
MOST_APART = 4096
SMALLEST_DIGITS, LARGEST_DIGITS = 10.0, 20.0
LEAST_LARGE = 7.0  # units of a larger text below which no digits are written


def smallest_digits(unit: float) -> float:
    """In units, of so many pixels: where text is larger, digits are rather a little smaller than it than left out."""
    return max(SMALLEST_DIGITS / unit, LEAST_LARGE) if unit > 1.0 else SMALLEST_DIGITS


def pane_colours(pane: Pane, theme: Colours) -> npt.NDArray[np.uint8]:
    """The RGBA of every cell, (rows, columns, 4)."""
    return np.take(_lookup(theme), pane.color_indices(), axis=0)


@cache
def _lookup(theme: Colours) -> npt.NDArray[np.uint8]:
    """RGBA of every place: the ramp, nothing (the hatching shows), a tint for masked in one run only, and blank."""
    table = np.zeros((COLOR_COUNT, 4), dtype=np.uint8)
    table[:MASKED, :3], table[:MASKED, 3] = ramp(theme), 255
    tint = QColor(theme.warning)
    table[HALF_MASKED] = (tint.red(), tint.green(), tint.blue(), 110)
    blank = QColor(theme.sunken)
    table[HIDDEN] = (blank.red(), blank.green(), blank.blue(), 255)
    return table


def paint_under(painter: QPainter, layout: HeatmapLayout, sheet: HeatmapSpec) -> None:
    """The hatching that shows through where a cell is masked."""
    theme = colours(sheet.shade)
    for pane, rect in zip(sheet.panes, layout.matrices, strict=True):
        if pane.masked is not None or pane.half_masked is not None:
            painter.fillRect(rect, QColor(theme.sunken))
            painter.fillRect(rect, QBrush(QColor(theme.ghost), Qt.BrushStyle.BDiagPattern))


def paint_between(
    painter: QPainter, layout: HeatmapLayout, wholes: tuple[QRectF, ...], sheet: HeatmapSpec
) -> None:
    """What lies between cells and over panes, whatever the numbers are."""
    theme = colours(sheet.shade)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    titles = _titles(layout, sheet)
    for index, pane in enumerate(sheet.panes):
        painter.save()
        _paint_gaps(painter, layout.matrices[index], wholes[index], pane, theme)
        painter.restore()
        _paint_title(
            painter,
            layout.titles[index],
            titles[index],
            sheet.has_several_heads and pane.head == sheet.head,
            theme,
        )


def paint_over(
    painter: QPainter,
    layout: HeatmapLayout,
    wholes: tuple[QRectF, ...],
    sheet: HeatmapSpec,
    least: float = SMALLEST_DIGITS,
) -> None:
    """Digits and marks. `wholes` are where the whole matrices lie, larger than their windows when zoomed."""
    theme = colours(sheet.shade)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for index, pane in enumerate(sheet.panes):
        window, whole = layout.matrices[index], wholes[index]
        painter.save()
        painter.setClipRect(window.adjusted(-4, -4, 4, 4))
        _paint_digits(painter, window, whole, pane, sheet, least)
        _paint_pins(painter, whole, pane, sheet, theme)
        _paint_frames(painter, whole, pane, sheet, theme)
        painter.restore()


def _visible(window: QRectF, whole: QRectF, pane: Pane) -> tuple[range, range]:
    """The rows and columns inside the window."""
    rows, columns = pane.shape
    height, width = whole.height() / rows, whole.width() / columns
    first_row, first_column = (
        int((window.top() - whole.top()) / height),
        int((window.left() - whole.left()) / width),
    )
    last_row = min(rows, int((window.bottom() - whole.top()) / height - 1e-6) + 1)
    last_column = min(columns, int((window.right() - whole.left()) / width - 1e-6) + 1)
    return range(max(0, first_row), last_row), range(max(0, first_column), last_column)


def _paint_gaps(
    painter: QPainter, window: QRectF, whole: QRectF, pane: Pane, theme: Colours
) -> None:
    """Cells set apart by drawing what lies between them, so that they look as everywhere else."""
    rows, columns = _visible(window, whole, pane)
    width, height = whole.width() / pane.shape[1], whole.height() / pane.shape[0]
    if min(width, height) < APART or len(rows) * len(columns) > MOST_APART:
        painter.setPen(QPen(QColor(theme.line), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(window)
        return
    between = QPainterPath()
    between.setFillRule(Qt.FillRule.OddEvenFill)
    between.addRect(window.adjusted(-1, -1, 1, 1))
    gap, radius = min(1.5, width * 0.04, height * 0.06), min(3.0, height * 0.15)
    for row in rows:
        for column in columns:
            cell = cell_rect(whole, *pane.shape, row, column).adjusted(gap, gap, -gap, -gap)
            between.addRoundedRect(cell, radius, radius)
    painter.setClipRect(window.adjusted(-1, -1, 1, 1))
    painter.fillPath(between, QColor(theme.surface))


def digits_in(pane: Pane, window: QRectF, whole: QRectF, decimals: int, least: float) -> float:
    """How large the digits are that are written in the cells of a pane, 0 where they would be smaller than `least`."""
    width, height = whole.width() / pane.shape[1], whole.height() / pane.shape[0]
    rows, columns = _visible(window, whole, pane)
    part = pane.values[rows.start : rows.stop, columns.start : columns.stop]
    size = digit_size(part, decimals, width, height) if part.size else 0.0
    return min(size, LARGEST_DIGITS) if size >= least else 0.0


def _paint_digits(
    painter: QPainter, window: QRectF, whole: QRectF, pane: Pane, sheet: HeatmapSpec, least: float
) -> None:
    size = digits_in(pane, window, whole, sheet.decimals, least)
    if not size:
        return
    theme, face, (rows, columns) = colours(sheet.shade), font(size), _visible(window, whole, pane)
    for row in rows:
        for column in columns:
            value = float(pane.values[row, column])
            if pane.is_hidden(row, column) or (pane.is_difference and pane.is_masked(row, column)):
                continue
            painter.setPen(_ink(pane, row, column, theme, off=pane.head in sheet.off))
            cell, text = cell_rect(whole, *pane.shape, row, column), show(value, sheet.decimals)
            if pane.is_masked(row, column):  # no hatching through digits
                wide, high, _ = text_metrics(text, face)
                plate = QRectF(0, 0, wide, (1 - 2 * PLATE) * high)
                plate.moveCenter(cell.center())
                painter.fillRect(plate, QColor(theme.sunken))
            write(painter, cell, text, face)


def _ink(pane: Pane, row: int, column: int, theme: Colours, *, off: bool) -> QColor:
    """The colour of digits on their cell."""
    if pane.is_half_masked(row, column):
        return QColor(theme.text)
    if off or pane.is_masked(row, column):
        return QColor(theme.muted)
    return ink(value_colour(theme, pane.levels, float(pane.values[row, column])))


def _paint_pins(
    painter: QPainter, whole: QRectF, pane: Pane, sheet: HeatmapSpec, theme: Colours
) -> None:
    """A folded corner on what-if values."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.warning))
    for cell in sheet.pinned:
        if cell.head == pane.head:
            rect = cell_rect(whole, *pane.shape, cell.row, cell.column)
            side = max(5.0, min(rect.width(), rect.height()) * 0.32)
            corner = rect.topRight()
            painter.drawPolygon(
                QPolygonF([corner, corner - QPointF(side, 0), corner + QPointF(0, side)])
            )


def _paint_frames(
    painter: QPainter, whole: QRectF, pane: Pane, sheet: HeatmapSpec, theme: Colours
) -> None:
    """The focused cell, and what feeds it; in the other heads the same place, thinner."""
    here = pane.head == sheet.head
    if here:
        for frame in sheet.source_frames:
            paint_frame(painter, whole, *pane.shape, frame)
    if sheet.focus is not None:
        cell = cell_rect(whole, *pane.shape, sheet.focus.row, sheet.focus.column)
        _paint_ring(painter, cell, theme, 2.5 if here else 1.2)


def _paint_ring(painter: QPainter, cell: QRectF, theme: Colours, width: float) -> None:
    """A ring with a halo, which stands out on every colour of the scale."""
    grow_x, grow_y = (
        max(0.0, SMALLEST_MARK - cell.width()) / 2,
        max(0.0, SMALLEST_MARK - cell.height()) / 2,
    )
    ring = cell.adjusted(-grow_x, -grow_y, grow_x, grow_y)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, thickness in ((theme.surface, width + 2), (theme.accent, width)):
        painter.setPen(QPen(QColor(colour), thickness))
        painter.drawRoundedRect(ring, 4, 4)


def _titles(layout: HeatmapLayout, sheet: HeatmapSpec) -> tuple[str, ...]:
    """The fullest wording of the titles in which every one fits, or the shortest."""
    room = layout.titles[0].width()
    fitting = (
        titles
        for titles in sheet.titles
        if all(caption_width(text, bold=True) <= room for text in titles)
    )
    return next(fitting, sheet.titles[-1])


def _paint_title(painter: QPainter, rect: QRectF, title: str, chosen: bool, theme: Colours) -> None:
    """A pane's title; the chosen head's is bold and underlined, so that colour does not speak alone."""
    text_font = font(CAPTION, bold=chosen)
    text = cut(title, text_font, rect.width(), inside=True)
    painter.setPen(QColor(theme.accent if chosen else theme.muted))
    write(painter, rect.adjusted(0, 0, 0, -3), text, text_font, LEFT)
    if chosen:
        underline = QRectF(rect.x(), rect.bottom() - 3.5, width_of(text, text_font), 1.5)
        painter.fillRect(underline, QColor(theme.accent))


MARGIN = 4.0
OFF_OPACITY = 0.35


@dataclass(frozen=True, slots=True, eq=False)
class Heatmap:
    """A sheet and where everything of it lies."""

    spec: HeatmapSpec
    layout: HeatmapLayout
    stage_id: str

    @property
    def selected_pane(self) -> Pane:
        """The pane of the head that is looked at."""
        return next(
            (pane for pane in self.spec.panes if pane.head == self.spec.head), self.spec.panes[0]
        )

    def cell_at(self, state: State, point: QPointF) -> Cell | None:
        """The document's cell under a point."""
        for pane, rect in zip(self.spec.panes, self.layout.matrices, strict=True):
            place = cell_at(rect, *pane.shape, point)
            if place is not None:
                return state.orientation.cell(Cell(self.stage_id, *place, pane.head))
        return None


def make_heatmap(state: State, rect: QRectF) -> Heatmap:
    """Lay out the current stage in a rectangle; a difference to a run that cannot be shown is left out."""
    state = replace(state, preferences=replace(state.preferences, heatmap_stage=""))
    choice = choose_heatmap(state)
    if choice.missing:
        state = replace(state, preferences=replace(state.preferences, heatmap_view=ONE))
        choice = choose_heatmap(state)
    return _laid_out(
        make_heatmap_spec(state, choice, make_panes(choice, state.trace)), rect, choice.stage.id
    )


def _laid_out(sheet: HeatmapSpec, rect: QRectF, stage_id: str) -> Heatmap:
    rows, columns = sheet.shape
    numbers = bar_numbers(sheet.panes[0].levels, sheet.decimals)
    request = LayoutRequest(
        len(sheet.panes), rows, columns, sheet.rows, sheet.captions, sheet.plain_captions, numbers
    )
    return Heatmap(sheet, lay_out(rect, request), stage_id)


def paint_heatmap(painter: QPainter, rect: QRectF, state: State) -> None:
    """Draw the heatmap of a state into a rectangle."""
    _paint(painter, rect, make_heatmap(state, rect))


def paint_spec(
    painter: QPainter,
    rect: QRectF,
    inner: QRectF,
    sheet: HeatmapSpec,
    least: float = SMALLEST_DIGITS,
) -> None:
    """Draw a sheet as the canvas does: the ground of a rectangle, and everything else inside another."""
    _paint(painter, rect, _laid_out(sheet, inner, ""), least)


def _paint(painter: QPainter, rect: QRectF, shown: Heatmap, least: float = SMALLEST_DIGITS) -> None:
    sheet, layout = shown.spec, shown.layout
    painter.fillRect(rect, QColor(colours(sheet.shade).surface))
    paint_under(painter, layout, sheet)
    for pane, where in zip(sheet.panes, layout.matrices, strict=True):
        painter.setOpacity(OFF_OPACITY if pane.head in sheet.off else 1.0)
        look = _look(painter, pane, where)
        painter.drawImage(
            look.rect(where, pane.shape), _image(visible_pane(pane, look), sheet.shade)
        )
    painter.setOpacity(1.0)
    paint_between(painter, layout, layout.matrices, sheet)
    paint_axes(painter, layout, layout.matrices, sheet)
    paint_over(painter, layout, layout.matrices, sheet, least)
    paint_bar(
        painter,
        layout,
        shown.selected_pane.levels,
        sheet,
        focused_value(sheet, shown.selected_pane),
    )


def _look(painter: QPainter, pane: Pane, where: QRectF) -> VisibleCells:
    """As many cells as pixels; on paper all of them, since that can be looked at more closely."""
    engine, device = painter.paintEngine(), painter.device()
    if engine is None or device is None or engine.type() is not QPaintEngine.Type.Raster:
        return VisibleCells(0, pane.shape[0], 0, pane.shape[1])
    return find_visible(
        pane.shape, where, where, painter.combinedTransform().m11() * device.devicePixelRatioF()
    )


def _image(pane: Pane, shade: str) -> QImage:
    pixels = pane_colours(pane, colours(shade))
    height, width = pane.shape
    return QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()


def focused_value(sheet: HeatmapSpec, pane: Pane) -> float | None:
    """What the pointer at the bar points at, if anything."""
    focus = sheet.focus
    if focus is None or pane.is_uncoloured(focus.row, focus.column):
        return None
    return float(pane.values[focus.row, focus.column])
