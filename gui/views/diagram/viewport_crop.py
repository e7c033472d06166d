"""Visible part of a picture wider than its area: whole columns around the current. Free of Qt."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

from msgspec import Struct

from gui.views.diagram.columns import (
    AROUND,
    BAND,
    FRAME,
    ColumnLayout,
    bands,
    columns_of,
    needed_width,
    visible_columns,
)
from gui.views.diagram.geometry import LEGIBLE, WIDEST_GAP
from gui.views.diagram.shapes import Arrow, Box, Layout, Rect


class Crop(Struct, frozen=True):
    """Layout with hidden columns moved outside, and the number of hidden stages on either side.

    In part, x starts at the left edge of the area, and one layout unit is `scale` pixels.
    """

    where: Layout
    scale: float
    before: int = 0
    after: int = 0

    @property
    def partial(self) -> bool:
        """Return whether anything is hidden."""
        return self.before + self.after > 0


def crop_layout(where: Layout, stage_id: str, room: tuple[float, float]) -> Crop:
    """Return the whole picture if it is readable in an area in pixels, else part of it."""
    high = room[1] / where.height
    whole = min(room[0] / where.width, high)
    columns = columns_of(where)
    if whole >= high * 0.999 or (whole >= LEGIBLE and not where.digits):
        return Crop(where if where.digits else _spread(where, columns, room[0] / whole), whole)
    scale = max(high, LEGIBLE)
    first, last = visible_columns(
        columns, columns.index_of(stage_id), room[0] / scale, BAND / scale
    )
    lefts = _placed(columns, first, last, room[0] / scale, BAND / scale)
    shown = _respaced(where, columns, lefts, (first, last))
    end = len(columns.boxes)
    return Crop(shown, scale, columns.stages(0, first), columns.stages(last + 1, end))


def _spread(where: Layout, columns: ColumnLayout, room: float) -> Layout:
    """Spread the whole picture over the width."""
    last = len(columns.boxes) - 1
    if needed_width(columns, 0, last, 0.0) > room:
        return where
    lefts = _placed(columns, 0, last, room, 0.0)
    return replace(_respaced(where, columns, lefts, (0, last)), width=room)


def _placed(columns: ColumnLayout, first: int, last: int, room: float, band: float) -> list[float]:
    """Return the new left edges: visible columns spread over the width, others outside."""
    free = room - needed_width(columns, first, last, band)
    gaps = columns.gaps(0, len(columns.boxes) - 1)
    for index in range(first, last):
        more = min(max(free, 0.0) / (last - index), max(0.0, WIDEST_GAP - gaps[index]))
        gaps[index] += more
        free -= more
    start = bands(columns, first, last, band)[0] + AROUND + max(free, 0.0) / 2
    if first:
        gaps[first - 1] = max(gaps[first - 1], start + AROUND)
    if last < len(gaps):
        end = (
            start
            + sum(gaps[first:last])
            + sum(_width(columns, index) for index in range(first, last + 1))
        )
        gaps[last] = max(gaps[last], room - end + AROUND)
    x = start - sum(gaps[:first]) - sum(_width(columns, index) for index in range(first))
    lefts = []
    for index, gap in enumerate([*gaps, 0.0]):
        lefts.append(x)
        x += _width(columns, index) + gap
    return lefts


def _width(columns: ColumnLayout, index: int) -> float:
    return columns.right(index) - columns.left(index)


class _Moves:
    """Map from x of the layout to x of the crop: columns move, gaps are stretched."""

    def __init__(self, columns: ColumnLayout, lefts: list[float]) -> None:
        self._olds = [x for i in range(len(lefts)) for x in (columns.left(i), columns.right(i))]
        self._news = [x for i, left in enumerate(lefts) for x in (left, left + _width(columns, i))]

    def __call__(self, x: float) -> float:
        index = bisect_right(self._olds, x)
        if index == 0:
            return x + self._news[0] - self._olds[0]
        if index == len(self._olds):
            return x + self._news[-1] - self._olds[-1]
        (a, b), (new_a, new_b) = (
            self._olds[index - 1 : index + 1],
            self._news[index - 1 : index + 1],
        )
        return new_a + (x - a) * (new_b - new_a) / (b - a)


def _respaced(
    where: Layout, columns: ColumnLayout, lefts: list[float], seen: tuple[int, int]
) -> Layout:
    move = _Moves(columns, lefts)
    shifts = {
        box.stage_id: left - columns.left(i)
        for i, left in enumerate(lefts)
        for box in columns.boxes[i]
    }
    boxes = tuple(_moved(box, shifts[box.stage_id]) for box in where.boxes)
    inside = {box.stage_id for column in columns.boxes[seen[0] : seen[1] + 1] for box in column}
    arrows = tuple(_redrawn(arrow, move, inside) for arrow in where.arrows)
    left, right = move(where.softmax.x + FRAME) - FRAME, move(where.softmax.right - FRAME) + FRAME
    softmax = Rect(left, where.softmax.y, right - left, where.softmax.h)
    return replace(
        where, width=lefts[-1] + _width(columns, -1), boxes=boxes, arrows=arrows, softmax=softmax
    )


def _moved(box: Box, by: float) -> Box:
    return replace(box, rect=box.rect.moved(by, 0.0), matrix=box.matrix.moved(by, 0.0))


def _redrawn(arrow: Arrow, move: _Moves, inside: set[str]) -> Arrow:
    """Return the moved arrow; one that leaves the area loses its label."""
    points = tuple((move(x), y) for x, y in arrow.points)
    leaves = arrow.source not in inside or arrow.target not in inside
    return replace(
        arrow,
        points=points,
        at=(move(arrow.at[0]), arrow.at[1]),
        label="" if leaves else arrow.label,
        inputs=() if leaves else arrow.inputs,
    )
