"""Matrices in pasted text and text files: what `readers` find, as one matrix, a stack or a list."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from core.base.arrays import Array, sealed
from core.base.errors import UserError
from core.exchange.expression import LONGEST, plain
from core.exchange.grid import Grid, numbers
from core.exchange.readers import latex
from core.exchange.readers.block import Block
from core.exchange.readers.cells import cut, separator
from core.exchange.readers.find import (
    FoundMatrix,
    find_blocks,
    find_matrices,
    found_in,
    shifted,
    table_readings,
)
from core.exchange.readers.headers import readings
from core.exchange.readers.source import Source

LARGEST_TEXT = 8_000_000  # characters; 2,000 tokens with 256 numbers of 15 digits each
MOST_CELLS = 1_500_000  # separators; Python's lists have two between numbers
MOST_ROWS = 300_000  # of lists and lines; NumPy breaks a row of 256 long numbers into 85

_SEPARATORS = (",", ";", "\t", "\n", "&", "|")
_EMPTY = re.compile(r"\s*(?:[A-Za-z][\w.]*)?[\[\](){}\s,;]+(?:size\s*=.*)?")
_ROW_SIGNS = ("\n", "[", "{", ",(", ", (")


@dataclass(frozen=True, slots=True, eq=False)
class LabelledMatrix:
    """A matrix (rows, columns), or a stack of them, and the labels beside it; () for none.

    `name` is that of a sheet or an array in a file.
    """

    values: Array
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    name: str = ""


def parse_matrices(text: str) -> list[FoundMatrix]:
    """Every matrix of a text, in order, with `name` and `matrix`; masked scores have −∞ in it.

    Raises UserError of the first that is refused or has two readings: "paste.elided",
    "paste.header", "paste.doubt" …, and "paste.empty" where there is none.
    """
    _require_size(text)
    found = find_matrices(text)
    if not found:
        _forced(text)
        raise UserError("paste.empty")
    for one in found:
        if not one.is_masked:
            _require_certain(one)
    return found


def parse_matrix(text: str) -> Array:
    """The matrix that a text means, (rows, columns) of float64, without the labels around it; a
    number is 1 × 1, a list is one row.

    `readers.notations` lists what is read; `parse_number` reads the cells. Raises UserError, rows
    and columns counted from 1: "paste.empty", "paste.too_large" (limit), "paste.too_many",
    "paste.laboured" (limit), "paste.ragged" (row, expected, actual), "paste.elided" (row),
    "paste.several" (actual), "paste.axes" (actual), "paste.bracket" (text), "paste.leftover"
    (text), "paste.commas" (row, column, text), "paste.ambiguous" (text), "paste.header" (text),
    "paste.doubt" (text), "paste.quotes", and those of parse_number with row and column.
    """
    return parse_labelled(text).values


def parse_labelled(text: str) -> LabelledMatrix:
    """A matrix with labels beside it, such as a table with tokens on its rows.

    A first row or column is labels if none of its cells (but an empty corner) is a number.
    Raises UserError as parse_matrix does.
    """
    _require_size(text)
    found = _stack(text)
    if len(found) > 1:
        raise UserError("paste.several", actual=len(found))
    return found[0]


def parse_tensor(text: str) -> Array:
    """A stack of matrices, (heads, rows, columns): nested lists, NumPy's or PyTorch's three axes,
    several LaTeX matrices, or blocks of lines with an empty line between them. One matrix is a
    stack of one.

    Raises UserError as parse_matrix does (but "paste.several"), and "paste.heads" (head, expected,
    actual) for a matrix of another shape than the first.
    """
    _require_size(text)
    return _stacked(_stack(text, joining=False))


def parse_file(text: str) -> LabelledMatrix:
    """The text of a file, of any length: a matrix with its labels, or a stack (heads, rows,
    columns) without.

    Raises UserError as parse_labelled and parse_tensor do.
    """
    found = _stack(text)
    return found[0] if len(found) == 1 else LabelledMatrix(_stacked(found))


def parse_cells(text: str) -> tuple[Grid, ...]:
    """Every matrix of a text as cells in the digits as written, blank ones included.

    Raises UserError "paste.empty", "paste.too_large" and those of the notation, as parse_matrix
    does.
    """
    _require_size(text)
    found = []
    for block in find_blocks(Source(text)) or _forced_blocks(text):
        if block.problem is not None:
            raise block.problem
        for grid in block.grids:
            reading = table_readings(block, grid)
            if len(reading) > 1 and reading[0].caption != "data":
                _require_certain(found_in(block, grid))
            found.append(reading[0].cells)
    return tuple(found)


def with_labels(grid: Grid) -> LabelledMatrix:
    """The numbers of a grid, and the labels around them.

    Raises UserError as `parse_labelled` does; row and column count the labels too.
    """
    reading = readings(grid)[0]
    try:
        values = numbers(reading.cells)
    except UserError as problem:
        raise shifted(problem, reading.top, reading.left) from problem
    return LabelledMatrix(values, reading.rows, reading.columns)


def _stack(text: str, *, joining: bool = True) -> list[LabelledMatrix]:
    """Every matrix of a text. Raises UserError for one that is refused or doubtful."""
    found = []
    for block in find_blocks(Source(text), joining=joining) or _forced_blocks(text):
        if block.problem is not None:
            raise block.problem
        if block.axes > 3:
            raise UserError("paste.axes", actual=block.axes)
        for grid in block.grids:
            one = found_in(block, grid)
            _require_certain(one)
            found.append(LabelledMatrix(one.matrix, one.row_labels, one.column_labels))
    return found


def _require_certain(found: FoundMatrix) -> None:
    if found.refusal is not None:
        raise found.refusal
    if found.question is not None:
        raise found.question.problem


def _forced_blocks(text: str) -> list[Block]:
    return [Block([_forced(text)], 0, len(text))]


def _forced(text: str) -> Grid:
    """A text without a matrix as lines of cells, so that the error names what is no number."""
    lines = [line for line in plain(text).split("\n") if line.strip()]
    if not lines or _EMPTY.fullmatch(text):
        raise UserError("paste.empty")
    first = lines[0].strip()[0]
    if text.count("(") > LONGEST:
        raise UserError("paste.axes", actual=text.count("("))
    if first in "[{" and text.count(first) != text.count("]" if first == "[" else "}"):
        raise UserError("paste.bracket", text=first)
    if latex.looks_like_rows(text):
        numbers(latex.latex_rows(text))
    grid = cut(lines, separator(lines))
    numbers(grid)
    return grid


def _stacked(found: list[LabelledMatrix]) -> Array:
    for head, one in enumerate(found, 1):
        if one.values.shape != found[0].values.shape:
            raise UserError(
                "paste.heads", head=head, expected=found[0].values.shape, actual=one.values.shape
            )
    return sealed(np.stack([one.values for one in found]))


def _require_size(text: str) -> None:
    if len(text) > LARGEST_TEXT:
        raise UserError("paste.too_large", limit=LARGEST_TEXT)
    cells = (
        sum(map(text.count, _SEPARATORS)) + text.count(" ") - text.count("  ")
    )  # of several spaces half count
    if cells > MOST_CELLS or sum(map(text.count, _ROW_SIGNS)) > MOST_ROWS:
        raise UserError("paste.too_many")
