"""The first step of a new experiment: a sentence, its tokens, what is entered, and sizes."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from core.document.create import Sizes
from gui.dialogs.new_preview import ShapesPicture, shapes_of
from gui.painting.text_size import set_font, set_least
from gui.texts.names import visible_token
from gui.texts.translation import tr
from gui.widgets.forms import (
    NumberField,
    caption,
    field_grid,
    flow_row,
    label_field,
    radios,
    sentence_label,
    strong,
    without_mnemonic,
)
from gui.widgets.layouts import Gap, ResponsiveRow, fill
from gui.widgets.token_preview import CHARACTERS, SPACES, CountedTokens, natural_way, split

CUT = "|"  # ends a token that is cut by hand
# The most attention scores (heads × tokens × tokens) that fit the memory of an ordinary computer.
MOST_SCORES = 32_000_000
LARGEST_SIZE, MOST_HEADS = 256, 32
LONGEST = 20_000  # letters of a sentence
BY_PENCIL, READABLE = 8, 16  # tokens


def split_by_hand(pieces: str) -> tuple[str, ...]:
    """The tokens of a sentence that is cut by hand."""
    return tuple(part.strip() for part in pieces.split(CUT) if part.strip())


class OtherSentence(QWidget):
    """A check box that shows a text field. `edited`: the user has changed one of them."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.box = QCheckBox(tr("Ke&ys and values from another sentence"))
        self.box.setAccessibleName(without_mnemonic(self.box.text()))
        told = tr(
            "Cross-attention: queries come from these tokens, keys and values from a separate "
            "context."
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


class SentencePage(QWidget):
    """Ask for the sentence, with a picture of all shapes. `edited`: something has changed."""

    edited = Signal()

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self._way_chosen = False
        self._make_fields(sentence)
        self._on_sentence(sentence)
        halves = ResponsiveRow(36, (self._form(), 5), (self._preview(), 6))
        fill(QVBoxLayout(self), (halves, 1))
        self.show_tokens()

    def tokens(self) -> tuple[str, ...]:
        """The tokens of the sentence."""
        if self.by_hand.isChecked():
            return split_by_hand(self.pieces.text())
        return split(self.sentence.text(), self._way())

    def context(self) -> tuple[str, ...]:
        """The tokens of the other sentence, split in its natural way unless the user has chosen
        one.
        """
        text = self.other.line.text() if self.other.wanted else ""
        chosen = self._way_chosen and not self.by_hand.isChecked()
        return split(text, self._way() if chosen else natural_way(text))

    def source(self) -> str:
        """What is entered: "embeddings" and weights, or "qkv"."""
        return "qkv" if self.qkv.isChecked() else "embeddings"

    def is_block(self) -> bool:
        """Whether the attention becomes part of a Transformer block."""
        return self.block.isChecked() and self._may_be_block()

    def _may_be_block(self) -> bool:
        return self.source() == "embeddings" and not self.other.wanted

    def sizes(self) -> Sizes:
        """The chosen sizes."""
        return Sizes(self.d.value(), self.k.value(), self.v.value(), self.h.value())

    def problem(self) -> str:
        """Why there can be no experiment yet, "" if there can."""
        n, m = len(self.tokens()), len(self.context())
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

    # Fields

    def _make_fields(self, sentence: str) -> None:
        self.sentence = QLineEdit(sentence)
        set_font(self.sentence, 15)
        set_least(self.sentence, height=36)
        self.sentence.setMaxLength(LONGEST)
        self.sentence.textEdited.connect(self._on_sentence)
        self.at_spaces, self.by_character, self.by_hand = radios(
            self, tr("At &spaces"), tr("By c&haracter"), tr("By ha&nd")
        )
        for radio in (self.at_spaces, self.by_character, self.by_hand):
            radio.clicked.connect(self._on_way)
        self.pieces = QLineEdit()
        self.pieces.setAccessibleName(tr("Tokens, cut by hand"))
        told = tr("Type | where a token ends; delete | to join two.")
        self.pieces.setToolTip(told)
        self.pieces.setAccessibleDescription(told)
        self.pieces.setMaxLength(2 * LONGEST)
        self.pieces.textEdited.connect(self._on_edit)
        self.other = OtherSentence()
        self.other.edited.connect(self._on_edit)
        self.embeddings, self.qkv = radios(
            self, tr("&X and the weights"), tr("&Q, K and V directly")
        )
        for radio in (self.embeddings, self.qkv):
            radio.clicked.connect(self._on_edit)
        self.block = QCheckBox(tr("A &Transformer block around the attention"))
        self.block.setAccessibleName(without_mnemonic(self.block.text()))
        told = tr("Add residual connections, LayerNorm, an MLP and the next word")
        self.block.setToolTip(told)
        self.block.setAccessibleDescription(told)
        self.block.clicked.connect(self._on_edit)
        self.d, self.k, self.v = (NumberField(1, LARGEST_SIZE, size) for size in (4, 2, 2))
        self.h = NumberField(1, MOST_HEADS, 1)
        for field in (self.d, self.k, self.v, self.h):
            field.edited.connect(self._on_edit)

    def _form(self) -> QVBoxLayout:
        label = strong("")
        label.setBuddy(self.sentence)
        label_field(label, self.sentence, tr("S&entence"), tr("It is split into tokens."))
        self._by_hand_told = caption(self.pieces.toolTip())
        self._counted, self._context = CountedTokens(editable=True), CountedTokens()
        self._note = caption()
        self._counted.chips.cut.connect(self._cut_token)
        self._counted.chips.joined.connect(self._join_tokens)
        sizes = (
            (self.d, tr("d_mode&l"), tr("Numbers per token in X")),
            (self.k, tr("d_&k"), tr("Numbers per token in Q and K")),
            (self.v, tr("d_&v"), tr("Numbers per token in V")),
            (self.h, tr("Hea&ds"), tr("Number of attention heads")),
        )
        return fill(
            QVBoxLayout(),
            label,
            self.sentence,
            flow_row(self.at_spaces, self.by_character, self.by_hand),
            self.pieces,
            self._by_hand_told,
            self._counted,
            self._note,
            self.other,
            self._context,
            Gap(4),
            strong(tr("Input")),
            flow_row(self.embeddings, self.qkv),
            self.block,
            Gap(4),
            strong(tr("Sizes")),
            field_grid(sizes, 12),
            1,
            spacing=7,
        )

    def _preview(self) -> QVBoxLayout:
        self.picture = ShapesPicture()
        self._told = sentence_label(muted=True)
        title = strong(tr("What will be computed"))
        return fill(QVBoxLayout(), title, (self.picture, 1), self._told, spacing=8)

    # Slots

    def _way(self) -> str:
        return CHARACTERS if self.by_character.isChecked() else SPACES

    def _on_sentence(self, text: str) -> None:
        """Cut in the natural way unless another was chosen; cuts by hand start over."""
        if not self._way_chosen:
            by_character = natural_way(text) == CHARACTERS
            (self.by_character if by_character else self.at_spaces).setChecked(True)
        self._cut_again(natural_way(text))
        self._on_edit()

    def _cut_again(self, way: str) -> None:
        self.pieces.setText(f" {CUT} ".join(split(self.sentence.text(), way)))

    def _on_way(self) -> None:
        self._way_chosen = True
        if not self.by_hand.isChecked():
            self._cut_again(self._way())
        else:
            self.pieces.show()
            self.pieces.setFocus()
        self._on_edit()

    def _cut_token(self, number: int, letters: int) -> None:
        tokens = list(self.tokens())
        tokens[number : number + 1] = tokens[number][:letters], tokens[number][letters:]
        self._take_by_hand(tokens)

    def _join_tokens(self, number: int) -> None:
        """Join a token with the next one, with a space only where the sentence has it."""
        tokens = list(self.tokens())
        first, second = tokens[number : number + 2]
        spaced = first + second not in self.sentence.text()
        tokens[number : number + 2] = [f"{first} {second}" if spaced else first + second]
        self._take_by_hand(tokens)

    def _take_by_hand(self, tokens: list[str]) -> None:
        self._way_chosen = True
        self.by_hand.setChecked(True)
        self.pieces.setText(f" {CUT} ".join(tokens))
        self._on_edit()

    def _on_edit(self) -> None:
        if hasattr(self, "picture"):  # all parts are made
            self.show_tokens()
        self.edited.emit()

    def show_tokens(self) -> None:
        """Show tokens and shapes."""
        tokens, context, sizes = self.tokens(), self.context(), self.sizes()
        n, m = len(tokens), len(context) or len(tokens)
        for widget in (self.pieces, self._by_hand_told):
            widget.setVisible(self.by_hand.isChecked())
        self.d.setEnabled(self.source() == "embeddings")
        self.block.setEnabled(self._may_be_block())
        self._counted.show_tokens(tokens, tr("{n} tokens", n=n) if n != 1 else tr("1 token"))
        self._context.show_tokens(context, tr("Tokens of the context: {m}", m=len(context)))
        self._context.setVisible(self.other.wanted)
        note = _note(tokens, context)
        self._note.setText(note)
        self._note.setVisible(bool(note))
        shown = not self.problem()
        shapes = shapes_of(n, m, sizes, self.source(), context=bool(context)) if shown else ()
        self.picture.show_shapes(tokens if shown else (), shapes)
        self._told.setText(_told(n, m, sizes.h) if shown else "")


def _note(tokens: tuple[str, ...], context: tuple[str, ...]) -> str:
    """What is worth knowing about these tokens."""
    if len(context or tokens) == 1:
        return tr("With a single key, every weight is 1: a token attends only to itself.")
    few = tokens if len(tokens) <= READABLE else ()
    twice = next((token for token in few if few.count(token) > 1), None)
    if twice is not None:
        return tr(
            "“{token}” occurs more than once and gets the same numbers each time: without "
            "positions nothing tells them apart. You can switch positions on later.",
            token=visible_token(twice),
        )
    if len(tokens) > READABLE:
        return tr("More than 16 tokens: you will have to scroll.")
    if len(tokens) > BY_PENCIL:
        return tr("Up to 8 tokens can be followed by hand.")
    return ""


def _told(n: int, m: int, h: int) -> str:
    """What is computed, in numbers."""
    text = tr(
        "Each of the {n} queries meets each of the {m} keys: {count} scores and as many "
        "weights. There are no numbers yet; you choose them in the next step.",
        n=n,
        m=m,
        count=n * m,
    )
    if h > 1:
        return tr("{text} One of {h} heads is shown.", text=text, h=h)
    return text
