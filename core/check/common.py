"""What all answers to an experiment have in common: its run, the mistakes to try, what they give."""

from __future__ import annotations

import numpy as np

from core.base.arrays import Array
from core.check.alternative_run import Candidate, NumberChain, alternative_stage, ancestors
from core.check.given import Given, rounded_tensors
from core.check.mistakes import mistake_candidates
from core.check.stack_mistakes import stack_candidates
from core.compute.trace import run
from core.document.document import Document
from core.stages import Plan, Stage

KEPT_CELLS = 1 << 22  # of outcomes: 32 MiB


class Common:
    """Computed once for all answers; outcomes are kept when they are first asked for.

    `truth`: the numbers of the experiment; `decimals` of the entered tensors that count as rounded.
    """

    @np.errstate(all="ignore")
    def __init__(self, document: Document, given: Given) -> None:
        self.document = document
        self.trace = run(document)
        self.truth = NumberChain(self.trace.arrays, self.trace.arrays)
        self.decimals = rounded_tensors(document, given)
        find = stack_candidates if document.is_stack else mistake_candidates
        self.candidates = find(document, self.plan)
        self._sources: dict[str, frozenset[str]] = {}
        self._ways: dict[str, tuple[Stage, ...]] = {}
        self._outcomes: dict[tuple[str, tuple[Candidate, ...]], Array] = {}
        self._kept = 0

    @property
    def plan(self) -> Plan:
        """The stages of the experiment."""
        return self.trace.plan

    def outcome(self, target: str, candidates: tuple[Candidate, ...]) -> Array:
        """The target stage with the mistakes of all candidates, from the true numbers."""
        found = self._outcomes.get((target, candidates))
        if found is None:
            way = self.way(target)
            found = alternative_stage(self.document, self.plan, self.truth, {}, way, candidates)
            if self._kept + found.size <= KEPT_CELLS:
                self._kept += found.size
                self._outcomes[target, candidates] = found
        return found

    def way(self, target: str) -> tuple[Stage, ...]:
        """The stages that a stage depends on, in order, and the stage itself."""
        if target not in self._ways:
            needed = self.sources(target) | {target}
            self._ways[target] = tuple(stage for stage in self.plan if stage.id in needed)
        return self._ways[target]

    def sources(self, target: str) -> frozenset[str]:
        """The stages that a stage depends on; kept, since each of hundreds of outcomes needs them."""
        if target not in self._sources:
            self._sources[target] = ancestors(self.plan, target)
        return self._sources[target]
