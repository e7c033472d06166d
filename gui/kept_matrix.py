"""Matrices painted from kept pixmaps: a step or a moved focus draws the cells of no matrix twice.

Only for what is on a screen; exports draw cell by cell, so that a PDF has real text.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from gui.matrix import Picture, paint_frame, paint_matrix
from gui.matrix_masks import Masks
from gui.pixmaps import Key, Pixmaps, owner, place
from gui.theme import Colours

# Below this many cells a matrix is drawn as fast as a pixmap is found.
LEAST_CELLS = 12


class KeptMatrices:
    """Paints as `paint_matrix` does."""

    def __init__(self) -> None:
        self._pixmaps, self._masks = Pixmaps(), Masks()

    def paint(self, painter: QPainter, rect: QRectF, picture: Picture, theme: Colours) -> None:
        """Cells from a pixmap unless they flash, then the frames, which move with every step."""
        if picture.flash is not None or picture.values.size < LEAST_CELLS:
            paint_matrix(painter, rect, picture, theme)
            return
        ratio = painter.combinedTransform().m11()
        corner = QPointF(math.floor(rect.x() * ratio) / ratio - 1, math.floor(rect.y() * ratio) / ratio - 1)
        bounds = QRectF(corner, rect.bottomRight() + QPointF(1, 1))
        inside = rect.topLeft() - corner
        plain = replace(picture, frames=()) if picture.frames else picture
        key = (_key(picture, theme), round(inside.x(), 3), round(inside.y(), 3), rect.width(), rect.height())
        sources = tuple(owner(array) for array in (picture.values, picture.scores) if array is not None)
        paint = partial(paint_matrix, rect=rect, picture=plain, theme=theme, masks=self._masks)
        painter.drawPixmap(corner, self._pixmaps.make("matrix", key, sources, (1.0, ratio), bounds, paint))
        for frame in picture.frames:
            paint_frame(painter, rect, picture.rows, picture.columns, frame, theme.surface)


def _key(picture: Picture, theme: Colours) -> Key:
    """All that the cells depend on, but for where they lie."""
    return (
        place(picture.values), None if picture.scores is None else place(picture.scores), picture.levels,
        picture.decimals, picture.shown, picture.asked, picture.by_column, picture.pinned, picture.filled,
        picture.off, picture.digits, picture.squeeze, theme,
    )  # fmt: skip
