"""Checks that the parts of an experiment fit together.

Shapes are named by axis letters, see core/document/parts.py. The first thing that does not fit is a
UserError with its place as in a file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields

import numpy as np

from core.base.arrays import Array, require_finite, require_shape
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.experiment import Experiment
from core.document.parts import (
    ADDED_POSITIONAL_KINDS,
    AFTER_LAYERS,
    AFTER_WEIGHTS,
    BEFORE_LAYERS,
    BORROWED,
    FILE_KEYS,
    HEAD_TENSORS,
    MASK_KINDS,
    MOST_SCORES,
    POSITIONAL_KINDS,
    POSITIONAL_TENSORS,
    SCALE_KINDS,
    SHARED_TENSORS,
    SOFTMAX_BASES,
    SOURCES,
    STACK_STAGE_AXES,
    STAGE_AXES,
    TENSOR_PLACES,
    Mask,
    Positional,
    Scale,
    Softmax,
    layer_id,
    split_layer,
)


def validate(document: Experiment) -> None:
    """Raise a UserError for the first part that does not fit."""
    if not document.tokens:
        raise UserError("document.no_tokens")
    for name in ("embedding_norm", "final_norm", "output"):
        if getattr(document, name) is not None:
            raise UserError("stack.part_alone", name=name)
    if not document.heads:
        raise UserError("document.no_heads")
    if document.h * document.n * document.m > MOST_SCORES:
        raise UserError(
            "document.too_large", h=document.h, n=document.n, m=document.m, limit=MOST_SCORES
        )
    require_kind("source", document.source, tuple(SOURCES))
    validate_source(document)
    _validate_context(document)
    validate_heads(document)
    validate_output(document)
    validate_settings(document)
    validate_pins(document)


def validate_settings(document: Experiment) -> None:
    """Positions, mask, scale and softmax."""
    require_kind("positional.kind", document.positional.kind, POSITIONAL_KINDS)
    require_kind("mask.kind", document.mask.kind, MASK_KINDS)
    require_kind("scale.kind", document.scale.kind, SCALE_KINDS)
    validate_positional(document)
    validate_mask(document)
    if not math.isfinite(document.scale.value):
        raise UserError("number.infinite", text=str(document.scale.value), place="scale.value")
    if document.softmax.base not in SOFTMAX_BASES:
        raise UserError("softmax.base", place="softmax.base", base=document.softmax.base)


def require_kind(place: str, kind: str, known: tuple[str, ...]) -> None:
    """Raise UserError "kind.unknown" for a kind that is not among the known ones."""
    if kind not in known:
        raise UserError("kind.unknown", place=place, kind=kind, known=known)


def validate_source(document: Experiment) -> None:
    """The vectors that an experiment of this source starts from."""
    if document.source == "weights":
        _validate_given_weights(document)
        return
    if document.source == "qkv":
        if document.X is not None:
            raise UserError("source.qkv_with_X")
        return
    if document.X is None:
        raise UserError("source.X_missing")
    if document.X.ndim != 2 or document.X.shape[1] == 0:
        raise UserError(
            "shape", name="X", axes="n × d", expected=(document.n, "d"), actual=document.X.shape
        )
    require_tensor(document.X, "X", ("n", "d"), (document.n, document.d))


def _validate_given_weights(document: Experiment) -> None:
    """Refuse everything that comes before the weights."""
    for name, given in (
        ("X", document.X is not None),
        ("positional", not _same_parts(document.positional, Positional())),
        ("mask", not _same_parts(document.mask, Mask())),
        ("scale", document.scale != Scale()),
        ("softmax", document.softmax != Softmax()),
    ):
        if given:
            raise UserError("source.unused", name=name, source=document.source)


def _same_parts(a: Positional | Mask, b: Positional | Mask) -> bool:
    """Whether two parts agree in every field; arrays by identity."""
    pairs = ((getattr(a, each.name), getattr(b, each.name)) for each in fields(a))
    return all(x is y or (not isinstance(x, np.ndarray) and x == y) for x, y in pairs)


def _validate_context(document: Experiment) -> None:
    context = document.context
    if context is None:
        return
    if not context.tokens:
        raise UserError("context.no_tokens")
    if document.source != "embeddings":
        for name in ("X", "P"):
            if getattr(context, name) is not None:
                if document.source == "qkv":
                    raise UserError("context.with_qkv", name=name)
                raise UserError("source.unused", name=f"context.{name}", source=document.source)
        return
    if context.X is None:
        raise UserError("context.X_missing")
    for name in ("X", "P"):
        tensor = getattr(context, name)
        if (
            tensor is not None
        ):  # learned positions are kept, and so checked, also while another kind is chosen
            require_tensor(tensor, f"context.{name}", ("m", "d"), (document.m, document.d))


def validate_heads(document: Experiment, layer: str = "") -> None:
    """The tensors of every head; `layer` is the place of a layer, such as "layers[0].".

    Only heads in a layer may borrow keys and values.
    """
    needed, optional = SOURCES[document.source]
    for index, head in enumerate(document.heads):
        if head.kv_from is not None:
            _validate_borrower(document, index, layer)
    sizes = {"n": document.n, "m": document.m, "k": document.k, "v": document.v}
    if document.source == "embeddings":
        sizes["d"] = document.d
    values = any(head.V is not None for head in document.heads)
    for index, head in enumerate(document.heads):
        for name in HEAD_TENSORS:
            tensor = getattr(head, name)
            if tensor is None:
                if name in BORROWED and head.kv_from is not None:
                    continue
                # Values are known of all heads or of none.
                if name in needed or (name == "V" and values):
                    raise UserError("head.missing", **_place(document, index, name, layer))
            elif name not in (*needed, *optional):
                raise UserError("head.unexpected", **_place(document, index, name, layer))
    for index, head in enumerate(document.heads):
        for name, axes in HEAD_TENSORS.items():
            tensor = getattr(head, name)
            if tensor is not None:
                expected = tuple(sizes[axis] for axis in axes)
                place = f"{layer}heads[{index}].{FILE_KEYS.get(name, name)}"
                require_tensor(tensor, place, document.letters(axes), expected)


def _validate_borrower(document: Experiment, index: int, layer: str) -> None:
    """A head that reads the keys and values of another head of its layer."""
    head, place = document.heads[index], f"{layer}heads[{index}]"
    if not layer:
        raise UserError("head.kv_from_alone", place=place)
    lender = head.kv_from
    if lender is None or not 0 <= lender < document.h:
        raise UserError("head.kv_from_range", place=place, kv_from=lender, h=document.h)
    if document.heads[lender].kv_from is not None:
        raise UserError("head.kv_from_borrows", place=place, kv_from=lender)
    for name in BORROWED:
        if getattr(head, name) is not None:
            raise UserError("head.kv_from_own", place=place, name=name, kv_from=lender)


def _place(document: Experiment, head: int, name: str, layer: str) -> dict[str, object]:
    place = {"place": f"{layer}heads[{head}]"} if layer else {}
    name = FILE_KEYS.get(name, name)
    return {"head": head, "name": name, "source": document.source, **place}


def require_tensor(
    tensor: Array, name: str, axes: Iterable[str], expected: tuple[int, ...]
) -> None:
    """Raise a UserError unless the tensor has numbers, the expected shape, and is finite."""
    if not tensor.size:
        raise UserError("shape.empty", name=name)
    require_shape(tensor, name, tuple(axes), expected)
    require_finite(tensor, name)


def validate_output(document: Experiment, layer: str = "") -> None:
    """W_O and b_O; `layer` is the place of a layer, such as "layers[0]."."""
    if document.W_O is None:
        if document.b_O is not None:
            raise UserError(
                "output.bias_without_weights", **({"place": layer[:-1]} if layer else {})
            )
        return
    if not document.v:
        raise UserError("output.without_values")
    if document.W_O.ndim != 2 or document.W_O.shape[0] != document.c:
        raise UserError(
            "output.height",
            expected=document.c,
            h=document.h,
            v=document.v,
            actual=document.W_O.shape,
            **({"place": f"{layer}W_O"} if layer else {}),
        )
    width = document.d if document.source == "embeddings" else int(document.W_O.shape[1])
    require_tensor(document.W_O, f"{layer}W_O", ("h·v", "d"), (document.c, width))
    if document.b_O is not None:
        require_tensor(document.b_O, f"{layer}b_O", ("d",), (width,))


def validate_positional(document: Experiment) -> None:
    """Settings, P and slopes of the positional encoding."""
    positional = document.positional
    if positional.kind in ADDED_POSITIONAL_KINDS and document.source == "qkv":
        raise UserError("positional.needs_embeddings", kind=positional.kind)
    if not 0 < positional.base < math.inf:
        raise UserError("positional.base", value=positional.base)
    if positional.kind == "learned" and positional.P is None:
        raise UserError("positional.P_missing")
    for name, (part, field_name) in TENSOR_PLACES.items():
        tensor = document.tensor(name)
        if part == "positional" and tensor is not None:  # also while another kind is chosen
            axes = SHARED_TENSORS[name]
            if document.source == "qkv" and "d" in axes:
                raise UserError("positional.needs_embeddings", kind=POSITIONAL_TENSORS[name])
            shape = tuple(document.sizes[axis] for axis in axes)
            require_tensor(tensor, f"positional.{field_name}", axes, shape)
    if positional.slopes is not None and not document.is_stack:  # heads differ between layers
        require_tensor(positional.slopes, "positional.slopes", ("h",), (document.h,))


def validate_mask(document: Experiment) -> None:
    """The reach of a window and the table of a custom mask."""
    mask = document.mask
    for side in ("left", "right"):
        value = getattr(mask, side)
        if value is not None and value < 0:
            raise UserError("mask.negative", place=f"mask.{side}", value=value)
    if mask.kind == "custom" and mask.allow is None:
        raise UserError("mask.allow_missing")
    if mask.allow is not None:  # kept, and so checked, also while another kind is chosen
        require_shape(mask.allow, "mask.allow", document.letters("nm"), (document.n, document.m))


def validate_pins(document: Experiment) -> None:
    """Every pin names a cell of a stage that this experiment can have, and no two the same."""
    seen: set[Cell] = set()
    shapes: dict[str, tuple[int, ...]] = {}  # of thousands of pins most are of one stage
    for position, pin in enumerate(document.pins):
        place = f"pins[{position}]"
        if pin.stage not in shapes:
            known = _possible_stages(document, pin.stage)
            if pin.stage not in known:
                raise UserError("pin.stage", place=place, stage=pin.stage, known=known)
            shapes[pin.stage] = document.stage_shape(pin.stage)
        shape = shapes[pin.stage]
        fits = len(pin.index) == len(shape) and all(
            0 <= i < size for i, size in zip(pin.index, shape, strict=True)
        )
        if not fits:
            raise UserError("pin.index", place=place, stage=pin.stage, index=pin.index, shape=shape)
        if not abs(pin.value) < float("inf"):
            raise UserError("number.infinite", text=str(pin.value), place=f"{place}.value")
        if pin.cell in seen:
            raise UserError("pin.twice", place=place, stage=pin.stage, index=pin.index)
        seen.add(pin.cell)


def _possible_stages(document: Experiment, wanted: str) -> tuple[str, ...]:
    """The stages that an experiment of this kind can have; of a stack those of the layer that an id
    names, or those outside the layers.
    """
    if not document.is_stack:
        if document.source == "weights":
            return AFTER_WEIGHTS if document.v else ("weights",)
        token_vectors = document.source == "embeddings"
        return tuple(
            stage for stage, axes in STAGE_AXES.items() if token_vectors or "d" not in axes
        )
    number = split_layer(wanted)[0]
    if number is None or number > len(document.layers):
        after = AFTER_LAYERS if document.output is not None else AFTER_LAYERS[:1]
        first = (layer_id(layer, "Q") for layer in range(1, len(document.layers) + 1))
        return (*BEFORE_LAYERS, *after, *first)
    mlp, outside = document.layers[number - 1].mlp is not None, (*BEFORE_LAYERS, *AFTER_LAYERS)
    names = [name for name in STAGE_AXES if name not in outside and "context" not in name]
    names += [
        name
        for name in STACK_STAGE_AXES
        if name not in outside and (mlp or not name.startswith("mlp"))
    ]
    return tuple(layer_id(number, name) for name in names)
