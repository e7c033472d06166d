"""Pasted or read text as the learner's numbers, digits as they were written. Free of Qt."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.errors import UserError
from core.check.answers import Written, written
from core.check.report import Index
from core.exchange import parse_cells
from gui.session.prediction import index_of
from gui.texts.errors import error_message
from gui.texts.translation import tr
from gui.views.check.sheet import Sheet

Grid = Sequence[Sequence[str]]


class Refused(ValueError):
    """What cannot be taken over, as a sentence."""


def block(text: str, sheet: Sheet, row: int, column: int) -> dict[Index, Written | None]:
    """The numbers in a text, by their index in the stage.

    One matrix goes to the place given (a whole one to the corner), a stack with a matrix for each head to all heads.
    Blank cells are left out. Raises Refused.
    """
    try:
        grids: list[Grid] = [*parse_cells(text)]
    except UserError as problem:
        raise Refused(error_message(problem)) from problem
    rows, columns = sheet.shape
    heads = (
        sheet.document.stage_shape(sheet.stage)[0]
        if len(sheet.document.stage_shape(sheet.stage)) == 3
        else 1
    )
    grids = [_without_labels(grid, rows, columns) for grid in grids]
    if len(grids) == 1 and heads > 1 and len(grids[0]) == heads * rows:
        grids = [grids[0][head * rows : (head + 1) * rows] for head in range(heads)]
    if len(grids) == 1:
        return _placed(grids[0], sheet, sheet.head, row, column)
    if len(grids) != heads:
        raise Refused(
            tr(
                "These are {actual} matrices; the stage has {expected}, one for each head.",
                actual=len(grids),
                expected=heads,
            )
        )
    found: dict[Index, Written | None] = {}
    for head, grid in enumerate(grids):
        found |= _placed(grid, sheet, head, 0, 0)
    return found


def _without_labels(grid: Grid, rows: int, columns: int) -> Grid:
    """Without a first row and a first column that are one too many and hold no number."""
    if len(grid) == rows + 1 and not any(map(_is_number, grid[0])):
        grid = grid[1:]
    if max(map(len, grid)) == columns + 1 and not any(_is_number(line[0]) for line in grid):
        grid = [line[1:] for line in grid]
    return grid


def _is_number(text: str) -> bool:
    try:
        return written(text) is not None
    except UserError:
        return False


def _placed(
    grid: Grid, sheet: Sheet, head: int, row: int, column: int
) -> dict[Index, Written | None]:
    height, width = len(grid), max(map(len, grid))
    rows, columns = sheet.shape
    if (height, width) == (rows, columns):
        row = column = 0
    if height > rows - row or width > columns - column:
        raise Refused(
            tr(
                "The block is {height} × {width}, but from here only {rows} × {columns} fit.",
                height=height,
                width=width,
                rows=rows - row,
                columns=columns - column,
            )
        )
    found: dict[Index, Written | None] = {}
    for i, line in enumerate(grid):
        for j, text in enumerate(line):
            number = _number(text, i, j)
            if number is not None:
                found[_index(sheet, head, row + i, column + j)] = number
    return found


def _number(text: str, row: int, column: int) -> Written | None:
    try:
        return written(text)
    except UserError as problem:
        raise Refused(
            tr(
                "Row {row}, column {column} of the block: {sentence}",
                row=row + 1,
                column=column + 1,
                sentence=error_message(problem),
            )
        ) from problem


def _index(sheet: Sheet, head: int, row: int, column: int) -> Index:
    index = index_of(sheet.cell(row, column))
    return (head, *index[1:]) if len(index) == 3 else index
