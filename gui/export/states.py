"""The states that an export shows: steps of a run or scenes of a lesson. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from itertools import islice

from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Document
from core.explain import timeline as cursors
from core.explain.timeline import Cursor, Grain, timeline
from core.lesson.lesson import Lesson, resolve_all
from gui.export.options import ExportOptions, Subject
from gui.session.state import State, cursor_cell
from gui.texts.translation import language_folder


class SceneSteps(Enum):
    """Which steps of a scene are shown: before the first, after the last, or all."""

    BEGINNING = "beginning"
    END = "end"
    EVERY = "every"


def _scene_states(lesson: Lesson, options: ExportOptions, moment: SceneSteps) -> list[State]:
    """The states of the chosen scenes, at the chosen steps."""
    if not lesson.scenes:
        raise UserError("export.no_scenes")
    wanted = _chosen(options, len(lesson.scenes), "export.scenes")
    every, traces, trace = (
        resolve_all(lesson, language_folder(options.language)),
        dict[int, Trace](),
        None,
    )
    shown = []
    for resolved in (every[index] for index in wanted):
        document, steps = resolved.document, resolved.steps
        trace = traces.get(id(document)) or run(document, trace)
        traces[id(document)] = trace
        first = steps if moment is SceneSteps.END else 0
        for step in range(first, 1 if moment is SceneSteps.BEGINNING else steps + 1):
            cursor, focus = resolved.at_step(step, trace)
            state = _state(document, trace, cursor, focus, options)
            shown.append(replace(state, lesson=lesson, scene=resolved, steps_taken=step))
    return shown


def _chosen(options: ExportOptions, count: int, code: str) -> range:
    """The chosen numbers as indices from 0. Raises UserError with the code (text, limit)."""
    last = count if options.last is None else options.last
    if not 1 <= options.first <= last <= count:
        raise UserError(code, text=f"{options.first}-{last}", limit=count)
    return range(options.first - 1, last)


MOST_STEPS = 2000  # more slides or frames than this nobody wants to see


def step_count(trace: Trace, grain: Grain) -> int:
    """The number of steps of a run at a grain."""
    line = timeline(trace)
    if grain is Grain.CELL:
        return line.length
    if grain is Grain.STAGE:
        return len(line.blocks)
    return sum(
        block.rows * (2 if block.lead and not block.stage.entered else 1) for block in line.blocks
    )


def cursors_at(trace: Trace, grain: Grain, start: Cursor) -> Iterator[Cursor]:
    """The cursors of all steps at a grain."""
    line = timeline(trace)
    position = line.previous_stop(0, grain)
    near = replace(start, row=0, column=0)
    yield line.cursor_at(position, grain, near)
    while position < line.length - 1:
        position = line.next_stop(position, grain)
        yield line.cursor_at(position, grain, near)


def run_state(document: Document, options: ExportOptions) -> State:
    """The state that the options name, or the finished run."""
    trace = run(document)
    cursor = options.cursor or cursors.last(
        trace, first_cursor(trace, document, options), Grain.STAGE
    )
    cursor = cursors.clamp(trace, cursor)
    return _state(document, trace, cursor, options.focus or cursor_cell(cursor), options)


def _state(
    document: Document, trace: Trace, cursor: Cursor, focus: Cell, options: ExportOptions
) -> State:
    return State(
        document,
        trace,
        cursor,
        focus,
        options.preferences,
        language=options.language,
        shade=options.shade,
    )


def first_cursor(trace: Trace, document: Document, options: ExportOptions) -> Cursor:
    """The first cursor of a run, at the chosen head."""
    start = cursors.start(trace, document)
    head = (
        options.head
        if options.head is not None
        else (options.cursor.head if options.cursor else start.head)
    )
    return replace(start, head=min(max(head, 0), document.h - 1))


def states(
    subject: Subject, options: ExportOptions, moment: SceneSteps = SceneSteps.BEGINNING
) -> list[State]:
    """The states of the chosen steps or scenes.

    Raises UserError "export.steps" or "export.scenes" (text, limit) for numbers out of range,
    "export.no_scenes", "export.too_many" (actual, limit), and what resolve_all() raises.
    """
    if isinstance(subject, Lesson):
        shown = _scene_states(subject, options, moment)
        _require_few(len(shown))
        return shown
    base = run_state(subject, options)
    wanted = _chosen(options, step_count(base.trace, options.grain), "export.steps")
    _require_few(len(wanted))
    start = first_cursor(base.trace, subject, options)
    found = islice(cursors_at(base.trace, options.grain, start), wanted.start, wanted.stop)
    return [replace(base, cursor=cursor, focus=cursor_cell(cursor)) for cursor in found]


def _require_few(count: int) -> None:
    if count > MOST_STEPS:
        raise UserError("export.too_many", actual=count, limit=MOST_STEPS)
