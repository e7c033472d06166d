"""Which operation the stage view shows, and which of its cells."""

from __future__ import annotations

from msgspec import Struct

from core.base.cell import Cell
from core.document.parts import STAGE_AXES
from core.explain.timeline import Reach
from core.stages import Plan
from gui.session.state import State


class Target(Struct, frozen=True):
    """What is looked at.

    `cell` is the result's cell that is worked out, of the stage that is shown; `lead` says that a row's sub-step
    (its maximum or its sum) is worked out in its place. `stands`: the result is already there. `ahead`: the whole
    stage is not reached yet. `elsewhere`: it is not the cursor's stage.
    """

    cell: Cell
    lead: bool
    stands: bool
    ahead: bool
    elsewhere: bool

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


def is_asked(state: State, target: Target) -> bool:
    """Whether the marked cell is hidden and to be predicted."""
    return state.is_predicted(target.stage, target.cell.row, target.cell.column)
