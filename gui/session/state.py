"""State: all that the views show, frozen. Built only by the session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from core.base.cell import Cell
from core.check.answers import NO_ENTRIES, Entries, Index
from core.compute.trace import Trace
from core.document.document import Document
from core.document.orientation import COLUMNS, ROWS, Orientation
from core.document.parts import STAGE_AXES
from core.explain.timeline import Cursor, Grain, revealed, reveals
from core.lesson.lesson import Lesson, Resolved
from gui.session.reduced_motion import prefers_reduced_motion


@dataclass(frozen=True, slots=True)
class Preferences:
    """What the user chose about the program itself; kept between starts, never part of undo.

    `language` and `theme` may be "system". `labels` are said in "one" language or in "both".
    `text_size` is in per cent. `font_family` is an installed one, "" the program's own.
    `heatmap_stage` "" follows the current stage; `heatmap_levels` is
    "stage" (each stage its own), "heads" (one for all heads: the default) or "weights" (0 to 1 or −max to max over
    all stages). `speed` multiplies playback and motion. `columns` shows tokens as columns instead of rows.
    `fractions` adds the exact fraction to a worked sum that has a short one. `code` is the page of the panel “Code”:
    "numpy", "torch" or "latex"; `code_line` shows the current line below the worked sum, where there is room.
    `presented` is what a lecture shows at a stage, such as ("scores", "diagram/stage"); other stages show the usual.
    `presented_for` is the file for whose experiment that was chosen, "" for one without a file.
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
    recent: tuple[str, ...] = ()
    presented: tuple[tuple[str, str], ...] = ()
    presented_for: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """How many hidden numbers were predicted, and how many of them were right at the first try."""

    right: int = 0
    predicted: int = 0


# Never changed in place.
NO_LIVE_EDITS: Mapping[int, Document] = MappingProxyType({})
Extent = tuple[int, int]  # of a matrix: whole rows, and cells of the row after them


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Document, trace, cursor and preferences, and what else the views show.

    `focus` is the one focused cell, of a stage or of an entered tensor. `compared` is the pinned run that the
    difference heatmap compares with. `language` and `dark` are the preferences resolved against the system.

    `entries` are the numbers that the learner has worked out, `cleared` those wiped out last. While steps are to be
    predicted (`predict`), a step hides what it would show; the current stage can be covered by hand, too: `hidden` is
    the cursor up to which numbers stand then, `tried` the hidden cells that a number was given for.

    `lesson` is the lesson that is open, `shown` the scene of it at which we stand, `walked` how many of the scene's own
    steps have been taken since, `aside` the live edits that are kept of scenes that were left, by their numbers.
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
    def scene_index(self) -> int | None:
        """The number of the scene at which we stand, from 0; None while no lesson is being played."""
        return None if self.scene is None else self.scene.index

    @property
    def live(self) -> bool:
        """Whether the experiment was edited since the scene began."""
        return self.scene is not None and self.document is not self.scene.document

    @property
    def view(self) -> tuple[str, ...]:
        """The panels that the scene wants to be seen, one or two of core.lesson.lesson.PANELS; () without a scene."""
        return () if self.scene is None else self.scene.view

    @property
    def visible_until(self) -> Cursor:
        """Up to where numbers stand: the cursor, or the place before a step whose numbers are hidden."""
        return self.hidden or self.cursor

    def revealed(self, stage_id: str, shape: Extent) -> Extent:
        """How much of a stage's matrix of that shape (rows, columns) stands there."""
        return revealed(self.trace.plan, self.visible_until, stage_id, shape)

    def predicted_extent(self, stage_id: str, shape: Extent) -> Extent | None:
        """How far the hidden cells reach that are to be predicted now; None in a stage without any."""
        if self.hidden is None or stage_id != self.cursor.stage:
            return None
        return revealed(self.trace.plan, self.cursor, stage_id, shape)

    def is_visible(self, stage_id: str, row: int, column: int) -> bool:
        """Whether a cell of a stage stands there already."""
        return reveals(self.trace.plan, self.visible_until, stage_id, row, column)

    def is_predicted(self, stage_id: str, row: int, column: int) -> bool:
        """Whether a cell is hidden now and is to be predicted."""
        if (
            self.hidden is None
            or stage_id != self.cursor.stage
            or self.is_visible(stage_id, row, column)
        ):
            return False
        return reveals(self.trace.plan, self.cursor, stage_id, row, column)

    @property
    def hides_ahead(self) -> bool:
        """Whether numbers that do not stand yet are shown nowhere: steps are to be predicted, or one is covered."""
        return self.predict or self.hidden is not None

    def visible_extent(self, stage_id: str, shape: Extent) -> Extent | None:
        """How much of a stage heatmap and tables may show: None means all, as always but while something is hidden."""
        if not self.hides_ahead or stage_id not in self.trace.plan:
            return None
        part = self.revealed(stage_id, shape)
        return None if part == (shape[0], 0) else part

    def hides(self, cell: Cell) -> bool:
        """Whether not even heatmap and tables may show a number."""
        if not self.hides_ahead or cell.tensor not in self.trace.plan:
            return False
        return not self.is_visible(cell.tensor, cell.row, cell.column)

    @property
    def wording(self) -> tuple[str, str]:
        """The language of every text, and whether labels are said in it alone: what a view has labelled itself by."""
        return self.language, self.preferences.labels

    @property
    def decimals(self) -> int:
        """How many decimals every view shows."""
        return self.preferences.decimals

    @property
    def orientation(self) -> Orientation:
        """Whether every view shows tokens as rows or as columns."""
        return COLUMNS if self.preferences.columns else ROWS

    @property
    def fractions(self) -> bool:
        """Whether worked sums show exact fractions."""
        return self.preferences.fractions

    @property
    def code_line(self) -> str:
        """The library of the line of code below the worked sum, "numpy" or "torch"; "" while it is not wanted."""
        if not self.preferences.code_line:
            return ""
        return "torch" if self.preferences.code == "torch" else "numpy"

    @property
    def motion(self) -> bool:
        """Whether anything may move or flash: a preference, unless the system or the environment forbids it."""
        return self.preferences.motion and not prefers_reduced_motion()


def cursor_cell(cursor: Cursor) -> Cell:
    """The cell at which a cursor stands."""
    headwise = STAGE_AXES[cursor.stage][0] == "h"
    return Cell(cursor.stage, cursor.row, cursor.column, cursor.head if headwise else 0)
