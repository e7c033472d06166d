"""After an action or a question the keyboard is where typing went, and what was typed counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot

from core.storage.archive import load
from gui.app.main_window import MainWindow
from gui.widgets.number_table import commit_typing
from tests.gui.window_kit import bring_forward, open_window

Key, Control = Qt.Key, Qt.KeyboardModifier.ControlModifier


def forget(window: MainWindow) -> None:
    """Take over what is still being typed, so that closing the window asks nothing."""
    QApplication.processEvents()
    commit_typing(window.focusWidget())
    window.session.undo_stack.setClean()
    window.session.lesson_player.undo_stack.setClean()


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    return open_window(qtbot, "eight-heads", before_close=forget)


def saved(window: MainWindow, path: Path) -> Path:
    """Give the experiment a file, without a question."""
    window.files.ask.save_path = lambda *_: path  # type: ignore[method-assign]
    assert window.files.save()
    return path


def cell(view: QTableView, row: int, column: int) -> QTableView:
    view.setFocus()
    view.setCurrentIndex(view.model().index(row, column))
    return view


def numbers(window: MainWindow) -> QTableView:
    window.docks["tables"].bring_forward()
    window.tables.show_table("X")
    return cell(window.tables.view, 1, 1)


def tokens(window: MainWindow) -> QTableView:
    window.docks["tables"].bring_forward()
    window.tables.show_table("tokens")
    return cell(window.tables.tokens.view, 1, 0)


def check(window: MainWindow) -> QTableView:
    window.show_check()
    return cell(window.check.view, 1, 1)


TABLES: dict[str, Callable[[MainWindow], QTableView]] = {
    "numbers": numbers,
    "tokens": tokens,
    "check": check,
}


def editor() -> QLineEdit:
    line = QApplication.focusWidget()
    assert isinstance(line, QLineEdit)
    return line


def answer(button: str) -> None:
    """Press a button of the next question, by its key."""

    def press() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QDialog)
        found = dialog.findChild(QPushButton, button)
        dialog.reject() if found is None else found.click()

    QTimer.singleShot(50, press)


@pytest.mark.realwindow
@pytest.mark.parametrize("table", TABLES)
def test_saving_takes_the_open_editor_and_leaves_the_keyboard(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, table: str
) -> None:
    path = saved(window, tmp_path / "a.attn.json")
    view = TABLES[table](window)
    head = window.session.state.cursor.head
    qtbot.keyClicks(view, "3")
    qtbot.keyClick(editor(), Key.Key_S, Control)
    assert view.hasFocus()
    index = view.currentIndex()
    assert (index.row(), index.column()) == (1, 0 if table == "tokens" else 1)
    assert index.data(Qt.ItemDataRole.EditRole) in ("3", "3.0")
    document = load(path)
    assert document.X is not None
    written = {"numbers": str(document.X[1, 1]), "tokens": document.tokens[1], "check": "3"}
    assert written[table] in ("3", "3.0")
    qtbot.keyClicks(QApplication.focusWidget(), "4")
    assert editor().text() == "4"
    qtbot.keyClick(editor(), Key.Key_Return)
    place = view.model().index(1, index.column())
    qtbot.waitUntil(lambda: place.data(Qt.ItemDataRole.EditRole) in ("4", "4.0"))
    assert window.session.state.cursor.head == head


@pytest.mark.realwindow
@pytest.mark.parametrize("table", ["numbers", "tokens"])
@pytest.mark.parametrize("key", [Key.Key_O, Key.Key_N, Key.Key_Q])
def test_a_cancelled_question_gives_the_keyboard_back(
    qtbot: QtBot, window: MainWindow, table: str, key: Qt.Key
) -> None:
    view = TABLES[table](window)
    qtbot.keyClicks(view, "3")
    line = editor()
    answer("cancel")
    qtbot.keyClick(line, key, Control)
    window.activateWindow()  # a screen in memory has no window manager that would
    qtbot.waitUntil(lambda: window.isActiveWindow() and QApplication.focusWidget() is view)
    assert view.currentIndex().data(Qt.ItemDataRole.EditRole) in ("3", "3.0")
    qtbot.keyClicks(QApplication.focusWidget(), "5")
    assert editor().text() == "5"
    qtbot.keyClick(editor(), Key.Key_Return)


def test_a_closed_window_asks_and_gives_the_keyboard_back(qtbot: QtBot, window: MainWindow) -> None:
    view = numbers(window)
    qtbot.keyClicks(view, "3")
    answer("cancel")
    assert not window.close()
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is view)
    assert window.session.state.document.X is not None
    assert window.session.state.document.X[1, 1] == 3


def test_a_refused_text_is_not_lost(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    saved(window, tmp_path / "a.attn.json")
    view = numbers(window)
    before = window.session.state.document
    qtbot.keyClicks(view, "0")
    qtbot.keyClicks(editor(), ".5.5")
    qtbot.keyClick(editor(), Key.Key_S, Control)
    assert editor().text() == "0.5.5"
    assert window.tables.view.bubble.isVisible()
    assert window.session.state.document is before
    qtbot.keyClick(editor(), Key.Key_Escape)


@pytest.mark.realwindow
def test_a_field_of_the_setup_keeps_the_keyboard(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    saved(window, tmp_path / "a.attn.json")
    window.docks["tables"].bring_forward()
    window.tables.show_setup()
    window.tables.show_page("heads")
    field = window.tables.setup.heads.rename
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "first")
    qtbot.keyClick(field, Key.Key_S, Control)
    assert QApplication.focusWidget() is field
    assert load(tmp_path / "a.attn.json").heads[0].name == "first"
    qtbot.keyClicks(field, "1")
    assert field.text() == "first1"


@pytest.mark.realwindow
def test_a_field_of_the_lesson_keeps_the_keyboard(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.lesson_files.open_shipped("first-steps")
    window.show_lesson()
    path = tmp_path / "a.lesson.json"
    window.files.ask.save_lesson_path = lambda *_: path  # type: ignore[method-assign]
    title = window.lessons.title
    title.setFocus()
    title.selectAll()
    qtbot.keyClicks(title, "Mine")
    qtbot.keyClick(title, Key.Key_S, Control)
    assert '"Mine"' in path.read_text(encoding="utf-8")
    there: QWidget | None = QApplication.focusWidget()
    assert there is title
    qtbot.keyClicks(there, "7")
    assert title.text() == "Mine7"
    title.commit()


def test_an_editor_that_was_closed_behind_another_window_is_not_committed_again(
    qtbot: QtBot, window: MainWindow
) -> None:
    """Qt deletes the editor later, and warns where it is committed once more; a warning fails the test."""
    view = numbers(window)
    window.labs.open("softmax")
    assert window.labs.window is not None
    bring_forward(qtbot, window.labs.window)
    window.perform("edit_cell")
    line = view.viewport().findChild(QLineEdit)
    assert line is not None
    qtbot.keyClicks(line, "7")
    for action in ("grain_row", "grain_cell"):
        window.perform(action)
        assert view.currentIndex().data() == "7.00"


def test_a_signal_keeps_the_number_that_is_being_typed(
    qtbot: QtBot, window: MainWindow, home: Path
) -> None:
    numbers(window)
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_F2)
    qtbot.keyClicks(editor(), "7.25")
    window.keep_all()
    (copy,) = (home / "recovery").glob("*.attn.json")
    x = load(copy).X
    assert x is not None
    assert x[1, 1] == 7.25
