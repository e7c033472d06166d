"""Arcs from the tokens of a sentence to the word in it: nested, so that none crosses another, each with its share."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from core.base.number_format import show
from core.labs.context import Meaning
from gui.labs.charts import write
from gui.labs.exhibit import Shown
from gui.painting.theme import BODY, font

THICKEST = 14.0
LOWEST = 0.4  # of the highest arc
# Where the nearest and the outermost arc end: so far from the middle of the word, times its width; and where arcs come
# from both sides, with the word's own loop and its number between them.
ENDS, SPREAD_ENDS = (0.38, 0.14), (0.48, 0.35)
FEET, BELLY = 5.0, 20.0  # half as wide as a loop is below, and how much its sides reach out
LOOP = 40.0  # the highest loop
PLATE = 20.0  # of a number
NUMBER = 0.42  # of an arc's length, where its number is: nearer to its token, because at the word arcs come together
PEAK = 0.75  # of its control points that a curve reaches


@dataclass(frozen=True, slots=True)
class Arc:
    """From a token to the word, and the middle of the number on it."""

    path: QPainterPath
    label: QPointF


def arc(seated: list[QRectF], index: int, word: int, high: float) -> Arc:
    """One token's: the farther away it is, the higher, up to `high` above the chips."""
    if index == word:
        return _loop(seated, word, high)
    chip, top, last = seated[word], seated[word].top(), len(seated) - 1
    away, farthest = abs(index - word), max(word, last - word)
    up = high * (LOWEST + (1.0 - LOWEST) * away / farthest)
    side, beside = (-1, word) if index < word else (1, last - word)
    nearest, outermost = ENDS if beside == farthest == last else SPREAD_ENDS
    off = nearest - (nearest - outermost) * (away - 1) / max(beside - 1, 1)
    start, end = seated[index].center().x(), chip.center().x() + side * chip.width() * off
    path = QPainterPath(QPointF(start, top))
    path.cubicTo(QPointF(start, top - up / PEAK), QPointF(end, top - up / PEAK), QPointF(end, top))
    return Arc(path, path.pointAtPercent(NUMBER))


def _loop(seated: list[QRectF], word: int, high: float) -> Arc:
    """What the word takes of itself: on the side where no arc comes, its number above it."""
    chip, top = seated[word], seated[word].top()
    side = (word > 0) - (word < len(seated) - 1)
    x, up = chip.center().x() + side * chip.width() * 0.3, min(LOOP, high * 0.6)
    path = QPainterPath(QPointF(x - FEET, top))
    left, right = (
        QPointF(x - FEET - BELLY, top - up / PEAK),
        QPointF(x + FEET + BELLY, top - up / PEAK),
    )
    path.cubicTo(left, right, QPointF(x + FEET, top))
    return Arc(path, QPointF(x + side * FEET * 2, top - up - PLATE / 2 - THICKEST / 4))


def paint_arcs(
    painter: QPainter, seated: list[QRectF], meaning: Meaning, high: float, shown: Shown
) -> None:
    """All of them, as thick as their shares."""
    for index, weight in enumerate(meaning.weights):
        width = 1.0 + (THICKEST - 1.0) * float(weight)
        painter.setPen(
            QPen(
                QColor(shown.look.theme.weights),
                width,
                Qt.PenStyle.SolidLine,
                Qt.PenCapStyle.FlatCap,
            )
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(arc(seated, index, meaning.place, high).path)


def paint_shares(
    painter: QPainter, seated: list[QRectF], meaning: Meaning, high: float, shown: Shown
) -> None:
    """Their numbers, over all of them."""
    theme, face = shown.look.theme, font(BODY, bold=True)
    for index, weight in enumerate(meaning.weights):
        text = show(float(weight), shown.look.decimals)
        plate = QRectF(0.0, 0.0, QFontMetricsF(face).horizontalAdvance(text) + 8.0, PLATE)
        plate.moveCenter(arc(seated, index, meaning.place, high).label)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(plate, 5, 5)
        write(painter, plate, text, theme.weights, face, Qt.AlignmentFlag.AlignCenter)
