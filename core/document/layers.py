"""The entered tensors of layers, norms and the output of a stack, by name.

Names are those of STACK_TENSORS, HEAD_TENSORS, W_O and b_O, without the prefix of a layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from core.base.arrays import Array
from core.base.errors import UserError
from core.document.parts import HEAD_TENSORS, Layer, Norm, Output

OF_NORM = ("gamma", "beta")
OF_ATTENTION = ("W_O", "b_O")
OF_MLP = ("W_1", "b_1", "W_gate", "b_gate", "W_2", "b_2")
OF_OUTPUT = ("W_U", "b_U")
NORM_FIELDS = {"attention_norm": "attention", "mlp_norm": "mlp"}  # of `norm` of a layer


def layer_tensor(layer: Layer, name: str, head: int = 0) -> Array | None:
    """A tensor of a layer, None where it has none. KeyError for a name that no layer has."""
    owner: object
    if name in HEAD_TENSORS:
        owner, field_name = layer.heads[head] if head < len(layer.heads) else None, name
    elif name in OF_ATTENTION:
        owner, field_name = layer, name
    elif name in OF_MLP:
        owner, field_name = layer.mlp, name
    else:
        norm, _, field_name = name.partition(".")
        owner = getattr(layer.norm, NORM_FIELDS[norm])
    found: Array | None = None if owner is None else getattr(owner, field_name)
    return found


def with_layer_tensor(layer: Layer, name: str, value: Array | None, head: int = 0) -> Layer:
    """A layer with one tensor replaced.

    Raises UserError "tensor.absent" (name) where the layer lacks the part that has such a tensor.
    """
    change: dict[str, Any] = {name: value}
    if name in HEAD_TENSORS:
        heads = list(layer.heads)
        heads[head] = replace(heads[head], **change)
        return replace(layer, heads=tuple(heads))
    if name in OF_ATTENTION:
        return replace(layer, **change)
    if name in OF_MLP:
        if layer.mlp is None:
            raise UserError("tensor.absent", name=name)
        return replace(layer, mlp=replace(layer.mlp, **change))
    norm, _, field_name = name.partition(".")
    part = NORM_FIELDS[norm]
    if getattr(layer.norm, part) is None:
        raise UserError("tensor.absent", name=name)
    changed: dict[str, Any] = {
        part: replace(getattr(layer.norm, part), **{field_name: value}),
    }
    return replace(layer, norm=replace(layer.norm, **changed))


def layer_tensors(layer: Layer, *, used: bool = True) -> Iterator[str]:
    """The names of the tensors that a layer has, in the order in which they are used.

    `used`: without those of parts that are switched off.
    """
    if used and not layer.enabled:
        return
    yield from norm_tensors("attention_norm", layer.norm.attention, used=used)
    for name in HEAD_TENSORS:
        if any(getattr(head, name) is not None for head in layer.heads):
            yield name
    yield from (name for name in OF_ATTENTION if getattr(layer, name) is not None)
    if layer.mlp is None or (used and not layer.mlp.enabled):
        return
    yield from norm_tensors("mlp_norm", layer.norm.mlp, used=used)
    yield from (name for name in OF_MLP if getattr(layer.mlp, name) is not None)


def norm_tensors(name: str, norm: Norm | None, *, used: bool = True) -> Iterator[str]:
    """The names of the tensors that a norm has."""
    if norm is not None and (norm.enabled or not used):
        for field_name in OF_NORM:
            if getattr(norm, field_name) is not None:
                yield f"{name}.{field_name}"


def output_tensors(output: Output | None) -> Iterator[str]:
    """The names of the tensors that an output has."""
    if output is not None:
        yield from (name for name in OF_OUTPUT if getattr(output, name) is not None)
