"""The lab of tiles: every number is the core's, queries and blocks can be chosen, words follow what happens."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.document.edits import with_head_enabled
from core.labs.controls import Clock
from core.labs.lab import Setting
from core.labs.tiles import LAB
from core.storage.examples import load_example
from gui.labs.exhibit import LabAppearance
from gui.labs.tiles import EXHIBIT
from gui.labs.tiles_picture import tiles_layout, worked_line
from gui.labs.wording import measured
from gui.texts.rich_text import plain_text
from tests.core.documents import make
from tests.gui.lab_pictures import SIZES, holds_in_order, lesson_results, shown_of, texts_of
from tests.gui.labs_kit import lab_window

pytestmark = pytest.mark.usefixtures("qapp")


def noticed(setting: Setting) -> str:
    return EXHIBIT.notice(shown_of(LAB, setting))


@pytest.mark.parametrize("values", [{}, {"step": 0}, {"step": 3, "rescale": False}, {"block": 8}])
@pytest.mark.parametrize("decimals", [1, 2])
def test_every_number_is_the_cores(values: dict[str, object], decimals: int) -> None:
    shown = shown_of(LAB, LAB.start(values=values), LabAppearance(decimals=decimals))
    result, texts = shown.result, texts_of(EXHIBIT, shown)
    m, total, output = result.state(result.step)
    before = result.before
    query, keys = result.query, result.keys
    columns = [
        [before[0], *result.scores[query, keys]],
        [result.running.factors[result.step, query], *result.running.numerators[query, keys]],
        [before[1], *[1.0] * (keys.stop - keys.start)],
        [*before[2], *result.V[keys].ravel()],
        [m],
        [total],
        output,
        result.running.means[result.step, query],
        *(rows[: result.step + 1, query] for rows in (result.running.maxima, result.running.sums)),
    ]
    for numbers in columns:
        assert holds_in_order(texts, [show(float(number), decimals) for number in numbers])
    assert measured(result.difference, decimals) in "".join(texts)


def test_the_tile_that_is_held_is_written_and_no_other_score() -> None:
    shown = shown_of(LAB, LAB.start(values={"step": 1}))
    texts = texts_of(EXHIBIT, shown)
    scores = shown.result.scores
    for row in scores[shown.result.queries, shown.result.keys]:
        assert holds_in_order(texts, [show(float(score), 2) for score in row])
    later = [show(float(score), 2) for score in scores[9, 9:12]]
    assert not holds_in_order(texts, later)


def test_blocks_to_come_are_not_written() -> None:
    early, late = (shown_of(LAB, LAB.start(values={"step": step})) for step in (1, 3))
    number = show(float(late.result.running.sums[2, 9]), 2)
    assert number not in texts_of(EXHIBIT, early)
    assert number in texts_of(EXHIBIT, late)


@pytest.mark.parametrize("size", [(560, 360), (742, 340), (1400, 900)])
def test_headings_are_whole_in_every_room(size: tuple[int, int]) -> None:
    texts = texts_of(EXHIBIT, shown_of(LAB, LAB.start()), size)
    assert {"s", "s−m", "ℓ", "V"} <= set(texts)


@pytest.mark.parametrize("size", SIZES)
def test_map_sum_and_history_lie_apart_and_inside(size: tuple[int, int]) -> None:
    for document, values in ((None, {}), (None, {"n": 48, "block": 8}), (make(80), {"block": 1})):
        room = QRectF(0, 0, *size)
        where = tiles_layout(room, shown_of(LAB, LAB.start(document, values)))
        assert room.contains(where.cells)
        for column in (*where.columns, where.history):
            assert column.isEmpty() or room.contains(column)
            assert not column.intersects(where.cells)
        rows = where.columns[0].height() / where.row
        result = where.below(where.columns[0], round(rows))
        assert result.bottom() <= where.worked.top()
        assert where.history.isEmpty() or where.worked.bottom() < where.history.top()


def test_a_click_chooses_a_query_or_a_block(qtbot: QtBot) -> None:
    with lab_window("tiles") as window:
        for control, value in (("query", 5), ("step", 3)):
            spot = next(
                spot
                for spot in window.picture.spots
                if (spot.control, spot.value) == (control, value)
            )
            at = spot.area.center() * window.picture._unit
            qtbot.mouseClick(window.picture, Qt.MouseButton.LeftButton, pos=at.toPoint())
            assert window.session.state.setting[control] == value


@pytest.mark.parametrize("step", [0, 1, 3])
def test_the_worked_sum_is_that_of_the_chosen_number(step: int) -> None:
    shown = shown_of(LAB, LAB.start(values={"step": step}), LabAppearance(decimals=6))
    result = shown.result
    _, total, output = result.state(step)
    for column, value in enumerate((total, *output)):
        text = plain_text(worked_line(shown, column)).replace("−", "-")
        name, terms, found = re.split(r" [=≈] ", text)
        products = [
            math.prod(float(part.strip("()")) for part in term.split("×"))
            for term in terms.split(" + ")
        ]
        assert name == ("ℓ", "o_1", "o_2", "o_3")[column]
        assert len(products) == 4
        assert math.fsum(products) == pytest.approx(value, abs=1e-5)
        assert float(found) == pytest.approx(value, abs=1e-6)


def test_a_click_on_a_result_writes_its_sum(qtbot: QtBot) -> None:
    with lab_window("tiles") as window:
        spot = next(spot for spot in window.picture.spots if spot.id == "result 0")
        at = (spot.area.center() * window.picture._unit).toPoint()
        qtbot.mouseClick(window.picture, Qt.MouseButton.LeftButton, pos=at)
        assert window.session.state.setting["column"] == 0
        assert "column" not in window.controls.knobs
        texts = "".join(texts_of(EXHIBIT, window.session.state.shown)).replace(" ", "")
        assert "0.64×2.10+0.91×1.00+0.81×1.00+1.00×1.00" in texts


def test_the_chosen_query_is_dragged(qtbot: QtBot) -> None:
    with lab_window("tiles") as window:
        row = window.picture.spots[0]
        start = row.area.center().toPoint()
        qtbot.mousePress(window.picture, Qt.MouseButton.LeftButton, pos=start)
        qtbot.mouseMove(window.picture, start - QPoint(0, round(row.area.height() * 4)))
        qtbot.mouseRelease(window.picture, Qt.MouseButton.LeftButton, pos=start)
        assert window.session.state.setting["query"] == 6


def test_words_follow_what_happens() -> None:
    start = LAB.start()
    assert noticed(LAB.start(values={"step": 0})).startswith("The first block: m is its largest")
    assert noticed(start) == (
        "m rises from 0.09 to 0.53: what was added up so far is multiplied by "
        "ρ = e^(0.09 − 0.53) = 0.64."
    )
    last = noticed(LAB.start(values={"step": 3}))
    assert last.startswith("No score of this block is above m = 1.11: ρ = 1")
    assert last.endswith("differs from the softmax over the whole row by 5.6×10⁻¹⁷.")
    wrong = noticed(LAB.start(values={"step": 3, "rescale": False}))
    assert wrong.endswith("o ÷ ℓ is wrong: it differs from the softmax over the whole row by 0.15.")
    masked = make(4, sizes={"n": 4, "d": 3, "h": 1, "k": 2, "v": 2}, mask="custom")
    allow = np.zeros((4, 4), dtype=np.bool_)
    hidden = replace(masked, mask=replace(masked.mask, allow=allow))
    assert "Every key so far is masked" in noticed(LAB.start(hidden, {"query": 1}))


def test_a_causal_mask_says_how_many_tiles_can_be_skipped() -> None:
    texts = "".join(texts_of(EXHIBIT, shown_of(LAB, LAB.start(values={"causal": True}))))
    assert "6of16" in texts.replace(" ", "")
    assert "skipped" in texts
    assert "skipped" not in "".join(texts_of(EXHIBIT, shown_of(LAB, LAB.start())))


def test_the_lesson_shows_the_lab_as_it_says() -> None:
    first, second, last, unscaled, online, causal = lesson_results(LAB)
    assert first.table_size == 144
    assert first.tile_size == 9
    assert (second.before[0], second.state(1)[0]) == (pytest.approx(0.085), pytest.approx(0.53))
    assert second.running.factors[1, 9] == pytest.approx(0.64, abs=0.005)
    assert last.running.factors[1:, 9].tolist() == pytest.approx([0.64, 0.56, 1.0], abs=0.005)
    assert last.difference < 1e-15
    assert (unscaled.own_difference, unscaled.difference) == (
        pytest.approx(0.15, abs=0.005),
        pytest.approx(0.47, abs=0.005),
    )
    assert unscaled.scores[1].argmax() < 3
    assert unscaled.scores[1].max() == pytest.approx(2.06, abs=0.005)
    rises = np.flatnonzero(np.diff(online.running.maxima[:, 9]) > 0) + 2
    assert rises.tolist() == [4, 6, 7]
    assert (int(causal.skipped.sum()), causal.skipped.size) == (28, 64)
    assert (causal.table_size, causal.tile_size) == (2304, 36)


def test_the_clock_counts_blocks_from_one() -> None:
    clock = LAB.control(LAB.start(), "step")
    assert isinstance(clock, Clock)
    assert EXHIBIT.clock_text(clock, 1) == "2 of 4"


def test_an_experiment_of_the_user_brings_its_head_and_its_tokens() -> None:
    document = with_head_enabled(load_example("apple-released-iphone"), 2, False)
    setting = LAB.start(document, {"head": "2", "query": 1, "block": 2})
    assert {control.id for control in LAB.controls(setting)} & {"n", "causal", "head"} == {"head"}
    assert "is off: in the concatenation it counts as 0." in noticed(setting)
    assert document.tokens[1] in texts_of(
        EXHIBIT, shown_of(LAB, LAB.with_value(setting, "step", 0))
    )
    assert EXHIBIT.origin(LAB, setting) == ""
    assert "drawn at random" in EXHIBIT.origin(LAB, LAB.start())
