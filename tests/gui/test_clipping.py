"""Edit ▸ Copy, Paste, Paste as the whole matrix, Select all: they belong to whoever has the keyboard."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.explain.timeline import Grain
from gui.app.application import build_window
from gui.app.clipboard_actions import METHODS
from gui.app.main_window import MainWindow


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = build_window(example="cat-eats-fish", language="en")
    qtbot.addWidget(window, before_close_func=lambda _: window.session.undo_stack.setClean())
    window.resize(1280, 940)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def edit_menu(window: MainWindow) -> QMenu:
    return next(
        m for m in window.findChildren(QMenu) if window.actions_["clip_copy"] in m.actions()
    )


def offered(window: MainWindow) -> set[str]:
    """What the Edit menu offers when it is opened now."""
    edit_menu(window).aboutToShow.emit()
    return {name for name in METHODS if window.actions_[name].isEnabled()}


def to_table(window: MainWindow, tensor: str, row: int = 0, column: int = 0) -> None:
    window.docks["tables"].raise_()
    window.session.set_focus(Cell(tensor, row, column, 0))
    window.tables.show_table(tensor)
    window.tables.view.setFocus()
    QApplication.processEvents()


def test_each_acts_on_the_table_that_has_the_keyboard(window: MainWindow) -> None:
    clipboard, session = QGuiApplication.clipboard(), window.session
    to_table(window, "V")
    clipboard.setText("7 8")
    assert offered(window) == set(METHODS)
    before = np.array(session.state.document.tensor("V", 0))
    window.actions_["clip_paste"].trigger()
    after = np.array(session.state.document.tensor("V", 0))
    assert after[0].tolist() == [7.0, 8.0]
    assert (after[1:] == before[1:]).all()
    assert session.undo_stack.undoText() == "Paste into V"
    window.actions_["select_all"].trigger()
    window.actions_["clip_copy"].trigger()
    copied = [[float(text) for text in line.split("\t")] for line in clipboard.text().split("\n")]
    assert copied == after.tolist()
    clipboard.setText("\n".join("\t".join(str(i + j) for j in range(2)) for i in range(3)))
    window.actions_["clip_whole"].trigger()
    assert np.array(session.state.document.tensor("V", 0)).tolist() == [[0, 1], [1, 2], [2, 3]]
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert (np.array(session.state.document.tensor("V", 0)) == before).all()


def test_nothing_is_offered_where_nothing_can_be_copied(window: MainWindow) -> None:
    QGuiApplication.clipboard().setText("1 2")
    window.session.set_preferences(grain=Grain.ROW)
    window.session.go_to_stage("scores")
    window.session.set_focus(Cell("Y", 0, 0, 0))  # not reached: it has no number yet
    window.diagram.setFocus()
    assert offered(window) == set()
    to_table(window, "V")
    QGuiApplication.clipboard().clear()
    assert offered(window) == {"clip_copy", "clip_clear", "select_all"}


def test_the_diagram_copies_its_number_and_takes_several_matrices(window: MainWindow) -> None:
    clipboard = QGuiApplication.clipboard()
    window.session.set_focus(Cell("V", 0, 0, 0))
    window.diagram.setFocus()
    clipboard.setText("Q = [[1, 2], [3, 4]]\nK = [[5, 6], [7, 8]]\n")
    assert offered(window) == {"clip_copy", "clip_paste"}
    window.actions_["clip_copy"].trigger()
    assert float(clipboard.text()) == np.array(window.session.state.document.tensor("V", 0))[0, 0]
    assert offered(window) == {"clip_copy"}


def test_answers_are_pasted_into_check_and_not_into_the_experiment(window: MainWindow) -> None:
    session = window.session
    window.actions_["check"].trigger()
    session.go_to_stage("scores")
    window.check.view.setFocus()
    QGuiApplication.clipboard().setText("0.74")
    assert offered(window) == {"clip_copy", "clip_paste", "clip_clear", "select_all"}
    before = session.state.document
    window.actions_["clip_paste"].trigger()
    assert session.state.document is before
    assert session.state.entries["scores"]


def test_a_menu_that_is_opened_by_keys_acts_where_the_keyboard_was(window: MainWindow) -> None:
    to_table(window, "V")
    QGuiApplication.clipboard().setText("5")
    window.menuBar().setFocus(Qt.FocusReason.MenuBarFocusReason)
    assert offered(window) == set(METHODS)
    window.actions_["clip_paste"].trigger()
    assert np.array(window.session.state.document.tensor("V", 0))[0, 0] == 5.0


def test_code_copies_its_line(window: MainWindow) -> None:
    window.actions_["code_panel"].trigger()
    assert offered(window) == {"clip_copy"}
    window.actions_["clip_copy"].trigger()
    assert "=" in QGuiApplication.clipboard().text()


@pytest.mark.parametrize("name", sorted(METHODS))
def test_the_menu_names_the_keys_and_leaves_them_to_the_tables(
    window: MainWindow, name: str
) -> None:
    action = window.actions_[name]
    assert not action.shortcut().isEmpty()
    assert action.shortcutContext() is Qt.ShortcutContext.WidgetShortcut


def test_keys_still_work_in_tables(qtbot: QtBot, window: MainWindow) -> None:
    to_table(window, "V")
    control = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(window.tables.view, Qt.Key.Key_A, control)
    qtbot.keyClick(window.tables.view, Qt.Key.Key_C, control)
    assert QGuiApplication.clipboard().text().count("\t") == 3
    qtbot.keyClick(
        window.tables.view, Qt.Key.Key_Right
    )  # selects one cell: a number fills them all
    QGuiApplication.clipboard().setText("9")
    qtbot.keyClick(window.tables.view, Qt.Key.Key_V, control)
    assert np.array(window.session.state.document.tensor("V", 0)).ravel().tolist().count(9.0) == 1
