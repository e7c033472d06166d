"""The session: the one mutable object. It turns wishes into states and tells the views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from core.base.cell import Cell
from core.check.answers import NO_ENTRIES
from core.compute.trace import Trace
from core.document.document import Document
from core.explain import focus as focuses
from core.explain import timeline as cursors
from core.explain.timeline import Cursor, Grain, Reach
from core.lesson.lesson import Resolved
from gui.session import prediction
from gui.session.answers import Answers
from gui.session.base import SessionBase
from gui.session.lesson_player import LessonPlayer
from gui.session.playback import Playback
from gui.session.prefetch import prefetch
from gui.session.state import Preferences, State, cursor_cell
from gui.session.trace_runner import TraceRunner, traced
from gui.session.undo import ReplaceCommand, weakly
from gui.texts.translation import mark, use_labels, use_language


class Session(SessionBase):
    """Holds the state; `changed(old, new)` is the only state signal, `failed(problem)` tells what was refused.

    Large experiments are computed by `runs`, which may be given up: then nothing changes.
    """

    def __init__(
        self,
        document: Document,
        preferences: Preferences,
        language: str = "en",
        shade: str = "light",
    ) -> None:
        use_language(language)
        use_labels(preferences.labels)
        trace = traced(document, None)
        cursor = cursors.start(trace, document)
        super().__init__(
            State(
                document,
                trace,
                cursor,
                cursor_cell(cursor),
                preferences,
                language=language,
                shade=shade,
            )
        )
        self.trace_runner = TraceRunner()
        self._computed: tuple[Document | None, Trace | None] = (
            None,
            None,
        )  # an edit that is about to be an undo step
        self.undo_stack.cleanChanged.connect(weakly(self, Session._on_clean_changed))
        self.lesson_player = LessonPlayer(self)
        self.answers = Answers(self)
        self.playback = Playback(self)
        self.changed.connect(self.playback.keep_time)

    # Documents

    def edit(
        self, document: Document, text: str = mark("Edit"), merge: str = "", /, **values: object
    ) -> None:
        """Take over a changed document as one undo step named by a marked text.

        Steps that follow each other with the same non-empty `merge` become one. It is computed first, so that what
        cannot be is no undo step. Raises UserError as `runs.trace` does.
        """
        if document is not self._state.document:
            self._compute(document)
            before = self._state.document
            self.undo_stack.push(
                ReplaceCommand(self.take_document, before, document, text, merge, **values)
            )

    def change(
        self,
        function: Callable[..., Document],
        *args: Any,
        text: str,
        merge: str = "",
        **values: object,
    ) -> bool:
        """Edit by a pure function of the document. A problem is told to the user and changes nothing."""
        return self.tried(
            lambda: self.edit(function(self._state.document, *args), text, merge, **values)
        )

    def undo(self) -> None:
        """One undo step back."""
        self._walk_undo(-1)

    def redo(self) -> None:
        """One undo step forward again."""
        self._walk_undo(1)

    def _walk_undo(self, by: int) -> None:
        """It is computed first, so that the stack stays where it is when that is given up."""
        stack = self.undo_stack
        command = stack.command(stack.index() + min(by, 0))
        if not isinstance(command, ReplaceCommand):
            return
        document = command.snapshot(by)
        if self.tried(lambda: self._compute(document)):
            stack.setIndex(stack.index() + by)

    def _compute(self, document: Document) -> None:
        self._computed = document, self._run(document, self._state.trace)

    def _run(self, document: Document, previous: Trace | None) -> Trace:
        state = self._state
        head = min(state.cursor.head, document.h - 1)
        return self.trace_runner.trace(
            document,
            previous,
            partial(prefetch, head=head, shade=state.shade, orientation=state.orientation),
        )

    def take_document(self, document: Document) -> None:
        """Show a document; called by the undo commands alone."""
        known, trace = self._computed
        if known is not document or trace is None:
            trace = traced(document, self._state.trace)
        self._computed = None, None
        cursor = cursors.clamp(trace, self._state.cursor)
        self.show(
            document=document,
            trace=trace,
            cursor=cursor,
            playing=False,
            focus=focuses.surviving_focus(document, self._state.focus, cursor_cell(cursor)),
            hidden=prediction.kept(self._state, trace, cursor),
            attempted=prediction.tried_before(self._state.entries, cursor.stage),
        )

    def open_document(self, document: Document, path: Path | None = None) -> None:
        """Start afresh with another document: no undo steps, the first stage. Raises UserError as `runs.trace` does.

        What was chosen for the stages of one experiment ends with it; the same file again keeps it, what the hall is
        shown also when it is opened first after a start.
        """
        trace = self._run(document, None)
        preferences = self._state.preferences
        before = self._state.path
        if path is None or path != before:
            known = path is not None and before is None and preferences.presented_for == str(path)
            presented = preferences.presented if known else ()
            preferences = replace(preferences, heatmap_stage="", presented=presented)
        cursor = cursors.start(trace, document)
        self.undo_stack.clear()
        self.undo_stack.setClean()
        self.show(
            document=document,
            trace=trace,
            cursor=cursor,
            focus=cursor_cell(cursor),
            compared=None,
            playing=False,
            path=path,
            dirty=False,
            preferences=preferences,
            entries=self.answers.remembered(document, path),
            cleared=NO_ENTRIES,
            hidden=None,
            attempted=frozenset(),
            scene=None,
            steps_taken=0,
        )

    def show_scene(self, shown: Resolved, walked: int, document: Document, **changes: Any) -> None:
        """Stand at a scene of the lesson, so many of its steps on; called by the lecture alone.

        The document is the scene's own, or the live one that is there already. Each scene begins without undo steps.
        Raises UserError as `runs.trace` does.
        """
        before = self._state
        trace = before.trace if document is before.document else self._run(document, before.trace)
        if document is not before.document:
            changes = {
                **changes,
                "entries": self.answers.remembered(document, None),
                "cleared": NO_ENTRIES,
            }
        begins = shown is not before.scene
        cursor, focus = shown.at_step(walked, trace)
        self.show(
            document=document,
            trace=trace,
            cursor=cursor,
            scene=shown,
            steps_taken=walked,
            playing=False,
            focus=focus if document is shown.document else cursor_cell(cursor),
            path=before.path if document is before.document else None,
            dirty=before.dirty and not begins,
            hidden=None,
            attempted=frozenset(),
            **changes,
        )
        if begins:
            self.undo_stack.clear()  # not before: what was live is put aside at the same moment

    def mark_saved(self, path: Path) -> None:
        """The document now stands in this file."""
        self.undo_stack.setClean()
        preferences = self._state.preferences
        if preferences.presented and preferences.presented_for == str(self._state.path or ""):
            preferences = replace(preferences, presented_for=str(path))
        self.show(path=path, dirty=False, preferences=preferences)

    def mark_recovered(self) -> None:
        """The document came from a recovery file and is not saved anywhere yet."""
        self.undo_stack.resetClean()
        self.show(dirty=True)

    def _on_clean_changed(self, clean: bool) -> None:
        self.show(dirty=not clean)

    # Stepping

    def step(self, by: int = 1, grain: Grain | None = None) -> None:
        """Steps forward, or back if negative, at a grain (the chosen one by default).

        While steps are to be predicted, one forward first asks for its numbers, and the next reveals them.
        """
        if self._state.hidden is not None and by > 0:
            self.answers.reveal()
            return
        grain = grain or self._state.preferences.grain
        cursor = cursors.step(self._state.trace, self._state.cursor, grain, by)
        if by != 1 or not self.answers.asked(cursor):
            self._stand(cursor)

    def go_first(self) -> None:
        """To the first stop."""
        self._stand(
            cursors.first(self._state.trace, self._state.cursor, self._state.preferences.grain)
        )

    def go_last(self) -> None:
        """To the end."""
        self._stand(
            cursors.last(self._state.trace, self._state.cursor, self._state.preferences.grain)
        )

    def jump(self, stage_id: str) -> None:
        """To a whole stage, or the nearest that the plan has."""
        self._stand(cursors.at_stage(self._state.trace, self._state.cursor, stage_id))

    def stand_at(self, cursor: Cursor) -> None:
        """To any position of the line."""
        self._stand(cursors.clamp(self._state.trace, cursor))

    def _stand(self, cursor: Cursor) -> None:
        self.show(cursor=cursor, focus=cursor_cell(cursor), hidden=None, attempted=frozenset())

    def play(self, on: bool) -> None:
        """Playback on or off; from the end it starts again at the first stop."""
        if on and cursors.at_end(self._state.trace, self._state.cursor):
            self.go_first()
        self.show(playing=on)

    # The focused cell and the head

    def focus_on(self, cell: Cell) -> None:
        """One focused cell everywhere. In a complete current stage the cursor's row and column go with it."""
        if not focuses.exists(self._state.document, cell):
            return  # a view that is told of another experiment only later
        cursor = self._state.cursor
        if focuses.has_heads(cell.tensor):
            cursor = replace(cursor, head=cell.head)
        else:
            cell = replace(cell, head=0)
        if cell.tensor == cursor.stage and cursor.reach is Reach.WHOLE:
            cursor = replace(cursor, row=cell.row, column=cell.column)
        self.show(cursor=cursor, focus=cell)

    def move_focus(self, rows: int, columns: int) -> None:
        """The focus moved inside its tensor, down and to the right as it is seen; the edges are stops."""
        cell = self._state.focus
        rows, columns = self._state.orientation.pair(rows, columns)
        height, width = self.shape_of(cell.tensor)
        row, column = (
            min(max(cell.row + rows, 0), height - 1),
            min(max(cell.column + columns, 0), width - 1),
        )
        self.focus_on(replace(cell, row=row, column=column))

    def choose_head(self, head: int) -> None:
        """Look at another head."""
        if not 0 <= head < self._state.document.h:
            return
        state = self._state
        self.trace_runner.prepared(
            state.document, partial(prefetch, state.trace, head, state.shade, state.orientation)
        )
        focus = self._state.focus
        if focuses.has_heads(focus.tensor):
            focus = replace(focus, head=head)
        self.show(cursor=replace(self._state.cursor, head=head), focus=focus)

    def shape_of(self, tensor: str) -> tuple[int, int]:
        """Rows and columns of a stage or of an entered tensor."""
        return focuses.shape_of(self._state.document, tensor)

    # Preferences and comparison

    def prefer(self, **changes: object) -> None:
        """Preferences changed."""
        preferences = replace(self._state.preferences, **changes)  # type: ignore[arg-type]
        use_labels(preferences.labels)
        self.show(preferences=preferences)

    def show_language(self, language: str) -> None:
        """The language that the preference resolves to."""
        use_language(language)
        self.show(language=language)

    def show_shade(self, shade: str) -> None:
        """Light or dark, as the preference resolves."""
        self.show(shade=shade)

    def pin_run(self) -> None:
        """Keep this run to compare later ones with."""
        self.show(compared=self._state.trace)

    def unpin_run(self) -> None:
        """Forget the run that was kept."""
        self.show(compared=None)
