"""What makes an experiment valid: its parts fit together, and every number is finite."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from core.base.arrays import Array, require_finite, require_shape
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.parts import (
    HEAD_TENSORS,
    MASK_KINDS,
    MOST_SCORES,
    POSITIONAL_KINDS,
    SCALE_KINDS,
    SOFTMAX_BASES,
    SOURCES,
)
from core.document.plan import STAGE_AXES, VECTOR_STAGES

if TYPE_CHECKING:
    from core.document.document import Document


def validate(document: Document) -> None:
    """Raise a UserError for the first part that does not fit."""
    if not document.tokens:
        raise UserError("document.no_tokens")
    if not document.heads:
        raise UserError("document.no_heads")
    if document.h * document.n * document.m > MOST_SCORES:
        raise UserError(
            "document.too_large", h=document.h, n=document.n, m=document.m, limit=MOST_SCORES
        )
    _require_kind("source", document.source, SOURCES)
    _require_kind("positional.kind", document.positional.kind, POSITIONAL_KINDS)
    _require_kind("mask.kind", document.mask.kind, MASK_KINDS)
    _require_kind("scale.kind", document.scale.kind, SCALE_KINDS)
    _validate_source(document)
    _validate_context(document)
    _validate_heads(document)
    _validate_output(document)
    _validate_positional(document)
    _validate_mask(document)
    if not math.isfinite(document.scale.value):
        raise UserError("number.infinite", text=str(document.scale.value), place="scale.value")
    if document.softmax.base not in SOFTMAX_BASES:
        raise UserError("softmax.base", place="softmax.base", base=document.softmax.base)
    _validate_pins(document)


def _require_kind(place: str, kind: str, known: tuple[str, ...]) -> None:
    if kind not in known:
        raise UserError("kind.unknown", place=place, kind=kind, known=known)


def _validate_source(document: Document) -> None:
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
    _require_tensor(document.X, "X", ("n", "d"), (document.n, document.d))


def _validate_context(document: Document) -> None:
    context = document.context
    if context is None:
        return
    if not context.tokens:
        raise UserError("context.no_tokens")
    if document.source == "qkv":
        for name in ("X", "P"):
            if getattr(context, name) is not None:
                raise UserError("context.with_qkv", name=name)
        return
    if context.X is None:
        raise UserError("context.X_missing")
    for name in ("X", "P"):
        tensor = getattr(context, name)
        if (
            tensor is not None
        ):  # learned positions are kept, and so checked, also while another kind is chosen
            _require_tensor(tensor, f"context.{name}", ("m", "d"), (document.m, document.d))


def _validate_heads(document: Document) -> None:
    given, other = ("QKV", "W") if document.source == "qkv" else ("W", "QKV")
    wanted, refused = _head_names(given), _head_names(other)
    for index, head in enumerate(document.heads):
        for name in wanted:
            if getattr(head, name) is None:
                raise UserError("head.missing", head=index, name=name, source=document.source)
        for name in refused:
            if getattr(head, name) is not None:
                raise UserError("head.unexpected", head=index, name=name, source=document.source)
    _validate_head_shapes(document)


def _head_names(kind: str) -> tuple[str, ...]:
    return ("Q", "K", "V") if kind == "QKV" else ("W_Q", "W_K", "W_V")


def _validate_head_shapes(document: Document) -> None:
    sizes = {"n": document.n, "m": document.m, "k": document.k, "v": document.v}
    if document.source == "embeddings":
        sizes["d"] = document.d
    tensors = (
        HEAD_TENSORS
        if document.source == "embeddings"
        else {name: HEAD_TENSORS[name] for name in "QKV"}
    )
    wanted = [
        (name, document.letters(axes), tuple(sizes[axis] for axis in axes))
        for name, axes in tensors.items()
    ]
    for index, head in enumerate(document.heads):
        if document.source == "qkv" and any(
            getattr(head, name) is not None for name in ("b_Q", "b_K", "b_V")
        ):
            raise UserError(
                "head.unexpected", head=index, name="b_Q, b_K, b_V", source=document.source
            )
        for name, letters, expected in wanted:
            tensor = getattr(head, name)
            if tensor is not None:
                _require_tensor(tensor, f"heads[{index}].{name}", letters, expected)


def _require_tensor(
    tensor: Array, name: str, axes: Iterable[str], expected: tuple[int, ...]
) -> None:
    if not tensor.size:
        raise UserError("shape.empty", name=name)
    require_shape(tensor, name, tuple(axes), expected)
    require_finite(tensor, name)


def _validate_output(document: Document) -> None:
    if document.W_O is None:
        if document.b_O is not None:
            raise UserError("output.bias_without_weights")
        return
    if document.W_O.ndim != 2 or document.W_O.shape[0] != document.c:
        raise UserError(
            "output.height",
            expected=document.c,
            h=document.h,
            v=document.v,
            actual=document.W_O.shape,
        )
    width = document.d if document.source == "embeddings" else int(document.W_O.shape[1])
    _require_tensor(document.W_O, "W_O", ("h·v", "d"), (document.c, width))
    if document.b_O is not None:
        _require_tensor(document.b_O, "b_O", ("d",), (width,))


def _validate_positional(document: Document) -> None:
    positional = document.positional
    if positional.kind in ("sinusoidal", "learned") and document.source == "qkv":
        raise UserError("positional.needs_embeddings", kind=positional.kind)
    if not 0 < positional.base < math.inf:
        raise UserError("positional.base", value=positional.base)
    if positional.kind == "learned" and positional.P is None:
        raise UserError("positional.P_missing")
    if positional.P is not None:  # kept, and so checked, also while another kind is chosen
        if document.source == "qkv":
            raise UserError("positional.needs_embeddings", kind="learned")
        _require_tensor(positional.P, "positional.P", ("n", "d"), (document.n, document.d))
    if positional.slopes is not None:
        _require_tensor(positional.slopes, "positional.slopes", ("h",), (document.h,))


def _validate_mask(document: Document) -> None:
    mask = document.mask
    for side in ("left", "right"):
        value = getattr(mask, side)
        if value is not None and value < 0:
            raise UserError("mask.negative", place=f"mask.{side}", value=value)
    if mask.kind == "custom" and mask.allow is None:
        raise UserError("mask.allow_missing")
    if mask.allow is not None:  # kept, and so checked, also while another kind is chosen
        require_shape(mask.allow, "mask.allow", document.letters("nm"), (document.n, document.m))


def _validate_pins(document: Document) -> None:
    seen: set[Cell] = set()
    for position, pin in enumerate(document.pins):
        place = f"pins[{position}]"
        if pin.stage not in STAGE_AXES:
            raise UserError("pin.stage", place=place, stage=pin.stage, known=tuple(STAGE_AXES))
        if document.source == "qkv" and pin.stage in VECTOR_STAGES:
            known = tuple(stage for stage in STAGE_AXES if stage not in VECTOR_STAGES)
            raise UserError("pin.stage", place=place, stage=pin.stage, known=known)
        shape = document.stage_shape(pin.stage)
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
