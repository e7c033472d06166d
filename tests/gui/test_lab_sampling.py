"""The lab of sampling: every number is the core's, logits are dragged, words follow what happens."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.labs.sampling import LAB, ORDERS
from gui.labs.exhibit import LabAppearance
from gui.labs.sampling import EXHIBIT, sampling_layout
from gui.texts.translation import spoken
from tests.gui.lab_pictures import SIZES, holds_in_order, lesson_results, shown_of, texts_of
from tests.gui.labs_kit import drawn_texts, lab_window

pytestmark = pytest.mark.usefixtures("qapp")


def noticed(**values: object) -> str:
    return EXHIBIT.notice(shown_of(LAB, LAB.start(values=values)))


@pytest.mark.parametrize("values", [{}, {"order": "k-p-t"}, {"top_k": 8, "temperature": 0.5}])
@pytest.mark.parametrize("decimals", [1, 2])
def test_every_number_is_the_cores(values: dict[str, object], decimals: int) -> None:
    shown = shown_of(LAB, LAB.start(values=values), LabAppearance(decimals=decimals))
    result, texts = shown.result, texts_of(EXHIBIT, shown)
    for step in result.steps:
        assert holds_in_order(texts, [show(float(share), decimals) for share in step.shares])
        assert show(step.entropy, decimals) in texts
    assert holds_in_order(texts, [show(float(logit), decimals) for logit in result.logits])
    assert holds_in_order(texts, [str(int(count)) for count in result.counts])


@pytest.mark.parametrize("order", sorted(ORDERS))
def test_operations_are_listed_in_the_order_in_which_they_are_done(order: str) -> None:
    texts = drawn_texts("sampling", LAB.start(values={"order": order}))
    names = {"temperature": "÷ T = 1.50", "top_k": "top-k = 5", "top_p": "top-p = 0.85"}
    joined = "".join(texts)
    places = [joined.index(names[operation]) for operation in ORDERS[order]]
    assert places == sorted(places)


def test_the_last_draw_is_told_with_its_random_number() -> None:
    shown = shown_of(LAB, LAB.start(values={"draws": 3}))
    result = shown.result
    word = result.words[result.places[2]]
    said = f"draw 3: u = {show(float(result.numbers[2]), 2)} falls on “{word}”"
    assert said.replace(" ", "") in "".join(texts_of(EXHIBIT, shown)).replace(" ", "")
    assert "falls on" not in "".join(drawn_texts("sampling", LAB.start(values={"draws": 0})))


def test_a_logit_is_dragged(qtbot: QtBot) -> None:
    with lab_window("sampling") as window:
        spot = window.picture.spots[1]
        assert spot.name == "Logit of “mice”: 1.80"
        start = (spot.area.center() * window.picture._unit).toPoint()
        qtbot.mousePress(window.picture, Qt.MouseButton.LeftButton, pos=start)
        qtbot.mouseMove(window.picture, start - QPoint(0, 20))
        qtbot.mouseRelease(window.picture, Qt.MouseButton.LeftButton, pos=start)
        logits = window.session.state.setting["logits"]
        assert logits[1] > 2.2
        assert (logits[0], *logits[2:]) == (2.2, 1.5, 0.6, 0.4, -0.5, -1.0, -2.0)
        assert "“mice” (share" in window.notice.text()


@pytest.mark.parametrize("size", [*SIZES, (742, 340)])
def test_parts_lie_apart_and_words_have_the_same_columns(size: tuple[int, int]) -> None:
    room = QRectF(0, 0, *size)
    where = sampling_layout(room, shown_of(LAB, LAB.start()))
    parts = [where.table, where.strip, where.facts]
    for chart in (where.logits, where.shares):
        if chart is not None:
            assert (chart.rect.left(), chart.rect.right()) == (
                where.table.left(),
                where.table.right(),
            )
            parts.append(chart.rect)
    shown = [part for part in parts if not part.isEmpty()]
    assert all(room.contains(part) for part in shown)
    for index, part in enumerate(shown):
        assert not any(part.intersects(other) for other in shown[index + 1 :])
    assert where.logits is not None or size[1] <= 480


def test_words_follow_what_happens() -> None:
    said = noticed()
    assert said.startswith("4 of 8 words are left; the entropy goes from 1.58 to 1.32 nats.")
    assert "In the order “T, top-p, top-k” it would be 5." in said
    assert said.endswith("“fish” (share 0.37) came in 84 of 200 draws.")
    assert noticed(top_k=8, top_p=1.0, draws=0) == (
        "No word is cut; the entropy goes from 1.58 to 1.79 nats."
    )
    assert noticed(top_k=1).startswith("Only “fish” is left: every draw gives it")
    attempts = {
        EXHIBIT.attempt(shown_of(LAB, LAB.start(values=values)))
        for values in (
            {},
            {"top_k": 1},
            {"temperature": 1.0, "top_p": 1.0},
            {"top_p": 1.0},
            {"top_p": 1.0, "draws": 1000},
        )
    }
    assert len(attempts) == 5


def test_words_are_in_the_language() -> None:
    with spoken("zh_CN"):
        assert {"鱼", "石头"} <= set(drawn_texts("sampling", LAB.start()))
        assert EXHIBIT.entry("logits", 0, shown_of(LAB, LAB.start()).setting) == "鱼"
    assert {"fish", "stones"} <= set(drawn_texts("sampling", LAB.start()))


def test_the_lesson_shows_the_lab_as_it_says() -> None:
    plain, sharp, top_k, top_p, order, draws, greedy = lesson_results(LAB)
    assert plain.shares[[0, 7]].tolist() == pytest.approx([0.38, 0.01], abs=0.005)
    assert sharp.shares[0] == pytest.approx(0.57, abs=0.006)
    assert (plain.steps[-1].entropy, sharp.steps[-1].entropy) == (
        pytest.approx(1.58, abs=0.005),
        pytest.approx(1.12, abs=0.005),
    )
    assert math.fsum(plain.shares[:3]) == pytest.approx(0.81, abs=0.006)
    assert int(top_k.steps[-1].kept.sum()) == 3
    assert int(top_p.steps[-1].kept.sum()) == 4
    for temperature, words in ((0.5, 3), (3.0, 6)):
        values = {"temperature": temperature, "top_k": 8, "top_p": 0.85}
        assert LAB.compute(LAB.start(values=values)).left["t-k-p"] == words
    assert order.left == {"t-k-p": 4, "t-p-k": 5, "k-p-t": 3}
    assert int(order.steps[-1].kept.sum()) == 3
    assert draws.counts[0] == 389
    assert draws.shares[0] == pytest.approx(0.37, abs=0.006)
    assert greedy.counts[0] == greedy.draws
