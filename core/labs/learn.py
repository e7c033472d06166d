"""Learn: gradient descent finds W_Q, W_K and W_V.

A small task is learned from random sentences (core.labs.learn_training). The lab shows a sentence
that is not among them, run with the weights of any step of the training history.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Document, Head, Mask
from core.labs.controls import ChoiceControl, Clock, Control, Seed, Slider
from core.labs.lab import Lab, Setting
from core.labs.learn_training import (
    OPTIMISERS,
    STEPS,
    TASKS,
    History,
    Task,
    shapes,
    task,
    train,
    values_of,
)

RATES = {"adam": (0.001, 1.0, 0.05), "descent": (0.01, 10.0, 0.3)}
HEADS = ("1", "2")


@dataclass(frozen=True, slots=True, eq=False)
class LearnResult:
    """One step of a history. `step` is the displayed one, at most the last.

    `predicted` (n,) are the features with the largest Y, `wanted` those with the largest T, both as
    indices of task.features. `attends_right` (n,): whether some head attends mostly to the right
    token. `matrices` are the weights by name, of the chosen head; `reaches` the largest |weight| of
    each over the whole history.
    """

    task: Task
    history: History
    step: int
    document: Document
    trace: Trace
    predicted: tuple[int, ...]
    wanted: tuple[int, ...]
    attends_right: tuple[bool, ...]
    matrices: dict[str, Array]
    reaches: dict[str, float]

    @property
    def loss(self) -> float:
        """Return L on the training sentences."""
        return float(self.history.losses[self.step])

    @property
    def new_loss(self) -> float:
        """Return L on the validation sentences."""
        return float(self.history.new_losses[self.step])

    @property
    def places(self) -> tuple[int, ...]:
        """Return the position each token should attend to."""
        return tuple(int(place) for place in self.task.new.places[0])


@lru_cache(maxsize=64)
def document_at(task_id: str, seed: int, heads: int, history: History, step: int) -> Document:
    """Build the displayed sentence with the weights of a step as an experiment."""
    the_task = task(task_id, seed)
    W_Q, W_K, W_V, W_O = shapes(the_task, heads).split(history.weights[step])
    values = values_of(the_task, W_V, heads)
    return Document(
        tokens=tuple(the_task.new.texts[0]),
        heads=tuple(
            Head(W_Q=frozen(W_Q[h]), W_K=frozen(W_K[h]), W_V=frozen(values[h]))
            for h in range(heads)
        ),
        title=f"{task_id} · {step}",
        X=frozen(the_task.new.X[0]),
        W_O=frozen(W_O) if heads > 1 else None,
        mask=Mask("causal" if the_task.causal else "none"),
    )


class LearnLab(Lab):
    """Controls: the step, the task, the optimiser, its rate, and the seed."""

    id = "learn"

    def require(self, document: Document) -> None:
        """Raise an error for every experiment: the lab has its own data."""
        raise UserError("lab.unfit", reason="lab.own")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer one rate per optimiser, because their scales differ, and the displayed head."""
        optimiser = setting.get("optimiser", OPTIMISERS[0])
        low, high, first = RATES[optimiser]
        several = setting.get("task", TASKS[0]) == "copy"
        return (
            Clock("step", STEPS, pause=60),
            ChoiceControl("task", TASKS, TASKS[0]),
            ChoiceControl("optimiser", OPTIMISERS, OPTIMISERS[0]),
            Slider(f"rate_{optimiser}", low, high, first, log=True),
            *((ChoiceControl("heads", HEADS, HEADS[0]),) if several else ()),
            *(
                (ChoiceControl("head", HEADS, HEADS[0]),)
                if several and setting.get("heads", HEADS[0]) == "2"
                else ()
            ),
            Seed(),
        )

    def compute(self, setting: Setting) -> LearnResult:
        """Train (cached), and run one step on a validation sentence."""
        task_id, seed, heads = setting["task"], setting["seed"], _heads(setting)
        the_task, history = task(task_id, seed), _history(setting)
        step = min(setting["step"], history.last)
        document = document_at(task_id, seed, heads, history, step)
        trace = run(document)
        Y, predicted = trace["Y"], the_task.predicted if heads > 1 else slice(None)
        first = the_task.predicted.start or 0
        attends_right = (trace["weights"].argmax(axis=2) == the_task.new.places[0]).any(axis=0)
        matrices, reaches = _matrices(
            the_task, history, step, heads, int(setting.get("head", "1")) - 1
        )
        return LearnResult(
            the_task,
            history,
            step,
            document,
            trace,
            tuple(int(place) + first for place in Y[:, predicted].argmax(axis=1)),
            tuple(int(place) + first for place in the_task.new.T[0].argmax(axis=1)),
            tuple(bool(each) for each in attends_right),
            matrices,
            reaches,
        )

    def document(self, setting: Setting) -> Document:
        """Return the displayed sentence with the weights of the step."""
        history = _history(setting)
        step = min(setting["step"], history.last)
        return document_at(setting["task"], setting["seed"], _heads(setting), history, step)


def _heads(setting: Setting) -> int:
    return int(setting.get("heads", "1"))


def _history(setting: Setting) -> History:
    optimiser = setting["optimiser"]
    return train(
        setting["task"], optimiser, setting[f"rate_{optimiser}"], _heads(setting), setting["seed"]
    )


def _matrices(
    the_task: Task, history: History, step: int, heads: int, head: int
) -> tuple[dict[str, Array], dict[str, float]]:
    """Return the learned matrices and their largest |weight| over the history.

    In a diverged history the largest |weight| of this step.
    """
    split = shapes(the_task, heads).split
    now, matrices, reaches = split(history.weights[step]), {}, {}
    seen = history.weights[step : step + 1] if history.diverged else history.weights
    largest = split(np.abs(seen).max(axis=0))
    for name, part, most in zip(("W_Q", "W_K", "W_V", "W_O"), now, largest, strict=True):
        if part.size:
            matrices[name] = frozen(part if name == "W_O" else part[head])
            reaches[name] = float(most.max())
    return matrices, reaches


LAB = LearnLab()
