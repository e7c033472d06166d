"""A run with changes: what comes out when some steps are done otherwise, or start from the learner's own numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from core.arithmetic import attention
from core.base.arrays import Array
from core.check.answers import StatedNumbers
from core.compute.trace import Trace, unpinned
from core.document.document import Document
from core.stages import Plan, spec_of
from core.stages.kind import ScoreKind
from core.stages.mask import MASK
from core.stages.multiply import DOT_PRODUCT
from core.stages.scale import SCALE


@dataclass(frozen=True, slots=True, eq=False)
class PartialRun:
    """The arrays that stand so far, under way to some stage."""

    document: Document
    plan: Plan
    arrays: Mapping[str, Array]

    def __getitem__(self, stage_id: str) -> Array:
        return self.arrays[stage_id]

    def plain(self, stage_id: str) -> Array:
        """A stage computed as it should be from the arrays before it, pins applied."""
        result = unpinned(
            self.document, Trace(self.plan, dict(self.arrays), self.document), stage_id
        )
        pins = [pin for pin in self.document.pins if pin.stage == stage_id]
        if pins:
            result = np.array(result)
            for pin in pins:
                result[pin.index] = pin.value
        return result

    def logits(self, factor: float | None = None, *, masked: bool = True) -> Array:
        """What the softmax reads, made anew from the raw scores with this factor and with or without the mask."""
        (scores,) = self.plan.of_kind(DOT_PRODUCT)
        result = self[scores.id]
        for stage in self.plan:
            if not isinstance(stage.kind, ScoreKind) or stage.kind.in_softmax:
                continue
            if stage.kind is SCALE and factor is not None:
                result = attention.multiply(result, factor)
            elif masked or stage.kind is not MASK:
                result = stage.kind.compute(self.document, stage, {stage.reads[0]: result})
        return result


Change = Callable[[PartialRun], Array]
After = Callable[[Array], Array]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A slip to be tried: stages that are computed otherwise, or whose finished numbers are altered.

    `unless`: it can only have happened while none of these stages is stated in full. `given`: only while one is.
    """

    id: str
    changes: Mapping[str, Change] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, After] = field(default_factory=dict)
    unless: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class NumberChain:
    """A chain of numbers that the learner may have worked on with.

    `plain` is what each stage gives from the numbers before it, `arrays` the same with stated numbers in their places.
    """

    plain: dict[str, Array] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)


@lru_cache(maxsize=64)
def ancestors(plan: Plan, stage_id: str) -> frozenset[str]:
    """The stages from which a stage is computed, near and far."""
    found: set[str] = set()
    waiting = list(plan[stage_id].reads)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += plan[name].reads
    return frozenset(found)


def alternative_stage(
    document: Document,
    plan: Plan,
    base: NumberChain,
    sheets: Mapping[str, StatedNumbers],
    target: str,
    candidates: Iterable[Candidate],
) -> Array:
    """The target stage as it comes out of `base` with the changes of all candidates; stated numbers stay in between."""
    changes: dict[str, Change] = {}
    after: dict[str, After] = {}
    for candidate in candidates:
        changes.update(candidate.changes)
        after.update(candidate.after)
    arrays = dict(base.arrays)
    arrays[target] = base.plain[target]
    moved: set[str] = set()
    way = ancestors(plan, target) | {target}
    for stage in plan:
        if stage.id not in way:
            continue
        now = PartialRun(document, plan, arrays)
        if stage.id in changes:
            arrays[stage.id] = changes[stage.id](now)
        elif moved & set(stage.reads):
            arrays[stage.id] = now.plain(stage.id)
        elif stage.id not in after:
            continue
        if stage.id != target and stage.id in sheets:
            arrays[stage.id] = with_stated_numbers(arrays[stage.id], sheets[stage.id])
        if stage.id in after:
            arrays[stage.id] = after[stage.id](arrays[stage.id])
        moved.add(stage.id)
    return arrays[target]


def with_stated_numbers(array: Array, sheet: StatedNumbers) -> Array:
    """The array with the stated numbers in their places, as given; −∞ only where a mask could have put it."""
    usable = np.isfinite(sheet.value) | (
        np.isneginf(sheet.value) if spec_of(sheet.stage).kind is MASK else False
    )
    return np.where(usable, sheet.value, array)
