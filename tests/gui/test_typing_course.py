"""Where typing goes on, in both kinds of table: as in a spreadsheet, and never unnoticed over a number."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from gui.session.session import Session
from gui.views.tables.view import TensorView
from gui.widgets.number_table import NumberEditor, TypingOrder
from tests.gui.check_kit import show_panel, type_in
from tests.gui.tables_kit import D, K, N, follow, make_session

Key = Qt.Key
DOWN, TAB, BACK = (1, 0), (0, 1), (0, -1)
SHAPE = (3, 2)


@pytest.mark.parametrize(
    ("place", "step", "there"),
    [
        ((0, 0), TAB, (0, 1)),
        ((0, 1), TAB, (1, 0)),
        ((2, 1), TAB, None),
        ((1, 0), BACK, (0, 1)),
        ((0, 0), BACK, None),
        ((1, 1), DOWN, (2, 1)),
        ((2, 0), DOWN, (0, 1)),
        ((2, 1), DOWN, None),
    ],
)
def test_one_step(
    place: tuple[int, int], step: tuple[int, int], there: tuple[int, int] | None
) -> None:
    assert TypingOrder().after(place, step, SHAPE) == there


def test_enter_returns_to_where_the_run_of_tabs_began() -> None:
    course, shape = TypingOrder(), (4, 5)
    assert course.after((0, 1), TAB, shape) == (0, 2)
    assert course.after((0, 2), TAB, shape) == (0, 3)
    assert course.after((0, 3), DOWN, shape) == (1, 1)
    assert course.after((1, 1), DOWN, shape) == (2, 1)
    assert course.after((2, 1), TAB, shape) == (2, 2)
    assert course.after((0, 4), DOWN, shape) == (1, 4)  # a click between ends the run


def focused(session: Session) -> tuple[int, int]:
    return session.state.focus.row, session.state.focus.column


def test_row_after_row_in_the_check_table(qtbot: QtBot) -> None:
    session = make_session()
    session.go_to_stage("Q")
    panel = show_panel(qtbot, session)
    session.set_focus(Cell("Q", 0, 0, 0))
    for number in range(N * K):
        assert focused(session) == divmod(number, K)
        type_in(qtbot, panel.view, str(number), Key.Key_Tab)
    assert focused(session) == (N - 1, K - 1)
    assert panel.view.bubble.isVisible()
    assert "would replace" in panel.view.bubble.text()
    assert [entry.text for _, entry in sorted(session.state.entries["Q"].items())] == [
        str(i) for i in range(N * K)
    ]
    session.set_focus(Cell("Q", 1, 0, 0))
    type_in(qtbot, panel.view, "7", Key.Key_Tab)
    type_in(qtbot, panel.view, "8")
    assert focused(session) == (2, 0)
    type_in(qtbot, panel.view, "9", Key.Key_Backtab)
    assert focused(session) == (1, K - 1)


def test_row_after_row_in_the_tables_of_numbers(qtbot: QtBot) -> None:
    session = make_session()
    view = TensorView(session, "X")
    follow(qtbot, session, view)
    session.set_focus(Cell("X", 1, D - 2))
    write_in(qtbot, view, "4", Key.Key_Tab)
    assert focused(session) == (1, D - 1)
    write_in(qtbot, view, "5", Key.Key_Return)
    assert focused(session) == (2, D - 2)
    session.set_focus(Cell("X", 2, D - 1))
    write_in(qtbot, view, "6", Key.Key_Tab)
    assert focused(session) == (3, 0)
    session.set_focus(Cell("X", N - 1, D - 1))
    write_in(qtbot, view, "7", Key.Key_Return)
    assert focused(session) == (N - 1, D - 1)
    assert view.bubble.isVisible()
    assert "would replace" in view.bubble.text()
    assert session.state.trace["X"][1:3, D - 1].tolist() == [5.0, 6.0]


def write_in(qtbot: QtBot, view: TensorView, text: str, key: Key) -> None:
    """One figure into the current cell."""
    qtbot.keyClicks(view, text)
    (line,) = [child for child in view.viewport().findChildren(NumberEditor) if child.isVisible()]
    qtbot.keyClick(line, key)


def test_while_predicting_the_next_question_and_then_what_is_wrong(qtbot: QtBot) -> None:
    session = make_session()
    session.go_to_stage("X")
    panel = show_panel(qtbot, session)
    session.answers.set_predicting(True)
    session.step(1)
    truth = session.state.trace["Q"][0]
    assert focused(session) == (0, 0)
    type_in(qtbot, panel.view, "99")
    assert focused(session) == (1, 0)  # on, the wrong one marked
    assert panel.view.entries.grid.mark(0, 0) == "wrong"
    type_in(qtbot, panel.view, "98", Key.Key_Tab)
    assert focused(session) == (1, 1)
    for _ in range(N * K - 2):
        type_in(qtbot, panel.view, f"{truth[focused(session)]:.3f}")
    assert focused(session) == (0, 0)
    assert panel.remark.text().startswith("Q(the, q₁) is not 99. Try again")
    type_in(qtbot, panel.view, f"{truth[0, 0]:.3f}")
    assert focused(session) == (1, 0)
    type_in(qtbot, panel.view, "97")
    assert focused(session) == (1, 0)
    assert "Q(cat, q₁) is not 97" in panel.remark.text()
    type_in(qtbot, panel.view, f"{truth[1, 0]:.3f}")
    assert panel.remark.text() == "All correct. Well done!"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("12,345", "12.345"),
        ("-1,250", "−1.250"),
        ("0,345", ""),
        ("1,5", ""),
        ("1,234.5", ""),
        ("12.345", ""),
    ],
)
def test_a_comma_that_may_part_thousands_is_told(qtbot: QtBot, text: str, said: str) -> None:
    session = make_session()
    table = TensorView(session, "X")
    follow(qtbot, session, table)
    table.setCurrentIndex(table.tensor_model.index(1, 2))
    type_in(qtbot, table, text)  # type: ignore[arg-type]
    assert table.bubble.isVisible() == bool(said)
    assert said in table.bubble.text()
    assert session.state.focus == Cell("X", 2, 2)
    qtbot.keyClick(table, Key.Key_Up)
    assert not table.bubble.isVisible()


def test_the_comma_is_told_in_check_too(qtbot: QtBot) -> None:
    session = make_session()
    session.go_to_stage("scores")
    panel = show_panel(qtbot, session)
    type_in(qtbot, panel.view, "1,250")
    assert panel.view.bubble.isVisible()
    assert "1.250" in panel.view.bubble.text()
    assert "1250" in panel.view.bubble.text()
