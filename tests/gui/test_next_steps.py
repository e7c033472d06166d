"""Suggestions below the stage view: how to step, and what one can do after the last step."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from core.storage.examples import EXAMPLES, load_example
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.views.stage.next_steps import fitting_lab
from tests.gui.window_kit import bring_forward


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = build_window()
    window.resize(1280, 720)
    bring_forward(qtbot, window)
    return window


def links(window: MainWindow) -> dict[str, QToolButton]:
    return {link.text(): link for link in window.next_steps.links if link.isVisible()}


def test_the_first_stage_says_how_to_step(window: MainWindow) -> None:
    before = window.session.state.cursor
    assert list(links(window)) == ["Next step"]
    links(window)["Next step"].click()
    assert window.session.state.cursor != before
    assert not links(window)


def test_the_line_keeps_its_place_between_the_ends(window: MainWindow) -> None:
    places = set()
    for stage in window.session.state.trace.plan.ids:
        window.session.go_to_stage(stage)
        places.add((window.next_steps.geometry().getRect(), window.stage.height()))
    assert len(places) == 1


def test_after_the_last_step_it_says_what_one_can_do(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.session.go_last()
    found = links(window)
    assert list(found)[:2] == ["Predict it", "Check my work"]
    lab = next(text for text in found if text.startswith("Lab: "))
    found[lab].click()
    assert window.labs.window is not None
    assert window.labs.window.session.state.lab == "softmax"
    found["Check my work"].click()
    assert window.check.view.hasFocus()
    asked = []
    monkeypatch.setattr(window.files, "new", lambda: asked.append("new"))
    found["My own sentence"].click()
    assert asked == ["new"]
    found["Predict it"].click()
    state = window.session.state
    assert state.predict
    assert state.trace.plan.index(state.cursor.stage) == 0


def test_it_can_be_dismissed_and_called_back(window: MainWindow) -> None:
    window.session.go_last()
    window.next_steps.dismissed.emit()
    assert not window.next_steps.isVisible()
    window.session.go_first()
    assert not window.next_steps.isVisible()
    window.actions_["next_steps"].trigger()
    assert window.next_steps.isVisible()


def test_a_lesson_says_itself_what_comes_next(window: MainWindow) -> None:
    assert window.lesson_files.open_shipped("first-steps")
    assert not window.next_steps.isVisible()


def test_the_lab_fits_the_experiment() -> None:
    labs = {example: fitting_lab(load_example(example)) for example in EXAMPLES}
    assert labs["translation"] == "cross"
    assert labs["block-by-hand"] == labs["induction"] == "block"
    assert labs["eight-heads"] == "heads"
    assert labs["four-words-causal"] == "decode"
    assert labs["cat-eats-fish"] == "softmax"
    positioned = load_example("who-ate-whom")
    wanted = "positions" if positioned.positional.kind != "none" else "softmax"
    assert labs["who-ate-whom"] == wanted
