"""The page that plays the steps: what is in the file, and how it behaves in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.base.cell import Cell
from core.base.number_format import show
from core.compute.trace import run
from core.document.document import Document
from core.document.orientation import Orientation
from core.explain.derivation import derive
from core.explain.timeline import Grain
from core.storage.examples import EXAMPLES, load_example
from gui.export.options import ExportOptions
from gui.export.page_data import MOST_TOKENS
from gui.export.registry import export_shown
from gui.export.states import step_count
from gui.session.state import Preferences
from gui.texts.stage_texts import meaning
from gui.texts.sum_style import SumStyle
from gui.texts.sums import noted_sum
from gui.texts.translation import spoken
from tests.core.documents import make
from tests.gui.browser_kit import FITS, NUMBERS, RESULT, SHIFT, Browser, running

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Generator[Browser]:
    with running(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def page(browser: Browser) -> Browser:
    """The browser on a desk, in the light, with nothing to complain of so far."""
    browser.size(1280, 720)
    browser.shade(False)
    browser.events.clear()
    return browser


def written(document: Document, path: Path, options: ExportOptions | None = None) -> str:
    assert export_shown(document, "html", path, options or ExportOptions())
    return path.read_text(encoding="utf-8")


def data_of(text: str) -> Any:
    (found,) = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL
    )
    return json.loads(found)


def run_of(text: str) -> Any:
    """The one run of an experiment."""
    (run_,) = data_of(text)["runs"]
    return run_


# The file


@pytest.mark.parametrize("example", EXAMPLES)
def test_it_needs_nothing_from_anywhere(tmp_path: Path, example: str) -> None:
    text = written(load_example(example), tmp_path / "a.html")
    assert """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; """ in text
    assert set(re.findall(r"https?://[^\"'\s<]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(link|iframe|img|script src|object)\b|@import|url\(", text)
    assert "@@" not in text


def test_a_small_experiment_is_a_small_file(tmp_path: Path) -> None:
    written(load_example("cat-eats-fish"), tmp_path / "a.html")
    assert (tmp_path / "a.html").stat().st_size < 300_000


def test_texts_cannot_break_out(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    document = make(sizes={"n": 2, "d": 2, "h": 1, "k": 2, "v": 2}).with_(
        tokens=(evil, "<!--"), title=evil
    )
    text = written(document, tmp_path / "a.html")
    assert text.count("<script") == 2
    assert "<!--" not in text
    assert run_of(text)["sentences"][0] == [evil, "<!--"]
    assert data_of(text)["title"] == evil


@pytest.mark.parametrize("columns", [False, True])
def test_every_number_is_the_trace_as_it_is_shown(tmp_path: Path, columns: bool) -> None:
    document = make(positional="learned", mask="window", biases=True, output=True, pins=3)
    preferences = Preferences(decimals=4, columns=columns)
    data = run_of(written(document, tmp_path / "a.html", ExportOptions(preferences=preferences)))
    trace = run(document)
    assert [stage["id"] for stage in data["stages"]] == list(trace.plan.ids)
    for stage in data["stages"]:
        for choice, operation in stage["operations"].items():
            items = operation["en"] if isinstance(operation, dict) else operation
            result = items[-1]
            assert result["stage"] == stage["id"]
            head = int(choice) if stage["headwise"] else 0
            seen = Orientation(columns).matrix(trace.matrix(stage["id"], head))
            assert data["matrices"][result["matrix"]]["text"] == [
                [show(float(v), 4) for v in row] for row in seen
            ]


def test_sums_are_the_windows_own(tmp_path: Path) -> None:
    document = make(positional="rotary", mask="causal", output=True)
    data = run_of(written(document, tmp_path / "a.html"))
    trace = run(document)
    compared = 0
    for stage in data["stages"]:
        for head, rows in stage["sums"].items():
            for i, row in enumerate(rows):
                for j, packed in enumerate(row):
                    line = packed["zh_CN"] if isinstance(packed, dict) else packed
                    text = "".join(piece[2:] for piece in line.split("\t"))
                    step = derive(document, trace, Cell(stage["id"], i, j, int(head)))
                    with spoken("zh_CN"):
                        expected = noted_sum(SumStyle(document, 2, 8), step)
                    assert text == "".join(span.text for span in expected)
                    compared += 1
    assert compared == sum(array.size for array in trace.arrays.values())


def test_stops_are_those_of_the_window(tmp_path: Path) -> None:
    document = make(mask="causal")
    data = run_of(written(document, tmp_path / "a.html"))
    assert {name: len(stops) for name, stops in data["stops"].items()} == {
        grain.value: step_count(run(document), grain) for grain in Grain
    }


def test_many_tokens_are_shown_as_images(tmp_path: Path) -> None:
    n = MOST_TOKENS + 1
    document = make(sizes={"n": n, "d": 6, "h": 2, "k": 3, "v": 4}, mask="causal")
    data = run_of(written(document, tmp_path / "a.html"))
    assert list(data["stops"]) == ["stage"]
    assert all("image" in matrix for matrix in data["matrices"])
    assert all(sums is None for stage in data["stages"] for sums in stage["sums"].values())
    assert (
        "text"
        in run_of(
            written(make(sizes={"n": n - 1, "d": 2, "h": 1, "k": 2, "v": 2}), tmp_path / "b.html")
        )["matrices"][0]
    )


# In a browser


def test_forward_and_back_by_keys_and_buttons(page: Browser, tmp_path: Path) -> None:
    document, path = load_example("four-words-causal"), tmp_path / "a.html"
    written(document, path)
    page.open(path)
    ids = list(run(document).plan.ids)
    forward = [page.ask("document.body.dataset.stage")]
    pictures = [page.picture()]
    for _ in ids[1:]:
        page.press("ArrowRight")
        forward.append(page.ask("document.body.dataset.stage"))
        pictures.append(page.picture())
    assert forward == ids
    assert len(set(pictures)) == len(ids), "every step looks different"
    page.press("ArrowRight")
    assert page.ask("document.body.dataset.stage") == ids[-1], "the end is a stop"
    back = [page.ask("document.body.dataset.stage")]
    page.ask("document.activeElement.blur()")
    for _ in ids[1:]:
        page.click("#back")
        back.append(page.ask("document.body.dataset.stage"))
    assert back == ids[::-1]
    page.press("End")
    assert page.text("#count") == f"Step {len(ids)} of {len(ids)}"
    page.press("Home")
    assert page.text("#count") == f"Step 1 of {len(ids)}"
    assert page.complaints() == []


def test_back_shows_what_forward_has_shown(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.open(path, "#grain=cell")
    steps = [page.ask("document.querySelector('main').innerHTML")]
    for _ in range(20):
        page.press("ArrowRight")
        steps.append(page.ask("document.querySelector('main').innerHTML"))
    for expected in steps[-2::-1]:
        page.press("ArrowLeft")
        assert page.ask("document.querySelector('main').innerHTML") == expected


def test_the_numbers_on_the_screen_are_the_trace(page: Browser, tmp_path: Path) -> None:
    document, path = make(output=True), tmp_path / "a.html"
    written(document, path, ExportOptions(preferences=Preferences(decimals=1)))
    page.open(path, "#head=3")
    trace = run(document)
    for stage in trace.plan:
        seen = trace.matrix(stage.id, 2)
        assert page.ask(NUMBERS) == [[show(float(value), 1) for value in row] for row in seen], (
            stage.id
        )
        page.press("ArrowRight")


def test_what_is_not_reached_is_empty(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.open(path, "#grain=cell&step=8")
    assert page.ask(NUMBERS) == [["0.74", "0.44", "0.32"], ["0.50", "0.50", ""], ["", "", ""]]
    assert page.ask(f"document.querySelectorAll('{RESULT} td.ghost').length") == 4
    assert page.text("#sum").endswith("= 0.50")


def test_a_tapped_number_shows_its_sum(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.size(390, 844, mobile=True)
    page.open(path, "#step=4")
    page.tap(f"{RESULT} td", 7)
    assert page.text("#where") == "Scores, query 鱼, key 吃"
    assert page.text("#sum") == "q鱼·k吃 = 0.90×0.60 + 0.10×0.40 = 0.54 + 0.04 = 0.58"
    page.tap("#operation figure td", 1)
    assert page.text("#sum") == "q小猫,2 = 0.80"
    page.tap("#forward")
    assert page.text("#where") == "Scaled scores, query 小猫, key 小猫", (
        "a step takes the eyes along"
    )


def test_keys_are_named_by_the_sentence_that_is_read(page: Browser, tmp_path: Path) -> None:
    path, read = tmp_path / "a.html", ["我", "昨天", "吃", "了", "苹果"]
    written(load_example("translation"), path)
    heads = (
        "[...document.querySelectorAll('#operation > figure')]"
        ".map(each => [...each.querySelectorAll('th[scope={}]')].map(head => head.textContent))"
    )
    page.open(path)
    rows, columns = {}, {}
    for _ in run(load_example("translation")).plan:
        stage = page.ask("document.body.dataset.stage")
        rows[stage], columns[stage] = page.ask(heads.format("row")), page.ask(heads.format("col"))
        if stage == "scores":
            assert page.text("#where") == "Scores, query I, key 我"
        page.press("ArrowRight")
    written_ = ["I", "ate", "apples", "yesterday"]
    assert [rows[stage][-1] for stage in ("X_context", "K", "V")] == [read] * 3
    assert [rows[stage][-1] for stage in ("X", "Q", "scores", "weights", "heads", "Y")] == [
        written_
    ] * 6
    assert columns["scores"][1:] == [read, read], "Kᵀ and the scores"
    assert columns["weights"][-1] == columns["scaled"][-1] == read


def test_indices_stand_below_the_line(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("translation"), path)
    page.open(path)
    assert page.ask("document.querySelectorAll('#stages button')[1].innerHTML") == "X<sub>C</sub>"
    for _ in run(load_example("translation")).plan:
        assert "_" not in page.ask("document.body.innerText")
        page.press("ArrowRight")


def test_shift_and_arrows_walk_over_the_numbers(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.open(path, "#step=4")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.press(key, SHIFT)
    assert page.text("#where") == "Scores, query 吃, key 鱼"
    assert page.text("#count") == "Step 4 of 9"


def test_both_languages_with_a_switch(page: Browser, tmp_path: Path) -> None:
    document, path = load_example("cat-eats-fish"), tmp_path / "a.html"
    written(document, path)
    page.open(path, "#step=4")
    assert page.text("#ask") == meaning(document, "scores").title
    page.click("#language button", 1)
    with spoken("zh_CN"):
        asked = meaning(document, "scores")
    assert page.text("#ask") == asked.title
    assert page.text("#text") == asked.sentence
    assert page.text("#count") == "第 4 步，共 9 步"
    assert page.ask("document.documentElement.lang") == "zh-CN"
    assert page.ask("document.title") == "小猫吃鱼"
    page.click("#language button", 0)
    assert page.text("#ask") == meaning(document, "scores").title


def test_it_opens_in_the_language_of_the_export(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path, replace(ExportOptions(), language="zh_CN"))
    page.open(path)
    assert page.text("#title") == "小猫吃鱼"


def test_it_follows_light_and_dark(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.open(path, "#step=4")
    cell = f"getComputedStyle(document.querySelector('{RESULT} td')).backgroundColor"
    window = "getComputedStyle(document.body).backgroundColor"
    assert page.ask(cell) == "rgb(43, 71, 150)", "the largest score, in the theme's strongest blue"
    assert page.ask(window) == "rgb(243, 245, 249)"
    page.shade(True)
    page.wait(f"{cell} === 'rgb(169, 196, 255)'")
    assert page.ask(window) == "rgb(18, 22, 29)"


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 720)])
def test_no_step_is_wider_than_the_screen(
    page: Browser, tmp_path: Path, example: str, width: int, height: int
) -> None:
    document, path = load_example(example), tmp_path / "a.html"
    written(document, path)
    page.size(width, height, mobile=width < 500)
    page.open(path)
    for stage in run(document).plan:
        assert page.ask(FITS), stage.id
        assert page.ask("window.visualViewport.scale") == 1
        page.press("ArrowRight")
    assert page.complaints() == []


@pytest.mark.parametrize("example", ["apple-released-iphone", "translation"])
def test_on_a_large_screen_the_diagram_can_be_read(
    page: Browser, tmp_path: Path, example: str
) -> None:
    """It is wider than the column then, all of it is seen, and so is the sum."""
    path = tmp_path / "a.html"
    written(load_example(example), path)
    page.size(1920, 1080)
    page.open(path)
    size = "(text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a"
    sizes = f"[...document.querySelectorAll('#map text')].map({size})"
    assert page.ask(f"Math.min(...{sizes})") >= 10
    assert (
        page.ask(
            "(() => { const map = document.getElementById('map'); return map.scrollWidth - map.clientWidth; })()"
        )
        <= 0
    )
    assert page.ask(FITS)
    middle = "((part) => part.getBoundingClientRect().left + part.getBoundingClientRect().right)"
    assert (
        page.ask(
            f"{middle}(document.getElementById('map')) - {middle}(document.getElementById('card'))"
        )
        == 0
    )
    foot = "document.getElementById('card').getBoundingClientRect().bottom"
    assert page.ask(f"document.querySelector('footer').getBoundingClientRect().top - {foot}") > 0


def test_fingers_are_large_enough_to_hit_the_buttons(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.size(390, 844, mobile=True)
    page.open(path)
    boxes = page.ask(
        "[...document.querySelectorAll('#buttons button')].map(each => each.getBoundingClientRect())"
        ".map(box => [box.width, box.height, box.bottom])"
    )
    for width, height, bottom in boxes:
        assert width >= 44
        assert height >= 44
        assert bottom <= 844


def test_a_swipe_steps(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.size(390, 844, mobile=True)
    page.open(path)
    page.swipe((300, 180), (80, 190))
    page.wait("document.querySelector('#count').textContent === 'Step 2 of 9'")
    page.swipe((80, 180), (300, 190))
    page.wait("document.querySelector('#count').textContent === 'Step 1 of 9'")
    page.swipe((200, 500), (190, 200))
    assert page.text("#count") == "Step 1 of 9", "up and down is for scrolling"


def test_it_plays_and_stops(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.open(path, "#grain=cell")
    page.ask("window.steps = []")
    note = "new MutationObserver(() => steps.push(Number(document.body.dataset.step)))"
    page.ask(note + ".observe(document.body, {attributes: true, attributeFilter: ['data-step']})")
    page.click("#play")
    assert page.ask("document.getElementById('play').title") == "Pause"
    page.wait("steps.length >= 2")
    page.press("ArrowLeft")  # from wherever it has come to by now
    assert page.ask("document.getElementById('play').title") == "Play"
    *played, back = page.ask("steps")
    assert played == list(range(2, len(played) + 2))
    assert back == played[-1] - 1


def test_the_browser_asks_nobody_for_anything(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(make(sizes={"n": 70, "d": 6, "h": 2, "k": 3, "v": 4}), path)
    page.open(path, "#step=7")
    page.press("ArrowRight")
    assert "70 tokens" in page.text("#note")
    assert page.ask("document.querySelectorAll('#operation img').length") == 3, (
        "e to the scores, their sums, the weights"
    )
    assert {address.partition(":")[0] for address in page.requests()} <= {"file", "data", "about"}
    assert page.complaints() == []
