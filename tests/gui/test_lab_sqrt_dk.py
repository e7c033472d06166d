"""The lab of √d_k in the window: every number is the core's, both sides share one axis, words follow d_k."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF

from core.base.number_format import show
from core.labs.sqrt_dk import CURVES, LAB, weights_of
from core.lesson.lesson import lesson_path, load
from gui.labs.exhibit import LabAppearance
from gui.labs.sqrt_dk import EXHIBIT, sqrt_dk_layout
from gui.labs.wording import measured
from tests.gui.lab_pictures import SIZES, holds_in_order, lesson_results, shown_of, texts_of

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ({}, 2),
        ({"d_k": 1024, "keys": 5}, 3),
        ({"d_k": 1, "keys": 2}, 4),
        ({"d_k": 7, "keys": 3, "seed": 9}, 0),
    ],
)
def test_every_number_is_the_cores(values: dict[str, object], decimals: int) -> None:
    shown = shown_of(LAB, LAB.start(values=values), LabAppearance(decimals=decimals))
    texts = texts_of(EXHIBIT, shown)
    for row in shown.result.row:
        assert holds_in_order(texts, [show(float(weight), decimals) for weight in row])
    joined = "".join(texts)
    for before, after in (
        shown.result.sigmas,
        *(map(float, shown.result.measures[name]) for name in CURVES),
    ):
        assert f"{measured(before, decimals)} → {measured(after, decimals)}".replace(
            " ", ""
        ) in joined.replace(" ", "")


def test_theory_is_named_with_its_variance_and_both_histograms_share_their_axis() -> None:
    texts = texts_of(EXHIBIT, shown_of(LAB, LAB.start(values={"d_k": 100})))
    joined = "".join(texts).replace(" ", "")
    assert "theoryforlargedk:N(0,100)" in joined
    assert "theoryforlargedk:N(0,1)" in joined
    assert texts.count("−40") == texts.count("40") == 2  # on both axes


def test_many_keys_have_no_numbers_but_names_that_stand_apart() -> None:
    texts = texts_of(EXHIBIT, shown_of(LAB, LAB.start(values={"keys": 64})), (700, 480))
    assert texts.count("0.00") <= 1  # of an axis alone
    assert "61" in texts
    assert "2" not in texts


@pytest.mark.parametrize("size", SIZES)
def test_the_charts_lie_apart_in_every_room(size: tuple[int, int]) -> None:
    where = sqrt_dk_layout(QRectF(0, 0, *size))
    areas = [*where.charts, where.facts]
    assert all(QRectF(0, 0, *size).contains(area) for area in areas)
    assert not any(a.intersects(b) for index, a in enumerate(areas) for b in areas[:index])


def test_words_follow_the_size_of_the_vectors() -> None:
    def said(**values: object) -> tuple[str, str]:
        shown = shown_of(LAB, LAB.start(values=values))
        return EXHIBIT.notice(shown), EXHIBIT.attempt(shown)

    result = shown_of(LAB, LAB.start()).result
    assert f"σ = {show(result.sigmas[0], 2)} (theory: √dₖ = 8.00)" in said()[0]
    assert f"after the division {show(result.sigmas[1], 2)}" in said()[0]
    assert "the divisor is 1" in said(d_k=1)[0]
    assert said(d_k=1)[0].endswith("the curve holds for large dₖ.")
    assert "not bell-shaped" in said(d_k=1)[1]
    assert "up to 1024" in said(d_k=5)[1]
    assert "64 keys" in said()[1]
    assert "down to 1" in said(keys=64)[1]


def test_the_lesson_says_what_the_lab_measures() -> None:
    results = lesson_results(LAB)
    assert len(results) == 6
    assert results[0].sigmas[0] == pytest.approx(2.0, rel=0.15)
    assert results[1].sigmas[0] == pytest.approx(8.0, rel=0.1)
    assert results[2].row[0].max() > 0.99
    assert results[4].measures["entropy"][1] > 3.5
    assert results[4].measures["largest"][0] > 0.85


@pytest.mark.parametrize("d_k", [2, 16, 64, 1024])
@pytest.mark.parametrize("keys", [2, 8, 64])
def test_the_notice_counts_the_rows_without_a_gradient(d_k: int, keys: int) -> None:
    shown = shown_of(LAB, LAB.start(values={"d_k": d_k, "keys": keys}))
    raw, scaled = shown.result.flat_rows
    rows = 1000 // keys
    assert f"{raw} of {rows} without scaling, {scaled} of {rows} with it" in EXHIBIT.notice(shown)


def test_numbers_of_the_lesson_are_those_of_the_lab() -> None:
    results = lesson_results(LAB)
    lesson = load(lesson_path("lab-sqrt-dk"))
    rows = [len(result.products) for result in results]
    for language, text in (
        ("en", "{} of {} rows without scaling and none"),
        ("zh_CN", "不缩放有 {} 行（共 {} 行），缩放后一行也没有"),
    ):
        said = [scene.say.get(language) for scene in lesson.scenes]
        assert text.format(results[3].flat_rows[0], rows[3]) in said[3]
        assert str(results[2].flat_rows[0]) in said[3]
        assert f"{results[4].measures['entropy'][1]:.1f}" in said[4]
    assert results[3].flat_rows[1] == 0
    assert rows[2] == rows[3]
    assert np.ptp(results[2].products) > 100.0
    for place in (1, 4):  # in most rows one key takes nearly everything
        assert np.median(weights_of(results[place].products).max(axis=-1)) > 0.9


def test_dividing_by_the_width_is_named_everywhere() -> None:
    shown = shown_of(LAB, LAB.start(values={"d_k": 64, "divisor": "d_k"}))
    joined = "".join(texts_of(EXHIBIT, shown)).replace(" ", "")
    assert "Dividedbydk" in joined
    assert "theoryforlargedk:N(0,0.016)" in joined
    assert "√" not in joined
    assert "divided by d_k" in EXHIBIT.spoken(shown)


def test_numbers_below_say_what_they_are_and_of_how_many_rows() -> None:
    texts = texts_of(EXHIBIT, shown_of(LAB, LAB.start(values={"keys": 8, "samples": "500"})))
    assert "Rowswith‖∂α/∂q‖<0.01" in "".join(texts).replace(" ", "")
    assert {
        "Mean largest weight",
        "Mean entropy of a row",
        "Rows",
        "62",
    } <= set(texts)
