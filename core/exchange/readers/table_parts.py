"""Runs of rows, tables drawn with |, and how runs make a matrix or a stack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.base.errors import UserError
from core.exchange.grid import Grid
from core.exchange.readers.block import Block
from core.exchange.readers.doubts import may_be_decimals
from core.exchange.readers.headers import are_labels
from core.exchange.readers.line_kinds import RULE_LINE, is_cell

_PIPED_NAME = re.compile(r"[ \t]*([^\W\d]\w*)[ \t]*[=≈][ \t]*(?=\|)")
_DECORATION = re.compile(r"(\*\*|__|[`$*_])(.*)\1")
_DECORATING = ("*", "_", "`", "$")


@dataclass(slots=True)
class Part:
    """A run of rows: first and last line, the cells, and what marks it."""

    first: int
    last: int
    grid: Grid
    slice: bool = False
    continues: bool = False
    labelled: bool = False
    mark: int = -1
    name: str | None = None
    names: list[str] = field(default_factory=list)  # of matrices beside each other
    vector: bool = False
    captioned: bool = False
    problem: UserError | None = None
    sizes: list[int] = field(default_factory=list)
    other: tuple[str, Grid] | None = None


def piped(lines: list[str], first: int, end: int) -> Part | None:
    """A table drawn with |, of Markdown, a database or a box of signs."""
    name = None
    for i in range(first, end):
        if assigned := _PIPED_NAME.match(lines[i]):
            name, lines[i] = assigned[1], " " * assigned.end() + lines[i][assigned.end() :]
    rules = [i for i in range(first, end) if RULE_LINE.fullmatch(lines[i])]
    rows = [_piped_cells(lines[i]) for i in range(first, end) if i not in rules]
    rows = [row[0].split() or [""] if len(row) == 1 else row for row in rows]
    if not rows:
        return None
    part = Part(first, end - 1, [], captioned=True, name=name)
    if listed := _with_lists(rows):
        part.name, part.grid = name or listed[0], listed[1]
        return part
    head = 0
    if any(first < i for i in rules) and not any(rows[0]):
        rows = rows[1:]
    while head < len(rows) and _is_header_row(rows[head]):
        head += 1
    if head == len(rows):
        return None
    if head > 1:
        rows = [rows[0], *rows[head:]]
    body = [cell for row in rows[1:] or rows for cell in row[1:] or row]
    if 2 * sum(map(is_cell, body)) <= len(body) - body.count(""):
        return None
    part.grid = rows
    return part


def _with_lists(rows: Grid) -> tuple[str | None, Grid] | None:
    """The header and the rows of a table that has a whole row in each cell of one column."""
    split = [[re.split(r", +| +", cell) for cell in row] for row in rows]
    lists = {
        (place, index)
        for index, row in enumerate(split)
        for place, cells in enumerate(row)
        if len(cells) > 1 and all(map(is_cell, cells))
    }
    places, start = {place for place, _ in lists}, len(rows) - len(lists)
    if len(places) != 1 or start > 1 or not len(lists) > 1:
        return None
    place = places.pop()
    name = rows[0][place] if start and place < len(rows[0]) else None
    labelled = [
        [" ".join(row[:place]), *cells[place]] if place else cells[place]
        for row, cells in zip(rows[start:], split[start:], strict=True)
    ]
    return name or None, labelled


def _is_header_row(row: list[str]) -> bool:
    """Whether a row of a drawn table has words alone, but for its first cell."""
    others = row[1:] or row
    return not any(map(is_cell, others)) and (any(others) or not is_cell(row[0]))


def _piped_cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    cells = [cell.strip() for cell in inner.split("|")]
    return [
        _DECORATION.sub(r"\2", cell) if cell.startswith(_DECORATING) else cell for cell in cells
    ]


def assembled(
    parts: list[Part], lines: list[str], joining: bool
) -> Iterator[tuple[Block, int, int]]:
    """Blocks from runs: wrapped columns beside each other, slices in a stack, lone rows joined."""
    groups: list[list[Part]] = []
    for part in parts:
        before = groups[-1][-1] if groups else None
        near = before is not None and not any(
            line.strip() for line in lines[before.last + 1 : part.first]
        )
        if before is not None and near:
            continued = (
                part.continues
                or lines[before.first].rstrip().endswith("\\")
                or any(
                    line.rstrip().endswith("\\") for line in lines[before.first : before.first + 2]
                )
            )
            if continued and len(before.grid) == len(part.grid):
                before.grid = _beside(before.grid, part.grid)
                before.last = part.last
                continue
            if part.slice and before.slice:
                groups[-1].append(part)
                continue
            lone = joining and _is_lone(before) and len(part.grid) == 1 and len(groups[-1]) == 1
            if (
                lone
                and len(part.grid[0]) == len(before.grid[0])
                and not part.captioned
                and not part.name
            ):
                before.grid += part.grid
                before.last = part.last
                before.labelled = True
                continue
        groups.append([part])
    for group in groups:
        first = group[0]
        if first.names:
            width = len(first.grid[0]) // len(first.names)
            for place, name in enumerate(first.names):
                grid = [row[place * width : (place + 1) * width] for row in first.grid]
                yield Block([grid], 0, 0, name, table=True), first.first, first.last
            continue
        doubtful = first.other is not None and len(group) == 1
        if first.other is not None and first.other[0] == "decimals":
            wide = len(first.grid[0]) > 2
            doubtful = doubtful and (wide or may_be_decimals(first.grid, alone=len(groups) == 1))
        problem = next((part.problem for part in group if part.problem), None) or _wrong_size(first)
        block = Block(
            [part.grid for part in group],
            0,
            0,
            name=next((part.name for part in group if part.name), None),
            table=True,
            axes=3 if len(group) > 1 else 2,
            other=first.other if doubtful else None,
            problem=problem,
        )
        yield block, first.first, group[-1].last


def joined_thousands(grid: Grid) -> Grid | None:
    """The rows with 12 345 as one number, if every second cell has three digits."""
    if len(grid) * len(grid[0]) < 4 or any(len(row) % 2 for row in grid):
        return None
    for row in grid:
        for high, low in zip(row[::2], row[1::2], strict=True):
            if not re.fullmatch(r"[-+]?[1-9]\d{0,2}", high) or not re.fullmatch(
                r"\d{3}(?:[.,]\d+)?", low
            ):
                return None
    return [[high + low for high, low in zip(row[::2], row[1::2], strict=True)] for row in grid]


def _is_lone(part: Part) -> bool:
    return (len(part.grid) == 1 or part.labelled) and not part.captioned and not part.slice


def _wrong_size(part: Part) -> UserError | None:
    """A print that names more rows or columns than it shows."""
    if len(part.sizes) == 2 and part.grid and not part.slice:
        rows, columns = part.sizes
        if rows > len(part.grid) or columns > max(map(len, part.grid)):
            return UserError("paste.elided", row=1)
    return None


def _beside(left: Grid, right: Grid) -> Grid:
    """Two halves of a wrapped table; labels that both repeat are kept once."""
    start = 0
    first = [row[0] for row in right[-len(left) :]]
    if (first == [row[0] for row in left] and are_labels(first)) or _repeated_index(left, right):
        start = 1
    width = max(map(len, right))
    return [
        row + (more[start:] if len(more) == width else more)
        for row, more in zip(left, right, strict=True)
    ]


def _repeated_index(left: Grid, right: Grid) -> bool:
    """Whether both halves begin with the same counting column, as pandas repeats its index."""
    column = [row[0] for row in left[1:]]
    return (
        column == [row[0] for row in right[1:]]
        and column == [str(i) for i in range(len(column))]
        and bool(column)
    )
