"""Positions, mask, scale, softmax and pins in experiment files: how they are read and written.

The structs are the format, as in core/storage/archive.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from core.base.arrays import BoolArray, frozen_bool
from core.base.errors import UserError
from core.base.json_reader import require_rows
from core.base.json_text import Entry, list_json, text_json
from core.document.document import SOFTMAX_BASES, Mask, Pin, Positional, Scale, Softmax
from core.storage.file_values import Matrix, Vector, array_entries, matrix, number_json, vector


class FilePositional(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`positional`."""

    kind: str
    base: float = 10000.0
    P: Matrix | None = None
    slopes: Vector | None = None


class FileMask(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`mask`."""

    kind: str
    left: int | None = None
    right: int | None = None
    allow: list[list[bool]] | None = None


class FileScale(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`scale`."""

    kind: str
    value: float | None = None


class FileSoftmax(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`softmax`. The base is the text "e" or a number."""

    base: str | float = "e"
    shift: bool = True


class FilePin(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One entry of `pins`."""

    stage: str
    index: list[int]
    value: float


def positional_from(file: FilePositional | msgspec.UnsetType) -> Positional:
    """`positional` of a file, or the default."""
    if isinstance(file, msgspec.UnsetType):
        return Positional()
    return Positional(file.kind, file.base, matrix(file.P, "positional.P"), vector(file.slopes))


def mask_from(file: FileMask | msgspec.UnsetType) -> Mask:
    """`mask` of a file, or the default."""
    if isinstance(file, msgspec.UnsetType):
        return Mask()
    allow: BoolArray | None = None
    if file.allow is not None:
        require_rows(file.allow, "mask.allow")
        allow = frozen_bool(file.allow)
    return Mask(file.kind, file.left, file.right, allow)


def scale_from(file: FileScale | msgspec.UnsetType) -> Scale:
    """`scale` of a file, or the default."""
    if isinstance(file, msgspec.UnsetType):
        return Scale()
    if file.kind == "factor" and file.value is None:
        raise UserError("file.missing_key", place="scale", key="value")
    return Scale(file.kind) if file.value is None else Scale(file.kind, file.value)


def softmax_from(file: FileSoftmax | msgspec.UnsetType) -> Softmax:
    """`softmax` of a file, or the default."""
    if isinstance(file, msgspec.UnsetType):
        return Softmax()
    known = {"e" if base == "e" else float(base): base for base in SOFTMAX_BASES}
    if file.base not in known:  # "2" in quotes, too: it is a text and no number
        shown = f"“{file.base}”" if isinstance(file.base, str) else f"{file.base:.15g}"
        raise UserError("softmax.base", place="softmax.base", base=shown)
    return Softmax(known[file.base], file.shift)


def pins_from(pins: Iterable[FilePin]) -> tuple[Pin, ...]:
    """The pins of a file."""
    return tuple(Pin(pin.stage, tuple(pin.index), pin.value) for pin in pins)


def positional_entries(positional: Positional) -> Iterable[Entry]:
    """The entries of `positional`; defaults are left out."""
    yield "kind", text_json(positional.kind)
    if positional.base != Positional().base:
        yield "base", number_json(positional.base)
    yield from array_entries(P=positional.P, slopes=positional.slopes)


def mask_entries(mask: Mask) -> Iterable[Entry]:
    """The entries of `mask`; defaults are left out."""
    yield "kind", text_json(mask.kind)
    for side in ("left", "right"):
        reach = getattr(mask, side)
        if reach is not None:
            yield side, str(int(reach))
    if mask.allow is not None:
        yield "allow", list_json([_flags(row) for row in mask.allow])


def scale_entries(scale: Scale) -> Iterable[Entry]:
    """The entries of `scale`; defaults are left out."""
    yield "kind", text_json(scale.kind)
    if scale.kind == "factor" or scale.value != Scale().value:
        yield "value", number_json(scale.value)


def softmax_entries(softmax: Softmax) -> Iterable[Entry]:
    """The entries of `softmax`; defaults are left out."""
    if softmax.base != Softmax().base:
        yield "base", softmax.base  # a number; e is the default
    if not softmax.shift:
        yield "shift", "false"


def pin_json(pin: Pin) -> str:
    """A pin on one line."""
    index = json.dumps([int(i) for i in pin.index])
    return (
        f'{{"stage": {text_json(pin.stage)}, "index": {index}, "value": {number_json(pin.value)}}}'
    )


def _flags(row: BoolArray) -> str:
    return json.dumps(row.tolist())


# By key: how a switch is read, and how it is written.
SWITCHES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Iterable[Entry]]]] = {
    "positional": (positional_from, positional_entries),
    "mask": (mask_from, mask_entries),
    "scale": (scale_from, scale_entries),
    "softmax": (softmax_from, softmax_entries),
}
