"""Arrows of the diagram of a stack: inside sub-layers, and between them and the stream. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from core.stages.multiply import MIX
from gui.views.diagram.shapes import Arrow, CardBox, Panel, Point, Rect
from gui.views.diagram.stack_sections import Section


def stack_arrows(
    section: Section,
    boxes: tuple[CardBox, ...],
    band: Rect,
    pluses: Mapping[str, Rect],
    panels: Sequence[Panel],
) -> Iterator[Arrow]:
    """Route all arrows between the boxes of an open part; `pluses` are those on the stream."""
    by_id = {box.stage_id: box for box in boxes}
    for stage in section.stages:
        end = by_id[stage.id]
        for source in stage.reads:
            if source not in by_id:
                continue
            start = by_id[source]
            if stage.id in pluses:
                if start.rect.y >= band.bottom:
                    yield _arrow(start, end, _rise(start, pluses[stage.id]))
            elif start.rect.y < band.bottom <= end.rect.y:
                yield _arrow(start, end, _fall(start, end))
            elif start.rect.bottom <= end.outer.y and start.rect.x < end.rect.right:
                yield _arrow(start, end, _down(start, end))
            elif stage.kind is MIX and source == stage.reads[1]:
                floor = next(panel.rect.bottom for panel in panels if stage.id in panel.stages)
                yield _arrow(start, end, _below(start, end, boxes, floor - 3.0))
            elif end.rect.y >= band.bottom:
                yield _arrow(start, end, _across(start, end))


def _arrow(start: CardBox, end: CardBox, points: tuple[Point, ...]) -> Arrow:
    middle = points[len(points) // 2]
    return Arrow(start.stage_id, end.stage_id, "", points, middle, 0.0)


def _straight(*points: Point) -> tuple[Point, ...]:
    """Return a path of straight lines as cubic curves."""
    found = [points[0]]
    for a, b in pairwise(points):
        found += [
            (a[0] + (b[0] - a[0]) / 3, a[1] + (b[1] - a[1]) / 3),
            (b[0] - (b[0] - a[0]) / 3, b[1] - (b[1] - a[1]) / 3),
            b,
        ]
    return tuple(found)


def _across(start: CardBox, end: CardBox) -> tuple[Point, ...]:
    a, b = (start.outer.right, start.rect.centre[1]), (end.rect.x, end.rect.centre[1])
    half = (b[0] - a[0]) / 2
    return (a, (a[0] + half, a[1]), (b[0] - half, b[1]), b)


def _down(start: CardBox, end: CardBox) -> tuple[Point, ...]:
    x = end.rect.centre[0]
    return _straight((x, start.rect.bottom), (x, end.outer.y))


def _fall(start: CardBox, end: CardBox) -> tuple[Point, ...]:
    """From the stream down to the first stage of a sub-layer."""
    x = min(max(end.rect.centre[0], start.rect.x + 10.0), start.rect.right - 10.0)
    top, bottom = start.rect.bottom, end.outer.y
    if abs(x - end.rect.centre[0]) < 1.0:
        return _straight((x, top), (x, bottom))
    turn = top + 7.0
    at = end.rect.centre[0]
    return _straight((x, top), (x, turn), (at, turn), (at, bottom))


def _rise(start: CardBox, plus: Rect) -> tuple[Point, ...]:
    """From the result of a sub-layer up to the place where it is added."""
    x, y = plus.centre[0], start.rect.centre[1]
    return _straight((start.outer.right, y), (x, y), (x, plus.bottom))


def _below(
    start: CardBox, end: CardBox, boxes: tuple[CardBox, ...], floor: float
) -> tuple[Point, ...]:
    """V below the attention matrices, then up to the weighted sum."""
    a, b = (start.outer.right, start.rect.centre[1]), (end.rect.x, end.rect.centre[1] + 8.0)
    between = [
        box.rect.bottom
        for box in boxes
        if a[0] < box.outer.x and box.outer.right < b[0] and box.rect.bottom > a[1]
    ]
    y = min(max([a[1], *(bottom + 3.0 for bottom in between)]), floor)
    return _straight(a, (a[0] + 7.0, a[1]), (a[0] + 7.0, y), (b[0] - 7.0, y), (b[0] - 7.0, b[1]), b)
