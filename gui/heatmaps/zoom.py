"""The part of a matrix that is looked at, as a part of the whole: (0, 0, 1, 1) is all of it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

NOTCH = 1.25  # one notch of the wheel
FEWEST = 4  # rows and columns that stay in view


@dataclass(frozen=True, slots=True)
class Zoom:
    """Left and top edge and the size of the part, each between 0 and 1."""

    left: float = 0.0
    top: float = 0.0
    size: float = 1.0

    def whole(self, window: QRectF) -> QRectF:
        """Where the whole matrix lies when its part fills the window."""
        width, height = window.width() / self.size, window.height() / self.size
        return QRectF(window.x() - self.left * width, window.y() - self.top * height, width, height)

    def by(self, factor: float, at: QPointF, shape: tuple[int, int]) -> Zoom:
        """Closer (or farther, below 1) around a point of the window given in parts of it."""
        size = min(max(self.size / factor, min(1.0, FEWEST / max(shape))), 1.0)
        x, y = self.left + at.x() * self.size, self.top + at.y() * self.size
        return Zoom(x - at.x() * size, y - at.y() * size, size)._inside()

    def moved(self, right: float, down: float) -> Zoom:
        """Shifted by parts of the window."""
        return Zoom(self.left + right * self.size, self.top + down * self.size, self.size)._inside()

    def showing(self, row: int, column: int, shape: tuple[int, int]) -> Zoom:
        """Shifted as little as needed to have a cell in view."""
        left = _reach(self.left, self.size, column / shape[1], (column + 1) / shape[1])
        top = _reach(self.top, self.size, row / shape[0], (row + 1) / shape[0])
        return self if (left, top) == (self.left, self.top) else Zoom(left, top, self.size)._inside()

    def _inside(self) -> Zoom:
        most = 1.0 - self.size
        return Zoom(min(max(self.left, 0.0), most), min(max(self.top, 0.0), most), self.size)


def _reach(start: float, size: float, low: float, high: float) -> float:
    return max(min(start, low), high - size)
