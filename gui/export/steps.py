"""The states that an export shows: the stops of the timeline at a grain, from one to another. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Document
from core.explain import timeline as cursors
from core.explain.timeline import Cursor, Grain, Timeline, timeline
from core.lesson.lesson import Lesson
from gui.export.export_source import Subject
from gui.export.options import Options
from gui.export.scenes import Moment, scene_states
from gui.session.state import State, cursor_cell

MOST_STEPS = 2000  # more slides or frames than this nobody wants to see


def count(trace: Trace, grain: Grain) -> int:
    """How many steps a run has at a grain."""
    line = timeline(trace)
    if grain is Grain.CELL:
        return line.length
    if grain is Grain.STAGE:
        return len(line.blocks)
    return sum(
        block.rows * (2 if block.lead and not block.stage.entered else 1) for block in line.blocks
    )


def stops(trace: Trace, grain: Grain, start: Cursor) -> Iterator[Cursor]:
    """Every stop at a grain, from the first on."""
    line = timeline(trace)
    position = line.previous_stop(0, grain)
    near = replace(start, row=0, column=0)
    yield _at(line, position, grain, near)
    while position < line.length - 1:
        position = line.next_stop(position, grain)
        yield _at(line, position, grain, near)


def _at(line: Timeline, position: int, grain: Grain, near: Cursor) -> Cursor:
    return line.cursor_at(position, grain, near)


def run_state(document: Document, options: Options) -> State:
    """The whole run, or the place that the options name."""
    trace = run(document)
    cursor = options.cursor or cursors.last(trace, beginning(trace, document, options), Grain.STAGE)
    cursor = cursors.clamp(trace, cursor)
    return State(
        document,
        trace,
        cursor,
        options.focus or cursor_cell(cursor),
        options.preferences,
        language=options.language,
        shade=options.shade,
    )


def beginning(trace: Trace, document: Document, options: Options) -> Cursor:
    """Where the run begins, at the head that is to be looked at."""
    start = cursors.start(trace, document)
    head = (
        options.head
        if options.head is not None
        else (options.cursor.head if options.cursor else start.head)
    )
    return replace(start, head=min(max(head, 0), document.h - 1))


def chosen_range(trace: Trace, options: Options) -> range:
    """The steps that are asked for, counted from 0.

    Raises UserError "export.steps" (text, limit) for steps that are not there, "export.too_many" (actual, limit).
    """
    there = count(trace, options.grain)
    last = there if options.last is None else options.last
    if not 1 <= options.first <= last <= there:
        raise UserError("export.steps", text=f"{options.first}-{last}", limit=there)
    if last - options.first + 1 > MOST_STEPS:
        raise UserError("export.too_many", actual=last - options.first + 1, limit=MOST_STEPS)
    return range(options.first - 1, last)


def states(subject: Subject, options: Options, moment: Moment = Moment.BEGINNING) -> list[State]:
    """The states of the steps that are asked for, or of the scenes, each at that moment.

    Raises UserError as chosen_range() and scene_states() do.
    """
    if isinstance(subject, Lesson):
        shown = scene_states(subject, options, moment)
        if len(shown) > MOST_STEPS:
            raise UserError("export.too_many", actual=len(shown), limit=MOST_STEPS)
        return shown
    return _step_states(subject, options)


def _step_states(document: Document, options: Options) -> list[State]:
    trace = run(document)
    wanted = chosen_range(trace, options)
    base = run_state(document, options)
    chosen = []
    for index, cursor in enumerate(
        stops(trace, options.grain, beginning(trace, document, options))
    ):
        if index >= wanted.stop:
            break
        if index >= wanted.start:
            focus = cursor_cell(cursor)
            chosen.append(replace(base, trace=trace, cursor=cursor, focus=focus))
    return chosen
