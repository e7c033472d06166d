"""Find every matrix in a text: `find_matrices`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.base.arrays import Array, sealed
from core.base.errors import UserError
from core.exchange.expression import quoted
from core.exchange.grid import Grid, numbers
from core.exchange.readers import brackets, latex, tables
from core.exchange.readers.block import Block
from core.exchange.readers.cell_lists import joined_cells
from core.exchange.readers.doubts import cell_readings
from core.exchange.readers.headers import TableReading, readings
from core.exchange.readers.naming import NEAR, name_before
from core.exchange.readers.notations import LINEAR_WEIGHT, TENSOR_NAME
from core.exchange.readers.source import Source, hidden

_SEVERAL = re.compile(r"(?:^|\n)[ \t]*((?:[^\W\d]\w*[ \t]*,[ \t]*)+[^\W\d]\w*)[ \t]*=[ \t]*$")
_CHAINED = re.compile(  # what joins the matrices of one formula
    r"(?:[ \t)(&$.\]\[]|\n[ \t]*(?=[=≈&\\])|=|≈|@|\*|·|×|\\(?:approx|simeq|cdot|times|left|right|\\)(?![a-z]))+"
)
_PLACE = (  # (0, 2)  1.5 of SciPy and MATLAB, [1, 3]  =  1.5 of Julia
    r"^[ \t]*(?:\(\d+,(?: \d+|\d{1,2}|\d{4,})\)[ \t]+|\[\d+, ?\d+\][ \t]+=[ \t]+)[-+]?\d\S*[ \t]*$"
)
_SPARSE = re.compile(rf"{_PLACE}(?:\n{_PLACE})*", re.MULTILINE)
_FUNCTION = r"(softmax|exp|log|ln|sqrt|tanh|relu|gelu|sigmoid|layer_?norm|norm)\b\}?[ ]?"
_FUNCTION_BEFORE = re.compile(  # softmax( and \exp\left[ of formulas
    rf"(?:\\(?:\w+\{{)?|\b){_FUNCTION}(?:\\[,!]|\\(?:left|[bB]igg?l?)[ ]?)*[({{\[][ \n]*(?:\\left[ ]?[(\[])?$"
    rf"|\\(?:\w+\{{)?{_FUNCTION}(?:\\left[ ]?)?$",
    re.IGNORECASE,
)
_RESULT = re.compile(r"(?:[ \n)\]}]|\\right[)\]]|\\[bB]igg?r?[)\]])*(?:=|≈|\\approx|\\simeq)")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
NOTHING = sealed(np.empty((0, 0)))
MOST_DECIMALS = 300
_DIGITS = re.compile(r"[.,](\d+)")
_DECIMALS = re.compile(r"[.,](\d+)(?:e([-+]?\d+))?|\de([-+]?\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A matrix that a text may mean. `caption` is a key of gui.texts: "thousands", "decimals" …"""

    caption: str
    matrix: Array
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What a text leaves open: the error that asks, and the readings to choose from."""

    problem: UserError
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FoundMatrix:
    """A matrix in a text.

    `name` is as the text has it. `matrix` is the first reading, 0 × 0 where the text is refused;
    −∞ and NaN are in it, with a refusal. Matrices of a stack have the same name, start and end.
    `decimals` are the most of any entry, `start` and `end` offsets in the text, `line` counts from
    1.
    """

    name: str | None
    matrix: Array
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    decimals: int
    line: int
    start: int
    end: int
    question: Question | None = None
    refusal: UserError | None = None

    @property
    def is_masked(self) -> bool:
        """Whether it is refused for −∞ alone, which a mask puts into scores."""
        infinite = self.refusal is not None and self.refusal.code == "number.infinite"
        return infinite and self.matrix.size > 0 and bool((self.matrix < np.inf).all())


def find_matrices(text: str) -> list[FoundMatrix]:
    """Every matrix in a text, in order; a bad one has a refusal or a question, none raises."""
    source = Source(text)
    return [found for block in find_blocks(source) for found in _found(source, block)]


def find_blocks(source: Source, *, joining: bool = True) -> list[Block]:
    """The cells of every matrix in a text, named; see `tables.blocks` for `joining`."""
    found = [
        Block([], *run.span(), problem=UserError("paste.sparse"))
        for run in _SPARSE.finditer(source.text)
    ]
    source.take([(block.start, block.end) for block in found])
    if "\\" in source.text:
        found += latex.blocks(source.text)
        source.take([(block.start, block.end) for block in found])
    marked = list(_printed(source.text)) if "[" in source.text or "(" in source.text else []
    bracketed = hidden(source.text, marked, " ")
    if "\\" in bracketed:
        bracketed = re.sub(r"\\[\[\](){}]", "  ", bracketed)
    if any(sign in bracketed for sign in "[({"):
        within = list(brackets.blocks(bracketed))
        found += [
            block
            for block, before in zip(within, [None, *within], strict=False)
            if not _is_shape(source.text, block, before)
        ]
        source.take([(block.start, block.end) for block in within])
    streamed = list(tables.streamed(source.text)) if "<<" in source.text else []
    found += streamed
    source.take([(block.start, block.end) for block in streamed])
    bare_latex = latex.looks_like_rows(source.text)
    if bare_latex:
        rows = list(_latex_rows(source.text))
        found += rows
        source.take([(block.start, block.end) for block in rows])
    found += tables.blocks(source.text, joining=joining)
    found = joined_cells(source.text, sorted(found, key=lambda block: block.start))
    _mark_arguments(source, found)
    _name(source, found)
    return _merged(source, found)


def _is_shape(text: str, block: Block, before: Block | None) -> bool:
    """Whether (2, 3) is the shape of the matrix before it."""
    if before is None or not before.grids or block.axes != 1 or not block.grids:
        return False
    if text[block.start] != "(" or text[before.end : block.start].strip():
        return False
    sizes = [str(len(before.grids[0])), str(len(before.grids[0][0]))]
    return before.axes == 2 and block.grids[0][0] == sizes


def _printed(text: str) -> Iterator[tuple[int, int]]:
    """Lines with brackets that belong to the tables reader: R's [1,], libtorch's footers."""
    for match in re.finditer(
        r"^[ \t]*(?:\[\d*,\d*\].*|\[\d+\][ \t]+[-+.\dNI].*|\((?:\d+,)+\.,\.\).*|\[:, :, .*\][ \t]*=|\w+\(:,:,\d+\).*"
        r"|\[[ \t]*[\w.]*(?:Type|Tensor)\b.*\][ \t]*)$",
        text,
        re.MULTILINE,
    ):
        line = match[0]
        if re.match(r"[ \t]*\[\d+,\d", line) and not re.match(r"[ \t]*\[\d+,\][ \t]", line):
            continue
        if re.match(r"[ \t]*\[\d+\][ \t]", line) and re.search(r"[\[(]\s*[-.\d]", line[4:]):
            continue
        yield match.span()


def _latex_rows(text: str) -> Iterator[Block]:
    """Rows of LaTeX that lost their environment."""
    for match in re.finditer(r"(?:[^\n\0]*\S[^\n\0]*(?:\n|$))+", text):
        piece = match[0]
        if not latex.looks_like_rows(piece):
            continue
        grid = latex.latex_rows(piece)
        cells = [cell for row in grid for cell in row]
        if (
            grid
            and sum(bool(re.search(r"\d", cell)) for cell in cells) * 2 > len(cells)
            and not re.search(r"[=]", piece)
        ):
            yield Block([grid], match.start(), match.start() + len(piece.rstrip()), table=True)


def _mark_arguments(source: Source, found: list[Block]) -> None:
    """Refuse M of A = softmax(M); give the name to R in A = softmax(M) = R."""
    text, name = source.text, None
    for block in found:
        start = max(0, block.start - NEAR)
        function = _FUNCTION_BEFORE.search(text[start : block.start])
        if function is None or block.problem is not None:
            block.name, name = name or block.name, None
            continue
        end = start + function.start()
        name = name_before(text[start:end], source.plain[start:end])
        if _RESULT.match(text, block.end):
            block.name = ""
        else:
            block.name, name = name, None
            block.problem = UserError("paste.leftover", text=function[1] or function[2])


def _name(source: Source, found: list[Block]) -> None:
    previous, waiting, chain = 0, list[str](), None
    for block in found:
        gap = source.text[previous : block.start]
        start = max(previous, block.start - 400)
        if waiting and gap.strip() == "," and block.name is None:
            block.name = waiting.pop(0)
        elif block.name is None and (several := _SEVERAL.search(gap[-200:])):
            block.name, *waiting = re.split(r"\s*,\s*", several[1])
        elif not block.name and previous and len(gap) < 40 and _CHAINED.fullmatch(gap):
            block.name = chain if block.name is None else None  # Q = [[…]] [[…]] = [[…]]
        elif not block.name:
            chain = name_before(source.text[start : block.start], source.plain[start : block.start])
            block.name = chain if block.name is None else None
            waiting = []
        previous = max(previous, block.end)


def _merged(source: Source, found: list[Block]) -> list[Block]:
    """Vectors of words on lines one after the other as one matrix: cat = [1, 2], dog = [3, 4]."""
    merged: list[Block] = []
    group: list[Block] = []
    for block in [*found, None]:
        if (
            block is not None
            and _is_word_vector(block)
            and (not group or _follows(source, group[-1], block))
        ):
            group.append(block)
            continue
        merged += _as_one(group)
        group = []
        if block is not None:
            if _is_word_vector(block):
                group = [block]
            else:
                merged.append(block)
    return merged


def _is_word_vector(block: Block) -> bool:
    if block.axes != 1 or block.problem or block.name is None or len(block.grids[0]) != 1:
        return False
    return TENSOR_NAME.fullmatch(_plain_name(block).replace(" ", "_")) is None


def _plain_name(block: Block) -> str:
    return (block.name or "").translate(_SUBSCRIPTS)


def _follows(source: Source, before: Block, block: Block) -> bool:
    if len(before.grids[0][0]) != len(block.grids[0][0]):
        return False
    gap = source.plain[before.end : block.start]
    if len(gap) > 120 or gap.count("\n") > 2:
        return False
    return min(len(_plain_name(before)), len(_plain_name(block))) > 1


def _as_one(group: list[Block]) -> list[Block]:
    if len(group) < 2:
        return group
    rows = [row for block in group for row in block.grids[0]]
    names = tuple(block.name or "" for block in group)
    return [Block([rows], group[0].start, group[-1].end, rows=names)]


def _found(source: Source, block: Block) -> Iterator[FoundMatrix]:
    place = (source.line(block.start), source.place(block.start), source.place(block.end))
    if block.problem is not None or not block.grids:
        yield FoundMatrix(block.name, NOTHING, (), (), 0, *place, refusal=block.problem)
        return
    for grid in block.grids:
        yield found_in(block, grid, place)


def found_in(block: Block, grid: Grid, place: tuple[int, int, int] = (1, 0, 0)) -> FoundMatrix:
    """The matrix of one grid of a block."""
    question, refusal = None, None
    found = [TableReading("", grid)]
    try:
        found = table_readings(block, grid)
        first = found[0]
        matrices = [numbers(reading.cells) for reading in found]
        question = _question(block, grid, found, matrices)
    except UserError as problem:
        first = found[0]
        refusal = shifted(problem, first.top, first.left)
        matrices = [_with_infinities(first.cells, problem)]
    return FoundMatrix(
        block.name,
        matrices[0],
        first.rows,
        first.columns,
        _decimals(first.cells),
        *place,
        question,
        refusal,
    )


def table_readings(block: Block, grid: Grid) -> list[TableReading]:
    """Every reading of a table's headers and cells, the likeliest first."""
    if not block.table and block.other is None:
        return [TableReading("", grid, block.rows, block.columns)]
    if block.other is not None:
        caption, cells = block.other
        if len(grid) == 1 and caption == "decimals":
            raise UserError("paste.ambiguous", text=",".join(grid[0]))
        return [TableReading("columns", grid), TableReading(caption, cells)]
    found = readings(grid)
    if len(found) == 1:
        only = found[0]
        return [
            TableReading(caption, cells, only.rows, only.columns, only.top, only.left)
            for caption, cells in cell_readings(only.cells, block.name)
        ]
    return found


def _question(
    block: Block, grid: Grid, found: Sequence[TableReading], matrices: Sequence[Array]
) -> Question | None:
    if len(found) > 1:
        asked = tuple(
            Reading(reading.caption, matrix, reading.rows, reading.columns)
            for reading, matrix in zip(found, matrices, strict=True)
        )
        if found[0].caption == "data":
            column = found[1].caption == "column"
            header = [row[found[1].left - 1] for row in grid] if column else grid[0]
            text = quoted(" ".join(header))
            return Question(UserError("paste.header", text=text), asked)
        decimal = block.other is not None and block.other[0] == "decimals"
        text = quoted(" ".join(found[1].cells[0] if decimal else grid[0]))
        return Question(UserError("paste.doubt", text=text), asked)
    if block.name and LINEAR_WEIGHT.fullmatch(block.name):
        matrix = matrices[0]
        asked = (
            Reading("transposed", sealed(np.ascontiguousarray(matrix.T))),
            Reading("as written", matrix),
        )
        return Question(UserError("paste.transposed", name=block.name), asked)
    return None


def _with_infinities(cells: Grid, problem: UserError) -> Array:
    """The numbers with −∞ for masked scores, for a refused matrix; 0 × 0 if they cannot be read."""
    if problem.code != "number.infinite":
        return NOTHING
    try:
        plain = [
            [re.sub(r"^([-+]?)\s*.*(?:inf|∞|oo).*$", r"\1inf", cell, flags=re.I) for cell in row]
            for row in cells
        ]
        return sealed(np.array([[float(cell) for cell in row] for row in plain]))
    except ValueError:
        return NOTHING


def _decimals(cells: Grid) -> int:
    """The most decimals that an entry is written with."""
    most = 0
    for row in cells:
        text = " ".join(row)
        if "e" not in text and "E" not in text:
            most = max(most, max(map(len, _DIGITS.findall(text)), default=0))
            continue
        for digits, power, whole in _DECIMALS.findall(text):
            most = max(most, len(digits) - int(power or whole or 0))
    return min(most, MOST_DECIMALS)


def shifted(problem: UserError, top: int, left: int) -> UserError:
    """The error with the place in the table with its headers."""
    places = {
        key: problem.data[key] + by
        for key, by in (("row", top), ("column", left))
        if key in problem.data
    }
    return UserError(problem.code, **{**problem.data, **places})
