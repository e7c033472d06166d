"""How matrices are laid out for people: tokens as rows (X·W, softmax along rows) or as columns
(W·X, down columns).

The document and the trace do not change, and cells keep their addresses. With tokens as columns
every matrix is seen transposed, and a product in the other order, since (X·W)ᵀ = Wᵀ·Xᵀ: what is
called W_Q is then seen as d_k × d.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from core.base.cell import Cell

T = TypeVar("T")
Number = TypeVar("Number", bound=np.generic)


class Orientation(Struct, frozen=True):
    """One of the two conventions. Each method is its own inverse."""

    columns: bool = False

    def pair(self, first: T, second: T) -> tuple[T, T]:
        """Two values of the document's rows and columns, in the order in which they are shown.

        A place, a shape, two labels, two ranges, a step of the focus; and the two factors of a
        product.
        """
        return (second, first) if self.columns else (first, second)

    def matrix(self, values: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """A matrix as it is shown (the last two axes); a vector is one row or one column.

        # no copy
        """
        values = values[None, :] if values.ndim == 1 else values
        return values.swapaxes(-2, -1) if self.columns else values

    def cell(self, cell: Cell) -> Cell:
        """A cell with row and column as they are shown, or back."""
        row, column = self.pair(cell.row, cell.column)
        return replace(cell, row=row, column=column)


ROWS, COLUMNS = Orientation(), Orientation(columns=True)
