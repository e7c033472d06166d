"""Pure edits of sizes and order: tokens of either sentence, heads, d_model, d_k, d_v; in stacks also
the width of an MLP and the vocabulary. Numbers that exist stay.

The edits of tokens speak of the sentence of the queries, `axis` "n", of the context, "m", or of the
vocabulary, "u". The weights of an added head are the identity pattern; other new numbers are 0, and all are marked in
`document.filled`. Of tensors that are `given` right after (by name and head, as those are numbered
then), none are marked: a million marks take longer to make than everything else.

Heads, d_k and d_v of a stack belong to a layer: core.document.stack_edits.in_layer applies the edits
to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.base.arrays import Array, frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.document import Document
from core.document.edits import with_tensor
from core.document.parts import (
    HEAD_TENSORS,
    SOURCES,
    STAGE_AXES,
    Context,
    layer_id,
)
from core.document.reindex import NONE, Given, reindexed, shape_of


def with_token_added(document: Document, at: int, token: str, axis: str = "n") -> Document:
    """Insert a token before place `at`; its rows are new, its mask entries allowed."""
    return with_tokens_added(document, at, (token,), axis)


def with_tokens_added(
    document: Document, at: int, tokens: Sequence[str], axis: str = "n", given: Given = NONE
) -> Document:
    """Insert tokens before place `at`; their rows are new, their mask entries allowed."""
    if not tokens:
        return document
    old = tokens_along(document, axis)
    picks: list[int | None] = [*range(at), *[None] * len(tokens), *range(at, len(old))]
    return reindexed(document, {axis: picks}, {axis: (*old[:at], *tokens, *old[at:])}, given)


def with_tokens_removed(document: Document, gone: Sequence[int], axis: str = "n") -> Document:
    """Remove tokens by their places. Raises UserError "tokens.last" if none would be left."""
    kept = sorted(set(range(len(tokens_along(document, axis)))) - set(gone))
    if not kept:
        raise UserError("tokens.last")
    return with_tokens_ordered(document, kept, axis)


def with_token_named(document: Document, at: int, token: str, axis: str = "n") -> Document:
    """Rename a token; empty and duplicate texts are allowed."""
    old = tokens_along(document, axis)
    return with_tokens_named(document, (*old[:at], token, *old[at + 1 :]), axis)


def with_tokens_named(document: Document, tokens: Sequence[str], axis: str = "n") -> Document:
    """Rename all tokens of a sentence."""
    if tuple(tokens) == tokens_along(document, axis):
        return document
    if axis == "u" and document.output is not None:
        return document.with_(output=replace(document.output, vocabulary=tuple(tokens)))
    if document.context is None or axis == "n":
        return document.with_(tokens=tuple(tokens))
    return document.with_(context=replace(document.context, tokens=tuple(tokens)))


def with_token_moved(document: Document, at: int, to: int, axis: str = "n") -> Document:
    """Move a token with its numbers; a learned P stays, because its rows belong to the places."""
    order = list(range(len(tokens_along(document, axis))))
    order.insert(to, order.pop(at))
    return document if at == to else with_tokens_ordered(document, order, axis)


def with_tokens_ordered(
    document: Document, order: Sequence[int], axis: str = "n", given: Given = NONE
) -> Document:
    """Keep the tokens at the given old places, in that order."""
    old = tokens_along(document, axis)
    if list(order) == list(range(len(old))):
        return document
    return reindexed(document, {axis: order}, {axis: tuple(old[i] for i in order)}, given)


def with_context(document: Document) -> Document:
    """Take keys and values from another sentence, which starts as a copy of this one.

    Its vectors are marked as filled. With Q, K and V entered, K and V are that sentence's from now
    on.
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
    """Take keys and values from the tokens themselves and remove the other sentence."""
    if document.context is None:
        return document
    picks: list[int | None] = [i if i < document.m else None for i in range(document.n)]
    kept = reindexed(document, {"m": picks}, {"m": document.tokens})
    pins = tuple(pin for pin in kept.pins if STAGE_AXES[pin.stage] != ("m", "d"))
    marks = frozenset(mark for mark in kept.filled if STAGE_AXES.get(mark.tensor) != ("m", "d"))
    return kept.with_(context=None, pins=pins, filled=marks)


def tokens_along(document: Document, axis: str) -> tuple[str, ...]:
    """The tokens of a sentence, or the vocabulary.

    Raises UserError "context.absent" for "m" without a context, "tensor.absent" for "u" without an
    output.
    """
    if axis == "u":
        if document.output is None:
            raise UserError("tensor.absent", name="W_U")
        return document.output.vocabulary
    if axis == "m" and document.context is None:
        raise UserError("context.absent")
    return document.tokens if axis == "n" else document.key_tokens


def with_size(document: Document, axis: str, size: int, given: Given = NONE) -> Document:
    """Set d, k or v to a size by adding or removing columns at the end.

    Raises UserError "size.too_small" (axis, size), or "size.no_d" for d where there is neither X
    nor W_O, "stack.which_layer" for k and v of a stack.
    """
    if size < 1:
        raise UserError("size.too_small", axis=axis, size=size)
    if axis == "d" and document.X is None and document.W_O is None:
        raise UserError("size.no_d")
    old = document.sizes[axis]
    picks: list[int | None] = [i if i < old else None for i in range(size)]
    return document if size == old else reindexed(document, {axis: picks}, given=given)


def with_mlp_width(document: Document, layer: int, size: int, given: Given = NONE) -> Document:
    """Set the width f of the MLP of a layer, from 1. Raises as with_size, and KeyError without an
    MLP.
    """
    if size < 1:
        raise UserError("size.too_small", axis="f", size=size)
    old = int(document.mlp(layer_id(layer, "mlp_hidden")).W_1.shape[1])
    picks: list[int | None] = [i if i < old else None for i in range(size)]
    return document if size == old else reindexed(document, {"f": picks}, given=given, layer=layer)


def with_word_appended(document: Document, word: int) -> Document:
    """Append a word of the vocabulary as the last token.

    Its vector is that of the last token that is equal to it; without one its column of W_U, as in
    models whose input and output embeddings are the same (Press & Wolf 2017). A learned position is
    new. Raises UserError "output.missing" without an output.
    """
    output, X = document.output, document.X
    if output is None or X is None:
        raise UserError("output.missing")
    text = output.vocabulary[word]
    same = [at for at, token in enumerate(document.tokens) if token == text]
    vector = X[same[-1]] if same else output.W_U[:, word]
    longer = with_tokens_added(document, document.n, (text,))
    return with_tensor(longer, "X", np.vstack([X, vector]))


def with_head_added(document: Document, given: Given = NONE) -> Document:
    """Add a head whose weights are the identity pattern (ones on the diagonal), marked as filled."""
    changed = reindexed(document, {"h": [*range(document.h), None]}, given=given)
    index = changed.h - 1
    needed, _ = SOURCES[document.source]
    names = [
        name
        for name in (*needed, "V")
        if any(getattr(head, name) is not None for head in document.heads)
    ]
    eyes: dict[str, Any] = {
        name: _identity(*shape_of(changed, HEAD_TENSORS[name])) for name in names
    }
    return changed.with_(heads=(*changed.heads[:index], replace(changed.heads[index], **eyes)))


def with_head_duplicated(document: Document, index: int) -> Document:
    """Copy a head, with its block of W_O, to the place behind it."""
    order = list(range(document.h))
    order.insert(index + 1, index)
    return reindexed(document, {"h": order})


def with_head_removed(document: Document, index: int, given: Given = NONE) -> Document:
    """Remove a head with its block of W_O. Raises UserError "heads.last" for the only one."""
    if document.h == 1:
        raise UserError("heads.last")
    return reindexed(document, {"h": [i for i in range(document.h) if i != index]}, given=given)


def with_head_moved(document: Document, index: int, to: int) -> Document:
    """Move a head with its block of W_O."""
    order = list(range(document.h))
    order.insert(to, order.pop(index))
    return document if index == to else reindexed(document, {"h": order})


def _identity(rows: int, columns: int) -> Array:
    return frozen(np.eye(rows, columns))
