"""What an exercise of the quiz is, and the experiments that its kinds have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from types import MappingProxyType

import numpy as np

from core.base.arrays import Array, frozen
from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Context, Document, Head, Mask, Scale, Softmax
from core.lesson.model import Demo

TITLE = "quiz"
APART = (
    0.02  # at least, between any two of the numbers offered: with two decimals they look different
)
Terms = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A matrix of the question: how it is called, the tensor whose colour it wears, its numbers (rows, columns)."""

    symbol: str
    tensor: str
    values: Array


@dataclass(frozen=True, slots=True, eq=False)
class Exercise:
    """A question's numbers.

    `right` is the answer, `slips` the wrong ones by what went wrong. `told` are numbers that its words mention, `terms`
    the products that add up to the answer. `document` with `cell` is the experiment in which the answer stands, or
    `demo` the lab that shows it.
    """

    given: tuple[Given, ...]
    right: float
    slips: Mapping[str, float]
    told: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    terms: Terms = ()
    document: Document | None = None
    cell: Cell | None = None
    demo: Demo | None = None

    @property
    def numbers(self) -> tuple[float, ...]:
        """The right number, then the wrong ones."""
        return (self.right, *self.slips.values())


def isclear(found: Exercise) -> bool:
    """Whether no two numbers could be taken for each other, and the answer is not 0, where the field for it begins."""
    return abs(found.right) >= APART and all(
        abs(a - b) >= APART for a, b in combinations(found.numbers, 2)
    )


def made(
    given: tuple[Given, ...],
    right: float,
    slips: Mapping[str, float],
    told: Mapping[str, float],
    terms: Terms,
    document: Document,
    cell: Cell,
) -> Exercise:
    """An exercise whose answer stands in an experiment."""
    held = tuple(Given(one.symbol, one.tensor, frozen(one.values)) for one in given)
    return Exercise(
        held,
        right,
        MappingProxyType(dict(slips)),
        MappingProxyType(dict(told)),
        terms,
        document,
        cell,
    )


def among(Q: Array, K: Array, V: Array) -> Document:
    """An experiment with these queries, keys and values."""
    head = Head(Q=frozen(Q), K=frozen(K), V=frozen(V))
    return Document(numbered(len(Q)), (head,), title=TITLE, source="qkv")


def numbered(n: int) -> tuple[str, ...]:
    """Names for so many tokens."""
    return tuple(f"t{number}" for number in range(1, n + 1))


def signed(rng: np.random.Generator, *shape: int) -> Array:
    """Whole numbers from −2 to 3."""
    return rng.integers(-2, 4, shape).astype(np.float64)


def paired(a: Array, b: Array) -> Terms:
    """The products of a dot product.  # (k,), (k,)"""
    return tuple((float(x), float(y)) for x, y in zip(a, b, strict=True))


def asking(q: Array, K: Array, stage: str, key: int) -> tuple[Document, float]:
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
        numbered(size),
        (head,),
        title=TITLE,
        source="qkv",
        mask=mask or Mask(),
        scale=Scale("none"),
        softmax=Softmax(shift=False),
    )
