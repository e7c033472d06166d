"""What rows, columns and cells of a table are called."""

from __future__ import annotations

from core.base.cell import Cell
from core.document.document import HEAD_TENSORS, SHARED_TENSORS, Document
from core.document.orientation import ROWS, Orientation
from core.document.plan import STAGE_AXES
from gui.texts.names import (
    STAGE_SYMBOLS,
    head_label,
    stage_label,
    stage_name,
    symbol_here,
    visible_token,
)
from gui.texts.translation import label, mark, tr, tr_marked

INPUT_NAMES = {
    "W_Q": mark("Query weights"),
    "W_K": mark("Key weights"),
    "W_V": mark("Value weights"),
    "b_Q": mark("Query bias"),
    "b_K": mark("Key bias"),
    "b_V": mark("Value bias"),
    "W_O": mark("Output weights"),
    "b_O": mark("Output bias"),
}

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_LETTERS = {"Q": "q", "K": "k", "V": "v", "X": "x", "P": "p", "Y": "y", "W": "x"}


def subscript(number: int) -> str:
    """A number as small figures under the line."""
    return str(number).translate(_SUBSCRIPTS)


def axes_of(tensor: str) -> tuple[str, str]:
    """The axis letters of a tensor's rows and columns; "" for the single row of a vector."""
    axes = STAGE_AXES.get(tensor) or HEAD_TENSORS.get(tensor) or SHARED_TENSORS[tensor]
    axes = tuple(axis for axis in axes if axis != "h")
    return (axes[0], axes[1]) if len(axes) == 2 else ("", axes[0])


def symbol(tensor: str, document: Document, orientation: Orientation = ROWS) -> str:
    """A tensor's symbol as short plain text."""
    return symbol_here(document, tensor, orientation) if tensor in STAGE_SYMBOLS else tensor


def long_name(tensor: str) -> str:
    """What a tensor is called in the current language."""
    return tr_marked(INPUT_NAMES[tensor]) if tensor in INPUT_NAMES else stage_name(tensor)


def long_label(tensor: str) -> str:
    """The same as a label, which may be said in both languages."""
    return label(INPUT_NAMES[tensor]) if tensor in INPUT_NAMES else stage_label(tensor)


def token_label(tokens: tuple[str, ...], index: int) -> str:
    """A token, or what stands for one whose text is empty."""
    return visible_token(tokens[index])


def header(tensor: str, axis: str, index: int, document: Document) -> str:
    """The label of one row or column: its token, or a letter with a number, such as q₁."""
    if axis == "n" or axis == "m":
        return token_label(document.labels(axis) or (), index)
    return f"{_letter(tensor, axis)}{subscript(index + 1)}" if axis else tensor[0]


def header_tip(tensor: str, axis: str, index: int, document: Document) -> str:
    """The label in full: of the heads joined, which head's column it is."""
    text = header(tensor, axis, index, document)
    if axis != "c":
        return text
    head, column = divmod(index, document.v)
    return f"{text} · {head_label(head, document.heads[head].name)} · {header('heads', 'v', column, document)}"


def _letter(tensor: str, axis: str) -> str:
    if tensor in ("input", "input_context"):
        return "x′"
    if tensor == "heads":
        return "z"  # as worked sums call its numbers: v are those of V
    if axis in ("v", "c"):
        return axis
    if axis == "o":
        return "y"
    if axis == "d" and tensor.startswith("W"):
        return "x"
    return _LETTERS[tensor.removeprefix("W_").removeprefix("b_")[0]]


def cell_name(cell: Cell, document: Document, orientation: Orientation = ROWS) -> str:
    """A cell by its tensor, row and column as they are seen, such as QKᵀ(吃, 鱼), KᵀQ(鱼, 吃) or b_Q(q₁)."""
    rows, columns = axes_of(cell.tensor)
    column = header(cell.tensor, columns, cell.column, document)
    if not rows:
        return f"{cell.tensor}({column})"
    row, column = orientation.pair(header(cell.tensor, rows, cell.row, document), column)
    return tr(
        "{tensor}({row}, {column})",
        tensor=symbol(cell.tensor, document, orientation),
        row=row,
        column=column,
    )
