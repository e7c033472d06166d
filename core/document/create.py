"""New experiments: tokens, sizes and a rule for the first numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.document.document import Context, Document, Head
from core.document.parts import Layer, Mlp, Norm, Norms, Output, layer_id

FILLS = ("graded", "zeros", "identity", "one_hot", "integers", "normal", "xavier")
SEEDED = ("graded", "integers", "normal", "xavier")
SMALLEST, LARGEST = -2, 3
# Factors that are tried for graded weights: rounding to one decimal changes the spread.
_FACTORS = np.geomspace(0.5, 2.0, 81)

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
    spread: float = 1.0,
) -> Document:
    """Create an experiment whose numbers follow from the arguments alone.

    `fill`: "graded", one decimal each, and W_Q and W_K (or Q and K) so large that the scaled scores
    of a row have a standard deviation of about `spread`, which keeps weights between all and
    nothing; "zeros"; "identity", ones on the diagonal of each matrix; "one_hot", a single one in
    each row, going round the columns; "integers", from −2 to 3; "normal", N(0, 1); "xavier",
    weights uniform within ±√(6/(rows + columns)) (Glorot and Bengio 2010) and all else N(0, 1). The
    drawn ones come row by row from NumPy's default generator with `seed`, in the order X, the
    context's X, then W_Q, W_K, W_V of each head in turn, then W_O; with the source "qkv" Q, K, V of
    each head in turn. Equal tokens get equal rows, those of the first. Several heads that start
    from embeddings get a W_O, (h·v, d). `context` holds the tokens of another sentence that keys
    and values come from. Raises UserError: "size.too_small" (axis, size), "kind.unknown" (fill),
    "document.no_tokens", and all else that a Document raises.
    """
    for axis in "dkvh":
        if getattr(sizes, axis) < 1:
            raise UserError("size.too_small", axis=axis, size=getattr(sizes, axis))
    if not tokens:
        raise UserError("document.no_tokens")
    number = _fill(fill, seed)
    embedded = source == "embeddings"
    X, X_context = (
        number(len(texts), sizes.d, False) if embedded and texts else None
        for texts in (tokens, context)
    )
    if X is not None:
        rows = _shared(X if X_context is None else np.vstack((X, X_context)), (*tokens, *context))
        X = frozen(rows[: len(tokens)])
        X_context = None if X_context is None else frozen(rows[len(tokens) :])
    heads = [_head(embedded, tokens, context or tokens, sizes, number) for _ in range(sizes.h)]
    if fill == "graded":
        keys = X if X_context is None else X_context
        heads = [_graded(head, X, keys, spread) for head in heads]
    other = Context(tuple(context), X_context) if context else None
    W_O = number(sizes.h * sizes.v, sizes.d, True) if embedded and sizes.h > 1 else None
    return Document(
        tuple(tokens), tuple(heads), title=title, source=source, X=X, context=other, W_O=W_O
    )


def _shared(array: Array, tokens: Sequence[str]) -> Array:
    """The rows of an array, the first one of equal tokens for all of them."""
    first: dict[str, int] = {}
    return frozen(array[[first.setdefault(token, row) for row, token in enumerate(tokens)]])


def _head(
    embedded: bool, tokens: Sequence[str], keys: Sequence[str], sizes: Sizes, number: Fill
) -> Head:
    widths = {"Q": sizes.k, "K": sizes.k, "V": sizes.v}
    if embedded:
        weights: dict[str, Any] = {
            f"W_{name}": number(sizes.d, size, True) for name, size in widths.items()
        }
        return Head(**weights)
    texts = {"Q": tokens, "K": keys, "V": keys}
    entered: dict[str, Any] = {
        name: _shared(number(len(texts[name]), size, False), texts[name])
        for name, size in widths.items()
    }
    return Head(**entered)


def _graded(head: Head, X: Array | None, X_keys: Array | None, spread: float) -> Head:
    """Scale the numbers that make the scores of a head, and round them to tenths."""
    names = ("Q", "K") if X is None else ("W_Q", "W_K")
    first, second = (getattr(head, name) for name in names)

    def spread_of(factor: float) -> float:
        Q, K = _tenths(first * factor), _tenths(second * factor)
        if X is not None and X_keys is not None:
            Q, K = X @ Q, X_keys @ K
        scaled = Q @ K.T / np.sqrt(Q.shape[1])
        return float(np.sqrt(np.mean(np.var(scaled, axis=1))))

    found = spread_of(1.0)
    if found == 0.0:  # one key, or equal ones: no factor makes a difference
        return head
    factors = _FACTORS * np.sqrt(spread / found)
    best = min(factors, key=lambda factor: abs(spread_of(factor) - spread))
    scaled: dict[str, Any] = dict(
        zip(names, map(_tenths, (first * best, second * best)), strict=True)
    )
    return replace(head, **scaled)


def _tenths(array: Array) -> Array:
    return frozen(np.rint(array * 10) / 10 + 0.0)  # no −0


def _fill(fill: str, seed: int) -> Fill:
    if fill not in FILLS:
        raise UserError("kind.unknown", place="fill", kind=fill, known=FILLS)
    generator = np.random.default_rng(seed)

    def number(rows: int, columns: int, weight: bool) -> Array:
        shape = (rows, columns)
        if fill == "graded":
            return frozen(generator.integers(-9, 10, size=shape) / 10)
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


def as_block(document: Document, seed: int = 0) -> Document:
    """Put the attention of an experiment into a transformer block: a stack of one layer.

    LayerNorm comes before attention and before the MLP, both have residual connections, and the MLP
    has 2·d neurons. W_1 and W_2 are graded numbers drawn with `seed`; so is W_O where there is none,
    or it is the identity where the heads side by side are d wide. The words of the output are the tokens, and W_U holds
    their vectors as columns, as in models whose input and output embeddings are the same (Press &
    Wolf 2017). Pins and marks stay. Raises UserError "block.source" unless the experiment starts
    from embeddings of one sentence; the same document if it is a stack already.
    """
    if document.is_stack:
        return document
    X, d = document.X, document.d
    if X is None or document.context is not None:
        raise UserError("block.source")
    number = _fill("graded", seed)
    W_1, W_2 = number(d, 2 * d, True), number(2 * d, d, True)
    W_O = document.W_O
    if W_O is None:
        W_O = frozen(np.eye(d)) if document.c == d else number(document.c, d, True)
    norm = Norm(gamma=frozen(np.ones(d)), beta=frozen(np.zeros(d)))
    layer = Layer(
        heads=document.heads,
        W_O=W_O,
        b_O=document.b_O,
        norm=Norms(attention=norm, mlp=norm),
        mlp=Mlp(W_1=W_1, W_2=W_2, b_1=frozen(np.zeros(2 * d)), b_2=frozen(np.zeros(d))),
    )
    words = tuple(dict.fromkeys(document.tokens))
    vectors = [X[document.tokens.index(word)] for word in words]
    return document.with_(
        heads=(),
        W_O=None,
        b_O=None,
        layers=(layer,),
        final_norm=norm,
        output=Output(W_U=frozen(np.array(vectors).T), vocabulary=words),
        pins=tuple(replace(pin, stage=_in_first_layer(pin.stage)) for pin in document.pins),
        filled=frozenset(
            replace(cell, tensor=_in_first_layer(cell.tensor)) for cell in document.filled
        ),
    )


def _in_first_layer(name: str) -> str:
    """The id of a stage or tensor of attention in a stack of one layer."""
    before = ("X", "P", "input")
    return name if name in before else layer_id(1, name)
