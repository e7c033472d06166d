"""The text of an experiment file: one matrix row a line, so that a change of one number is a change of one line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable

from core.arrays import Array, BoolArray, require_finite
from core.document import Document, Head, Mask, Pin, Positional, Scale, Softmax

FORMAT = "self-attention-experiment"
VERSION = 1

Entry = tuple[str, str]  # a key and its value as JSON, the lines after the first not yet indented


def dumps(document: Document) -> bytes:
    """The document as a file: full precision, what is as by default left out, UTF-8."""
    entries = [*_head_line(document), *_numbers(document), *_switches(document)]
    return (_object(entries) + "\n").encode("utf-8")


def _head_line(document: Document) -> Iterable[Entry]:
    yield "format", _text(FORMAT)
    yield "version", str(VERSION)
    for key in ("title", "notes"):
        if getattr(document, key):
            yield key, _text(getattr(document, key))
    yield "tokens", "[" + ", ".join(map(_text, document.tokens)) + "]"
    yield "source", _text(document.source)


def _numbers(document: Document) -> Iterable[Entry]:
    yield from _arrays(X=document.X)
    yield "heads", _list([_object([*_head(head)]) for head in document.heads])
    yield from _arrays(W_O=document.W_O, b_O=document.b_O)


def _switches(document: Document) -> Iterable[Entry]:
    positional, mask, scale = [*_positional(document.positional)], [*_mask(document.mask)], [*_scale(document.scale)]
    for key, entries, default in (
        ("positional", positional, "none"),
        ("mask", mask, "none"),
        ("scale", scale, "sqrt_dk"),
    ):
        if entries != [("kind", _text(default))]:
            yield key, _object(entries, one_line=not any("\n" in value for _, value in entries))
    if document.softmax != Softmax():
        yield "softmax", _object([*_softmax(document.softmax)], one_line=True)
    if document.pins:
        yield "pins", _list([_pin(pin) for pin in document.pins])


def _head(head: Head) -> Iterable[Entry]:
    if head.name:
        yield "name", _text(head.name)
    if not head.enabled:
        yield "enabled", "false"
    names = ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "Q", "K", "V")
    yield from _arrays(**{name: getattr(head, name) for name in names})


def _positional(positional: Positional) -> Iterable[Entry]:
    yield "kind", _text(positional.kind)
    if positional.base != Positional().base:
        yield "base", _number(positional.base)
    yield from _arrays(P=positional.P, slopes=positional.slopes)


def _mask(mask: Mask) -> Iterable[Entry]:
    yield "kind", _text(mask.kind)
    for side in ("left", "right"):
        reach = getattr(mask, side)
        if reach is not None:
            yield side, str(int(reach))
    if mask.allow is not None:
        yield "allow", _list([_flags(row) for row in mask.allow])


def _scale(scale: Scale) -> Iterable[Entry]:
    yield "kind", _text(scale.kind)
    if scale.kind == "factor" or scale.value != Scale().value:
        yield "value", _number(scale.value)


def _softmax(softmax: Softmax) -> Iterable[Entry]:
    if softmax.base != Softmax().base:
        yield "base", softmax.base  # a number: e, the only other one, is the default
    if not softmax.shift:
        yield "shift", "false"


def _pin(pin: Pin) -> str:
    index = json.dumps([int(i) for i in pin.index])
    return f'{{"stage": {_text(pin.stage)}, "index": {index}, "value": {_number(pin.value)}}}'


def _arrays(**arrays: Array | None) -> Iterable[Entry]:
    for name, array in arrays.items():
        if array is not None:
            require_finite(array, name)
            # The repr of a list of floats is its JSON, each number as short as it can be to read back exactly.
            yield name, repr(array.tolist()) if array.ndim == 1 else _list([repr(row.tolist()) for row in array])


def _flags(row: BoolArray) -> str:
    return json.dumps(row.tolist())


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(value)
    return repr(float(value))


def _text(text: str) -> str:
    # Half a surrogate pair, as a broken clipboard may give, cannot stand in UTF-8.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return json.dumps(whole, ensure_ascii=False)


def _list(items: list[str]) -> str:
    return "[\n  " + ",\n  ".join(_indented(item) for item in items) + "\n]"


def _object(entries: list[Entry], *, one_line: bool = False) -> str:
    if one_line:
        return "{" + ", ".join(f'"{key}": {value}' for key, value in entries) + "}"
    return "{\n" + ",\n".join(f'  "{key}": {_indented(value)}' for key, value in entries) + "\n}"


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")
