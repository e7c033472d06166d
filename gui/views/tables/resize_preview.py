"""Other sizes, as one pure edit, and what it would change. Free of Qt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct

from core.base.errors import UserError
from core.document.document import HEAD_TENSORS, SHARED_TENSORS, Document
from core.document.orientation import Orientation
from core.document.reindex import NONE, Given
from core.document.resize import (
    with_head_added,
    with_head_removed,
    with_size,
    with_tokens_added,
    with_tokens_ordered,
)
from gui.texts.translation import tr

# The letters that can be set, in the order of the fields, and how far.
LARGEST = {"n": 5000, "m": 5000, "h": 64, "d": 1024, "k": 1024, "v": 1024}
AXES = tuple(LARGEST)
# As many scores as 5,000 tokens have with two heads: 400 MB in each stage that holds them.
MOST_SCORES = 2 * LARGEST["n"] ** 2
MOST_NEW = 2_000_000  # each is marked until somebody edits it


def with_sizes(
    document: Document, sizes: Mapping[str, int], token: str, given: Given = NONE
) -> Document:
    """The given sizes, the others as they are: places at the end are added (tokens called `token`) or taken away.
    Tensors that are `given` anew are not marked as made up."""
    for axis in ("n", "m"):
        size, now = sizes.get(axis, document.sizes[axis]), document.sizes[axis]
        if size < now:
            document = with_tokens_ordered(document, range(size), axis, given)
        elif size > now:
            document = with_tokens_added(document, now, (token,) * (size - now), axis, given)
    while document.h < sizes.get("h", document.h):
        document = with_head_added(document, given)
    while document.h > sizes.get("h", document.h):
        document = with_head_removed(document, document.h - 1, given)
    for axis in ("d", "k", "v"):
        if axis in sizes and sizes[axis] != document.sizes[axis]:
            document = with_size(document, axis, sizes[axis], given)
    return document


def most(document: Document, axis: str) -> int:
    """The largest size that an axis can be given; an experiment that came with a larger one keeps it."""
    return max(LARGEST[axis], document.sizes[axis])


def require_possible(document: Document, wanted: Mapping[str, int]) -> None:
    """Raise a UserError where sizes are too small or too large: "size.range" (axis, most), "size.scores" (h, most),
    "size.new" (actual, most)."""
    for axis, size in wanted.items():
        if not 1 <= size <= most(document, axis):
            raise UserError("size.range", axis=axis, most=most(document, axis))
    after = _after(document, wanted)
    scores = after["h"] * after["n"] * after["m"]
    if scores > max(MOST_SCORES, document.h * document.n * document.m):
        raise UserError("size.scores", h=after["h"], most=math.isqrt(MOST_SCORES // after["h"]))
    new = forecast(document, wanted).new
    if new > MOST_NEW:
        raise UserError("size.new", actual=new, most=MOST_NEW)


def _after(document: Document, wanted: Mapping[str, int]) -> dict[str, int]:
    """The sizes then; without a context the keys are the tokens themselves."""
    after = {**document.sizes, **wanted}
    return after if document.context is not None else {**after, "m": after["n"]}


class Forecast(Struct, frozen=True):
    """What other sizes would change: shapes of one head by tensor, and numbers over all heads."""

    shapes: dict[str, tuple[tuple[int, ...], tuple[int, ...]]]
    new: int
    lost: int


def forecast(document: Document, wanted: Mapping[str, int], given: str = "") -> Forecast:
    """What `with_sizes` would do, from the axes alone. The numbers of a tensor that is `given` anew, in one head, are
    neither new nor lost."""
    before, after = document.sizes, _after(document, wanted)
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
        heads = before["h"] if name in HEAD_TENSORS else 1
        part = Fraction(heads - 1, heads) if name == given else 1
        new += int(part * (math.prod(after[axis] for axis in letters) - kept))
        lost += int(part * (math.prod(before[axis] for axis in letters) - kept))
    return Forecast(shapes, new, lost)


def told(ahead: Forecast, orientation: Orientation) -> list[str]:
    """What would change, in words: a matrix each, then the numbers."""
    shapes = (
        (name, *(_shape(shape, orientation) for shape in both))
        for name, both in ahead.shapes.items()
    )
    parts = [f"{name} {before} → {after}" for name, before, after in shapes]
    if ahead.new:
        parts.append(tr("{n} new numbers, marked", n=ahead.new))
    if ahead.lost:
        parts.append(tr("{n} numbers go (undo brings them back)", n=ahead.lost))
    return parts


def _shape(sizes: tuple[int, ...], orientation: Orientation) -> str:
    return " × ".join(map(str, orientation.pair(*sizes) if len(sizes) == 2 else sizes))


def _letters(name: str) -> tuple[str, ...]:
    """The axes of a tensor over all heads; the rows of W_O are heads and columns of V."""
    if name in HEAD_TENSORS:
        return ("h", *HEAD_TENSORS[name])
    return tuple(
        letter for axis in SHARED_TENSORS[name] for letter in ("hv" if axis == "c" else axis)
    )
