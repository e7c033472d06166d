"""State: all that the views show, frozen. Built only by the session."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from core.cell import Cell
from core.cursor import Cursor, Grain
from core.document import Document
from core.orientation import COLUMNS, ROWS, Orientation
from core.plan import STAGE_AXES
from core.trace import Trace


@dataclass(frozen=True, slots=True)
class Preferences:
    """What the user chose about the program itself; kept between starts, never part of undo.

    `language` and `theme` may be "system". `heatmap_stage` "" follows the current stage; `heatmap_levels` is
    "stage" (each stage its own), "heads" (one for all heads: the default) or "weights" (0 to 1 or −max to max over
    all stages). `speed` multiplies playback and motion. `columns` shows tokens as columns instead of rows.
    """

    language: str = "system"
    theme: str = "system"
    decimals: int = 2
    grain: Grain = Grain.STAGE
    speed: float = 1.0
    motion: bool = True
    columns: bool = False
    heatmap_stage: str = ""
    heatmap_levels: str = "heads"
    heatmap_view: str = "one"
    recent: tuple[str, ...] = ()
    first_step_seen: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Document, trace, cursor and preferences, and what else the views show.

    `focus` is the one focused cell, of a stage or of an entered tensor. `compared` is the pinned run that the
    difference heatmap compares with. `language` and `dark` are the preferences resolved against the system.
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
    dark: bool = False

    @property
    def decimals(self) -> int:
        """How many decimals every view shows."""
        return self.preferences.decimals

    @property
    def orientation(self) -> Orientation:
        """Whether every view shows tokens as rows or as columns."""
        return COLUMNS if self.preferences.columns else ROWS

    @property
    def moves(self) -> bool:
        """Whether anything may move or flash: a preference, and a switch of the environment for weak machines."""
        return self.preferences.motion and os.environ.get("ATTENTION_STEPPER_MOTION", "").lower() != "off"


def cursor_cell(cursor: Cursor) -> Cell:
    """The cell at which a cursor stands."""
    headwise = STAGE_AXES[cursor.stage][0] == "h"
    return Cell(cursor.stage, cursor.row, cursor.column, cursor.head if headwise else 0)
