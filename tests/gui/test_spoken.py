"""What a screen reader hears: each view that marks a cell names its tokens and its value, and keeps up with changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6 import QtGui
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QApplication, QTableView
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.document import Mask
from core.document.edits import with_cell, with_mask, with_pin
from core.document.resize import with_tokens_added
from core.storage.examples import load_example
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import Preferences
from gui.texts.translation import language_folder

NAME, DESCRIPTION = QAccessible.Text.Name, QAccessible.Text.Description


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = build_window(example="cat-eats-fish", language="en")
    qtbot.addWidget(window, before_close_func=forget)
    window.resize(1600, 950)
    window.show()
    window.session.set_preferences(motion=False)
    assert window.heatmaps.view is not None  # made now, not once there is time
    window.session.go_to_stage("weights")
    window.session.set_focus(Cell("weights", 1, 2))
    return window


def forget(window: MainWindow) -> None:
    """Nothing to ask about when it closes."""
    window.session.undo_stack.setClean()


def heard(thing: QObject) -> str:
    """Name and description as the accessibility interface gives them."""
    interface = QAccessible.queryAccessibleInterface(thing)
    return " | ".join((interface.text(NAME), interface.text(DESCRIPTION)))


VIEWS: dict[str, Callable[[MainWindow], str]] = {
    "diagram": lambda window: heard(window.diagram),
    "stage": lambda window: heard(window.stage),
    "heatmap": lambda window: heard(window.heatmaps.view),
    "table": lambda window: spoken_in(window.tables.view),
}


def spoken_in(table: QTableView) -> str:
    return str(table.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole))


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_names_stage_query_key_and_value_and_keeps_up(window: MainWindow, view: str) -> None:
    said = VIEWS[view]
    session = window.session
    value = session.state.trace["weights"][0, 1, 2]
    assert f"Attention weights, query eats, key fish, {value:.2f}" in said(window)
    session.set_preferences(decimals=4)
    assert f"query eats, key fish, {value:.4f}" in said(window)
    session.move_focus(0, -1)
    assert f"query eats, key eats, {session.state.trace['weights'][0, 1, 1]:.4f}" in said(window)
    session.change(with_cell, Cell("Q", 1, 0), 2.0, text="Edit")
    session.set_focus(Cell("weights", 1, 1))
    assert f"query eats, key eats, {session.state.trace['weights'][0, 1, 1]:.4f}" in said(window)
    session.step(1)
    value = session.state.trace.value(session.state.focus)
    assert session.state.focus.tensor == "heads"
    assert "Weighted sum, " in said(window)
    assert f"{value:.4f}" in said(window)


@pytest.mark.parametrize("view", VIEWS)
def test_another_head_is_named(qtbot: QtBot, view: str) -> None:
    window = build_window(example="eight-heads", language="en")
    qtbot.addWidget(window, before_close_func=forget)
    window.resize(1600, 950)
    window.show()
    assert window.heatmaps.view is not None  # made now, not once there is time
    session = window.session
    session.go_to_stage("weights")
    session.select_head(1)
    head = session.state.focus.head
    assert head == 1
    assert "Head 2" in VIEWS[view](window)
    assert f"{session.state.trace.value(session.state.focus):.2f}" in VIEWS[view](window)


def test_chinese_is_heard_in_chinese(window: MainWindow) -> None:
    window.session.set_language("zh_CN")
    for view, said in VIEWS.items():
        assert "注意力权重，查询 吃，键 鱼，0.33" in said(window), view


def test_a_reader_that_walks_a_table_hears_tokens_and_values(window: MainWindow) -> None:
    window.tables.show_table("weights")
    interface = QAccessible.queryAccessibleInterface(window.tables.view)
    names = [interface.child(index).text(NAME) for index in range(interface.childCount())]
    value = window.session.state.trace["weights"][0, 2, 0]
    assert f"Attention weights, query fish, key cat, {value:.2f}" in names


def test_the_check_sheet_names_cells_by_their_tokens(window: MainWindow) -> None:
    window.docks["check"].raise_()
    QApplication.processEvents()
    view = window.check.view
    said = str(view.entries.index(1, 2).data(Qt.ItemDataRole.AccessibleTextRole))
    assert "query eats, key fish" in said


def test_the_mask_grid_and_the_timeline_say_where_they_stand(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.session.change(with_mask, Mask("causal"), text="Mask")
    window.tables._group = "setup"
    window.tables.show_page("setup_mask")
    grid = window.tables.setup.masking.grid
    grid.setFocus()
    assert heard(grid).endswith("query cat may attend to key cat")
    qtbot.keyClick(grid, Qt.Key.Key_Right)
    assert heard(grid).endswith("query cat may not attend to key eats")
    plan = window.session.state.trace.plan
    window.session.go_to_stage("scores")
    here = plan.index("scores") + 1
    assert heard(window.bar.timeline) == f"Timeline | step {here} of {len(plan)}: Scores"


def test_the_hall_s_board_says_the_focused_cell(window: MainWindow) -> None:
    window.presentation.start()
    board = window.presentation.audience
    assert board is not None
    assert "query eats, key fish, 0.33" in heard(board)
    window.presentation.stop()


# What is special about a cell, in words


@pytest.fixture
def session() -> Session:
    return Session(load_example("cat-eats-fish", language_folder()), Preferences())


def test_masked_pinned_and_made_up_cells_say_so(session: Session) -> None:
    session.change(with_mask, Mask("causal"), text="Mask")
    session.go_last()
    said = spoken_cell(session.state, Cell("weights", 0, 2), only_visible=True)
    assert said == "Attention weights, query cat, key fish, 0.00, masked"
    said = spoken_cell(session.state, Cell("masked", 0, 2), only_visible=True)
    assert said.endswith("−∞, masked")
    session.change(with_pin, Cell("weights", 2, 0), 0.5, text="Pin")
    session.go_last()
    assert spoken_cell(session.state, Cell("weights", 2, 0), only_visible=True).endswith(
        "0.50, pinned what-if value"
    )
    session.change(with_tokens_added, 3, ("new",), text="Add")
    filled = next(iter(session.state.document.filled))
    assert spoken_cell(session.state, filled, only_visible=False).endswith("filled in")


def test_what_is_not_reached_or_to_be_predicted_tells_no_number(session: Session) -> None:
    session.go_to_stage("scores")
    ahead = Cell("weights", 1, 1)
    assert (
        spoken_cell(session.state, ahead, only_visible=True)
        == "Attention weights, query eats, key eats, not reached yet"
    )
    assert "0." in spoken_cell(session.state, ahead, only_visible=False)
    session.answers.set_predicting(True)
    session.step(1)
    asked = session.state.focus
    assert session.state.is_predicted(asked.tensor, asked.row, asked.column)
    for standing in (True, False):
        assert spoken_cell(session.state, asked, only_visible=standing).endswith("to be predicted")
    later = Cell("weights", 2, 2)
    assert spoken_cell(session.state, later, only_visible=False).endswith("not reached yet")


def test_entered_tensors_are_spoken_by_rows_and_columns_as_they_are_seen() -> None:
    session = Session(load_example("i-love-this-apple"), Preferences())
    document = session.state.document
    tensor = next(name for name in document.inputs if name.startswith("W"))
    values = document.tensor(tensor, 0)
    assert values is not None
    said = spoken_cell(session.state, Cell(tensor, 1, 0), only_visible=True)
    assert said.endswith(f"row 2, column 1, {values[1, 0]:.2f}".replace("-", "−"))
    turned = replace(session.state, preferences=replace(session.state.preferences, columns=True))
    assert "row 1, column 2" in spoken_cell(turned, Cell(tensor, 1, 0), only_visible=True)


# Told as it happens


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    words: list[str] = []

    def listen(event: QAccessibleEvent) -> None:
        assert event.type() == QAccessible.Event.Announcement
        words.append(event.message())  # type: ignore[attr-defined]

    class Listener:
        updateAccessibility = staticmethod(listen)

    monkeypatch.setattr(QtGui, "QAccessible", Listener)
    return words


def test_steps_moves_heads_and_edits_are_told_once_each(
    window: MainWindow, told: list[str]
) -> None:
    window.diagram.setFocus()
    session = window.session
    session.move_focus(0, -1)
    assert len(told) == 1
    assert told[-1].startswith("Attention weights, query eats, key eats, ")
    session.step(-1)
    assert len(told) == 2
    assert told[-1].startswith("Exponentials, ")
    before = session.state.trace.value(session.state.focus)
    row = session.state.focus.row
    session.change(with_cell, Cell("Q", row, 0), 3.0, text="Edit")
    assert session.state.trace.value(session.state.focus) != before or len(told) == 2
    session.set_preferences(speed=2.0)
    count = len(told)
    session.set_preferences(grain=session.state.preferences.grain)
    assert len(told) == count


def test_a_table_s_own_cells_are_left_to_the_reader(window: MainWindow, told: list[str]) -> None:
    window.tables.show_table("weights")
    window.tables.view.setFocus()
    assert window.tables.view.hasFocus()
    window.session.move_focus(0, -1)
    assert told == []
