"""What the grid shows of a state: one stage of one head, the learner's numbers and their marks. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from core.base.cell import Cell
from core.check import WRONG, Report
from core.check.answers import Written
from core.check.report import Index
from core.document.document import Document
from core.document.orientation import Orientation
from core.document.plan import STAGE_AXES
from gui.session.prediction import index_of
from gui.session.state import State
from gui.texts.names import axes_of, header

Place = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Sheet:
    """The grid of one stage. Rows and columns are those that are seen; `marks` are verdicts, and only for what stands
    in `numbers`. `state` answers which cells are asked for.
    """

    state: State
    stage: str
    head: int
    numbers: Mapping[Index, Written]
    marks: Mapping[Index, str]

    @property
    def document(self) -> Document:
        """The experiment."""
        return self.state.document

    @property
    def orientation(self) -> Orientation:
        """How rows and columns are seen."""
        return self.state.orientation

    @property
    def frame(self) -> tuple[object, ...]:
        """Two sheets with the same frame can be compared place by place."""
        return self.stage, self.head, self.shape, self.orientation

    @cached_property  # headers of a grid ask for it thousands of times
    def shape(self) -> tuple[int, int]:
        """Rows and columns as they are seen."""
        rows, columns = self.document.stage_shape(self.stage)[-2:]
        return self.orientation.pair(rows, columns)

    def cell(self, row: int, column: int) -> Cell:
        """The address of what is seen at a place."""
        row, column = self.orientation.pair(row, column)
        return Cell(self.stage, row, column, self.head)

    def place(self, cell: Cell) -> tuple[int, int] | None:
        """Where a cell is seen; None if it is not in this sheet."""
        if (cell.tensor, cell.head) != (self.stage, self.head):
            return None
        return self.orientation.pair(cell.row, cell.column)

    def number(self, row: int, column: int) -> Written | None:
        """What is written at a place."""
        return self.numbers.get(index_of(self.cell(row, column)))

    def mark(self, row: int, column: int) -> str:
        """The verdict on a place, "" where there is none."""
        return self.marks.get(index_of(self.cell(row, column)), "")

    def asks(self, row: int, column: int) -> bool:
        """Whether a place is hidden and to be predicted."""
        cell = self.cell(row, column)
        return self.state.is_predicted(cell.tensor, cell.row, cell.column)

    def label(self, section: int, *, across: bool) -> str:
        """The name of a column (across) or of a row."""
        axes = self.orientation.pair(*axes_of(self.stage))
        return header(self.stage, axes[1 if across else 0], section, self.document)


def sheet_of(state: State, stage: str, report: Report | None) -> Sheet:
    """The sheet of a stage, with the marks of a report."""
    head = state.cursor.head if STAGE_AXES[stage][0] == "h" else 0
    marks = (
        {mark.index: mark.verdict for mark in report.marks if mark.stage == stage} if report else {}
    )
    return Sheet(state, stage, head, state.entries.get(stage, {}), marks)


def stages_of(state: State) -> tuple[str, ...]:
    """The stages that can be worked out, in order."""
    return tuple(stage.id for stage in state.trace.plan if not stage.entered)


def usual_stage(state: State) -> str:
    """The current stage, or the first one after it that is worked out."""
    plan, known = state.trace.plan, stages_of(state)
    here = plan.index(state.cursor.stage)
    return next((stage for stage in known if plan.index(stage) >= here), known[-1])


def next_blank(sheet: Sheet, row: int, column: int) -> Place | None:
    """The first hidden place without a number after a place, down the columns; from the start again; None if none."""
    return next(
        (
            place
            for place in _asked_after(sheet, row, column, down=True)
            if sheet.number(*place) is None
        ),
        None,
    )


def next_open(sheet: Sheet, row: int, column: int) -> Place | None:
    """The next hidden place without a number; where all have one, the next that is wrong, here last of all."""
    blank = next_blank(sheet, row, column)
    wrong = (
        place
        for place in _asked_after(sheet, row, column, down=True)
        if sheet.mark(*place) == WRONG
    )
    return next(wrong, None) if blank is None else blank


def next_asked(sheet: Sheet, row: int, column: int, way: int) -> Place | None:
    """The next hidden place in reading order, or the one before (way −1); round at the ends."""
    return next(_asked_after(sheet, row, column, way), None)


def _asked_after(
    sheet: Sheet, row: int, column: int, way: int = 1, *, down: bool = False
) -> Iterator[Place]:
    """The hidden places behind a place, round at the ends, itself last: along the rows, or down the columns."""
    rows, columns = sheet.shape
    start, length = (column * rows + row, rows) if down else (row * columns + column, columns)
    for step in range(1, rows * columns + 1):
        line, entry = divmod((start + way * step) % (rows * columns), length)
        place = (entry, line) if down else (line, entry)
        if sheet.asks(*place):
            yield place
