"""Read sheets of Excel workbooks: stored values only, never formulas or macros."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter, range_boundaries

from core.base.errors import UserError
from core.base.number_format import exact
from core.exchange.array_files import damage_reported
from core.exchange.grid import Grid
from core.exchange.paste import LabelledMatrix, with_labels

LARGEST = 1 << 26  # bytes of a workbook when it is unpacked
MOST_CELLS = 2_000_000
LEAST_OF_ROW = 32  # cells that a row counts as at least; a row far down implies all rows before it

Bounds = tuple[int, int, int, int]  # first column, first row, last column, last row, counted from 1


def names(data: bytes) -> tuple[str, ...]:
    """The names of the sheets, in order."""
    with _opened(data) as book:
        return tuple(sheet.title for sheet in book.worksheets)


def read(data: bytes, name: str | None, cells: str | None) -> LabelledMatrix:
    """The numbers of a sheet (None: the first) or of a range in it, with the labels around them.

    Raises UserError "import.table" (name, known) for an unknown sheet; errors of numbers name the
    cell.
    """
    with _opened(data) as book:
        known = tuple(sheet.title for sheet in book.worksheets)
        if not known or (name is not None and name not in known):
            raise UserError("import.table", name=name or "", known=known)
        title = known[0] if name is None else name
        grid, left, top = _grid(book[title], None if cells is None else _bounds(cells))
    try:
        return replace(with_labels(grid), name=title)
    except UserError as problem:
        raise _addressed(data, title, problem, left, top) from problem


def texts_and_ranges(
    data: bytes, name: str
) -> tuple[tuple[str, ...], Callable[[str], npt.NDArray[np.float64]]]:
    """The texts in the first column of a sheet, () where there is no such sheet, and the numbers of
    a range such as 'W_Q'!B4:C9.

    The second raises UserError "import.range" (text), "import.table" (name, known),
    "import.formula" (text), "number.unreadable" (text, row, column).
    """
    with _opened(data) as book:
        known = tuple(sheet.title for sheet in book.worksheets)
        texts: tuple[str, ...] = ()
        if name in known:
            texts = tuple(row[0] for row in _values(book[name]) if row and isinstance(row[0], str))

    @lru_cache(maxsize=1)  # the heads of a tensor follow each other in one sheet
    def sheet(title: str) -> list[tuple[Any, ...]]:
        with _opened(data) as book:
            return _values(book[title])

    def numbers(reference: str) -> npt.NDArray[np.float64]:
        title, _, cells = reference.rpartition("!")
        title = title.strip("'")
        if title not in known:
            raise UserError("import.table", name=title, known=known)
        first_column, first_row, last_column, last_row = _bounds(cells)
        rows = [
            row[first_column - 1 : last_column] for row in sheet(title)[first_row - 1 : last_row]
        ]
        for number, row in enumerate(rows, first_row):
            for column, value in enumerate(row, first_column):
                if not isinstance(value, int | float):
                    problem = UserError("number.empty", row=number, column=column)
                    if value is not None:
                        problem = UserError(
                            "number.unreadable", text=str(value)[:40], row=number, column=column
                        )
                    raise _addressed(data, title, problem, 1, 1)
        with damage_reported():  # rows that end early
            return np.array(rows, dtype=np.float64)

    return texts, numbers


def _values(sheet: Any, *area: int | None) -> list[tuple[Any, ...]]:
    """The stored values of all cells, or of an area: first and last row, first and last column."""
    rows, count = [], 0
    sheet.reset_dimensions()  # what the file claims may be a million rows
    with damage_reported():
        for row in sheet.iter_rows(*area, values_only=True):
            count += max(LEAST_OF_ROW, len(row))
            if count > MOST_CELLS:
                raise UserError("import.too_large", limit=MOST_CELLS)
            rows.append(row)
    return rows


@contextmanager
def _opened(data: bytes, *, formulas: bool = False) -> Generator[Any]:
    """The open workbook. Raises UserError if it is damaged or too large when unpacked."""
    with damage_reported():
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST:
                raise UserError("import.too_large", limit=LARGEST)
        book = load_workbook(
            io.BytesIO(data), read_only=True, data_only=not formulas, keep_links=False
        )
    try:
        yield book
    finally:
        book.close()


def _bounds(cells: str) -> Bounds:
    try:
        bounds = range_boundaries(cells.strip().replace("$", "").upper())
    except (ValueError, TypeError) as error:
        raise UserError("import.range", text=cells[:40]) from error
    if None in bounds or min(bounds) < 1 or bounds[0] > bounds[2] or bounds[1] > bounds[3]:
        raise UserError("import.range", text=cells[:40])
    first_column, first_row, last_column, last_row = bounds
    return first_column, first_row, last_column, last_row


def _grid(sheet: Any, bounds: Bounds | None) -> tuple[Grid, int, int]:
    """The cells as text without empty margins, and the column and row of the first."""
    first_column, first_row, last_column, last_row = bounds or (1, 1, None, None)
    area = (first_row, last_row, first_column, last_column)
    rows = [[_text(value) for value in row] for row in _values(sheet, *area)]
    width = max(map(len, rows), default=0)
    if width * len(rows) > MOST_CELLS:  # one cell at the far right and one far down
        raise UserError("import.too_large", limit=MOST_CELLS)
    rows = [row + [""] * (width - len(row)) for row in rows]
    top = next((i for i, row in enumerate(rows) if any(row)), len(rows))
    bottom = len(rows) - next((i for i, row in enumerate(reversed(rows)) if any(row)), len(rows))
    left = next((j for j in range(width) if any(row[j] for row in rows)), width)
    right = width - next((j for j in range(width) if any(row[-1 - j] for row in rows)), width)
    if top >= bottom:
        raise UserError("import.empty")
    return [row[left:right] for row in rows[top:bottom]], first_column + left, first_row + top


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float | int) and not isinstance(value, bool):
        return exact(value) if isinstance(value, float) or abs(value) < 1 << 53 else str(value)
    return str(value).strip()


def _addressed(data: bytes, title: str, problem: UserError, left: int, top: int) -> UserError:
    """The error with the address of its cell; an empty cell may be a formula without a stored
    value.
    """
    if "row" not in problem.data:
        return problem
    row = problem.data["row"] + top - 1
    if "column" not in problem.data:
        return UserError(problem.code, **{**problem.data, "row": row})
    column = problem.data["column"] + left - 1
    if problem.code == "number.empty":
        with _opened(data, formulas=True) as book:
            cells = list(book[title].iter_rows(row, row, column, column, values_only=True))
        if cells and cells[0] and str(cells[0][0] or "").startswith("="):
            return UserError("import.formula", text=f"{get_column_letter(column)}{row}")
    return UserError(problem.code, **{**problem.data, "row": row, "column": column})


def all_cells(data: bytes) -> list[tuple[str, Grid]]:
    """The name of each sheet that is not empty, and its cells as text; the first is A1."""
    found = []
    with _opened(data) as book:
        for sheet in book.worksheets:
            try:
                grid, left, top = _grid(sheet, None)
            except UserError as problem:
                if problem.code != "import.empty":
                    raise
                continue
            grid = [[cell.removesuffix(".0") for cell in row] for row in grid]
            blank = [""] * (left - 1 + len(grid[0]))
            found.append(
                (sheet.title, [blank] * (top - 1) + [blank[: left - 1] + row for row in grid])
            )
    return found
