"""Matrices in the diagram: painted in pixels, whatever the zoom, with digits that fill their small cells."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTransform

from core.numbers import show
from gui.diagram.brush import THICKEST, sized_font, width_of
from gui.matrix import Picture, longest_text, paint_matrix
from gui.theme import CAPTION, Colours

LEAST_DIGITS = 8.5
LEAST_CELL = 18.0
LARGEST_SEARCHED = 20_000


def paint_numbers(painter: QPainter, rect: QRectF, picture: Picture, theme: Colours) -> None:
    """Draw a matrix into a rectangle of layout units.

    The painter's scale is taken off first: fonts have whole sizes of at least 1, too coarse where units are large.
    """
    scale = painter.worldTransform().m11()
    area = painter.worldTransform().mapRect(rect)
    frames = tuple(replace(frame, width=min(frame.width * scale, THICKEST)) for frame in picture.frames)
    painter.save()
    painter.setWorldTransform(QTransform())
    paint_matrix(painter, area, replace(picture, digits=_digits(picture, area), frames=frames), theme)
    painter.restore()


def _digits(picture: Picture, area: QRectF) -> float:
    """Digits fill a low row more than the common painter lets them: here they stand alone in small cards."""
    width, height = area.width() / picture.columns, area.height() / picture.rows
    if width < LEAST_CELL or height < LEAST_DIGITS:
        return 0.0
    at_100 = width_of(_longest_number(picture), sized_font(100))
    size = min(height * 0.76, (width * 0.9 - 1.0) / at_100 * 100, max(CAPTION, height * 0.5))
    return size if size >= LEAST_DIGITS else 0.0


def _longest_number(picture: Picture) -> str:
    """The longest number; of large matrices one at the lower end of the scale, for nobody waits for a search."""
    if picture.values.size > LARGEST_SEARCHED:
        return show(-picture.levels.high, picture.decimals)
    return longest_text(picture.values, picture.decimals)
