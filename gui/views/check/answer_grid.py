"""The grid of one stage and head: the learner's numbers, their marks, and pasted texts. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.base.cell import Cell
from core.base.errors import UserError
from core.check.answers import Answer, Index, TextMatrix, parse_answer, without_labels
from core.check.report import WRONG, CheckReport
from core.document.document import Document
from core.document.orientation import Orientation
from core.document.parts import is_headwise
from core.exchange.paste import parse_cells
from gui.session.answers import index_of
from gui.session.state import State
from gui.texts.errors import error_message
from gui.texts.names import axes_of, header
from gui.texts.translation import tr

Place = tuple[int, int]


@dataclass(frozen=True, eq=False)
class AnswerGrid:
    """The numbers of one stage and head, with rows and columns as displayed.

    `marks` are the verdicts on cells of `numbers`.
    """

    state: State
    stage: str
    head: int
    numbers: Mapping[Index, Answer]
    marks: Mapping[Index, str]

    @property
    def document(self) -> Document:
        """The experiment."""
        return self.state.document

    @property
    def orientation(self) -> Orientation:
        """How rows and columns are displayed."""
        return self.state.orientation

    @property
    def frame(self) -> tuple[object, ...]:
        """Grids with an equal frame have the same cells."""
        return self.stage, self.head, self.shape, self.orientation

    @cached_property  # headers ask for it thousands of times
    def shape(self) -> tuple[int, int]:
        """Rows and columns as displayed."""
        rows, columns = self.document.stage_shape(self.stage)[-2:]
        return self.orientation.pair(rows, columns)

    def cell(self, row: int, column: int) -> Cell:
        """The cell displayed at a place."""
        row, column = self.orientation.pair(row, column)
        return Cell(self.stage, row, column, self.head)

    def place(self, cell: Cell) -> tuple[int, int] | None:
        """Where a cell is displayed; None if it is not in this grid."""
        if (cell.tensor, cell.head) != (self.stage, self.head):
            return None
        return self.orientation.pair(cell.row, cell.column)

    def number(self, row: int, column: int) -> Answer | None:
        """The number entered at a place."""
        return self.numbers.get(index_of(self.cell(row, column)))

    def mark(self, row: int, column: int) -> str:
        """The verdict on a place, "" where there is none."""
        return self.marks.get(index_of(self.cell(row, column)), "")

    def is_predicted(self, row: int, column: int) -> bool:
        """Whether the cell at a place is to be predicted."""
        cell = self.cell(row, column)
        return self.state.is_predicted(cell.tensor, cell.row, cell.column)

    def label(self, section: int, *, across: bool) -> str:
        """The name of a column (`across`) or of a row."""
        axes = self.orientation.pair(*axes_of(self.stage))
        return header(self.stage, axes[1 if across else 0], section, self.document)


def answer_grid(state: State, stage: str, report: CheckReport | None) -> AnswerGrid:
    """The grid of a stage, with the marks of a report."""
    head = state.cursor.head if is_headwise(stage) else 0
    marks = (
        {mark.index: mark.shown for mark in report.marks if mark.stage == stage} if report else {}
    )
    return AnswerGrid(state, stage, head, state.entries.get(stage, {}), marks)


def stages_of(state: State) -> tuple[str, ...]:
    """The computed stages, in order."""
    return tuple(stage.id for stage in state.trace.plan if not stage.entered)


def usual_stage(state: State) -> str:
    """The current stage, or the first computed one after it, or the last computed one.

    The current one, too, where nothing is computed: a stack whose only layer is off may have X alone.
    """
    plan, known = state.trace.plan, stages_of(state)
    here = plan.index(state.cursor.stage)
    ahead = (stage for stage in known if plan.index(stage) >= here)
    return next(ahead, known[-1] if known else state.cursor.stage)


def next_blank(grid: AnswerGrid, row: int, column: int) -> Place | None:
    """The next hidden place without a number, down the columns and round; None if there is none."""
    return next(
        (
            place
            for place in _predicted_after(grid, row, column, down=True)
            if grid.number(*place) is None
        ),
        None,
    )


def next_open(grid: AnswerGrid, row: int, column: int) -> Place | None:
    """The next hidden place without a number; where all have one, the next wrong one."""
    blank = next_blank(grid, row, column)
    wrong = (
        place
        for place in _predicted_after(grid, row, column, down=True)
        if grid.mark(*place) == WRONG
    )
    return next(wrong, None) if blank is None else blank


def next_predicted(grid: AnswerGrid, row: int, column: int, by: int) -> Place | None:
    """The next hidden place in reading order, or the previous one (`by` −1), and round."""
    return next(_predicted_after(grid, row, column, by), None)


def _predicted_after(
    grid: AnswerGrid, row: int, column: int, by: int = 1, *, down: bool = False
) -> Iterator[Place]:
    """The hidden places after a place and round, itself last, along rows or down columns."""
    rows, columns = grid.shape
    start, length = (column * rows + row, rows) if down else (row * columns + column, columns)
    for step in range(1, rows * columns + 1):
        line, entry = divmod((start + by * step) % (rows * columns), length)
        place = (entry, line) if down else (line, entry)
        if grid.is_predicted(*place):
            yield place


class PasteError(ValueError):
    """Why pasted numbers are refused, as a sentence."""


def parse_answers(
    text: str, grid: AnswerGrid, places: Sequence[Place]
) -> dict[Index, Answer | None]:
    """Read the numbers of a text, by their index in the stage.

    One matrix goes to the first of some places (a whole one to the corner), one number to all of
    them, one matrix per head to all heads. Blank cells are left out. Raises PasteError.
    """
    try:
        matrices: list[TextMatrix] = [*parse_cells(text)]
    except UserError as problem:
        raise PasteError(error_message(problem)) from problem
    rows, columns = grid.shape
    shape = grid.document.stage_shape(grid.stage)
    heads = shape[0] if len(shape) == 3 else 1
    matrices = [without_labels(matrix, rows, columns) for matrix in matrices]
    if len(matrices) == 1 and heads > 1 and len(matrices[0]) == heads * rows:
        matrices = [matrices[0][head * rows : (head + 1) * rows] for head in range(heads)]
    if len(matrices) == 1:
        if len(matrices[0]) == len(matrices[0][0]) == 1 and len(places) > 1:
            number = _parse_number(matrices[0][0][0], 0, 0)
            return {index_of(grid.cell(*place)): number for place in places}
        row, column = (min(place[axis] for place in places) for axis in (0, 1))
        return _answers_at(matrices[0], grid, grid.head, row, column)
    if len(matrices) != heads:
        raise PasteError(
            tr(
                "These are {actual} matrices; the stage has {expected}, one per head.",
                actual=len(matrices),
                expected=heads,
            )
        )
    found: dict[Index, Answer | None] = {}
    for head, matrix in enumerate(matrices):
        found |= _answers_at(matrix, grid, head, 0, 0)
    return found


def _answers_at(
    matrix: TextMatrix, grid: AnswerGrid, head: int, row: int, column: int
) -> dict[Index, Answer | None]:
    height, width = len(matrix), max(map(len, matrix))
    rows, columns = grid.shape
    if (height, width) == (rows, columns):
        row = column = 0
    if height > rows - row or width > columns - column:
        raise PasteError(
            tr(
                "The block is {height} × {width}, but only {rows} × {columns} fit from here.",
                height=height,
                width=width,
                rows=rows - row,
                columns=columns - column,
            )
        )
    found: dict[Index, Answer | None] = {}
    for i, line in enumerate(matrix):
        for j, text in enumerate(line):
            number = _parse_number(text, i, j)
            if number is not None:
                found[_index(grid, head, row + i, column + j)] = number
    return found


def _parse_number(text: str, row: int, column: int) -> Answer | None:
    try:
        return parse_answer(text)
    except UserError as problem:
        raise PasteError(
            tr(
                "Row {row}, column {column} of the block: {sentence}",
                row=row + 1,
                column=column + 1,
                sentence=error_message(problem),
            )
        ) from problem


def _index(grid: AnswerGrid, head: int, row: int, column: int) -> Index:
    index = index_of(grid.cell(row, column))
    return (head, *index[1:]) if len(index) == 3 else index
