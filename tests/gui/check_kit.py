"""Numbers as a learner would write them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from core.check.answers import Answer, Index, parse_answer
from gui.session.session import Session
from gui.views.check.panel import CheckPanel
from gui.views.check.view import EntryView
from tests.gui.tables_kit import centre, follow


def rounded(session: Session, stage: str, decimals: int = 2) -> dict[Index, Answer | None]:
    """Every number of a stage, rounded."""
    truth = session.state.trace[stage]
    return {
        index: parse_answer(f"{truth[index]:.{decimals}f}") for index in np.ndindex(*truth.shape)
    }


def texts(session: Session, stage: str) -> Mapping[Index, str]:
    return {index: number.text for index, number in session.state.entries.get(stage, {}).items()}


def show_panel(qtbot: QtBot, session: Session) -> CheckPanel:
    panel = CheckPanel(session)
    follow(qtbot, session, panel, 520, 460)
    return panel


def click(qtbot: QtBot, view: EntryView, row: int, column: int) -> None:
    qtbot.mouseClick(
        view.viewport(),
        Qt.MouseButton.LeftButton,
        pos=centre(view, view.entries.index(row, column)),
    )


def editor(view: EntryView) -> QLineEdit:
    found = [line for line in view.viewport().findChildren(QLineEdit) if line.isVisible()]
    assert len(found) == 1
    return found[0]


def type_in(qtbot: QtBot, view: EntryView, text: str, key: Qt.Key = Qt.Key.Key_Return) -> None:
    """Into the current cell: the first key opens the editor."""
    qtbot.keyClicks(view, text[0])
    qtbot.keyClicks(editor(view), text[1:])
    qtbot.keyClick(editor(view), key)
