"""The second step of a new experiment: a rule for its first numbers, with live weights."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from core.base.arrays import Array
from core.base.number_format import show
from core.document.create import LARGEST, SEEDED, SMALLEST
from core.document.document import Document
from gui.dialogs.new_preview import WeightsPicture, live_weights, told_row
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION
from gui.texts.names import visible_token
from gui.texts.translation import tr
from gui.widgets.announcer import announce
from gui.widgets.forms import (
    NumberField,
    caption,
    flow_row,
    label_field,
    radios,
    sentence_label,
    strong,
)
from gui.widgets.layouts import Gap, ResponsiveRow, fill

LARGEST_SEED = 999_999
NEARLY_ALL = 0.95
MIDDLE = 4  # of the positions 0 to 8 of the slider: two double the spread of the scores
PAUSE_MS = 800  # before the picture is spoken
MOST_SUMMED = 10  # weights of a row that are written out


class NumbersPage(QWidget):
    """Ask how the numbers begin. `edited`: something has changed."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.fills = self._fill_radios()
        self.sharpness = QSlider(Qt.Orientation.Horizontal)
        self.sharpness.setRange(0, 2 * MIDDLE)
        self.sharpness.setValue(MIDDLE)
        self.sharpness.setPageStep(2)
        self.seed = NumberField(0, LARGEST_SEED, 1)
        self.again = QPushButton(tr("Draw &again"))
        self.again.setAutoDefault(False)
        self.again.clicked.connect(lambda: self.seed.stepBy(1))
        for radio in self.fills.values():
            radio.clicked.connect(self.edited)
        self.sharpness.valueChanged.connect(self.edited)
        self.seed.edited.connect(self.edited)
        self._spoken = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._spoken.timeout.connect(self._speak)
        halves = ResponsiveRow(36, (self._form(), 4), (self._preview(), 6))
        fill(QVBoxLayout(self), (halves, 1))

    def fill(self) -> str:
        """The rule of core.document.create."""
        return next(name for name, radio in self.fills.items() if radio.isChecked())

    def spread(self) -> float:
        """How much the scaled scores of a row spread."""
        return float(2.0 ** ((self.sharpness.value() - MIDDLE) / 2))

    def notes(self) -> str:
        """A note about the rule and seed of the first numbers."""
        rule, seed = self.fill(), self.seed.value()
        if rule == "graded":
            return tr(
                "Initial numbers: drawn with one decimal so that the scaled scores of a row "
                "spread by about {spread}, seed {seed}. They are not learned and mean nothing.",
                spread=show(self.spread(), 2),
                seed=seed,
            )
        if rule == "integers":
            low, high = show(SMALLEST, 0), show(LARGEST, 0)
            return tr(
                "Initial numbers: whole numbers from {low} to {high}, seed {seed}.",
                low=low,
                high=high,
                seed=seed,
            )
        if rule == "normal":
            return tr("Initial numbers: normal, mean 0 and variance 1, seed {seed}.", seed=seed)
        if rule == "xavier":
            return tr(
                "Initial numbers: weights by Xavier initialisation, the rest normal, seed {seed}.",
                seed=seed,
            )
        return ""

    # Layout

    def _fill_radios(self) -> dict[str, QRadioButton]:
        names = ("graded", "integers", "zeros", "normal", "xavier", "one_hot", "identity")
        texts = (
            tr("&Graded, one decimal"),
            tr("Small &whole numbers"),
            tr("&Zeros: I type them"),
            tr("No&rmal numbers"),
            tr("Xav&ier"),
            tr("One-ho&t rows"),
            tr("&Ones on the diagonal"),
        )
        return dict(zip(names, radios(self, *texts), strict=True))

    def _form(self) -> QVBoxLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        for place, radio in enumerate(self.fills.values()):
            grid.addWidget(radio, place % 4, place // 4)
        grid.setColumnStretch(2, 1)
        sharp, label = strong(""), QLabel()
        sharp.setBuddy(self.sharpness)
        told = tr("From even weights to one that takes all.")
        label_field(sharp, self.sharpness, tr("How shar&p the attention is"), told)
        self.sharpness.setToolTip(told)
        ends = QGridLayout()
        for column, text in enumerate((tr("even"), tr("graded"), tr("one takes all"))):
            end = QLabel(text)
            set_font(end, CAPTION)
            ends.addWidget(end, 0, column, _ALIGNED[column])
            ends.setColumnStretch(column, 1)
        label.setBuddy(self.seed)
        label_field(
            label, self.seed, tr("Seed n&umber"), tr("The same seed gives the same numbers.")
        )
        self.seed.setToolTip(tr("The same seed gives the same numbers."))
        self._note = caption()
        return fill(
            QVBoxLayout(),
            strong(tr("Initial numbers")),
            grid,
            Gap(8),
            sharp,
            self.sharpness,
            ends,
            Gap(8),
            flow_row(self.again, label, self.seed),
            Gap(4),
            self._note,
            1,
            spacing=8,
        )

    def _preview(self) -> QVBoxLayout:
        self.picture = WeightsPicture()
        self._row, self._told = sentence_label(), sentence_label()
        set_font(self._told, BODY, bold=True)
        title = strong(tr("Attention weights, live"))
        parts = (title, (self.picture, 1), self._row, self._told)
        return fill(QVBoxLayout(), *parts, spacing=8)

    # State

    def show_document(self, document: Document | None, heads: int) -> None:
        """Show the first head of the experiment that would be made; None for no experiment."""
        rule = self.fill()
        self.sharpness.setEnabled(rule == "graded")
        for widget in (self.seed, self.again):
            widget.setEnabled(rule in SEEDED)
        self._note.setText(_note(rule))
        weights = None if document is None else live_weights(document)
        self.picture.show_weights(document, weights)
        if document is None or weights is None:
            self._row.setText("")
            long = tr("The sentence is too long to show its weights here.")
            self._told.setText("" if document is None else long)
        else:
            self._row.setText(_row_text(document, weights))
            told = _weights_text(weights)
            shown = tr("The first of {h} heads is shown.", h=heads) if heads > 1 else ""
            self._told.setText(f"{told} {shown}".strip())
        self.picture.setAccessibleName(f"{self._row.text()} {self._told.text()}".strip())
        if self.isVisible():
            self._spoken.start()

    def _speak(self) -> None:
        if self.isVisible():
            announce(self.picture, self._told.text())


_ALIGNED = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight)


def _note(rule: str) -> str:
    """What numbers of a rule are good for."""
    if rule == "zeros":
        return tr(
            "All numbers are 0. Type or paste yours in the Numbers panel once the experiment is "
            "created."
        )
    if rule in SEEDED:
        return tr(
            "These numbers are drawn at random, not learned: they mean nothing and say nothing "
            "about the words. They show how the computation works. You can change any of them "
            "later."
        )
    return tr("You can change any number later.")


def _row_text(document: Document, weights: Array) -> str:
    """A row written out, which sums to one."""
    row = told_row(weights)
    if weights.shape[1] > MOST_SUMMED:
        return ""
    terms = " + ".join(show(value, 2) for value in weights[row])
    return tr(
        "Row of “{token}”: {terms} ≈ 1",
        token=visible_token(document.tokens[row]),
        terms=terms,
    )


def _weights_text(weights: Array) -> str:
    """How the largest weights of the rows lie between even and all or nothing."""
    largest = weights.max(axis=1)
    low, high = show(float(largest.min()), 2), show(float(largest.max()), 2)
    full = int((largest > NEARLY_ALL).sum())
    if full:
        return tr(
            "Largest weight of each row: {low} to {high}. In {full} of {rows} rows one key gets nearly everything.",
            low=low,
            high=high,
            full=full,
            rows=len(largest),
        )
    return tr(
        "Largest weight of each row: {low} to {high}. No row is all or nothing.",
        low=low,
        high=high,
    )
