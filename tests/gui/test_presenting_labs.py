"""F5 in a lab: the keys of a clicker, pointer, pen, black screen, notes and the lab's controls."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from core.lesson.lesson import lesson_path
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.labs.window import LabWindow
from gui.presentation.keys import KEYS
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


def shown_scene(main: MainWindow) -> int:
    index = main.session.state.scene_index
    assert index is not None
    return index


@pytest.fixture
def lesson(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    """A played lesson at a scene of a lab."""
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    main = build_window(lesson_path("lab-cross"), language="en", theme_name="light")
    qtbot.addWidget(main)
    main.show()
    scenes = main.session.state.lesson.scenes if main.session.state.lesson else ()
    main.session.lesson_player.go_to(next(i for i, one in enumerate(scenes) if one.demo))
    yield main
    main.close()


def test_f5_in_a_lesson_shows_the_lab_with_its_controls_and_the_scene(
    qtbot: QtBot, lesson: MainWindow
) -> None:
    window, room = lesson.labs.window, lesson.labs.room
    assert window is not None
    assert room is not None
    window.actions_["lab_present"].trigger()
    assert window.isFullScreen()
    assert not lesson.presentation.is_running
    assert window.controls.isVisible()
    assert window.lesson.isVisible()
    before = shown_scene(lesson)
    press(qtbot, window, Key.Key_PageDown)
    assert shown_scene(lesson) == before + 1
    press(qtbot, window, Key.Key_F5)
    assert not room.is_running


def test_a_number_and_enter_go_to_the_scene(qtbot: QtBot, lesson: MainWindow) -> None:
    window, room = lesson.labs.window, lesson.labs.room
    assert window is not None
    assert room is not None
    state = lesson.session.state
    assert state.lesson is not None
    labs = [i for i, scene in enumerate(state.lesson.scenes) if scene.demo]
    window.actions_["lab_present"].trigger()
    qtbot.keyClicks(window.picture, str(labs[-1] + 1))
    assert room.message_layer.message.large == str(labs[-1] + 1)
    assert f"of {len(state.lesson.scenes)}" in room.message_layer.message.small
    press(qtbot, window, Key.Key_Return)
    assert shown_scene(lesson) == labs[-1]
    qtbot.keyClicks(window.picture, "99")
    press(qtbot, window, Key.Key_Return)
    assert shown_scene(lesson) == labs[-1]
    assert room.message_layer.message.small.startswith("There are")


def test_a_scene_without_a_lab_is_presented_in_the_main_window(
    qtbot: QtBot, lesson: MainWindow
) -> None:
    window = lesson.labs.window
    state = lesson.session.state
    assert window is not None
    assert state.lesson is not None
    plain = next(i for i, scene in enumerate(state.lesson.scenes) if not scene.demo)
    window.actions_["lab_present"].trigger()
    qtbot.keyClicks(window.picture, str(plain + 1))
    press(qtbot, window, Key.Key_Return)
    assert not window.isFullScreen()
    assert lesson.presentation.is_running
    lesson.presentation.stop()


def test_without_a_lesson_a_number_and_enter_go_to_the_step(
    qtbot: QtBot, window: LabWindow, room: LabPresentation
) -> None:
    before = window.session.state.setting.values
    qtbot.keyClicks(window.picture, "25")
    press(qtbot, window, Key.Key_Backspace, Key.Key_Return)
    after = window.session.state.setting.values
    (name,) = (name for name in before if before[name] != after[name])
    assert after[name] == 2
    qtbot.keyClicks(window.picture, "3")
    press(qtbot, window, Key.Key_Escape, Key.Key_Return)
    assert room.is_running
    assert window.session.state.setting[name] == 2


def test_countdown_and_text_size_as_in_the_presentation(
    qtbot: QtBot, main: MainWindow, window: LabWindow, room: LabPresentation
) -> None:
    qtbot.keyClicks(window.picture, "45t")
    assert room.countdown.text == "0:45"
    press(qtbot, window, Key.Key_T)
    assert not room.countdown.is_running
    before = window.notice.font().pixelSize()
    press(qtbot, window, Key.Key_Plus)
    assert main.session.state.preferences.presented_text > 100
    assert window.notice.font().pixelSize() > before
    qtbot.keyClick(window.picture, Key.Key_0, Qt.KeyboardModifier.AltModifier)
    assert window.notice.font().pixelSize() == before


# Keys of the presentation about the timeline of an experiment, its panels and cells.
ONLY_EXPERIMENTS = {
    *("stage_forward", "stage_back", "group_forward", "group_back", "cover", "edit", "view"),
    *("sum", "choose", "first_smaller", "first_larger", "nudge_up", "nudge_down", "focus_up"),
    *("focus_down", "focus_left", "focus_right", "zoom_in", "zoom_out", "fit"),
    *("more_decimals", "fewer_decimals", "predict"),
}


@pytest.mark.parametrize("command", [name for name in KEYS if name not in ONLY_EXPERIMENTS])
def test_each_key_of_the_presentation_does_something_in_a_lab(
    qtbot: QtBot, window: LabWindow, room: LabPresentation, command: str
) -> None:
    """Each changes what is seen; those that undo something find it done."""
    prepared: dict[str, str] = {
        **dict.fromkeys(("back", "go_first", "undo", "redo"), "n"),
        "erase": "p",
        "arrow": "l",
        "text_normal": "+",
        "drop_live_edits": "12",
        "leave": "l",
    }
    qtbot.keyClicks(window.picture, prepared.get(command, ""))
    if command == "redo":
        window.actions_["lab_undo"].trigger()
    if command == "erase":
        for act in (qtbot.mousePress, qtbot.mouseRelease):
            act(room.pointer, Button.LeftButton, pos=QPoint(200, 200))
    before = seen(window, room)
    if command == "answer":
        pressed = []
        window.lesson.reader.reveal.clicked.connect(lambda: pressed.append(True))
    press_sequence(qtbot, window, KEYS[command][0])
    if command == "answer":
        assert pressed
    elif command != "swap":  # there is one screen
        assert seen(window, room) != before


def seen(window: LabWindow, room: LabPresentation) -> tuple[object, ...]:
    return (
        room.is_running,
        room.pointer.tool,
        len(room.pointer.strokes),
        room.blank_screen.colour,
        room.key_help.isHidden(),
        room.countdown.is_running,
        room.message_layer.message.large,
        window.controls.isVisible(),
        window.presented_text,
        tuple(map(str, window.session.state.setting.values.values())),
    )


def press_sequence(qtbot: QtBot, window: LabWindow, text: str) -> None:
    first = QKeySequence(text)[0]  # type: ignore[index]
    qtbot.keyClick(window.picture, first.key(), first.keyboardModifiers())
