"""Experiments whose weights belong to a model, as they leave the program: without these weights."""

from __future__ import annotations

from dataclasses import replace

from core.base.arrays import frozen
from core.compute.trace import run
from core.document.document import SOURCES, Document, Head, Positional
from core.document.parts import ADDED_POSITIONAL_KINDS, layer_id, split_layer


def without_weights(document: Document) -> Document:
    """The attention of an experiment (of a stack its first layer) from queries, keys and values on;
    Y is the heads side by side.
    """
    trace, layer = run(document), 1 if document.is_stack else None
    Q, K, V = (trace[layer_id(layer, name)] for name in SOURCES["qkv"][0])
    heads = document.layers[0].heads if document.is_stack else document.heads
    kept = ("scores", "scaled", "biased", "masked", "exp", "weights")
    return Document(
        tokens=document.tokens,
        title=document.title,
        notes=document.notes,
        source="qkv",
        heads=tuple(
            Head(
                name=head.name,
                enabled=head.enabled,
                Q=frozen(Q[index]),
                K=frozen(K[index]),
                V=frozen(V[index]),
            )
            for index, head in enumerate(heads)
        ),
        positional=document.positional
        if document.positional.kind not in ADDED_POSITIONAL_KINDS
        else Positional(),
        mask=document.mask,
        scale=document.scale,
        softmax=document.softmax,
        pins=tuple(
            replace(pin, stage=name)
            for pin in document.pins
            if (name := split_layer(pin.stage)[1]) in kept
        ),
    )
