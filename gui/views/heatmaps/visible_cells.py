"""What is seen of a pane: the cells in view, at the size at which they are drawn.

Cells that are smaller than a pixel share one: it wears the colour of their mean, as in the diagram, so that nothing
falls between two pixels. Masked cells do not count; a block is masked where all of it is, and blank where any of it is
still to be predicted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF

from core.arithmetic.blockwise import BLOCK_CELLS
from core.base.arrays import Array, BoolArray
from gui.views.heatmaps.heatmap_data import Pane

WHOLE = 1 << 16  # cells of a matrix that is coloured once, whatever part of it is looked at


@dataclass(frozen=True, slots=True)
class Look:
    """Cells from `top` to before `bottom` and `left` to before `right`; `down` × `across` of them share a pixel."""

    top: int
    bottom: int
    left: int
    right: int
    down: int = 1
    across: int = 1

    def rect(self, whole: QRectF, shape: tuple[int, int]) -> QRectF:
        """Where these cells, as whole blocks, lie in the rectangle of the whole matrix."""
        height, width = whole.height() / shape[0], whole.width() / shape[1]
        rows = -(-(self.bottom - self.top) // self.down) * self.down
        columns = -(-(self.right - self.left) // self.across) * self.across
        return QRectF(
            whole.x() + self.left * width,
            whole.y() + self.top * height,
            columns * width,
            rows * height,
        )


def look_at(shape: tuple[int, int], window: QRectF, whole: QRectF, scale: float) -> Look:
    """How a matrix is seen that fills `whole`, through a window; `scale` is pixels of the screen a unit."""
    down, top, bottom = _along(
        shape[0], window.top() - whole.top(), window.height(), whole.height(), scale
    )
    across, left, right = _along(
        shape[1], window.left() - whole.left(), window.width(), whole.width(), scale
    )
    if down == across == 1 and shape[0] * shape[1] <= WHOLE:
        return Look(0, shape[0], 0, shape[1])
    return Look(top, bottom, left, right, down, across)


def _along(
    cells: int, start: float, length: float, whole: float, scale: float
) -> tuple[int, int, int]:
    """Cells that share a pixel along an axis; the first seen and the one after the last, in whole blocks."""
    cell = max(whole, 1e-9) / cells
    block = max(1, min(cells, int(1 / (cell * scale) + 1e-6)))
    first = max(0, int(start / cell + 1e-6) // block * block)
    last = min(cells, -(-int((start + length) / cell + 1 - 1e-6) // block) * block)
    return block, first, max(last, first + 1)


def seen(pane: Pane, look: Look) -> Pane:
    """A pane of what is seen: a cell for each pixel, or the cells themselves."""
    place = slice(look.top, look.bottom), slice(look.left, look.right)
    flags = [
        None if flag is None else flag[place]
        for flag in (pane.masked, pane.half_masked, pane.withheld)
    ]
    part = Pane(pane.head, pane.values[place], pane.levels, *flags)
    return part if look.down == look.across == 1 else _coarse(part, look.down, look.across)


def _coarse(pane: Pane, down: int, across: int) -> Pane:
    hidden = [flag for flag in (pane.masked, pane.half_masked, pane.withheld) if flag is not None]
    if not hidden:
        sizes = (
            _sizes(size, block) for size, block in zip(pane.shape, (down, across), strict=True)
        )
        return Pane(pane.head, _sums(pane.values, down, across) / np.outer(*sizes), pane.levels)
    counts: BoolArray = ~(hidden[0] if len(hidden) == 1 else np.logical_or.reduce(hidden))
    open_cells = _sums(counts, down, across)
    means = _sums(pane.values, down, across, where=counts) / np.maximum(open_cells, 1)
    closed = open_cells == 0
    half, withheld = (
        None if flag is None else _sums(flag, down, across) > 0
        for flag in (pane.half_masked, pane.withheld)
    )
    masked = None if pane.masked is None else closed
    return Pane(
        pane.head, means, pane.levels, masked, None if half is None else half & closed, withheld
    )


def _sizes(size: int, block: int) -> Array:
    sizes = np.full(-(-size // block), float(block))
    sizes[-1] = size - (len(sizes) - 1) * block
    return sizes


def _sums(
    array: Array | BoolArray, down: int, across: int, where: BoolArray | None = None
) -> npt.NDArray[np.float64 | np.uint32]:
    """Sums over blocks, of flags how many are set; what is being added up stays in the cache."""
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
