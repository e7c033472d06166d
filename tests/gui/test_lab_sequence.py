"""The lab of sequences in the window: numbers of the core, the chain stepped, counts as they are."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF

from core.base.number_format import show
from core.labs.sequence import LAB, SequenceCost
from gui.labs.exhibit import LabAppearance, Spot
from gui.labs.sequence import EXHIBIT
from gui.labs.sequence_picture import sequence_layout
from gui.labs.wording import counted, measured
from gui.texts.labs import lab_claim
from tests.gui.lab_pictures import (
    SIZES,
    holds_in_order,
    lesson_results,
    shown_of,
    texts_of,
)

pytestmark = pytest.mark.usefixtures("qapp")
ROOM = QRectF(0, 0, 1400, 900)


def notice(**values: object) -> str:
    return EXHIBIT.notice(shown_of(LAB, LAB.start(values=values)))


@pytest.mark.parametrize("step", [0, 1, 3, 5])
def test_as_many_states_stand_as_tokens_are_read_and_all_outputs_at_once(step: int) -> None:
    shown = shown_of(
        LAB, LAB.start(values={"n": 5, "d": 3, "step": step}), LabAppearance(decimals=3)
    )
    nets = shown.result.nets
    texts = "".join(texts_of(EXHIBIT, shown))
    for token in range(5):
        column = [show(float(value), 3) for value in nets.rnn.H[token]]
        assert (all(number in texts for number in column)) is (token < step)
    assert holds_in_order([texts], [show(float(value), 3) for value in nets.Y.T.flat]) is (step > 0)


def test_what_is_felt_is_written() -> None:
    shown = shown_of(LAB, LAB.start(values={"view": "nudge", "n": 30}))
    nets, texts = shown.result.nets, texts_of(EXHIBIT, shown)
    for value in (
        nets.by_rnn.exact[-1],
        nets.by_lstm.exact[-1],
        nets.by_attention.exact[-1],
        nets.worst,
    ):
        assert holds_in_order(texts, [measured(float(value), 2)])
        assert measured(float(value), 2) in EXHIBIT.notice(shown) or value == nets.worst


def test_paths_are_written_and_only_where_there_is_a_way() -> None:
    texts = texts_of(EXHIBIT, shown_of(LAB, LAB.start(values={"view": "paths", "n": 4})))
    ones = texts.count("1")
    assert "4" in texts
    assert ones >= 16 + 4


@pytest.mark.parametrize(("n", "d"), [(12, 8), (512, 512), (100, 4096), (65536, 8192)])
def test_counts_are_written(n: int, d: int) -> None:
    shown = shown_of(LAB, LAB.start(values={"view": "cost", "n": n, "d": d}))
    cost, texts = SequenceCost(n, d), texts_of(EXHIBIT, shown)
    for count in (cost.recurrence, cost.pairs, cost.rnn, cost.attention):
        assert holds_in_order(texts, [counted(count)])
    said = EXHIBIT.notice(shown)
    assert counted(cost.pairs) in said
    assert ("less" in said) == (n < d)
    assert ("more" in said) == (n > d)


def test_the_chain_is_stepped_by_dragging_and_by_arrow_keys() -> None:
    setting = LAB.start(values={"n": 9, "step": 2})

    def held() -> Spot:
        return EXHIBIT.spots(ROOM, shown_of(LAB, setting))[0]

    where = sequence_layout(ROOM, shown_of(LAB, setting).result)
    drag = held().drag
    assert drag is not None
    assert [drag(QPointF(where.middle(token), 0)) for token in (0, 4, 8)] == [1, 5, 9]
    assert drag(QPointF(-50, 0)) == 0
    assert drag(QPointF(9000, 0)) == 9
    for expected in (3, 4, 5):
        drag = held().drag
        assert drag is not None
        setting = LAB.with_value(
            setting, "step", drag(held().area.center() + QPointF(held().nudge, 0))
        )
        assert setting["step"] == expected


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [2, 12, 48])
def test_from_before_the_first_token_a_key_reads_it(n: int, size: tuple[int, int]) -> None:
    shown = shown_of(LAB, LAB.start(values={"n": n, "step": 0}))
    spot = EXHIBIT.spots(QRectF(0, 0, *size), shown)[0]
    assert spot.drag is not None
    assert spot.drag(spot.area.center()) == 0
    assert spot.drag(spot.area.center() + QPointF(spot.nudge, 0)) == 1


def test_the_line_of_n_can_be_dragged() -> None:
    setting = LAB.start(values={"view": "cost", "n": 1000, "d": 64})
    spot = EXHIBIT.spots(ROOM, shown_of(LAB, setting))[0]
    assert spot.drag is not None
    assert spot.drag(spot.area.center()) == pytest.approx(1000, rel=0.01)
    right = spot.drag(spot.area.center() + QPointF(spot.nudge, 0))
    assert isinstance(right, int)
    assert right > 1000
    assert spot.drag(QPointF(-10, 0)) == 2
    assert spot.drag(QPointF(5000, 0)) == 65536


def test_notices() -> None:
    assert "need 12 steps" in notice(step=0)
    assert "knows 7 of 12" in notice(step=7)
    assert "48 times" in notice(view="paths", n=48)
    assert "both need 512 multiply-adds" in notice(view="cost", n=8)


def test_the_lesson_says_what_the_lab_measures() -> None:
    results = lesson_results(LAB)
    assert [result.step for result in results[:3]] == [0, 1, 12]
    assert results[3].nets.paths[11, 0] == 12
    assert [measured(float(result.nets.by_rnn.exact[-1]), 2) for result in results[4:6]] == [
        "4.1×10⁻⁶",
        "23.86",
    ]
    assert show(float(results[4].nets.by_attention.exact[-1]), 2) == "0.08"
    assert show(float(results[6].nets.by_lstm.exact[-1]), 2) == "0.09"
    forgets = LAB.compute(LAB.start(values={"view": "nudge", "n": 40, "forget": 0.0})).nets
    assert measured(float(forgets.by_lstm.exact[-1]), 2) == "1.2×10⁻⁷"
    assert results[7].cost.pairs == results[7].cost.recurrence
    assert SequenceCost(8192, 512).pairs == 16 * SequenceCost(8192, 512).recurrence


@pytest.mark.parametrize("n", [2, 7, 40])
def test_the_steps_that_are_told_are_those_of_the_picture_and_of_the_claim(n: int) -> None:
    shown = shown_of(LAB, LAB.start(values={"view": "paths", "n": n}))
    passes = int(shown.result.nets.paths[-1, 0])  # from token 1 to token n
    assert passes == n
    apart = n - 1
    assert (
        f"{passes} times: once when it is read, then {apart} more steps to token {n}."
        in EXHIBIT.notice(shown)
    )
    assert lab_claim("sequence").endswith("an RNN takes as many as their distance.")
