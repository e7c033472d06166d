"""Which slip, done throughout a stage, a head or a row, gives the learner's very numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

import numpy as np
from msgspec import Struct

from core.base.arrays import Array, BoolArray
from core.check.alternative_run import Candidate, NumberChain, ancestors
from core.check.check_context import CheckContext

# How many bits the explained numbers must carry: that many coin throws would have to fall right for a chance hit.
NEED = 8.0
NEED_ROW = 9.0
NEED_PAIR = 14.0
PAIR_CELLS = 600_000  # score cells, or cells of the projections, worked on for all pairs together
MOST_OF = 0.8  # of a unit's wrong numbers a slip must explain; the rest may have slips of their own


Outcome = tuple[Candidate, NumberChain, Array]


class Explanation(Struct, frozen=True, eq=False):
    """Slips that explain cells: what they make of the stage, which cells they explain, and how sure that is."""

    candidates: tuple[Candidate, ...]
    array: Array
    cells: BoolArray
    bits: float
    also: tuple[Candidate, ...] = ()


class Case(Struct, frozen=True, eq=False):
    """The wrong numbers of one stage that still want an explanation; `kept` are the right and consistent ones."""

    work: CheckContext
    target: str
    wrong: BoolArray
    kept: BoolArray
    bits: Array

    def without(self, cells: BoolArray) -> Case:
        """The same with some cells explained."""
        return Case(self.work, self.target, self.wrong & ~cells, self.kept, self.bits)


def singles(case: Case) -> list[Outcome]:
    """What each slip that is possible here makes of the stage, on each chain."""
    work, target = case.work, case.target
    candidates = [*work.candidates, *_entries(case)]
    result = []
    for candidate in candidates:
        if work.possible(candidate, target):
            result += [
                (candidate, base, work.outcome(base, target, [candidate]))
                for base in work.chains(target)
            ]
    return result


def _entries(case: Case) -> Iterator[Candidate]:
    """Right numbers written into the wrong places."""
    shape = case.wrong.shape
    if len(shape) == 3 and shape[0] > 1:
        for one in range(shape[0]):
            for other in range(one + 1, shape[0]):
                order = list(range(shape[0]))
                order[one], order[other] = other, one
                swap = partial(np.take, indices=order, axis=0)
                yield Candidate(
                    "entry.heads_swapped", data={"heads": (one, other)}, after={case.target: swap}
                )
    if shape[-1] == shape[-2]:
        yield Candidate(
            "entry.transposed", after={case.target: partial(np.swapaxes, axis1=-1, axis2=-2)}
        )


def best(case: Case, tried: Sequence[Outcome]) -> Explanation | None:
    """The slip that explains most; among equals the first of the catalogue, the others named as `also`."""
    finds = [
        find
        for candidate, _, array in tried
        if (find := explain(case, (candidate,), array)) is not None
    ]
    if not finds:
        return None
    top = max(finds, key=lambda find: find.bits)
    twins = {
        find.candidates[0].id: find.candidates[0]
        for find in finds
        if find.candidates[0].id != top.candidates[0].id and (find.cells >= top.cells).all()
    }
    return Explanation(top.candidates, top.array, top.cells, top.bits, tuple(twins.values()))


def best_pair(case: Case, tried: Sequence[Outcome]) -> Explanation | None:
    """Two slips at different stages that explain together what neither does alone."""
    found: Explanation | None = None
    for one, other, base in islice(_pairs(case, tried), _affordable(case)):
        find = explain(
            case, (one, other), case.work.outcome(base, case.target, [one, other]), rows=False
        )
        if (
            find is not None
            and find.bits >= NEED_PAIR
            and (found is None or find.bits > found.bits + 1e-9)
        ):
            found = find
    return found


def _pairs(
    case: Case, tried: Sequence[Outcome]
) -> Iterator[tuple[Candidate, Candidate, NumberChain]]:
    """Slips that each move something and can go together, pairs of common ones first."""
    moving = [
        (one, base)
        for one, base, array in tried
        if not np.array_equal(array, base.plain[case.target])
    ]
    for total in range(1, 2 * len(moving) - 2):
        for first in range(max(0, total - len(moving) + 1), (total + 1) // 2):
            (one, base), (other, other_base) = moving[first], moving[total - first]
            if base is other_base and one.id != other.id and not _clash(one, other):
                yield one, other, base


def _affordable(case: Case) -> int:
    """How many pairs can be tried in the time that a person waits: all of them at the sizes of hand work."""
    document = case.work.document
    return PAIR_CELLS // (document.h * document.n * max(document.m, document.d))


def _clash(one: Candidate, other: Candidate) -> bool:
    return bool(set(one.changes) & set(other.changes) or set(one.after) & set(other.after))


def explain(
    case: Case, slips: tuple[Candidate, ...], array: Array, *, rows: bool = True
) -> Explanation | None:
    """How well an outcome fits: throughout the stage, else in whole heads, else in whole rows."""
    sheet = case.work.sheets[case.target]
    match = sheet.near(array)
    hits = match & case.wrong
    if not hits.any():
        return None
    against = case.kept & ~match
    found: Explanation | None = None
    for axes, need in _levels(case.wrong.ndim, rows):
        count = case.wrong.sum(axis=axes, keepdims=True)
        gain = (case.bits * hits).sum(axis=axes, keepdims=True)
        fits = ~against.any(axis=axes, keepdims=True) & (
            hits.sum(axis=axes, keepdims=True) >= MOST_OF * count
        )
        cells = hits & fits & (gain >= need)
        bits = float((case.bits * cells).sum())
        if bits > 0 and (found is None or bits > found.bits + 1e-9):
            found = Explanation(slips, array, cells, bits)
    return found


def _levels(ndim: int, rows: bool) -> list[tuple[tuple[int, ...], float]]:
    """The axes of a unit, and how many bits it must carry: the stage, each head, each row."""
    levels = [(tuple(range(ndim)), NEED)]
    if ndim == 3:
        levels.append(((1, 2), NEED))
    if rows:
        levels.append(((ndim - 1,), NEED_ROW))
    return levels


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


def early_rounding(case: Case) -> Explanation | None:
    """The rounding of an earlier result that leads to all the wrong numbers of the stage, or of some of its heads."""
    found: Explanation | None = None
    for candidate in _candidates(case.work, case.target):
        for base in case.work.chains(case.target):
            array = case.work.outcome(base, case.target, [candidate])
            find = _agreeing(case, candidate, array)
            if find is not None and (found is None or find.bits > found.bits + 1e-9):
                found = find
    return found


def _agreeing(case: Case, candidate: Candidate, array: Array) -> Explanation | None:
    match = case.work.sheets[case.target].near(array)
    axes = (-2, -1)
    agree = (match | ~(case.kept | case.wrong)).all(axis=axes, keepdims=True)
    bits = (case.bits * case.wrong).sum(axis=axes, keepdims=True)
    cells = case.wrong & agree & (bits >= NEED_BITS)
    return (
        Explanation((candidate,), array, cells, float((case.bits * cells).sum()))
        if cells.any()
        else None
    )


def _candidates(work: CheckContext, target: str) -> Iterator[Candidate]:
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
