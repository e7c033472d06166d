"""The lab of worth: every number is the core's, a card per head, words follow what happens."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtCore import QRectF, Qt
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.labs.worth import LAB
from core.storage.examples import load_example
from gui.labs.exhibit import LabAppearance
from gui.labs.worth import EXHIBIT
from gui.labs.worth_picture import signed, worth_layout
from tests.core.stacks import make_stack
from tests.gui.lab_pictures import SIZES, holds_in_order, lesson_results, shown_of, texts_of
from tests.gui.labs_kit import lab_window

pytestmark = pytest.mark.usefixtures("qapp")


def noticed(**values: object) -> str:
    return EXHIBIT.notice(shown_of(LAB, LAB.start(values=values)))


@pytest.mark.parametrize("decimals", [2, 3])
def test_every_number_is_the_cores(decimals: int) -> None:
    shown = shown_of(LAB, LAB.start(values={"kept": 2}), LabAppearance(decimals=decimals))
    result, texts = shown.result, texts_of(EXHIBIT, shown)
    for place, one in enumerate(result.heads):
        numbers = [show(float(weight), decimals) for weight in result.weights(place).ravel()]
        assert holds_in_order(texts, numbers)
        for value in (one.off, one.patched):
            assert holds_in_order(texts, [signed(value, shown)])
    for value in (result.whole, result.others, float(result.curve[2])):
        assert holds_in_order(texts, [show(value, decimals)])
    for trace in (result.trace, result.other, result.patch):
        assert holds_in_order(texts, [show(float(trace["probabilities"][-1].max()), decimals)])


def test_a_change_has_its_sign() -> None:
    shown = shown_of(LAB, LAB.start())
    assert [signed(value, shown) for value in (0.126, -4.991, 0.0, 0.001)] == [
        "+0.13",
        "−4.99",
        "0.00",
        "0.00",
    ]


@pytest.mark.parametrize("size", [*SIZES, (742, 340)])
def test_cards_lie_apart_and_inside(size: tuple[int, int]) -> None:
    room = QRectF(0, 0, *size)
    for document in (None, load_example("block-by-hand"), make_stack(4, layers=3)):
        shown = shown_of(LAB, LAB.start(document))
        where = worth_layout(room, shown)
        assert len(where.cards) == len(shown.result.heads)
        assert all(room.contains(card) for card in where.cards)
        for one, other in combinations(where.cards, 2):
            assert not one.intersects(other)
        if where.prune is not None:
            lowest = max(card.bottom() for card in where.cards)
            assert lowest < min(where.prune.rect.top(), where.sentences.top())
            assert room.contains(where.prune.rect)
            assert room.contains(where.sentences)
            assert where.prune.rect.right() < where.sentences.left()
        assert where.prune is not None or size[1] <= 480


def test_a_click_on_a_card_chooses_the_head(qtbot: QtBot) -> None:
    with lab_window("worth") as window:
        spot = next(spot for spot in window.picture.spots if spot.value == "2")
        assert spot.name == (
            "Layer 2 · Head 1: −4.99 when it is off, −9.98 with its output from the other sentence"
        )
        at = (spot.area.center() * window.picture._unit).toPoint()
        qtbot.mouseClick(window.picture, Qt.MouseButton.LeftButton, pos=at)
        assert window.session.state.setting["chosen"] == "2"
        assert "Layer 2 · Head 1" in window.notice.text()


def test_words_follow_what_happens() -> None:
    assert noticed() == (
        "Layer 1 · Head 1: the last token gives “C” the weight 0.84. Switched off, it changes the "
        "answer by −4.99; with its output from the other sentence the answer stays the same."
    )
    assert noticed(chosen="2").endswith(
        "by −4.99; with its output from the other sentence by −9.98."
    )
    assert noticed(chosen="3").endswith("it does not depend on this head.")
    assert noticed(place="1", source="4").endswith("Both sentences are the same.")


def test_controls_name_words_tokens_and_heads() -> None:
    setting = LAB.start(load_example("not-bad"), {"place": "3", "source": "2"})
    assert EXHIBIT.option("place", "3", setting) == "4: 不"
    assert EXHIBIT.option("word", "1", setting) == "正面"
    assert EXHIBIT.option("chosen", "0", setting) == "Layer 1 · Head 1"


def test_the_lesson_shows_the_lab_as_it_says() -> None:
    four, off, unused, one, patch, other = lesson_results(LAB)
    assert four.whole == pytest.approx(4.86, abs=0.005)
    assert four.trace["probabilities"][-1].max() == pytest.approx(0.96, abs=0.005)
    assert min(four.weights(place)[-1].max() for place in range(4)) == pytest.approx(
        0.84, abs=0.005
    )
    assert [round(head.off, 2) for head in off.heads] == [-4.99, 0.13, -4.99, 0.0]
    assert unused.one.off == unused.one.patched == 0.0
    assert (one.kept, one.curve[0], one.curve[1]) == (1, 0.0, 0.0)
    assert one.curve[2] == pytest.approx(4.99, abs=0.005)
    assert patch.one.patched == pytest.approx(-9.98, abs=0.005)
    assert patch.other.document.tokens[1:] == ("A", "C", "C", "A")
    assert patch.patch["probabilities"][-1].argmax() == 2
    assert patch.heads[0].patched == pytest.approx(0.0, abs=1e-9)
    assert other.other.document.tokens[1:] == ("B", "B", "C", "A")
    assert other.heads[0].patched == pytest.approx(-4.99, abs=0.005)
