"""Parse matrices in pasted text and text files: every common notation, with precise errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.base.arrays import Array, sealed
from core.base.errors import UserError
from core.exchange.brackets import grids_of_brackets, looks_bracketed
from core.exchange.delimited import grids_of_latex, grids_of_lines, looks_like_latex
from core.exchange.expression import FAILED, NOT_A_NUMBER, plain
from core.exchange.grid import Grid, is_number, is_plain, numbers

LARGEST_TEXT = 8_000_000  # characters; 2,000 tokens with 256 numbers of 15 digits each
MOST_CELLS = 1_500_000  # separators; Python's lists have two between numbers
MOST_ROWS = 300_000  # of lists and lines; NumPy breaks a row of 256 long numbers into 85

_SEPARATORS = (",", ";", "\t", "\n", "&", "|")
_ROW_SIGNS = ("\n", "[", "{", ",(", ", (")

_FENCE = "```"


@dataclass(frozen=True, slots=True, eq=False)
class LabelledMatrix:
    """A matrix (rows, columns), or a stack of them, and the labels beside it; () for none.

    `name` is that of a sheet or an array in a file.
    """

    values: Array
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    name: str = ""


def parse_matrix(text: str) -> Array:
    """The matrix that a text means, (rows, columns) of float64; a number is 1 × 1, a list is one
    row.

    Reads cells of Excel, WPS and LibreOffice; CSV with comma, semicolon or tab; columns of spaces;
    NumPy's printed and written arrays; Python lists and tuples; PyTorch tensors; MATLAB, Octave and
    Julia; LaTeX; Markdown tables; Wolfram's braces. `parse_number` reads the cells. A comma is a
    decimal sign where something else separates the cells. A Markdown header that is no row of
    numbers is left out; other labels are refused (`parse_labelled` takes them).

    Raises UserError, rows and columns counted from 1: "paste.empty", "paste.too_large" (limit),
    "paste.too_many", "paste.laboured" (limit), "paste.ragged" (row, expected, actual),
    "paste.elided" (row), "paste.several" (actual), "paste.axes" (actual), "paste.bracket" (text),
    "paste.leftover" (text), "paste.commas" (row, column, text), "paste.ambiguous" (text),
    "paste.quotes", and those of parse_number with row and column.
    """
    return numbers(_single_grid(text))


def parse_labelled(text: str) -> LabelledMatrix:
    """A matrix with labels beside it, such as a table with tokens on its rows.

    A first row or column is labels if none of its cells (but an empty corner) is a number.
    Otherwise as parse_matrix; a single row or column has no labels. Raises UserError as
    parse_matrix does.
    """
    return with_labels(_single_grid(text))


def parse_tensor(text: str) -> Array:
    """A stack of matrices, (heads, rows, columns): nested lists, NumPy's or PyTorch's three axes,
    several LaTeX matrices, or blocks of lines with an empty line between them. One matrix is a
    stack of one.

    Raises UserError as parse_matrix does (but "paste.several"), and "paste.heads" (head, expected,
    actual) for a matrix of another shape than the first.
    """
    _require_size(text)
    return _stack(_grids(text, joining=False))


def parse_file(text: str) -> LabelledMatrix:
    """The text of a file, of any length: a matrix with its labels, or a stack (heads, rows,
    columns) without.

    Raises UserError as parse_labelled and parse_tensor do.
    """
    found = _grids(text)
    return with_labels(found[0]) if len(found) == 1 else LabelledMatrix(_stack(found))


def parse_cells(text: str) -> tuple[Grid, ...]:
    """Every matrix of a text as cells in the digits as written, blank ones included.

    Raises UserError "paste.empty", "paste.too_large" and those of the notation, as parse_matrix
    does.
    """
    _require_size(text)
    return tuple(_grids(text))


def _single_grid(text: str) -> Grid:
    _require_size(text)
    found = _grids(text)
    if len(found) > 1:
        raise UserError("paste.several", actual=len(found))
    return found[0]


def _stack(grids: list[Grid]) -> Array:
    found = [numbers(grid) for grid in grids]
    for head, matrix in enumerate(found, 1):
        if matrix.shape != found[0].shape:
            raise UserError("paste.heads", head=head, expected=found[0].shape, actual=matrix.shape)
    return sealed(np.stack(found))


def with_labels(grid: Grid) -> LabelledMatrix:
    """The numbers of a grid, and the labels around them.

    Raises UserError as `parse_labelled` does; row and column count the labels too.
    """
    top = 1 if len(grid) > 1 and _are_labels(grid[0]) else 0
    body = grid[top:]
    left = 1 if body and min(map(len, body)) > 1 and _are_labels([row[0] for row in body]) else 0
    if top and not left and grid[0][0] == "" and len(grid[0]) > 1:
        left = 1  # numbers below an empty corner: an index
    try:
        values = numbers([row[left:] for row in body] if left else body)
    except UserError as problem:
        raise _shifted(problem, top, left) from problem
    rows = tuple(row[0] for row in body) if left else ()
    columns = _labels_above(grid[0], left, values.shape[1]) if top else ()
    return LabelledMatrix(values, rows, columns)


def _labels_above(first: list[str], left: int, width: int) -> tuple[str, ...]:
    """The column labels in a first row; () if it is a title. R writes no cell above row labels."""
    if len(first) in (width + left, width):
        return tuple(first[-width:])
    if len(list(filter(None, first))) == 1:
        return ()
    raise UserError("paste.ragged", row=2, expected=len(first), actual=width + left)


def _require_size(text: str) -> None:
    if len(text) > LARGEST_TEXT:
        raise UserError("paste.too_large", limit=LARGEST_TEXT)
    cells = (
        sum(map(text.count, _SEPARATORS)) + text.count(" ") - text.count("  ")
    )  # of several spaces half count
    if cells > MOST_CELLS or sum(map(text.count, _ROW_SIGNS)) > MOST_ROWS:
        raise UserError("paste.too_many")


def _are_labels(cells: list[str]) -> bool:
    """Whether cells are words rather than numbers; a constant such as e is a word among others."""
    filled = [cell for cell in cells if cell]
    if filled and (is_plain(filled[0]) or all(map(_is_failed, filled))):
        return False
    constants = [cell for cell in filled if is_number(cell)]
    return len(constants) < len(filled) and all(map(str.isalpha, constants)) and all(cells[1:])


def _is_failed(cell: str) -> bool:
    """Whether the cell replaces a number that could not be computed, such as NaN or #DIV/0!."""
    return bool(NOT_A_NUMBER.fullmatch(cell) or FAILED.fullmatch(cell))


def _shifted(problem: UserError, top: int, left: int) -> UserError:
    places = {
        key: problem.data[key] + by
        for key, by in (("row", top), ("column", left))
        if key in problem.data
    }
    return UserError(problem.code, **{**problem.data, **places})


def _unfenced(text: str) -> str:
    """The text without a Markdown code fence around it."""
    inner = text.strip()
    if not inner.startswith(_FENCE) or not inner.endswith(_FENCE) or "\n" not in inner:
        return text
    return inner.partition("\n")[2].removesuffix(_FENCE).rstrip()


def _grids(text: str, *, joining: bool = True) -> list[Grid]:
    """Every matrix of the text as cells. `joining`: single lines with blank lines between them are
    one matrix.
    """
    text = _unfenced(plain(text))
    if not text.strip():
        raise UserError("paste.empty")
    if looks_like_latex(text):
        found = grids_of_latex(text)
    elif not (looks_bracketed(text.strip()) and (found := grids_of_brackets(text.strip()))):
        found = grids_of_lines(text)
        if joining and all(len(grid) == 1 for grid in found):
            found = [[row for grid in found for row in grid]]
    if not any(row for grid in found for row in grid):
        raise UserError("paste.empty")
    return found
