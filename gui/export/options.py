"""Options of an export, its subject, and how it reports progress. Free of Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from core.base.cell import Cell
from core.document.document import Document
from core.explain.timeline import Cursor, Grain
from core.lesson.lesson import Lesson
from gui.session.state import Preferences
from gui.texts.translation import current_language, tr, tr_marked

PARTS = ("diagram", "stage")
MOST_SCALE = 4
FILM_WIDTH = 1280

Progress = Callable[[float], bool]  # gets the finished fraction; returning False stops the export


class Cancelled(Exception):
    """The user stopped an export; no file was touched."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How an export shows steps or scenes.

    `first` and `last` are steps at the grain, or scenes, counted from 1 (None: to the end). `size`
    is the layout in pixels; `scale` multiplies it in bitmaps. `speed` divides the time of each
    step. `motion` animates the steps at `frames` a second. `parts` are the parts to draw; in a
    lesson the scene's view decides. `cursor` and `focus` choose the step of a single picture (None:
    the whole run), `head` the current head. `heads` adds slides that compare all heads. `outlines`
    draws the texts of an SVG as paths.
    """

    language: str = "en"
    shade: str = "light"
    preferences: Preferences = field(default_factory=Preferences)
    grain: Grain = Grain.STAGE
    first: int = 1
    last: int | None = None
    size: tuple[int, int] = (1280, 720)
    scale: float = 1.0
    speed: float = 1.0
    motion: bool = False
    frames: float = 10.0
    parts: tuple[str, ...] = PARTS
    cursor: Cursor | None = None
    focus: Cell | None = None
    head: int | None = None
    heads: bool = False
    outlines: bool = False


def film_size(pixels: tuple[int, int]) -> tuple[tuple[int, int], float]:
    """The size to lay out, and the scale to draw it with, for frames of a size in pixels.

    The layout always has the width of a small window, so that large films have large letters.
    """
    width, height = pixels
    scale = width / FILM_WIDTH
    return (FILM_WIDTH, round(height / scale)), scale


def report_progress(progress: Progress, fraction: float) -> None:
    """Report the finished fraction. Raises Cancelled if the callback returns False."""
    if not progress(min(max(fraction, 0.0), 1.0)):
        raise Cancelled


def ignore_progress(_fraction: float) -> bool:
    """A progress callback that does nothing."""
    return True


Subject = Document | Lesson


def title_of(subject: Subject) -> str:
    """The title in the current language."""
    if isinstance(subject, Lesson):
        return subject.title.of(current_language()) or tr("Untitled")
    return tr_marked(subject.title) if subject.title else tr("Untitled")


def notes_of(subject: Subject) -> str:
    """The notes in the current language, "" if there are none."""
    if isinstance(subject, Lesson):
        return subject.notes.of(current_language())
    return tr_marked(subject.notes) if subject.notes else ""
