"""Predict, then reveal: which steps hide their numbers, and how predictions are counted. Free of Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.base.cell import Cell
from core.check.answers import Entries, Written
from core.check.report import RIGHT, Index
from core.compute.trace import Trace
from core.document.parts import STAGE_AXES
from core.explain import timeline as cursors
from core.explain.timeline import Cursor, Grain, Reach, revealed
from gui.session.answer_check import too_large, whole_report
from gui.session.state import Score, State


def hides(state: State, to: Cursor) -> bool:
    """Whether a step to a cursor hides numbers: those that it would add, unless they were entered."""
    if not state.predict or to == state.cursor or state.trace.plan[to.stage].entered:
        return False
    return _first_missing(state, state.cursor, to.stage) != _first_missing(state, to, to.stage)


def before_stage(state: State) -> Cursor | None:
    """Where the current stage begins; None where all of it was entered, or nothing is before it."""
    cursor = replace(state.cursor, reach=Reach.WHOLE)
    if state.trace.plan[cursor.stage].entered:
        return None
    before = cursors.step(state.trace, cursor, Grain.STAGE, -1)
    return None if before.stage == cursor.stage else before


def first_asked(state: State, to: Cursor) -> Cell:
    """The first cell that a step to a cursor hides."""
    row, column = _first_missing(state, state.cursor, to.stage)
    return Cell(to.stage, row, column, to.head if STAGE_AXES[to.stage][0] == "h" else 0)


def _first_missing(state: State, cursor: Cursor, stage: str) -> tuple[int, int]:
    """Row and column of the first cell of a stage that does not stand yet at a cursor; after a row comes the next."""
    rows, columns = state.trace[stage].shape[-2:]
    row, column = revealed(state.trace.plan, cursor, stage, (rows, columns))
    return (row + 1, 0) if column == columns else (row, column)


def standing_at(cursor: Cursor, cell: Cell) -> Cursor:
    """The cursor of a whole stage goes to a cell of it; others stay."""
    return (
        replace(cursor, row=cell.row, column=cell.column) if cursor.reach is Reach.WHOLE else cursor
    )


def kept(state: State, trace: Trace, cursor: Cursor) -> Cursor | None:
    """What of a changed experiment stays hidden: as before, where there is still anything to hide."""
    if state.hidden is None:
        return None
    line, before = cursors.timeline(trace), cursors.clamp(trace, state.hidden)
    return before if line.position(before) < line.position(cursor) else None


def index_of(cell: Cell) -> Index:
    """A cell's index in its stage's shape."""
    return (
        (cell.head, cell.row, cell.column)
        if STAGE_AXES[cell.tensor][0] == "h"
        else (cell.row, cell.column)
    )


def tried_before(entries: Entries, stage: str) -> frozenset[Index]:
    """The cells of a stage that were written in before they were asked for: a number for them is no first try."""
    return frozenset(entries.get(stage, {}))


def scored(
    state: State, stage: str, numbers: Mapping[Index, Written | None], entries: Entries
) -> dict[str, Any]:
    """The score after numbers were written, and the cells tried: the first number for a hidden cell counts."""
    fresh = {
        index
        for index, number in numbers.items()
        if number is not None
        and index not in state.attempted
        and state.is_predicted(stage, *index[-2:])
    }
    if not fresh or too_large(state.document, stage):
        return {}
    report = whole_report(state.document, entries)
    right = sum(
        mark.verdict == RIGHT
        for mark in report.marks
        if mark.stage == stage and mark.index in fresh
    )
    score = Score(state.score.right + right, state.score.predicted + len(fresh))
    return {"attempted": state.attempted | fresh, "score": score}
