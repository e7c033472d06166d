"""The way back: how a number that depends on Y changes with every number before it.

From ∂L/∂Y the plan is walked from its end to its beginning, and each stage hands what it is given
on to what it reads (reverse-mode differentiation; Rumelhart, Hinton & Williams 1986). Three rules
are all it takes:

    C = A B            ∂L/∂A = ∂L/∂C Bᵀ          ∂L/∂B = Aᵀ ∂L/∂C
    a = softmax(s)     ∂L/∂sᵢ = aᵢ (∂L/∂aᵢ − Σⱼ ∂L/∂aⱼ aⱼ)          (times ln b for another base b)
    what was copied to several places adds up what comes back from them

A pinned cell is a constant: nothing goes back through it, and its own gradient is 0. A forbidden
pair has weight 0 and so gradient 0; a row that may see nothing as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from core.arithmetic.stable_sum import saturate
from core.base.arrays import Array, require_shape, sealed
from core.document.document import Document
from core.document.parts import is_of_head
from core.stages import Trace
from core.stages.kind import BackwardPass

Place = tuple[str, int]  # an entered tensor and its head, 0 where it has none


@dataclass(frozen=True, slots=True, eq=False)
class Gradients:
    """∂L/∂ of everything, each array of the shape of what it belongs to, read-only and finite.

    `stages` holds them by stage id; at a pinned cell it is 0. `tensors` holds them by (name, head)
    of what was entered.
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
        return np.atleast_2d(self.tensors[name, head if is_of_head(name) else 0])


def half_square(Y: Array, target: Array) -> float:
    """½ ‖Y − T‖², the loss whose gradient at Y is Y − T; at most the largest double.

    # (n, o), (n, o)
    """
    with np.errstate(all="ignore"):
        return float(saturate(np.square(Y - target).sum(keepdims=True) / 2.0).item())


def backward(document: Document, trace: Trace, seed: Array) -> Gradients:
    """The gradients of L at everything that Y comes from, given ∂L/∂Y = `seed`.  # (n, o)

    `trace` is run(document). Numbers beyond the largest double stay at that double here, too.
    Raises UserError("shape") for a seed that is not of the shape of Y.
    """
    last = trace.plan.stages[-1]
    require_shape(seed, "∂L/∂Y", last.axes, trace[last.id].shape)
    zeros = {stage.id: np.zeros(trace[stage.id].shape) for stage in trace.plan}
    way = BackwardPass(document, trace, zeros, {})
    way.stages[last.id] += seed
    for stage in reversed(trace.plan.stages):
        gradient = way.stages[stage.id]
        for pin in document.pins:
            if pin.stage == stage.id:
                gradient[pin.index] = 0.0
        with np.errstate(all="ignore"):
            stage.kind.backward(way, stage, gradient)
    return Gradients(
        MappingProxyType({name: sealed(array) for name, array in way.stages.items()}),
        MappingProxyType({place: sealed(array) for place, array in way.tensors.items()}),
    )
