"""The laws of stepping, against a line of positions that is written out by hand here."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.compute.trace import Trace, run
from core.document import edits
from core.document.document import Document, Mask, Positional, Scale
from core.explain.timeline import (
    Cursor,
    Grain,
    Reach,
    at_stage,
    clamp,
    first,
    last,
    reveals,
    start,
    step,
    timeline,
)
from tests.core.documents import documents, make

Place = tuple[
    str, int, int
]  # stage, row, column; column −1 is the sub-step of the row, row −1 a stage that was entered
GRAINS = st.sampled_from(Grain)


def line_of(trace: Trace) -> list[Place]:
    """Every position of the line, in order."""
    places: list[Place] = []
    for stage in trace.plan:
        rows, columns = trace[stage.id].shape[-2:]
        if stage.entered:
            places.append((stage.id, -1, -1))
            continue
        for row in range(rows):
            places += [(stage.id, row, -1)] * (stage.lead in ("max", "sum"))
            places += [(stage.id, row, column) for column in range(columns)]
    return places


def place_of(trace: Trace, cursor: Cursor) -> Place:
    """Where a cursor stands: "whole" and "row" are the position of their last cell."""
    rows, columns = trace[cursor.stage].shape[-2:]
    if trace.plan[cursor.stage].entered:
        return (cursor.stage, -1, -1)
    if cursor.reach is Reach.LEAD:
        return (cursor.stage, cursor.row, -1)
    row = rows - 1 if cursor.reach is Reach.WHOLE else cursor.row
    return (cursor.stage, row, cursor.column if cursor.reach is Reach.CELL else columns - 1)


def is_stop(trace: Trace, place: Place, grain: Grain) -> bool:
    stage, row, column = place
    rows, columns = trace[stage].shape[-2:]
    if row == -1 or grain is Grain.CELL:
        return True
    if grain is Grain.ROW:
        return column in (-1, columns - 1)
    return (row, column) == (rows - 1, columns - 1)


@st.composite
def standing(draw: st.DrawFn, max_pins: int = 0) -> tuple[Trace, Cursor]:
    """A trace and any cursor in it."""
    trace = run(draw(documents(any_size=True, max_pins=max_pins)))
    stage = draw(st.sampled_from([stage.id for stage in trace.plan]))
    rows, columns = trace[stage].shape[-2:]
    lead = trace.plan[stage].lead != ""
    reach = draw(st.sampled_from([reach for reach in Reach if lead or reach is not Reach.LEAD]))
    head = draw(st.integers(0, len(trace["scores"]) - 1))
    cursor = Cursor(
        stage, head, draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1)), reach
    )
    return trace, clamp(trace, cursor)


@given(documents(any_size=True, max_pins=0))
def test_steps_by_cell_visit_every_position_once_in_reading_order(document: Document) -> None:
    trace = run(document)
    line = line_of(trace)
    cursor = start(trace, document)
    visited = [place_of(trace, cursor)]
    while (after := step(trace, cursor, Grain.CELL, 1)) != cursor:
        cursor = after
        visited.append(place_of(trace, cursor))
    assert visited == line
    assert timeline(trace).length == len(line)


@given(standing(), GRAINS, st.integers(-4, 4))
def test_steps_go_from_stop_to_stop(here: tuple[Trace, Cursor], grain: Grain, by: int) -> None:
    trace, cursor = here
    line = line_of(trace)
    at = line.index(place_of(trace, cursor))
    stops = [position for position, place in enumerate(line) if is_stop(trace, place, grain)]
    for _ in range(abs(by)):
        beyond = [p for p in stops if (p > at if by > 0 else p < at)]
        if beyond:
            at = beyond[0] if by > 0 else beyond[-1]
    after = step(trace, cursor, grain, by)
    assert place_of(trace, after) == line[at]
    assert timeline(trace).position(after) == at
    assert after.head == cursor.head


@given(standing(), GRAINS)
def test_three_forward_and_one_back_is_two_forward(
    here: tuple[Trace, Cursor], grain: Grain
) -> None:
    trace, cursor = here
    two, three = step(trace, cursor, grain, 2), step(trace, cursor, grain, 3)
    if three == two:  # the end of the line is a stop
        assert place_of(trace, three) == line_of(trace)[-1]
        return
    back = step(trace, three, grain, -1)
    assert place_of(trace, back) == place_of(trace, two)
    one_by_one = cursor
    for _ in range(3):
        one_by_one = step(trace, one_by_one, grain, 1)
    # A narrow stage on the way may have brought the column nearer; where we stand on the line is the same.
    assert place_of(trace, one_by_one) == place_of(trace, three)


@given(standing(), GRAINS, st.integers(1, 5))
def test_back_undoes_forward(here: tuple[Trace, Cursor], grain: Grain, by: int) -> None:
    trace, cursor = here
    aligned = step(trace, step(trace, cursor, grain, 1), grain, -1)
    places = [place_of(trace, step(trace, aligned, grain, i)) for i in range(by + 1)]
    if len(set(places)) <= by:  # the line ends before
        return
    back = step(trace, step(trace, aligned, grain, by), grain, -by)
    assert place_of(trace, back) == places[0]
    walked = {Grain.STAGE: (), Grain.ROW: ("row",), Grain.CELL: ("row", "column")}[grain]
    assert [getattr(back, name) for name in ("stage", "reach", *walked)] == [
        getattr(aligned, name) for name in ("stage", "reach", *walked)
    ]


@given(documents(any_size=True, max_pins=0))
def test_by_cell_the_way_back_is_the_way_there(document: Document) -> None:
    trace = run(document)
    cursor = first(trace, start(trace, document), Grain.CELL)
    there = [cursor]
    for _ in range(timeline(trace).length - 1):
        there.append(step(trace, there[-1], Grain.CELL, 1))
    back = [there[-1]]
    for _ in range(timeline(trace).length - 1):
        back.append(step(trace, back[-1], Grain.CELL, -1))
    assert back[::-1] == there


@given(standing(), GRAINS)
def test_both_ends_are_stops(here: tuple[Trace, Cursor], grain: Grain) -> None:
    trace, cursor = here
    line = line_of(trace)
    beginning, end = first(trace, cursor, grain), last(trace, cursor, grain)
    assert place_of(trace, beginning) == line[0]
    assert place_of(trace, end) == line[-1]
    assert end.reach is Reach.WHOLE
    assert step(trace, beginning, grain, -1) == beginning
    assert step(trace, end, grain, 1) == end
    assert place_of(trace, step(trace, cursor, grain, 10_000)) == line[-1]
    assert place_of(trace, step(trace, cursor, grain, -10_000)) == line[0]


@given(standing())
def test_what_is_revealed_is_what_lies_behind_on_the_line(here: tuple[Trace, Cursor]) -> None:
    trace, cursor = here
    line = line_of(trace)
    behind = set(line[: line.index(place_of(trace, cursor)) + 1])
    for stage in trace.plan:
        rows, columns = trace[stage.id].shape[-2:]
        for row in range(rows):
            for column in range(columns):
                place = (stage.id, -1, -1) if stage.entered else (stage.id, row, column)
                assert reveals(trace.plan, cursor, stage.id, row, column) == (place in behind)


def test_it_starts_at_the_first_stage_and_the_first_head_that_is_on() -> None:
    document = make(off=(0,))
    assert start(run(document), document) == Cursor("X", head=1)
    entered = make(source="qkv", off=(0, 1, 2))
    assert start(run(entered), entered) == Cursor("Q", head=0)


SWITCHES = [
    ("masked", lambda d: edits.with_mask(d, Mask("none")), "biased"),
    ("biased", lambda d: edits.with_positional(d, Positional("none")), "scaled"),
    ("scaled", lambda d: edits.with_scale(d, Scale("none")), "scores"),
    ("concat", lambda d: d.with_(W_O=None, b_O=None), "concat"),
    ("weights", lambda d: edits.with_mask(d, Mask("none")), "weights"),
]


@pytest.mark.parametrize(("stage", "switch", "expected"), SWITCHES)
def test_switching_a_part_off_keeps_the_cursor_as_near_as_it_can_be(
    stage, switch, expected
) -> None:  # type: ignore[no-untyped-def]
    document = make(positional="alibi", mask="causal", output=True)
    cursor = Cursor(stage, 2, 3, 1, Reach.WHOLE)
    after = clamp(run(switch(document)), cursor)
    assert after == Cursor(expected, 2, 3, 1, Reach.WHOLE)


def test_positions_off_goes_back_to_x() -> None:
    document = make(positional="sinusoidal")
    without = run(edits.with_positional(document, Positional("none")))
    assert clamp(without, Cursor("P", 0, 4, 5)) == Cursor("X", 0, 4, 5)
    assert clamp(without, Cursor("input", 0, 4, 5, Reach.CELL)) == Cursor("X", 0, 4, 5)


@given(standing(), documents(any_size=True, max_pins=0))
def test_any_cursor_fits_into_any_other_trace(
    here: tuple[Trace, Cursor], document: Document
) -> None:
    _, cursor = here
    trace = run(document)
    after = clamp(trace, cursor)
    rows, columns = trace[after.stage].shape[-2:]
    assert 0 <= after.row < rows
    assert 0 <= after.column < columns
    assert 0 <= after.head < document.h
    assert place_of(trace, after) in line_of(trace)
    assert clamp(trace, after) == after
    if cursor.stage in trace:
        assert after.stage == cursor.stage
        assert after.row == min(cursor.row, rows - 1)


def test_a_jump_keeps_row_and_column_as_far_as_they_exist() -> None:
    trace = run(make())
    assert at_stage(trace, Cursor("X", 2, 4, 5), "V") == Cursor("V", 2, 4, 3)
    assert at_stage(trace, Cursor("X", 2, 4, 5), "masked") == Cursor("scaled", 2, 4, 4)
    assert replace(at_stage(trace, Cursor("exp", 1, 2, 3, Reach.LEAD), "Y"), column=0) == Cursor(
        "Y", 1, 2, 0
    )
