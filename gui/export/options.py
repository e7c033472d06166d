"""What an export is asked to be, and how it tells how far it is. Free of Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from core.base.cell import Cell
from core.explain.timeline import Cursor, Grain
from gui.session.state import Preferences

PARTS = ("diagram", "stage")
MOST_SCALE = 4
FILM_WIDTH = 1280

Progress = Callable[[float], bool]  # told the fraction that is done; False stops the export


class Cancelled(Exception):
    """The user has stopped an export; no file was touched."""


@dataclass(frozen=True, slots=True)
class Options:
    """How the steps are shown.

    `first` and `last` are steps at the grain, counted from 1 (None: to the end), of a lesson scenes. `size` is what is
    laid out, in pixels; `scale` multiplies it in bitmaps. `speed` divides the time that each step stands. `motion`
    shows how a step comes about, in so many `frames` a second. `parts` are what is drawn; of a lesson each scene's view
    decides it. `cursor` and `focus` are the place that a single picture shows (None: the whole run), `head` the head
    that is looked at; `heads` adds slides with all of them side by side.
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


def film_size(pixels: tuple[int, int]) -> tuple[tuple[int, int], float]:
    """What is laid out, and how many times as large it is drawn, for frames of a size in pixels.

    The layout is always as wide as a small window, so that a large film has large letters.
    """
    width, height = pixels
    scale = width / FILM_WIDTH
    return (FILM_WIDTH, round(height / scale)), scale


def report(progress: Progress, fraction: float) -> None:
    """Tell how far it is. Raises Cancelled where that is answered with False."""
    if not progress(min(max(fraction, 0.0), 1.0)):
        raise Cancelled


def silent(_fraction: float) -> bool:
    """The progress that nobody looks at."""
    return True
