"""Experiments whose numbers lie in a model: `"source": "model"`, with edits, pins and switches alone.

docs/format.md describes the format.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from core.base.errors import UserError
from core.base.files import disk_error, exists, is_file, is_folder
from core.base.json_text import Entry, list_json, object_json, text_json
from core.document.document import HEAD_TENSORS, Document, Head, Pin
from core.document.parts import ModelLink, is_of_head, layer_id, split_layer
from core.storage.file_values import number_json
from core.storage.switch_file import (
    SWITCHES,
    FileMask,
    FilePin,
    FilePositional,
    FileScale,
    FileSoftmax,
    pin_json,
    pins_from,
)

if TYPE_CHECKING:
    from core.models.model import Model

_SHARED = ("X", "W_O", "b_O")
# What stays as in the model, but for its numbers.
_FIXED = (
    *("source", "tokens", "context", "X", "heads", "W_O", "b_O"),
    *("layers", "embedding_norm", "final_norm", "output", "sampling"),
)


class FileModel(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`model`: where it lies, and which layer (from 1) of which text or tokens."""

    path: str
    sha256: str
    layer: int
    text: str | None = None
    ids: list[int] | None = None
    whole: bool = False


class FileEdit(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One entry of `edits`: `index` begins with the head where each head has the tensor."""

    tensor: str
    index: list[int]
    value: float


class FileLinked(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The whole file of an experiment whose numbers lie in a model; switches replace the model's."""

    format: str
    version: int
    title: str = ""
    notes: str = ""
    source: str
    model: FileModel
    heads_off: list[int] = []
    edits: list[FileEdit] = []
    positional: FilePositional | msgspec.UnsetType = msgspec.UNSET
    mask: FileMask | msgspec.UnsetType = msgspec.UNSET
    scale: FileScale | msgspec.UnsetType = msgspec.UNSET
    softmax: FileSoftmax | msgspec.UnsetType = msgspec.UNSET
    pins: list[FilePin] = []


LINKED_KINDS: dict[str, type[msgspec.Struct]] = {
    "": FileLinked,
    "model": FileModel,
    "edits": FileEdit,
    "positional": FilePositional,
    "mask": FileMask,
    "scale": FileScale,
    "softmax": FileSoftmax,
    "pins": FilePin,
}


def linked_from(
    file: FileLinked, version: int, folder: Path | None, found: Path | None
) -> Document:
    """The experiment of a file in a folder, with its model found elsewhere or not. Raises UserError "file.other_version", and as
    `linked_document` and `changed_document` do.
    """
    if file.version != version:
        raise UserError("file.other_version", version=file.version, source=file.source, own=version)
    document = linked_document(file.model, folder, found)
    switches = {
        key: read(getattr(file, key))
        for key, (read, _) in SWITCHES.items()
        if getattr(file, key) is not msgspec.UNSET
    }
    document = document.with_(title=file.title, notes=file.notes, **switches)
    return changed_document(document, file.edits, pins_from(file.pins), file.heads_off)


def linked_document(file: FileModel, folder: Path | None, found: Path | None = None) -> Document:
    """The attention of the layer, without the changes of the file.

    The model is at `found`, or at `path`, which is the id of a shipped model or is taken from the
    folder of the experiment. Raises UserError
    "model.lost" (model), "model.changed" (model), "model.layer" (value, most), "model.reads", and as
    the model does.
    """
    path = found or (Path(file.path) if folder is None else folder / file.path)
    source = os.fspath(path) if exists(path) else file.path
    try:
        model = _model(source, _stamp(path))
    except UserError as problem:
        if problem.code == "model.unknown" or problem.data.get("reason") == "missing":
            raise UserError("model.lost", model=file.path) from problem
        raise
    if model.sha256 != file.sha256.lower():
        raise UserError("model.changed", model=file.path)
    if (file.text is None) == (file.ids is None):
        raise UserError("model.reads", place="model")
    ids = None if file.ids is None else tuple(file.ids)
    return _layer(model, file.layer, file.text, ids, file.whole)


def _stamp(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Names, sizes and times of the files of a model."""
    files = [path] if is_file(path) else sorted(path.glob("*.*")) if is_folder(path) else []
    try:
        found = [(file.name, file.stat()) for file in files]
    except OSError as error:
        raise disk_error("file.unreadable", path, error) from error
    return tuple((name, status.st_size, status.st_mtime_ns) for name, status in found)


@lru_cache(maxsize=2)
def _model(source: str, stamp: tuple[tuple[str, int, int], ...]) -> Model:
    """A model whose files have not changed since. Without this each scene of a lesson reads weights
    and tokenizer again: 0.15 s with MiniLM, 1.4 s with SmolLM2; with it 10 ms.
    """
    from core.models import open_model

    return open_model(source)


@lru_cache(maxsize=4)
def _layer(
    model: Model, layer: int, text: str | None, ids: tuple[int, ...] | None, whole: bool
) -> Document:
    """`linked_layer` for a text or ids that were read before."""
    return linked_layer(model, layer, text, ids, whole=whole)


def linked_layer(
    model: Model,
    layer: int,
    text: str | None = None,
    ids: Sequence[int] | None = None,
    *,
    whole: bool = False,
) -> Document:
    """The attention of a layer, from 1, or the whole layer, as an experiment linked to its model."""
    from core.models.forward import run_layers

    if not 1 <= layer <= model.layers:
        raise UserError("model.layer", value=layer, most=model.layers)
    read = tuple(model.tokenizer.encode(text or "") if ids is None else ids)
    reached = next(run for run in run_layers(model, read) if run.index == layer - 1)
    tokens, index = model.shown(read), reached.index
    if not whole:
        document = model.attention_document(index, reached.attention_input, tokens)
    elif index == 0:
        document = model.first_document(read, tokens)
    else:
        document = model.layer_document(index, reached.incoming, tokens)
    link = ModelLink(
        path=model.source if model.is_shipped else os.path.realpath(model.path),
        sha256=model.sha256,
        layer=layer,
        text=text if ids is None else None,
        ids=None if ids is None else read,
        base=document,
        pieces=model.pieces(read),
        whole=whole,
    )
    return document.with_(link=link)


def changed_document(
    document: Document, edits: Sequence[FileEdit], pins: Iterable[Pin], heads_off: Iterable[int]
) -> Document:
    """A linked document with the edits, pins and heads that are off of its file.

    Raises UserError as `with_edits` does, and "model.head" (value, most).
    """
    from core.models.changes import TensorEdit, with_edits

    link = document.link
    assert link is not None  # only linked ones come here
    document = with_edits(
        document,
        [TensorEdit(_own(edit.tensor, link), tuple(edit.index), edit.value) for edit in edits],
    )
    off, heads = set(heads_off), _heads(document)
    for head in off:
        if not 0 <= head < len(heads):
            raise UserError("model.head", value=head + 1, most=len(heads))
    heads = tuple(
        replace(head, enabled=False) if i in off else head for i, head in enumerate(heads)
    )
    pinned = tuple(replace(pin, stage=_own(pin.stage, link)) for pin in pins)
    if not document.is_stack:
        return document.with_(heads=heads, pins=pinned)
    return document.with_(layers=(replace(document.layers[0], heads=heads),), pins=pinned)


def _own(name: str, link: ModelLink) -> str:
    """A name in this layer alone; of its attention the prefix of the layer may be left out."""
    number, base = split_layer(name)
    if number is None:
        return name
    if number != link.layer:
        raise UserError("tensor.absent", name=name)
    return layer_id(1, base) if link.whole else base


def _in_model(name: str, link: ModelLink) -> str:
    """The name that a file has for one of this layer alone."""
    number, base = split_layer(name)
    return name if number is None else layer_id(link.layer, base)


def is_linked(document: Document) -> bool:
    """Whether the experiment still is a layer of its model but for numbers, pins and switches."""
    link = document.link
    return link is not None and all(
        _structure(getattr(document, name)) == _structure(getattr(link.base, name))
        for name in _FIXED
    )


def _structure(value: Any) -> Any:
    """The sizes of a part of an experiment, without its numbers and names."""
    if isinstance(value, np.ndarray):
        return value.shape
    if isinstance(value, tuple):
        return tuple(map(_structure, value))
    if not is_dataclass(value):
        return value
    kept = (each.name for each in fields(value) if each.name != "name")
    return tuple(
        _structure(getattr(value, name))
        for name in kept
        if not (name == "enabled" and isinstance(value, Head))  # heads that are off are written
    )


def _heads(document: Document) -> tuple[Head, ...]:
    return document.layers[0].heads if document.is_stack else document.heads


def _places(document: Document) -> Iterator[tuple[str, int]]:
    """Every tensor that it has but positions, which are a switch; head by head."""
    names = [*document.stack_tensors(used=False)] if document.is_stack else [*HEAD_TENSORS]
    for name in (*_SHARED, *names):
        heads = range(len(_heads(document))) if is_of_head(name) else (0,)
        yield from ((name, head) for head in heads if document.tensor(name, head) is not None)


def linked_entries(document: Document, folder: Path | None) -> Iterator[Entry]:
    """The entries after `source` of a linked experiment that is written into a folder."""
    link = document.link
    assert link is not None  # only linked ones come here
    model = [("path", text_json(_written_path(link.path, folder)))]
    model += [("sha256", text_json(link.sha256)), ("layer", str(link.layer))]
    if link.whole:
        model.append(("whole", "true"))
    if link.ids is not None:
        model.append(("ids", str(list(link.ids))))
    else:
        model.append(("text", text_json(link.text or "")))
    yield "model", object_json(model)
    off = [index for index, head in enumerate(_heads(document)) if not head.enabled]
    if off:
        yield "heads_off", str(off)
    for key, (_, entries) in SWITCHES.items():
        own = [*entries(getattr(document, key))]
        if own != [*entries(getattr(link.base, key))]:
            yield key, object_json(own, one_line=not any("\n" in value for _, value in own))
    edits = [*_edits(document, link)]
    if edits:
        yield "edits", list_json(edits)
    if document.pins:
        pins = (replace(pin, stage=_in_model(pin.stage, link)) for pin in document.pins)
        yield "pins", list_json([pin_json(pin) for pin in pins])


def _written_path(path: str, folder: Path | None) -> str:
    """Relative where the model lies in the folder of the experiment, so that both can be moved."""
    if folder is None or not Path(path).is_absolute():
        return path
    own = Path(os.path.realpath(folder))
    return Path(path).relative_to(own).as_posix() if Path(path).is_relative_to(own) else path


def _edits(document: Document, link: ModelLink) -> Iterator[str]:
    for name, head in _places(link.base):
        old, new = link.base.tensor(name, head), document.tensor(name, head)
        if old is None or new is None or old is new:
            continue
        for place in np.argwhere(old != new).tolist():
            index = [head, *place] if is_of_head(name) else place
            value, tensor = number_json(float(new[tuple(place)])), text_json(_in_model(name, link))
            yield f'{{"tensor": {tensor}, "index": {index}, "value": {value}}}'
