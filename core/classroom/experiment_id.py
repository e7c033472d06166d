"""The id of an experiment: a SHA-256 over what its numbers are computed from.

docs/format.md gives the exact bytes. Tokens, title, notes, names, pins and sampling do not count,
nor does what is switched off: no number of a stage comes from it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from core.base.arrays import Array
from core.document.document import HEAD_TENSORS, Document
from core.document.layers import OF_ATTENTION, OF_MLP, OF_OUTPUT, norm_tensors
from core.document.parts import FILE_KEYS, Head, Layer, Mlp, Norm

Record = tuple[str, Any]  # a name with an array, a number or a text


def experiment_id(document: Document) -> str:
    """The id as 64 hexadecimal digits in small letters."""
    digest = hashlib.sha256()
    for name, value in (*_tensors(document), *_settings(document)):
        digest.update(_bytes(name, value))
    return digest.hexdigest()


def _bytes(name: str, value: Any) -> bytes:
    """`NAME VALUE` and a line feed for a text; for numbers `NAME 3x2`, a line feed, the doubles."""
    if isinstance(value, str):
        return f"{name} {value}\n".encode()
    array = np.atleast_1d(np.asarray(value, dtype="<f8")) + 0.0  # −0 counts as 0
    shape = "x".join(map(str, array.shape))
    return f"{name} {shape}\n".encode() + array.tobytes()


def _given(owner: object, names: tuple[str, ...], prefix: str = "") -> Iterator[Record]:
    for name in names:
        value: Array | None = getattr(owner, name)
        if value is not None:
            yield prefix + name, value


def _tensors(document: Document) -> Iterator[Record]:
    """The entered tensors that are used, in the order in which a file is written."""
    positional, mask, context = document.positional, document.mask, document.context
    yield from _given(document, ("X",))
    if context is not None:
        yield from ((f"{name}_context", value) for name, value in _given(context, ("X",)))
        if positional.kind == "learned":
            yield from ((f"{name}_context", value) for name, value in _given(context, ("P",)))
    if document.is_stack:
        yield from _norm("embedding_norm", document.embedding_norm)
        for number, layer in enumerate(document.layers, 1):
            yield from _layer_tensors(layer, f"L{number}.")
        yield from _norm("final_norm", document.final_norm)
        if document.output is not None:
            yield from _given(document.output, OF_OUTPUT)
    else:
        yield from _head_tensors(document.heads, "")
        yield from _given(document, OF_ATTENTION)
    if positional.kind == "learned":
        yield from _given(positional, ("P",))
    if positional.kind == "alibi":
        yield from _given(positional, ("slopes",))
    if mask.kind == "custom":
        yield from _given(mask, ("allow",))


def _head_tensors(heads: tuple[Head, ...], prefix: str) -> Iterator[Record]:
    for number, head in enumerate(heads):
        for name, value in _given(head, tuple(HEAD_TENSORS)):
            yield f"{prefix}{FILE_KEYS.get(name, name)}[{number}]", value


def _norm(name: str, norm: Norm | None) -> Iterator[Record]:
    for tensor in norm_tensors(name, norm):
        yield tensor, getattr(norm, tensor.rpartition(".")[2])


def _mlp(layer: Layer) -> Mlp | None:
    return layer.mlp if layer.mlp is not None and layer.mlp.enabled else None


def _norms(layer: Layer) -> Iterator[tuple[str, Norm]]:
    """The norms of a layer that are in use; that of an MLP only with the MLP."""
    attention, mlp = layer.norm.attention, layer.norm.mlp
    if attention is not None and attention.enabled:
        yield "attention_norm", attention
    if mlp is not None and mlp.enabled and _mlp(layer) is not None:
        yield "mlp_norm", mlp


def _layer_tensors(layer: Layer, prefix: str) -> Iterator[Record]:
    if not layer.enabled:
        return
    yield from _head_tensors(layer.heads, prefix)
    yield from _given(layer, OF_ATTENTION, prefix)
    for name, norm in _norms(layer):
        yield from _norm(prefix + name, norm)
    if (mlp := _mlp(layer)) is not None:
        yield from _given(mlp, OF_MLP, prefix)


def _settings(document: Document) -> Iterator[Record]:
    """The kinds with the numbers that they use, and what is switched off."""
    positional, mask, scale = document.positional, document.mask, document.scale
    yield "positional", positional.kind
    if positional.kind in ("sinusoidal", "rotary"):
        yield "positional.base", positional.base
    yield "mask", mask.kind
    if mask.kind == "window":
        for name in ("left", "right"):
            if getattr(mask, name) is not None:
                yield f"mask.{name}", float(getattr(mask, name))
    yield "scale", scale.kind
    if scale.kind == "factor":
        yield "scale.value", scale.value
    yield "softmax.base", document.softmax.base
    yield "softmax.shift", "true" if document.softmax.shift else "false"
    yield from _head_settings(document.heads, "")
    if document.is_stack:
        yield from _norm_settings("embedding_norm", document.embedding_norm)
        for number, layer in enumerate(document.layers, 1):
            yield from _layer_settings(layer, f"L{number}")
        yield from _norm_settings("final_norm", document.final_norm)


def _head_settings(heads: tuple[Head, ...], prefix: str) -> Iterator[Record]:
    for number, head in enumerate(heads):
        if head.kv_from is not None:
            yield f"{prefix}heads[{number}].kv_from", str(head.kv_from)
        if not head.enabled:
            yield f"{prefix}heads[{number}].enabled", "false"


def _norm_settings(name: str, norm: Norm | None) -> Iterator[Record]:
    if norm is not None and norm.enabled:
        yield name, norm.kind
        yield f"{name}.eps", norm.eps


def _layer_settings(layer: Layer, name: str) -> Iterator[Record]:
    if not layer.enabled:
        yield f"{name}.enabled", "false"
        return
    yield f"{name}.residual", "true" if layer.residual else "false"
    yield from _head_settings(layer.heads, f"{name}.")
    norms = [*_norms(layer)]
    if norms:
        yield f"{name}.norm.place", layer.norm.place
    for norm_name, norm in norms:
        yield from _norm_settings(f"{name}.{norm_name}", norm)
    if (mlp := _mlp(layer)) is not None:
        yield f"{name}.mlp", mlp.activation
