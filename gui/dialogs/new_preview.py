"""Preview of a new experiment: how a sentence is cut into tokens, and the matrices."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTextBoundaryFinder
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from core.base.arrays import Array
from core.document.document import Document
from gui.painting.color_scale import levels_of
from gui.painting.matrix import MatrixSpec, paint_matrix
from gui.painting.shapes import draw_box
from gui.painting.text_size import face, factor, in_units, px, set_font
from gui.painting.theme import BODY, CAPTION, font, role_colour
from gui.texts.names import STAGE_SYMBOLS
from gui.texts.translation import tr
from gui.widgets.forms import theme_of
from gui.widgets.layouts import fill
from gui.widgets.subscripts import draw, width_of

SPACES, CHARACTERS = "spaces", "characters"
_ROW, _GAP, _PADDING = 26.0, 6.0, 9.0


def split(sentence: str, way: str) -> tuple[str, ...]:
    """Split a sentence into words, or into characters without spaces."""
    if way == SPACES:
        return tuple(sentence.split())
    return tuple(sign for sign in _characters(sentence) if sign.strip())


def natural_way(sentence: str) -> str:
    """How to split a sentence by default: Chinese without spaces by character."""
    unparted = len(sentence.split()) <= 1
    return (
        CHARACTERS
        if unparted and any("\u3400" <= sign <= "\u9fff" for sign in sentence)
        else SPACES
    )


def _characters(sentence: str) -> Iterator[str]:
    """Grapheme clusters: an emoji with its skin colour is one character."""
    units = sentence.encode("utf-16-le")
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, sentence)
    start = 0
    while (end := finder.toNextBoundary()) > 0:
        yield units[2 * start : 2 * end].decode("utf-16-le")
        start = end


class TokenChips(QWidget):
    """Show tokens as chips in two rows and the number of those that do not fit."""

    def __init__(self) -> None:
        super().__init__()
        self._tokens: tuple[str, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Two rows."""
        return QSize(px(320), round(2 * px(_ROW) + _GAP))

    def show_tokens(self, tokens: tuple[str, ...]) -> None:
        """Set the tokens."""
        self._tokens = tokens
        self.setAccessibleName(tr("Tokens: {tokens}", tokens=tr(", ").join(tokens[:50])))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the chips row by row."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(face(BODY))
            for rect, text, is_rest in self._places():
                self._paint_chip(painter, rect, text, is_rest)

    def _places(self) -> Iterator[tuple[QRectF, str, bool]]:
        metrics = QFontMetricsF(face(BODY))
        row, padding, x, y = px(_ROW), px(_PADDING), 0.0, 0.0
        for number, token in enumerate(self._tokens):
            text = metrics.elidedText(token, Qt.TextElideMode.ElideRight, px(150))
            width = max(row, metrics.horizontalAdvance(text) + 2 * padding)
            last_row = y + 2 * row + _GAP > self.height() + 1
            room = self.width() - (px(64) if last_row and number < len(self._tokens) - 1 else 0)
            if x > 0 and x + width > room:
                if last_row:
                    rest = tr("+{n} more", n=len(self._tokens) - number)
                    yield QRectF(x, y, metrics.horizontalAdvance(rest) + padding, row), rest, True
                    return
                x, y = 0.0, y + row + _GAP
            yield QRectF(x, y, width, row), text, False
            x += width + _GAP

    def _paint_chip(self, painter: QPainter, rect: QRectF, text: str, is_rest: bool) -> None:
        theme = theme_of(self)
        if not is_rest:
            draw_box(painter, rect, None, theme.accent_soft, 6)
        painter.setPen(QColor(theme.muted if is_rest else theme.text))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


class CountedTokens(QWidget):
    """The number of tokens above their chips."""

    def __init__(self) -> None:
        super().__init__()
        self._count, self._chips = QLabel(), TokenChips()
        set_font(self._count, BODY, bold=True)
        fill(QVBoxLayout(self), self._count, self._chips, spacing=8)

    def show_tokens(self, tokens: tuple[str, ...], count: str) -> None:
        """Set the tokens and the text of their number."""
        self._count.setText(count)
        self._chips.show_tokens(tokens)


_CELL, _TITLE, _BETWEEN, _BELOW = 30.0, 24.0, 28.0, 14.0


class Sketch(QWidget):
    """Paint X and the tensors of the first head with symbols and sizes."""

    def __init__(self) -> None:
        super().__init__()
        self._document: Document | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """A size for two rows of small matrices."""
        return QSize(px(360), px(260))

    def minimumSizeHint(self) -> QSize:
        """A size for symbols and sizes."""
        return QSize(px(260), px(180))

    def show_document(self, document: Document | None) -> None:
        """Show a document, or nothing."""
        self._document = document
        self.setAccessibleName(tr("Preview: {tensors}", tensors=tr(", ").join(self._words())))
        self.update()

    def _words(self) -> Iterator[str]:
        for name, array in self._tensors():
            yield f"{STAGE_SYMBOLS.get(name, name)} {array.shape[0]} × {array.shape[1]}"

    def _tensors(self) -> Iterator[tuple[str, Array]]:
        names = (
            () if self._document is None else ("X", "X_context", "Q", "K", "V", "W_Q", "W_K", "W_V")
        )
        for name in names:
            array = self._document.tensor(name) if self._document else None
            if array is not None:
                yield name, array

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint two rows of matrices in the largest cells that fit."""
        with QPainter(self) as painter, in_units(painter, self.rect(), factor()) as room:
            self._paint_all(painter, room)

    def _paint_all(self, painter: QPainter, room: QRectF) -> None:
        tensors = list(self._tensors())
        columns = max(2, (len(tensors) + 1) // 2)
        width, height = (
            (room.width() - (columns - 1) * _BETWEEN) / columns,
            (room.height() - _BELOW) / 2,
        )
        for number, (name, array) in enumerate(tensors):
            row, column = divmod(number, columns)
            place = QRectF(column * (width + _BETWEEN), row * (height + _BELOW), width, height)
            self._paint(painter, place, name, array)

    def _paint(self, painter: QPainter, place: QRectF, name: str, array: Array) -> None:
        theme = theme_of(self)
        rows, columns = array.shape
        symbol, face = STAGE_SYMBOLS.get(name, name), font(BODY, bold=True)
        middle = place.topLeft() + QPointF(0, _TITLE / 2 - 2)
        painter.setPen(role_colour(theme, name))
        draw(painter, middle, symbol, face)
        painter.setPen(QColor(theme.muted))
        draw(
            painter,
            middle + QPointF(width_of(symbol, face) + 8, 0),
            f"{rows} × {columns}",
            font(CAPTION),
        )
        cell = min(_CELL, (place.height() - _TITLE) / rows)
        width = min(columns * max(cell, 12.0), place.width())
        rect = QRectF(place.x(), place.y() + _TITLE, width, cell * rows)
        paint_matrix(painter, rect, MatrixSpec(array, levels_of(array, name), 0), theme)
