"""Import dialog: a question about a matrix, with a picture of each reading; none is chosen before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QFrame, QRadioButton, QSizePolicy, QVBoxLayout, QWidget

from core.base.arrays import Array, BoolArray
from core.exchange.fused import ASKS
from core.exchange.printed_results import Reading, agreeing
from core.exchange.sources import Entry
from gui.dialogs.import_proposal import Proposal
from gui.painting.color_scale import levels_of, mixed
from gui.painting.matrix import MatrixSpec, cell_rect, paint_matrix
from gui.painting.text_size import factor, in_units, px
from gui.painting.theme import BODY
from gui.texts.exchange import reading_caption
from gui.texts.names import STAGE_SYMBOLS
from gui.texts.rich_text import to_html
from gui.texts.translation import tr
from gui.widgets.forms import caption, heading, sentence_label, theme_of
from gui.widgets.layouts import ResponsiveRow, fill

MOST = 6  # rows and columns of a picture
CELL = (46.0, 24.0)


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """A reading: its caption, what follows, the numbers, and which of them the page contradicts."""

    caption: str
    detail: str
    values: Array
    decimals: int
    tensor: str = ""
    wrong: BoolArray | None = None
    verdict: str = ""
    good: bool = True


class MatrixPicture(QWidget):
    """The first numbers of a matrix; contradicted ones have a dashed frame."""

    def __init__(self, card: Card) -> None:
        super().__init__()
        self._card = card
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """The size of the cells."""
        rows, columns = (min(size, MOST) for size in self._card.values.shape)
        return QSize(px(CELL[0] * columns), px(CELL[1] * rows + 2))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cells."""
        card, theme = self._card, theme_of(self)
        values = card.values[:MOST, :MOST]
        rows, columns = values.shape
        with QPainter(self) as painter, in_units(painter, self.rect(), factor()) as room:
            width = min(CELL[0] * columns, room.width())
            rect = QRectF(1, 1, width - 2, CELL[1] * rows)
            spec = MatrixSpec(values, levels_of(card.values, card.tensor), card.decimals)
            paint_matrix(painter, rect, spec, theme)
            if card.wrong is None:
                return
            painter.setPen(QPen(QColor(theme.error), 1.5, Qt.PenStyle.DashLine))
            for row, column in np.argwhere(card.wrong[:MOST, :MOST]).tolist():
                cell = cell_rect(rect, rows, columns, row, column)
                painter.drawRect(cell.adjusted(1, 1, -1, -1))


class ReadingCard(QFrame):
    """A radio button with the picture of its reading."""

    def __init__(self, card: Card) -> None:
        super().__init__()
        theme = theme_of(self)
        self.setObjectName("reading")
        self.setStyleSheet(
            f"#reading {{ background: {theme.surface}; border: 1px solid {theme.line}; border-radius: 6px; }}"
        )
        self.radio = QRadioButton(card.caption)
        self.radio.setAccessibleName(f"{card.caption}. {card.verdict}")
        font = self.radio.font()
        font.setBold(True)
        self.radio.setFont(font)
        parts: list[QWidget] = [self.radio]
        if card.detail:
            detail = sentence_label(muted=True)
            detail.setTextFormat(Qt.TextFormat.RichText)
            detail.setText(to_html(card.detail))
            parts.append(detail)
        if card.values.size:
            parts.append(MatrixPicture(card))
        if card.verdict:
            verdict = sentence_label(f"{'✓' if card.good else '✗'} {card.verdict}")
            verdict.setStyleSheet(f"color: {theme.value if card.good else theme.error};")
            parts.append(verdict)
        fill(QVBoxLayout(self), *parts, spacing=4, margins=(10, 8, 10, 8))


class QuestionBox(QFrame):
    """One question with its readings. `answered(number)`: a reading was chosen."""

    answered = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        theme = theme_of(self)
        self.setObjectName("question")
        ground = mixed(theme.warning, theme.surface, 0.1).name()
        self.setStyleSheet(
            f"#question {{ background: {ground}; border: 1px solid {theme.warning}; border-radius: 8px; }}"
        )
        self._title, self._sentence = heading("", BODY), caption()
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(self.answered)
        self._row: ResponsiveRow | None = None
        self._asked: object = None
        fill(QVBoxLayout(self), self._title, self._sentence, spacing=4, margins=(12, 8, 12, 10))
        self.hide()

    def ask(self, title: str, sentence: str, cards: Sequence[Card], chosen: int | None) -> None:
        """Show a question; `chosen` is the answer given before."""
        asked = (title, sentence, [(card.caption, card.verdict) for card in cards])
        self.show()
        if asked == self._asked:  # the same question: the keyboard stays where it is
            if chosen is not None:
                self._group.button(chosen).setChecked(True)
            return
        self._asked = asked
        self._title.setText(title)
        self._sentence.setText(sentence)
        self._sentence.setVisible(bool(sentence))
        self.setAccessibleName(title)
        self.setAccessibleDescription(sentence)
        if self._row is not None:
            self._row.setParent(None)
            self._row.deleteLater()
        for button in self._group.buttons():
            self._group.removeButton(button)
        made = [ReadingCard(card) for card in cards]
        for number, card in enumerate(made):
            self._group.addButton(card.radio, number)
            if number == chosen:
                card.radio.setChecked(True)
        self._row = ResponsiveRow(8, *((card, 1) for card in made))
        layout = self.layout()
        assert layout is not None
        layout.addWidget(self._row)

    def focus(self) -> None:
        """Give the keyboard to the chosen reading, else to the first."""
        buttons = self._group.buttons()
        chosen = self._group.checkedButton() or (buttons[0] if buttons else None)
        if chosen is not None:
            chosen.setFocus(Qt.FocusReason.TabFocusReason)


def reading_cards(entry: Entry) -> list[Card]:
    """The readings of an entry's own question."""
    question = entry.question
    assert question is not None
    pictured = question.problem.code != ASKS  # parts of one matrix look alike
    return [
        Card(
            reading_caption(reading.caption),
            "×".join(map(str, reading.matrix.shape)),
            reading.matrix if pictured else reading.matrix[:0],
            entry.decimals,
        )
        for reading in question.readings
    ]


def transposed_cards(proposal: Proposal) -> list[Card]:
    """The readings of square weights: as written, then as nn.Linear stores them."""
    return [_card(proposal, reading) for reading in proposal.draft.readings]


def _card(proposal: Proposal, reading: Reading) -> Card:
    """A reading with the first printed result that it can be compared with."""
    text = tr("As nn.Linear stores it") if reading.turned else tr("As written")
    formula = "Q = X·W_Qᵀ" if reading.turned else "Q = X·W_Q"
    stage, head = "scores", 0
    wrong, verdict = None, ""
    results = proposal.draft.results or reading.results
    if reading.trace is None:
        return Card(text, formula, np.zeros((1, 1)), 0)
    if results:
        index, (stage, head, _) = next(iter(sorted(results.items())))
        array = reading.trace[stage]
        values = array[head] if array.ndim == 3 else array
        wrong = ~np.asarray(agreeing(proposal.entries[index], values), dtype=bool)
        verdict = tr(
            "{matched} of {total} printed numbers match",
            matched=reading.printed.matched,
            total=reading.printed.total,
        )
    array = reading.trace[stage]
    values = array[head] if array.ndim == 3 else array
    detail = tr("{formula}; resulting {symbol}:", formula=formula, symbol=STAGE_SYMBOLS[stage])
    good = 2 * reading.printed.matched > reading.printed.total
    return Card(text, detail, values, 2, stage, wrong, verdict, good)
