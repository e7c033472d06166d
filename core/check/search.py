"""Search for mistakes that, made throughout a stage, a head or a row, give the learner's numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from core.base.arrays import Array, BoolArray
from core.check.alternative_run import Candidate, NumberChain
from core.check.check_context import CheckContext
from core.stages.softmax import EXPONENTIAL, NORMALISE

# Bits that the explained numbers must have together, so that a chance hit is unlikely.
NEED = 8.0
NEED_ROW = 9.0
NEED_WHOLE = 3.0  # for two or more wrong numbers, where every number of the sheet agrees
NEED_PAIR = 14.0
NEED_LONE = 14.0  # for a single number; with fewer a mistake is one that may be
PAIR_CELLS = 600_000  # cells computed for all pairs together
PAIR_STAGES = 8_000  # stages computed for all pairs together
FAR = 6.0  # times the uncertainty of the right numbers: a mistake may multiply it
FAR_SHARE = 0.2  # of the outcome's own size, added
# With more expected chance hits than this, no explanation of a single number is accepted.
DOUBT = 0.15
COMPARED_CELLS = 1 << 16  # of outcomes, with the stated numbers at a time
MOST_OF = 0.8  # of a unit's wrong numbers a mistake must explain; the rest may have other causes


class Outcome(Struct, frozen=True, eq=False):
    """A stage with mistakes, from a chain of numbers, and which stated numbers it gives; `hits`:
    whether any wrong one.
    """

    candidates: tuple[Candidate, ...]
    base: NumberChain
    array: Array
    match: BoolArray
    hits: bool


class Explanation(Struct, frozen=True, eq=False):
    """Mistakes that explain cells: the stage that they give, the explained cells, and how certain
    that is in bits.
    """

    candidates: tuple[Candidate, ...]
    array: Array
    cells: BoolArray
    bits: float
    whole: bool = False  # whether it gives every number of the sheet
    maybe: bool = False  # whether too few numbers tell
    also: tuple[Candidate, ...] = ()


class Case(Struct, frozen=True, eq=False):
    """The unexplained wrong numbers of one stage; `kept` are the right and consistent ones.

    Numbers in neither are right only for other given numbers that round to those entered.
    """

    context: CheckContext
    target: str
    wrong: BoolArray
    kept: BoolArray
    bits: Array

    @property
    def all_bits(self) -> float:
        """The information in all wrong numbers: no explanation has more."""
        return float((self.bits * self.wrong).sum())

    def without(self, cells: BoolArray) -> Case:
        """The case without explained cells."""
        return Case(self.context, self.target, self.wrong & ~cells, self.kept, self.bits)


def singles(case: Case, *, stepwise: bool = False) -> list[Outcome]:
    """The stage with each possible mistake, on each chain; `stepwise`: with every result on the way
    rounded as the learner's numbers are.
    """
    context, target = case.context, case.target
    chains = context.chains(target)
    candidates = [*context.common.candidates, *_entries(target, case.wrong.shape)]
    rounds: tuple[Candidate, ...] = ()
    if stepwise:
        decimals = context.sheets[target].usual_decimals
        names = [stage.id for stage in context.common.way(target)[:-1] if not stage.entered]
        rounds = (_rounding(tuple(names), decimals),)
    shown = context.possible(candidates, target)
    return _outcomes(case, (((one,), base) for one in shown for base in chains), rounds)


def _outcomes(
    case: Case,
    tried: Iterable[tuple[tuple[Candidate, ...], NumberChain]],
    rounds: tuple[Candidate, ...] = (),
) -> list[Outcome]:
    """What each combination of mistakes gives; `rounds` go with all of them."""
    context, target, waiting = case.context, case.target, iter(tried)
    found: list[Outcome] = []
    while some := list(islice(waiting, max(1, COMPARED_CELLS // case.wrong.size))):
        arrays = [context.outcome(base, target, (*rounds, *mistakes)) for mistakes, base in some]
        matches = context.sheets[target].near(np.stack(arrays))
        wrong: BoolArray = (matches & case.wrong).reshape(len(some), -1)
        hits = np.asarray(wrong.any(axis=1)).tolist()
        found += [
            Outcome(candidates, base, array, match, hit)
            for (candidates, base), array, match, hit in zip(
                some, arrays, matches, hits, strict=True
            )
        ]
    return found


@lru_cache(256)
def _entries(target: str, shape: tuple[int, ...]) -> tuple[Candidate, ...]:
    """Right numbers in the wrong places."""
    return tuple(_moved_entries(target, shape))


def _moved_entries(target: str, shape: tuple[int, ...]) -> Iterator[Candidate]:
    if len(shape) == 3 and shape[0] > 1:
        for one in range(shape[0]):
            for other in range(one + 1, shape[0]):
                order = list(range(shape[0]))
                order[one], order[other] = other, one
                swap = partial(np.take, indices=order, axis=0)
                yield Candidate(
                    "entry.heads_swapped", data={"heads": (one, other)}, after={target: swap}
                )
    if shape[-1] == shape[-2]:
        yield Candidate(
            "entry.transposed", after={target: partial(np.swapaxes, axis1=-1, axis2=-2)}
        )


def best(case: Case, tried: Sequence[Outcome], *, rounded: bool = False) -> Explanation | None:
    """The mistake that explains most; among equals the first, the others in `also`.

    `rounded`: also where the outcome is as uncertain as the given numbers are.
    """
    finds = []
    for outcome in tried:
        slack = _slack(case, outcome) if rounded else None
        if slack is None and (rounded or not outcome.hits):
            continue
        if (find := explain(case, outcome, slack)) is not None:
            finds.append(find)
    if not finds:
        return None
    top = max(finds, key=lambda find: (find.whole, find.bits))
    twins = {
        find.candidates[0].id: find.candidates[0]
        for find in finds
        if find.candidates[0].id != top.candidates[0].id and (find.cells >= top.cells).all()
    }
    return replace(top, also=tuple(twins.values()))


def _slack(case: Case, outcome: Outcome) -> Array | None:
    """The uncertainty of an outcome; None where it is far from the wrong numbers."""
    sheet, array = case.context.sheets[case.target], outcome.array
    reach = FAR * case.context.uncertainty(case.target) + FAR_SHARE * np.abs(array)
    hits = sheet.near_within(array, reach) & case.wrong
    if hits.sum() < MOST_OF * case.wrong.sum():
        return None
    (candidate,) = outcome.candidates
    return case.context.candidate_slack(outcome.base, case.target, candidate)


def possible(case: Case, tried: Sequence[Outcome], *, alone: bool) -> list[Explanation]:
    """Mistakes of which each gives a few of the wrong numbers, together most of them.

    `alone`: only those that no right number of the stage speaks against, else none of the same row
    (after the softmax, where a row's numbers come about together). A number that a mistake might
    give by chance, because so many give different ones, is left out.
    """
    if not case.wrong.any() or not tried:
        return []
    tolerance = np.asarray(
        case.context.sheets[case.target].tolerance(case.context.trace[case.target])
    )
    sure = case.wrong & (_chance(np.stack([one.array for one in tried]), tolerance) <= DOUBT)
    hits = _unrefuted(case, tried, sure, alone)
    found, left = [], sure
    while hits and left.any():
        candidate, array, given = max(hits, key=lambda hit: int((hit[2] & left).sum()))
        cells = given & left
        if not cells.any():
            break
        twins = {
            other.id: other
            for other, _, same in hits
            if other.id != candidate.id and (same >= cells).all()
        }
        also = tuple(twins.values())
        found.append(Explanation((candidate,), array, cells, 0.0, maybe=True, also=also))
        left = left & ~cells
    return found if (sure & ~left).sum() >= MOST_OF * case.wrong.sum() else []


def _unrefuted(
    case: Case, tried: Sequence[Outcome], sure: BoolArray, alone: bool
) -> list[tuple[Candidate, Array, BoolArray]]:
    """Which of the cells each mistake gives, where no right number speaks against it."""
    plan = case.context.plan
    stages = (case.target, *case.context.sources(case.target))
    together = alone or {EXPONENTIAL, NORMALISE} & {plan[name].kind for name in stages}
    axes = tuple(range(case.wrong.ndim)) if alone else (-1,)
    hits = []
    for outcome in tried:
        if outcome.hits and (given := outcome.match & sure).any():
            refuted = (case.kept & ~outcome.match).any(axis=axes, keepdims=True) & bool(together)
            hits.append((outcome.candidates[0], outcome.array, np.asarray(given & ~refuted)))
    return hits


def _chance(arrays: Array, tolerance: Array) -> Array:
    """For each cell, how many of the outcomes a random number in their range would hit."""
    places = np.sort(np.where(np.isfinite(arrays), arrays, np.nan), axis=0)
    apart = np.diff(places, axis=0) > 2 * tolerance
    span = np.fmax.reduce(places) - np.fmin.reduce(places)
    expected = (1 + apart.sum(axis=0)) * 2 * tolerance / span
    return np.asarray(np.nan_to_num(expected, nan=1.0, posinf=1.0))


def best_pair(case: Case, tried: Sequence[Outcome]) -> Explanation | None:
    """Two mistakes at different stages that together explain what neither does alone."""
    if case.all_bits < NEED_PAIR:
        return None
    found: Explanation | None = None
    document = case.context.document
    layers = max(len(document.layers), 1)
    cells = layers * document.h * document.n * max(document.m, document.d)
    stages = len(case.context.sources(case.target)) + 1
    affordable = min(PAIR_CELLS // cells, PAIR_STAGES // stages)
    for outcome in _outcomes(case, islice(_pairs(case, tried), affordable)):
        find = explain(case, outcome, rows=False) if outcome.hits else None
        if (
            find is not None
            and find.bits >= NEED_PAIR
            and (found is None or find.bits > found.bits + 1e-9)
        ):
            found = find
    return found


def _pairs(
    case: Case, tried: Sequence[Outcome]
) -> Iterator[tuple[tuple[Candidate, Candidate], NumberChain]]:
    """Pairs of mistakes that each have an effect and can be combined, common ones first."""
    moving = [
        (outcome.candidates[0], outcome.base)
        for outcome in tried
        if not np.array_equal(outcome.array, outcome.base.plain[case.target])
    ]
    for total in range(1, 2 * len(moving) - 2):
        for first in range(max(0, total - len(moving) + 1), (total + 1) // 2):
            (one, base), (other, other_base) = moving[first], moving[total - first]
            clash = one.changes.keys() & other.changes or one.after.keys() & other.after
            if base is other_base and one.id != other.id and not clash:
                yield (one, other), base


def explain(
    case: Case, outcome: Outcome, slack: Array | None = None, *, rows: bool = True
) -> Explanation | None:
    """How well an outcome fits: in the whole stage, else in whole heads, else in whole rows."""
    sheet = case.context.sheets[case.target]
    mistakes, array, match = outcome.candidates, outcome.array, outcome.match
    all_bits = case.bits
    if slack is not None:
        match = sheet.near_within(array, slack)
        all_bits = case.context.bits(case.target, slack)
    hits = match & case.wrong
    if not hits.any():
        return None
    against = case.kept & ~match
    found: Explanation | None = None
    if case.wrong.sum() > 1 and (match | ~sheet.stated).all():
        bits = float((all_bits * hits).sum())
        if bits >= NEED_WHOLE:
            return Explanation(mistakes, array, hits, bits, whole=True)
    for axes, need in _levels(case.wrong.ndim, rows):
        count = case.wrong.sum(axis=axes, keepdims=True)
        gain = (all_bits * hits).sum(axis=axes, keepdims=True)
        fits = ~against.any(axis=axes, keepdims=True) & (
            hits.sum(axis=axes, keepdims=True) >= MOST_OF * count
        )
        cells = hits & fits & (gain >= need)
        bits = float((all_bits * cells).sum())
        if bits > 0 and (found is None or bits > found.bits + 1e-9):
            found = Explanation(mistakes, array, cells, bits)
    return found


def _levels(ndim: int, rows: bool) -> list[tuple[tuple[int, ...], float]]:
    """The axes of each unit (stage, head, row), and the bits that it needs."""
    levels = [(tuple(range(ndim)), NEED)]
    if ndim == 3:
        levels.append(((1, 2), NEED))
    if rows:
        levels.append(((ndim - 1,), NEED_ROW))
    return levels


NEED_BITS = 4.0  # few: early rounding is common, and every number of the head must agree
MOST_DECIMALS = 4


def truncated(case: Case, target: Array) -> BoolArray:
    """Wrong numbers that are `target` truncated after the last digit written."""
    sheet = case.context.sheets[case.target]
    short = np.abs(target) - np.abs(sheet.value)
    same_side = (np.sign(target) == np.sign(sheet.value)) | (sheet.value == 0)
    unit = 2 * sheet.half
    return np.asarray(
        case.wrong & same_side & (short > 0) & (short < unit * (1 - 1e-9)) & ~sheet.whole
    )


def early_rounding(case: Case) -> Explanation | None:
    """The rounding of an earlier result that gives all wrong numbers of the stage or of some heads."""
    if case.all_bits < NEED_BITS:
        return None
    found: Explanation | None = None
    chains = case.context.chains(case.target)
    tried = (
        ((candidate,), base)
        for candidate in _roundings(case.context, case.target)
        for base in chains
    )
    for outcome in _outcomes(case, tried):
        find = _agreeing(case, outcome) if outcome.hits else None
        if find is not None and (found is None or find.bits > found.bits + 1e-9):
            found = find
    return found


def _agreeing(case: Case, outcome: Outcome) -> Explanation | None:
    axes = (-2, -1)
    agree = (outcome.match | ~(case.kept | case.wrong)).all(axis=axes, keepdims=True)
    bits = (case.bits * case.wrong).sum(axis=axes, keepdims=True)
    cells = case.wrong & agree & (bits >= NEED_BITS)
    return (
        Explanation(outcome.candidates, outcome.array, cells, float((case.bits * cells).sum()))
        if cells.any()
        else None
    )


def _roundings(context: CheckContext, target: str) -> Iterator[Candidate]:
    computed = [stage.id for stage in context.common.way(target)[:-1] if not stage.entered]
    for decimals in range(MOST_DECIMALS, 0, -1):
        for name in reversed(computed):
            yield _rounding((name,), decimals)
            if context.plan[name].kind.shares:
                yield _rounding((name,), decimals, to_one=True)
        if len(computed) > 1:
            yield _rounding(tuple(computed), decimals)


@lru_cache(4096)
def _rounding(names: tuple[str, ...], decimals: int, *, to_one: bool = False) -> Candidate:
    """The rounding of stages; `to_one`: so that each row still sums to 1."""
    rounds = partial(_rounded_to_one if to_one else _rounded, decimals=decimals)
    stage = names[0] if len(names) == 1 else ""
    data = {"stage": stage, "decimals": decimals}
    return Candidate("rounding.early", data=data, after=dict.fromkeys(names, rounds))


def _rounded(array: Array, decimals: int) -> Array:
    return array.round(decimals)


def _rounded_to_one(weights: Array, decimals: int) -> Array:
    """Round so that each row still sums to 1: the largest remainders are rounded up."""
    scaled = weights * 10.0**decimals
    floor = np.floor(scaled + 1e-9)
    missing = np.round(scaled.sum(axis=-1, keepdims=True)) - floor.sum(axis=-1, keepdims=True)
    rank = np.argsort(np.argsort(-(scaled - floor), axis=-1, kind="stable"), axis=-1, kind="stable")
    return np.asarray((floor + (rank < missing)) / 10.0**decimals)
