"""The states that the scenes of a lesson show. Free of Qt."""

from __future__ import annotations

from core.document import Document
from core.lesson import Lesson, Resolved, resolve_all
from core.problems import Problem
from core.trace import Trace, run
from gui.exports.options import Options
from gui.state import State


def scene_states(lesson: Lesson, options: Options, *, walking: bool = False) -> list[State]:
    """The beginning of each scene that is asked for; `walking` adds the steps that a scene takes on from there.

    Raises Problem "export.no_scenes" for a lesson without any, "export.scenes" (text, limit) for scenes that are not
    there, and what resolve_all() raises.
    """
    wanted = chosen_scenes(lesson, options)
    every, traces = resolve_all(lesson), _Traces()
    shown = []
    for resolved in (every[index] for index in wanted):
        trace = traces.of(resolved)
        for walked in range(resolved.steps + 1 if walking else 1):
            cursor, focus = resolved.at_step(walked, trace)
            shown.append(
                State(
                    resolved.document, trace, cursor, focus, options.preferences, language=options.language,
                    shade=options.shade, lesson=lesson, shown=resolved, walked=walked,
                )
            )  # fmt: skip
    return shown


def chosen_scenes(lesson: Lesson, options: Options) -> range:
    """The scenes that are asked for, counted from 0. Raises Problem as scene_states() does."""
    there = len(lesson.scenes)
    if not there:
        raise Problem("export.no_scenes")
    last = there if options.last is None else options.last
    if not 1 <= options.first <= last <= there:
        raise Problem("export.scenes", text=f"{options.first}-{last}", limit=there)
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
