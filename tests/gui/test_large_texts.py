"""Much text to and from the clipboard: put together bit by bit, read beside the window, given up without a trace."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QClipboard, QGuiApplication
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.base.errors import UserError
from core.exchange.paste import LARGEST_TEXT
from core.exchange.write import FORMS
from gui.app.edit_menu import copy_heads
from gui.session.trace_runner import Work
from gui.views.tables import clipboard
from tests.gui.tables_kit import H, N, make_session
from tests.gui.test_tables_clipboard import put
from tests.gui.test_tables_view import click, show_table


@pytest.mark.parametrize("heads", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_a_copy_is_put_together_in_as_many_pieces_as_it_is_told_of(
    qtbot: QtBot, form: str, heads: bool
) -> None:
    """So that a bar says how far it is, and nothing else has to wait for millions of letters."""
    session = make_session()
    told: list[tuple[int, int]] = []
    told_why: list[str] = []
    session.trace_runner.wait = lambda work, text: work(lambda done, of: told.append((done, of)))
    view = show_table(qtbot, session, "weights")
    if heads:
        session.set_focus(Cell("weights", 0, 0))
        told_why += filter(None, [copy_heads(session, form)])
    else:
        view.copy_as(form)
    assert told_why == []
    rows = N * (H if heads else 1)
    assert told == sorted(told)
    assert {of for _, of in told} == {clipboard.PIECES_PER_ROW * rows}
    assert rows <= len({done for done, _ in told}) <= clipboard.PIECES_PER_ROW * rows + 1


def test_a_copy_that_is_stopped_leaves_the_clipboard_as_it_was(qtbot: QtBot) -> None:
    session = make_session()
    for last in (0, 3, 2 * N):
        put("before")

        def wait(work: Work[object], text: str, last: int = last) -> object:
            def watch(done: int, of: int) -> None:
                if done >= last:
                    raise UserError("given_up")

            return work(watch)

        session.trace_runner.wait = wait
        show_table(qtbot, session, "weights").copy_as("tsv")
        assert QGuiApplication.clipboard().text() == "before"


class Foreign:
    """What another program has put there: bytes in the forms that it offers; `text` is what Qt would convert."""

    def __init__(self, **forms: bytes) -> None:
        self.forms = {FORM_OF[name]: text for name, text in forms.items()}

    def hasFormat(self, form: str) -> bool:
        return form in self.forms

    def data(self, form: str) -> QByteArray:
        return QByteArray(self.forms[form])


FORM_OF = {"utf8": "text/plain;charset=utf-8", "plain": "text/plain"}


@pytest.mark.parametrize(
    "forms",
    [
        {"utf8": "1.5\t−2\n½\t1/3".encode(), "plain": b"7"},
        {"plain": "1.5\t−2\n½\t1/3\0".encode()},
        {"plain": "\ufeff1.5\t−2\r\n½\t1/3".encode()},
    ],
)
def test_what_another_program_offers_is_read_beside_the_window(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, forms: dict[str, bytes]
) -> None:
    """Nothing is converted by Qt while the window waits: the bytes are handed on as they are."""
    monkeypatch.setattr(QClipboard, "ownsClipboard", lambda _self: False)
    monkeypatch.setattr(QClipboard, "mimeData", lambda _self: Foreign(**forms))
    monkeypatch.setattr(
        QClipboard, "text", lambda *_: pytest.fail("converted in the window's thread")
    )
    session = make_session()
    view = show_table(qtbot, session, "X")
    click(qtbot, view, 0, 1)
    qtbot.keyClick(view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert view.bubble.text() == ""
    assert session.state.trace["X"][:2, 1:3].tolist() == [[1.5, -2.0], [0.5, 1 / 3]]


def test_a_text_beyond_all_matrices_is_refused_before_it_is_converted(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Huge(QByteArray):
        def size(self) -> int:
            return 4 * LARGEST_TEXT + 1

        def data(self) -> bytes:
            pytest.fail("converted")

    monkeypatch.setattr(QClipboard, "mimeData", lambda _self: Foreign(plain=b""))
    monkeypatch.setattr(Foreign, "data", lambda _self, _form: Huge())
    session = make_session()
    view = show_table(qtbot, session, "X")
    click(qtbot, view, 0, 1)
    qtbot.keyClick(view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert "8,000,000" in view.bubble.text().replace("8000000", "8,000,000")
    assert session.undo_stack.count() == 0
