"""What a hand on a table does: the editor opens, playback waits, corners are hit, columns fit."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.edits import with_pin
from core.storage.examples import load_example
from gui.painting.theme import LIGHT, font
from gui.session.session import Session
from gui.texts.names import cell_name, header, header_tip
from gui.texts.rich_text import row_symbol, short, subscript_pieces, symbol, to_html
from gui.views.check.panel import CheckPanel
from gui.views.diagram.scene import card_specs, layout_of
from gui.views.heatmaps.panel import HeatmapPanel
from gui.views.heatmaps.wording import axis_tokens, token_name
from gui.views.stage.operation import OperandAxis
from gui.views.tables.panel import TablesPanel
from gui.views.tables.tokens import TokensModel, TokensPage
from gui.views.tables.view import TensorView
from gui.widgets.subscripts import width_of
from tests.gui.tables_kit import N, V, centre, follow, make_document, make_session
from tests.gui.test_tables_setup import turn
from tests.gui.test_tables_view import click, editor, show_table

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton


@pytest.mark.parametrize("typed", ["abc", "inf", "(1", "√−1", "?"])
def test_whatever_is_typed_opens_the_editor_and_is_judged(qtbot: QtBot, typed: str) -> None:
    session = make_session()
    view = show_table(qtbot, session, "X")
    before = session.state.document
    click(qtbot, view, 1, 2)
    start(qtbot, view, typed[0])
    editor(view).insert(typed[1:])
    assert editor(view).text() == typed
    qtbot.keyClick(editor(view), Key.Key_Return)
    assert session.state.document is before
    assert view.bubble.isVisible()
    assert typed in view.bubble.text()
    qtbot.keyClick(editor(view), Key.Key_Escape)


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1/3", 1 / 3),
        ("sqrt(2)/2", math.sqrt(2) / 2),
        ("√3", math.sqrt(3)),
        ("2^-1", 0.5),
        ("pi", math.pi),
    ],
)
def test_a_cell_takes_expressions(qtbot: QtBot, typed: str, value: float) -> None:
    session = make_session()
    view = show_table(qtbot, session, "X")
    click(qtbot, view, 1, 2)
    start(qtbot, view, typed[0])
    qtbot.keyClicks(editor(view), typed[1:])
    qtbot.keyClick(editor(view), Key.Key_Return)
    assert session.state.trace["X"][1, 2] == value


def start(qtbot: QtBot, view: TensorView, letter: str) -> None:
    """The first letter, by a key or, what no key bears, by an input method."""
    if letter.isascii():
        qtbot.keyClicks(view, letter)
        return
    event = QInputMethodEvent()
    event.setCommitString(letter)
    QApplication.sendEvent(view, event)


def test_letters_move_nothing_where_nothing_can_be_typed(qtbot: QtBot) -> None:
    session = make_session()
    session.answers.set_predicting(True)
    session.step(3)
    view = show_table(qtbot, session, "weights")
    click(qtbot, view, 2, 2)
    focus = session.state.focus
    qtbot.keyClicks(view, "0")
    qtbot.keyClicks(view, "x")
    assert session.state.focus == focus
    assert not view.is_editing()


# Pins


def pinned_table(qtbot: QtBot) -> TensorView:
    session = make_session(with_pin(make_document(), Cell("weights", 1, 2, 0), 0.5))
    return show_table(qtbot, session, "weights")


@pytest.mark.parametrize(("left", "down"), [(2, 2), (9, 3), (11, 11)])
def test_the_folded_corner_takes_the_pin_away(qtbot: QtBot, left: int, down: int) -> None:
    view = pinned_table(qtbot)
    corner = view.visualRect(view.tensor_model.index(1, 2)).topRight()
    qtbot.mouseClick(view.viewport(), LEFT, pos=corner + QPoint(-left, down))
    assert view._session.state.document.pins == ()


@pytest.mark.parametrize(("left", "down"), [(14, 4), (14, 14), (3, 14), (6, 13), (40, 3)])
def test_beside_the_folded_corner_the_cell_is_chosen(qtbot: QtBot, left: int, down: int) -> None:
    view = pinned_table(qtbot)
    corner = view.visualRect(view.tensor_model.index(1, 2)).topRight()
    qtbot.mouseClick(view.viewport(), LEFT, pos=corner + QPoint(-left, down))
    assert len(view._session.state.document.pins) == 1
    assert view._session.state.focus == Cell("weights", 1, 2, 0)


# Playback


def test_playback_waits_for_who_works_in_a_table(qtbot: QtBot) -> None:
    session = make_session()
    view = show_table(qtbot, session, "X")
    session.play(True)
    click(qtbot, view, 1, 1)
    assert not session.state.playing
    session.play(True)
    qtbot.keyClick(view, Key.Key_F2)
    assert view.is_editing()
    assert not session.state.playing
    qtbot.keyClick(editor(view), Key.Key_Escape)


def test_playback_waits_for_who_works_at_the_tokens(qtbot: QtBot) -> None:
    session = make_session()
    page = TokensPage(session)
    follow(qtbot, session, page)
    session.play(True)
    qtbot.mouseClick(
        page.view.viewport(), LEFT, pos=centre(page.view, page.view.tokens_model.index(1, 0))
    )
    assert not session.state.playing


# Looks


def test_lines_between_rows_reach_the_frame(qtbot: QtBot) -> None:
    view = show_table(qtbot, make_session(), "W_Q")  # two columns in a wide table
    image = view.viewport().grab().toImage()
    ratio = image.devicePixelRatio()
    last = view.visualRect(view.tensor_model.index(2, 1))
    assert last.right() < view.viewport().width() - 40
    for x in (last.right() - 3, last.right() + 3, view.viewport().width() - 2):
        assert (
            image.pixelColor(round(x * ratio), round(last.bottom() * ratio)).name()
            == LIGHT.line.lower()
        )


@pytest.mark.parametrize("tensor", ["scaled", "weights"])
def test_five_columns_stand_side_by_side_in_a_narrow_panel(qtbot: QtBot, tensor: str) -> None:
    session = make_session(make_document(tokens=("苹果", "发布", "了", "新", "iPhone")))
    view = TensorView(session, tensor)
    follow(qtbot, session, view, 437, 160)  # what a window of 1280 × 720 leaves it
    assert view.horizontalScrollBar().maximum() == 0


# Names


def test_an_empty_token_has_one_name(qtbot: QtBot) -> None:
    document = make_document(tokens=("the", "cat", " ", "a", "fish"))
    session = make_session(document)
    model = TokensModel(session)
    where = layout_of(session.state, (1200.0, 400.0))
    cards = {look.box.stage_id: look.tokens[0][2] for look in card_specs(session.state, where)}
    names = {
        "tokens": model.data(model.index(2, 0)),
        "header": header("weights", "n", 2, document),
        "cell": cell_name(Cell("weights", 2, 1, 0), document).split("(")[1].split(",")[0],
        "sum": short(document.tokens[2]),
        "index": symbol(document, Cell("weights", 2, 1, 0))[1].text.split(",")[0],
        "row": row_symbol(document, "Q", 2)[1].text,
        "stage": OperandAxis(N, 0, document.tokens).label(2),
        "heatmap axis": axis_tokens(document.tokens)[2].split()[0],
        "heatmap": token_name(document.tokens, 2).split()[0],
        **cards,
    }
    assert set(names.values()) == {"␣"}


def test_columns_of_the_joined_heads_are_numbered_as_elsewhere() -> None:
    document = make_document()
    assert [header("concat", "c", i, document) for i in (0, 4, 11)] == ["c₁", "c₅", "c₁₂"]
    assert header_tip("concat", "c", V, document) == "c₅ · Head 2: head 1 · z₁"
    assert header_tip("X", "d", 1, document) == "x₂"


def test_indices_stand_below_the_line() -> None:
    assert to_html("W_Q × d_model <5> Q_rot, 权重W_O") == (
        "W<sub>Q</sub> × d<sub>model</sub> &lt;5&gt; Q_rot, 权重W<sub>O</sub>"
    )
    assert subscript_pieces("2 W_Q = b_O") == [
        ("2 W", False),
        ("Q", True),
        (" = b", False),
        ("O", True),
    ]
    assert subscript_pieces("exp") == [("exp", False)]
    face = font(13)
    assert width_of("W", face) < width_of("W_Q", face) < width_of("WQ", face)


@pytest.mark.parametrize("make", [CheckPanel, HeatmapPanel, TablesPanel])
def test_no_choice_of_any_panel_takes_the_wheel_from_who_did_not_go_there(
    qtbot: QtBot, make: Callable[[Session], QWidget]
) -> None:
    panel = make(make_session())
    qtbot.addWidget(panel)
    choices = [*panel.findChildren(QComboBox), *panel.findChildren(QAbstractSpinBox)]
    assert choices
    assert {choice.focusPolicy() for choice in choices} <= {
        Qt.FocusPolicy.StrongFocus,
        Qt.FocusPolicy.TabFocus,
    }
    assert not any(turn(choice) for choice in choices)


def test_the_editor_of_a_computed_cell_shows_15_digits_and_changes_nothing(qtbot: QtBot) -> None:
    session = make_session(load_example("cat-eats-fish"))
    session.go_to_stage("scores")
    view = show_table(qtbot, session, "scores")
    click(qtbot, view, 0, 0)
    assert session.state.trace["scores"][0, 0, 0] == 0.7400000000000001
    qtbot.keyClick(view, Key.Key_F2)
    assert editor(view).text() == "0.74"
    qtbot.keyClick(editor(view), Key.Key_Return)
    assert not session.state.document.pins
    assert not session.state.dirty
