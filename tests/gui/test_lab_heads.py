"""The lab of heads in the window: numbers of the core, heads switched by a click, the sum and the parameters."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QRectF

from core.base.number_format import show
from core.document.document import Document
from core.document.edits import with_tensor
from core.labs.heads import LAB
from core.storage.examples import load_example
from gui.labs.exhibit import LabAppearance
from gui.labs.heads import EXHIBIT
from gui.labs.wording import measured
from tests.core.documents import make
from tests.gui.lab_pictures import (
    holds_in_order,
    lesson_results,
    shown_of,
    texts_of,
)

pytestmark = pytest.mark.usefixtures("qapp")
ROOM = QRectF(0, 0, 1400, 900)


@pytest.mark.parametrize("off", [(), (2,), (1, 3)])
def test_weights_output_and_losses_are_the_cores(off: tuple[int, ...]) -> None:
    setting = LAB.start(make(3, output=True), {f"head-{head}": False for head in off})
    shown = shown_of(LAB, setting, LabAppearance(decimals=3))
    split, texts = shown.result.split, texts_of(EXHIBIT, shown)
    for matrix in (*split.A, split.Y):
        assert holds_in_order(texts, [show(float(value), 3) for value in matrix.flat])
    rows = [[*split.without[:, row], split.lost[row]] for row in range(5)]
    assert holds_in_order(texts, [show(float(value), 3) for row in rows for value in row])


def test_the_lines_of_the_sum_are_the_cores() -> None:
    shown = shown_of(LAB, LAB.start(make(4, output=True, biases=True), {"view": "blocks"}))
    split, texts = shown.result.split, texts_of(EXHIBIT, shown)
    for matrix in (*split.mixed, *split.blocks, *split.parts, split.total, split.document.b_O):
        assert holds_in_order(texts, [show(float(value), 2) for value in matrix.flat])
    assert measured(split.error, 2) in "".join(texts)


@pytest.mark.parametrize(
    "document", [make(5, output=True, biases=True), load_example("eight-heads")]
)
def test_parameters_are_counted_and_both_sums_are_the_same(document: Document) -> None:
    texts = texts_of(EXHIBIT, shown_of(LAB, LAB.start(document, {"view": "one"})))
    products = [re.fullmatch(r"([\d× ]+) = (\d+)", text) for text in texts]
    numbers = [int(found[2]) for found in products if found]
    for found in filter(None, products):
        factors = [int(factor) for factor in found[1].split("×")]
        result = 1
        for factor in factors:
            result *= factor
        assert result == int(found[2])
    many, one = numbers[0::2], numbers[1::2]
    assert many == one
    assert texts.count(str(sum(many))) == 2


def test_a_click_switches_a_head_and_another_one_back() -> None:
    for view in ("off", "blocks"):
        setting = LAB.start(values={"view": view})
        for expected in (False, True):
            spot = EXHIBIT.spots(ROOM, shown_of(LAB, setting))[1]
            assert spot.value is not None
            setting = LAB.with_value(setting, spot.control, spot.value)
            assert setting["head-2"] is expected


def test_a_click_chooses_a_row() -> None:
    setting = LAB.start(values={"view": "one"})
    spots = EXHIBIT.spots(ROOM, shown_of(LAB, setting))
    assert len(spots) == 5
    chosen = LAB.with_value(setting, spots[3].control, spots[3].value)
    assert LAB.compute(chosen).token == 3
    assert EXHIBIT.notice(shown_of(LAB, chosen)).startswith("“new”")


def test_notices_tell_the_numbers() -> None:
    def notice(document: Document | None = None, /, **values: object) -> str:
        return EXHIBIT.notice(shown_of(LAB, LAB.start(document, values)))

    assert notice() == (
        "All heads are on. In this example Y would change most without “Head 2: meaning”, "
        "in the row of “Apple”, “released” and “new”: ‖ΔY‖ = 1.14."
    )
    lost = "Of all rows of Y that of “Apple”, “released” and “new” changes most: ‖ΔY‖ = 1.14."
    assert notice(None, **{"head-2": False}) == f"Heads off: 1 of 3. {lost}"
    assert notice(view="blocks").startswith(
        "What the heads that are on contribute adds up to Y: the difference is at most "
    )
    off: dict[str, object] = {f"head-{head}": False for head in (1, 2, 3)}
    assert notice(view="blocks", **off) == "All heads are off: there is nothing to add up."
    assert notice(view="one") == (
        "“Apple” looks most, head by head, at: “released”, 0.81; “iPhone”, 0.81; “Apple”, 0.81. "
        "The single head, with as many parameters: “Apple”, “released” and “iPhone”, 0.29."
    )
    assert "at: “released”, 0.81; all equally, 0.20; all equally, 0.20. The" in notice(
        view="one", token="2"
    )
    assert notice(load_example("eight-heads"), view="one").startswith(
        "8 heads look from “The” at 4"
    )


def test_a_head_that_brings_nothing_loses_nothing() -> None:
    document = load_example("apple-released-iphone")
    for head in range(3):
        document = with_tensor(document, "W_V", np.zeros((document.d, document.v)), head)
    for values, said in (
        ({}, "could be switched off without changing Y."),
        ({"head-1": False}, "No row of Y has changed."),
    ):
        assert EXHIBIT.notice(shown_of(LAB, LAB.start(document, values))).endswith(said)


def test_tokens_to_choose_have_their_names() -> None:
    setting = LAB.start(values={"view": "one"})
    assert EXHIBIT.option("token", "4", setting) == "iPhone"


def test_the_lesson_says_what_the_lab_measures() -> None:
    results = lesson_results(LAB)
    split = results[0].split
    assert [show(float(weight), 2) for weight in split.A[:, 0].max(axis=1)] == ["0.81"] * 3
    assert [show(float(loss), 2) for loss in results[1].split.lost] == [
        "1.14",
        "1.14",
        "0.28",
        "1.14",
        "0.04",
    ]
    assert not results[1].split.Y[:, 0].any()
    assert results[2].split.error == 0.0
    assert sorted(show(float(weight), 2) for weight in results[4].single.A[0])[2:] == ["0.29"] * 3
    assert sum(count.numbers for count in results[4].single.one_counts) == 144
    assert show(float(results[5].single.A[3].max()), 2) == "0.94"
