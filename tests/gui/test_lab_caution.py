"""The lab of caution in the window: numbers of the core in every view, rows and heads by a click, words that agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF

from core.base.number_format import show
from core.document.document import Document
from core.document.edits import with_head_enabled, with_tensor
from core.labs.caution import LAB, VIEWS
from core.storage.examples import load_example
from gui.labs.caution import EXHIBIT
from gui.labs.exhibit import LabAppearance
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


def notice(document: Document | None = None, /, **values: object) -> str:
    return EXHIBIT.notice(shown_of(LAB, LAB.start(document, values)))


@pytest.mark.parametrize("share", [-1.0, 0.0, 0.6])
def test_both_weights_their_difference_and_the_outputs_are_the_cores(share: float) -> None:
    shown = shown_of(
        LAB, LAB.start(values={"share": share, "head": "1"}), LabAppearance(decimals=3)
    )
    pair, texts = shown.result.twin, texts_of(EXHIBIT, shown)
    for matrix in (pair.A, pair.B, pair.D, pair.outputs, pair.twins, pair.V):
        assert holds_in_order(texts, [show(float(value), 3) for value in matrix.flat])
    for number in (pair.moved, pair.gap):
        assert measured(number, 3) in "".join(texts)


@pytest.mark.parametrize("document", [None, make(3, output=True, biases=True)])
def test_weights_lengths_and_shares_are_the_cores(document: Document | None) -> None:
    shown = shown_of(LAB, LAB.start(document, {"view": "norms", "token": "3"}))
    flows, texts = shown.result.contributions, texts_of(EXHIBIT, shown)
    for numbers in (flows.A.flat, flows.share.flat, flows.lengths, flows.A[3], flows.share[3]):
        assert holds_in_order(texts, [show(float(value), 2) for value in numbers])


@pytest.mark.parametrize("layers", [1, 2, 6])
def test_weights_of_a_layer_and_the_rollout_are_the_cores(layers: int) -> None:
    shown = shown_of(LAB, LAB.start(values={"view": "rollout", "layers": layers, "token": "2"}))
    rolled, texts = shown.result.rollout, texts_of(EXHIBIT, shown)
    for numbers in (
        rolled.layers[-1].flat,
        rolled.flow[-1].flat,
        rolled.layers[-1][2],
        rolled.flow[-1][2],
    ):
        assert holds_in_order(texts, [show(float(value), 2) for value in numbers])
    assert f"Weights of layer {layers}, heads averaged" in "".join(texts)


@pytest.mark.parametrize("document", [None, load_example("eight-heads")])
def test_entropies_and_weights_are_the_cores(document: Document | None) -> None:
    shown = shown_of(LAB, LAB.start(document, {"view": "entropy", "head": "1"}))
    spread, texts = shown.result.entropies, texts_of(EXHIBIT, shown)
    assert holds_in_order(texts, [show(float(mean), 2) for mean in spread.means])
    assert holds_in_order(texts, [show(float(value), 2) for value in spread.A[1].flat])
    assert show(float(spread.most.max()), 2) in "".join(texts)


def test_notices_tell_the_numbers() -> None:
    assert (
        "“ate” now takes 0.69 of “ate” instead of 0.07, and 0.05 of “Ming” instead of 0.41"
        in notice()
    )
    assert notice(share=0.0) == "A and B are still the same. Move the slider."
    assert notice(make(1)).startswith("Too few tokens")
    assert notice(view="norms").startswith("“ate” gives “.” the weight 0.79, and yet only 0.10")
    assert "the largest weight, 0.46" in notice(view="norms", head="0", token="4")
    assert notice(view="rollout").startswith("In layer 2 “ate” looks most at “apple”")
    assert notice(make(4, source="qkv"), view="rollout").startswith(
        "Nothing here feeds a next layer"
    )
    assert notice(view="entropy").startswith(
        "Most decided: Head 2, 0.97 nats; least: Head 1, 1.45;"
    )


def test_a_click_looks_at_a_row_or_a_head() -> None:
    for view in VIEWS:
        setting = LAB.start(values={"view": view})
        spots = {spot.id: spot for spot in EXHIBIT.spots(ROOM, shown_of(LAB, setting))}
        chosen = LAB.with_value(setting, spots["row 4"].control, spots["row 4"].value)
        assert LAB.compute(chosen).token == 4
    spots = {spot.id: spot for spot in EXHIBIT.spots(ROOM, shown_of(LAB, setting))}
    chosen = LAB.with_value(setting, spots["head 1"].control, spots["head 1"].value)
    assert LAB.compute(chosen).head == 1


def test_the_lesson_says_what_the_lab_measures() -> None:
    def told(numbers: Any) -> list[str]:
        return [show(float(number), 2) for number in numbers]

    first, second, third, fourth, fifth, sixth, last = lesson_results(LAB)
    assert (last.twin.B > 0.0).all()
    assert told(first.twin.A[1, [0, 3]]) == ["0.41", "0.42"]
    assert told([second.twin.B[1, 1]]) == ["0.69"]
    assert set(second.twin.free) == {2.0}
    flows = third.contributions
    assert told([flows.A[:, 4].min(), flows.A[:, 4].max()]) == ["0.53", "0.80"]
    assert told([flows.share[:, 4].max(), flows.lengths[4]]) == ["0.11", "0.03"]
    assert (fourth.rollout.layers[1][1].argmax(), fourth.rollout.flow[1][1].argmax()) == (3, 1)
    spread = [
        result.rollout.flow[-1].max(axis=0) - result.rollout.flow[-1].min(axis=0)
        for result in (fourth, fifth)
    ]
    assert spread[1].max() < 0.1 < spread[0].max()
    assert told(sixth.entropies.means) == ["1.45", "0.97"]
    assert told(sixth.entropies.most[:1]) == ["1.61"]


def test_ties_are_named_and_a_head_that_is_off_says_so() -> None:
    alike = load_example("apple-released-iphone")

    def notice(document: Document, **values: object) -> str:
        return EXHIBIT.notice(shown_of(LAB, LAB.start(document, values)))

    assert notice(alike, view="norms", head="1", token="2").startswith(
        "“了” gives all tokens the same weight, 0.20, and yet "
    )
    same = with_tensor(
        with_tensor(with_tensor(alike, "W_Q", _zeros(alike), 0), "W_Q", _zeros(alike), 1),
        "W_Q",
        _zeros(alike),
        2,
    )
    assert notice(same, view="entropy").startswith(
        "All heads have the same mean entropy, 1.61 nats;"
    )
    off = with_head_enabled(alike, 1, False)
    ends = "Head 2: meaning is off: in the concatenation it counts as 0."
    assert notice(off, view="norms", head="1").endswith(ends)
    assert notice(off, view="norms", head="0").count("is off") == 0


def _zeros(document: Document) -> np.ndarray:
    return np.zeros((document.d, document.k))
