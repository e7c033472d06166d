"""The part of a matrix that is looked at, as a part of the whole: (0, 0, 1, 1) is all of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF

NOTCH = 1.25  # one notch of the wheel
FEWEST = 4  # rows and columns that stay in view


@dataclass(frozen=True, slots=True)
class Zoom:
    """Left and top edge of the part and how much of the longer axis it shows, each between 0 and 1.

    It holds as many rows as columns, or all of them: of a long, thin matrix the short axis stays whole at first. `wide`
    and `high` say how many times as long as the columns, and as the rows, the longer axis is.
    """

    left: float = 0.0
    top: float = 0.0
    size: float = 1.0
    wide: float = 1.0
    high: float = 1.0

    @property
    def across(self) -> float:
        """The part of the columns."""
        return min(1.0, self.size * self.wide)

    @property
    def down(self) -> float:
        """The part of the rows."""
        return min(1.0, self.size * self.high)

    def whole(self, window: QRectF) -> QRectF:
        """Where the whole matrix lies when its part fills the window."""
        width, height = window.width() / self.across, window.height() / self.down
        return QRectF(window.x() - self.left * width, window.y() - self.top * height, width, height)

    def by(self, factor: float, at: QPointF, shape: tuple[int, int]) -> Zoom:
        """Closer (or farther, below 1) around a point of the window given in parts of it."""
        rows, columns = shape
        most = max(shape)
        size = min(max(self.size / factor, min(1.0, FEWEST / most)), 1.0)
        if size == 1.0:
            return Zoom()
        new = Zoom(0.0, 0.0, size, most / columns, most / rows)
        x, y = self.left + at.x() * self.across, self.top + at.y() * self.down
        return replace(new, left=x - at.x() * new.across, top=y - at.y() * new.down)._inside()

    def moved(self, right: float, down: float) -> Zoom:
        """Shifted by parts of the window."""
        return replace(
            self, left=self.left + right * self.across, top=self.top + down * self.down
        )._inside()

    def showing(self, row: int, column: int, shape: tuple[int, int]) -> Zoom:
        """Shifted as little as needed to have a cell in view."""
        left = _reach(self.left, self.across, column / shape[1], (column + 1) / shape[1])
        top = _reach(self.top, self.down, row / shape[0], (row + 1) / shape[0])
        return (
            self
            if (left, top) == (self.left, self.top)
            else replace(self, left=left, top=top)._inside()
        )

    def _inside(self) -> Zoom:
        left, top = (
            min(max(self.left, 0.0), 1.0 - self.across),
            min(max(self.top, 0.0), 1.0 - self.down),
        )
        return replace(self, left=left, top=top)


def _reach(start: float, size: float, low: float, high: float) -> float:
    return max(min(start, low), high - size)
