"""The edges of a heatmap view: tokens on both axes, their captions, and the colour bar."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from core.base.number_format import show
from gui.painting.color_scale import Levels, ramp
from gui.painting.matrix import cell_rect
from gui.painting.text_layout import CENTRE, LEFT, RIGHT, cut, write
from gui.painting.theme import CAPTION, Colours, colours, font
from gui.views.heatmaps.heatmap_spec import HeatmapSpec
from gui.views.heatmaps.layout import LINE, HeatmapLayout, caption_width, label_step

SPACE = 8.0  # between a token and its row
ROW_PITCH, LEAST = (
    15.0,
    28.0,
)  # pixels a token needs: a row's, and a column's at least (it is elided then)


def paint_axes(
    painter: QPainter, layout: HeatmapLayout, wholes: tuple[QRectF, ...], sheet: HeatmapSpec
) -> None:
    """Tokens beside the leftmost and under the lowest matrices; captions before the first of each."""
    theme = colours(sheet.shade)
    for matrix, whole in zip(layout.matrices, wholes, strict=True):
        if matrix in layout.leftmost():
            _paint_rows(painter, layout, matrix, whole, sheet, theme)
        if matrix in layout.lowest():
            _paint_columns(painter, matrix, whole, sheet, theme)
    _paint_captions(painter, layout, theme)


def _paint_captions(painter: QPainter, layout: HeatmapLayout, theme: Colours) -> None:
    first, last = layout.matrices[0], layout.leftmost()[-1]
    painter.setPen(QColor(theme.muted))
    for caption, y in zip(
        layout.captions, (first.top() - LINE - 1, last.bottom() + 3), strict=True
    ):
        write(
            painter,
            QRectF(first.x() - layout.gutter, y, layout.gutter - SPACE, LINE),
            caption,
            font(CAPTION),
            RIGHT,
        )


def _paint_rows(
    painter: QPainter,
    layout: HeatmapLayout,
    matrix: QRectF,
    whole: QRectF,
    sheet: HeatmapSpec,
    theme: Colours,
) -> None:
    rows, columns = sheet.shape
    taken: list[QRectF] = []
    for row in _labels(rows, label_step(whole.height() / rows, ROW_PITCH), sheet.bold_row):
        middle = cell_rect(whole, rows, columns, row, 0).center().y()
        if matrix.top() - 1 <= middle <= matrix.bottom() + 1:
            place = QRectF(
                matrix.x() - layout.gutter, middle - ROW_PITCH / 2, layout.gutter - SPACE, ROW_PITCH
            )
            place.moveTop(min(max(place.top(), matrix.top() - 1), matrix.bottom() - ROW_PITCH + 1))
            _paint_token(
                painter, place, sheet.rows[row], RIGHT, theme, row == sheet.bold_row, taken
            )


def _paint_columns(
    painter: QPainter, matrix: QRectF, whole: QRectF, sheet: HeatmapSpec, theme: Colours
) -> None:
    rows, columns = sheet.shape
    width = whole.width() / columns
    widest = (
        max(caption_width(token, bold=True) for token in sorted(sheet.columns, key=len)[-24:]) + 6
    )
    pitch = min(widest, LEAST)
    step = label_step(width, pitch)
    taken: list[QRectF] = []
    for column in _labels(columns, step, sheet.bold_column):
        middle = cell_rect(whole, rows, columns, 0, column).center().x()
        if matrix.left() - 1 <= middle <= matrix.right() + 1:
            bold = column == sheet.bold_column
            most = matrix.width() if bold and step > 1 else max(width * step, pitch) - 4
            room = min(most, caption_width(sheet.columns[column], bold=bold) + 2)
            place = QRectF(middle - room / 2, matrix.bottom() + 3, room, LINE)
            place.moveLeft(min(max(place.left(), matrix.left() - 2), matrix.right() - room + 2))
            _paint_token(painter, place, sheet.columns[column], CENTRE, theme, bold, taken)


def _labels(count: int, step: int, bold: int | None) -> list[int]:
    """The labels to draw: the bold one first, then every so many."""
    regular = [index for index in range(0, count, step) if index != bold]
    return regular if bold is None else [bold, *regular]


def _paint_token(
    painter: QPainter,
    place: QRectF,
    token: str,
    across: float,
    theme: Colours,
    bold: bool,
    taken: list[QRectF],
) -> None:
    """One token, unless it would touch one that is drawn already."""
    if any(place.intersects(other) for other in taken):
        return
    taken.append(place)
    token_font = font(CAPTION, bold=bold)
    painter.setPen(QColor(theme.text if bold else theme.muted))
    write(painter, place, cut(token, token_font, place.width()), token_font, across)


def bar_numbers(levels: Levels, decimals: int) -> tuple[str, ...]:
    """The numbers at the ends of the bar, high to low, and 0 between them where the scale diverges."""
    ends = show(levels.high, decimals), show(levels.low, decimals)
    return ends if levels.sequential else (ends[0], "0", ends[1])


def paint_bar(
    painter: QPainter,
    layout: HeatmapLayout,
    levels: Levels,
    sheet: HeatmapSpec,
    value: float | None,
) -> None:
    """The scale of colours with its ends' numbers, and a pointer at the focused value."""
    paint_scale(painter, layout.bar, levels, sheet.shade)
    paint_said(painter, layout.bar, sheet, bar_texts(levels, sheet), pointed(levels, value))


def paint_scale(painter: QPainter, bar: QRectF, levels: Levels, shade: str) -> None:
    """The scale of colours alone, of which only its kind counts."""
    theme = colours(shade)
    shades = ramp(theme)[255:] if levels.sequential else ramp(theme)
    pixels = np.ascontiguousarray(shades[::-1, None, :])
    image = QImage(pixels.tobytes(), 1, len(pixels), 3, QImage.Format.Format_RGB888)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawImage(bar, image)
    painter.setPen(QPen(QColor(theme.line), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)


def paint_said(
    painter: QPainter, bar: QRectF, sheet: HeatmapSpec, numbers: tuple[str, ...], at: float | None
) -> None:
    """The numbers beside the scale, and a pointer so far up."""
    theme = colours(sheet.shade)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(theme.muted))
    for index, text in enumerate(numbers):
        part = index / (len(numbers) - 1)
        top = bar.top() + (bar.height() - LINE) * part
        write(painter, QRectF(bar.right() + 6, top, 120, LINE), text, font(CAPTION), LEFT)
    if at is not None:
        _paint_pointer(painter, bar, at, theme)


def bar_texts(levels: Levels, sheet: HeatmapSpec) -> tuple[str, ...]:
    """The numbers beside the bar; none while some cells are to be predicted, for its ends would give numbers away."""
    return () if sheet.has_hidden_cells else bar_numbers(levels, sheet.decimals)


def pointed(levels: Levels, value: float | None) -> float | None:
    """How far up the bar a value stands, 0 to 1; None where it is none that could."""
    if value is None or not np.isfinite(value):
        return None
    return min(max((value - levels.low) / (levels.high - levels.low), 0.0), 1.0)


def _paint_pointer(painter: QPainter, bar: QRectF, part: float, theme: Colours) -> None:
    tip = QPointF(bar.left() - 1, bar.bottom() - part * bar.height())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.accent))
    painter.drawPolygon(QPolygonF([tip, tip + QPointF(-8, -5), tip + QPointF(-8, 5)]))
