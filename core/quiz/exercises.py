"""Exercises of the quiz: small matrices drawn from a seed, for computing by hand.

The right number is read from the trace of the exercise's experiment, or counted by a lab; each
wrong one is the result of a typical mistake. Numbers are drawn again until all of them are clearly
different.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType

import numpy as np

from core.base.arrays import Array, frozen
from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Context, Document, Head, Mask, Positional, Scale, Softmax
from core.labs.complexity import count, formula
from core.labs.heads import counts
from core.lesson.model import LabReference

TITLE = "quiz"
APART = 0.02  # least distance between two offered numbers, so that they differ in two decimals
Terms = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class GivenMatrix:
    """A matrix of the question: symbol, the tensor whose colour it has, numbers (rows, columns)."""

    symbol: str
    tensor: str
    values: Array


@dataclass(frozen=True, slots=True, eq=False)
class Exercise:
    """A question's numbers.

    `right` is the answer, `slips` the wrong ones by what went wrong. `told` are numbers that its
    words mention, `terms` the products that add up to the answer. `document` with `cell` is the
    experiment in which the answer stands, or `demo` the lab that shows it.
    """

    given: tuple[GivenMatrix, ...]
    right: float
    slips: Mapping[str, float]
    values: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    terms: Terms = ()
    document: Document | None = None
    cell: Cell | None = None
    demo: LabReference | None = None

    @property
    def numbers(self) -> tuple[float, ...]:
        """The right number, then the wrong ones."""
        return (self.right, *self.slips.values())


def is_unambiguous(found: Exercise) -> bool:
    """Whether all numbers are clearly different, and the answer is not 0, the default of its field."""
    return abs(found.right) >= APART and all(
        abs(a - b) >= APART for a, b in combinations(found.numbers, 2)
    )


def document_exercise(
    given: tuple[GivenMatrix, ...],
    right: float,
    slips: Mapping[str, float],
    told: Mapping[str, float],
    terms: Terms,
    document: Document,
    cell: Cell,
) -> Exercise:
    """An exercise whose answer is a cell of an experiment."""
    held = tuple(GivenMatrix(one.symbol, one.tensor, frozen(one.values)) for one in given)
    return Exercise(
        held,
        right,
        MappingProxyType(dict(slips)),
        MappingProxyType(dict(told)),
        terms,
        document,
        cell,
    )


def qkv_document(Q: Array, K: Array, V: Array) -> Document:
    """An experiment with these queries, keys and values."""
    head = Head(Q=frozen(Q), K=frozen(K), V=frozen(V))
    return Document(token_names(len(Q)), (head,), title=TITLE, source="qkv")


def token_names(n: int) -> tuple[str, ...]:
    """Names of n tokens."""
    return tuple(f"t{number}" for number in range(1, n + 1))


def random_integers(rng: np.random.Generator, *shape: int) -> Array:
    """Whole numbers from −2 to 3."""
    return rng.integers(-2, 4, shape).astype(np.float64)


def product_terms(a: Array, b: Array) -> Terms:
    """The products of a dot product.  # (k,), (k,)"""
    return tuple((float(x), float(y)) for x, y in zip(a, b, strict=True))


def query_document(q: Array, K: Array, stage: str, key: int) -> tuple[Document, float]:
    """One query and the keys of another sentence, and the number at a key."""
    tokens = tuple(f"k{number}" for number in range(1, len(K) + 1))
    head = Head(Q=frozen(q), K=frozen(K), V=frozen(np.eye(len(K))))
    document = Document(("q",), (head,), title=TITLE, source="qkv", context=Context(tokens))
    return document, float(run(document)[stage][0, 0, key])


def with_numerators(E: Array, mask: Mask | None = None) -> Document:
    """An experiment whose numerators are these: scores ln E, no shift, no scale."""
    size = len(E)
    head = Head(Q=frozen(np.eye(size)), K=frozen(np.log(E).T), V=frozen(np.eye(size)))
    return Document(
        token_names(size),
        (head,),
        title=TITLE,
        source="qkv",
        mask=mask or Mask(),
        scale=Scale("none"),
        softmax=Softmax(shift=False),
    )


MOST_DRAWS = 400
Draw = Callable[[np.random.Generator], Exercise]


@lru_cache(maxsize=256)
def exercise(kind: str, seed: int) -> Exercise:
    """The exercise of a kind and a seed, always the same. Raises KeyError for no such kind."""
    draw = DRAWS[kind]
    for attempt in range(MOST_DRAWS):
        found = draw(np.random.default_rng([seed, list(DRAWS).index(kind), attempt]))
        if is_unambiguous(found):
            return found
    raise ValueError(kind)  # a test draws every seed


# Roles


def _dot(rng: np.random.Generator) -> Exercise:
    """One raw score of a single query with three keys of 4 numbers."""
    q, K, row = random_integers(rng, 1, 4), random_integers(rng, 3, 4), int(rng.integers(3))
    document, right = query_document(q, K, "scores", row)
    slips = {
        "signs": float(np.abs(q[0] * K[row]).sum()),
        "added": float((q[0] + K[row]).sum()),
        "divided": right / 2,
    }
    return document_exercise(
        (GivenMatrix("q", "Q", q), GivenMatrix("K", "K", K)),
        right,
        slips,
        {"row": row + 1},
        product_terms(q[0], K[row]),
        document,
        Cell("scores", 0, row),
    )


def _scaled(rng: np.random.Generator) -> Exercise:
    """The same score, divided by √4."""
    q, K, row = random_integers(rng, 1, 4), random_integers(rng, 3, 4), int(rng.integers(3))
    document, right = query_document(q, K, "scaled", row)
    raw = float(q[0] @ K[row])
    slips = {"unscaled": raw, "by_dk": raw / 4, "times": raw * 2}
    told = {"row": row + 1, "d_k": 4, "raw": raw}
    given = (GivenMatrix("q", "Q", q), GivenMatrix("K", "K", K))
    return document_exercise(
        given, right, slips, told, product_terms(q[0], K[row]), document, Cell("scaled", 0, row)
    )


def _projection(rng: np.random.Generator) -> Exercise:
    """One entry of q = x · W_Q, with x (1, 3) and W_Q (3, 3)."""
    x, W, column = random_integers(rng, 1, 3), random_integers(rng, 3, 3), int(rng.integers(3))
    eye = frozen(np.eye(3))
    document = Document(("x",), (Head(W_Q=frozen(W), W_K=eye, W_V=eye),), title=TITLE, X=frozen(x))
    slips = {
        "transposed": float(x[0] @ W[column]),
        "unweighted": float(W[:, column].sum()),
        "neighbour": float(x[0] @ W[:, (column + 1) % 3]),
    }
    right = float(run(document)["Q"][0, 0, column])
    given = (GivenMatrix("x", "X", x), GivenMatrix("W_Q", "W_Q", W))
    return document_exercise(
        given,
        right,
        slips,
        {"column": column + 1},
        product_terms(x[0], W[:, column]),
        document,
        Cell("Q", 0, column),
    )


# Scores


def _product(rng: np.random.Generator) -> Exercise:
    """A cell of QKᵀ off its diagonal, with Q and K (3, 2)."""
    Q, K = random_integers(rng, 3, 2), random_integers(rng, 3, 2)
    row, column = (int(place) for place in rng.permutation(3)[:2])
    document = qkv_document(Q, K, random_integers(rng, 3, 2))
    slips = {
        "transposed": float(Q[column] @ K[row]),
        "queries": float(Q[row] @ Q[column]),
        "keys": float(K[row] @ K[column]),
    }
    return document_exercise(
        (GivenMatrix("Q", "Q", Q), GivenMatrix("K", "K", K)),
        float(run(document)["scores"][0, row, column]),
        slips,
        {"row": row + 1, "column": column + 1},
        product_terms(Q[row], K[column]),
        document,
        Cell("scores", row, column),
    )


def _spread(rng: np.random.Generator) -> Exercise:
    """σ(q·k) = √d_k for a width whose root is whole."""
    d_k = int(rng.choice([4, 9, 16, 25, 64, 100, 144, 256, 400]))
    root = math.sqrt(d_k)
    slips = {"variance": float(d_k), "one": 1.0, "inverse": 1 / root}
    demo = LabReference("sqrt-dk", f'{{"d_k": {d_k}}}')
    return Exercise((), root, slips, {"d_k": float(d_k)}, demo=demo)


# Softmax and masks


def _share(rng: np.random.Generator) -> Exercise:
    """A weight from whole numerators e^s (3, 3)."""
    E = rng.integers(1, 10, (3, 3)).astype(np.float64)
    row, column = int(rng.integers(3)), int(rng.integers(3))
    document = with_numerators(E)
    part, total = float(E[row, column]), float(E[row].sum())
    slips = {
        "columns": part / float(E[:, column].sum()),
        "whole": part / float(E.sum()),
        "largest": part / float(E[row].max()),
    }
    return _shares(E, row, column, document, total, slips)


def _masked_share(rng: np.random.Generator) -> Exercise:
    """The same under a causal mask, at a key before the query's own."""
    E = rng.integers(1, 10, (3, 3)).astype(np.float64)
    row, column = ((1, 0), (2, 0), (2, 1))[int(rng.integers(3))]
    document = with_numerators(E, Mask("causal"))
    part, total = float(E[row, column]), float(E[row, : row + 1].sum())
    slips = {
        "unmasked": part / float(E[row].sum()),
        "columns": part / float(E[column:, column].sum()),
        "strict": part / float(E[row, :row].sum()),
    }
    return _shares(E, row, column, document, total, slips)


def _shares(
    E: Array, row: int, column: int, document: Document, total: float, slips: Mapping[str, float]
) -> Exercise:
    told = {"row": row + 1, "column": column + 1, "part": float(E[row, column]), "total": total}
    right = float(run(document)["weights"][0, row, column])
    return document_exercise(
        (GivenMatrix("e^s", "exp", E),),
        right,
        slips,
        told,
        (),
        document,
        Cell("weights", row, column),
    )


# Positions


def _bias(rng: np.random.Generator) -> Exercise:
    """A score of QKᵀ (4, 4) with the bias −m·|i − j|."""
    scores = rng.integers(0, 10, (4, 4)).astype(np.float64)
    slope = float(rng.choice([0.25, 0.5]))
    row, column = ((0, 2), (0, 3), (1, 3), (2, 0), (3, 0), (3, 1))[int(rng.integers(6))]
    head = Head(Q=frozen(np.eye(4)), K=frozen(scores.T), V=frozen(np.eye(4)))
    document = Document(
        token_names(4),
        (head,),
        title=TITLE,
        source="qkv",
        scale=Scale("none"),
        positional=Positional("alibi", slopes=frozen([slope])),
    )
    score, distance = float(scores[row, column]), abs(row - column)
    slips = {
        "added": score + slope * distance,
        "unsloped": score - distance,
        "place": score - slope * (column + 1),
    }
    told = {
        "row": row + 1,
        "column": column + 1,
        "slope": slope,
        "distance": distance,
        "score": score,
    }
    right = float(run(document)["biased"][0, row, column])
    return document_exercise(
        (GivenMatrix("QKᵀ", "scores", scores),),
        right,
        slips,
        told,
        (),
        document,
        Cell("biased", row, column),
    )


# Heads and output


def _mix(rng: np.random.Generator) -> Exercise:
    """A cell of A·V with weights in eighths, A (3, 3) and V (3, 2)."""
    patterns = ((4.0, 2.0, 2.0), (5.0, 2.0, 1.0), (6.0, 1.0, 1.0), (4.0, 3.0, 1.0))
    A = np.array([rng.permutation(patterns[int(rng.integers(4))]) for _ in range(3)]) / 8
    V = rng.integers(-4, 9, (3, 2)).astype(np.float64)
    row, column = int(rng.integers(3)), int(rng.integers(2))
    head = Head(Q=frozen(np.eye(3)), K=frozen(np.log(A).T), V=frozen(V))
    document = Document(token_names(3), (head,), title=TITLE, source="qkv", scale=Scale("none"))
    slips = {
        "transposed": float(A[:, row] @ V[:, column]),
        "mean": float(V[:, column].mean()),
        "hard": float(V[A[row].argmax(), column]),
    }
    return document_exercise(
        (GivenMatrix("A", "weights", A), GivenMatrix("V", "V", V)),
        float(run(document)["heads"][0, row, column]),
        slips,
        {"row": row + 1, "column": column + 1},
        product_terms(A[row], V[:, column]),
        document,
        Cell("heads", row, column),
    )


def _output(rng: np.random.Generator) -> Exercise:
    """An entry of Y from two heads of width 2 and W_O (4, 3). A single token gives its own values
    whole.
    """
    joined, W_O, column = (
        random_integers(rng, 1, 4),
        random_integers(rng, 4, 3),
        int(rng.integers(3)),
    )
    heads = tuple(
        Head(Q=frozen([[1.0]]), K=frozen([[1.0]]), V=frozen(part))
        for part in (joined[:, :2], joined[:, 2:])
    )
    document = Document(("x",), heads, title=TITLE, source="qkv", W_O=frozen(W_O))
    first, second = (
        float(joined[0, part] @ W_O[part, column]) for part in (slice(0, 2), slice(2, 4))
    )
    slips = {
        "first": first,
        "second": second,
        "added": float((joined[0, :2] + joined[0, 2:]) @ W_O[:2, column]),
    }
    return document_exercise(
        (GivenMatrix("concat", "concat", joined), GivenMatrix("W_O", "W_O", W_O)),
        float(run(document)["Y"][0, column]),
        slips,
        {"column": column + 1},
        product_terms(joined[0], W_O[:, column]),
        document,
        Cell("Y", 0, column),
    )


def _parameters(rng: np.random.Generator) -> Exercise:
    """W_Q, W_K, W_V of every head and W_O, counted from the arrays."""
    h, d_k = int(rng.choice([2, 3, 4])), int(rng.choice([2, 3, 4, 5]))
    d = h * d_k
    heads = tuple(
        Head(**{name: frozen(random_integers(rng, d, d_k)) for name in ("W_Q", "W_K", "W_V")})  # type: ignore[arg-type]
        for _ in range(h)
    )
    document = Document(
        token_names(3),
        heads,
        title=TITLE,
        X=frozen(random_integers(rng, 3, d)),
        W_O=frozen(random_integers(rng, d, d)),
    )
    right = float(sum(found.numbers for found in counts(document)))
    slips = {
        "no_output": right - d * d,
        "one": float(3 * d * d_k + d * d),
        "wide": float(3 * h * d * d + d * d),
    }
    terms = ((3.0, float(h), float(d), float(d_k)), (float(d), float(d)))
    return document_exercise(
        (), right, slips, {"h": h, "d_k": d_k, "d": d}, terms, document, Cell("Y", 0, 0)
    )


# Cost


def _links(rng: np.random.Generator) -> Exercise:
    """Pairs that a causal window allows, counted in the masked scores."""
    n, left = int(rng.integers(6, 13)), int(rng.integers(1, 4))
    ones = frozen(np.ones((n, 1)))
    document = Document(
        token_names(n),
        (Head(Q=ones, K=ones, V=frozen(np.arange(n, dtype=np.float64)[:, None])),),
        title=TITLE,
        source="qkv",
        mask=Mask("window", left, 0),
    )
    right = float(np.isfinite(run(document)["masked"]).sum())
    span = left + 1
    slips = {"edge": float(n * span), "causal": float(n * (n + 1) // 2), "own": right - n}
    told = {"n": n, "left": left, "span": span, "missing": left * span // 2}
    return document_exercise((), right, slips, told, (), document, Cell("masked", n - 1, 0))


def _work(rng: np.random.Generator) -> Exercise:
    """The multiply-adds of QKᵀ in one head."""
    n, d_k = int(rng.integers(5, 13)), int(rng.integers(2, 5))
    document = qkv_document(
        random_integers(rng, n, d_k), random_integers(rng, n, d_k), random_integers(rng, n, 2)
    )
    right = float(count(formula(document, "scores")[0], document.sizes))
    slips = {"squared": float(n * d_k * d_k), "linear": float(n * d_k), "cells": float(n * n)}
    terms = ((float(n), float(n), float(d_k)),)
    return document_exercise(
        (), right, slips, {"n": n, "d_k": d_k}, terms, document, Cell("scores", 0, 0)
    )


def _cached(rng: np.random.Generator) -> Exercise:
    """The numbers of K and V of all heads, counted in the trace."""
    n, h, k, v = (
        int(rng.integers(4, 11)),
        int(rng.integers(2, 5)),
        int(rng.integers(2, 5)),
        int(rng.integers(2, 5)),
    )
    heads = tuple(
        Head(
            Q=frozen(random_integers(rng, n, k)),
            K=frozen(random_integers(rng, n, k)),
            V=frozen(random_integers(rng, n, v)),
        )
        for _ in range(h)
    )
    document = Document(token_names(n), heads, title=TITLE, source="qkv", mask=Mask("causal"))
    trace = run(document)
    right = float(trace["K"].size + trace["V"].size)
    slips = {"queries": right + n * h * k, "one": right / h, "keys": float(n * h * k)}
    told = {"n": n, "h": h, "d_k": k, "d_v": v}
    terms = ((float(n), float(h), float(k)), (float(n), float(h), float(v)))
    return document_exercise((), right, slips, told, terms, document, Cell("K", 0, 0))


DRAWS: dict[str, Draw] = {
    "dot": _dot,
    "projection": _projection,
    "scaled": _scaled,
    "product": _product,
    "spread": _spread,
    "share": _share,
    "masked_share": _masked_share,
    "bias": _bias,
    "mix": _mix,
    "output": _output,
    "parameters": _parameters,
    "links": _links,
    "work": _work,
    "cached": _cached,
}
