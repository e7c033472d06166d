"""The grounds of many cells at once: colours spread over all of them, then cut to a mask of rounded cells.

The mask is kept: the next run has cells of the same shape at the same places. Only for pictures on a screen.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap, QTransform

from gui.painting.cell_geometry import MatrixLayout

MOST = 24  # masks, of a byte a pixel
# Where the gaps are narrower, in pixels of the screen, a pixel may lie on two cells.
LEAST_GAP = 1.1

_SMOOTH = QPainter.RenderHint.SmoothPixmapTransform | QPainter.RenderHint.Antialiasing

Key = tuple[object, ...]


class CellShapes:
    """Masks by where the cells lie, made the second time that they are wanted."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, QImage | None] = OrderedDict()

    def spread(
        self, painter: QPainter, grid: MatrixLayout, colours: npt.NDArray[np.uint32]
    ) -> bool:
        """Paint rounded cells on a pixmap that is transparent yet, (rows, columns) colours, premultiplied; whether
        it was done."""
        pixmap, transform = painter.device(), painter.deviceTransform()
        apart = cells_apart(grid, min(transform.m11(), transform.m22()))
        if not apart or not isinstance(pixmap, QPixmap) or transform.isRotating():
            return False
        mask = self._mask(pixmap, transform, grid)
        if mask is None:
            return False
        rows, columns = colours.shape
        image = QImage(
            colours.tobytes(), columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied
        )
        painter.save()
        painter.setRenderHints(_SMOOTH, False)
        painter.setCompositionMode(
            QPainter.CompositionMode.CompositionMode_Source
        )  # many times as fast as over
        painter.drawImage(grid.whole, image)
        painter.resetTransform()
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
        painter.drawImage(QPoint(0, 0), mask)
        painter.restore()
        return True

    def _mask(self, pixmap: QPixmap, transform: QTransform, grid: MatrixLayout) -> QImage | None:
        at = transform.m11(), transform.m22(), transform.dx(), transform.dy()
        key = grid, pixmap.width(), pixmap.height(), pixmap.devicePixelRatio(), at
        if key not in self._kept:
            self._kept[key] = None
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
            return None
        self._kept.move_to_end(key)
        found = self._kept[key]
        if found is None:
            found = self._kept[key] = _made(pixmap, transform, grid)
        return found


def cells_apart(grid: MatrixLayout, scale: float) -> bool:
    """Whether no pixel lies on two cells, at so many pixels a unit."""
    return 2 * grid.gap * scale >= LEAST_GAP


def _made(pixmap: QPixmap, transform: QTransform, grid: MatrixLayout) -> QImage:
    """Where the cells lie, as far as they cover each pixel."""
    whole = QImage(pixmap.size(), QImage.Format.Format_ARGB32_Premultiplied)
    whole.fill(Qt.GlobalColor.transparent)
    with QPainter(whole) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setTransform(transform)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(Qt.GlobalColor.black))
        for cell in grid.cells:
            painter.drawRoundedRect(cell, grid.radius, grid.radius)
    mask = whole.convertToFormat(QImage.Format.Format_Alpha8)
    mask.setDevicePixelRatio(pixmap.devicePixelRatio())
    return mask
