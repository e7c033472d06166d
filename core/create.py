"""New experiments: tokens, sizes and a rule for the first numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.arrays import Array, frozen
from core.document import HEAD_TENSORS, Document, Head
from core.problems import Problem

FILLS = ("zeros", "identity", "integers")
SMALLEST, LARGEST = -2, 3

Fill = Callable[[int, int], Array]


@dataclass(frozen=True, slots=True)
class Sizes:
    """d = d_model, k = d_k, v = d_v, h heads; d is not used when Q, K and V are entered."""

    d: int = 4
    k: int = 2
    v: int = 2
    h: int = 1


def create(
    tokens: Sequence[str], source: str, sizes: Sizes, fill: str = "integers", seed: int = 0, title: str = ""
) -> Document:
    """An experiment whose every number follows from the arguments.

    `fill`: "zeros"; "identity", ones on the diagonal of each matrix; "integers", from −2 to 3, drawn row by row with
    NumPy's default generator from `seed`, in the order X, then W_Q, W_K, W_V of each head in turn, then W_O; with the
    source "qkv" Q, K, V of each head in turn. Several heads that start from embeddings get a W_O, (h·v, d).
    Raises Problem: "size.too_small" (axis, size), "kind.unknown" (fill), "document.no_tokens", and all else that a
    Document raises.
    """
    for axis in "dkvh":
        if getattr(sizes, axis) < 1:
            raise Problem("size.too_small", axis=axis, size=getattr(sizes, axis))
    if not tokens:
        raise Problem("document.no_tokens")
    number = _fill(fill, seed)
    lengths = {"n": len(tokens), "d": sizes.d, "k": sizes.k, "v": sizes.v}
    X = number(len(tokens), sizes.d) if source == "embeddings" else None
    names = ("W_Q", "W_K", "W_V") if source == "embeddings" else ("Q", "K", "V")
    heads = tuple(_head(names, lengths, number) for _ in range(sizes.h))
    joined = source == "embeddings" and sizes.h > 1
    W_O = number(sizes.h * sizes.v, sizes.d) if joined else None
    return Document(tuple(tokens), heads, title=title, source=source, X=X, W_O=W_O)


def _head(names: Sequence[str], lengths: dict[str, int], number: Fill) -> Head:
    tensors: dict[str, Any] = {name: number(*(lengths[axis] for axis in HEAD_TENSORS[name])) for name in names}
    return Head(**tensors)


def _fill(fill: str, seed: int) -> Fill:
    if fill not in FILLS:
        raise Problem("kind.unknown", place="fill", kind=fill, known=FILLS)
    generator = np.random.default_rng(seed)

    def number(rows: int, columns: int) -> Array:
        if fill == "integers":
            return frozen(generator.integers(SMALLEST, LARGEST + 1, size=(rows, columns)))
        return frozen(np.eye(rows, columns) if fill == "identity" else np.zeros((rows, columns)))

    return number
