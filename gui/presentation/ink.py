"""Pen strokes that stay with the step at which they were drawn. Free of Qt."""

from __future__ import annotations

import math

from msgspec import Struct

from core.explain.timeline import Reach
from gui.session.presented import PresentedViews
from gui.session.state import State

# Roles of the theme, so that ink can be read in each of them.
INKS = ("error", "query", "value", "warning")
Point = tuple[
    float, float
]  # from the middle of the screen, in heights of it: strokes fit every screen
Place = tuple[object, ...]


class Stroke(Struct, frozen=True):
    """A line through points."""

    colour: str
    points: tuple[Point, ...]

    def near(self, point: Point, distance: float) -> bool:
        """Whether the stroke passes a point at most so far away."""
        pairs = zip(self.points, self.points[1:] or self.points, strict=False)
        return any(_distance(point, start, end) <= distance for start, end in pairs)


def place_of(state: State, choice: PresentedViews) -> Place:
    """What strokes belong to: experiment, scene, step, head and what is shown. Marking a cell keeps them."""
    cursor = state.cursor
    where = () if cursor.reach is Reach.WHOLE else (cursor.row, cursor.column)
    sizes = tuple(state.document.sizes.values())
    return (
        state.document.tokens,
        state.document.key_tokens,
        sizes,
        state.scene_index,
        state.steps_taken,
        cursor.stage,
        cursor.reach,
        where,
        cursor.head,
        choice.panels,
    )


class Ink:
    """All strokes, by place."""

    def __init__(self) -> None:
        self._strokes: dict[Place, tuple[Stroke, ...]] = {}

    def at(self, place: Place) -> tuple[Stroke, ...]:
        """The strokes of a place, the oldest first."""
        return self._strokes.get(place, ())

    def add(self, place: Place, stroke: Stroke) -> None:
        """One more."""
        self._strokes[place] = (*self.at(place), stroke)

    def rub(self, place: Place, point: Point, distance: float) -> None:
        """Take away the strokes that pass a point."""
        self._strokes[place] = tuple(
            stroke for stroke in self.at(place) if not stroke.near(point, distance)
        )

    def take_back(self, place: Place) -> None:
        """Take away the last one."""
        self._strokes[place] = self.at(place)[:-1]

    def wipe(self, place: Place) -> None:
        """Take away all of a place."""
        self._strokes.pop(place, None)


def _distance(point: Point, start: Point, end: Point) -> float:
    """From a point to a line between two others."""
    along = (end[0] - start[0], end[1] - start[1])
    length = along[0] ** 2 + along[1] ** 2
    part = 0.0
    if length:
        part = ((point[0] - start[0]) * along[0] + (point[1] - start[1]) * along[1]) / length
    part = min(max(part, 0.0), 1.0)
    return math.hypot(point[0] - start[0] - part * along[0], point[1] - start[1] - part * along[1])
