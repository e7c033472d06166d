"""Arrows of the data flow and their curves. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.document.document import Document
from core.stages import Plan, Stage
from core.stages.multiply import MIX
from gui.views.diagram.card_sizes import GROWTH, CardStyle, in_softmax
from gui.views.diagram.labels import arrow_label, label_width
from gui.views.diagram.shapes import CONTEXT_TOKENS, TOKENS, Arrow, CardBox, Point

# Gaps between columns, reduced in favour of digits, and widened at the softmax's frame.
LEAST_GAP, CLOSE_GAP, FRAME = 24.0, 15.0, 6.0
LABEL_SPACE, CLOSE_LABEL_SPACE = 18.0, 14.0
# Distance of a label above a level arrow.
ABOVE = 11.0
# Arrows with less rise or fall are level. Labels of arrows with a common start lie beyond the
# middle.
LEVEL = 14.0
BEYOND = 0.6
# Vertical distance of two arrows at one box, and of V's lane below the attention matrices.
APART = 13.0
CLEAR = 12.0


def links(document: Document, plan: Plan) -> Iterator[tuple[str, Stage]]:
    """Return every pair (source id, stage that reads it) in the order of the plan."""
    for stage in plan:
        for source in stage.reads:
            yield source, stage
        if stage.entered and stage.headwise:
            own = stage.axes[-2] == "n" or document.context is None
            yield TOKENS if own else CONTEXT_TOKENS, stage


def gap_widths(
    document: Document, plan: Plan, columns: Sequence[tuple[str, ...]], style: CardStyle
) -> list[float]:
    """Return the gap after each column but the last, wide enough for the labels of its arrows."""
    gaps = []
    for before, ids in pairwise(columns):
        found = [
            (label, stage)
            for source, stage in links(document, plan)
            if stage.id in ids and source not in ids
            for label in (
                arrow_label(document, plan, source, stage, style.orientation),
                stage.kind.widest_label(document),
            )
        ]
        labels = [label for label, stage in found if label and (style.arrows or _operands(stage))]
        space = LABEL_SPACE if style.arrows else CLOSE_LABEL_SPACE
        growth = GROWTH if style.arrows else 1.0
        widest = max((label_width(label) * growth + space for label in labels), default=0.0)
        least = LEAST_GAP if style.arrows else CLOSE_GAP
        if any(in_softmax(name) for name in (*before, *ids)):
            least += FRAME
        gaps.append(max(least, widest * (1.15 if style.arrows and len(labels) > 2 else 1.0)))
    return gaps


def _operands(stage: Stage) -> tuple[str, ...]:
    """Return the entered tensors that a stage multiplies by, whose names can be clicked."""
    return () if stage.entered else stage.inputs


def route(
    document: Document, plan: Plan, boxes: tuple[CardBox, ...], floor: float, style: CardStyle
) -> Iterator[Arrow]:
    """Route all arrows; none runs below `floor`."""
    by_id = {box.stage_id: box for box in boxes}
    own, other = (tuple(stage.id for stage in stages) for stages in plan.vectors)
    # Around a table of positions in a column between both.
    past = {(ids[0], ids[2]) for ids in (own, other)} if len(other) == 3 else set()
    for source, stage in links(document, plan):
        start, end = by_id[source], by_id[stage.id]
        label = arrow_label(document, plan, source, stage, style.orientation)
        inputs = _operands(stage)
        if start.rect.bottom < end.outer.y and start.rect.x == end.rect.x:
            yield _down(start, end, label, inputs)
            continue
        a, b = (start.outer.right, start.rect.centre[1]), _into(end, stage, source)
        if stage.kind is MIX and source == stage.reads[1]:
            yield _lane(boxes, (start, end), a, b, label, floor)
            continue
        if (source, stage.id) in past:
            yield _past(by_id[stage.reads[1]], start, a, b, label, stage.spec.of_context, stage.id)
            continue
        parting = len(inputs) > 0 and len(plan.readers(source)) > 1
        level = abs(a[1] - b[1]) < LEVEL and not parting
        at = _label_place(a, b, BEYOND if parting else 0.5)
        at = (at[0], at[1] - ABOVE) if level else at
        yield Arrow(source, stage.id, label, (a, *_curve(a, b)), at, b[0] - a[0], inputs, level)


def _down(start: CardBox, end: CardBox, label: str, inputs: tuple[str, ...]) -> Arrow:
    """Connect a card to the one below it, with the label beside the arrow."""
    x, top, bottom = start.rect.x + min(start.rect.w / 3, 28.0), start.rect.bottom, end.outer.y
    third = (bottom - top) / 3
    points = ((x, top), (x, top + third), (x, bottom - third), (x, bottom))
    wide = label_width(label) * GROWTH + 6.0
    at = (x + 8.0 + wide / 2, (top + bottom) / 2)
    return Arrow(start.stage_id, end.stage_id, label, points, at, start.rect.w, inputs, True)


def _label_place(a: Point, b: Point, part: float) -> Point:
    """Return a point of the curve from a to b."""
    across, rise = 1.5 * part * (1.0 - part) + part**3, part * part * (3.0 - 2.0 * part)
    return a[0] + (b[0] - a[0]) * across, a[1] + (b[1] - a[1]) * rise


def _into(box: CardBox, stage: Stage, source: str) -> Point:
    """Return the end point of an arrow; two sources arrive one above the other, in order."""
    x, y = box.rect.x, box.rect.centre[1]
    if len(stage.reads) < 2:
        return x, y
    return x, y + (APART if source == stage.reads[1] else -APART)


def _curve(a: Point, b: Point) -> tuple[Point, Point, Point]:
    half = (b[0] - a[0]) / 2
    return (a[0] + half, a[1]), (b[0] - half, b[1]), b


def _past(
    between: CardBox, start: CardBox, a: Point, b: Point, label: str, below: bool, target: str
) -> Arrow:
    """Route a vector around its positions: above those of X, below those of the context."""
    rect = between.outer
    y = rect.bottom + CLEAR if below else rect.y - CLEAR
    over, down = (rect.x, y), (rect.right, y)
    points = (a, *_curve(a, over), *_curve(over, down), *_curve(down, b))
    return Arrow(start.stage_id, target, label, points, ((rect.x + rect.right) / 2, y), rect.w)


def _lane(
    boxes: tuple[CardBox, ...],
    ends: tuple[CardBox, CardBox],
    a: Point,
    b: Point,
    label: str,
    floor: float,
) -> Arrow:
    """Route V below all cards in between, then up to the weighted sum."""
    between = [box.outer for box in boxes if a[0] < box.outer.x and box.outer.right < b[0]]
    y = min(max(a[1], max(rect.bottom for rect in between) + CLEAR), floor)
    first, last = min(rect.x for rect in between), max(rect.right for rect in between)
    down, up = (first, y), (last, y)
    points = (a, *_curve(a, down), *_curve(down, up), *_curve(up, b))
    source, target = (end.stage_id for end in ends)
    return Arrow(source, target, label, points, ((first + last) / 2, y), last - first)
