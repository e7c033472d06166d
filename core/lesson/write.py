"""The text of a lesson file: a line for each text, each place and each row of a matrix."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.cell import Cell
from core.base.json_text import Entry, compact, list_json, object_json, text_json
from core.explain.timeline import Reach
from core.lesson.changes import shown
from core.lesson.model import (
    LAB_VIEW,
    LANGUAGES,
    USUAL_VIEW,
    Demo,
    Example,
    Inline,
    Lesson,
    Nearby,
    Scene,
    Source,
    Words,
)

FORMAT = "self-attention-lesson"
VERSION = 1
TEXTS = ("title", "say", "question", "answer", "notes")


def dumps(lesson: Lesson) -> bytes:
    """The lesson as a file: what is as by default left out, UTF-8."""
    entries = [("format", text_json(FORMAT)), ("version", str(VERSION))]
    entries += [
        (key, _words(getattr(lesson, key))) for key in ("title", "notes") if getattr(lesson, key)
    ]
    scenes = [object_json([*_scene(scene)]) for scene in lesson.scenes]
    entries.append(("scenes", list_json(scenes) if scenes else "[]"))
    return (object_json(entries) + "\n").encode("utf-8")


def _words(words: Words) -> str:
    return object_json(
        [(name, text_json(getattr(words, name))) for name in LANGUAGES if getattr(words, name)]
    )


def _scene(scene: Scene) -> Iterator[Entry]:
    if scene.breakpoint:
        yield "break", "true"
    for key in TEXTS:
        if getattr(scene, key):
            yield key, _words(getattr(scene, key))
    if scene.source is not None:
        yield "experiment", _source(scene.source)
    if scene.changes:
        yield "changes", object_json([(change.place, shown(change)) for change in scene.changes])
    at = [*_at(scene)]
    if scene.demo is None or at != [*_at(Scene())]:
        yield "at", object_json(at, one_line=True)
    if scene.focus is not None:
        yield "focus", object_json([*_focus(scene.focus)], one_line=True)
    if scene.demo is not None:
        yield "lab", _demo(scene.demo)
    if scene.view != (LAB_VIEW if scene.demo else USUAL_VIEW):
        yield "view", compact(list(scene.view))
    if scene.steps is not None:
        yield "steps", compact({"grain": str(scene.steps.grain), "count": scene.steps.count})


def _demo(demo: Demo) -> str:
    entries = [("id", text_json(demo.lab))]
    if demo.json != "{}":
        entries.append(("values", demo.json))
    return object_json(entries, one_line=True)


def _source(source: Source) -> str:
    match source:
        case Example(id=name):
            return object_json([("example", text_json(name))], one_line=True)
        case Nearby(path=path):
            return object_json([("file", text_json(path))], one_line=True)
        case Inline(text=text):
            return object_json([("inline", text.strip())])


def _at(scene: Scene) -> Iterator[Entry]:
    yield "stage", text_json(scene.stage)
    if scene.reach is not Reach.WHOLE:
        yield "reach", text_json(str(scene.reach))
    yield from _place(scene)


def _focus(focus: Cell) -> Iterator[Entry]:
    yield "tensor", text_json(focus.tensor)
    yield from _place(focus)


def _place(what: Scene | Cell) -> Iterator[Entry]:
    for key in ("row", "column", "head"):
        if getattr(what, key):
            yield key, str(getattr(what, key))
