"""Arithmetic with numbers that are fractions, or irrational and so unknown, or a masked score's −∞."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Protocol

from core.document.document import Document

LARGEST_EXPONENT = 256  # every base to that power, either sign, is well within the doubles
MASKED = -math.inf
NOTHING = Fraction(0)

Exact = Fraction | float | None  # a float is −∞, and nothing else
Matrix = tuple[tuple[Exact, ...], ...]
Stack = tuple[Matrix, ...]  # a matrix a head; a stage without heads is a stack of one


def fraction(value: float) -> Fraction:
    """A number as it was entered, in its shortest decimal form."""
    return Fraction(repr(float(value)))


def add(numbers: Iterable[Exact]) -> Exact:
    """The sum; None as soon as one is irrational, and −∞ where a masked score is among them."""
    total: Fraction = NOTHING
    for number in numbers:
        if not isinstance(number, Fraction):
            return number
        total += number
    return total


def multiply(a: Exact, b: Exact) -> Exact:
    """The product of two numbers that are not −∞; 0 times anything is 0."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    return NOTHING if NOTHING in (a, b) else None


def product(a: Matrix, b: Matrix) -> Matrix:
    """(n, k), (k, m) -> (n, m)."""
    columns = tuple(zip(*b, strict=True))
    return tuple(tuple(add(map(multiply, row, column)) for column in columns) for row in a)


def maximum(numbers: list[Exact]) -> Fraction | None:
    """The largest of a row, None where one of them is irrational or all are masked."""
    known = [number for number in numbers if isinstance(number, Fraction)]
    return max(known) if known and len(known) == len(numbers) else None


def power(base: int | None, number: Exact, offset: Fraction | None) -> Exact:
    """base^(number − offset), 0 for a masked score.

    Rational where the exponent is whole; base None is e.
    """
    if number == MASKED:
        return NOTHING
    if not isinstance(number, Fraction) or offset is None:
        return None
    exponent = number - offset
    if exponent == 0:
        return Fraction(1)
    if base is None or exponent.denominator != 1 or abs(exponent) > LARGEST_EXPONENT:
        return None
    return Fraction(base) ** int(exponent)


class ExactSource(Protocol):
    """Where exact forms take their numbers from."""

    @property
    def document(self) -> Document: ...

    def stack(self, stage_id: str) -> Stack:
        """A stage with its head axis; without one it is a stack of one."""


def each_number(stack: Stack, change: Callable[[Exact], Exact]) -> Stack:
    """Every number of a stack changed."""
    return tuple(tuple(tuple(map(change, row)) for row in matrix) for matrix in stack)


def exact_tensor(document: Document, name: str, head: int) -> Matrix | None:
    """An entered tensor as fractions; a vector is one row."""
    tensor = document.tensor(name, head)
    if tensor is None:
        return None
    rows = tensor.tolist() if tensor.ndim == 2 else [tensor.tolist()]
    return tuple(tuple(map(fraction, row)) for row in rows)
