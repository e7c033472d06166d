"""Matrices as lines: cells of a spreadsheet, CSV, columns of spaces, Markdown tables."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from functools import partial

from core.base.errors import UserError
from core.exchange.expression import quoted
from core.exchange.grid import Grid, is_number
from core.exchange.spaces import split_at_spaces

_CAPTION = re.compile(
    r"\s*(?:\d+×\d+.*:|[A-Za-z_]\w*\s*=)\s*"
)  # Julia's "3×2 Matrix{Float64}:", MATLAB's "A ="
_RULE_SIGNS = frozenset(" \t|+-:=")
_DECORATION = re.compile(r"(\*\*|__|`|\$)(.*)\1")
_DECORATING = ("*", "_", "`", "$")
_ONE_COMMA = re.compile(r"[-+]?\d+,\d+", re.ASCII)  # one number or two: nothing tells
_DECIMAL_COMMA = re.compile(
    r"[-+]?\d*,\d+(?:e[-+]?\d+)?%?|[-+]?\d+(?:e[-+]?\d+)?%?", re.IGNORECASE | re.ASCII
)


Splitter = Callable[[Sequence[str]], Grid]


def separator(text: str) -> str:
    """What parts the cells of lines: a tab, else a semicolon, else a comma that is none of a number; "" for spaces."""
    for sign in ("\t", ";"):
        if sign in text:
            return sign
    return "," if "," in text and not _has_decimal_commas(text) else ""


def grids(text: str) -> list[Grid]:
    """The cells of each block of lines; blank lines part the blocks.

    Raises UserError "paste.ambiguous" (text) for 1,2 alone, "paste.quotes" for a quote that is not closed.
    """
    lines = text.strip("\n").split("\n")
    if len(lines) > 1 and _CAPTION.fullmatch(lines[0]):
        lines = lines[1:]
    if all("|" in line for line in lines if _content(line)):
        return [_markdown(block) for block in _blocks(lines)]
    split = _splitter(lines)
    return [_without_trailing(grid) for block in _blocks(lines) if (grid := split(block))]


def _content(line: str) -> bool:
    return bool(line.strip()) and not _is_rule(line)


def _is_rule(line: str) -> bool:
    """Whether a line is drawn, not written: |---|:-:| or +---+."""
    return "-" in line and _RULE_SIGNS.issuperset(line)


def _blocks(lines: Sequence[str]) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip(" ") or "\t" in line:
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _markdown(lines: Sequence[str]) -> Grid:
    """A table without its rule, and without its header and the labels of its rows if the header shows that it has them.

    A header of numbers is a row like the others; one whose first cell alone is empty stands over a column of labels.
    """
    rows = [_bars(line) for line in lines if not _is_rule(line)]
    ruled = len(lines) > 1 and _is_rule(lines[1]) and not _is_rule(lines[0])
    if not ruled or all(map(is_number, rows[0])):
        return rows
    header, rows = rows[0], rows[1:]
    labelled = len(header) > 1 and not header[0] and all(header[1:])
    return [row[1:] for row in rows] if labelled else rows


def _bars(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    cells = [cell.strip() for cell in inner.split("|")]
    return [
        _DECORATION.sub(r"\2", cell) if cell.startswith(_DECORATING) else cell for cell in cells
    ]


def _splitter(lines: Sequence[str]) -> Splitter:
    """How these lines are cut into cells: at tabs, else semicolons, else commas, else spaces."""
    text = "\n".join(lines)
    sign = separator(text)
    if sign == ";" and _is_matlab(text):
        return _matlab
    if sign in ("", ",") and _ONE_COMMA.fullmatch(text.strip()):
        raise UserError("paste.ambiguous", text=quoted(text))
    return (
        partial(_separated, sign=sign)
        if sign
        else lambda block: [split_at_spaces(line) for line in block]
    )


def _separated(lines: Sequence[str], sign: str) -> Grid:
    """Cells as a spreadsheet writes them, in double quotes where they need them."""
    if not any('"' in line for line in lines):
        return [[cell.strip(" ") for cell in line.split(sign)] for line in lines]
    try:
        rows = list(csv.reader(lines, delimiter=sign, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise UserError("paste.quotes") from error
    return [[cell.strip() for cell in row] for row in rows]


def _is_matlab(text: str) -> bool:
    """Whether semicolons end rows (1 2; 3 4) and do not part cells (0,5;0,3)."""
    for piece in re.split("[;\n]", text, maxsplit=1000)[:1000]:
        cells = _row(piece)
        if len(cells) > 1 and not is_number(piece) and all(map(is_number, cells)):
            return True
    return False


def _matlab(lines: Sequence[str]) -> Grid:
    return [_row(piece) for piece in re.split("[;\n]", "\n".join(lines)) if piece.strip()]


def _row(piece: str) -> list[str]:
    return [cell.strip() for cell in piece.split(",")] if "," in piece else split_at_spaces(piece)


def _has_decimal_commas(text: str) -> bool:
    """Whether commas stand within numbers that spaces part: 0,5 0,3."""
    spaced = any(len(line.split()) > 1 for line in text.split("\n"))
    return spaced and all(map(_DECIMAL_COMMA.fullmatch, text.split()))


def _without_trailing(grid: Grid) -> Grid:
    """Without the empty last cell that a separator at the end of every line leaves."""
    if len(grid[0]) > 1 and all(len(row) > 1 and not row[-1] for row in grid):
        return [row[:-1] for row in grid]
    return grid
