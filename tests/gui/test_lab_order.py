"""The lab of order in the window: every number is the core's, tokens are swapped by dragging them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QApplication

from core.base.number_format import show
from core.labs.order import LAB
from gui.labs.exhibit import LabAppearance
from gui.labs.order import EXHIBIT
from gui.labs.wording import listed, measured
from tests.core.documents import make
from tests.gui.lab_pictures import (
    holds_in_order,
    image_of,
    lesson_results,
    shown_of,
    texts_of,
)

pytestmark = pytest.mark.usefixtures("qapp")
ROOM = QRectF(0, 0, 1400, 900)
KINDS = ["none", "sinusoidal", "learned", "rotary", "alibi"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decimals", [2, 4])
def test_every_number_is_the_cores(kind: str, decimals: int) -> None:
    shown = shown_of(LAB, LAB.start(values={"positions": kind}), LabAppearance(decimals=decimals))
    result = shown.result
    texts = texts_of(EXHIBIT, shown)
    for matrix in (result.Y, result.permuted_Y, result.A[0], result.permuted_A[0]):
        assert holds_in_order(texts, [show(float(value), decimals) for value in matrix.flat])
    assert measured(result.largest, decimals) in texts
    for gap in result.gaps:
        assert measured(float(gap), decimals) in texts


def test_a_small_difference_is_never_written_as_nothing() -> None:
    shown = shown_of(LAB, LAB.start(values={"positions": "alibi", "order": (1, 0, 2)}))
    assert 0.0 < shown.result.largest < 0.005
    assert holds_in_order(texts_of(EXHIBIT, shown), ["0.0019"])
    assert "0.0019" in EXHIBIT.notice(shown)
    assert "0.0019" not in EXHIBIT.notice(shown_of(LAB, LAB.start(values={"positions": "alibi"})))


def test_a_token_dropped_on_another_changes_places_with_it() -> None:
    setting = LAB.start(make(0), {"order": (0, 1, 2, 3, 4)})
    spots = EXHIBIT.spots(ROOM, shown_of(LAB, setting))
    assert [spot.id for spot in spots] == [f"token-{place}" for place in range(5)]
    held, target = spots[1], spots[4]
    assert held.drag is not None
    value = held.drag(target.area.center())
    assert LAB.with_value(setting, held.control, value)["order"] == (0, 4, 2, 3, 1)
    assert held.drag(QPointF(-100, -5000)) == (1, 0, 2, 3, 4)
    assert held.drag(held.area.center()) == setting["order"]


def test_arrow_keys_move_a_token_one_place() -> None:
    setting = LAB.start(make(0), {"order": (0, 1, 2, 3, 4)})
    for _ in range(2):
        spot = next(
            spot for spot in EXHIBIT.spots(ROOM, shown_of(LAB, setting)) if spot.id == "token-1"
        )
        assert spot.drag is not None
        setting = LAB.with_value(
            setting, "order", spot.drag(spot.area.center() + QPointF(0, spot.nudge))
        )
    assert setting["order"] == (0, 2, 3, 1, 4)


def test_notice_says_what_has_happened() -> None:
    def notice(**values: object) -> str:
        return EXHIBIT.notice(shown_of(LAB, LAB.start(values=values)))

    assert "nothing else has changed: the largest difference is 0" in notice()
    assert "Move one" in notice(order=(0, 1, 2))
    assert "3 of 3 rows" in notice(positions="sinusoidal")
    assert "distances" in notice(positions="alibi")
    causal = EXHIBIT.notice(shown_of(LAB, LAB.start(make(0, mask="causal"))))
    assert causal.startswith("The mask")


def test_what_is_pointed_at_is_framed(qapp: QApplication) -> None:
    setting = LAB.start(make(2))
    images = [
        image_of(EXHIBIT, shown_of(LAB, setting, LabAppearance(focus=f"token-{old}")), (900, 600))
        for old in (1, 2)
    ]
    assert images[0] != images[1]


def test_heads_and_tokens_have_their_names() -> None:
    setting = LAB.start(make(0))
    assert EXHIBIT.option("head", "1", setting) == "Head 2: head 1"
    assert EXHIBIT.entry("order", 2, shown_of(LAB, LAB.start()).setting) == "apple"
    assert "Tab" in EXHIBIT.help("order")


def test_the_lesson_says_what_the_lab_measures() -> None:
    results = lesson_results(LAB)
    assert [show(result.largest, 2) for result in results[:5]] == [
        "0.00",
        "0.00",
        "0.84",
        "0.49",
        "0.00",
    ]
    assert [len(result.changed) for result in results] == [0, 0, 3, 3, 0, 3]
    assert show(results[5].largest, 4) == "0.0019"


def test_all_rows_that_differ_most_are_named() -> None:
    shown = shown_of(LAB, LAB.start(values={"positions": "sinusoidal"}))
    result = shown.result
    most = [measured(float(gap), 2) == measured(result.largest, 2) for gap in result.gaps]
    named = [
        f"“{token}”" for token, is_most in zip(result.after.tokens, most, strict=True) if is_most
    ]
    said = EXHIBIT.notice(shown).partition("most that of ")[2]
    assert said == f"{listed(named)}, by {measured(result.largest, 2)}."
