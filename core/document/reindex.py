"""The mechanism of core/document/resize.py: places along named axes are kept, moved, copied or new in
every tensor, mask, pin and mark of an experiment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from core.base.arrays import Array, BoolArray, frozen, frozen_bool
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.document import Document
from core.document.layers import (
    OF_NORM,
    OF_OUTPUT,
    layer_tensor,
    layer_tensors,
    with_layer_tensor,
)
from core.document.parts import (
    BORROWED,
    HEAD_TENSORS,
    POSITIONAL_TENSORS,
    SHARED_TENSORS,
    TENSOR_PLACES,
    Context,
    Head,
    Layer,
    Mask,
    Pin,
    Positional,
    is_of_head,
    layer_id,
    split_layer,
    stage_axes,
    tensor_axes,
)

# For each axis letter, where each new place takes its numbers from: an old index, or None for a new
# one.
Picks = dict[str, Sequence[int | None]]
Tokens = Mapping[str, tuple[str, ...]]
Given = frozenset[tuple[str, int]]  # tensors, by name and head
NONE: Given = frozenset()


@dataclass(frozen=True, slots=True)
class _Picker:
    """Applies picks along named axes to tensors, marks and pins."""

    picks: Picks
    tokens: Mapping[str, int]  # how many there were along n and m
    layer: int | None = None  # the only one whose tensors and stages it changes
    # What a hundred thousand marks ask for, each found once.
    _own: dict[str, _Picker] = field(default_factory=dict, init=False)
    _moves: dict[str, dict[int, list[int]]] = field(default_factory=dict, init=False)

    def of(self, name: str) -> _Picker:
        """The picker for a tensor or stage.

        Rows of P belong to places, not to tokens: new ones come at the end.
        """
        if self.layer is not None and split_layer(name)[0] != self.layer:
            return _Picker({}, self.tokens)
        axis = SHARED_TENSORS[name][0] if name in POSITIONAL_TENSORS else ""
        if axis not in self.picks:
            return self
        if axis not in self._own:
            places = [
                place if place < self.tokens[axis] else None
                for place in range(len(self.picks[axis]))
            ]
            self._own[axis] = replace(self, picks={**self.picks, axis: places})
        return self._own[axis]

    def array(self, array: Array, axes: Sequence[str], fill: float = 0.0) -> Array:
        if not any(axis in self.picks for axis in axes):
            return array  # the very same one, so that the next trace need not compute it again
        result = np.array(array)
        for number, axis in enumerate(axes):
            picks = self.picks.get(axis)
            if picks is not None:
                result = self._along(result, number, picks, fill)
        return frozen(result)

    def mask(self, allow: BoolArray) -> BoolArray:
        return frozen_bool(self.array(frozen(allow), ("n", "m"), fill=1.0) != 0)

    @staticmethod
    def _along(array: Array, number: int, picks: Sequence[int | None], fill: float) -> Array:
        taken = np.take(array, [pick or 0 for pick in picks], axis=number)
        new = [place for place, pick in enumerate(picks) if pick is None]
        index: list[slice | list[int]] = [slice(None)] * array.ndim
        index[number] = new
        taken[tuple(index)] = fill
        return taken

    def new_places(
        self, axes: Sequence[str], shape: tuple[int, ...]
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Which entries of a tensor of the new shape are new."""
        new = np.zeros(shape, dtype=bool)
        for number, axis in enumerate(axes):
            for place, pick in enumerate(self.picks.get(axis, ())):
                if pick is None:
                    index: list[slice | int] = [slice(None)] * len(shape)
                    index[number] = place
                    new[tuple(index)] = True
        return new

    def moved(self, axes: Sequence[str], index: Sequence[int]) -> list[tuple[int, ...]]:
        """The new indices of an old entry: none if it is gone, several if it was copied."""
        places: list[tuple[int, ...]] = [()]
        for axis, old in zip(axes, index, strict=True):
            found = self._moved_along(axis).get(old, []) if axis in self.picks else [old]
            places = [(*place, new) for place in places for new in found]
        return places

    def _moved_along(self, axis: str) -> dict[int, list[int]]:
        """The new places along an axis of each old one that is left."""
        if axis not in self._moves:
            moves: dict[int, list[int]] = {}
            for place, pick in enumerate(self.picks[axis]):
                if pick is not None:
                    moves.setdefault(pick, []).append(place)
            self._moves[axis] = moves
        return self._moves[axis]


def reindexed(
    document: Document,
    picks: Picks,
    tokens: Tokens = MappingProxyType({}),
    given: Given = NONE,
    layer: int | None = None,
) -> Document:
    """Apply picks to tensors, mask, pins and marks; `tokens` are the new texts along n, m and u.

    `layer` is the only layer that is changed. Raises UserError "stack.which_layer" for the heads of a
    stack.
    """
    if document.is_stack and {"h", "k", "v"} & set(picks):
        raise UserError("stack.which_layer")
    document = _with_own_keys(document, picks)
    if document.context is None and "n" in picks:
        picks = {**picks, "m": picks["n"]}  # the keys are the tokens themselves
    picker = _Picker(_output_picks(document, picks), {"n": document.n, "m": document.m}, layer)
    order = picks.get("h", range(len(document.heads)))
    heads = tuple(_picked_head(document, picker, index) for index in order)
    shared = {name: _picked_shared(document, picker, name) for name in ("X", "W_O", "b_O")}
    changes: dict[str, Any] = {
        "tokens": tokens.get("n", document.tokens),
        "context": _picked_context(document, picker, tokens),
        "heads": heads,
        "positional": _picked_positional(document.positional, picker),
        "mask": _picked_mask(document.mask, picker),
        **shared,
        **_picked_stack(document, picker, tokens),
    }
    changed = replace(document, pins=(), filled=frozenset(), **changes)
    return replace(
        changed,
        pins=_picked_pins(document, picker),
        filled=_marks(document, changed, picker, given),
    )


def _output_picks(document: Document, picks: Picks) -> Picks:
    """Rows of W_O come in blocks of d_v, one for each head; its columns follow d (or c when X is
    absent).
    """
    if document.is_stack:
        return {**picks, "o": picks["d"]} if "d" in picks else picks
    heads = picks.get("h", range(document.h))
    columns = picks.get("v", range(document.v))
    blocks = [
        None if head is None or j is None else head * document.v + j
        for head in heads
        for j in columns
    ]
    result: Picks = dict(picks)
    if "h" in picks or "v" in picks:
        result["c"] = blocks
    if document.W_O is None:
        result["o"] = result.get("c", range(document.c))
    elif "d" in picks:
        result["o"] = picks["d"]
    return result


def _picked_head(document: Document, picker: _Picker, index: int | None) -> Head:
    source = document.heads[0 if index is None else index]
    tensors: dict[str, Any] = {}
    for name, axes in HEAD_TENSORS.items():
        tensor = getattr(source, name)
        array = None if tensor is None else picker.array(tensor, axes)
        tensors[name] = (
            frozen(np.zeros(array.shape)) if array is not None and index is None else array
        )
    return Head(
        name=source.name if index is not None else "",
        enabled=index is None or source.enabled,
        kv_from=None if index is None else _lender_after(source, picker),
        **tensors,
    )


def _lender_after(head: Head, picker: _Picker) -> int | None:
    """The new place of the head whose keys and values a head reads."""
    if head.kv_from is None or "h" not in picker.picks:
        return head.kv_from
    return list(picker.picks["h"]).index(head.kv_from)


def _with_own_keys(document: Document, picks: Picks) -> Document:
    """Heads whose lender is removed get copies of its keys and values."""
    kept = picks.get("h", range(len(document.heads)))
    heads = list(document.heads)
    for index, head in enumerate(heads):
        if head.kv_from is not None and head.kv_from not in kept:
            lender = document.heads[head.kv_from]
            copies: dict[str, Any] = {name: getattr(lender, name) for name in BORROWED}
            heads[index] = replace(head, kv_from=None, **copies)
    return document if heads == list(document.heads) else document.with_(heads=tuple(heads))


def _picked_shared(document: Document, picker: _Picker, name: str) -> Array | None:
    tensor = document.tensor(name)
    return None if tensor is None else picker.array(tensor, SHARED_TENSORS[name])


def _picked_context(document: Document, picker: _Picker, tokens: Tokens) -> Context | None:
    if document.context is None:
        return None
    X, P = (_picked_shared(document, picker.of(name), name) for name in ("X_context", "P_context"))
    return Context(tokens.get("m", document.key_tokens), X, P)


def _picked_positional(positional: Positional, picker: _Picker) -> Positional:
    for name, (part, field_name) in TENSOR_PLACES.items():
        tensor = getattr(positional, field_name) if part == "positional" else None
        if tensor is not None:
            picked: dict[str, Any] = {
                field_name: picker.of(name).array(tensor, SHARED_TENSORS[name])
            }
            positional = replace(positional, **picked)
    if positional.slopes is not None:
        positional = replace(positional, slopes=picker.array(positional.slopes, ("h",)))
    return positional


def _picked_stack(document: Document, picker: _Picker, tokens: Tokens) -> dict[str, Any]:
    """Layers, norms and output of a stack."""
    changes: dict[str, Any] = {
        "layers": tuple(
            _picked_layer(layer, number, picker) for number, layer in enumerate(document.layers, 1)
        )
    }
    for name in ("embedding_norm", "final_norm"):
        norm = getattr(document, name)
        if norm is not None:
            arrays = {each: _picked(document, picker, f"{name}.{each}") for each in OF_NORM}
            changes[name] = replace(norm, **arrays)
    output = document.output
    if output is not None:
        matrices: dict[str, Any] = {name: _picked(document, picker, name) for name in OF_OUTPUT}
        words = tokens.get("u", output.vocabulary)
        changes["output"] = replace(output, vocabulary=words, **matrices)
    return changes


def _picked_layer(layer: Layer, number: int, picker: _Picker) -> Layer:
    for name in tuple(layer_tensors(layer, used=False)):
        own = picker.of(layer_id(number, name))
        for head in range(len(layer.heads) if name in HEAD_TENSORS else 1):
            tensor = layer_tensor(layer, name, head)
            array = None if tensor is None else _filled(own, name, tensor)
            if array is not tensor:
                layer = with_layer_tensor(layer, name, array, head)
    return layer


def _picked(document: Document, picker: _Picker, name: str) -> Array | None:
    tensor = document.tensor(name)
    return None if tensor is None else _filled(picker.of(name), name, tensor)


def _filled(picker: _Picker, name: str, tensor: Array) -> Array:
    """New numbers are 0, those of a gamma 1."""
    return picker.array(tensor, tensor_axes(name), fill=float(name.endswith(".gamma")))


def _picked_mask(mask: Mask, picker: _Picker) -> Mask:
    if mask.allow is None or not {"n", "m"} & set(picker.picks):
        return mask
    return replace(mask, allow=picker.mask(mask.allow))


def _picked_pins(document: Document, picker: _Picker) -> tuple[Pin, ...]:
    pins = []
    for pin in document.pins:
        for index in picker.of(pin.stage).moved(stage_axes(pin.stage), pin.index):
            pins.append(Pin(pin.stage, index, pin.value))
    return tuple(pins)


def _marks(document: Document, changed: Document, picker: _Picker, given: Given) -> frozenset[Cell]:
    """The old marks that remain, and marks for all new numbers except the given tensors."""
    marks: set[Cell] = set()
    for mark in document.filled:
        if (mark.tensor, mark.head) in given:
            continue
        axes, index = _axes_and_index(mark)
        for place in picker.of(mark.tensor).moved(axes, index):
            marks.add(_cell_of(mark.tensor, axes, place))
    kept = [
        name
        for name in POSITIONAL_TENSORS
        if changed.tensor(name) is not None and name not in changed.inputs
    ]
    names = [*changed.inputs, *kept]
    names += [name for name in changed.stack_tensors(used=False) if name not in names]
    for name in names:
        heads = range(changed.scope(name).h) if is_of_head(name) else (0,)
        marked = frozenset(head for head in heads if (name, head) not in given)
        if marked:
            marks |= _new_cells(changed, picker, name, marked)
    return frozenset(marks)


def shape_of(document: Document, axes: Sequence[str], name: str = "") -> tuple[int, ...]:
    """The shape of a tensor along axes named by their letters; `name` tells the layer in stacks."""
    sizes = document.sizes_at(name)
    return tuple(sizes[axis] for axis in axes)


def _axes_and_index(cell: Cell) -> tuple[tuple[str, ...], tuple[int, ...]]:
    of_head, axes = is_of_head(cell.tensor), tensor_axes(cell.tensor)
    index = (cell.row, cell.column) if len(axes) == 2 else (cell.column,)
    return (("h", *axes), (cell.head, *index)) if of_head else (axes, index)


def _cell_of(name: str, axes: Sequence[str], index: Sequence[int]) -> Cell:
    head, index = (index[0], index[1:]) if axes[0] == "h" else (0, index)
    return Cell(name, index[0] if len(index) == 2 else 0, index[-1], head)


def _new_cells(changed: Document, picker: _Picker, name: str, of: frozenset[int]) -> set[Cell]:
    of_head = is_of_head(name)
    axes = ("h", *tensor_axes(name)) if of_head else tensor_axes(name)
    shape = shape_of(changed, axes, name)
    new = picker.of(name).new_places(axes, shape)
    if of_head:
        new[[head for head in range(shape[0]) if head not in of]] = False
    places = np.argwhere(new).T.tolist() or [[]]  # half a million cells: a list for each axis
    heads = places.pop(0) if of_head else [0] * len(places[-1])
    rows = places[-2] if len(places) == 2 else [0] * len(places[-1])
    there = {head for head in set(heads) if changed.tensor(name, head) is not None}
    numbered = zip(heads, rows, places[-1], strict=True)
    return {Cell(name, row, column, head) for head, row, column in numbered if head in there}
