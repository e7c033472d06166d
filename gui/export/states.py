"""The states that an export shows: steps of a run or scenes of a lesson. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum

from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Document
from core.explain import timeline as cursors
from core.explain.timeline import Cursor, Grain, Timeline, timeline
from core.lesson.lesson import Lesson, resolve_all
from gui.export.options import ExportOptions, Subject
from gui.session.state import State, cursor_cell


class SceneSteps(Enum):
    """Which steps of a scene are shown: before the first, after the last, or all."""

    BEGINNING = "beginning"
    END = "end"
    EVERY = "every"


def scene_states(
    lesson: Lesson, options: ExportOptions, moment: SceneSteps = SceneSteps.BEGINNING
) -> list[State]:
    """The states of the chosen scenes, at the chosen steps.

    Raises UserError "export.no_scenes" if the lesson has none, "export.scenes" (text, limit) for
    numbers out of range, and what resolve_all() raises.
    """
    wanted = chosen_scenes(lesson, options)
    every, traces, trace = resolve_all(lesson), dict[int, Trace](), None
    shown = []
    for resolved in (every[index] for index in wanted):
        document = resolved.document
        trace = traces.get(id(document)) or run(document, trace)
        traces[id(document)] = trace
        for step in _step_numbers(resolved.steps, moment):
            cursor, focus = resolved.at_step(step, trace)
            shown.append(
                State(
                    document,
                    trace,
                    cursor,
                    focus,
                    options.preferences,
                    language=options.language,
                    shade=options.shade,
                    lesson=lesson,
                    scene=resolved,
                    steps_taken=step,
                )
            )
    return shown


def _step_numbers(steps: int, moment: SceneSteps) -> range:
    return range(
        steps if moment is SceneSteps.END else 0, 1 if moment is SceneSteps.BEGINNING else steps + 1
    )


def chosen_scenes(lesson: Lesson, options: ExportOptions) -> range:
    """The indices of the chosen scenes, from 0. Raises UserError as scene_states() does."""
    if not lesson.scenes:
        raise UserError("export.no_scenes")
    return _chosen(options, len(lesson.scenes), "export.scenes")


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
    yield _at(line, position, grain, near)
    while position < line.length - 1:
        position = line.next_stop(position, grain)
        yield _at(line, position, grain, near)


def _at(line: Timeline, position: int, grain: Grain, near: Cursor) -> Cursor:
    return line.cursor_at(position, grain, near)


def run_state(document: Document, options: ExportOptions) -> State:
    """The state that the options name, or the finished run."""
    trace = run(document)
    cursor = options.cursor or cursors.last(
        trace, first_cursor(trace, document, options), Grain.STAGE
    )
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


def first_cursor(trace: Trace, document: Document, options: ExportOptions) -> Cursor:
    """The first cursor of a run, at the chosen head."""
    start = cursors.start(trace, document)
    head = (
        options.head
        if options.head is not None
        else (options.cursor.head if options.cursor else start.head)
    )
    return replace(start, head=min(max(head, 0), document.h - 1))


def chosen_range(trace: Trace, options: ExportOptions) -> range:
    """The indices of the chosen steps, from 0.

    Raises UserError "export.steps" (text, limit) for numbers out of range,
    "export.too_many" (actual, limit).
    """
    chosen = _chosen(options, step_count(trace, options.grain), "export.steps")
    if len(chosen) > MOST_STEPS:
        raise UserError("export.too_many", actual=len(chosen), limit=MOST_STEPS)
    return chosen


def states(
    subject: Subject, options: ExportOptions, moment: SceneSteps = SceneSteps.BEGINNING
) -> list[State]:
    """The states of the chosen steps or scenes.

    Raises UserError as chosen_range() and scene_states() do.
    """
    if isinstance(subject, Lesson):
        shown = scene_states(subject, options, moment)
        if len(shown) > MOST_STEPS:
            raise UserError("export.too_many", actual=len(shown), limit=MOST_STEPS)
        return shown
    return _step_states(subject, options)


def _step_states(document: Document, options: ExportOptions) -> list[State]:
    trace = run(document)
    wanted = chosen_range(trace, options)
    base = run_state(document, options)
    chosen = []
    for index, cursor in enumerate(
        cursors_at(trace, options.grain, first_cursor(trace, document, options))
    ):
        if index >= wanted.stop:
            break
        if index >= wanted.start:
            focus = cursor_cell(cursor)
            chosen.append(replace(base, trace=trace, cursor=cursor, focus=focus))
    return chosen
