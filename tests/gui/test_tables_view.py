"""The table, driven by keys and the mouse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QMouseEvent, QShortcut
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from core.base.arrays import frozen
from core.base.cell import Cell
from core.base.number_format import exact
from core.document.document import Document, Head, Mask
from core.document.edits import with_pin
from gui.session.session import Session
from gui.views.tables.delegate import handle, pin_corner
from gui.views.tables.model import TensorModel
from gui.views.tables.view import TensorView
from tests.gui.tables_kit import centre, follow, make_document, make_session, undo_name

Key = Qt.Key
Control = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def show_table(qtbot: QtBot, session: Session, tensor: str) -> TensorView:
    view = TensorView(session, tensor)
    follow(qtbot, session, view)
    return view


def editor(view: TensorView) -> QLineEdit:
    found = [line for line in view.viewport().findChildren(QLineEdit) if line.isVisible()]
    assert len(found) == 1
    return found[0]


def click(qtbot: QtBot, view: TensorView, row: int, column: int) -> None:
    qtbot.mouseClick(view.viewport(), LEFT, pos=centre(view, view.tensor_model.index(row, column)))


def test_a_click_focuses_the_cell_everywhere(qtbot: QtBot) -> None:
    session = make_session()
    session.select_head(1)
    view = show_table(qtbot, session, "W_V")
    click(qtbot, view, 4, 3)
    assert session.state.focus == Cell("W_V", 4, 3, 1)


def test_a_focus_from_elsewhere_is_the_current_cell(qtbot: QtBot) -> None:
    session = make_session()
    view = show_table(qtbot, session, "scores")
    session.set_focus(Cell("scores", 2, 4, 0))
    assert (view.currentIndex().row(), view.currentIndex().column()) == (2, 4)
    session.set_focus(Cell("weights", 0, 0, 0))
    assert not view.currentIndex().isValid()


def test_typing_replaces_and_enter_goes_down(qtbot: QtBot) -> None:
    session = make_session()
    view = show_table(qtbot, session, "X")
    click(qtbot, view, 1, 2)
    qtbot.keyClicks(view, "7")
    qtbot.keyClicks(editor(view), ".5")
    qtbot.keyClick(editor(view), Key.Key_Return)
    assert session.state.trace["X"][1, 2] == 7.5
    assert session.state.focus == Cell("X", 2, 2)
    assert not view.is_editing()


def test_tab_takes_over_and_goes_right(qtbot: QtBot) -> None:
    session = make_session()
    view = show_table(qtbot, session, "X")
    click(qtbot, view, 1, 2)
    qtbot.keyClicks(view, "7")
    qtbot.keyClick(editor(view), Key.Key_Tab)
    assert session.state.trace["X"][1, 2] == 7
    assert session.state.focus == Cell("X", 1, 3)


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_F2])
def test_the_editor_of_a_computed_number_opens_with_15_digits(qtbot: QtBot, key: Key) -> None:
    session = make_session()
    view = show_table(qtbot, session, "scaled")
    click(qtbot, view, 1, 3)
    qtbot.keyClick(view, key)
    assert editor(view).text() == f"{session.state.trace['scaled'][0, 1, 3]:.15g}"
    assert len(editor(view).text()) > 10


@pytest.mark.parametrize("typed", ["abc", "", "1e400", "inf", "1.2.3,4"])
def test_bad_input_says_so_and_stays_open(qtbot: QtBot, typed: str) -> None:
    session = make_session()
    view = show_table(qtbot, session, "W_Q")
    before = session.state.document
    click(qtbot, view, 0, 1)
    qtbot.keyClick(view, Key.Key_F2)
    line = editor(view)
    line.clear()
    qtbot.keyClicks(line, typed)
    qtbot.keyClick(line, Key.Key_Return)
    assert session.state.document is before
    assert view.is_editing()
    assert view.bubble.isVisible()
    assert len(view.bubble.text()) > 20
    qtbot.keyClick(line, Key.Key_Escape)
    assert not view.is_editing()
    assert not view.bubble.isVisible()
    assert session.state.document is before


def test_a_bad_number_can_be_corrected(qtbot: QtBot) -> None:
    session = make_session()
    view = show_table(qtbot, session, "W_Q")
    click(qtbot, view, 0, 1)
    qtbot.keyClicks(view, "1")
    qtbot.keyClicks(editor(view), "x")
    qtbot.keyClick(editor(view), Key.Key_Return)
    assert view.bubble.isVisible()
    qtbot.keyClick(editor(view), Key.Key_Backspace)
    assert not view.bubble.isVisible()
    qtbot.keyClick(editor(view), Key.Key_Return)
    assert session.state.document.heads[0].W_Q is not None
    assert session.state.document.heads[0].W_Q[0, 1] == 1


def test_what_happens_elsewhere_never_overwrites_what_is_typed(qtbot: QtBot) -> None:
    session = make_session()
    view = show_table(qtbot, session, "X")
    click(qtbot, view, 0, 0)
    qtbot.keyClicks(view, "4")
    session.set_preferences(decimals=4)
    assert editor(view).text() == "4"
    qtbot.keyClick(editor(view), Key.Key_Escape)


def test_letters_are_left_to_shortcuts_and_digits_are_not(qtbot: QtBot) -> None:
    session = make_session()
    window = QWidget()
    view = TensorView(session, "X", window)
    view.resize(500, 300)
    heard: list[str] = []
    for keys in ("B", "2", "Right", "Home", "PgDown"):
        QShortcut(
            QKeySequence(keys), window, context=Qt.ShortcutContext.WindowShortcut
        ).activated.connect(lambda keys=keys: heard.append(keys))
    session.changed.connect(view.show_state)
    view.show_state(None, session.state)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
    click(qtbot, view, 1, 1)
    view.setFocus()
    qtbot.keyClick(view, Key.Key_B)
    qtbot.keyClick(view, Key.Key_Right)
    assert session.state.focus == Cell("X", 1, 2)
    qtbot.keyClick(view, Key.Key_Home)
    assert session.state.focus == Cell("X", 1, 0)
    qtbot.keyClick(view, Key.Key_PageDown)
    qtbot.keyClick(view, Key.Key_2)
    assert heard == ["B"]
    assert editor(view).text() == "2"
    qtbot.keyClick(editor(view), Key.Key_PageDown)
    assert heard == ["B"]
    qtbot.keyClick(editor(view), Key.Key_Escape)


def test_one_click_on_the_mark_removes_the_pin(qtbot: QtBot) -> None:
    session = make_session(with_pin(make_document(), Cell("weights", 1, 2, 0), 0.5))
    view = show_table(qtbot, session, "weights")
    corner = pin_corner(view.visualRect(view.tensor_model.index(1, 2))).center()
    qtbot.mouseClick(view.viewport(), LEFT, pos=corner)
    assert session.state.document.pins == ()
    assert undo_name(session) == "Unpin A(cat, eats)"


def test_a_click_beside_the_mark_keeps_the_pin(qtbot: QtBot) -> None:
    session = make_session(with_pin(make_document(), Cell("weights", 1, 2, 0), 0.5))
    view = show_table(qtbot, session, "weights")
    click(qtbot, view, 1, 2)
    assert len(session.state.document.pins) == 1


def test_delete_unpins_computed_numbers(qtbot: QtBot) -> None:
    session = make_session(with_pin(make_document(), Cell("weights", 1, 2, 0), 0.5))
    view = show_table(qtbot, session, "weights")
    click(qtbot, view, 1, 2)
    qtbot.keyClick(view, Key.Key_Delete)
    assert session.state.document.pins == ()


def test_delete_sets_a_selection_of_entered_numbers_to_zero_at_once(qtbot: QtBot) -> None:
    session = make_session()
    before = session.state.document
    view = show_table(qtbot, session, "X")
    click(qtbot, view, 1, 1)
    qtbot.keyClick(view, Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(view, Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(view, Key.Key_Delete)
    X = session.state.trace["X"]
    assert (X[1:3, 1:3] == 0).all()
    assert np.count_nonzero(X == 0) == 4
    assert undo_name(session) == "Clear X"
    session.undo_stack.undo()
    assert session.state.document is before


def test_copy_and_paste_a_block_exactly(qtbot: QtBot) -> None:
    session = make_session()
    view = show_table(qtbot, session, "scores")
    click(qtbot, view, 1, 1)
    qtbot.keyClick(view, Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(view, Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(view, Key.Key_C, Control)
    block = session.state.trace["scores"][0, 1:3, 1:3]
    lines = QGuiApplication.clipboard().text().split("\n")
    assert [[float(text) for text in line.split("\t")] for line in lines] == block.tolist()
    view.show_tensor("X")
    click(qtbot, view, 3, 4)
    qtbot.keyClick(view, Key.Key_V, Control)
    assert session.state.trace["X"][3:5, 4:6].tolist() == block.tolist()
    assert session.undo_stack.count() == 1
    assert undo_name(session) == "Paste into X"


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("1\t2\n3\tx", (0, 0), "Row 2, column 2: “x” is not a number."),
        ("1\t2\t3", (0, 4), "The block is 1 × 3, but only 5 × 2 fit from here."),
    ],
)
def test_a_block_that_cannot_be_pasted_changes_nothing(
    qtbot: QtBot, text: str, place: tuple[int, int], said: str
) -> None:
    session = make_session()
    before = session.state.document
    view = show_table(qtbot, session, "X")
    QGuiApplication.clipboard().setText(text)
    click(qtbot, view, *place)
    qtbot.keyClick(view, Key.Key_V, Control)
    assert session.state.document is before
    assert view.bubble.isVisible()
    assert view.bubble.text().startswith(said)


def test_nudging_by_keys_is_one_undo_step(qtbot: QtBot) -> None:
    session = make_session()
    before = session.state.document
    view = show_table(qtbot, session, "X")
    click(qtbot, view, 2, 3)
    assert before.X is not None
    value = before.X[2, 3]
    for _ in range(3):
        qtbot.keyClick(view, Key.Key_Up, Control)
    qtbot.keyClick(view, Key.Key_Down, Control)
    assert session.state.trace["X"][2, 3] == pytest.approx(value + 0.2, abs=1e-12)
    assert exact(session.state.trace["X"][2, 3]) == exact(round(value + 0.2, 3))
    assert session.undo_stack.count() == 1
    session.undo_stack.undo()
    assert session.state.document is before


def drag(
    qtbot: QtBot,
    view: TensorView,
    start: QPoint,
    up: int,
    button: Qt.MouseButton,
    held: Qt.KeyboardModifier = NONE,
) -> None:
    port = view.viewport()
    qtbot.mousePress(port, button, held, start)
    for y in range(0, up + 1, 6 if up > 0 else -6):
        send_move(port, start - QPoint(0, y), button)
    qtbot.mouseRelease(port, button, held, start - QPoint(0, up))


def send_move(port: QWidget, at: QPoint, button: Qt.MouseButton) -> None:
    """QTest's own moves carry no pressed button on every platform."""
    place, everywhere = QPointF(at), QPointF(port.mapToGlobal(at))
    QApplication.sendEvent(
        port,
        QMouseEvent(
            QEvent.Type.MouseMove, place, everywhere, Qt.MouseButton.NoButton, button, NONE
        ),
    )


def test_one_drag_is_one_undo_step_and_another_is_another(qtbot: QtBot) -> None:
    session = make_session()
    view = show_table(qtbot, session, "X")
    value = float(session.state.trace["X"][1, 1])
    at = centre(view, view.tensor_model.index(1, 1))
    drag(qtbot, view, at, 30, Qt.MouseButton.MiddleButton)
    assert session.state.trace["X"][1, 1] == pytest.approx(value + 0.5, abs=1e-12)
    assert session.undo_stack.count() == 1
    drag(qtbot, view, at, 12, LEFT, Qt.KeyboardModifier.AltModifier)
    assert session.undo_stack.count() == 2
    session.undo_stack.undo()
    assert session.state.trace["X"][1, 1] == pytest.approx(value + 0.5, abs=1e-12)


def test_the_handle_of_the_focused_cell_drags_and_pins_computed_numbers(qtbot: QtBot) -> None:
    session = make_session()
    view = show_table(qtbot, session, "scores")
    click(qtbot, view, 1, 1)
    value = float(session.state.trace["scores"][0, 1, 1])
    grip = handle(view.visualRect(view.tensor_model.index(1, 1))).center()
    drag(qtbot, view, grip, 6, LEFT)
    assert session.state.trace["scores"][0, 1, 1] == pytest.approx(value + 0.1, abs=1e-9)
    assert len(session.state.document.pins) == 1
    assert undo_name(session) == "Pin QKᵀ(cat, cat)"


def test_nudging_a_masked_score_counts_from_zero(qtbot: QtBot) -> None:
    session = make_session(make_document(mask=Mask("causal")))
    view = show_table(qtbot, session, "masked")
    click(qtbot, view, 0, 4)
    qtbot.keyClick(view, Key.Key_Up, Control)
    assert session.state.trace["masked"][0, 0, 4] == 0.1


def test_a_bad_number_that_is_left_changes_nothing_and_is_told(qtbot: QtBot) -> None:
    session = make_session()
    codes: list[str] = []
    session.failed.connect(lambda problem: codes.append(problem.code))
    view = show_table(qtbot, session, "X")
    before = session.state.document
    click(qtbot, view, 1, 1)
    qtbot.keyClicks(view, "1")
    qtbot.keyClicks(editor(view), "?")
    click(qtbot, view, 3, 3)
    view.setFocus()
    qtbot.waitUntil(lambda: not view.is_editing())
    assert session.state.document is before
    assert codes == ["number.unreadable"]


def test_cells_that_an_edit_changed_flash_and_no_others(qtbot: QtBot) -> None:
    session = make_session()
    session.set_preferences(motion=True)
    view = show_table(qtbot, session, "scores")

    def colour(row: int, column: int) -> str:
        place = view.visualRect(view.tensor_model.index(row, column)).topLeft() + QPoint(30, 6)
        return view.viewport().grab().toImage().pixelColor(place).name()

    before = {(row, column): colour(row, column) for row in range(5) for column in range(5)}
    session.change(with_pin, Cell("K", 3, 1, 0), 7.0, text="Pin")
    flashing = {place for place, old in before.items() if colour(*place) != old}
    assert flashing == {(row, 3) for row in range(5)}
    session.set_preferences(motion=False)


def test_what_a_focused_cell_is_computed_from_is_marked(qtbot: QtBot) -> None:
    session = make_session()
    view = show_table(qtbot, session, "Q")
    session.set_focus(Cell("scores", 2, 4, 0))
    assert view.tensor_model.contents.feeds == {(2, 0), (2, 1)}
    view.show_tensor("K")
    assert view.tensor_model.contents.feeds == {(4, 0), (4, 1)}
    view.show_tensor("W_Q")
    assert view.tensor_model.contents.feeds == frozenset()
    session.set_focus(Cell("Q", 1, 1, 2))
    assert view.tensor_model.contents.feeds == {(row, 1) for row in range(6)}


def test_one_token_and_one_column(qtbot: QtBot) -> None:
    one = frozen(np.ones((1, 1)))
    session = make_session(
        Document(tokens=("alone",), heads=(Head(Q=one, K=one, V=one),), source="qkv")
    )
    view = show_table(qtbot, session, "weights")
    click(qtbot, view, 0, 0)
    assert view.tensor_model.index(0, 0).data() == "1.00"
    qtbot.keyClick(view, Key.Key_Down)
    assert session.state.focus == Cell("weights", 0, 0)


def test_two_thousand_tokens_ask_for_what_is_on_the_screen(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, random = 2000, np.random.default_rng(3)
    Q, K_, V_ = (frozen(random.normal(size=(n, 2))) for _ in range(3))
    session = make_session(
        Document(tokens=("word",) * n, heads=(Head(Q=Q, K=K_, V=V_),), source="qkv")
    )
    asked: list[tuple[int, int]] = []
    plain = TensorModel.data

    def count(self: TensorModel, index: Any, role: int = 0) -> Any:
        asked.append((index.row(), index.column()))
        return plain(self, index, role)

    monkeypatch.setattr(TensorModel, "data", count)
    view = show_table(qtbot, session, "weights")
    view.grab()
    assert len(asked) < 5000
    session.set_focus(Cell("weights", 1900, 1800))
    view.grab()
    assert view.visualRect(view.tensor_model.index(1900, 1800)).isValid()
    assert len(asked) < 10000


def test_a_header_makes_room_for_longer_tokens_at_once(qtbot: QtBot) -> None:
    short = make_document(tokens=tuple("abcde"))
    session = make_session(short)
    view = TensorView(session, "X")
    follow(qtbot, session, view)
    header = view.verticalHeader()
    before = header.width()
    session.open_document(make_document(tokens=("one", "two", "twenty-three", "four", "five")))
    needed = header.fontMetrics().horizontalAdvance("twenty-three")
    assert before < needed < header.width()
