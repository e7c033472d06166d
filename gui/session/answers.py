"""The learner's own numbers: entered, marked, undone, and predicted before a step shows the
results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from core.base.cell import Cell
from core.check.answers import (
    NO_ENTRIES,
    NO_WORK,
    Answer,
    Entries,
    Index,
    LearnerWork,
    stated_arrays,
    with_answers,
    without_stage,
)
from core.check.given import NOT_IMPORTED, Given, Tensor, with_imported
from core.check.report import RIGHT, CheckReport
from core.compute.trace import Trace
from core.document.document import Document
from core.document.parts import is_headwise
from core.explain import timeline
from core.explain.timeline import Cursor, Grain, Reach
from gui.session.base import SessionBase
from gui.session.state import Score, State
from gui.session.undo import ReplaceCommand, UndoStack
from gui.texts.names import stage_name
from gui.texts.translation import tr

# Numbers of one stage in all heads. Nobody works out more by hand, and the search for mistakes
# would take long.
MAX_CHECKED = 20_000
# Numbers of all stages with entries that are marked in less time than a user notices.
MAX_INSTANT = 4_096
MAX_UNDO = 500

_reports: list[tuple[Document, Entries, Given, CheckReport]] = []


class Answers(QObject):
    """Enter, clear and undo the learner's numbers, and hide results that are to be predicted.

    `load_work(document, path)` returns what was entered for an experiment in an earlier session.
    """

    def __init__(self, session: SessionBase) -> None:
        super().__init__(session)
        self._session = session
        self._undo_stack = UndoStack(self)
        self._undo_stack.setUndoLimit(MAX_UNDO)
        self.load_work: Callable[[Document, Path | None], LearnerWork] = _no_work

    @property
    def _state(self) -> State:
        return self._session.state

    # Numbers

    def write(self, stage: str, numbers: Mapping[Index, Answer | None]) -> None:
        """Enter numbers for cells of a stage; None clears a cell."""
        state = self._state
        entries = with_answers(state.entries, stage, numbers)
        if entries is not state.entries:
            self._change(entries, NO_ENTRIES, **_score_changes(state, stage, numbers, entries))

    def clear(self, stage: str) -> None:
        """Clear the numbers of a stage; `restore_cleared` can restore them until others are
        entered.
        """
        before = self._state.entries
        after = without_stage(before, stage)
        if after is not before:
            self._change(after, before)

    def enter_all(self, entries: Entries) -> None:
        """Replace all entered numbers, such as the results of a page."""
        self._change(entries, self._state.entries)

    def restore_cleared(self) -> None:
        """Restore the numbers that were cleared last."""
        if self._state.cleared:
            self._change(self._state.cleared, NO_ENTRIES)

    def restore(self, work: LearnerWork) -> None:
        """Add numbers from an earlier session; cells that have a number keep it."""
        state, entries = self._state, work.entries
        for stage, cells in state.entries.items():
            entries = with_answers(entries, stage, cells)
        given = work.given if state.given == NOT_IMPORTED else state.given
        if entries or given != state.given:
            self._session.update(entries=entries, cleared=NO_ENTRIES, given=given)

    def replace(self, work: LearnerWork) -> None:
        """Show what another window has saved beside the own numbers; ends the undo steps."""
        self._session.update(entries=work.entries, cleared=NO_ENTRIES, given=work.given)

    # Given numbers

    def note_imported(self, tensors: Collection[Tensor] | None = None) -> None:
        """Note that tensors (name and head; None: all) of the document were imported or pasted.

        Their numbers count as rounded to the decimals written when the learner's are checked.
        """
        state = self._state
        self._session.update(given=with_imported(state.given, state.document, tensors))

    def set_given(self, mode: str) -> None:
        """Count all entered numbers as "exact" or as "rounded"."""
        self._session.update(given=Given(mode, self._state.given.imported))

    def undo(self, by: int = -1) -> str:
        """Undo (−1) or redo (1) one change. Return its stage, "" where nothing was changed.

        A change to a stage that is switched off is not undone, nor one to another stage than the
        one being predicted.
        """
        state, stack = self._state, self._undo_stack
        entries = stack.snapshot(by) if state.entries is stack.snapshot() else None
        place = None if entries is None else _first_difference(state.entries, entries)
        if place is None:
            return ""
        stage, index = place
        hidden = state.hidden is not None and stage != state.cursor.stage
        if hidden or stage not in state.trace.plan:
            return ""
        self._session.update(entries=entries, cleared=NO_ENTRIES)
        stack.setIndex(stack.index() + by)
        self._session.set_focus(Cell(stage, *index[-2:], *index[:-2]))
        what = tr("your numbers in {stage}", stage=stage_name(stage))
        said = tr("Undone: {what}", what=what) if by < 0 else tr("Redone: {what}", what=what)
        self._session.told.emit(said)
        return stage

    def _change(self, entries: Entries, cleared: Entries, **changes: Any) -> None:
        """Replace the entries as one undo step. Entries from elsewhere, such as another file, end
        the steps before.
        """
        before, stack = self._state.entries, self._undo_stack
        if before is not stack.snapshot():
            stack.clear()
        self._session.update(entries=entries, cleared=cleared, **changes)
        stack.push(ReplaceCommand(self.set_entries, before, entries, ""))

    def set_entries(self, entries: Entries) -> None:
        """Show entries; called by the undo commands."""
        self._session.update(entries=entries)

    # Predictions

    def set_predicting(self, on: bool) -> None:
        """Switch prediction on or off; switching it off shows what is hidden."""
        self._session.update(predict=on, hidden=None, attempted=frozenset())

    def hide_step(self, to: Cursor) -> bool:
        """Step to a cursor, hide the numbers that the step adds and focus the first. False where
        there are none.
        """
        state = self._state
        if not state.predict or to == state.cursor or state.trace.plan[to.stage].entered:
            return False
        if _first_missing(state, state.cursor, to.stage) == _first_missing(state, to, to.stage):
            return False
        self._hide(state.cursor, to)
        return True

    def toggle_hidden(self) -> bool:
        """Hide the numbers of the current stage, or show them again. False where the stage computes
        nothing.
        """
        state = self._state
        if state.hidden is not None:
            self.reveal()
            return True
        whole = replace(state.cursor, reach=Reach.WHOLE)
        before = timeline.step(state.trace, whole, Grain.STAGE, -1)
        if state.trace.plan[whole.stage].entered or before.stage == whole.stage:
            return False
        self._hide(before, state.cursor)
        return True

    def _hide(self, before: Cursor, cursor: Cursor) -> None:
        """Show numbers up to `before`, stand at `cursor`; in a whole stage at its first hidden
        cell.
        """
        row, column = _first_missing(self._state, before, cursor.stage)
        cell = Cell(cursor.stage, row, column, cursor.head if _has_heads(cursor.stage) else 0)
        if cursor.reach is Reach.WHOLE:
            cursor = replace(cursor, row=row, column=column)
        attempted = written_cells(self._state.entries, cursor.stage)
        self._session.update(cursor=cursor, focus=cell, hidden=before, attempted=attempted)

    def reveal(self) -> None:
        """Show what was hidden."""
        self._session.update(hidden=None, attempted=frozenset())

    def reset_score(self) -> None:
        """Count predictions from 0 again."""
        self._session.update(score=Score())


def _no_work(_document: Document, _path: Path | None) -> LearnerWork:
    return NO_WORK


def index_of(cell: Cell) -> Index:
    """A cell's index in the shape of its stage."""
    index = (cell.row, cell.column)
    return (cell.head, *index) if _has_heads(cell.tensor) else index


def _has_heads(stage: str) -> bool:
    return is_headwise(stage)


def _first_difference(before: Entries, after: Entries) -> tuple[str, Index] | None:
    """The first stage and index at which entries differ, in the order in which they were written."""
    for stage in {**before, **after}:
        old, new = before.get(stage, {}), after.get(stage, {})
        for index in {**old, **new}:
            if old.get(index) != new.get(index):
                return stage, index
    return None


# Predictions


def _first_missing(state: State, cursor: Cursor, stage: str) -> tuple[int, int]:
    """Row and column of the first cell of a stage that is not shown yet at a cursor."""
    rows, columns = state.trace[stage].shape[-2:]
    row, column = timeline.revealed(state.trace.plan, cursor, stage, (rows, columns))
    return (row + 1, 0) if column == columns else (row, column)


def hidden_after_change(state: State, trace: Trace, cursor: Cursor) -> Cursor | None:
    """The `hidden` cursor in a changed experiment; None where nothing is left to hide."""
    if state.hidden is None:
        return None
    line, before = timeline.timeline(trace), timeline.clamp(trace, state.hidden)
    return before if line.position(before) < line.position(cursor) else None


def written_cells(entries: Entries, stage: str) -> frozenset[Index]:
    """The cells of a stage that have a number: another one for them is no first attempt."""
    return frozenset(entries.get(stage, {}))


def _score_changes(
    state: State, stage: str, numbers: Mapping[Index, Answer | None], entries: Entries
) -> dict[str, Any]:
    """Changes to score and attempted cells after numbers were entered: the first number for a
    hidden cell counts.
    """
    fresh = {
        index
        for index, number in numbers.items()
        if number is not None
        and index not in state.attempted
        and state.is_predicted(stage, *index[-2:])
    }
    if not fresh or is_too_large(state.document, stage):
        return {}
    marks = whole_report(state.document, entries, state.given).marks
    right = sum(
        mark.verdict == RIGHT for mark in marks if mark.stage == stage and mark.index in fresh
    )
    score = Score(state.score.right + right, state.score.predicted + len(fresh))
    return {"attempted": state.attempted | fresh, "score": score}


# Marks


def is_too_large(document: Document, stage: str) -> bool:
    """Whether a stage has too many numbers to be checked."""
    return math.prod(document.stage_shape(stage)) > MAX_CHECKED


def is_quick(document: Document, entries: Entries) -> bool:
    """Whether all entries can be marked without a delay that a user notices."""
    return sum(math.prod(document.stage_shape(stage)) for stage in entries) <= MAX_INSTANT


def whole_report(document: Document, entries: Entries, given: Given = NOT_IMPORTED) -> CheckReport:
    """Mark every entry. The last two reports are kept, compared by identity: panel and score ask
    for the same one.
    """
    for known_document, known_entries, known_given, report in _reports:
        if known_document is document and known_entries is entries and known_given == given:
            return report
    from core.check.marking import check  # late: not needed at the start

    checked = {
        stage: cells for stage, cells in entries.items() if not is_too_large(document, stage)
    }
    report = check(document, stated_arrays(document, checked), given)
    _reports[:] = [(document, entries, given, report), *_reports[:1]]
    return report
