"""A document whose sizes are all different, and panels that follow a session."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex, QPoint
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QTableView, QWidget
from pytestqt.qtbot import QtBot

from core.base.arrays import Array, frozen
from core.document.document import Document, Head
from gui.session.session import Session
from gui.session.state import Preferences

N, D, H, K, V = 5, 6, 3, 2, 4


def make_document(**changes: object) -> Document:
    """n 5, d 6, h 3, k 2, v 4, seeded; W_O and biases in place."""
    random = np.random.default_rng(7)

    def numbers(*shape: int) -> Array:
        return frozen(np.round(random.normal(size=shape), 3))

    heads = tuple(
        Head(
            name=f"head {index}",
            W_Q=numbers(D, K),
            W_K=numbers(D, K),
            W_V=numbers(D, V),
            b_Q=numbers(K),
            b_K=numbers(K),
            b_V=numbers(V),
        )
        for index in range(H)
    )
    document = Document(
        tokens=("the", "cat", "eats", "a", "fish"),
        heads=heads,
        X=numbers(N, D),
        W_O=numbers(H * V, D),
        b_O=numbers(D),
    )
    return document.with_(**changes) if changes else document


def make_session(document: Document | None = None, *, language: str = "en") -> Session:
    return Session(document or make_document(), Preferences(motion=False), language)


def follow(
    qtbot: QtBot, session: Session, view: QWidget, width: int = 700, height: int = 420
) -> None:
    """Shown, with the keyboard, and true to the session."""
    qtbot.addWidget(view)
    session.changed.connect(view.show_state)  # type: ignore[attr-defined]
    view.show_state(None, session.state)  # type: ignore[attr-defined]
    view.resize(width, height)
    with qtbot.waitExposed(view):
        view.show()
    view.setFocus()


def centre(view: QTableView, index: QModelIndex) -> QPoint:
    return view.visualRect(index).center()


def undo_name(session: Session) -> str:
    return session.undo_stack.undoText()


def write(qtbot: QtBot, line: QLineEdit, text: str) -> None:
    """Typed on a keyboard, or, what no key of it bears, committed by an input method."""
    if text.isascii():
        qtbot.keyClicks(line, text)
        return
    event = QInputMethodEvent()
    event.setCommitString(text)
    QApplication.sendEvent(line, event)
