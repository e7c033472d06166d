"""What each matrix of a page is: roles by name, by shape, and by the results that the page prints.

`propose_roles` gives each entry a role, `assemble` makes the experiment of entries and roles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.base.errors import UserError
from core.compute.trace import Trace
from core.document.document import Document
from core.exchange.assemble import Draft, assemble
from core.exchange.fused import projection_name
from core.exchange.printed_results import best_stage
from core.exchange.role_names import (
    CHECK,
    HEAD_ROLES,
    LEFT_OUT,
    SHARED_ROLES,
    STACK_ROLES,
    TURNED,
    NamedRole,
    Part,
    is_headed,
    is_role,
    role_of_name,
    split_role,
)
from core.exchange.sources import Entry
from core.exchange.stack_roles import stack_roles

__all__ = ["Draft", "assemble", "parse_role", "propose_roles"]

_WEIGHTS, _PROJECTED = ("W_Q", "W_K", "W_V"), ("Q", "K", "V")


def parse_role(text: str) -> Part:
    """Role, head (from 1) and whether transposed: W_Q, W_Q.2, W_Q.2.T, check:weights.2.

    Raises UserError "role.unknown" (role, known).
    """
    part = split_role(text.strip().replace("ᵀ", TURNED))
    if not is_role(part.role):
        roles = (*SHARED_ROLES, *HEAD_ROLES, *STACK_ROLES, f"{CHECK}STAGE", LEFT_OUT)
        raise UserError("role.unknown", role=text[:40], known=roles)
    return part


def propose_roles(entries: Sequence[Entry]) -> tuple[str, ...]:
    """A role for each entry: W_Q, or W_Q.2 with several heads; "-" for what has no place."""
    entries = [replace(entry, name=projection_name(entry.name)) for entry in entries]
    named = [role_of_name(entry.name) for entry in entries]
    bases = [_base(entry, role) for entry, role in zip(entries, named, strict=True)]
    of_stack = stack_roles(entries)
    if of_stack:
        named = of_stack
        bases = [_base_in_stack(entry, role) for entry, role in zip(entries, named, strict=True)]
    _leave_repeated_out(entries, bases)
    if not of_stack:
        _fit_source(entries, bases)
    roles = _numbered(bases, named)
    witnesses = [i for i, base in enumerate(bases) if not base and roles[i] == LEFT_OUT]
    draft = assemble(entries, roles, witnesses=witnesses)
    best = max(draft.readings, key=lambda reading: reading.printed.matched, default=draft)
    if best.document is None or best.trace is None:
        return tuple(roles)
    return tuple(_with_results(entries, bases, named, roles, best.document, best.trace))


def _base(entry: Entry, named: NamedRole) -> str:
    if entry.texts:
        return "tokens"
    if entry.refusal is not None:  # said where it is missing
        return named.role if named.role in (*HEAD_ROLES, *SHARED_ROLES) else LEFT_OUT
    return named.role


def _base_in_stack(entry: Entry, named: NamedRole) -> str:
    if entry.texts:
        return named.role or "tokens"
    return LEFT_OUT if entry.refusal is not None and named.role.startswith(CHECK) else named.role


def _leave_repeated_out(entries: Sequence[Entry], bases: list[str]) -> None:
    """Leave out what a page shows a second time: the definition, then the print."""
    for index, entry in enumerate(entries):
        earlier = (
            other
            for other in range(index)
            if bases[other] not in ("", LEFT_OUT)
            and bases[other] == bases[index]
            and entries[other].name == entry.name
            and _same(entries[other], entry)
        )
        if next(earlier, None) is not None:
            bases[index] = LEFT_OUT


def _same(one: Entry, other: Entry) -> bool:
    if one.texts or other.texts or not one.matrix.size:
        return one.texts == other.texts and one.matrix is other.matrix
    decimals = min(one.decimals, other.decimals)
    away = 0.6 * 10.0**-decimals if decimals else 1e-12
    return one.shape == other.shape and np.allclose(one.matrix, other.matrix, rtol=0.0, atol=away)


def _fit_source(entries: Sequence[Entry], bases: list[str]) -> None:
    """Decide what the experiment starts from, and turn the roles that do not start it into results.

    Numbers without names take what is missing by their shapes, in the order of the text.
    """
    _fill_missing(entries, bases)
    has = set(bases)
    if {"X", *_WEIGHTS} <= has:
        _replace(bases, {name: CHECK + name for name in _PROJECTED})
    elif set(_PROJECTED) <= has or {"Q", "K"} <= has:
        _replace(bases, dict.fromkeys(("X", "P", *_WEIGHTS, "b_Q", "b_K", "b_V"), LEFT_OUT))
    elif CHECK + "weights" in has and not has & {"X", "Q", "K", *_WEIGHTS}:
        _replace(bases, {CHECK + "weights": "A"})


def _replace(bases: list[str], by: Mapping[str, str]) -> None:
    bases[:] = [by.get(base, base) for base in bases]


def _fill_missing(entries: Sequence[Entry], bases: list[str]) -> None:
    has = set(bases)
    free = [i for i, base in enumerate(bases) if not base and entries[i].is_finite]
    if has & set(_WEIGHTS) or ("X" in has and not has & set(_PROJECTED)):
        wanted = [name for name in ("X", *_WEIGHTS) if name not in has]
    elif has & set(_PROJECTED):
        wanted = [name for name in _PROJECTED if name not in has]
    elif CHECK + "weights" in has:
        return
    else:
        _fill_nameless(entries, bases, free)
        return
    known = {base: entries[i].shape for i, base in enumerate(bases) if base}
    places = [
        next((i for i in free if _could_be(name, entries[i].shape, known)), None) for name in wanted
    ]
    if None not in places and len(set(places)) == len(places) <= len(free) and _in_order(places):
        for name, place in zip(wanted, places, strict=True):
            bases[place] = name  # type: ignore[index]
    elif len(wanted) > 1 and len(free) >= len(wanted):
        first = free[: len(wanted)]
        if all(
            _could_be(name, entries[i].shape, known) for name, i in zip(wanted, first, strict=True)
        ):
            for name, place in zip(wanted, first, strict=True):
                bases[place] = name


def _in_order(places: Sequence[int | None]) -> bool:
    return list(places) == sorted(places, key=lambda place: place or 0)


def _could_be(name: str, shape: tuple[int, ...], known: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether a shape suits a tensor beside the known ones."""
    weights = [known[each] for each in _WEIGHTS if each in known]
    if name == "X":
        return all(shape[1] in weight for weight in weights)
    if name in _WEIGHTS:
        return ("X" not in known or known["X"][1] in shape) and all(
            set(shape) & set(weight) for weight in weights
        )
    others = [known[each] for each in _PROJECTED if each in known]
    return all(shape[0] == other[0] for other in others)


def _fill_nameless(entries: Sequence[Entry], bases: list[str], free: Sequence[int]) -> None:
    """Roles of a text that names nothing: X and weights, Q, K and V, or weights alone."""
    shapes = [entries[i].shape for i in free]
    if free and all(entries[i].is_distribution for i in free) and len(set(shapes)) == 1:
        names: Sequence[str] = ("A",) * len(free)
    elif len(shapes) >= 4 and all(shapes[0][1] in shape for shape in shapes[1:4]):
        names = ("X", *_WEIGHTS)
    elif len(shapes) >= 3 and shapes[0][1] == shapes[1][1] and shapes[1][0] == shapes[2][0]:
        names = _PROJECTED
    else:
        return
    for place, name in zip(free, names, strict=False):
        bases[place] = name


def _numbered(bases: Sequence[str], named: Sequence[NamedRole]) -> list[str]:
    """Roles with the numbers of their heads, and "-" for a second one of what there is once."""
    result = [base or LEFT_OUT for base in bases]
    for base in dict.fromkeys(result):
        places = [i for i, each in enumerate(result) if each == base]
        if base == LEFT_OUT or len(places) == 1:
            continue
        if base.startswith(CHECK) or is_headed(base):
            ordered = sorted(places, key=lambda i: named[i].number or 0)
            for head, place in enumerate(ordered, 1):
                result[place] = base if head == 1 and base.startswith(CHECK) else f"{base}.{head}"
        else:
            for place in places[1:]:
                result[place] = LEFT_OUT
    return _without_extra_heads(result)


def _without_extra_heads(roles: list[str]) -> list[str]:
    """Leave out heads that only some of the tensors have: a page that shows other numbers too."""
    heads = {base: sum(role.partition(".")[0] == base for role in roles) for base in HEAD_ROLES}
    counts = [count for count in heads.values() if count]
    if len(set(counts)) <= 1 or min(counts) > 1:
        return roles
    return [
        LEFT_OUT
        if role.partition(".")[0] in heads and role.partition(".")[2] not in ("", "1")
        else role.removesuffix(".1")
        for role in roles
    ]


def _with_results(
    entries: Sequence[Entry],
    bases: Sequence[str],
    named: Sequence[NamedRole],
    roles: Sequence[str],
    document: Document,
    trace: Trace,
) -> list[str]:
    """The roles with the stage that each printed result belongs to."""
    result = list(roles)
    done: set[str] = set()
    for index, (entry, base) in enumerate(zip(entries, bases, strict=True)):
        nameless = not base and roles[index] == LEFT_OUT
        if entry.texts or entry.refusal is not None or not (nameless or base.startswith(CHECK)):
            continue
        role = best_stage(entry, base.removeprefix(CHECK), named[index].number, document, trace)
        result[index] = LEFT_OUT if role in done else role
        done.add(role)
        done.discard(LEFT_OUT)
    return result
