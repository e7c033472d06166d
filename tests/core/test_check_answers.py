"""What a learner writes: digits, expressions, blanks; entries that fit and entries that do not."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.errors import UserError
from core.check.answers import (
    NO_ENTRIES,
    fitting_entries,
    parse_answer,
    stated_arrays,
    with_answers,
    without_stage,
)
from core.check.marking import check
from core.compute.trace import run
from core.document.resize import with_tokens_removed
from tests.gui.tables_kit import H, N, make_document


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        ("0.50", 0.5, 2),
        ("−2", -2.0, 0),
        ("0,75", 0.75, 2),
        ("1/3", 1 / 3, None),
        ("sqrt(2)/2", 2**0.5 / 2, None),
        ("0.5/1.41", 0.5 / 1.41, 2),
        ("0.40+0.1", 0.5, 2),
        ("49.7%", 0.497, 3),
        ("32 %", 0.32, 2),
        ("40,1 %", 0.401, 3),
        (r"-\infty", -np.inf, None),
        ("-inf", -np.inf, None),
    ],
)
def test_the_value_and_the_digits(text: str, value: float, decimals: int | None) -> None:
    found = parse_answer(text)
    assert found is not None
    assert found.text == text
    assert found.number.value == pytest.approx(value, rel=1e-15)
    assert found.number.decimals == decimals


def test_a_blank_states_nothing() -> None:
    assert parse_answer("  ") is None


@pytest.mark.parametrize("text", ["two", "1/0", "import os"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        parse_answer(text)


def test_entries_are_never_changed_in_place() -> None:
    one = with_answers(NO_ENTRIES, "scores", {(0, 1, 2): parse_answer("1")})
    two = with_answers(one, "scores", {(0, 1, 2): parse_answer("2"), (2, 0, 0): parse_answer("3")})
    assert one["scores"][0, 1, 2].text == "1"
    assert {index: number.text for index, number in two["scores"].items()} == {
        (0, 1, 2): "2",
        (2, 0, 0): "3",
    }
    assert with_answers(two, "scores", {(0, 1, 2): parse_answer("2")}) is two
    wiped = with_answers(two, "scores", {(0, 1, 2): None, (2, 0, 0): None})
    assert "scores" not in wiped
    assert "scores" not in without_stage(two, "scores")
    assert without_stage(wiped, "scores") is wiped


def test_entries_beyond_the_experiment_wait_outside() -> None:
    document = make_document()
    entries = with_answers(
        NO_ENTRIES, "scores", {(0, 4, 4): parse_answer("1"), (2, 0, 1): parse_answer("2")}
    )
    smaller = with_tokens_removed(document, [1])
    assert set(fitting_entries(smaller, entries)["scores"]) == {(2, 0, 1)}
    assert "masked" not in fitting_entries(
        document, with_answers(entries, "masked", {(0, 0, 0): parse_answer("1")})
    )


def test_sheets_are_marked_to_the_digits_written() -> None:
    document = make_document()
    truth = run(document)["scores"][1, 4, 2]
    entries = with_answers(
        NO_ENTRIES,
        "scores",
        {(1, 4, 2): parse_answer(f"{truth:.2f}"), (2, 0, 0): parse_answer("99")},
    )
    sheet = stated_arrays(document, entries)["scores"]
    assert sheet.shape == (H, N, N)
    assert sum(number is not None for number in sheet.flat) == 2
    marks = {mark.index: mark.verdict for mark in check(document, {"scores": sheet}).marks}
    assert marks == {(1, 4, 2): "right", (2, 0, 0): "wrong"}
