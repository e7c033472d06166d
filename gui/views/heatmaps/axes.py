"""Paints the edges of a heatmap: tokens on both axes, their captions, and the colour bar."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from gui.painting.color_scale import Levels, ramp
from gui.painting.matrix import cell_rect
from gui.painting.pixmap_cache import draw_cached
from gui.painting.shapes import draw_box, set_ink
from gui.painting.text_layout import CENTRE, LEFT, RIGHT, draw_line, elide
from gui.painting.theme import CAPTION, Colours, colours, font
from gui.views.heatmaps.layout import (
    LINE,
    TOKEN_GAP,
    Heatmap,
    bar_numbers,
    caption_width,
    label_step,
)

ROW_PITCH = 15.0  # the height that the token of a row needs
LEAST_COLUMN_PITCH = 28.0  # the width that the token of a column needs at least, elided


def paint_axes(painter: QPainter, heatmap: Heatmap) -> None:
    """Tokens beside the leftmost and below the lowest matrices.

    Captions before the first of each.
    """
    theme, layout = colours(heatmap.spec.shade), heatmap.layout
    for matrix, full in zip(layout.matrices, heatmap.full, strict=True):
        if matrix in layout.leftmost():
            _paint_rows(painter, heatmap, matrix, full, theme)
        if matrix in layout.lowest():
            _paint_columns(painter, heatmap, matrix, full, theme)
    first, last = layout.matrices[0], layout.leftmost()[-1]
    left, width = first.x() - layout.gutter, layout.gutter - TOKEN_GAP
    painter.setPen(QColor(theme.muted))
    tops = first.top() - LINE - 1, last.bottom() + 3
    for caption, top in zip(layout.captions, tops, strict=True):
        draw_line(painter, QRectF(left, top, width, LINE), caption, font(CAPTION), RIGHT)


def _paint_rows(
    painter: QPainter, heatmap: Heatmap, matrix: QRectF, full: QRectF, theme: Colours
) -> None:
    spec, gutter = heatmap.spec, heatmap.layout.gutter
    rows, columns = spec.shape
    taken: list[QRectF] = []
    for row in _labelled(rows, label_step(full.height() / rows, ROW_PITCH), spec.bold_row):
        middle = cell_rect(full, rows, columns, row, 0).center().y()
        if matrix.top() - 1 <= middle <= matrix.bottom() + 1:
            top = max(middle - ROW_PITCH / 2, matrix.top() - 1)
            top = min(top, matrix.bottom() - ROW_PITCH + 1)
            rect = QRectF(matrix.x() - gutter, top, gutter - TOKEN_GAP, ROW_PITCH)
            bold = row == spec.bold_row
            _paint_token(painter, rect, spec.rows[row], RIGHT, theme, bold, taken)


def _paint_columns(
    painter: QPainter, heatmap: Heatmap, matrix: QRectF, full: QRectF, theme: Colours
) -> None:
    spec = heatmap.spec
    rows, columns = spec.shape
    width = full.width() / columns
    longest = sorted(spec.columns, key=len)[-24:]
    widest = max(caption_width(token, bold=True) for token in longest) + 6
    pitch = min(widest, LEAST_COLUMN_PITCH)
    step = label_step(width, pitch)
    taken: list[QRectF] = []
    for column in _labelled(columns, step, spec.bold_column):
        middle = cell_rect(full, rows, columns, 0, column).center().x()
        if matrix.left() - 1 <= middle <= matrix.right() + 1:
            bold = column == spec.bold_column
            most = matrix.width() if bold and step > 1 else max(width * step, pitch) - 4
            wide = min(most, caption_width(spec.columns[column], bold=bold) + 2)
            left = max(middle - wide / 2, matrix.left() - 2)
            left = min(left, matrix.right() - wide + 2)
            rect = QRectF(left, matrix.bottom() + 3, wide, LINE)
            _paint_token(painter, rect, spec.columns[column], CENTRE, theme, bold, taken)


def _labelled(count: int, step: int, bold: int | None) -> list[int]:
    """The indices of the tokens to paint: the bold one first, then one in each step."""
    regular = [index for index in range(0, count, step) if index != bold]
    return regular if bold is None else [bold, *regular]


def _paint_token(
    painter: QPainter,
    rect: QRectF,
    token: str,
    across: float,
    theme: Colours,
    bold: bool,
    taken: list[QRectF],
) -> None:
    """Paint a token unless it would touch one that is painted already."""
    if any(rect.intersects(other) for other in taken):
        return
    taken.append(rect)
    face = font(CAPTION, bold=bold)
    painter.setPen(QColor(theme.text if bold else theme.muted))
    draw_line(painter, rect, elide(token, face, rect.width()), face, across)


def paint_bar(painter: QPainter, heatmap: Heatmap) -> None:
    """Paint the scale of colours with the numbers at its ends, and a pointer at the focused value."""
    spec, bar, levels = heatmap.spec, heatmap.layout.bar, heatmap.selected_pane.levels
    theme, numbers = colours(spec.shade), bar_numbers(levels, spec.decimals)
    area = bar.adjusted(-2, -2, 130, 2)
    key = "heatmap bar", bar.getRect(), numbers, spec.shade
    draw_cached(painter, area, key, lambda own: _paint_scale(own, bar, levels, numbers, theme))
    value = heatmap.focused_value()
    if value is not None and np.isfinite(value):
        part = min(max((value - levels.low) / (levels.high - levels.low), 0.0), 1.0)
        tip = QPointF(bar.left() - 1, bar.bottom() - part * bar.height())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        set_ink(painter, None, theme.accent)
        painter.drawPolygon(QPolygonF([tip, tip + QPointF(-8, -5), tip + QPointF(-8, 5)]))


def _paint_scale(
    painter: QPainter, bar: QRectF, levels: Levels, numbers: tuple[str, ...], theme: Colours
) -> None:
    """Paint the colours of the scale and the numbers beside it."""
    shades = ramp(theme)[255:] if levels.sequential else ramp(theme)
    pixels = np.ascontiguousarray(shades[::-1, None, :])
    image = QImage(pixels.tobytes(), 1, len(pixels), 3, QImage.Format.Format_RGB888)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawImage(bar, image)
    draw_box(painter, bar, QPen(QColor(theme.line), 1), None)
    painter.setPen(QColor(theme.muted))
    for index, text in enumerate(numbers):
        top = bar.top() + (bar.height() - LINE) * index / (len(numbers) - 1)
        draw_line(painter, QRectF(bar.right() + 6, top, 120, LINE), text, font(CAPTION), LEFT)
