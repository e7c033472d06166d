"""Arrow keys step wherever nothing needs them, and Esc gives them back to stepping."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from gui.app.main_window import MainWindow
from tests.gui.window_kit import choose_row, open_window

Key = Qt.Key


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = open_window(qtbot, "eight-heads")
    window.session.go_to_stage("weights")
    window.focus_diagram()
    return window


def tables_head(window: MainWindow) -> QComboBox:
    window.docks["tables"].bring_forward()
    window.tables.show_table("weights")
    return window.tables.head


def mask_kind(window: MainWindow) -> QComboBox:
    window.docks["tables"].bring_forward()
    window.tables.show_setup()
    window.tables.show_page("setup_mask")
    box = window.tables.setup.masking.findChild(QComboBox)
    assert isinstance(box, QComboBox)
    return box


def check_stage(window: MainWindow) -> QComboBox:
    window.docks["check"].bring_forward()
    return window.check.stages


BOXES: dict[str, Callable[[MainWindow], QComboBox]] = {
    "head": tables_head,
    "mask": mask_kind,
    "check": check_stage,
}


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


@pytest.mark.realwindow
@pytest.mark.parametrize("name", BOXES)
def test_keys_go_on_stepping_after_the_mouse_chose_in_a_box(
    qtbot: QtBot, window: MainWindow, name: str
) -> None:
    box = BOXES[name](window)
    window.focus_diagram()
    interval = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(0)  # Qt takes no choice within the time of a double click
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton)
    box.hidePopup()
    QApplication.processEvents()
    choose_row(qtbot, box, 1)
    QApplication.setDoubleClickInterval(interval)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert box.currentIndex() == 1
    before = window.session.state.cursor
    qtbot.keyClick(focused(), Key.Key_Left)
    assert window.session.state.cursor != before
    qtbot.keyClick(focused(), Key.Key_Right)
    qtbot.keyClick(focused(), Key.Key_Space)
    assert window.session.state.playing
    qtbot.keyClick(focused(), Key.Key_Space)
    assert not window.session.state.playing


@pytest.mark.parametrize("name", BOXES)
def test_a_box_that_tab_has_reached_leaves_left_and_right_to_stepping(
    qtbot: QtBot, window: MainWindow, name: str
) -> None:
    box = BOXES[name](window)
    box.setFocus(Qt.FocusReason.TabFocusReason)
    before = window.session.state.cursor
    qtbot.keyClick(box, Key.Key_Left)
    assert window.session.state.cursor != before
    assert box.hasFocus()
    chosen = box.currentIndex()
    qtbot.keyClick(box, Key.Key_Up if chosen else Key.Key_Down)
    assert box.currentIndex() != chosen


def combo(window: MainWindow) -> QWidget:
    return tables_head(window)


def heads(window: MainWindow) -> QWidget:
    window.docks["tables"].bring_forward()
    window.tables.show_setup()
    window.tables.show_page("setup_heads")
    return window.tables.setup.heads.rename


def tab(window: MainWindow) -> QWidget:
    return window.tables.tabs


def sizes(window: MainWindow) -> QWidget:
    window.docks["tables"].bring_forward()
    window.tables.show_setup()
    window.tables.show_page("setup_sizes")
    return window.tables.setup.sizes.fields["n"]


def numbers(window: MainWindow) -> QWidget:
    window.docks["tables"].bring_forward()
    window.tables.show_table("X")
    return window.tables.view


PLACES: dict[str, Callable[[MainWindow], QWidget]] = {
    "combo": combo,
    "line": heads,
    "tab": tab,
    "spin": sizes,
    "table": numbers,
}


@pytest.mark.realwindow
@pytest.mark.parametrize("place", PLACES)
def test_esc_gives_the_keys_back(qtbot: QtBot, window: MainWindow, place: str) -> None:
    widget = PLACES[place](window)
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    assert widget.hasFocus()
    qtbot.keyClick(widget, Key.Key_Escape)
    before = window.session.state.cursor
    qtbot.keyClick(focused(), Key.Key_Left)
    assert window.session.state.cursor != before


def test_the_first_esc_restores_a_name_the_second_leaves(qtbot: QtBot, window: MainWindow) -> None:
    field = window.tables.setup.heads.rename
    heads(window)
    field.setFocus()
    before = field.text()
    qtbot.keyClicks(field, "x")
    qtbot.keyClick(field, Key.Key_Escape)
    assert field.text() == before
    assert field.hasFocus()
    qtbot.keyClick(field, Key.Key_Escape)
    assert not field.hasFocus()
