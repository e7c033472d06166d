"""run(document): fold the plan into a frozen trace, one array for each stage."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from core.arithmetic.blockwise import Watch, apply_blockwise
from core.base.arrays import Array
from core.base.errors import UserError
from core.document.document import Document
from core.stages import Stage, Trace, plan
from core.stages.dialect import head_tensors
from core.stages.kind import ScoreKind

__all__ = ["Trace", "Watch", "run", "unpinned"]


@np.errstate(all="ignore")
def run(document: Document, previous: Trace | None = None, watch: Watch | None = None) -> Trace:
    """Compute every stage of the plan, with pins applied right after their stage.

    A stage whose sources are the same objects as in `previous` reuses the previous array. Numbers
    beyond the largest double saturate: a trace never contains NaN, and −∞ only where a mask puts
    it. `watch` is called before each stage, and within long ones, with the number of stages done
    and of all; an exception that it raises ends the run.
    """
    the_plan = plan(document)
    arrays: dict[str, Array] = {}
    for done, stage in enumerate(the_plan):
        if watch is not None:
            watch(done, len(the_plan))
        if stage.id in arrays:  # computed in one pass with the stage before
            continue
        reused = None if previous is None else _reused(document, stage, arrays, previous)
        if reused is not None:
            arrays[stage.id] = reused
            continue
        if not isinstance(stage.kind, ScoreKind):
            array = stage.kind.compute(document, stage, arrays)
            arrays[stage.id] = _pinned(document, stage.id, array)
            continue
        stages = _fused(document, the_plan.stages[done:])
        progress = _stage_progress(watch, done, len(stages), len(the_plan))
        scope = document.scope(stage.id)
        steps = [one.kind.step(scope) for one in stages if isinstance(one.kind, ScoreKind)]
        computed = apply_blockwise(steps, arrays[stage.reads[0]], progress)
        for each, array in zip(stages, computed, strict=True):
            arrays[each.id] = _pinned(document, each.id, array)
    return Trace(the_plan, arrays, document)


@np.errstate(all="ignore")
def unpinned(document: Document, trace: Trace, stage_id: str) -> Array:
    """Compute a stage without its own pins from the arrays of the trace."""
    stage = trace.plan[stage_id]
    return stage.kind.compute(document, stage, trace.arrays)


def _fused(document: Document, stages: Sequence[Stage]) -> Sequence[Stage]:
    """The first stage, of scores, and those after it that can be computed in one pass: row by row,
    without pins.
    """
    pinned = {pin.stage for pin in document.pins}
    count = 1
    while isinstance(stages[count].kind, ScoreKind) and stages[count - 1].id not in pinned:
        count += 1  # never beyond the last stage, which is no stage of scores
    return stages[:count]


def _stage_progress(watch: Watch | None, done: int, stages: int, of: int) -> Watch | None:
    """A watch for blocks of `stages` stages that come after `done` of `of` stages."""
    if watch is None:
        return None
    return lambda part, parts: watch(done + part * stages // parts, of)


def _reused(
    document: Document, stage: Stage, arrays: dict[str, Array], previous: Trace
) -> Array | None:
    """The array of the previous run if the stage has the same sources, inputs, parameters and pins."""
    result = previous.arrays.get(stage.id)
    if result is None or stage != previous.plan[stage.id]:
        return None
    if any(arrays[name] is not previous.arrays[name] for name in stage.reads):
        return None
    return result if _is_unchanged(document, stage, previous.document) else None


def _is_unchanged(document: Document, stage: Stage, before: Document) -> bool:
    """Whether the inputs, parameters and pins of a stage are the same; arrays are compared by
    identity.
    """
    return (
        _equal(_inputs(document, stage), _inputs(before, stage))
        and _equal(stage.kind.parameters(document, stage), stage.kind.parameters(before, stage))
        and _pins(document, stage.id) == _pins(before, stage.id)
    )


def _equal(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Compare arrays by identity and everything else by value."""
    if len(a) != len(b):
        return False
    return all(
        x is y if isinstance(x, np.ndarray) or isinstance(y, np.ndarray) else x == y
        for x, y in zip(a, b, strict=True)
    )


def _inputs(document: Document, stage: Stage) -> tuple[Array | None, ...]:
    if not stage.headwise:
        return tuple(map(document.tensor, stage.inputs))
    return tuple(tensor for name in stage.inputs for tensor in head_tensors(document, name))


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


# Memory. Linux promises memory that it does not have, and then ends the program.

LEAST_CHECKED = 1 << 28  # bytes; a smaller trace is not checked
MEMINFO = Path("/proc/meminfo")


def trace_bytes(document: Document) -> int:
    """The size of all arrays of its trace."""
    return 8 * sum(prod(document.stage_shape(stage.id)) for stage in plan(document))


def available_memory() -> int | None:
    """Bytes that can be used without ending another program; None where the system does not tell."""
    with suppress(OSError, ValueError):
        for line in MEMINFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def require_memory(document: Document) -> None:
    """Raise UserError "memory.short" (MiB) if its trace is larger than the memory that is left."""
    require_bytes(trace_bytes(document))


def require_bytes(size: int) -> None:
    """Raise UserError "memory.short" (MiB) if an array of `size` bytes exceeds the memory that is left."""
    if size < LEAST_CHECKED:
        return
    available = available_memory()
    if available is not None and size > available:
        raise UserError("memory.short", needed=size >> 20, available=available >> 20)
