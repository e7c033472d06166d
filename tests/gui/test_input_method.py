"""What an input method commits into a closed cell opens the editor with it, in every table."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QSpinBox, QTableView, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from gui.app.main_window import MainWindow
from gui.views.lesson.editor import CountField
from gui.views.tables.mask_grid import MaskGrid
from gui.widgets.forms import NumberField
from gui.widgets.number_table import commit_typing
from tests.gui.window_kit import bring_forward, open_window

Key = Qt.Key


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    return open_window(qtbot, "i-love-this-apple", before_close=forget)


def forget(window: MainWindow) -> None:
    """Take over what is still being typed, so that closing the window asks nothing."""
    QApplication.processEvents()
    commit_typing(window.focusWidget())
    window.session.undo_stack.setClean()
    window.session.lesson_player.undo_stack.setClean()


def numbers(window: MainWindow) -> QTableView:
    window.docks["tables"].bring_forward()
    window.tables.show_table("X")
    view = window.tables.view
    view.setCurrentIndex(view.model().index(1, 1))
    return view


def computed(window: MainWindow) -> QTableView:
    window.docks["tables"].bring_forward()
    window.tables.show_table("scores")
    view = window.tables.view
    view.setCurrentIndex(view.model().index(1, 1))
    return view


def tokens(window: MainWindow) -> QTableView:
    window.docks["tables"].bring_forward()
    window.tables.show_table("tokens")
    view = window.tables.tokens.view
    view.setCurrentIndex(view.model().index(1, 0))
    return view


def check(window: MainWindow) -> QTableView:
    window.show_check()
    view = window.check.view
    view.setCurrentIndex(view.model().index(1, 1))
    return view


TABLES: dict[str, Callable[[MainWindow], QTableView]] = {
    "numbers": numbers,
    "computed": computed,
    "tokens": tokens,
    "check": check,
}


def compose(widget: QWidget | None, preedit: str, commit: str = "") -> None:
    assert widget is not None
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QApplication.sendEvent(widget, event)


@pytest.mark.realwindow
@pytest.mark.parametrize("text", ["。", "－", "５", "5", "√"])
@pytest.mark.parametrize("table", TABLES)
def test_a_text_committed_at_once_opens_the_editor(
    qtbot: QtBot, window: MainWindow, table: str, text: str
) -> None:
    view = TABLES[table](window)
    view.setFocus()
    compose(QApplication.focusWidget(), "", text)
    line = QApplication.focusWidget()
    assert isinstance(line, QLineEdit)
    assert view.isAncestorOf(line)
    assert line.text() == text
    qtbot.keyClicks(line, "2")
    assert line.text() == f"{text}2"
    qtbot.keyClick(line, Key.Key_Escape)
    assert view.hasFocus()
    forget(window)


@pytest.mark.parametrize("table", TABLES)
def test_a_composed_digit_arrives_once(qtbot: QtBot, window: MainWindow, table: str) -> None:
    view = TABLES[table](window)
    view.setFocus()
    compose(QApplication.focusWidget(), "w")
    compose(QApplication.focusWidget(), "wu")
    compose(QApplication.focusWidget(), "", "5")
    lines = view.viewport().findChildren(QLineEdit)
    assert [line.text() for line in lines] == ["5"]
    qtbot.keyClick(lines[0], Key.Key_Escape)
    forget(window)


def test_the_numbers_are_taken_over(qtbot: QtBot, window: MainWindow) -> None:
    view = numbers(window)
    view.setFocus()
    for sign in ("－", "５", "。", "２"):
        compose(QApplication.focusWidget(), "", sign)
    line = QApplication.focusWidget()
    assert isinstance(line, QLineEdit)
    qtbot.keyClick(line, Key.Key_Return)
    document = window.session.state.document
    assert document.X is not None
    assert document.X[1, 1] == -5.2
    forget(window)


def test_a_number_to_be_predicted_takes_none(qtbot: QtBot, window: MainWindow) -> None:
    view = computed(window)
    window.session.go_to_stage("Q")
    window.session.answers.set_predicting(True)
    window.session.step(1)
    window.session.set_focus(Cell("scores", 1, 1))
    view.setFocus()
    compose(view, "", "５")
    assert view.viewport().findChildren(QLineEdit) == []
    window.session.answers.set_predicting(False)
    forget(window)


def settings(window: MainWindow) -> QSpinBox:
    window.docks["tables"].bring_forward()
    window.tables.show_setup()
    window.tables.show_page("sizes")
    return window.tables.setup.sizes.fields["n"]


def dialog(window: MainWindow) -> QSpinBox:
    return NumberField(1, 99, 7)


def lesson(window: MainWindow) -> QSpinBox:
    return CountField()


@pytest.mark.parametrize("make", [settings, dialog, lesson])
def test_fields_of_whole_numbers_take_full_width_digits(
    qtbot: QtBot, window: MainWindow, make: Callable[[MainWindow], QSpinBox]
) -> None:
    field = make(window)
    if field.window() is not window:
        bring_forward(qtbot, field)
    field.setFocus()
    field.selectAll()
    for sign in "１２":
        compose(QApplication.focusWidget(), "", sign)
    field.interpretText()
    assert field.value() == 12


def test_the_mask_has_keys_but_no_input_method(qtbot: QtBot, window: MainWindow) -> None:
    """Where only keys do something an input method must not swallow them."""
    grid = MaskGrid(window.session)
    qtbot.addWidget(grid)
    assert not grid.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
