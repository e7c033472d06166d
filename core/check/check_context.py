"""The context of one check: the true run, the stated numbers, and the runs that continue from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from core.base.arrays import Array, BoolArray
from core.check.alternative_run import (
    Candidate,
    NumberChain,
    PartialRun,
    alternative_stage,
    ancestors,
    with_stated_numbers,
)
from core.check.answers import StatedNumbers
from core.check.mistakes import mistake_candidates
from core.compute.trace import Trace
from core.document.document import Document
from core.stages import Plan, Stage

_LARGEST_BITS = 16.0  # so that one number with many digits does not outweigh all others


@dataclass(slots=True, eq=False)
class CheckContext:
    """Three chains of numbers: `given` continues from the stated numbers; `exact` uses the true
    value where they are right (the learner may have kept more digits than written); `truth` ignores
    the learner.
    """

    document: Document
    trace: Trace
    sheets: dict[str, StatedNumbers]
    given: NumberChain = field(default_factory=NumberChain)
    exact: NumberChain = field(default_factory=NumberChain)
    truth: NumberChain = field(init=False)
    right: dict[str, BoolArray] = field(default_factory=dict)
    candidates: tuple[Candidate, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.truth = NumberChain(self.trace.arrays, self.trace.arrays)
        self.candidates = mistake_candidates(self.document, self.plan)

    @property
    def plan(self) -> Plan:
        """The stages of the experiment."""
        return self.trace.plan

    def compute(self, stage: Stage) -> None:
        """Compute a stage on both chains from the numbers stated before it."""
        for base in (self.given, self.exact):
            untouched = all(base.arrays[name] is self.trace[name] for name in stage.reads)
            partial_run = PartialRun(self.document, self.plan, base.arrays)
            with np.errstate(all="ignore"):
                plain = self.trace[stage.id] if untouched else partial_run.plain(stage.id)
            base.plain[stage.id] = base.arrays[stage.id] = plain

    def record(self, stage_id: str, right: BoolArray, true: Array) -> None:
        """Continue from the stated numbers of a stage; `true` are the exact values of the right
        ones.
        """
        sheet = self.sheets[stage_id]
        self.right[stage_id] = right
        stated = with_stated_numbers(self.given.plain[stage_id], sheet)
        self.given.arrays[stage_id] = stated
        kept = np.where(
            sheet.stated & ~right, stated, np.where(right, true, self.exact.plain[stage_id])
        )
        if not np.array_equal(kept, self.trace[stage_id]):
            self.exact.arrays[stage_id] = kept

    def chains(self, target: str) -> list[NumberChain]:
        """The chains that differ before a stage, `given` first."""
        sources = ancestors(self.plan, target)
        chosen: list[NumberChain] = []
        for base in (self.given, self.exact, self.truth):
            if not any(
                all(base.arrays[name] is other.arrays[name] for name in sources) for other in chosen
            ):
                chosen.append(base)
        return chosen

    def outcome(self, base: NumberChain, target: str, candidates: Iterable[Candidate]) -> Array:
        """The target stage with the mistakes of all candidates."""
        sheets = {} if base is self.truth else self.sheets
        with np.errstate(all="ignore"):
            return alternative_stage(self.document, self.plan, base, sheets, target, candidates)

    def possible(self, candidate: Candidate, target: str) -> bool:
        """Whether a mistake can show in a stage, given the stages stated before it."""
        sources = ancestors(self.plan, target)
        full = {name for name, sheet in self.sheets.items() if name in sources and sheet.full}
        some = {name for name in self.sheets if name in sources}
        if full & set(candidate.unless) or (candidate.given and not some & set(candidate.given)):
            return False
        return any(
            name == target or name in sources - full
            for name in (*candidate.changes, *candidate.after)
        )

    def bits(self, target: str) -> Array:
        """The information in each stated number, in bits: how unlikely a chance hit is."""
        sheet = self.sheets[target]
        away = np.minimum.reduce(
            [sheet.distance(base.plain[target]) for base in (self.given, self.exact, self.truth)]
        )
        return np.asarray(np.minimum(np.log2(1.0 + away), _LARGEST_BITS))


TRIALS = 32


def rounding_error(context: CheckContext, target: str) -> Array:
    """The largest change of a stage while each stated number before it varies within the rounding
    of its last digit.

    Numbers without decimals and exact ones stay fixed. Measured by random trials with a fixed seed.
    """
    sources = ancestors(context.plan, target)
    rng = np.random.default_rng(0)
    plain = context.given.plain[target]
    largest = np.zeros_like(plain)
    for _ in range(TRIALS):
        stated = [name for name in context.sheets if name in sources]
        shaken = Candidate(
            "spread", after={name: partial(np.add, _moved(context, name, rng)) for name in stated}
        )
        result = context.outcome(context.given, target, [shaken])
        with np.errstate(invalid="ignore"):
            largest = np.fmax(largest, np.abs(result - plain))
    return largest


def _moved(context: CheckContext, name: str, rng: np.random.Generator) -> Array:
    sheet = context.sheets[name]
    with np.errstate(invalid="ignore"):
        exact = sheet.whole | (np.abs(sheet.value - context.trace[name]) < 1e-12) | ~sheet.stated
    half = np.where(exact, 0.0, np.nan_to_num(sheet.half))
    return np.asarray(rng.uniform(-1.0, 1.0, half.shape) * half)
