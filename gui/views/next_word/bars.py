"""Bars of the probabilities of the next word, with the shares that the cuts leave."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QLineF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.arithmetic.sampling import cut_shares, kept, ranked
from core.base.arrays import Array
from core.base.cell import Cell
from core.base.number_format import show
from core.stages.vocabulary import PROBABILITIES
from gui.painting.shapes import draw_box
from gui.painting.text_layout import LEFT, RIGHT, draw_text, width_of
from gui.painting.text_size import factor, in_units, size_in_units
from gui.painting.theme import BODY, CAPTION, colours, font
from gui.session.state import State
from gui.texts.names import visible_token
from gui.texts.translation import tr

ROW, HEADING = 24.0, 20.0
MOST_WORDS = 40  # rows; the rest of a large vocabulary follows as one
NUMBER = 58.0  # width of a column of numbers
NAME = 92.0


@dataclass(frozen=True, slots=True, eq=False)
class NextWord:
    """The probabilities after the last token, and what the cuts leave of them."""

    words: tuple[str, ...]
    probabilities: Array
    shares: Array
    order: tuple[int, ...]  # from the most probable to the least
    covered: bool  # whether the step has not reached these numbers


def next_word(state: State) -> NextWord:
    """Return what comes after the last token of an experiment with an output."""
    document, sampling = state.document, state.document.sampling
    assert document.output is not None
    probabilities = state.trace[PROBABILITIES.name][-1]
    return NextWord(
        document.output.vocabulary,
        probabilities,
        cut_shares(probabilities, sampling.top_k, sampling.top_p),
        tuple(ranked(probabilities).tolist()),
        state.is_covered(Cell(PROBABILITIES.name, document.n - 1, probabilities.size - 1)),
    )


class WordBars(QWidget):
    """A bar for each word, the most probable first. `chosen` emits a word that is clicked."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: State | None = None
        self._shown: NextWord | None = None
        self._marked = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_words(self, state: State, shown: NextWord, marked: int) -> None:
        """Show the words of a state; `marked` is the one that was drawn or chosen, −1 for none."""
        self._state, self._shown, self._marked = state, shown, marked
        self.setAccessibleName(tr("Probabilities of the next word"))
        self.setAccessibleDescription("" if shown.covered else self._spoken(state, shown))
        self.updateGeometry()
        self.update()

    def _spoken(self, state: State, shown: NextWord) -> str:
        best = shown.order[:5]
        return ", ".join(
            f"{visible_token(shown.words[word])} {show(shown.probabilities[word], state.decimals)}"
            for word in best
        )

    def _rows(self) -> int:
        return 1 if self._shown is None else min(len(self._shown.order), MOST_WORDS)

    def sizeHint(self) -> QSize:
        """High enough for every row."""
        return QSize(300, round(HEADING + ROW * self._rows() + 4)) * factor()

    def minimumSizeHint(self) -> QSize:
        """As high as it wants to be; the panel scrolls."""
        return QSize(round(240 * factor()), self.sizeHint().height())

    def word_at(self, y: float) -> int | None:
        """Return the word at a height of the widget."""
        if self._shown is None:
            return None
        row = int((y / factor() - HEADING) // ROW)
        return self._shown.order[row] if 0 <= row < self._rows() else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the word at the pointer."""
        word = self.word_at(event.position().y())
        if word is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(word)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the next more or less probable word by the arrow keys."""
        shown, by = self._shown, {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if shown is None or by is None:
            super().keyPressEvent(event)
            return
        place = shown.order.index(self._marked) if self._marked in shown.order else -1
        self.chosen.emit(shown.order[min(max(place + by, 0), self._rows() - 1)])

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the headings and a row for each word."""
        state, shown = self._state, self._shown
        if state is None or shown is None:
            return
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            with in_units(painter, self.rect(), factor()):
                wide = size_in_units(self.rect(), factor()).width()
                self._paint_heading(painter, state, wide)
                mask = kept(shown.probabilities, *_cuts(state))
                for row, word in enumerate(shown.order[: self._rows()]):
                    area = QRectF(0.0, HEADING + row * ROW, wide, ROW)
                    self._paint_word(painter, state, shown, word, area, bool(mask[word]))

    def _paint_heading(self, painter: QPainter, state: State, wide: float) -> None:
        theme, face = colours(state.shade), font(CAPTION)
        right = QRectF(wide - NUMBER, 0.0, NUMBER, HEADING)
        draw_text(painter, right.translated(-NUMBER, 0.0), RIGHT, "p", face, theme.muted)
        draw_text(painter, right, RIGHT, tr("kept"), face, theme.muted)
        line = QRectF(NAME, 0.0, wide - 2 * NUMBER - NAME, HEADING)
        text = tr("bar: p, line: share after the cuts")
        if width_of(text, face) <= line.width():
            draw_text(painter, line, LEFT, text, face, theme.muted)

    def _paint_word(
        self, painter: QPainter, state: State, shown: NextWord, word: int, area: QRectF, in_: bool
    ) -> None:
        theme, marked = colours(state.shade), word == self._marked
        ink = theme.text if in_ or shown.covered else theme.muted
        name = QRectF(area.x(), area.y(), NAME - 10.0, ROW)
        face = font(BODY, bold=marked)
        draw_text(painter, name, RIGHT, visible_token(shown.words[word]), face, ink)
        full = area.width() - NAME - 2 * NUMBER - 10.0
        bar = QRectF(NAME, area.y() + 4.0, max(full, 1.0), ROW - 8.0)
        right = QRectF(area.right() - NUMBER, area.y(), NUMBER, ROW)
        if shown.covered:
            pen = QPen(QColor(theme.ghost), 1.0, Qt.PenStyle.DotLine)
            draw_box(painter, bar, pen, None, 3.0)
            draw_text(painter, right.translated(-NUMBER, 0.0), RIGHT, "?", font(BODY), theme.muted)
            return
        p, share = float(shown.probabilities[word]), float(shown.shares[word])
        drawn = QRectF(bar.x(), bar.y(), max(bar.width() * p, 1.0), bar.height())
        weights = QColor(theme.weights)
        pen = QPen(weights, 1.2, Qt.PenStyle.SolidLine if in_ else Qt.PenStyle.DashLine)
        draw_box(painter, drawn, pen, weights if in_ else None, 3.0)
        if marked:
            draw_box(
                painter, drawn.adjusted(-2, -2, 2, 2), QPen(QColor(theme.accent), 2.0), None, 4
            )
        if in_:
            x = bar.x() + bar.width() * share
            painter.setPen(QPen(QColor(theme.text), 2.0))
            painter.drawLine(QLineF(x, area.y() + 1.0, x, area.bottom() - 1.0))
        numbers = show(p, state.decimals), show(share, state.decimals) if in_ else tr("cut")
        draw_text(painter, right.translated(-NUMBER, 0.0), RIGHT, numbers[0], font(BODY), ink)
        draw_text(painter, right, RIGHT, numbers[1], font(BODY), ink)


def _cuts(state: State) -> tuple[int | None, float | None]:
    sampling = state.document.sampling
    return sampling.top_k, sampling.top_p
