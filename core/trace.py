"""run(document): fold the plan into a frozen trace, one array for each stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from core import attention, positions
from core.arrays import Array
from core.cell import Cell
from core.document import Document
from core.edits import allowed
from core.plan import STAGE_AXES, Plan, Stage, plan
from core.sums import product, products, saturate

Key = tuple[Any, ...]
Watch = Callable[[int, int], None]  # stages done, stages in all


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Every stage's array, read-only, in the order of the plan. trace["weights"] is an array (h, n, m).

    `keys` hold what each stage was computed from, so that the next run can tell what has not changed.
    """

    plan: Plan
    arrays: dict[str, Array]
    keys: dict[str, Key]

    def __getitem__(self, stage_id: str) -> Array:
        return self.arrays[stage_id]

    def __contains__(self, stage_id: object) -> bool:
        return stage_id in self.arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def matrix(self, stage_id: str, head: int = 0) -> Array:
        """One stage as rows and columns: the given head of a head-wise stage, else the whole."""
        array = self.arrays[stage_id]
        return array[head] if array.ndim == 3 else array

    def value(self, cell: Cell) -> float:
        """The number at a cell of a stage."""
        return float(self.matrix(cell.tensor, cell.head)[cell.row, cell.column])


def run(document: Document, previous: Trace | None = None, watch: Watch | None = None) -> Trace:
    """Compute every stage of the plan, with pins applied right after their stage.

    Stages whose sources are the same objects as in `previous` keep their very arrays. Numbers beyond the largest
    double stay at that double: a trace never holds NaN, and −∞ only where a mask has put it. `watch` hears before each
    stage how many are done of how many; what it raises ends the run.
    """
    the_plan = plan(document)
    arrays: dict[str, Array] = {}
    keys: dict[str, Key] = {}
    for done, stage in enumerate(the_plan):
        if watch is not None:
            watch(done, len(the_plan))
        key = _key(document, stage, arrays)
        keys[stage.id] = key
        if previous is not None and stage.id in previous and _same(key, previous.keys[stage.id]):
            arrays[stage.id] = previous[stage.id]
        else:
            arrays[stage.id] = _pinned(document, stage.id, _computed(document, stage, arrays))
    return Trace(the_plan, arrays, keys)


def unpinned(document: Document, trace: Trace, stage_id: str) -> Array:
    """What a stage would be without its own pins, everything before it as it is."""
    return _computed(document, trace.plan[stage_id], trace.arrays)


def _computed(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    with np.errstate(all="ignore"):
        return _COMPUTE[stage.id](document, stage, arrays)


def _same(a: Key, b: Key) -> bool:
    """Arrays compare by identity, everything else by value (numbers stand as hex, where 0 and −0 differ)."""
    if len(a) != len(b):
        return False
    return all(
        x is y if isinstance(x, np.ndarray) or isinstance(y, np.ndarray) else x == y for x, y in zip(a, b, strict=True)
    )


def _key(document: Document, stage: Stage, arrays: dict[str, Array]) -> Key:
    sources: list[Any] = [arrays[name] for name in stage.reads]
    heads = range(document.h) if stage.headwise else range(1)
    sources += [document.tensor(name, head) for name in stage.inputs for head in heads]
    sources += [(pin.index, float(pin.value).hex()) for pin in document.pins if pin.stage == stage.id]
    return (*sources, *_parameters(document, stage.id))


def _parameters(document: Document, stage_id: str) -> tuple[Any, ...]:
    if stage_id in ("P", "P_context", "Q_rot", "K_rot"):
        width, length = (document.k, "n") if stage_id.endswith("_rot") else (document.d, STAGE_AXES[stage_id][0])
        return (document.positional.kind, float(document.positional.base).hex(), document.sizes[length], width)
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
        return float(1.0 / np.sqrt(document.k))
    return document.scale.value if document.scale.kind == "factor" else 1.0


def slopes(document: Document) -> Array:
    """The ALiBi slope of each head, (h,)."""
    given = document.positional.slopes
    return positions.alibi_slopes(document.h) if given is None else given


def _pinned(document: Document, stage_id: str, array: Array) -> Array:
    pins = [pin for pin in document.pins if pin.stage == stage_id]
    if pins:
        array = np.array(array)
        for pin in pins:
            array[pin.index] = pin.value
    array.flags.writeable = False
    return array


def _entered(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    name = stage.inputs[0]
    if not stage.headwise:
        return _given(document, name)
    return np.stack([_given(document, name, head) for head in range(document.h)])


def _given(document: Document, name: str, head: int = 0) -> Array:
    tensor = document.tensor(name, head)
    assert tensor is not None, name  # the plan lists only inputs that the document has
    return tensor


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
    x = arrays[stage.reads[0]]
    projected = products(x, [_given(document, stage.inputs[0], head) for head in range(document.h)])
    for bias_name in stage.inputs[1:]:
        for head in range(document.h):
            bias = document.tensor(bias_name, head)
            if bias is not None:
                projected[head] += bias
    return saturate(projected)


def _rotate(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    return positions.rotate(arrays[stage.reads[0]], document.positional.base)


def _scores(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    return attention.scores(arrays[stage.reads[0]], arrays[stage.reads[1]])


def _scaled(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    return attention.in_blocks(partial(attention.multiply, scale=scale_factor(document)), arrays["scores"])


def _biased(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    return saturate(arrays[stage.reads[0]] + positions.alibi_bias(document.n, slopes(document), document.m))


def _masked(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    return attention.apply_mask(arrays[stage.reads[0]], allowed(document))


def _exp(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    softmax = document.softmax
    power = partial(attention.exponentials, base=softmax.number, shift=softmax.shift)
    return attention.in_blocks(power, arrays[stage.reads[0]])


def _weights(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    return attention.in_blocks(attention.normalise, arrays["exp"])


def _heads(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    return attention.mix(arrays["weights"], arrays["V"])


def _concat(document: Document, stage: Stage, arrays: dict[str, Array]) -> Array:
    """(h, n, v) -> (n, h·v); a head that is off keeps its block, filled with 0."""
    blocks = [
        block if head.enabled else np.zeros_like(block)
        for head, block in zip(document.heads, arrays["heads"], strict=True)
    ]
    return np.concatenate(blocks, axis=1)


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
    "scaled": _scaled,
    "biased": _biased,
    "masked": _masked,
    "exp": _exp,
    "weights": _weights,
    "heads": _heads,
    "concat": _concat,
    "Y": _output,
}
assert set(_COMPUTE) == set(STAGE_AXES)
