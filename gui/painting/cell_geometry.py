"""Where the cells of a matrix lie, kept: the next run has its cells at the same places."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF

from gui.painting.matrix_spec import Span

KEPT = 24  # grids

Area = tuple[float, float, float, float]


class MatrixLayout:
    """The cells of a part of a matrix, row by row, without the gaps between them. They are shared: nobody moves one."""

    def __init__(self, area: Area, size: Span, rows: Span, columns: Span) -> None:
        x, y, width, height = area[0], area[1], area[2] / size[1], area[3] / size[0]
        self.gap = gap = min(1.5, width * 0.04, height * 0.06)
        across = [x + column * width + gap for column in range(*columns)]
        self.cells = [
            QRectF(left, y + row * height + gap, width - 2 * gap, height - 2 * gap)
            for row in range(*rows)
            for left in across
        ]
        self.radius = min(3.0, self.cells[0].height() * 0.15)
        self._corners: dict[tuple[int, float, float, float], QPointF] = {}

    @property
    def whole(self) -> QRectF:
        """The part of the matrix, with its gaps."""
        return (
            self.cells[0].united(self.cells[-1]).adjusted(-self.gap, -self.gap, self.gap, self.gap)
        )

    def corner(self, index: int, width: float, height: float, squeeze: float) -> QPointF:
        """Where a text so large starts that stands in the middle of a cell, across in units `squeeze` times as wide."""
        key = index, width, height, squeeze
        found = self._corners.get(key)
        if found is None:
            middle = self.cells[index].center()
            found = self._corners[key] = QPointF(
                middle.x() / squeeze - width / 2, middle.y() - height / 2
            )
        return found


@lru_cache(maxsize=KEPT)
def matrix_layout(area: Area, size: Span, rows: Span, columns: Span) -> MatrixLayout:
    """The cells in a range of rows and one of columns (half-open, not empty) of a matrix of `size` rows and columns
    that lies in an area (x, y, width, height)."""
    return MatrixLayout(area, size, rows, columns)
