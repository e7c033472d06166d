"""The columns of a picture, and how many of them a room shows whole. Free of Qt."""

from __future__ import annotations

from msgspec import Struct

from gui.views.diagram.shapes import WORDS, Box, Layout

# Where the picture goes on, so many pixels of the room's width are left to say so.
BAND = 38.0
# Around the outermost cards, in layout units: the ring of the current one, the frame of the softmax.
AROUND = 11.0


class Columns(Struct, frozen=True):
    """The cards of a picture in columns, from left to right."""

    boxes: tuple[tuple[Box, ...], ...]

    def left(self, index: int) -> float:
        """Where a column begins."""
        return min(box.outer.x for box in self.boxes[index])

    def right(self, index: int) -> float:
        """Where a column ends."""
        return max(box.outer.right for box in self.boxes[index])

    def gaps(self, first: int, last: int) -> list[float]:
        """The free widths between the columns of a range."""
        return [self.left(index + 1) - self.right(index) for index in range(first, last)]

    def holding(self, stage_id: str) -> int:
        """The column of a stage."""
        return next(
            i
            for i, column in enumerate(self.boxes)
            if any(box.stage_id == stage_id for box in column)
        )

    def stages(self, start: int, end: int) -> int:
        """How many stages a half-open range of columns holds."""
        return sum(box.stage_id not in WORDS for column in self.boxes[start:end] for box in column)


def columns_of(where: Layout) -> Columns:
    """The columns of a picture: cards that share a stretch of its width."""
    found: list[list[Box]] = []
    for box in sorted(where.boxes, key=lambda box: box.outer.x):
        if found and box.outer.x < max(other.outer.right for other in found[-1]):
            found[-1].append(box)
        else:
            found.append([box])
    return Columns(tuple(map(tuple, found)))


def window(columns: Columns, here: int, room: float, band: float) -> tuple[int, int]:
    """The first and the last column that are seen: those before and after the current one in turn, as far as they fit.

    The current column is seen in any case.
    """
    first = last = here
    grown = True
    while grown:
        grown = False
        for before, after in ((1, 0), (0, 1)):
            start, end = max(first - before, 0), min(last + after, len(columns.boxes) - 1)
            if (start, end) != (first, last) and needed(columns, start, end, band) <= room:
                first, last, grown = start, end, True
    return first, last


def bands(columns: Columns, first: int, last: int, band: float) -> tuple[float, float]:
    """What is left free at either end: a band where columns are hidden."""
    return band if first else 0.0, band if last < len(columns.boxes) - 1 else 0.0


def needed(columns: Columns, first: int, last: int, band: float) -> float:
    """The width that a range of columns needs to be seen."""
    return (
        columns.right(last)
        - columns.left(first)
        + 2 * AROUND
        + sum(bands(columns, first, last, band))
    )
