"""Answers on the page: what is typed there means what it means in the program, and is read by it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.errors import UserError
from core.check.answers import parse_answer, stated_numbers
from core.classroom.answer_file import LONGEST_NUMBER, entries_from
from core.classroom.answer_file import loads as loads_answers
from core.classroom.experiment_id import experiment_id
from gui.export.options import ExportOptions
from gui.export.registry import export_shown
from tests.core.documents import make
from tests.gui.browser_kit import running
from tests.gui.page_kit import SUMS, in_node, program

DOCUMENT = make(1, sizes={"n": 1, "d": 2, "h": 1, "k": 2, "v": 2}, mask="custom")
ACCEPTED = (
    *("0,5", "0，5", "0。5", "1,234", "00012", "5.", ".5", "-.5", "+1", "-0", "2,", "1.", " 7 "),
    *("1e-3", "1E3", "5e-1", "0.5e1", "1.5e-2", "1,5e1", "1e-400", "2e+1"),
    *("12%", "40.1 %", "50,5%", "50，5%", "−5%", "1.5e1%", "1e5%"),
    *("1/8", "1 / 8", "-1/3", "−1/2", "–1/2", "1.5/2", "1.25/2.5", "1/4.", "1e5/2", "- 1/8"),
    *("-inf", "−∞", "- Inf", "-infinity", "−1e9"),
)
REFUSED = (
    *("1 234", "1 2/3", "1,5/2", "1/2,5", "1/0", "1e400", "1.2.3", "1,2,3", "1e", "--", "x", ""),
    *("1" * (LONGEST_NUMBER + 1), "0." + "1" * LONGEST_NUMBER, "1/" + "9" * LONGEST_NUMBER),
)
OFF = (0.0, 1e-13, 1e-6, 4e-4, 6e-4, 0.004, 0.006, 0.04, 0.06, 0.3, 0.45, 0.55, 4.0, 400.0, 600.0)


def asked(expression: str, folder: Path) -> Any:
    """The value of an expression in node."""
    script = f"{program(*SUMS, 'practice.js')}\nconsole.log(JSON.stringify({expression}));"
    printed = in_node(script, folder)
    if printed is None:
        pytest.skip("no node on this system")
    return json.loads(printed)


def test_what_the_page_takes_the_program_reads_as_the_same_number(tmp_path: Path) -> None:
    texts = [*ACCEPTED, *REFUSED]
    found = asked(
        f"{json.dumps(texts)}.map(Practice.typedNumber)"
        ".map(each => each && (each.value === -Infinity ? {...each, value: '-'} : each))",
        tmp_path,
    )
    for text, each in zip(texts, found, strict=True):
        assert (each is not None) == (text in ACCEPTED), text
        if each is None:
            continue
        answer = parse_answer(text)
        assert answer is not None
        value = -np.inf if each["value"] == "-" else each["value"]
        assert value == answer.number.value, text
        decimals = answer.number.decimals
        assert each["decimals"] == decimals or min(each["decimals"], decimals) >= 300, text


def test_what_the_program_would_refuse_is_refused() -> None:
    for text in REFUSED[:3]:
        with pytest.raises(UserError):
            parse_answer(text)


def test_a_number_is_right_on_the_page_where_it_is_right_in_the_program(tmp_path: Path) -> None:
    cases, expected = [], []
    for text in ACCEPTED:
        answer = parse_answer(text)
        assert answer is not None
        stated = stated_numbers(DOCUMENT, "masked", [[[answer.number]]])
        value = float(stated.value[0, 0, 0])
        near = 0.0 if np.isinf(value) else value
        for target in (
            *(near + each for each in OFF),
            *(near - each for each in OFF),
            0.73,
            -np.inf,
        ):
            cases.append([text, "-" if np.isinf(target) else target])
            with np.errstate(invalid="ignore"):  # −∞ − −∞
                expected.append(bool(stated.near(np.full((1, 1, 1), target))[0, 0, 0]))
    found = asked(
        f"{json.dumps(cases)}.map(([text, x]) => Practice.agrees(text, x === '-' ? -Infinity : x))",
        tmp_path,
    )
    assert [case for case, a, b in zip(cases, found, expected, strict=True) if a != b] == []
    assert {True, False} == set(expected)


@pytest.mark.usefixtures("qapp")
def test_answers_on_the_page_of_a_large_layer_belong_to_its_experiment(tmp_path: Path) -> None:
    sizes = {"n": 2, "d": 96, "h": 2, "k": 48, "v": 48}
    path, typed = tmp_path / "a.html", tmp_path / "typed.json"
    noise = np.random.default_rng(1).normal(size=(96, 96))
    document = make(sizes=sizes, output=True).with_(W_O=noise)
    heads = tuple(replace(head, W_Q=noise[:, :48]) for head in document.heads)
    document = document.with_(heads=heads)
    assert export_shown(document, "html", path, ExportOptions())
    assert '"sum_heads"' in path.read_text(encoding="utf-8"), "too large for its weights"
    shares = np.full((2, 2, 96), "0.5").tolist()  # values times W_O: the experiment has none
    values: dict[str, Any] = {
        "scores": [[["0.5", None], [None, None]], [["1/8", None], [None, None]]]
    }
    answers = {"format": "self-attention-answers", "version": 1, "experiment": "0" * 64}
    typed.write_text(json.dumps(answers | {"values": values | {"heads": shares}}), encoding="utf-8")
    with running(tmp_path / "profile") as page:
        page.open(path)
        page.click("#more")
        page.choose_file("#menu section:last-of-type > button", typed, 2)
        page.wait("attentionStepper.answers().includes('1/8')")
        text = page.ask("attentionStepper.answers()")
        file = loads_answers(text.encode())
        assert file.experiment == experiment_id(document)
        assert json.loads(text)["values"] == values
        assert set(entries_from(document, file)) == {"scores"}
        page.ask("attentionStepper.set('scores', 0, 0, 0, 1)")
        assert page.ask("attentionStepper.answers()") == text, "a held number changes no given one"
        page.ask("attentionStepper.set('Q', 0, 0, 0, 9)")
        changed = json.loads(page.ask("attentionStepper.answers()"))
        assert changed["experiment"] != file.experiment
        page.ask("attentionStepper.reset()")
        assert json.loads(page.ask("attentionStepper.answers()"))["experiment"] == file.experiment
