"""Matrices in lines: cells of spreadsheets, CSV, columns of spaces, Markdown and other drawn tables,
and what R, MATLAB, Octave, Julia, pandas, libtorch and Wolfram print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.base.errors import UserError
from core.exchange.grid import Grid, is_number
from core.exchange.readers.block import Block
from core.exchange.readers.cells import cut, separator
from core.exchange.readers.headers import are_labels
from core.exchange.readers.line_kinds import (
    BLANK,
    BREAK,
    COLUMN_MARK,
    DIGIT_OR_DOTS,
    FOOTER,
    LABELLED,
    MARK,
    NUMBERISH,
    PIPE,
    R_HEADER,
    R_ROW,
    R_VECTOR,
    ROW,
    RULE,
    SCALE,
    SIMPLE,
    SLICE,
    WORDS,
    cells_of,
    is_cell,
    kind_of,
)
from core.exchange.readers.notations import TENSOR_NAME
from core.exchange.readers.source import TAKEN
from core.exchange.readers.table_parts import Part, assembled, joined_thousands, piped

_ONE_COMMA = re.compile(r"\s*[-+]?\d+,\d+%?\s*", re.ASCII)
_COMMAS_TWICE = re.compile(r"\s*[-+]?\d+,\d+(?:, [-+]?\d+,\d+)+\s*", re.ASCII)
_SIZE_NOTE = re.compile(r"[ \t]*[\[(](\d+) rows?(?: x (\d+) columns?)?[\])][ \t]*$")
_TRUNCATED = re.compile(r"output was truncated|omitted|rows not shown|more rows", re.I)
_JULIA = re.compile(
    r"(?:.*[=\s])?(\d+)(?:×(\d+)|-element) .*(?:Matrix|Array|Vector|Adjoint|Transpose)\S*.*:$"
)


def blocks(text: str, *, joining: bool = True) -> Iterator[Block]:
    """Every table in the lines of a text, with its headers still in it."""
    if not DIGIT_OR_DOTS.search(text):
        return
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    parts = _Lines(lines).parts()
    for block, first, last in assembled(parts, lines, joining):
        block.start = starts[first] + len(lines[first]) - len(lines[first].lstrip())
        block.end = starts[last] + len(lines[last].rstrip())
        yield block


_STREAMED = re.compile(
    r"\b(\w+)[ \t]*<<[ \t]*((?:[-+]?[\d.]+(?:e[-+]?\d+)?f?[ \t\n,]+)+[-+]?[\d.]+(?:e[-+]?\d+)?f?)\s*;"
)


def streamed(text: str) -> Iterator[Block]:
    """Eigen's A << 1, 2, 3, 4; with a line for each row."""
    for match in _STREAMED.finditer(text):
        rows = [re.split(r"[\s,]+", line.strip(" \t,")) for line in match[2].split("\n")]
        yield Block([rows], match.start(), match.end(), match[1])


class _Lines:
    """The lines of a text, and what each is."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        kinds = []
        simple, digit = SIMPLE.fullmatch, DIGIT_OR_DOTS.search
        for line in lines:
            if not line or line.isspace():
                kinds.append(
                    BREAK if TAKEN in line else (ROW if "\t" in line and line.strip(" ") else BLANK)
                )
            elif simple(line) and digit(line) and not line.rstrip().endswith("*"):
                kinds.append(ROW)
            else:
                kinds.append(kind_of(line))
        self._kinds = kinds

    def parts(self) -> list[Part]:
        """The runs of rows."""
        kinds, index = self._kinds, 0
        found: list[Part] = []
        while index < len(kinds):
            kind = kinds[index]
            end = index + 1
            if kind == ROW:
                start, end = self._extent(index)
                part = self._rows(start, end)
            elif kind == PIPE or (kind == RULE and kinds[end : end + 1] == [PIPE]):
                while end < len(kinds) and kinds[end] in (PIPE, RULE):
                    end += 1
                part = piped(self._lines, index, end)
            else:
                part = None
            if part is not None:
                part.last = self._footer(part)
                if found and found[-1].last >= part.first:
                    found.pop()  # its only row was a header
                found.append(part)
            index = end
        return found

    def _extent(self, index: int) -> tuple[int, int]:
        """The lines of a run of rows around a row, damaged ones included."""
        kinds, start, end = self._kinds, index, index + 1
        while end < len(kinds) and kinds[end] == ROW:
            end += 1
        sign = separator(self._lines[start:end][:50])
        while start and kinds[start - 1] == WORDS and self._is_damaged_row(start - 1, start, sign):
            start -= 1
        while end < len(kinds) and (
            kinds[end] == ROW or (kinds[end] == WORDS and self._is_damaged_row(end, end - 1, sign))
        ):
            end += 1
        return start, end

    def _rows(self, first: int, end: int) -> Part | None:
        lines = self._lines[first:end]
        while lines and "\t" in lines[-1] and not lines[-1].strip():
            lines, end = lines[:-1], end - 1
        if not lines:
            return None
        part = Part(first, end - 1, [])
        if R_VECTOR.match(lines[0]):
            above = self._lines[first - 1] if first else ""
            if re.search(r"\b(?:dim|length|shape|nrow|ncol)\(|(?:shape|size)\s*:?$", above):
                return None
            return _r_vector(part, lines)
        if R_ROW.match(lines[0]):
            part.grid = [R_ROW.sub("", line).split() for line in lines]
            part.captioned = True
            part.grid = [row[:-1] if row and row[-1] == "..." else row for row in part.grid]
        else:
            labels = [LABELLED.match(line) for line in lines]
            if labels[0] and not any(labels[1:]):
                part.name = labels[0][1].strip()
            if labels[0] and (len(lines) == 1 or not any(labels[1:]) or all(labels)):
                lines = [
                    line[label.end() :] if label else line
                    for label, line in zip(labels, lines, strict=True)
                ]
            sign = separator(lines)
            part.grid = cut(lines, sign)
            if not sign or (sign == "," and any(" " in line.strip() for line in lines)):
                part.grid = _with_joined_labels(part.grid)
            if len(lines) > 1 and all(labels):
                part.grid = [
                    [label[1].strip(), *row]
                    for label, row in zip(labels, part.grid, strict=True)
                    if label
                ]
            self._header(part, sign)
            if part.first == first and all(map(_ONE_COMMA.fullmatch, lines)):
                part.other = ("decimals", [[line.strip()] for line in lines])
            elif part.first == first and sign == "," and all(map(_COMMAS_TWICE.fullmatch, lines)):
                part.other = ("decimals", [line.strip().split(", ") for line in lines])
            elif not sign and part.first == first and (joined := joined_thousands(part.grid)):
                part.other = ("thousands", joined)
        self._marks(part)
        return part if self._holds(part) else None

    def _is_damaged_row(self, index: int, near: int, sign: str) -> bool:
        """Whether a line beside a row is one too, with something other than a number in it."""
        line = self._lines[index]
        cells, others = (cells_of(self._lines[i], sign) for i in (index, near))
        if "=" in cells or len(cells) < 2:
            return False
        numbers = [is_cell(cell) for cell in cells]
        if len(cells) > len(others):
            return bool(sign) and 2 * sum(numbers) > len(cells)
        if len(cells) < len(others):
            shorter = not sign and not is_cell(others[0]) and cells[-1][-1:] not in (":", ".")
            return index > near and shorter and any(numbers)
        if numbers[0] and index > near:
            return True
        aligned = bool(sign) or re.search(r"\S\s{2,}\S|^\s{2,}\S", line) is not None
        return any(numbers) and (aligned or 2 * sum(numbers) > len(cells))

    def _holds(self, part: Part) -> bool:
        """Whether a run is a matrix, not a number or two in a text."""
        grid = part.grid
        if not grid:
            return False
        numbers = [
            cell for row in grid[:3] for cell in row if NUMBERISH.fullmatch(cell) or is_number(cell)
        ]
        if len(grid) == 1:
            plain = len(numbers) >= 2 and (
                len(numbers) == len(grid[0]) or any("." in cell or "," in cell for cell in numbers)
            )
            return plain or (part.captioned and bool(numbers))
        if max(map(len, grid)) == 1:
            return part.captioned or len(grid) >= 2
        return len(numbers) >= 2

    def _header(self, part: Part, sign: str) -> None:
        """Put the line of words above into the grid if it has as many cells as the rows."""
        index = part.first - 1
        if index >= 0 and self._kinds[index] == RULE:
            index -= 1
        widths = {len(row) for row in part.grid}
        if index < 0 or self._kinds[index] != WORDS or len(widths) > 2:
            return
        if (
            index >= 1
            and self._kinds[index - 1] in (WORDS, ROW)
            and len(self._lines[index].split()) == 1
            and max(widths) > 2
            and not sign
        ):
            index -= 1  # pandas: the name of the index below the names of columns
        line = self._lines[index].rstrip("\\ ")
        width = len(part.grid[-1])
        names = line.split()
        whole = len(widths) == 1 and 1 < len(names) < width and width % len(names) == 0
        if whole and all(map(TENSOR_NAME.fullmatch, names)):
            part.names, part.first = names, index
            return
        found = self._header_cells(line, sign, width)
        if found is not None:
            part.grid = [found, *part.grid]
            part.first = index
            part.continues = False

    def _header_cells(self, line: str, sign: str, width: int) -> list[str] | None:
        if sign:
            if sign not in line:
                return None
            cells = cut([line], sign)[0]
            short = all(len(cell.split()) < 4 for cell in cells)
            return cells if len(cells) in (width, width - 1) or (short and len(cells) > 1) else None
        if line.rstrip().endswith((":", "=", ".", "?", "!")):
            return None
        for cells in (line.split(), re.split(r"\s{2,}|\t", line.strip())):
            if len(cells) in (width, width - 1) and len(cells) > 1 and _is_header(cells):
                return cells
        return None

    def _marks(self, part: Part) -> None:
        """Read the marks above a run: a slice of a stack, columns that were wrapped, a factor."""
        index, scale = part.first - 1, ""
        while index >= 0:
            line = self._lines[index]
            kind = self._kinds[index]
            if kind == BLANK:
                index -= 1
                continue
            if kind != MARK and not (kind == WORDS and _JULIA.fullmatch(line.strip())):
                break
            if found := SLICE.match(line):
                part.slice, part.name = True, found["name"] or part.name
            elif found := R_HEADER.match(line):
                part.continues = not re.match(r"[ \t]*\[,1\]", line)
            elif found := COLUMN_MARK.match(line):
                part.continues = found[1] != "1"
            elif found := SCALE.match(line):
                scale = found[1]
            elif found := _JULIA.fullmatch(line.strip()):
                part.captioned = True
                part.sizes = [int(one) for one in found.groups() if one]
                part.first = index
                break
            else:
                break
            part.captioned, part.first = True, index
            index -= 1
        if (
            index >= 0
            and self._lines[index].rstrip().endswith(("=", ":"))
            and part.first - index <= 2
        ):
            part.captioned = True
        if scale:
            part.grid = [[_scaled(cell, scale) for cell in row] for row in part.grid]

    def _footer(self, part: Part) -> int:
        """The line of a note below a run; note what it says."""
        index = part.last + 1
        while index < len(self._lines) and self._kinds[index] == BLANK and index < part.last + 3:
            index += 1
        line = self._lines[index] if index < len(self._lines) else ""
        if _TRUNCATED.search(line):
            part.problem = UserError("paste.elided", row=len(part.grid))
            return index
        if found := FOOTER.match(line):
            part.captioned = True
            sizes = [int(one) for one in re.findall(r"\d+", found[1] or found[2] or "")]
            part.sizes = sizes[-2:] if len(sizes) > 1 else []
            return index
        if _SIZE_NOTE.match(line):
            return index
        if re.match(r"(?:Name: .*, )?dtype: \w+$", line) and {len(row) for row in part.grid} == {2}:
            part.grid = [row[1:] if row[0].isdecimal() else row for row in part.grid]  # a Series
            return index
        return part.last


def _is_header(cells: Sequence[str]) -> bool:
    """Whether words are a header, or constants such as e and pi a row."""
    if are_labels(cells) or all(map(is_number, cells)):
        return True
    return are_labels(cells[:1]) and all(map(str.isdecimal, cells[1:]))


def _with_joined_labels(grid: Grid) -> Grid:
    """Labels of several words as one cell: the cat 0.5 0.2."""
    if all(len(row) == len(grid[0]) for row in grid) and not any(
        len(row) > 2 and not is_cell(row[1]) for row in grid
    ):
        return grid
    joined = []
    for row in grid:
        lead = 0
        while lead < len(row) and not is_cell(row[lead]):
            lead += 1
        if lead == 1 and row[0].isdecimal():
            lead = 0
        index = 1 if row[0].isdecimal() and len(row) > 1 and not is_cell(row[1]) else 0
        if index:
            while lead < index or (lead < len(row) and not is_cell(row[lead])):
                lead += 1
        joined.append([" ".join(row[index:lead]), *row[lead:]] if lead > 1 else row)
    return joined


def _r_vector(part: Part, lines: list[str]) -> Part | None:
    """R's [1] 0.5 0.2, which counts the numbers at the start of each line."""
    cells: list[str] = []
    for line in lines:
        match = R_VECTOR.match(line)
        if match is None or int(match[1]) != len(cells) + 1:
            return None
        cells += line[match.end() :].split()
    part.grid, part.vector = [cells], True
    return part if len(cells) > 1 else None


def _scaled(cell: str, factor: str) -> str:
    if not re.fullmatch(r"[-+]?(?:\d+\.?\d*|\.\d+)", cell):
        return cell if not re.search(r"\d", cell) else f"({cell})*{factor}"
    power = re.fullmatch(r"1(?:\.0*)?(?:e([-+]?\d+))?", factor)
    if power:
        return f"{cell}e{int(power[1] or 0)}" if int(power[1] or 0) else cell
    tenth = re.fullmatch(r"0\.(0*)1|1(0*)", factor)
    if tenth:
        return f"{cell}e{len(tenth[2]) if tenth[1] is None else -len(tenth[1]) - 1}"
    return f"({cell})*{factor}"
