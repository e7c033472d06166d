"""The way back: how a number that depends on Y changes with every number before it.

From ∂L/∂Y the plan is walked from its end to its beginning, and each stage hands what it is given on to what it reads
(reverse-mode differentiation; Rumelhart, Hinton & Williams 1986). Three rules are all it takes:

    C = A B            ∂L/∂A = ∂L/∂C Bᵀ          ∂L/∂B = Aᵀ ∂L/∂C
    a = softmax(s)     ∂L/∂sᵢ = aᵢ (∂L/∂aᵢ − Σⱼ ∂L/∂aⱼ aⱼ)          (times ln b for another base b)
    what was copied to several places adds up what comes back from them

A pinned cell is a constant: nothing goes back through it, and its own gradient is 0. A forbidden pair has weight 0 and
so gradient 0; a row that may see nothing as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from core.arithmetic.attention import row_max
from core.arithmetic.positional_encoding import rotate
from core.arithmetic.stable_sum import product, row_sum, saturate
from core.base.arrays import Array, require_shape, sealed
from core.compute.trace import Trace, scale_factor
from core.document.document import HEAD_TENSORS, Document
from core.document.edits import allowed
from core.document.plan import STAGE_AXES, Stage

Place = tuple[str, int]  # an entered tensor and its head, 0 where it has none


@dataclass(frozen=True, slots=True, eq=False)
class Gradients:
    """∂L/∂ of everything, each array of the shape of what it belongs to, read-only and finite.

    `stages` holds them by stage id; at a pinned cell it is 0. `tensors` holds them by (name, head) of what was entered.
    """

    stages: Mapping[str, Array]
    tensors: Mapping[Place, Array]

    def __getitem__(self, stage_id: str) -> Array:
        return self.stages[stage_id]

    def tensor(self, name: str, head: int = 0) -> Array:
        """∂L/∂ of an entered tensor such as W_Q. KeyError where the experiment does not use it."""
        return self.tensors[name, head]

    def matrix(self, name: str, head: int = 0) -> Array:
        """∂L/∂ of a stage or an entered tensor as rows and columns; a vector is one row."""
        if name in self.stages:
            array = self.stages[name]
            return array[head] if array.ndim == 3 else array
        return np.atleast_2d(self.tensors[name, head if name in HEAD_TENSORS else 0])


def half_square(Y: Array, target: Array) -> float:
    """½ ‖Y − T‖², the loss whose gradient at Y is Y − T; at most the largest double.  # (n, o), (n, o)"""
    with np.errstate(all="ignore"):
        return float(saturate(np.square(Y - target).sum(keepdims=True) / 2.0).item())


def backward(document: Document, trace: Trace, seed: Array) -> Gradients:
    """The gradients of L at everything that Y comes from, given ∂L/∂Y = `seed`.  # (n, o)

    `trace` is run(document). Numbers beyond the largest double stay at that double here, too.
    Raises UserError("shape") for a seed that is not of the shape of Y.
    """
    require_shape(seed, "∂L/∂Y", STAGE_AXES["Y"], trace["Y"].shape)
    way = _Way(
        document, trace, {stage.id: np.zeros(trace[stage.id].shape) for stage in trace.plan}, {}
    )
    way.stages["Y"] += seed
    for stage in reversed(trace.plan.stages):
        gradient = way.stages[stage.id]
        for pin in document.pins:
            if pin.stage == stage.id:
                gradient[pin.index] = 0.0
        with np.errstate(all="ignore"):
            _BACK[stage.id](way, stage, gradient)
    return Gradients(
        MappingProxyType({name: sealed(array) for name, array in way.stages.items()}),
        MappingProxyType({place: sealed(array) for place, array in way.tensors.items()}),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """How far we have come: the gradients so far, to which each stage adds what it hands on."""

    document: Document
    trace: Trace
    stages: dict[str, Array]
    tensors: dict[Place, Array]

    def add(self, stage_id: str, gradient: Array) -> None:
        saturate(np.add(self.stages[stage_id], gradient, out=self.stages[stage_id]))

    def given(self, name: str) -> Iterator[tuple[int, Array]]:
        """An entered tensor of every head that has it."""
        for head in range(self.document.h):
            tensor = self.document.tensor(name, head)
            if tensor is not None:
                yield head, tensor


def _entered(way: _Way, stage: Stage, gradient: Array) -> None:
    (name,) = stage.inputs
    if not stage.headwise:
        way.tensors[name, 0] = np.array(gradient)
        return
    for head, part in enumerate(gradient):
        way.tensors[name, head] = np.array(part)


def _positions(way: _Way, stage: Stage, gradient: Array) -> None:
    """Learned positions were entered; sines and cosines come from nothing that could change."""
    if stage.entered:
        _entered(way, stage, gradient)


def _copy(way: _Way, stage: Stage, gradient: Array) -> None:
    """A sum, or what goes on as it is: each part gets the whole."""
    for source in stage.reads:
        way.add(source, gradient)


def _project(way: _Way, stage: Stage, gradient: Array) -> None:
    """Q = X W + b: back to X through Wᵀ from every head, to W through Xᵀ, to b down the columns."""
    if stage.entered:
        _entered(way, stage, gradient)
        return
    (source,) = stage.reads
    x = way.trace[source]
    for head, weights in way.given(stage.inputs[0]):
        way.add(source, product(gradient[head], weights.T))
        way.tensors[stage.inputs[0], head] = product(x.T, gradient[head])
    for bias in stage.inputs[1:]:
        for head, _ in way.given(bias):
            way.tensors[bias, head] = _down(gradient[head])


def _down(gradient: Array) -> Array:
    """The sum down each column.  # (n, k) -> (k,)"""
    return row_sum(gradient.T)[:, 0]


def _rotate(way: _Way, stage: Stage, gradient: Array) -> None:
    """Turned back by the same angle: as the mirror image, turned forward and mirrored again."""
    mirror = np.ones(gradient.shape[-1])
    mirror[1::2] = -1.0
    (source,) = stage.reads
    way.add(source, rotate(gradient * mirror, way.document.positional.base) * mirror)


def _scores(way: _Way, stage: Stage, gradient: Array) -> None:
    query, key = stage.reads
    way.add(query, product(gradient, way.trace[key]))
    way.add(key, product(gradient.swapaxes(-1, -2), way.trace[query]))


def _scaled(way: _Way, stage: Stage, gradient: Array) -> None:
    way.add(stage.reads[0], gradient * scale_factor(way.document))


def _masked(way: _Way, stage: Stage, gradient: Array) -> None:
    way.add(stage.reads[0], np.where(allowed(way.document), gradient, 0.0))


def _exp(way: _Way, stage: Stage, gradient: Array) -> None:
    """e = b^(s − max): ∂e/∂s = e ln b.

    The maximum is a score, too. What goes back through it cancels, unless a pinned numerator holds still while the
    others move; then it goes to the first of the largest scores.
    """
    (source,) = stage.reads
    softmax = way.document.softmax
    through = saturate(gradient * way.trace[stage.id] * math.log(softmax.number))
    back = np.array(through)
    if softmax.shift:
        s = way.trace[source]
        for head, row in sorted({pin.index[:2] for pin in way.document.pins if pin.stage == "exp"}):
            if np.isfinite(row_max(s[head, row])[0]):
                back[head, row, int(s[head, row].argmax())] -= float(row_sum(through[head, row])[0])
    way.add(source, back)


def _weights(way: _Way, stage: Stage, gradient: Array) -> None:
    """a = e ÷ sum: ∂L/∂eᵢ = (∂L/∂aᵢ − Σⱼ ∂L/∂aⱼ aⱼ) ÷ sum. A row that sums to 0 hands nothing on."""
    (source,) = stage.reads
    total = row_sum(way.trace[source])
    mean = row_sum(
        gradient * way.trace["weights"]
    )  # pinned weights do not count here: their gradient is 0
    way.add(
        source,
        np.where(
            total == 0.0, 0.0, saturate((gradient - mean) / np.where(total == 0.0, 1.0, total))
        ),
    )


def _heads(way: _Way, stage: Stage, gradient: Array) -> None:
    weights, values = stage.reads
    way.add(weights, product(gradient, way.trace[values].swapaxes(-1, -2)))
    way.add(values, product(way.trace[weights].swapaxes(-1, -2), gradient))


def _concat(way: _Way, stage: Stage, gradient: Array) -> None:
    """Each head gets its block back; one that is off gets nothing."""
    blocks = np.split(gradient, way.document.h, axis=1)
    way.add(
        stage.reads[0],
        np.stack(
            [block * head.enabled for block, head in zip(blocks, way.document.heads, strict=True)]
        ),
    )


def _output(way: _Way, stage: Stage, gradient: Array) -> None:
    (source,) = stage.reads
    if source == "heads":
        way.add(source, gradient[None] * way.document.heads[0].enabled)
        return
    if way.document.W_O is None:
        way.add(source, gradient)
        return
    way.add(source, product(gradient, way.document.W_O.T))
    way.tensors["W_O", 0] = product(way.trace[source].T, gradient)
    if "b_O" in stage.inputs:
        way.tensors["b_O", 0] = _down(gradient)


_BACK: dict[str, Callable[[_Way, Stage, Array], None]] = {
    "X": _entered,
    "P": _positions,
    "input": _copy,
    "X_context": _entered,
    "P_context": _positions,
    "input_context": _copy,
    "Q": _project,
    "K": _project,
    "V": _project,
    "Q_rot": _rotate,
    "K_rot": _rotate,
    "scores": _scores,
    "scaled": _scaled,
    "biased": _copy,
    "masked": _masked,
    "exp": _exp,
    "weights": _weights,
    "heads": _heads,
    "concat": _concat,
    "Y": _output,
}
