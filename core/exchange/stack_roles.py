"""The roles of the matrices of a text that holds transformer blocks, by their names."""

from __future__ import annotations

from collections.abc import Sequence

from core.document.parts import AFTER_LAYERS, STACK_STAGE_AXES, layer_id
from core.exchange.role_names import CHECK, LEFT_OUT, NamedRole, role_of_name
from core.exchange.sources import Entry
from core.exchange.stack_names import VOCABULARY, StackName, layers_of_names, stack_name

_OUTSIDE = ("", LEFT_OUT, "tokens", "X", "P", "W_U", "b_U", VOCABULARY)
_PROJECTIONS = {"W_Q", "W_K", "W_V"}


def stack_roles(entries: Sequence[Entry]) -> list[NamedRole]:
    """The role of each entry, with the prefix of the layer that its name gives; [] for no block."""
    names = [stack_name(entry.name) for entry in entries]
    alone = [role_of_name(entry.name) for entry in entries]
    if not _is_block(names, {each.role for each in alone}):
        return []
    layers = layers_of_names(names)
    return [_role(name, layer) for name, layer in zip(names, layers, strict=True)]


def _is_block(names: Sequence[StackName], alone: set[str]) -> bool:
    """Whether one name means only a part of a block, or W_1 and W_2 are beside the projections."""
    if any(name.role and not name.weak and name.role != VOCABULARY for name in names):
        return True
    if any(name.layer and role_of_name(name.rest).role in _PROJECTIONS for name in names):
        return True
    return {name.role for name in names} >= {"W_1", "W_2"} and alone >= _PROJECTIONS


def _role(name: StackName, layer: int | None) -> NamedRole:
    if name.role:
        return NamedRole(_placed(name.role, layer))
    if name.rest in STACK_STAGE_AXES:
        return NamedRole(_checked(name.rest, layer))
    role, number = role_of_name(name.rest)
    if role.startswith(CHECK):
        return NamedRole(_checked(role.removeprefix(CHECK), layer), number)
    if role in ("Q", "K", "V"):
        return NamedRole(_checked(role, layer), number)
    return NamedRole(_placed(role, layer), number)


def _placed(role: str, layer: int | None) -> str:
    outside = role in _OUTSIDE or role.startswith(("final_norm", "embedding_norm"))
    return role if outside else layer_id(layer, role)


def _checked(stage: str, layer: int | None) -> str:
    """The role of a printed result; one without a layer is that of layer 1."""
    outside = stage in (*AFTER_LAYERS, "embedding_norm", "input")
    return CHECK + (stage if outside else layer_id(layer or 1, stage))
