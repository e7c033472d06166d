"""Digits lost on the way: intermediate results rounded too early, and results cut off where they should be rounded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from core.base.arrays import Array, BoolArray
from core.check.alternative_run import Candidate, ancestors
from core.check.check_context import Work
from core.check.search import Case, Find

NEED_BITS = 4.0  # few: nothing is more common, and every number of the stage or the head must agree
MOST_DECIMALS = 4


def truncated(case: Case, target: Array) -> BoolArray:
    """Wrong numbers that are `target` cut off behind the last digit written."""
    sheet = case.work.sheets[case.target]
    with np.errstate(invalid="ignore"):
        short = np.abs(target) - np.abs(sheet.value)
        same_side = (np.sign(target) == np.sign(sheet.value)) | (sheet.value == 0)
        unit = 2 * sheet.half
        return np.asarray(
            case.wrong & same_side & (short > 0) & (short < unit * (1 - 1e-9)) & ~sheet.whole
        )


def early(case: Case) -> Find | None:
    """The rounding of an earlier result that leads to all the wrong numbers of the stage, or of some of its heads."""
    found: Find | None = None
    for candidate in _candidates(case.work, case.target):
        for base in case.work.bases(case.target):
            array = case.work.outcome(base, case.target, [candidate])
            find = _agreeing(case, candidate, array)
            if find is not None and (found is None or find.bits > found.bits + 1e-9):
                found = find
    return found


def _agreeing(case: Case, candidate: Candidate, array: Array) -> Find | None:
    match = case.work.sheets[case.target].near(array)
    axes = (-2, -1)
    agree = (match | ~(case.kept | case.wrong)).all(axis=axes, keepdims=True)
    bits = (case.bits * case.wrong).sum(axis=axes, keepdims=True)
    cells = case.wrong & agree & (bits >= NEED_BITS)
    return (
        Find((candidate,), array, cells, float((case.bits * cells).sum())) if cells.any() else None
    )


def _candidates(work: Work, target: str) -> Iterator[Candidate]:
    way = ancestors(work.plan, target)
    computed = [stage.id for stage in work.plan if stage.id in way and not stage.entered]
    for decimals in range(MOST_DECIMALS, 0, -1):
        rounds = partial(_rounded, decimals=decimals)
        for name in reversed(computed):
            yield Candidate(
                "rounding.early", data={"stage": name, "decimals": decimals}, after={name: rounds}
            )
            if work.plan[name].kind.shares:
                fitted = partial(_rounded_to_one, decimals=decimals)
                yield Candidate(
                    "rounding.early",
                    data={"stage": name, "decimals": decimals},
                    after={name: fitted},
                )
        if len(computed) > 1:
            every = dict.fromkeys(computed, rounds)
            yield Candidate("rounding.early", data={"stage": "", "decimals": decimals}, after=every)


def _rounded(array: Array, decimals: int) -> Array:
    return np.asarray(np.round(array, decimals))


def _rounded_to_one(weights: Array, decimals: int) -> Array:
    """Rounded so that each row still sums to 1: units go to the largest remainders."""
    scaled = weights * 10.0**decimals
    floor = np.floor(scaled + 1e-9)
    missing = np.round(scaled.sum(axis=-1, keepdims=True)) - floor.sum(axis=-1, keepdims=True)
    rank = np.argsort(np.argsort(-(scaled - floor), axis=-1, kind="stable"), axis=-1, kind="stable")
    return np.asarray((floor + (rank < missing)) / 10.0**decimals)
