"""The line of code below the worked sum, and the way from the window to the panel."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.document.orientation import COLUMNS
from core.explain.timeline import Reach
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.session.session import Session
from gui.texts.stage_texts import meaning
from gui.views.stage.scene import StageScene, build_scene
from gui.views.stage.view import StageView
from gui.widgets.code import pieces_width
from tests.core.documents import SIZES, make
from tests.gui.stage_kit import session_at
from tests.gui.window_kit import bring_forward

LARGE, LOW = (1000, 620), (800, 380)


def scene_of(session: Session, size: tuple[float, float] = LARGE) -> StageScene:
    return build_scene(session.state, QRectF(0, 0, *size))


def code_of(session: Session, size: tuple[float, float] = LARGE) -> str:
    return "".join(piece.text for piece in scene_of(session, size).card.code)


def test_the_line_computes_the_stage_that_is_looked_at(qapp: object) -> None:
    session = session_at(make(2, biases=True), "scores")
    assert (
        code_of(session) == "scores = Q @ K.transpose(0, 2, 1)  # (3, 5, 2) @ (3, 2, 5) → (3, 5, 5)"
    )
    assert scene_of(session).card.library == "NumPy"
    session.set_preferences(code="torch")
    assert code_of(session).startswith("scores = Q @ K.transpose(1, 2)  #")
    assert scene_of(session).card.library == "PyTorch"
    session.set_preferences(code="latex")
    assert scene_of(session).card.library == "NumPy"


def test_with_tokens_as_columns_it_says_that_its_rows_are_tokens(qapp: object) -> None:
    session = session_at(make(2, biases=True), "scores")
    session.set_preferences(columns=True)
    line = "scores = Q @ K.transpose(0, 2, 1)  # "
    assert code_of(session) == line + "(3, 5, 2) @ (3, 2, 5) → (3, 5, 5) · tokens as rows"
    lines = {code_of(session, (width, 900)) for width in range(300, 900, 10)}
    assert {line + "tokens as rows", line.partition("  #")[0]} <= lines
    session.set_preferences(columns=False)
    assert "tokens as rows" not in code_of(session)


def test_the_sub_step_of_a_row_has_its_own_line(qapp: object) -> None:
    assert code_of(session_at("cat-eats-fish", "exp", reach=Reach.LEAD)).startswith(
        "highest = scaled.max("
    )


def test_it_takes_no_room_from_the_matrices_where_there_is_little(qapp: object) -> None:
    session = session_at("cat-eats-fish", "scores")
    assert code_of(session, LOW) == ""
    session.set_preferences(code_line=False)
    assert code_of(session) == ""
    without = scene_of(session).card.height
    session.set_preferences(code_line=True)
    assert scene_of(session).card.height > without


@pytest.mark.parametrize("width", [300, 420, 560, 900])
def test_shapes_go_before_the_code_does_and_nothing_is_cut(qapp: object, width: int) -> None:
    card = scene_of(session_at(make(2, biases=True), "Q"), (width, 900)).card
    text = "".join(piece.text for piece in card.code)
    assert text in ("", "Q = X @ W_Q + b_Q[:, None, :]") or text.endswith("→ (3, 5, 2)")
    assert pieces_width(card.code) < width - 60


def test_the_stage_view_follows_the_wish_at_once(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "scores")
    view = StageView(session)
    qtbot.addWidget(view)
    session.changed.connect(view.show_state)
    view.show_state(None, session.state)
    view.resize(*LARGE)
    assert view.scene().card.code
    session.set_preferences(code_line=False)
    assert not view.scene().card.code


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = build_window(language="en")
    bring_forward(qtbot, window)
    window.diagram.setFocus()
    return window


@pytest.mark.realwindow
def test_a_key_opens_the_panel_and_steps_go_on_from_there(qtbot: QtBot, window: MainWindow) -> None:
    dock = window.docks["code"]
    assert dock.isHidden()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(window.code.list.hasFocus)
    qtbot.keyClick(window.code.list, Qt.Key.Key_Right)
    qtbot.keyClick(window.code.list, Qt.Key.Key_PageDown)
    assert window.session.state.cursor.stage == "V"
    qtbot.keyClick(window.code.list, Qt.Key.Key_Down)
    qtbot.keyClick(window.code.list, Qt.Key.Key_Return)
    assert window.session.state.cursor.stage == "scores"
    window.actions_["reset_layout"].trigger()
    assert not dock.isHidden()
    dock.close()
    window.actions_["reset_layout"].trigger()
    assert dock.isHidden()


def test_the_line_is_switched_in_the_view_menu(window: MainWindow) -> None:
    action = window.actions_["code_line"]
    assert action.isChecked()
    action.trigger()
    assert not window.session.state.preferences.code_line
    assert not action.isChecked()


def test_a_rotation_of_an_odd_width_says_what_stays(qapp: object) -> None:
    """Its line turns; the sentences tell that the last number has no partner, only where it has none."""
    for width, says in ((3, True), (4, False)):
        document = make(5, sizes={**SIZES, "k": width}, positional="rotary")
        session = session_at(document, "Q_rot")
        assert "even * np.cos(angle) - odd * np.sin(angle)" in code_of(session)
        assert ("without a partner, stays" in meaning(document, "Q_rot").sentence) is says
        assert ("without a partner, stays" in meaning(document, "Q_rot", COLUMNS).sentence) is says
