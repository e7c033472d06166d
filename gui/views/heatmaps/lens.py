"""Paints the lens of a heatmap: the cells around the focus with digits, and their frame."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from gui.painting.matrix import Frame, MatrixSpec, cell_rect, clip_extent, paint_frame, paint_matrix
from gui.painting.text_layout import CENTRE, RIGHT, draw_line, elide
from gui.painting.text_size import saved
from gui.painting.theme import CAPTION, Colours, colours, font
from gui.views.heatmaps.heatmap_data import Pane
from gui.views.heatmaps.heatmap_spec import HeatmapSpec
from gui.views.heatmaps.layout import LINE, TOKEN_GAP, Heatmap, Lens
from gui.views.heatmaps.visible_cells import VisibleCells

OUTLINE, FRAME = 1.2, 2.5  # widths of the frames of the part and of the cell


def paint_lens(painter: QPainter, heatmap: Heatmap) -> None:
    """Paint the lens, and a frame around the part of the matrix that it shows."""
    spec, lens, part = heatmap.spec, heatmap.layout.lens, heatmap.lens
    if lens is None or part is None:
        return
    theme, pane = colours(spec.shade), spec.panes[0]
    outline = Frame((part.top, part.bottom), (part.left, part.right), theme.accent, OUTLINE)
    with saved(painter):
        painter.setClipRect(heatmap.layout.matrices[0].adjusted(-4, -4, 4, 4))
        paint_frame(painter, heatmap.full[0], *pane.shape, outline)
    paint_frame(painter, lens.rect, 1, 1, Frame((0, 1), (0, 1), theme.accent, OUTLINE))
    paint_matrix(painter, lens.rect, _matrix(heatmap, pane, part, lens.digits, theme), theme)
    if lens.gutter:
        _paint_tokens(painter, heatmap, lens, part, theme)


def _matrix(
    heatmap: Heatmap, pane: Pane, part: VisibleCells, digits: float, theme: Colours
) -> MatrixSpec:
    """The cells of the lens with their marks."""
    spec = heatmap.spec
    place = slice(part.top, part.bottom), slice(part.left, part.right)
    values, scores = pane.values[place], None
    if pane.masked is not None and not np.isneginf(values).any():
        scores = np.where(pane.masked[place], -np.inf, 0.0)
    pinned = {
        (cell.row - part.top, cell.column - part.left)
        for cell in spec.pinned
        if cell.head == pane.head
    }
    row, column = spec.lens_at[0] - part.top, spec.lens_at[1] - part.left
    frame = Frame((row, row + 1), (column, column + 1), theme.accent, FRAME)
    return MatrixSpec(
        values,
        pane.levels,
        spec.decimals,
        frames=(frame,) if spec.focus is not None else (),
        pinned=frozenset(pinned),
        off=pane.head in spec.off,
        digits=digits,
        scores=scores,
        shown=_shown(spec, part),
        by_column=spec.by_column,
    )


def _shown(spec: HeatmapSpec, part: VisibleCells) -> tuple[int, int] | None:
    """How much of the lens is shown."""
    rows, columns = (part.top, part.bottom), (part.left, part.right)
    return clip_extent(spec.extent, *((columns, rows) if spec.by_column else (rows, columns)))


def _paint_tokens(
    painter: QPainter, heatmap: Heatmap, lens: Lens, part: VisibleCells, theme: Colours
) -> None:
    """The tokens of the rows at the left, of the columns below; those of the focus are bold."""
    spec, rect = heatmap.spec, lens.rect
    for row in range(part.top, part.bottom):
        line = cell_rect(rect, lens.rows, 1, row - part.top, 0)
        place = QRectF(line.x() - lens.gutter, line.y(), lens.gutter - TOKEN_GAP, line.height())
        _paint_token(painter, place, spec.rows[row], RIGHT, row == spec.lens_at[0], theme)
    for column in range(part.left, part.right):
        line = cell_rect(rect, 1, lens.columns, 0, column - part.left)
        place = QRectF(line.x() + 1, rect.bottom() + 2, line.width() - 2, LINE)
        _paint_token(painter, place, spec.columns[column], CENTRE, column == spec.lens_at[1], theme)


def _paint_token(
    painter: QPainter, rect: QRectF, token: str, across: float, bold: bool, theme: Colours
) -> None:
    face = font(CAPTION, bold=bold)
    painter.setPen(QColor(theme.text if bold else theme.muted))
    draw_line(painter, rect, elide(token, face, rect.width()), face, across)
