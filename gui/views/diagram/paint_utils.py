"""Painting helpers of the diagram: Qt rectangles, texts of a minimum size, chips."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QTransform

from core.base.arrays import Array
from core.base.number_format import show, show_all
from gui.painting.matrix import MatrixSpec, longest_text, paint_matrix
from gui.painting.shapes import draw_box
from gui.painting.text_layout import LEFT, draw_line, draw_text, width_of
from gui.painting.text_size import saved
from gui.painting.theme import CAPTION, Colours, font
from gui.views.diagram.card_sizes import DIGIT_HEIGHT, DIGIT_WIDTH, LEAST_DIGITS, SQUEEZE
from gui.views.diagram.shapes import Rect

# Texts grow in a reduced picture up to this factor, and are omitted below LEAST pixels.
MOST_GROWTH = 1.45
LEAST = 9.0
# Maximum width of lines in pixels.
THICKEST = 4.0
SMALLEST_SYMBOL = 0.8  # minimum relative size; wider symbols are elided
# Size of subscripts relative to the other letters.
LOWERED = 0.78

Align = Qt.AlignmentFlag


def qrect(rect: Rect) -> QRectF:
    """Convert to a Qt rectangle."""
    return QRectF(rect.x, rect.y, rect.w, rect.h)


def text_size(base: float, scale: float) -> float:
    """Return a font size in layout units of at least 12 pixels on screen, if cards have space."""
    return max(base, min(CAPTION / scale, base * MOST_GROWTH))


def text_font(base: float, scale: float, *, bold: bool = False) -> QFont:
    """Return the program's font at a size of the type scale."""
    return font(round(text_size(base, scale)), bold=bold)


def readable(base: float, scale: float) -> bool:
    """Return whether a text of this size is readable."""
    return text_size(base, scale) * scale >= LEAST


def height_of(face: QFont) -> float:
    """Return the line height of a font."""
    return QFontMetricsF(face).height()


def lowered(face: QFont) -> QFont:
    """Return the font of subscripts (Q in W_Q), not smaller than readable."""
    return (
        face
        if face.pixelSize() > CAPTION
        else font(round(face.pixelSize() * LOWERED), bold=face.bold())
    )


def formula_width(text: str, face: QFont) -> float:
    """Return the width of a text with subscripts after _."""
    return sum(width_of(piece, lowered(face) if low else face) for piece, low in _pieces(text))


def draw_formula(painter: QPainter, rect: QRectF, text: str, face: QFont) -> None:
    """Draw a text with subscripts after _ in the middle of a rectangle, in the pen's colour."""
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
    """Draw a stage's symbol at the left, reduced or elided to fit, and return its width."""
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
    """Draw a text in a rounded chip, and return its rectangle."""
    width, height = formula_width(text, face) + 10.0, height_of(face) + 1.0
    patch = QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)
    draw_box(painter, patch, None, fill, height / 2)
    painter.setPen(QColor(ink))
    draw_formula(painter, patch, text, face)
    return patch


def stroke(colour: str | QColor, width: float, scale: float, dashed: bool = False) -> QPen:
    """Return a pen whose width is limited in an enlarged picture."""
    return QPen(
        QColor(colour),
        min(width, THICKEST / scale),
        Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine,
    )


# Minimum size of digits with space around them.
COMFORTABLE = 11.0
AIRY_HEIGHT, AIRY_WIDTH = 0.68, 0.77
# Least horizontal scale of digits if the font is wider than the layout has estimated.
MOST_SQUEEZE = 0.72
LARGEST_SEARCHED = 20_000


def paint_numbers(
    painter: QPainter, rect: QRectF, picture: MatrixSpec, theme: Colours, *, roomy: bool = False
) -> None:
    """Draw a matrix into a rectangle of layout units; `roomy`: digits with space around them only.

    Undo the painter's scale first: font sizes are whole numbers, too coarse in large units.
    """
    scale = painter.worldTransform().m11()
    area = painter.worldTransform().mapRect(rect)
    frames = tuple(
        replace(frame, width=min(frame.width * scale, THICKEST)) for frame in picture.frames
    )
    with saved(painter):
        painter.setWorldTransform(QTransform())
        size, squeeze, letters = digits_in(picture, area.width(), area.height())
        if roomy and (size < COMFORTABLE or squeeze < 1.0 or letters):
            size = 0.0
        # Cells that are large on screen are drawn one by one at any unit.
        unit = painter.combinedTransform().m11()
        picture = replace(
            picture, digits=size * unit or None, squeeze=squeeze, letters=letters, frames=frames
        )
        paint_matrix(painter, area, picture, theme, unit)


class Digits(NamedTuple):
    """Size of digits in pixels (0: none), their horizontal scale, and the most letters of a number.

    A longer number is shown as "…"; 0 letters are without limit.
    """

    size: float
    squeeze: float = 1.0
    letters: int = 0


def digits_in(picture: MatrixSpec, width: float, height: float) -> Digits:
    """Return the digits of a matrix drawn at a size in pixels.

    Numbers longer than 0.00 are condensed before their digits become smaller. If at least half of
    the numbers fit, the longer ones are omitted.
    """
    width, height = width / picture.columns, height / picture.rows
    if not _fitted(show(0.0, picture.decimals), picture.decimals, width, height).size:
        return Digits(0.0)  # for any numbers
    parts = picture.shown_parts()
    if picture.values.size > LARGEST_SEARCHED:  # estimate from the scale
        return _fitted(
            show(-picture.levels.high, picture.decimals), picture.decimals, width, height
        )
    longest = max((longest_text(part, picture.decimals) for part in parts), key=len)
    found = _fitted(longest, picture.decimals, width, height)
    return found if found.size else _of_most(parts, picture.decimals, width, height)


def _of_most(parts: tuple[Array, ...], decimals: int, width: float, height: float) -> Digits:
    """Return the digits of numbers of the most letters that fit, if half of all numbers do."""
    numbers = [text for part in parts for text in show_all(part.ravel().tolist(), decimals)]
    for letters in sorted({len(number) for number in numbers}, reverse=True):
        short = [number for number in numbers if len(number) <= letters]
        if 2 * len(short) < len(numbers):
            break
        found = _fitted(max(short, key=len), decimals, width, height)
        if found.size:
            return found._replace(letters=letters)
    return Digits(0.0)


def _fitted(text: str, decimals: int, width: float, height: float) -> Digits:
    """Return the digits of a cell of a size in pixels that holds a number.

    Large digits have space around them; small ones use all of it and are condensed further before
    they are omitted.
    """
    wide, usual = (width_of(one, font(100)) / 100 for one in (text, show(0.0, decimals)))
    tallest, widest = height * DIGIT_HEIGHT, width * DIGIT_WIDTH
    airy = min(height * AIRY_HEIGHT, width * AIRY_WIDTH / usual)
    tight = min(tallest, widest / (wide * SQUEEZE))
    size = min(tight, max(airy, COMFORTABLE))
    if size < LEAST_DIGITS:
        size = LEAST_DIGITS if min(tallest, widest / (wide * MOST_SQUEEZE)) >= LEAST_DIGITS else 0.0
    return Digits(size, min(1.0, widest / (wide * size))) if size else Digits(0.0)
