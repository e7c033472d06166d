"""What worked sums and gradients are made of: factors, terms, and the cells that feed a cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import overload

import numpy as np
from msgspec import Struct

from core.base.arrays import Array
from core.base.cell import Cell


class Factor(Struct, frozen=True):
    """A number in a product and its cell (None for a constant such as cos θ)."""

    value: float
    cell: Cell | None = None


class Term(Struct, frozen=True):
    """One summand: the product of its factors."""

    factors: tuple[Factor, ...]

    @property
    def value(self) -> float:
        """The product."""
        return math.prod(factor.value for factor in self.factors)


class TermRun:
    """A row or a column of a matrix, or a part of one: one factor of each term.

    The numbers are copied, so that a cached card does not hold the arrays of a run.
    """

    __slots__ = ("down", "first", "values")

    def __init__(self, values: Array, first: Cell, *, down: bool = False) -> None:
        self.values: Array = np.array(values, dtype=np.float64)  # (terms,)
        self.first, self.down = first, down

    def cell(self, index: int) -> Cell:
        """The cell of a term's number."""
        tensor, row, column, head = (
            self.first.tensor,
            self.first.row,
            self.first.column,
            self.first.head,
        )
        return (
            Cell(tensor, row + index, column, head)
            if self.down
            else Cell(tensor, row, column + index, head)
        )

    def factor(self, index: int) -> Factor:
        """The number of a term and its cell."""
        return Factor(float(self.values[index]), self.cell(index))


class Terms(Sequence[Term]):
    """Products of runs, place by place, and single terms after them (a bias).

    Terms are created on access: a sum may have thousands, and few are written."""

    __slots__ = ("_more", "_runs", "values")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, runs: tuple[TermRun, ...], more: tuple[Term, ...] = ()) -> None:
        self._runs, self._more = runs, more
        self.values = self.products(lambda values: values)  # (terms,)

    def products(self, seen: Callable[[Array], Array]) -> Array:
        """The value of each term after `seen` is applied to its factors.  # (terms,) -> (terms,)"""
        single = [
            [seen(np.array([factor.value]))[0] for factor in term.factors] for term in self._more
        ]
        with np.errstate(all="ignore"):  # a product may lie beyond the largest double
            products: Array = np.multiply.reduce([seen(run.values) for run in self._runs])
        return (
            np.append(products, [math.prod(factors) for factors in single]) if single else products
        )

    def cells(self, tensor: str) -> Iterator[Cell]:
        """The cells of one tensor among the factors."""
        for run in self._runs:
            if run.first.tensor == tensor:
                yield from map(run.cell, range(len(run.values)))
        yield from cells_of(self._more, tensor)

    @property
    def content(self) -> tuple[Hashable, ...]:
        """A key that is equal if all numbers are the same to the bit and have the same cells."""
        return *((run.first, run.down, run.values.tobytes()) for run in self._runs), self._more

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Terms) and tuple(self) == tuple(other)

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, index: int) -> Term: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Term, ...]: ...

    def __getitem__(self, index: int | slice) -> Term | tuple[Term, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        index = range(len(self))[index]
        products = len(self) - len(self._more)
        if index >= products:
            return self._more[index - products]
        return Term(tuple(run.factor(index) for run in self._runs))


def values_of(terms: Sequence[Term]) -> Array:
    """The value of each term.  # -> (terms,)"""
    return terms.values if isinstance(terms, Terms) else np.array([term.value for term in terms])


def cells_of(terms: Sequence[Term], tensor: str) -> Iterator[Cell]:
    """The cells of one tensor among the factors, in the order of the terms."""
    if isinstance(terms, Terms):
        return terms.cells(tensor)
    cells = (factor.cell for term in terms for factor in term.factors)
    return (cell for cell in cells if cell is not None and cell.tensor == tensor)


Span = tuple[int, int]


class Block(Struct, frozen=True):
    """Cells of a stage, as half-open ranges of rows and columns; of one head where the stage has
    heads.
    """

    stage_id: str
    rows: Span
    columns: Span


Seen = Callable[[Sequence[Fraction], Mapping[str, Fraction]], Fraction]  # of terms and constants


@dataclass(frozen=True, slots=True)
class Sum:
    """The worked sum behind one cell: its form, what is added up, and the constants of the form.

    `form` is one of those that `core.explain.derivation.Step` lists, or "function": then `text` and
    `latex` are templates of what is written, with {0}, {1} … for the terms and {name} for the
    constants; {0:start} is a number without brackets. `seen` computes the result of the printed
    terms and constants, where that is rational.
    """

    form: str
    terms: Sequence[Term] = ()
    data: Mapping[str, float] = field(default_factory=dict)
    text: str = ""
    latex: str = ""
    seen: Seen | None = None


class RowNumber(Struct, frozen=True):
    """A number that belongs to a whole row, such as its mean."""

    id: str
    symbol: str
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class RowPart:
    """A step on the way to a row of a stage: one number in each column, and the row's numbers that
    it takes.
    """

    id: str
    symbol: str
    values: Array  # (columns,)
    numbers: tuple[RowNumber, ...] = ()


class Written(str):
    """A number in a template: in brackets where it needs them, without them at the start."""

    __slots__ = ()

    def __format__(self, place: str) -> str:
        return self.strip("()") if place == "start" else str(self)


@dataclass(frozen=True, slots=True)
class BackStep:
    """The derivation of the gradient ∂L/∂ at one cell.

    `kind`: seed (∂L/∂Y, where it starts), pinned (a constant: 0), products (what comes back is
    added up: `terms`), softmax (a (∂L/∂a − Σ terms) · ln b), quotient ((∂L/∂a − Σ terms) ÷ sum),
    power (e · ∂L/∂e · ln b − Σ terms). `data`: softmax weight, own, log · quotient own, total ·
    power numerator, own, log. No terms at all: nothing comes back here (a forbidden pair, a head
    that is off).
    """

    kind: str
    cell: Cell
    terms: tuple[Term, ...]
    value: float
    data: Mapping[str, float] = field(default_factory=dict)
