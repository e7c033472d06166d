"""Cut lines into cells: at tabs, semicolons, commas or spaces."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from core.base.errors import UserError
from core.exchange.grid import Grid, is_number

_DECIMAL_COMMA = re.compile(
    r"[-+]?\d*,\d+(?:e[-+]?\d+)?\s?%?|[-+]?\d+(?:e[-+]?\d+)?%?", re.IGNORECASE | re.ASCII
)
_SPACE_RUN = re.compile(r"[ \t]{2,}|\t")
_SPACED_OPERATOR = re.compile(
    r"(?<=\S)(?:[ \t](\*\*|//|[*/^×·÷])[ \t]?|(\*\*|//|[*/^×·÷])[ \t])(?=\S)"  # 3 * 4
    r"|(?<=[\w.)])[ \t]([+-])[ \t](?=[\w.(√])"  # 3 - 4, but not 3 -4
    r"|(?<=[\d.)])[ \t](%)"
)
_PADDING = re.compile(r"(?<=[(\[])[ \t]+|[ \t]+(?=[)\]])")
_BRACKET_OR_SPACE = re.compile(r"[()\[\] \t]")
_NEEDS_CARE = re.compile(r"[-+][ \t]|[*/^×·÷%()\[\]]")  # a space beside these may not separate


def split_at_spaces(line: str) -> list[str]:
    """The cells of a line, as MATLAB reads them: 1 -2 are two numbers, 1 - 2 is one.

    Spaces around an operator and within parentheses do not separate.
    """
    if not _NEEDS_CARE.search(line):
        return line.split()
    # First shorten runs of spaces: the other patterns would scan each run from each of its ends.
    line = _PADDING.sub("", _SPACE_RUN.sub(" ", line))
    line = _SPACED_OPERATOR.sub(lambda match: match[match.lastindex or 0], line)
    if "(" not in line:
        return line.split()
    cells, depth, start = [], 0, 0
    for sign in _BRACKET_OR_SPACE.finditer(line):
        depth += (sign[0] in "([") - (sign[0] in ")]")
        if sign[0] in " \t" and depth <= 0:
            cells.append(line[start : sign.start()])
            start = sign.end()
    return [cell for cell in (*cells, line[start:]) if cell]


def separator(lines: Sequence[str]) -> str:
    """The sign between cells: a tab, else a semicolon, else a comma outside numbers; "" for spaces."""
    text = "\n".join(lines)
    for sign in ("\t", ";"):
        if sign in text:
            return sign
    return "," if "," in text and not _has_decimal_commas(lines, text) else ""


def _has_decimal_commas(lines: Sequence[str], text: str) -> bool:
    """Whether commas are inside numbers that spaces separate: 0,5 0,3, perhaps after a word."""
    if not any(len(line.split()) > 1 for line in lines):
        return False
    for line in lines:
        words = line.split()
        if words and words[0].isalpha():
            words = words[1:]
        if not all(map(_DECIMAL_COMMA.fullmatch, words)):
            return False
    return True


def cut(lines: Sequence[str], sign: str) -> Grid:
    """The cells of each line. Raises UserError "paste.quotes"."""
    if sign == ";" and _is_matlab(lines):
        pieces = re.split("[;\n]", "\n".join(lines))
        return [_matlab_row(piece) for piece in pieces if piece.strip()]
    if not sign:
        return [split_at_spaces(line) for line in lines]
    grid = _separated(lines, sign)
    if len(grid[0]) > 1 and all(len(row) > 1 and not row[-1] for row in grid):
        return [row[:-1] for row in grid]  # a separator at each line end
    return grid


def _separated(lines: Sequence[str], sign: str) -> Grid:
    """Cells as a spreadsheet writes them, in double quotes where needed."""
    if '"' not in "".join(lines):
        return [[cell.strip(" ") for cell in line.split(sign)] for line in lines]
    try:
        rows = list(csv.reader(lines, delimiter=sign, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise UserError("paste.quotes") from error
    return [[cell.strip() for cell in row] for row in rows]


def _is_matlab(lines: Sequence[str]) -> bool:
    """Whether semicolons end rows (1 2; 3 4) rather than separate cells (0,5;0,3)."""
    for piece in re.split("[;\n]", "\n".join(lines), maxsplit=1000)[:1000]:
        cells = _matlab_row(piece)
        decimal = _DECIMAL_COMMA.fullmatch(piece.strip()) or is_number(piece)
        if len(cells) > 1 and not decimal and all(map(is_number, cells)):
            return True
    return False


def _matlab_row(piece: str) -> list[str]:
    return [cell.strip() for cell in piece.split(",")] if "," in piece else split_at_spaces(piece)
