"""Layers, norms, output and sampling in experiment files: how they are read and written.

The structs are the format, as in core/storage/archive.py; docs/format.md describes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from core.base.arrays import Array
from core.base.json_text import Entry, list_json, object_json, text_json
from core.document.document import Document, Head, Layer, Mlp, Norm, Output, Sampling
from core.document.layers import OF_MLP, OF_NORM, OF_OUTPUT
from core.document.parts import SOURCES, Norms
from core.storage.file_values import (
    Matrix,
    Vector,
    array_entries,
    matrix,
    number_json,
    texts_json,
    vector,
)

_needed, _optional = SOURCES["embeddings"]
OF_HEAD = (*_needed, *_optional)


class FileLayerHead(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One entry of `heads` of a layer."""

    name: str = ""
    enabled: bool = True
    kv_from: int | None = None
    W_Q: Matrix | None = None
    W_K: Matrix | None = None
    W_V: Matrix | None = None
    b_Q: Vector | None = None
    b_K: Vector | None = None
    b_V: Vector | None = None


class FileSublayerNorm(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`attention` and `mlp` in `norm` of a layer."""

    enabled: bool = True
    gamma: Vector | None = None
    beta: Vector | None = None


class FileNorm(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`embedding_norm` and `final_norm`."""

    kind: str = "layer"
    eps: float = 1e-5
    enabled: bool = True
    gamma: Vector | None = None
    beta: Vector | None = None


class FileNorms(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`norm` of a layer."""

    kind: str = "layer"
    place: str = "pre"
    eps: float = 1e-5
    attention: FileSublayerNorm | None = None
    mlp: FileSublayerNorm | None = None


class FileMlp(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`mlp` of a layer."""

    enabled: bool = True
    W_1: Matrix
    b_1: Vector | None = None
    W_2: Matrix
    b_2: Vector | None = None
    activation: str = "relu"
    W_gate: Matrix | None = None
    b_gate: Vector | None = None


class FileLayer(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One entry of `layers`."""

    name: str = ""
    enabled: bool = True
    residual: bool = True
    heads: list[FileLayerHead]
    W_O: Matrix | None = None
    b_O: Vector | None = None
    norm: FileNorms | None = None
    mlp: FileMlp | None = None


class FileOutput(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`output`."""

    W_U: Matrix
    b_U: Vector | None = None
    vocabulary: list[str]


class FileSampling(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`sampling`."""

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0


# The struct of a place in a file with layers, by its last keys.
LAYER_KINDS: Mapping[str, type[msgspec.Struct]] = {
    "embedding_norm": FileNorm,
    "layers": FileLayer,
    "final_norm": FileNorm,
    "output": FileOutput,
    "sampling": FileSampling,
    "layers.heads": FileLayerHead,
    "layers.norm": FileNorms,
    "norm.attention": FileSublayerNorm,
    "norm.mlp": FileSublayerNorm,
    "layers.mlp": FileMlp,
}


# Reading


def layer_from(file: FileLayer, place: str) -> Layer:
    """A layer; `place` is its place in the file."""
    heads = enumerate(file.heads)
    return Layer(
        heads=tuple(_head(head, f"{place}.heads[{index}]") for index, head in heads),
        name=file.name,
        enabled=file.enabled,
        residual=file.residual,
        W_O=matrix(file.W_O, f"{place}.W_O"),
        b_O=vector(file.b_O),
        norm=_norms(file.norm),
        mlp=None if file.mlp is None else _mlp(file.mlp, f"{place}.mlp"),
    )


def _head(file: FileLayerHead, place: str) -> Head:
    tensors = _tensors(file, OF_HEAD, place)
    return Head(name=file.name, enabled=file.enabled, kv_from=file.kv_from, **tensors)


def _tensors(file: msgspec.Struct, names: Iterable[str], place: str) -> dict[str, Any]:
    """The tensors of a part by name; the names of vectors begin with a small letter."""
    return {
        name: vector(getattr(file, name))
        if name[0].islower()
        else matrix(getattr(file, name), f"{place}.{name}")
        for name in names
    }


def _norms(file: FileNorms | None) -> Norms:
    if file is None:
        return Norms()
    norms = (_sublayer_norm(part) for part in (file.attention, file.mlp))
    return Norms(file.kind, file.place, file.eps, *norms)


def _sublayer_norm(file: FileSublayerNorm | None) -> Norm | None:
    if file is None:
        return None
    return Norm(gamma=vector(file.gamma), beta=vector(file.beta), enabled=file.enabled)


def norm_from(file: FileNorm | None) -> Norm | None:
    """`embedding_norm` or `final_norm`."""
    if file is None:
        return None
    return Norm(file.kind, file.eps, vector(file.gamma), vector(file.beta), file.enabled)


def _mlp(file: FileMlp, place: str) -> Mlp:
    return Mlp(activation=file.activation, enabled=file.enabled, **_tensors(file, OF_MLP, place))


def output_from(file: FileOutput | None) -> Output | None:
    """`output`."""
    if file is None:
        return None
    return Output(vocabulary=tuple(file.vocabulary), **_tensors(file, OF_OUTPUT, "output"))


def sampling_from(file: FileSampling | None) -> Sampling:
    """`sampling`."""
    if file is None:
        return Sampling()
    return Sampling(file.temperature, file.top_k, file.top_p, file.seed)


# Writing


def stack_entries(document: Document) -> Iterable[Entry]:
    """The keys that only stacks have; defaults are left out."""
    if document.embedding_norm is not None:
        yield "embedding_norm", _norm_json(document.embedding_norm)
    yield "layers", list_json([object_json([*_layer(layer)]) for layer in document.layers])
    if document.final_norm is not None:
        yield "final_norm", _norm_json(document.final_norm)
    if document.output is not None:
        entries = [*array_entries(W_U=document.output.W_U, b_U=document.output.b_U)]
        yield (
            "output",
            object_json([*entries, ("vocabulary", texts_json(document.output.vocabulary))]),
        )
    if document.sampling != Sampling():
        yield "sampling", object_json([*_sampling(document.sampling)], one_line=True)


def _layer(layer: Layer) -> Iterable[Entry]:
    yield from _switches(layer.name, layer.enabled)
    if not layer.residual:
        yield "residual", "false"
    yield "heads", list_json([object_json([*_head_entries(head)]) for head in layer.heads])
    yield from array_entries(W_O=layer.W_O, b_O=layer.b_O)
    norms = [*_norms_entries(layer.norm)]
    if norms:
        yield "norm", object_json(norms)
    if layer.mlp is not None:
        yield "mlp", object_json([*_mlp_entries(layer.mlp)])


def _switches(name: str, enabled: bool) -> Iterable[Entry]:
    if name:
        yield "name", text_json(name)
    if not enabled:
        yield "enabled", "false"


def _head_entries(head: Head) -> Iterable[Entry]:
    yield from _switches(head.name, head.enabled)
    if head.kv_from is not None:
        yield "kv_from", str(head.kv_from)
    yield from array_entries(**{name: getattr(head, name) for name in OF_HEAD})


def _norms_entries(norms: Norms) -> Iterable[Entry]:
    """Nothing for a layer without norms and with the usual settings."""
    parts = {"attention": norms.attention, "mlp": norms.mlp}
    given = {name: norm for name, norm in parts.items() if norm is not None}
    usual = Norms()
    if not given and (norms.kind, norms.place, norms.eps) == (usual.kind, usual.place, usual.eps):
        return
    yield "kind", text_json(norms.kind)
    yield "place", text_json(norms.place)
    yield "eps", number_json(norms.eps)
    for name, norm in given.items():
        yield name, object_json([*_norm_entries(norm)]) if _is_given(norm) else "{}"


def _is_given(norm: Norm) -> bool:
    return not norm.enabled or any(getattr(norm, name) is not None for name in OF_NORM)


def _norm_entries(norm: Norm) -> Iterable[Entry]:
    yield from _switches("", norm.enabled)
    yield from array_entries(gamma=norm.gamma, beta=norm.beta)


def _norm_json(norm: Norm) -> str:
    """A norm outside the layers."""
    settings = [("kind", text_json(norm.kind)), ("eps", number_json(norm.eps))]
    return object_json([*settings, *_norm_entries(norm)])


def _mlp_entries(mlp: Mlp) -> Iterable[Entry]:
    yield from _switches("", mlp.enabled)
    tensors: dict[str, Array | None] = {name: getattr(mlp, name) for name in OF_MLP}
    yield "activation", text_json(mlp.activation)
    yield from array_entries(**tensors)


def _sampling(sampling: Sampling) -> Iterable[Entry]:
    yield "temperature", number_json(sampling.temperature)
    if sampling.top_k is not None:
        yield "top_k", str(sampling.top_k)
    if sampling.top_p is not None:
        yield "top_p", number_json(sampling.top_p)
    yield "seed", str(sampling.seed)
