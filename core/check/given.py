"""Given numbers: which of the entered tensors are exact, and which are rounded to the digits written."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from msgspec import Struct

from core.base.arrays import Array
from core.document.document import Document
from core.document.parts import is_of_head

EXACT, ROUNDED = "exact", "rounded"
LEAST_DECIMALS = 2  # a tensor with fewer is exact: 0, 1 and 0.5 are chosen, not rounded
MOST_DECIMALS = 12  # more are all digits of a double

Tensor = tuple[str, int]  # the name of an entered tensor, and its head (0 where all heads share it)


class Given(Struct, frozen=True):
    """How the entered numbers count: all "exact", all "rounded", or "" for rounded where imported."""

    mode: str = ""
    imported: frozenset[Tensor] = frozenset()


NOT_IMPORTED = Given()


def rounded_tensors(document: Document, given: Given) -> dict[Tensor, int]:
    """The tensors that count as rounded, with their numbers of decimals."""
    if given.mode == EXACT:
        return {}
    counts = {
        tensor: decimals_of(array)
        for tensor, array in entered_tensors(document)
        if given.mode == ROUNDED or tensor in given.imported
    }
    return {
        tensor: decimals
        for tensor, decimals in counts.items()
        if LEAST_DECIMALS <= decimals <= MOST_DECIMALS
    }


def entered_tensors(document: Document) -> Iterator[tuple[Tensor, Array]]:
    """Every entered tensor that the run uses, head by head."""
    for name in document.inputs:
        for head in range(document.scope(name).h if is_of_head(name) else 1):
            tensor = document.tensor(name, head)
            if tensor is not None:
                yield (name, head), tensor


def changed_tensors(before: Document, after: Document, name: str) -> list[Tensor]:
    """The tensors of a name, head by head, that an edit has replaced or added."""
    return [
        (tensor, head)
        for (tensor, head), array in entered_tensors(after)
        if tensor == name and not (head < before.h and before.tensor(tensor, head) is array)
    ]


def decimals_of(array: Array) -> int:
    """The most decimals of any number in its shortest form; MOST_DECIMALS + 1 for more."""
    found = 0
    with np.errstate(over="ignore"):
        for part in (array.ravel()[:64], array):  # a few tell most of it
            exponents = range(found, MOST_DECIMALS + 1)
            fits = (d for d in exponents if np.array_equal(np.round(part, d), part))
            found = next(fits, MOST_DECIMALS + 1)
    return found


def with_imported(given: Given, document: Document, tensors: Collection[Tensor] | None) -> Given:
    """The given numbers with more tensors that count as imported; None: all of the document."""
    if tensors is None:
        tensors = [tensor for tensor, _ in entered_tensors(document)]
    return Given(given.mode, given.imported.union(tensors))
