"""A double click on a number leads to its editor, from the diagram, the stage view and the heatmap."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.painting.text_size import factor
from gui.views.diagram.view import DiagramView
from gui.views.tables.view import TensorView
from gui.widgets.number_table import NumberEditor
from tests.gui.files_helpers import Answers
from tests.gui.window_kit import bring_forward

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = build_window(example="cat-eats-fish", language="en")
    bring_forward(qtbot, window)
    window.resize(1280, 720)
    window.files.ask = answers = Answers()
    answers.answer = "discard"
    settle()
    return window


def settle() -> None:
    for _ in range(8):
        QApplication.processEvents()


def double_click(qtbot: QtBot, widget: QWidget, place: QPoint) -> None:
    qtbot.mouseClick(widget, LEFT, pos=place)
    qtbot.mouseDClick(widget, LEFT, pos=place)
    settle()


def typed(qtbot: QtBot, text: str, key: Key = Key.Key_Return) -> None:
    editor = QApplication.focusWidget()
    assert isinstance(editor, NumberEditor), editor
    editor.selectAll()
    qtbot.keyClicks(editor, text)
    qtbot.keyClick(editor, key)
    settle()


def in_diagram(view: DiagramView, stage: str, row: int, column: int) -> QPoint:
    for y in range(0, view.height(), 3):
        for x in range(0, view.width(), 3):
            found = view.hit_at(QPointF(x, y))
            if found is not None and found.cell == Cell(stage, row, column):
                return QPoint(x + 3, y + 3)
    raise AssertionError("the cell is not there")


def in_stage(window: MainWindow, cell: Cell) -> QPoint:
    view = window.stage
    for y in range(0, view.height(), 4):
        for x in range(0, view.width(), 4):
            if view.scene().cell_at(QPointF(x, y)) == cell:
                return QPoint(x + 4, y + 4)
    raise AssertionError("the cell is not there")


def in_heatmap(window: MainWindow, row: int, column: int) -> QPoint:
    view = window.heatmaps.view
    area = view.current_layout.matrices[0]
    rows, columns = 3, 2 if window.session.state.cursor.stage != "scores" else 3
    x, y = (
        area.left() + area.width() * (column + 0.5) / columns,
        area.top() + area.height() * (row + 0.5) / rows,
    )
    return (QPointF(x, y) * factor()).toPoint()


def test_a_given_number_in_the_diagram(qtbot: QtBot, window: MainWindow) -> None:
    window.session.go_to_stage("V")
    window.docks["check"].raise_()
    settle()
    double_click(qtbot, window.diagram, in_diagram(window.diagram, "Q", 1, 0))
    assert window.session.state.focus == Cell("Q", 1, 0)
    assert window.session.state.cursor.stage == "V"
    typed(qtbot, "7")
    assert window.session.state.trace["Q"][0, 1, 0] == 7
    assert window.session.state.focus == Cell("Q", 1, 0)
    assert window.diagram.hasFocus()


def test_a_number_in_the_stage_view_and_esc(qtbot: QtBot, window: MainWindow) -> None:
    session = window.session
    session.go_to_stage("scores")
    settle()
    before = session.state.document
    double_click(
        qtbot, window.stage, in_stage(window, Cell("K", 2, 1))
    )  # the first click shows K instead
    assert session.state.focus == Cell("K", 2, 1)
    typed(qtbot, "5", Key.Key_Escape)
    assert session.state.document is before
    assert window.stage.hasFocus()
    session.set_focus(Cell("scores", 0, 0))
    settle()
    double_click(qtbot, window.stage, in_stage(window, Cell("scores", 1, 2)))
    typed(qtbot, "4")
    assert [(pin.stage, pin.index, pin.value) for pin in session.state.document.pins] == [
        ("scores", (0, 1, 2), 4.0)
    ]


def test_a_number_in_the_heatmap_and_tab_goes_on(qtbot: QtBot, window: MainWindow) -> None:
    session = window.session
    viewport = window.heatmaps.view.viewport()
    settle()
    double_click(qtbot, viewport, in_heatmap(window, 2, 0))
    assert session.state.focus == Cell("Q", 2, 0)
    typed(qtbot, "6", Key.Key_Tab)
    assert session.state.trace["Q"][0, 2, 0] == 6
    assert session.state.focus == Cell("Q", 2, 1)
    assert window.tables.view.hasFocus()


def test_what_is_to_be_predicted_is_not_opened(qtbot: QtBot, window: MainWindow) -> None:
    session = window.session
    session.go_to_stage("V")
    session.answers.set_predicting(True)
    session.step(1)
    settle()
    double_click(qtbot, window.stage, in_stage(window, Cell("scores", 1, 2)))
    assert not isinstance(QApplication.focusWidget(), NumberEditor)
    assert not session.state.document.pins


def test_esc_in_a_table_gives_the_arrows_back_to_the_steps(
    qtbot: QtBot, window: MainWindow
) -> None:
    """After Enter the arrows move in the table, and so they do in any list of the window that takes them."""
    window.edit_number(Cell("X", 1, 1))
    table = QApplication.focusWidget().parent().parent()  # type: ignore[union-attr]
    assert isinstance(table, TensorView)
    typed(qtbot, "5", Key.Key_Escape)
    table.setFocus()
    before, start = window.session.state.focus, window.session.state.cursor
    qtbot.keyClick(table, Key.Key_Right)
    assert (window.session.state.focus, window.session.state.cursor) != (before, start)
    assert window.session.state.cursor.stage == start.stage
    assert table.hasFocus()
    qtbot.keyClick(table, Key.Key_Escape)
    assert QApplication.focusWidget() is window.diagram
    qtbot.keyClick(window.diagram, Key.Key_Right)
    assert window.session.state.cursor.stage != start.stage
