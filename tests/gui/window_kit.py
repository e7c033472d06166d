"""Windows for tests, in front of whatever else is open."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QWidget
from pytestqt.qtbot import QtBot

from gui.app.actions import Action
from gui.app.application import action_records, build_window
from gui.app.main_window import MainWindow


def all_actions() -> list[Action[MainWindow]]:
    """The records of all actions of the window."""
    return [record for record in action_records() if isinstance(record, Action)]


def forget_changes(window: MainWindow) -> None:
    """Leave nothing to ask about when the window closes."""
    window.session.undo_stack.setClean()
    window.session.lesson_player.undo_stack.setClean()


def open_window(
    qtbot: QtBot,
    example: str,
    size: tuple[int, int] = (1400, 900),
    before_close: Callable[[MainWindow], None] = forget_changes,
) -> MainWindow:
    """An English window that has the keyboard and no animation; it is closed after the test."""
    window = build_window(example=example, language="en")
    qtbot.addWidget(window, before_close_func=before_close)
    window.resize(*size)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.session.set_preferences(motion=False)
    return window


def bring_forward(qtbot: QtBot, window: QWidget) -> None:
    """Show a window and give it the keyboard; it is closed after the test."""
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)


def choose_row(qtbot: QtBot, combo: QComboBox, row: int) -> None:
    """Open a list and click one of its lines."""
    combo.showPopup()
    view = combo.view()
    index = combo.model().index(row, 0)
    view.scrollTo(index)
    qtbot.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(index).center()
    )
