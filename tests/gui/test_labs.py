"""Every lab in its window: each control moved to its ends and back, its lesson played, rendered, left behind."""

from __future__ import annotations

import gc
import re
import weakref
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from core.labs.controls import Button, ends
from core.labs.lab import LABS
from core.lesson.lesson import LESSONS, lesson_path, load
from core.storage import archive
from gui.app.application import build_window
from gui.cli import run_command_line
from gui.texts.labs import CLAIMS, TITLES
from tests.gui.labs_kit import lab_window

CHINESE = re.compile(r"[\u4e00-\u9fff]")


def test_the_menu_lists_every_lab_that_has_words() -> None:
    assert set(LABS) == set(TITLES) == set(CLAIMS)
    assert len(LABS) == len(set(LABS)) == 26
    assert tuple(TITLES) == LABS


@pytest.mark.parametrize("lab_id", LABS)
def test_every_control_in_the_window_to_both_ends_and_back(qtbot: QtBot, lab_id: str) -> None:
    with lab_window(lab_id) as window:
        session = window.session
        first = dict(session.state.setting.values)
        for control in session.lab.valued(session.state.setting):
            for value in (*ends(control), first[control.id]):
                session.set_value(control.id, value)
                window.grab()
                assert window.message.text() == ""
        for button in [
            entry
            for entry in session.lab.controls(session.state.setting)
            if isinstance(entry, Button)
        ]:
            if not button.job:
                session.press(button.id)
        for spot in window.picture.spots:
            assert spot.name
            assert window.picture.rect().toRectF().adjusted(-40, -40, 40, 40).intersects(spot.area)
            window.picture._choose(spot)
        while session.undo_stack.canUndo():
            session.undo_stack.undo()
        assert dict(session.state.setting.values) == first


@pytest.mark.parametrize("lab_id", LABS)
def test_a_lesson_plays_the_lab(lab_id: str) -> None:
    name = f"lab-{lab_id}"
    assert name in LESSONS
    lesson = load(lesson_path(name))
    assert sum(scene.demo is not None and scene.demo.lab == lab_id for scene in lesson.scenes) >= 2
    assert len(lesson.scenes) >= 4
    for scene in lesson.scenes:
        assert scene.title.get("en")
        assert CHINESE.search(scene.title.get("zh_CN"))
        assert scene.say.get("en")
        assert CHINESE.search(scene.say.get("zh_CN"))


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("lab_id", LABS)
def test_render_draws_it_from_the_command_line(tmp_path: Path, lab_id: str, language: str) -> None:
    out = tmp_path / "lab.png"
    arguments = [
        "render",
        "--lab",
        lab_id,
        "-o",
        str(out),
        "--language",
        language,
        "--size",
        "1000x640",
    ]
    assert run_command_line(arguments) == 0
    image = QImage(str(out))
    assert (image.width(), image.height()) == (1000, 640)
    colours = {image.pixel(x, y) for x in range(0, 1000, 3) for y in range(0, 640, 3)}
    assert len(colours) > 20


def test_windows_of_labs_leave_nothing_behind(qtbot: QtBot) -> None:
    seen = []
    for lab_id in LABS:
        with lab_window(lab_id) as window:
            seen.append(weakref.ref(window.session))
        del window
    gc.collect()
    assert [ref for ref in seen if ref() is not None] == []


@pytest.mark.realwindow
def test_a_lab_from_the_menu_follows_the_main_window_and_hands_over(qtbot: QtBot) -> None:
    main = build_window(example="cat-eats-fish")
    qtbot.addWidget(main)
    main.show()
    menu = next(action.menu() for action in main.menuBar().actions() if "La&bs" in action.text())
    assert [action.objectName() for action in menu.actions()] == [
        f"lab_{lab_id}" for lab_id in LABS
    ]
    next(action for action in menu.actions() if action.objectName() == "lab_order").trigger()
    window = main.labs.window
    assert window is not None
    assert window.isVisible()
    main.session.set_preferences(language="zh_CN", theme="dark")
    assert window.session.state.language == "zh_CN"
    assert window.session.state.shown.appearance.shade == "dark"
    expected = window.session.lab.document(window.session.state.setting)
    window.actions_["lab_hand_over"].trigger()
    assert expected is not None
    assert archive.dumps(main.session.state.document) == archive.dumps(expected)
    main.close()
    assert main.labs.window is None


def test_a_lab_becomes_a_scene_with_its_title_and_is_played_by_pages(qtbot: QtBot) -> None:
    main = build_window(example="who-ate-whom")
    qtbot.addWidget(main)
    tokens = main.session.state.document.tokens
    main.labs.open("softmax")
    window = main.labs.window
    assert window is not None
    window.actions_["lab_scene"].trigger()
    window.session.set_value("temperature", 0.5)
    window.actions_["lab_scene"].trigger()
    lesson = main.session.state.lesson
    assert lesson is not None
    assert [scene.title.get("en") for scene in lesson.scenes] == [TITLES["softmax"]] * 2
    assert all(CHINESE.search(scene.title.get("zh_CN")) for scene in lesson.scenes)
    assert not main.session.state.live
    assert main.session.state.document.tokens == tokens
    qtbot.keyClick(window.picture, Qt.Key.Key_PageUp)
    assert window.session.state.setting["temperature"] == 1.0
    qtbot.keyClick(window.picture, Qt.Key.Key_PageDown)
    assert window.session.state.setting["temperature"] == 0.5
    main.session.lesson_player.undo_stack.setClean()
    main.close()


@pytest.mark.parametrize("lab_id", LABS)
def test_the_whole_lesson_of_a_lab_by_the_keys_of_a_clicker(qtbot: QtBot, lab_id: str) -> None:
    main = build_window(lesson_path(f"lab-{lab_id}"))
    qtbot.addWidget(main)
    main.show()
    main.present()
    board = main.presentation.audience
    assert board is not None
    lesson = main.session.state.lesson
    assert lesson is not None
    steps = sum(scene.steps.count if scene.steps else 0 for scene in lesson.scenes)
    asked = [index for index, scene in enumerate(lesson.scenes) if scene.question.get("en")]
    answered = []
    for _ in range(len(lesson.scenes) + steps + len(asked) - 1):
        qtbot.keyClick(board, Qt.Key.Key_PageDown)
        if board.headline.answer and main.session.state.scene_index not in answered:
            answered.append(main.session.state.scene_index)
        board.grab()
    assert main.session.state.scene_index == len(lesson.scenes) - 1
    assert answered == asked
    assert board.message_layer.isHidden()
    qtbot.keyClick(board, Qt.Key.Key_PageDown)
    assert board.message_layer.message.large == "End of the lesson"
    main.presentation.stop()
    main.close()


def test_presenting_a_lesson_the_lab_catches_up(qtbot: QtBot) -> None:
    main = build_window(lesson_path("lab-softmax"))
    qtbot.addWidget(main)
    main.show()
    main.labs.open("softmax")
    window = main.labs.window
    assert window is not None
    main.actions_["present"].trigger()
    board = main.presentation.audience
    assert board is not None
    assert not window.isFullScreen()
    for _ in range(20):
        if main.session.state.scene_index == 2:
            break
        qtbot.keyClick(board, Qt.Key.Key_PageDown)
    main.presentation.stop()
    shown = main.session.state.scene
    assert shown is not None
    assert shown.setting is not None
    assert window.session.state.setting.values == shown.setting.values
    main.close()


def test_without_a_lesson_f5_shows_the_lab_alone_and_present_does_too(qtbot: QtBot) -> None:
    main = build_window(example="cat-eats-fish")
    qtbot.addWidget(main)
    main.labs.open("sparse")
    window = main.labs.window
    assert window is not None
    window.actions_["lab_present"].trigger()
    assert window.isFullScreen()
    qtbot.keyClick(window.picture, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    main.labs.present()
    assert window.isFullScreen()
    main.close()
