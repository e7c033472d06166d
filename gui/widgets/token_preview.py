"""How a sentence is cut into tokens, and a preview of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTextBoundaryFinder, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from gui.painting.shapes import draw_box
from gui.painting.text_size import face, px, set_font
from gui.painting.theme import BODY
from gui.texts.translation import tr
from gui.widgets.forms import theme_of
from gui.widgets.layouts import fill

SPACES, CHARACTERS = "spaces", "characters"
_ROW, _GAP, _PADDING = 26.0, 6.0, 9.0
_JOINING = 3.0  # how far from a gap between chips a click still joins them


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


@dataclass(frozen=True, slots=True)
class ChipEdit:
    """What a click does: cut a token after some letters, or join it with the next one (0).

    `mark` is the rectangle that shows the place.
    """

    token: int
    letters: int
    mark: QRectF


class TokenChips(QWidget):
    """Show tokens as chips in two rows and the number of those that do not fit.

    If `editable`, a click between letters emits `cut(token, letters)`, and one between two chips
    `joined(token)`, with the first of them.
    """

    cut = Signal(int, int)
    joined = Signal(int)

    def __init__(self, *, editable: bool = False) -> None:
        super().__init__()
        self._tokens: tuple[str, ...] = ()
        self._editable = editable
        self._edit: ChipEdit | None = None
        if editable:
            self.setMouseTracking(True)
            told = tr("Click between two letters to cut a token, between two tokens to join them.")
            self.setToolTip(told)
            self.setAccessibleDescription(told)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Two rows."""
        return QSize(px(320), round(2 * px(_ROW) + _GAP))

    def show_tokens(self, tokens: tuple[str, ...]) -> None:
        """Set the tokens."""
        self._tokens, self._edit = tokens, None
        self.setAccessibleName(tr("Tokens: {tokens}", tokens=tr(", ").join(tokens[:50])))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the chips row by row."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(face(BODY))
            for rect, text, is_rest in self._places():
                self._paint_chip(painter, rect, text, is_rest)
            if self._edit is not None:
                draw_box(painter, self._edit.mark, None, theme_of(self).accent, 1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Mark the place where a click would cut or join."""
        self._point(self._edit_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Mark no place."""
        self._point(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Cut a token, or join two."""
        found = self._edit_at(event.position())
        if found is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        if found.letters:
            self.cut.emit(found.token, found.letters)
        else:
            self.joined.emit(found.token)

    def _point(self, edit: ChipEdit | None) -> None:
        self._edit = edit
        self.setCursor(Qt.CursorShape.ArrowCursor if edit is None else Qt.CursorShape.IBeamCursor)
        self.update()

    def _edit_at(self, at: QPointF) -> ChipEdit | None:
        """Return what a click at a point does."""
        if not self._editable:
            return None
        rects = [rect for rect, _, is_rest in self._places() if not is_rest]
        for number, rect in enumerate(rects):
            end = rect.adjusted(rect.width() - _JOINING, 0.0, _GAP + _JOINING, 0.0)
            if number + 1 < len(self._tokens) and end.contains(at):
                middle = rect.right() + _GAP / 2
                mark = QRectF(middle - _GAP, rect.center().y() - 1.5, 2 * _GAP, 3.0)
                return ChipEdit(number, 0, mark)
        for number, rect in enumerate(rects):
            if rect.contains(at):
                return self._cut_at(number, rect, at.x())
        return None

    def _cut_at(self, number: int, rect: QRectF, x: float) -> ChipEdit | None:
        """Return the cut of a token nearest to x; None within a single character."""
        metrics, token = QFontMetricsF(face(BODY)), self._tokens[number]
        start = rect.center().x() - metrics.horizontalAdvance(token) / 2
        ends = list(accumulate(map(len, _characters(token))))[:-1]
        if not ends or metrics.horizontalAdvance(token) > px(150):
            return None
        places = {letters: start + metrics.horizontalAdvance(token[:letters]) for letters in ends}
        letters = min(ends, key=lambda one: abs(places[one] - x))
        mark = QRectF(places[letters] - 1.0, rect.y() + 3.0, 2.0, rect.height() - 6.0)
        return ChipEdit(number, letters, mark)

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
    """The number of tokens above their chips, which may be `editable`."""

    def __init__(self, *, editable: bool = False) -> None:
        super().__init__()
        self._count, self.chips = QLabel(), TokenChips(editable=editable)
        set_font(self._count, BODY, bold=True)
        fill(QVBoxLayout(self), self._count, self.chips, spacing=8)

    def show_tokens(self, tokens: tuple[str, ...], count: str) -> None:
        """Set the tokens and the text of their number."""
        self._count.setText(count)
        self.chips.show_tokens(tokens)
