"""The words of a lesson while they are typed: safe from a crash, and never in the way of who types."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from core.lesson.lesson import SUFFIX, load
from gui.app.main_window import MainWindow
from gui.storage.recovery_store import read_entry
from gui.views.lesson.editor import TextField
from tests.gui.lesson_kit import LessonAnswers, add_first_scene, click, lesson, shown

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = shown(qtbot, language="en")
    add_first_scene(qtbot, window)
    return window


@pytest.fixture
def say(qtbot: QtBot, window: MainWindow) -> TextField:
    """The field in which the keyboard is."""
    click(qtbot, window.lessons.parts.buttons["words"])
    field = window.lessons.editor.texts["say"].field
    field.setFocus()
    return field


def said(window: MainWindow, scene: int = 0) -> str:
    return lesson(window).scenes[scene].say.get("en")


def steps(window: MainWindow) -> int:
    return window.session.lesson_player.undo_stack.count()


def test_what_is_typed_reaches_the_recovery_copy_without_leaving_the_field(
    qtbot: QtBot, window: MainWindow, say: TextField
) -> None:
    qtbot.keyClicks(say, "Row three")
    qtbot.waitUntil(lambda: said(window) == "Row three", timeout=20_000)
    assert say.hasFocus()
    assert window.recovery.write()
    entry = read_entry(window.recovery._name)
    assert entry is not None
    assert entry.lesson is not None
    assert entry.lesson.scenes[0].say.get("en") == "Row three"


def test_a_hand_over_in_between_leaves_cursor_selection_and_the_fields_own_undo(
    qtbot: QtBot, window: MainWindow, say: TextField
) -> None:
    before = steps(window)
    qtbot.keyClicks(say, "Row three ")
    cursor = say.textCursor()
    cursor.setPosition(4)
    cursor.setPosition(1, QTextCursor.MoveMode.KeepAnchor)
    say.setTextCursor(cursor)
    window.session.lesson_player.commit_requested.emit()
    assert said(window) == "Row three "
    assert (say.textCursor().position(), say.textCursor().anchor()) == (1, 4)
    say.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(say, "only")
    window.session.lesson_player.commit_requested.emit()
    assert said(window) == "Row three only"
    assert steps(window) == before + 1, "one visit of a field is one step"
    assert say.document().isUndoAvailable()
    window.diagram.setFocus()
    say.setFocus()
    qtbot.keyClicks(say, "!")
    window.diagram.setFocus()
    assert steps(window) == before + 2
    window.session.lesson_player.undo_stack.undo()
    assert said(window) == "Row three only"
    window.session.lesson_player.undo_stack.undo()
    assert said(window) == ""


def test_saving_and_a_question_that_is_cancelled_leave_the_keyboard_where_one_types(
    qtbot: QtBot, window: MainWindow, say: TextField, tmp_path: Path
) -> None:
    answers = window.files.ask
    assert isinstance(answers, LessonAnswers)
    answers.saved = tmp_path / "mine"
    qtbot.keyClicks(say, "first")
    say.moveCursor(QTextCursor.MoveOperation.Left)
    qtbot.keyClick(say, Key.Key_S, Modifier.ControlModifier)
    path = tmp_path / f"mine{SUFFIX}"
    assert load(path).scenes[0].say.get("en") == "first"
    assert say.hasFocus()
    assert say.textCursor().position() == 4
    qtbot.keyClicks(say, "1")
    answers.answer = "cancel"
    window.close()
    assert answers.asked == [f"lesson {path.name}"], "what stands in the field alone is a change"
    assert window.isVisible()
    assert say.hasFocus()
    qtbot.keyClicks(say, "2")
    assert say.toPlainText() == "firs12t"
    answers.answer = "save"
    assert window.lesson_files.maybe_save()
    assert load(path).scenes[0].say.get("en") == "firs12t"
    answers.answer = "discard"


@pytest.mark.parametrize("way", ["add_scene", "scene_back"])
def test_a_key_that_brings_another_scene_leaves_the_words_with_theirs(
    qtbot: QtBot, window: MainWindow, way: str
) -> None:
    window.session.lesson_player.add_scene()
    click(qtbot, window.lessons.parts.buttons["words"])
    field = window.lessons.editor.texts["say"].field
    field.setFocus()
    qtbot.keyClicks(field, "mine")
    window.actions_[way].trigger()
    assert [said(window, number) for number in (0, 1)] == ["", "mine"]
    assert field.toPlainText() == ""


def test_words_typed_just_before_the_language_is_changed_are_of_the_language_before(
    qtbot: QtBot, window: MainWindow, say: TextField
) -> None:
    qtbot.keyClicks(say, "mine")
    window.lessons.editor.language_buttons.chosen.emit("zh_CN")
    scene = lesson(window).scenes[0]
    assert (scene.say.get("en"), scene.say.get("zh_CN")) == ("mine", "")


def test_the_lessons_title_is_handed_over_while_it_is_typed(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    title, before = window.lessons.title, steps(window)
    title.setFocus()
    qtbot.keyClicks(title, "On ")
    qtbot.waitUntil(lambda: lesson(window).title.get("en") == "On", timeout=20_000)
    qtbot.keyClicks(title, "Monday")
    answers = window.files.ask
    assert isinstance(answers, LessonAnswers)
    answers.saved = tmp_path / "mine"
    assert window.lesson_files.save()
    assert load(tmp_path / f"mine{SUFFIX}").title.get("en") == "On Monday"
    assert steps(window) == before + 1
    assert window.files.maybe_save()
    assert title.hasFocus()
