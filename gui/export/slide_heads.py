"""Slides that compare all heads of a stage in readable digits, several if necessary."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from msgspec import Struct

from gui.export.options import ExportOptions
from gui.export.slide_shapes import (
    LEFT,
    WIDTH,
    SlideBox,
    add_text,
    fill_title,
    width_in_ems,
)
from gui.export.slide_tables import add_table
from gui.export.slide_text import SlideTable, hidden_text, slide_table
from gui.session.state import State
from gui.texts.names import head_label, layer_name, stage_gloss
from gui.texts.stage_texts import meaning
from gui.texts.translation import tr

LARGEST, SMALLEST = 18, 9  # points of the numbers
ROOM = SlideBox(LEFT, 1.55, WIDTH - 2 * LEFT, 5.35)
NOTE = SlideBox(LEFT - 0.1, 6.95, WIDTH - 2 * LEFT, 0.4)
CAPTION, GAP, BELOW = 0.3, 0.3, 0.12  # inches
LABEL, SPARE = 0.86, 1.2  # of the names of rows; more than it needs a head gets at most
LEADING = 1.62  # a row's height by the size of its numbers
WINDOWS = (
    (10, 10),
    (10, 9),
    (10, 8),
)  # rows and columns of a head, the first of which so many stand together
TOGETHER = 4


class HeadGrid(Struct, frozen=True):
    """How heads are arranged: heads on a slide, heads in a row, digits in points."""

    heads: int
    across: int
    points: int


def _heads(state: State) -> int:
    """The heads of the stage that is shown."""
    return state.document.scope(state.cursor.stage).h


def wants_heads(state: State, options: ExportOptions) -> bool:
    """Whether slides with all heads follow this step: several heads of a complete stage."""
    stage = state.trace.plan[state.cursor.stage]
    if not options.heads or not stage.headwise or _heads(state) < 2 or "lab" in state.view:
        return False
    rows, columns = state.trace[stage.id].shape[-2:]
    return state.is_visible(stage.id, rows - 1, columns - 1)


def add_head_slides(new_slide: Callable[[], Any], state: State, options: ExportOptions) -> int:
    """Add the slides of all heads; return how many."""
    count = _heads(state)
    tables, plan = _tables_and_grid(state)
    slides = math.ceil(count / plan.heads)
    for index in range(slides):
        first = index * plan.heads
        heads = range(first, min(first + plan.heads, count))
        _slide(new_slide(), state, options, plan, heads, tables)
    return slides


def _tables_and_grid(state: State) -> tuple[list[SlideTable], HeadGrid]:
    """The tables of all heads, cropped until several fit on a slide, and their arrangement."""
    count = _heads(state)
    found = []
    for most in WINDOWS:
        tables = [slide_table(_at_head(state, head), most) for head in range(count)]
        plan = fit_heads(tables, ROOM)
        found.append((tables, plan))
        if plan.heads >= min(count, TOGETHER):
            return tables, plan
    return found[0]


def fit_heads(tables: list[SlideTable], room: SlideBox) -> HeadGrid:
    """All heads on one slide as large as possible; else evenly on several in small digits."""
    for points in range(LARGEST, SMALLEST - 1, -1):
        across, fits = _fitting(tables[0], tables, points, room)
        if fits >= len(tables):
            return HeadGrid(len(tables), across, points)
    _, fits = _fitting(tables[0], tables, SMALLEST, room)
    each = math.ceil(len(tables) / math.ceil(len(tables) / max(1, fits)))
    sizes = (
        points
        for points in range(LARGEST, SMALLEST, -1)
        if _fitting(tables[0], tables, points, room)[1] >= each
    )
    points = next(sizes, SMALLEST)
    return HeadGrid(each, max(1, _fitting(tables[0], tables, points, room)[0]), points)


def _fitting(
    table: SlideTable, tables: list[SlideTable], points: float, room: SlideBox
) -> tuple[int, int]:
    """How many tables fit side by side, and how many on the slide, at a size of digits."""
    wide, high = _size(table, tables, points)
    across, down = (
        int((room.width + GAP) / (wide + GAP)),
        int((room.height + BELOW) / (high + BELOW)),
    )
    return across, across * down


def _size(table: SlideTable, tables: list[SlideTable], points: float) -> tuple[float, float]:
    """Width and height of a head's table in inches."""
    longest = max((text for one in tables for row in one.texts for text in row), key=width_in_ems)
    number = width_in_ems(longest) * points / 72 + 0.11
    return LABEL + number * len(table.columns), CAPTION + points * LEADING / 72 * (
        len(table.rows) + 1
    )


def _slide(
    slide: Any,
    state: State,
    options: ExportOptions,
    plan: HeadGrid,
    heads: range,
    tables: list[SlideTable],
) -> None:
    stage = state.cursor.stage
    parts = [meaning(state.document, stage, state.orientation).title, stage_gloss(stage)]
    parts.append(layer_name(state.document, stage))
    title = " · ".join(filter(None, parts))
    fill_title(slide, SlideBox(LEFT, 0.3, ROOM.width, 0.7), title, 28, options)
    caption = _caption(heads, len(tables))
    add_text(slide, SlideBox(LEFT, 0.98, ROOM.width, 0.5), caption, 16, options)
    wide, high = _size(tables[0], tables, plan.points)
    wide = min(wide + SPARE, (ROOM.width + GAP) / min(plan.across, plan.heads) - GAP)
    for place, head in enumerate(heads):
        row, column = divmod(place, plan.across)
        box = SlideBox(ROOM.x + column * (wide + GAP), ROOM.y + row * (high + BELOW), wide, high)
        _head(slide, box, state, options, head, tables[head])
    if any(tables[0].hidden):
        add_text(slide, NOTE, hidden_text(tables[0]), 12, options)
    slide.notes_slide.notes_text_frame.text = caption


def _caption(heads: range, count: int) -> str:
    """The sentence that names the heads of a slide."""
    if len(heads) == count:
        return tr("All {count} heads", count=count)
    if len(heads) == 1:
        return tr(
            "Head {number} of {count}: more would be too small to read on one slide",
            number=heads[0] + 1,
            count=count,
        )
    return tr(
        "Heads {first} to {last} of {count}: more would be too small to read on one slide",
        first=heads[0] + 1,
        last=heads[-1] + 1,
        count=count,
    )


def _head(
    slide: Any, box: SlideBox, state: State, options: ExportOptions, head: int, table: SlideTable
) -> None:
    own = state.document.scope(state.cursor.stage).heads[head]
    name = head_label(head, own.name)
    caption = name if own.enabled else tr("{head} · off", head=name)
    size = max(10.0, min(14.0, (box.width - 0.2) * 72 / max(width_in_ems(caption), 1.0)))
    add_text(
        slide,
        SlideBox(box.x - 0.1, box.y, box.width + 0.1, CAPTION),
        caption,
        size,
        options,
        "accent",
    )
    below = SlideBox(box.x, box.y + CAPTION, box.width, box.height - CAPTION)
    add_table(
        slide,
        below,
        replace(table, hidden=(0, 0)),
        _at_head(state, head),
        beside=max(LABEL, box.width * 0.16),
    )


def _at_head(state: State, head: int) -> State:
    return replace(
        state, cursor=replace(state.cursor, head=head), focus=replace(state.focus, head=head)
    )
