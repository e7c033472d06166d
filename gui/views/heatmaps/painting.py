"""Paints heatmaps on any painter: cells, digits, marks and titles."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, reduce

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

from core.base.number_format import show
from gui.painting.color_scale import ink, ramp, value_colour
from gui.painting.matrix import PLATE, cell_rect, digit_size, paint_frame
from gui.painting.pixmap_cache import draw_cached
from gui.painting.shapes import draw_box, set_ink
from gui.painting.text_layout import LEFT, draw_line, elide, text_line, width_of
from gui.painting.text_size import saved
from gui.painting.theme import CAPTION, Colours, colours, font
from gui.session.state import State
from gui.views.heatmaps.axes import paint_axes, paint_bar
from gui.views.heatmaps.heatmap_data import (
    COLOR_COUNT,
    HALF_MASKED,
    MASKED,
    ONE,
    Pane,
    choose_heatmap,
    make_panes,
)
from gui.views.heatmaps.heatmap_spec import HeatmapSpec, make_heatmap_spec
from gui.views.heatmaps.layout import (
    LINE,
    SMALLEST_DIGITS,
    Heatmap,
    caption_width,
    lay_out_heatmap,
)
from gui.views.heatmaps.lens import paint_lens
from gui.views.heatmaps.visible_cells import VisibleCells, find_visible, visible_pane

# From this size on cells have gaps and rounded corners, up to a number of cells.
SMALLEST_WITH_GAPS, MOST_WITH_GAPS = 13.0, 4096
SMALLEST_MARK = 9.0  # of a ring around a cell
LARGEST_DIGITS = 20.0
LEAST_MAGNIFIED = 7.0  # units of a magnified text below which no digits are written
MARGIN = 4.0
EDGE = 0.5  # units around covered cells
OFF_OPACITY = 0.35  # of a head that is switched off


def smallest_digits(unit: float) -> float:
    """The smallest digits in units of `unit` pixels.

    Where text is larger they may be a little smaller than it.
    """
    return max(SMALLEST_DIGITS / unit, LEAST_MAGNIFIED) if unit > 1.0 else SMALLEST_DIGITS


def pane_colours(pane: Pane, theme: Colours) -> npt.NDArray[np.uint8]:
    """The RGBA of every cell.  # -> (rows, columns, 4)"""
    return np.take(_lookup(theme), pane.color_indices(), axis=0)


@cache
def _lookup(theme: Colours) -> npt.NDArray[np.uint8]:
    """RGBA by colour index: the ramp, transparent over hatching, a tint for half masked."""
    table = np.zeros((COLOR_COUNT, 4), dtype=np.uint8)
    table[:MASKED, :3], table[:MASKED, 3] = ramp(theme), 255
    tint = QColor(theme.warning)
    table[HALF_MASKED] = (tint.red(), tint.green(), tint.blue(), 110)
    return table


def paint_under(painter: QPainter, heatmap: Heatmap) -> None:
    """Paint the hatching that shows through masked cells."""
    theme = colours(heatmap.spec.shade)
    for pane, rect in zip(heatmap.spec.panes, heatmap.layout.matrices, strict=True):
        if pane.masked is not None or pane.half_masked is not None:
            painter.fillRect(rect, QColor(theme.sunken))
            painter.fillRect(rect, QBrush(QColor(theme.ghost), Qt.BrushStyle.BDiagPattern))


def paint_around(painter: QPainter, heatmap: Heatmap) -> None:
    """Paint everything around and over the coloured cells."""
    spec, layout, theme = heatmap.spec, heatmap.layout, colours(heatmap.spec.shade)
    rects = *layout.matrices, *layout.titles
    area = reduce(QRectF.united, rects).adjusted(-layout.gutter - 4, -LINE - 5, 8, 2 * LINE)
    titles, heads = _titles(heatmap), tuple(pane.head for pane in spec.panes)
    key = (
        *("heatmap", heads, spec.head, titles, layout.captions, layout.gutter, spec.shade),
        *(rect.getRect() for rect in (*rects, *heatmap.full)),
        *(spec.rows, spec.columns, spec.bold_row, spec.bold_column),
    )
    for pane, visible, full in zip(spec.panes, layout.matrices, heatmap.full, strict=True):
        _cover(painter, visible, full, pane, spec, theme)
    draw_cached(painter, area, key, lambda own: _paint_labels(own, heatmap, titles, theme))
    for index, pane in enumerate(spec.panes):
        visible, full = layout.matrices[index], heatmap.full[index]
        with saved(painter):
            painter.setClipRect(visible.adjusted(-4, -4, 4, 4))
            _paint_digits(painter, visible, full, pane, spec, heatmap.smallest)
            _paint_pins(painter, full, pane, spec, theme)
            _paint_frames(painter, full, pane, spec, theme)
    paint_bar(painter, heatmap)
    paint_lens(painter, heatmap)


def _cover(
    painter: QPainter, visible: QRectF, full: QRectF, pane: Pane, spec: HeatmapSpec, theme: Colours
) -> None:
    """Cover the cells that are not to be shown yet, and the edges that they share with others."""
    if spec.extent is None:
        return
    lines, cells = spec.extent
    height, width = full.height() / pane.shape[0], full.width() / pane.shape[1]
    hidden = QPainterPath()
    for skipped, of_line in ((lines, cells), (lines + 1, 0)):
        down, over = (of_line, skipped) if spec.by_column else (skipped, of_line)
        part = full.adjusted(over * width - EDGE, down * height - EDGE, EDGE, EDGE)
        hidden.addRect(part & visible.adjusted(-EDGE, -EDGE, EDGE, EDGE))
    hidden.setFillRule(Qt.FillRule.WindingFill)
    for cell in spec.pinned if spec.shows_pins else ():
        if cell.head == pane.head:
            pinned = QPainterPath()
            pinned.addRect(cell_rect(full, *pane.shape, cell.row, cell.column))
            hidden -= pinned
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillPath(hidden, QColor(theme.sunken))


def _paint_labels(
    painter: QPainter, heatmap: Heatmap, titles: tuple[str, ...], theme: Colours
) -> None:
    """Paint what does not change with the numbers: gaps between cells, titles and axes."""
    spec, layout = heatmap.spec, heatmap.layout
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for index, pane in enumerate(spec.panes):
        visible, full = layout.matrices[index], heatmap.full[index]
        with saved(painter):
            _paint_gaps(painter, visible, full, pane, theme)
        selected = spec.has_several_heads and pane.head == spec.head
        _paint_title(painter, layout.titles[index], titles[index], selected, theme)
    paint_axes(painter, heatmap)


def _visible(window: QRectF, whole: QRectF, pane: Pane) -> tuple[range, range]:
    """The rows and columns of a matrix that are visible in a window."""
    rows, columns = pane.shape
    height, width = whole.height() / rows, whole.width() / columns
    first_row = max(0, int((window.top() - whole.top()) / height))
    first_column = max(0, int((window.left() - whole.left()) / width))
    last_row = min(rows, int((window.bottom() - whole.top()) / height - 1e-6) + 1)
    last_column = min(columns, int((window.right() - whole.left()) / width - 1e-6) + 1)
    return range(first_row, last_row), range(first_column, last_column)


def _paint_gaps(
    painter: QPainter, window: QRectF, whole: QRectF, pane: Pane, theme: Colours
) -> None:
    """Paint the gaps between cells, with which they look like all other matrices."""
    rows, columns = _visible(window, whole, pane)
    width, height = whole.width() / pane.shape[1], whole.height() / pane.shape[0]
    if min(width, height) < SMALLEST_WITH_GAPS or len(rows) * len(columns) > MOST_WITH_GAPS:
        draw_box(painter, window, QPen(QColor(theme.line), 1), None)
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


def _digits(pane: Pane, window: QRectF, whole: QRectF, spec: HeatmapSpec, least: float) -> float:
    """The size of the digits in the cells of a pane, 0 where they would be smaller than `least`."""
    width, height = whole.width() / pane.shape[1], whole.height() / pane.shape[0]
    rows, columns = _visible(window, whole, pane)
    part = pane.values[rows.start : rows.stop, columns.start : columns.stop]
    if spec.extent is not None:
        row, column = np.ogrid[rows.start : rows.stop, columns.start : columns.stop]
        line, place = (column, row) if spec.by_column else (row, column)
        reached = (line < spec.extent[0]) | ((line == spec.extent[0]) & (place < spec.extent[1]))
        part = np.where(reached, part, 0.0)
    size = digit_size(part, spec.decimals, width, height) if part.size else 0.0
    return min(size, LARGEST_DIGITS) if size >= least else 0.0


def _paint_digits(
    painter: QPainter, window: QRectF, whole: QRectF, pane: Pane, spec: HeatmapSpec, least: float
) -> None:
    size = _digits(pane, window, whole, spec, least)
    if not size:
        return
    theme, face, (rows, columns) = colours(spec.shade), font(size), _visible(window, whole, pane)
    for row in rows:
        for column in columns:
            value = float(pane.values[row, column])
            if spec.is_hidden(row, column, pane.head) or (
                pane.is_difference and pane.is_masked(row, column)
            ):
                continue
            painter.setPen(_ink(pane, row, column, theme, off=pane.head in spec.off))
            cell, text = cell_rect(whole, *pane.shape, row, column), show(value, spec.decimals)
            if pane.is_masked(row, column):  # no hatching through digits
                _, wide, high, _ = text_line(text, face)
                plate = QRectF(0, 0, wide, (1 - 2 * PLATE) * high)
                plate.moveCenter(cell.center())
                painter.fillRect(plate, QColor(theme.sunken))
            draw_line(painter, cell, text, face)


def _ink(pane: Pane, row: int, column: int, theme: Colours, *, off: bool) -> QColor:
    """The colour of digits on their cell."""
    if pane.is_half_masked(row, column):
        return QColor(theme.text)
    if off or pane.is_masked(row, column):
        return QColor(theme.muted)
    return ink(value_colour(theme, pane.levels, float(pane.values[row, column])))


def _paint_pins(
    painter: QPainter, whole: QRectF, pane: Pane, spec: HeatmapSpec, theme: Colours
) -> None:
    """Paint a folded corner on pinned values."""
    set_ink(painter, None, theme.warning)
    for cell in spec.pinned:
        if cell.head == pane.head:
            rect = cell_rect(whole, *pane.shape, cell.row, cell.column)
            side = max(5.0, min(rect.width(), rect.height()) * 0.32)
            corner = rect.topRight()
            painter.drawPolygon(
                QPolygonF([corner, corner - QPointF(side, 0), corner + QPointF(0, side)])
            )


def _paint_frames(
    painter: QPainter, whole: QRectF, pane: Pane, spec: HeatmapSpec, theme: Colours
) -> None:
    """Paint frames around the focused cell and its sources.

    In other heads a thinner one at the same place.
    """
    here = pane.head == spec.head
    if here:
        for frame in spec.source_frames:
            paint_frame(painter, whole, *pane.shape, frame)
    if spec.focus is not None:
        cell = cell_rect(whole, *pane.shape, spec.focus.row, spec.focus.column)
        _paint_ring(painter, cell, theme, 2.5 if here else 1.2)


def _paint_ring(painter: QPainter, cell: QRectF, theme: Colours, width: float) -> None:
    """Paint a ring with a halo, which is visible on every colour of the scale."""
    grow_x = max(0.0, SMALLEST_MARK - cell.width()) / 2
    grow_y = max(0.0, SMALLEST_MARK - cell.height()) / 2
    ring = cell.adjusted(-grow_x, -grow_y, grow_x, grow_y)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, thickness in ((theme.surface, width + 2), (theme.accent, width)):
        painter.setPen(QPen(QColor(colour), thickness))
        painter.drawRoundedRect(ring, 4, 4)


def _titles(heatmap: Heatmap) -> tuple[str, ...]:
    """The longest titles that all fit, or the shortest."""
    width, options = heatmap.layout.titles[0].width(), heatmap.spec.titles
    for titles in options:
        if all(caption_width(text, bold=True) <= width for text in titles):
            return titles
    return options[-1]


def _paint_title(
    painter: QPainter, rect: QRectF, title: str, selected: bool, theme: Colours
) -> None:
    """Paint the title of a pane; that of the selected head is bold and underlined."""
    text_font = font(CAPTION, bold=selected)
    text = elide(title, text_font, rect.width(), inside=True)
    painter.setPen(QColor(theme.accent if selected else theme.muted))
    draw_line(painter, rect.adjusted(0, 0, 0, -3), text, text_font, LEFT)
    if selected:
        underline = QRectF(rect.x(), rect.bottom() - 3.5, width_of(text, text_font), 1.5)
        painter.fillRect(underline, QColor(theme.accent))


def make_heatmap(state: State, rect: QRectF) -> Heatmap:
    """Lay out the current stage in a rectangle; without the difference if it cannot be shown."""
    state = replace(state, preferences=replace(state.preferences, heatmap_stage=""))
    choice = choose_heatmap(state)
    if choice.missing:
        state = replace(state, preferences=replace(state.preferences, heatmap_view=ONE))
        choice = choose_heatmap(state)
    spec = make_heatmap_spec(state, choice, make_panes(choice, state.trace))
    return lay_out_heatmap(spec, rect, stage_id=choice.stage.id)


def paint_heatmap(painter: QPainter, rect: QRectF, state: State) -> None:
    """Paint the heatmap of a state into a rectangle."""
    _paint(painter, rect, make_heatmap(state, rect))


def paint_spec(
    painter: QPainter,
    rect: QRectF,
    inner: QRectF,
    spec: HeatmapSpec,
    smallest: float = SMALLEST_DIGITS,
) -> None:
    """Paint as the canvas does: the background of a rectangle, and the heatmap inside another."""
    _paint(painter, rect, lay_out_heatmap(spec, inner, smallest=smallest))


def _paint(painter: QPainter, rect: QRectF, heatmap: Heatmap) -> None:
    spec = heatmap.spec
    painter.fillRect(rect, QColor(colours(spec.shade).surface))
    paint_under(painter, heatmap)
    for pane, matrix in zip(spec.panes, heatmap.layout.matrices, strict=True):
        painter.setOpacity(OFF_OPACITY if pane.head in spec.off else 1.0)
        visible = _visible_on(painter, pane, matrix)
        pixels = pane_colours(visible_pane(pane, visible), colours(spec.shade))
        height, width = pixels.shape[:2]
        kind = QImage.Format.Format_RGBA8888
        image = QImage(pixels.tobytes(), width, height, 4 * width, kind).copy()
        painter.drawImage(visible.rect(matrix, pane.shape), image)
    painter.setOpacity(1.0)
    paint_around(painter, heatmap)


def _visible_on(painter: QPainter, pane: Pane, matrix: QRectF) -> VisibleCells:
    """As many cells as pixels; all of them on paper, which can be magnified."""
    engine, device = painter.paintEngine(), painter.device()
    if engine is None or device is None or engine.type() is not QPaintEngine.Type.Raster:
        return VisibleCells(0, pane.shape[0], 0, pane.shape[1])
    scale = painter.combinedTransform().m11() * device.devicePixelRatioF()
    return find_visible(pane.shape, matrix, matrix, scale)
