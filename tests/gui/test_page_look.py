"""The page that computes: languages, light and dark, sizes, screen readers, no network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.compute.trace import run
from core.storage.examples import EXAMPLES, load_example
from gui.export.options import ExportOptions
from gui.texts.stage_texts import meaning
from gui.texts.translation import spoken
from tests.core.documents import make
from tests.gui.browser_kit import FITS, RESULT, Browser
from tests.gui.page_kit import written

pytestmark = pytest.mark.usefixtures("qapp")


def test_both_languages_with_a_switch(page: Browser, tmp_path: Path) -> None:
    document, path = load_example("cat-eats-fish"), tmp_path / "a.html"
    written(document, path)
    page.open(path)
    page.ask("attentionStepper.step(3)")
    assert page.text("#ask") == meaning(document, "scores").title
    page.click("#more")
    page.click("#menu [lang='zh-CN']")
    with spoken("zh_CN"):
        asked = meaning(document, "scores")
    assert page.text("#ask") == asked.title
    assert page.text("#text") == asked.sentence
    assert page.text("#count") == "第 4 步，共 9 步"
    assert page.ask("document.documentElement.lang") == "zh-CN"
    assert page.ask("document.title") == "小猫吃鱼"


def test_it_opens_in_the_language_of_the_export(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path, replace(ExportOptions(), language="zh_CN"))
    page.open(path)
    assert page.text("#title") == "小猫吃鱼"


def test_it_follows_light_and_dark(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.open(path)
    page.ask("attentionStepper.step(3)")
    cell = f"getComputedStyle(document.querySelector('{RESULT} tbody td')).backgroundColor"
    window = "getComputedStyle(document.body).backgroundColor"
    assert page.ask(cell) == "rgb(43, 71, 150)", "the largest score, in the theme's strongest blue"
    assert page.ask(window) == "rgb(243, 245, 249)"
    page.shade(True)
    page.wait(f"{cell} === 'rgb(169, 196, 255)'")
    assert page.ask(window) == "rgb(18, 22, 29)"


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize(("width", "height"), [(360, 740), (768, 1024), (1920, 1080)])
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


@pytest.mark.parametrize("example", ["cat-eats-fish", "eight-heads", "block-by-hand"])
def test_the_diagram_frames_its_matrices(page: Browser, tmp_path: Path, example: str) -> None:
    document, path = load_example(example), tmp_path / "a.html"
    written(document, path)
    page.size(1280, 720)
    page.open(path)
    box = "(e) => (b => [b.left, b.top, b.right, b.bottom])(e.getBoundingClientRect())"
    boxes = (
        f"[...document.querySelectorAll('#road .card')].map((card) => [({box})(card.querySelector('.frame')),"
        f" [...card.querySelectorAll('rect:not(.frame), image, text')].map({box})])"
    )
    seen = set()
    for _ in run(document).plan:
        for frame, inside in page.ask(boxes):
            for left, top, right, bottom in inside:
                assert frame[0] - 1 <= left <= right <= frame[2] + 1
                assert frame[1] - 1 <= top <= bottom <= frame[3] + 1
        cards = page.ask(
            "[...document.querySelectorAll('#road .card')].map((card) => card.dataset.stage)"
        )
        seen.update(cards)
        size = "(t) => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a"
        assert (
            page.ask(f"Math.min(...[...document.querySelectorAll('#road text')].map({size}))")
            >= 11.9
        )
        page.press("ArrowRight")
    assert seen == set(run(document).plan.ids)


def test_fingers_are_large_enough_to_hit_the_buttons(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.size(360, 740, mobile=True)
    page.open(path)
    sizes = (
        "[...document.querySelectorAll('button, td[data-cell]')].map(each => each.getBoundingClientRect())"
        ".filter(box => box.width).map(box => [box.width, box.height])"
    )
    for width, height in page.ask(sizes):
        assert width >= 44
        assert height >= 44


def test_what_a_screen_reader_meets(page: Browser, tmp_path: Path) -> None:
    """Everything that can be operated has a name; a step is read once; cells have their names."""
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.open(path)
    page.ask("attentionStepper.step(3)")
    assert (
        page.text("#spoken")
        == "Scores, query 小猫, key 小猫: q小猫·k小猫 = 0.20×0.10 + 0.80×0.90 = 0.02 + 0.72 = 0.74"
    )
    assert page.ask("document.querySelectorAll('[aria-live]').length") == 1
    cell = f"document.querySelectorAll('{RESULT} tbody td')[5]"
    assert page.ask(f"{cell}.getAttribute('aria-label')") == "Scores, query 吃, key 鱼: 0.50"
    page.click("#more")
    tree = page.call("Accessibility.getFullAXTree")["nodes"]
    named = {
        "button",
        "slider",
        "combobox",
        "textbox",
        "checkbox",
        "dialog",
        "grid",
        "radio",
        "img",
    }
    unnamed = [
        node["role"]["value"]
        for node in tree
        if not node["ignored"]
        and node["role"]["value"] in named
        and not node.get("name", {}).get("value", "").strip()
    ]
    assert unnamed == []
    page.press("Escape")
    tree = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in tree if not node["ignored"]]
    assert roles.count("grid") == 3
    assert {"columnheader", "rowheader", "gridcell", "slider", "heading"} <= set(roles)
    assert not [
        node["role"]["value"]
        for node in tree
        if not node["ignored"]
        and node["role"]["value"] in named
        and not node.get("name", {}).get("value", "").strip()
    ]


def test_the_browser_asks_nobody_for_anything(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(make(sizes={"n": 70, "d": 6, "h": 2, "k": 3, "v": 4}), path)
    page.open(path)
    page.ask("attentionStepper.step(6)")
    assert page.ask("document.querySelectorAll('#operation canvas').length") >= 2
    assert {address.partition(":")[0] for address in page.requests()} <= {"file", "data", "about"}
    assert page.complaints() == []


def test_a_long_title_leaves_the_switches_in_their_row(page: Browser, tmp_path: Path) -> None:
    document, path = load_example("cat-eats-fish"), tmp_path / "a.html"
    heights = []
    for title in ("A", "A" * 300, "One word " * 40):
        written(document.with_(title=title), path)
        page.open(path)
        heights.append(page.ask("document.getElementById('head').offsetHeight"))
        assert page.ask(FITS)
    assert len(set(heights)) == 1
