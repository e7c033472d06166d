"""Cells in words, for those who hear instead of see: weights, query 吃, key 鱼, 0.33. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from core.base.cell import Cell
from core.document.document import HEAD_TENSORS, Document
from core.document.orientation import ROWS, Orientation
from core.document.plan import STAGE_AXES
from gui.texts.labels import axes_of, long_name
from gui.texts.names import head_name, stage_name
from gui.texts.rich_text import short
from gui.texts.translation import tr


def place(cell: Cell, document: Document, orientation: Orientation = ROWS, name: str = "") -> str:
    """A cell's tensor and where it is: by its tokens where it has some, else by numbers from 1.

    `name` is what the tensor is called where that is not what it is called everywhere.
    """
    if cell.tensor not in STAGE_AXES:
        return _numbered(cell, orientation)
    name, (rows, columns) = name or stage_name(cell.tensor), axes_of(cell.tensor)
    row = short(document.row_tokens(cell.tensor)[cell.row])
    if (rows, columns) == ("n", "m"):
        key = short(document.key_tokens[cell.column])
        return tr("{stage}, query {row}, key {column}", stage=name, row=row, column=key)
    if orientation.columns:
        return tr("{stage}, row {row}, {column}", stage=name, row=cell.column + 1, column=row)
    return tr("{stage}, {row}, column {column}", stage=name, row=row, column=cell.column + 1)


def _numbered(cell: Cell, orientation: Orientation) -> str:
    """A place in a tensor that has no tokens; a vector has columns alone."""
    name = long_name(cell.tensor)
    if not axes_of(cell.tensor)[0]:
        return tr("{tensor}, number {number}", tensor=name, number=cell.column + 1)
    row, column = orientation.pair(cell.row + 1, cell.column + 1)
    return tr("{tensor}, row {row}, column {column}", tensor=name, row=row, column=column)


def in_head(words: str, cell: Cell, document: Document) -> str:
    """The same with the head in front, where there are several."""
    headwise = STAGE_AXES.get(cell.tensor, ("",))[0] == "h" or cell.tensor in HEAD_TENSORS
    if document.h == 1 or not headwise:
        return words
    return joined((head_name(cell.head, document.heads[cell.head].name), words))


def marks(cell: Cell, document: Document, *, masked: bool = False) -> tuple[str, ...]:
    """What a picture says with hatching, a folded corner and a dotted line."""
    pinned = any(pin.cell == cell for pin in document.pins)
    said = (
        (masked, tr("masked")),
        (pinned, tr("pinned what-if value")),
        (cell in document.filled, tr("made up")),
    )
    return tuple(word for there, word in said if there)


def joined(parts: Iterable[str]) -> str:
    """Parts of a sentence one after the other."""
    return reduce(lambda said, more: tr("{where}, {value}", where=said, value=more), parts)
