"""Pure edits of the tables: set or pin numbers, resize, replace a whole matrix. Free of Qt."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from msgspec import Struct

from core.base.arrays import Array, BoolArray
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.document import Document, Pin
from core.document.edits import with_tensor, without_pins_of
from core.document.orientation import Orientation
from core.document.parts import is_of_head, is_tensor, layer_id, split_layer, tensor_axes
from core.document.reindex import NONE, Given
from core.document.resize import (
    with_head_added,
    with_head_removed,
    with_mlp_width,
    with_size,
    with_tokens_added,
    with_tokens_named,
    with_tokens_ordered,
)
from core.document.stack_edits import in_layer
from core.explain.timeline import has_heads
from gui.texts.translation import tr


def is_entered(document: Document, tensor: str) -> bool:
    """Whether the numbers of a tensor are the user's own; else they are computed."""
    return tensor in document.inputs


def with_values(document: Document, values: Mapping[Cell, float]) -> Document:
    """Replace numbers of one tensor (and head): entered ones in the tensor, computed ones by pins.

    An entered number loses its mark as made up, and a pin on it goes.
    """
    if not values:
        return document
    first = next(iter(values))
    if not is_entered(document, first.tensor):
        return _with_pins(document, values)
    document = without_pins_of(document, values)
    filled = document.filled - set(values)
    if len(filled) != len(document.filled):
        document = document.with_(filled=filled)
    after = np.array(document.tensor(first.tensor, first.head))
    view = after.reshape(1, -1) if after.ndim == 1 else after
    for cell, value in values.items():
        view[cell.row, cell.column] = value
    return _with_changed_tensor(document, first.tensor, first.head, after)


def with_numbers(
    document: Document, tensor: str, head: int, where: BoolArray, values: Array
) -> Document:
    """Replace the numbers of a tensor (of one head) at marked places, as `with_values` does.

    # where, values: (rows, columns) of the tensor, a vector as one row
    """
    if not is_entered(document, tensor):
        cells = {
            Cell(tensor, int(row), int(column), head): float(values[row, column])
            for row, column in np.argwhere(where)
        }
        return _with_pins(document, cells)

    def keeps(cell: Cell) -> bool:
        there = cell.tensor == tensor and cell.head == head
        return not (there and where[cell.row, cell.column])

    pins = tuple(pin for pin in document.pins if keeps(pin.cell))
    filled = frozenset(filter(keeps, document.filled))
    if (len(pins), len(filled)) != (len(document.pins), len(document.filled)):
        document = document.with_(pins=pins, filled=filled)
    after = np.array(document.tensor(tensor, head))
    np.copyto(np.atleast_2d(after), values, where=where)
    return _with_changed_tensor(document, tensor, head, after)


def with_all_values(document: Document, tensor: str, head: int, values: Array) -> Document:
    """Replace every number of an entered tensor (of one head), as `with_values` does some.

    `values` has the shape of the tensor, a vector as one row.
    """
    pins = tuple(pin for pin in document.pins if (pin.stage, pin.cell.head) != (tensor, head))
    filled = frozenset(
        cell for cell in document.filled if (cell.tensor, cell.head) != (tensor, head)
    )
    if (len(pins), len(filled)) != (len(document.pins), len(document.filled)):
        document = document.with_(pins=pins, filled=filled)
    before = document.tensor(tensor, head)
    shape = values.shape if before is None else before.shape
    after = np.array(values, dtype=np.float64).reshape(shape)
    return _with_changed_tensor(document, tensor, head, after)


def _with_changed_tensor(document: Document, tensor: str, head: int, after: Array) -> Document:
    """Another tensor, unless it is equal to the last bit: −0 is not 0."""
    before = document.tensor(tensor, head)
    if before is not None and before.tobytes() == after.tobytes():
        return document
    return with_tensor(document, tensor, after, head)


def _with_pins(document: Document, values: Mapping[Cell, float]) -> Document:
    pins = tuple(
        Pin(
            cell.tensor,
            (cell.head, cell.row, cell.column)
            if has_heads(cell.tensor)
            else (cell.row, cell.column),
            value,
        )
        for cell, value in values.items()
    )
    others = tuple(pin for pin in document.pins if pin.cell not in values)
    return document if set(pins) <= set(document.pins) else document.with_(pins=(*others, *pins))


def with_cleared(document: Document, cells: Sequence[Cell]) -> Document:
    """Set entered numbers to 0, remove the pins of computed ones."""
    if cells and is_entered(document, cells[0].tensor):
        return with_values(document, dict.fromkeys(cells, 0.0))
    return without_pins_of(document, cells)


# Other sizes


# The axes in the order of the fields, with the largest size that can be chosen.
LARGEST = {
    "n": 5000,
    "m": 5000,
    "h": 64,
    "d": 1024,
    "k": 1024,
    "v": 1024,
    "f": 4096,
    "u": 5000,
}
AXES = tuple(LARGEST)
# The scores of 5,000 tokens with two heads: 400 MB in each stage of that shape.
MOST_SCORES = 2 * LARGEST["n"] ** 2
_SHARED = {"n", "m", "d", "u"}  # axes that every layer of a stack has in common
MOST_NEW = 2_000_000  # each new number is marked until it is edited


def sizes_in(document: Document, layer: int | None) -> dict[str, int]:
    """Every axis letter with its size; in a stack those of a layer."""
    return document.sizes_at(layer_id(layer, "Q"))


def with_sizes(
    document: Document,
    sizes: Mapping[str, int],
    token: str,
    given: Given = NONE,
    layer: int | None = None,
) -> Document:
    """Add places at the end, tokens called `token`, or remove them; sizes that are not named stay.

    New numbers of tensors that are `given` are not marked as made up. h, k, v and f of a stack are
    those of one layer.
    """
    now_all = sizes_in(document, layer)
    for axis in ("n", "m", "u"):
        now = now_all.get(axis, 0)
        size = sizes.get(axis, now)
        if size < now:
            document = with_tokens_ordered(document, range(size), axis, given)
        elif size > now:
            document = with_tokens_added(document, now, (token,) * (size - now), axis, given)
    if "d" in sizes and sizes["d"] != document.d:
        document = with_size(document, "d", sizes["d"], given)
    own = frozenset((split_layer(name)[1], head) for name, head in given)
    document = in_layer(document, layer, lambda scope: _with_head_sizes(scope, sizes, own))
    if layer is not None and "f" in sizes and sizes["f"] != now_all["f"]:
        document = with_mlp_width(document, layer, sizes["f"], given)
    return document


def _with_head_sizes(document: Document, sizes: Mapping[str, int], given: Given) -> Document:
    while document.h < sizes.get("h", document.h):
        document = with_head_added(document, given)
    while document.h > sizes.get("h", document.h):
        document = with_head_removed(document, document.h - 1, given)
    for axis in ("k", "v"):
        if axis in sizes and sizes[axis] != document.sizes[axis]:
            document = with_size(document, axis, sizes[axis], given)
    return document


def largest_size(document: Document, axis: str, layer: int | None = None) -> int:
    """The largest size that an axis can be given.

    An experiment that came with a larger one keeps it.
    """
    return max(LARGEST[axis], sizes_in(document, layer)[axis])


def require_possible(
    document: Document, wanted: Mapping[str, int], layer: int | None = None
) -> None:
    """Check that sizes are neither too small nor too large.

    Raises UserError "size.range" (axis, most), "size.scores" (h, most) or "size.new" (actual,
    most).
    """
    for axis, size in wanted.items():
        if not 1 <= size <= largest_size(document, axis, layer):
            raise UserError("size.range", axis=axis, most=largest_size(document, axis, layer))
    before, after = sizes_in(document, layer), _sizes_after(document, wanted, layer)
    scores = after["h"] * after["n"] * after["m"]
    if scores > max(MOST_SCORES, before["h"] * before["n"] * before["m"]):
        raise UserError("size.scores", h=after["h"], most=math.isqrt(MOST_SCORES // after["h"]))
    new = forecast(document, wanted, layer=layer).new
    if new > MOST_NEW:
        raise UserError("size.new", actual=new, most=MOST_NEW)


def _sizes_after(
    document: Document, wanted: Mapping[str, int], layer: int | None
) -> dict[str, int]:
    """All sizes after the change; without a context the keys are the tokens themselves."""
    after = {**sizes_in(document, layer), **wanted}
    return after if document.context is not None else {**after, "m": after["n"]}


class Forecast(Struct, frozen=True):
    """What other sizes would change: shapes of one head by tensor, and numbers over all heads."""

    shapes: dict[str, tuple[tuple[int, ...], tuple[int, ...]]]
    new: int
    lost: int


def forecast(
    document: Document, wanted: Mapping[str, int], given: str = "", layer: int | None = None
) -> Forecast:
    """What `with_sizes` would do, from the axes alone.

    The numbers of the tensor `given` are neither new nor lost in one head, which gets others.
    """
    shapes: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    new = lost = 0
    for name in document.inputs:
        axes, number = tensor_axes(name), split_layer(name)[0]
        own = wanted if number in (None, layer) else _SHARED & wanted.keys()
        before = sizes_in(document, number)
        after = _sizes_after(document, {axis: wanted[axis] for axis in own}, number)
        after["c"] = after["h"] * after["v"]
        projected = document.is_stack or document.W_O is not None
        after["o"] = after["d"] if projected else after["c"]
        old_shape, new_shape = (tuple(sizes[axis] for axis in axes) for sizes in (before, after))
        if old_shape != new_shape:
            shapes[name] = (old_shape, new_shape)
        letters = _axes_over_heads(name)
        kept = math.prod(min(before[axis], after[axis]) for axis in letters)
        heads = before["h"] if is_of_head(name) else 1
        owners = sum(document.tensor(name, head) is not None for head in range(heads))
        part = Fraction(owners - (name == given), heads)
        new += int(part * (math.prod(after[axis] for axis in letters) - kept))
        lost += int(part * (math.prod(before[axis] for axis in letters) - kept))
    return Forecast(shapes, new, lost)


def _axes_over_heads(name: str) -> tuple[str, ...]:
    """The axes of a tensor over all heads; the rows of W_O are heads and columns of V."""
    if is_of_head(name):
        return ("h", *tensor_axes(name))
    return tuple(letter for axis in tensor_axes(name) for letter in ("hv" if axis == "c" else axis))


def forecast_lines(ahead: Forecast, orientation: Orientation) -> list[str]:
    """A forecast in words: a matrix each, then the numbers."""

    def shape(sizes: tuple[int, ...]) -> str:
        return " × ".join(map(str, orientation.pair(*sizes) if len(sizes) == 2 else sizes))

    lines = [f"{name} {shape(old)} → {shape(new)}" for name, (old, new) in ahead.shapes.items()]
    if ahead.new:
        lines.append(tr("{n} new numbers, marked", n=ahead.new))
    if ahead.lost:
        lines.append(tr("{n} numbers are removed (undo brings them back)", n=ahead.lost))
    return lines


# A whole matrix, a sentence


def sizes_for(document: Document, tensor: str, shape: tuple[int, int]) -> dict[str, int]:
    """The sizes that must change for a tensor to have a shape; a computed one keeps its shape.

    Raises UserError "paste.computed" (expected, actual), "paste.vector" (actual), "paste.output"
    (actual, h), "size.table" (axis, along, actual, most), and those of `require_possible`.
    """
    if not is_entered(document, tensor):
        expected = document.stage_shape(tensor)[-2:]
        if shape != expected:
            raise UserError("paste.computed", expected=expected, actual=shape)
        return {}
    layer, own = split_layer(tensor)[0], document.sizes_at(tensor)
    axes = document.letters(tensor_axes(tensor))
    if len(axes) == 1 and shape[0] != 1:
        raise UserError("paste.vector", actual=shape)
    sizes: dict[str, int] = {}
    for axis, size in zip(axes, shape[-len(axes) :], strict=True):
        if axis == "c":  # rows of W_O: heads times d_v
            if size % own["h"]:
                raise UserError("paste.output", actual=size, h=own["h"])
            sizes["v"] = size // own["h"]
        else:
            sizes["d" if axis == "o" else axis] = size
    wanted = {axis: size for axis, size in sizes.items() if size != own[axis]}
    _require_fitting(document, axes, shape, layer)
    require_possible(document, wanted, layer)
    return wanted


def _require_fitting(
    document: Document, axes: tuple[str, ...], shape: tuple[int, int], layer: int | None
) -> None:
    """Raise UserError "size.table" (axis, along, actual, most) for a side that is too long.

    The rows of W_O belong to several heads; `require_possible` checks their sizes.
    """
    for letter, side, size in zip(axes[::-1], ("columns", "rows"), shape[::-1], strict=False):
        axis = "d" if letter == "o" else letter
        if letter != "c" and size > largest_size(document, axis, layer):
            most = largest_size(document, axis, layer)
            raise UserError("size.table", axis=axis, along=side, actual=size, most=most)


def token_axis(document: Document, tensor: str) -> str:
    """The axis, "n" or "m", of the tokens that are rows of an entered tensor; "" if none are."""
    axis = document.letters(tensor_axes(tensor) if is_tensor(tensor) else "d")[0]
    return axis if axis in ("n", "m") else ""


def with_matrix(
    document: Document, tensor: str, head: int, values: Array, token: str, names: Sequence[str] = ()
) -> Document:
    """Replace a tensor of one head, sizes included; a computed one is pinned.

    New tokens are called `token`, or all of them as `names` says. Raises UserError as `sizes_for`
    does.
    """
    rows, columns = values.shape
    sizes = sizes_for(document, tensor, (rows, columns))
    layer = split_layer(tensor)[0]
    document = with_sizes(document, sizes, token, frozenset({(tensor, head)}), layer)
    if len(names) == rows:
        document = with_tokens_named(document, names, token_axis(document, tensor))
    if is_entered(document, tensor):
        return with_all_values(document, tensor, head, values)
    cells = {
        Cell(tensor, row, column, head): float(value)
        for (row, column), value in np.ndenumerate(values)
    }
    return with_values(document, cells)


def with_sentence(document: Document, tokens: Sequence[str], axis: str) -> Document:
    """Replace the tokens along an axis, "n" or "m", or the vocabulary, "u"; numbers stay.

    Raises UserError as `require_possible` does.
    """
    now = len(document.labels(axis) or ())
    wanted = {axis: len(tokens)} if len(tokens) != now else {}
    require_possible(document, wanted)
    return with_tokens_named(with_sizes(document, wanted, ""), tokens, axis)
