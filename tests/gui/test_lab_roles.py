"""The round table: a seat that is clicked speaks, and what is written is what the core worked out."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.labs.roles import LAB
from core.numbers import show
from gui.labs.exhibit import Look
from gui.labs.frame import show_lab
from gui.labs.roles import EXHIBIT
from tests.gui.labs_kit import drawn_texts, lab_window


@pytest.mark.parametrize("speaker", range(5))
def test_what_is_written_is_what_was_worked_out(qapp: object, speaker: int) -> None:
    setting = LAB.start(None, {"speaker": str(speaker), "step": 3})
    result = LAB.work_out(setting)
    texts = drawn_texts("roles", setting)
    for number in (*result.y, *result.weights, *result.q):
        assert show(float(number), 2) in texts


def test_numbers_come_step_by_step(qapp: object) -> None:
    weight, score = show(float(LAB.work_out(LAB.start()).weights[0]), 2), "6.00"
    seen = [drawn_texts("roles", LAB.start(None, {"step": step})) for step in range(4)]
    assert [weight in texts for texts in seen] == [False, False, True, True]
    assert [score in texts for texts in seen] == [False, True, True, True]


def test_a_seat_that_is_clicked_speaks(qtbot: QtBot) -> None:
    with lab_window("roles") as window:
        seat = window.picture.spots[4]
        qtbot.mouseClick(window.picture, Qt.MouseButton.LeftButton, pos=seat.area.center().toPoint())
        assert window.session.state.setting["speaker"] == "4"
        assert "苹果" in window.notice.text()


def test_what_is_heard_tells_every_seat(qapp: object) -> None:
    said = EXHIBIT.spoken(show_lab("roles", LAB.start(), Look()))
    assert "小明, weight 0.47" in said
    assert "了, weight 0.02" in said
