"""The lab of groups: every number is the core's, plates join the heads of a group, words follow what happens."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QRectF, Qt
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.labs.groups import LAB
from core.storage.examples import load_example
from gui.labs.exhibit import LabAppearance
from gui.labs.groups import EXHIBIT, groups_layout
from tests.core.documents import make
from tests.gui.lab_pictures import SIZES, holds_in_order, lesson_results, shown_of, texts_of
from tests.gui.labs_kit import lab_window

pytestmark = pytest.mark.usefixtures("qapp")


def noticed(**values: object) -> str:
    return EXHIBIT.notice(shown_of(LAB, LAB.start(values=values)))


@pytest.mark.parametrize("groups", ["8", "4", "2", "1"])
@pytest.mark.parametrize("decimals", [1, 2])
def test_every_number_is_the_cores(groups: str, decimals: int) -> None:
    look = LabAppearance(decimals=decimals)
    shown = shown_of(LAB, LAB.start(values={"groups": groups}), look)
    result, texts = shown.result, texts_of(EXHIBIT, shown)
    size = 8 // int(groups)
    for stage, heads in (("Q", range(8)), ("K", range(0, 8, size)), ("heads", range(8))):
        for head in heads:
            numbers = result.shared[stage][head].ravel()
            assert holds_in_order(texts, [show(float(number), decimals) for number in numbers])
    for change in result.changes:
        assert show(float(change), decimals) in texts
    for option in result.options:
        assert str(option.cached) in texts
        assert show(option.change, decimals) in texts


def test_as_many_matrices_of_keys_as_there_are_groups() -> None:
    for groups in (8, 2):
        shown = shown_of(LAB, LAB.start(values={"groups": str(groups)}))
        texts = "".join(texts_of(EXHIBIT, shown)).replace(" ", "")
        assert texts.count(f"{groups}heads") == {8: 4, 2: 2}[groups]
        hidden = show(float(shown.result.own["K"][1, 0, 0]), 2)
        assert (hidden in texts) == (groups == 8)


@pytest.mark.parametrize("size", [*SIZES, (742, 340)])
def test_matrices_and_charts_lie_apart_and_inside(size: tuple[int, int]) -> None:
    room = QRectF(0, 0, *size)
    for document in (
        None,
        load_example("eight-heads"),
        make(3, sizes={"n": 9, "d": 4, "h": 3, "k": 2, "v": 7}),
    ):
        where = groups_layout(room, shown_of(LAB, LAB.start(document)))
        rows = list(where.rows.values())
        assert all(room.contains(row) for row in rows)
        assert all(one.bottom() < other.top() for one, other in pairwise(rows))
        for chart in filter(None, (where.cache, where.change)):
            assert room.contains(chart.rect)
            assert rows[-1].bottom() < chart.rect.top()
        assert where.cache is not None or size[1] <= 480


def test_a_click_on_a_bar_chooses_the_groups(qtbot: QtBot) -> None:
    with lab_window("groups") as window:
        spot = next(spot for spot in window.picture.spots if spot.value == "1")
        assert spot.name == "1 · MQA: 4 numbers per token, change 0.79"
        at = (spot.area.center() * window.picture._unit).toPoint()
        qtbot.mouseClick(window.picture, Qt.MouseButton.LeftButton, pos=at)
        assert window.session.state.setting["groups"] == "1"
        assert "8 query heads share" in window.notice.text()


def test_words_follow_what_happens() -> None:
    assert noticed(groups="8") == (
        "Each of 8 heads has keys and values of its own: 32 numbers per token in the cache of this layer."
    )
    assert noticed() == (
        "4 query heads share each head of keys and values: 8 instead of 32 numbers per token. "
        "The output changes by 65% of its norm."
    )
    assert noticed(alike=1.0).endswith("had the same ones before, so the output stays.")


def test_an_experiment_of_the_user_brings_its_own_heads() -> None:
    setting = LAB.start(load_example("apple-released-iphone"))
    (groups, how) = LAB.controls(setting)
    assert [EXHIBIT.option("groups", name, setting) for name in groups.options] == [
        "3 · MHA",
        "1 · MQA",
    ]
    assert how.id == "how"
    assert EXHIBIT.origin(LAB, setting) == ""
    assert "drawn at random" in EXHIBIT.origin(LAB, LAB.start())


def test_the_lesson_shows_the_lab_as_it_says() -> None:
    many, one, two, four, equal, first = lesson_results(LAB)
    assert (many.now.cached, one.now.cached, two.now.cached) == (32, 4, 8)
    assert (four.now.change, one.now.change) == (
        pytest.approx(0.48, abs=0.005),
        pytest.approx(0.79, abs=0.005),
    )
    assert equal.now.change < 1e-12
    assert equal.now.cached == 4
    assert first.changes[[0, 4]].tolist() == [0.0, 0.0]
    assert (first.now.change, two.now.change) == (
        pytest.approx(0.77, abs=0.005),
        pytest.approx(0.65, abs=0.005),
    )
    per_token = 80 * 8 * 2 * 128 * 2  # layers, heads, K and V, width, bytes
    assert (per_token, per_token * 8) == (320 * 2**10, 2.5 * 2**20)
