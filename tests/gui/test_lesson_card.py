"""A lesson about a lab is read and stepped in the lab's window; what is counted are presses of Next."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.explain.timeline import Grain
from core.lesson.lesson import (
    LESSONS,
    LabReference,
    Lesson,
    LessonScene,
    LessonSteps,
    LocalizedText,
    lesson_path,
    load,
)
from core.lesson.model import ExampleSource
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.labs.window import LabWindow

Key = Qt.Key
LAB_LESSONS = [name for name in LESSONS if name.startswith("lab-")]


def opened(qtbot: QtBot, path: Path, language: str = "en") -> tuple[MainWindow, LabWindow]:
    main = build_window(path, language=language)
    qtbot.addWidget(main)
    main.show()
    window = main.labs.window
    assert window is not None
    return main, window


def left(main: MainWindow) -> None:
    main.session.lesson_player.undo_stack.setClean()
    main.labs.close()
    main.close()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("name", LAB_LESSONS)
def test_text_question_and_answer_stand_in_the_labs_window(
    qtbot: QtBot, name: str, language: str
) -> None:
    main, window = opened(qtbot, lesson_path(name), language)
    card = window.lesson
    for scene in load(lesson_path(name)).scenes:
        if scene.demo is None:
            break
        assert card.isVisibleTo(window)
        assert card.reader.question.isVisibleTo(window) == bool(scene.question.get(language))
        assert not card.reader.answer.isVisibleTo(window)
        if scene.answer.get(language):
            card.reader.reveal.click()
            assert card.reader.answer.isVisibleTo(window)
        assert window.session.state.lab == scene.demo.lab
        card.next.click()
    left(main)


def test_pages_step_through_the_lesson_and_the_place_counts_each_press(qtbot: QtBot) -> None:
    main, window = opened(qtbot, lesson_path("lab-softmax"))
    count = len(load(lesson_path("lab-softmax")).scenes)
    for here in range(1, count + 1):
        assert main.session.state.scene_index == here - 1
        assert window.lesson.place.text().startswith(f"{here} of {count} ")
        assert (window.lesson.progress.value(), window.lesson.progress.maximum()) == (here, count)
        assert window.lesson.next.isEnabled() is (here < count)
        qtbot.keyClick(window.picture, Key.Key_PageDown)
    qtbot.keyClick(window.picture, Key.Key_PageUp)
    assert main.session.state.scene_index == count - 2
    window.lesson.back.click()
    assert main.session.state.scene_index == count - 3
    left(main)


def mixed() -> Lesson:
    """A scene of an experiment with three steps, then a lab, then the experiment again."""
    shown = LessonScene(
        source=ExampleSource("cat-eats-fish"), stage="Q", steps=LessonSteps(Grain.STAGE, 3)
    )
    demo = LessonScene(
        demo=LabReference("sequence", '{"step": 2}'), say=LocalizedText({"en": "a lab"})
    )
    return Lesson(
        scenes=(shown, demo, LessonScene(source=ExampleSource("cat-eats-fish"), stage="Y"))
    )


def test_steps_inside_a_scene_are_presses_too(qtbot: QtBot) -> None:
    main = build_window(language="en")
    qtbot.addWidget(main)
    main.session.lesson_player.open(mixed())
    panel = main.lessons
    said = []
    for _ in range(6):
        said.append(panel.bar.position.text())
        panel.bar.next.click()
    assert said == [f"{here} of 6" for here in range(1, 7)]
    left(main)


def test_a_page_key_in_the_lab_moves_what_can_be_seen_there(qtbot: QtBot) -> None:
    main = build_window(language="en")
    qtbot.addWidget(main)
    main.show()
    main.session.lesson_player.open(mixed(), scene=0)
    main.labs.open("sequence")
    window = main.labs.window
    assert window is not None
    assert not window.lesson.isVisibleTo(window)
    before = window.session.state.setting["step"]
    qtbot.keyClick(window.picture, Key.Key_PageDown)
    assert window.session.state.setting["step"] == before + 1  # the scene is not shown here
    assert (main.session.state.scene_index, main.session.state.steps_taken) == (0, 0)
    main.session.lesson_player.go_to(1)
    assert window.lesson.isVisibleTo(window)
    qtbot.keyClick(window.picture, Key.Key_PageDown)
    assert main.session.state.scene_index == 2
    assert not window.lesson.isVisibleTo(window)
    left(main)


def test_closing_the_lesson_leaves_the_lab_as_it_is(qtbot: QtBot) -> None:
    main, window = opened(qtbot, lesson_path("lab-softmax"))
    qtbot.keyClick(window.picture, Key.Key_PageDown)
    constant = window.session.state.setting["constant"]
    window.lesson.leave.click()
    assert main.session.state.lesson is None
    assert not window.lesson.isVisibleTo(window)
    assert window.session.state.setting["constant"] == constant == 100.0
    left(main)
