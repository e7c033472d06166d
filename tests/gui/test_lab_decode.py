"""The lab of decoding in the window: every number is the core's, tokens can be chosen, words follow what happens."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QRectF

from core.base.number_format import show
from core.document.edits import with_head_enabled
from core.labs.controls import Clock
from core.labs.decode import LAB
from core.storage.examples import load_example
from gui.labs.decode import CACHED, EXHIBIT, NAMES, decode_layout, matrix_of
from gui.labs.exhibit import LabAppearance
from gui.labs.wording import counted, measured
from tests.core.documents import make
from tests.gui.lab_pictures import (
    SIZES,
    holds_in_order,
    lesson_results,
    shown_of,
    texts_of,
)
from tests.gui.svg_kit import sized_texts, svg_of

pytestmark = pytest.mark.usefixtures("qapp")
ROOM = QRectF(0, 0, 1400, 900)


@pytest.mark.parametrize("values", [{"step": 0}, {}, {"step": 6}, {"step": 4, "cache": False}])
@pytest.mark.parametrize("decimals", [1, 2])
def test_every_number_is_the_cores(values: dict[str, object], decimals: int) -> None:
    shown = shown_of(LAB, LAB.start(values=values), LabAppearance(decimals=decimals))
    result, texts = shown.result, texts_of(EXHIBIT, shown)
    m = result.step + 1
    for stage in NAMES:
        rows = result.full.matrix(stage)[:m]
        if stage == "weights":
            assert all(
                holds_in_order(texts, [show(float(value), decimals) for value in row])
                for row in rows
            )
        else:
            assert holds_in_order(texts, [show(float(value), decimals) for value in rows.flat])
    joined = "".join(texts)
    for counts in (result.cached, result.again):
        assert counted(counts[m - 1]) in joined
        assert counted(sum(counts[:m])) in joined
    assert f"{result.numbers}numbers,{result.bytes}bytes" in joined.replace(" ", "")
    assert measured(result.difference, decimals) in joined


def test_numbers_to_come_are_not_written() -> None:
    early, late = (shown_of(LAB, LAB.start(values={"step": step})) for step in (1, 6))
    number = show(float(late.result.full["V"][0, 6, 2]), 2)
    assert number not in texts_of(EXHIBIT, early)
    assert number in texts_of(EXHIBIT, late)


def test_the_matrices_shown_are_the_cache_and_the_newest_row() -> None:
    document = make(80, positional="rotary", output=True, biases=True)
    shown = shown_of(LAB, LAB.start(document, {"step": 3, "head": "2"}))
    for name in CACHED:
        np.testing.assert_array_equal(matrix_of(shown, name), shown.result.kept(name)[2])
    weights = shown.result.row("weights")[2, 0]
    np.testing.assert_array_equal(matrix_of(shown, "weights")[3, :4], weights)
    assert not matrix_of(shown, "weights")[3, 4:].any()
    np.testing.assert_array_equal(matrix_of(shown, "Q")[3], shown.result.row("Q")[2, 0])


@pytest.mark.parametrize("size", SIZES)
def test_all_matrices_have_the_same_rows_and_lie_apart(size: tuple[int, int]) -> None:
    for document in (None, load_example("eight-heads")):
        room = QRectF(0, 0, *size)
        where = decode_layout(room, shown_of(LAB, LAB.start(document)))
        rects = list(where.matrices.values())
        assert {(rect.top(), rect.bottom()) for rect in rects} == {
            (where.tokens.top(), where.tokens.bottom())
        }
        assert all(a.right() < b.left() for a, b in pairwise(rects))
        below = [rect for rect in (where.costs, where.chart) if not rect.isEmpty()]
        assert all(room.contains(rect) and rects[0].bottom() < rect.top() for rect in below)
        assert all(room.contains(rect) for rect in rects)
        assert len(below) == 2 or size[1] <= 480, "only a low room does without a part"


def test_a_click_makes_a_token_the_newest() -> None:
    setting = LAB.start()
    spots = EXHIBIT.spots(ROOM, shown_of(LAB, setting))
    assert [spot.value for spot in spots] == list(range(7))
    assert "63 multiply-adds with the cache, 441 without it" in spots[6].name
    assert LAB.compute(LAB.with_value(setting, spots[6].control, spots[6].value)).step == 6


def test_words_follow_what_happens() -> None:
    def said(**values: object) -> tuple[str, str]:
        shown = shown_of(LAB, LAB.start(values=values))
        return EXHIBIT.notice(shown), EXHIBIT.attempt(shown)

    assert said(step=6)[0] == (
        "With the cache “tea” costs 63 multiply-adds; without it 441, 7.0 times as many. The results differ by 0."
    )
    assert "nothing before it" in said(step=0)[0]
    assert "Without a cache" in said(cache=False)[0]
    assert "Switch the cache on again" in said(cache=False)[1]
    assert "no row of Q" in said(step=6)[1]


def test_the_lesson_shows_the_lab_as_it_says() -> None:
    results = lesson_results(LAB)
    assert [result.step for result in results] == [0, 3, 3, 6]
    last = results[-1]
    assert (last.cached[-1], last.again[-1], sum(last.cached), sum(last.again)) == (
        63,
        441,
        336,
        1484,
    )
    assert (last.numbers, last.difference) == (35, 0.0)


def test_the_clock_counts_tokens_as_the_chart_does() -> None:
    setting = LAB.start()
    clock = LAB.control(setting, "step")
    assert isinstance(clock, Clock)
    assert EXHIBIT.clock_text(clock, 3) == "4 of 7"
    texts = texts_of(
        EXHIBIT, shown_of(LAB, LAB.start(make(3, sizes={"n": 3, "d": 6, "k": 2, "v": 4, "h": 2})))
    )
    assert {"1", "2", "3"} <= set(texts)
    assert "1.5" not in texts


def test_the_head_that_is_seen_says_that_it_is_off() -> None:
    document = with_head_enabled(load_example("apple-released-iphone"), 2, False)
    said = {
        head: EXHIBIT.notice(shown_of(LAB, LAB.start(document, {"head": head})))
        for head in ("0", "2")
    }
    assert said["2"].endswith("Head 3: reference is off: in the concatenation it counts as 0.")
    assert "is off" not in said["0"]


@pytest.mark.parametrize("size", [(944, 537), (1400, 900)])
def test_numbers_of_all_matrices_are_equally_large(size: tuple[int, int]) -> None:
    shown = shown_of(LAB, LAB.start(), LabAppearance())
    written = sized_texts(svg_of(lambda painter, room: EXHIBIT.paint(painter, room, shown), size))
    numbers = {letters for text, letters in written if re.fullmatch(r"−?\d\.\d\d", text)}
    assert len(numbers) == 1
    assert min(numbers) >= 11.0
