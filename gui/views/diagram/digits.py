"""Matrices in the diagram: painted in pixels, whatever the zoom, with digits that fill their small cells."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTransform

from core.base.number_format import show
from gui.painting.matrix import MatrixSpec, longest_text, paint_matrix
from gui.painting.theme import Colours
from gui.views.diagram.card_sizes import LEAST_DIGITS, OF_HEIGHT, OF_WIDTH, SQUEEZE
from gui.views.diagram.paint_utils import THICKEST, sized_font, width_of

# From this size on digits have air around them.
COMFORTABLE = 11.0
AIRY_HEIGHT, AIRY_WIDTH = 0.68, 0.77
# Where the screen's font is wider than the layout assumed, digits are squeezed this far.
MOST_SQUEEZE = 0.72
LARGEST_SEARCHED = 20_000


def paint_numbers(painter: QPainter, rect: QRectF, picture: MatrixSpec, theme: Colours) -> None:
    """Draw a matrix into a rectangle of layout units.

    The painter's scale is taken off first: fonts have whole sizes of at least 1, too coarse where units are large.
    """
    scale = painter.worldTransform().m11()
    area = painter.worldTransform().mapRect(rect)
    frames = tuple(
        replace(frame, width=min(frame.width * scale, THICKEST)) for frame in picture.frames
    )
    painter.save()
    painter.setWorldTransform(QTransform())
    size, squeeze = digits_in(picture, area.width(), area.height())
    unit = (
        painter.combinedTransform().m11()
    )  # cells that are large enough on the screen are cells, whatever a unit is
    picture = replace(picture, digits=size * unit or None, squeeze=squeeze, frames=frames)
    paint_matrix(painter, area, picture, theme, unit)
    painter.restore()


def digits_in(picture: MatrixSpec, width: float, height: float) -> tuple[float, float]:
    """The size of the digits in a matrix of so many pixels, 0 if none can be read, and how much they are squeezed.

    They fill a low row more than the common painter lets them: here they stand alone in small cards. Large ones have
    air around them, small ones use all there is, and are drawn narrower before they are left out.
    """
    width, height = width / picture.columns, height / picture.rows
    if height * max(AIRY_HEIGHT, OF_HEIGHT) < LEAST_DIGITS:
        return 0.0, 1.0  # whatever the numbers are
    wide = width_of(_longest_number(picture), sized_font(100)) / 100
    airy = min(height * AIRY_HEIGHT, width * AIRY_WIDTH / wide)
    if airy >= COMFORTABLE:
        return airy, 1.0
    tight = min(height * OF_HEIGHT, width * OF_WIDTH / (wide * SQUEEZE), COMFORTABLE)
    size = max(airy, tight)
    if size < LEAST_DIGITS:
        most = min(height * OF_HEIGHT, width * OF_WIDTH / (wide * MOST_SQUEEZE))
        size = LEAST_DIGITS if most >= LEAST_DIGITS else 0.0
    return size, min(1.0, width * OF_WIDTH / (wide * size)) if size else 1.0


def _longest_number(picture: MatrixSpec) -> str:
    """The longest number; of large matrices one at the lower end of the scale, for nobody waits for a search."""
    if picture.values.size > LARGEST_SEARCHED:
        return show(-picture.levels.high, picture.decimals)
    return longest_text(picture.values, picture.decimals)
