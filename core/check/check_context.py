"""The context of one check: the true run, the stated numbers, and the runs that continue from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from msgspec import structs

from core.arithmetic.enclosure import SINGLE, Enclosure
from core.base.arrays import Array, BoolArray
from core.check.alternative_run import (
    Candidate,
    NumberChain,
    PartialRun,
    alternative_stage,
    with_stated_numbers,
)
from core.check.answers import StatedNumbers
from core.check.common import Common
from core.check.rounding import TRIALS, RoundedRun, RoundingTrials, drawn, usual_radius
from core.compute.trace import run
from core.document.document import Document
from core.stages import Plan, Stage

# Of the largest number of a stage. The enclosure of single precision grows with every layer, far
# beyond what rounding does.
_MOST_SLACK = 1e-5
_FEW = 1 / 6  # of the stated numbers of a matrix
_CERTAIN = 16.0  # bits
_LARGEST_BITS = 16.0  # so that one number with many digits does not outweigh all others


@dataclass(eq=False)
class CheckContext:
    """Three chains of numbers: `given` continues from the stated numbers; `exact` uses the true
    value where they are right (the learner may have kept more digits than written); `truth` ignores
    the learner.
    """

    common: Common
    sheets: dict[str, StatedNumbers]
    given: NumberChain = field(default_factory=NumberChain)
    exact: NumberChain = field(default_factory=NumberChain)
    right: dict[str, BoolArray] = field(default_factory=dict)
    _nearest: dict[str, frozenset[str]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.document, self.decimals = self.common.document, self.common.decimals
        self.trace, self.truth = self.common.trace, self.common.truth
        self._noise = SINGLE if any(sheet.is_precise for sheet in self.sheets.values()) else 0.0
        single = RoundedRun(self.document, self.plan, {}, self._noise)
        for name, sheet in self.sheets.items():
            if sheet.is_precise:
                radius = np.nan_to_num(single.plain(name).radius, posinf=0.0)
                finite = np.nan_to_num(self.trace[name], posinf=0.0, neginf=0.0)
                slack = np.minimum(radius, _MOST_SLACK * np.abs(finite).max(initial=0.0))
                self.sheets[name] = structs.replace(sheet, slack=slack)
        self._known_trials: dict[tuple[bool, str], list[tuple[Document, NumberChain]]] = {}
        self._rounded = self._bounds(self.document)

    def _bounds(self, document: Document) -> tuple[RoundedRun, RoundingTrials]:
        """What rounding may do to the stages, by worst case and in trials."""
        trials = RoundingTrials(document, self.decimals, frozenset(self.sheets))
        return RoundedRun(document, self.plan, self.decimals, self._noise), trials

    @property
    def plan(self) -> Plan:
        """The stages of the experiment."""
        return self.trace.plan

    def compute(self, stage: Stage) -> None:
        """Compute a stage on both chains from the numbers stated before it."""
        for base in (self.given, self.exact):
            untouched = all(base.arrays[name] is self.trace[name] for name in stage.reads)
            partial_run = PartialRun(self.document, self.plan, base.arrays)
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
        sources = self.sources(target)
        chosen: list[NumberChain] = []
        for base in (self.given, self.exact, self.truth):
            if not any(
                all(base.arrays[name] is other.arrays[name] for name in sources) for other in chosen
            ):
                chosen.append(base)
        return chosen

    def outcome(self, base: NumberChain, target: str, candidates: Iterable[Candidate]) -> Array:
        """The target stage with the mistakes of all candidates."""
        candidates = tuple(candidates)
        if base is self.truth or self.sheets.keys().isdisjoint(self.sources(target)):
            return self.common.outcome(target, candidates)
        if self._is_hidden(candidates, target):
            return self.given.plain[target]
        way = self.common.way(target)
        return alternative_stage(self.document, self.plan, base, self.sheets, way, candidates)

    def _is_hidden(self, candidates: tuple[Candidate, ...], target: str) -> bool:
        """Whether every change comes before the stated numbers that alone lead to a stage."""
        near = self._near(target)
        changed = {name for one in candidates for name in (*one.changes, *one.after)}
        stated = near & self.sheets.keys() - {target}
        return changed.isdisjoint(near) and all(
            not changed.isdisjoint(self.sources(name)) for name in stated
        )

    def _near(self, target: str) -> frozenset[str]:
        """The stages that lead to a stage, back to those that can be continued from in full, and
        the stage itself.
        """
        if target not in self._nearest:
            found, waiting = {target}, [target]
            while waiting:
                name = waiting.pop()
                if name == target or name not in self.sheets or not self.sheets[name].replaces:
                    waiting += [read for read in self.plan[name].reads if read not in found]
                    found.update(self.plan[name].reads)
            self._nearest[target] = frozenset(found)
        return self._nearest[target]

    def sources(self, target: str) -> frozenset[str]:
        """The stages that a stage depends on."""
        return self.common.sources(target)

    def possible(self, candidates: Iterable[Candidate], target: str) -> list[Candidate]:
        """The mistakes that can show in a stage, given the stages stated before it."""
        sources = self.sources(target)
        full = {name for name, sheet in self.sheets.items() if name in sources and sheet.full}
        some = {name for name in self.sheets if name in sources}
        shown = (sources - full) | {target}
        return [
            candidate
            for candidate in candidates
            if full.isdisjoint(candidate.unless)
            and not (candidate.given and some.isdisjoint(candidate.given))
            and not (shown.isdisjoint(candidate.changes) and shown.isdisjoint(candidate.after))
        ]

    def bits(self, target: str, slack: Array | float = 0.0) -> Array:
        """The information in each stated number, in bits: how unlikely a chance hit is."""
        sheet = self.sheets[target]
        away = np.minimum.reduce(
            [
                sheet.distance(base.plain[target], slack)
                for base in (self.given, self.exact, self.truth)
            ]
        )
        return np.asarray(np.minimum(np.log2(1.0 + away), _LARGEST_BITS))

    # Rounding

    @property
    def is_uncertain(self) -> bool:
        """Whether given numbers are rounded, or stated ones come from single precision."""
        return bool(self.decimals) or self._noise > 0

    def within_rounding(self, target: str, document: Document | None = None) -> BoolArray:
        """Which stated numbers are right for some entered numbers that round to the given ones.

        `document`: the same numbers with another softmax.
        """
        rounded = self._rounded if document is None else self._bounds(document)
        worst, trials = rounded
        inside = self._within(target, worst.plain(target))
        if not self.document.is_stack:
            return inside
        center = (self.trace if document is None else run(document))[target]
        return inside & self.sheets[target].near_within(center, trials.radius(target))

    def is_as_written(self, target: str, right: BoolArray, off: BoolArray) -> BoolArray:
        """Where the `right` numbers of a matrix are too many to have come from rounded ones.

        There the given numbers were used as they are written, and a few that are `off` in a stack
        are not excused: no rounding moves a number and leaves the others of its row and column.
        """
        found = np.zeros_like(off)
        if not self.document.is_stack:
            return found
        sheet, trials = self.sheets[target], self._rounded[1]
        half = np.asarray(sheet.tolerance(self.trace[target]))
        for head in np.ndindex(off.shape[:-2]):
            few = off[head].sum() <= max(sheet.stated[head].sum() * _FEW, 1)
            kept = sheet.stated[head] & ~off[head]
            whole = any((off[head].any(axis) & ~kept.any(axis)).any() for axis in (0, 1))
            here = np.zeros_like(off)
            here[head] = right[head]
            if few and not whole:
                found[head] = trials.evidence(target, here, half) >= _CERTAIN
        return found

    def within_stated(self, target: str) -> BoolArray:
        """Which stated numbers follow from some numbers that round to those stated before."""
        stated = {name: self.sheets[name] for name in self.right}
        halves = {name: self._half(name) for name in stated}
        worst = RoundedRun(self.document, self.plan, self.decimals, self._noise, stated, halves)
        inside = self._within(target, worst.plain(target))
        if not self.document.is_stack:
            return inside
        center = self.given.plain[target]
        off = [chain.plain[target] - center for _, chain in self._trials(False, target)]
        return inside & self.sheets[target].near_within(center, usual_radius(np.stack(off)))

    def uncertainty(self, target: str) -> Array:
        """How far the right numbers may be off because given ones are rounded."""
        worst, trials = self._rounded
        radius = worst.plain(target).radius
        return np.fmin(radius, trials.radius(target)) if self.document.is_stack else radius

    def _within(self, target: str, enclosure: Enclosure) -> BoolArray:
        unknown = np.isnan(enclosure.center) | np.isnan(enclosure.radius)
        return unknown | self.sheets[target].near_within(enclosure.center, enclosure.radius)

    def _half(self, name: str) -> Array:
        """How far a stated number may be off; whole and exact ones are not."""
        sheet = self.sheets[name]
        exact = sheet.whole | (np.abs(sheet.value - self.trace[name]) < 1e-12) | ~sheet.stated
        return np.where(exact, 0.0, np.nan_to_num(sheet.half))

    def candidate_slack(self, base: NumberChain, target: str, candidate: Candidate) -> Array:
        """How far a mistake's outcome may be off because given and stated numbers are rounded.

        Four standard deviations in trials: close enough for a name, which no verdict depends on.
        """
        plain = self.outcome(base, target, [candidate])
        sheets = {} if base is self.truth else self.sheets
        squares = np.zeros_like(plain)
        for document, chain in self._trials(base is self.truth, target):
            way = self.common.way(target)
            other = alternative_stage(document, self.plan, chain, sheets, way, [candidate])
            squares += np.nan_to_num(other - plain) ** 2
        return np.asarray(4 * np.sqrt(squares / TRIALS))

    def _trials(self, truth: bool, target: str) -> list[tuple[Document, NumberChain]]:
        """Experiments that round to the given numbers, each with its chain up to a stage."""
        if (truth, target) not in self._known_trials:
            rng = np.random.default_rng(0)
            documents = [drawn(self.document, self.decimals, rng) for _ in range(TRIALS)]
            chains = [self._trial_chain(each, truth, target, rng) for each in documents]
            self._known_trials[truth, target] = list(zip(documents, chains, strict=True))
        return self._known_trials[truth, target]

    def _trial_chain(
        self, document: Document, truth: bool, target: str, rng: np.random.Generator
    ) -> NumberChain:
        chain = NumberChain()
        for stage in self.common.way(target):
            array = PartialRun(document, self.plan, chain.arrays).plain(stage.id)
            chain.plain[stage.id] = chain.arrays[stage.id] = array
            if not truth and stage.id in self.right:
                stated = with_stated_numbers(array, self.sheets[stage.id])
                half = self._half(stage.id)
                chain.arrays[stage.id] = stated + rng.uniform(-1.0, 1.0, half.shape) * half
        return chain
