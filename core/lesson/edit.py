"""Pure edits of lessons: record, move, duplicate, remove. Every scene keeps its experiment.

A scene stored as changes of the scene before is stored again when another scene comes before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgspec import Struct

from core.base.cell import Cell
from core.document.document import Document
from core.explain.timeline import Cursor
from core.lesson.changes import change_text, find_changes
from core.lesson.model import (
    LAB_VIEW,
    USUAL_VIEW,
    Change,
    ExampleSource,
    FileSource,
    InlineSource,
    Lesson,
    LessonScene,
    Source,
)
from core.lesson.resolve import Resolver, cell_of
from core.storage import archive
from core.storage.examples import EXAMPLES, has_tokens_of, variants

Stored = tuple[Source | None, tuple[Change, ...]]


class _Entry(Struct, frozen=True, eq=False):
    """A scene, its experiment, and the experiment that its changes start from (None: it names its
    own).
    """

    scene: LessonScene
    document: Document
    changed_from: Document | None


def record_scene(
    lesson: Lesson,
    at: int,
    document: Document,
    cursor: Cursor,
    focus: Cell,
    view: tuple[str, ...],
    resolver: Resolver,
) -> Lesson:
    """Insert a scene that shows an experiment and a place in it."""
    entries = _entries(lesson, resolver)
    before = entries[at - 1].document if at else None
    source, changes = _shortest_source(document, before)
    scene = replace(
        _placed(LessonScene(), cursor, focus), source=source, changes=changes, view=view
    )
    entries.insert(at, _Entry(scene, document, before))
    return _reordered(lesson, entries, resolver)


def record_lab_scene(
    lesson: Lesson, at: int, scene: LessonScene, document: Document, resolver: Resolver
) -> Lesson:
    """Insert a scene with a lab; its experiment is that of the scene before, or `document` for the
    first.
    """
    entries = _entries(lesson, resolver)
    before = entries[at - 1].document if at else None
    if before is None:
        scene = replace(
            scene,
            source=_shortest_source(document, None)[0],
            changes=_shortest_source(document, None)[1],
        )
    entries.insert(at, _Entry(replace(scene, view=LAB_VIEW), before or document, before))
    return _reordered(lesson, entries, resolver)


def record_again(
    lesson: Lesson, index: int, document: Document, cursor: Cursor, focus: Cell, resolver: Resolver
) -> Lesson:
    """Replace what a scene shows and keep its texts; scenes stored as its changes follow.

    Raises UserError if one of them can no longer be shown.
    """
    scene = _placed(lesson.scenes[index], cursor, focus)
    if scene.demo is not None:
        scene = replace(scene, demo=None, view=USUAL_VIEW)
    bare = index == 0 and scene.source is None  # the lab that it showed had brought the experiment
    if bare or document is not resolver.document(lesson, index):
        source, changes = _shortest_source(
            document, resolver.document(lesson, index - 1) if index else None
        )
        scene = replace(scene, source=source, changes=changes)
    again = with_scene(lesson, index, scene)
    resolver.remember(again, index, document)
    for follower in range(index, len(again.scenes)):
        resolver.resolve(again, follower)
    return again


def move_scene(lesson: Lesson, index: int, to: int, resolver: Resolver) -> Lesson:
    """Move a scene; `to` counts the other scenes."""
    if index == to:
        return lesson
    entries = _entries(lesson, resolver)
    entries.insert(to, entries.pop(index))
    return _reordered(lesson, entries, resolver)


def duplicate_scene(lesson: Lesson, index: int, resolver: Resolver) -> Lesson:
    """Insert a copy after a scene; the copy begins no group."""
    entries = _entries(lesson, resolver)
    entry = entries[index]
    again = replace(entry.scene, source=None, changes=(), breakpoint=False)
    entries.insert(index + 1, _Entry(again, entry.document, entry.document))
    return _reordered(lesson, entries, resolver)


def remove_scene(lesson: Lesson, index: int, resolver: Resolver) -> Lesson:
    """Remove a scene."""
    entries = _entries(lesson, resolver)
    del entries[index]
    return _reordered(lesson, entries, resolver)


def with_scene(lesson: Lesson, index: int, scene: LessonScene) -> Lesson:
    """Replace a scene; the same lesson if it is equal."""
    if lesson.scenes[index] == scene:
        return lesson
    return replace(lesson, scenes=(*lesson.scenes[:index], scene, *lesson.scenes[index + 1 :]))


def with_scene_fields(lesson: Lesson, index: int, **fields: Any) -> Lesson:
    """Replace fields of a scene, such as its texts."""
    return with_scene(lesson, index, replace(lesson.scenes[index], **fields))


def moved_to_folder(lesson: Lesson, folder: Path, resolver: Resolver) -> Lesson:
    """The lesson for saving in a folder: experiment files of its old folder become inline."""
    if lesson.folder == folder:
        return lesson
    scenes = []
    for index, scene in enumerate(lesson.scenes):
        if isinstance(scene.source, FileSource):
            document = resolver.document(lesson, index)
            scene = replace(
                scene, source=InlineSource(archive.dumps(document).decode()), changes=()
            )
        scenes.append(scene)
    return replace(lesson, scenes=tuple(scenes), folder=folder)


def _placed(scene: LessonScene, cursor: Cursor, focus: Cell) -> LessonScene:
    return replace(
        scene,
        stage=cursor.stage,
        reach=cursor.reach,
        row=cursor.row,
        column=cursor.column,
        head=cursor.head,
        focus=None if focus == cell_of(cursor) else focus,
        steps=None,
    )


def _entries(lesson: Lesson, resolver: Resolver) -> list[_Entry]:
    documents = [resolver.document(lesson, index) for index in range(len(lesson.scenes))]
    before = (None, *documents)
    return [
        _Entry(scene, document, old)
        for scene, document, old in zip(lesson.scenes, documents, before, strict=False)
    ]


def _reordered(lesson: Lesson, entries: Sequence[_Entry], resolver: Resolver) -> Lesson:
    """The lesson with scenes in a new order, their changes stored again where needed."""
    scenes: list[LessonScene] = []
    documents: list[Document] = []
    before: Document | None = None
    for entry in entries:
        scene, document = entry.scene, entry.document
        if scene.demo is not None and scene.source is None and not scene.changes:
            document = before or resolver.document_of_lab(scene.demo)
        elif scene.source is None and (before is None or before is not entry.changed_from):
            source, changes = _shortest_source(entry.document, before)
            scene = replace(scene, source=source, changes=changes)
        scenes.append(scene)
        documents.append(document)
        before = document
    result = replace(lesson, scenes=tuple(scenes))
    for index, document in enumerate(documents):
        resolver.remember(result, index, document)
    return result


def _shortest_source(document: Document, before: Document | None) -> Stored:
    """The shortest source of an experiment: changes of the one before or of an example, or its
    whole text.

    The whole text is preferred to changes more than half as long, which would explain nothing.
    """
    options: list[Stored] = [] if before is None else [(None, find_changes(before, document))]
    options += [
        (ExampleSource(name), find_changes(example, document))
        for name in EXAMPLES
        for example in variants(name)
        if has_tokens_of(example, document)
    ]
    options.append((InlineSource(archive.dumps(document).decode()), ()))
    return min(options, key=_length)


def _length(stored: Stored) -> int:
    source, changes = stored
    text = len(source.text) // 2 if isinstance(source, InlineSource) else 40 if source else 0
    return text + sum(len(change.place) + len(change_text(change)) for change in changes)
