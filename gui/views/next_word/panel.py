"""The panel of the next word: its probabilities, temperature and cuts, draws, and generation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from core.arithmetic.sampling import drawn, random_number, word_loss
from core.base.number_format import show
from core.document.parts import LARGEST_SEED, Sampling
from core.document.resize import with_word_appended
from core.document.stack_edits import with_sampling
from core.stages.vocabulary import LOGITS
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr
from gui.views.next_word.bars import NextWord, WordBars, next_word
from gui.views.next_word.cache import CachePart
from gui.widgets.fields import IntegerField, RealSpinBox
from gui.widgets.layouts import fill
from gui.widgets.styles import primary_style

HOTTEST, STEPS = 4.0, 20  # of the slider of the temperature; steps for each 1
SHOWN_TOKENS = 6


class NextWordPanel(QWidget):
    """Shows what comes after the last token, and continues the sentence.

    `lab_wanted`: the user wants to see the cache of keys and values in the lab.
    """

    lab_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._draws = 0  # random numbers of this seed that were used before the current one
        self._word = -1  # that was drawn or chosen
        self._showing = False
        self.after, self.told = QLabel(self), QLabel(self)
        self.bars = WordBars(self)
        self.temperature = RealSpinBox(0.01, 100.0, 0.05)
        self.top_p = RealSpinBox(0.01, 1.0, 0.05)
        self.top_k, self.seed = IntegerField(self), IntegerField(self)
        self.sliders = tuple(QSlider(Qt.Orientation.Horizontal, self) for _ in range(3))
        self.draw, self.append = QPushButton(self), QPushButton(self)
        self.cache = CachePart(self)
        self._labels = tuple(QLabel(self) for _ in range(4))
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        set_font(self.after, BODY, bold=True)
        for label in (self.told, *self._labels):
            set_font(label, CAPTION)
        self.told.setWordWrap(True)
        self.after.setWordWrap(True)
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.after.setTextFormat(Qt.TextFormat.PlainText)
        self.seed.setRange(0, min(LARGEST_SEED, 2**31 - 1))
        grid = QGridLayout()
        fields = (self.temperature, self.top_k, self.top_p)
        for row, (label, slider, field) in enumerate(
            zip(self._labels, self.sliders, fields, strict=False)
        ):
            label.setBuddy(field)
            grid.addWidget(label, row, 0)
            grid.addWidget(slider, row, 1)
            grid.addWidget(field, row, 2)
        self._labels[3].setBuddy(self.seed)
        self.sliders[0].setRange(1, round(HOTTEST * STEPS))
        self.sliders[2].setRange(1, 100)
        buttons = QHBoxLayout()
        fill(buttons, self.draw, self._labels[3], self.seed, 1, self.append, spacing=8)
        column = QVBoxLayout(self)
        fill(
            column,
            self.after,
            self.bars,
            grid,
            buttons,
            self.told,
            self.cache,
            1,
            spacing=8,
            margins=(8, 6, 8, 8),
        )

    def _connect(self) -> None:
        self.temperature.valueChanged.connect(lambda value: self._sample(temperature=value))
        self.top_k.valueChanged.connect(self._cut_words)
        self.top_p.valueChanged.connect(
            lambda value: self._sample(top_p=None if value >= 1.0 else value)
        )
        self.seed.valueChanged.connect(self._seed)
        self.sliders[0].valueChanged.connect(lambda at: self._slide(self.temperature, at / STEPS))
        self.sliders[1].valueChanged.connect(self.top_k.setValue)
        self.sliders[2].valueChanged.connect(lambda at: self._slide(self.top_p, at / 100))
        self.bars.chosen.connect(self._choose)
        self.draw.clicked.connect(self._draw_again)
        self.append.clicked.connect(self._append)
        self.cache.lab_wanted.connect(self.lab_wanted)

    # Input

    def _slide(self, field: RealSpinBox, value: float) -> None:
        """Enter the value of a slider, which is coarser than the field, unless it follows a state."""
        if not self._showing:
            field.setValue(value)

    def _sample(self, **changes: Any) -> None:
        """Change the sampling; changes of one setting that follow each other are one undo step."""
        if self._showing:
            return
        sampling = replace(self._session.state.document.sampling, **changes)
        text, merge = mark("Sampling"), f"sampling {next(iter(changes))}"
        self._session.change(with_sampling, sampling, text=text, merge=merge)

    def _cut_words(self, value: int) -> None:
        self._sample(top_k=None if value >= self.top_k.maximum() else value)

    def _seed(self, value: int) -> None:
        if not self._showing:
            self._draws, self._word = 0, -1
            self._sample(seed=value)

    def _choose(self, word: int) -> None:
        self._word = word
        self._show_choice(self._session.state)

    def _draw_again(self) -> None:
        """Draw by the next random number of the seed."""
        state = self._session.state
        shown = next_word(state)
        number = random_number(state.document.sampling.seed, self._draws)
        self._draws += 1
        self._word = drawn(shown.shares, number)
        self._show_choice(state, number)

    def _append(self) -> None:
        """Append the word, the most probable one if none was drawn or chosen."""
        state, word = self._session.state, self._word
        if word < 0:
            word = next_word(state).order[0]
        self._word = -1
        self._session.change(with_word_appended, word, text=mark("Append a word"))

    # Output

    def show_state(self, old: State | None, new: State) -> None:
        """Show the probabilities and settings of a state."""
        document = new.document
        if document.output is None:
            self._word = -1
            return
        if old is not None and _sentence_and_words(old) != _sentence_and_words(new):
            self._word = -1
        self._showing = True
        self._show_settings(document.sampling, len(document.output.vocabulary))
        self._showing = False
        if old is None or (old.language, old.shade) != (new.language, new.shade):
            self._show_texts(new)
        self._show_choice(new)
        self.cache.show_state(new)

    def _show_settings(self, sampling: Sampling, words: int) -> None:
        for field in (self.top_k, self.sliders[1]):
            field.setRange(1, words)
        self.temperature.show_value(sampling.temperature)
        self.sliders[0].setValue(round(min(sampling.temperature, HOTTEST) * STEPS))
        top_k = words if sampling.top_k is None else min(sampling.top_k, words)
        self.top_k.setValue(top_k)
        self.sliders[1].setValue(top_k)
        top_p = 1.0 if sampling.top_p is None else sampling.top_p
        self.top_p.show_value(top_p)
        self.sliders[2].setValue(round(top_p * 100))
        self.seed.setValue(min(sampling.seed, self.seed.maximum()))

    def _show_texts(self, state: State) -> None:
        texts = (tr("Temperature"), tr("top-k"), tr("top-p"), tr("seed"))
        for label, text in zip(self._labels, texts, strict=True):
            label.setText(text)
        for slider, text in zip(self.sliders, texts, strict=False):
            slider.setAccessibleName(text)
        self.temperature.setToolTip(
            tr("Logits are divided by it: below 1 the best word gains, above 1 the others do.")
        )
        self.top_k.setToolTip(tr("Keep this many words, the most probable ones."))
        self.top_p.setToolTip(
            tr("Keep the fewest of these words whose shares reach this sum; 1 keeps all.")
        )
        self.seed.setToolTip(tr("The same seed gives the same draws."))
        self.draw.setText(tr("Draw"))
        self.append.setStyleSheet(primary_style(colours(state.shade)))

    def _show_choice(self, state: State, number: float | None = None) -> None:
        """Show the bars, and what was drawn or chosen."""
        if state.document.output is None:
            return
        shown = next_word(state)
        self.bars.show_words(state, shown, self._word)
        words = [visible_token(token) for token in state.document.tokens[-SHOWN_TOKENS:]]
        text = " ".join(["…", *words] if state.document.n > SHOWN_TOKENS else words)
        self.after.setText(tr("After “{text}”", text=text))
        for button in (self.draw, self.append):
            button.setEnabled(not shown.covered)
        word = self._word if self._word >= 0 else shown.order[0]
        name = "…" if shown.covered else visible_token(shown.words[word])
        self.append.setText(tr("Append “{word}”", word=name))
        self.told.setText(self._sentence(state, shown, number))

    def _sentence(self, state: State, shown: NextWord, number: float | None) -> str:
        """Say what was drawn, and the loss of the chosen word."""
        if shown.covered:
            return tr("Step on to the probabilities to see them.")
        if self._word < 0:
            return tr("Click a word for its loss, or draw one.")
        word = visible_token(shown.words[self._word])
        sampling = state.document.sampling
        loss = word_loss(state.trace[LOGITS.name][-1], sampling.temperature, self._word)
        said = tr("Loss if “{word}” comes next: −ln p = {loss}", word=word, loss=show(loss, 4))
        if number is None:
            return said
        draw = tr(
            "Random number {number} (seed {seed}, draw {count}) falls on “{word}”.",
            number=show(number, 4),
            seed=sampling.seed,
            count=self._draws,
            word=word,
        )
        return f"{draw} {said}"


def _sentence_and_words(state: State) -> tuple[object, ...]:
    output = state.document.output
    return state.document.tokens, None if output is None else output.vocabulary
