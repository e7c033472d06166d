"""Pure edits of sizes and order: tokens of either sentence, heads, d_model, d_k, d_v. Numbers that
exist stay.

The edits of tokens speak of the sentence of the queries, `axis` "n", or of the context, "m". The
weights of an added head are the identity pattern; other new numbers are 0, and all are marked in
`document.filled`. Of tensors that are `given` right after (by name and head, as those are numbered
then), none are marked: a million marks take longer to make than everything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from core.base.arrays import Array, BoolArray, frozen, frozen_bool
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.document import (
    HEAD_TENSORS,
    SHARED_TENSORS,
    Context,
    Document,
    Head,
    Mask,
    Pin,
    Positional,
)
from core.document.parts import POSITIONAL_TENSORS, SOURCES, STAGE_AXES, TENSOR_PLACES

# For each axis letter, where each new place takes its numbers from: an old index, or None for a new
# one.
Picks = dict[str, Sequence[int | None]]
Tokens = Mapping[str, tuple[str, ...]]
Given = frozenset[tuple[str, int]]  # tensors, by name and head
NONE: Given = frozenset()


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
    """The tokens of a sentence. Raises UserError "context.absent" for "m" without a context."""
    if axis == "m" and document.context is None:
        raise UserError("context.absent")
    return document.tokens if axis == "n" else document.key_tokens


def with_size(document: Document, axis: str, size: int, given: Given = NONE) -> Document:
    """Set d, k or v to a size by adding or removing columns at the end.

    Raises UserError "size.too_small" (axis, size), or "size.no_d" for d where there is neither X
    nor W_O.
    """
    if size < 1:
        raise UserError("size.too_small", axis=axis, size=size)
    if axis == "d" and document.X is None and document.W_O is None:
        raise UserError("size.no_d")
    old = document.sizes[axis]
    picks: list[int | None] = [i if i < old else None for i in range(size)]
    return document if size == old else reindexed(document, {axis: picks}, given=given)


def with_head_added(document: Document, given: Given = NONE) -> Document:
    """Add a head whose weights are the identity pattern (ones on the diagonal), marked as filled."""
    changed = reindexed(document, {"h": [*range(document.h), None]}, given=given)
    index = changed.h - 1
    needed, _ = SOURCES[document.source]
    names = [name for name in (*needed, "V") if getattr(document.heads[0], name) is not None]
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


@dataclass(frozen=True, slots=True)
class _Picker:
    """Applies picks along named axes to tensors, marks and pins."""

    picks: Picks
    tokens: Mapping[str, int]  # how many there were along n and m
    # What a hundred thousand marks ask for, each found once.
    _own: dict[str, _Picker] = field(default_factory=dict, init=False)
    _moves: dict[str, dict[int, list[int]]] = field(default_factory=dict, init=False)

    def of(self, name: str) -> _Picker:
        """The picker for a tensor or stage.

        Rows of P belong to places, not to tokens: new ones come at the end.
        """
        axis = SHARED_TENSORS[name][0] if name in POSITIONAL_TENSORS else ""
        if axis not in self.picks:
            return self
        if axis not in self._own:
            places = [
                place if place < self.tokens[axis] else None
                for place in range(len(self.picks[axis]))
            ]
            self._own[axis] = replace(self, picks={**self.picks, axis: places})
        return self._own[axis]

    def array(self, array: Array, axes: Sequence[str], fill: float = 0.0) -> Array:
        if not any(axis in self.picks for axis in axes):
            return array  # the very same one, so that the next trace need not compute it again
        result = np.array(array)
        for number, axis in enumerate(axes):
            picks = self.picks.get(axis)
            if picks is not None:
                result = self._along(result, number, picks, fill)
        return frozen(result)

    def mask(self, allow: BoolArray) -> BoolArray:
        return frozen_bool(self.array(frozen(allow), ("n", "m"), fill=1.0) != 0)

    @staticmethod
    def _along(array: Array, number: int, picks: Sequence[int | None], fill: float) -> Array:
        taken = np.take(array, [pick or 0 for pick in picks], axis=number)
        new = [place for place, pick in enumerate(picks) if pick is None]
        index: list[slice | list[int]] = [slice(None)] * array.ndim
        index[number] = new
        taken[tuple(index)] = fill
        return taken

    def new_places(
        self, axes: Sequence[str], shape: tuple[int, ...]
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Which entries of a tensor of the new shape are new."""
        new = np.zeros(shape, dtype=bool)
        for number, axis in enumerate(axes):
            for place, pick in enumerate(self.picks.get(axis, ())):
                if pick is None:
                    index: list[slice | int] = [slice(None)] * len(shape)
                    index[number] = place
                    new[tuple(index)] = True
        return new

    def moved(self, axes: Sequence[str], index: Sequence[int]) -> list[tuple[int, ...]]:
        """The new indices of an old entry: none if it is gone, several if it was copied."""
        places: list[tuple[int, ...]] = [()]
        for axis, old in zip(axes, index, strict=True):
            found = self._moved_along(axis).get(old, []) if axis in self.picks else [old]
            places = [(*place, new) for place in places for new in found]
        return places

    def _moved_along(self, axis: str) -> dict[int, list[int]]:
        """The new places along an axis of each old one that is left."""
        if axis not in self._moves:
            moves: dict[int, list[int]] = {}
            for place, pick in enumerate(self.picks[axis]):
                if pick is not None:
                    moves.setdefault(pick, []).append(place)
            self._moves[axis] = moves
        return self._moves[axis]


def reindexed(
    document: Document, picks: Picks, tokens: Tokens = MappingProxyType({}), given: Given = NONE
) -> Document:
    """Apply picks to tensors, mask, pins and marks; `tokens` are the new ones along n and m."""
    if document.context is None and "n" in picks:
        picks = {**picks, "m": picks["n"]}  # the keys are the tokens themselves
    picker = _Picker(_output_picks(document, picks), {"n": document.n, "m": document.m})
    order = picks.get("h", range(document.h))
    heads = tuple(_picked_head(document, picker, index) for index in order)
    shared = {name: _picked_shared(document, picker, name) for name in ("X", "W_O", "b_O")}
    changes: dict[str, Any] = {
        "tokens": tokens.get("n", document.tokens),
        "context": _picked_context(document, picker, tokens),
        "heads": heads,
        "positional": _picked_positional(document.positional, picker),
        "mask": _picked_mask(document.mask, picker),
        **shared,
    }
    changed = replace(document, pins=(), filled=frozenset(), **changes)
    return replace(
        changed,
        pins=_picked_pins(document, picker),
        filled=_marks(document, changed, picker, given),
    )


def _output_picks(document: Document, picks: Picks) -> Picks:
    """Rows of W_O come in blocks of d_v, one for each head; its columns follow d (or c when X is
    absent).
    """
    heads = picks.get("h", range(document.h))
    columns = picks.get("v", range(document.v))
    blocks = [
        None if head is None or j is None else head * document.v + j
        for head in heads
        for j in columns
    ]
    result: Picks = dict(picks)
    if "h" in picks or "v" in picks:
        result["c"] = blocks
    if document.W_O is None:
        result["o"] = result.get("c", range(document.c))
    elif "d" in picks:
        result["o"] = picks["d"]
    return result


def _picked_head(document: Document, picker: _Picker, index: int | None) -> Head:
    source = document.heads[0 if index is None else index]
    tensors: dict[str, Any] = {}
    for name, axes in HEAD_TENSORS.items():
        tensor = getattr(source, name)
        array = None if tensor is None else picker.array(tensor, axes)
        tensors[name] = (
            frozen(np.zeros(array.shape)) if array is not None and index is None else array
        )
    return Head(
        name=source.name if index is not None else "",
        enabled=index is None or source.enabled,
        **tensors,
    )


def _picked_shared(document: Document, picker: _Picker, name: str) -> Array | None:
    tensor = document.tensor(name)
    return None if tensor is None else picker.array(tensor, SHARED_TENSORS[name])


def _picked_context(document: Document, picker: _Picker, tokens: Tokens) -> Context | None:
    if document.context is None:
        return None
    X, P = (_picked_shared(document, picker.of(name), name) for name in ("X_context", "P_context"))
    return Context(tokens.get("m", document.key_tokens), X, P)


def _picked_positional(positional: Positional, picker: _Picker) -> Positional:
    for name, (part, field_name) in TENSOR_PLACES.items():
        tensor = getattr(positional, field_name) if part == "positional" else None
        if tensor is not None:
            picked: dict[str, Any] = {
                field_name: picker.of(name).array(tensor, SHARED_TENSORS[name])
            }
            positional = replace(positional, **picked)
    if positional.slopes is not None:
        positional = replace(positional, slopes=picker.array(positional.slopes, ("h",)))
    return positional


def _picked_mask(mask: Mask, picker: _Picker) -> Mask:
    if mask.allow is None or not {"n", "m"} & set(picker.picks):
        return mask
    return replace(mask, allow=picker.mask(mask.allow))


def _picked_pins(document: Document, picker: _Picker) -> tuple[Pin, ...]:
    pins = []
    for pin in document.pins:
        for index in picker.of(pin.stage).moved(STAGE_AXES[pin.stage], pin.index):
            pins.append(Pin(pin.stage, index, pin.value))
    return tuple(pins)


def _marks(document: Document, changed: Document, picker: _Picker, given: Given) -> frozenset[Cell]:
    """The old marks that remain, and marks for all new numbers except the given tensors."""
    marks: set[Cell] = set()
    for mark in document.filled:
        if (mark.tensor, mark.head) in given:
            continue
        axes, index = _axes_and_index(mark)
        for place in picker.of(mark.tensor).moved(axes, index):
            marks.add(_cell_of(mark.tensor, axes, place))
    kept = [
        name
        for name in POSITIONAL_TENSORS
        if changed.tensor(name) is not None and name not in changed.inputs
    ]
    for name in (*changed.inputs, *kept):
        heads = range(changed.h) if name in HEAD_TENSORS else (0,)
        marked = frozenset(head for head in heads if (name, head) not in given)
        if marked:
            marks |= _new_cells(changed, picker, name, marked)
    return frozenset(marks)


def shape_of(document: Document, axes: Sequence[str]) -> tuple[int, ...]:
    """The shape of a tensor along axes named by their letters."""
    return tuple(document.sizes[axis] for axis in axes)


def _axes_and_index(cell: Cell) -> tuple[tuple[str, ...], tuple[int, ...]]:
    of_head = cell.tensor in HEAD_TENSORS
    axes = HEAD_TENSORS[cell.tensor] if of_head else SHARED_TENSORS[cell.tensor]
    index = (cell.row, cell.column) if len(axes) == 2 else (cell.column,)
    return (("h", *axes), (cell.head, *index)) if of_head else (axes, index)


def _cell_of(name: str, axes: Sequence[str], index: Sequence[int]) -> Cell:
    head, index = (index[0], index[1:]) if axes[0] == "h" else (0, index)
    return Cell(name, index[0] if len(index) == 2 else 0, index[-1], head)


def _new_cells(changed: Document, picker: _Picker, name: str, of: frozenset[int]) -> set[Cell]:
    of_head = name in HEAD_TENSORS
    axes: tuple[str, ...] = ("h", *HEAD_TENSORS[name]) if of_head else SHARED_TENSORS[name]
    new = picker.of(name).new_places(axes, shape_of(changed, axes))
    if of_head:
        new[[head for head in range(changed.h) if head not in of]] = False
    places = np.argwhere(new).T.tolist() or [[]]  # half a million cells: a list for each axis
    heads = places.pop(0) if of_head else [0] * len(places[-1])
    rows = places[-2] if len(places) == 2 else [0] * len(places[-1])
    there = {head for head in set(heads) if changed.tensor(name, head) is not None}
    numbered = zip(heads, rows, places[-1], strict=True)
    return {Cell(name, row, column, head) for head, row, column in numbered if head in there}
