"""How a sentence is cut into tokens, and a preview of them."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF, QSize, Qt, QTextBoundaryFinder
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from gui.painting.shapes import draw_box
from gui.painting.text_size import face, px, set_font
from gui.painting.theme import BODY
from gui.texts.translation import tr
from gui.widgets.forms import theme_of
from gui.widgets.layouts import fill

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
