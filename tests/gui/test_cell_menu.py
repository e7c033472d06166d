"""One menu for a cell of any view, by the mouse and by the keyboard."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.base.number_format import exact
from core.exchange.paste import parse_matrix
from core.explain.timeline import Grain, Reach
from gui.app.main_window import MainWindow
from gui.texts.names import COPY_FORMATS
from gui.widgets.number_table import NumberEditor
from tests.gui.diagram_kit import cell_on_screen
from tests.gui.tables_kit import D, N, centre, make_document
from tests.gui.test_actions import window_with
from tests.gui.window_kit import bring_forward

Reason = QContextMenuEvent.Reason
CELL = Cell("scores", 1, 2, 0)
EVERYWHERE = {"edit_cell", "clip_copy", "copy_sum_text", "go_to_cell", "check_cell", "pin_cell"}


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[MainWindow]:
    shown = window_with(qtbot)
    shown.session.edit(make_document())
    shown.session.set_preferences(motion=False)
    bring_forward(qtbot, shown)
    shown.resize(1400, 900)
    shown.session.go_to_stage("scores")
    yield shown
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()


def right_click(widget: QWidget, at: QPoint, reason: Reason = Reason.Mouse) -> QMenu:
    QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def in_diagram(window: MainWindow, cell: Cell) -> tuple[QWidget, QPoint]:
    point = cell_on_screen(window.diagram, cell.tensor, cell.row, cell.column)
    return window.diagram, point


def in_stage(window: MainWindow, cell: Cell) -> tuple[QWidget, QPoint]:
    place = window.stage.cell_rect(cell)
    assert place is not None
    return window.stage, place.center()


def in_table(window: MainWindow, cell: Cell) -> tuple[QWidget, QPoint]:
    window.docks["tables"].bring_forward()
    window.session.select_head(cell.head)
    window.tables.show_table(cell.tensor)
    view = window.tables.view
    view.setFocus()
    return view.viewport(), centre(view, view.tensor_model.index(cell.row, cell.column))


def in_check(window: MainWindow, cell: Cell) -> tuple[QWidget, QPoint]:
    window.show_check()
    view = window.check.view
    return view.viewport(), centre(view, view.entries.index(cell.row, cell.column))


def in_heatmap(window: MainWindow, cell: Cell) -> tuple[QWidget, QPoint]:
    window.docks["heatmap"].bring_forward()
    window.session.set_focus(cell)
    QApplication.processEvents()
    view = window.heatmaps.view
    assert view is not None
    return view.viewport(), view.point_of(cell).toPoint()


PLACES = (in_diagram, in_stage, in_table, in_check, in_heatmap)


def ids(menu: QMenu) -> list[str]:
    return [action.objectName() for action in menu.actions() if not action.isSeparator()]


@pytest.mark.parametrize("place", PLACES)
def test_a_right_click_focuses_the_cell_and_opens_its_menu(
    window: MainWindow, place: object
) -> None:
    menu = right_click(*place(window, CELL))  # type: ignore[operator]
    assert window.session.state.focus == CELL
    assert menu is window.menus["cell"]
    assert set(ids(menu)) >= EVERYWHERE
    assert all(window.actions_[name].isEnabled() for name in EVERYWHERE)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("by", ["menu key", "Shift+F10"])
def test_the_keyboard_opens_the_menu_of_the_focused_cell(
    qtbot: QtBot, window: MainWindow, place: object, by: str
) -> None:
    widget, _ = place(window, CELL)  # type: ignore[operator]
    window.session.set_focus(CELL)
    view = widget if widget.focusPolicy() else widget.parentWidget()
    view = window.check.view if place is in_check else view
    view = window.tables.view if place is in_table else view
    view = window.heatmaps.view if place is in_heatmap else view
    assert view is not None
    view.setFocus()
    if by == "menu key":
        right_click(view, view.rect().center(), Reason.Keyboard)
    else:
        qtbot.keyClick(view, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    menu = QApplication.activePopupWidget()
    assert menu is window.menus["cell"]
    assert window.session.state.focus == CELL


def test_a_text_field_keeps_its_own_menu(qtbot: QtBot, window: MainWindow) -> None:
    window.edit_number(CELL)
    line = window.focusWidget()
    assert isinstance(line, QLineEdit)
    menu = right_click(line, QPoint(3, 3), Reason.Keyboard)
    assert menu is not window.menus["cell"]


def test_elsewhere_the_key_opens_the_menu_in_the_stage_view(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.session.set_focus(CELL)
    window.bar.findChild(QToolButton, "head_menu").setFocus()
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.activePopupWidget() is window.menus["cell"]


def test_pinned_at_its_value_and_computed_again(window: MainWindow) -> None:
    session = window.session
    session.set_focus(CELL)
    value = session.state.trace.value(CELL)
    right_click(*in_stage(window, CELL))
    window.actions_["pin_cell"].trigger()
    assert [(pin.cell, pin.value) for pin in session.state.document.pins] == [(CELL, value)]
    right_click(*in_stage(window, CELL))
    assert window.actions_["pin_cell"].text() == "&Unpin"
    window.actions_["pin_cell"].trigger()
    assert not session.state.document.pins


def test_entered_numbers_are_edited_not_pinned(qtbot: QtBot, window: MainWindow) -> None:
    cell = Cell("W_Q", 2, 1, 0)
    right_click(*in_table(window, cell))
    assert not window.actions_["pin_cell"].isEnabled()
    assert not window.actions_["check_cell"].isEnabled()
    QApplication.activePopupWidget().close()
    window.actions_["edit_cell"].trigger()
    line = window.tables.view.findChild(NumberEditor)
    assert line is not None
    assert line.text() == exact(window.session.state.document.heads[0].W_Q[2, 1])


def test_copies_the_number_the_sum_and_the_matrix(window: MainWindow) -> None:
    clipboard, state = QGuiApplication.clipboard(), window.session.state
    menu = right_click(*in_stage(window, CELL))
    window.actions_["clip_copy"].trigger()
    assert float(clipboard.text()) == state.trace.value(CELL)
    window.actions_["copy_sum_text"].trigger()
    assert clipboard.text().count("·") + clipboard.text().count("×") >= 2
    forms = window.menus["copy_matrix"]
    assert forms.menuAction() in menu.actions()
    assert [action.text() for action in forms.actions()] == list(COPY_FORMATS.values())
    window.actions_["copy_as_csv"].trigger()
    assert (parse_matrix(clipboard.text()) == state.trace["scores"][0]).all()


def test_ctrl_c_in_a_picture_copies_the_focused_number(qtbot: QtBot, window: MainWindow) -> None:
    window.session.set_focus(CELL)
    for view in (window.stage, window.diagram):
        QGuiApplication.clipboard().clear()
        view.setFocus()
        qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert float(QGuiApplication.clipboard().text()) == window.session.state.trace.value(CELL)


def test_f2_edits_the_focused_number(qtbot: QtBot, window: MainWindow) -> None:
    window.session.set_focus(CELL)
    window.stage.setFocus()
    qtbot.keyClick(window.stage, Qt.Key.Key_F2)
    line = window.focusWidget()
    assert isinstance(line, NumberEditor)
    qtbot.keyClicks(line, "2.5")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert window.session.state.trace.value(CELL) == 2.5
    assert window.stage.hasFocus()


def test_a_table_adds_what_it_can_paste_and_clear(window: MainWindow) -> None:
    session, cell = window.session, Cell("X", 1, 1)
    QGuiApplication.clipboard().setText("7.5")
    menu = right_click(*in_table(window, cell))
    assert {"clip_paste", "clip_whole", "clip_clear"} <= set(ids(menu))
    window.actions_["clip_paste"].trigger()
    assert session.state.trace.value(cell) == 7.5
    window.actions_["clip_clear"].trigger()
    assert session.state.trace.value(cell) == 0
    QGuiApplication.clipboard().setText("\n".join(["\t".join("1" * D)] * N))
    window.actions_["clip_whole"].trigger()
    assert (session.state.trace["X"] == 1).all()
    assert not {"clip_paste", "clip_whole", "clip_clear"} & set(ids(reopened(window)))


def reopened(window: MainWindow) -> QMenu:
    """The menu in the stage view, after that of a table."""
    QApplication.activePopupWidget().close()
    window.stage.setFocus()
    return right_click(window.stage, window.stage.rect().center())


def test_several_selected_cells_are_copied_together(qtbot: QtBot, window: MainWindow) -> None:
    widget, at = in_table(window, CELL)
    view = window.tables.view
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at)
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.mouseClick(widget, Qt.MouseButton.RightButton, pos=at)
    menu = right_click(widget, at)
    window.actions_["clip_copy"].trigger()
    wanted = window.session.state.trace["scores"][0, 1:3, 2:3]
    assert (parse_matrix(QGuiApplication.clipboard().text()) == wanted).all()
    forms = next(each for each in menu.findChildren(QMenu) if each.title().startswith("Copy the s"))
    next(action for action in forms.actions() if action.text() == "NumPy").trigger()
    assert QGuiApplication.clipboard().text().count("[") == 3


@pytest.mark.parametrize("grain", list(Grain))
def test_go_to_its_step(window: MainWindow, grain: Grain) -> None:
    session = window.session
    session.set_preferences(grain=grain)
    cell = Cell("weights", 2, 1, 1)
    right_click(*in_table(window, cell))
    window.actions_["go_to_cell"].trigger()
    cursor = session.state.cursor
    assert (cursor.stage, cursor.row, cursor.column, cursor.head) == ("weights", 2, 1, 1)
    assert cursor.reach == (Reach.WHOLE if grain is Grain.STAGE else Reach(grain))
    assert session.state.focus == cell
    QApplication.activePopupWidget().close()
    right_click(*in_table(window, Cell("W_V", 0, 1, 1)))
    window.actions_["go_to_cell"].trigger()
    assert session.state.cursor.stage == "V"
    assert session.state.focus == Cell("W_V", 0, 1, 1)


def test_check_this_opens_the_stage_at_its_cell(window: MainWindow) -> None:
    cell = Cell("heads", 2, 1, 0)
    right_click(*in_table(window, cell))
    window.actions_["check_cell"].trigger()
    view = window.check.view
    assert window.check.stage == "heads"
    assert view.hasFocus()
    assert view.cell(view.currentIndex()) == cell
    QApplication.activePopupWidget().close()
    right_click(*in_check(window, cell))
    window.actions_["edit_cell"].trigger()
    assert view.is_editing()
    assert not window.tables.view.is_editing()


def test_what_is_not_reached_is_not_copied_and_asks_for_its_pin(window: MainWindow) -> None:
    session = window.session
    session.set_preferences(grain=Grain.ROW)
    session.go_to_cell(Cell("scores", 1, 0, 0))
    ahead = Cell("scores", N - 1, 0, 0)
    right_click(*in_diagram(window, ahead))
    assert session.state.focus == ahead
    assert not window.actions_["clip_copy"].isEnabled()
    assert window.actions_["pin_cell"].text() == "&Pin a value…"
    QApplication.activePopupWidget().close()
    window.actions_["pin_cell"].trigger()
    line = window.focusWidget()
    assert isinstance(line, NumberEditor)
    assert line.text() == ""
    assert not session.state.document.pins


def test_what_is_to_be_predicted_is_neither_copied_nor_pinned(window: MainWindow) -> None:
    session = window.session
    session.go_to_stage("V")
    session.answers.set_predicting(True)
    session.step(1)
    right_click(*in_table(window, CELL))
    window.actions_.refresh_widget_actions()
    assert not window.actions_["pin_cell"].isEnabled()
    QGuiApplication.clipboard().setText("before")
    window.actions_["clip_copy"].trigger()
    window.actions_["copy_sum_text"].trigger()
    assert QGuiApplication.clipboard().text() == "before"


def test_the_menu_bar_has_the_same_menu(window: MainWindow) -> None:
    window.session.set_focus(CELL)
    assert window.menus["cell"].menuAction() in window.menus["edit"].actions()
    window.menus["cell"].aboutToShow.emit()
    assert set(ids(window.menus["cell"])) >= EVERYWHERE
