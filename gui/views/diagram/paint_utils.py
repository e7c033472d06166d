"""Small painting helpers of the diagram: Qt rectangles, texts that never get too small, chips."""

from __future__ import annotations

import re
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QTransform

from core.base.number_format import show
from gui.painting.matrix import MatrixSpec, longest_text, paint_matrix
from gui.painting.text_layout import LEFT, draw_line, elide, width_of
from gui.painting.theme import CAPTION, Colours, font
from gui.views.diagram.card_sizes import LEAST_DIGITS, OF_HEIGHT, OF_WIDTH, SQUEEZE
from gui.views.diagram.shapes import Rect

# However small the picture is drawn, texts grow against it up to this factor, and below LEAST pixels they are left out.
MOST_GROWTH = 1.45
LEAST = 9.0
# No line gets thicker than this many pixels.
THICKEST = 4.0
SMALLEST_SYMBOL = 0.8  # of its usual size; what is wider still is cut
# Letters that are set lower, as a part of the others.
LOWERED = 0.78

Align = Qt.AlignmentFlag


def qrect(rect: Rect) -> QRectF:
    """The rectangle for Qt."""
    return QRectF(rect.x, rect.y, rect.w, rect.h)


def text_size(base: float, scale: float) -> float:
    """A font size in layout units that is not under 12 pixels on the screen, as far as cards have room for it."""
    return max(base, min(CAPTION / scale, base * MOST_GROWTH))


def text_font(base: float, scale: float, *, bold: bool = False) -> QFont:
    """The program's font at a size of the type scale."""
    return font(round(text_size(base, scale)), bold=bold)


def readable(base: float, scale: float) -> bool:
    """Whether a text of this size can be read at all."""
    return text_size(base, scale) * scale >= LEAST


def height_of(face: QFont) -> float:
    """The height of a line of text in a font."""
    return QFontMetricsF(face).height()


def draw_text(
    painter: QPainter, rect: QRectF, across: float, text: str, face: QFont, colour: str | QColor
) -> None:
    """One line at half the height of a rectangle, cut with an ellipsis where it does not fit."""
    painter.setPen(QColor(colour))
    draw_line(painter, rect, elide(text, face, rect.width()), face, across)


def lowered(face: QFont) -> QFont:
    """The font of what is set lower: the Q of W_Q; as large as the rest where that has grown to be readable."""
    return (
        face
        if face.pixelSize() > CAPTION
        else font(round(face.pixelSize() * LOWERED), bold=face.bold())
    )


def formula_width(text: str, face: QFont) -> float:
    """How wide a text is whose letters after _ are set lower."""
    return sum(width_of(piece, lowered(face) if low else face) for piece, low in _pieces(text))


def draw_formula(painter: QPainter, rect: QRectF, text: str, face: QFont) -> None:
    """A text in the middle of a rectangle, its letters after _ set lower, in the painter's colour."""
    x = rect.center().x() - formula_width(text, face) / 2
    for piece, low in _pieces(text):
        own = lowered(face) if low else face
        width = width_of(piece, own)
        down = face.pixelSize() * 0.22 if low else 0.0
        draw_line(painter, QRectF(x, rect.y() + down, width, rect.height()), piece, own, LEFT)
        x += width


def draw_symbol(
    painter: QPainter, rect: QRectF, text: str, face: QFont, colour: str | QColor
) -> float:
    """A stage's symbol at the left of a rectangle, smaller or cut where it does not fit; returns its width."""
    width, least = formula_width(text, face), SMALLEST_SYMBOL * face.pixelSize()
    while width > rect.width() and face.pixelSize() > least:
        face = font(face.pixelSize() - 1, bold=face.bold())
        width = formula_width(text, face)
    if width > rect.width():
        draw_text(painter, rect, LEFT, text, face, colour)
        return rect.width()
    painter.setPen(QColor(colour))
    draw_formula(painter, QRectF(rect.x(), rect.y(), width, rect.height()), text, face)
    return width


def _pieces(text: str) -> list[tuple[str, bool]]:
    if "_" not in text:
        return [(text, False)]
    return [(piece.removeprefix("_"), piece.startswith("_")) for piece in _PIECES.findall(text)]


_PIECES = re.compile(r"_\w|[^_]+")


def draw_chip(
    painter: QPainter, middle: QPointF, text: str, face: QFont, ink: str, fill: str
) -> QRectF:
    """A text in a rounded patch; returns the patch."""
    width, height = formula_width(text, face) + 10.0, height_of(face) + 1.0
    patch = QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(fill))
    painter.drawRoundedRect(patch, height / 2, height / 2)
    painter.setPen(QColor(ink))
    draw_formula(painter, patch, text, face)
    return patch


def stroke(colour: str | QColor, width: float, scale: float, dashed: bool = False) -> QPen:
    """A pen; in an enlarged picture lines stay lines."""
    return QPen(
        QColor(colour),
        min(width, THICKEST / scale),
        Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine,
    )


def outline(painter: QPainter, rect: QRectF, pen: QPen, fill: QColor | None, radius: float) -> None:
    """A rounded rectangle."""
    painter.setPen(pen)
    painter.setBrush(fill if fill is not None else QColor(0, 0, 0, 0))
    painter.drawRoundedRect(rect, radius, radius)


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
    wide = width_of(_longest_number(picture), font(100)) / 100
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
