"""Layers of a run as experiments, with every stage by the program's own trace."""

from __future__ import annotations

import os
from dataclasses import replace

from core.base.arrays import Array
from core.compute.trace import run
from core.document.document import HEAD_TENSORS, Document
from core.document.parts import ModelLink, split_layer
from core.models.changes import ModelChanges, with_edits
from core.models.model import Model
from core.stages import plan
from gui.model_window.state import OpenedLayer, Run


def plain_document(model: Model, run_: Run, layer: int) -> Document:
    """A layer without edits; X is what comes into it, in the first one all that is before it too."""
    sentence = run_.sentence
    if layer == 0:
        return model.first_document(sentence.ids, sentence.pieces)
    return model.layer_document(layer, run_.layers[layer].incoming, sentence.pieces)


def open_layer(
    model: Model, run_: Run, layer: int, changes: ModelChanges, known: OpenedLayer | None = None
) -> OpenedLayer:
    """Compute every stage of a layer of a run, with the changes of this layer.

    `known` is the same layer, whose weights need not be read again if its input is the same.
    """
    result = run_.layers[layer]
    same = known is not None and known.layer == layer
    if known is not None and same and known.result.incoming is result.incoming:
        plain = known.plain
    else:
        plain = plain_document(model, run_, layer)
    document = changes.apply(plain)
    return OpenedLayer(layer, result, plain, run(document, known.trace if known else None))


def linked_attention(
    model: Model, run_: Run, layer: int, changes: ModelChanges, untouched: Array
) -> Document:
    """The attention of a layer as an experiment that is linked to the model, with the changes of
    this layer that concern attention. `untouched` is its X in a run without edits.  # (n, d)
    """
    base = model.attention_document(layer, untouched, model.shown(run_.sentence.ids))
    link = _link(model, run_, layer, base)
    document = base.with_(link=link, X=run_.layers[layer].attention_input)
    own = [edit for edit in changes.edits if _of_attention(edit.tensor)]
    document = with_edits(
        document, [replace(edit, tensor=split_layer(edit.tensor)[1]) for edit in own]
    )
    off = {head for _, head in changes.heads_off}
    heads = tuple(
        replace(head, enabled=False) if i in off else head for i, head in enumerate(document.heads)
    )
    stages = {stage.id for stage in plan(document)}
    found = [pin for patch in changes.patches for pin in patch.pins(patch.stage)] + [*changes.pins]
    pins = {
        (name, pin.index): replace(pin, stage=name)
        for pin in found
        if (name := split_layer(pin.stage)[1]) in stages
    }
    return document.with_(heads=heads, pins=tuple(pins.values()))


def linked_whole(model: Model, run_: Run, opened: OpenedLayer, untouched: Array) -> Document:
    """An opened layer as a stack that is linked to the model, with its changes. `untouched` is what
    comes into it in a run without edits.  # (n, d)
    """
    tokens = model.shown(run_.sentence.ids)
    base = opened.plain.with_(tokens=tokens)
    if opened.layer:  # nothing is edited in front of the first layer
        base = base.with_(X=untouched)
    link = _link(model, run_, opened.layer, base, whole=True)
    return opened.trace.document.with_(tokens=tokens, link=link)


def _link(model: Model, run_: Run, layer: int, base: Document, *, whole: bool = False) -> ModelLink:
    """The way back to a layer of a run, from 0."""
    sentence = run_.sentence
    return ModelLink(
        path=model.source if model.is_shipped else os.path.realpath(model.path),
        sha256=model.sha256,
        layer=layer + 1,
        base=base,
        ids=sentence.ids,
        pieces=sentence.pieces,
        whole=whole,
    )


def _of_attention(tensor: str) -> bool:
    """Whether the attention alone has a tensor of the layer."""
    return split_layer(tensor)[1] in (*HEAD_TENSORS, "W_O", "b_O")
