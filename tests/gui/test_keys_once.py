"""No key is given twice in one window, nor a letter twice in one menu."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from core.lesson.lesson import LESSONS
from gui.app.main_window import MainWindow
from gui.texts.translation import languages
from tests.gui.test_actions import window_with
from tests.gui.window_kit import bring_forward

OF_ONE_WIDGET = (Qt.ShortcutContext.WidgetShortcut, Qt.ShortcutContext.WidgetWithChildrenShortcut)


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    shown = window_with(qtbot)
    bring_forward(qtbot, shown)
    return shown


def keys_of(window: QWidget) -> Iterator[str]:
    """The keys that the actions and shortcuts of a window answer to."""
    actions = {
        action for widget in (window, *window.findChildren(QWidget)) for action in widget.actions()
    }
    for action in actions:
        if action.isEnabled() and action.shortcutContext() not in OF_ONE_WIDGET:
            yield from (key.toString() for key in action.shortcuts())
    for shortcut in window.findChildren(QShortcut):
        if shortcut.context() not in OF_ONE_WIDGET and shortcut.isEnabled():
            yield from (key.toString() for key in QShortcut.keys(shortcut))


def twice(keys: Iterator[str]) -> list[str]:
    return [key for key, count in Counter(keys).items() if key and count > 1]


@pytest.mark.parametrize("in_lesson", [False, True])
def test_the_main_window_gives_each_key_once(window: MainWindow, in_lesson: bool) -> None:
    if in_lesson:
        window.lesson_files.open_shipped(LESSONS[0])
        assert window.session.state.scene is not None
    assert len(list(keys_of(window))) > 40
    assert twice(keys_of(window)) == []


def test_other_windows_give_each_key_once(window: MainWindow) -> None:
    window.perform("lab_softmax")
    window.perform("help")
    window.perform("present")
    others = [each for each in QApplication.topLevelWidgets() if each.isVisible()]
    assert len(others) >= 3
    assert {
        each.windowTitle(): twice(keys_of(each)) for each in others if twice(keys_of(each))
    } == {}
    window.presentation.stop()


def test_a_key_that_is_given_twice_is_found(window: MainWindow) -> None:
    action = QAction(window)
    action.setShortcut(QKeySequence("Ctrl+K"))
    window.addAction(action)
    assert twice(keys_of(window)) == ["Ctrl+K"]


@pytest.mark.parametrize("language", languages())
def test_the_menus_give_each_letter_once(window: MainWindow, language: str) -> None:
    window.session.set_language(language)
    found = {}
    for menu in window.findChildren(QMenu):
        entries = [action.text() for action in menu.actions() if action.isVisible()]
        letters = [
            text[text.index("&") + 1].lower() for text in entries if "&" in text.replace("&&", "")
        ]
        if repeated := twice(iter(letters)):
            found[menu.objectName() or menu.title()] = repeated
    assert found == {}
