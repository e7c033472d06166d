"""Editing lessons: whatever is moved, every scene keeps showing what it showed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.cell import Cell
from core.base.errors import UserError
from core.document.document import Document, Mask
from core.document.edits import with_cell, with_mask, with_pin
from core.explain.timeline import Cursor, Reach
from core.lesson.edit import (
    duplicate_scene,
    move_scene,
    moved_to_folder,
    record_again,
    record_scene,
    remove_scene,
    with_scene_fields,
)
from core.lesson.lesson import (
    USUAL_VIEW,
    ExampleSource,
    FileSource,
    InlineSource,
    LabReference,
    Lesson,
    LessonScene,
    LocalizedText,
    Resolver,
    dumps,
    loads,
    resolve_all,
)
from core.storage import archive
from core.storage.examples import load_example
from tests.core.documents import SIZES, make


def record(
    lesson: Lesson, document: Document, resolver: Resolver, at: int | None = None, **cursor: Any
) -> Lesson:
    place = Cursor(**{"stage": "scores", **cursor})
    cell = Cell(place.stage, place.row, place.column, place.head)
    return record_scene(
        lesson,
        len(lesson.scenes) if at is None else at,
        document,
        place,
        cell,
        USUAL_VIEW,
        resolver,
    )


def texts(lesson: Lesson) -> list[bytes]:
    """What each scene shows, read anew from the lesson's own file."""
    return [
        archive.dumps(shown.document) for shown in resolve_all(loads(dumps(lesson), lesson.folder))
    ]


@pytest.fixture
def cat() -> Document:
    return load_example("cat-eats-fish")


def course(cat: Document, resolver: Resolver) -> tuple[Lesson, list[Document]]:
    causal = with_mask(cat, Mask("causal"))
    pinned = with_pin(causal, Cell("weights", 1, 0), 0.5)
    documents = [cat, cat, causal, pinned, make(2), cat]
    lesson = Lesson()
    for document in documents:
        lesson = record(lesson, document, resolver, head=0)
    return lesson, documents


def test_recording_tells_each_scene_the_shortest_way(cat: Document) -> None:
    lesson, documents = course(cat, Resolver())
    assert texts(lesson) == [archive.dumps(document) for document in documents]
    first, second, third, fourth, fifth, sixth = lesson.scenes
    assert (first.source, first.changes) == (ExampleSource("cat-eats-fish"), ())
    assert (second.source, second.changes) == (None, ())
    assert [change.place for change in third.changes] == ["mask"]
    assert [change.place for change in fourth.changes] == ["pins"]
    assert isinstance(fifth.source, InlineSource)
    assert sixth.source == ExampleSource("cat-eats-fish")


def test_recording_keeps_place_and_focus(cat: Document) -> None:
    resolver = Resolver()
    cursor = Cursor("exp", 0, 2, 1, Reach.LEAD)
    lesson = record_scene(Lesson(), 0, cat, cursor, Cell("K", 1, 1), ("code",), resolver)
    shown = resolver.resolve(lesson, 0)
    assert shown.document is cat
    assert (shown.cursor, shown.focus, shown.view) == (cursor, Cell("K", 1, 1), ("code",))


MOVES = st.lists(
    st.tuples(
        st.sampled_from(("move", "duplicate", "remove", "record")),
        st.integers(0, 9),
        st.integers(0, 9),
    ),
    max_size=7,
)


@settings(max_examples=40)
@given(MOVES)
def test_no_edit_changes_what_the_other_scenes_show(moves: list[tuple[str, int, int]]) -> None:
    resolver = Resolver()
    lesson, documents = course(load_example("cat-eats-fish"), resolver)
    expected = [archive.dumps(document) for document in documents]
    for kind, a, b in moves:
        count = len(expected)
        if kind == "record":
            document = make(a % 3)
            lesson = record(lesson, document, resolver, b % (count + 1))
            expected.insert(b % (count + 1), archive.dumps(document))
        elif count:
            lesson = edit(lesson, expected, kind, a % count, b % count, resolver)
        assert [
            archive.dumps(resolver.document(lesson, index)) for index in range(len(expected))
        ] == expected
    assert texts(lesson) == expected


def edit(
    lesson: Lesson, expected: list[bytes], kind: str, a: int, b: int, resolver: Resolver
) -> Lesson:
    """The same edit of a lesson and of a plain list."""
    if kind == "move":
        expected.insert(b, expected.pop(a))
        return move_scene(lesson, a, b, resolver)
    if kind == "duplicate":
        expected.insert(a, expected[a])
        return duplicate_scene(lesson, a, resolver)
    del expected[a]
    return remove_scene(lesson, a, resolver)


def test_scenes_told_from_one_that_is_recorded_again_follow_it(cat: Document) -> None:
    resolver = Resolver()
    lesson, documents = course(cat, resolver)
    lesson = with_scene_fields(lesson, 1, say=LocalizedText({"en": "Look.", "zh_CN": "看。"}))
    other = with_cell(cat, Cell("V", 0, 0), 9.0)
    again = record_again(lesson, 1, other, Cursor("Y"), Cell("Y"), resolver)
    assert (again.scenes[1].stage, again.scenes[1].say.get("en")) == ("Y", "Look.")
    shown = resolve_all(again)
    values = [scene.document.heads[0].V for scene in shown]
    assert [None if V is None else V[0, 0] for V in values] == [0.3, 9.0, 9.0, 9.0, None, 0.3]
    assert shown[3].document.pins == documents[3].pins


def test_recording_again_is_refused_where_a_follower_would_break(cat: Document) -> None:
    resolver = Resolver()
    lesson, _ = course(cat, resolver)
    with pytest.raises(UserError) as caught:
        record_again(lesson, 2, make(4, sizes=SIZES | {"n": 1}), Cursor("Y"), Cell("Y"), resolver)
    assert "scenes[3]" in caught.value.data["place"]


def test_a_lab_at_the_beginning_recorded_again_names_its_experiment() -> None:
    """The lab had brought it: without the lab, nobody else does."""
    lesson, resolver = (
        Lesson((LessonScene(demo=LabReference("plane"), view=("lab",)), LessonScene())),
        Resolver(),
    )
    document = resolver.document(lesson, 0)
    again = record_again(lesson, 0, document, Cursor("Y"), Cell("Y"), resolver)
    assert again.scenes[0].demo is None
    shown = resolve_all(again)
    assert [archive.dumps(one.document) for one in shown] == [archive.dumps(document)] * 2
    assert remove_scene(again, 1, Resolver()).scenes == again.scenes[:1]


def test_only_the_place_recorded_again_keeps_the_telling(cat: Document) -> None:
    resolver = Resolver()
    lesson, documents = course(cat, resolver)
    again = record_again(
        lesson, 3, documents[3], Cursor("weights", row=2), Cell("weights", 2), resolver
    )
    assert again.scenes[3].changes == lesson.scenes[3].changes
    assert again.scenes[3].row == 2


def test_a_lesson_saved_elsewhere_takes_its_files_along(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    archive.save(make(1), here / "mine.attn.json")
    scene = LessonScene(FileSource("mine.attn.json"))
    lesson = Lesson((scene, LessonScene(stage="Q")), folder=here)
    resolver = Resolver()
    assert moved_to_folder(lesson, here, resolver) is lesson
    carried = moved_to_folder(lesson, there, resolver)
    (here / "mine.attn.json").unlink()
    assert texts(carried) == [archive.dumps(make(1))] * 2
    assert carried.folder == there
