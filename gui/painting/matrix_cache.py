"""Matrices painted from kept pixmaps: a step or a moved focus draws the cells of no matrix twice.

Only for what is on a screen; exports draw cell by cell, so that a PDF has real text.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from gui.painting.cell_cache import CellCache, Make
from gui.painting.matrix import MatrixSpec, has_cells, paint_frame, paint_matrix
from gui.painting.matrix_cells import cells_of
from gui.painting.pixmap_cache import Key, PixmapCache, owner, place
from gui.painting.theme import Colours

# Below this many cells a matrix is drawn as fast as a pixmap is found.
LEAST_CELLS = 12


class MatrixCache:
    """Paints as `paint_matrix` does."""

    def __init__(self) -> None:
        self._pixmaps, self._cells = PixmapCache(), CellCache()

    def paint(self, painter: QPainter, rect: QRectF, picture: MatrixSpec, theme: Colours) -> None:
        """Cells from a pixmap unless they flash, then the frames, which move with every step."""
        if picture.flash is not None or picture.values.size < LEAST_CELLS:
            paint_matrix(painter, rect, picture, theme)
            return
        ratio = painter.combinedTransform().m11()
        corner = QPointF(
            math.floor(rect.x() * ratio) / ratio - 1, math.floor(rect.y() * ratio) / ratio - 1
        )
        bounds = QRectF(corner, rect.bottomRight() + QPointF(1, 1))
        inside = rect.topLeft() - corner
        dress = (
            *_dress(picture, theme),
            round(inside.x(), 3),
            round(inside.y(), 3),
            rect.width(),
            rect.height(),
        )
        sources = tuple(
            owner(array) for array in (picture.values, picture.scores) if array is not None
        )
        shown = "matrix", (dress, _numbers(picture)), sources, (1.0, ratio)
        pixmap = self._pixmaps.find(*shown)
        if pixmap is None:
            make = partial(self._pixmaps.make, *shown, bounds)
            pixmap = self._made(dress, ratio, rect, picture, theme, make)
        painter.drawPixmap(corner, pixmap)
        for frame in picture.frames:
            paint_frame(painter, rect, picture.rows, picture.columns, frame, theme.surface)

    def _made(
        self,
        dress: Key,
        ratio: float,
        rect: QRectF,
        picture: MatrixSpec,
        theme: Colours,
        make: Make,
    ) -> QPixmap:
        """Painted over the one before where it can be."""
        plain = replace(picture, frames=()) if picture.frames else picture
        if not has_cells(rect, picture):
            return make(
                partial(paint_matrix, rect=rect, picture=plain, theme=theme),
                Qt.GlobalColor.transparent,
            )
        rows, columns = (0, picture.rows), (0, picture.columns)
        cells = cells_of(rect, plain, theme, 1.0, rows, columns)
        return self._cells.picture((dress, ratio, cells.size), cells, ratio, make)


def _dress(picture: MatrixSpec, theme: Colours) -> tuple[object, ...]:
    """All that the cells depend on, but for their numbers and where they lie."""
    return (
        picture.values.shape,
        picture.decimals,
        picture.pinned,
        picture.filled,
        picture.off,
        picture.digits,
        picture.squeeze,
        theme,
    )


def _numbers(picture: MatrixSpec) -> Key:
    """Which numbers they are, how many of them stand, and what colours they have."""
    scores = None if picture.scores is None else place(picture.scores)
    return (
        place(picture.values),
        scores,
        picture.levels,
        picture.shown,
        picture.asked,
        picture.by_column,
    )
