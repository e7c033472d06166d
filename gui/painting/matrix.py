"""One painter for matrices, on any QPainter: cells with digits where they fit, an image where they do not.

The diagram, the stage view and the exports draw with it, so that they agree to the digit.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.painting.matrix_cells import digit_size as digit_size
from gui.painting.matrix_cells import longest_of as longest_of
from gui.painting.matrix_cells import longest_text as longest_text
from gui.painting.matrix_cells import paint_cells
from gui.painting.matrix_image import LARGEST_IMAGE, paint_image
from gui.painting.matrix_image import matrix_image as matrix_image
from gui.painting.matrix_spec import Frame as Frame
from gui.painting.matrix_spec import MatrixSpec as MatrixSpec
from gui.painting.matrix_spec import Span as Span
from gui.painting.matrix_spec import cell_at as cell_at
from gui.painting.matrix_spec import cell_rect as cell_rect
from gui.painting.matrix_spec import seen as seen
from gui.painting.matrix_spec import shown_part as shown_part
from gui.painting.theme import Colours

# Below this size in device pixels a cell is a pixel block of an image.
SMALL_CELL = 7.0
PALE_IMAGE = 0.35  # of a matrix that is switched off, where there are no digits
# More cells than this at once are drawn as an image, however large they are.
MOST_CELLS = 3000


def paint_matrix(
    painter: QPainter,
    rect: QRectF,
    picture: MatrixSpec,
    theme: Colours,
    scale: float = 1.0,
) -> None:
    """Draw a matrix into a rectangle. `scale` is device pixels a unit, so that detail follows the zoom."""
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


def has_cells(
    rect: QRectF, picture: MatrixSpec, scale: float = 1.0, count: int | None = None
) -> bool:
    """Whether so many cells (without a number, all) are drawn one by one, rather than as an image."""
    least = min(rect.width() / picture.columns, rect.height() / picture.rows)
    count = picture.values.size if count is None else count
    return least * scale >= SMALL_CELL and count <= MOST_CELLS


def _visible(painter: QPainter, rect: QRectF, picture: MatrixSpec) -> tuple[Span, Span]:
    """The rows and columns that the painter's clip lets through."""
    seen = painter.clipBoundingRect() if painter.hasClipping() else rect
    width, height = rect.width() / picture.columns, rect.height() / picture.rows
    rows = _span(seen.top() - rect.y(), seen.bottom() - rect.y(), height, picture.rows)
    return rows, _span(seen.left() - rect.x(), seen.right() - rect.x(), width, picture.columns)


def _cropped(
    rect: QRectF, picture: MatrixSpec, rows: Span, columns: Span
) -> tuple[QRectF, MatrixSpec]:
    """Of a matrix so large that its image is an average, only what is seen, where that is a part."""
    height, width = rows[1] - rows[0], columns[1] - columns[0]
    whole = picture.rows * picture.columns
    if max(picture.rows, picture.columns) <= LARGEST_IMAGE or not 0 < height * width <= whole // 2:
        return rect, picture
    start = cell_rect(rect, picture.rows, picture.columns, rows[0], columns[0])
    end = cell_rect(rect, picture.rows, picture.columns, rows[1] - 1, columns[1] - 1)
    lines, places = (columns, rows) if picture.by_column else (rows, columns)
    shown = shown_part(picture.shown, lines, places)
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
    """An outline around a block of cells, on a halo that sets it off from cells of its own colour."""
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
