"""What the operations are built from: operands out of one state, cut down to what the cursor has reached."""

from __future__ import annotations

from core.base.arrays import Array
from core.document.orientation import ROWS, Orientation
from core.stages import Stage, spec_of
from gui.painting.color_scale import Levels, levels_of, scores_behind, stage_levels
from gui.session.state import State
from gui.texts.names import ROLES, key_axis, query_axis, stage_label, stage_symbol
from gui.texts.rich_text import Line, Span
from gui.views.stage.operation import TIMES, Axis, Mark, Operand, Operation, Pile, Range, Sign
from gui.views.stage.shown_cell import Target
from gui.views.stage.transpose import seen


class Maker:
    """Makes operands out of one state; it holds nothing that outlives the operation."""

    def __init__(self, state: State, target: Target) -> None:
        self.state, self.target = state, target
        self.document, self.trace, self.orientation = state.document, state.trace, state.orientation
        self.stage: Stage = state.trace.plan[target.stage]
        self.row, self.column, self.head = target.cell.row, target.cell.column, target.cell.head
        self.axes: dict[str, Axis] = {"one": Axis(1)}
        rows, columns = self.document.stage_shape(target.stage)[-2:]
        self.axes["i"] = Axis(rows, self.row, self.document.row_tokens(target.stage))
        self.axes["j"] = Axis(columns, self.column, self.document.labels(self.stage.axes[-1]))

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
        self, stage_id: str, rows: str, columns: str, *marks: Mark, head: int | None = None
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
            asked=asked,
            scores=scores_behind(self.trace, stage_id, head),
        )

    def result(self) -> Operand:
        """The stage itself, its cell marked unless a sub-step is worked out."""
        marks = () if self.target.lead else (Mark(self.this_row, self.this_column, "result"),)
        return self.operand(self.stage.id, "i", "j", *marks)

    def entered(self, name: str, rows: str, columns: str, *marks: Mark) -> Operand | None:
        """An entered tensor; a vector is one row. None where this head has none."""
        tensor = self.document.tensor(name, self.head)
        if tensor is None:
            return None
        focus = self.state.focus
        if focus.tensor == name:
            marks = (
                *marks,
                Mark((focus.row, focus.row + 1), (focus.column, focus.column + 1), "result"),
            )
            if rows == "p":
                self.axes["p"] = Axis(self.axes["p"].size, focus.row, self.axes["p"].tokens)
        letter, _, below = name.partition("_")
        values = tensor if tensor.ndim == 2 else tensor[None, :]
        return Operand(
            (Span(letter, role(name)), Span(below, role(name), -1)),
            values,
            levels_kept(tensor),
            rows,
            columns,
            name,
            self.head,
            marks=marks,
        )

    def made(
        self,
        title: str,
        values: Array,
        levels: Levels,
        rows: str,
        columns: str,
        *marks: Mark,
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
            labelled=False,
        )

    def product(
        self, first: Operand | None, second: Operand | None
    ) -> tuple[Operand | Sign | None, ...]:
        """Two factors in the order in which the convention writes them."""
        left, right = self.orientation.pair(first, second)
        return left, Sign(TIMES), right

    def operation(self, *items: Operand | Pile | Sign | None) -> Operation:
        """All of it in a row as it is seen; what is None is left out."""
        shown = tuple(seen(self.orientation, item) for item in items if item is not None)
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


def levels_kept(tensor: Array) -> Levels:
    """The scale of an entered tensor, kept as long as it is the same array."""
    known = _known_levels.get(id(tensor))
    if known is None or known[0] is not tensor:
        if len(_known_levels) > 64:
            _known_levels.clear()
        known = _known_levels[id(tensor)] = (tensor, levels_of(tensor, ""))
    return known[1]
