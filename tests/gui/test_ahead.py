"""Stepping by row or cell, views show only what has been reached; a preference shows all."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from pytestqt.qtbot import QtBot

from core.base.arrays import frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.base.number_format import exact, show
from core.check.answers import parse_answer
from core.document.document import Document
from core.explain.derivation import derive
from core.explain.timeline import Cursor, Grain, Reach
from gui.app.edit_menu import copy_heads
from gui.painting.theme import colours
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State
from gui.texts.errors import error_message
from gui.views.check.panel import CheckPanel
from gui.views.diagram.cards import paint_card
from gui.views.diagram.scene import card_specs, layout_of
from gui.views.stage.dialogs import table_html
from gui.views.stage.operation import Operand, target
from gui.views.stage.operation_builder import operation
from gui.views.stage.size_fitting import longest_number
from gui.views.tables.set_values import Drag, nudge
from gui.views.tables.view import TensorView
from gui.widgets.number_table import NumberEditor
from tests.gui.check_kit import show_panel
from tests.gui.tables_kit import N, follow, make_document, make_session

Role = Qt.ItemDataRole

pytestmark = pytest.mark.usefixtures("qapp")

ROW = 2
AHEAD = [
    (Cursor("scores", row=ROW, reach=Reach.ROW), Cell("scores", ROW + 1, 0)),
    (Cursor("scores", row=ROW, reach=Reach.ROW), Cell("weights", 0, 0)),
    (Cursor("scores", row=ROW, column=1, reach=Reach.CELL), Cell("scores", ROW, 2)),
    (Cursor("weights", row=ROW, reach=Reach.LEAD), Cell("weights", ROW, 0)),
    (Cursor("Q"), Cell("scores", 0, 0)),
]


def at(cursor: Cursor, grain: Grain) -> Session:
    session = make_session()
    session.set_preferences(grain=grain)
    session.go_to(cursor)
    return session


@pytest.mark.parametrize("grain", [Grain.ROW, Grain.CELL])
@pytest.mark.parametrize(("cursor", "cell"), AHEAD)
def test_what_is_not_reached_is_covered_and_not_spoken(
    grain: Grain, cursor: Cursor, cell: Cell
) -> None:
    session = at(cursor, grain)
    assert session.state.is_covered(cell)
    assert spoken_cell(session.state, cell, only_visible=False).endswith("not reached yet")
    session.set_preferences(show_ahead=True)
    assert not session.state.is_covered(cell)
    number = show(session.state.trace.value(cell), session.state.decimals)
    assert number in spoken_cell(session.state, cell, only_visible=False)


def test_what_is_reached_or_entered_is_not_covered() -> None:
    session = at(Cursor("scores", row=ROW, reach=Reach.ROW), Grain.ROW)
    for cell in (Cell("scores", ROW, N - 1), Cell("Q", N - 1, 0), Cell("W_V", 0, 0)):
        assert not session.state.is_covered(cell)
    assert session.state.reached_extent("scores", (N, N)) == (ROW + 1, 0)
    assert session.state.reached_extent("weights", (N, N)) == (0, 0)
    assert session.state.reached_extent("Q", (N, 3)) is None


def test_whole_stages_cover_nothing() -> None:
    session = at(Cursor("Q"), Grain.STAGE)
    assert not session.state.is_covered(Cell("weights", 0, 0))
    assert session.state.reached_extent("weights", (N, N)) is None
    session.answers.set_predicting(True)
    assert session.state.is_covered(Cell("weights", 0, 0))


def with_last_token(value: float) -> Document:
    """Another X for the last token: only its own row of Q changes."""
    document = make_document()
    assert document.X is not None
    x = np.array(document.X)
    x[-1] = value
    return document.with_(X=frozen(x))


def table(
    qtbot: QtBot, document: Document, stage: str, *, columns: bool = False
) -> tuple[Session, TensorView]:
    session = make_session(document)
    session.set_preferences(grain=Grain.ROW, columns=columns)
    session.go_to(Cursor(stage, row=ROW, reach=Reach.ROW))
    view = TensorView(session, stage)
    follow(qtbot, session, view)
    return session, view


@pytest.mark.parametrize("columns", [False, True])
def test_tables_of_runs_that_differ_further_on_look_and_read_the_same(
    qtbot: QtBot, columns: bool
) -> None:
    """Colours, widths and texts agree, though a hidden number has more digits than all others."""
    roles = (Role.DisplayRole, Role.EditRole, Role.ToolTipRole, Role.AccessibleTextRole)
    looks: list[tuple[QImage, list[object]]] = []
    for value in (0.25, 77_777.25):
        _, view = table(qtbot, with_last_token(value), "Q", columns=columns)
        model = view.tensor_model
        places = np.ndindex(model.rowCount(), model.columnCount())
        said = [model.index(*place).data(role) for place in places for role in roles]
        looks.append((view.grab().toImage(), said))
    assert looks[0] == looks[1]


def test_what_is_not_reached_is_not_copied(qtbot: QtBot) -> None:
    session, view = table(qtbot, make_document(), "Q")
    view.selectAll()
    view.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines[ROW].replace("\t", "")) > 0
    assert not "".join(lines[ROW + 1 :]).strip()
    assert "Not all of these numbers" in copy_heads(session, "numpy")
    session.set_preferences(show_ahead=True)
    assert copy_heads(session, "numpy") == ""


def test_what_is_not_reached_can_be_pinned(qtbot: QtBot) -> None:
    """The right number pins it, too: otherwise a try would tell the number."""
    session, view = table(qtbot, make_document(), "Q")
    cell = Cell("Q", ROW + 1, 0)
    right = exact(session.state.trace.value(cell))
    view.setCurrentIndex(view.tensor_model.index(cell.row, cell.column))
    qtbot.keyClick(view, Qt.Key.Key_F2)
    editor = view.findChild(NumberEditor)
    assert editor is not None
    assert editor.text() == ""
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert not view.is_editing()
    assert not session.state.document.pins
    view.setCurrentIndex(view.tensor_model.index(cell.row, cell.column))
    qtbot.keyClick(view, Qt.Key.Key_F2)
    editor = view.findChildren(NumberEditor)[-1]
    qtbot.keyClicks(editor, right)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert [pin.cell for pin in session.state.document.pins] == [cell]
    assert view.tensor_model.index(cell.row, cell.column).data() == show(float(right), 2)
    assert view.tensor_model.index(cell.row, cell.column + 1).data() == ""


def test_no_key_moves_a_number_that_is_not_reached(qtbot: QtBot) -> None:
    session, view = table(qtbot, make_document(), "Q")
    view.setCurrentIndex(view.tensor_model.index(ROW + 1, 0))
    qtbot.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert view.bubble.text() == error_message(UserError("cell.ahead"))
    assert not nudge(session, 1)
    with pytest.raises(UserError):
        Drag(session, session.state.focus)
    assert not session.state.document.pins


def hint(panel: CheckPanel) -> str:
    panel.bar.hint.click()
    return panel.remark.text()


def test_hints_and_mistakes_ahead_hold_no_numbers(qtbot: QtBot) -> None:
    session = at(Cursor("Q", row=ROW, reach=Reach.ROW), Grain.ROW)
    truth = session.state.trace["scores"]
    wrong = {(0, i, j): parse_answer(f"{-truth[0, i, j]:.6f}") for i in range(N) for j in range(N)}
    session.answers.write("scores", wrong)
    panel = show_panel(qtbot, session)
    panel.show_stage("scores")
    session.set_focus(Cell("scores", N - 1, 0))
    texts = [hint(panel) for _ in range(4)]
    texts += [card.text.text() for card in panel.mistakes.cards if card.isVisible()]
    assert not re.search(r"\d\.\d", " ".join(texts))
    session.set_preferences(show_ahead=True)
    assert any(re.search(r"\d\.\d", hint(panel)) for _ in range(4))


def test_the_list_of_terms_keeps_the_total_of_a_cell_that_is_not_reached() -> None:
    session = at(Cursor("scores", row=ROW, reach=Reach.ROW), Grain.ROW)
    cell = Cell("scores", ROW + 1, 0)
    step = derive(session.state.document, session.state.trace, cell)
    total = show(session.state.trace.value(cell), session.state.decimals)
    assert total in table_html(session.state, step)
    assert total not in table_html(session.state, step, hidden=True)


def card_image(state: State, stage: str) -> QImage:
    diagram = layout_of(state, (1240.0, 260.0))
    cards = {card.box.stage_id: card for card in card_specs(state, diagram)}
    image = QImage(500, 300, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.translate(20.0 - diagram.box(stage).rect.x, 20.0 - diagram.box(stage).rect.y)
    paint_card(painter, cards[stage], colours("light"), 1.0)
    painter.end()
    return image


def result_of(state: State, stage: str) -> Operand:
    (found,) = [one for one in operation(state, target(state)).operands if one.tensor == stage]
    return found


@pytest.mark.parametrize("columns", [False, True])
def test_diagram_and_stage_view_of_runs_that_differ_further_on_look_the_same(columns: bool) -> None:
    """Colours and sizes of digits agree, though a number ahead is larger and longer."""
    images, scales, longest = [], [], []
    for value in (0.25, 77_777.25):
        session = make_session(with_last_token(value))
        session.set_preferences(grain=Grain.ROW, columns=columns)
        session.go_to(Cursor("Q", row=ROW, reach=Reach.ROW))
        images.append(card_image(session.state, "Q"))
        result = result_of(session.state, "Q")
        scales.append(result.levels)
        longest.append(longest_number(result, session.state))
        session.set_preferences(show_ahead=True)
        scales.append(result_of(session.state, "Q").levels)
    assert images[0] == images[1]
    assert longest[0] == longest[1]
    assert scales[0] == scales[2]
    assert scales[1] != scales[3], "shown where the preference asks for it"
