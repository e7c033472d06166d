"""The state that all views show, and the preferences; frozen, built only by the session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from core.base.cell import Cell
from core.check.answers import NO_ENTRIES, Entries, Index
from core.check.given import NOT_IMPORTED, Given
from core.compute.trace import Trace
from core.document.document import Document
from core.document.orientation import COLUMNS, ROWS, Orientation
from core.document.parts import is_headwise
from core.explain.timeline import Cursor, Grain, Reach, open_scope, revealed, reveals
from core.lesson.lesson import Lesson, Resolved
from gui.session.reduced_motion import prefers_reduced_motion


@dataclass(frozen=True, slots=True)
class Preferences:
    """The user's choices about the program; saved between starts, not part of undo.

    `language` and `theme` may be "system". `labels`: in "one" language or in "both". `text_size` is
    in per cent. `font_family` is an installed one, "" the program's own. `heatmap_stage` "" follows
    the current stage; `heatmap_levels` is "stage" (each stage its own), "heads" (one for all heads:
    the default) or "weights" (0 to 1 or −max to max over all stages); cells are square unless
    `heatmap_stretched`. `show_ahead`: heatmaps and tables show numbers that a step of rows or
    cells has not reached. `knows_zoom`: the diagram has said how it zooms. `speed` multiplies
    playback and motion. `columns` shows tokens as columns instead of rows. `fractions` adds exact
    fractions to worked sums. `code` is the page of the code panel: "numpy", "torch" or "latex";
    `code_line` shows the current line below the worked sum.
    `presented` has the panels that a presentation shows at a stage, such as ("scores",
    "diagram/stage"), and `presented_for` the file for which they were chosen, "" for an experiment
    without one. `presented_sum` shows the worked sum at every step of a presentation;
    `presented_text` is its text size in per cent. `at_start`
    opens the start "page", the "last" experiment or an "example"; `next_steps` says below the stage
    view what one can do next.
    """

    language: str = "system"
    labels: str = "one"
    theme: str = "system"
    text_size: int = 100
    font_family: str = ""
    decimals: int = 2
    grain: Grain = Grain.STAGE
    speed: float = 1.0
    motion: bool = True
    fractions: bool = False
    columns: bool = False
    code: str = "numpy"
    code_line: bool = True
    heatmap_stage: str = ""
    heatmap_levels: str = "heads"
    heatmap_view: str = "one"
    heatmap_stretched: bool = False
    show_ahead: bool = False
    knows_zoom: bool = False
    recent: tuple[str, ...] = ()
    presented: tuple[tuple[str, str], ...] = ()
    presented_for: str = ""
    presented_sum: bool = False
    at_start: str = "page"
    next_steps: bool = True
    presented_text: int = 100


@dataclass(frozen=True, slots=True)
class Score:
    """How many hidden numbers were predicted, and how many were right at the first attempt."""

    right: int = 0
    predicted: int = 0


# Never changed in place.
NO_LIVE_EDITS: Mapping[int, Document] = MappingProxyType({})
Extent = tuple[int, int]  # of a matrix: whole rows, and cells of the row after them


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Document, trace, cursor and preferences, and everything else that views show.

    `focus`: the focused cell of a stage or of an entered tensor. `compared`: the run that the
    difference heatmap compares with. `language` and `shade`: the preferences, resolved against the
    system.

    `entries`: the learner's numbers; `given`: which entered numbers count as rounded when they are
    checked; `cleared`: entries cleared last. While `predict` is on, a step
    hides its numbers: `hidden` is the cursor up to which numbers are visible, `attempted` the
    hidden cells that a number was entered for.

    `lesson`: the open lesson; `scene`: its current scene; `steps_taken`: how many of the scene's
    steps were taken; `live_edits`: the edited documents of scenes that were left, by scene index.
    """

    document: Document
    trace: Trace
    cursor: Cursor
    focus: Cell
    preferences: Preferences = field(default_factory=Preferences)
    compared: Trace | None = None
    playing: bool = False
    path: Path | None = None
    dirty: bool = False
    language: str = "en"
    shade: str = "light"
    entries: Entries = field(default_factory=lambda: NO_ENTRIES)
    given: Given = NOT_IMPORTED
    cleared: Entries = field(default_factory=lambda: NO_ENTRIES)
    predict: bool = False
    hidden: Cursor | None = None
    attempted: frozenset[Index] = frozenset()
    score: Score = Score()
    lesson: Lesson | None = None
    lesson_path: Path | None = None
    lesson_dirty: bool = False
    scene: Resolved | None = None
    steps_taken: int = 0
    live_edits: Mapping[int, Document] = field(default_factory=lambda: NO_LIVE_EDITS)

    @property
    def scope(self) -> Document:
        """The document whose heads are shown: that of the open layer of a stack."""
        return open_scope(self.trace, self.cursor.stage)

    @property
    def scene_index(self) -> int | None:
        """The index of the current scene; None while no lesson is played."""
        return None if self.scene is None else self.scene.index

    @property
    def live(self) -> bool:
        """Whether the experiment was edited since the scene was shown."""
        return self.scene is not None and self.document is not self.scene.document

    @property
    def view(self) -> tuple[str, ...]:
        """The one or two panels that the scene shows; () without a scene."""
        return () if self.scene is None else self.scene.view

    @property
    def visible_until(self) -> Cursor:
        """Up to where numbers are visible: the cursor, or the place before a hidden step."""
        return self.hidden or self.cursor

    def revealed(self, stage_id: str, shape: Extent) -> Extent:
        """How much of a stage's matrix of a shape (rows, columns) is visible."""
        return revealed(self.trace.plan, self.visible_until, stage_id, shape)

    def predicted_extent(self, stage_id: str, shape: Extent) -> Extent | None:
        """The end of the cells that are to be predicted; None in a stage without any."""
        if self.hidden is None or stage_id != self.cursor.stage:
            return None
        return revealed(self.trace.plan, self.cursor, stage_id, shape)

    def is_visible(self, stage_id: str, row: int, column: int) -> bool:
        """Whether a cell of a stage is visible."""
        return reveals(self.trace.plan, self.visible_until, stage_id, row, column)

    def is_predicted(self, stage_id: str, row: int, column: int) -> bool:
        """Whether a cell is to be predicted."""
        if (
            self.hidden is None
            or stage_id != self.cursor.stage
            or self.is_visible(stage_id, row, column)
        ):
            return False
        return reveals(self.trace.plan, self.cursor, stage_id, row, column)

    @property
    def hides_ahead(self) -> bool:
        """Whether numbers ahead are to be predicted: hidden in every view, and not to be changed."""
        return self.predict or self.hidden is not None

    def visible_extent(self, stage_id: str, shape: Extent) -> Extent | None:
        """How much of a stage is not to be predicted; None for all of it."""
        if not self.hides_ahead or stage_id not in self.trace.plan:
            return None
        part = self.revealed(stage_id, shape)
        return None if part == (shape[0], 0) else part

    def hides(self, cell: Cell) -> bool:
        """Whether a number is to be predicted, now or at a later step."""
        if not self.hides_ahead or cell.tensor not in self.trace.plan:
            return False
        return not self.is_visible(cell.tensor, cell.row, cell.column)

    @property
    def shows_ahead(self) -> bool:
        """Whether heatmaps and tables show what is not reached: between whole stages, or as preferred."""
        if self.hides_ahead:
            return False
        by_stage = self.preferences.grain is Grain.STAGE and self.cursor.reach is Reach.WHOLE
        return by_stage or self.preferences.show_ahead

    def reached_extent(self, stage_id: str, shape: Extent) -> Extent | None:
        """How much of a stage heatmaps and tables show; None for all of it."""
        if not self._covers(stage_id):
            return None
        part = self.revealed(stage_id, shape)
        return None if part == (shape[0], 0) else part

    def is_covered(self, cell: Cell) -> bool:
        """Whether heatmaps and tables hide a number. What-if values are hidden only in predictions."""
        if not self._covers(cell.tensor):
            return False
        if self.is_visible(cell.tensor, cell.row, cell.column):
            return False
        return self.hides_ahead or all(pin.cell != cell for pin in self.document.pins)

    def _covers(self, tensor: str) -> bool:
        """Whether numbers of a tensor may be covered: entered ones only in predictions."""
        if self.shows_ahead or tensor not in self.trace.plan:
            return False
        return self.hides_ahead or not self.trace.plan[tensor].entered

    @property
    def wording(self) -> tuple[str, str]:
        """What the texts of a view depend on: the language, and the languages of labels."""
        return self.language, self.preferences.labels

    @property
    def decimals(self) -> int:
        """The number of decimals in every view."""
        return self.preferences.decimals

    @property
    def orientation(self) -> Orientation:
        """Tokens as rows or as columns, in every view."""
        return COLUMNS if self.preferences.columns else ROWS

    @property
    def fractions(self) -> bool:
        """Whether worked sums show exact fractions."""
        return self.preferences.fractions

    @property
    def code_line(self) -> str:
        """The library of the code line below the worked sum, "numpy" or "torch"; "" for no line."""
        if not self.preferences.code_line:
            return ""
        return "torch" if self.preferences.code == "torch" else "numpy"

    @property
    def motion(self) -> bool:
        """Whether motion is allowed by the preference, the system and the environment."""
        return self.preferences.motion and not prefers_reduced_motion()


def cursor_cell(cursor: Cursor) -> Cell:
    """The cell of a cursor."""
    headwise = is_headwise(cursor.stage)
    return Cell(cursor.stage, cursor.row, cursor.column, cursor.head if headwise else 0)
