"""Runs of a model with edits: their changes, the layers that they may keep, and their steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.base.arrays import Array
from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Pin
from core.models.changes import ModelChanges, Patch, TensorEdit
from core.models.forward import ModelRun, first_layer, run_layers
from core.models.model import Model
from gui.model_window.edits import Edit, HeadOff, NumberEdit, StagePatch, WeightPin
from gui.model_window.layer_documents import plain_document
from gui.model_window.state import A, B, LayerResult, Run, with_layer


def changes_of(model: Model, runs: Mapping[str, Run], edits: tuple[Edit, ...]) -> ModelChanges:
    """All edits but swapped words, which are in the sentence already. A patch reads sentence B.

    Raises UserError "model.patch" where B has other sizes or is not computed.
    """
    pins = tuple(
        Pin(f"L{each.layer + 1}.weights", (each.head, each.query, each.key), each.value)
        for each in edits
        if isinstance(each, WeightPin)
    )
    numbers = tuple(
        TensorEdit(each.name, each.index, each.value)
        for each in edits
        if isinstance(each, NumberEdit)
    )
    off = frozenset((each.layer, each.head) for each in edits if isinstance(each, HeadOff))
    patches = tuple(_patch(model, runs, each) for each in edits if isinstance(each, StagePatch))
    return ModelChanges(pins, numbers, off, patches)


def layer_changes(
    model: Model, runs: Mapping[str, Run], edits: tuple[Edit, ...], layer: int
) -> ModelChanges:
    """The changes of one layer, named as in a stack of this layer alone."""
    own = tuple(each for each in edits if getattr(each, "layer", None) == layer)
    return changes_of(model, runs, own).of_layer(layer, model.layers)


def base_of(
    model: Model, runs: Mapping[str, Run], old: Run | None, new: Run
) -> tuple[Run | None, int]:
    """The run from which an edited one may take its first layers, and how many: the edited one
    before, else sentence A. (None, 0) where neither is far enough.
    """
    changes = changes_of(model, runs, new.edits)
    for run_ in (old, runs.get(A)):
        if run_ is None or run_.sentence.ids != new.sentence.ids or not run_.layers:
            continue
        try:
            before = changes_of(model, runs, run_.edits)
        except UserError:  # sentence B, of which it has a stage, is gone
            continue
        first = changes.first_difference(before, model.layers)
        if 0 < first < len(run_.layers) or (first == 0 and run_.done):
            return run_, first
    return None, 0


def _patch(model: Model, runs: Mapping[str, Run], edit: StagePatch) -> Patch:
    array = stage_of(model, runs, edit)
    rows = None if edit.token is None else (edit.token,)
    heads = None if edit.head is None else (edit.head,)
    return Patch(f"L{edit.layer + 1}.{edit.stage}", array, heads, rows)


def stage_of(model: Model, runs: Mapping[str, Run], edit: StagePatch) -> Array:
    """The stage of sentence B that a patch takes."""
    other = runs.get(B)
    if other is None or edit.layer >= len(other.layers):
        raise UserError("model.patch")
    trace = run(plain_document(model, other, edit.layer))
    return trace[f"L1.{edit.stage}"]


def steps(model: Model, run: Run, runs: Mapping[str, Run], base: Run | None) -> Iterator[Run]:
    """A run after each of its layers, and at last with the next word; layers that it has already
    stay. Those before the first edit that `base` lacks are taken from there.
    """
    ids = run.sentence.ids
    changes = changes_of(model, runs, run.edits)
    before = None if base is None else _as_model_run(model, runs, base)
    first = first_layer(model, ids, changes, before)
    if before is not None and base is not None:
        run = replace(run, layers=(*base.layers[:first], *run.layers[first:]))
    for layer in run_layers(model, ids, changes, base=before, tokens=run.sentence.pieces):
        if layer.index >= len(run.layers):
            run = with_layer(run, LayerResult.of(layer))
        if layer.index == model.layers - 1:
            run = replace(run, final=layer.final)
        yield run
    probabilities = None
    if model.has_output and run.final is not None:
        done = ModelRun(model, ids, run.sentence.pieces, changes, (), (), run.final)
        probabilities = done.next_probabilities()
    yield replace(run, probabilities=probabilities, done=True)


def _as_model_run(model: Model, runs: Mapping[str, Run], run: Run) -> ModelRun:
    """A run as one that another may go on from."""
    inputs = tuple(layer.incoming for layer in run.layers)
    weights = tuple(layer.weights for layer in run.layers)
    changes, final = changes_of(model, runs, run.edits), run.layers[-1].outgoing
    sentence = run.sentence
    return ModelRun(model, sentence.ids, sentence.pieces, changes, inputs, weights, final)
