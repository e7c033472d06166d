"""Backward: gradients flow back through the stages.

The loss L is ½‖Y − T‖² or one entry of Y. `core.compute.backward` walks the plan backward, one
stage per step. One gradient is derived as a sum (core.explain.derivation) and compared with the
central finite difference (L(x + ε) − L(x − ε)) / 2ε, whose error is of order ε². Multiplying W_Q
sharpens the softmax: where its weights are 0 and 1, aᵢ(∂L/∂aᵢ − Σⱼ ∂L/∂aⱼ aⱼ) vanishes, and Q and K
receive no gradient.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.base.arrays import Array, frozen
from core.base.cell import Cell
from core.compute.backward import Gradients, backward, half_square
from core.compute.trace import Trace, run
from core.document.document import HEAD_TENSORS, Document
from core.document.edits import with_cell, with_pin, with_tensor
from core.explain.derivation import BackStep, derive_back
from core.labs.controls import ChoiceControl, Clock, Control, Numbers, Slider
from core.labs.lab import Lab, Setting, head_choice, traced
from core.stages import plan, softmax_source
from core.stages.inputs import SINUSOID
from core.stages.softmax import EXPONENTIAL

MOST_TARGETS = 12  # numbers of Y, up to which each has its own target
REACH = 100.0  # bounds of a target
SOFTEST, SHARPEST = 0.1, 100.0
CURVE = 41  # factors of W_Q at which the gradient norm is plotted
NUDGE = 1e-5  # ε of the finite differences for |x| ≤ 1


@dataclass(frozen=True, slots=True, eq=False)
class GradientRun:
    """A forward and backward run: the loss and its gradients.

    `target` (n, o) is None if L is a single number of Y.
    """

    document: Document
    trace: Trace
    target: Array | None
    place: tuple[int, int]
    loss: float
    gradients: Gradients

    @property
    def scores(self) -> str:
        """Return the stage that enters the softmax."""
        return softmax_source(self.trace.plan)

    @property
    def scores_norm(self) -> float:
        """Return ‖∂L/∂S‖ over all heads: the signal from which Q and K learn."""
        return float(np.linalg.norm(self.gradients[self.scores]))


@dataclass(frozen=True, slots=True, eq=False)
class Backward:
    """One step of the backward pass for a loss.

    `aim` names the loss: "target" ½‖Y − T‖², "zero" ½‖Y‖², "one" a y. `steps` are the stages and
    entered tensors in backward order, `name` the selected one, with its numbers (rows, columns) and
    their gradients. `difference` is the finite difference at `cell`, None if undefined (−∞, a
    pinned cell). `factors`, `norms` (p,): ‖∂L/∂S‖ for W_Q times each factor; `factor` is the
    current one. `reach` is the largest |gradient| of `name` at the factor 1, for comparison.
    """

    run: GradientRun
    aim: str
    factor: float
    steps: tuple[str, ...]
    name: str
    head: int
    numbers: Array
    gradient: Array
    reach: float
    cell: Cell
    step: BackStep
    difference: float | None
    factors: Array
    norms: Array


def backward_steps(document: Document) -> tuple[str, ...]:
    """List stages and entered tensors from Y to X, without unpinned numerators and without sines."""
    names: list[str] = []
    pinned = {pin.stage for pin in document.pins}
    for stage in reversed(plan(document).stages):
        if stage.kind is SINUSOID or (stage.kind is EXPONENTIAL and stage.id not in pinned):
            continue
        names += [stage.id, *(() if stage.entered else stage.inputs)]
    return tuple(names)


def sharpened(document: Document, factor: float) -> Document:
    """Multiply W_Q and b_Q (or an entered Q) of every head by a factor, and so all scores."""
    if factor == 1.0:
        return document
    names = ("Q",) if document.source == "qkv" else ("W_Q", "b_Q")
    for name in names:
        for head in range(document.h):
            tensor = document.tensor(name, head)
            if tensor is not None:
                document = with_tensor(
                    document, name, np.clip(tensor * factor, -_LARGE, _LARGE), head
                )
    return document


_LARGE = 1e300


def run_with_gradients(
    document: Document, target: Array | None, place: tuple[int, int]
) -> GradientRun:
    """Run forward and backward for ½‖Y − T‖² or, without a target, for one number of Y."""
    trace = run(document)
    if target is None:
        seed = np.zeros(trace["Y"].shape)
        seed[place] = 1.0
    else:
        seed = trace["Y"] - target
    return GradientRun(
        document,
        trace,
        target,
        place,
        _loss(trace, target, place),
        backward(document, trace, frozen(seed)),
    )


def _loss(trace: Trace, target: Array | None, place: tuple[int, int]) -> float:
    return float(trace["Y"][place]) if target is None else half_square(trace["Y"], target)


def finite_difference(there: GradientRun, cell: Cell) -> float | None:
    """Compute (L(x + ε) − L(x − ε)) / 2ε at a cell; computed cells are changed by a pin.

    ε = 10⁻⁵ · max(1, |x|). None for a pinned cell, for −∞ and for a numerator whose row sums to 0.
    """
    document, trace = there.document, there.trace
    entered = cell.tensor not in trace or trace.plan[cell.tensor].entered
    if any(pin.cell == cell for pin in document.pins):
        return None
    numerator = not entered and trace.plan[cell.tensor].kind is EXPONENTIAL
    if numerator and not trace.matrix(cell.tensor, cell.head)[cell.row].any():
        return None
    value = _number(document, cell) if entered else trace.value(cell)
    if not math.isfinite(value):
        return None
    epsilon = NUDGE * max(1.0, abs(value))
    change = with_cell if entered else with_pin
    up, down = (run(change(document, cell, value + sign * epsilon), trace) for sign in (1.0, -1.0))
    before, after = _loss(down, there.target, there.place), _loss(up, there.target, there.place)
    slope = (after - before) / (2.0 * epsilon)
    return slope if math.isfinite(slope) else None


def _number(document: Document, cell: Cell) -> float:
    return float(np.atleast_2d(_tensor(document, cell.tensor, cell.head))[cell.row, cell.column])


def _tensor(document: Document, name: str, head: int) -> Array:
    tensor = document.tensor(name, _owner(document, name, head))
    assert tensor is not None  # the steps list only what the plan uses
    return tensor


def _owner(document: Document, name: str, head: int) -> int:
    """Return the head that owns a tensor; for a bias missing in that head, the first head with one."""
    if name not in HEAD_TENSORS:
        return 0
    owners = [index for index in range(document.h) if document.tensor(name, index) is not None]
    return head if head in owners else owners[0]


@lru_cache(maxsize=16)
def _there_and_back(
    document: Document, numbers: tuple[float, ...] | None, place: tuple[int, int], factor: float
) -> GradientRun:
    target = None if numbers is None else frozen(np.reshape(numbers, traced(document)["Y"].shape))
    return run_with_gradients(sharpened(document, factor), target, place)


@lru_cache(maxsize=8)
def _curve(
    document: Document, numbers: tuple[float, ...] | None, place: tuple[int, int]
) -> tuple[Array, Array]:
    """Compute ‖∂L/∂S‖ for W_Q times factors from the softest to the sharpest."""
    count = (
        CURVE
        if document.h * document.n * document.m * max(document.k, document.v) < 2000
        else CURVE // 3
    )
    factors = np.geomspace(SOFTEST, SHARPEST, count)
    target = None if numbers is None else frozen(np.reshape(numbers, traced(document)["Y"].shape))
    runs = [
        run_with_gradients(sharpened(document, float(factor)), target, place) for factor in factors
    ]
    return frozen(factors), frozen([one.scores_norm for one in runs])


class BackwardLab(Lab):
    """Controls: the step of the backward pass, head, cell, loss and sharpness."""

    id = "backward"
    example = "who-ate-whom"  # return three words, whose whole backward pass fits on the screen

    def require(self, document: Document) -> None:
        """Accept every experiment."""

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer single targets for a small Y, and a head if there are several."""
        document = setting.experiment
        steps = backward_steps(document)
        n, o = document.stage_shape("Y")
        aims = ("target", "zero", "one") if n * o <= MOST_TARGETS else ("zero", "one")
        aim = setting.get("aim", aims[0])
        return (
            Clock("step", len(steps) - 1, pause=1600),
            *head_choice(document),
            *self._cell(document, steps[min(setting.get("step", 0), len(steps) - 1)]),
            Slider("sharpness", SOFTEST, SHARPEST, 1.0, log=True),
            ChoiceControl("aim", aims, aims[0]),
            *(
                (Numbers("target", _first_target(document), -REACH, REACH),)
                if aim == "target"
                else ()
            ),
            *(
                (Slider("output", 1, n * o, 1, 1, whole=True),)
                if aim == "one" and n * o > 1
                else ()
            ),
        )

    def _cell(self, document: Document, name: str) -> tuple[Control, ...]:
        rows, columns = _shape(document, name)
        return (Slider("cell", 1, rows * columns, 1, 1, whole=True),) if rows * columns > 1 else ()

    def compute(self, setting: Setting) -> Backward:
        """Run forward and backward and select the cell."""
        document = setting.experiment
        numbers, place = _aim(setting, document)
        there = _there_and_back(document, numbers, place, setting["sharpness"])
        steps = backward_steps(document)
        name = steps[setting["step"]]
        head = setting.head
        if name not in there.trace:
            head = _owner(document, name, head)
        gradient = there.gradients.matrix(name, head)
        stage = name in there.trace
        values = (
            there.trace.matrix(name, head)
            if stage
            else np.atleast_2d(_tensor(there.document, name, head))
        )
        row, column = divmod(int(setting.get("cell", 1)) - 1, gradient.shape[1])
        cell = Cell(name, row, column, head if _headwise(there.trace, name) else 0)
        return Backward(
            there,
            setting["aim"],
            setting["sharpness"],
            steps,
            name,
            head,
            values,
            gradient,
            float(
                np.abs(
                    _there_and_back(document, numbers, place, 1.0).gradients.matrix(name, head)
                ).max()
            ),
            cell,
            derive_back(there.document, there.trace, there.gradients, cell),
            finite_difference(there, cell),
            *_curve(document, numbers, place),
        )

    def document(self, setting: Setting) -> Document:
        """Return the experiment with the chosen sharpness."""
        return sharpened(setting.experiment, setting["sharpness"])


def _headwise(trace: Trace, name: str) -> bool:
    return trace.plan[name].headwise if name in trace else name in HEAD_TENSORS


def _shape(document: Document, name: str) -> tuple[int, int]:
    if name in plan(document):
        return document.stage_shape(name)[-2:]  # type: ignore[return-value]
    return np.atleast_2d(_tensor(document, name, 0)).shape


def _first_target(document: Document) -> tuple[float, ...]:
    """Target for next-token prediction: row i is Y's row i + 1, the last one row 0; one decimal."""
    wanted = np.roll(traced(document)["Y"], -1, axis=0)
    return tuple(float(value) for value in np.clip(np.round(wanted, 1) + 0.0, -REACH, REACH).flat)


def _aim(setting: Setting, document: Document) -> tuple[tuple[float, ...] | None, tuple[int, int]]:
    n, o = document.stage_shape("Y")
    if setting["aim"] == "one":
        return None, divmod(int(setting.get("output", 1)) - 1, o)
    return (setting["target"] if setting["aim"] == "target" else (0.0,) * (n * o)), (0, 0)


LAB = BackwardLab()
