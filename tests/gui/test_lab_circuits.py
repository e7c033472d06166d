"""The lab of circuits: every number is the core's, factors stand beside their product, words follow."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.labs.circuits import LAB
from core.storage.examples import load_example
from gui.labs.circuits import EXHIBIT
from gui.labs.circuits_picture import circuits_layout
from tests.core.documents import make
from tests.core.stacks import make_stack
from tests.gui.lab_pictures import SIZES, holds_in_order, lesson_results, shown_of, texts_of
from tests.gui.labs_kit import lab_window

pytestmark = pytest.mark.usefixtures("qapp")


def noticed(**values: object) -> str:
    return EXHIBIT.notice(shown_of(LAB, LAB.start(values=values)))


@pytest.mark.parametrize("values", [{}, {"angle": 40}, {"cut": 2, "cut_ov": 1}])
def test_every_number_is_the_cores(values: dict[str, object]) -> None:
    shown = shown_of(LAB, LAB.start(values=values))
    texts = texts_of(EXHIBIT, shown)
    for circuit in (shown.result.qk, shown.result.ov):
        for numbers in (circuit.left, circuit.above, circuit.table):
            assert holds_in_order(texts, [show(float(number), 2) for number in numbers.ravel()])
        for place, value in enumerate(circuit.values):
            text = show(float(value), 2)
            assert (text if place < circuit.kept else f"{text} cut") in texts


@pytest.mark.parametrize("size", [*SIZES, (742, 340)])
def test_factors_stand_beside_and_above_their_product(size: tuple[int, int]) -> None:
    room = QRectF(0, 0, *size)
    for document in (
        None,
        load_example("block-by-hand"),
        make(3, sizes={"n": 8, "d": 9, "h": 1, "k": 8, "v": 5}, output=True),
        make_stack(4, layers=2),
    ):
        where = circuits_layout(room, shown_of(LAB, LAB.start(document)))
        for table in where.tables:
            assert all(room.contains(rect) for rect in (table.left, table.above, table.table))
            assert table.left.top() == table.table.top()
            assert table.left.bottom() == table.table.bottom()
            assert table.left.right() < table.table.left() == table.above.left()
            assert table.above.bottom() < table.table.top()
            assert table.table.bottom() <= where.note.top() + 1e-6
            if table.chart is not None:
                assert room.contains(table.chart.rect)
                assert table.table.bottom() < table.chart.rect.top()
        assert where.tables[0].table.right() < where.tables[1].left.left()


def test_a_click_on_a_singular_value_cuts_the_smaller_ones(qtbot: QtBot) -> None:
    with lab_window("circuits") as window:
        spot = next(spot for spot in window.picture.spots if spot.id == "cut 2")
        assert spot.name.startswith("Singular value 2 of W_Q W_Kᵀ: 0.35")
        at = (spot.area.center() * window.picture._unit).toPoint()
        qtbot.mouseClick(window.picture, Qt.MouseButton.LeftButton, pos=at)
        assert window.session.state.setting["cut"] == 1
        assert "keeps 2 of 3 singular values" in window.notice.text()


def test_words_follow_what_happens() -> None:
    assert noticed() == (
        "“eats” looks most for “cat” and “fish”: 3.00. "
        "Where “cat” is attended to, it adds 2.00 to the logit of “cat”."
    )
    assert noticed(angle=40).startswith("The factors have other numbers now")
    assert noticed(cut=1, cut_ov=2) == (
        "W_Q W_Kᵀ keeps 2 of 3 singular values and loses 37% of its norm. "
        "W_V W_O keeps 1 of 3 singular values and loses 64% of its norm. "
        "A weight changes by up to 0.45, the output by 33% of its norm."
    )
    shown = shown_of(LAB, LAB.start(make(3, sizes={"n": 3, "d": 4, "h": 2, "k": 2, "v": 2})))
    assert "of Y." in EXHIBIT.notice(shown)


def test_heads_are_those_of_the_layer() -> None:
    setting = LAB.start(make_stack(4, layers=2), {"layer": "2"})
    controls = {control.id: control for control in LAB.controls(setting)}
    heads = setting.experiment.layers[1].heads
    assert controls["head"].options == tuple(map(str, range(len(heads))))
    assert EXHIBIT.option("head", "1", setting).startswith("Head 2")


def test_the_lesson_shows_the_lab_as_it_says() -> None:
    looks, says, turned, two, one, less = lesson_results(LAB)
    assert looks.qk.table[[1, 2, 2, 3, 4], [0, 1, 3, 0, 2]].tolist() == [2.0, 3.0, 3.0, 2.0, 2.0]
    assert says.ov.table[[1, 3, 2, 2, 0], [1, 3, 4, 3, 1]].tolist() == [2.0, 1.5, 1.0, 0.5, 1.0]
    assert turned.score_change < 1e-14
    assert turned.change < 1e-14
    assert [show(float(value), 2) for value in two.qk.values] == ["0.53", "0.35", "0.25"]
    assert abs(two.qk.table - looks.qk.table).round(12).nonzero() == ([4], [2])
    assert one.qk.error == pytest.approx(0.63, abs=0.005)
    assert one.qk.table[2, 1] == pytest.approx(3.0)
    assert less.weight_change == 0.0
    assert less.change > 0.1
    assert less.ov.table[1, 1] == pytest.approx(2.0)
    assert abs(less.ov.table[:, [0, 2, 3, 4]]).max() < 1e-12
