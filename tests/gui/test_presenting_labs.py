"""F5 in a lab: the keys of a clicker, pointer, pen, black screen, notes and the lab's controls."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.labs.window import LabWindow
from gui.presentation.lab_presentation import LabPresentation
from tests.gui.presenting_kit import LAPTOP, PROJECTOR, Key

Button = Qt.MouseButton


@pytest.fixture
def main(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    main = build_window(example="cat-eats-fish", language="en", theme_name="light")
    qtbot.addWidget(main)
    main.show()
    main.labs.open("sequence")
    yield main
    main.close()


@pytest.fixture
def window(main: MainWindow) -> LabWindow:
    assert main.labs.window is not None
    return main.labs.window


@pytest.fixture
def room(qtbot: QtBot, main: MainWindow, window: LabWindow) -> LabPresentation:
    window.actions_["lab_present"].trigger()
    assert main.labs.room is not None
    window.picture.setFocus()
    return main.labs.room


def press(qtbot: QtBot, window: LabWindow, *keys: Key) -> None:
    for key in keys:
        qtbot.keyClick(window.picture, key)


def test_a_clicker_goes_on_and_back_and_controls_stay(
    qtbot: QtBot, window: LabWindow, room: LabPresentation
) -> None:
    assert window.isFullScreen()
    assert window.controls.isVisible()
    before = window.session.state.setting.values
    press(qtbot, window, Key.Key_PageDown, Key.Key_Right, Key.Key_PageDown)
    after = window.session.state.setting.values
    (name,) = (name for name in before if before[name] != after[name])
    assert after[name] == before[name] + 3
    press(qtbot, window, Key.Key_PageUp)
    assert window.session.state.setting[name] == after[name] - 1
    press(qtbot, window, Key.Key_Home)
    assert window.session.state.setting[name] == 0
    press(qtbot, window, Key.Key_C)
    assert not window.controls.isVisible()
    press(qtbot, window, Key.Key_C, Key.Key_F5)
    assert not room.is_running
    assert not window.isFullScreen()
    assert window.controls.isVisible()


@pytest.mark.parametrize("key", [Key.Key_B, Key.Key_Period, Key.Key_W, Key.Key_Comma])
def test_any_key_uncovers_a_black_or_white_screen_and_does_nothing_else(
    qtbot: QtBot, window: LabWindow, room: LabPresentation, key: Key
) -> None:
    before = window.session.state.setting
    press(qtbot, window, key)
    assert room.blank_screen.isVisible()
    assert room.blank_screen.geometry() == window.rect()
    press(qtbot, window, Key.Key_PageDown)
    assert not room.blank_screen.isVisible()
    assert window.session.state.setting is before


def test_esc_dismisses_what_came_last(
    qtbot: QtBot, window: LabWindow, room: LabPresentation
) -> None:
    press(qtbot, window, Key.Key_L, Key.Key_F1, Key.Key_B, Key.Key_Escape)
    assert (room.blank_screen.isVisible(), room.key_help.isVisible()) == (False, True)
    press(qtbot, window, Key.Key_Escape)
    assert (room.key_help.isVisible(), room.pointer.tool) == (False, "laser")
    press(qtbot, window, Key.Key_Escape)
    assert (room.pointer.tool, room.is_running) == ("", True)
    press(qtbot, window, Key.Key_Escape)
    assert not room.is_running


def test_strokes_of_the_pen_stay_with_their_setting(
    qtbot: QtBot, window: LabWindow, room: LabPresentation
) -> None:
    press(qtbot, window, Key.Key_P)
    for act in (qtbot.mousePress, qtbot.mouseRelease):
        act(room.pointer, Button.LeftButton, pos=QPoint(200, 200))
    assert len(room.pointer.strokes) == 1
    press(qtbot, window, Key.Key_PageDown)
    assert not room.pointer.strokes
    qtbot.keyClick(window.picture, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(room.pointer.strokes) == 1, "the step was undone, which came after the stroke"
    qtbot.keyClick(window.picture, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not room.pointer.strokes
    press(qtbot, window, Key.Key_Escape)
    assert room.is_running
    assert room.pointer.tool == ""


def test_a_number_is_typed_into_a_control_and_esc_gives_the_keys_back(
    qtbot: QtBot, window: LabWindow, room: LabPresentation
) -> None:
    field = next(one for one in window.controls.findChildren(QLineEdit) if one.isVisible())
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    field.selectAll()
    qtbot.keyClicks(field, "7b")
    assert not room.blank_screen.isVisible()
    assert "7" in field.text()
    qtbot.keyClick(field, Key.Key_Escape)
    assert room.is_running
    assert not field.hasFocus()


def test_the_lecturer_has_notes_and_points_on_the_second_screen(
    qtbot: QtBot, main: MainWindow, window: LabWindow
) -> None:
    room = main.labs.room
    assert room is not None
    room.screens = lambda: [LAPTOP, PROJECTOR]
    main.move(50, 50)
    window.actions_["lab_present"].trigger()
    assert room.speaker is not None
    assert window.attempt.text()
    assert "Try this" in room.speaker.notes.toPlainText()
    press(qtbot, window, Key.Key_B)
    assert room.speaker.current.overlay.cover == "black"
    qtbot.keyClick(room.speaker, Key.Key_B)
    assert room.speaker.current.overlay.cover == ""
    qtbot.keyClick(room.speaker, Key.Key_P)
    preview = room.speaker.current
    for act in (qtbot.mousePress, qtbot.mouseRelease):
        act(preview, Button.LeftButton, pos=preview.place().center())
    (stroke,) = room.pointer.strokes
    assert all(abs(part) < 0.01 for part in stroke.points[0]), "in the middle of both"
    qtbot.keyClick(room.speaker, Key.Key_F5)
    assert room.speaker is None
