"""The session: the one mutable object. It turns calls into new states and notifies the views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from core.base.cell import Cell
from core.check.answers import NO_ENTRIES
from core.compute.trace import Trace
from core.document.document import Document
from core.document.orientation import Orientation
from core.document.stack_edits import in_layer
from core.explain import timeline as cursors
from core.explain.timeline import Cursor, Grain, Reach
from core.lesson.lesson import Resolved
from core.storage.examples import in_language
from gui.painting.color_scale import scores_behind, stage_levels
from gui.painting.matrix_image import IMAGE_SIZES, matrix_image
from gui.painting.theme import colours
from gui.session.answers import Answers, hidden_after_change, written_cells
from gui.session.base import SessionBase
from gui.session.lesson_player import LessonPlayer
from gui.session.playback import Playback
from gui.session.state import Preferences, State, cursor_cell
from gui.session.trace_runner import TraceRunner, compute_trace
from gui.session.undo import ReplaceCommand, weak_slot
from gui.texts.translation import language_folder, languages, mark, use_labels, use_language

WORTH_IT = 1 << 18  # numbers of a stage that take a moment to look through


def prefetch(trace: Trace, head: int, shade: str, orientation: Orientation) -> None:
    """Make what the diagram shows of one head's stages, so that its next picture finds it made."""
    for name in trace:
        if trace[name].size < WORTH_IT:
            continue
        values, scores = (
            orientation.matrix(trace.matrix(name, head)),
            scores_behind(trace, name, head),
        )
        behind = None if scores is None else orientation.matrix(scores)
        levels = stage_levels(trace, name)
        for size in IMAGE_SIZES[:2]:  # as cards fit, and zoomed
            if size < max(values.shape):  # cells are averaged, which takes long
                matrix_image(values, levels, colours(shade), size, behind)
    # A step that imported it would wait 0.1 s, in a thread as well: the import holds the GIL.
    import_module("ziamath.zmath")


class Session(SessionBase):
    """Edit the experiment, step through it, and hold preferences.

    `trace_runner` computes large experiments; where the user cancels that, nothing changes.
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
        trace = compute_trace(document, None)
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
        self._computed: tuple[Document, Trace] | None = None  # of the edit about to be pushed
        self.undo_stack.cleanChanged.connect(weak_slot(self, Session._on_clean_changed))
        self.lesson_player = LessonPlayer(self)
        self.answers = Answers(self)
        self.playback = Playback(self)
        self.changed.connect(self.playback.keep_time)

    # Documents

    def edit(
        self, document: Document, text: str = mark("Edit"), merge: str = "", /, **values: object
    ) -> None:
        """Show a changed document, as one undo step that is named by a marked text.

        Successive steps with the same non-empty `merge` become one. The trace is computed first, so
        that an edit that fails is no undo step. Raises UserError as `TraceRunner.trace` does.
        """
        if document is not self._state.document:
            self._compute(document)
            before = self._state.document
            self.undo_stack.push(
                ReplaceCommand(self.set_document, before, document, text, merge, **values)
            )

    def change(
        self,
        function: Callable[..., Document],
        *args: Any,
        text: str,
        merge: str = "",
        **values: object,
    ) -> bool:
        """Edit by a pure function of the document. On a UserError emit `failed` and return False."""
        return self.attempt(
            lambda: self.edit(function(self._state.document, *args), text, merge, **values)
        )

    def change_heads(
        self, function: Callable[..., Document], *args: Any, text: str, **values: Any
    ) -> bool:
        """As `change`, for an edit of attention: in a stack that of the open layer, where ids have
        no prefix.
        """
        layer = self._state.scope.of_layer
        return self.change(
            in_layer, layer, lambda scope: function(scope, *args), text=text, **values
        )

    def undo(self) -> None:
        """Undo one step."""
        self._undo_by(-1)

    def redo(self) -> None:
        """Redo one step."""
        self._undo_by(1)

    def _undo_by(self, by: int) -> None:
        """Compute the trace first, so that the stack does not move where the user cancels that."""
        stack = self.undo_stack
        document, notice = stack.snapshot(by), stack.notice(by)
        if document is not None and self.attempt(lambda: self._compute(document)):
            stack.setIndex(stack.index() + by)
            self.told.emit(notice)

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

    def set_document(self, document: Document) -> None:
        """Show a document; called by the undo commands."""
        computed, self._computed = self._computed, None
        if computed is not None and computed[0] is document:
            trace = computed[1]
        else:
            trace = compute_trace(document, self._state.trace)
        cursor = cursors.clamp(trace, self._state.cursor)
        self.update(
            document=document,
            trace=trace,
            cursor=cursor,
            playing=False,
            focus=cursors.surviving_focus(document, self._state.focus, cursor_cell(cursor)),
            hidden=hidden_after_change(self._state, trace, cursor),
            attempted=written_cells(self._state.entries, cursor.stage),
        )

    def open_document(self, document: Document, path: Path | None = None) -> None:
        """Show another document at its first stage, without undo steps. Raises UserError as
        `TraceRunner.trace` does.

        Choices for single stages end with an experiment, unless the same file is opened again. The
        presented views also return where that file is the first one opened after a start.
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
        work = self.answers.load_work(document, path)
        self.update(
            document=document,
            trace=trace,
            cursor=cursor,
            focus=cursor_cell(cursor),
            compared=None,
            playing=False,
            path=path,
            dirty=False,
            preferences=preferences,
            entries=work.entries,
            given=work.given,
            cleared=NO_ENTRIES,
            hidden=None,
            attempted=frozenset(),
            scene=None,
            steps_taken=0,
        )

    def set_scene(self, scene: Resolved, steps: int, document: Document, **changes: Any) -> None:
        """Show a scene of the lesson after some of its steps; called by the lesson player.

        The document is the scene's own or the current, edited one. A scene begins without undo
        steps. Raises UserError as `TraceRunner.trace` does.
        """
        before = self._state
        trace = before.trace if document is before.document else self._run(document, before.trace)
        if document is not before.document:
            work = self.answers.load_work(document, None)
            changes |= {"entries": work.entries, "given": work.given, "cleared": NO_ENTRIES}
            if not before.preferences.presented_for:  # chosen for the experiment before
                changes["preferences"] = replace(before.preferences, presented=())
        begins = scene is not before.scene
        cursor, focus = scene.at_step(steps, trace)
        self.update(
            document=document,
            trace=trace,
            cursor=cursor,
            scene=scene,
            steps_taken=steps,
            playing=False,
            focus=focus if document is scene.document else cursor_cell(cursor),
            path=before.path if document is before.document else None,
            dirty=before.dirty and not begins,
            hidden=None,
            attempted=frozenset(),
            **changes,
        )
        if begins:
            self.undo_stack.clear()  # after the update, which stores the live edits of the scene before

    def mark_saved(self, path: Path) -> None:
        """Note that the document is saved in this file."""
        self.undo_stack.setClean()
        preferences = self._state.preferences
        if preferences.presented and preferences.presented_for == str(self._state.path or ""):
            preferences = replace(preferences, presented_for=str(path))
        self.update(path=path, dirty=False, preferences=preferences)

    def mark_recovered(self) -> None:
        """Note that the document came from a recovery file and is not saved yet."""
        self.undo_stack.resetClean()
        self.update(dirty=True)

    def _on_clean_changed(self, clean: bool) -> None:
        self.update(dirty=not clean)

    # Stepping

    def step(self, by: int = 1, grain: Grain | None = None) -> None:
        """Step forward, or back if negative, at a grain (the preferred one by default).

        While steps are predicted, a step forward hides its numbers and the next one reveals them.
        """
        if self._state.hidden is not None and by > 0:
            self.answers.reveal()
            return
        grain = grain or self._state.preferences.grain
        cursor = cursors.step(self._state.trace, self._state.cursor, grain, by)
        if by != 1 or not self.answers.hide_step(cursor):
            self._move_to(cursor)

    def go_first(self) -> None:
        """Go to the first step."""
        self._move_to(
            cursors.first(self._state.trace, self._state.cursor, self._state.preferences.grain)
        )

    def go_last(self) -> None:
        """Go to the last step."""
        self._move_to(
            cursors.last(self._state.trace, self._state.cursor, self._state.preferences.grain)
        )

    def go_to_stage(self, stage_id: str) -> None:
        """Go to a whole stage, or to the nearest one of the plan."""
        self._move_to(cursors.at_stage(self._state.trace, self._state.cursor, stage_id))

    def go_to_layer(self, by: int) -> None:
        """Go to the same stage `by` layers on, or back if negative; stay where there is none."""
        self._move_to(cursors.at_layer(self._state.trace, self._state.cursor, by))

    def go_to(self, cursor: Cursor) -> None:
        """Go to any position of the timeline."""
        self._move_to(cursors.clamp(self._state.trace, cursor))

    def go_to_cell(self, cell: Cell) -> None:
        """Go to the step that computes a cell, or first reads an entered one; the cell keeps the focus."""
        plan, grain = self._state.trace.plan, self._state.preferences.grain
        readers = [stage.id for stage in plan if cell.tensor in stage.inputs]
        reach = Reach(grain) if cell.tensor in plan and grain is not Grain.STAGE else Reach.WHOLE
        stage = cell.tensor if cell.tensor in plan else [*readers, self._state.cursor.stage][0]
        self.go_to(Cursor(stage, cell.head, cell.row, cell.column, reach))
        self.set_focus(cell)

    def _move_to(self, cursor: Cursor) -> None:
        focus = cursors.first_focus(self._state.trace, cursor, cursor_cell(cursor))
        self.update(cursor=cursor, focus=focus, hidden=None, attempted=frozenset())

    def play(self, on: bool) -> None:
        """Switch playback on or off; at the end it starts again at the first step."""
        if on and cursors.at_end(self._state.trace, self._state.cursor):
            self.go_first()
        self.update(playing=on)

    # The focused cell and the head

    def set_focus(self, cell: Cell) -> None:
        """Focus a cell; in a whole current stage the cursor takes its row and column. Ignore cells
        that do not exist.
        """
        if not cursors.exists(self._state.document, cell):
            return  # from a view that has not heard of another experiment yet
        cursor = self._state.cursor
        if cursors.has_heads(cell.tensor):
            cursor = replace(cursor, head=min(cell.head, self._state.scope.h - 1))
        else:
            cell = replace(cell, head=0)
        if cell.tensor == cursor.stage and cursor.reach is Reach.WHOLE:
            cursor = replace(cursor, row=cell.row, column=cell.column)
        self.update(cursor=cursor, focus=cell)

    def move_focus(self, rows: int, columns: int) -> None:
        """Move the focus down and right, as displayed, up to the edges of its tensor."""
        cell = self._state.focus
        rows, columns = self._state.orientation.pair(rows, columns)
        height, width = self.shape_of(cell.tensor)
        row, column = (
            min(max(cell.row + rows, 0), height - 1),
            min(max(cell.column + columns, 0), width - 1),
        )
        self.set_focus(replace(cell, row=row, column=column))

    def select_head(self, head: int) -> None:
        """Show another head."""
        if not 0 <= head < self._state.scope.h:
            return
        state = self._state
        self.trace_runner.prefetch(
            state.document, partial(prefetch, state.trace, head, state.shade, state.orientation)
        )
        focus = self._state.focus
        if cursors.has_heads(focus.tensor):
            focus = replace(focus, head=head)
        self.update(cursor=replace(self._state.cursor, head=head), focus=focus)

    def shape_of(self, tensor: str) -> tuple[int, int]:
        """Rows and columns of a stage or of an entered tensor."""
        return cursors.shape_of(self._state.document, tensor)

    # Preferences and comparison

    def set_preferences(self, **changes: object) -> None:
        """Change preferences."""
        preferences = replace(self._state.preferences, **changes)  # type: ignore[arg-type]
        use_labels(preferences.labels)
        self.update(preferences=preferences)

    def set_language(self, language: str) -> None:
        """Set the language that the preference resolves to."""
        use_language(language)
        if language != self._state.language:
            self.update(language=language, **self._tokens_in(language_folder(language)))

    def _tokens_in(self, folder: Path) -> dict[str, Any]:
        """The parts of the state that name the tokens of an example, in a folder's language.

        None of them if the experiment is no example, or was edited or saved.
        """
        state = self._state
        edited = state.live or state.dirty or self.undo_stack.count() > 0
        scene = self.lesson_player.scene_in(folder)  # keeps the folder for other scenes
        if edited or state.path is not None:
            return {}
        if state.scene is None:
            document = in_language(state.document, folder, *map(language_folder, languages()))
        else:
            document = scene.document if scene is not None else state.document
        if document is state.document:
            return {}
        trace = compute_trace(document, state.trace)
        return {"document": document, "trace": trace, "scene": scene}

    def set_shade(self, shade: str) -> None:
        """Set the theme that the preference resolves to."""
        self.update(shade=shade)

    def compare_with_current(self) -> None:
        """Compare later runs with the current one."""
        self.update(compared=self._state.trace)

    def stop_comparing(self) -> None:
        """Compare with no run."""
        self.update(compared=None)
