"""Specification of a drawn matrix, and the geometry of its cells."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF

from core.base.arrays import Array
from core.document.orientation import Orientation
from gui.painting.color_scale import Levels

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Frame:
    """Coloured outline around half-open ranges of rows and columns, such as the query's row."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    colour: str
    width: float = 2.5


@dataclass(frozen=True, slots=True, eq=False)
class MatrixSpec:
    """Everything that determines how a matrix is drawn.

    `shown` is the extent of computed cells, as (whole rows, cells of the next row) or, if
    `by_column`, as (whole columns, cells of the next column). All other cells are ghosts.

    `predicted` is the extent, in the same form, of ghosts with a question mark. `pinned` and
    `filled` are marked cells; `flash` is a (rows, columns) array of changed cells, drawn with
    `flash_alpha`. `digits` is the size of the numbers: 0 selects the largest that fits, None omits
    them; `squeeze` is their horizontal scale. Numbers of more than `letters` characters are shown
    as "…", 0 is without limit. `scores` are the input of a softmax: where they are
    −∞, the cell is forbidden and hatched.
    """

    values: Array
    levels: Levels
    decimals: int
    shown: tuple[int, int] | None = None
    frames: tuple[Frame, ...] = ()
    pinned: frozenset[tuple[int, int]] = frozenset()
    filled: frozenset[tuple[int, int]] = frozenset()
    flash: npt.NDArray[np.bool_] | None = None
    flash_alpha: float = 0.0
    off: bool = False
    digits: float | None = 0.0
    by_column: bool = False
    predicted: tuple[int, int] | None = None
    scores: Array | None = None
    squeeze: float = 1.0
    letters: int = 0

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def columns(self) -> int:
        """Number of columns."""
        return int(self.values.shape[1])

    def is_shown(self, row: int, column: int) -> bool:
        """Return whether a cell is shown, not a ghost."""
        if self.shown is None:
            return True
        line, place = (column, row) if self.by_column else (row, column)
        return line < self.shown[0] or (line == self.shown[0] and place < self.shown[1])

    def shown_parts(self) -> tuple[Array, ...]:
        """Return the shown values as shown_parts() does."""
        return shown_parts(self.values, self.shown, by_column=self.by_column)

    def is_masked(self, row: int, column: int) -> bool:
        """Return whether a cell is forbidden."""
        return bool(self.masked_cells((row, row + 1), (column, column + 1))[0, 0])

    def masked_cells(self, rows: Span, columns: Span) -> npt.NDArray[np.bool_]:
        """Return a mask of cells that are −∞ or the resulting 0; edited weights do not count."""
        part = slice(*rows), slice(*columns)
        values = self.values[part]
        if self.scores is None:
            return np.isneginf(values)
        closed: npt.NDArray[np.bool_] = (values == 0.0) & np.isneginf(self.scores[part])
        return closed


def shown_parts(
    values: Array, extent: Span | None, *, by_column: bool = False
) -> tuple[Array, ...]:
    """Return a matrix up to an extent: whole lines, and cells of the next one; both may be empty."""
    if extent is None:
        return (values,)
    lines, cells = extent
    along = values.swapaxes(-1, -2) if by_column else values
    return along[..., :lines, :], along[..., lines : lines + 1, :cells]


def oriented(picture: MatrixSpec, orientation: Orientation) -> MatrixSpec:
    """Return a specification in document order as drawn in an orientation."""
    if not orientation.columns:
        return picture
    turn = orientation.pair
    return replace(
        picture,
        values=orientation.matrix(picture.values),
        frames=tuple(
            replace(frame, rows=frame.columns, columns=frame.rows) for frame in picture.frames
        ),
        pinned=frozenset(turn(*place) for place in picture.pinned),
        filled=frozenset(turn(*place) for place in picture.filled),
        flash=None if picture.flash is None else orientation.matrix(picture.flash),
        scores=None if picture.scores is None else orientation.matrix(picture.scores),
        by_column=not picture.by_column,
    )


def cell_rect(rect: QRectF, rows: int, columns: int, row: int, column: int) -> QRectF:
    """Return the rectangle of a cell within a matrix's rectangle."""
    width, height = rect.width() / columns, rect.height() / rows
    return QRectF(rect.x() + column * width, rect.y() + row * height, width, height)


def cell_at(rect: QRectF, rows: int, columns: int, point: QPointF) -> tuple[int, int] | None:
    """Return the cell at a point, or None outside."""
    if not rect.contains(point):
        return None
    row = int((point.y() - rect.y()) / rect.height() * rows)
    column = int((point.x() - rect.x()) / rect.width() * columns)
    return min(row, rows - 1), min(column, columns - 1)


def clip_extent(shown: Span | None, lines: Span, places: Span) -> Span | None:
    """Return the shown extent within a part of a matrix.

    `lines` are its rows (its columns, if the matrix fills by columns), `places` the other axis.
    """
    if shown is None:
        return None
    inside = lines[0] <= shown[0] < lines[1]
    cells = min(max(shown[1] - places[0], 0), places[1] - places[0]) if inside else 0
    return min(max(shown[0] - lines[0], 0), lines[1] - lines[0]), cells
