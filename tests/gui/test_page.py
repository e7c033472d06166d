"""The page that computes: what is in its file, and how it behaves in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.cell import Cell
from core.base.errors import UserError
from core.base.number_format import show
from core.classroom.answer_file import entries_from
from core.classroom.answer_file import loads as loads_answers
from core.compute.trace import run
from core.document.document import Document
from core.document.edits import with_cell, with_mask, with_mask_kind, with_pin
from core.document.parts import Mask, Scale, is_of_head
from core.exchange.code import experiment_code
from core.explain.timeline import Grain
from core.storage.archive import loads
from core.storage.examples import EXAMPLES, load_example
from gui.export.options import ExportOptions
from gui.export.page_data import experiment_data
from gui.export.registry import export_shown
from gui.export.states import step_count
from gui.session.state import Preferences
from gui.texts.stage_texts import meaning
from gui.texts.translation import spoken
from tests.core.documents import make
from tests.core.stacks import make_stack
from tests.gui.browser_kit import FITS, NUMBERS, RESULT, SHIFT, Browser, running
from tests.gui.page_kit import CLOSE, array_of, experiment_of, in_node, program

pytestmark = pytest.mark.usefixtures("qapp")
LARGEST = 300_000
FILES = "#menu section:last-of-type > button"


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


def stage_of(page: Browser, stage: str) -> Any:
    return page.ask(f"attentionStepper.stage({json.dumps(stage)})")


def same_as(page: Browser, document: Document) -> None:
    """Whether every stage of the page is that of the trace; −∞ is null."""
    for stage, expected in run(document).arrays.items():
        found = np.array(stage_of(page, stage), dtype=np.float64)
        found[np.isnan(found)] = -np.inf
        np.testing.assert_allclose(found, expected, rtol=CLOSE, atol=CLOSE, err_msg=stage)


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


# Edits


def test_a_typed_number_is_computed_at_once_and_undone(page: Browser, tmp_path: Path) -> None:
    document, path = load_example("cat-eats-fish"), tmp_path / "a.html"
    written(document, path)
    page.size(360, 740, mobile=True)
    page.open(path)
    page.ask("attentionStepper.step(3)")
    page.tap("td[data-cell='K 0 2 0']")
    assert page.ask("document.activeElement.id") == "number"
    page.ask(
        "document.activeElement.value = '1,2'; document.activeElement.dispatchEvent(new Event('input'))"
    )
    changed = with_cell(document, Cell("K", 2, 0), 1.2)
    same_as(page, changed)
    page.press("Escape")
    same_as(page, document)
    page.tap("td[data-cell='K 0 2 0']")
    page.ask(
        "document.activeElement.value = '1.2'; document.activeElement.dispatchEvent(new Event('input'))"
    )
    page.press("Enter")
    same_as(page, changed)
    assert page.text("#changed") == "1 number changed"
    page.tap("#undo")
    same_as(page, document)
    assert page.text("#changed") == ""


@pytest.mark.parametrize(
    "document",
    [make(context=4, biases=True, output=True, positional="learned"), make_stack(6, gate=True)],
)
def test_every_entered_number_is_on_the_page(
    page: Browser, tmp_path: Path, document: Document
) -> None:
    """At some stage each stands in a cell that opens the sheet; in every head that has its own."""
    path = tmp_path / "a.html"
    written(document, path)
    page.size(1920, 1080)
    page.open(path)
    heads = max(scope.h for scope in document.scopes or (document,))
    shown: set[str] = set()
    for head in range(heads):
        page.press("Home")
        page.press(str(head + 1))
        for _ in run(document).plan:
            cells = "[...document.querySelectorAll('#operation td[data-cell]')].map((td) => td.dataset.cell)"
            shown.update(page.ask(cells))
            page.press("ArrowRight")
    for name in document.inputs:
        owners = range(document.scope(name).h) if is_of_head(name) else range(1)
        for head in owners:
            tensor = document.tensor(name, head)
            if tensor is None:
                continue
            rows, columns = np.atleast_2d(tensor).shape
            wanted = {
                f"{name} {head} {row} {column}" for row in range(rows) for column in range(columns)
            }
            assert wanted <= shown, (name, head)


def test_layers_with_different_numbers_of_heads(page: Browser, tmp_path: Path) -> None:
    stack = make_stack(7)
    fewer = replace(stack.layers[1], heads=stack.layers[1].heads[:2], W_O=stack.layers[1].W_O[:12])
    document, path = stack.with_(layers=(stack.layers[0], fewer)), tmp_path / "a.html"
    written(document, path)
    for width in (360, 1280):
        page.size(width, 740)
        page.open(path)
        page.press("3")
        for _ in run(document).plan:
            page.press("ArrowRight")
        same_as(page, document)
        assert page.complaints() == []


def test_no_number_changes_nothing_and_is_said(page: Browser, tmp_path: Path) -> None:
    document, path = load_example("cat-eats-fish"), tmp_path / "a.html"
    written(document, path)
    page.open(path)
    page.click("td[data-cell='Q 0 0 0']")
    page.ask(
        "document.activeElement.value = 'two'; document.activeElement.dispatchEvent(new Event('input'))"
    )
    assert page.ask("document.querySelector('#sheet .error').hidden") is False
    assert page.ask("document.activeElement.value") == "two"
    same_as(page, document)


def test_a_computed_number_is_held(page: Browser, tmp_path: Path) -> None:
    document, path = load_example("cat-eats-fish"), tmp_path / "a.html"
    written(document, path)
    page.open(path)
    page.ask("attentionStepper.step(3)")
    page.click("#acts button")
    page.ask(
        "document.activeElement.value = '2'; document.activeElement.dispatchEvent(new Event('input'))"
    )
    page.press("Enter")
    same_as(page, with_pin(document, Cell("scores", 0, 0), 2.0))
    assert page.text("#sum").endswith("0.74, pinned to 2.00")
    page.click("#acts button")
    page.click("#sheet .actions button")
    same_as(page, document)


def test_the_mask_is_switched(page: Browser, tmp_path: Path) -> None:
    document, path = load_example("cat-eats-fish"), tmp_path / "a.html"
    written(document, path)
    page.open(path)
    page.click("#switches button", 1)
    same_as(page, with_mask_kind(document, "causal"))
    page.click("#switches button", 1)
    same_as(page, document)


def test_settings_of_mask_and_scale_are_typed(page: Browser, tmp_path: Path) -> None:
    document, path = load_example("four-words-causal"), tmp_path / "a.html"
    written(document, path)
    page.open(path)
    page.click("#more")
    choose = (
        "((at, kind) => {{ const list = document.querySelectorAll('#menu select')[at];"
        " list.value = kind; list.dispatchEvent(new Event('change')); }})({}, '{}')"
    )
    write = (
        "((at, text) => {{ const field = document.querySelectorAll('#menu section:first-of-type input[type=text]')[at];"
        " field.value = text; field.dispatchEvent(new Event('change')); }})({}, '{}')"
    )
    page.ask(choose.format(1, "window"))
    page.ask(write.format(0, "2"))
    page.ask(write.format(1, ""))
    same_as(page, with_mask(document, Mask("window", 2, None)))
    page.ask(write.format(0, "-1"))
    page.ask(write.format(0, "x"))
    same_as(page, with_mask(document, Mask("window", 2, None)))
    page.ask(choose.format(2, "factor"))
    page.ask(write.format(2, "0,25"))
    wanted = with_mask(document, Mask("window", 2, None)).with_(scale=Scale("factor", 0.25))
    same_as(page, wanted)
    assert page.complaints() == []


def test_the_heatmap_shows_every_head(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("eight-heads"), path)
    page.open(path)
    page.ask("attentionStepper.step(9)")
    page.click("#heatmap summary")
    page.wait("document.querySelectorAll('#heatmap canvas').length === 8")
    page.click("#heatmap canvas", 4)
    assert page.ask("document.querySelector('#heads select').value") == "4"
    assert page.ask("document.querySelectorAll('#heatmap .marker').length") == 1


def test_large_letters_fit_a_phone(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    document = load_example("four-words-causal")
    written(document, path)
    page.size(360, 740, mobile=True)
    page.open(path)
    page.ask("document.documentElement.style.fontSize = '200%'")
    for _ in run(document).plan:
        assert page.ask(FITS)
        page.press("ArrowRight")


def test_the_interface_for_checks(page: Browser, tmp_path: Path) -> None:
    document, path = make_stack(3, layers=1, biases=True), tmp_path / "a.html"
    written(document, path)
    page.open(path)
    page.ask("attentionStepper.set('L1.W_Q', 1, 2, 0, 0.5)")
    page.ask("attentionStepper.set('L1.b_1', null, 0, 3, -1)")
    page.ask("attentionStepper.set('L1.weights', 0, 3, 1, 0.25)")
    changed = with_cell(
        with_cell(document, Cell("L1.W_Q", 2, 0, 1), 0.5), Cell("L1.b_1", 0, 3), -1.0
    )
    same_as(page, with_pin(changed, Cell("L1.weights", 3, 1, 0), 0.25))
    page.ask("attentionStepper.reset()")
    same_as(page, document)
    assert page.ask(
        "(() => { try { attentionStepper.set('W_Q', 9, 0, 0, 1); } catch (e) { return e.message; } })()"
    )


def test_answers_are_marked_and_written(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.open(path)
    page.ask("attentionStepper.step(3)")
    page.click(".practice button")
    for text in ("0.74", "0.5", "0.32"):
        page.click(f"{RESULT} td.blank")
        page.ask(f"document.activeElement.value = '{text}'")
        page.click("#sheet .actions button", 1)
    page.press("ArrowRight")  # scaled: 0.5 ÷ √2 follows from the wrong 0.5
    for text in ("0.52", "0.35", "0.99"):
        page.click(f"{RESULT} td.blank")
        page.ask(f"document.activeElement.value = '{text}'")
        page.click("#sheet .actions button", 1)
    page.click(".practice .primary")
    verdicts = f"[...document.querySelectorAll('{RESULT} tbody td')].map((td) => (/verdict-\\w+/.exec(td.className) || [''])[0])"
    assert page.ask(verdicts)[:3] == ["verdict-right", "verdict-follows", "verdict-wrong"]
    answers = json.loads(page.ask("attentionStepper.answers()"))
    assert answers["format"] == "self-attention-answers"
    assert answers["values"]["scores"] == [[["0.74", "0.5", "0.32"], [None] * 3, [None] * 3]]


def test_what_is_worked_out_is_given_away_nowhere(page: Browser, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    written(load_example("cat-eats-fish"), path)
    page.open(path)
    page.ask("attentionStepper.step(3)")
    assert "0.58" in page.ask("document.body.innerText")
    page.click("#heatmap summary")
    page.click(".practice button")
    said = page.ask(
        "document.body.innerText + [...document.querySelectorAll('text')].map((t) => t.textContent)"
    )
    for number in ("0.74", "0.58", "0.44", "0.52", "0.39", "0.49"):
        assert number not in said
    assert "0.80" in said, "what goes in stays"
    pixels = "[...document.querySelector('#heatmap canvas').getContext('2d').getImageData(0, 0, 3, 3).data]"
    assert set(page.ask(pixels)) == {0}


def test_a_mistake_is_named(page: Browser, tmp_path: Path) -> None:
    document, path = load_example("cat-eats-fish"), tmp_path / "a.html"
    written(document, path)
    page.open(path)
    page.ask("attentionStepper.step(4)")
    page.click(".practice button")
    for text in ("0.74", "0.44", "0.32"):  # not divided by √2
        page.click(f"{RESULT} td.blank")
        page.ask(f"document.activeElement.value = '{text}'")
        page.click("#sheet .actions button", 1)
    page.click(".practice .primary")
    assert page.text("#slip") == "The scores were not divided by √dk = √2."
    answers = loads_answers(page.ask("attentionStepper.answers()").encode())
    assert list(entries_from(document, answers)["scaled"]) == [(0, 0, 0), (0, 0, 1), (0, 0, 2)]


def test_a_saved_experiment_is_the_one_of_the_page(page: Browser, tmp_path: Path) -> None:
    document, path = make(context=3, output=True), tmp_path / "a.html"
    written(document, path)
    page.open(path)
    page.ask("attentionStepper.set('scores', 0, 1, 1, 3)")
    page.click("#more")
    same_as(page, loads(page.saved_file(FILES, 3).encode()))


def test_what_was_done_is_saved_and_opened_again(page: Browser, tmp_path: Path) -> None:
    document, path, work = (
        load_example("cat-eats-fish"),
        tmp_path / "a.html",
        tmp_path / "work.json",
    )
    written(document, path)
    page.open(path)
    page.click("#grain [data-grain=cell]")
    page.ask("attentionStepper.step(5)")
    page.ask("attentionStepper.set('V', 0, 1, 1, -2.5)")
    page.click(".practice button")
    page.click(f"{RESULT} td.blank")
    page.ask("document.activeElement.value = '0.7'")
    page.click("#sheet .actions button", 1)
    page.click("#more")
    work.write_text(page.saved_file(FILES, 1), encoding="utf-8")
    page.open(path)
    page.click("#more")
    page.choose_file(FILES, work, 2)
    page.wait("attentionStepper.stage('V')[0][1][1] === -2.5")
    same_as(page, with_cell(document, Cell("V", 1, 1), -2.5))
    assert page.text("#count") == "Step 6 of 57"
    assert json.loads(page.ask("attentionStepper.answers()"))["values"]["scores"][0][0][0] == "0.7"
    fewer = json.dumps(experiment_of(document) | {"tokens": ["a"]})
    for text in (
        "{",
        "[]",
        fewer,
        fewer.replace('["a"]', '["a", 2, "c"]'),
        json.dumps(experiment_of(document)).replace("0.8", '"x"'),
        '{"format": "self-attention-page", "experiment": {"heads": 3}}',
        "null",
    ):
        work.write_text(text, encoding="utf-8")
        page.choose_file(FILES, work, 2)
        page.wait("!document.getElementById('told').hidden")
        assert page.text("#told").startswith("This file is none that the page has saved")
        same_as(page, with_cell(document, Cell("V", 1, 1), -2.5))
        page.press("ArrowRight")


def test_a_code_brings_another_experiment(page: Browser, tmp_path: Path) -> None:
    path, other = tmp_path / "a.html", make_stack(2, gate=True).with_(title="Another")
    written(load_example("cat-eats-fish"), path)
    page.open(path, "#" + experiment_code(other))
    same_as(page, other)
    assert page.text("#title") == "Another"
    assert page.complaints() == []


def test_a_broken_code_is_refused_with_a_sentence(page: Browser, tmp_path: Path) -> None:
    path, document = tmp_path / "a.html", load_example("cat-eats-fish")
    written(document, path)
    for code in ("#abc", "#%3Cscript%3E", "#" + "A" * 500):
        page.open(path, code)
        assert (
            page.text("#told")
            == "This code is damaged or incomplete. The page shows its own experiment."
        )
        same_as(page, document)
    assert page.complaints() == []


# How it looks


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
