"""The presentation and the window below it: keys that come early, what rests meanwhile, and the mouse's arrow."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.lesson.lesson import lesson_path
from gui.app.main_window import MainWindow
from gui.app.panels import StateDispatcher
from gui.presentation.presentation import Presentation
from gui.session.state import State
from tests.gui.presenting_kit import (
    LAPTOP,
    PROJECTOR,
    Key,
    Modifier,
    begun,
    beside_projector,
    board,
    press,
    shown,
)

pytestmark = pytest.mark.realwindow


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    with beside_projector(qtbot, monkeypatch) as window:
        yield window


@pytest.fixture
def room(qtbot: QtBot, window: MainWindow) -> Presentation:
    window.presentation.start()
    return begun(qtbot, window)


def type_early(window: MainWindow, *keys: Key) -> None:
    """Keys as the window system brings them to the main window, before it hears of another one."""
    for key in keys:
        QTest.keyClick(window.windowHandle(), key)


# Keys that come before the hall's window has the keyboard


def test_no_press_is_lost_between_f5_and_the_hall_s_window(
    qtbot: QtBot, window: MainWindow
) -> None:
    plan = window.session.state.trace.plan.ids
    assert window.session.state.cursor.stage == plan[0]
    type_early(window, Key.Key_F5, *[Key.Key_PageDown] * 5)
    begun(qtbot, window)
    assert window.session.state.cursor.stage == plan[5]
    press(qtbot, window.presentation, Key.Key_PageUp)
    assert window.session.state.cursor.stage == plan[4]


def test_early_keys_mean_what_they_mean_in_the_hall(qtbot: QtBot, window: MainWindow) -> None:
    window.presentation.start()
    type_early(window, Key.Key_4, Key.Key_Return)  # to step 4; in the window, digits are heads
    assert window.session.state.cursor.stage == window.session.state.trace.plan.ids[3]
    begun(qtbot, window)


def test_a_table_does_not_keep_early_keys(qtbot: QtBot, window: MainWindow) -> None:
    window.tables.view.setFocus()
    type_early(window, Key.Key_F5, Key.Key_PageDown, Key.Key_Down)
    begun(qtbot, window)
    assert window.session.state.cursor.stage == window.session.state.trace.plan.ids[2]


def test_early_presses_play_the_lesson(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = shown(qtbot, path=lesson_path("first-steps"))
    window.presentation.screens = lambda: [PROJECTOR]
    other = shown(qtbot, path=lesson_path("first-steps"))
    for _ in range(3):
        other.session.lesson_player.forward()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    type_early(
        window, Key.Key_F5, *[Key.Key_PageDown] * 4
    )  # the answer of the first scene is one of them
    begun(qtbot, window)
    mine, other_s = window.session.state, other.session.state
    assert (mine.scene_index, mine.steps_taken, mine.cursor) == (
        other_s.scene_index,
        other_s.steps_taken,
        other_s.cursor,
    )
    window.presentation.stop()


def test_who_comes_back_to_the_window_works_in_it(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    type_early(window, Key.Key_2)  # a head, of which there is one: nothing is typed in the hall
    assert room.number_entry.typed == ""


def test_f5_held_down_does_not_flicker(window: MainWindow, room: Presentation) -> None:
    again = QKeyEvent(QEvent.Type.KeyPress, Key.Key_F5, Modifier.NoModifier, "", True)
    QApplication.sendEvent(board(room), again)
    assert room.is_running
    assert not window.actions_["present"].autoRepeat()
    assert window.actions_["step_forward"].autoRepeat()


def test_every_letter_is_a_command_or_does_nothing(qtbot: QtBot, room: Presentation) -> None:
    """Also those that only a lab uses."""
    for letter in range(26):
        press(qtbot, room, Key(Key.Key_A + letter))
        assert room.is_running


def test_who_quits_is_not_held_up(qtbot: QtBot, window: MainWindow) -> None:
    window.presentation.screens = lambda: [LAPTOP, PROJECTOR]
    window.presentation.start()
    assert window.presentation.speaker is not None
    QApplication.closeAllWindows()
    assert not window.presentation.is_running
    assert not [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]


# What is covered rests


class Watcher:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[State | None, State]] = []

    def show_state(self, old: State | None, new: State) -> None:
        self.told.append((old, new))


def test_a_resting_view_hears_of_everything_at_once(window: MainWindow) -> None:
    watcher, states = Watcher(), []
    backstage = StateDispatcher(window.message_bar, [watcher])
    for stage in ("K", "V", "scores"):
        states.append(window.session.state)
        window.session.go_to_stage(stage)
    states.append(window.session.state)
    backstage.show_state(states[0], states[1])
    backstage.pause(True)
    assert not window.message_bar.updatesEnabled()
    backstage.show_state(states[1], states[2])
    backstage.show_state(states[2], states[3])
    assert watcher.told == [(states[0], states[1])]
    backstage.pause(False)
    assert watcher.told[1:] == [(states[1], states[3])]
    assert window.message_bar.updatesEnabled()
    backstage.pause(True)
    backstage.pause(False)
    assert len(watcher.told) == 2


def test_nothing_moves_behind_the_presentation(
    qtbot: QtBot, window: MainWindow, room: Presentation, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.session.go_to_stage("V")
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "on")
    press(qtbot, room, Key.Key_PageDown)
    presented = board(room).panes.all["diagram"]
    assert presented.moving  # type: ignore[union-attr]
    assert not window.diagram.moving
    assert not window.diagram.updatesEnabled()
    assert board(room).updatesEnabled()
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    press(qtbot, room, Key.Key_PageDown, Key.Key_Escape)
    assert window.updatesEnabled()
    assert window.diagram._state is window.session.state
    assert window.stage._state is window.session.state


def test_a_window_that_is_looked_at_is_up_to_date(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    press(qtbot, room, Key.Key_PageDown)
    window.activateWindow()
    qtbot.waitUntil(window.updatesEnabled)
    assert window.diagram._state is window.session.state
    window.session.step(1)
    assert window.diagram._state is window.session.state
    board(room).activateWindow()
    qtbot.waitUntil(lambda: not window.updatesEnabled())


# The mouse's arrow


def is_blank() -> bool:
    cursor = QGuiApplication.overrideCursor()
    return cursor is not None and cursor.shape() is Qt.CursorShape.BlankCursor


@pytest.mark.parametrize("key", [Key.Key_L, Key.Key_S])
def test_no_arrow_under_a_light(qtbot: QtBot, room: Presentation, key: Key) -> None:
    hall = board(room)
    hall._moved(QPointF(200, 200))
    assert not is_blank()
    press(qtbot, room, key)
    assert is_blank()
    hall._moved(QPointF(210, 200))
    assert is_blank()
    press(qtbot, room, Key.Key_Escape)
    assert not is_blank()


def test_the_arrow_goes_when_it_rests_and_comes_when_it_moves(
    qtbot: QtBot, room: Presentation
) -> None:
    hall = board(room)
    hall.cursor_hider.idle_timer.setInterval(1)
    pane = hall.panes.get("stage")
    qtbot.mouseMove(pane, QPoint(40, 40))
    qtbot.mouseMove(pane, QPoint(60, 60))
    qtbot.waitUntil(is_blank)
    hall.cursor_hider.idle_timer.setInterval(100_000)
    qtbot.mouseMove(pane, QPoint(80, 60))
    qtbot.waitUntil(lambda: not is_blank())
    assert hall.cursor_hider.idle_timer.isActive()


def test_a_menu_has_its_arrow(qtbot: QtBot, room: Presentation) -> None:
    hall = board(room)
    hall._moved(QPointF(200, 200))
    press(qtbot, room, Key.Key_L)
    assert is_blank()
    room._choose_view(hall.mapToGlobal(QPoint(300, 300)))
    assert not is_blank()
    hall.cursor_hider.idle_timer.timeout.emit()
    assert not is_blank()
    menu = QApplication.activePopupWidget()
    assert menu is not None
    menu.close()


def test_the_arrow_is_there_after_the_presentation(qtbot: QtBot, room: Presentation) -> None:
    board(room)._moved(QPointF(200, 200))
    press(qtbot, room, Key.Key_L)
    assert is_blank()
    room.stop()
    assert QGuiApplication.overrideCursor() is None
