"""Mistakes in single numbers: sign, decimal point, digits, one product of the sum."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from msgspec import Struct

from core.base.arrays import Array
from core.base.cell import Cell
from core.check.answers import HAIR, NOISE, EnteredNumber, Index
from core.check.report import Mistake
from core.check.search import DOUBT, Case
from core.compute.trace import Trace
from core.document.document import Document
from core.document.parts import is_headwise
from core.explain.derivation import Step, Term, derive

Found = tuple[str, tuple[tuple[str, Any], ...]]


@dataclass(frozen=True, slots=True)
class CellComparison:
    """A stated number and its target value."""

    entered: EnteredNumber
    target: float

    def near(self, value: float, by: float = 1.0) -> bool:
        """Whether `value` is the target, to the digits written times `by`."""
        return abs(value - self.target) <= self.half * by * (1 + 2 * HAIR) + NOISE * abs(
            self.target
        )

    @property
    def half(self) -> float:
        """Half a unit of the last digit written."""
        decimals = self.entered.decimals
        return 0.0 if decimals is None else 0.5 * 10.0**-decimals

    @property
    def digits(self) -> str:
        """The digits written, without sign, point and leading zeros."""
        decimals = self.entered.decimals or 0
        return f"{abs(self.entered.value):.{max(decimals, 0)}f}".replace(".", "").lstrip("0")


def digit_mistakes(case: Case, targets: list[Array]) -> list[Mistake]:
    """Wrong signs, points and digits, and rows filled up to 1, tried against each target in turn."""

    def found(index: Index) -> Found | None:
        entered = case.context.sheets[case.target].given[index]
        numbers = [CellComparison(entered, float(target[index])) for target in targets]
        fills = _fills_up(case, index, numbers)
        return _of_digits(numbers) or (("weights.filled_up", ()) if fills else None)

    return _grouped(case, found)


def sum_mistakes(case: Case) -> list[Mistake]:
    """Sums with one wrong product."""
    return _grouped(case, partial(_of_sum, case))


def unexplained_sums(case: Case) -> list[Mistake]:
    """Sums that are off by something else, if only sums are wrong."""
    if not _is_lonely(case):
        return []
    return _grouped(case, lambda index: ("cell.sum", _off(case, index)))


def unexplained_steps(case: Case, source: str) -> list[Mistake]:
    """Numbers that do not follow from the nearest stated stage, whose numbers are all right.

    Where both stages have the same shape, those of the same row are enough.
    """
    sheet = case.context.sheets[source]
    right = sheet.stated & case.context.right[source]
    alike = right.shape == case.wrong.shape
    known = right.all(axis=-1, keepdims=True) if alike else right.all()
    cells = np.broadcast_to(known, case.wrong.shape)
    return _grouped(case, lambda at: ("cell.step", (("stage", source),)) if cells[at] else None)


def _grouped(case: Case, find: Callable[[Index], Found | None]) -> list[Mistake]:
    groups: dict[Found, list[Index]] = defaultdict(list)
    for index in map(tuple, np.argwhere(case.wrong).tolist()):
        if (found := find(index)) is not None:
            groups[found].append(index)
    return [
        Mistake(found[0], case.target, tuple(cells), dict(found[1]))
        for found, cells in groups.items()
    ]


def _of_digits(numbers: list[CellComparison]) -> Found | None:
    for number in numbers:
        if abs(number.target) > number.half and number.near(-number.entered.value):
            return "cell.sign", ()
        found = _point(number) or _digits_swapped(number)
        if found is not None:
            return found
    return None


def _point(number: CellComparison) -> Found | None:
    """The same digits with the point elsewhere; at least two digits, to exclude chance."""
    if len(number.digits) < 2 or not np.isfinite(number.target):
        return None
    for power in (1, -1, 2, -2, 3, -3):
        if number.near(number.entered.value * 10.0**power, 10.0**power):
            return "cell.decimal_point", (("power", power),)
    return None


def _digits_swapped(number: CellComparison) -> Found | None:
    """Two neighbouring digits swapped, as 0.38 for 0.83, if they differ by at least 2."""
    decimals = number.entered.decimals
    if decimals is None or not 0 <= decimals <= 12 or not np.isfinite(number.target):
        return None
    true, written = (
        f"{abs(value):.{decimals}f}".replace(".", "")
        for value in (number.target, number.entered.value)
    )
    if len(true) != len(written) or np.sign(number.target) != np.sign(number.entered.value):
        return None
    places = [
        place for place, pair in enumerate(zip(true, written, strict=True)) if pair[0] != pair[1]
    ]
    if (
        len(places) != 2
        or places[1] != places[0] + 1
        or abs(int(true[places[0]]) - int(true[places[1]])) < 2
    ):
        return None
    first, second = places
    if true[first] == written[second] and true[second] == written[first]:
        return "cell.digits_swapped", ()
    return None


def _fills_up(case: Case, index: Index, numbers: list[CellComparison]) -> bool:
    """Whether a number was chosen so that its row sums to 1, while the others were rounded or
    truncated.
    """
    if not case.context.plan[case.target].kind.shares:
        return False
    sheet = case.context.sheets[case.target]
    row = sheet.value[index[:-1]]
    others = np.delete(row, index[-1])
    alone = case.wrong[index[:-1]].sum() == 1 and not sheet.whole[index]
    if not alone or np.isnan(row).any() or abs(float(row.sum()) - 1.0) > 1e-9:
        return False
    close = min(abs(number.entered.value - number.target) for number in numbers)
    if close > 2 * sheet.half[index] * len(row):
        return False
    base = case.context.given.plain[case.target][index[:-1]]
    within = np.abs(others - np.delete(base, index[-1])) < 2 * np.delete(
        sheet.half[index[:-1]], index[-1]
    )
    return bool(within.all())


def _of_sum(case: Case, index: Index) -> Found | None:
    """One wrong product of the sum, with the learner's own numbers or the true ones."""
    context = case.context
    entered = context.sheets[case.target].given[index]
    head = index[0] if is_headwise(case.target) else 0
    cell = Cell(case.target, index[-2], index[-1], head)
    for base in context.chains(case.target):
        unpinned = context.document.with_(pins=())
        trace = Trace(context.plan, {**base.arrays, case.target: base.plain[case.target]}, unpinned)
        step = derive(unpinned, trace, cell)
        if step.kind in ("dot", "add", "rotate"):
            found = wrong_term(context.document, trace, step, entered)
            if found is not None:
                return "cell.term", found
    return None


def _is_lonely(case: Case) -> bool:
    """Whether only sums are wrong: most of the stage is right, or all factors are."""
    context, stage = case.context, case.context.plan[case.target]
    _, sums = stage.kind.operations(context.document, stage)
    factors_right = all(
        context.plan[name].entered
        or (name in context.right and (context.right[name] | ~context.sheets[name].stated).all())
        for name in stage.reads
    )
    return sums and (factors_right or bool(case.kept.sum() >= case.wrong.sum()))


def _off(case: Case, index: Index) -> tuple[tuple[str, Any], ...]:
    value = (
        case.context.sheets[case.target].value[index] - case.context.given.plain[case.target][index]
    )
    return (
        ("off", float(value)),
        ("decimals", case.context.sheets[case.target].given[index].decimals),
    )


Data = tuple[tuple[str, Any], ...]

# Common mistakes, each more likely than all others together; accepted in whole numbers too, where
# chance hits are
# frequent.
PLAIN = ("omitted", "sign", "doubled")


class TermMistake(Struct, frozen=True):
    """A possible mistake in one term: `how`, and the value used instead of its product; `used` is
    a misread factor.
    """

    how: str
    term: int
    product: float
    seems: float
    used: Cell | None = None


def wrong_term(document: Document, trace: Trace, step: Step, entered: EnteredNumber) -> Data | None:
    """The simplest mistake in a term that gives the entered value; None if none is certain enough.

    Data: how, term (from 0), factors, product, seems, cell (a misread factor), readings (how many
    fit equally).
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


def _expected_hits(readings: list[TermMistake], half: float) -> float:
    """The expected number of candidates that match a random number in their range."""
    moves = [reading.seems - reading.product for reading in readings]
    span = max(moves) - min(moves)
    distinct = len({round(move / max(2 * half, NOISE), 0) for move in moves})
    return distinct * 2 * half / span if 0 < span < np.inf else 1.0


def _readings(document: Document, trace: Trace, step: Step) -> Iterator[TermMistake]:
    """Every possible mistake in every term, the common ones of all terms first."""
    terms = list(enumerate(step.terms))
    for how in (*PLAIN, "point", "added", "factor", "misread"):
        for number, term in terms:
            for seems, used in _variants(how, document, trace, term):
                yield TermMistake(how, number, term.value, seems, used)


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
    """One factor taken from a neighbouring row or column."""
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
