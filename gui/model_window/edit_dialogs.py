"""Dialogs of edits: a pinned weight, another number, another word, a stage from sentence B."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from core.base.arrays import Array
from core.document.document import Document
from core.document.parts import is_of_head
from core.models.model import Model
from gui.model_window.edits import (
    OF_FIRST,
    OF_LAST,
    OUTPUT,
    Edit,
    NumberEdit,
    StagePatch,
    WeightPin,
    WordSwap,
)
from gui.model_window.state import A, B, ModelState
from gui.model_window.wording import head_title, tensor_label
from gui.painting.text_size import set_least
from gui.texts.names import stage_name, visible_token
from gui.texts.translation import tr
from gui.widgets.choice import ChoiceBox
from gui.widgets.fields import RealField
from gui.widgets.forms import (
    Dialog,
    NumberField,
    accept_or_cancel,
    caption,
    field_grid,
    heading,
    sentence_label,
)
from gui.widgets.layouts import Gap

TENSORS = (
    *("W_Q", "b_Q", "W_K", "b_K", "W_V", "b_V", "W_O", "b_O"),
    *("W_1", "b_1", "W_gate", "b_gate", "W_2", "b_2"),
    *("attention_norm.gamma", "attention_norm.beta", "mlp_norm.gamma", "mlp_norm.beta"),
)
# Stages that can be taken from the other sentence, those of single heads first.
STAGES = (
    *("weights", "heads", "Q", "K", "V", "Y", "attention_residual"),
    *("mlp_active", "mlp_out", "mlp_residual"),
)
OF_HEADS = ("weights", "heads", "Q", "K", "V")


class EditDialog(Dialog):
    """A dialog that asks for an edit."""

    @property
    @abstractmethod
    def edit(self) -> Edit:
        """The answer."""


class PinDialog(EditDialog):
    """Ask for the value of one weight; `edit` is the answer."""

    def __init__(self, parent: QWidget, state: ModelState, now: float) -> None:
        super().__init__(parent)
        look, sentence = state.look, state.sentence
        assert sentence is not None
        assert look.query is not None
        assert look.key is not None
        self._look = look
        self.setWindowTitle(tr("Pin a weight"))
        set_least(self.inside, 420)
        self.value = RealField(parent=self)
        self.value.show_value(now)
        query, key = (visible_token(sentence.labels[i]) for i in (look.query, look.key))
        title = f"{head_title((look.layer, look.head))}: {query} → {key}"
        told = tr(
            "The weight stays at this value, and what depends on it is computed again. The other "
            "weights of the row stay the same, so the row may no longer add up to 1."
        )
        self.ok = QPushButton(tr("&Pin"))
        fields = field_grid([(self.value, tr("&Value"), "")], 16)
        self.add(heading(title), sentence_label(told, muted=True), fields, Gap(8))
        self.add(accept_or_cancel(self, self.ok))
        self._now = now
        self.value.entered.connect(self._take)
        self.value.line.selectAll()

    def _take(self, value: float) -> None:
        self._now = value

    @property
    def edit(self) -> WeightPin:
        """The pin that was entered."""
        look = self._look
        assert look.query is not None
        assert look.key is not None
        return WeightPin(look.layer, look.head, look.query, look.key, self._now)


class NumberDialog(EditDialog):
    """Ask for a number of a tensor of the layer; `edit` is the answer."""

    def __init__(self, parent: QWidget, state: ModelState, plain: Document) -> None:
        super().__init__(parent)
        self._state, self._plain, self._value = state, plain, 0.0
        look = state.look
        self.setWindowTitle(tr("Change a number"))
        set_least(self.inside, 460)
        self.tensor = ChoiceBox(self)
        assert state.model is not None
        self._model, last = state.model, look.layer == state.model.layers - 1
        names = (*TENSORS, *(OF_LAST if last else ()), *(() if look.layer else OF_FIRST))
        self._names: list[str] = [name for name in names if self._array(name) is not None]
        if last and state.model.has_output:
            self._names.append(OUTPUT)
        self.tensor.addItems([*map(tensor_label, self._names)])
        self.row_field, self.column_field = NumberField(1, 1, 1), NumberField(1, 1, 1)
        self.value = RealField(parent=self)
        self.shape_text = caption()
        place = head_title((look.layer, look.head))
        fields = field_grid(
            [
                (self.tensor, tr("&Tensor"), ""),
                (self.row_field, tr("&Row"), ""),
                (self.column_field, tr("&Column"), ""),
                (self.value, tr("&Value"), ""),
            ],
            12,
        )
        self.ok = QPushButton(tr("&Change"))
        self.add(heading(place), fields, self.shape_text, Gap(8), accept_or_cancel(self, self.ok))
        self.tensor.currentIndexChanged.connect(lambda _: self._show())
        for field in (self.row_field, self.column_field):
            field.valueChanged.connect(lambda _: self._show())
        self.value.entered.connect(self._take)
        self._show()

    @property
    def _name(self) -> str:
        name: str = self._names[self.tensor.currentIndex()]
        return name

    def _edit(self, name: str, index: tuple[int, ...] = ()) -> NumberEdit:
        layer = self._state.look.layer if name != OUTPUT else self._model.layers
        return NumberEdit(layer, name, index, self._value)

    def _own_name(self, name: str) -> str:
        """The name in the stack of this layer alone."""
        return f"L1.{name}" if self._edit(name).is_of_layer else name

    def _head(self, name: str) -> int:
        own = self._own_name(name)
        return self._plain.lender(own, self._state.look.head) if is_of_head(own) else 0

    def _array(self, name: str) -> Array | None:
        try:
            return self._plain.tensor(self._own_name(name), self._head(name))
        except (KeyError, IndexError):
            return None

    @property
    def _shape(self) -> tuple[int, ...]:
        if self._name == OUTPUT:
            return self._model.d, self._model.vocabulary
        array = self._array(self._name)
        assert array is not None
        return array.shape

    @property
    def _index(self) -> tuple[int, ...]:
        inner = (self.row_field.value() - 1, self.column_field.value() - 1)
        return inner if len(self._shape) == 2 else inner[1:]

    def _now(self) -> float:
        """The number as it is in the model."""
        if self._name == OUTPUT:
            row, word = self._index
            return float(self._model.output_columns([word])[row, 0])
        array = self._array(self._name)
        assert array is not None
        return float(array[self._index])

    def _show(self) -> None:
        rows, columns = self._shape if len(self._shape) == 2 else (1, *self._shape)
        self.row_field.setMaximum(rows)
        self.column_field.setMaximum(columns)
        self.shape_text.setText(
            tr(
                "{name} is {rows} × {columns}.",
                name=tensor_label(self._name),
                rows=rows,
                columns=columns,
            )
        )
        self._value = self._now()
        self.value.show_value(self._value)
        self.value.restore()

    def _take(self, value: float) -> None:
        self._value = value

    @property
    def edit(self) -> NumberEdit:
        """The number that was entered; the index begins with the head where each has its own."""
        own = (self._head(self._name),) if is_of_head(self._own_name(self._name)) else ()
        return self._edit(self._name, (*own, *self._index))


class SwapDialog(EditDialog):
    """Ask for another token at a place of sentence A; `edit` is the answer."""

    def __init__(self, parent: QWidget, state: ModelState, place: int) -> None:
        super().__init__(parent)
        assert state.model is not None
        self._model, self._place = state.model, place
        run = state.run(A)
        assert run is not None
        self._old = run.sentence.labels[place]
        self.setWindowTitle(tr("Swap a word"))
        set_least(self.inside, 420)
        self.word, self.told = QLineEdit(self), caption()
        self.word.setText(visible_token(self._old))
        self.word.selectAll()
        self.ok = QPushButton(tr("&Swap"))
        title = tr("Another token for “{word}”", word=visible_token(self._old))
        fields = field_grid([(self.word, tr("&Word"), "")], 12)
        self.add(heading(title), fields, self.told, Gap(8), accept_or_cancel(self, self.ok))
        self.word.textChanged.connect(lambda _: self._show())
        self._show()

    def _show(self) -> None:
        found = single_token(self._model, self.word.text(), self._old)
        self.ok.setEnabled(found is not None)
        if found is None:
            self.told.setText(tr("One token is needed; the tokenizer cuts this into several."))
        else:
            self.told.setText(
                tr("Token {piece}, id {id}", piece=self._model.tokenizer.piece(found), id=found)
            )

    @property
    def edit(self) -> WordSwap:
        """The token that was entered."""
        found = single_token(self._model, self.word.text(), self._old)
        assert found is not None
        return WordSwap(self._place, found)


def single_token(model: Model, text: str, old: str) -> int | None:
    """The id of a text that is one token, in the place of `old`, whose leading space it takes."""
    tokenizer = model.tokenizer
    for candidate in (f" {text.strip()}", text.strip()) if old[:1] == " " else (text.strip(), text):
        words = [word for word in tokenizer.pieces(candidate).words if not word.special]
        ids = tokenizer.pieces(candidate).ids
        own = [ids[i] for word in words for i in range(word.first, word.last)]
        if len(own) == 1 and text.strip():
            return own[0]
    return None


class PatchDialog(EditDialog):
    """Ask which stage of the layer to take from sentence B; `edit` is the answer."""

    def __init__(self, parent: QWidget, state: ModelState, stages: Sequence[str]) -> None:
        super().__init__(parent)
        self._look = state.look
        self.setWindowTitle(tr("Take a stage from sentence B"))
        set_least(self.inside, 460)
        self._names = [name for name in STAGES if name in stages]
        self.stage, self.tokens, self.heads = (ChoiceBox(self) for _ in range(3))
        self.stage.addItems([stage_name(name) for name in self._names])
        run = state.run(A)
        labels = () if run is None else run.sentence.labels
        self.tokens.addItems([tr("all tokens"), *map(visible_token, labels)])
        self.heads.addItems([tr("all heads"), tr("head {number}", number=self._look.head + 1)])
        self.heads.setCurrentIndex(1)
        if self._look.query is not None:
            self.tokens.setCurrentIndex(self._look.query + 1)
        self.ok = QPushButton(tr("&Take"))
        told = tr("Its numbers replace those of sentence A; later layers follow.")
        fields = field_grid(
            [
                (self.stage, tr("&Stage"), ""),
                (self.heads, tr("&Heads"), ""),
                (self.tokens, tr("&Tokens"), ""),
            ],
            12,
        )
        title = tr("Layer {number}", number=self._look.layer + 1)
        self.add(
            heading(title),
            sentence_label(told, muted=True),
            fields,
            Gap(8),
            accept_or_cancel(self, self.ok),
        )
        self.stage.currentIndexChanged.connect(lambda _: self._show())
        self._show()

    def _show(self) -> None:
        self.heads.setEnabled(self._names[self.stage.currentIndex()] in OF_HEADS)

    @property
    def edit(self) -> StagePatch:
        """The patch that was chosen."""
        name = self._names[self.stage.currentIndex()]
        head = self._look.head if self.heads.currentIndex() and name in OF_HEADS else None
        place = self.tokens.currentIndex()
        return StagePatch(self._look.layer, name, head, place - 1 if place else None)


def can_patch(state: ModelState) -> bool:
    """Whether sentence B has the selected layer, with as many tokens as A."""
    one, other = state.run(A), state.run(B)
    if one is None or other is None or one.sentence.n != other.sentence.n:
        return False
    return state.look.layer < len(other.layers)
