"""Pictures of cells, painted over those of the run before: only what is written or coloured otherwise is painted.

They are told by what is seen of them, not by whose numbers they are, so that an old number cannot stay.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap

from gui.painting.cell_shapes import CellShapes, cells_apart
from gui.painting.matrix_cells import Cells, paint_these
from gui.painting.pixmap_cache import MOST_TOLD, Key, Paint

MOST_PIXELS = 1_000_000  # of 4 bytes
MOST_CHANGED = 0.6  # of the cells; where more differ, all are painted

Make = Callable[[Paint, QPixmap | Qt.GlobalColor], QPixmap]


@dataclass(frozen=True, slots=True)
class _Painted:
    pixmap: QPixmap
    kinds: list[int]
    texts: list[str]

    def changed(self, cells: Cells) -> list[int]:
        """Which cells look otherwise now."""
        pairs = zip(
            self.kinds,
            cells.kinds,
            self.texts or cells.kinds,
            cells.texts or cells.kinds,
            strict=True,
        )
        return [index for index, (a, b, c, d) in enumerate(pairs) if a != b or c != d]

    @property
    def pixels(self) -> int:
        return self.pixmap.width() * self.pixmap.height()


class CellCache:
    """The last picture for each dress: all that is seen but the numbers and their colours."""

    def __init__(self) -> None:
        self._masks = CellShapes()
        self._last: OrderedDict[Key, _Painted] = OrderedDict()
        self.painted: deque[int] = deque(
            maxlen=MOST_TOLD
        )  # how many cells of each of the last pictures

    def picture(self, dress: Key, cells: Cells, ratio: float, make: Make) -> QPixmap:
        """Made by `make`, out of what paints and what it is painted over."""
        last, most = self._last.pop(dress, None), len(cells.kinds) * MOST_CHANGED
        changed = (
            last.changed(cells) if last is not None and cells_apart(cells.grid, ratio) else None
        )
        if last is None or changed is None or len(changed) > most:
            self.painted.append(len(cells.kinds))
            pixmap = make(
                lambda painter: paint_these(painter, cells, self._masks), Qt.GlobalColor.transparent
            )
        else:
            self.painted.append(len(changed))
            pixmap = make(lambda painter: _paint_again(painter, cells, changed), last.pixmap)
        self._keep(dress, _Painted(pixmap, cells.kinds, cells.texts))
        return pixmap

    def _keep(self, dress: Key, painted: _Painted) -> None:
        self._last[dress] = painted
        while len(self._last) > 1 and sum(one.pixels for one in self._last.values()) > MOST_PIXELS:
            self._last.popitem(last=False)


def _paint_again(painter: QPainter, cells: Cells, changed: list[int]) -> None:
    """Some cells in place of what was painted there."""
    gap = cells.grid.gap
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
    for index in changed:
        painter.fillRect(
            cells.places[index].adjusted(-gap, -gap, gap, gap), Qt.GlobalColor.transparent
        )
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
    if changed:
        paint_these(painter, cells.only(changed))
