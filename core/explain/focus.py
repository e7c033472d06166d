"""Cells of stages and entered tensors: whether they exist, and where the focus goes after an edit."""

from __future__ import annotations

from core.base.cell import Cell
from core.document.document import HEAD_TENSORS, Document
from core.document.parts import STAGE_AXES
from core.stages import plan


def has_heads(tensor: str) -> bool:
    """Whether a stage or an entered tensor has a matrix for each head."""
    return tensor in HEAD_TENSORS or STAGE_AXES.get(tensor, ("",))[0] == "h"


def shape_of(document: Document, tensor: str) -> tuple[int, int]:
    """Rows and columns of a stage or of an entered tensor."""
    if tensor in STAGE_AXES:
        rows, columns = document.stage_shape(tensor)[-2:]
        return rows, columns
    array = document.tensor(tensor, 0)
    if array is None:
        return 1, 1
    return (1, array.shape[0]) if array.ndim == 1 else (array.shape[0], array.shape[1])


def exists(document: Document, cell: Cell) -> bool:
    """Whether the experiment has such a cell, computed or entered."""
    if not _is_there(document, cell.tensor):
        return False
    rows, columns = shape_of(document, cell.tensor)
    return 0 <= cell.row < rows and 0 <= cell.column < columns and 0 <= cell.head < document.h


def surviving_focus(document: Document, focus: Cell, otherwise: Cell) -> Cell:
    """The focus clamped to the new shape of its tensor; the other cell if the tensor is gone."""
    if not _is_there(document, focus.tensor):
        return otherwise
    rows, columns = shape_of(document, focus.tensor)
    head = min(focus.head, document.h - 1)
    return Cell(focus.tensor, min(focus.row, rows - 1), min(focus.column, columns - 1), head)


def _is_there(document: Document, tensor: str) -> bool:
    return tensor in plan(document) if tensor in STAGE_AXES else tensor in document.inputs
