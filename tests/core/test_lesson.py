"""Lesson files: exact both ways, scenes resolved from each other, bad files refused with the place."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.arrays import frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Document, Mask
from core.document.edits import with_cell, with_mask, with_pin
from core.explain.timeline import Cursor, Grain, Reach
from core.lesson import resolve as resolve_module
from core.lesson.changes import apply_changes, find_changes
from core.lesson.lesson import (
    LESSONS,
    PANELS,
    Change,
    ExampleSource,
    FileSource,
    InlineSource,
    Lesson,
    LessonScene,
    LessonSteps,
    LocalizedText,
    PanelSplit,
    dumps,
    is_lesson,
    lesson_path,
    load,
    loads,
    resolve,
    resolve_all,
    save,
)
from core.lesson.lesson_file import MOST_SCENES
from core.storage import archive
from core.storage.examples import EXAMPLES, load_example
from tests.core.documents import documents, make

GOLDEN = Path(__file__).parents[1] / "golden" / "format-1.lesson.json"
TEXT = st.text(st.characters(codec="utf-8"), max_size=9)
LANGUAGE = st.sampled_from(("en", "zh_CN", "fr", "pt_BR"))
WORDS = st.builds(LocalizedText, st.dictionaries(LANGUAGE, TEXT, max_size=3))
NUMBERS = st.integers(0, 40)
SOURCES = st.one_of(
    st.none(),
    st.sampled_from(EXAMPLES).map(ExampleSource),
    st.sampled_from(("a.attn.json", "deep/b c.attn.json", "小猫.attn.json")).map(FileSource),
    st.integers(0, 5).map(lambda seed: InlineSource(archive.dumps(make(seed, pins=2)).decode())),
)
CHANGES = st.lists(
    st.builds(
        Change,
        st.sampled_from(("mask", "scale.kind", "heads[0].Q[1][0]", "X")),
        st.sampled_from(
            ("null", "0.5", "-0.0", "1e-300", '"假"', "[[1, 0.25], [2, 3]]", '{"kind": "causal"}')
        ),
    ),
    max_size=3,
    unique_by=lambda change: change.place,
).map(tuple)
SCENES = st.builds(
    LessonScene,
    source=SOURCES,
    changes=CHANGES,
    stage=st.sampled_from(("Q", "scores", "Y")),
    reach=st.sampled_from(Reach),
    row=NUMBERS,
    column=NUMBERS,
    head=NUMBERS,
    focus=st.one_of(
        st.none(), st.builds(Cell, st.sampled_from(("W_Q", "K")), NUMBERS, NUMBERS, NUMBERS)
    ),
    view=st.lists(st.sampled_from(PANELS), min_size=1, max_size=2, unique=True).map(tuple),
    steps=st.one_of(st.none(), st.builds(LessonSteps, st.sampled_from(Grain), st.integers(1, 9))),
    title=WORDS,
    say=WORDS,
    question=WORDS,
    answer=WORDS,
    notes=WORDS,
    breakpoint=st.booleans(),
)
LESSON_VALUES = st.builds(Lesson, st.lists(SCENES, max_size=4).map(tuple), WORDS, WORDS)


@given(LESSON_VALUES)
def test_every_lesson_comes_back_as_it_was(lesson: Lesson) -> None:
    data = dumps(lesson)
    assert loads(data) == lesson
    assert dumps(loads(data)) == data


@settings(max_examples=60)
@given(documents(), documents())
def test_the_difference_makes_one_experiment_the_other(before: Any, after: Any) -> None:
    assert archive.dumps(apply_changes(before, find_changes(before, after))) == archive.dumps(after)


@settings(max_examples=40)
@given(documents(any_size=True), documents(any_size=True))
def test_also_between_all_sizes(before: Any, after: Any) -> None:
    assert archive.dumps(apply_changes(before, find_changes(before, after))) == archive.dumps(after)


@pytest.mark.parametrize("other", ["given", "alone", "learned", "context"])
def test_also_from_and_to_given_weights(other: str) -> None:
    others = {
        "given": make(22, source="weights", pins=2),
        "alone": make(23, source="weights", values=False),
        "learned": make(24, positional="learned", mask="custom", scale="factor", base="2"),
        "context": make(25, source="qkv", context=3, positional="alibi"),
    }
    given, after = make(21, source="weights", context=7, output=True), others[other]
    for one, two in ((given, after), (after, given)):
        assert archive.dumps(apply_changes(one, find_changes(one, two))) == archive.dumps(two)


def test_no_difference_is_no_change_and_the_very_same_document() -> None:
    document = make(3, pins=2, positional="rotary")
    assert find_changes(document, archive.loads(archive.dumps(document))) == ()
    assert apply_changes(document, ()) is document


def test_small_differences_are_small_changes() -> None:
    document = make(1)
    cell = with_cell(document, Cell("W_Q", 4, 1, 2), 0.25)
    assert find_changes(document, cell) == (Change("heads[2].W_Q[4][1]", "0.25"),)
    assert find_changes(document, with_mask(document, Mask("window", 1))) == (
        Change("mask", '{"kind": "window", "left": 1}'),
    )
    pinned = with_pin(document, Cell("weights", 3, 4, 1), -0.0)
    assert find_changes(document, pinned) == (
        Change("pins", '[{"stage": "weights", "index": [1, 3, 4], "value": -0.0}]'),
    )
    assert find_changes(pinned, document) == (Change("pins", "[]"),)
    off = document.with_(heads=(replace(document.heads[0], enabled=False), *document.heads[1:]))
    assert find_changes(document, off) == (Change("heads[0].enabled", "false"),)
    assert find_changes(off, document) == (Change("heads[0].enabled", "null"),)
    renamed = document.with_(tokens=("t0", "t1", "鱼", "t3", "t4"))
    assert find_changes(document, renamed) == (Change("tokens[2]", '"鱼"'),)
    assert document.X is not None
    other = document.with_(X=frozen(document.X + 1))
    assert [change.place for change in find_changes(document, other)] == ["X"]


# Scenes from each other


def told(*scenes: LessonScene, folder: Path | None = None) -> Lesson:
    return Lesson(scenes, folder=folder)


CAT = ExampleSource("cat-eats-fish")


def test_scenes_are_told_from_the_one_before() -> None:
    lesson = told(
        LessonScene(CAT, stage="Q"),
        LessonScene(stage="scores", reach=Reach.CELL, row=1, column=2),
        LessonScene(changes=(Change("heads[0].Q[1][0]", "0.75"),), stage="weights"),
        LessonScene(changes=(Change("mask", '{"kind": "causal"}'),), stage="masked"),
        LessonScene(CAT, (Change("scale.kind", '"none"'),), stage="scores"),
    )
    shown = resolve_all(lesson)
    assert shown[0].document is shown[1].document
    assert shown[1].cursor == Cursor("scores", 0, 1, 2, Reach.CELL)
    assert shown[1].focus == Cell("scores", 1, 2)
    edited = load_example("cat-eats-fish").heads[0].Q
    assert edited is not None
    after = shown[3].document
    assert after.heads[0].Q is not None
    assert after.heads[0].Q[1, 0] == 0.75
    assert after.heads[0].Q[2, 0] == edited[2, 0]
    assert after.mask.kind == "causal"
    assert shown[2].document.mask.kind == "none"
    assert "scaled" not in shown[4].trace
    assert archive.dumps(resolve(lesson, 3).document) == archive.dumps(after)


def test_steps_walk_on_and_leads_stand_only_where_they_are() -> None:
    scene = LessonScene(CAT, stage="exp", reach=Reach.LEAD, row=0, steps=LessonSteps(Grain.CELL, 4))
    shown = resolve(told(scene), 0)
    assert shown.cursor.reach is Reach.LEAD
    assert shown.steps == 4
    places = [shown.at_step(number)[0] for number in range(5)]
    assert [(c.row, c.column, c.reach) for c in places[1:]] == [
        (0, 0, Reach.CELL),
        (0, 1, Reach.CELL),
        (0, 2, Reach.CELL),
        (1, 0, Reach.LEAD),
    ]
    assert resolve(told(replace(scene, stage="scores")), 0).cursor.reach is Reach.ROW
    assert resolve(told(replace(scene, stage="V")), 0).cursor.reach is Reach.WHOLE


def test_the_focus_may_be_an_entered_matrix() -> None:
    lesson = told(
        LessonScene(
            ExampleSource("apple-released-iphone"), stage="heads", focus=Cell("W_O", 2, 1), head=1
        )
    )
    assert resolve(lesson, 0).focus == Cell("W_O", 2, 1)
    assert resolve(lesson, 0).cursor.head == 1


def test_files_beside_the_lesson(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    document = make(7)
    archive.save(document, tmp_path / "deep" / "mine.attn.json")
    lesson = told(LessonScene(FileSource("deep/mine.attn.json")))
    save(lesson, tmp_path / "a.lesson.json")
    again = load(tmp_path / "a.lesson.json")
    assert again == lesson
    assert archive.dumps(resolve(again, 0).document) == archive.dumps(document)


@pytest.mark.parametrize(
    "path",
    [
        "../x.attn.json",
        "a/../../x.attn.json",
        "/etc/passwd",
        "C:/x",
        "C:x",
        "a\\..\\x",
        "",
        "\\\\host\\x",
    ],
)
def test_no_path_leads_out_of_the_lessons_folder(path: str, tmp_path: Path) -> None:
    data = json.dumps(lesson_json(experiment={"file": path})).encode()
    with pytest.raises(UserError) as caught:
        loads(data, tmp_path)
    assert (caught.value.code, caught.value.data["place"]) == (
        "lesson.path",
        "scenes[1].experiment.file",
    )
    with pytest.raises(UserError):
        resolve(told(LessonScene(FileSource(path)), folder=tmp_path), 0)


def test_no_link_leads_out_either(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    archive.save(make(1), tmp_path / "secret.attn.json")
    (inside / "link.attn.json").symlink_to(tmp_path / "secret.attn.json")
    with pytest.raises(UserError) as caught:
        resolve(told(LessonScene(FileSource("link.attn.json")), folder=inside), 0)
    assert caught.value.code == "lesson.path"


# Files that are refused


def lesson_json(**second: Any) -> dict[str, Any]:
    first = {"experiment": {"example": "cat-eats-fish"}, "at": {"stage": "Q"}}
    scene = {"at": {"stage": "scores"}, **second}
    return {"format": "self-attention-lesson", "version": 1, "scenes": [first, scene]}


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"titel": {}}, "file.unknown_key", "scenes[1]"),
    ({"title": {"de": "x"}}, "file.unknown_key", "scenes[1].title"),
    ({"title": "x"}, "file.type", "scenes[1].title"),
    ({"at": {}}, "file.missing_key", "scenes[1].at"),
    ({"at": {"stage": "scores", "row": 1.5}}, "file.type", "scenes[1].at.row"),
    ({"at": {"stage": "scores", "row": -1}}, "lesson.below", "scenes[1].at.row"),
    ({"at": {"stage": "scores", "row": 3}}, "lesson.beyond", "scenes[1].at.row"),
    ({"at": {"stage": "scores", "head": 1}}, "lesson.beyond", "scenes[1].at.head"),
    ({"at": {"stage": "masked"}}, "stage.absent", "scenes[1].at.stage"),
    ({"at": {"stage": "scores", "reach": "half"}}, "kind.unknown", "scenes[1].at.reach"),
    ({"focus": {"tensor": "W_Q"}}, "tensor.absent", "scenes[1].focus.tensor"),
    ({"focus": {"tensor": "Q", "column": 2}}, "lesson.beyond", "scenes[1].focus.column"),
    ({"view": ["chart"]}, "kind.unknown", "scenes[1].view[0]"),
    ({"view": []}, "lesson.view", "scenes[1].view"),
    ({"view": ["code", "code"]}, "lesson.view", "scenes[1].view"),
    ({"steps": {"grain": "row", "count": 0}}, "lesson.beyond", "scenes[1].steps.count"),
    ({"steps": {"grain": "word", "count": 1}}, "kind.unknown", "scenes[1].steps.grain"),
    ({"experiment": {}}, "lesson.source", "scenes[1].experiment"),
    ({"experiment": {"example": "x", "file": "y"}}, "lesson.source", "scenes[1].experiment"),
    ({"experiment": {"example": "nobody"}}, "example.unknown", "scenes[1].experiment.example"),
    ({"experiment": {"file": "gone.attn.json"}}, "file.unreadable", "scenes[1].experiment.file"),
    (
        {"experiment": {"inline": {"format": "x"}}},
        "file.not_experiment",
        "scenes[1].experiment.inline",
    ),
    (
        {"changes": {"heads[0].Q[9][0]": 1}},
        "lesson.nothing_there",
        "scenes[1].changes.heads[0].Q[9][0]",
    ),
    ({"changes": {"heads[0].Q[1][0]": "x"}}, "file.type", "scenes[1].changes.heads[0].Q[1][0]"),
    ({"changes": {"heads[0].Q[1][0]": None}}, "file.type", "scenes[1].changes.heads[0].Q[1][0]"),
    ({"changes": {"heads[0].W_q": [[1]]}}, "file.unknown_key", "scenes[1].changes.heads[0]"),
    ({"changes": {"heads[0].Q": [[1, 2], [3]]}}, "rows.ragged", "scenes[1].changes.heads[0].Q"),
    ({"changes": {"heads[0].Q": [[1, 2], [3, 4]]}}, "shape", "scenes[1].changes.heads[0].Q"),
    ({"changes": {"mask.kind": "lace"}}, "kind.unknown", "scenes[1].changes.mask.kind"),
    ({"changes": {"version": 1}}, "lesson.place", "scenes[1].changes.version"),
    ({"changes": {"mask. kind": 1}}, "lesson.place", "scenes[1].changes.mask. kind"),
    ({"changes": {"tokens.first": "x"}}, "lesson.nothing_there", "scenes[1].changes.tokens.first"),
]


@pytest.mark.parametrize(
    ("second", "code", "place"), BAD, ids=lambda value: value if isinstance(value, str) else ""
)
def test_bad_scenes_are_refused_with_their_place(
    second: dict[str, Any], code: str, place: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.lesson.json"
    path.write_text(json.dumps(lesson_json(**second), ensure_ascii=False), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load(path)
    assert (caught.value.code, caught.value.data["place"]) == (code, place)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "file.empty"),
        ("{", "file.syntax"),
        ("{}", "file.not_lesson"),
        ('{"format": "self-attention-experiment", "version": 1}', "file.not_lesson"),
        ('{"format": "self-attention-lesson", "version": 4, "chapters": 1}', "file.newer"),
        ('{"format": "self-attention-lesson", "version": true, "scenes": []}', "file.version"),
        ('{"format": "self-attention-lesson", "version": 1}', "file.missing_key"),
        (
            '{"format": "self-attention-lesson", "version": 1, "scenes": [], "colour": 1}',
            "file.unknown_key",
        ),
        (
            '{"format": "self-attention-lesson", "version": 1, "scenes": [], "scenes": []}',
            "file.duplicate_key",
        ),
        ("[" * 100000, "file.too_deep"),
    ],
)
def test_bad_files_are_refused(text: str, code: str) -> None:
    with pytest.raises(UserError) as caught:
        loads(text.encode())
    assert caught.value.code == code


@pytest.mark.parametrize(
    "number", ["1e999", "-1e999", "9" * 5000, "NaN", "Infinity", '"x"', "[" * 5000]
)
def test_numbers_that_are_none(number: str) -> None:
    data = json.dumps(lesson_json(changes={"heads[0].Q[1][0]": 77})).replace("77", number).encode()
    with pytest.raises(UserError):
        resolve_all(loads(data))


def test_a_lesson_must_begin_with_an_experiment() -> None:
    with pytest.raises(UserError) as caught:
        resolve(told(LessonScene(stage="Q")), 0)
    assert (caught.value.code, caught.value.data["place"]) == ("lesson.first", "scenes[0]")


def test_a_problem_in_a_file_beside_the_lesson_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "x.attn.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UserError) as caught:
        resolve(told(LessonScene(FileSource("x.attn.json")), folder=tmp_path), 0)
    assert caught.value.code == "file.not_experiment"
    assert caught.value.data["path"].endswith("x.attn.json")
    with pytest.raises(UserError) as caught:
        resolve(told(LessonScene(FileSource("x.attn.json"))), 0)
    assert caught.value.code == "lesson.no_folder"


@settings(max_examples=150)
@given(st.data())
def test_a_lesson_spoilt_anywhere_is_refused_or_read(data: st.DataObject) -> None:
    """Whatever stands in a file: a lesson or a UserError, never another exception."""
    text = GOLDEN.read_text(encoding="utf-8")
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
    filler = data.draw(st.text(max_size=6))
    spoilt = (text[:start] + filler + text[end:]).encode("utf-8", "surrogatepass")
    try:
        resolve_all(loads(spoilt, GOLDEN.parent))
    except UserError as problem:
        assert problem.code


def test_format_1_opens_forever() -> None:
    lesson = load(GOLDEN)
    assert dumps(lesson) == GOLDEN.read_bytes()
    shown = resolve_all(lesson)
    assert [scene.title.of("en") for scene in lesson.scenes] == [
        "Three words",
        "",
        "Beside",
        "Inside",
    ]
    assert lesson.scenes[0].question.of("zh_CN") == "谁？"
    assert lesson.scenes[1].title.of("en") == ""
    assert lesson.scenes[1].steps == LessonSteps(Grain.ROW, 2)
    assert lesson.scenes[1].view == ("heatmap", "code")
    assert [shown_.document.mask.kind for shown_ in shown] == ["none", "causal", "custom", "window"]
    assert shown[1].document.pins[0].value == 0.5
    assert shown[2].document.n == 5
    assert shown[3].document.source == "qkv"
    assert (lesson.group(1), lesson.group(3), lesson.next_group(0), lesson.next_group(2)) == (
        0,
        2,
        2,
        None,
    )


def test_the_lesson_in_the_description_of_the_format_plays() -> None:
    text = (GOLDEN.parents[2] / "docs" / "format.md").read_text(encoding="utf-8")
    blocks = [
        block
        for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL)
        if "self-attention-lesson" in block
    ]
    assert len(blocks) == 1
    shown = resolve_all(loads(blocks[0].encode()))
    assert [scene.cursor.stage for scene in shown] == ["scores", "weights"]
    assert shown[1].document.mask.kind == "causal"
    for panel in PANELS:
        assert f"`{panel}`" in text


def file_of(version: int, title: dict[str, str]) -> bytes:
    label = {"format": "self-attention-lesson", "version": version}
    return json.dumps({**label, "title": title, "scenes": []}).encode()


def test_other_languages_make_a_file_version_2() -> None:
    old = Lesson(title=LocalizedText({"zh_CN": "甲", "en": "a"}))
    new = Lesson(title=LocalizedText({"pt_BR": "á", "en": "a"}))
    assert [json.loads(dumps(lesson))["version"] for lesson in (old, new)] == [1, 2]
    assert list(json.loads(dumps(new))["title"]) == ["en", "pt_BR"]
    assert loads(dumps(new)) == new
    deep = Lesson(
        (LessonScene(source=ExampleSource(EXAMPLES[0]), notes=LocalizedText({"de": "x"})),)
    )
    assert json.loads(dumps(deep))["version"] == 2
    assert json.loads(dumps(loads(file_of(2, {"en": "a"}))))["version"] == 1


def test_version_1_knows_two_languages_and_codes_are_codes() -> None:
    with pytest.raises(UserError) as caught:
        loads(file_of(1, {"fr": "é"}))
    assert caught.value.code == "file.unknown_key"
    assert caught.value.data == {"place": "title", "key": "fr", "known": ("en", "zh_CN")}
    for code in ("French", "pt-BR", "f", "fr_", ""):
        with pytest.raises(UserError) as caught:
            loads(file_of(2, {code: "é"}))
        assert (caught.value.code, caught.value.data["key"]) == ("lesson.language", code)
    with pytest.raises(UserError, match="newer"):
        loads(file_of(4, {}))


def test_a_missing_language_falls_back_to_english_then_to_the_first() -> None:
    text = LocalizedText({"fr": "é", "de": "ä", "en": "a"})
    assert [text.of(language) for language in ("fr", "en", "zh_CN")] == ["é", "a", "a"]
    assert LocalizedText({"fr": "é", "de": "ä"}).of("zh_CN") == "é"
    assert text.with_text("de", "").texts == {"fr": "é", "en": "a"}


def test_texts_fall_back_to_the_other_language() -> None:
    assert (
        LocalizedText({"en": "a"}).of("zh_CN"),
        LocalizedText({"zh_CN": "甲"}).of("en"),
        LocalizedText({"en": "a", "zh_CN": "甲"}).of("zh_CN"),
    ) == (
        "a",
        "甲",
        "甲",
    )
    assert not LocalizedText()


def test_a_lesson_is_known_by_its_name() -> None:
    assert is_lesson("x/Monday.LESSON.json")
    assert not is_lesson("x/lesson.attn.json")


@pytest.mark.parametrize("name", LESSONS)
def test_lessons_that_ship_are_whole_in_both_languages(name: str) -> None:
    lesson = load(lesson_path(name))
    assert dumps(lesson) == lesson_path(name).read_bytes()
    assert lesson.title.get("en")
    assert lesson.title.get("zh_CN")
    for scene in lesson.scenes:
        for words in (scene.title, scene.say):
            assert words.get("en")
            assert words.get("zh_CN")
        for words in (scene.question, scene.answer, scene.notes):
            assert bool(words.get("en")) == bool(words.get("zh_CN"))
        assert bool(scene.question) == bool(scene.answer)
    assert sum(bool(scene.question) for scene in lesson.scenes) >= len(lesson.scenes) // 3
    assert {scene.breakpoint for scene in lesson.scenes} == {True, False}


@pytest.mark.parametrize("name", LESSONS)
def test_who_is_asked_about_weights_sees_them(name: str) -> None:
    for shown in resolve_all(load(lesson_path(name))):
        question, stage = shown.scene.question, shown.trace.plan[shown.cursor.stage]
        if shown.scene.demo is None and (
            "weight" in question.get("en") or "权重" in question.get("zh_CN")
        ):  # a lab shows its own
            assert "weights" in (stage.id, *stage.reads), question.get("en")
            assert {"stage", "heatmap", "diagram"} & set(shown.scene.view), question.get("en")


def test_an_unknown_lesson_is_named() -> None:
    with pytest.raises(UserError) as caught:
        lesson_path("nobody")
    assert caught.value.data["known"] == list(LESSONS)


def long_lesson(scenes: int) -> bytes:
    """Each scene changes one number of the scene before it."""
    entries: list[dict[str, object]] = [
        {"at": {"stage": "weights"}, "changes": {"heads[0].V[0][0]": number}}
        for number in range(scenes)
    ]
    entries[0]["experiment"] = {"example": "cat-eats-fish"}
    return json.dumps({"format": "self-attention-lesson", "version": 1, "scenes": entries}).encode()


def test_every_scene_of_a_long_lesson_is_changed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    original = resolve_module.apply_changes

    def counted(document: Document, changes: Sequence[Change]) -> Document:
        calls.append(1)
        return original(document, changes)

    monkeypatch.setattr(resolve_module, "apply_changes", counted)
    scenes = resolve_all(loads(long_lesson(300)))
    assert len(calls) == 300
    assert [float(scene.document.heads[0].V[0, 0]) for scene in scenes] == [*map(float, range(300))]


def test_a_lesson_that_is_too_long_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        loads(long_lesson(MOST_SCENES + 1))
    assert (caught.value.code, caught.value.data["limit"]) == ("lesson.too_long", MOST_SCENES)


def test_a_split_makes_a_file_version_3_and_comes_back() -> None:
    old = Lesson((LessonScene(ExampleSource("cat-eats-fish")),))
    new = replace(
        old, scenes=(replace(old.scenes[0], split=PanelSplit("side_by_side", 35)), LessonScene())
    )
    assert [json.loads(dumps(lesson))["version"] for lesson in (old, new)] == [1, 3]
    assert loads(dumps(new)).scenes == new.scenes
    assert json.loads(dumps(new))["scenes"][0]["split"] == {"layout": "side_by_side", "share": 35}
    assert "split" not in json.loads(dumps(new))["scenes"][1]


@pytest.mark.parametrize(
    ("split", "version", "code", "place"),
    [
        ({"share": 35}, 1, "file.unknown_key", "scenes[0]"),
        ({"share": 35}, 2, "file.unknown_key", "scenes[0]"),
        ({"share": 19}, 3, "lesson.beyond", "scenes[0].split.share"),
        ({"share": 81}, 3, "lesson.beyond", "scenes[0].split.share"),
        ({"layout": "diagonal"}, 3, "kind.unknown", "scenes[0].split.layout"),
        ({"shares": 50}, 3, "file.unknown_key", "scenes[0].split"),
    ],
)
def test_a_wrong_split_is_refused_with_its_place(
    split: dict[str, object], version: int, code: str, place: str
) -> None:
    scene = {"experiment": {"example": "cat-eats-fish"}, "at": {"stage": "scores"}, "split": split}
    file = {"format": "self-attention-lesson", "version": version, "scenes": [scene]}
    with pytest.raises(UserError) as caught:
        loads(json.dumps(file).encode())
    assert (caught.value.code, caught.value.data["place"]) == (code, place)


PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def test_pages_make_a_file_version_3_and_come_first() -> None:
    page = LessonScene(view=("page",), title=LocalizedText({"en": "Attention"}))
    told = replace(page, text=LocalizedText({"en": "a\nb"}), picture=PNG)
    lesson = Lesson((page, told, LessonScene(ExampleSource("who-ate-whom"))))
    file = json.loads(dumps(lesson))
    assert file["version"] == 3
    assert "at" not in file["scenes"][0]
    assert loads(dumps(lesson)) == lesson
    assert resolve(lesson, 1).view == ("page",)
    assert resolve(lesson, 2).document.tokens == load_example("who-ate-whom").tokens


@pytest.mark.parametrize("picture", ["no base64!", "aGVsbG8=", PNG[:-1]])
def test_what_is_no_picture_is_refused(picture: str) -> None:
    scene = {"view": ["page"], "picture": picture}
    file = {"format": "self-attention-lesson", "version": 3, "scenes": [scene]}
    with pytest.raises(UserError) as caught:
        loads(json.dumps(file).encode())
    assert (caught.value.code, caught.value.data["place"]) == (
        "lesson.picture",
        "scenes[0].picture",
    )


def test_a_scene_with_a_lab_on_layers_needs_no_stage() -> None:
    """A stack has no stage "scores" of its own; another name is still looked for."""
    head = '{"format": "self-attention-lesson", "version": 1, "title": {"en": "t"}, "scenes": ['
    lab = '"lab": {"id": "induction"}}]}'
    resolved = resolve(loads(f"{head}{{{lab}".encode()), 0)
    assert resolved.document.is_stack
    assert resolved.cursor.stage == "probabilities"
    with pytest.raises(UserError) as caught:
        resolve(loads(f'{head}{{"at": {{"stage": "weights"}}, {lab}'.encode()), 0)
    assert caught.value.code == "stage.absent"


def test_a_change_of_a_model_keeps_its_other_settings() -> None:
    shown = resolve_all(load(lesson_path("trained-copying")))
    before, after = shown[4].document, shown[5].document
    assert after.link is not None
    assert before.mask == after.mask
    assert before.scale == after.scale
    assert before.X is not None
    assert after.X is not None
    assert not np.array_equal(before.X, after.X)
    for head in range(4):
        assert np.triu(run(after)["weights"][head], 1).max() == 0.0
