"""A scene of a lab shows it on its own experiment: what that cannot show is refused, so that lessons open again."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from core.lesson import lesson
from core.storage.examples import load_example
from gui.app.application import build_window
from gui.app.main_window import MainWindow


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = build_window(language="en")
    qtbot.addWidget(window)
    return window


def test_values_of_a_larger_experiment_are_refused(window: MainWindow) -> None:
    window.session.open_document(load_example("eight-heads"))
    window.labs.open("order")
    room = window.labs.window
    assert room is not None
    room.asked.emit("lab_take")
    room.asked.emit("lab_scene")
    window.labs.close()
    assert window.session.state.lesson is None


def test_values_of_its_own_are_a_scene_that_opens_again(window: MainWindow) -> None:
    window.labs.open("order")
    room = window.labs.window
    assert room is not None
    room.asked.emit("lab_scene")
    window.labs.close()
    found = window.session.state.lesson
    assert found is not None
    assert lesson.loads(lesson.dumps(found)).scenes[0].demo == found.scenes[0].demo
    window.session.lesson_player.undo_stack.setClean()  # nobody is asked about it when the window closes
