"""Search for mistakes that, made throughout a stage, a head or a row, give the learner's numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
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
MOST_OF = 0.8  # of a unit's wrong numbers a mistake must explain; the rest may have other causes


Outcome = tuple[Candidate, NumberChain, Array]


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
    candidates = [*context.candidates, *_entries(case)]
    rounds: tuple[Candidate, ...] = ()
    if stepwise:
        decimals = context.sheets[target].usual_decimals
        names = [name for name in context.sources(target) if not context.plan[name].entered]
        rounds = (Candidate("", after=dict.fromkeys(names, partial(_rounded, decimals=decimals))),)
    result = []
    for candidate in candidates:
        if context.possible(candidate, target):
            result += [
                (candidate, base, context.outcome(base, target, [*rounds, candidate]))
                for base in context.chains(target)
            ]
    return result


def _entries(case: Case) -> Iterator[Candidate]:
    """Right numbers in the wrong places."""
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


def best(case: Case, tried: Sequence[Outcome], *, rounded: bool = False) -> Explanation | None:
    """The mistake that explains most; among equals the first, the others in `also`.

    `rounded`: also where the outcome is as uncertain as the given numbers are.
    """
    finds = []
    for candidate, base, array in tried:
        slack = _slack(case, candidate, base, array) if rounded else 0.0
        if slack is not None and (find := explain(case, (candidate,), array, slack)) is not None:
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


def _slack(case: Case, candidate: Candidate, base: NumberChain, array: Array) -> Array | None:
    """The uncertainty of an outcome; None where it is far from the wrong numbers."""
    sheet = case.context.sheets[case.target]
    reach = FAR * case.context.uncertainty(case.target) + FAR_SHARE * np.abs(array)
    hits = sheet.near_within(array, reach) & case.wrong
    if hits.sum() < MOST_OF * case.wrong.sum():
        return None
    return case.context.candidate_slack(base, case.target, candidate)


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
    sure = case.wrong & (_chance(np.stack([array for _, _, array in tried]), tolerance) <= DOUBT)
    hits = _unrefuted(case, tried, sure, alone)
    found, left = [], sure
    while left.any():
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
    for candidate, _, array in tried:
        match = case.context.sheets[case.target].near(array)
        refuted = (case.kept & ~match).any(axis=axes, keepdims=True) & bool(together)
        hits.append((candidate, array, np.asarray(match & sure & ~refuted)))
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
    for one, other, base in islice(_pairs(case, tried), affordable):
        find = explain(
            case, (one, other), case.context.outcome(base, case.target, [one, other]), rows=False
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
    """Pairs of mistakes that each have an effect and can be combined, common ones first."""
    moving = [
        (one, base)
        for one, base, array in tried
        if not np.array_equal(array, base.plain[case.target])
    ]
    for total in range(1, 2 * len(moving) - 2):
        for first in range(max(0, total - len(moving) + 1), (total + 1) // 2):
            (one, base), (other, other_base) = moving[first], moving[total - first]
            clash = one.changes.keys() & other.changes or one.after.keys() & other.after
            if base is other_base and one.id != other.id and not clash:
                yield one, other, base


def explain(
    case: Case,
    mistakes: tuple[Candidate, ...],
    array: Array,
    slack: Array | float = 0.0,
    *,
    rows: bool = True,
) -> Explanation | None:
    """How well an outcome fits: in the whole stage, else in whole heads, else in whole rows."""
    sheet = case.context.sheets[case.target]
    match = sheet.near_within(array, slack)
    hits = match & case.wrong
    if not hits.any():
        return None
    against = case.kept & ~match
    all_bits = case.context.bits(case.target, slack) if np.any(slack) else case.bits
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
    for candidate in _candidates(case.context, case.target):
        for base in case.context.chains(case.target):
            array = case.context.outcome(base, case.target, [candidate])
            find = _agreeing(case, candidate, array)
            if find is not None and (found is None or find.bits > found.bits + 1e-9):
                found = find
    return found


def _agreeing(case: Case, candidate: Candidate, array: Array) -> Explanation | None:
    match = case.context.sheets[case.target].near(array)
    axes = (-2, -1)
    agree = (match | ~(case.kept | case.wrong)).all(axis=axes, keepdims=True)
    bits = (case.bits * case.wrong).sum(axis=axes, keepdims=True)
    cells = case.wrong & agree & (bits >= NEED_BITS)
    return (
        Explanation((candidate,), array, cells, float((case.bits * cells).sum()))
        if cells.any()
        else None
    )


def _candidates(context: CheckContext, target: str) -> Iterator[Candidate]:
    sources = context.sources(target)
    computed = [stage.id for stage in context.plan if stage.id in sources and not stage.entered]
    for decimals in range(MOST_DECIMALS, 0, -1):
        rounds = partial(_rounded, decimals=decimals)
        for name in reversed(computed):
            yield Candidate(
                "rounding.early", data={"stage": name, "decimals": decimals}, after={name: rounds}
            )
            if context.plan[name].kind.shares:
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
    """Round so that each row still sums to 1: the largest remainders are rounded up."""
    scaled = weights * 10.0**decimals
    floor = np.floor(scaled + 1e-9)
    missing = np.round(scaled.sum(axis=-1, keepdims=True)) - floor.sum(axis=-1, keepdims=True)
    rank = np.argsort(np.argsort(-(scaled - floor), axis=-1, kind="stable"), axis=-1, kind="stable")
    return np.asarray((floor + (rank < missing)) / 10.0**decimals)
