"""The main flows through the whole window, driven by keys and the mouse; run offscreen and in a real window."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QTabBar, QTableView, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.base.errors import UserError
from core.document.edits import with_cell
from core.document.resize import with_token_named
from core.explain.timeline import Grain
from core.storage.archive import load
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.widgets.ask import Ask
from tests.gui.window_kit import bring_forward

pytestmark = pytest.mark.realwindow
Key, Modifier = Qt.Key, Qt.KeyboardModifier


class Answers(Ask):
    """Answers the questions of the Files room by itself."""

    def __init__(
        self, unsaved: str = "discard", save_path: Path | None = None, open_path: Path | None = None
    ) -> None:
        self.answer, self.save_as, self.to_open = unsaved, save_path, open_path
        self.asked: list[str] = []

    def unsaved(self, parent: QWidget, name: str) -> str:
        self.asked.append(name)
        return self.answer

    def save_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        return self.save_as

    def open_path(self, parent: QWidget, folder: Path) -> Path | None:
        return self.to_open


def shown(qtbot: QtBot, **wishes: str) -> MainWindow:
    window = build_window(**wishes)  # type: ignore[arg-type]
    window.files.ask = Answers()
    bring_forward(qtbot, window)
    window.diagram.setFocus()
    return window


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    return shown(qtbot, language="en")


def press(
    qtbot: QtBot, window: MainWindow, key: Key, modifier: Modifier = Modifier.NoModifier
) -> None:
    qtbot.keyClick(QApplication.focusWidget() or window, key, modifier)


def stage(window: MainWindow) -> str:
    return window.session.state.cursor.stage


def test_it_opens_with_the_first_example_at_its_first_stage(window: MainWindow) -> None:
    assert window.session.state.document.tokens == ("cat", "eats", "fish")
    assert stage(window) == window.session.state.trace.plan.ids[0]


def test_the_keys_of_the_contract_step(qtbot: QtBot, window: MainWindow) -> None:
    press(qtbot, window, Key.Key_Right)
    assert stage(window) == "K"
    press(qtbot, window, Key.Key_PageDown)
    assert stage(window) == "V"
    press(qtbot, window, Key.Key_Left)
    press(qtbot, window, Key.Key_PageUp)
    assert stage(window) == "Q"
    press(qtbot, window, Key.Key_End)
    assert stage(window) == "Y"
    press(qtbot, window, Key.Key_Right)
    assert stage(window) == "Y"
    press(qtbot, window, Key.Key_Home)
    assert stage(window) == "Q"
    window.session.set_preferences(grain=Grain.CELL)
    press(qtbot, window, Key.Key_Right, Modifier.ControlModifier)
    press(qtbot, window, Key.Key_Right, Modifier.ControlModifier)
    press(qtbot, window, Key.Key_Right, Modifier.ControlModifier)
    assert stage(window) == "scores"
    press(qtbot, window, Key.Key_Left, Modifier.ControlModifier)
    assert stage(window) == "V"


def test_three_presses_and_one_back_are_exactly_two(qtbot: QtBot, window: MainWindow) -> None:
    for grain in Grain:
        window.session.set_preferences(grain=grain)
        window.session.go_to_stage("V")
        press(qtbot, window, Key.Key_Right)
        press(qtbot, window, Key.Key_Right)
        two = window.session.state.cursor
        press(qtbot, window, Key.Key_Right)
        assert window.session.state.cursor != two
        press(qtbot, window, Key.Key_Left)
        assert window.session.state.cursor == two


def test_space_plays_and_an_edit_pauses(qtbot: QtBot, window: MainWindow) -> None:
    press(qtbot, window, Key.Key_Space)
    assert window.session.state.playing
    window.session.change(with_cell, Cell("Q", 0, 0), 3.0, text="Edit")
    assert not window.session.state.playing
    press(qtbot, window, Key.Key_Space)
    press(qtbot, window, Key.Key_Space)
    assert not window.session.state.playing


def test_playback_goes_on_by_itself(qtbot: QtBot, window: MainWindow) -> None:
    window.session.set_preferences(speed=4.0)
    press(qtbot, window, Key.Key_Space)
    qtbot.waitUntil(lambda: stage(window) == "V", timeout=10_000)
    press(qtbot, window, Key.Key_Space)
    assert not window.session.state.playing


def test_shift_arrows_move_the_focused_cell(qtbot: QtBot, window: MainWindow) -> None:
    window.session.go_to_stage("scores")
    press(qtbot, window, Key.Key_Down, Modifier.ShiftModifier)
    press(qtbot, window, Key.Key_Right, Modifier.ShiftModifier)
    press(qtbot, window, Key.Key_Right, Modifier.ShiftModifier)
    assert window.session.state.focus == Cell("scores", 1, 2)


def test_ctrl_up_nudges_the_focused_value_and_one_undo_takes_it_back(
    qtbot: QtBot, window: MainWindow
) -> None:
    before = window.session.state.document
    press(qtbot, window, Key.Key_Up, Modifier.ControlModifier)
    press(qtbot, window, Key.Key_Up, Modifier.ControlModifier)
    assert window.session.state.trace["Q"][0, 0, 0] > 0.2
    press(qtbot, window, Key.Key_Z, Modifier.ControlModifier)
    assert window.session.state.document is before
    press(qtbot, window, Key.Key_Z, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert window.session.state.trace["Q"][0, 0, 0] > 0.2


def test_digits_choose_the_head(qtbot: QtBot, window: MainWindow) -> None:
    window.files.open_example("apple-released-iphone")
    press(qtbot, window, Key.Key_3)
    assert window.session.state.cursor.head == 2
    press(qtbot, window, Key.Key_9)
    assert window.session.state.cursor.head == 2


@pytest.mark.parametrize("name", ["toggle_positional", "toggle_mask", "toggle_scale"])
def test_a_switch_goes_over_and_back_and_the_cursor_stays(window: MainWindow, name: str) -> None:
    window.session.go_to_stage("weights")
    action = window.findChild(QAction, name)
    assert action is not None
    plan = window.session.state.trace.plan.ids
    on = action.isChecked()
    action.trigger()
    assert window.session.state.trace.plan.ids != plan
    assert action.isChecked() is not on
    assert stage(window) == "weights"
    action.trigger()
    assert window.session.state.trace.plan.ids == plan
    assert action.isChecked() is on


def test_a_switch_shows_its_tick_in_the_menu(window: MainWindow) -> None:
    switches = [
        action
        for action in window.findChildren(QAction)
        if action.isCheckable() and action.objectName()
    ]
    assert {"toggle_positional", "toggle_head", "theme_light", "play"} <= {
        action.objectName() for action in switches
    }
    assert not [
        action.objectName()
        for action in switches
        if action.isIconVisibleInMenu() and not action.icon().isNull()
    ]


def test_every_action_of_the_contract_is_there(window: MainWindow) -> None:
    wanted = (
        "step_forward step_back stage_forward stage_back go_first go_last play undo redo new open save save_as present "
        "toggle_positional toggle_mask toggle_scale"
    )
    for name in wanted.split():
        assert window.findChild(QAction, name) is not None, name


def test_undo_is_named_in_the_menu(window: MainWindow) -> None:
    window.findChild(QAction, "toggle_mask").trigger()
    assert window.actions_["undo"].text() == "Undo: Mask on"
    window.session.set_preferences(language="zh_CN")
    assert window.actions_["undo"].text() == "撤销：启用掩码"


def test_saving_and_opening_again_gives_the_same_document(
    window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "mine.attn.json"
    window.files.ask = Answers(save_path=path)
    window.session.change(with_cell, Cell("Q", 1, 1), 0.1 + 0.2, text="Edit")
    assert window.isWindowModified()
    window.actions_["save"].trigger()
    assert not window.isWindowModified()
    assert "mine.attn.json" in window.windowTitle()
    assert load(path).heads[0].Q[1, 1] == 0.1 + 0.2  # type: ignore[index]


def test_closing_asks_about_unsaved_changes(window: MainWindow) -> None:
    window.session.change(with_cell, Cell("Q", 1, 1), 7.0, text="Edit")
    answers = Answers("cancel")
    window.files.ask = answers
    assert not window.close()
    assert window.isVisible()
    answers.answer = "discard"
    assert window.close()
    assert len(answers.asked) == 2


def test_a_file_that_cannot_be_read_is_told_in_the_banner_and_nothing_is_lost(
    window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "bad.attn.json"
    path.write_text(
        '{"format": "self-attention-experiment", "version": 1, "tokens": ["a"], "colour": 1}'
    )
    before = window.session.state.document
    window.files.ask = Answers(open_path=path)
    window.actions_["open"].trigger()
    assert window.message_bar.isVisible()
    assert "colour" in window.message_bar.accessibleName()
    assert window.session.state.document is before


def test_the_banner_writes_indices_below_the_line(qtbot: QtBot, window: MainWindow) -> None:
    window.session.failed.emit(UserError("output.height", actual="3 × 2", expected=6, h=3, v=2))
    assert "W_O" in window.message_bar.accessibleName()
    said = " ".join(label.text() for label in window.message_bar.findChildren(QLabel))
    assert "W<sub>O</sub>" in said
    assert "d<sub>v</sub>" in said


def test_present_fills_the_screen_and_esc_comes_back(qtbot: QtBot, window: MainWindow) -> None:
    press(qtbot, window, Key.Key_F5)
    board = window.presentation.audience
    assert board is not None
    qtbot.waitUntil(board.isFullScreen)
    qtbot.keyClick(board, Key.Key_Right)
    assert stage(window) == "K"
    qtbot.keyClick(board, Key.Key_Escape)
    assert window.presentation.audience is None
    assert window.menuBar().isVisible()
    assert window.docks["heatmap"].isVisible()


def test_the_timeline_goes_where_it_is_clicked(qtbot: QtBot, window: MainWindow) -> None:
    line = window.bar.timeline
    plan = window.session.state.trace.plan
    x = round(line.stage_x(plan.index("weights")))
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton, pos=QPoint(x, 10))
    assert stage(window) == "weights"


def test_what_can_be_taken_back_is_told_in_the_language_that_is_chosen(window: MainWindow) -> None:
    window.session.change(with_token_named, 1, "sees", text="Rename a token")
    assert window.actions_["undo"].text() == "Undo: Rename a token"
    window.session.set_language("zh_CN")
    assert window.actions_["undo"].text().endswith("重命名词元")
    window.session.undo_stack.undo()
    assert window.actions_["redo"].text().endswith("重命名词元")


def test_panels_close_and_come_back(window: MainWindow) -> None:
    window.docks["tables"].close()
    assert not window.docks["tables"].isVisible()
    window.actions_["reset_layout"].trigger()
    assert all(
        dock.isVisible()
        for name, dock in window.docks.items()
        if name not in ("lesson", "code", "next_word")
    )
    assert not window.docks["lesson"].isVisible(), "the lesson stays closed until one is opened"


def test_preferences_outlive_the_window(qtbot: QtBot, window: MainWindow) -> None:
    window.session.set_preferences(decimals=4, grain=Grain.ROW)
    window.close()
    again = shown(qtbot, language="en")
    assert again.session.state.preferences.decimals == 4
    assert again.session.state.preferences.grain is Grain.ROW


def visible_texts(window: MainWindow) -> list[str]:
    texts = [action.text() for action in window.findChildren(QAction)]
    texts += [menu.title() for menu in window.findChildren(QMenu)]
    texts += [label.text() for label in window.findChildren(QLabel)]
    for widget in window.findChildren(QWidget):
        if widget.objectName() not in OF_QT:
            texts += [widget.accessibleName(), widget.toolTip()]
    return texts


# Parts that Qt puts into docks and tab bars by itself.
OF_QT = {
    "qt_dockwidget_floatbutton",
    "qt_dockwidget_closebutton",
    "ScrollLeftButton",
    "ScrollRightButton",
}

# Names that are the same in both languages.
SAME = {"English", "ALiBi", "RNN", "softmax", "Softmax", "max", "RoPE"}
SAME |= {"Transformer", "MLP", "LayerNorm", "RMSNorm", "ReLU", "GELU", "SiLU", "eps", "logits"}
SAME |= {"sub", "model"}  # of d_model with its index below the line
SAME |= {"TSV", "CSV", "NumPy", "PyTorch", "LaTeX", "Markdown", "MATLAB", "Excel", "Jupyter"}
SAME |= {
    "PgDown",
    "PgUp",
    "Home",
    "Right",
    "Left",
    "Space",
    "Ctrl",
    "Shift",
    "Alt",
    "Down",
    "Esc",
    "End",
    "Delete",
    "Insert",
}


def test_nothing_stays_english_after_the_language_changes(window: MainWindow) -> None:
    window.session.set_preferences(language="zh_CN")
    QApplication.processEvents()  # some words are set as they are painted
    left = []
    for text in visible_texts(window):
        words = {
            word.strip(".,;:·()（）“”+")
            for word in text.replace("<", " ").replace(">", " ").split()
        }
        english = {w for w in words if len(w) >= 3 and w.isascii() and w.isalpha()} - SAME
        if english:
            left.append((text, english))
    assert not left, "\n".join(map(str, left))
    assert window.actions_["open"].text() == "打开(&O)…"


def test_whatever_takes_the_keyboard_has_a_name(window: MainWindow) -> None:
    nameless = [
        f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}"
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.objectName().startswith("qt_")
        and not widget.accessibleName()
    ]
    assert nameless == []


def click_cell(qtbot: QtBot, window: MainWindow, row: int, column: int) -> None:
    view = window.tables.view
    place = view.visualRect(view.model().index(row, column)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_a_click_on_any_cell_of_a_table_focuses_it_once(qtbot: QtBot, window: MainWindow) -> None:
    window.tables.show_table("Q")
    for row, column in ((1, 0), (2, 1), (0, 1)):
        told: list[object] = []
        connection = window.session.changed.connect(lambda old, new, told=told: told.append(new))
        click_cell(qtbot, window, row, column)
        window.session.changed.disconnect(connection)
        assert window.session.state.focus == Cell("Q", row, column)
        assert len(told) == 1


def test_numbers_are_typed_one_below_the_other(qtbot: QtBot, window: MainWindow) -> None:
    window.tables.show_table("Q")
    click_cell(qtbot, window, 0, 0)
    for text in ("0.55", "-1.5"):
        for sign in text:
            qtbot.keyClicks(QApplication.focusWidget(), sign)
        press(qtbot, window, Key.Key_Return)
    assert window.session.state.trace["Q"][0, :, 0].tolist() == [0.55, -1.5, 0.9]
    assert window.session.state.focus == Cell("Q", 2, 0)


def test_keys_typed_into_a_field_stay_there(qtbot: QtBot, window: MainWindow) -> None:
    field = QLineEdit(window)
    field.show()
    field.setFocus()
    for key in (Key.Key_1, Key.Key_Left, Key.Key_2, Key.Key_Space, Key.Key_Home):
        press(qtbot, window, key)
    assert field.text() == "2 1"
    assert stage(window) == "Q"
    assert not window.session.state.playing


def click_panel_tab(qtbot: QtBot, window: MainWindow, title: str) -> None:
    """The tab of a panel that stands on others."""
    for bar in window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
        titles = [bar.tabText(index) for index in range(bar.count())]
        if bar.isVisible() and title in titles:
            place = bar.tabRect(titles.index(title)).center()
            qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place)
            return
    raise AssertionError(title)


@pytest.mark.parametrize("way", ["another tab", "close"])
def test_a_table_out_of_sight_hears_no_keys(qtbot: QtBot, window: MainWindow, way: str) -> None:
    window.tables.show_table("X")
    window.docks["tables"].raise_()
    window.tables.view.setFocus()
    assert window.tables.view.hasFocus()
    if way == "close":
        window.docks["tables"].close()
    else:
        click_panel_tab(qtbot, window, "Check")
    qtbot.waitUntil(lambda: window.tables.visibleRegion().isEmpty())
    assert not window.tables.isAncestorOf(QApplication.focusWidget())
    focus = window.session.state.focus
    press(qtbot, window, Key.Key_End)
    assert stage(window) == window.session.state.trace.plan.ids[-1]
    assert window.session.state.focus != focus
    assert window.diagram.hasFocus()


def test_the_diagram_gets_its_share_back_when_a_window_grows_again(
    qtbot: QtBot, window: MainWindow
) -> None:
    diagram = window.docks["diagram"]
    share = round(0.36 * 950)
    window.resize(1500, 950)
    qtbot.waitUntil(lambda: window.height() == 950 and abs(diagram.height() - share) <= 4)
    window.resize(1024, 500)  # as low as the panels let it become
    qtbot.waitUntil(lambda: diagram.height() < share - 40)
    window.resize(1500, 950)
    qtbot.waitUntil(lambda: window.height() == 950 and abs(diagram.height() - share) <= 4)


def test_a_tall_window_has_its_heatmap_and_still_no_english_and_no_nameless_field(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.resize(1500, 950)
    qtbot.waitUntil(lambda: bool(window.heatmaps.view.images))
    test_nothing_stays_english_after_the_language_changes(window)
    test_whatever_takes_the_keyboard_has_a_name(window)


def test_panels_that_move_leave_the_keyboard_where_it_was(qtbot: QtBot, window: MainWindow) -> None:
    window.diagram.setFocus()
    window.actions_["reset_layout"].trigger()
    QApplication.processEvents()
    assert window.focusWidget() is window.diagram


@pytest.mark.parametrize("key", [Key.Key_Escape, Key.Key_H, Key.Key_9, Key.Key_Return])
def test_a_key_without_a_command_stops_playback(qtbot: QtBot, window: MainWindow, key: Key) -> None:
    press(qtbot, window, Key.Key_Space)
    assert window.session.state.playing
    press(qtbot, window, Key.Key_Control)
    press(qtbot, window, Key.Key_Right, Modifier.ControlModifier)
    press(qtbot, window, Key.Key_Tab)
    assert window.session.state.playing
    press(qtbot, window, key)
    assert not window.session.state.playing


def test_escape_stops_playback_from_a_table_too(qtbot: QtBot, window: MainWindow) -> None:
    window.docks["tables"].raise_()
    view = window.tables.findChild(QTableView)
    assert view is not None
    view.setFocus()
    window.session.play(True)
    press(qtbot, window, Key.Key_Escape)
    assert not window.session.state.playing


def test_a_window_follows_one_that_was_deleted(
    qapp: QApplication, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        window = build_window(language="en", theme_name="light")
        window.show()
        qapp.processEvents()
        window.close()
        window.deleteLater()
        del window
        gc.collect()
        qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        qapp.processEvents()
    assert "Error" not in "".join(capfd.readouterr())
