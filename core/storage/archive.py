"""Read and write experiment files (`*.attn.json`); docs/format.md describes the format.

The structs are the format: a key that they do not have is an error, and so is a value of another
type. A file has one matrix row a line, so that a change of one number is a change of one line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from core.base.errors import UserError
from core.base.files import read_bytes, write_bytes
from core.base.json_reader import (
    FileLabel,
    decoded,
    require_single_keys,
    require_version,
    utf8,
)
from core.base.json_text import Entry, list_json, object_json, text_json
from core.document.document import (
    HEAD_TENSORS,
    SOURCES,
    Context,
    Document,
    Head,
    Softmax,
)
from core.document.parts import FILE_KEYS
from core.storage.file_values import (
    Matrix,
    Vector,
    array_entries,
    matrix,
    texts_json,
    vector,
)
from core.storage.model_file import (
    LINKED_KINDS,
    FileLinked,
    is_linked,
    linked_entries,
    linked_from,
)
from core.storage.stack_file import (
    LAYER_KINDS,
    FileLayer,
    FileNorm,
    FileOutput,
    FileSampling,
    layer_from,
    norm_from,
    output_from,
    sampling_from,
    stack_entries,
)
from core.storage.switch_file import (
    FileMask,
    FilePin,
    FilePositional,
    FileScale,
    FileSoftmax,
    mask_entries,
    mask_from,
    pin_json,
    pins_from,
    positional_entries,
    positional_from,
    scale_entries,
    scale_from,
    softmax_entries,
    softmax_from,
)

FORMAT = "self-attention-experiment"
LINKED = "model"  # the source of an experiment whose numbers lie in a model
VERSION = 2  # the newest that is read; given weights and stacks need it, all else is written as 1
OF_NUMBERS = (".csv", ".tsv", ".xlsx", ".npy", ".npz")  # files that are imported, not opened


class FileHead(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One entry of `heads` outside of layers."""

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


class _FileParts(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What every file may have."""

    format: str
    version: int
    title: str = ""
    notes: str = ""
    tokens: list[str]
    source: str
    X: Matrix | None = None
    context: FileContext | None = None
    W_O: Matrix | None = None
    b_O: Vector | None = None
    positional: FilePositional | msgspec.UnsetType = msgspec.UNSET
    mask: FileMask | msgspec.UnsetType = msgspec.UNSET
    scale: FileScale | msgspec.UnsetType = msgspec.UNSET
    softmax: FileSoftmax | msgspec.UnsetType = msgspec.UNSET
    pins: list[FilePin] = []


class FileExperiment(_FileParts, forbid_unknown_fields=True, kw_only=True):
    """The whole file of an experiment with attention alone."""

    heads: list[FileHead]


class FileStack(_FileParts, forbid_unknown_fields=True, kw_only=True):
    """The whole file of a stack. `context`, `heads`, `W_O` and `b_O` are read to be refused."""

    heads: list[FileHead] = []
    embedding_norm: FileNorm | None = None
    layers: list[FileLayer]
    final_norm: FileNorm | None = None
    output: FileOutput | None = None
    sampling: FileSampling | None = None


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
_STACK_KINDS: dict[str, type[msgspec.Struct]] = {**_KINDS, "": FileStack, **LAYER_KINDS}


def load(path: str | os.PathLike[str], model: Path | None = None) -> Document:
    """The experiment in a file; `model` is where the model lies that it points to, if elsewhere.

    Raises UserError: "file.unreadable" and "file.too_large" from the disk, "file.numbers" for a
    file to be imported, "file.foreign" for any other file, and everything that `loads` raises.
    """
    data = read_bytes(path)
    try:
        return loads(data, Path(path).parent, model)
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
    write_bytes(path, dumps(document, Path(path).parent))


def loads(data: bytes, folder: Path | None = None, model: Path | None = None) -> Document:
    """The experiment in the bytes of a file, which may point to a model from its folder, or at `model`.

    Raises UserError, with the place in the file where known: "file.empty", "file.encoding",
    "file.syntax", "file.too_deep", "file.not_experiment", "file.newer", "file.version",
    "file.unknown_key", "file.missing_key", "file.duplicate_key", "file.type", "file.not_finite",
    "rows.ragged", and everything that Document raises.
    """
    data = utf8(data)
    label = decoded(data, _FileLabel, _KINDS)
    _require_format(label)
    if label.layers is not msgspec.UNSET:
        return _loaded_stack(data, label)
    if label.source == LINKED:
        linked = decoded(data, FileLinked, LINKED_KINDS)
        require_single_keys(data)
        return linked_from(linked, version_of(LINKED), folder, model)
    experiment = decoded(data, FileExperiment, _KINDS)
    require_single_keys(data)
    _require_own_version(experiment)
    heads = tuple(_head(head, f"heads[{index}]") for index, head in enumerate(experiment.heads))
    return Document(heads=heads, **_parts(experiment))


def _loaded_stack(data: bytes, label: _FileLabel) -> Document:
    if label.version != version_of("", layers=True):
        raise UserError("stack.version", place="version", version=label.version)
    stack = decoded(data, FileStack, _STACK_KINDS)
    require_single_keys(data)
    if not stack.layers:
        raise UserError("stack.no_layers", place="layers")
    return Document(
        heads=tuple(_head(head, f"heads[{index}]") for index, head in enumerate(stack.heads)),
        layers=tuple(
            layer_from(layer, f"layers[{index}]") for index, layer in enumerate(stack.layers)
        ),
        embedding_norm=norm_from(stack.embedding_norm),
        final_norm=norm_from(stack.final_norm),
        output=output_from(stack.output),
        sampling=sampling_from(stack.sampling),
        **_parts(stack),
    )


class _FileLabel(FileLabel):
    """Format, version and source, and whether there are layers, whatever they hold."""

    source: object = None
    layers: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def _require_format(label: FileLabel) -> None:
    if label.format != FORMAT:
        raise UserError("file.not_experiment", format=label.format, expected=FORMAT)
    require_version(label.version, VERSION)


def _require_own_version(file: FileExperiment) -> None:
    """Given weights came with version 2, and have none of what comes before them."""
    own = version_of(file.source)
    if file.version != own and file.source in SOURCES:
        raise UserError("file.other_version", version=file.version, source=file.source, own=own)
    for name in ("positional", "mask", "scale", "softmax"):
        if own == 2 and getattr(file, name) is not msgspec.UNSET:
            raise UserError("source.unused", name=name, source=file.source)


def version_of(source: str, layers: bool = False) -> int:
    """The version of a file whose experiment has this source, and layers or not."""
    return 2 if layers or source in ("weights", LINKED) else 1


def _parts(file: _FileParts) -> dict[str, Any]:
    return {
        "title": file.title,
        "notes": file.notes,
        "tokens": tuple(file.tokens),
        "source": file.source,
        "X": matrix(file.X, "X"),
        "context": _context(file.context),
        "W_O": matrix(file.W_O, "W_O"),
        "b_O": vector(file.b_O),
        "positional": positional_from(file.positional),
        "mask": mask_from(file.mask),
        "scale": scale_from(file.scale),
        "softmax": softmax_from(file.softmax),
        "pins": pins_from(file.pins),
    }


def _context(file: FileContext | None) -> Context | None:
    if file is None:
        return None
    return Context(tuple(file.tokens), matrix(file.X, "context.X"), matrix(file.P, "context.P"))


def _head(head: FileHead, place: str) -> Head:
    tensors: dict[str, Any] = {}
    for name, axes in HEAD_TENSORS.items():
        key = FILE_KEYS.get(name, name)
        value = getattr(head, key)
        tensors[name] = vector(value) if len(axes) == 1 else matrix(value, f"{place}.{key}")
    return Head(name=head.name, enabled=head.enabled, **tensors)


# Writing


def dumps(document: Document, folder: Path | None = None) -> bytes:
    """The document as a UTF-8 file with full precision; defaults are left out.

    A layer of a model is written as a link to it, from a folder if one is given.
    """
    if is_linked(document):
        label = [*_label(document, version_of(LINKED)), ("source", text_json(LINKED))]
        entries = [*label, *linked_entries(document, folder)]
        return (object_json(entries) + "\n").encode("utf-8")
    entries = [*_head_line(document), *_numbers(document), *_switches(document)]
    return (object_json(entries) + "\n").encode("utf-8")


def _label(document: Document, version: int) -> Iterable[Entry]:
    yield "format", text_json(FORMAT)
    yield "version", str(version)
    for key in ("title", "notes"):
        if getattr(document, key):
            yield key, text_json(getattr(document, key))


def _head_line(document: Document) -> Iterable[Entry]:
    yield from _label(document, version_of(document.source, document.is_stack))
    yield "tokens", texts_json(document.tokens)
    yield "source", text_json(document.source)


def _numbers(document: Document) -> Iterable[Entry]:
    yield from array_entries(X=document.X)
    if document.context is not None:
        entries = [("tokens", texts_json(document.context.tokens))]
        entries += array_entries(X=document.context.X, P=document.context.P)
        yield "context", object_json(entries)
    if document.is_stack:
        yield from stack_entries(document)
        return
    yield "heads", list_json([object_json([*_head_entries(head)]) for head in document.heads])
    yield from array_entries(W_O=document.W_O, b_O=document.b_O)


def _switches(document: Document) -> Iterable[Entry]:
    for key, written, default in (
        ("positional", positional_entries(document.positional), "none"),
        ("mask", mask_entries(document.mask), "none"),
        ("scale", scale_entries(document.scale), "sqrt_dk"),
    ):
        entries = [*written]
        if entries != [("kind", text_json(default))]:
            yield key, object_json(entries, one_line=not any("\n" in value for _, value in entries))
    if document.softmax != Softmax():
        yield "softmax", object_json([*softmax_entries(document.softmax)], one_line=True)
    if document.pins:
        yield "pins", list_json([pin_json(pin) for pin in document.pins])


def _head_entries(head: Head) -> Iterable[Entry]:
    if head.name:
        yield "name", text_json(head.name)
    if not head.enabled:
        yield "enabled", "false"
    yield from array_entries(
        **{FILE_KEYS.get(name, name): getattr(head, name) for name in HEAD_TENSORS}
    )
