"""The page's diagram and the scenes of a lesson on it, in a real browser: by keys, buttons and fingers."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from core.base.cell import Cell
from core.base.number_format import show
from core.compute.trace import run
from core.lesson.lesson import (
    ExampleSource,
    LabReference,
    Lesson,
    LessonScene,
    LocalizedText,
    lesson_path,
    load,
    resolve_all,
)
from core.storage.examples import EXAMPLES, load_example
from gui.export.options import ExportOptions
from gui.export.page import LAB
from gui.export.page_data import ROOM
from gui.export.registry import export_shown
from gui.export.slide_shapes import LAYOUT
from gui.export.states import run_state
from gui.views.diagram.scene import layout_of
from tests.core.documents import make
from tests.gui.browser_kit import FITS, NUMBERS, Browser, running
from tests.gui.test_exports_scenes import LESSON

pytestmark = pytest.mark.usefixtures("qapp")

HERE = "document.querySelector('#map [aria-current=step]').dataset.stage"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Generator[Browser]:
    with running(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def page(browser: Browser) -> Browser:
    browser.size(1366, 768)
    browser.shade(False)
    browser.events.clear()
    return browser


@pytest.fixture(scope="module")
def lesson_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "lesson.html"
    assert export_shown(LESSON, "html", path, ExportOptions())
    return path


def written(subject: Any, path: Path, options: ExportOptions | None = None) -> Path:
    assert export_shown(subject, "html", path, options or ExportOptions())
    return path


def data_of(path: Path) -> Any:
    (found,) = re.findall(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(found)


def card_texts(page: Browser, stage: str) -> list[str]:
    """The texts of a card that are numbers."""
    found = page.ask(
        f"[...document.querySelectorAll('#map [data-stage={stage}] text')].map(each => each.textContent)"
    )
    return [text for text in found if re.fullmatch(r"−?\d+\.\d+|−∞", text)]


# The diagram


def test_its_boxes_are_those_of_the_window(tmp_path: Path) -> None:
    document = make(positional="learned", mask="causal", output=True)
    drawn = data_of(written(document, tmp_path / "a.html"))["runs"][0]["diagrams"][0]
    drawn = drawn.get("en", drawn)
    where = layout_of(run_state(document, ExportOptions()), ROOM)
    assert [(box["rect"], box["matrix"]) for box in drawn["boxes"]] == [
        (
            [round(x, 2) for x in (box.rect.x, box.rect.y, box.rect.w, box.rect.h)],
            [round(x, 2) for x in (box.matrix.x, box.matrix.y, box.matrix.w, box.matrix.h)],
        )
        for box in where.boxes
    ]
    assert [arrow["points"] for arrow in drawn["arrows"]] == [
        [round(number, 2) for point in arrow.points for number in point] for arrow in where.arrows
    ]


def test_every_stage_has_a_card_with_its_numbers_as_text(page: Browser, tmp_path: Path) -> None:
    document = load_example("four-words-causal")
    page.open(written(document, tmp_path / "a.html"), "#step=99")
    trace = run(document)
    cards = page.ask(
        "[...document.querySelectorAll('#map [data-stage]')].map(each => each.dataset.stage)"
    )
    assert sorted(cards) == sorted(trace.plan.ids)
    for name in trace.plan.ids:
        assert card_texts(page, name) == [
            show(float(value), 2) for value in trace.matrix(name, 0).flat
        ], name
    assert page.complaints() == []


def test_it_shows_what_stands_and_where_we_are(page: Browser, tmp_path: Path) -> None:
    document = load_example("cat-eats-fish")
    page.open(written(document, tmp_path / "a.html"), "#grain=cell&step=8")
    assert page.ask(HERE) == "scores"
    assert card_texts(page, "scores") == ["0.74", "0.44", "0.32", "0.50", "0.50"]
    assert card_texts(page, "weights") == []
    assert page.ask("document.querySelectorAll('#map .card.ahead').length") == 5
    before = page.ask("document.getElementById('map').innerHTML")
    page.press("ArrowRight")
    assert card_texts(page, "scores") == ["0.74", "0.44", "0.32", "0.50", "0.50", "0.50"]
    page.press("ArrowLeft")
    assert page.ask("document.getElementById('map').innerHTML") == before


def test_cards_are_clicked_tapped_and_reached_by_keys(page: Browser, tmp_path: Path) -> None:
    path = written(load_example("cat-eats-fish"), tmp_path / "a.html")
    page.open(path)
    page.click("#map [data-stage=weights] .ground")
    assert (page.ask(HERE), page.ask("document.body.dataset.stage")) == ("weights", "weights")
    page.ask("document.querySelector('#map [data-stage=K]').focus()")
    key = "new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true})"
    page.ask(f"document.activeElement.dispatchEvent({key})")
    assert page.ask("document.body.dataset.stage") == "K"
    assert page.ask("document.activeElement.dataset.stage") == "K", (
        "the keyboard stays where it was"
    )
    page.press("ArrowRight")
    assert page.ask("document.body.dataset.stage") == "V"
    page.size(390, 844, mobile=True)
    page.open(path)
    page.tap("#map [data-stage=scores] .ground")
    assert page.ask("document.body.dataset.stage") == "scores"


def test_names_follow_the_language(page: Browser, tmp_path: Path) -> None:
    page.open(written(load_example("cat-eats-fish"), tmp_path / "a.html"))
    assert "Attention weights" in page.text("#map")
    page.click("#language button", 1)
    assert "注意力权重" in page.text("#map")
    assert page.text("#overview summary") == "流程图"
    assert (
        page.ask("document.querySelector('#map [data-stage=Q]').getAttribute('aria-label')")
        == "Q, 查询"
    )


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1366, 768)])
def test_the_current_card_is_in_view_at_each_step(
    page: Browser, tmp_path: Path, example: str, width: int, height: int
) -> None:
    page.size(width, height, mobile=width < 500)
    document = load_example(example)
    page.open(written(document, tmp_path / "a.html"))
    inside = (
        "(() => { const card = document.querySelector('#map [aria-current=step] .ground').getBoundingClientRect();"
        "const map = document.getElementById('map').getBoundingClientRect();"
        "return [card.left - map.left, map.right - card.right, card.width - map.width]; })()"
    )
    for stage in run(document).plan:
        left, right, wider = page.ask(inside)
        assert (left >= -1 and right >= -1) or wider > 0, stage.id
        assert page.ask(FITS), stage.id
        page.press("ArrowRight")
    assert page.complaints() == []


def test_a_stack_shows_its_open_layer_and_a_click_opens_another(
    page: Browser, tmp_path: Path
) -> None:
    document = load_example("induction")
    page.open(written(document, tmp_path / "a.html"), "#step=5")
    plan = run(document).plan
    shown = set(
        page.ask(
            "[...document.querySelectorAll('#map [data-stage]')].map(each => each.dataset.stage)"
        )
    )
    own = {stage.id for stage in plan.of_layer(1)}
    assert own <= shown
    assert not shown & {stage.id for stage in plan.of_layer(2)}
    assert page.ask("document.querySelectorAll('#map .lane').length") >= document.n
    page.click("#map [aria-label='Layer 2']")
    assert page.ask(HERE).startswith("L2.")
    assert page.complaints() == []


@pytest.mark.parametrize("stage", ["logits", "probabilities"])
def test_columns_of_the_next_word_are_named_by_the_vocabulary(
    page: Browser, tmp_path: Path, stage: str
) -> None:
    document = load_example("block-by-hand")
    assert document.output is not None
    step = run(document).plan.ids.index(stage) + 1
    page.open(written(document, tmp_path / "a.html"), f"#step={step}")
    tables = page.ask(
        "[...document.querySelectorAll('#operation table')].map(each =>"
        " [...each.querySelectorAll('thead th')].map(cell => cell.textContent).filter(Boolean))"
    )
    assert tables[-1] == list(document.output.vocabulary)
    assert page.text("#where").endswith(f"word {document.output.vocabulary[0]}")


def test_a_finger_scrolls_the_diagram_without_a_step(page: Browser, tmp_path: Path) -> None:
    page.size(390, 844, mobile=True)
    page.open(written(load_example("cat-eats-fish"), tmp_path / "a.html"))
    top = page.ask("document.getElementById('map').getBoundingClientRect().top")
    page.swipe((300, round(top) + 60), (80, round(top) + 60))
    assert page.text("#count") == "Step 1 of 9"


def test_it_can_be_folded_away(page: Browser, tmp_path: Path) -> None:
    page.open(written(load_example("cat-eats-fish"), tmp_path / "a.html"))
    page.click("#overview summary")
    assert not page.ask(
        "document.querySelector('#map svg').checkVisibility({contentVisibilityAuto: true})"
    )
    page.press("ArrowRight")
    page.click("#overview summary")
    page.wait(f"{HERE} === 'K'")


def test_large_matrices_are_pictures(page: Browser, tmp_path: Path) -> None:
    document = make(sizes={"n": 70, "d": 6, "h": 2, "k": 3, "v": 4})
    page.open(written(document, tmp_path / "a.html"), "#step=99")
    assert page.ask("document.querySelectorAll('#map [data-stage=weights] image').length") == 1
    middle = make(sizes={"n": 40, "d": 6, "h": 1, "k": 3, "v": 4})
    page.open(written(middle, tmp_path / "b.html"), "#step=99")
    assert page.ask(
        "document.querySelector('#map [data-stage=scores] image').getAttribute('href').slice(0, 14)"
    ) == ("data:image/png")
    assert page.complaints() == []


# The scenes of a lesson


def test_a_lesson_is_told_forward_and_back_in_both_languages(
    page: Browser, lesson_page: Path
) -> None:
    page.open(lesson_page)
    told = [each for each in resolve_all(LESSON) for _ in range(each.steps + 1)]
    looks = []
    for index, shown in enumerate(told):
        scene = shown.scene
        assert page.ask("document.body.dataset.scene") == str(shown.index + 1)
        if scene.title:
            assert page.text("#ask") == scene.title.get("en")
        if scene.say:
            assert page.text("#text") == scene.say.get("en")
        assert page.text("#question") == scene.question.get("en")
        looks.append(page.ask("document.querySelector('main').innerHTML"))
        if index < len(told) - 1:
            page.press("ArrowRight") if index % 2 else page.click("#forward")
    assert len(set(looks)) == len(looks)
    for expected in looks[-2::-1]:
        page.click("#back")
        assert page.ask("document.querySelector('main').innerHTML") == expected
    page.click("#language button", 1)
    assert page.text("#title") == "测试用的课件"
    assert (page.text("#ask"), page.text("#text")) == ("我们在哪里？", "三张表。")
    assert page.text("#count") == "第 1 个场景，共 5 个"
    assert page.complaints() == []


def test_the_numbers_of_a_scene_are_its_own_experiments(page: Browser, lesson_page: Path) -> None:
    page.open(lesson_page)
    for shown in resolve_all(LESSON):
        page.ask(f"document.getElementById('scene').value = '{shown.index}'")
        page.ask("document.getElementById('scene').dispatchEvent(new Event('change'))")
        matrix = shown.trace.matrix(shown.cursor.stage, shown.cursor.head)
        expected = [[show(float(value), 2) for value in row] for row in matrix]
        if shown.index == 1:
            expected[1:] = [["", "", ""], ["", "", ""]]
        assert page.ask(NUMBERS) == expected
        assert page.ask(HERE) == shown.cursor.stage


def test_the_answer_waits_until_it_is_asked_for(page: Browser, lesson_page: Path) -> None:
    page.open(lesson_page, "#step=2")
    assert page.text("#question") == "Which one is larger?"
    assert not page.ask("document.getElementById('answer').open")
    page.click("#answer summary")
    assert page.ask("document.querySelector('#answer p').offsetHeight > 0")
    assert page.text("#answer p") == "The first: 0.74."
    page.press("ArrowRight")
    assert page.ask("document.getElementById('answer').open"), "still the same scene"
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert page.ask("document.getElementById('answer').hidden")
    page.press("ArrowLeft")
    assert not page.ask("document.getElementById('answer').open")


def test_an_experiment_of_the_lesson_can_be_walked_through(
    page: Browser, lesson_page: Path
) -> None:
    page.open(lesson_page, "#step=5")
    assert page.ask("document.body.dataset.scene") == "3"
    page.click("#map [data-stage=scores] .ground")
    assert page.ask("'scene' in document.body.dataset") is False
    changed = resolve_all(LESSON)[2].trace["scores"][0]
    assert page.ask(NUMBERS) == [[show(float(value), 2) for value in row] for row in changed]
    assert page.text("#count") == "Step 4 of 9"
    page.click("#grain button", 0)
    assert page.text("#ask") == "A <louder> & “sharper” question", "back to the scene that was left"


def test_the_place_in_a_lesson_is_kept_in_the_address(page: Browser, lesson_page: Path) -> None:
    page.open(lesson_page, "#step=7&lang=zh_CN")
    assert page.text("#count") == "第 5 个场景，共 5 个"
    page.click("#stages button", 0)
    address = page.ask("location.hash")
    page.open(lesson_page, address)
    assert page.ask("document.body.dataset.stage") == "X"
    assert page.text("#count") == "第 1 步，共 11 步"


def test_a_scenes_focus_on_an_entered_number(page: Browser, tmp_path: Path) -> None:
    at = LessonScene(
        ExampleSource("apple-released-iphone"), stage="Q", head=1, focus=Cell("W_Q", 1, 0, 1)
    )
    lesson = Lesson((at,))
    page.open(written(lesson, tmp_path / "a.html"))
    document = load_example("apple-released-iphone")
    weight = document.tensor("W_Q", 1)
    assert weight is not None
    assert page.text("#sum") == f"entered: {show(float(weight[1, 0]), 2)}"
    assert page.complaints() == []


@pytest.mark.parametrize("name", ["first-steps", "who-ate-whom"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1366, 768)])
def test_no_scene_is_wider_than_the_screen(
    page: Browser, tmp_path: Path, name: str, width: int, height: int
) -> None:
    lesson = load(lesson_path(name))
    page.size(width, height, mobile=width < 500)
    page.open(written(lesson, tmp_path / "a.html", ExportOptions(language="zh_CN")))
    for scene in lesson.scenes:
        page.wait(
            f"document.getElementById('ask').textContent === {json.dumps(scene.title.get('zh_CN'))}"
        )
        assert page.ask(FITS), scene.title.get("en")
        for _ in range((scene.steps.count if scene.steps else 0) + 1):
            page.press("ArrowRight")
    assert page.complaints() == []


def test_the_picture_of_a_lab_can_be_read_on_a_phone(page: Browser, tmp_path: Path) -> None:
    lesson = Lesson(
        (LessonScene(ExampleSource("cat-eats-fish"), demo=LabReference("softmax"), view=("lab",)),),
        LocalizedText({"en": "Labs", "zh_CN": "实验"}),
    )
    page.size(400, 844, mobile=True)
    page.open(written(lesson, tmp_path / "a.html"))
    page.wait("document.querySelector('#lab img').complete")
    wide, natural, seen, whole = page.ask(
        "(p => [p.width, p.naturalWidth, p.parentElement.clientWidth, document.documentElement.scrollWidth])"
        "(document.querySelector('#lab img'))"
    )
    units = LAB.width * LAYOUT  # what the picture was laid out in, with 12 of them to a letter
    assert 12 * wide / units >= 9, "pixels of the smallest words"
    assert natural >= 2 * wide
    assert wide > seen, "it is moved from side to side in its frame"
    assert whole <= 400, "and the page is not"
    top = page.ask("document.getElementById('lab').getBoundingClientRect().top")
    page.swipe((300, round(top) + 60), (80, round(top) + 60))
    assert page.ask("document.body.dataset.scene") == "1"
