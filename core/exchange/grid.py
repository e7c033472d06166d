"""Cells as text, row by row, and what they are as numbers."""

from __future__ import annotations

import re

import numpy as np

from core.arrays import Array, sealed
from core.exchange.expression import parse_number, quoted
from core.problems import Problem

Grid = list[list[str]]

_SIMPLE = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_LEFT_OUT = re.compile(r"\.\.\.|[⋯⋮⋱]")
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+", re.ASCII)
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?", re.ASCII)


def numbers(grid: Grid) -> Array:
    """The cells as a matrix, (rows, columns).

    Raises Problem: "paste.empty"; "paste.ragged" (row, expected, actual); "paste.elided" (row) for "…"; "paste.commas"
    (row, column, text) for a comma that is no thousands separator among decimal points; and all that parse_number
    raises, with row and column. Rows and columns count from 1.
    """
    if not grid or not grid[0]:
        raise Problem("paste.empty")
    _require_all(grid)
    for index, row in enumerate(grid):
        if len(row) != len(grid[0]):
            raise Problem("paste.ragged", row=index + 1, expected=len(grid[0]), actual=len(row))
    points = any("." in cell and "," not in cell for row in grid for cell in row)
    result = np.empty((len(grid), len(grid[0])))
    for i, row in enumerate(grid):
        for j, cell in enumerate(row):
            result[i, j] = float(cell) if _SIMPLE.fullmatch(cell) else _number(cell, points, i + 1, j + 1)
    _require_finite(result, grid)
    return sealed(result)


def _require_all(grid: Grid) -> None:
    for index, row in enumerate(grid):
        if any(_LEFT_OUT.search(cell) or r"dots" in cell for cell in row):
            raise Problem("paste.elided", row=index + 1)


def _number(cell: str, points: bool, row: int, column: int) -> float:
    """A cell that is not plain digits. `points`: the matrix has decimal points, so that a comma can only group."""
    if points and "," in cell:
        if _THOUSANDS.fullmatch(cell):
            cell = cell.replace(",", "")
        elif _DECIMAL_COMMA.fullmatch(cell):
            raise Problem("paste.commas", row=row, column=column, text=quoted(cell))
    try:
        return parse_number(cell)
    except Problem as problem:
        raise Problem(problem.code, **{**problem.data, "row": row, "column": column}) from problem


def _require_finite(result: Array, grid: Grid) -> None:
    finite = np.isfinite(result)
    if not finite.all():  # digits alone, yet beyond the doubles
        i, j = (int(index) for index in np.argwhere(~finite)[0])
        raise Problem("number.too_large", text=quoted(grid[i][j]), row=i + 1, column=j + 1)


def is_number(cell: str) -> bool:
    """Whether a cell can be read."""
    try:
        parse_number(cell)
    except Problem:
        return False
    return True
