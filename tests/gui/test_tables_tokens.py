"""The table of tokens, driven by keys and the mouse."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from core.document.resize import with_tokens_removed
from gui.session.session import Session
from gui.views.tables.tokens import TokensModel, TokensPage
from tests.gui.tables_kit import N, centre, follow, make_document, make_session, undo_name

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton
Alt = Qt.KeyboardModifier.AltModifier


def show_page(qtbot: QtBot, session: Session) -> TokensPage:
    page = TokensPage(session)
    follow(qtbot, session, page)
    return page


def click(qtbot: QtBot, page: TokensPage, row: int) -> None:
    qtbot.mouseClick(
        page.view.viewport(), LEFT, pos=centre(page.view, page.view.tokens_model.index(row, 0))
    )
    page.view.setFocus()


def editor(page: TokensPage) -> QLineEdit:
    found = [line for line in page.view.viewport().findChildren(QLineEdit) if line.isVisible()]
    assert len(found) == 1
    return found[0]


def test_the_model_keeps_qts_rules(qtmodeltester: ModelTester, qapp: object) -> None:
    session = make_session()
    model = TokensModel(session)
    session.changed.connect(model.show_state)
    qtmodeltester.check(model)
    session.change(with_tokens_removed, [1], text="Remove")


@pytest.mark.parametrize("name", ["🐈‍⬛", "قطة", "cat", "", "两只 小猫"])
def test_any_text_is_a_name(qtbot: QtBot, name: str) -> None:
    session = make_session()
    page = show_page(qtbot, session)
    click(qtbot, page, 2)
    qtbot.keyClick(page.view, Key.Key_F2)
    line = editor(page)
    assert line.text() == "eats"
    line.setText(name)
    qtbot.keyClick(line, Key.Key_Return)
    qtbot.waitUntil(lambda: session.state.document.tokens == ("the", "cat", name, "a", "fish"))
    assert undo_name(session) == "Rename a token"
    assert page.view.tokens_model.index(2, 0).data() == (name or "␣")


def test_insert_adds_a_row_and_opens_its_name(qtbot: QtBot) -> None:
    session = make_session()
    page = show_page(qtbot, session)
    click(qtbot, page, 1)
    qtbot.keyClick(page.view, Key.Key_Insert)
    qtbot.keyClicks(editor(page), "really")
    qtbot.keyClick(editor(page), Key.Key_Return)
    qtbot.waitUntil(
        lambda: session.state.document.tokens == ("the", "cat", "really", "eats", "a", "fish")
    )
    document = session.state.document
    assert document.X is not None
    assert not document.X[2].any()
    assert document.X[3].tolist() == make_document().X[2].tolist()  # type: ignore[index]
    assert session.undo_stack.count() == 2


def test_delete_removes_the_selected_rows_as_one_step(qtbot: QtBot) -> None:
    session = make_session()
    before = session.state.document
    page = show_page(qtbot, session)
    click(qtbot, page, 1)
    qtbot.keyClick(page.view, Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(page.view, Key.Key_Delete)
    assert session.state.document.tokens == ("the", "a", "fish")
    assert undo_name(session) == "Remove tokens"
    session.undo_stack.undo()
    assert session.state.document is before


def test_the_last_token_stays_and_it_says_why(qtbot: QtBot) -> None:
    session = make_session()
    codes: list[str] = []
    session.failed.connect(lambda problem: codes.append(problem.code))
    page = show_page(qtbot, session)
    page.view.selectAll()
    qtbot.keyClick(page.view, Key.Key_Delete)
    assert session.state.document.n == N
    assert codes == ["tokens.last"]


@pytest.mark.parametrize(
    ("row", "key", "order", "then"),
    [
        (1, Key.Key_Down, ("the", "eats", "cat", "a", "fish"), 2),
        (4, Key.Key_Up, ("the", "cat", "eats", "fish", "a"), 3),
        (0, Key.Key_Up, ("the", "cat", "eats", "a", "fish"), 0),
    ],
)
def test_alt_and_an_arrow_move_a_token(
    qtbot: QtBot, row: int, key: Key, order: tuple[str, ...], then: int
) -> None:
    session = make_session()
    page = show_page(qtbot, session)
    click(qtbot, page, row)
    qtbot.keyClick(page.view, key, Alt)
    assert session.state.document.tokens == order
    assert page.view.currentIndex().row() == then


def test_the_buttons_do_the_same(qtbot: QtBot) -> None:
    session = make_session()
    page = show_page(qtbot, session)
    click(qtbot, page, 0)
    assert not page.up.isEnabled()
    qtbot.mouseClick(page.down, LEFT)
    assert session.state.document.tokens[:2] == ("cat", "the")
    qtbot.mouseClick(page.up, LEFT)
    qtbot.mouseClick(page.remove, LEFT)
    assert session.state.document.tokens == ("cat", "eats", "a", "fish")
    qtbot.mouseClick(page.add, LEFT)
    qtbot.keyClick(editor(page), Key.Key_Escape)
    assert session.state.document.n == 5


def test_one_token_cannot_be_removed(qtbot: QtBot) -> None:
    session = make_session()
    page = show_page(qtbot, session)
    for _ in range(N - 1):
        page.view.selectRow(0)
        qtbot.mouseClick(page.remove, LEFT)
    assert session.state.document.tokens == ("fish",)
    assert not page.remove.isEnabled()
    assert not page.down.isEnabled()


def test_buttons_have_names_in_both_languages(qtbot: QtBot) -> None:
    session = make_session()
    page = show_page(qtbot, session)
    english = [button.accessibleName() for button in page.buttons]
    session.set_language("zh_CN")
    chinese = [button.accessibleName() for button in page.buttons]
    assert all(english)
    assert set(english).isdisjoint(chinese)
