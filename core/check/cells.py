"""Slips inside one number: its sign, its point, its digits, one product of its sum."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.base.arrays import Array
from core.base.cell import Cell
from core.check.entered import HAIR, NOISE, Entered
from core.check.report import Index, Slip
from core.check.search import Case
from core.check.terms import wrong_term
from core.compute.trace import Trace
from core.document.parts import STAGE_AXES
from core.explain.derivation import derive

MOST_SUMS = 30  # wrong sums of a stage that are looked into one by one: more have another cause

Found = tuple[str, tuple[tuple[str, Any], ...]]


@dataclass(frozen=True, slots=True)
class Number:
    """A stated number, and what it should have been."""

    entered: Entered
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


def slips_of_cells(case: Case, targets: list[Array]) -> list[Slip]:
    """Explanations of single numbers, each against the targets in turn."""
    groups: dict[Found, list[Index]] = defaultdict(list)
    few = bool(case.wrong.sum() <= MOST_SUMS)
    for index in map(tuple, np.argwhere(case.wrong).tolist()):
        entered = case.work.sheets[case.target].given[index]
        numbers = [Number(entered, float(target[index])) for target in targets]
        found = (
            _of_digits(numbers)
            or _of_place(case, index, numbers)
            or (_of_sum(case, index) if few else None)
        )
        if found is not None:
            groups[found].append(index)
    return [
        Slip(found[0], case.target, tuple(cells), dict(found[1])) for found, cells in groups.items()
    ]


def _of_digits(numbers: list[Number]) -> Found | None:
    for number in numbers:
        found = _sign(number) or _point(number) or _digits_swapped(number)
        if found is not None:
            return found
    return None


def _sign(number: Number) -> Found | None:
    if abs(number.target) > number.half and number.near(-number.entered.value):
        return "cell.sign", ()
    return None


def _point(number: Number) -> Found | None:
    """The same digits, with the point elsewhere: at least two digits, or it may be chance."""
    if len(number.digits) < 2 or not np.isfinite(number.target):
        return None
    for power in (1, -1, 2, -2, 3, -3):
        if number.near(number.entered.value * 10.0**power, 10.0**power):
            return "cell.decimal_point", (("power", power),)
    return None


def _digits_swapped(number: Number) -> Found | None:
    """Two neighbouring digits written in the wrong order, as 0.38 for 0.83; told only where at least two differ."""
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


def _of_place(case: Case, index: Index, numbers: list[Number]) -> Found | None:
    if case.work.plan[case.target].kind.shares and _fills_up(case, index, numbers):
        return "weights.filled_up", ()
    return None


def _fills_up(case: Case, index: Index, numbers: list[Number]) -> bool:
    """The last number of a row, made so that the row sums to 1, while the others were rounded or cut off."""
    sheet = case.work.sheets[case.target]
    row = sheet.value[index[:-1]]
    others = np.delete(row, index[-1])
    alone = case.wrong[index[:-1]].sum() == 1 and not sheet.whole[index]
    if not alone or np.isnan(row).any() or abs(float(row.sum()) - 1.0) > 1e-9:
        return False
    close = min(abs(number.entered.value - number.target) for number in numbers)
    if close > 2 * sheet.half[index] * len(row):
        return False
    base = case.work.given.plain[case.target][index[:-1]]
    within = np.abs(others - np.delete(base, index[-1])) < 2 * np.delete(
        sheet.half[index[:-1]], index[-1]
    )
    return bool(within.all())


def _of_sum(case: Case, index: Index) -> Found | None:
    """One product of the worked sum done wrong, on the learner's own numbers or on the true ones."""
    work = case.work
    entered = work.sheets[case.target].given[index]
    cell = _cell(case.target, index)
    for base in work.bases(case.target):
        unpinned = work.document.with_(pins=())
        trace = Trace(work.plan, {**base.arrays, case.target: base.plain[case.target]}, unpinned)
        step = derive(unpinned, trace, cell)
        if step.kind in ("dot", "add", "rotate"):
            found = wrong_term(work.document, trace, step, entered)
            if found is not None:
                return "cell.term", found
    return ("cell.sum", _off(case, index)) if _is_lonely(case) else None


def _cell(stage: str, index: Index) -> Cell:
    head = index[0] if STAGE_AXES[stage][0] == "h" else 0
    return Cell(stage, index[-2], index[-1], head)


def _is_lonely(case: Case) -> bool:
    """The learner knows how (most of the stage is right), or had the right factors: only the sum itself is off."""
    work, stage = case.work, case.work.plan[case.target]
    _, sums = stage.kind.operations(work.document, stage)
    factors_right = all(
        work.plan[name].entered
        or (name in work.right and (work.right[name] | ~work.sheets[name].stated).all())
        for name in stage.reads
    )
    return sums and (factors_right or bool(case.kept.sum() >= case.wrong.sum()))


def _off(case: Case, index: Index) -> tuple[tuple[str, Any], ...]:
    value = case.work.sheets[case.target].value[index] - case.work.given.plain[case.target][index]
    return (
        ("off", float(value)),
        ("decimals", case.work.sheets[case.target].given[index].decimals),
    )
