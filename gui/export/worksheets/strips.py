"""Pieces of a page that are not broken, and how they fill pages: plain numbers and painters of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QPainter

# A4 at 96 pixels an inch, with margins that every printer leaves free.
PAGE = (793.7, 1122.5)
LEFT, TOP, BOTTOM = 60.0, 52.0, 64.0
WIDTH = PAGE[0] - 2 * LEFT
HEIGHT = PAGE[1] - TOP - BOTTOM

Paint = Callable[[QPainter, float, float], None]


@dataclass(frozen=True, slots=True)
class Strip:
    """A piece as wide as the text: its height, the room above it, and its painter, which is told where it lies.

    `keep` says that it must not be the last one on a page; at the top of a page there is no room above.
    """

    height: float
    paint: Paint
    above: float = 0.0
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """A strip and where its top lies on its page."""

    strip: Strip
    y: float


def pages(strips: Sequence[Strip]) -> list[list[Placed]]:
    """The strips on pages, from the top; those that belong together stay so where a page can hold them."""
    result: list[list[Placed]] = [[]]
    y = 0.0
    for group in _groups(strips):
        needed = sum(strip.above + strip.height for strip in group)
        if result[-1] and y + needed > HEIGHT:
            result.append([])
            y = 0.0
        for strip in group:
            above = strip.above if result[-1] else 0.0
            if result[-1] and y + above + strip.height > HEIGHT:
                result.append([])
                y, above = 0.0, 0.0
            result[-1].append(Placed(strip, TOP + y + above))
            y += above + strip.height
    return result


def _groups(strips: Sequence[Strip]) -> list[list[Strip]]:
    """Runs of strips that are kept together: each with the one after it while it asks for that."""
    groups: list[list[Strip]] = []
    joined = False
    for strip in strips:
        if joined:
            groups[-1].append(strip)
        else:
            groups.append([strip])
        joined = strip.keep
    return groups
