"""run(document): fold the plan into a frozen trace, one array for each stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod, sqrt
from typing import Any

import numpy as np

from core.arithmetic import (
    array_pool as pages,
)
from core.arithmetic import (
    attention,
)
from core.arithmetic import (
    blockwise as blocks,
)
from core.arithmetic import (
    positional_encoding as positions,
)
from core.arithmetic.blockwise import Step, apply_blockwise
from core.arithmetic.incremental import patched, worth_patching
from core.arithmetic.stable_sum import product, products, saturate
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.edits import allowed
from core.document.plan import STAGE_AXES, Plan, Stage, plan

Watch = blocks.Watch  # stages done, of how many


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Every stage's array, read-only, in the order of the plan. trace["weights"] is an array (h, n, m).

    `document` is what it was computed from, so that the next run can tell what has not changed.
    """

    plan: Plan
    arrays: dict[str, Array]
    document: Document

    def __getitem__(self, stage_id: str) -> Array:
        return self.arrays[stage_id]

    def __contains__(self, stage_id: object) -> bool:
        return stage_id in self.arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def matrix(self, stage_id: str, head: int = 0) -> Array:
        """One stage as rows and columns: the given head of a head-wise stage, else the whole.

        KeyError for a stage that this run does not have.
        """
        array = self.arrays[stage_id]
        return array[head] if array.ndim == 3 else array

    def value(self, cell: Cell) -> float:
        """The number at a cell of a stage."""
        return float(self.matrix(cell.tensor, cell.head)[cell.row, cell.column])


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
    if stages[0].id not in _STEPS:
        return stages[:1]
    pinned = {pin.stage for pin in document.pins}
    count = 1
    while (
        stages[count].id in _STEPS and stages[count - 1].id not in pinned
    ):  # never beyond the last, which is Y
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
    if first.id in _COMPUTE:
        return (_COMPUTE[first.id](document, first, arrays),)
    return apply_blockwise(
        [_STEPS[stage.id](document) for stage in stages], arrays[first.reads[0]], watch, pages.fresh
    )


def _part(watch: Watch | None, done: int, stages: int, of: int) -> Watch | None:
    """What tells `watch` how far the stages after those that are done have come."""
    if watch is None:
        return None
    return lambda part, parts: watch(done + part * stages // parts, of)


def _kept(
    document: Document, stage: Stage, arrays: dict[str, Array], previous: Trace
) -> Array | None:
    """What the run before has left of a stage: the very array, or one of which only the rows that differ are new."""
    result = previous.arrays.get(stage.id)
    if result is None or stage != previous.plan[stage.id]:
        return None
    if all(arrays[name] is previous.arrays[name] for name in stage.reads):
        return result if _made_alike(document, stage, previous.document) else None
    read = stage.reads[0]
    if not (_COMPUTE.get(stage.id) is _project and worth_patching(arrays[read], result)):
        return None
    if not _made_alike(document, stage, previous.document):
        return None
    new = patched(
        lambda rows: _project(document, stage, {read: rows}),
        arrays[read],
        previous.arrays[read],
        result,
    )
    return None if new is None else _pinned(document, stage.id, new)


def _made_alike(document: Document, stage: Stage, before: Document) -> bool:
    """Whether a stage is made of what it reads as it was before. Arrays count as the same only if they are the same."""
    return (
        _alike(_inputs(document, stage), _inputs(before, stage))
        and _alike(_parameters(document, stage.id), _parameters(before, stage.id))
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


def _parameters(document: Document, stage_id: str) -> tuple[Any, ...]:
    if stage_id in ("P", "P_context", "Q_rot", "K_rot"):
        width, length = (
            (document.k, "n")
            if stage_id.endswith("_rot")
            else (document.d, STAGE_AXES[stage_id][0])
        )
        return (
            document.positional.kind,
            float(document.positional.base).hex(),
            document.sizes[length],
            width,
        )
    if stage_id == "scaled":
        return (float(scale_factor(document)).hex(),)
    if stage_id == "biased":
        return (document.positional.slopes,)
    if stage_id == "masked":
        return (document.mask.kind, document.mask.left, document.mask.right, document.mask.allow)
    if stage_id == "exp":
        return (document.softmax,)
    if stage_id in ("concat", "Y"):
        return tuple(head.enabled for head in document.heads)
    return ()


def scale_factor(document: Document) -> float:
    """What the scores are multiplied with: 1/√d_k, the factor given, or 1."""
    if document.scale.kind == "sqrt_dk":
        return 1.0 / sqrt(document.k)
    return document.scale.value if document.scale.kind == "factor" else 1.0


def slopes(document: Document) -> Array:
    """The ALiBi slope of each head, (h,)."""
    given = document.positional.slopes
    return positions.alibi_slopes(document.h) if given is None else given


def _pinned(document: Document, stage_id: str, array: Array) -> Array:
    pins = [pin for pin in document.pins if pin.stage == stage_id] if document.pins else []
    if pins:
        array = np.array(array)
        for pin in pins:
            array[pin.index] = pin.value
    array.flags.writeable = False
    return array


def _entered(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    name = stage.inputs[0]
    if stage.headwise:
        return np.stack(_of_heads(document, name))
    tensor = document.tensor(name)
    assert tensor is not None, name  # the plan lists only inputs that the document has
    return tensor


def _of_heads(document: Document, name: str) -> list[Array]:
    return [getattr(head, name) for head in document.heads]


def _positions(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    if stage.entered:
        return _entered(document, stage, arrays)
    rows, width = document.stage_shape(stage.id)
    return positions.sinusoidal(rows, width, document.positional.base)


def _add_positions(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    return saturate(arrays[stage.reads[0]] + arrays[stage.reads[1]])


def _project(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    """(n, d), (h, d, k) -> (h, n, k); keys and values of a context (m, d), (h, d, k) -> (h, m, k)."""
    if stage.entered:
        return _entered(document, stage, arrays)
    weights, *bias = stage.inputs
    projected = products(arrays[stage.reads[0]], _of_heads(document, weights))
    if not bias:
        return projected
    for head, added in enumerate(_of_heads(document, *bias)):
        if added is not None:  # a head may go without
            projected[head] += added
    return saturate(projected)


def _rotate(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    return positions.rotate(arrays[stage.reads[0]], document.positional.base)


def _scores(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    Q, K = arrays[stage.reads[0]], arrays[stage.reads[1]]
    shape = (*Q.shape[:2], K.shape[1])
    return attention.scores(Q, K, pages.fresh(shape) if prod(shape) >= pages.LEAST else None)


def _biasing(document: Document) -> Step:
    slope, distance = slopes(document)[:, None, None], positions.distances(document.n, document.m)
    return attention.bias_step(
        lambda block: positions.alibi_lean(slope[block[0]], distance[block[1]])
    )


def _masking(document: Document) -> Step:
    return attention.mask_step(
        np.broadcast_to(allowed(document), (document.h, document.n, document.m))
    )


def _heads(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    return attention.mix(arrays["weights"], arrays["V"])


def _concat(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    """(h, n, v) -> (n, h·v); a head that is off keeps its block, filled with 0."""
    heads = arrays["heads"]
    h, n, v = heads.shape
    result = np.empty((n, h * v))
    blocks = result.reshape(n, h, v)
    blocks[...] = heads.swapaxes(0, 1)
    for index, head in enumerate(document.heads):
        if not head.enabled:
            blocks[:, index] = 0.0
    return result


def _output(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    if stage.reads[0] == "heads":
        only = arrays["heads"][0]
        return np.array(only) if document.heads[0].enabled else np.zeros_like(only)
    if document.W_O is None:
        return np.array(arrays["concat"])
    projected = product(arrays["concat"], document.W_O)
    return projected if document.b_O is None else saturate(projected + document.b_O)


_COMPUTE = {
    "X": _entered,
    "P": _positions,
    "input": _add_positions,
    "X_context": _entered,
    "P_context": _positions,
    "input_context": _add_positions,
    "Q": _project,
    "K": _project,
    "V": _project,
    "Q_rot": _rotate,
    "K_rot": _rotate,
    "scores": _scores,
    "heads": _heads,
    "concat": _concat,
    "Y": _output,
}
# Stages of scores that work out each row from the same row of the stage before.
_STEPS: dict[str, Callable[[Document], Step]] = {
    "scaled": lambda document: attention.scale_step(scale_factor(document)),
    "biased": _biasing,
    "masked": _masking,
    "exp": lambda document: attention.exp_step(document.softmax.number, document.softmax.shift),
    "weights": lambda _document: attention.normalise_step(),
}
assert {*_COMPUTE, *_STEPS} == set(STAGE_AXES)
