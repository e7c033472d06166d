"""Sentences and formulas on paper, and a formula's table beside them where all of it fits."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QTextDocument

from gui.export.worksheets.blocks import Sentence, StageFormula
from gui.export.worksheets.grids import INK
from gui.export.worksheets.strips import WIDTH, Strip
from gui.painting.formulas import formula_size, paint_formula
from gui.painting.theme import BODY, font
from gui.texts.rich_text import subscript_pieces, to_html

BETWEEN = 26.0  # between grids side by side, and between columns of sums
FORMULA_SIZE = 14.0
WORDS = 0.6  # of the width, for sentences beside a formula
HALF = (WIDTH - BETWEEN) / 2


def text(block: Sentence) -> Iterator[Strip]:
    """A sentence over the whole width."""
    yield paragraph(block.text, WIDTH, strong=block.strong)


def paragraph(text: str, width: float, *, strong: bool = False) -> Strip:
    """Running text, wrapped."""
    face = font(BODY, bold=strong)
    if any(below for _, below in subscript_pieces(text)):
        return _with_indices(text, width, face)
    flags = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignLeft)
    height = QFontMetricsF(face).boundingRect(QRectF(0, 0, width, 10_000), flags, text).height()

    def paint(painter: QPainter, x: float, y: float) -> None:
        painter.setFont(face)
        painter.setPen(QColor(INK))
        painter.drawText(QRectF(x, y, width, height + 4), flags, text)

    return Strip(height + 2, paint, 3.0, keep=True)


def _with_indices(text: str, width: float, face: QFont) -> Strip:
    """The same with the indices of names below the line."""
    words = QTextDocument()
    words.setDocumentMargin(0)
    words.setDefaultFont(face)
    words.setHtml(f'<span style="color: {INK}">{to_html(text)}</span>')
    words.setTextWidth(width)

    def paint(painter: QPainter, x: float, y: float) -> None:
        painter.translate(x, y)
        words.drawContents(painter)
        painter.translate(-x, -y)

    return Strip(words.size().height() + 2, paint, 3.0, keep=True)


def formula(block: StageFormula) -> Iterator[Strip]:
    """To the right of its sentences, or below them where it is too wide."""
    size = formula_size(block.latex, INK, FORMULA_SIZE)
    if size.width() > WIDTH * (1 - WORDS) - BETWEEN:
        yield from (paragraph(sentence, WIDTH) for sentence in block.sentences)
        yield _below(block.latex, size)
        return
    beside = [paragraph(sentence, WIDTH * WORDS) for sentence in block.sentences]
    words = _height(beside)

    def paint(painter: QPainter, x: float, y: float) -> None:
        left, middle = (
            x + WIDTH * WORDS + BETWEEN,
            y + max(0.0, (min(words, 40.0) - size.height()) / 2),
        )
        _paint_formula(painter, QRectF(QPointF(left, middle), size), block.latex)
        _paint_column(painter, beside, x, y)

    yield Strip(max(words, size.height()), paint, 2.0, keep=True)


def abreast(block: StageFormula, wide: float, table: Strip) -> Strip | None:
    """Sentences with their formula below them at the left, a table so wide at the right; None where it is too wide."""
    size = formula_size(block.latex, INK, FORMULA_SIZE)
    if max(wide, size.width()) > HALF:
        return None
    left = [*(paragraph(sentence, HALF) for sentence in block.sentences), _below(block.latex, size)]

    def paint(painter: QPainter, x: float, y: float) -> None:
        table.paint(painter, x + HALF + BETWEEN, y)
        _paint_column(painter, left, x, y)

    return Strip(max(table.height, _height(left)), paint, table.above)


def _height(strips: list[Strip]) -> float:
    return sum(strip.above + strip.height for strip in strips)


def _paint_column(painter: QPainter, strips: list[Strip], x: float, y: float) -> None:
    for strip in strips:
        strip.paint(painter, x, y + strip.above)
        y += strip.above + strip.height


def _below(latex: str, size: QSizeF) -> Strip:
    scaled = size * min(1.0, WIDTH / size.width())

    def paint(painter: QPainter, x: float, y: float) -> None:
        _paint_formula(painter, QRectF(QPointF(x, y), scaled), latex)

    return Strip(scaled.height(), paint, 8.0, keep=True)


def _paint_formula(painter: QPainter, rect: QRectF, latex: str) -> None:
    """The pen of what was painted before would draw the outlines of the letters too."""
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    paint_formula(painter, rect, latex, INK, FORMULA_SIZE)
    painter.restore()
