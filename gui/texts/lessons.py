"""Sentences about lesson files. Merged into gui.texts.problems."""

from __future__ import annotations

from gui.texts.translation import mark

SENTENCES: dict[str, str] = {
    "file.not_lesson": mark("The file is not a lesson: its format must be “{expected}”."),
    "lesson.unknown": mark("There is no lesson “{id}”; there are {known}."),
    "lesson.first": mark(
        "{where} names no experiment; the first scene needs one (example, file or inline)."
    ),
    "lesson.source": mark("{where} must have exactly one of the keys example, file and inline."),
    "lesson.path": mark(
        "{where} is “{file}”; it must be a path in the lesson’s own folder, such as mine.attn.json."
    ),
    "lesson.no_folder": mark(
        "{where} is “{file}”, but this lesson is in no folder yet; save it first."
    ),
    "lesson.place": mark(
        "{where} is no place in an experiment; write one such as mask, scale.kind or heads[0].Q[1][0]."
    ),
    "lesson.nothing_there": mark(
        "{where} points at nothing: the experiment before has no such place."
    ),
    "lesson.view": mark("{where} must name one or two different panels."),
    "lesson.below": mark("{where} is {value}; it must be at least {least}."),
    "lesson.beyond": mark("{where} is {value}; here it can be {least} to {most}."),
}
