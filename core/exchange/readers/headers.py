"""Headers of tables: words, or numbers that count; in doubt every reading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from core.exchange.expression import DATE, FAILED, NOT_A_NUMBER
from core.exchange.grid import Grid, is_number, is_plain

INDEX_NAMES = frozenset(
    """# (index) id idx index no nr n i row pos position token tok word key query unnamed:0
    date day month time year 日期 时间 年份 序号 词 位置 编号""".split()  # noqa: SIM905
)
# Dots, and what is made of digits and signs as 1/0 is, but not a time of the day
_NO_WORD = re.compile(r"[.…⋯⋮⋱]+|(?!\d+:)[\W\d_]*\d[\W\d_]*", re.ASCII)
_YEAR = re.compile(r"(?:19|20)\d\d", re.ASCII)
_DAY = re.compile(  # 5/1 may be a day or a fraction, 20240105 a day or a number
    r"\d{1,2}/\d{1,2}|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", re.ASCII
)


@dataclass(frozen=True, slots=True)
class TableReading:
    """A way to read a table: its cells without headers, the headers, and where the cells begin."""

    caption: str
    cells: Grid
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    top: int = 0
    left: int = 0


def readings(grid: Grid) -> list[TableReading]:
    """The readings of a table, the likeliest first; one if there is no doubt.

    A first row or column is a header if none of its cells (but an empty corner) is a number, or if
    it counts 0, 1, 2 … or 1, 2, 3 … and the corner or the width says so.
    """
    short = len(grid) > 1 and {len(row) for row in grid[1:]} == {len(grid[0]) + 1}
    if short and (are_labels(grid[0]) or _counts(grid[0])):
        return [_split([["", *grid[0]], *grid[1:]], 1, 1)]  # R and pandas leave the corner out
    top = _header_rows(grid)
    body = grid[top:]
    first = [row[0] for row in body if row]
    narrow = not body or min(map(len, body)) < 2
    left = 0 if narrow else _label_columns(body)
    if top and left == 1 and len(grid[0]) == len(body[0]) > 2:
        left += _is_index(grid[0][1], [row[1] for row in body])
    if top:
        corner = grid[0][0].strip().casefold() if len(grid[0]) > 1 else "-"
        counted = not narrow and _may_count(first)
        if not left and not narrow and (corner == "" or (counted and corner in INDEX_NAMES)):
            left = 1
        if not left and not narrow and _may_be_index(body):
            return [_split(grid, top, 0, "data"), _split(grid, top, 1, "column")]
        return [_split(grid, top, left)]
    if left == 1 and len(grid) > 1 and _counts(grid[0][1:]) and _decimals(grid[1:]):
        return [_split(grid, 0, 1, "data"), _split(grid, 1, 1, "row")]
    wide = len(grid) > 1 and len(grid[0]) > left + 1
    if left and wide and _may_be_index([row[left:] for row in grid]):
        return [_split(grid, 0, left, "data"), _split(grid, 0, left + 1, "column")]
    if left or len(grid) < 2 or len(grid[0]) < 2:
        return [_split(grid, 0, left)]
    return list(_counted(grid))


def _counted(grid: Grid) -> Iterator[TableReading]:
    """The readings of a table of numbers: all of it data, or a first row or column that counts."""
    yield _split(grid, 0, 0, "data")
    row, column = _counts(grid[0]), _counts([line[0] for line in grid if line])
    if row and _decimals(grid[1:]):
        yield _split(grid, 1, 0, "row")
    if _may_be_index(grid):
        yield _split(grid, 0, 1, "column")
    corner = _counts(grid[0][1:]) and _counts([line[0] for line in grid[1:] if line])
    if (
        corner
        and ((row and column) or _decimals([line[1:] for line in grid[1:]]))
        and len(grid) > 2
    ):
        yield _split(grid, 1, 1, "both")


def _is_index(name: str, cells: Sequence[str]) -> bool:
    """Whether a column counts and its header says so."""
    return name.strip().casefold() in INDEX_NAMES and _counts(cells)


def _header_rows(grid: Grid) -> int:
    """How many first rows are headers."""
    if len(grid) < 2:
        return 0
    first = grid[0]
    if are_labels(first):
        return 1
    named = len(first) > 1 and first[0].strip().casefold() in ("", *INDEX_NAMES)
    return 1 if named and _counts(first[1:]) else 0


def _label_columns(body: Grid) -> int:
    """How many first columns are words."""
    left = 0
    width = min(map(len, body))
    while (
        left < min(width - 1, 3)
        and (not left or left < width - 2)
        and are_labels([row[left] for row in body])
    ):
        left += 1
    return left


def _split(grid: Grid, top: int, left: int, caption: str = "") -> TableReading:
    body = grid[top:]
    cells = [row[left:] for row in body] if left else body
    rows = tuple(" ".join(filter(None, row[:left])) for row in body) if left else ()
    width = len(cells[0]) if cells else 0
    columns: tuple[str, ...] = ()
    if top and len(grid[0]) in (width + left, width):
        columns = tuple(grid[0][-width:]) if any(grid[0][-width:]) else ()
    elif top and len(list(filter(None, grid[0]))) != 1:
        cells, top = [grid[0], *cells], 0  # a header that does not fit: ragged
    return TableReading(caption, cells, rows, columns, top, left)


def _counts(cells: Sequence[str]) -> bool:
    """Whether cells count from 0 or from 1."""
    if len(cells) < 2 or cells[0] not in ("0", "1") or not all(map(str.isdecimal, cells)):
        return False
    start = int(cells[0])
    return all(cell == str(start + place) for place, cell in enumerate(cells))


def _may_count(cells: Sequence[str]) -> bool:
    """Whether cells count from any number, or go on as years and days do."""
    if _counts(cells) or all(map(_DAY.fullmatch, cells)):
        return True
    if not all(cell.isascii() and cell.isdecimal() for cell in cells) or len(cells) < 2:
        return False
    steps = {int(after) - int(before) for before, after in pairwise(cells)}
    return min(steps) > 0 and (
        all(map(_YEAR.fullmatch, cells)) or (steps == {1} and len(cells) > 2)
    )


def _may_be_index(grid: Grid) -> bool:
    """Whether the first column may number the rows: it counts, and the others have decimals or
    never look like it.
    """
    column, others = [row[0] for row in grid if row], [row[1:] for row in grid]
    if all(cell.endswith(".") for cell in column):  # 1. 2. 3.
        column = [cell.removesuffix(".") for cell in column]
    if not _may_count(column):
        return False
    marked = next((mark for mark in (_YEAR, _DAY) if all(map(mark.fullmatch, column))), None)
    alone = marked is not None and not any(map(marked.fullmatch, chain.from_iterable(others)))
    return alone or _decimals(others)


def _decimals(cells: Sequence[Sequence[str]]) -> bool:
    """Whether most of the cells are written with decimals."""
    few = [cell for row in cells[:200] for cell in row[:50]]
    written = len([cell for cell in few if "." in cell or "," in cell])
    return written > 0 and 2 * written >= len(few)


def are_labels(cells: Sequence[str]) -> bool:
    """Whether cells are words rather than numbers; a constant such as e is a word among others."""
    filled = [cell for cell in cells if cell]
    if filled and (is_plain(filled[0]) or all(map(_is_failed, filled))):
        return False
    if any(_NO_WORD.fullmatch(cell) and not DATE.fullmatch(cell) for cell in filled):
        return False
    constants = [cell for cell in filled if is_number(cell)]
    return len(constants) < len(filled) and all(map(str.isalpha, constants)) and all(cells[1:])


def _is_failed(cell: str) -> bool:
    return bool(NOT_A_NUMBER.fullmatch(cell) or FAILED.fullmatch(cell))
