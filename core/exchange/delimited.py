"""Matrices as rows of separated cells: spreadsheet cells, CSV, columns of spaces, Markdown tables,
LaTeX.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest

from core.base.errors import UserError
from core.exchange.expression import quoted
from core.exchange.grid import Grid, is_number

# Julia's "3×2 Matrix{Float64}:", MATLAB's "A ="
_CAPTION = re.compile(r"\s*(?:\d+×\d+.*:|[A-Za-z_]\w*\s*=)\s*")
_RULE_SIGNS = frozenset(" \t|+-:=")
_DECORATION = re.compile(r"(\*\*|__|`|\$)(.*)\1")
_DECORATING = ("*", "_", "`", "$")
_ONE_COMMA = re.compile(r"[-+]?\d+,\d+", re.ASCII)  # one number or two: ambiguous
_DECIMAL_COMMA = re.compile(
    r"[-+]?\d*,\d+(?:e[-+]?\d+)?%?|[-+]?\d+(?:e[-+]?\d+)?%?", re.IGNORECASE | re.ASCII
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

_ENVIRONMENT = re.compile(
    r"\\(?P<edge>begin|end)\{(?P<name>[bpBvV]?(?:small)?matrix\*?|array|tabular|cases)\}(?:\s*\[[^\[\]]{0,9}\])?"
)
_COLUMN_SPEC = re.compile(r"^\s*\{(?:[^{}]|\{[^{}]*\})*\}")  # of array and tabular
_LATEX_COMMENT = re.compile(r"(?<!\\)%.*")
_ROW_END = re.compile(r"\\\\\*?(?:\s*\[[^\[\]]{0,40}\])?|\\cr\b|\\tabularnewline\b")
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|hdashline|noalign\{[^{}]*\}|cline\{[^{}]*\})"
)
_AROUND = re.compile(
    r"\\(?:left|right|big[lr]?|Big[lr]?|bigg[lr]?)\s*(?:\\[{}]|[\[\]().|])|\\[\[\]()]|\$+|\\(?:begin|end)\{[a-z]+\*?\}|[&,;.\s]|\\\\"
)

Splitter = Callable[[Sequence[str]], Grid]


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


def separator(text: str) -> str:
    """The sign between cells: a tab, else a semicolon, else a comma outside numbers; "" for spaces."""
    for sign in ("\t", ";"):
        if sign in text:
            return sign
    return "," if "," in text and not _has_decimal_commas(text) else ""


def grids_of_lines(text: str) -> list[Grid]:
    """The cells of each block of lines; blank lines separate blocks.

    Raises UserError "paste.ambiguous" (text) for 1,2 alone, "paste.quotes" for an unclosed quote.
    """
    lines = text.strip("\n").split("\n")
    if len(lines) > 1 and _CAPTION.fullmatch(lines[0]):
        lines = lines[1:]
    if all("|" in line for line in lines if line.strip() and not _is_rule(line)):
        return [_markdown(block) for block in _blocks(lines)]
    split = _splitter(lines)
    return [_without_trailing(grid) for block in _blocks(lines) if (grid := split(block))]


def _is_rule(line: str) -> bool:
    """Whether a line is a rule: |---|:-:| or +---+."""
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
    """A table without its rule, header and row labels.

    A header of numbers is an ordinary row; an empty first cell in the header means that rows have
    labels.
    """
    rows = [_markdown_cells(line) for line in lines if not _is_rule(line)]
    ruled = len(lines) > 1 and _is_rule(lines[1]) and not _is_rule(lines[0])
    if not ruled or all(map(is_number, rows[0])):
        return rows
    header, rows = rows[0], rows[1:]
    labelled = len(header) > 1 and not header[0] and all(header[1:])
    return [row[1:] for row in rows] if labelled else rows


def _markdown_cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    cells = [cell.strip() for cell in inner.split("|")]
    return [
        _DECORATION.sub(r"\2", cell) if cell.startswith(_DECORATING) else cell for cell in cells
    ]


def _splitter(lines: Sequence[str]) -> Splitter:
    text = "\n".join(lines)
    sign = separator(text)
    if sign == ";" and _is_matlab(text):
        return _matlab_rows
    if sign in ("", ",") and _ONE_COMMA.fullmatch(text.strip()):
        raise UserError("paste.ambiguous", text=quoted(text))
    if sign:
        return partial(_separated, sign=sign)
    return lambda block: [split_at_spaces(line) for line in block]


def _separated(lines: Sequence[str], sign: str) -> Grid:
    """Cells as a spreadsheet writes them, in double quotes where needed."""
    if not any('"' in line for line in lines):
        return [[cell.strip(" ") for cell in line.split(sign)] for line in lines]
    try:
        rows = list(csv.reader(lines, delimiter=sign, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise UserError("paste.quotes") from error
    return [[cell.strip() for cell in row] for row in rows]


def _is_matlab(text: str) -> bool:
    """Whether semicolons end rows (1 2; 3 4) rather than separate cells (0,5;0,3)."""
    for piece in re.split("[;\n]", text, maxsplit=1000)[:1000]:
        cells = _matlab_row(piece)
        if len(cells) > 1 and not is_number(piece) and all(map(is_number, cells)):
            return True
    return False


def _matlab_rows(lines: Sequence[str]) -> Grid:
    return [_matlab_row(piece) for piece in re.split("[;\n]", "\n".join(lines)) if piece.strip()]


def _matlab_row(piece: str) -> list[str]:
    return [cell.strip() for cell in piece.split(",")] if "," in piece else split_at_spaces(piece)


def _has_decimal_commas(text: str) -> bool:
    """Whether commas are inside numbers that spaces separate: 0,5 0,3."""
    spaced = any(len(line.split()) > 1 for line in text.split("\n"))
    return spaced and all(map(_DECIMAL_COMMA.fullmatch, text.split()))


def _without_trailing(grid: Grid) -> Grid:
    """The grid without the empty last column that a separator at each line end leaves."""
    if len(grid[0]) > 1 and all(len(row) > 1 and not row[-1] for row in grid):
        return [row[:-1] for row in grid]
    return grid


def looks_like_latex(text: str) -> bool:
    """Whether the text is a LaTeX matrix, with its environment or as rows alone."""
    return _ENVIRONMENT.search(text) is not None or ("&" in text and "\\\\" in text)


def grids_of_latex(text: str) -> list[Grid]:
    """The cells of each matrix in LaTeX, still as LaTeX.

    Raises UserError "paste.bracket" (text) for a \\begin without its \\end, and "paste.leftover"
    (text) for anything around a matrix that would change it, such as a factor.
    """
    text = _LATEX_COMMENT.sub("", text)
    edges = list(_ENVIRONMENT.finditer(text))
    if not edges:
        return [_latex_rows(text)]
    found: list[Grid] = []
    position = 0
    for begin, end in zip_longest(edges[::2], edges[1::2]):
        kinds = (begin["edge"], end["edge"], begin["name"]) if end is not None else ()
        if end is None or kinds != ("begin", "end", end["name"]):
            raise UserError("paste.bracket", text=begin[0])
        before = text[position : begin.start()]
        _require_decoration(before if found else before.rpartition("=")[2])  # a name before "="
        body = text[begin.end() : end.start()]
        if begin["name"] in ("array", "tabular"):
            body = _COLUMN_SPEC.sub("", body, count=1)
        found.append(_latex_rows(body))
        position = end.end()
    _require_decoration(text[position:])
    return found


def _require_decoration(piece: str) -> None:
    rest = _AROUND.sub("", piece)
    if rest:
        raise UserError("paste.leftover", text=rest[:40])


def _latex_rows(body: str) -> Grid:
    lines = [_RULES.sub("", line) for line in _ROW_END.split(body)]
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)&", line)] for line in lines if line.strip()
    ]
