"""Matrices in lines: cells of spreadsheets, CSV, columns of spaces, Markdown and other drawn tables,
and what R, MATLAB, Octave, Julia, pandas, libtorch and Wolfram print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.base.errors import UserError
from core.exchange.expression import FAILED, NOT_A_NUMBER
from core.exchange.grid import Grid, is_number
from core.exchange.readers.block import Block
from core.exchange.readers.cells import cut, separator
from core.exchange.readers.doubts import may_be_decimals
from core.exchange.readers.headers import are_labels
from core.exchange.readers.source import TAKEN

MOST_LABEL_WORDS = 4

_SIMPLE = re.compile(r"[\s\d.,;+\-eE%/…⋯⋮⋱√^*×½⅓⅔¼¾]*")
_DIGIT_OR_DOTS = re.compile(r"\d|^[\s.…⋯⋮⋱]*(?:\.\.\.?|[…⋯⋮⋱])[\s.…⋯⋮⋱]*$")
_NUMBERISH = re.compile(
    r"\(?[-+]?(?:\d[\d,._]*|\.\d+)(?:[eE][-+]?\d+)?\)?\s?%?|[-+]?\d+/\d+|\.\.\.?|[…⋯⋮⋱]|NA|N/A",
    re.ASCII,
)
_ONE_COMMA = re.compile(r"\s*[-+]?\d+,\d+%?\s*", re.ASCII)
_R_ROW = re.compile(r"[ \t]*\[(\d+),\][ \t]")
_R_VECTOR = re.compile(r"[ \t]*\[(\d+)\][ \t]+(?=[-+.\dNI])")
_R_HEADER = re.compile(r"[ \t]*(?:\[,(\d+)\][ \t]*)+$")
_SLICE = re.compile(
    r"[ \t]*(?:\((?:\d+,)+\.,\.\)[ \t]*=|, , \w+|\[:, :, (?:\d+(?:, )?)+\][ \t]*=|(?P<name>\w+)\(:,:,\d+(?:,\d+)?\)[ \t]*=)[ \t]*$"
)
_COLUMN_MARK = re.compile(
    r"[ \t]*Columns?[ \t]+(\d+)(?:[ \t]+(?:through|to|and|thru)[ \t]+(\d+))?[ \t]*:?[ \t]*$", re.I
)
_SCALE = re.compile(
    r"[ \t]*(?:Columns.*:)?[ \t]*(\d+(?:\.\d*)?(?:e[-+]?\d+)?)[ \t]*\*[ \t]*$", re.I
)
_FOOTER = re.compile(
    r"[ \t]*\[[ \t]*(?:\w*\.)*\w*(?:Type|Tensor)\s*(?:\{([\d,]*)\}|of size ([\dx]+)[^\]]*)[ \t]*\](?:\[[^\]]*\])?[ \t]*$"
)
_SIZE_NOTE = re.compile(r"[ \t]*[\[(](\d+) rows?(?: x (\d+) columns?)?[\])][ \t]*$")
_TRUNCATED = re.compile(r"output was truncated|omitted|rows not shown|more rows", re.I)
_JULIA = re.compile(
    r"(?:.*[=\s])?(\d+)(?:×(\d+)|-element) .*(?:Matrix|Array|Vector|Adjoint|Transpose)\S*.*:$"
)
_RULE = re.compile(r"[ \t|+:=-]*(?:-|=){2}[ \t|+:=-]*$|[ \t|:]*-[ \t|:-]*\|[ \t|:-]*$")
_PIPED_NAME = re.compile(r"[ \t]*([^\W\d]\w*)[ \t]*[=≈][ \t]*(?=\|)")
_DECORATION = re.compile(r"(\*\*|__|`|\$)(.*)\1")
_DECORATING = ("*", "_", "`", "$")
_LABELLED = re.compile(r"[ \t]*([^\W\d][^:=\n]{0,40}?)[ \t]*[:=][ \t]*(?=[-+.\d√½(])")

_COUNTABLE = re.compile(r"[\d½⅓⅔¼¾⅕⅛π#]")

BLANK, BREAK, ROW, PIPE, RULE, WORDS, MARK = range(7)


@dataclass(slots=True)
class _Part:
    """A run of rows: first and last line, the cells, and what marks it."""

    first: int
    last: int
    grid: Grid
    slice: bool = False
    continues: bool = False
    labelled: bool = False
    ruled: bool = False
    mark: int = -1
    name: str | None = None
    vector: bool = False
    captioned: bool = False
    problem: UserError | None = None
    sizes: list[int] = field(default_factory=list)
    other: tuple[str, Grid] | None = None


def blocks(text: str, *, joining: bool = True) -> Iterator[Block]:
    """Every table in the lines of a text, with its headers still in it."""
    if not _DIGIT_OR_DOTS.search(text):
        return
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    parts = _Lines(lines).parts()
    for block, first, last in _assembled(parts, lines, joining):
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
        simple, digit = _SIMPLE.fullmatch, _DIGIT_OR_DOTS.search
        for line in lines:
            if not line or line.isspace():
                kinds.append(
                    BREAK if TAKEN in line else (ROW if "\t" in line and line.strip(" ") else BLANK)
                )
            elif simple(line) and digit(line) and not line.rstrip().endswith("*"):
                kinds.append(ROW)
            else:
                kinds.append(_kind(line))
        self._kinds = kinds

    def parts(self) -> list[_Part]:
        """The runs of rows."""
        kinds, index = self._kinds, 0
        found: list[_Part] = []
        while index < len(kinds):
            kind = kinds[index]
            end = index + 1
            if kind == ROW:
                while end < len(kinds) and (
                    kinds[end] == ROW or (kinds[end] == WORDS and self._is_damaged_row(index, end))
                ):
                    end += 1
                part = self._rows(index, end)
            elif kind == PIPE or (kind == RULE and kinds[end : end + 1] == [PIPE]):
                while end < len(kinds) and kinds[end] in (PIPE, RULE):
                    end += 1
                part = _piped(self._lines, index, end)
            else:
                part = None
            if part is not None:
                part.last = self._footer(part)
                if found and found[-1].last >= part.first:
                    found.pop()  # its only row was a header
                found.append(part)
            index = end
        return found

    def _rows(self, first: int, end: int) -> _Part | None:
        lines = self._lines[first:end]
        while lines and "\t" in lines[-1] and not lines[-1].strip():
            lines, end = lines[:-1], end - 1
        part = _Part(first, end - 1, [])
        if _R_VECTOR.match(lines[0]):
            above = self._lines[first - 1] if first else ""
            if re.search(r"\b(?:dim|length|shape|nrow|ncol)\(|(?:shape|size)\s*:?$", above):
                return None
            return _r_vector(part, lines)
        if _R_ROW.match(lines[0]):
            part.grid = [_R_ROW.sub("", line).split() for line in lines]
            part.captioned = True
            part.grid = [row[:-1] if row and row[-1] == "..." else row for row in part.grid]
        else:
            labels = [_LABELLED.match(line) for line in lines]
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
            elif not sign and part.first == first and (joined := _joined_thousands(part.grid)):
                part.other = ("thousands", joined)
        self._marks(part)
        return part if self._holds(part) else None

    def _is_damaged_row(self, first: int, index: int) -> bool:
        """Whether a line right below rows is one of them, with something else in place of a number."""
        sign = separator(self._lines[first:index][:50])
        cells, above = (_quietly_cut(self._lines[i], sign) for i in (index, index - 1))
        if "=" in cells or len(cells) < 2 or len(cells) > len(above):
            return False
        if len(cells) < len(above) and (sign or _is_cell(above[0]) or cells[-1][-1:] in ":."):
            return False
        numbers = [_is_cell(cell) for cell in cells]
        labelled = not _is_cell(above[0])
        return (
            numbers[0]
            or (bool(sign) and any(numbers))
            or (labelled and 2 * sum(numbers) >= len(cells) - 1)
        )

    def _holds(self, part: _Part) -> bool:
        """Whether a run is a matrix, not a number or two in a text."""
        grid = part.grid
        if not grid:
            return False
        numbers = [
            cell
            for row in grid[:3]
            for cell in row
            if _NUMBERISH.fullmatch(cell) or is_number(cell)
        ]
        if len(grid) == 1:
            plain = len(numbers) >= 2 and (
                len(numbers) == len(grid[0]) or any("." in cell or "," in cell for cell in numbers)
            )
            return plain or (part.captioned and bool(numbers))
        if max(map(len, grid)) == 1:
            return part.captioned or len(grid) >= 2
        return len(numbers) >= 2

    def _header(self, part: _Part, sign: str) -> None:
        """Put the line of words above into the grid if it has as many cells as the rows."""
        index = part.first - 1
        if index >= 0 and self._kinds[index] == RULE:
            index, part.ruled = index - 1, True
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

    def _marks(self, part: _Part) -> None:
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
            if found := _SLICE.match(line):
                part.slice, part.name = True, found["name"] or part.name
            elif found := _R_HEADER.match(line):
                part.continues = not re.match(r"[ \t]*\[,1\]", line)
            elif found := _COLUMN_MARK.match(line):
                part.continues = found[1] != "1"
            elif found := _SCALE.match(line):
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

    def _footer(self, part: _Part) -> int:
        """The line of a note below a run; note what it says."""
        index = part.last + 1
        while index < len(self._lines) and self._kinds[index] == BLANK and index < part.last + 3:
            index += 1
        line = self._lines[index] if index < len(self._lines) else ""
        if _TRUNCATED.search(line):
            part.problem = UserError("paste.elided", row=len(part.grid))
            return index
        if found := _FOOTER.match(line):
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


def _kind(line: str) -> int:
    """What a line is that holds more than digits and separators."""
    if TAKEN in line:
        return BREAK
    if _RULE.fullmatch(line):
        return RULE
    if "|" in line and (line.count("|") > 1 or re.search(r"\d", line)):
        return PIPE
    if _R_ROW.match(line) or _R_VECTOR.match(line):
        return ROW
    if any(pattern.match(line) for pattern in (_SLICE, _R_HEADER, _COLUMN_MARK, _SCALE, _FOOTER)):
        return MARK
    return ROW if _is_row(line) else WORDS


def _is_row(line: str) -> bool:
    """Whether a line of words and numbers is a row of a table: a label, then numbers."""
    if not _DIGIT_OR_DOTS.search(line) and not NOT_A_NUMBER.search(line):
        return False
    labelled = _LABELLED.match(line)
    if labelled and "\t" not in line:
        numbers = line[labelled.end() :]
        return _SIMPLE.fullmatch(numbers) is not None and len(numbers.split()) > 1
    for sign in ("\t", ";", ","):
        if sign not in line:
            continue
        label, _, numbers = line.partition(sign)
        if _SIMPLE.fullmatch(numbers) and numbers.count(sign) and not _COUNTABLE.search(label):
            return True
        cells = _quietly_cut(line, sign)
        lead = next((i for i, cell in enumerate(cells[:5]) if _is_cell(cell)), len(cells))
        rest = cells[lead:]
        if (
            lead <= 3
            and rest
            and len(cells) > 1
            and all(not cell or _is_cell(cell) for cell in rest)
        ):
            return sign != "," or len(rest) > 1 or lead == 0 or len(cells[0].split()) < 3
        if sign != "," and len(rest) > 1 and 2 * sum(map(_is_cell, rest)) >= len(rest):
            return True
    words = cut([line], "")[0]
    count = 0
    while count < len(words) and _is_cell(words[-1 - count]):
        count += 1
    lead = len(words) - count
    if count == 1 and 0 < lead <= MOST_LABEL_WORDS and re.search(r"\S[ \t]{2,}\S*\.\S*$", line):
        return "=" not in line  # a label and a number in columns, as pandas prints a Series
    if count < 2 or lead > MOST_LABEL_WORDS or "=" in line:
        return False
    start = 1 if words[0].isdecimal() and lead > 1 else 0
    return not any(
        re.search(r"\d[.,]|[,:;]$", word) and not _is_cell(word) and word != words[lead - 1]
        for word in words[start:lead]
    )


def _quietly_cut(line: str, sign: str) -> list[str]:
    try:
        return cut([line], sign)[0]
    except UserError:
        return []


def _is_cell(cell: str) -> bool:
    if not _COUNTABLE.search(cell):
        dots = bool(cell) and not cell.strip(".…⋯⋮⋱") and cell != "."
        return dots or NOT_A_NUMBER.fullmatch(cell) is not None or cell in ("NA", "N/A")
    if _NUMBERISH.fullmatch(cell) or NOT_A_NUMBER.fullmatch(cell) or FAILED.fullmatch(cell):
        return True
    return not cell.isalpha() and bool(cell) and is_number(cell)


def _with_joined_labels(grid: Grid) -> Grid:
    """Labels of several words as one cell: the cat 0.5 0.2."""
    if all(len(row) == len(grid[0]) for row in grid) and not any(
        len(row) > 2 and not _is_cell(row[1]) for row in grid
    ):
        return grid
    joined = []
    for row in grid:
        lead = 0
        while lead < len(row) and not _is_cell(row[lead]):
            lead += 1
        if lead == 1 and row[0].isdecimal():
            lead = 0
        index = 1 if row[0].isdecimal() and len(row) > 1 and not _is_cell(row[1]) else 0
        if index:
            while lead < index or (lead < len(row) and not _is_cell(row[lead])):
                lead += 1
        joined.append([" ".join(row[index:lead]), *row[lead:]] if lead > 1 else row)
    return joined


def _r_vector(part: _Part, lines: list[str]) -> _Part | None:
    """R's [1] 0.5 0.2, which counts the numbers at the start of each line."""
    cells: list[str] = []
    for line in lines:
        match = _R_VECTOR.match(line)
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


def _piped(lines: list[str], first: int, end: int) -> _Part | None:
    """A table drawn with |, of Markdown, a database or a box of signs."""
    name = None
    for i in range(first, end):
        if assigned := _PIPED_NAME.match(lines[i]):
            name, lines[i] = assigned[1], " " * assigned.end() + lines[i][assigned.end() :]
    rules = [i for i in range(first, end) if _RULE.fullmatch(lines[i])]
    rows = [_piped_cells(lines[i]) for i in range(first, end) if i not in rules]
    rows = [row[0].split() if len(row) == 1 else row for row in rows]
    if not rows:
        return None
    part = _Part(first, end - 1, [], captioned=True, name=name)
    part.ruled = any(first < i for i in rules)
    head = 0
    if part.ruled and not any(rows[0]):
        rows = rows[1:]
    while head < len(rows) and _is_header_row(rows[head]):
        head += 1
    if head == len(rows):
        return None
    if head > 1:
        rows = [rows[0], *rows[head:]]
    body = [cell for row in rows[1:] or rows for cell in row[1:] or row]
    if 2 * sum(map(_is_cell, body)) <= len(body) - body.count(""):
        return None
    part.grid = rows
    return part


def _is_header_row(row: list[str]) -> bool:
    """Whether a row of a drawn table has words alone, but for its first cell."""
    others = row[1:] or row
    return not any(map(_is_cell, others)) and (any(others) or not _is_cell(row[0]))


def _piped_cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    cells = [cell.strip() for cell in inner.split("|")]
    return [
        _DECORATION.sub(r"\2", cell) if cell.startswith(_DECORATING) else cell for cell in cells
    ]


def _assembled(
    parts: list[_Part], lines: list[str], joining: bool
) -> Iterator[tuple[Block, int, int]]:
    """Blocks from runs: wrapped columns beside each other, slices in a stack, lone rows joined."""
    groups: list[list[_Part]] = []
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
        doubtful = first.other is not None and len(group) == 1
        if first.other is not None and first.other[0] == "decimals":
            doubtful = doubtful and may_be_decimals(first.grid, alone=len(groups) == 1)
        problem = next((part.problem for part in group if part.problem), None) or _wrong_size(first)
        block = Block(
            [part.grid for part in group],
            0,
            0,
            name=next((part.name for part in group if part.name), None),
            table=True,
            ruled=first.ruled,
            axes=3 if len(group) > 1 else 2,
            other=first.other if doubtful else None,
            problem=problem,
        )
        yield block, first.first, group[-1].last


def _joined_thousands(grid: Grid) -> Grid | None:
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


def _is_lone(part: _Part) -> bool:
    return (len(part.grid) == 1 or part.labelled) and not part.captioned and not part.slice


def _wrong_size(part: _Part) -> UserError | None:
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
