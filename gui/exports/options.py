"""What an export is asked to be, and how it tells how far it is. Free of Qt."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from core.cell import Cell
from core.cursor import Cursor, Grain
from gui.language import current_language, use_language
from gui.state import Preferences

PARTS = ("diagram", "stage")
MOST_SCALE = 4

Progress = Callable[[float], bool]  # told the fraction that is done; False stops the export


class Cancelled(Exception):
    """The user has stopped an export; no file was touched."""


@dataclass(frozen=True, slots=True)
class Options:
    """How the steps are shown.

    `first` and `last` are steps at the grain, counted from 1 (None: to the end). `size` is what is laid out, in
    pixels; `scale` multiplies it in bitmaps. `speed` divides the time that each step stands. `parts` are what is
    drawn. `cursor` and `focus` are the place that a single picture shows (None: the whole run), `head` the head that
    is looked at.
    """

    language: str = "en"
    dark: bool = False
    preferences: Preferences = field(default_factory=Preferences)
    grain: Grain = Grain.STAGE
    first: int = 1
    last: int | None = None
    size: tuple[int, int] = (1280, 720)
    scale: float = 1.0
    speed: float = 1.0
    parts: tuple[str, ...] = PARTS
    cursor: Cursor | None = None
    focus: Cell | None = None
    head: int | None = None


@contextmanager
def speaking(language: str) -> Generator[None]:
    """Every sentence in a language, then back to the one before; never across a call of the window's."""
    before = current_language()
    use_language(language)
    try:
        yield
    finally:
        use_language(before)


def report(progress: Progress, fraction: float) -> None:
    """Tell how far it is. Raises Cancelled where that is answered with False."""
    if not progress(min(max(fraction, 0.0), 1.0)):
        raise Cancelled


def silent(_fraction: float) -> bool:
    """The progress that nobody looks at."""
    return True
