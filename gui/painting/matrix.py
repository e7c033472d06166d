"""Painter of matrices on any QPainter: cells with digits where they fit, else an image.

The diagram, the stage view and the exports share it, so that they show the same digits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from core.base.arrays import Array
from core.base.number_format import MAX_DECIMALS, show, show_all
from gui.painting.color_scale import (
    Extremes,
    contrast,
    extremes,
    ink,
    mixed,
    ramp_colours,
    ramp_positions,
)
from gui.painting.matrix_image import LARGEST_IMAGE, paint_image
from gui.painting.matrix_image import matrix_image as matrix_image
from gui.painting.matrix_spec import Frame as Frame
from gui.painting.matrix_spec import MatrixSpec as MatrixSpec
from gui.painting.matrix_spec import Span as Span
from gui.painting.matrix_spec import cell_at as cell_at
from gui.painting.matrix_spec import cell_rect as cell_rect
from gui.painting.matrix_spec import clip_extent as clip_extent
from gui.painting.matrix_spec import oriented as oriented
from gui.painting.text_layout import draw_line, size_of, text_line
from gui.painting.text_size import saved
from gui.painting.theme import Colours, font

DIGIT_SIZE = 8.0  # device pixels; smaller digits are not readable
# Opacity of a disabled matrix: low enough for muted digits to be readable in every theme.
PALE = 0.18
PLATE = 0.2  # margin above and below digits, as a fraction of the line height
ZEROS = frozenset(show(0.0, decimals) for decimals in range(MAX_DECIMALS + 1))
READABLE = 4.5  # minimum contrast ratio
# Kinds of cells besides the 511 positions on the ramp.
FORBIDDEN, PREDICTED, GHOST = 511, 512, 513


def digit_size(values: Array, decimals: int, width: float, height: float) -> float:
    """Return the largest font size in pixels at which all numbers fit their cells; 0 if none."""
    if width < 3 * DIGIT_SIZE * 0.6 or height < DIGIT_SIZE or values.size > 20000:
        return 0.0
    at_100 = QFontMetricsF(font(100)).horizontalAdvance(longest_text(values, decimals))
    size = min(height * 0.5, width * 0.82 / at_100 * 100, 30.0)
    return size if size >= DIGIT_SIZE else 0.0


def longest_text(values: Array, decimals: int) -> str:
    """Return the longest number of a matrix as text, taken from its extremes."""
    return longest_number(extremes(values) if values.size else Extremes(0.0, 0.0, None), decimals)


def longest_number(found: Extremes, decimals: int) -> str:
    """Return the longer text of two extremes."""
    ends = [found.low, found.high]
    if found.finite is not None and found.finite != (found.low, found.high):
        ends += found.finite
    return max(show_all(ends, decimals), key=len)


class CellPalette(dict[int, tuple[QColor, QColor]]):
    """Colours of cells and of their digits by kind of cell; paler for a disabled matrix."""

    def __init__(self, theme: Colours, off: bool) -> None:
        super().__init__()
        self._theme, self._off = theme, off
        self._quiet: dict[int, QColor] = {}

    def __missing__(self, kind: int) -> tuple[QColor, QColor]:
        theme = self._theme
        background = QColor(theme.sunken) if kind == FORBIDDEN else ramp_colours(theme)[kind]
        text = QColor(theme.text) if kind == FORBIDDEN else ink(background)
        if self._off:
            background, text = mixed(background, theme.surface, PALE), QColor(theme.muted)
        self[kind] = background, text
        return background, text

    def zero_colour(self, kind: int) -> QColor:
        """Return the colour of a zero, exact or rounded: muted where contrast allows it."""
        found = self._quiet.get(kind)
        if found is None:
            background, text = self[kind]
            muted = QColor(self._theme.muted)
            found = self._quiet[kind] = muted if contrast(muted, background) >= READABLE else text
        return found


@cache
def palette(theme: Colours, off: bool) -> CellPalette:
    """Return the shared palette of a theme, filled on demand."""
    return CellPalette(theme, off)


def kinds(picture: MatrixSpec, rows: Span, columns: Span) -> npt.NDArray[np.int16]:
    """Return the kind of each cell: ramp position, FORBIDDEN, ASKED or GHOST; (rows, columns)."""
    found = ramp_positions(picture.values[slice(*rows), slice(*columns)], picture.levels).astype(
        np.int16
    )
    found[picture.masked_cells(rows, columns)] = FORBIDDEN
    if picture.shown is not None:
        ghosts = ~_reached(picture, picture.shown, rows, columns)
        found[ghosts] = GHOST
        if picture.predicted is not None:
            found[ghosts & _reached(picture, picture.predicted, rows, columns)] = PREDICTED
    return found


def _reached(picture: MatrixSpec, extent: Span, rows: Span, columns: Span) -> npt.NDArray[np.bool_]:
    row, column = np.ogrid[slice(*rows), slice(*columns)]
    line, place = (column, row) if picture.by_column else (row, column)
    reached: npt.NDArray[np.bool_] = (line < extent[0]) | (
        (line == extent[0]) & (place < extent[1])
    )
    return reached


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of a part of a matrix, row by row, and the rectangles and numbers of visible ones.

    Holds their kinds, texts and sizes of texts (0: no text).
    """

    picture: MatrixSpec
    theme: Colours
    rows: Span
    columns: Span
    kinds: list[int]
    texts: list[str]
    size: float
    places: list[QRectF]
    radius: float

    @property
    def palette(self) -> CellPalette:
        """Return the palette of the shown cells."""
        return palette(self.theme, self.picture.off)

    def of_kind(self, kind: int) -> list[QRectF]:
        """Return the rectangles of all cells of a kind."""
        if kind not in self.kinds:
            return []
        return [self.places[index] for index, one in enumerate(self.kinds) if one == kind]

    def shown_index(self, row: int, column: int) -> int | None:
        """Return the index of a cell in the lists; None for a ghost or a cell outside."""
        if not (self.rows[0] <= row < self.rows[1] and self.columns[0] <= column < self.columns[1]):
            return None
        index = (
            (row - self.rows[0]) * (self.columns[1] - self.columns[0]) + column - self.columns[0]
        )
        return index if self.kinds[index] <= FORBIDDEN else None


def paint_cells(
    painter: QPainter,
    rect: QRectF,
    picture: MatrixSpec,
    theme: Colours,
    scale: float,
    rows: Span,
    columns: Span,
) -> None:
    """Paint a range of rows and columns of a matrix; `scale` is device pixels a unit."""
    if rows[0] < rows[1] and columns[0] < columns[1]:
        draw_cells(painter, cells_of(rect, picture, theme, scale, rows, columns))


def cells_of(
    rect: QRectF, picture: MatrixSpec, theme: Colours, scale: float, rows: Span, columns: Span
) -> Cells:
    """Collect everything that is painted of a non-empty range of rows and columns."""
    width, height = rect.width() / picture.columns, rect.height() / picture.rows
    gap = min(1.5, width * 0.04, height * 0.06)
    across = [rect.x() + column * width + gap for column in range(*columns)]
    places = [
        QRectF(left, rect.y() + row * height + gap, width - 2 * gap, height - 2 * gap)
        for row in range(*rows)
        for left in across
    ]
    size = _chosen_size(picture, width * scale, height * scale) / scale
    values = picture.values[slice(*rows), slice(*columns)].ravel().tolist() if size else []
    what = kinds(picture, rows, columns).ravel().tolist()
    texts, radius = show_all(values, picture.decimals), min(3.0, places[0].height() * 0.15)
    if picture.letters:
        texts = [text if len(text) <= picture.letters else "…" for text in texts]
    return Cells(picture, theme, rows, columns, what, texts, size, places, radius)


def draw_cells(painter: QPainter, cells: Cells) -> None:
    """Draw cells, one kind of mark after the other."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_fills(painter, cells)
    _paint_outlines(painter, cells)
    _paint_flash(painter, cells)
    if cells.size:
        _paint_numbers(painter, cells)
    _paint_pins(painter, cells)
    _paint_filled(painter, cells)


def _chosen_size(picture: MatrixSpec, width: float, height: float) -> float:
    """Return the size of the digits in device pixels: as requested, or the largest that fits."""
    if picture.digits is None:
        return 0.0
    return picture.digits or digit_size(picture.values, picture.decimals, width, height)


def _paint_fills(painter: QPainter, cells: Cells) -> None:
    """Fill the shown cells."""
    radius, colours, kinds, places = cells.radius, cells.palette, cells.kinds, cells.places
    painter.setPen(Qt.PenStyle.NoPen)
    for kind, place in zip(kinds, places, strict=True):
        if kind <= FORBIDDEN:
            painter.setBrush(colours[kind][0])
            painter.drawRoundedRect(place, radius, radius)


def _paint_outlines(painter: QPainter, cells: Cells) -> None:
    """Draw the hatching of forbidden cells and the outlines of ghosts and predictions."""
    if max(cells.kinds) < FORBIDDEN:
        return
    theme = cells.theme
    painter.setPen(Qt.PenStyle.NoPen)
    _outline(painter, cells, FORBIDDEN, QBrush(QColor(theme.ghost), Qt.BrushStyle.BDiagPattern))
    width = min(1.0, cells.places[0].height() * 0.05)
    painter.setPen(QPen(QColor(theme.accent), width))
    _outline(painter, cells, PREDICTED, QBrush(QColor(theme.accent_soft)))
    painter.setPen(QPen(QColor(theme.ghost), width, Qt.PenStyle.DotLine))
    _outline(painter, cells, GHOST, QBrush(Qt.BrushStyle.NoBrush))


def _outline(painter: QPainter, cells: Cells, kind: int, brush: QBrush) -> None:
    radius = cells.radius
    painter.setBrush(brush)
    for place in cells.of_kind(kind):
        painter.drawRoundedRect(place, radius, radius)


def _paint_flash(painter: QPainter, cells: Cells) -> None:
    picture, radius = cells.picture, cells.radius
    if picture.flash is None or picture.flash_alpha <= 0:
        return
    colour = QColor(cells.theme.flash)
    colour.setAlphaF(picture.flash_alpha)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, max(1.5, cells.places[0].height() * 0.09)))
    shining = picture.flash[slice(*cells.rows), slice(*cells.columns)].ravel().tolist()
    for place, kind, shines in zip(cells.places, cells.kinds, shining, strict=True):
        if shines and kind <= FORBIDDEN:
            painter.drawRoundedRect(place, radius, radius)


def _paint_numbers(painter: QPainter, cells: Cells) -> None:
    """Draw the numbers of shown cells, and question marks."""
    face, squeeze, colours = font(cells.size), cells.picture.squeeze, cells.palette
    painter.setPen(QColor(cells.theme.accent))
    for place in cells.of_kind(PREDICTED):
        draw_line(painter, place, "?", face)
    painter.save()
    painter.setFont(face)
    painter.scale(squeeze, 1.0)
    laid_out, last = size_of(painter), None
    for kind, text, place in zip(cells.kinds, cells.texts, cells.places, strict=True):
        if kind <= FORBIDDEN:
            if (
                colour := colours.zero_colour(kind) if text in ZEROS else colours[kind][1]
            ) is not last:
                painter.setPen(colour)
                last = colour
            line = text_line(text, face, laid_out)
            middle = place.center()
            at = QPointF(middle.x() / squeeze - line.width / 2, middle.y() - line.height / 2)
            if kind == FORBIDDEN:  # no hatching through digits
                plate = QRectF(
                    at.x(), at.y() + PLATE * line.height, line.width, (1 - 2 * PLATE) * line.height
                )
                painter.fillRect(plate, colours[kind][0])
            painter.drawStaticText(at, line.text)
    painter.restore()


def _paint_pins(painter: QPainter, cells: Cells) -> None:
    """Draw a folded corner on each pinned cell."""
    if not cells.picture.pinned:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(cells.theme.warning))
    for place in cells.picture.pinned:
        if (index := cells.shown_index(*place)) is not None:
            cell = cells.places[index]
            side, corner = min(cell.width(), cell.height()) * 0.32, cell.topRight()
            painter.drawPolygon(
                QPolygonF([corner, corner - QPointF(side, 0), corner + QPointF(0, side)])
            )


def _paint_filled(painter: QPainter, cells: Cells) -> None:
    """Draw a dotted line below each cell that a resize has filled."""
    for place in cells.picture.filled:
        if (index := cells.shown_index(*place)) is not None:
            cell = cells.places[index]
            painter.setPen(
                QPen(ink(cells.palette[cells.kinds[index]][0]), 1.2, Qt.PenStyle.DotLine)
            )
            inset, y = cell.width() * 0.15, cell.bottom() - cell.height() * 0.1
            painter.drawLine(QPointF(cell.left() + inset, y), QPointF(cell.right() - inset, y))


# Cells smaller than this in device pixels are drawn as an image.
SMALL_CELL = 7.0
PALE_IMAGE = 0.35  # opacity of a disabled matrix without digits
# More cells than this are drawn as an image, however large they are.
MOST_CELLS = 3000


def paint_matrix(
    painter: QPainter,
    rect: QRectF,
    picture: MatrixSpec,
    theme: Colours,
    scale: float = 1.0,
) -> None:
    """Draw a matrix into a rectangle; `scale`, device pixels a unit, selects the detail."""
    if rect.isEmpty():
        return
    painter.save()
    rows, columns = _visible(painter, rect, picture)
    if not has_cells(rect, picture, scale, (rows[1] - rows[0]) * (columns[1] - columns[0])):
        painter.setOpacity(PALE_IMAGE if picture.off else 1.0)
        paint_image(painter, *_cropped(rect, picture, rows, columns), theme, scale)
    else:
        paint_cells(painter, rect, picture, theme, scale, rows, columns)
    painter.restore()
    for frame in picture.frames:
        paint_frame(painter, rect, picture.rows, picture.columns, frame, theme.surface)


def paint_overview(painter: QPainter, rect: QRectF, picture: MatrixSpec, theme: Colours) -> None:
    """Draw a whole matrix as an image, however large its cells are, and its frames."""
    scale = painter.combinedTransform().m11()
    with saved(painter):
        painter.setOpacity(PALE_IMAGE if picture.off else 1.0)
        paint_image(painter, rect, picture, theme, scale)
    for frame in picture.frames:
        paint_frame(painter, rect, picture.rows, picture.columns, frame, theme.surface)


def has_cells(
    rect: QRectF, picture: MatrixSpec, scale: float = 1.0, count: int | None = None
) -> bool:
    """Return whether `count` cells (all by default) are drawn one by one, not as an image."""
    least = min(rect.width() / picture.columns, rect.height() / picture.rows)
    count = picture.values.size if count is None else count
    return least * scale >= SMALL_CELL and count <= MOST_CELLS


def _visible(painter: QPainter, rect: QRectF, picture: MatrixSpec) -> tuple[Span, Span]:
    """Return the rows and columns inside the painter's clip."""
    seen = painter.clipBoundingRect() if painter.hasClipping() else rect
    width, height = rect.width() / picture.columns, rect.height() / picture.rows
    rows = _span(seen.top() - rect.y(), seen.bottom() - rect.y(), height, picture.rows)
    return rows, _span(seen.left() - rect.x(), seen.right() - rect.x(), width, picture.columns)


def _cropped(
    rect: QRectF, picture: MatrixSpec, rows: Span, columns: Span
) -> tuple[QRectF, MatrixSpec]:
    """Crop a matrix whose image would be an average to its visible part."""
    height, width = rows[1] - rows[0], columns[1] - columns[0]
    whole = picture.rows * picture.columns
    if max(picture.rows, picture.columns) <= LARGEST_IMAGE or not 0 < height * width <= whole // 2:
        return rect, picture
    start = cell_rect(rect, picture.rows, picture.columns, rows[0], columns[0])
    end = cell_rect(rect, picture.rows, picture.columns, rows[1] - 1, columns[1] - 1)
    lines, places = (columns, rows) if picture.by_column else (rows, columns)
    shown = clip_extent(picture.shown, lines, places)
    part = slice(*rows), slice(*columns)
    scores = None if picture.scores is None else picture.scores[part]
    return start.united(end), replace(
        picture, values=picture.values[part], shown=shown, scores=scores
    )


def _span(start: float, end: float, size: float, count: int) -> Span:
    return max(0, int(start // size)), min(count, int(end // size) + 1)


def paint_frame(
    painter: QPainter, rect: QRectF, rows: int, columns: int, frame: Frame, halo: str = ""
) -> None:
    """Draw an outline around a block of cells, with a halo for contrast."""
    start = cell_rect(rect, rows, columns, frame.rows[0], frame.columns[0])
    end = cell_rect(rect, rows, columns, frame.rows[1] - 1, frame.columns[1] - 1)
    block = start.united(end)
    radius = min(4.0, block.width() * 0.25, block.height() * 0.25)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if halo:
        painter.setPen(
            QPen(QColor(halo), frame.width * 2.0 if frame.width < 2.0 else frame.width + 3.0)
        )
        painter.drawRoundedRect(block, radius, radius)
    painter.setPen(QPen(QColor(frame.colour), frame.width))
    painter.drawRoundedRect(block, radius, radius)
    painter.restore()
