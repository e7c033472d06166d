"""Read and write experiment files (`*.attn.json`); docs/format.md describes the format.

The structs are the format: a key that they do not have is an error, and so is a value of another
type. A file has one matrix row a line, so that a change of one number is a change of one line.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from core.base.arrays import Array, BoolArray, frozen, frozen_bool, require_finite
from core.base.errors import UserError
from core.base.files import read_bytes, write_bytes
from core.base.json_text import Entry, list_json, object_json, text_json
from core.document.document import (
    HEAD_TENSORS,
    SOFTMAX_BASES,
    SOURCES,
    Context,
    Document,
    Head,
    Mask,
    Pin,
    Positional,
    Scale,
    Softmax,
)
from core.document.parts import FILE_KEYS
from core.storage.json_reader import (
    FileLabel,
    decoded,
    require_rows,
    require_single_keys,
    require_version,
    utf8,
)

FORMAT = "self-attention-experiment"
VERSION = 2  # the newest that is read; given weights need it, everything else is written as 1
OF_NUMBERS = (".csv", ".tsv", ".xlsx", ".npy", ".npz")  # files that are imported, not opened

Vector = list[float]
Matrix = list[list[float]]


class FileHead(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One entry of `heads`."""

    name: str = ""
    enabled: bool = True
    W_Q: Matrix | None = None
    W_K: Matrix | None = None
    W_V: Matrix | None = None
    b_Q: Vector | None = None
    b_K: Vector | None = None
    b_V: Vector | None = None
    Q: Matrix | None = None
    K: Matrix | None = None
    A: Matrix | None = None
    V: Matrix | None = None


class FileContext(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`context`."""

    tokens: list[str]
    X: Matrix | None = None
    P: Matrix | None = None


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


class FileExperiment(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    format: str
    version: int
    title: str = ""
    notes: str = ""
    tokens: list[str]
    source: str
    X: Matrix | None = None
    context: FileContext | None = None
    heads: list[FileHead]
    W_O: Matrix | None = None
    b_O: Vector | None = None
    positional: FilePositional | msgspec.UnsetType = msgspec.UNSET
    mask: FileMask | msgspec.UnsetType = msgspec.UNSET
    scale: FileScale | msgspec.UnsetType = msgspec.UNSET
    softmax: FileSoftmax | msgspec.UnsetType = msgspec.UNSET
    pins: list[FilePin] = []


_KINDS: dict[str, type[msgspec.Struct]] = {
    "": FileExperiment,
    "context": FileContext,
    "heads": FileHead,
    "positional": FilePositional,
    "mask": FileMask,
    "scale": FileScale,
    "softmax": FileSoftmax,
    "pins": FilePin,
}


def load(path: str | os.PathLike[str]) -> Document:
    """The experiment in a file.

    Raises UserError: "file.unreadable" and "file.too_large" from the disk, "file.numbers" for a
    file to be imported, "file.foreign" for any other file, and everything that `loads` raises.
    """
    data = read_bytes(path)
    try:
        return loads(data)
    except UserError as problem:
        if Path(path).suffix.lower() in OF_NUMBERS:
            raise UserError("file.numbers") from problem
        if problem.code in ("file.syntax", "file.encoding") and _is_foreign(Path(path), data):
            raise UserError("file.foreign") from problem
        raise


def _is_foreign(path: Path, data: bytes) -> bool:
    """Whether neither the name nor the beginning looks like JSON."""
    return path.suffix.lower() != ".json" and not data.removeprefix(
        b"\xef\xbb\xbf"
    ).lstrip().startswith((b"{", b"["))


def save(document: Document, path: str | os.PathLike[str]) -> None:
    """Write the experiment, completely or not at all. Raises UserError "file.unwritable"."""
    write_bytes(path, dumps(document))


def loads(data: bytes) -> Document:
    """The experiment in the bytes of a file.

    Raises UserError, with the place in the file where known: "file.empty", "file.encoding",
    "file.syntax", "file.too_deep", "file.not_experiment", "file.newer", "file.version",
    "file.unknown_key", "file.missing_key", "file.duplicate_key", "file.type", "file.not_finite",
    "rows.ragged", and everything that Document raises.
    """
    data = utf8(data)
    _require_format(decoded(data, FileLabel, _KINDS))
    experiment = decoded(data, FileExperiment, _KINDS)
    require_single_keys(data)
    _require_own_version(experiment)
    return _document(experiment)


def _require_format(label: FileLabel) -> None:
    if label.format != FORMAT:
        raise UserError("file.not_experiment", format=label.format, expected=FORMAT)
    require_version(label.version, VERSION)


def _require_own_version(file: FileExperiment) -> None:
    """Given weights came with version 2, which holds nothing else, and none of what comes before."""
    own = version_of(file.source)
    if file.version != own and file.source in SOURCES:
        raise UserError("file.other_version", version=file.version, source=file.source, own=own)
    for name in ("positional", "mask", "scale", "softmax"):
        if own == 2 and getattr(file, name) is not msgspec.UNSET:
            raise UserError("source.unused", name=name, source=file.source)


def version_of(source: str) -> int:
    """The version of a file whose experiment has this source."""
    return 2 if source == "weights" else 1


def _document(file: FileExperiment) -> Document:
    return Document(
        title=file.title,
        notes=file.notes,
        tokens=tuple(file.tokens),
        source=file.source,
        X=_matrix(file.X, "X"),
        context=_context(file.context),
        heads=tuple(_head(head, f"heads[{index}]") for index, head in enumerate(file.heads)),
        W_O=_matrix(file.W_O, "W_O"),
        b_O=_vector(file.b_O),
        positional=_positional(file.positional),
        mask=_mask(file.mask),
        scale=_scale(file.scale),
        softmax=_softmax(file.softmax),
        pins=tuple(Pin(pin.stage, tuple(pin.index), pin.value) for pin in file.pins),
    )


def _context(file: FileContext | None) -> Context | None:
    if file is None:
        return None
    return Context(tuple(file.tokens), _matrix(file.X, "context.X"), _matrix(file.P, "context.P"))


def _head(head: FileHead, place: str) -> Head:
    tensors: dict[str, Any] = {}
    for name, axes in HEAD_TENSORS.items():
        key = FILE_KEYS.get(name, name)
        value = getattr(head, key)
        tensors[name] = _vector(value) if len(axes) == 1 else _matrix(value, f"{place}.{key}")
    return Head(name=head.name, enabled=head.enabled, **tensors)


def _positional(file: FilePositional | msgspec.UnsetType) -> Positional:
    if isinstance(file, msgspec.UnsetType):
        return Positional()
    return Positional(file.kind, file.base, _matrix(file.P, "positional.P"), _vector(file.slopes))


def _mask(file: FileMask | msgspec.UnsetType) -> Mask:
    if isinstance(file, msgspec.UnsetType):
        return Mask()
    allow: BoolArray | None = None
    if file.allow is not None:
        require_rows(file.allow, "mask.allow")
        allow = frozen_bool(file.allow)
    return Mask(file.kind, file.left, file.right, allow)


def _scale(file: FileScale | msgspec.UnsetType) -> Scale:
    if isinstance(file, msgspec.UnsetType):
        return Scale()
    if file.kind == "factor" and file.value is None:
        raise UserError("file.missing_key", place="scale", key="value")
    return Scale(file.kind) if file.value is None else Scale(file.kind, file.value)


def _softmax(file: FileSoftmax | msgspec.UnsetType) -> Softmax:
    if isinstance(file, msgspec.UnsetType):
        return Softmax()
    known = {"e" if base == "e" else float(base): base for base in SOFTMAX_BASES}
    if file.base not in known:  # "2" in quotes, too: it is a text and no number
        shown = f"“{file.base}”" if isinstance(file.base, str) else f"{file.base:.15g}"
        raise UserError("softmax.base", place="softmax.base", base=shown)
    return Softmax(known[file.base], file.shift)


def _matrix(rows: Matrix | None, place: str) -> Array | None:
    if rows is None:
        return None
    require_rows(rows, place)
    return frozen(rows)


def _vector(values: Vector | None) -> Array | None:
    return None if values is None else frozen(values)


# Writing


def dumps(document: Document) -> bytes:
    """The document as a UTF-8 file with full precision; defaults are left out."""
    entries = [*_head_line(document), *_numbers(document), *_switches(document)]
    return (object_json(entries) + "\n").encode("utf-8")


def _head_line(document: Document) -> Iterable[Entry]:
    yield "format", text_json(FORMAT)
    yield "version", str(version_of(document.source))
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
    yield "heads", list_json([object_json([*_head_entries(head)]) for head in document.heads])
    yield from _arrays(W_O=document.W_O, b_O=document.b_O)


def _texts(texts: Iterable[str]) -> str:
    return "[" + ", ".join(map(text_json, texts)) + "]"


def _switches(document: Document) -> Iterable[Entry]:
    for key, written, default in (
        ("positional", _positional_entries(document.positional), "none"),
        ("mask", _mask_entries(document.mask), "none"),
        ("scale", _scale_entries(document.scale), "sqrt_dk"),
    ):
        entries = [*written]
        if entries != [("kind", text_json(default))]:
            yield key, object_json(entries, one_line=not any("\n" in value for _, value in entries))
    if document.softmax != Softmax():
        yield "softmax", object_json([*_softmax_entries(document.softmax)], one_line=True)
    if document.pins:
        yield "pins", list_json([_pin(pin) for pin in document.pins])


def _head_entries(head: Head) -> Iterable[Entry]:
    if head.name:
        yield "name", text_json(head.name)
    if not head.enabled:
        yield "enabled", "false"
    yield from _arrays(**{FILE_KEYS.get(name, name): getattr(head, name) for name in HEAD_TENSORS})


def _positional_entries(positional: Positional) -> Iterable[Entry]:
    yield "kind", text_json(positional.kind)
    if positional.base != Positional().base:
        yield "base", _number(positional.base)
    yield from _arrays(P=positional.P, slopes=positional.slopes)


def _mask_entries(mask: Mask) -> Iterable[Entry]:
    yield "kind", text_json(mask.kind)
    for side in ("left", "right"):
        reach = getattr(mask, side)
        if reach is not None:
            yield side, str(int(reach))
    if mask.allow is not None:
        yield "allow", list_json([_flags(row) for row in mask.allow])


def _scale_entries(scale: Scale) -> Iterable[Entry]:
    yield "kind", text_json(scale.kind)
    if scale.kind == "factor" or scale.value != Scale().value:
        yield "value", _number(scale.value)


def _softmax_entries(softmax: Softmax) -> Iterable[Entry]:
    if softmax.base != Softmax().base:
        yield "base", softmax.base  # a number; e is the default
    if not softmax.shift:
        yield "shift", "false"


def _pin(pin: Pin) -> str:
    index = json.dumps([int(i) for i in pin.index])
    return f'{{"stage": {text_json(pin.stage)}, "index": {index}, "value": {_number(pin.value)}}}'


def _arrays(**arrays: Array | None) -> Iterable[Entry]:
    for name, array in arrays.items():
        if array is not None:
            require_finite(array, name)
            # The repr of a list of floats is its JSON, each number as short as it can be to read
            # back exactly.
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
