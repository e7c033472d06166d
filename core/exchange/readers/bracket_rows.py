"""Rows and cells between one pair of brackets."""

from __future__ import annotations

import re
from itertools import pairwise

from core.exchange.grid import Grid, is_number
from core.exchange.readers.calls import Nested, product, split_rows
from core.exchange.readers.cells import split_at_spaces
from core.exchange.readers.doubts import may_be_decimals
from core.exchange.readers.notations import (
    TYPES,
)

PRINTED_WIDTH = 75  # columns after which NumPy wraps a row
_CONTINUED = re.compile(r"(?<=[^\s\[{(])[ \t]*\.\.\.[ \t]*(?:[%A-Za-z].*)?\n")


def mostly_numbers(grids: list[Grid]) -> bool:
    """Whether half of the cells or more are numbers, or dots for left-out ones."""
    cells = [cell for grid in grids for row in grid[:50] for cell in row[:50]]
    if any(cell.lower() in TYPES for cell in cells[:9]):
        return False
    digits = [
        cell
        for cell in cells
        if cell[:1].isdigit() or (cell[-1:].isdigit() and not cell[:1].isalpha())
    ]
    if len(digits) == len(cells):
        return True
    good = sum(
        is_number(cell) or not cell.strip(".…⋯⋮⋱") or _INFINITE.fullmatch(cell) is not None
        for cell in cells
    )
    return (2 * good >= len(cells) and any(map(is_number, cells))) or good == len(cells)


_INFINITE = re.compile(r"[-+]?(?:[a-z]+\.)?(?:nan|inf(?:inity)?|∞|None|null)", re.IGNORECASE)


def rows_in(content: str) -> Grid:
    """The rows in one pair of brackets, separated by ; or, as in MATLAB and Julia, by line ends."""
    content = _without_continuations(content)
    if ";" in content:
        lines = re.split("[;\n]", content)
    elif (
        "\n" in content
        and ("," not in content or rows_of_commas(content))
        and not _is_wrapped(content)
    ):
        lines = content.split("\n")
    else:
        lines = [content.replace("\n", " ")]
    return [_cells(line) for line in lines if line.strip(" \t,")]


def in_sizes(value: Nested, sizes: list[int]) -> Nested:
    flat = value if all(isinstance(cell, str) for cell in value) else []
    return split_rows(flat, sizes) if flat and product(sizes) == len(flat) else value


def rows_of_commas(content: str) -> bool:
    """Whether lines are rows as in Octave: commas within them, none between them."""
    lines = content.strip("\n").split("\n")
    rows = [line.strip() for line in lines if line.strip()]
    between = pairwise(rows)
    return all(not one.endswith(",") and not two.startswith(",") for one, two in between)


def decimal_rows(grid: Grid) -> tuple[str, Grid] | None:
    """[0,5; 0,25] with decimal commas, if it may be that."""
    pairs = all(len(row) == 2 and "".join(row).lstrip("-").isdecimal() for row in grid)
    if not pairs or not may_be_decimals(grid, alone=False):
        return None
    return "decimals", [[",".join(row)] for row in grid]


def _without_continuations(content: str) -> str:
    """Join lines that MATLAB continues with "..."; NumPy's "...", which replaces numbers, stays."""
    if "..." not in content or (";" not in content and _is_wrapped(content)):
        return content
    return _CONTINUED.sub(" ", content)


def _is_wrapped(content: str) -> bool:
    """Whether NumPy wrapped one long row: on each line the next number would not have fitted."""
    lines = content.strip("\n").split("\n")
    full = all(
        len(line) + 1 + len(after.split()[0]) > PRINTED_WIDTH - 1
        for line, after in pairwise(lines)
        if after.strip()
    )
    return full and all(len(line) <= PRINTED_WIDTH for line in lines)


def _cells(line: str) -> list[str]:
    if "," in line:
        return [cell.strip() for cell in line.strip().removesuffix(",").split(",")]
    return split_at_spaces(line)
