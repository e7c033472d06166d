"""Undo in the panel "Check" is the learner's own, and never changes what is out of sight."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.check.answers import parse_answer
from core.document.edits import with_cell
from core.storage.examples import load_example
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.session.session import Session
from tests.gui.check_kit import editor, show_panel, texts, type_in
from tests.gui.tables_kit import make_session

Key = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def forget(window: MainWindow) -> None:
    window.session.undo_stack.setClean()


def write(session: Session, stage: str, index: tuple[int, ...], text: str) -> None:
    session.answers.write(stage, {index: parse_answer(text)})


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = build_window(example="cat-eats-fish")
    qtbot.addWidget(window, before_close_func=forget)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.show_check()
    return window


def test_the_answer_goes_and_the_experiment_stays(qtbot: QtBot, window: MainWindow) -> None:
    session, panel = window.session, window.check
    session.go_to_stage("scores")
    edited = with_cell(session.state.document, Cell("Q", 0, 0), 9.0)
    session.edit(edited)
    panel.view.setFocus()
    panel.view.setCurrentIndex(panel.view.entries.index(0, 0))
    type_in(qtbot, panel.view, "3")
    type_in(qtbot, panel.view, "4")
    qtbot.keyClick(panel.view, Key.Key_Z, CTRL)
    assert texts(session, "scores") == {(0, 0, 0): "3"}
    assert session.state.focus == Cell("scores", 1, 0)
    for _ in range(3):
        qtbot.keyClick(panel.view, Key.Key_Z, CTRL)
    assert not session.state.entries
    assert session.state.document is edited
    qtbot.keyClick(panel.view, Key.Key_Y, CTRL)
    qtbot.keyClick(panel.view, Key.Key_Z, CTRL | SHIFT)
    assert texts(session, "scores") == {(0, 0, 0): "3", (0, 1, 0): "4"}


def test_wherever_in_the_panel_the_keyboard_is(qtbot: QtBot, window: MainWindow) -> None:
    session, panel = window.session, window.check
    session.go_to_stage("scores")
    edited = with_cell(session.state.document, Cell("Q", 0, 0), 9.0)
    session.edit(edited)
    write(session, "scores", (0, 0, 0), "3")
    panel.stages.setFocus()
    qtbot.keyClick(panel.stages, Key.Key_Z, CTRL)
    assert not session.state.entries
    window.diagram.setFocus()
    qtbot.keyClick(window.diagram, Key.Key_Z, CTRL)
    assert session.state.document is not edited


def test_what_is_being_typed_comes_first(qtbot: QtBot) -> None:
    session = make_session()
    session.go_to_stage("scores")
    panel = show_panel(qtbot, session)
    write(session, "scores", (0, 0, 0), "3")
    panel.view.setFocus()
    panel.view.setCurrentIndex(panel.view.entries.index(2, 2))
    qtbot.keyClicks(panel.view, "7")
    qtbot.keyClick(editor(panel.view), Key.Key_Z, CTRL)
    assert texts(session, "scores") == {(0, 0, 0): "3"}
    qtbot.keyClick(editor(panel.view), Key.Key_Escape)


def test_the_stage_of_the_answer_is_shown(qtbot: QtBot) -> None:
    session = make_session()
    session.go_to_stage("scores")
    panel = show_panel(qtbot, session)
    write(session, "Q", (1, 2, 1), "3")
    assert panel.stage == "scores"
    panel.view.setFocus()
    qtbot.keyClick(panel.view, Key.Key_Z, CTRL)
    assert panel.stage == "Q"
    assert session.state.focus == Cell("Q", 2, 1, 1)
    assert session.state.cursor.head == 1


@pytest.mark.usefixtures("qapp")
def test_while_predicting_only_what_is_asked_goes() -> None:
    session = make_session()
    session.go_to_stage("V")
    write(session, "Q", (1, 2, 1), "3")
    session.answers.set_predicting(True)
    session.step(1)
    assert session.answers.undo(-1) == ""
    write(session, "scores", (0, 0, 0), "3")
    assert session.answers.undo(-1) == "scores"
    assert texts(session, "Q") == {(1, 2, 1): "3"}


@pytest.mark.usefixtures("qapp")
def test_clearing_and_bringing_back_are_steps() -> None:
    session = make_session()
    write(session, "Q", (1, 2, 1), "3")
    session.answers.clear("Q")
    session.answers.restore_cleared()
    session.answers.undo(-1)
    assert not session.state.entries
    session.answers.undo(-1)
    assert texts(session, "Q") == {(1, 2, 1): "3"}


@pytest.mark.usefixtures("qapp")
def test_another_experiment_has_no_steps_of_this_one() -> None:
    session = make_session()
    write(session, "Q", (1, 2, 1), "3")
    session.open_document(load_example("cat-eats-fish"))
    assert session.answers.undo(-1) == ""
    write(session, "scores", (0, 0, 0), "3")
    assert session.answers.undo(-1) == "scores"
    assert session.answers.undo(-1) == ""
