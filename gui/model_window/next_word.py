"""The next word of a decoder: bars, with the change that the edits make; append, draw, temperature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core.arithmetic.sampling import drawn, random_number, ranked
from core.base.arrays import Array, sealed
from core.base.number_format import show
from gui.model_window.canvas import Canvas
from gui.model_window.session import ModelSession
from gui.model_window.state import EDITED, A, ModelState
from gui.painting.shapes import draw_box
from gui.painting.text_layout import LEFT, RIGHT, draw_text, elide
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, colours, font
from gui.texts.names import visible_token
from gui.texts.translation import tr
from gui.widgets.announcer import announce
from gui.widgets.layouts import fill
from gui.widgets.shortcut_filter import claim_key
from gui.widgets.styles import primary_style

ROW, HEADING, NAME, NUMBER = 22.0, 18.0, 78.0, 54.0
MOST_WORDS = 7
UP_DOWN = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


@dataclass(frozen=True, slots=True, eq=False)
class NextWords:
    """The most probable next words: `before` of sentence A, `after` with the edits or None."""

    words: tuple[int, ...]
    names: tuple[str, ...]
    before: Array  # (u,)
    after: Array | None

    @property
    def now(self) -> Array:
        """The probabilities that hold."""
        return self.before if self.after is None else self.after


def at_temperature(probabilities: Array, temperature: float) -> Array:
    """The probabilities at another temperature than 1: their powers, as parts of the sum."""
    if temperature == 1.0:
        return probabilities
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities) / temperature
    powers = np.exp(logs - logs.max())
    return sealed(powers / powers.sum())


def next_words(state: ModelState, temperature: float) -> NextWords | None:
    """What comes next; None for a model without output, or before its last layer."""
    run, edited = state.run(A), state.run(EDITED)
    if state.model is None or run is None or run.probabilities is None:
        return None
    before = at_temperature(run.probabilities, temperature)
    after = None
    if edited is not None and edited.probabilities is not None:
        after = at_temperature(edited.probabilities, temperature)
    best = [*ranked(before)[:MOST_WORDS].tolist()]
    if after is not None:
        both = np.maximum(before, after)
        best = sorted(ranked(both)[:MOST_WORDS].tolist(), key=lambda word: -after[word])
    names = tuple(visible_token(state.model.tokenizer.label(word)) for word in best)
    return NextWords(tuple(best), names, before, after)


class NextBars(Canvas):
    """A bar for each word. `chosen(word)`: a click or an arrow."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown: NextWords | None = None
        self._marked = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_words(self, shown: NextWords | None, marked: int) -> None:
        """Show words; `marked` is the chosen one."""
        self.shown, self._marked = shown, marked
        self.setAccessibleName(tr("Probabilities of the next word"))
        self.setAccessibleDescription(self._spoken())
        self.updateGeometry()
        self.update()

    def _spoken(self) -> str:
        shown = self.shown
        if shown is None:
            return ""
        decimals = self.state.decimals
        return tr(", ").join(
            f"{name} {show(float(shown.now[word]), decimals)}"
            for name, word in zip(shown.names, shown.words, strict=True)
        )

    def sizeHint(self) -> QSize:
        """A row for each word."""
        rows = MOST_WORDS if self.shown is None else len(self.shown.words)
        return QSize(round(300 * self.unit), round((self._top + ROW * rows + 2) * self.unit))

    @property
    def _top(self) -> float:
        """The height of the heading, which only edits need."""
        return 2.0 if self.shown is None or self.shown.after is None else HEADING

    def minimumSizeHint(self) -> QSize:
        """The same height."""
        return QSize(round(200 * self.unit), self.sizeHint().height())

    def paint(self, painter: QPainter, area: QRectF, theme: Colours) -> None:
        """Paint a legend and the rows."""
        shown = self.shown
        if shown is None:
            text = tr("appears when the last layer is computed")
            draw_text(painter, area, LEFT, text, font(CAPTION), theme.muted)
            return
        heading = QRectF(NAME, area.y(), area.width() - NAME, HEADING)
        if shown.after is not None:
            face = font(CAPTION)
            legend = tr("dashed: before, filled: with the edits")
            room = heading.width() - 2 * NUMBER
            draw_text(painter, heading, LEFT, elide(legend, face, room), face, theme.muted)
            draw_text(painter, heading, RIGHT, tr("change"), face, theme.muted)
        for row, word in enumerate(shown.words):
            place = QRectF(area.x(), area.y() + self._top + row * ROW, area.width(), ROW)
            self._paint_word(painter, place, shown, row, word, theme)

    def _paint_word(
        self,
        painter: QPainter,
        area: QRectF,
        shown: NextWords,
        row: int,
        word: int,
        theme: Colours,
    ) -> None:
        marked, decimals = word == self._marked, self.state.decimals
        name = QRectF(area.x(), area.y(), NAME - 8.0, ROW)
        draw_text(painter, name, RIGHT, shown.names[row], font(BODY, bold=marked), theme.text)
        numbers = NUMBER * (1 if shown.after is None else 2)
        full = area.width() - NAME - numbers - 6.0
        most = max(float(shown.before.max()), float(shown.now.max()))
        bar = QRectF(NAME, area.y() + 3.5, full, ROW - 7.0)
        now, before = float(shown.now[word]), float(shown.before[word])
        drawn_ = QRectF(bar.x(), bar.y(), max(full * now / most, 1.0), bar.height())
        draw_box(painter, drawn_, None, QColor(theme.weights), 3.0)
        if shown.after is not None:
            pen = QPen(QColor(theme.text), 1.2, Qt.PenStyle.DashLine)
            was = QRectF(bar.x(), bar.y(), max(full * before / most, 1.0), bar.height())
            draw_box(painter, was, pen, None, 3.0)
        if marked:
            pen = QPen(QColor(theme.accent), 3.0 if self.hasFocus() else 2.0)
            draw_box(painter, drawn_.adjusted(-2, -2, 2, 2), pen, None, 4.0)
        right = QRectF(area.right() - NUMBER, area.y(), NUMBER, ROW)
        place = right.translated(NUMBER - numbers, 0.0)
        text = show(now, decimals)
        draw_text(painter, place, RIGHT, text, font(BODY, bold=marked), theme.text)
        if shown.after is not None:
            change = show(now - before, decimals)
            sign = "+" if now - before > 0 and change[0] not in "−-" else ""
            draw_text(painter, right, RIGHT, sign + change, font(CAPTION), theme.muted)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the word at the pointer."""
        row = int((self.point(event).y() - self._top) // ROW)
        if self.shown is not None and 0 <= row < len(self.shown.words):
            self.chosen.emit(self.shown.words[row])

    def event(self, event: QEvent) -> bool:
        """Keep ↑ and ↓."""
        if claim_key(event, lambda key: Qt.Key(key.key()) in UP_DOWN):
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the word above or below."""
        by, shown = UP_DOWN.get(Qt.Key(event.key())), self.shown
        if by is None or shown is None:
            super().keyPressEvent(event)
            return
        at = shown.words.index(self._marked) if self._marked in shown.words else -1
        word = shown.words[min(max(at + by, 0), len(shown.words) - 1)]
        self.chosen.emit(word)
        name = shown.names[shown.words.index(word)]
        announce(self, f"{name} {show(float(shown.now[word]), self.state.decimals)}")


class NextWordPanel(QFrame):
    """Shows what comes after the last token of sentence A, and continues it."""

    def __init__(self, session: ModelSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._session = session
        self._word, self._draws = -1, 0
        self.title, self.told = QLabel(self), QLabel(self)
        self.bars = NextBars(self)
        self.append, self.draw = QPushButton(self), QPushButton(self)
        self.temperature = QDoubleSpinBox(self)
        self.temperature.setRange(0.05, 10.0)
        self.temperature.setSingleStep(0.05)
        self.temperature.setValue(1.0)
        self.temperature.setKeyboardTracking(False)
        set_font(self.title, TITLE, bold=True)
        set_font(self.told, CAPTION)
        self.told.setWordWrap(True)
        row = fill(QHBoxLayout(), self.append, self.draw, self.temperature, 1, spacing=8)
        parts = (self.title, self.bars, row, self.told)
        fill(QVBoxLayout(self), *parts, spacing=5, margins=(12, 8, 12, 8))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.bars.chosen.connect(self._choose)
        self.append.clicked.connect(self._append)
        self.draw.clicked.connect(self._draw)
        self.temperature.valueChanged.connect(lambda _: self._show(session.state))

    @property
    def _words(self) -> NextWords | None:
        return next_words(self._session.state, self.temperature.value())

    def _choose(self, word: int) -> None:
        self._word = word
        self.told.setText("")
        self._show(self._session.state)

    def _draw(self) -> None:
        """Draw a word by the next random number of seed 0."""
        words = self._words
        if words is None or self._session.state.model is None:
            return
        number = random_number(0, self._draws)
        self._draws += 1
        self._word = drawn(words.now, number)
        name = visible_token(self._session.state.model.tokenizer.label(self._word))
        self.told.setText(
            tr("Random number {number} falls on “{word}”.", number=show(number, 4), word=name)
        )
        self._show(self._session.state)

    def _append(self) -> None:
        words = self._words
        if words is not None:
            word = self._word if self._word >= 0 else int(np.argmax(words.now))
            self._word = -1
            self.told.setText("")
            self._session.append(word)

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Show the probabilities."""
        self.setVisible(new.model is not None and new.model.has_output)
        self.bars.show_state(old, new)
        if old is not None and old.setting.text != new.setting.text:
            self._word = -1
        theme = colours(new.shade)
        if old is None or (old.shade, old.language) != (new.shade, new.language):
            self.append.setStyleSheet(primary_style(theme))
            self.told.setStyleSheet(f"color: {theme.muted};")
            self.title.setText(tr("Next word"))
            self.draw.setText(tr("Draw"))
            self.temperature.setPrefix("T ")
            self.temperature.setAccessibleName(tr("Temperature"))
            self.temperature.setToolTip(
                tr("Logits are divided by it: below 1 the best word gains, above 1 the others do.")
            )
        self._show(new)

    def _show(self, state: ModelState) -> None:
        words = next_words(state, self.temperature.value())
        self.told.setVisible(bool(self.told.text()))
        for button in (self.append, self.draw):
            button.setEnabled(words is not None)
        self.bars.show_words(words, self._word)
        if words is None or state.model is None:
            self.append.setText(tr("Append"))
            return
        word = self._word if self._word >= 0 else int(np.argmax(words.now))
        name = visible_token(state.model.tokenizer.label(word))
        self.append.setText(tr("Append “{word}”", word=name))
