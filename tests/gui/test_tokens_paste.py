"""A sentence pasted into Tokens becomes tokens, after asking; one word renames the current token."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.session.session import Session
from gui.views.tables.sentence import SentenceDialog
from gui.views.tables.tokens import TokensView
from tests.gui.tables_kit import N, follow, make_session, undo_name

Key, Control = Qt.Key, Qt.KeyboardModifier.ControlModifier


def table(qtbot: QtBot, session: Session, row: int = 1) -> TokensView:
    view = TokensView(session)
    follow(qtbot, session, view)
    view.setCurrentIndex(view.tokens_model.index(row, 0))
    return view


def paste(
    qtbot: QtBot, view: TokensView, text: str, act: Callable[[SentenceDialog], object]
) -> list[tuple[str, ...]]:
    """Paste a text, and answer the question about it; returns the tokens that it shows."""
    shown: list[tuple[str, ...]] = []

    def answer() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, SentenceDialog):
            shown.append(dialog.tokens())
            act(dialog)

    QGuiApplication.clipboard().setText(text)
    timer = QTimer(singleShot=True, interval=50)
    timer.timeout.connect(answer)
    timer.start()
    qtbot.keyClick(view, Key.Key_V, Control)
    timer.stop()
    return shown


def agree(dialog: SentenceDialog) -> None:
    dialog.go.click()


def spaces(dialog: SentenceDialog) -> None:
    dialog.at_spaces.click()
    dialog.go.click()


def cancel(dialog: SentenceDialog) -> None:
    dialog.reject()


@pytest.mark.realwindow
@pytest.mark.parametrize(
    ("text", "act", "tokens"),
    [
        ("one two three", agree, ("one", "two", "three")),
        ("a b c d e f g\n", agree, tuple("abcdefg")),
        ("猫吃鱼", agree, ("猫", "吃", "鱼")),
        ("小猫 吃 鱼", agree, ("小猫", "吃", "鱼")),
        ("小猫吃鱼", spaces, ("小猫吃鱼",)),
        ("the\ncat\neats\nsome\nfish", agree, ("the", "cat", "eats", "some", "fish")),
    ],
)
def test_a_sentence_becomes_the_tokens_as_one_step(
    qtbot: QtBot, text: str, act: Callable[[SentenceDialog], object], tokens: tuple[str, ...]
) -> None:
    session = make_session()
    before = session.state.document
    view = table(qtbot, session)
    shown = paste(qtbot, view, text, act)
    assert len(shown) == 1
    document = session.state.document
    assert document.tokens == tokens
    assert session.undo_stack.count() == 1
    assert undo_name(session) == "Paste tokens"
    assert before.X is not None
    assert document.X is not None
    kept = min(N, len(tokens))
    assert np.array_equal(document.X[:kept], before.X[:kept])
    session.undo()
    assert session.state.document is before


@pytest.mark.realwindow
def test_a_cancelled_sentence_changes_nothing(qtbot: QtBot) -> None:
    session = make_session()
    before = session.state.document
    view = table(qtbot, session)
    assert paste(qtbot, view, "one two three", cancel) == [("one", "two", "three")]
    assert session.state.document is before
    view.window().activateWindow()
    qtbot.waitUntil(view.hasFocus)


@pytest.mark.parametrize("word", ["fox", " fox \n", "狐"])
def test_one_word_renames_the_current_token(qtbot: QtBot, word: str) -> None:
    session = make_session()
    view = table(qtbot, session, 2)
    before = session.state.document.tokens
    assert paste(qtbot, view, word, cancel) == []
    assert session.state.document.tokens == (*before[:2], word.strip(), *before[3:])
    assert undo_name(session) == "Rename a token"


def test_a_text_without_tokens_says_so(qtbot: QtBot) -> None:
    session = make_session()
    before = session.state.document
    view = table(qtbot, session)
    paste(qtbot, view, " \n", cancel)
    assert view.bubble.isVisible()
    assert session.state.document is before
    qtbot.keyClick(view, Key.Key_Down)
    assert not view.bubble.isVisible()


def test_too_many_tokens_are_refused_before(qtbot: QtBot) -> None:
    session = make_session()
    view = table(qtbot, session)
    enabled: list[bool] = []

    def look(dialog: SentenceDialog) -> None:
        enabled.append(dialog.go.isEnabled())
        dialog.reject()

    paste(qtbot, view, "a " * 5001, look)
    assert enabled == [False]
    paste(qtbot, view, "a " * 20_000, look)
    assert view.bubble.isVisible()


def test_a_sentence_of_the_context_goes_there(qtbot: QtBot) -> None:
    from core.document.resize import with_context

    session = make_session(with_context(make_session().state.document))
    view = TokensView(session, axis="m")
    follow(qtbot, session, view)
    paste(qtbot, view, "one two three", agree)
    assert session.state.document.key_tokens == ("one", "two", "three")
    assert len(session.state.document.tokens) == N


def test_tokens_are_copied_a_line_each(qtbot: QtBot) -> None:
    session = make_session()
    view = table(qtbot, session, 0)
    view.selectAll()
    qtbot.keyClick(view, Key.Key_C, Control)
    assert QGuiApplication.clipboard().text().splitlines() == [*session.state.document.tokens]
