"""run(document): fold the plan into a frozen trace, one array for each stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.arithmetic.blockwise import Watch, apply_blockwise
from core.base.arrays import Array
from core.document.document import Document
from core.stages import Stage, Trace, plan
from core.stages.kind import ScoreKind

__all__ = ["Trace", "Watch", "run", "unpinned"]


@np.errstate(all="ignore")
def run(document: Document, previous: Trace | None = None, watch: Watch | None = None) -> Trace:
    """Compute every stage of the plan, with pins applied right after their stage.

    Stages whose sources are the same objects as in `previous` keep their very arrays. Numbers beyond the largest
    double stay at that double: a trace never holds NaN, and −∞ only where a mask has put it. `watch` hears before each
    stage, and within long ones, how many are done of how many; what it raises ends the run.
    """
    the_plan = plan(document)
    arrays: dict[str, Array] = {}
    for done, stage in enumerate(the_plan):
        if watch is not None:
            watch(done, len(the_plan))
        if stage.id in arrays:  # worked out together with the one before it
            continue
        kept = None if previous is None else _kept(document, stage, arrays, previous)
        if kept is not None:
            arrays[stage.id] = kept
            continue
        stages = _together(document, the_plan.stages[done:])
        computed = _computed(
            document, stages, arrays, _part(watch, done, len(stages), len(the_plan))
        )
        for each, array in zip(stages, computed, strict=True):
            arrays[each.id] = _pinned(document, each.id, array)
    return Trace(the_plan, arrays, document)


def unpinned(document: Document, trace: Trace, stage_id: str) -> Array:
    """What a stage would be without its own pins, everything before it as it is; of the stage's own shape."""
    return _computed(document, (trace.plan[stage_id],), trace.arrays)[0]


def _together(document: Document, stages: Sequence[Stage]) -> Sequence[Stage]:
    """The first of the stages, with those after it that can be worked out in one pass: row by row, and without pins."""
    pinned = {pin.stage for pin in document.pins}
    count = 1
    while (
        isinstance(stages[count - 1].kind, ScoreKind)
        and stages[count - 1].id not in pinned
        and isinstance(stages[count].kind, ScoreKind)  # the last stage is none
    ):
        count += 1
    return stages[:count]


@np.errstate(all="ignore")
def _computed(
    document: Document,
    stages: Sequence[Stage],
    arrays: dict[str, Array],
    watch: Watch | None = None,
) -> Sequence[Array]:
    first = stages[0]
    steps = [stage.kind.step(document) for stage in stages if isinstance(stage.kind, ScoreKind)]
    if not steps:
        return (first.kind.compute(document, first, arrays),)
    return apply_blockwise(steps, arrays[first.reads[0]], watch)


def _part(watch: Watch | None, done: int, stages: int, of: int) -> Watch | None:
    """What tells `watch` how far the stages after those that are done have come."""
    if watch is None:
        return None
    return lambda part, parts: watch(done + part * stages // parts, of)


def _kept(
    document: Document, stage: Stage, arrays: dict[str, Array], previous: Trace
) -> Array | None:
    """The array of the previous run, if the stage is made of the same arrays and parameters."""
    result = previous.arrays.get(stage.id)
    if result is None or stage != previous.plan[stage.id]:
        return None
    if any(arrays[name] is not previous.arrays[name] for name in stage.reads):
        return None
    return result if _made_alike(document, stage, previous.document) else None


def _made_alike(document: Document, stage: Stage, before: Document) -> bool:
    """Whether a stage is made of what it reads as it was before. Arrays count as the same only if they are the same."""
    return (
        _alike(_inputs(document, stage), _inputs(before, stage))
        and _alike(stage.kind.parameters(document, stage), stage.kind.parameters(before, stage))
        and _pins(document, stage.id) == _pins(before, stage.id)
    )


def _alike(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Arrays compare by identity, everything else by value (numbers stand as hex, where 0 and −0 differ)."""
    if len(a) != len(b):
        return False
    return all(
        x is y if isinstance(x, np.ndarray) or isinstance(y, np.ndarray) else x == y
        for x, y in zip(a, b, strict=True)
    )


def _inputs(document: Document, stage: Stage) -> tuple[Array | None, ...]:
    heads = range(document.h) if stage.headwise else range(1)
    return tuple(document.tensor(name, head) for name in stage.inputs for head in heads)


def _pins(document: Document, stage_id: str) -> list[tuple[tuple[int, ...], str]]:
    return [(pin.index, float(pin.value).hex()) for pin in document.pins if pin.stage == stage_id]


def _pinned(document: Document, stage_id: str, array: Array) -> Array:
    pins = [pin for pin in document.pins if pin.stage == stage_id] if document.pins else []
    if pins:
        array = np.array(array)
        for pin in pins:
            array[pin.index] = pin.value
    array.flags.writeable = False
    return array
