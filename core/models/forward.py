"""Run a model over a sentence, layer by layer, by the program's own trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.arithmetic.sampling import softmax_at
from core.base.arrays import Array, sealed
from core.base.errors import UserError
from core.compute.trace import Trace, require_memory, run
from core.document.parts import layer_id, split_layer
from core.models.changes import UNCHANGED, ModelChanges
from core.models.model import Model

Progress = Callable[[int, int], bool]  # layers done, of how many; False ends the run


class Cancelled(Exception):
    """The run was ended by its progress."""


@dataclass(frozen=True, slots=True, eq=False)
class LayerRun:
    """A layer that has been run, from 0. The trace has its stages under "L1."."""

    index: int
    trace: Trace

    @property
    def incoming(self) -> Array:
        """What comes into the layer.  # (n, d)"""
        first = next(stage for stage in self.trace.plan if stage.id.startswith("L1."))
        return self.trace[first.reads[0]]

    @property
    def weights(self) -> Array:
        """Its attention.  # (h, n, n)"""
        return self.trace["L1.weights"]

    @property
    def outgoing(self) -> Array:
        """What comes out of the layer, in front of the final norm.  # (n, d)"""
        last = next(
            stage for stage in reversed(self.trace.plan.stages) if stage.id.startswith("L1.")
        )
        return self.trace[last.id]

    @property
    def attention_input(self) -> Array:
        """What comes into its heads: with norms in front, the normalised vectors.  # (n, d)"""
        return self.trace[self.trace.plan["L1.Q"].reads[0]]

    @property
    def final(self) -> Array:
        """What the trace ends with: in the last layer the vectors after the final norm.  # (n, d)"""
        return self.trace[self.trace.plan.stages[-1].id]

    def stages(self) -> dict[str, Array]:
        """Its arrays under the ids that they have in the whole model."""
        first = self.index == 0
        return {
            stage_in_model(self.index, stage.id): self.trace[stage.id]
            for stage in self.trace.plan
            if first or stage.id != "X"
        }


def stage_in_model(index: int, stage_id: str) -> str:
    """The id in the whole model of a stage of a layer's own stack: "L1.Q" of layer 2 is "L3.Q"."""
    number, name = split_layer(stage_id)
    return layer_id(None if number is None else index + 1, name)


@dataclass(frozen=True, eq=False)
class ModelRun:
    """What a run of all layers has given: `inputs` (n, d) and `weights` (h, n, n) of each layer,
    and `final` (n, d), the vectors after the final norm.
    """

    model: Model
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    changes: ModelChanges
    inputs: tuple[Array, ...]
    weights: tuple[Array, ...]
    final: Array

    def logits(self, row: int = -1) -> Array:
        """A number for each word of the vocabulary at a token, with its changes.  # -> (u,)

        Raises UserError "model.no_output", and "edit.index" and "tensor.absent" for changes.
        """
        x = self.final[row]
        z = np.array(self.model.logits(x[None])[0])
        changes = self.changes.of_layer(self.model.layers, self.model.layers)
        for edit in changes.edits:
            if edit.tensor != "W_U":
                raise UserError("tensor.absent", name=edit.tensor)
            d, u = edit.place((self.model.d, self.model.vocabulary))
            z[u] += x[d] * (edit.value - self.model.output_columns([u])[d, 0])
        for pin in changes.pins:
            if pin.stage == "logits" and pin.index[0] == row % len(self.ids):
                z[pin.index[1]] = pin.value
        return sealed(z)

    @cached_property
    def _next(self) -> Array:
        probabilities: Array = softmax_at(self.logits(), 1.0)
        return probabilities

    def next_probabilities(self) -> Array | None:
        """The probability of each word of the vocabulary to be the next; None without an output.

        # -> (u,)
        """
        return self._next if self.model.has_output else None


def run_layers(
    model: Model,
    ids: Sequence[int],
    changes: ModelChanges = UNCHANGED,
    *,
    base: ModelRun | None = None,
    tokens: Sequence[str] | None = None,
) -> Iterator[LayerRun]:
    """Run one layer after the other; each is there when it is done.

    With `base`, a run of the same tokens, only those from the first layer that changes compute
    differently. Raises UserError as Model and ModelChanges do, and "memory.short".
    """
    model.require_ids(ids)
    tokens = tokens or model.pieces(ids)
    first = first_layer(model, ids, changes, base)
    x = None if base is None or first == 0 else base.inputs[min(first, model.layers - 1)]
    for index in range(first, model.layers):
        document = (
            model.first_document(ids, tokens)
            if x is None
            else model.layer_document(index, x, tokens)
        )
        document = changes.of_layer(index, model.layers).apply(document)
        require_memory(document)
        done = LayerRun(index, run(document))
        yield done
        x = done.outgoing


def first_layer(
    model: Model, ids: Sequence[int], changes: ModelChanges, base: ModelRun | None
) -> int:
    """The first layer, from 0, that has to be computed again after a run."""
    if base is None or base.model is not model or base.ids != tuple(ids):
        return 0
    return changes.first_difference(base.changes, model.layers)


def run_model(
    model: Model,
    ids: Sequence[int],
    changes: ModelChanges = UNCHANGED,
    *,
    base: ModelRun | None = None,
    progress: Progress | None = None,
) -> ModelRun:
    """Run all layers, or with `base` those that differ from it.

    Raises Cancelled when `progress` says False, and UserError as run_layers does.
    """
    model.require_ids(ids)
    tokens = model.pieces(ids)
    first = first_layer(model, ids, changes, base)
    inputs = [] if base is None else [*base.inputs[:first]]
    weights = [] if base is None else [*base.weights[:first]]
    final = None if base is None else base.final
    for layer in run_layers(model, ids, changes, base=base, tokens=tokens):
        if progress is not None and not progress(layer.index + 1, model.layers):
            raise Cancelled
        inputs.append(layer.incoming)
        weights.append(layer.weights)
        final = layer.final
    assert final is not None  # a model has at least one layer
    return ModelRun(model, tuple(ids), tokens, changes, tuple(inputs), tuple(weights), final)
