"""The panel: which tables there are, and which one is in front."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.document import Positional, Scale
from core.document.edits import with_biases, with_pin, with_positional, with_scale, with_tensor
from core.document.parts import split_layer
from core.document.resize import with_size
from core.storage.examples import EXAMPLES, load_example
from gui.session.session import Session
from gui.session.state import Preferences
from gui.views.tables.panel import TablesPanel
from gui.views.tables.tabs import TabStrip
from gui.widgets.number_table import NumberEditor
from tests.gui.tables_kit import follow, make_document, make_session, undo_name

LEFT = Qt.MouseButton.LeftButton


def show_panel(qtbot: QtBot, session: Session, width: int = 620) -> TablesPanel:
    panel = TablesPanel(session)
    follow(qtbot, session, panel, width)
    return panel


def texts(strip: TabStrip) -> list[str]:
    return [strip.tabText(index) for index in range(strip.count())]


def click_tab(qtbot: QtBot, strip: TabStrip, text: str) -> None:
    rect = strip.tabRect(texts(strip).index(text))
    qtbot.mouseClick(strip, LEFT, pos=QPoint(rect.center().x(), rect.center().y()))


def test_every_entered_tensor_and_every_computed_stage_has_a_table(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    click_tab(qtbot, panel.groups, "Given")
    assert texts(panel.tabs) == [
        "Tokens",
        "X",
        "W_Q",
        "W_K",
        "W_V",
        "b_Q",
        "b_K",
        "b_V",
        "W_O",
        "b_O",
    ]
    click_tab(qtbot, panel.groups, "Computed")
    assert texts(panel.tabs) == ["Q", "K", "V", "QKᵀ", "÷√dₖ", "exp", "A", "A·V", "C", "Y"]


def test_a_tab_brings_its_table_and_leaves_the_focus(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    focus = session.state.focus
    click_tab(qtbot, panel.groups, "Given")
    click_tab(qtbot, panel.tabs, "W_V")
    assert panel.page_id == "W_V"
    assert (panel.view.tensor_model.rowCount(), panel.view.tensor_model.columnCount()) == (6, 4)
    assert session.state.focus == focus
    click_tab(qtbot, panel.tabs, "Tokens")
    assert panel.stack.currentWidget() is panel.tokens


def test_arrow_keys_go_through_the_tabs(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    panel.show_table("W_Q")
    qtbot.keyClick(panel.tabs, Qt.Key.Key_Right)
    assert panel.page_id == "W_K"


def test_the_table_of_the_focused_cell_comes_to_the_front(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    session.set_focus(Cell("weights", 2, 3, 1))
    assert panel.page_id == "weights"
    assert (panel.view.currentIndex().row(), panel.view.currentIndex().column()) == (2, 3)
    assert panel.head.currentIndex() == 1
    session.set_focus(Cell("W_O", 7, 5))
    assert panel.page_id == "W_O"
    assert not panel.head.isVisible()


def test_it_stays_when_it_was_told_not_to_follow(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    panel.show_table("W_Q")
    qtbot.mouseClick(panel.link, LEFT)
    session.set_focus(Cell("weights", 2, 3, 1))
    assert panel.page_id == "W_Q"
    qtbot.mouseClick(panel.link, LEFT)
    assert panel.page_id == "weights"


def test_it_stays_while_a_number_is_being_typed(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    panel.show_table("X")
    session.set_focus(Cell("X", 1, 1))
    panel.view.setFocus()
    qtbot.keyClicks(panel.view, "5")
    session.set_focus(Cell("weights", 0, 0, 0))
    assert panel.page_id == "X"


def test_a_table_that_is_gone_gives_way(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    panel.show_table("scaled")
    session.change(with_scale, Scale("none"), text="Scale")
    assert panel.page_id in session.state.trace
    assert "÷√dₖ" not in texts(panel.tabs)
    panel.show_setup()
    session.change(with_positional, Positional("learned"), text="Positions")
    session.undo_stack.undo()
    click_tab(qtbot, panel.groups, "Given")
    assert "P" not in texts(panel.tabs)


def test_the_head_is_chosen_here_too(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    panel.show_table("W_K")
    panel.head.setFocus()
    qtbot.keyClick(panel.head, Qt.Key.Key_Down)
    assert session.state.cursor.head == 1
    assert panel.view.tensor_model.contents.head == 1


def test_the_list_of_heads_is_as_wide_as_the_names_that_it_has_now(qtbot: QtBot) -> None:
    session = Session(load_example("eight-heads"), Preferences())
    panel = show_panel(qtbot, session, 900)
    panel.show_table("W_Q")
    wide = panel.head.width()
    panel.resize(440, 400)
    qtbot.waitUntil(lambda: panel.head.itemText(0) == "Head 1")
    qtbot.waitUntil(lambda: panel.head.width() == panel.head.sizeHint().width() < wide)
    assert panel.groups.width() >= panel.groups.least_width()


def test_a_head_without_a_bias_says_so(qtbot: QtBot) -> None:
    session = make_session(with_tensor(with_biases(make_document(), True), "b_Q", None, 1))
    panel = show_panel(qtbot, session)
    panel.show_table("b_Q")
    session.select_head(1)
    assert panel.view.tensor_model.rowCount() == 0
    assert panel.note.text() == "This head has no b<sub>Q</sub>."


def test_all_pins_of_a_table_go_with_one_click(qtbot: QtBot) -> None:
    document = make_document()
    for column in range(3):
        document = with_pin(document, Cell("weights", 1, column, 0), 0.25)
    session = make_session(with_pin(document, Cell("weights", 1, 1, 2), 0.5))
    panel = show_panel(qtbot, session)
    panel.show_table("weights")
    assert panel.unpin.text() == "Unpin 3"
    qtbot.mouseClick(panel.unpin, LEFT)
    assert [pin.cell.head for pin in session.state.document.pins] == [2]
    assert undo_name(session) == "Unpin A"
    assert not panel.unpin.isVisible()


def test_numbers_that_were_made_up_are_counted(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    panel.show_table("W_V")
    session.change(with_size, "v", 6, text="Resize")
    assert "12 filled in" in panel.note.text()


def test_it_can_be_narrow(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session, width=300)
    panel.show_table("b_O")
    assert panel.width() == 300
    last = panel.tabs.tabRect(panel.tabs.currentIndex())
    assert panel.tabs.rect().contains(last.center())


def test_every_example_opens_in_both_languages(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    for example in EXAMPLES:
        session.open_document(load_example(example))
        for tensor in (*session.state.document.inputs, *session.state.trace):
            layer = split_layer(tensor)[0]
            if layer is not None:  # the tables are those of the open layer
                session.go_to_stage(session.state.trace.plan.of_layer(layer)[0].id)
            panel.show_table(tensor)
            assert panel.page_id == tensor
            assert panel.view.tensor_model.rowCount() == session.shape_of(tensor)[0]
    english = texts(panel.groups)
    session.set_language("zh_CN")
    assert set(english).isdisjoint(texts(panel.groups))


def test_whatever_takes_the_keyboard_has_a_name(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    nameless = [
        widget
        for widget in panel.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.accessibleName()
        and not (isinstance(widget, QAbstractButton) and widget.text())
        and not widget.objectName().startswith("qt_")
        and widget.window() is panel  # not the lists that combo boxes open
    ]
    assert nameless == []


def test_a_number_that_is_being_typed_is_not_begun_again(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    cell = Cell("X", 1, 2)
    panel.edit(cell, None)
    editor = panel.view.findChild(NumberEditor)
    qtbot.keyClicks(editor, "7.5")
    panel.edit(cell, None)  # Qt would warn
    assert editor.hasFocus()
    assert editor.text() == "7.5"
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert session.state.document.tensor("X")[1, 2] == 7.5


def test_playback_waits_for_a_number_that_is_edited_from_elsewhere(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    session.play(True)
    panel.edit(Cell("X", 1, 2), None)
    assert not session.state.playing
    assert panel.view.is_editing()
