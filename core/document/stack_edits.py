"""Pure edits of stacks: switches, norms, MLP, output, sampling, and layers themselves.

Each returns a new document, or the very same one if nothing changed. Layers are counted from 1.
Numbers of parts that are switched off stay. New numbers are marked in `document.filled`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from core.base.arrays import Array, frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.document import (
    Document,
    Layer,
    Mlp,
    Norm,
    Output,
    Pin,
    Positional,
    Sampling,
)
from core.document.layers import NORM_FIELDS, layer_tensors
from core.document.parts import (
    BORROWED,
    HEAD_TENSORS,
    SHARED_TENSORS,
    STAGE_AXES,
    layer_id,
    split_layer,
)

Edit = Callable[[Document], Document]


def in_layer(document: Document, layer: int | None, edit: Edit) -> Document:
    """Apply an edit of attention to that of a layer: its heads, W_O and b_O, their pins and marks.

    `edit` is any of core.document.edits or core.document.resize that leaves tokens, d and settings
    as they are; ids have no prefix there. With None it is applied to the document itself. Slopes of
    ALiBi follow the heads of an only layer; several layers share them, so that only the last ones
    are added or removed, as the layer with the most heads needs them.
    """
    if layer is None:
        return edit(document)
    own_pins = [pin for pin in document.pins if _is_of_attention(pin.stage, layer)]
    own_marks = {mark for mark in document.filled if _is_of_attention(mark.tensor, layer)}
    before = document.scopes[layer - 1].with_(
        pins=tuple(replace(pin, stage=split_layer(pin.stage)[1]) for pin in own_pins),
        filled=frozenset(replace(mark, tensor=split_layer(mark.tensor)[1]) for mark in own_marks),
    )
    after = edit(before)
    if after is before:
        return document
    pins = document.pins
    if after.pins != before.pins:
        moved = (replace(pin, stage=layer_id(layer, pin.stage)) for pin in after.pins)
        pins = (*(pin for pin in pins if pin not in own_pins), *moved)
    marks = frozenset(replace(mark, tensor=layer_id(layer, mark.tensor)) for mark in after.filled)
    changed = replace(document.layers[layer - 1], heads=after.heads, W_O=after.W_O, b_O=after.b_O)
    layers = (*document.layers[: layer - 1], changed, *document.layers[layer:])
    positional, slopes = document.positional, after.positional.slopes
    if len(layers) == 1 and slopes is not positional.slopes:
        positional = replace(positional, slopes=slopes)
    elif slopes is not None:
        positional = _shared_slopes(positional, layers, slopes)
    return document.with_(
        layers=layers,
        pins=pins,
        filled=(document.filled - own_marks) | marks,
        positional=positional,
    )


def _shared_slopes(
    positional: Positional, layers: Sequence[Layer], of_layer: Array | None = None
) -> Positional:
    """As many slopes of ALiBi as the layer with the most heads needs; more are those of a layer."""
    slopes, most = positional.slopes, max(len(layer.heads) for layer in layers)
    if slopes is None or len(slopes) == most:
        return positional
    if of_layer is not None:
        slopes = np.append(slopes, of_layer[len(slopes) :])
    return replace(positional, slopes=frozen(slopes[:most]))


def _is_of_attention(name: str, layer: int) -> bool:
    number, base = split_layer(name)
    return number == layer and (
        base in STAGE_AXES or base in HEAD_TENSORS or base in SHARED_TENSORS
    )


def with_layer(document: Document, number: int, **changes: Any) -> Document:
    """Replace some fields of a layer, such as residual, enabled or name."""
    layer = document.layers[number - 1]
    if all(getattr(layer, name) == value for name, value in changes.items()):
        return document
    layers = list(document.layers)
    layers[number - 1] = replace(layer, **changes)
    return document.with_(layers=tuple(layers))


def with_norm(document: Document, stage_id: str, on: bool) -> Document:
    """Switch a norm such as "L1.mlp_norm" or "final_norm" on or off.

    A norm that was not there gets gamma 1 and, as LayerNorm, beta 0. Raises UserError
    "layer.norm_without_mlp" for the norm of an MLP that is not there.
    """
    number = split_layer(stage_id)[0]
    norm = _norm_of(document, stage_id)
    if norm is None and not on:
        return document
    if norm is not None:
        return _with_norm(document, stage_id, replace(norm, enabled=on), norm.enabled == on)
    norms = None if number is None else document.layers[number - 1].norm
    kind, eps = ("layer", Norm().eps) if norms is None else (norms.kind, norms.eps)
    names = ("gamma", "beta") if kind == "layer" else ("gamma",)
    d = document.d
    new = Norm(kind, eps, frozen(np.ones(d)), frozen(np.zeros(d)) if "beta" in names else None)
    marks = {Cell(f"{stage_id}.{name}", 0, column) for name in names for column in range(d)}
    changed = _with_norm(document, stage_id, new)
    return changed.with_(filled=changed.filled | marks)


def with_norms(
    document: Document, layer: int, *, kind: str | None = None, eps: float | None = None
) -> Document:
    """Choose the kind or eps of the norms of a layer. RMSNorm drops beta."""
    norms = document.layers[layer - 1].norm
    kind, eps = kind or norms.kind, norms.eps if eps is None else eps
    if (kind, eps) == (norms.kind, norms.eps):
        return document
    parts: dict[str, Any] = {"kind": kind, "eps": eps}
    for part in NORM_FIELDS.values():
        own = getattr(norms, part)
        if own is not None and kind == "rms":
            parts[part] = replace(own, beta=None)
    changed = with_layer(document, layer, norm=replace(norms, **parts))
    return _without_marks(changed, {layer_id(layer, f"{name}.beta") for name in NORM_FIELDS}, kind)


def _without_marks(document: Document, names: Set[str], kind: str) -> Document:
    """No marks on the betas that RMSNorm does not have."""
    if kind != "rms":
        return document
    kept = frozenset(mark for mark in document.filled if mark.tensor not in names)
    return document if len(kept) == len(document.filled) else document.with_(filled=kept)


def with_norm_settings(
    document: Document, stage_id: str, *, kind: str | None = None, eps: float | None = None
) -> Document:
    """Choose the kind or eps of a norm outside the layers. RMSNorm drops beta.

    Raises UserError "tensor.absent" (name) where there is no such norm.
    """
    norm = _norm_of(document, stage_id)
    if norm is None:
        raise UserError("tensor.absent", name=stage_id)
    kind, eps = kind or norm.kind, norm.eps if eps is None else eps
    if (kind, eps) == (norm.kind, norm.eps):
        return document
    beta = None if kind == "rms" else norm.beta
    changed = _with_norm(document, stage_id, replace(norm, kind=kind, eps=eps, beta=beta))
    return _without_marks(changed, {f"{stage_id}.beta"}, kind)


def _norm_of(document: Document, stage_id: str) -> Norm | None:
    try:
        return document.norm(stage_id)
    except KeyError:
        return None


def _with_norm(document: Document, stage_id: str, norm: Norm, unchanged: bool = False) -> Document:
    if unchanged:
        return document
    number, base = split_layer(stage_id)
    if number is None:
        return document.with_(**{base: norm})
    norms = document.layers[number - 1].norm
    part: dict[str, Any] = {NORM_FIELDS[base]: norm}
    return with_layer(document, number, norm=replace(norms, **part))


def with_norm_place(document: Document, layer: int, place: str) -> Document:
    """Put the norms of a layer before ("pre") or after ("post") its sub-layers."""
    norms = document.layers[layer - 1].norm
    if norms.place == place:
        return document
    return with_layer(document, layer, norm=replace(norms, place=place))


def with_mlp(document: Document, layer: int, on: bool) -> Document:
    """Switch the MLP of a layer on or off; one that was not there passes on what is positive.

    Its W_1 and W_2 are identities (d, d) then, and its biases 0.
    """
    mlp, d = document.layers[layer - 1].mlp, document.d
    if mlp is not None:
        return with_mlp_settings(document, layer, enabled=on)
    if not on:
        return document
    eye, zeros = frozen(np.eye(d)), frozen(np.zeros(d))
    changed = with_layer(document, layer, mlp=Mlp(eye, eye, zeros, zeros))
    return _marked(changed, layer, ("W_1", "b_1", "W_2", "b_2"))


def with_mlp_settings(document: Document, layer: int, **changes: Any) -> Document:
    """Replace some of enabled and activation of the MLP of a layer."""
    mlp = document.layers[layer - 1].mlp
    if mlp is None:
        raise UserError("tensor.absent", name=layer_id(layer, "mlp"))
    if all(getattr(mlp, name) == value for name, value in changes.items()):
        return document
    return with_layer(document, layer, mlp=replace(mlp, **changes))


def with_gate(document: Document, layer: int, on: bool) -> Document:
    """Add a gate of 1 for every hidden number (W_gate 0, b_gate 1), or remove it."""
    mlp = document.layers[layer - 1].mlp
    if mlp is None or (mlp.W_gate is not None) == on:
        return document
    names = ("W_gate", "b_gate")
    if not on:
        gone = {layer_id(layer, name) for name in names}
        kept = frozenset(mark for mark in document.filled if mark.tensor not in gone)
        changed = with_layer(document, layer, mlp=replace(mlp, W_gate=None, b_gate=None))
        return changed.with_(filled=kept)
    gate: dict[str, Any] = {
        "W_gate": frozen(np.zeros(mlp.W_1.shape)),
        "b_gate": frozen(np.ones(mlp.W_1.shape[1])),
    }
    return _marked(with_layer(document, layer, mlp=replace(mlp, **gate)), layer, names)


def _marked(document: Document, layer: int, names: Iterable[str]) -> Document:
    """All numbers of these tensors marked as filled."""
    marks: set[Cell] = set()
    for name in (layer_id(layer, name) for name in names):
        tensor = document.tensor(name)
        assert tensor is not None
        rows, columns = np.atleast_2d(tensor).shape
        marks |= {Cell(name, row, column) for row in range(rows) for column in range(columns)}
    return document.with_(filled=document.filled | marks)


def with_lender(document: Document, layer: int, head: int, lender: int | None) -> Document:
    """Let a head read the keys and values of another head of its layer; with None it gets copies.

    Heads that read those of this head read the lender's then.
    """
    heads = list(document.layers[layer - 1].heads)
    now = heads[head].kv_from
    if lender in (now, head):
        return document
    if lender is None:
        own = heads[now] if now is not None else heads[head]
        copies: dict[str, Any] = {name: getattr(own, name) for name in BORROWED}
        heads[head] = replace(heads[head], kv_from=None, **copies)
        return with_layer(document, layer, heads=tuple(heads))
    for index, other in enumerate(heads):
        if index == head or (other.kv_from == head and index != lender):
            nothing: dict[str, Any] = dict.fromkeys(BORROWED)
            heads[index] = replace(other, kv_from=lender, **nothing)
    names = {layer_id(layer, name) for name in BORROWED}
    kept = frozenset(
        mark for mark in document.filled if mark.tensor not in names or mark.head != head
    )
    return with_layer(document, layer, heads=tuple(heads)).with_(filled=kept)


def with_output(document: Document, output: Output | None) -> Document:
    """Replace or remove the output."""
    return document if output is document.output else document.with_(output=output)


def with_sampling(document: Document, sampling: Sampling) -> Document:
    """Replace temperature, top-k, top-p and seed."""
    return document if sampling == document.sampling else document.with_(sampling=sampling)


# Layers


def with_layers_ordered(document: Document, order: Sequence[int]) -> Document:
    """Keep the layers with the given numbers, in that order; a number may come twice.

    Their pins and marks go with them. Raises UserError "layers.last" if none would be left.
    """
    if not order:
        raise UserError("layers.last")
    if list(order) == list(range(1, len(document.layers) + 1)):
        return document
    layers = tuple(document.layers[number - 1] for number in order)
    pins: list[Pin] = [pin for pin in document.pins if split_layer(pin.stage)[0] is None]
    marks = {mark for mark in document.filled if split_layer(mark.tensor)[0] is None}
    for place, number in enumerate(order, 1):
        for pin in document.pins:
            old, name = split_layer(pin.stage)
            if old == number:
                pins.append(replace(pin, stage=layer_id(place, name)))
        for mark in document.filled:
            old, name = split_layer(mark.tensor)
            if old == number:
                marks.add(replace(mark, tensor=layer_id(place, name)))
    positional = _shared_slopes(document.positional, layers)
    return document.with_(
        layers=layers, pins=tuple(pins), filled=frozenset(marks), positional=positional
    )


def with_layer_duplicated(document: Document, number: int) -> Document:
    """Copy a layer to the place behind it."""
    order = list(range(1, len(document.layers) + 1))
    order.insert(number, number)
    return with_layers_ordered(document, order)


def with_layer_removed(document: Document, number: int) -> Document:
    """Remove a layer. Raises UserError "layers.last" for the only one."""
    order = [other for other in range(1, len(document.layers) + 1) if other != number]
    return with_layers_ordered(document, order)


def with_layer_moved(document: Document, number: int, to: int) -> Document:
    """Move a layer to another place."""
    order = list(range(1, len(document.layers) + 1))
    order.insert(to - 1, order.pop(number - 1))
    return with_layers_ordered(document, order)


def with_layer_added(document: Document, at: int) -> Document:
    """Insert a layer before layer `at`, of the sizes of its neighbour; its numbers are 0, gammas 1.

    With residual connections and norms before its sub-layers it changes nothing until it is edited.
    """
    source = document.layers[min(at, len(document.layers)) - 1]
    order = list(range(1, len(document.layers) + 1))
    order.insert(at - 1, document.layers.index(source) + 1)
    copied = with_layers_ordered(document, order)
    pins = tuple(pin for pin in copied.pins if split_layer(pin.stage)[0] != at)
    blank = _blank(source)
    layers = (*copied.layers[: at - 1], blank, *copied.layers[at:])
    changed = copied.with_(layers=layers, pins=pins)
    marks = {mark for mark in changed.filled if split_layer(mark.tensor)[0] != at}
    for name in layer_tensors(blank, used=False):
        full = layer_id(at, name)
        for head in range(len(blank.heads) if name in HEAD_TENSORS else 1):
            tensor = changed.tensor(full, head)
            if tensor is not None:
                rows, columns = np.atleast_2d(tensor).shape
                marks |= {Cell(full, i, j, head) for i in range(rows) for j in range(columns)}
    return changed.with_(filled=frozenset(marks))


def _blank(layer: Layer) -> Layer:
    """A layer of the same sizes and settings whose numbers are 0, gammas 1."""

    def zeros(part: Any, names: Iterable[str]) -> dict[str, Any]:
        arrays = {name: getattr(part, name) for name in names}
        return {
            name: frozen(np.full(array.shape, float(name == "gamma")))
            for name, array in arrays.items()
            if array is not None
        }

    norms = {
        part: replace(norm, **zeros(norm, ("gamma", "beta")))
        for part in NORM_FIELDS.values()
        if (norm := getattr(layer.norm, part)) is not None
    }
    mlp = layer.mlp
    if mlp is not None:
        mlp = replace(mlp, **zeros(mlp, ("W_1", "b_1", "W_2", "b_2", "W_gate", "b_gate")))
    heads = tuple(replace(head, name="", **zeros(head, HEAD_TENSORS)) for head in layer.heads)
    own = zeros(layer, ("W_O", "b_O"))
    return replace(layer, name="", heads=heads, norm=replace(layer.norm, **norms), mlp=mlp, **own)
