"""Images of matrices with one pixel for each cell."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from core.base.arrays import Array
from gui.painting.color_scale import AT_ONCE, ArrayCache, Levels, ramp, ramp_positions
from gui.painting.matrix_spec import MatrixSpec
from gui.painting.theme import Colours

Places = npt.NDArray[np.uint16]

IMAGE_SIZES = (256, 512, 1024)
LARGEST_IMAGE = IMAGE_SIZES[-1]
RAMP = 511  # colours of the ramp


def paint_image(
    painter: QPainter, rect: QRectF, picture: MatrixSpec, theme: Colours, scale: float
) -> None:
    """Draw the shown part of the image of the whole matrix, so that a step needs no new image."""
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    rows, columns = picture.rows, picture.columns
    lines, places = (columns, rows) if picture.by_column else (rows, columns)
    whole, cells = picture.shown or (lines, 0)
    if whole or cells:
        pixels = max(rect.width(), rect.height()) * scale
        image = matrix_image(picture.values, picture.levels, theme, pixels, picture.scores)
        parts = [((0.0, whole / lines), (0.0, 1.0))]
        if whole < lines and cells:
            parts.append(((whole / lines, (whole + 1) / lines), (0.0, cells / places)))
        for along, across in parts:
            down, over = (across, along) if picture.by_column else (along, across)
            _paint_part(painter, rect, image, down, over)
    painter.setPen(QPen(QColor(theme.line), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect)


Part = tuple[float, float]


def _paint_part(painter: QPainter, rect: QRectF, image: QImage, down: Part, across: Part) -> None:
    """Draw the same fractions of an image and of a rectangle."""
    source, target = (
        QRectF(
            outer.x() + across[0] * outer.width(),
            outer.y() + down[0] * outer.height(),
            (across[1] - across[0]) * outer.width(),
            (down[1] - down[0]) * outer.height(),
        )
        for outer in (QRectF(image.rect()), rect)
    )
    painter.drawImage(target, image, source)


_places: ArrayCache[Places] = ArrayCache(32)


def matrix_image(
    values: Array,
    levels: Levels,
    theme: Colours,
    size: float = LARGEST_IMAGE,
    scores: Array | None = None,
) -> QImage:
    """Return a read-only matrix as an image with one pixel for each cell.

    Average blocks of cells where the matrix is far larger than the drawn `size` in pixels, or than
    1,024. Forbidden cells (see MatrixSpec.scores) are grey.
    """
    # One image of a small matrix serves all sizes.
    wanted = min(size, LARGEST_IMAGE, max(values.shape))
    most = next(side for side in IMAGE_SIZES if side >= wanted)
    pixels = np.take(_argb(theme), _placed(values, levels, most, scores))
    height, width = pixels.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()


def _placed(values: Array, levels: Levels, most: int, scores: Array | None) -> Places:
    """Return the ramp position of each pixel; masked ones get the position after its end."""
    if abs(values.strides[0]) < abs(
        values.strides[1]
    ):  # transposed memory: process numbers in memory order
        return _placed(values.T, levels, most, None if scores is None else scores.T).T
    return _places.get(
        values, (levels, most, scores is None), lambda: _find_places(values, levels, most, scores)
    )


def _find_places(values: Array, levels: Levels, most: int, scores: Array | None) -> Places:
    closed = (
        values
        if scores is None
        else np.where((values == 0.0) & np.isneginf(scores), -np.inf, values)
    )
    small, masked = _reduced(closed, most)
    places = ramp_positions(small, levels)
    places[masked] = RAMP
    return places


@cache
def _argb(theme: Colours) -> npt.NDArray[np.uint32]:
    """Return the ramp as 0xFFRRGGBB, followed by the grey of masked cells."""
    red, green, blue = ramp(theme).astype(np.uint32).T
    colours = 0xFF000000 | red << 16 | green << 8 | blue
    return np.append(colours, np.uint32(QColor(theme.ghost).rgb())).astype(np.uint32)


def _reduced(values: Array, most: int) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Reduce to at most `most` rows and columns by block means; fully masked blocks stay masked."""
    if max(values.shape) <= most:
        masked = np.isneginf(values)
        return np.where(masked, 0.0, values), masked
    finite = np.isfinite(values)
    if finite.all():
        sums: npt.NDArray[Any] = _block_sums(values, most)
        counts: npt.NDArray[Any] = np.outer(*(_block_sizes(size, most) for size in values.shape))
        return sums / counts, np.zeros(sums.shape, dtype=np.bool_)
    sums = _block_sums(values, most, finite)
    counts = _block_sums(finite, most)
    return sums / np.maximum(counts, 1.0), counts == 0


def _block_starts(size: int, most: int) -> npt.NDArray[np.intp]:
    return np.linspace(0, size, min(size, most), endpoint=False).astype(np.intp)


def _block_sizes(size: int, most: int) -> Array:
    return np.diff(np.append(_block_starts(size, most), size)).astype(np.float64)


def _block_sums(
    values: Array | npt.NDArray[np.bool_], most: int, where: npt.NDArray[np.bool_] | None = None
) -> npt.NDArray[np.float64 | np.uint32]:
    """Sum blocks of rows and columns (count flags), in chunks that fit the processor's cache."""
    rows, columns = (_block_starts(size, most) for size in values.shape)
    bounds = np.append(rows, len(values))
    sums = np.empty(
        (len(rows), len(columns)), np.uint32 if values.dtype == np.bool_ else np.float64
    )
    at_once = max(1, AT_ONCE * len(rows) // values.size)
    for first in range(0, len(rows), at_once):
        last = min(first + at_once, len(rows))
        place = slice(bounds[first], bounds[last])
        part = values[place] if where is None else np.where(where[place], values[place], 0.0)
        down = _added(part.astype(sums.dtype, copy=False), rows[first:last] - rows[first])
        sums[first:last] = _added(down.T, columns).T
    return sums


def _added(
    values: npt.NDArray[np.float64 | np.uint32], starts: npt.NDArray[np.intp]
) -> npt.NDArray[Any]:
    """Sum the rows between consecutive starts, as np.add.reduceat does.

    Adds the first row of every block, then the second, and so on: faster for many short blocks.
    """
    sizes = np.diff(np.append(starts, len(values)))
    sums = np.take(values, starts, axis=0)
    for step in range(1, int(sizes.max())):
        longer = sizes > step
        if longer.all():
            sums += np.take(values, starts + step, axis=0)
        else:
            sums[longer] += np.take(values, starts[longer] + step, axis=0)
    return sums
