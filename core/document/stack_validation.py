"""Checks that the layers, norms and output of a stack fit together.

Axis letters are those of core/document/parts.py. The first thing that does not fit is a UserError
with its place as in a file.
"""

from __future__ import annotations

import math

from core.base.errors import UserError
from core.document.experiment import Experiment
from core.document.layers import OF_MLP, OF_NORM
from core.document.parts import (
    ACTIVATIONS,
    LARGEST_SEED,
    MOST_SCORES,
    NORM_KINDS,
    NORM_PLACES,
    STACK_TENSORS,
    Layer,
    Mlp,
    Norm,
    Sampling,
)
from core.document.validation import (
    require_kind,
    require_tensor,
    validate_heads,
    validate_output,
    validate_pins,
    validate_settings,
    validate_source,
)


def validate_stack(document: Experiment) -> None:
    """Raise a UserError for the first part of a stack that does not fit."""
    if not document.tokens:
        raise UserError("document.no_tokens")
    for name in ("heads", "W_O", "b_O"):
        value = getattr(document, name)
        if value is not None and len(value):
            raise UserError("stack.in_layers", name=name)
    if document.source != "embeddings":
        raise UserError("stack.source", source=document.source)
    if document.context is not None:
        raise UserError("stack.context")
    validate_source(document)
    for number, layer in enumerate(document.layers):
        _validate_layer(document, number, layer)
    scores = sum(len(layer.heads) for layer in document.layers) * document.n * document.n
    if scores > MOST_SCORES:
        heads = sum(len(layer.heads) for layer in document.layers)
        raise UserError(
            "document.too_large", h=heads, n=document.n, m=document.n, limit=MOST_SCORES
        )
    for name in ("embedding_norm", "final_norm"):
        _validate_norm(document, getattr(document, name), name)
    _validate_vocabulary(document)
    _validate_sampling(document.sampling)
    validate_settings(document)
    validate_pins(document)


def _validate_layer(document: Experiment, number: int, layer: Layer) -> None:
    place = f"layers[{number}]."
    if not layer.heads:
        raise UserError("layer.no_heads", place=place[:-1])
    scope = document.scopes[number]
    validate_heads(scope, place)
    validate_output(scope, place)
    if layer.W_O is None and scope.c != document.d:
        raise UserError(
            "layer.width", place=f"{place}W_O", h=scope.h, v=scope.v, c=scope.c, d=document.d
        )
    slopes = document.positional.slopes
    if slopes is not None and not scope.h <= len(slopes) <= document.h:
        raise UserError("layer.slopes", place=place[:-1], h=scope.h, axes="h", actual=slopes.shape)
    require_kind(f"{place}norm.kind", layer.norm.kind, NORM_KINDS)
    require_kind(f"{place}norm.place", layer.norm.place, NORM_PLACES)
    _require_eps(layer.norm.eps, f"{place}norm")
    for name in ("attention", "mlp"):
        _validate_norm(document, getattr(layer.norm, name), f"{place}norm.{name}")
    if layer.mlp is not None:
        _validate_mlp(document, layer.mlp, f"{place}mlp")
    elif layer.norm.mlp is not None:
        raise UserError("layer.norm_without_mlp", place=f"{place}norm.mlp")


def _validate_mlp(document: Experiment, mlp: Mlp, place: str) -> None:
    require_kind(f"{place}.activation", mlp.activation, ACTIVATIONS)
    if mlp.W_1.ndim != 2:
        require_tensor(mlp.W_1, f"{place}.W_1", ("d", "f"), (document.d, 1))
    sizes = {"d": document.d, "f": int(mlp.W_1.shape[1])}
    if mlp.b_gate is not None and mlp.W_gate is None:
        raise UserError("mlp.bias_without_gate", place=f"{place}.b_gate")
    for name in OF_MLP:
        tensor, axes = getattr(mlp, name), STACK_TENSORS[name]
        if tensor is not None:
            expected = tuple(sizes[axis] for axis in axes)
            require_tensor(tensor, f"{place}.{name}", axes, expected)


def _validate_norm(document: Experiment, norm: Norm | None, place: str) -> None:
    if norm is None:
        return
    require_kind(f"{place}.kind", norm.kind, NORM_KINDS)
    _require_eps(norm.eps, place)
    if norm.kind == "rms" and norm.beta is not None:
        raise UserError("norm.rms_beta", place=f"{place}.beta")
    for name in OF_NORM:
        tensor = getattr(norm, name)
        if tensor is not None:
            require_tensor(tensor, f"{place}.{name}", ("d",), (document.d,))


def _require_eps(eps: float, place: str) -> None:
    if not 0 <= eps < math.inf:
        raise UserError("norm.eps", place=f"{place}.eps", value=eps)


def _validate_vocabulary(document: Experiment) -> None:
    output = document.output
    if output is None:
        return
    u = len(output.vocabulary)
    if not u:
        raise UserError("output.no_vocabulary", place="output.vocabulary")
    if output.W_U.ndim != 2 or output.W_U.shape[1] != u:
        raise UserError(
            "output.vocabulary", place="output.W_U", actual=output.W_U.shape, d=document.d, u=u
        )
    require_tensor(output.W_U, "output.W_U", ("d", "u"), (document.d, u))
    if output.b_U is not None:
        require_tensor(output.b_U, "output.b_U", ("u",), (u,))


def _validate_sampling(sampling: Sampling) -> None:
    if not 0 < sampling.temperature < math.inf:
        raise UserError(
            "sampling.temperature", place="sampling.temperature", value=sampling.temperature
        )
    if sampling.top_k is not None and sampling.top_k < 1:
        raise UserError("sampling.top_k", place="sampling.top_k", value=sampling.top_k)
    if sampling.top_p is not None and not 0 < sampling.top_p <= 1:
        raise UserError("sampling.top_p", place="sampling.top_p", value=sampling.top_p)
    if not 0 <= sampling.seed < LARGEST_SEED:
        raise UserError("sampling.seed", place="sampling.seed", value=sampling.seed)
