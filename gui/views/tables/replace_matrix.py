"""A whole matrix put in place of another, with the sizes that follow. Free of Qt."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.arrays import Array
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.document import HEAD_TENSORS, SHARED_TENSORS, Document
from core.document.resize import with_tokens_named
from gui.views.tables.editing import is_entered, with_all_entered, with_values
from gui.views.tables.resize_preview import most, require_possible, with_sizes


def sizes_for(document: Document, tensor: str, shape: tuple[int, int]) -> dict[str, int]:
    """The sizes that must change for a tensor to have a shape; only an entered one can have another than it has.

    Raises UserError "paste.computed" (expected, actual), "paste.vector" (actual), "paste.output" (actual, h),
    "size.table" (axis, along, actual, most), and those of `require_possible`.
    """
    if not is_entered(document, tensor):
        expected = document.stage_shape(tensor)[-2:]
        if shape != expected:
            raise UserError("paste.computed", expected=expected, actual=shape)
        return {}
    axes = document.letters(HEAD_TENSORS.get(tensor) or SHARED_TENSORS[tensor])
    if len(axes) == 1 and shape[0] != 1:
        raise UserError("paste.vector", actual=shape)
    sizes: dict[str, int] = {}
    for axis, size in zip(axes, shape[-len(axes) :], strict=True):
        sizes.update(_size(document, axis, size))
    wanted = {axis: size for axis, size in sizes.items() if size != document.sizes[axis]}
    _require_fitting(document, axes, shape)
    require_possible(document, wanted)
    return wanted


def _require_fitting(document: Document, axes: tuple[str, ...], shape: tuple[int, int]) -> None:
    """Raise UserError "size.table" (axis, along, actual, most) for a side of a table that is too long.

    The rows of W_O belong to several heads: what is wrong with them is said of their sizes.
    """
    for letter, side, size in zip(axes[::-1], ("columns", "rows"), shape[::-1], strict=False):
        axis = "d" if letter == "o" else letter
        if letter != "c" and size > most(document, axis):
            raise UserError(
                "size.table", axis=axis, along=side, actual=size, most=most(document, axis)
            )


def sentence_of(document: Document, tensor: str) -> str:
    """The axis of the sentence whose tokens the rows of an entered tensor belong to, "" where they belong to none."""
    axis = document.letters(HEAD_TENSORS.get(tensor) or SHARED_TENSORS.get(tensor) or "d")[0]
    return axis if axis in ("n", "m") else ""


def _size(document: Document, axis: str, size: int) -> dict[str, int]:
    """Rows of W_O are heads times d_v, its columns d_model."""
    if axis == "c":
        if size % document.h:
            raise UserError("paste.output", actual=size, h=document.h)
        return {"v": size // document.h}
    return {"d" if axis == "o" else axis: size}


def with_whole(
    document: Document, tensor: str, head: int, values: Array, token: str, names: Sequence[str] = ()
) -> Document:
    """A tensor of one head replaced, sizes included; new tokens are called `token`, or all of them as `names` says.

    Computed numbers are pinned. Raises UserError as `sizes_for` does.
    """
    rows, columns = values.shape
    document = with_sizes(
        document, sizes_for(document, tensor, (rows, columns)), token, frozenset({(tensor, head)})
    )
    if len(names) == rows:
        document = with_tokens_named(document, names, sentence_of(document, tensor))
    if is_entered(document, tensor):
        return with_all_entered(document, tensor, head, values)
    cells = {
        Cell(tensor, i, j, head): value
        for i, row in enumerate(values.tolist())
        for j, value in enumerate(row)
    }
    return with_values(document, cells)
