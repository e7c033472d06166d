"""Changes of a model that a run takes: edits, pins, heads that are off, patched stages.

Stages and tensors are named as in a stack of all layers, from 1: "L3.weights", "L3.W_Q", "X".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from core.base.arrays import Array, sealed
from core.base.errors import UserError
from core.document.document import Document, Pin
from core.document.edits import with_tensor
from core.document.parts import BEFORE_LAYERS, is_of_head, layer_id, split_layer

AFTER = ("W_U", "b_U", "logits", "probabilities")  # what only the next word depends on


@dataclass(frozen=True, slots=True)
class TensorEdit:
    """A number of an entered tensor; `index` begins with the head where each has its own."""

    tensor: str
    index: tuple[int, ...]
    value: float

    def place(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The index in a tensor of one head. Raises UserError "edit.index" (name, index, shape)."""
        place = self.index[1:] if is_of_head(self.tensor) else self.index
        if len(place) != len(shape) or not all(
            0 <= i < size for i, size in zip(place, shape, strict=True)
        ):
            raise UserError("edit.index", name=self.tensor, index=self.index, shape=shape)
        return place


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A stage of another run that replaces the computed one; only some `heads` or `rows` of it where
    these are given. Two patches are the same when they are the same object.
    """

    stage: str
    array: Array
    heads: tuple[int, ...] | None = None
    rows: tuple[int, ...] | None = None

    def pins(self, stage: str) -> Iterable[Pin]:
        """Its cells one by one, as pins of a stage."""
        headwise = self.array.ndim == 3
        for index in np.ndindex(self.array.shape):
            if headwise and self.heads is not None and index[0] not in self.heads:
                continue
            if self.rows is None or index[-2] in self.rows:
                yield Pin(stage, index, float(self.array[index]))


@dataclass(frozen=True, slots=True)
class ModelChanges:
    """All changes of a run. `heads_off` are pairs of layer and head, both from 0."""

    pins: tuple[Pin, ...] = ()
    edits: tuple[TensorEdit, ...] = ()
    heads_off: frozenset[tuple[int, int]] = frozenset()
    patches: tuple[Patch, ...] = ()

    def of_layer(self, index: int, layers: int) -> ModelChanges:
        """Those that the layer, from 0, is computed with; `layers` gives those that come after.

        What is before the layers belongs to the first one, the final norm to the last one.
        """

        def own(name: str) -> bool:
            return layer_of(name, layers) == index

        return ModelChanges(
            tuple(pin for pin in self.pins if own(pin.stage)),
            tuple(edit for edit in self.edits if own(edit.tensor)),
            frozenset(off for off in self.heads_off if off[0] == index),
            tuple(patch for patch in self.patches if own(patch.stage)),
        )

    def first_difference(self, other: ModelChanges, layers: int) -> int:
        """The first layer, from 0, that other changes compute differently; the number of layers where
        there is none.
        """
        differ = (i for i in range(layers) if self.of_layer(i, layers) != other.of_layer(i, layers))
        return next(differ, layers)

    def apply(self, document: Document) -> Document:
        """A layer as a stack of its own with all these changes, which are of this layer.

        Raises UserError as `with_edits` does, "model.head" (value, most), and what a Document raises
        for pins that do not fit.
        """
        own = [replace(edit, tensor=_alone(edit.tensor)) for edit in self.edits]
        document = with_edits(document, own)
        off = {head for _, head in self.heads_off}
        if off:
            layer = document.layers[0]
            for head in off:
                if not 0 <= head < len(layer.heads):
                    raise UserError("model.head", value=head + 1, most=len(layer.heads))
            heads = tuple(
                replace(head, enabled=head.enabled and i not in off)
                for i, head in enumerate(layer.heads)
            )
            document = document.with_(layers=(replace(layer, heads=heads),))
        patched = (pin for patch in self.patches for pin in patch.pins(_alone(patch.stage)))
        pinned = (replace(pin, stage=_alone(pin.stage)) for pin in self.pins)
        pins = {(pin.stage, pin.index): pin for pin in (*patched, *pinned)}
        return document.with_(pins=tuple(pins.values())) if pins else document


def _alone(name: str) -> str:
    """The name in a stack of this layer alone."""
    number, base = split_layer(name)
    return layer_id(None if number is None else 1, base)


UNCHANGED = ModelChanges()


def layer_of(name: str, layers: int) -> int:
    """The layer, from 0, that a stage or tensor is computed with; `layers` for what comes after."""
    number, base = split_layer(name)
    if number is not None:
        return number - 1
    if base in AFTER:
        return layers
    return 0 if base.partition(".")[0] in BEFORE_LAYERS else layers - 1


def with_edits(document: Document, edits: Iterable[TensorEdit]) -> Document:
    """An experiment with numbers replaced. What a head borrows is changed in the head that has it.

    Raises UserError "tensor.absent" (name) and "edit.index" (name, index, shape).
    """
    grouped: dict[tuple[str, int], list[TensorEdit]] = {}
    for edit in edits:
        head = edit.index[0] if is_of_head(edit.tensor) and edit.index else 0
        try:
            head = document.lender(edit.tensor, head) if is_of_head(edit.tensor) else 0
            known = document.tensor(edit.tensor, head) is not None
        except (KeyError, IndexError) as error:
            raise UserError("tensor.absent", name=edit.tensor) from error
        if not known:
            raise UserError("tensor.absent", name=edit.tensor)
        grouped.setdefault((edit.tensor, head), []).append(edit)
    for (name, head), group in grouped.items():
        old = document.tensor(name, head)
        assert old is not None
        array = np.array(old)
        for edit in group:
            array[edit.place(array.shape)] = edit.value
        document = with_tensor(document, name, sealed(array), head)
    return document
