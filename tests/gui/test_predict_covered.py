"""What is covered while predicting cannot be changed by any way, and a what-if value on it is told by no panel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.base.errors import UserError
from core.check.answers import parse_answer
from core.document.edits import with_pin
from core.explain.timeline import Grain
from core.stages.dialect import variable
from gui.app.main_window import MainWindow
from gui.session.session import Session
from gui.texts.errors import error_message
from gui.texts.stage_texts import asked_sentence
from gui.views.code.panel import CodePanel
from gui.views.code.rows import covered, whole_page, whole_row
from gui.views.tables.set_values import Drag, enter_text, nudge, set_numbers
from gui.views.tables.view import TensorView
from tests.gui.check_kit import show_panel, type_in
from tests.gui.tables_kit import N, follow, make_session
from tests.gui.test_predict_views import asking
from tests.gui.test_predict_views import window as window

Key, LEFT = Qt.Key, Qt.MouseButton.LeftButton
CONTROL, NONE, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.AltModifier,
)
CELL = Cell("scores", 1, 2, 0)
WHY = error_message(UserError("cell.covered"))

pytestmark = pytest.mark.usefixtures("qapp")


def listen(session: Session) -> list[UserError]:
    problems: list[UserError] = []
    session.failed.connect(problems.append)
    return problems


def test_a_covered_cell_cannot_be_nudged_and_the_right_answer_stays_right() -> None:
    session = asking()
    document, right = session.state.document, session.state.trace["scores"][0, 1, 2]
    problems = listen(session)
    session.set_focus(CELL)
    assert not nudge(session, 1)
    assert session.state.document is document
    assert [problem.code for problem in problems] == ["cell.covered"]
    session.answers.write("scores", {(0, 1, 2): parse_answer(f"{right:.6f}")})
    assert (session.state.score.right, session.state.score.predicted) == (1, 1)


def test_nothing_puts_a_number_into_a_covered_cell() -> None:
    session = asking()
    ways: tuple[Callable[[], object], ...] = (
        partial(Drag, session, CELL),
        partial(enter_text, session, CELL, "1"),
        partial(set_numbers, session, {Cell("V", 0, 0, 0): 1.0, CELL: 1.0}, text="Paste"),
    )
    for way in ways:
        with pytest.raises(UserError) as raised:
            way()
        assert raised.value.code == "cell.covered"
    assert not session.state.document.pins
    session.answers.reveal()
    assert enter_text(session, CELL, "1")
    assert session.state.trace["scores"][0, 1, 2] == 1.0


@pytest.mark.parametrize(
    ("key", "modifier"),
    [
        (Key.Key_Up, CONTROL),
        (Key.Key_Down, CONTROL),
        (Key.Key_Return, NONE),
        (Key.Key_F2, NONE),
        (Key.Key_5, NONE),
    ],
)
def test_keys_in_the_table_say_why(qtbot: QtBot, key: Key, modifier: Qt.KeyboardModifier) -> None:
    session, view = table(qtbot)
    qtbot.keyClick(view, key, modifier)
    refused(session, view)


@pytest.mark.parametrize("text", ["7\t8\n9\t10\n", "1"])
def test_pasting_says_why(qtbot: QtBot, text: str) -> None:
    session, view = table(qtbot)
    QGuiApplication.clipboard().setText(text)
    view.paste()
    refused(session, view)


def test_pasting_the_whole_matrix_says_why(qtbot: QtBot) -> None:
    session, view = table(qtbot)
    QGuiApplication.clipboard().setText("\n".join("\t".join(["1"] * N) for _ in range(N)))
    view.paste_whole()
    refused(session, view)


def test_the_mouse_and_an_input_method_say_why(qtbot: QtBot) -> None:
    session, view = table(qtbot)
    where = view.visualRect(view.currentIndex()).center()
    qtbot.mouseDClick(view.viewport(), LEFT, pos=where)
    refused(session, view)
    view.bubble.hide()
    qtbot.mousePress(view.viewport(), LEFT, ALT, pos=where)
    qtbot.mouseMove(view.viewport(), where - QPoint(0, 60))
    qtbot.mouseRelease(view.viewport(), LEFT, ALT, pos=where - QPoint(0, 60))
    refused(session, view)
    view.bubble.hide()
    event = QInputMethodEvent("", [])
    event.setCommitString("√")
    QApplication.sendEvent(view, event)
    refused(session, view)
    view.bubble.hide()
    view.edit_for(None)
    refused(session, view)


def table(qtbot: QtBot) -> tuple[Session, TensorView]:
    session = asking()
    view = TensorView(session, "scores")
    follow(qtbot, session, view)
    view.setFocus()
    view.setCurrentIndex(view.tensor_model.index(1, 2))
    return session, view


def refused(session: Session, view: TensorView) -> None:
    assert not view.is_editing()
    assert not session.state.document.pins
    assert view.bubble.isVisible()
    assert view.bubble.text() == WHY


def test_the_menu_and_a_double_click_elsewhere_say_why_in_the_window(
    qtbot: QtBot, window: MainWindow
) -> None:
    session = window.session
    session.go_to_stage("V")
    session.answers.set_predicting(True)
    session.step(1)
    session.set_focus(CELL)
    window.actions_["nudge_up"].trigger()
    assert window.message_bar._text.text() == WHY
    window.message_bar.hide()
    window.edit_number(CELL)
    assert window.message_bar.isVisible()
    assert not session.state.document.pins
    window.tables.show_table("scores")
    assert window.tables.note.text().endswith("blank cells are still to be predicted")
    session.step(1)
    assert window.tables.note.text().endswith("typing pins a what-if value")


def pinned_and_asking() -> Session:
    session = make_session()
    session.go_to_stage("V")
    session.change(with_pin, CELL, 4.321, text="Pin")
    session.answers.set_predicting(True)
    session.step(1)
    return session


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_the_code_does_not_give_a_covered_number_away(qtbot: QtBot, library: str) -> None:
    session = pinned_and_asking()
    session.set_preferences(code=library)
    panel = CodePanel(session)
    qtbot.addWidget(panel)
    session.changed.connect(panel.show_state)
    panel.show_state(None, session.state)
    panel.show()
    qtbot.waitExposed(panel)
    name = f"{variable('scores')}[0, 1, 2]"
    assert covered(session.state) == {name}
    texts = [row.text for row in panel.model.rows]
    row = next(index for index, text in enumerate(texts) if text.startswith(f"{name} = ?"))
    assert "4.321" not in " ".join(
        [*texts, whole_page(session.state), whole_row(session.state, row)]
    )
    session.step(1)  # it is shown
    assert panel.model.rows[row].code == f"{name} = 4.321"
    assert "4.321" in whole_page(session.state)
    session.answers.toggle_hidden()
    assert panel.model.rows[row].code == f"{name} = ?"


def walk(qtbot: QtBot, grain: Grain, keys: list[Key]) -> list[tuple[int, int]]:
    """The cells that typing comes through: one number and one of the keys after the other."""
    session = asking(grain)
    panel = show_panel(qtbot, session)
    places = []
    for key in keys:
        places.append((session.state.focus.row, session.state.focus.column))
        type_in(qtbot, panel.view, "9.5", key)
    places.append((session.state.focus.row, session.state.focus.column))
    return places


def test_enter_goes_down_the_columns_as_in_the_other_tables(qtbot: QtBot) -> None:
    found = walk(qtbot, Grain.STAGE, [Key.Key_Return] * (N + 1))
    assert found == [*((row, 0) for row in range(N)), (0, 1), (1, 1)]


def test_enter_after_tabs_begins_the_next_row(qtbot: QtBot) -> None:
    found = walk(qtbot, Grain.STAGE, [Key.Key_Tab, Key.Key_Tab, Key.Key_Return, Key.Key_Tab])
    assert found == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]


def test_enter_in_a_single_row_goes_along_it(qtbot: QtBot) -> None:
    found = walk(qtbot, Grain.ROW, [Key.Key_Return] * N)
    assert found[:N] == [(0, column) for column in range(N)]


def test_tab_then_enter_skips_what_has_a_number(qtbot: QtBot) -> None:
    session = asking()
    panel = show_panel(qtbot, session)
    session.answers.write("scores", {(0, 1, 0): parse_answer("1"), (0, 2, 0): parse_answer("1")})
    type_in(qtbot, panel.view, "9.5")
    assert (session.state.focus.row, session.state.focus.column) == (3, 0)


def test_in_the_hall_it_is_said_on_its_screen(qtbot: QtBot, window: MainWindow) -> None:
    session = window.session
    session.go_to_stage("V")
    session.answers.set_predicting(True)
    session.step(1)
    window.presentation.start()
    board = window.presentation.audience
    assert board is not None
    assert not nudge(session, 1)
    assert board.message_layer.message.small == asked_sentence()
    window.presentation.stop()
    assert not session.state.document.pins
