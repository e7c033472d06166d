"""Blocks of numbers in the sheets of a workbook, and the labels around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.base.errors import UserError
from core.exchange.grid import Grid, is_number, numbers
from core.exchange.sources import Entry

MOST_BLOCKS = 500
Area = tuple[int, int, int, int]  # first row and column, last row and column, from 0


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """The cells of a sheet as text, all rows equally long; the first is A1."""

    name: str
    cells: Grid

    def text(self, row: int, column: int) -> str:
        """The text of a cell, "" outside."""
        inside = 0 <= row < len(self.cells) and 0 <= column < len(self.cells[0])
        return self.cells[row][column] if inside else ""

    def address(self, area: Area) -> str:
        """An area as a workbook writes it: Sheet1!B2:D4."""
        top, left, bottom, right = area
        first, last = column_letters(left), column_letters(right)
        return f"{self.name}!{first}{top + 1}:{last}{bottom + 1}"

    def area(self, address: str) -> Area | None:
        """The area of an address in this sheet; None for one elsewhere."""
        from openpyxl.utils import range_boundaries

        name, sign, cells = address.rpartition("!")
        if not sign or name != self.name:
            return None
        left, top, right, bottom = range_boundaries(cells)
        return top - 1, left - 1, bottom - 1, right - 1


def column_letters(column: int) -> str:
    """The letters of a column, from 0."""
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(column + 1))


def find_blocks(sheet: Sheet) -> tuple[Entry, ...]:
    """Every rectangle of numbers, with the labels beside it and the title above it or to its left."""
    filled = {
        (i, j)
        for i, row in enumerate(sheet.cells)
        for j, cell in enumerate(row)
        if cell and is_number(cell)
    }
    areas: list[Area] = []
    while filled and len(areas) < MOST_BLOCKS:
        areas.append(_grown(filled))
    found = [entry_of_area(sheet, area) for area in sorted(areas)]
    if len(found) == 1 and not found[0].name:
        return (replace(found[0], name=sheet.name),)
    return tuple(found)


def _grown(filled: set[tuple[int, int]]) -> Area:
    """Take one connected group of cells away; return the rectangle around it."""
    first = min(filled)
    filled.discard(first)
    open_, group = [first], [first]
    while open_:
        row, column = open_.pop()
        for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if near in filled:
                filled.discard(near)
                open_.append(near)
                group.append(near)
    rows, columns = [cell[0] for cell in group], [cell[1] for cell in group]
    return min(rows), min(columns), max(rows), max(columns)


def entry_of_area(sheet: Sheet, area: Area, named: str = "") -> Entry:
    """The numbers of an area; headers inside it or around it are its labels, a word its name."""
    top, left, bottom, right = _without_headers(sheet, area)
    body = (top, left, bottom, right)
    beside = tuple(sheet.text(row, left - 1) for row in range(top, bottom + 1))
    above = tuple(sheet.text(top - 1, column) for column in range(left, right + 1))
    rows = beside if bottom > top and _are_labels(beside) else ()
    columns = above if right > left and _are_labels(above) else ()
    grid = [row[left : right + 1] for row in sheet.cells[top : bottom + 1]]
    name = named or _title(sheet, body, bool(rows), bool(columns))
    place = sheet.address(body)
    try:
        return Entry(name, numbers(grid), rows, columns, _decimals(grid), cells=place)
    except UserError as problem:
        return Entry(name, cells=place, refusal=_addressed(problem, top, left))


def _without_headers(sheet: Sheet, area: Area) -> Area:
    """The area without a first row or column of words, or of numbers that count below a blank corner."""
    top, left, bottom, right = area
    down = [sheet.text(row, left) for row in range(top, bottom + 1)]
    across = [sheet.text(top, column) for column in range(left, right + 1)]
    corner = sheet.text(top, left)
    if not is_number(corner) and bottom > top and right > left:
        words_down = all(cell and not is_number(cell) for cell in down[1:])
        words_across = all(cell and not is_number(cell) for cell in across[1:])
        header = words_across or _counts(across[1:])
        index = words_down or (header and _counts(down[1:]))
        return top + header, left + index, bottom, right
    labels = [sheet.text(row, left - 1) for row in range(top, bottom + 1)]
    if _counts(across) and not labels[0] and len(labels) > 1 and _are_labels(tuple(labels[1:])):
        return top + 1, left, bottom, right
    return area


def _counts(cells: list[str]) -> bool:
    """Whether cells are 0, 1, 2 … or 1, 2, 3 …"""
    return len(cells) > 1 and any(
        cells == [str(start + i) for i in range(len(cells))] for start in (0, 1)
    )


def _are_labels(cells: tuple[str, ...]) -> bool:
    return all(cells) and not any(map(is_number, cells))


def _title(sheet: Sheet, area: Area, rows: bool, columns: bool) -> str:
    """The nearest word above the block or its labels, or to the left of its first row."""
    top, left, _, _ = area
    corners = [
        (top - 1, left - 1) if rows or columns else (top - 1, left),
        (top - 1 - columns, left - rows),
        (top - 1 - columns, left),
        (top - 2 - columns, left - rows),
        (top, left - 1 - rows),
        (top, left - 2 - rows),
    ]
    texts = (sheet.text(row, column) for row, column in corners)
    return next((text for text in texts if text and not is_number(text)), "")


def _decimals(grid: Grid) -> int:
    return max(len(cell.partition(".")[2]) for row in grid for cell in row)


def _addressed(problem: UserError, top: int, left: int) -> UserError:
    by = {"row": top, "column": left}
    return UserError(
        problem.code,
        **{
            key: value + by.get(key, 0) if key in by else value
            for key, value in problem.data.items()
        },
    )


def all_blocks(sheets: tuple[Sheet, ...]) -> Iterator[Entry]:
    """The blocks of all sheets, in order."""
    for sheet in sheets:
        yield from find_blocks(sheet)
