"""The part of a heatmap that is seen: the zoom, the cells in view, and the pixels that they share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF

from core.arithmetic.blockwise import BLOCK_CELLS
from core.base.arrays import Array, BoolArray
from gui.views.heatmaps.heatmap_data import Pane

NOTCH = 1.25  # one notch of the wheel
FEWEST = 4  # rows and columns that stay in view


@dataclass(frozen=True, slots=True)
class Zoom:
    """The visible part of a matrix in fractions: left and top edge, and part of the longer axis.

    It has as many rows as columns, or all of them: a long, thin matrix keeps its short axis whole
    at first. `wide` and `high` are the length of the longer axis in columns, and in rows.
    """

    left: float = 0.0
    top: float = 0.0
    size: float = 1.0
    wide: float = 1.0
    high: float = 1.0

    @property
    def across(self) -> float:
        """The visible part of the columns."""
        return min(1.0, self.size * self.wide)

    @property
    def down(self) -> float:
        """The visible part of the rows."""
        return min(1.0, self.size * self.high)

    def whole(self, window: QRectF) -> QRectF:
        """The rectangle of the whole matrix whose visible part fills a window."""
        width, height = window.width() / self.across, window.height() / self.down
        return QRectF(window.x() - self.left * width, window.y() - self.top * height, width, height)

    def by(self, factor: float, at: QPointF, shape: tuple[int, int]) -> Zoom:
        """Zoom in (or out, below 1) around a point, given as fractions of the window."""
        rows, columns = shape
        most = max(shape)
        size = min(max(self.size / factor, min(1.0, FEWEST / most)), 1.0)
        if size == 1.0:
            return Zoom()
        new = Zoom(0.0, 0.0, size, most / columns, most / rows)
        x, y = self.left + at.x() * self.across, self.top + at.y() * self.down
        return replace(new, left=x - at.x() * new.across, top=y - at.y() * new.down)._inside()

    def moved(self, right: float, down: float) -> Zoom:
        """Move by fractions of the window."""
        return replace(
            self, left=self.left + right * self.across, top=self.top + down * self.down
        )._inside()

    def showing(self, row: int, column: int, shape: tuple[int, int]) -> Zoom:
        """Move as little as needed to show a cell."""
        left = _reach(self.left, self.across, column / shape[1], (column + 1) / shape[1])
        top = _reach(self.top, self.down, row / shape[0], (row + 1) / shape[0])
        if (left, top) == (self.left, self.top):
            return self
        return replace(self, left=left, top=top)._inside()

    def _inside(self) -> Zoom:
        left = min(max(self.left, 0.0), 1.0 - self.across)
        top = min(max(self.top, 0.0), 1.0 - self.down)
        return replace(self, left=left, top=top)


def _reach(start: float, size: float, low: float, high: float) -> float:
    return max(min(start, low), high - size)


LARGEST_WHOLE = 1 << 16  # cells of a matrix that is coloured as a whole when zoomed


@dataclass(frozen=True, slots=True)
class VisibleCells:
    """Cells from `top` up to `bottom` and `left` up to `right`.

    `block_rows` × `block_columns` of them share a pixel.

    A pixel has the colour of their mean without masked cells. A block is masked if all of it is.
    """

    top: int
    bottom: int
    left: int
    right: int
    block_rows: int = 1
    block_columns: int = 1

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.bottom - self.top, self.right - self.left

    def rect(self, whole: QRectF, shape: tuple[int, int]) -> QRectF:
        """The rectangle of these cells, in whole blocks, in that of the whole matrix."""
        height, width = whole.height() / shape[0], whole.width() / shape[1]
        rows = -(-(self.bottom - self.top) // self.block_rows) * self.block_rows
        columns = -(-(self.right - self.left) // self.block_columns) * self.block_columns
        return QRectF(
            whole.x() + self.left * width,
            whole.y() + self.top * height,
            columns * width,
            rows * height,
        )


def cells_around(
    shape: tuple[int, int], size: tuple[int, int], at: tuple[int, int]
) -> VisibleCells:
    """As many cells as `size` of a matrix of `shape`, with a cell as near the middle as can be."""
    top, left = (
        min(max(place - count // 2, 0), total - count)
        for total, count, place in zip(shape, size, at, strict=True)
    )
    return VisibleCells(top, top + size[0], left, left + size[1])


def find_visible(
    shape: tuple[int, int], window: QRectF, whole: QRectF, scale: float
) -> VisibleCells:
    """The visible cells of a matrix that fills `whole`, in a window; `scale` is pixels a unit."""
    down, top, bottom = _along(
        shape[0], window.top() - whole.top(), window.height(), whole.height(), scale
    )
    across, left, right = _along(
        shape[1], window.left() - whole.left(), window.width(), whole.width(), scale
    )
    if down == across == 1 and shape[0] * shape[1] <= LARGEST_WHOLE:
        return VisibleCells(0, shape[0], 0, shape[1])
    return VisibleCells(top, bottom, left, right, down, across)


def _along(
    cells: int, start: float, length: float, whole: float, scale: float
) -> tuple[int, int, int]:
    """The cells that share a pixel along an axis.

    The first visible one and the one after the last, in whole blocks.
    """
    cell = max(whole, 1e-9) / cells
    block = max(1, min(cells, int(1 / (cell * scale) + 1e-6)))
    first = max(0, int(start / cell + 1e-6) // block * block)
    last = min(cells, -(-int((start + length) / cell + 1 - 1e-6) // block) * block)
    return block, first, max(last, first + 1)


def visible_pane(pane: Pane, visible: VisibleCells) -> Pane:
    """A pane of the visible cells, or of one cell for each pixel."""
    place = slice(visible.top, visible.bottom), slice(visible.left, visible.right)
    flags = [None if flag is None else flag[place] for flag in (pane.masked, pane.half_masked)]
    part = Pane(pane.head, pane.values[place], pane.levels, *flags)
    return (
        part
        if visible.block_rows == visible.block_columns == 1
        else _coarse(part, visible.block_rows, visible.block_columns)
    )


def _coarse(pane: Pane, down: int, across: int) -> Pane:
    flags = [flag for flag in (pane.masked, pane.half_masked) if flag is not None]
    if not flags:
        sizes = (
            _sizes(size, block) for size, block in zip(pane.shape, (down, across), strict=True)
        )
        return Pane(pane.head, _sums(pane.values, down, across) / np.outer(*sizes), pane.levels)
    counts: BoolArray = ~(flags[0] if len(flags) == 1 else np.logical_or(*flags))
    open_cells = _sums(counts, down, across)
    means = _sums(pane.values, down, across, where=counts) / np.maximum(open_cells, 1)
    closed = open_cells == 0
    masked, half = None if pane.masked is None else closed, None
    if pane.half_masked is not None:
        half = closed & (_sums(pane.half_masked, down, across) > 0)
    return Pane(pane.head, means, pane.levels, masked, half)


def _sizes(size: int, block: int) -> Array:
    sizes = np.full(-(-size // block), float(block))
    sizes[-1] = size - (len(sizes) - 1) * block
    return sizes


def _sums(
    array: Array | BoolArray, down: int, across: int, where: BoolArray | None = None
) -> npt.NDArray[np.float64 | np.uint32]:
    """Sums over blocks; of flags, how many are set.

    Computed in parts that fit into the processor's cache.
    """
    rows, columns = array.shape
    kind = np.uint32 if array.dtype == np.bool_ else np.float64
    result = np.zeros((-(-rows // down), -(-columns // across)), kind)
    at_once = max(1, BLOCK_CELLS // (down * columns))
    for start in range(0, len(result), at_once):
        place = slice(start * down, (start + at_once) * down)
        part = array[place] if where is None else np.where(where[place], array[place], 0.0)
        _add_up(
            part.view(np.uint8) if kind is np.uint32 else part,
            down,
            across,
            result[start : start + at_once],
        )
    return result


def _add_up(part: npt.NDArray[Any], down: int, across: int, result: npt.NDArray[Any]) -> None:
    wide = np.zeros((len(result), part.shape[1]), result.dtype)
    for row in range(min(down, len(part))):
        lines = part[row::down]
        wide[: len(lines)] += lines
    for column in range(min(across, part.shape[1])):
        strip = wide[:, column::across]
        result[:, : strip.shape[1]] += strip
