"""The states that the scenes of a lesson show. Free of Qt."""

from __future__ import annotations

from enum import Enum

from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Document
from core.lesson.lesson import Lesson, Resolved, resolve_all
from gui.export.options import Options
from gui.session.state import State


class Moment(Enum):
    """At which of its steps a scene is shown: before the first, after the last, or at each of them."""

    BEGINNING = "beginning"
    END = "end"
    EVERY = "every"


def scene_states(
    lesson: Lesson, options: Options, moment: Moment = Moment.BEGINNING
) -> list[State]:
    """The states of each scene that is asked for, at one of its steps or at all of them.

    Raises UserError "export.no_scenes" for a lesson without any, "export.scenes" (text, limit) for scenes that are not
    there, and what resolve_all() raises.
    """
    wanted = chosen_scenes(lesson, options)
    every, traces = resolve_all(lesson), _Traces()
    shown = []
    for resolved in (every[index] for index in wanted):
        trace = traces.of(resolved)
        for walked in _walk(resolved.steps, moment):
            cursor, focus = resolved.at_step(walked, trace)
            shown.append(
                State(
                    resolved.document,
                    trace,
                    cursor,
                    focus,
                    options.preferences,
                    language=options.language,
                    shade=options.shade,
                    lesson=lesson,
                    scene=resolved,
                    steps_taken=walked,
                )
            )
    return shown


def _walk(steps: int, moment: Moment) -> range:
    return range(
        steps if moment is Moment.END else 0, 1 if moment is Moment.BEGINNING else steps + 1
    )


def chosen_scenes(lesson: Lesson, options: Options) -> range:
    """The scenes that are asked for, counted from 0. Raises UserError as scene_states() does."""
    there = len(lesson.scenes)
    if not there:
        raise UserError("export.no_scenes")
    last = there if options.last is None else options.last
    if not 1 <= options.first <= last <= there:
        raise UserError("export.scenes", text=f"{options.first}-{last}", limit=there)
    return range(options.first - 1, last)


class _Traces:
    """One run for each experiment, so that what does not change between scenes is the same arrays."""

    def __init__(self) -> None:
        self._known: list[tuple[Document, Trace]] = []

    def of(self, resolved: Resolved) -> Trace:
        for document, trace in self._known:
            if document is resolved.document:
                return trace
        before = self._known[-1][1] if self._known else None
        trace = run(resolved.document, before)
        self._known.append((resolved.document, trace))
        return trace
