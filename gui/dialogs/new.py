"""New experiment: a sentence, what is entered, sizes, and a rule for the first numbers."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from core.base.number_format import show
from core.document.create import LARGEST, SEEDED, SMALLEST, Sizes, create
from core.document.document import Document
from core.document.edits import with_title
from gui.dialogs.new_preview import Sketch
from gui.painting.text_size import set_least
from gui.painting.theme import DISPLAY
from gui.texts.translation import tr
from gui.widgets.forms import (
    Dialog,
    NumberField,
    accept_or_cancel,
    caption,
    field_grid,
    flow_row,
    heading,
    label_field,
    radios,
    strong,
    without_mnemonic,
)
from gui.widgets.layouts import Gap, ResponsiveRow, fill
from gui.widgets.token_preview import CHARACTERS, SPACES, CountedTokens, natural_way, split

# The most attention scores (heads × tokens × tokens) that fit the memory of an ordinary computer.
MOST_SCORES = 32_000_000
LARGEST_SIZE, MOST_HEADS, LARGEST_SEED = 256, 32, 999_999


class NewDialog(Dialog):
    """Ask for a new experiment with a live preview. `document()` is the result."""

    def __init__(self, parent: QWidget | None = None, sentence: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("New experiment"))
        self._way_chosen = False
        self._make_fields()
        halves = ResponsiveRow(36, (self._form(), 5), (self._preview(), 4))
        title = heading(tr("New experiment"), DISPLAY)
        self.add(title, Gap(6), (halves, 1), Gap(6), self._buttons())
        set_least(self.inside, height=560)
        self.sentence.setFocus()
        self.sentence.selectAll()
        if sentence:
            self.sentence.setText(sentence)
            self._on_sentence(sentence)
        self._show()

    def document(self) -> Document:
        """Create the experiment."""
        seed = self.seed.value()
        text = self.sentence.text().strip()
        document = create(
            self.tokens(),
            self._source(),
            self._sizes(),
            self._fill(),
            seed,
            text,
            context=self.context(),
        )
        return with_title(document, text, self._notes(seed))

    def _notes(self, seed: int) -> str:
        """A note about the rule and seed of the first numbers."""
        if self._fill() == "integers":
            low, high = show(SMALLEST, 0), show(LARGEST, 0)
            return tr(
                "First numbers: whole ones from {low} to {high}, seed {seed}.",
                low=low,
                high=high,
                seed=seed,
            )
        if self._fill() == "normal":
            return tr("First numbers: normal, mean 0 and variance 1, seed {seed}.", seed=seed)
        if self._fill() == "xavier":
            return tr(
                "First numbers: weights by Xavier’s rule, all else normal, seed {seed}.", seed=seed
            )
        return ""

    def tokens(self) -> tuple[str, ...]:
        """The tokens of the sentence."""
        return split(self.sentence.text(), self._way())

    def context(self) -> tuple[str, ...]:
        """The tokens of the other sentence, split in its natural way unless the user has chosen
        one.
        """
        text = self.other.line.text() if self.other.wanted else ""
        return split(text, self._way() if self._way_chosen else natural_way(text))

    def _way(self) -> str:
        return CHARACTERS if self.by_character.isChecked() else SPACES

    # Fields

    def _make_fields(self) -> None:
        self.sentence = QLineEdit(tr("the cat eats fish"))
        set_least(self.sentence, height=32)
        self.sentence.setMaxLength(LONGEST)
        self.sentence.textEdited.connect(self._on_sentence)
        self.at_spaces, self.by_character = radios(self, tr("At &spaces"), tr("By c&haracter"))
        self.at_spaces.clicked.connect(self._on_way)
        self.by_character.clicked.connect(self._on_way)
        self.other = OtherSentence()
        self.other.edited.connect(self._show)
        self.embeddings, self.qkv = radios(
            self, tr("&X and the weights"), tr("&Q, K and V directly")
        )
        self.fills = self._fill_radios()
        for radio in (self.embeddings, self.qkv, *self.fills.values()):
            radio.clicked.connect(self._show)
        self.d, self.k, self.v = (NumberField(1, LARGEST_SIZE, size) for size in (4, 2, 2))
        self.h = NumberField(1, MOST_HEADS, 1)
        self.seed = NumberField(0, LARGEST_SEED, 1)
        for field in (self.d, self.k, self.v, self.h, self.seed):
            field.edited.connect(self._show)

    def _fill_radios(self) -> dict[str, QRadioButton]:
        """Radio buttons by rule of core.document.create."""
        integers, normal, xavier, one_hot, identity, zeros = radios(
            self,
            tr("Small &whole numbers"),
            tr("No&rmal numbers"),
            tr("X&avier"),
            tr("One-ho&t rows"),
            tr("&Ones on the diagonal"),
            tr("&Zeros"),
        )
        return {
            "integers": integers,
            "normal": normal,
            "xavier": xavier,
            "one_hot": one_hot,
            "identity": identity,
            "zeros": zeros,
        }

    # Layout

    def _form(self) -> QVBoxLayout:
        label = strong("")
        label.setBuddy(self.sentence)
        label_field(label, self.sentence, tr("S&entence"), tr("It is cut into tokens."))
        return fill(
            QVBoxLayout(),
            label,
            self.sentence,
            flow_row(self.at_spaces, self.by_character),
            self.other,
            Gap(10),
            strong(tr("What is entered")),
            flow_row(self.embeddings, self.qkv),
            Gap(10),
            strong(tr("Sizes")),
            self._size_grid(),
            Gap(10),
            strong(tr("First numbers")),
            self._fill_grid(),
            1,
            spacing=8,
        )

    def _size_grid(self) -> QGridLayout:
        rows = (
            (self.d, tr("&d_model"), tr("How many numbers a token has in X")),
            (self.k, tr("d_&k"), tr("How many numbers a token has in Q and in K")),
            (self.v, tr("d_&v"), tr("How many numbers a token has in V")),
            (self.h, tr("H&eads"), tr("How many attention heads")),
        )
        return field_grid(rows, 12)

    def _fill_grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        label = QLabel()
        label.setBuddy(self.seed)
        label_field(label, self.seed, tr("See&d"), tr("The same seed gives the same numbers."))
        self.seed.setToolTip(tr("The same seed gives the same numbers."))
        for place, radio in enumerate(self.fills.values()):
            grid.addWidget(radio, place % 3, place // 3)
        grid.addWidget(label, 0, 2)
        grid.addWidget(self.seed, 0, 3)
        grid.setColumnStretch(4, 1)
        return grid

    def _preview(self) -> QVBoxLayout:
        self._sentence, self._context, self._sketch = CountedTokens(), CountedTokens(), Sketch()
        self._told = caption()
        sketch = (self._sketch, 1)
        return fill(
            QVBoxLayout(), self._sentence, self._context, Gap(10), sketch, self._told, spacing=8
        )

    def _buttons(self) -> QHBoxLayout:
        self.create_button = QPushButton(tr("&Create"))
        self.problem = QLabel()
        self.problem.setWordWrap(True)
        self.problem.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        return fill(QHBoxLayout(), (self.problem, 1), accept_or_cancel(self, self.create_button))

    # Slots

    def _on_sentence(self, text: str) -> None:
        if not self._way_chosen:
            by_character = natural_way(text) == CHARACTERS
            (self.by_character if by_character else self.at_spaces).setChecked(True)
        self._show()

    def _on_way(self) -> None:
        self._way_chosen = True
        self._show()

    def _show(self) -> None:
        """Update the preview and the button."""
        tokens, context = self.tokens(), self.context()
        problem = self._problem(len(tokens), len(context))
        self.problem.setText(problem)
        self.create_button.setEnabled(not problem)
        self.d.setEnabled(self._source() == "embeddings")
        self.seed.setEnabled(self._fill() in SEEDED)
        self._sentence.show_tokens(
            tokens, tr("{n} tokens", n=len(tokens)) if len(tokens) != 1 else tr("1 token")
        )
        self._context.show_tokens(context, tr("Tokens of the context: {m}", m=len(context)))
        self._context.setVisible(self.other.wanted)
        sizes = self._sizes()
        first = Sizes(sizes.d, sizes.k, sizes.v, 1)
        seed = self.seed.value()
        shown = (
            None
            if problem
            else create(tokens, self._source(), first, self._fill(), seed, context=context)
        )
        self._sketch.show_document(shown)
        self._told.setText(
            tr("The first of {h} heads is shown.", h=sizes.h) if sizes.h > 1 and shown else ""
        )

    def _problem(self, n: int, m: int) -> str:
        if n == 0:
            return tr("Type a sentence: at least one token is needed.")
        if m == 0 and self.other.wanted:
            return tr("Type the other sentence too: at least one token is needed.")
        if n * (m or n) * self.h.value() > MOST_SCORES:
            return tr(
                "{n} tokens are too many for {h} heads; shorten the sentence.",
                n=max(n, m),
                h=self.h.value(),
            )
        return ""

    def _source(self) -> str:
        return "qkv" if self.qkv.isChecked() else "embeddings"

    def _sizes(self) -> Sizes:
        return Sizes(self.d.value(), self.k.value(), self.v.value(), self.h.value())

    def _fill(self) -> str:
        return next(name for name, radio in self.fills.items() if radio.isChecked())


def ask_new_document(parent: QWidget, sentence: str = "") -> Document | None:
    """Ask for a new experiment, with a sentence to begin with; None if the user cancels."""
    dialog = NewDialog(parent, sentence)
    try:
        return dialog.document() if dialog.exec() else None
    finally:
        dialog.deleteLater()


LONGEST = 20_000  # letters of a sentence


class OtherSentence(QWidget):
    """A check box that shows a text field. `edited`: the user has changed one of them."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.box = QCheckBox(tr("Ke&ys and values from another sentence"))
        self.box.setAccessibleName(without_mnemonic(self.box.text()))
        told = tr(
            "Cross-attention: queries come from these tokens, keys and values from a context of its own."
        )
        self.box.setToolTip(told)
        self.box.setAccessibleDescription(told)
        self.box.clicked.connect(self._ticked)
        self.line = QLineEdit(tr("小猫 吃 鱼"))
        self.line.setAccessibleName(tr("The other sentence"))
        self.line.setMaxLength(LONGEST)
        set_least(self.line, height=32)
        self.line.textEdited.connect(self.edited)
        self.line.hide()
        fill(QVBoxLayout(self), self.box, self.line, spacing=8)

    @property
    def wanted(self) -> bool:
        """Whether there is another sentence."""
        return self.box.isChecked()

    def _ticked(self, on: bool) -> None:
        self.line.setVisible(on)
        if on:
            self.line.setFocus()
            self.line.selectAll()
        self.edited.emit()
