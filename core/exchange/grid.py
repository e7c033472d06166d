"""Grids: rows of cells as text, and the matrix that they mean."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import cached_property
from itertools import chain

import numpy as np

from core.base.arrays import Array, sealed
from core.base.errors import UserError
from core.base.number_format import too_long
from core.exchange.expression import parse_number, quoted

Grid = list[list[str]]

_SIMPLE = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_SIMPLE_SIGNS = re.compile(r"[-+.eE0-9]+")  # of these, float() reads what _SIMPLE does
_LEFT_OUT = re.compile(r"\.\.\.|[…⋯⋮⋱]|dots|^\.\.$", re.MULTILINE)
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+\s*%?", re.ASCII)
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?", re.ASCII)
_PERCENT = re.compile(r"([-+]?(?:\d+(?:\.\d*)?|\.\d+))\s*%", re.ASCII)
_FRACTION = re.compile(r"([-+]?\d{1,15})/(\d{1,15})", re.ASCII)
_FRACTIONS = re.compile(
    rf"(?:(?:[-+]?\d{{1,15}}/\d{{1,15}}|(?:{_SIMPLE.pattern})/1)(?: |\Z))+", re.ASCII
)
_POWER = re.compile(r"([-+]?\d+(?:\.\d*)?)\s*\\(?:times|cdot)\s*10\^\{([-+]?\d{1,3})\}", re.ASCII)
AT_ONCE = 4096  # cells that are read together
MOST_EXPRESSIONS = 50_000  # different ones in a matrix


def numbers(grid: Grid) -> Array:
    """The cells as a matrix, (rows, columns).

    Raises UserError: "paste.empty"; "paste.ragged" (row, expected, actual); "paste.elided" (row)
    for "…"; "paste.commas" (row, column, text) for a comma that is no thousands separator among
    decimal points; "paste.laboured" (limit); and everything that parse_number raises, with row and
    column. Rows and columns count from 1.
    """
    if not grid or not grid[0]:
        raise UserError("paste.empty")
    width = len(grid[0])
    ragged = next((index for index, row in enumerate(grid) if len(row) != width), None)
    if ragged is not None:
        _require_no_ellipsis(enumerate(grid))
        raise UserError("paste.ragged", row=ragged + 1, expected=width, actual=len(grid[ragged]))
    _require_short(grid)
    result = np.empty((len(grid), width))
    others = _filled(result, grid)
    _require_no_ellipsis((index, grid[index]) for index in others)
    reader = _CellReader(grid)
    for i in others:
        result[i] = [
            float(cell) if _SIMPLE.fullmatch(cell) else reader.number(cell, i + 1, j + 1)
            for j, cell in enumerate(grid[i])
        ]
    _require_finite(result, grid)
    return sealed(result)


def _require_short(grid: Grid) -> None:
    """Raise UserError for a cell that is longer than any number."""
    if not too_long(chain.from_iterable(grid)):
        return
    i, j, cell = next(
        (i, j, cell) for i, row in enumerate(grid) for j, cell in enumerate(row) if too_long([cell])
    )
    beyond = is_plain(cell) and math.isinf(float(cell))
    code = "number.too_large" if beyond else "number.unreadable"
    raise UserError(code, text=quoted(cell), row=i + 1, column=j + 1)


def _filled(result: Array, grid: Grid) -> list[int]:
    """Fill in the rows of plain decimals or fractions, many at a time; return the other rows."""
    others: list[int] = []
    several = max(1, AT_ONCE // result.shape[1])
    for start in range(0, len(grid), several):
        rows = grid[start : start + several]
        cells = [cell for row in rows for cell in row]
        found = _all_digits(cells)
        found = _all_fractions(cells) if found is None else found
        if found is None:
            others += range(start, start + len(rows))
        else:
            result[start : start + several] = found.reshape(len(rows), -1)
    return others


def _all_digits(cells: list[str]) -> Array | None:
    try:
        return np.array([*map(float, cells)]) if _SIMPLE_SIGNS.fullmatch("".join(cells)) else None
    except ValueError:
        return None


def _all_fractions(cells: list[str]) -> Array | None:
    """Fractions of whole numbers and decimals; None for anything else, and for a denominator 0."""
    if "/" not in cells[0] and not any("/" in cell for cell in cells):
        return None
    text = " ".join([cell if "/" in cell else cell + "/1" for cell in cells])
    if not _FRACTIONS.fullmatch(text):
        return None
    above, below = np.array([*map(float, text.replace("/", " ").split(" "))]).reshape(-1, 2).T
    return None if (below == 0.0).any() else above / below


def _require_no_ellipsis(rows: Iterable[tuple[int, list[str]]]) -> None:
    for index, row in rows:
        if _LEFT_OUT.search("\n".join(row)):
            raise UserError("paste.elided", row=index + 1)


class _CellReader:
    """Reads the cells of a grid that are more than digits, each text once."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._known: dict[str, float] = {}
        self._expressions = 0

    @cached_property
    def _points(self) -> bool:
        """Whether the matrix has decimal points, so that a comma must separate thousands."""
        return any("." in cell and "," not in cell for row in self._grid for cell in row)

    def number(self, cell: str, row: int, column: int) -> float:
        """The number of a cell. Raises UserError with row and column, counted from 1."""
        value = self._known.get(cell)
        if value is None:
            value = self._known[cell] = self._read(cell, row, column)
        return value

    def _read(self, cell: str, row: int, column: int) -> float:
        if "," in cell:
            if self._points and _THOUSANDS.fullmatch(cell):
                cell = cell.replace(",", "")
            elif _DECIMAL_COMMA.fullmatch(cell):
                if self._points:
                    raise UserError("paste.commas", row=row, column=column, text=quoted(cell))
                cell = cell.replace(",", ".")
        value = _quickly(cell)
        if value is not None:
            return value
        self._expressions += 1
        if self._expressions > MOST_EXPRESSIONS:
            raise UserError("paste.laboured", limit=MOST_EXPRESSIONS)
        try:
            return parse_number(cell)
        except UserError as problem:
            raise UserError(
                problem.code, **{**problem.data, "row": row, "column": column}
            ) from problem


def _quickly(cell: str) -> float | None:
    """The number of a cell in a common notation, as parse_number reads it, but faster; None for
    others.
    """
    if _SIMPLE.fullmatch(cell):
        return float(cell)
    if percent := _PERCENT.fullmatch(cell):
        return float(percent[1] + "e-2")
    if (fraction := _FRACTION.fullmatch(cell)) and float(fraction[2]):
        return float(fraction[1]) / float(fraction[2])
    power = _POWER.fullmatch(cell)
    return float(f"{power[1]}e{power[2]}") if power else None


def _require_finite(result: Array, grid: Grid) -> None:
    finite = np.isfinite(result)
    if not finite.all():  # plain decimals beyond the doubles
        i, j = (int(index) for index in np.argwhere(~finite)[0])
        raise UserError("number.too_large", text=quoted(grid[i][j]), row=i + 1, column=j + 1)


def is_plain(cell: str) -> bool:
    """Whether a cell is a plain decimal: digits, sign, point and exponent."""
    return _SIMPLE.fullmatch(cell) is not None


def is_number(cell: str) -> bool:
    """Whether a cell can be read."""
    if is_plain(cell):
        return not too_long([cell])
    try:
        parse_number(cell)
    except UserError:
        return False
    return True
