"""Open a layer of a run: every stage, by the program's own trace."""

from __future__ import annotations

from core.compute.trace import run
from core.document.document import Document
from core.models.changes import ModelChanges
from core.models.forward import LayerRun
from core.models.model import Model
from gui.model_window.state import LayerResult, OpenedLayer, Run


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


def kept(layer: LayerRun) -> LayerResult:
    """What is kept of a layer that was run; its trace is not."""
    return LayerResult(layer.incoming, layer.attention_input, layer.outgoing, layer.weights)
