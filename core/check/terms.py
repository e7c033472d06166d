"""One wrong product inside a sum: which term it is, and what seems to have been written in its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from core.base.cell import Cell
from core.check.entered import HAIR, NOISE, Entered
from core.compute.trace import Trace
from core.document.document import Document
from core.explain.derivation import Step, Term

Data = tuple[tuple[str, Any], ...]

# Where more chance hits than this are expected among the readings tried, none is believed.
DOUBT = 0.15
# Readings that a teacher would think of first: they are few, and each more likely than all others together. In whole
# numbers, where everything hits by chance, they are told all the same.
PLAIN = ("omitted", "sign", "doubled")


class Reading(Struct, frozen=True):
    """What may have happened to one term: how, and what stood in place of its product; `used` is a factor misread."""

    how: str
    term: int
    product: float
    seems: float
    used: Cell | None = None


def wrong_term(document: Document, trace: Trace, step: Step, entered: Entered) -> Data | None:
    """The simplest reading that turns the step's value into the entered one; None where none is sure enough.

    Data: how, term (from 0), factors, product, seems, cell (a factor misread), readings (how many fit as well).
    """
    half = 0.0 if entered.decimals is None else 0.5 * 10.0**-entered.decimals
    off = entered.value - step.value
    tolerance = half * (1 + 2 * HAIR) + NOISE * (1 + abs(step.value))
    readings = list(_readings(document, trace, step))
    if len(step.terms) < 2:
        readings = [reading for reading in readings if reading.how not in PLAIN]
    fits = [
        r
        for r in readings
        if abs(r.seems - r.product - off) <= tolerance and abs(r.seems - r.product) > tolerance
    ]
    if not fits:
        return None
    first = fits[0]
    plain = [reading for reading in readings if reading.how in PLAIN]
    tried = plain if first.how in PLAIN else readings
    whole = first.how in PLAIN and float(step.value).is_integer()
    if not whole and _expected_hits(tried, half) > DOUBT:
        return None
    factors = tuple(factor.value for factor in step.terms[first.term].factors)
    rivals = len({(r.how, r.term) for r in fits if r.how == first.how})
    return (
        ("how", first.how),
        ("term", first.term),
        ("factors", factors),
        ("product", first.product),
        ("seems", first.seems),
        ("cell", first.used),
        ("readings", rivals),
    )


def _expected_hits(readings: list[Reading], half: float) -> float:
    """How many readings would hit a number thrown anywhere between the smallest and the largest of them."""
    moves = [reading.seems - reading.product for reading in readings]
    span = max(moves) - min(moves)
    distinct = len({round(move / max(2 * half, NOISE)) for move in moves})
    return distinct * 2 * half / span if span else 1.0


def _readings(document: Document, trace: Trace, step: Step) -> Iterator[Reading]:
    """Every reading of every term, the simple ones of all terms first."""
    terms = list(enumerate(step.terms))
    for how in (*PLAIN, "point", "added", "factor", "misread"):
        for number, term in terms:
            for seems, used in _variants(how, document, trace, term):
                yield Reading(how, number, term.value, seems, used)


def _variants(
    how: str, document: Document, trace: Trace, term: Term
) -> Iterator[tuple[float, Cell | None]]:
    product, values = term.value, [factor.value for factor in term.factors]
    if how in PLAIN:
        yield {"omitted": 0.0, "sign": -product, "doubled": 2 * product}[how], None
    elif how == "point":
        yield from ((product * 10, None), (product / 10, None))
    elif len(values) == 2 and how == "added":
        yield sum(values), None
    elif len(values) == 2 and how == "factor":
        yield from ((value, None) for value in values)
    elif how == "misread":
        yield from _misread(document, trace, term)


def _misread(document: Document, trace: Trace, term: Term) -> Iterator[tuple[float, Cell | None]]:
    """One factor taken from the row or the column beside it."""
    for factor in term.factors:
        if factor.cell is None or factor.value == 0:
            continue
        for cell in _beside(factor.cell):
            value = _value(document, trace, cell)
            if value is not None and value != factor.value:
                yield term.value / factor.value * value, cell


def _beside(cell: Cell) -> Iterator[Cell]:
    for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        row, column = cell.row + down, cell.column + right
        if row >= 0 and column >= 0:
            yield Cell(cell.tensor, row, column, cell.head)


def _value(document: Document, trace: Trace, cell: Cell) -> float | None:
    matrix = (
        trace.matrix(cell.tensor, cell.head)
        if cell.tensor in trace
        else document.tensor(cell.tensor, cell.head)
    )
    if (
        matrix is None
        or matrix.ndim != 2
        or cell.row >= matrix.shape[0]
        or cell.column >= matrix.shape[1]
    ):
        return None
    return float(matrix[cell.row, cell.column])
