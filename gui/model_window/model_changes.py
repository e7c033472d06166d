"""The edits of the window as ModelChanges, which a run of the model takes."""

from __future__ import annotations

from collections.abc import Mapping

from core.base.arrays import Array
from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Pin
from core.models.changes import ModelChanges, Patch, TensorEdit
from core.models.model import Model
from gui.model_window.edits import Edit, HeadOff, NumberEdit, StagePatch, WeightPin
from gui.model_window.layer_documents import plain_document
from gui.model_window.state import A, B, Run


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
        TensorEdit(f"L{each.layer + 1}.{each.tensor}", each.index, each.value)
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
