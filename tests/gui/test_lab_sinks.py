"""The lab of sinks: every number is the core's, tokens and scores can be chosen, words follow what happens."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.labs.controls import Clock
from core.labs.sinks import LAB
from gui.labs.exhibit import LabAppearance
from gui.labs.sinks import EXHIBIT
from gui.labs.sinks_picture import query_layout
from gui.texts.translation import spoken
from tests.gui.lab_pictures import SIZES, holds_in_order, lesson_results, shown_of, texts_of
from tests.gui.labs_kit import drawn_texts, lab_window

pytestmark = pytest.mark.usefixtures("qapp")


def noticed(**values: object) -> str:
    return EXHIBIT.notice(shown_of(LAB, LAB.start(values=values)))


@pytest.mark.parametrize("values", [{}, {"kept": "all"}, {"kept": "first", "rest": "null"}])
@pytest.mark.parametrize("decimals", [1, 2])
def test_every_weight_of_the_cache_is_the_cores(values: dict[str, object], decimals: int) -> None:
    shown = shown_of(LAB, LAB.start(values=values), LabAppearance(decimals=decimals))
    result, texts = shown.result, texts_of(EXHIBIT, shown)
    for weights in result.runs[result.kept].matrix("weights"):
        assert holds_in_order(texts, [show(float(weight), decimals) for weight in weights])
    joined = "".join(texts).replace(" ", "")
    assert f"{result.cached('all')}→{result.cached(result.kept)}" in joined
    assert show(float(result.rest[result.token]), decimals) in texts
    for kept in ("window", "first"):
        assert show(float(result.errors[kept][result.token]), decimals) in texts


@pytest.mark.parametrize("shift", [0.0, -3.0, 8.0])
def test_every_number_of_a_row_is_the_cores(shift: float) -> None:
    shown = shown_of(LAB, LAB.start(values={"view": "query", "shift": shift}))
    result, texts = shown.result, texts_of(EXHIBIT, shown)
    for numbers in ([*result.scores, 0.0], result.plain, [*result.shared, result.null]):
        assert holds_in_order(texts, [show(float(number), 2) for number in numbers])
    assert show(result.total, 2) in texts
    joined = "".join(texts).replace(" ", "")
    outputs = [
        f"({','.join(show(float(number), 2) for number in y)})"
        for y in (result.y_plain, result.y_null)
    ]
    assert "→".join(outputs) in joined


def test_the_null_key_has_a_column_of_its_own() -> None:
    assert "∅" in drawn_texts("sinks", LAB.start(values={"rest": "null"}))
    assert "∅" not in drawn_texts("sinks", LAB.start())


def test_a_click_chooses_the_token(qtbot: QtBot) -> None:
    with lab_window("sinks") as window:
        spot = next(spot for spot in window.picture.spots if spot.value == 4)
        assert spot.name == "“on”: ‖Δy‖ 0.64 with the window alone, 0.00 with the first token"
        at = (spot.area.center() * window.picture._unit).toPoint()
        qtbot.mouseClick(window.picture, Qt.MouseButton.LeftButton, pos=at)
        assert window.session.state.setting["token"] == 4
        assert "“on”" in window.notice.text()


def test_a_score_is_dragged(qtbot: QtBot) -> None:
    with lab_window("sinks") as window:
        window.session.set_value("view", "query")
        window.session.set_value("shift", 2.0)
        spot = window.picture.spots[3]
        start = (spot.area.center() * window.picture._unit).toPoint()
        qtbot.mousePress(window.picture, Qt.MouseButton.LeftButton, pos=start)
        qtbot.mouseMove(window.picture, start - QPoint(0, 40))
        qtbot.mouseRelease(window.picture, Qt.MouseButton.LeftButton, pos=start)
        scores = window.session.state.setting["scores"]
        assert scores[3] > -0.5
        assert scores[:3] == (1.5, 0.5, 0.2)


@pytest.mark.parametrize("size", [*SIZES, (742, 340)])
def test_parts_of_a_row_lie_apart_and_inside(size: tuple[int, int]) -> None:
    room = QRectF(0, 0, *size)
    where = query_layout(room, shown_of(LAB, LAB.start(values={"view": "query"})))
    parts = [where.table, where.sums, where.curve, where.facts]
    if where.scores is not None:
        parts.append(where.scores.rect)
    shown = [part for part in parts if not part.isEmpty()]
    assert all(room.contains(part) for part in shown)
    for index, part in enumerate(shown):
        assert not any(part.intersects(other) for other in shown[index + 1 :])
    assert where.scores is not None or size[1] < 340


def test_words_follow_what_happens() -> None:
    assert noticed() == (
        "The first token had 0.80 of the attention of “saw”; without it the keys of the window "
        "share the whole, and y moves by 0.67."
    )
    assert noticed(kept="all").endswith("to the first token; 8 other keys share what is left.")
    assert "and would be 0.67 with the window alone" in noticed(kept="first")
    assert "still holds the first token" in noticed(token=2)
    assert "has only itself to attend to: its weight is 1." in noticed(token=0, kept="all")
    assert noticed(rest="null").startswith("The null key takes 0.89 of the attention of “saw”")
    assert noticed(view="query").endswith("Beside a null key they get 0.89, and it takes 0.11.")
    assert noticed(view="query", shift=-3.0).startswith("−3.00 was added to every score")
    attempts = {
        EXHIBIT.attempt(shown_of(LAB, LAB.start(values=values)))
        for values in (
            {},
            {"kept": "all"},
            {"kept": "first"},
            {"rest": "null"},
            {"view": "query"},
            {"view": "query", "shift": 1.0},
        )
    }
    assert len(attempts) == 6


def test_it_says_that_its_numbers_were_made_by_hand() -> None:
    for view in ("cache", "query"):
        assert "made by hand" in EXHIBIT.origin(LAB, LAB.start(values={"view": view}))


def test_tokens_are_in_the_language() -> None:
    with spoken("zh_CN"):
        assert {"小猫", "看见"} <= set(drawn_texts("sinks", LAB.start()))
    assert {"cat", "saw"} <= set(drawn_texts("sinks", LAB.start()))


def test_the_clock_counts_tokens_from_one() -> None:
    clock = LAB.control(LAB.start(), "token")
    assert isinstance(clock, Clock)
    assert EXHIBIT.clock_text(clock, 8) == "9 of 12"


def test_the_lesson_shows_the_lab_as_it_says() -> None:
    lowered, null, off, whole, window, first, spared = lesson_results(LAB)
    expected = [0.57, 0.21, 0.16, 0.06]
    assert lowered.plain.tolist() == pytest.approx(expected, abs=0.005)
    assert (null.total, null.null) == (
        pytest.approx(0.89, abs=0.005),
        pytest.approx(0.11, abs=0.005),
    )
    assert off.null == pytest.approx(0.98, abs=0.005)
    assert np.abs(off.y_null).max() < 0.03
    assert whole.rest.min() == pytest.approx(0.78, abs=0.005)
    assert whole.rest.max() == pytest.approx(1.0, abs=0.005)
    assert np.flatnonzero(window.errors["window"])[0] == 4  # the fifth token
    assert window.tokens[window.token] == "看见"
    assert window.errors["window"][8] == pytest.approx(0.67, abs=0.005)
    assert (first.errors["first"][8], first.cached("first")) == (pytest.approx(0.06, abs=0.005), 5)
    assert spared.errors["window"][8] == pytest.approx(0.06, abs=0.005)
