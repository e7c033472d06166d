"""Run a model over a sentence, layer by layer, by the program's own trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.arithmetic.sampling import softmax_at
from core.base.arrays import Array
from core.compute.trace import Trace, run
from core.document.parts import layer_id, split_layer
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
    inputs: tuple[Array, ...]
    weights: tuple[Array, ...]
    final: Array

    @cached_property
    def _next(self) -> Array:
        probabilities: Array = softmax_at(self.model.logits(self.final[-1:]), 1.0)[0]
        return probabilities

    def next_probabilities(self) -> Array | None:
        """The probability of each word of the vocabulary to be the next; None without an output.

        # -> (u,)
        """
        return self._next if self.model.has_output else None


def run_layers(
    model: Model, ids: Sequence[int], tokens: Sequence[str] | None = None
) -> Iterator[LayerRun]:
    """Run one layer after the other; each is there when it is done."""
    tokens = tokens or model.pieces(ids)
    x = None
    for index in range(model.layers):
        document = (
            model.first_document(ids, tokens)
            if x is None
            else model.layer_document(index, x, tokens)
        )
        done = LayerRun(index, run(document))
        yield done
        x = done.outgoing


def run_model(model: Model, ids: Sequence[int], *, progress: Progress | None = None) -> ModelRun:
    """Run all layers. Raises Cancelled when `progress` says False, and UserError as Model does."""
    inputs, weights, last = [], [], None
    tokens = model.pieces(ids)
    for layer in run_layers(model, ids, tokens):
        if progress is not None and not progress(layer.index + 1, model.layers):
            raise Cancelled
        inputs.append(layer.incoming)
        weights.append(layer.weights)
        last = layer
    assert last is not None  # a model has at least one layer
    return ModelRun(model, tuple(ids), tokens, tuple(inputs), tuple(weights), last.final)
