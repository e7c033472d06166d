"""Read the matrices of a file of any kind that can be imported, as entries to be given roles."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from core.base.arrays import Array, frozen, require_finite
from core.base.errors import UserError
from core.base.files import read_bytes
from core.base.number_format import decimals_written
from core.document.document import Document
from core.document.parts import FILE_KEYS, is_of_head
from core.exchange import array_files
from core.exchange.fused import heads_in, split_fused
from core.exchange.pages import PAGE_ENDINGS, page_text
from core.exchange.role_names import role_of_name
from core.exchange.sheets import Sheet, all_blocks
from core.exchange.sources import Entry, entries_of_text
from core.exchange.stack_names import VOCABULARY
from core.exchange.tables import ENDINGS, TEXT_ENDINGS, decoded_text, with_path

SOURCE_ENDINGS = (*ENDINGS, *PAGE_ENDINGS)
_ARRAYS = {".npz": array_files.from_npz, ".json": array_files.from_json}
MOST_ROUNDED = 12  # decimals of numbers that somebody rounded
_MOST_AXES = 5  # layers, a batch of one, heads, queries, keys


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """What a file or text holds: its entries, and its text or its sheets; `layers` is the number of
    layers of stacks of heads, 0 for none.
    """

    entries: tuple[Entry, ...]
    text: str = ""
    sheets: tuple[Sheet, ...] = ()
    layers: int = 0


def read_source(path: str | os.PathLike[str], layer: int = 0, heads: int | None = None) -> Source:
    """Read a file; of stacks of layers the entries are those of `layer`, from 0.

    `heads`: how many heads fused weights hold; None for as many as the text says.

    Raises UserError with the path as read_table does, and "import.nothing" where there are no
    matrices.
    """
    with with_path(path):
        ending, data = Path(path).suffix.lower(), read_bytes(path)
        if ending not in SOURCE_ENDINGS:
            raise UserError("import.ending", known=SOURCE_ENDINGS)
        if not data:
            raise UserError("import.empty")
        source = _read(ending, data, Path(path).stem, layer, heads)
        if not source.entries:
            raise UserError("import.nothing")
        return source


def _read(ending: str, data: bytes, stem: str, layer: int, heads: int | None) -> Source:
    if ending == ".xlsx":
        from core.exchange import xlsx_tables

        sheets = tuple(Sheet(name, cells) for name, cells in xlsx_tables.all_cells(data))
        return Source(split_fused(tuple(all_blocks(sheets)), heads), sheets=sheets)
    if ending in TEXT_ENDINGS or ending in PAGE_ENDINGS:
        source = text_source(page_text(decoded_text(data), ending), heads)
        return replace(source, entries=_named(source.entries, stem))
    if ending == ".npy":
        arrays = array_files.from_npy(data, stem, _MOST_AXES)
    else:
        arrays = _ARRAYS[ending](data, _MOST_AXES)
    if heads is None and ending == ".json":
        heads = heads_in(decoded_text(data))
    source = array_source(arrays, array_texts(ending, data), layer)
    return replace(source, entries=split_fused(source.entries, heads))


def text_source(text: str, heads: int | None = None) -> Source:
    """The matrices of a text; `heads` as in read_source. Raises UserError "paste.too_large" (limit)."""
    return Source(split_fused(entries_of_text(text), heads or heads_in(text)), text=text)


def _named(entries: tuple[Entry, ...], stem: str) -> tuple[Entry, ...]:
    """A single matrix without a name has that of its file."""
    nameless = len(entries) == 1 and not entries[0].name
    return (replace(entries[0], name=stem),) if nameless else entries


def array_texts(ending: str, data: bytes) -> Mapping[str, tuple[str, ...]]:
    """The lists of tokens beside the arrays of a file, by name."""
    names = ("tokens", "context_tokens")
    if ending == ".npz":
        return {name: array_files.texts_from_npz(data, name) for name in names}
    return {name: array_files.texts_at(data, name) for name in names} if ending == ".json" else {}


def array_source(
    arrays: Mapping[str, Array], texts: Mapping[str, tuple[str, ...]], layer: int
) -> Source:
    """The matrices of arrays: a stack is one for each head, a stack of stacks those of one layer."""
    entries: list[Entry] = [Entry(name, texts=words) for name, words in texts.items() if words]
    layers = 0
    for name, array in arrays.items():
        require_finite(array, name)
        array = _without_batch(name, array)
        if array.ndim == 4:
            layers = max(layers, len(array))
            if layer >= len(array):
                raise UserError("role.layer", actual=layer + 1, limit=len(array))
            array = array[layer]
        entries += (
            Entry(name, frozen(matrix), decimals=_decimals(matrix))
            for matrix in _matrices(name, array)
        )
    return Source(tuple(entries), layers=layers)


def _decimals(matrix: Array) -> int:
    """The most decimals of any of the first numbers; 0 for whole numbers and for all digits."""
    most = max((decimals_written(repr(float(each))) for each in matrix.flat[:1000]), default=0)
    return most if 0 < most <= MOST_ROUNDED else 0


def _without_batch(name: str, array: Array) -> Array:
    """The array without axes of length 1 before the last two."""
    while array.ndim > 2 and 1 in array.shape[:-2] and (array.ndim > 4 or array.shape[0] == 1):
        array = np.squeeze(array, axis=array.shape[:-2].index(1))
    if array.ndim > 4:
        raise UserError("import.axes", name=name, actual=array.shape)
    return array


def _matrices(name: str, array: Array) -> Iterator[Array]:
    role = role_of_name(name).role
    if role.startswith("b_") and role != "b_O" and array.ndim == 2:
        yield from array[:, None, :]  # a row for each head
    else:
        yield from array if array.ndim == 3 else array[None]


def entered_source(document: Document) -> Source:
    """The entered tensors of an experiment."""
    entries = [Entry("tokens", texts=document.tokens)]
    for name in document.inputs:
        for head in range(document.scope(name).h if is_of_head(name) else 1):
            tensor = document.tensor(name, head)
            if tensor is not None:
                entries.append(Entry(FILE_KEYS.get(name, name), frozen(np.atleast_2d(tensor))))
    if document.output is not None:
        entries.append(Entry(VOCABULARY, texts=document.output.vocabulary))
    return Source(tuple(entries))
