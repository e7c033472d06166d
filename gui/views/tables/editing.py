"""Pure edits behind the tables: numbers that were entered are set, computed ones are pinned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import HEAD_TENSORS, Document, Pin
from core.document.edits import with_tensor, without_pins_of
from core.document.plan import STAGE_AXES


def is_entered(document: Document, tensor: str) -> bool:
    """Whether the numbers of a tensor are the user's own; else they are computed."""
    return tensor in document.inputs


def has_heads(tensor: str) -> bool:
    """Whether each head has a tensor of its own."""
    return tensor in HEAD_TENSORS or STAGE_AXES.get(tensor, ("",))[0] == "h"


def with_values(document: Document, values: Mapping[Cell, float]) -> Document:
    """Numbers of one tensor (and head) replaced: entered ones in the tensor, computed ones by pins.

    An entered number is no longer marked as made up, and a pin on it goes.
    """
    if not values:
        return document
    first = next(iter(values))
    if not is_entered(document, first.tensor):
        return _with_pins(document, values)
    unpinned = without_pins_of(document, values)
    kept = unpinned.filled - set(values)
    unmarked = unpinned if len(kept) == len(unpinned.filled) else unpinned.with_(filled=kept)
    return _with_numbers(unmarked, first.tensor, first.head, values)


def with_all_entered(document: Document, tensor: str, head: int, values: Array) -> Document:
    """Every number of an entered tensor (of one head) replaced, as `with_values` does some: `values` of its shape, a
    vector as one row."""
    pins = tuple(pin for pin in document.pins if (pin.stage, pin.cell.head) != (tensor, head))
    filled = frozenset(
        mark for mark in document.filled if (mark.tensor, mark.head) != (tensor, head)
    )
    if (len(pins), len(filled)) != (len(document.pins), len(document.filled)):
        document = document.with_(pins=pins, filled=filled)
    before = document.tensor(tensor, head)
    after = np.array(values, dtype=np.float64).reshape(
        values.shape if before is None else before.shape
    )
    if before is not None and _same_bits(before, after):
        return document
    return with_tensor(document, tensor, after, head)


def _with_numbers(
    document: Document, tensor: str, head: int, values: Mapping[Cell, float]
) -> Document:
    before = document.tensor(tensor, head)
    after = np.array(before)
    view = after.reshape(1, -1) if after.ndim == 1 else after
    for cell, value in values.items():
        view[cell.row, cell.column] = value
    if before is not None and _same_bits(before, after):
        return document
    return with_tensor(document, tensor, after, head)


def _same_bits(a: Array, b: Array) -> bool:
    """Equal to the last bit: −0 is not 0."""
    return a.tobytes() == b.tobytes()


def _with_pins(document: Document, values: Mapping[Cell, float]) -> Document:
    pins = tuple(Pin(cell.tensor, _index(cell), value) for cell, value in values.items())
    others = tuple(pin for pin in document.pins if pin.cell not in values)
    return document if set(pins) <= set(document.pins) else document.with_(pins=(*others, *pins))


def _index(cell: Cell) -> tuple[int, ...]:
    place = (cell.row, cell.column)
    return (cell.head, *place) if has_heads(cell.tensor) else place


def with_cleared(document: Document, cells: Iterable[Cell]) -> Document:
    """Entered numbers set to 0, pins of computed ones removed."""
    chosen = list(cells)
    if chosen and is_entered(document, chosen[0].tensor):
        return with_values(document, dict.fromkeys(chosen, 0.0))
    return without_pins_of(document, chosen)
