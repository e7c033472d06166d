"""Alternative runs: recompute stages with a mistake, or from the learner's own numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.arithmetic import attention
from core.base.arrays import Array
from core.check.answers import StatedNumbers
from core.document.document import Document
from core.stages import Plan, Stage
from core.stages.kind import ScoreKind
from core.stages.mask import MASK
from core.stages.multiply import DOT_PRODUCT
from core.stages.scale import SCALE


@dataclass(frozen=True, slots=True, eq=False)
class PartialRun:
    """The stages computed so far in an alternative run."""

    document: Document
    plan: Plan
    arrays: Mapping[str, Array]

    def __getitem__(self, stage_id: str) -> Array:
        return self.arrays[stage_id]

    def plain(self, stage_id: str) -> Array:
        """A stage computed correctly from the arrays before it, pins applied."""
        stage = self.plan[stage_id]
        result = stage.kind.compute(self.document, stage, self.arrays)
        pins = [pin for pin in self.document.pins if pin.stage == stage_id]
        if pins:
            result = np.array(result)
            for pin in pins:
                result[pin.index] = pin.value
        return result

    def logits(self, factor: float | None = None, *, masked: bool = True) -> Array:
        """The input of the softmax, recomputed from the raw scores with a scale factor and with or
        without the mask.
        """
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
    """A mistake to try: `changes` replace the computation of stages, `after` alters their results.

    `unless`: only possible while none of these stages is stated in full. `given`: only while one
    is.
    """

    id: str
    changes: Mapping[str, Change] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, After] = field(default_factory=dict)
    unless: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class NumberChain:
    """One version of the stages that the learner may have continued from.

    `plain` holds each stage computed from the numbers before it, `arrays` the same with stated
    numbers filled in.
    """

    plain: dict[str, Array] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)


def ancestors(plan: Plan, stage_id: str) -> frozenset[str]:
    """The stages that a stage depends on, directly or indirectly."""
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
    way: Sequence[Stage],
    candidates: Iterable[Candidate],
) -> Array:
    """The last stage of `way` computed from `base` with the changes of all candidates; stated
    numbers in between stay. `way`: the stages that it depends on, in order, and the stage itself.
    """
    target = way[-1].id
    changes: dict[str, Change] = {}
    after: dict[str, After] = {}
    for candidate in candidates:
        changes.update(candidate.changes)
        after.update(candidate.after)
    arrays = dict(base.arrays)
    arrays[target] = base.plain[target]
    now = PartialRun(document, plan, arrays)
    moved: set[str] = set()
    for stage in way:
        sheet = sheets.get(stage.id) if stage.id != target else None
        changed = stage.id in changes
        if not changed and moved.isdisjoint(stage.reads) and stage.id not in after:
            continue
        if sheet is not None and sheet.replaces:
            arrays[stage.id] = sheet.value
        else:
            if changed:
                arrays[stage.id] = changes[stage.id](now)
            elif not moved.isdisjoint(stage.reads):
                arrays[stage.id] = now.plain(stage.id)
            if sheet is not None:
                arrays[stage.id] = with_stated_numbers(arrays[stage.id], sheet)
        if stage.id in after:
            arrays[stage.id] = after[stage.id](arrays[stage.id])
        moved.add(stage.id)
    return arrays[target]


def with_stated_numbers(array: Array, sheet: StatedNumbers) -> Array:
    """The array with the stated numbers filled in."""
    return np.where(sheet.usable, sheet.value, array)
