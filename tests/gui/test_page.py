"""The page that computes: what is in its file, and its steps in a real browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.base.errors import UserError
from core.base.number_format import show
from core.compute.trace import run
from core.explain.timeline import Grain
from core.storage.examples import EXAMPLES, load_example
from gui.export.options import ExportOptions
from gui.export.page_data import experiment_data
from gui.export.states import step_count
from gui.session.state import Preferences
from tests.core.documents import make
from tests.core.stacks import make_stack
from tests.gui.browser_kit import NUMBERS, RESULT, SHIFT, Browser
from tests.gui.page_kit import (
    LARGEST,
    array_of,
    data_of,
    experiment_of,
    in_node,
    program,
    written,
)

pytestmark = pytest.mark.usefixtures("qapp")


# The file


@pytest.mark.parametrize("example", EXAMPLES)
def test_it_needs_nothing_from_anywhere_and_is_small(tmp_path: Path, example: str) -> None:
    text = written(load_example(example), tmp_path / "a.html")
    assert """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; """ in text
    assert set(re.findall(r"https?://[^\"'\s<]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(link|iframe|img|script src|object)\b|@import|url\((?!#)", text)
    assert "@@" not in text
    assert len(text.encode()) <= LARGEST


def test_texts_cannot_break_out(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    document = make(sizes={"n": 2, "d": 2, "h": 1, "k": 2, "v": 2}).with_(
        tokens=(evil, "<!--"), title=evil
    )
    text = written(document, tmp_path / "a.html")
    assert text.count("<script") == 2
    assert "<!--" not in text
    assert data_of(text)["experiments"][0]["tokens"] == [evil, "<!--"]
    assert data_of(text)["title"] == [evil, evil]


def test_packed_matrices_are_exact(tmp_path: Path) -> None:
    document = load_example("eight-heads")
    made = experiment_data(document)
    assert len(json.dumps(made)) < len(json.dumps(experiment_of(document))) / 2
    printed = in_node(
        f"{program('unpack.js')}\nconsole.log(JSON.stringify(Packed.unpack({json.dumps(made)})));",
        tmp_path,
    )
    if printed is None:
        pytest.skip("no node on this system")
    assert json.loads(printed) == experiment_of(document)


def test_a_large_layer_goes_by_its_values(page: Browser, tmp_path: Path) -> None:
    sizes = {"n": 9, "d": 96, "h": 4, "k": 24, "v": 24}
    document = make(sizes=sizes, output=True, biases=True, mask="causal", off=(1,))
    rng = np.random.default_rng(1)
    noise = {name: rng.normal(size=(96, 24)) / 10 for name in ("W_Q", "W_K", "W_V")}
    noisy = document.with_(heads=tuple(replace(head, **noise) for head in document.heads))
    text = written(noisy, tmp_path / "a.html")
    assert len(text.encode()) < 1_000_000
    page.open(tmp_path / "a.html")
    trace = run(noisy)
    for stage in ("scores", "weights", "Y"):
        found = array_of(json.loads(page.ask(f"JSON.stringify(attentionStepper.stage('{stage}'))")))
        np.testing.assert_allclose(found, trace[stage], rtol=1e-4, atol=1e-4)
    assert "W_O" in json.dumps(data_of(text)["note"])
    assert "W_Q" not in json.dumps(data_of(text)["experiments"])


def test_what_no_page_can_hold_is_refused(tmp_path: Path) -> None:
    many = make(sizes={"n": 1100, "d": 2, "h": 1, "k": 1, "v": 1})
    with pytest.raises(UserError) as caught:
        written(many, tmp_path / "a.html")
    assert caught.value.code == "export.too_large"
    rng, sizes = np.random.default_rng(1), {"n": 200, "d": 256, "h": 8, "k": 32, "v": 32}
    layer = make(sizes=sizes, output=True)
    wide = layer.with_(W_O=rng.normal(size=(256, 256)), X=rng.normal(size=(200, 256)))
    with pytest.raises(UserError) as caught:
        written(wide, tmp_path / "a.html")
    assert caught.value.code == "export.page_size"
    layers = make_stack(1, sizes={**sizes, "n": 2, "f": 200, "u": 5}, layers=1, decimals=9)
    with pytest.raises(UserError) as caught:
        written(layers, tmp_path / "a.html")
    assert caught.value.code == "export.page_numbers"
    assert list(tmp_path.iterdir()) == []


# Steps


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
    page.open(path)
    page.click("#grain [data-grain=cell]")
    shown = (
        "document.querySelector('#operation').innerHTML + document.querySelector('#sum').innerHTML"
    )
    steps = [page.ask(shown)]
    for _ in range(20):
        page.press("ArrowRight")
        steps.append(page.ask(shown))
    assert len(set(steps)) > 15
    for expected in steps[-2::-1]:
        page.press("ArrowLeft")
        assert page.ask(shown) == expected


def test_the_numbers_on_the_screen_are_the_trace(page: Browser, tmp_path: Path) -> None:
    document, path = make(output=True), tmp_path / "a.html"
    written(document, path, ExportOptions(preferences=Preferences(decimals=1)))
    page.open(path)
    page.press("3")
    trace = run(document)
    for stage in trace.plan:
        seen = trace.matrix(stage.id, 2)
        wanted = [[show(float(value), 1) for value in row] for row in seen]
        assert page.ask(NUMBERS) == wanted or len(wanted[0]) > 16, stage.id
        page.press("ArrowRight")


def test_tokens_as_columns_turn_every_matrix(page: Browser, tmp_path: Path) -> None:
    document, path = make(output=True, mask="window"), tmp_path / "a.html"
    written(document, path, ExportOptions(preferences=Preferences(columns=True)))
    page.open(path)
    trace = run(document)
    for stage in trace.plan:
        seen = trace.matrix(stage.id, 0).T
        assert page.ask(NUMBERS) == [[show(float(value), 2) for value in row] for row in seen], (
            stage.id
        )
        page.press("ArrowRight")


def test_what_is_not_reached_is_empty(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.open(path)
    page.click("#grain [data-grain=cell]")
    page.ask("attentionStepper.step(7)")
    assert page.ask(NUMBERS) == [["0.74", "0.44", "0.32"], ["0.50", "0.50", ""], ["", "", ""]]
    assert page.ask(f"document.querySelectorAll('{RESULT} td.ghost').length") == 4
    assert page.text("#sum").endswith("= 0.50")


@pytest.mark.parametrize("grain", Grain)
def test_all_steps_are_counted(page: Browser, tmp_path: Path, grain: Grain) -> None:
    document, path = make(mask="causal"), tmp_path / "a.html"
    written(document, path)
    page.open(path)
    page.click(f"#grain [data-grain={grain.value}]")
    page.press("End")
    count = step_count(run(document), grain)
    assert page.text("#count") == f"Step {count} of {count}"


def test_a_swipe_steps(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.size(360, 740, mobile=True)
    page.open(path)
    page.swipe((300, 200), (80, 210))
    page.wait("document.querySelector('#count').textContent === 'Step 2 of 9'")
    page.swipe((80, 200), (300, 210))
    page.wait("document.querySelector('#count').textContent === 'Step 1 of 9'")
    page.swipe((200, 400), (190, 200))
    assert page.text("#count") == "Step 1 of 9", "up and down is for scrolling"


def test_it_plays_and_stops(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.open(path)
    page.click("#grain [data-grain=cell]")
    page.ask("window.steps = []")
    note = "new MutationObserver(() => steps.push(Number(document.body.dataset.step)))"
    page.ask(note + ".observe(document.body, {attributes: true, attributeFilter: ['data-step']})")
    page.click("#play")
    assert page.ask("document.getElementById('play').title") == "Pause"
    page.wait("steps.filter((each, i) => each !== steps[i - 1]).length >= 3")
    page.press("ArrowLeft")
    assert page.ask("document.getElementById('play').title") == "Play"


def test_shift_and_arrows_walk_over_the_numbers(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.open(path)
    page.ask("attentionStepper.step(3)")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.press(key, SHIFT)
    assert page.text("#where") == "Scores, query 吃, key 鱼"
    assert page.text("#count") == "Step 4 of 9"
