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
from gui.views.diagram.shapes import Arrow, DiagramLayout, Rect


class Crop(Struct, frozen=True):
    """Layout with hidden columns moved outside, and the number of hidden stages on either side.

    In part, x starts at the left edge of the area, and one layout unit is `scale` pixels.
    """

    layout: DiagramLayout
    scale: float
    before: int = 0
    after: int = 0

    @property
    def partial(self) -> bool:
        """Return whether anything is hidden."""
        return self.before + self.after > 0


def crop_layout(layout: DiagramLayout, stage_id: str, area: tuple[float, float]) -> Crop:
    """Return the whole picture if it is readable in an area in pixels, else part of it."""
    high = area[1] / layout.height
    whole = min(area[0] / layout.width, high)
    columns = columns_of(layout.boxes)
    if whole >= high * 0.999 or (whole >= LEGIBLE and not layout.digits):
        return Crop(layout if layout.digits else _spread(layout, columns, area[0] / whole), whole)
    scale = max(high, LEGIBLE)
    first, last = visible_columns(
        columns, columns.index_of(stage_id), area[0] / scale, BAND / scale
    )
    lefts = _placed(columns, first, last, area[0] / scale, BAND / scale)
    shown = _respaced(layout, columns, lefts, (first, last))
    end = len(columns.boxes)
    return Crop(shown, scale, columns.stages(0, first), columns.stages(last + 1, end))


def _spread(layout: DiagramLayout, columns: ColumnLayout, area: float) -> DiagramLayout:
    """Spread the whole picture over the width."""
    last = len(columns.boxes) - 1
    if needed_width(columns, 0, last, 0.0) > area:
        return layout
    lefts = _placed(columns, 0, last, area, 0.0)
    return replace(_respaced(layout, columns, lefts, (0, last)), width=area)


def _placed(columns: ColumnLayout, first: int, last: int, area: float, band: float) -> list[float]:
    """Return the new left edges: visible columns spread over the width, others outside."""
    free = area - needed_width(columns, first, last, band)
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
        gaps[last] = max(gaps[last], area - end + AROUND)
    x = start - sum(gaps[:first]) - sum(_width(columns, index) for index in range(first))
    lefts = []
    for index, gap in enumerate([*gaps, 0.0]):
        lefts.append(x)
        x += _width(columns, index) + gap
    return lefts


def _width(columns: ColumnLayout, index: int) -> float:
    return columns.right(index) - columns.left(index)


class _XMap:
    """Map from x of the layout to x of the crop: columns move, gaps are stretched."""

    def __init__(self, columns: ColumnLayout, lefts: list[float]) -> None:
        self._old_x = [x for i in range(len(lefts)) for x in (columns.left(i), columns.right(i))]
        self._new_x = [x for i, left in enumerate(lefts) for x in (left, left + _width(columns, i))]

    def __call__(self, x: float) -> float:
        index = bisect_right(self._old_x, x)
        if index == 0:
            return x + self._new_x[0] - self._old_x[0]
        if index == len(self._old_x):
            return x + self._new_x[-1] - self._old_x[-1]
        (a, b), (new_a, new_b) = (
            self._old_x[index - 1 : index + 1],
            self._new_x[index - 1 : index + 1],
        )
        return new_a + (x - a) * (new_b - new_a) / (b - a)


def _respaced(
    layout: DiagramLayout, columns: ColumnLayout, lefts: list[float], crop: tuple[int, int]
) -> DiagramLayout:
    move = _XMap(columns, lefts)
    shifts = {
        box.stage_id: left - columns.left(i)
        for i, left in enumerate(lefts)
        for box in columns.boxes[i]
    }
    boxes = tuple(box.moved(shifts[box.stage_id]) for box in layout.boxes)
    inside = {box.stage_id for column in columns.boxes[crop[0] : crop[1] + 1] for box in column}
    arrows = tuple(_redrawn(arrow, move, inside) for arrow in layout.arrows)
    softmax = layout.softmax
    if softmax is not None:
        left, right = move(softmax.x + FRAME) - FRAME, move(softmax.right - FRAME) + FRAME
        softmax = Rect(left, softmax.y, right - left, softmax.h)
    return replace(
        layout, width=lefts[-1] + _width(columns, -1), boxes=boxes, arrows=arrows, softmax=softmax
    )


def _redrawn(arrow: Arrow, move: _XMap, inside: set[str]) -> Arrow:
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
