"""Lists in the cells of a table, one matrix for each of its columns: | cat | [0.1, 0.2] |."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.exchange.readers.block import Block
from core.exchange.readers.line_kinds import RULE_LINE
from core.exchange.readers.notations import TENSOR_NAME
from core.exchange.readers.source import TAKEN

NEAR = 1000  # characters of a row, and of the header above it
_MARKS = " \t|`$*\"',"


def joined_cells(text: str, found: Sequence[Block]) -> list[Block]:
    """The blocks of a text, in order, with the lists below each other in a table as one matrix."""
    result: list[Block] = []
    columns: dict[tuple[str, int], Block] = {}
    for block in found:
        start = text.rfind("\n", max(0, block.start - NEAR), block.start) + 1
        start = max(start, block.start - NEAR)
        before = text[start : block.start]
        key = _column(before)
        if key is None or block.problem or not block.grids or block.name:
            result.append(block)
            continue
        label = _label(before[:200])
        if block.axes == 2:
            block.name = label or None
        above = columns.get(key)
        if block.axes == 1 and above is not None and _goes_on(text, above, start):
            above.grids[0] += block.grids[0]
            above.axes = 2
            above.rows += (label,)
            above.end = max(above.end, block.end)
            continue
        if block.axes == 1:
            columns[key] = block
            block.rows = (label,)
            block.name = _header(text[max(0, start - NEAR) : start], key)
        result.append(block)
    for block in columns.values():
        if not all(block.rows) or len(block.rows) != len(block.grids[0]):
            block.rows = ()
    return result


def _goes_on(text: str, above: Block, start: int) -> bool:
    """Whether the list above a line ends on the line before, or above a rule."""
    between = text[above.end : start].split("\n")[1:-1]
    return len(between) < 2 and all(map(RULE_LINE.fullmatch, between))


def _column(before: str) -> tuple[str, int] | None:
    """The column of a table that a list is in, by the text before it on its line."""
    if "|" in before:
        return "|", before.count("|")
    if before.endswith(',"'):
        return '"', before.count('"')
    aligned = re.search(r"\w {2,}$", before) and not TENSOR_NAME.fullmatch(before.strip())
    return (" ", before.count(TAKEN)) if aligned else None


def _label(before: str) -> str:
    """The words in the first cells of a row."""
    cells = re.split(r"\||,\"| {2,}", before)
    words = [cell.strip(_MARKS) for cell in cells]
    return next((word for word in words if word and not word.isdecimal() and TAKEN not in word), "")


def _header(above: str, key: tuple[str, int]) -> str | None:
    """The header of a column in the lines above the first list."""
    line = ""
    for each in reversed(above.rstrip("\n").split("\n")):
        if TAKEN in each or (key[0] == "|" and "|" not in each):
            break
        line = line if RULE_LINE.fullmatch(each) else each
        if key[0] == '"' and line:
            break
    if key[0] == "|":
        cells = line.split("|")
        cell = cells[key[1]] if "|" in line and key[1] < len(cells) else ""
    elif key[0] == '"':
        cells = line.split(",")
        cell = cells[(key[1] + 1) // 2] if (key[1] + 1) // 2 < len(cells) else ""
    else:
        return None
    return cell.strip(_MARKS) or None
