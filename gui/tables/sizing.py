"""Other sizes, as one pure edit, and what it would change. Free of Qt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from core.document import HEAD_TENSORS, SHARED_TENSORS, Document
from core.resize import with_head_added, with_head_removed, with_size, with_tokens_added, with_tokens_ordered

# The letters that can be set, in the order of the fields.
AXES = ("n", "h", "d", "k", "v")


def with_sizes(document: Document, sizes: Mapping[str, int], token: str) -> Document:
    """The given sizes, the others as they are: places at the end are added (tokens called `token`) or taken away."""
    n = sizes.get("n", document.n)
    if n < document.n:
        document = with_tokens_ordered(document, range(n))
    document = with_tokens_added(document, document.n, (token,) * (n - document.n))
    while document.h < sizes.get("h", document.h):
        document = with_head_added(document)
    while document.h > sizes.get("h", document.h):
        document = with_head_removed(document, document.h - 1)
    for axis in ("d", "k", "v"):
        if axis in sizes and sizes[axis] != document.sizes[axis]:
            document = with_size(document, axis, sizes[axis])
    return document


@dataclass(frozen=True, slots=True)
class Forecast:
    """What other sizes would change: shapes of one head by tensor, and numbers over all heads."""

    shapes: dict[str, tuple[tuple[int, ...], tuple[int, ...]]]
    new: int
    lost: int


def forecast(document: Document, wanted: Mapping[str, int]) -> Forecast:
    """What `with_sizes` would do, from the axes alone."""
    before = document.sizes
    after = {**before, **wanted}
    after["c"] = after["h"] * after["v"]
    after["o"] = after["c"] if document.W_O is None else after["d"]
    shapes: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    new = lost = 0
    for name in document.inputs:
        axes = HEAD_TENSORS.get(name) or SHARED_TENSORS[name]
        old_shape, new_shape = (tuple(sizes[axis] for axis in axes) for sizes in (before, after))
        if old_shape != new_shape:
            shapes[name] = (old_shape, new_shape)
        letters = _letters(name)
        kept = math.prod(min(before[axis], after[axis]) for axis in letters)
        new += math.prod(after[axis] for axis in letters) - kept
        lost += math.prod(before[axis] for axis in letters) - kept
    return Forecast(shapes, new, lost)


def _letters(name: str) -> tuple[str, ...]:
    """The axes of a tensor over all heads; the rows of W_O are heads and columns of V."""
    if name in HEAD_TENSORS:
        return ("h", *HEAD_TENSORS[name])
    return tuple(letter for axis in SHARED_TENSORS[name] for letter in ("hv" if axis == "c" else axis))
