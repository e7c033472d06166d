"""The exact fraction behind a worked sum, where it has one that can be read. Free of Qt."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from core.base.number_format import MINUS
from core.document.document import Document
from core.explain.derivation import Step
from core.explain.exact_arithmetic import MASKED, Exact, add, maximum
from core.explain.exact_trace import ExactTrace, exact_trace

MOST_DIGITS = 6  # of the numerator and of the denominator


@lru_cache(maxsize=2)
def _exact(document: Document) -> ExactTrace:
    return exact_trace(document)


def fraction_of(document: Document, step: Step) -> Fraction | None:
    """The fraction that a step comes to; None where there is none, where it is whole, or where it is too long.

    A number that was entered stands there as it was entered.
    """
    if step.kind == "entered" or step.pinned is not None:
        return None
    found = _exact_value(_exact(document), step)
    if not isinstance(found, Fraction) or not _readable(found):
        return None
    return found if math.isclose(float(found), step.value, rel_tol=1e-9, abs_tol=1e-12) else None


def _exact_value(exact: ExactTrace, step: Step) -> Exact:
    cell = step.cell
    if step.kind not in ("max", "sum"):
        return exact.value(cell)
    row = exact.row(exact.plan[cell.tensor].reads[0], cell.row, cell.head)
    return (
        add(row) if step.kind == "sum" else maximum([number for number in row if number != MASKED])
    )


def _readable(number: Fraction) -> bool:
    longest = 10**MOST_DIGITS
    return (
        number.denominator != 1 and abs(number.numerator) < longest and number.denominator < longest
    )


def fraction_text(number: Fraction) -> str:
    """4/7, with a real minus."""
    sign = MINUS if number < 0 else ""
    return f"{sign}{abs(number.numerator)}/{number.denominator}"
