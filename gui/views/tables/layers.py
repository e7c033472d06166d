"""The page of layers in the setup of a stack: which layer, its norms and its MLP, switched on or off."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from core.document.document import Document, Layer
from core.document.parts import ACTIVATIONS, NORM_KINDS, NORM_PLACES, layer_id
from core.document.stack_edits import (
    with_gate,
    with_layer,
    with_layer_added,
    with_layer_duplicated,
    with_layer_moved,
    with_layer_removed,
    with_lender,
    with_mlp,
    with_mlp_settings,
    with_norm,
    with_norm_place,
    with_norms,
)
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import head_label
from gui.texts.translation import mark, tr, tr_marked
from gui.views.tables.heads import HeadNameField
from gui.views.tables.sections import KindBox, Section
from gui.widgets.buttons import IconButton
from gui.widgets.choice import ChoiceBox
from gui.widgets.fields import RealField

NORM_NAMES = {"layer": mark("LayerNorm"), "rms": mark("RMSNorm")}
PLACE_NAMES = {"pre": mark("before the sub-layers"), "post": mark("after the addition")}
ACTIVATION_NAMES = {
    "relu": mark("ReLU"),
    "gelu": mark("GELU"),
    "gelu_tanh": mark("GELU by tanh"),
    "silu": mark("SiLU"),
}


def not_negative(value: float) -> str:
    """What is wrong with eps: it must not be below 0."""
    return "" if value >= 0 else tr("It must be 0 or more.")


class StackSection(Section):
    """A section about the open layer of a stack; hidden where there is none."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session

    @property
    def _number(self) -> int:
        return self._session.state.scope.of_layer or 1

    def show_settings(self, old: State | None, new: State) -> None:
        """Show the open layer."""
        number = new.scope.of_layer
        if number is not None:
            self.show_layer(new, number, new.document.layers[number - 1])

    def show_layer(self, state: State, number: int, layer: Layer) -> None:
        """Show the settings of a layer."""

    def add_switch(self, switch: Callable[[bool], None]) -> QCheckBox:
        """Add a check box whose clicks call `switch`."""
        box = QCheckBox(self)
        set_font(box, BODY)
        self.add_wide(box)
        box.clicked.connect(lambda: switch(box.isChecked()))
        return box

    def change(self, edit: Callable[..., Document], *args: Any, text: str, **words: Any) -> None:
        """Edit the document as one undo step; `words` fill the text."""
        self._session.change(edit, *args, text=text, **{**words, "layer": self._number})


class LayerSection(StackSection):
    """The layer itself: name, order, on or off, residual connections, borrowed keys and values."""

    term = "residual"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.name, self.lender = HeadNameField(self), ChoiceBox(self)
        self._buttons, bar = QWidget(self), QHBoxLayout()
        names = ("add", "duplicate", "remove", "move_up", "move_down")
        self.add, self.duplicate, self.remove, self.earlier, self.later = (
            IconButton(name, self._buttons) for name in names
        )
        for button in self.buttons:
            bar.addWidget(button)
        bar.addStretch(1)
        bar.setContentsMargins(0, 0, 0, 0)
        self._buttons.setLayout(bar)
        for widget in (self.name, self._buttons, self.lender):
            self.add_row(widget)
        self.on = self.add_switch(self._switch)
        self.residual = self.add_switch(self._switch_residual)
        self._connect()

    @property
    def buttons(self) -> tuple[IconButton, ...]:
        """Add, duplicate, remove, earlier, later."""
        return self.add, self.duplicate, self.remove, self.earlier, self.later

    def _connect(self) -> None:
        self.name.renamed.connect(self._rename)
        self.lender.activated.connect(self._lend)
        edits = (
            (self.add, lambda document, number: with_layer_added(document, number + 1), "add"),
            (self.duplicate, with_layer_duplicated, "duplicate"),
            (self.remove, with_layer_removed, "remove"),
            (self.earlier, partial(_moved, by=-1), "move"),
            (self.later, partial(_moved, by=1), "move"),
        )
        texts = {
            "add": mark("Add a layer"),
            "duplicate": mark("Duplicate layer {layer}"),
            "remove": mark("Remove layer {layer}"),
            "move": mark("Move layer {layer}"),
        }
        for button, edit, text in edits:
            button.clicked.connect(partial(self._reorder, edit, texts[text]))

    def show_texts(self, state: State) -> None:
        """Name the rows and buttons."""
        self.set_texts("", "", tr("Name"), tr("Arrange"), tr("Keys, values"))
        self.on.setText(tr("Layer on"))
        self.residual.setText(tr("Residual connections"))
        self.add.call(tr("Add a layer"))
        self.duplicate.call(tr("Duplicate the layer"))
        self.remove.call(tr("Remove the layer"))
        self.earlier.call(tr("Move the layer to the front"))
        self.later.call(tr("Move the layer to the back"))

    def show_layer(self, state: State, number: int, layer: Layer) -> None:
        """Show name, order, switches, and whose keys and values the chosen head reads."""
        count, chosen = len(state.document.layers), min(state.cursor.head, len(layer.heads) - 1)
        for button in self.buttons:
            button.paint_in(colours(state.shade))
        self._heading.setText(tr("Layer {number} of {count}", number=number, count=count))
        self._heading.setVisible(True)
        self.name.show_name(layer.name)
        self.name.setPlaceholderText(tr("Layer {number}", number=number))
        self.remove.setEnabled(count > 1)
        self.earlier.setEnabled(number > 1)
        self.later.setEnabled(number < count)
        self.on.setChecked(layer.enabled)
        self.residual.setChecked(layer.residual)
        own = tr("head {head}: its own", head=chosen + 1)
        others = [
            tr("those of {head}", head=head_label(index, layer.heads[index].name))
            for index in self._lenders(layer, chosen)
        ]
        lender = layer.heads[chosen].kv_from
        place = 0 if lender is None else 1 + self._lenders(layer, chosen).index(lender)
        self.lender.show_options([own, *others], place)
        self.show_row(self.lender, len(layer.heads) > 1)

    @staticmethod
    def _lenders(layer: Layer, head: int) -> list[int]:
        """The heads with keys and values of their own, without the given one."""
        return [i for i, other in enumerate(layer.heads) if other.kv_from is None and i != head]

    def _rename(self, name: str) -> None:
        self._set(mark("Rename layer {layer}"), name=name)

    def _switch(self, on: bool) -> None:
        self._set(mark("Layer {layer} on") if on else mark("Layer {layer} off"), enabled=on)

    def _switch_residual(self, on: bool) -> None:
        text = (
            mark("Layer {layer} with residual connections")
            if on
            else mark("Layer {layer} without residual connections")
        )
        self._set(text, residual=on)

    def _set(self, text: str, **changes: object) -> None:
        number = self._number
        self.change(lambda document: with_layer(document, number, **changes), text=text)

    def _reorder(self, edit: Callable[[Document, int], Document], text: str) -> None:
        self.change(edit, self._number, text=text)

    def _lend(self, place: int) -> None:
        state, number = self._session.state, self._number
        layer = state.document.layers[number - 1]
        head = min(state.cursor.head, len(layer.heads) - 1)
        lender = self._lenders(layer, head)[place - 1] if place else None
        text = (
            mark("Head {head} reads the keys of head {lender}")
            if place
            else mark("Head {head} has keys of its own")
        )
        words = {"head": head + 1, "lender": (lender or 0) + 1}
        self.change(with_lender, number, head, lender, text=text, **words)


def _moved(document: Document, number: int, by: int) -> Document:
    return with_layer_moved(document, number, number + by)


class NormSection(StackSection):
    """The norms of the layer, and those before the first and after the last layer."""

    term = "norm"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.kind, self.place = KindBox(NORM_KINDS, self), KindBox(NORM_PLACES, self)
        self.eps = RealField(not_negative, self)
        for widget in (self.kind, self.place, self.eps):
            self.add_row(widget)
        self.kind.activated.connect(self._choose_kind)
        self.place.activated.connect(self._choose_place)
        self.eps.entered.connect(self._choose_eps)
        names = ("attention_norm", "mlp_norm", "embedding_norm", "final_norm")
        self.switches = {name: self.add_switch(partial(self._switch, name)) for name in names}

    def show_texts(self, state: State) -> None:
        """Name the rows, kinds and boxes."""
        self.set_texts(tr("Norms"), "", tr("Kind"), tr("Place"), tr("eps"))
        self.kind.show_names({kind: tr_marked(name) for kind, name in NORM_NAMES.items()})
        self.place.show_names({place: tr_marked(name) for place, name in PLACE_NAMES.items()})
        texts = {
            "attention_norm": tr("Norm of attention"),
            "mlp_norm": tr("Norm of the MLP"),
            "embedding_norm": tr("Norm before the first layer"),
            "final_norm": tr("Norm after the last layer"),
        }
        for name, text in texts.items():
            self.switches[name].setText(text)

    def show_layer(self, state: State, number: int, layer: Layer) -> None:
        """Show kind, place and eps, and which norms are on."""
        self.kind.show_kind(layer.norm.kind)
        self.place.show_kind(layer.norm.place)
        self.eps.show_value(layer.norm.eps)
        norms = {
            "attention_norm": layer.norm.attention,
            "mlp_norm": layer.norm.mlp,
            "embedding_norm": state.document.embedding_norm,
            "final_norm": state.document.final_norm,
        }
        for name, norm in norms.items():
            self.switches[name].setChecked(norm is not None and norm.enabled)
        self.switches["mlp_norm"].setEnabled(layer.mlp is not None)

    def _switch(self, name: str, on: bool) -> None:
        outside = name in ("embedding_norm", "final_norm")
        stage_id = name if outside else layer_id(self._number, name)
        text = mark("{name} on") if on else mark("{name} off")
        self.change(with_norm, stage_id, on, text=text, name=self.switches[name].text())

    def _choose_kind(self, index: int) -> None:
        kind = NORM_KINDS[index]
        number = self._number
        self.change(
            lambda document: with_norms(document, number, kind=kind),
            text=mark("Norms of layer {layer}: {kind}"),
            kind=tr_marked(NORM_NAMES[kind]),
        )

    def _choose_place(self, index: int) -> None:
        self.change(
            with_norm_place, self._number, NORM_PLACES[index], text=mark("Place of the norms")
        )

    def _choose_eps(self, value: float) -> None:
        number = self._number
        self.change(
            lambda document: with_norms(document, number, eps=value), text=mark("eps of the norms")
        )


class MlpSection(StackSection):
    """The MLP of the layer: on or off, its activation, a gate."""

    term = "d_model"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.activation = KindBox(ACTIVATIONS, self)
        self.add_row(self.activation)
        self.on, self.gate = self.add_switch(self._switch), self.add_switch(self._switch_gate)
        self.activation.activated.connect(self._choose)

    def show_texts(self, state: State) -> None:
        """Name the row, kinds and boxes."""
        self.set_texts(tr("MLP"), "", tr("Activation"))
        self.activation.show_names({k: tr_marked(name) for k, name in ACTIVATION_NAMES.items()})
        self.on.setText(tr("MLP on"))
        self.gate.setText(tr("With a gate"))

    def show_layer(self, state: State, number: int, layer: Layer) -> None:
        """Show whether it is on, its activation and whether it has a gate."""
        mlp = layer.mlp
        self.on.setChecked(mlp is not None and mlp.enabled)
        self.activation.setEnabled(mlp is not None)
        self.gate.setEnabled(mlp is not None)
        self.gate.setChecked(mlp is not None and mlp.W_gate is not None)
        if mlp is not None:
            self.activation.show_kind(mlp.activation)

    def _switch(self, on: bool) -> None:
        text = mark("MLP of layer {layer} on") if on else mark("MLP of layer {layer} off")
        self.change(with_mlp, self._number, on, text=text)

    def _switch_gate(self, on: bool) -> None:
        text = mark("Gate of layer {layer} on") if on else mark("Gate of layer {layer} off")
        self.change(with_gate, self._number, on, text=text)

    def _choose(self, index: int) -> None:
        activation, number = ACTIVATIONS[index], self._number
        self.change(
            lambda document: with_mlp_settings(document, number, activation=activation),
            text=mark("Activation: {name}"),
            name=tr_marked(ACTIVATION_NAMES[activation]),
        )
