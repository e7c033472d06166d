"""Pure edits of values and switches: each returns a new document, or the very same one if nothing
changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from core.arithmetic.attention import window_mask
from core.base.arrays import Array, BoolArray, frozen, frozen_bool, sealed
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.document import (
    HEAD_TENSORS,
    Document,
    Head,
    Mask,
    Pin,
    Positional,
    Scale,
    Softmax,
)
from core.document.layers import OF_OUTPUT, with_layer_tensor
from core.document.parts import BORROWED, TENSOR_PLACES, is_headwise, split_layer


def with_cell(document: Document, cell: Cell, value: float) -> Document:
    """Replace one number of an entered tensor and remove its mark. A vector such as b_Q is one row.

    Raises UserError "tensor.absent" (name) where this experiment has no such tensor.
    """
    tensor = document.tensor(cell.tensor, cell.head)
    if tensor is None:
        raise UserError("tensor.absent", name=cell.tensor)
    changed = np.array(tensor)
    changed[(cell.row, cell.column) if tensor.ndim == 2 else (cell.column,)] = value
    return _unmarked(with_tensor(document, cell.tensor, sealed(changed), cell.head), {cell})


def _unmarked(document: Document, cells: Set[Cell]) -> Document:
    kept = document.filled - cells
    return document if kept == document.filled else document.with_(filled=kept)


def _marks_of(document: Document, *names: str) -> set[Cell]:
    return {cell for cell in document.filled if cell.tensor in names}


def with_tensor(
    document: Document, name: str, value: npt.ArrayLike | None, head: int = 0
) -> Document:
    """Replace an entered tensor by one of the same shape (None removes a bias or W_O).

    The marks of numbers that differ are removed.
    """
    old = document.tensor(name, head)
    array = None if value is None else frozen(value)
    if old is array or (old is not None and array is not None and _same_numbers(old, array)):
        return document
    marks = {
        cell
        for cell in _marks_of(document, name)
        if cell.head == head and _differs(old, array, cell)
    }
    layer, base = split_layer(name)
    if layer is not None:
        layers = list(document.layers)
        layers[layer - 1] = with_layer_tensor(layers[layer - 1], base, array, head)
        return _unmarked(document.with_(layers=tuple(layers)), marks)
    if name in HEAD_TENSORS:
        changes: dict[str, Any] = {name: array}
        return _unmarked(with_head(document, head, replace(document.heads[head], **changes)), marks)
    place = TENSOR_PLACES.get(name) or _stack_place(name)
    if place is not None:
        part, field_name = place
        owner = getattr(document, part)
        if owner is None and part == "context":
            raise UserError("context.absent")
        if owner is None:
            raise UserError("tensor.absent", name=name)
        return _unmarked(document.with_(**{part: replace(owner, **{field_name: array})}), marks)
    return _unmarked(document.with_(**{name: array}), marks)


def _stack_place(name: str) -> tuple[str, str] | None:
    """The part of a stack that holds a tensor outside its layers, and the field; None for none."""
    if name in OF_OUTPUT:
        return "output", name
    part, _, field_name = name.partition(".")
    return (part, field_name) if field_name else None


def _same_numbers(a: Array, b: Array) -> bool:
    """Whether two arrays are equal to the bit: 0 and −0 differ."""
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def _differs(old: Array | None, new: Array | None, cell: Cell) -> bool:
    if old is None or new is None or old.shape != new.shape:
        return True
    index = (cell.row, cell.column) if old.ndim == 2 else (cell.column,)
    return not _same_numbers(old[index], new[index])


def with_head(document: Document, index: int, head: Head) -> Document:
    """Replace one head."""
    heads = list(document.heads)
    heads[index] = head
    return document.with_(heads=tuple(heads))


def with_head_enabled(document: Document, index: int, enabled: bool) -> Document:
    """Switch a head on or off; its block of concat remains."""
    if document.heads[index].enabled == enabled:
        return document
    return with_head(document, index, replace(document.heads[index], enabled=enabled))


def with_head_name(document: Document, index: int, name: str) -> Document:
    """Rename a head."""
    if document.heads[index].name == name:
        return document
    return with_head(document, index, replace(document.heads[index], name=name))


def with_title(document: Document, title: str, notes: str | None = None) -> Document:
    """Replace title and notes."""
    notes = document.notes if notes is None else notes
    if (title, notes) == (document.title, document.notes):
        return document
    return document.with_(title=title, notes=notes)


def with_biases(document: Document, on: bool) -> Document:
    """Add biases b_Q, b_K, b_V of 0, marked as filled, to every head without them, or remove all.

    A head that borrows keys and values gets b_Q alone. Raises UserError "bias.needs_weights" where Q, K and V are entered.
    """
    if document.source != "embeddings":
        raise UserError("bias.needs_weights")
    names = ("b_Q", "b_K", "b_V")
    if all(
        (getattr(head, name) is not None) == on
        for head in document.heads
        for name in names
        if not _is_borrowed(head, name)
    ):
        return document
    heads, filled = [], set(document.filled)
    for index, head in enumerate(document.heads):
        changes: dict[str, Any] = {}
        for name, size in zip(names, (document.k, document.k, document.v), strict=True):
            if not on:
                changes[name] = None
            elif getattr(head, name) is None and not _is_borrowed(head, name):
                changes[name] = frozen(np.zeros(size))
                filled |= {Cell(name, 0, column, index) for column in range(size)}
        heads.append(replace(head, **changes))
    marks = frozenset(filled) if on else document.filled - _marks_of(document, *names)
    return document.with_(heads=tuple(heads), filled=marks)


def _is_borrowed(head: Head, name: str) -> bool:
    return head.kv_from is not None and name in BORROWED


def with_output_projection(document: Document, on: bool) -> Document:
    """Add W_O as the identity pattern (c, d), marked as filled, or remove it together with b_O."""
    if on == (document.W_O is not None):
        return document
    if not on:
        return document.with_(
            W_O=None, b_O=None, filled=document.filled - _marks_of(document, "W_O", "b_O")
        )
    width = document.d if document.source == "embeddings" else document.c
    marks = {Cell("W_O", row, column) for row in range(document.c) for column in range(width)}
    return document.with_(W_O=frozen(np.eye(document.c, width)), filled=document.filled | marks)


def with_output_bias(document: Document, on: bool) -> Document:
    """Add b_O of 0, marked as filled, or remove it. Needs W_O."""
    if on == (document.b_O is not None):
        return document
    marks = {Cell("b_O", 0, column) for column in range(document.o)}
    if not on:
        return document.with_(b_O=None, filled=document.filled - marks)
    return document.with_(b_O=frozen(np.zeros(document.o)), filled=document.filled | marks)


FIRST_SLOPE = 0.5  # of a single head: the default, 2⁻⁸, hardly changes a score


def with_positional_kind(document: Document, kind: str) -> Document:
    """Choose a kind of positional encoding, with the settings that it had.

    ALiBi with one head starts at a slope that can be seen. Raises as with_positional.
    """
    positional = replace(document.positional, kind=kind)
    if kind == "alibi" and document.h == 1 and positional.slopes is None:
        positional = replace(positional, slopes=frozen([FIRST_SLOPE]))
    return with_positional(document, positional)


def with_positional(document: Document, positional: Positional) -> Document:
    """Replace the positional encoding. An entered P is kept while another kind is chosen.

    A first P (n, d), and that of a context (m, d), are 0 and marked as filled.

    Raises UserError "positional.needs_embeddings" (kind) for a learned P without X.
    """
    if positional.P is None:
        positional = replace(positional, P=document.positional.P)
    if _same_positional(document.positional, positional):
        return document
    if positional.kind != "learned":
        return document.with_(positional=positional)
    if document.X is None:
        raise UserError("positional.needs_embeddings", kind="learned")
    context, marks = document.context, set[Cell]()
    if positional.P is None:
        marks |= _cells_of("P", document)
        positional = replace(positional, P=frozen(np.zeros(document.stage_shape("P"))))
    if context is not None and context.P is None:
        marks |= _cells_of("P_context", document)
        context = replace(context, P=frozen(np.zeros(document.stage_shape("P_context"))))
    return document.with_(positional=positional, context=context, filled=document.filled | marks)


def _cells_of(name: str, document: Document) -> set[Cell]:
    rows, columns = document.stage_shape(name)
    return {Cell(name, row, column) for row in range(rows) for column in range(columns)}


def _same_positional(a: Positional, b: Positional) -> bool:
    return a.kind == b.kind and a.base == b.base and a.P is b.P and a.slopes is b.slopes


def with_mask(document: Document, mask: Mask) -> Document:
    """Replace the mask. A custom one without a table starts from the pairs that are allowed now."""
    if mask.kind == "custom" and mask.allow is None:
        mask = replace(mask, allow=allowed(document))
    now = document.mask
    if (mask.kind, mask.left, mask.right) == (
        now.kind,
        now.left,
        now.right,
    ) and mask.allow is now.allow:
        return document
    return document.with_(mask=mask)


def with_mask_kind(document: Document, kind: str) -> Document:
    """Choose a kind of mask, with the settings that it had; a first window reaches one key to each side."""
    now = document.mask
    if kind == now.kind:
        return document
    if kind != "window":
        return with_mask(document, Mask(kind))
    unlimited = (now.left, now.right) == (None, None)
    return with_mask(document, Mask(kind, 1, 1) if unlimited else replace(now, kind=kind))


# How far each query looks to the left and to the right, by kind of mask; a custom one says itself
# who may look where.
MASK_REACHES: dict[str, Callable[[Mask], tuple[int | None, int | None]]] = {
    "none": lambda mask: (None, None),
    "causal": lambda mask: (None, 0),
    "window": lambda mask: (mask.left, mask.right),
}


def allowed(document: Document) -> BoolArray:
    """Which key (column) each query (row) may attend to under the document's mask, (n, m) bool.

    Both sentences count their positions from 0, so that with a context, too, a causal query i sees
    the keys 0 … i.
    """
    mask = document.mask
    if mask.kind == "custom" and mask.allow is not None:
        return mask.allow
    return _within(document.n, document.m, *MASK_REACHES[mask.kind](mask))


@lru_cache(maxsize=2)
def _within(n: int, m: int, left: int | None, right: int | None) -> BoolArray:
    """The keys within reach of each query; cached, because views ask for the same table repeatedly.

    # -> (n, m)
    """
    # No key is farther away than that; a reach beyond all integers of NumPy is as good as none.
    farthest = max(n, m)
    left, right = (None if reach is None or reach >= farthest else reach for reach in (left, right))
    return window_mask(n, m, left, right)


def with_allowed(document: Document, row: int, column: int, allow: bool) -> Document:
    """Allow or forbid one pair; another kind of mask becomes a custom one that starts from it."""
    table = np.array(allowed(document))
    if document.mask.kind == "custom" and bool(table[row, column]) == allow:
        return document
    table[row, column] = allow
    return document.with_(mask=Mask("custom", allow=frozen_bool(table)))


def with_scale(document: Document, scale: Scale) -> Document:
    """Replace the scale of the scores."""
    return document if scale == document.scale else document.with_(scale=scale)


def with_softmax(document: Document, softmax: Softmax) -> Document:
    """Replace the base of the softmax, or whether the row maximum is subtracted."""
    return document if softmax == document.softmax else document.with_(softmax=softmax)


def with_pin(document: Document, cell: Cell, value: float) -> Document:
    """Replace a computed cell by a what-if value, which the following stages use."""
    headwise = is_headwise(cell.tensor)
    index = (cell.head, cell.row, cell.column) if headwise else (cell.row, cell.column)
    pin = Pin(cell.tensor, index, value)
    if pin in document.pins:
        return document
    others = tuple(other for other in document.pins if other.cell != pin.cell)
    return document.with_(pins=(*others, pin))


def without_pins_of(document: Document, cells: Iterable[Cell]) -> Document:
    """Remove the what-if values of the given cells."""
    gone = set(cells)
    kept = tuple(pin for pin in document.pins if pin.cell not in gone)
    return document if len(kept) == len(document.pins) else document.with_(pins=kept)


def without_pins(document: Document) -> Document:
    """Remove all what-if values."""
    return document.with_(pins=()) if document.pins else document
