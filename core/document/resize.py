"""Pure edits of sizes and order: tokens of either sentence, heads, d_model, d_k, d_v. Numbers that exist stay.

The edits of tokens speak of the sentence of the queries, `axis` "n", or of the context, "m". The weights of an added
head are the identity pattern; other new numbers, their marks, and what `given` leaves unmarked: see core.document.reindex.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.base.arrays import Array, frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.document import HEAD_TENSORS, Context, Document
from core.document.plan import CONTEXT_STAGES
from core.document.reindex import NONE, Given, reindexed, shape_of


def with_token_added(document: Document, at: int, token: str, axis: str = "n") -> Document:
    """A token put in before place `at`; its rows (and mask entries: allowed) are new."""
    return with_tokens_added(document, at, (token,), axis)


def with_tokens_added(
    document: Document, at: int, tokens: Sequence[str], axis: str = "n", given: Given = NONE
) -> Document:
    """Any number of tokens put in before place `at`, in one go; their rows (and mask entries: allowed) are new."""
    if not tokens:
        return document
    old = tokens_along(document, axis)
    picks: list[int | None] = [*range(at), *[None] * len(tokens), *range(at, len(old))]
    return reindexed(document, {axis: picks}, {axis: (*old[:at], *tokens, *old[at:])}, given)


def with_tokens_removed(document: Document, gone: Sequence[int], axis: str = "n") -> Document:
    """Tokens taken out by their places. All of a sentence cannot be: UserError "tokens.last"."""
    kept = sorted(set(range(len(tokens_along(document, axis)))) - set(gone))
    if not kept:
        raise UserError("tokens.last")
    return with_tokens_ordered(document, kept, axis)


def with_token_named(document: Document, at: int, token: str, axis: str = "n") -> Document:
    """A token renamed; empty and duplicate texts are allowed."""
    old = tokens_along(document, axis)
    return with_tokens_named(document, (*old[:at], token, *old[at + 1 :]), axis)


def with_tokens_named(document: Document, tokens: Sequence[str], axis: str = "n") -> Document:
    """All tokens of a sentence renamed; as many as there are."""
    if tuple(tokens) == tokens_along(document, axis):
        return document
    if document.context is None or axis == "n":
        return document.with_(tokens=tuple(tokens))
    return document.with_(context=replace(document.context, tokens=tuple(tokens)))


def with_token_moved(document: Document, at: int, to: int, axis: str = "n") -> Document:
    """A token moved to another place with its numbers; a learned P stays, for its rows belong to the places."""
    order = list(range(len(tokens_along(document, axis))))
    order.insert(to, order.pop(at))
    return document if at == to else with_tokens_ordered(document, order, axis)


def with_tokens_ordered(
    document: Document, order: Sequence[int], axis: str = "n", given: Given = NONE
) -> Document:
    """The tokens at the given old places, in that order."""
    old = tokens_along(document, axis)
    if list(order) == list(range(len(old))):
        return document
    return reindexed(document, {axis: order}, {axis: tuple(old[i] for i in order)}, given)


def with_context(document: Document) -> Document:
    """Keys and values from another sentence, which starts as a copy of this one: at first no number changes.

    Its vectors are marked as filled. With Q, K and V entered, K and V are that sentence's from now on.
    """
    if document.context is not None:
        return document
    context = Context(document.tokens, document.X, document.positional.P)
    copied = [
        name
        for name, array in (("X_context", context.X), ("P_context", context.P))
        if array is not None
    ]
    marks = {
        Cell(name, *place) for name in copied for place in np.ndindex(*document.stage_shape(name))
    }
    return document.with_(context=context, filled=document.filled | marks)


def without_context(document: Document) -> Document:
    """Keys and values from the tokens themselves again; what belonged to the other sentence alone goes."""
    if document.context is None:
        return document
    picks: list[int | None] = [i if i < document.m else None for i in range(document.n)]
    kept = reindexed(document, {"m": picks}, {"m": document.tokens})
    pins = tuple(pin for pin in kept.pins if pin.stage not in CONTEXT_STAGES)
    marks = frozenset(mark for mark in kept.filled if mark.tensor not in CONTEXT_STAGES)
    return kept.with_(context=None, pins=pins, filled=marks)


def tokens_along(document: Document, axis: str) -> tuple[str, ...]:
    """The tokens of a sentence. Raises UserError "context.absent" for those of a context that is not there."""
    if axis == "m" and document.context is None:
        raise UserError("context.absent")
    return document.tokens if axis == "n" else document.key_tokens


def with_size(document: Document, axis: str, size: int, given: Given = NONE) -> Document:
    """d, k or v set to a size: columns at the end are added or taken away.

    Raises UserError "size.too_small" (axis, size), or "size.no_d" for d where there is neither X nor W_O.
    """
    if size < 1:
        raise UserError("size.too_small", axis=axis, size=size)
    if axis == "d" and document.X is None and document.W_O is None:
        raise UserError("size.no_d")
    old = document.sizes[axis]
    picks: list[int | None] = [i if i < old else None for i in range(size)]
    return document if size == old else reindexed(document, {axis: picks}, given=given)


def with_head_added(document: Document, given: Given = NONE) -> Document:
    """A head more, its weights the identity pattern (ones on the diagonal), marked as filled."""
    changed = reindexed(document, {"h": [*range(document.h), None]}, given=given)
    index = changed.h - 1
    names = ("Q", "K", "V") if document.source == "qkv" else ("W_Q", "W_K", "W_V")
    eyes: dict[str, Any] = {
        name: _identity(*shape_of(changed, HEAD_TENSORS[name])) for name in names
    }
    return changed.with_(heads=(*changed.heads[:index], replace(changed.heads[index], **eyes)))


def with_head_duplicated(document: Document, index: int) -> Document:
    """A head copied right after itself, with its block of W_O."""
    order = list(range(document.h))
    order.insert(index + 1, index)
    return reindexed(document, {"h": order})


def with_head_removed(document: Document, index: int, given: Given = NONE) -> Document:
    """A head taken out, with its block of W_O. The last one cannot be: UserError "heads.last"."""
    if document.h == 1:
        raise UserError("heads.last")
    return reindexed(document, {"h": [i for i in range(document.h) if i != index]}, given=given)


def with_head_moved(document: Document, index: int, to: int) -> Document:
    """A head moved to another place, with its block of W_O."""
    order = list(range(document.h))
    order.insert(to, order.pop(index))
    return document if index == to else reindexed(document, {"h": order})


def _identity(rows: int, columns: int) -> Array:
    return frozen(np.eye(rows, columns))
