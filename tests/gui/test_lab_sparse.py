"""Grid, layers and counts: what is written and clicked is what the core worked out."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.labs.sparse import KINDS, LAB
from gui.labs.exhibit import LabAppearance, LabView, show_lab
from gui.labs.sparse import EXHIBIT
from gui.labs.wording import counted
from tests.gui.labs_kit import drawn_texts, lab_window


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_written_and_so_is_the_reach_of_every_layer(qapp: object, kind: str) -> None:
    setting = LAB.start(None, {"kind": kind, "n": 20})
    links = LAB.compute(setting)
    texts = drawn_texts("sparse", setting)
    assert counted(links.links) in texts
    assert f"{links.seen} of 20" in texts
    for layer in links.layers:
        assert str(int(layer.sum())) in texts


def test_a_row_that_is_clicked_is_followed(qtbot: QtBot) -> None:
    with lab_window("sparse") as window:
        row = next(spot for spot in window.picture.spots if spot.value == 5)
        qtbot.mouseClick(window.picture, Qt.MouseButton.LeftButton, pos=row.area.center().toPoint())
        assert window.session.state.setting["token"] == 5
        assert "token 5" in window.notice.text()


def test_the_chosen_row_is_dragged(qtbot: QtBot) -> None:
    with lab_window("sparse") as window:
        window.session.set_value("n", 64)
        row = window.picture.spots[0]
        before = window.session.state.setting["token"]
        start = row.area.center().toPoint()
        qtbot.mousePress(window.picture, Qt.MouseButton.LeftButton, pos=start)
        qtbot.mouseMove(window.picture, start + QPoint(0, round(row.area.height() * 6)))
        qtbot.mouseRelease(window.picture, Qt.MouseButton.LeftButton, pos=start)
        assert window.session.state.setting["token"] == before + 6


def test_only_the_numbers_of_the_pattern_are_asked_for(qtbot: QtBot) -> None:
    with lab_window("sparse") as window:
        assert "gap" not in window.controls.knobs
        window.session.set_value("kind", "dilated")
        assert "gap" in window.controls.knobs


def test_words_say_tokens_and_ask_for_what_the_lab_has(qapp: object) -> None:
    def shown(**values: object) -> LabView:
        return show_lab("sparse", LAB.start(None, values), LabAppearance())

    assert EXHIBIT.notice(shown(kind="full")).endswith("every token sees every token at once.")
    found = shown(kind="window", layers=6, n=8, reach=2)
    assert found.result.everywhere is not None
    assert "layers every token has something of all of them." in EXHIBIT.notice(found)
    change = show(float(found.result.changed.max()), 2)
    assert EXHIBIT.notice(found).endswith(f"dense attention by up to ‖Δy‖ = {change}.")
    window = shown(kind="window")
    assert "hubs" not in {control.id for control in LAB.controls(window.setting)}
    assert EXHIBIT.option("kind", "global", window.setting) in EXHIBIT.attempt(window)
