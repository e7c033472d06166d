"""Experiment files (`*.attn.json`): read, check, write. docs/format.md describes them for people.

The structs below are the format: a key that they do not know is an error, and so is a value of another type.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from core.base.arrays import Array, BoolArray, frozen, frozen_bool
from core.base.errors import UserError
from core.base.files import read_bytes, write_bytes
from core.document.document import (
    SOFTMAX_BASES,
    Context,
    Document,
    Head,
    Mask,
    Pin,
    Positional,
    Scale,
    Softmax,
)
from core.storage.archive_errors import require_rows, require_single_keys
from core.storage.archive_schema import FileLabel, decoded, require_version, utf8
from core.storage.archive_write import FORMAT, VERSION, dumps

__all__ = ["FORMAT", "VERSION", "dumps", "load", "loads", "save"]

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
    """`softmax`. The base is the text "e" or one of the numbers that stand for themselves."""

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
    positional: FilePositional = msgspec.field(default_factory=lambda: FilePositional(kind="none"))
    mask: FileMask = msgspec.field(default_factory=lambda: FileMask(kind="none"))
    scale: FileScale = msgspec.field(default_factory=lambda: FileScale(kind="sqrt_dk"))
    softmax: FileSoftmax = msgspec.field(default_factory=FileSoftmax)
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

    Raises UserError: "file.unreadable" and "file.too_large" from the disk, "file.numbers" for a file of another program's
    numbers, "file.foreign" for one that is something else, and all that `loads` raises.
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
    """Whether neither the name nor the beginning is that of a JSON file."""
    return path.suffix.lower() != ".json" and not data.removeprefix(
        b"\xef\xbb\xbf"
    ).lstrip().startswith((b"{", b"["))


def save(document: Document, path: str | os.PathLike[str]) -> None:
    """Write the experiment, wholly or not at all. Raises UserError "file.unwritable"; the old file is then as it was."""
    write_bytes(path, dumps(document))


def loads(data: bytes) -> Document:
    """The experiment in the bytes of a file.

    Raises UserError, with the place in the file where there is one: "file.empty", "file.encoding", "file.syntax",
    "file.too_deep", "file.not_experiment", "file.newer", "file.version", "file.unknown_key", "file.missing_key",
    "file.duplicate_key", "file.type", "file.not_finite", "rows.ragged", and all that a Document raises.
    """
    data = utf8(data)
    _require_format(decoded(data, FileLabel, _KINDS))
    experiment = decoded(data, FileExperiment, _KINDS)
    require_single_keys(data)
    return _document(experiment)


def _require_format(label: FileLabel) -> None:
    if label.format != FORMAT:
        raise UserError("file.not_experiment", format=label.format, expected=FORMAT)
    require_version(label.version, VERSION)


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
    weights = {
        name: _matrix(getattr(head, name), f"{place}.{name}")
        for name in ("W_Q", "W_K", "W_V", "Q", "K", "V")
    }
    biases = {name: _vector(getattr(head, name)) for name in ("b_Q", "b_K", "b_V")}
    return Head(name=head.name, enabled=head.enabled, **weights, **biases)


def _positional(file: FilePositional) -> Positional:
    return Positional(file.kind, file.base, _matrix(file.P, "positional.P"), _vector(file.slopes))


def _mask(file: FileMask) -> Mask:
    allow: BoolArray | None = None
    if file.allow is not None:
        require_rows(file.allow, "mask.allow")
        allow = frozen_bool(file.allow)
    return Mask(file.kind, file.left, file.right, allow)


def _scale(file: FileScale) -> Scale:
    if file.kind == "factor" and file.value is None:
        raise UserError("file.missing_key", place="scale", key="value")
    return Scale(file.kind) if file.value is None else Scale(file.kind, file.value)


def _softmax(file: FileSoftmax) -> Softmax:
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
