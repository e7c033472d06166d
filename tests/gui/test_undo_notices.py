"""Each undo says what it undid, in the window, in the hall, in Check, lesson and lab."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.check.answers import parse_answer
from gui.app.main_window import MainWindow
from gui.labs.exhibit import LabAppearance
from gui.labs.session import LabSession
from gui.labs.window import LabWindow
from gui.presentation.audience_view import AudienceView
from gui.views.tables.set_values import enter_text, value_at
from tests.gui.window_kit import open_window

Key, Control = Qt.Key, Qt.KeyboardModifier.ControlModifier
Shift = Qt.KeyboardModifier.ShiftModifier
CELL = Cell("X", 1, 1)


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    return open_window(qtbot, "i-love-this-apple")


def notice(window: MainWindow) -> str:
    toast = window.message_bar.toast
    return toast.accessibleName() if toast.isVisible() else ""


@pytest.mark.realwindow
def test_the_window_says_what_was_undone_and_done_again(qtbot: QtBot, window: MainWindow) -> None:
    enter_text(window.session, CELL, "3")
    assert notice(window) == ""
    qtbot.keyClick(window.diagram, Key.Key_Z, Control)
    assert notice(window) == "Undone: Set X(love, x₂)"
    qtbot.keyClick(window.diagram, Key.Key_Z, Control | Shift)
    assert notice(window) == "Redone: Set X(love, x₂)"
    window.session.step(1)
    assert notice(window) == ""


def draw(qtbot: QtBot, audience: AudienceView) -> None:
    pointer = audience.pointer
    qtbot.mousePress(pointer, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    qtbot.mouseMove(pointer, QPoint(90, 60))
    qtbot.mouseRelease(pointer, Qt.MouseButton.LeftButton, pos=QPoint(90, 60))


@pytest.mark.realwindow
def test_the_hall_undoes_the_later_one_of_stroke_and_number(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.present()
    audience = window.presentation.audience
    assert audience is not None
    qtbot.waitUntil(audience.isActiveWindow)
    before = value_at(window.session.state, CELL)
    audience.pointer.next_pen()
    draw(qtbot, audience)
    enter_text(window.session, CELL, "3")
    draw(qtbot, audience)
    assert len(audience.pointer.strokes) == 2

    def undo() -> tuple[int, float | None, str]:
        qtbot.keyClick(audience, Key.Key_Z, Control)
        message = audience.message_layer.message
        assert message is not None
        return len(audience.pointer.strokes), value_at(window.session.state, CELL), message.small

    assert undo() == (1, 3.0, "Undone: pen stroke")
    assert undo() == (1, before, "Undone: Set X(love, x₂)")
    assert undo() == (0, before, "Undone: pen stroke")
    window.presentation.stop()


@pytest.mark.realwindow
def test_check_says_what_was_undone(qtbot: QtBot, window: MainWindow) -> None:
    window.show_check()
    number = parse_answer("1")
    assert number is not None
    window.session.answers.write("scores", {(0, 1, 1): number})
    qtbot.keyClick(window.check.view, Key.Key_Z, Control)
    assert notice(window) == "Undone: your numbers in Scores"


def test_a_lesson_says_what_was_undone(qtbot: QtBot, window: MainWindow) -> None:
    window.lesson_files.open_shipped("first-steps")
    window.show_lesson()
    window.session.lesson_player.remove_scene(1)
    name = window.session.lesson_player.undo_stack.undoText()
    window.lessons.scenes.setFocus()
    qtbot.keyClick(window.lessons.scenes, Key.Key_Z, Control)
    assert name
    assert notice(window) == f"Undone: {name}"


def test_a_lab_says_what_was_undone(qtbot: QtBot) -> None:
    lab = LabWindow(LabSession("softmax", LabAppearance("light", 2, live=True), "en"))
    qtbot.addWidget(lab)
    with qtbot.waitActive(lab):
        lab.show()
        lab.activateWindow()
    lab.session.set_value("temperature", 2.5, "knob")
    name = lab.session.undo_stack.undoText()
    qtbot.keyClick(lab.picture, Key.Key_Z, Control)
    assert name
    assert lab.message.text() == f"Undone: {name}"
