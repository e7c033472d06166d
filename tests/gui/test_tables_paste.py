"""One number pasted over a selection fills it; a block of the table's own size asks where it goes."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QTableView
from pytestqt.qtbot import QtBot

from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.exchange.write import write
from gui.session.session import Session
from gui.views.check.panel import CheckPanel
from gui.views.tables.edits import with_numbers, with_sizes, with_values
from gui.views.tables.view import TensorView
from tests.gui.tables_kit import D, N, centre, follow, make_document, make_session, undo_name

Key, Modifier, Left = Qt.Key, Qt.KeyboardModifier, Qt.MouseButton.LeftButton
SQUARE: Array = np.arange(N * D, dtype=float).reshape(N, D) / 8


def table(qtbot: QtBot, session: Session, tensor: str = "X") -> TensorView:
    view = TensorView(session, tensor)
    follow(qtbot, session, view)
    return view


def put(values: Array | str) -> None:
    text = values if isinstance(values, str) else write(values, "tsv")
    QGuiApplication.clipboard().setText(text)


def select(qtbot: QtBot, view: QTableView, first: tuple[int, int], last: tuple[int, int]) -> None:
    """With the mouse, as Shift extends a selection."""
    model = view.model()
    qtbot.mouseClick(view.viewport(), Left, pos=centre(view, model.index(*first)))
    qtbot.mouseClick(
        view.viewport(), Left, Modifier.ShiftModifier, pos=centre(view, model.index(*last))
    )


def paste(qtbot: QtBot, view: QTableView) -> None:
    qtbot.keyClick(view, Key.Key_V, Modifier.ControlModifier)


def answer(button: str) -> list[str]:
    """Press a button of the next question; returns what it says, once it has been asked."""
    said: list[str] = []

    def press() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QDialog):
            return
        said.append(dialog.findChildren(QPushButton)[0].text())
        found = dialog.findChild(QPushButton, button)
        assert found is not None
        found.click()

    QTimer.singleShot(50, press)
    return said


def entered(session: Session) -> Array:
    values = session.state.document.X
    assert values is not None
    return np.array(values)


@pytest.mark.realwindow
def test_one_number_fills_the_selection_as_one_step(qtbot: QtBot) -> None:
    session = make_session()
    before = entered(session)
    view = table(qtbot, session)
    select(qtbot, view, (1, 2), (3, 4))
    put("0.5")
    paste(qtbot, view)
    wanted = before.copy()
    wanted[1:4, 2:5] = 0.5
    assert np.array_equal(entered(session), wanted)
    assert session.undo_stack.count() == 1
    assert undo_name(session) == "Paste into X"
    session.undo()
    assert np.array_equal(entered(session), before)


def test_one_number_fills_cells_that_lie_apart(qtbot: QtBot) -> None:
    session = make_session()
    view = table(qtbot, session)
    wanted = entered(session)
    places = ((0, 0), (2, 3), (4, 5))
    for place in places:
        where = centre(view, view.model().index(*place))
        keys = Modifier.ControlModifier if place != places[0] else Modifier.NoModifier
        qtbot.mouseClick(view.viewport(), Left, keys, pos=where)
        wanted[place] = 2.0
    put("2")
    paste(qtbot, view)
    assert np.array_equal(entered(session), wanted)


def test_one_number_pins_selected_results(qtbot: QtBot) -> None:
    session = make_session()
    session.go_last()
    view = table(qtbot, session, "scores")
    select(qtbot, view, (0, 1), (1, 2))
    put("0.25")
    paste(qtbot, view)
    pinned = {pin.cell for pin in session.state.document.pins}
    assert pinned == {Cell("scores", row, column) for row in (0, 1) for column in (1, 2)}
    assert session.undo_stack.count() == 1


def test_with_tokens_as_columns_the_selected_cells_are_filled(qtbot: QtBot) -> None:
    session = make_session()
    session.set_preferences(columns=True)
    wanted = entered(session)
    view = table(qtbot, session)
    select(qtbot, view, (2, 1), (4, 3))
    put("0.5")
    paste(qtbot, view)
    wanted[1:4, 2:5] = 0.5
    assert np.array_equal(entered(session), wanted)


@pytest.mark.realwindow
@pytest.mark.parametrize("button", ["corner", "here", "cancel"])
def test_a_block_of_the_table_s_size_asks(qtbot: QtBot, button: str) -> None:
    session = make_session()
    before = entered(session)
    view = table(qtbot, session)
    qtbot.mouseClick(view.viewport(), Left, pos=centre(view, view.model().index(2, 1)))
    put(SQUARE)
    asked = answer(button)
    paste(qtbot, view)
    assert asked
    wanted = {"corner": SQUARE, "cancel": before, "here": before.copy()}[button]
    if button == "here":
        wanted[2:, 1:] = SQUARE[: N - 2, : D - 1]
    assert np.array_equal(entered(session), wanted)
    assert session.undo_stack.count() == (button != "cancel")


def test_at_the_corner_or_with_all_selected_it_does_not_ask(qtbot: QtBot) -> None:
    session = make_session()
    view = table(qtbot, session)
    qtbot.mouseClick(view.viewport(), Left, pos=centre(view, view.model().index(2, 1)))
    view.selectAll()
    put(SQUARE)
    asked = answer("cancel")
    paste(qtbot, view)
    qtbot.wait(80)
    assert asked == []
    assert np.array_equal(entered(session), SQUARE)


def test_a_block_goes_to_the_first_selected_cell(qtbot: QtBot) -> None:
    session = make_session()
    wanted = entered(session)
    view = table(qtbot, session)
    select(qtbot, view, (3, 4), (1, 2))
    put("1 2\n3 4")
    paste(qtbot, view)
    wanted[1:3, 2:4] = [[1, 2], [3, 4]]
    assert np.array_equal(entered(session), wanted)


def check(qtbot: QtBot, session: Session) -> CheckPanel:
    session.go_to_stage("scores")
    panel = CheckPanel(session)
    follow(qtbot, session, panel)
    panel.show_stage("scores")
    return panel


def written(session: Session) -> dict[tuple[int, ...], str]:
    return {tuple(at): one.text for at, one in session.state.entries.get("scores", {}).items()}


def test_one_number_fills_the_selection_in_check(qtbot: QtBot) -> None:
    session = make_session()
    panel = check(qtbot, session)
    view = panel.view
    view.setFocus()
    model, flags = view.model(), QItemSelectionModel.SelectionFlag
    block = QItemSelection(model.index(1, 1), model.index(2, 3))
    view.setCurrentIndex(model.index(2, 3))
    view.selectionModel().select(block, flags.ClearAndSelect)
    put("0.5")
    paste(qtbot, view)
    assert written(session) == {(0, i, j): "0.5" for i in (1, 2) for j in (1, 2, 3)}


def test_marked_numbers_are_what_single_ones_are() -> None:
    """Against one edit for each number, with made-up numbers and pins."""
    random = np.random.default_rng(3)
    document: Document = with_sizes(make_document(), {"d": D + 2, "n": N + 1}, "new")
    for tensor, head in (("X", 0), ("W_Q", 1), ("b_V", 2), ("scores", 1)):
        array = document.tensor(tensor, head) if tensor in document.inputs else None
        shape = (N + 1, N + 1) if array is None else np.atleast_2d(array).shape
        where = random.random(shape) < 0.4
        values = random.normal(size=shape)
        cells = {
            Cell(tensor, int(i), int(j), head): float(values[i, j]) for i, j in np.argwhere(where)
        }
        one, other = (
            with_numbers(document, tensor, head, where, values),
            with_values(document, cells),
        )
        assert one.filled == other.filled
        assert set(one.pins) == set(other.pins)
        if array is not None:
            assert np.array_equal(np.asarray(one.tensor(tensor, head)), other.tensor(tensor, head))


# The balloon


def seen(view: TensorView) -> QRect:
    """The balloon in the window."""
    window = view.window()
    return QRect(view.bubble.mapTo(window, QPoint()), view.bubble.size())


@pytest.mark.realwindow
@pytest.mark.parametrize("height", [120, 170, 420])
@pytest.mark.parametrize("place", [(0, 0), (1, 3), (4, 5)])
def test_the_balloon_covers_no_cell_that_it_is_about(
    qtbot: QtBot, height: int, place: tuple[int, int]
) -> None:
    session = make_session()
    view = TensorView(session, "X")
    follow(qtbot, session, view, 760, height)
    view.setCurrentIndex(view.model().index(*place))
    view.scrollTo(view.currentIndex())
    put("1 2\n3")
    paste(qtbot, view)
    assert view.bubble.isVisible()
    cell = view.visualRect(view.currentIndex())
    cell.moveTopLeft(view.viewport().mapTo(view.window(), cell.topLeft()))
    assert not seen(view).intersects(cell)
    assert view.window().rect().contains(seen(view))


@pytest.mark.realwindow
@pytest.mark.parametrize("key", [Key.Key_Escape, Key.Key_Down, Key.Key_Home, Key.Key_5])
def test_the_balloon_goes_at_the_next_key(qtbot: QtBot, key: Qt.Key) -> None:
    session = make_session()
    view = table(qtbot, session)
    view.setCurrentIndex(view.model().index(1, 1))
    put("1 2\n3")
    paste(qtbot, view)
    assert view.bubble.isVisible()
    qtbot.keyClick(view, key)
    assert not view.bubble.isVisible()


@pytest.mark.parametrize("key", [Key.Key_Escape, Key.Key_Left, Key.Key_Backspace])
def test_the_balloon_of_an_open_editor_goes_at_the_next_key(qtbot: QtBot, key: Qt.Key) -> None:
    session = make_session()
    view = table(qtbot, session)
    view.setCurrentIndex(view.model().index(1, 1))
    qtbot.keyClick(view, Key.Key_0)
    line = QApplication.focusWidget()
    assert line is not None
    qtbot.keyClicks(line, ".5.5")
    qtbot.keyClick(line, Key.Key_Return)
    assert view.bubble.isVisible()
    qtbot.keyClick(line, key)
    assert not view.bubble.isVisible()
