"""The page that computes: numbers changed, held, typed and marked; files and codes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.cell import Cell
from core.classroom.answer_file import entries_from
from core.classroom.answer_file import loads as loads_answers
from core.compute.trace import run
from core.document.document import Document
from core.document.edits import with_cell, with_mask, with_mask_kind, with_pin
from core.document.parts import Mask, Scale, is_of_head
from core.exchange.code import experiment_code
from core.storage.archive import loads
from core.storage.examples import load_example
from tests.core.documents import make
from tests.core.stacks import make_stack
from tests.gui.browser_kit import FITS, RESULT, Browser
from tests.gui.page_kit import (
    FILES,
    experiment_of,
    same_as,
    written,
)

pytestmark = pytest.mark.usefixtures("qapp")


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


UNFIT: tuple[dict[str, Any], ...] = (
    {"version": 3},
    {"tokens": "abc"},
    {"title": {"en": "Title"}},
    {"layers": []},
    {"layers": [{}]},
)


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
    as_it_is = {"experiment": experiment_of(document), "grain": "cell", "scene": None}
    for text in (
        "{",
        "[]",
        fewer,
        fewer.replace('["a"]', '["a", 2, "c"]'),
        json.dumps(experiment_of(document)).replace("0.8", '"x"'),
        '{"format": "self-attention-page", "experiment": {"heads": 3}}',
        "null",
        *(json.dumps(experiment_of(document) | part) for part in UNFIT),
        json.dumps({"format": "self-attention-page", "cursor": {"stage": "no"}} | as_it_is),
    ):
        work.write_text(text, encoding="utf-8")
        page.choose_file(FILES, work, 2)
        page.wait("!document.getElementById('told').hidden")
        assert page.text("#told").startswith("This file was not saved by this page")
        same_as(page, with_cell(document, Cell("V", 1, 1), -2.5))
        page.press("ArrowRight")
    assert page.complaints() == []


def test_answers_to_a_larger_experiment_leave_out_what_does_not_fit(
    page: Browser, tmp_path: Path
) -> None:
    path, typed = tmp_path / "a.html", tmp_path / "typed.json"
    written(load_example("cat-eats-fish"), path)
    page.open(path)
    page.ask("attentionStepper.step(3)")
    page.click("#more")
    larger = [[["0.5", "1", "2", "3"]] * 4] * 2
    file = {"format": "self-attention-answers", "values": {"scores": larger, "Q_rot": larger}}
    typed.write_text(json.dumps(file), encoding="utf-8")
    page.choose_file(FILES, typed, 2)
    page.wait("attentionStepper.answers().includes('0.5')")
    page.click("#menu header button")
    page.click(".practice .primary")
    values = json.loads(page.ask("attentionStepper.answers()"))["values"]
    assert values == {"scores": [[["0.5", "1", "2"]] * 3]}
    assert page.ask("document.querySelectorAll('td.verdict-wrong').length") == 8
    assert page.complaints() == []


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
    for code in ("#abc", "#%3Cscript%3E", "#%", "#" + "A" * 500):
        page.open(path, code)
        assert (
            page.text("#told")
            == "This code is damaged or incomplete. The page shows its own experiment."
        )
        same_as(page, document)
    assert page.complaints() == []
