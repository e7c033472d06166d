"""The text of an experiment file: one matrix row a line, so that a change of one number is a change of one line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable

from core.base.arrays import Array, BoolArray, require_finite
from core.base.json_text import Entry, list_json, object_json, text_json
from core.document.document import Document, Head, Mask, Pin, Positional, Scale, Softmax

FORMAT = "self-attention-experiment"
VERSION = 1


def dumps(document: Document) -> bytes:
    """The document as a file: full precision, what is as by default left out, UTF-8."""
    entries = [*_head_line(document), *_numbers(document), *_switches(document)]
    return (object_json(entries) + "\n").encode("utf-8")


def _head_line(document: Document) -> Iterable[Entry]:
    yield "format", text_json(FORMAT)
    yield "version", str(VERSION)
    for key in ("title", "notes"):
        if getattr(document, key):
            yield key, text_json(getattr(document, key))
    yield "tokens", _texts(document.tokens)
    yield "source", text_json(document.source)


def _numbers(document: Document) -> Iterable[Entry]:
    yield from _arrays(X=document.X)
    if document.context is not None:
        entries = [("tokens", _texts(document.context.tokens))]
        entries += _arrays(X=document.context.X, P=document.context.P)
        yield "context", object_json(entries)
    yield "heads", list_json([object_json([*_head(head)]) for head in document.heads])
    yield from _arrays(W_O=document.W_O, b_O=document.b_O)


def _texts(texts: Iterable[str]) -> str:
    return "[" + ", ".join(map(text_json, texts)) + "]"


def _switches(document: Document) -> Iterable[Entry]:
    positional, mask, scale = (
        [*_positional(document.positional)],
        [*_mask(document.mask)],
        [*_scale(document.scale)],
    )
    for key, entries, default in (
        ("positional", positional, "none"),
        ("mask", mask, "none"),
        ("scale", scale, "sqrt_dk"),
    ):
        if entries != [("kind", text_json(default))]:
            yield key, object_json(entries, one_line=not any("\n" in value for _, value in entries))
    if document.softmax != Softmax():
        yield "softmax", object_json([*_softmax(document.softmax)], one_line=True)
    if document.pins:
        yield "pins", list_json([_pin(pin) for pin in document.pins])


def _head(head: Head) -> Iterable[Entry]:
    if head.name:
        yield "name", text_json(head.name)
    if not head.enabled:
        yield "enabled", "false"
    names = ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "Q", "K", "V")
    yield from _arrays(**{name: getattr(head, name) for name in names})


def _positional(positional: Positional) -> Iterable[Entry]:
    yield "kind", text_json(positional.kind)
    if positional.base != Positional().base:
        yield "base", _number(positional.base)
    yield from _arrays(P=positional.P, slopes=positional.slopes)


def _mask(mask: Mask) -> Iterable[Entry]:
    yield "kind", text_json(mask.kind)
    for side in ("left", "right"):
        reach = getattr(mask, side)
        if reach is not None:
            yield side, str(int(reach))
    if mask.allow is not None:
        yield "allow", list_json([_flags(row) for row in mask.allow])


def _scale(scale: Scale) -> Iterable[Entry]:
    yield "kind", text_json(scale.kind)
    if scale.kind == "factor" or scale.value != Scale().value:
        yield "value", _number(scale.value)


def _softmax(softmax: Softmax) -> Iterable[Entry]:
    if softmax.base != Softmax().base:
        yield "base", softmax.base  # a number: e, the only other one, is the default
    if not softmax.shift:
        yield "shift", "false"


def _pin(pin: Pin) -> str:
    index = json.dumps([int(i) for i in pin.index])
    return f'{{"stage": {text_json(pin.stage)}, "index": {index}, "value": {_number(pin.value)}}}'


def _arrays(**arrays: Array | None) -> Iterable[Entry]:
    for name, array in arrays.items():
        if array is not None:
            require_finite(array, name)
            # The repr of a list of floats is its JSON, each number as short as it can be to read back exactly.
            yield (
                name,
                repr(array.tolist())
                if array.ndim == 1
                else list_json([repr(row.tolist()) for row in array]),
            )


def _flags(row: BoolArray) -> str:
    return json.dumps(row.tolist())


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(value)
    return repr(float(value))
