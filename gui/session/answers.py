"""The learner's own numbers: written, wiped out, taken back; predicted before a step shows what it brings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject

from core.base.cell import Cell
from core.check.answers import NO_ENTRIES, Entries, Written, with_written, without_stage
from core.check.report import Index
from core.document.document import Document
from core.explain.timeline import Cursor
from gui.session import prediction
from gui.session.answer_undo import AnswerUndo, first_difference
from gui.session.base import SessionBase
from gui.session.state import Score, State


class Answers(QObject):
    """Belongs to the session and changes its state. It holds what the state does not show: the learner's undo steps.

    `remembered` is asked for the numbers that were written for an experiment, and its file, when it was open before.
    """

    def __init__(self, session: SessionBase) -> None:
        super().__init__(session)
        self._session = session
        self._drafts = AnswerUndo()
        self.remembered: Callable[[Document, Path | None], Entries] = _none

    @property
    def _state(self) -> State:
        return self._session.state

    # Numbers

    def write(self, stage: str, numbers: Mapping[Index, Written | None]) -> None:
        """Numbers for cells of a stage; None wipes one out."""
        state = self._state
        entries = with_written(state.entries, stage, numbers)
        if entries is not state.entries:
            score = prediction.scored(state, stage, numbers, entries)
            self._drafts.note(state.entries, entries)
            self._session.show(entries=entries, cleared=NO_ENTRIES, **score)

    def wipe(self, stage: str) -> None:
        """Forget the numbers for a stage; they can be taken back until others are written."""
        before = self._state.entries
        after = without_stage(before, stage)
        if after is not before:
            self._drafts.note(before, after)
            self._session.show(entries=after, cleared=before)

    def take_back_wipe(self) -> None:
        """The numbers that were wiped out last, back in their places."""
        if self._state.cleared:
            self._drafts.note(self._state.entries, self._state.cleared)
            self._session.show(entries=self._state.cleared, cleared=NO_ENTRIES)

    def take_back(self, by: int) -> str:
        """One step of writing back (−1) or on again (1); the stage in which it is, "" where there is no such step.

        What is out of sight stays: a stage that is switched off, and any but the hidden one while that is predicted.
        """
        now = self._state.entries
        entries = self._drafts.next(now, by)
        place = first_difference(now, entries) if entries is not None else None
        if entries is None or place is None:
            return ""
        stage, index = place
        state = self._state
        if stage not in state.trace.plan or (
            state.hidden is not None and stage != state.cursor.stage
        ):
            return ""
        self._drafts.walk(now, by)
        self._session.show(entries=entries, cleared=NO_ENTRIES)
        self._session.focus_on(Cell(stage, *index[-2:], *index[:-2]))
        return stage

    def bring_back(self, entries: Entries) -> None:
        """Numbers that were written before; where others stand meanwhile, those stay."""
        for stage, cells in self._state.entries.items():
            entries = with_written(entries, stage, cells)
        if entries:
            self._session.show(entries=entries, cleared=NO_ENTRIES)

    # Predictions

    def predict(self, on: bool) -> None:
        """Whether steps forward hide their numbers first; what is hidden is shown when it ends."""
        self._session.show(predict=on, hidden=None, attempted=frozenset())

    def asked(self, to: Cursor) -> bool:
        """Take a step that hides its numbers, with the focus at the first of them. False where it hides none."""
        before = self._state
        if not prediction.hides(before, to):
            return False
        cell = prediction.first_asked(before, to)
        self._session.show(
            cursor=prediction.standing_at(to, cell),
            focus=cell,
            hidden=before.cursor,
            attempted=prediction.tried_before(before.entries, to.stage),
        )
        return True

    def cover(self) -> bool:
        """Hide what the current stage works out, or show it again. False where it works nothing out."""
        state = self._state
        if state.hidden is not None:
            self.reveal()
            return True
        before = prediction.before_stage(state)
        if before is None:
            return False
        cell = prediction.first_asked(replace(state, cursor=before), state.cursor)
        cursor = prediction.standing_at(state.cursor, cell)
        tried = prediction.tried_before(state.entries, cursor.stage)
        self._session.show(cursor=cursor, focus=cell, hidden=before, attempted=tried)
        return True

    def reveal(self) -> None:
        """Show what was hidden."""
        self._session.show(hidden=None, attempted=frozenset())

    def reset_score(self) -> None:
        """Count from 0 again."""
        self._session.show(score=Score())


def _none(_document: Document, _path: Path | None) -> Entries:
    return NO_ENTRIES
