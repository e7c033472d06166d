"""The workplace of one check: the truth, the learner's sheets, and the chains of numbers that led to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from core.base.arrays import Array, BoolArray
from core.check.alternative_run import Base, Candidate, Flow, ancestors, flow, overlaid
from core.check.catalogue import catalogue
from core.check.entered import Sheet
from core.compute.trace import Trace
from core.document.document import Document
from core.stages import Plan, Stage

_LARGEST_BITS = 16.0  # a number written to many digits is one witness, not an army


@dataclass(slots=True, eq=False)
class Work:
    """`given` goes on from the stated numbers as they stand there; `exact` takes the truth where they are right (the
    learner may have kept more digits than were written down); `truth` knows nothing of the learner."""

    document: Document
    trace: Trace
    sheets: dict[str, Sheet]
    given: Base = field(default_factory=Base)
    exact: Base = field(default_factory=Base)
    truth: Base = field(init=False)
    right: dict[str, BoolArray] = field(default_factory=dict)
    slips: tuple[Candidate, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.truth = Base(self.trace.arrays, self.trace.arrays)
        self.slips = catalogue(self.document, self.plan)

    @property
    def plan(self) -> Plan:
        """The stages of the experiment."""
        return self.trace.plan

    def reach(self, stage: Stage) -> None:
        """Compute a stage on both chains, from what the learner has stated before it."""
        for base in (self.given, self.exact):
            untouched = all(base.arrays[name] is self.trace[name] for name in stage.reads)
            plain = self.trace[stage.id] if untouched else self._plain(base, stage)
            base.plain[stage.id] = base.arrays[stage.id] = plain

    def _plain(self, base: Base, stage: Stage) -> Array:
        with np.errstate(all="ignore"):
            return Flow(self.document, self.plan, base.arrays).plain(stage.id)

    def take(self, stage_id: str, right: BoolArray, true: Array) -> None:
        """Go on from the stated numbers of a stage; `true` is what right ones stand for."""
        sheet = self.sheets[stage_id]
        self.right[stage_id] = right
        stated = overlaid(self.given.plain[stage_id], sheet)
        self.given.arrays[stage_id] = stated
        kept = np.where(
            sheet.stated & ~right, stated, np.where(right, true, self.exact.plain[stage_id])
        )
        if not np.array_equal(kept, self.trace[stage_id]):
            self.exact.arrays[stage_id] = kept

    def bases(self, target: str) -> list[Base]:
        """The chains that differ before a stage, the learner's own first."""
        way = ancestors(self.plan, target)
        chosen: list[Base] = []
        for base in (self.given, self.exact, self.truth):
            if not any(
                all(base.arrays[name] is other.arrays[name] for name in way) for other in chosen
            ):
                chosen.append(base)
        return chosen

    def outcome(self, base: Base, target: str, candidates: Iterable[Candidate]) -> Array:
        """The target stage as the candidates' slips make it."""
        sheets = {} if base is self.truth else self.sheets
        with np.errstate(all="ignore"):
            return flow(self.document, self.plan, base, sheets, target, candidates)

    def possible(self, candidate: Candidate, target: str) -> bool:
        """Whether a slip can show in a stage, given what was stated on the way."""
        way = ancestors(self.plan, target)
        full = {name for name, sheet in self.sheets.items() if name in way and sheet.full}
        some = {name for name in self.sheets if name in way}
        if full & set(candidate.unless) or (candidate.given and not some & set(candidate.given)):
            return False
        return any(
            name == target or name in way - full for name in (*candidate.changes, *candidate.after)
        )

    def bits(self, target: str) -> Array:
        """How much each stated number says: how unlikely it is that a wrong guess hits it."""
        sheet = self.sheets[target]
        away = np.minimum.reduce(
            [sheet.distance(base.plain[target]) for base in (self.given, self.exact, self.truth)]
        )
        return np.asarray(np.minimum(np.log2(1.0 + away), _LARGEST_BITS))
