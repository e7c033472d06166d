"""The operation that the stage view shows: marked cell, matrices and operators."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from msgspec import Struct

from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.document.parts import split_layer
from core.explain.timeline import Reach
from core.stages import Stage
from gui.painting.color_scale import Levels, levels_of, scores_behind
from gui.session.reached import stage_levels_reached
from gui.session.state import State
from gui.texts.names import (
    key_axis,
    query_axis,
    raised_layer,
    role_of,
    stage_label,
    stage_symbol,
    visible_token,
)
from gui.texts.rich_text import Line, Span, typeset

Range = tuple[int, int] | None
TIMES = "·"  # between two matrices


class OperandAxis(Struct, frozen=True):
    """An axis that operands share: its size, the index that stays visible when cut, its tokens."""

    size: int
    focus: int = 0
    tokens: tuple[str, ...] | None = None

    def label(self, index: int) -> str:
        """The label of a row or column: a token, or a number from 1 on."""
        return str(index + 1) if self.tokens is None else visible_token(self.tokens[index])


class CellMark(Struct, frozen=True):
    """A frame around cells (half-open ranges; None = all) in the colour of a role.

    "result" is the marked cell.
    """

    rows: Range
    columns: Range
    role: str


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """One matrix of the operation.

    `tensor` is the stage or entered tensor of its cells, "" for what cannot be focused (a row's
    maximum, a mask). `rows` and `columns` name its axes; `row_name` and `column_name` are the names
    of attention's rows and columns. `shown`, `predicted` (there `asked`), `scores` and `by_column`
    are as in gui.painting.matrix.MatrixSpec. `whole_numbers` writes 0 instead of 0.00.
    `names_rows`: no matrix further left has named them. `title_left`: the title is left of the
    matrix.
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
    """Matrices with the same columns one below the other.

    `before` and `after` say that others are left out.
    """

    operands: tuple[Operand, ...]
    before: bool = False
    after: bool = False


class Rotation(Struct, frozen=True):
    """A pair of numbers as a point before and after a rotation about 0, in the colour of a role."""

    before: tuple[float, float]
    after: tuple[float, float]
    role: str


class Operator(Struct, frozen=True):
    """A sign between two matrices, with a note above it if needed.

    A `rotation` is drawn instead of the text.
    """

    text: str
    above: str = ""
    rotation: Rotation | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """Matrices and operators in a row, and their axes: i is the result's row, j its column."""

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
    """An operation with the names of rows and columns of another wording."""
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
    """An item transposed where tokens are columns."""
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
    """The cell that the stage view works out, in the stage that it shows.

    `is_substep`: the row's maximum or sum is worked out instead. `is_visible`: the result is
    visible already. `is_ahead`: the stage is not reached yet. `is_elsewhere`: it is not the
    cursor's stage.
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
    """The focused stage, or the first reader of a focused entered tensor, else the cursor's stage.

    In it the focus itself, or the cell of the cursor's row that the focused weight is used for.
    """
    plan, cursor, focus = state.trace.plan, state.cursor, state.focus
    readers = [stage.id for stage in plan if focus.tensor in stage.inputs]
    stage_id = focus.tensor if focus.tensor in plan else [*readers, cursor.stage][0]
    rows, columns = state.document.stage_shape(stage_id)[-2:]
    row = focus.row if focus.tensor == stage_id else cursor.row
    from_focus = focus.tensor == stage_id or focus.tensor in plan[stage_id].inputs
    column = focus.column if from_focus else cursor.column
    head = cursor.head if plan[stage_id].headwise else 0
    cell = Cell(stage_id, min(row, rows - 1), min(column, columns - 1), head)
    visible = state.is_visible(stage_id, cell.row, cell.column)
    here = stage_id == cursor.stage
    substep = here and cursor.reach is Reach.LEAD and cell.row == cursor.row and not visible
    ahead = plan.index(stage_id) > plan.index(cursor.stage)
    return Target(cell, substep, visible, ahead, not here)


def is_predicted(state: State, shown: Target) -> bool:
    """Whether the marked cell is hidden and to be predicted."""
    return state.is_predicted(shown.stage, shown.cell.row, shown.cell.column)


def tensor_title(name: str) -> Line:
    """The name of an entered tensor as a title: W with lowered Q, γ."""
    base = split_layer(name)[1]
    _, _, greek = base.partition(".")
    if greek:
        return (Span({"gamma": "γ", "beta": "β"}[greek]),)
    letter, _, below = base.partition("_")
    return Span(letter, role(name)), Span(below, role(name), -1)


class OperandFactory:
    """Makes the operands of one operation from a state."""

    def __init__(self, state: State, target: Target) -> None:
        self.state, self.target = state, target
        self.document, self.trace, self.orientation = state.document, state.trace, state.orientation
        self.stage: Stage = state.trace.plan[target.stage]
        self.scope = self.document.scope(target.stage)  # whose heads and widths they are
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
        attends, orientation = self.trace.plan[stage_id].attends, self.orientation
        return Operand(
            (*stage_title(self.trace.plan[stage_id], orientation), *self._layer_of(stage_id)),
            values,
            stage_levels_reached(self.state, stage_id),
            rows,
            columns,
            stage_id,
            head,
            query_axis(orientation) if attends else "",
            key_axis(orientation) if attends else "",
            self.state.revealed(stage_id, shape),
            marks=marks,
            predicted=self.state.predicted_extent(stage_id, shape),
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
        head = self.document.lender(name, self.head)
        tensor = self.document.tensor(name, head)
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
        values = tensor if tensor.ndim == 2 else tensor[None, :]
        return Operand(
            tensor_title(name),
            values,
            cached_levels(tensor),
            rows,
            columns,
            name,
            head,
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
            typeset(title),
            values,
            levels,
            rows,
            columns,
            marks=marks,
            whole_numbers=whole,
            names_rows=False,
        )

    def _layer_of(self, stage_id: str) -> Line:
        """The layer of an operand where it is another than that of the stage."""
        return typeset(raised_layer(self.document, stage_id, self.stage.layer))

    def product(
        self, first: Operand | None, second: Operand | None
    ) -> tuple[Operand | Operator | None, ...]:
        """Two factors in the order of the convention."""
        left, right = self.orientation.pair(first, second)
        return left, Operator(TIMES), right

    def operation(self, *items: Operand | OperandStack | Operator | None) -> Operation:
        """The operation of these items as they are shown; None is left out."""
        shown = tuple(oriented(self.orientation, item) for item in items if item is not None)
        return Operation(self.axes, shown, self.document)


def stage_title(stage: Stage, orientation: Orientation = ROWS) -> Line:
    """The title of a stage's matrix: its symbol, or its name where the symbol does not say enough."""
    spec, stage_id = stage.spec, stage.id
    if spec.of_context:
        letter, _, rest = stage_symbol(stage_id).partition("_")
        return (Span(letter), Span(rest[0], level=-1), Span(rest[1:]))
    if spec.named:
        return (Span(stage_label(spec.name), role(stage_id)),)
    usual = stage.symbol == spec.symbol
    symbol = stage_symbol(stage_id, orientation=orientation) if usual else stage.symbol
    return (Span(symbol, role(stage_id)),)


def role(tensor: str) -> str:
    """The role that gives a tensor its colour, or plain."""
    return role_of(tensor)


_known_levels: dict[int, tuple[Array, Levels]] = {}


def cached_levels(tensor: Array) -> Levels:
    """The scale of an entered tensor, computed once for the same array."""
    known = _known_levels.get(id(tensor))
    if known is None or known[0] is not tensor:
        if len(_known_levels) > 64:
            _known_levels.clear()
        known = _known_levels[id(tensor)] = (tensor, levels_of(tensor, ""))
    return known[1]
