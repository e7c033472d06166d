"""New experiments: tokens, sizes and a rule for the first numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.document.document import HEAD_TENSORS, Context, Document, Head

FILLS = ("zeros", "identity", "one_hot", "integers", "normal", "xavier")
SEEDED = ("integers", "normal", "xavier")
SMALLEST, LARGEST = -2, 3

# rows, columns, and whether it is a weight matrix
Fill = Callable[[int, int, bool], Array]


@dataclass(frozen=True, slots=True)
class Sizes:
    """d = d_model, k = d_k, v = d_v, h heads; d is not used when Q, K and V are entered."""

    d: int = 4
    k: int = 2
    v: int = 2
    h: int = 1


def create(
    tokens: Sequence[str],
    source: str,
    sizes: Sizes,
    fill: str = "integers",
    seed: int = 0,
    title: str = "",
    *,
    context: Sequence[str] = (),
) -> Document:
    """Create an experiment whose numbers follow from the arguments alone.

    `fill`: "zeros"; "identity", ones on the diagonal of each matrix; "one_hot", a single one in
    each row, going round the columns; "integers", from −2 to 3; "normal", N(0, 1); "xavier",
    weights uniform within ±√(6/(rows + columns)) (Glorot and Bengio 2010) and all else N(0, 1). The
    drawn ones come row by row from NumPy's default generator with `seed`, in the order X, the
    context's X, then W_Q, W_K, W_V of each head in turn, then W_O; with the source "qkv" Q, K, V of
    each head in turn. Several heads that start from embeddings get a W_O, (h·v, d). `context` holds
    the tokens of another sentence that keys and values come from. Raises UserError:
    "size.too_small" (axis, size), "kind.unknown" (fill), "document.no_tokens", and all else that a
    Document raises.
    """
    for axis in "dkvh":
        if getattr(sizes, axis) < 1:
            raise UserError("size.too_small", axis=axis, size=getattr(sizes, axis))
    if not tokens:
        raise UserError("document.no_tokens")
    number = _fill(fill, seed)
    lengths = {
        "n": len(tokens),
        "m": len(context or tokens),
        "d": sizes.d,
        "k": sizes.k,
        "v": sizes.v,
    }
    X, X_context = (
        number(len(texts), sizes.d, False) if source == "embeddings" and texts else None
        for texts in (tokens, context)
    )
    names = ("W_Q", "W_K", "W_V") if source == "embeddings" else ("Q", "K", "V")
    heads = tuple(_head(names, lengths, number) for _ in range(sizes.h))
    other = Context(tuple(context), X_context) if context else None
    joined = source == "embeddings" and sizes.h > 1
    W_O = number(sizes.h * sizes.v, sizes.d, True) if joined else None
    return Document(tuple(tokens), heads, title=title, source=source, X=X, context=other, W_O=W_O)


def _head(names: Sequence[str], lengths: dict[str, int], number: Fill) -> Head:
    tensors: dict[str, Any] = {}
    for name in names:
        rows, columns = (lengths[axis] for axis in HEAD_TENSORS[name])
        tensors[name] = number(rows, columns, name.startswith("W_"))
    return Head(**tensors)


def _fill(fill: str, seed: int) -> Fill:
    if fill not in FILLS:
        raise UserError("kind.unknown", place="fill", kind=fill, known=FILLS)
    generator = np.random.default_rng(seed)

    def number(rows: int, columns: int, weight: bool) -> Array:
        shape = (rows, columns)
        if fill == "integers":
            return frozen(generator.integers(SMALLEST, LARGEST + 1, size=shape))
        if fill == "xavier" and weight:
            reach = float(np.sqrt(6.0 / (rows + columns)))
            return frozen(generator.uniform(-reach, reach, size=shape))
        if fill in ("normal", "xavier"):
            return frozen(generator.standard_normal(shape))
        if fill == "one_hot":
            return frozen(np.eye(columns)[np.arange(rows) % columns])
        return frozen(np.eye(rows, columns) if fill == "identity" else np.zeros(shape))

    return number
