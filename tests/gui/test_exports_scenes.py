"""A lesson's scenes as slides, pages, films and pictures: one for each scene, with its words and its numbers."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pptx import Presentation
from pypdf import PdfReader

from core.base.cell import Cell
from core.base.errors import UserError
from core.base.number_format import show
from core.explain.timeline import Grain, Reach
from core.lesson.lesson import (
    LESSONS,
    Change,
    ExampleSource,
    LabReference,
    Lesson,
    LessonScene,
    LessonSteps,
    LocalizedText,
    lesson_path,
    load,
    resolve_all,
    save,
)
from gui.cli import run_command_line
from gui.export.animation import LAST_FACTOR, SCENE_TIME, STILL_TIMES
from gui.export.options import ExportOptions
from gui.export.registry import export_shown
from gui.export.states import SceneSteps, states
from gui.texts.labs import lab_claim, lab_title
from gui.texts.translation import use_language
from tests.command_kit import refused
from tests.gui.film_kit import frames

CAT = ExampleSource("cat-eats-fish")
WHERE = LocalizedText({"en": "Where do we stand?", "zh_CN": "我们在哪里？"})
LESSON = Lesson(
    (
        LessonScene(
            CAT,
            stage="Q",
            title=WHERE,
            say=LocalizedText({"en": "Three tables.", "zh_CN": "三张表。"}),
            notes=LocalizedText({"en": "Slowly.", "zh_CN": "慢一点。"}),
        ),
        LessonScene(
            stage="scores",
            reach=Reach.ROW,
            row=0,
            steps=LessonSteps(Grain.ROW, 2),
            view=("stage", "derivation"),
            question=LocalizedText({"en": "Which one is larger?", "zh_CN": "哪个更大？"}),
            answer=LocalizedText({"en": "The first: 0.74.", "zh_CN": "第一个：0.74。"}),
        ),
        LessonScene(
            changes=(Change("heads[0].Q[1][0]", "0.75"),),
            stage="weights",
            breakpoint=True,
            view=("heatmap", "stage"),
            title=LocalizedText({"en": "A <louder> & “sharper” question", "zh_CN": "更响的问题"}),
        ),
        LessonScene(
            changes=(Change("mask", '{"kind": "causal"}'),),
            stage="masked",
            row=2,
            column=1,
            view=("code",),
        ),
        LessonScene(
            ExampleSource("apple-released-iphone"),
            stage="heads",
            head=1,
            breakpoint=True,
            view=("diagram", "heatmap"),
        ),
    ),
    LocalizedText({"en": "A lesson for tests", "zh_CN": "测试用的课件"}),
    LocalizedText({"en": "Five scenes.", "zh_CN": "五个场景。"}),
)
SMALL = ExportOptions(size=(640, 400))


def deck(path: Path, options: ExportOptions | None = None, lesson: Lesson = LESSON) -> Any:
    assert export_shown(lesson, "pptx", path, options or ExportOptions())
    return Presentation(str(path))


def names(slide: Any) -> list[str]:
    return [shape.name for shape in slide.shapes if shape.shape_type == 13]


def description(shape: Any) -> str:
    return str(shape._element.xpath(".//p:cNvPr")[0].get("descr") or "")


def sections(path: Path) -> list[tuple[str, int]]:
    """The sections of a deck and how many slides each has, as the file tells them."""
    text = zipfile.ZipFile(path).read("ppt/presentation.xml").decode()
    found = re.findall(r'<p14:section name="([^"]*)".*?</p14:section>', text)
    parts = re.findall(r"<p14:sldIdLst>(.*?)</p14:sldIdLst>", text)
    return [(name, part.count("<p14:sldId ")) for name, part in zip(found, parts, strict=True)]


# States


def test_a_state_a_scene_as_the_lesson_tells_it() -> None:
    shown = states(LESSON, ExportOptions(language="zh_CN", shade="dark"))
    for state, resolved in zip(shown, resolve_all(LESSON), strict=True):
        assert (state.document.tokens, state.cursor, state.focus) == (
            resolved.document.tokens,
            resolved.cursor,
            resolved.focus,
        )
        assert state.view == resolved.view
        assert (state.language, state.shade, state.steps_taken) == ("zh_CN", "dark", 0)
    assert shown[0].trace is shown[1].trace, "motion may lead from one scene to the next"
    assert shown[2].trace is not shown[1].trace


def test_a_still_scene_is_shown_where_it_ends() -> None:
    shown = states(LESSON, ExportOptions(), SceneSteps.END)
    assert [(state.scene_index, state.steps_taken) for state in shown] == [
        (0, 0),
        (1, 2),
        (2, 0),
        (3, 0),
        (4, 0),
    ]
    assert shown[1].cursor.row == 2


def test_films_walk_the_steps_of_a_scene_too() -> None:
    shown = states(LESSON, ExportOptions(), SceneSteps.EVERY)
    assert [(state.scene_index, state.steps_taken) for state in shown] == [
        (0, 0),
        (1, 0),
        (1, 1),
        (1, 2),
        (2, 0),
        (3, 0),
        (4, 0),
    ]
    assert [state.cursor.row for state in shown[1:4]] == [0, 1, 2]


@pytest.mark.parametrize(("first", "last"), [(0, 2), (3, 2), (1, 6), (6, 6)])
def test_scenes_that_are_not_there_are_refused(first: int, last: int) -> None:
    with pytest.raises(UserError) as caught:
        states(LESSON, ExportOptions(first=first, last=last))
    assert (caught.value.code, caught.value.data["limit"]) == ("export.scenes", 5)


# Slides


@pytest.mark.parametrize("columns", [False, True])
def test_a_slide_a_scene_with_the_numbers_of_its_trace(
    tmp_path: Path, qapp: object, columns: bool
) -> None:
    options = ExportOptions()
    options = replace(
        options, preferences=replace(options.preferences, decimals=3, columns=columns)
    )
    slides = list(deck(tmp_path / "a.pptx", options).slides)[1:]
    assert len(slides) == len(LESSON.scenes)
    for slide, resolved in zip(slides, resolve_all(LESSON), strict=True):
        cursor, _ = resolved.at_step(resolved.steps, resolved.trace)
        matrix = resolved.trace.matrix(cursor.stage, cursor.head)
        expected = [[show(float(value), 3) for value in row] for row in matrix]
        (frame,) = (shape for shape in slide.shapes if shape.has_table)
        own = [[cell.text for cell in row.cells][1:] for row in list(frame.table.rows)[1:]]
        assert own == ([list(row) for row in zip(*expected, strict=True)] if columns else expected)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_notes_hold_what_to_say_question_and_answer(
    tmp_path: Path, qapp: object, language: str
) -> None:
    shown = deck(tmp_path / "a.pptx", ExportOptions(language=language))
    first, *slides = shown.slides
    assert first.shapes.title.text == LESSON.title.of(language)
    assert first.notes_slide.notes_text_frame.text == LESSON.notes.of(language)
    for slide, scene in zip(slides, LESSON.scenes, strict=True):
        said = slide.notes_slide.notes_text_frame.text
        for words in (scene.say, scene.question, scene.answer, scene.notes):
            assert words.of(language) in said
        assert said != ""
        assert not scene.title or slide.shapes.title.text == scene.title.of(language)
        assert slide.shapes.title.text != ""
    texts = [shape.text_frame.text for shape in slides[1].shapes if shape.has_text_frame]
    assert LESSON.scenes[1].question.of(language) in texts
    assert not any("0.74" in text for text in texts if "=" not in text), (
        "the answer stands in the notes alone"
    )


def test_the_view_of_a_scene_decides_what_stands_on_its_slide(tmp_path: Path, qapp: object) -> None:
    slides = list(deck(tmp_path / "a.pptx").slides)[1:]
    assert [names(slide) for slide in slides] == [
        ["Formula"],
        ["Formula"],
        ["Heatmap"],
        ["Formula"],
        ["Formula", "Heatmap"],
    ]
    own = [{shape.name for shape in slide.shapes} for slide in slides]
    assert "Worked sum" in own[1]
    assert "Code" in own[3]
    (code,) = (shape.text_frame.text for shape in slides[3].shapes if shape.name == "Code")
    assert "np.where" in code or "mask" in code
    for slide in slides:
        for shape in slide.shapes:
            if shape.shape_type == 13 or shape.has_table:
                assert description(shape) != ""
    assert "cat, eats, fish" in description(
        next(shape for shape in slides[2].shapes if shape.shape_type == 13)
    )


LAB_ALONE = Lesson(
    (LessonScene(CAT, demo=LabReference("softmax"), view=("lab",)),),
    LocalizedText({"en": "Labs", "zh_CN": "实验"}),
)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_lab_without_words_speaks_for_itself(tmp_path: Path, qapp: object, language: str) -> None:
    use_language(language)
    shown = deck(tmp_path / "a.pptx", ExportOptions(language=language), LAB_ALONE).slides[1]
    assert shown.shapes.title.text == lab_title("softmax")
    assert lab_claim("softmax") in [
        shape.text_frame.text for shape in shown.shapes if shape.has_text_frame
    ]
    assert export_shown(LAB_ALONE, "html", tmp_path / "a.html", ExportOptions())
    (found,) = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>',
        (tmp_path / "a.html").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    data = json.loads(found)
    (scene,) = data["scenes"]
    at = [each["id"] for each in data["tables"]["languages"]].index(language)
    assert (scene["title"][at], scene["say"][at]) == (
        lab_title("softmax"),
        lab_claim("softmax"),
    )


def test_breakpoints_begin_sections(tmp_path: Path, qapp: object) -> None:
    deck(tmp_path / "a.pptx")
    assert sections(tmp_path / "a.pptx") == [
        ("Title", 1),
        ("Where do we stand?", 2),
        ("A &lt;louder&gt; &amp; “sharper” question", 2),
        ("A·V — what does each token take home? · Head 2: meaning", 1),
    ]


def test_a_range_of_scenes(tmp_path: Path, qapp: object) -> None:
    shown = deck(tmp_path / "a.pptx", ExportOptions(first=3, last=4))
    assert len(shown.slides) == 1 + 2
    assert [count for _, count in sections(tmp_path / "a.pptx")] == [1, 2]


@pytest.mark.parametrize("name", LESSONS)
def test_lessons_that_ship_fit_their_slides(tmp_path: Path, qapp: object, name: str) -> None:
    lesson = load(lesson_path(name))
    shown = deck(tmp_path / "a.pptx", ExportOptions(language="zh_CN"), lesson)
    for slide, scene in zip(list(shown.slides)[1:], lesson.scenes, strict=True):
        assert slide.shapes.title.text == scene.title.get("zh_CN")
        assert scene.say.get("zh_CN") in slide.notes_slide.notes_text_frame.text
        for shape in slide.shapes:
            height = (
                sum(row.height for row in shape.table.rows) if shape.has_table else shape.height
            )
            assert shape.left >= 0
            assert shape.left + shape.width <= shown.slide_width
            assert shape.top + height <= shown.slide_height
            if shape.has_table:
                numbers = [
                    cell.text for row in list(shape.table.rows)[1:] for cell in list(row.cells)[1:]
                ]
                assert any(numbers), "a scene that begins without numbers is shown where it ends"


# Pages, films, pictures


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_page_a_scene_with_its_texts_and_numbers(
    tmp_path: Path, qapp: object, language: str
) -> None:
    out = tmp_path / "a.pdf"
    export_shown(LESSON, "pdf", out, ExportOptions(language=language, size=(1600, 900)))
    reader = PdfReader(out)
    assert reader.metadata is not None
    assert reader.metadata.title == LESSON.title.of(language)
    pages = [" ".join(page.extract_text().split()) for page in reader.pages]
    assert len(pages) == len(LESSON.scenes)
    for page, scene in zip(pages, LESSON.scenes, strict=True):
        assert scene.title.of(language) in page
        assert scene.question.of(language) in page
    assert "0.44" in pages[1], "the first row of the scores stands"
    assert "0.58" in pages[1], "and the last one, where the scene ends"
    assert float(reader.pages[0].mediabox.width) == 1200


@pytest.mark.parametrize("name", ["gif", "webp"])
def test_a_film_shows_every_scene_and_its_steps(tmp_path: Path, qapp: object, name: str) -> None:
    out = tmp_path / f"a.{name}"
    export_shown(LESSON, name, out, replace(SMALL, speed=2.0))
    times, pixels = frames(out)
    scene, row = SCENE_TIME // 2, STILL_TIMES[Grain.ROW] // 2
    assert times == [scene, scene, row, row, scene, scene, scene * LAST_FACTOR]
    assert len(set(pixels)) == 7


@pytest.mark.parametrize("name", ["png", "svg"])
def test_a_single_picture_holds_one_scene(tmp_path: Path, qapp: object, name: str) -> None:
    with pytest.raises(UserError) as caught:
        export_shown(LESSON, name, tmp_path / f"a.{name}", SMALL)
    assert (caught.value.code, caught.value.data["count"]) == ("export.one_picture", 5)
    assert list(tmp_path.iterdir()) == []
    assert export_shown(
        LESSON, name, tmp_path / f"a.{name}", replace(SMALL, first=1, last=1, scale=2.0)
    )
    if name == "png":
        with Image.open(tmp_path / "a.png") as picture:
            assert picture.size == (1280, 800)
    else:
        assert "Where do we stand?" in (tmp_path / "a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["pptx", "html", "gif", "webp", "pdf"])
def test_the_same_lesson_gives_the_same_bytes(tmp_path: Path, qapp: object, name: str) -> None:
    for out in ("one", "two"):
        assert export_shown(LESSON, name, tmp_path / out, SMALL)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("name", ["pptx", "html", "gif", "webp", "pdf"])
def test_stopping_touches_no_file(tmp_path: Path, qapp: object, name: str) -> None:
    heard: list[float] = []

    def progress(fraction: float) -> bool:
        heard.append(fraction)
        return len(heard) < 3

    assert not export_shown(LESSON, name, tmp_path / "out", SMALL, progress)
    assert list(tmp_path.iterdir()) == []
    assert heard == sorted(heard)


def test_a_lesson_without_scenes_is_refused(tmp_path: Path, qapp: object) -> None:
    with pytest.raises(UserError) as caught:
        export_shown(Lesson(), "pptx", tmp_path / "a.pptx", ExportOptions())
    assert caught.value.code == "export.no_scenes"


# The command line


def test_a_lesson_where_an_experiment_may_stand(tmp_path: Path, qapp: object) -> None:
    path, out = tmp_path / "a.lesson.json", tmp_path / "a.pptx"
    save(LESSON, path)
    assert (
        run_command_line(
            ["export", str(path), "--format", "pptx", "-o", str(out), "--language", "zh_CN"]
        )
        == 0
    )
    use_language("en")
    assert Presentation(str(out)).slides[0].shapes.title.text == "测试用的课件"
    shipped = [
        "export",
        "--lesson",
        "who-ate-whom",
        "--format",
        "gif",
        "-o",
        str(tmp_path / "a.gif"),
    ]
    assert run_command_line([*shipped, "--steps", "1-2", "--size", "640x360"]) == 0
    assert frames(tmp_path / "a.gif")[0] == [SCENE_TIME, SCENE_TIME * LAST_FACTOR]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("xlsx", "-o", "a.xlsx"),
            "a lesson cannot be written with --format xlsx; it can be written as pptx, html,",
        ),
        (("report", "-o", "a.pdf"), "a lesson cannot be written with --format report"),
        (
            ("gif", "-o", "a.gif", "--grain", "row"),
            "--grain cannot be used for lessons: their scenes decide what is shown",
        ),
        (
            ("png", "-o", "a.png"),
            "--format png holds one picture, and this lesson has 11 scenes: choose one, such as",
        ),
        (
            ("svg", "-o", "a.svg", "--steps", "2-4"),
            "--format svg holds one picture, and this lesson has 11 scenes:",
        ),
        (("pdf", "-o", "a.pdf", "--stage", "scores"), "--stage cannot be used for lessons"),
        (
            ("pdf", "-o", "a.pdf", "--steps", "9-12"),
            "There are no scenes 9-12; scenes are numbered from 1 to 11.",
        ),
        (("gif", "-o", "a.gif", "--fps", "10"), "--fps is only for animations with --motion"),
    ],
)
def test_what_does_not_fit_a_lesson_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    qapp: object,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(capsys, "export", "--lesson", "first-steps", "--format", *arguments).startswith(
        said
    )
    assert list(tmp_path.iterdir()) == []


def test_other_commands_say_that_a_lesson_is_no_experiment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save(LESSON, "a.lesson.json")
    said = "a.lesson.json is a lesson; an experiment is needed here, *.attn.json"
    assert refused(capsys, "trace", "a.lesson.json", "-o", "a.npz") == said
    assert "known" not in refused(
        capsys, "export", "--lesson", "nothing", "--format", "gif", "-o", "a.gif"
    )


def test_a_focus_on_an_entered_tensor_is_no_obstacle(tmp_path: Path, qapp: object) -> None:
    lesson = Lesson(
        (
            LessonScene(
                ExampleSource("apple-released-iphone"), stage="scores", focus=Cell("W_Q", 1, 0, 1)
            ),
        )
    )
    for name in ("pptx", "pdf", "html"):
        assert export_shown(lesson, name, tmp_path / f"a.{name}", ExportOptions())
