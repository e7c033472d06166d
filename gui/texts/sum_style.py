"""How worked sums are written: numbers, signs, exact fractions, and the terms of a long sum. Free
of Qt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from core.base.cell import Cell
from core.base.number_format import MINUS, NOISE, rounds_to_zero, show
from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.explain.derivation import ExactTrace, Factor, Step, Term, exact_trace
from core.stages import exact as exact_arithmetic
from core.stages.exact import MASKED, Exact
from core.stages.terms import Terms
from gui.texts.rich_text import (
    Line,
    Span,
    add,
    cell_role,
    equals,
    factor,
    multiply,
    number,
    operator,
    rounded,
    rounded_all,
    symbol,
)
from gui.texts.translation import tr

MOST_DIGITS = 6  # of the numerator and of the denominator


@lru_cache(maxsize=2)
def _exact(document: Document) -> ExactTrace:
    return exact_trace(document)


def fraction_of(document: Document, step: Step) -> Fraction | None:
    """The exact value of a step as a fraction; None for whole, long and entered numbers, and where
    there is none.
    """
    if step.kind == "entered" or step.pinned is not None:
        return None
    found = _exact_value(_exact(document), step)
    if not isinstance(found, Fraction) or not _is_short(found):
        return None
    return found if math.isclose(float(found), step.value, rel_tol=1e-9, abs_tol=1e-12) else None


def _exact_value(exact: ExactTrace, step: Step) -> Exact:
    cell = step.cell
    if step.kind not in ("max", "sum"):
        return exact.value(cell)
    row = exact.row(exact.plan[cell.tensor].reads[0], cell.row, cell.head)
    if step.kind == "sum":
        return exact_arithmetic.add(row)
    return exact_arithmetic.maximum([number for number in row if number != MASKED])


def _is_short(number: Fraction) -> bool:
    longest = 10**MOST_DIGITS
    return (
        number.denominator != 1 and abs(number.numerator) < longest and number.denominator < longest
    )


def fraction_text(number: Fraction) -> str:
    """4/7, with a real minus."""
    sign = MINUS if number < 0 else ""
    return f"{sign}{abs(number.numerator)}/{number.denominator}"


NEVER = Decimal("NaN")  # equal to no printed number
FEW = 32  # terms up to which decimals are fast enough
CLOSE = 1e-12  # relative; more than the rounding error of doubles


@dataclass(frozen=True, slots=True)
class SumStyle:
    """How a sum is written: with at most `most` terms (None = all), without its result when
    `hidden`.

    `orientation` gives the order of factors and indices, `fraction` the exact result. Numbers below
    `noise` are zero.
    """

    document: Document
    decimals: int
    most: int | None = None
    hidden: bool = False
    orientation: Orientation = ROWS
    fraction: Fraction | None = None
    noise: float = NOISE

    def shortens(self, terms: Sequence[Term]) -> bool:
        """Whether a sum of these terms leaves some out."""
        return self.most is not None and len(terms) > self.most

    def round(self, value: float) -> Decimal:
        """The printed number."""
        return rounded(value, self.decimals, self.noise)

    def symbol(self, cell: Cell) -> Line:
        """A cell by its letter."""
        return symbol(self.document, cell, self.orientation)

    def factors(self, term: Term) -> tuple[Factor, ...]:
        """The factors of a term in the order of their matrices as displayed."""
        if len(term.factors) != 2 or any(factor.cell is None for factor in term.factors):
            return term.factors
        return self.orientation.pair(*term.factors)

    def number(self, value: float, role: str = "plain") -> Span:
        """A number at the start of an expression."""
        return number(value, self.decimals, role, self.noise)

    def factor(self, value: float, role: str = "plain") -> Span:
        """A number behind a sign."""
        return factor(value, self.decimals, role, self.noise)

    def result(self, seen: Decimal | Fraction, value: float) -> Line:
        """The last equals sign and the result as tables show it. `seen` is the result of the
        printed numbers.

        A result that is printed as zero but is not zero has its first digits before it: ≈ 0.00029 ≈
        0.00.
        """
        if self.hidden:
            return operator("="), Span("?", "result")
        before: Line = ()
        if self.fraction is not None:
            before = equals(seen, self.fraction), Span(fraction_text(self.fraction))
            seen = self.fraction
        vanishing = rounds_to_zero(value, self.decimals, self.noise)
        if vanishing:
            before = *before, equals(seen, self.round(value)), self.number(value)
            seen = self.round(value)
        shown = show(value, self.decimals)
        same = rounded(0.0, self.decimals) if vanishing else self.round(value)
        return *before, equals(seen, same), Span(shown, "result")


def largest_terms(sizes: Sequence[float], most: int | None) -> tuple[int, ...]:
    """The indices of the terms that are written, in order: the largest, of equal ones the first."""
    if most is None or len(sizes) <= most:
        return tuple(range(len(sizes)))
    largest = np.argsort(-np.asarray(sizes), kind="stable")[: max(1, most)]
    return tuple(sorted(largest.tolist()))


def join_terms(
    style: SumStyle, sizes: Sequence[float], term: Callable[[int], Line], sign: Span
) -> Line:
    """Join terms by a sign; the number of left-out terms follows."""
    chosen = largest_terms(sizes, style.most)
    pieces = [term(index) for index in chosen]
    if len(chosen) < len(sizes):
        pieces.append((Span(tr("{n} more terms", n=len(sizes) - len(chosen)), "muted"),))
    line: list[Span] = []
    for piece in pieces:
        line += [sign, *piece] if line else piece
    return tuple(line)


def product(style: SumStyle, term: Term) -> Line:
    """The factors of a term."""
    line: list[Span] = []
    for part in style.factors(term):
        line += [Span("×", "operator")] if line else []
        line.append(style.factor(part.value, cell_role(part.cell)))
    return tuple(line)


def product_seen(style: SumStyle, term: Term) -> Decimal:
    """The product of the printed factors."""
    return multiply([style.round(part.value) for part in term.factors])


def total_seen(style: SumStyle, step: Step) -> Decimal:
    """The sum of the printed terms; NaN where it certainly differs from the printed result.

    Doubles decide that for long sums; only close ones are added up as decimals, which is slow.
    """
    terms = step.terms
    if isinstance(terms, Terms) and len(terms) > FEW and style.fraction is None:
        with np.errstate(all="ignore"):
            seen = terms.products(lambda values: rounded_all(values, style.decimals))
            nearest = np.abs(seen.sum() - (float(style.round(step.value)), 0.0)).min()
            if nearest > CLOSE * np.abs(seen).sum():
                return NEVER
    return add([product_seen(style, term) for term in terms])


def signed_sum(
    style: SumStyle,
    values: Sequence[float],
    roles: list[str] | None = None,
    sizes: Sequence[float] | None = None,
) -> Line:
    """A sum of numbers, with a minus before negative ones. `sizes` decides which are written."""
    line: list[Span] = []
    chosen = roles or ["plain"] * len(values)
    magnitudes = sizes or [abs(value) for value in values]
    for span in join_terms(
        style, magnitudes, lambda i: (style.number(values[i], chosen[i]),), operator("+")
    ):
        if span.text.startswith(MINUS) and line:
            line[-1] = operator(MINUS)
            span = Span(span.text.removeprefix(MINUS), span.role)
        line.append(span)
    return tuple(line)
