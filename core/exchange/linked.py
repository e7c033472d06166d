"""Experiments whose weights belong to a model, as they leave the program: without these weights."""

from __future__ import annotations

from dataclasses import replace

from core.base.arrays import frozen
from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import SOURCES, Document, Head, Positional
from core.document.parts import ADDED_POSITIONAL_KINDS, layer_id, split_layer

MOST_BYTES = 5_000_000  # of an export of a model's layer


def require_small(document: Document, format_name: str, size: int) -> None:
    """Refuse a file that shows a layer of a model and is too large to hand out.

    Raises UserError "export.model_size" (format, size, limit), both in MB.
    """
    if document.link is not None and size > MOST_BYTES:
        raise UserError(
            "export.model_size",
            format=format_name,
            size=f"{size / 1e6:.1f}",
            limit=f"{MOST_BYTES / 1e6:.0f}",
        )


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
