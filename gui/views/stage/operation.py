"""The operation that the stage view shows: its marked cell, its matrices and operators, and how they are made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from msgspec import Struct

from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.document.parts import STAGE_AXES
from core.explain.timeline import Reach
from core.stages import Plan, Stage, spec_of
from gui.painting.color_scale import Levels, levels_of, scores_behind, stage_levels
from gui.session.state import State
from gui.texts.names import ROLES, key_axis, query_axis, stage_label, stage_symbol, visible_token
from gui.texts.rich_text import Line, Span

Range = tuple[int, int] | None
TIMES = "·"  # between two matrices


class OperandAxis(Struct, frozen=True):
    """One axis that operands share: its size, the place around which a window opens, and its tokens if it has any."""

    size: int
    focus: int = 0
    tokens: tuple[str, ...] | None = None

    def label(self, index: int) -> str:
        """What stands beside a row or below a column: a token, or a number counted from 1."""
        return str(index + 1) if self.tokens is None else visible_token(self.tokens[index])


class CellMark(Struct, frozen=True):
    """A frame around cells (half-open ranges; None = all) in the colour of a role; "result" is the marked cell."""

    rows: Range
    columns: Range
    role: str


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """One matrix of the operation.

    `tensor` is the stage or entered tensor whose cells it shows, "" for what nobody can focus (a row's maximum, a
    mask). `rows` and `columns` name its axes; `row_name` and `column_name` say what attention rows and columns are.
    `shown`, `asked`, `scores` and `by_column` are as in gui.painting.matrix.Picture; `whole_numbers` writes 0 in place of 0.00.
    Rows that the matrix to the left has already named are not `labelled` again. `aside`: the title stands at the left.
    """

    title: Line
    values: Array
    levels: Levels
    rows: str
    columns: str
    tensor: str = ""
    head: int = 0
    row_name: str = ""
    column_name: str = ""
    shown: tuple[int, int] | None = None
    predicted: tuple[int, int] | None = None
    scores: Array | None = None
    transposed: bool = False
    marks: tuple[CellMark, ...] = ()
    off: bool = False
    whole_numbers: bool = False
    names_rows: bool = True
    by_column: bool = False
    title_left: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class OperandStack:
    """Matrices of the same columns one below the other; `before` and `after` say that others are left out."""

    operands: tuple[Operand, ...]
    before: bool = False
    after: bool = False


class Rotation(Struct, frozen=True):
    """A pair of numbers as a point, before and after it turned about 0, in the colour of a role."""

    before: tuple[float, float]
    after: tuple[float, float]
    role: str


class Operator(Struct, frozen=True):
    """A sign between two matrices, with a note above it where it needs one; `turn` is drawn in place of the text."""

    text: str
    above: str = ""
    rotation: Rotation | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """All that stands in the row, and the axes it runs over: i is the result's row, j its column."""

    axes: dict[str, OperandAxis]
    items: tuple[Operand | OperandStack | Operator, ...]
    document: Document = field(repr=False)

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The matrices."""
        return tuple(operand for item in self.items for operand in operands_of(item))

    @property
    def sizes(self) -> dict[str, int]:
        """The size of each axis."""
        return {name: axis.size for name, axis in self.axes.items()}


def with_axis_names_of(shown: Operation, other: Operation) -> Operation:
    """An operation whose rows and columns are called as those of another wording of it."""
    items = tuple(map(_with_axes_of, shown.items, other.items))
    return Operation(shown.axes, items, shown.document)


def _with_axes_of(
    item: Operand | OperandStack | Operator, other: Operand | OperandStack | Operator
) -> Operand | OperandStack | Operator:
    if isinstance(item, Operand) and isinstance(other, Operand):
        return replace(item, row_name=other.row_name, column_name=other.column_name)
    return other if isinstance(item, OperandStack) else item


def operands_of(item: Operand | OperandStack | Operator) -> tuple[Operand, ...]:
    """The matrices of an item; a sign has none."""
    if isinstance(item, Operator):
        return ()
    return item.operands if isinstance(item, OperandStack) else (item,)


def oriented(
    orientation: Orientation, item: Operand | OperandStack | Operator
) -> Operand | OperandStack | Operator:
    """An item of an operation in a convention. What the operands were made of does not change."""
    if isinstance(item, Operator) or not orientation.columns:
        return item
    if isinstance(item, OperandStack):
        return replace(
            item, operands=tuple(_transposed(orientation, operand) for operand in item.operands)
        )
    return _transposed(orientation, item)


def _transposed(orientation: Orientation, operand: Operand) -> Operand:
    rows, columns = orientation.pair(operand.rows, operand.columns)
    row_name, column_name = orientation.pair(operand.row_name, operand.column_name)
    return replace(
        operand,
        values=orientation.matrix(operand.values),
        rows=rows,
        columns=columns,
        row_name=row_name,
        column_name=column_name,
        transposed=not operand.transposed,
        by_column=True,
        scores=None if operand.scores is None else orientation.matrix(operand.scores),
        marks=tuple(
            CellMark(*orientation.pair(mark.rows, mark.columns), mark.role)
            for mark in operand.marks
        ),
    )


class Target(Struct, frozen=True):
    """What is looked at.

    `cell` is the result's cell that is worked out, of the stage that is shown; `lead` says that a row's sub-step
    (its maximum or its sum) is worked out in its place. `stands`: the result is already there. `ahead`: the whole
    stage is not reached yet. `elsewhere`: it is not the cursor's stage.
    """

    cell: Cell
    is_substep: bool
    is_visible: bool
    is_ahead: bool
    is_elsewhere: bool

    @property
    def stage(self) -> str:
        """The stage that is shown."""
        return self.cell.tensor


def target(state: State) -> Target:
    """The focused stage, reached or not, or the first reader of a focused entered tensor, else the cursor's stage."""
    plan, cursor = state.trace.plan, state.cursor
    stage_id = _stage_in_focus(plan, state)
    cell = _cell(state, stage_id)
    stands = cell_stands(state, cell)
    here = stage_id == cursor.stage
    lead = here and cursor.reach is Reach.LEAD and cell.row == cursor.row and not stands
    return Target(cell, lead, stands, plan.index(stage_id) > plan.index(cursor.stage), not here)


def _stage_in_focus(plan: Plan, state: State) -> str:
    tensor = state.focus.tensor
    if tensor in plan:
        return tensor
    readers = [stage.id for stage in plan if tensor in stage.inputs]
    return readers[0] if readers else state.cursor.stage


def _cell(state: State, stage_id: str) -> Cell:
    """The focus itself, or the cell that the focused weight feeds in the cursor's row."""
    focus, cursor = state.focus, state.cursor
    rows, columns = state.document.stage_shape(stage_id)[-2:]
    head = cursor.head if STAGE_AXES[stage_id][0] == "h" else 0
    if focus.tensor == stage_id:
        return Cell(stage_id, min(focus.row, rows - 1), min(focus.column, columns - 1), head)
    column = focus.column if focus.tensor in state.trace.plan[stage_id].inputs else cursor.column
    return Cell(stage_id, min(cursor.row, rows - 1), min(column, columns - 1), head)


def cell_stands(state: State, cell: Cell) -> bool:
    """Whether the cursor has reached a cell of a stage."""
    return state.is_visible(cell.tensor, cell.row, cell.column)


def is_predicted(state: State, target: Target) -> bool:
    """Whether the marked cell is hidden and to be predicted."""
    return state.is_predicted(target.stage, target.cell.row, target.cell.column)


class OperandFactory:
    """Makes operands out of one state; it holds nothing that outlives the operation."""

    def __init__(self, state: State, target: Target) -> None:
        self.state, self.target = state, target
        self.document, self.trace, self.orientation = state.document, state.trace, state.orientation
        self.stage: Stage = state.trace.plan[target.stage]
        self.row, self.column, self.head = target.cell.row, target.cell.column, target.cell.head
        self.axes: dict[str, OperandAxis] = {"one": OperandAxis(1)}
        rows, columns = self.document.stage_shape(target.stage)[-2:]
        self.axes["i"] = OperandAxis(rows, self.row, self.document.row_tokens(target.stage))
        self.axes["j"] = OperandAxis(
            columns, self.column, self.document.labels(self.stage.axes[-1])
        )

    @property
    def source(self) -> str:
        """The first stage that is read."""
        return self.stage.reads[0]

    @property
    def this_row(self) -> Range:
        """The marked cell's row."""
        return self.row, self.row + 1

    @property
    def this_column(self) -> Range:
        """The marked cell's column."""
        return self.column, self.column + 1

    def operand(
        self, stage_id: str, rows: str, columns: str, *marks: CellMark, head: int | None = None
    ) -> Operand:
        """A stage's matrix as far as the cursor has reached it."""
        head = self.head if head is None else head
        head = head if self.trace.plan[stage_id].headwise else 0
        values = self.trace.matrix(stage_id, head)
        shape = values.shape[0], values.shape[1]
        shown, asked = (
            self.state.revealed(stage_id, shape),
            self.state.predicted_extent(stage_id, shape),
        )
        attends, orientation = self.trace.plan[stage_id].attends, self.orientation
        return Operand(
            stage_title(stage_id, orientation),
            values,
            stage_levels(self.trace, stage_id),
            rows,
            columns,
            stage_id,
            head,
            query_axis(orientation) if attends else "",
            key_axis(orientation) if attends else "",
            shown,
            marks=marks,
            predicted=asked,
            scores=scores_behind(self.trace, stage_id, head),
        )

    def result(self) -> Operand:
        """The stage itself, its cell marked unless a sub-step is worked out."""
        marks = (
            () if self.target.is_substep else (CellMark(self.this_row, self.this_column, "result"),)
        )
        return self.operand(self.stage.id, "i", "j", *marks)

    def entered(self, name: str, rows: str, columns: str, *marks: CellMark) -> Operand | None:
        """An entered tensor; a vector is one row. None where this head has none."""
        tensor = self.document.tensor(name, self.head)
        if tensor is None:
            return None
        focus = self.state.focus
        if focus.tensor == name:
            marks = (
                *marks,
                CellMark((focus.row, focus.row + 1), (focus.column, focus.column + 1), "result"),
            )
            if rows == "p":
                self.axes["p"] = OperandAxis(self.axes["p"].size, focus.row, self.axes["p"].tokens)
        letter, _, below = name.partition("_")
        values = tensor if tensor.ndim == 2 else tensor[None, :]
        return Operand(
            (Span(letter, role(name)), Span(below, role(name), -1)),
            values,
            cached_levels(tensor),
            rows,
            columns,
            name,
            self.head,
            marks=marks,
        )

    def extra(
        self,
        title: str,
        values: Array,
        levels: Levels,
        rows: str,
        columns: str,
        *marks: CellMark,
        whole: bool = False,
    ) -> Operand:
        """A matrix that is neither a stage nor entered, such as a mask."""
        return Operand(
            (Span(title),),
            values,
            levels,
            rows,
            columns,
            marks=marks,
            whole_numbers=whole,
            names_rows=False,
        )

    def product(
        self, first: Operand | None, second: Operand | None
    ) -> tuple[Operand | Operator | None, ...]:
        """Two factors in the order in which the convention writes them."""
        left, right = self.orientation.pair(first, second)
        return left, Operator(TIMES), right

    def operation(self, *items: Operand | OperandStack | Operator | None) -> Operation:
        """All of it in a row as it is seen; what is None is left out."""
        shown = tuple(oriented(self.orientation, item) for item in items if item is not None)
        return Operation(self.axes, shown, self.document)


def stage_title(stage_id: str, orientation: Orientation = ROWS) -> Line:
    """What stands above a stage's matrix: its letter, or its name where no letter says enough."""
    spec = spec_of(stage_id)
    if spec.of_context:
        letter, _, rest = stage_symbol(stage_id).partition("_")
        return (Span(letter), Span(rest[0], level=-1), Span(rest[1:]))
    if spec.named:
        return (Span(stage_label(stage_id), role(stage_id)),)
    return (Span(stage_symbol(stage_id, orientation=orientation), role(stage_id)),)


def role(tensor: str) -> str:
    """The role whose colour a tensor wears; plain where it has none."""
    return ROLES.get(tensor, "plain")


_known_levels: dict[int, tuple[Array, Levels]] = {}


def cached_levels(tensor: Array) -> Levels:
    """The scale of an entered tensor, kept as long as it is the same array."""
    known = _known_levels.get(id(tensor))
    if known is None or known[0] is not tensor:
        if len(_known_levels) > 64:
            _known_levels.clear()
        known = _known_levels[id(tensor)] = (tensor, levels_of(tensor, ""))
    return known[1]
