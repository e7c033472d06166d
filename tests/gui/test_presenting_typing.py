"""Numbers typed in the lecture room, and a step's results covered; offscreen and in a real window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.lesson.lesson import lesson_path
from gui.app.main_window import MainWindow
from gui.presentation.cell_editor import PresentedCellEditor
from gui.presentation.presentation import Presentation
from gui.views.stage.view import StageView
from tests.gui.presenting_kit import (
    PROJECTOR,
    Key,
    Modifier,
    begun,
    beside_projector,
    board,
    press,
    shown,
)

pytestmark = pytest.mark.realwindow
Button = Qt.MouseButton
CELL = Cell("weights", 2, 0)


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    with beside_projector(qtbot, monkeypatch, example="cat-eats-fish") as window:
        window.session.go_to_stage("weights")
        yield window


@pytest.fixture
def room(qtbot: QtBot, window: MainWindow) -> Presentation:
    qtbot.keyClick(window, Key.Key_F5)
    return begun(qtbot, window)


@pytest.fixture
def lesson(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    """At the scene of the weights."""
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = shown(qtbot, path=lesson_path("first-steps"))
    window.presentation.screens = lambda: [PROJECTOR]
    window.presentation.start()
    begun(qtbot, window)
    lesson = window.session.state.lesson
    assert lesson is not None
    window.session.lesson_player.go_to([scene.stage for scene in lesson.scenes].index("weights"))
    yield window
    window.presentation.stop()


def stage_pane(room: Presentation) -> StageView:
    pane = board(room).panes.get("stage")
    assert isinstance(pane, StageView)
    return pane


def middle(room: Presentation, cell: Cell) -> QPoint:
    place = stage_pane(room).cell_rect(cell)
    assert place is not None
    return place.center()


def field(room: Presentation) -> PresentedCellEditor:
    return board(room).cell_editor


def type_over(qtbot: QtBot, room: Presentation, text: str) -> None:
    field(room).line.selectAll()
    qtbot.keyClicks(field(room).line, text)
    qtbot.keyClick(field(room).line, Key.Key_Return)


def weight(window: MainWindow, cell: Cell = CELL) -> float:
    return float(window.session.state.trace.matrix(cell.tensor, cell.head)[cell.row, cell.column])


def output(window: MainWindow) -> float:
    return float(window.session.state.trace["heads"][0, CELL.row, 0])


# A number for a cell


def test_a_double_click_asks_for_a_number_and_the_run_answers(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    qtbot.mouseClick(stage_pane(room), Button.LeftButton, pos=middle(room, CELL))
    qtbot.mouseDClick(stage_pane(room), Button.LeftButton, pos=middle(room, CELL))
    assert field(room).isVisible()
    assert field(room).cell == CELL
    assert float(field(room).line.text()) == float(f"{weight(window):.15g}")
    values = window.session.state.trace["V"][0, :, 0]
    shares = window.session.state.trace["weights"][0, CELL.row].copy()
    type_over(qtbot, room, "1/2")
    assert not field(room).isVisible()
    assert weight(window) == 0.5
    shares[CELL.column] = 0.5
    expected = sum(float(a) * float(b) for a, b in zip(shares, values, strict=True))
    assert output(window) == pytest.approx(expected, abs=1e-12)
    assert room.is_running
    assert window.session.state.cursor.stage == "weights"
    press(qtbot, room, Key.Key_Z, modifier=Modifier.ControlModifier)
    assert weight(window) != 0.5


def test_esc_leaves_the_number_and_the_next_one_the_room(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    before = window.session.state.document
    press(qtbot, room, Key.Key_F2)
    qtbot.keyClicks(field(room).line, "7")
    qtbot.keyClick(field(room).line, Key.Key_Escape)
    assert not field(room).isVisible()
    assert window.session.state.document is before
    assert room.is_running
    qtbot.waitUntil(board(room).hasFocus)
    press(qtbot, room, Key.Key_Escape)
    assert not room.is_running


def test_enter_asks_only_where_a_cell_was_chosen_by_hand(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    press(qtbot, room, Key.Key_Right, modifier=Modifier.ShiftModifier)
    press(qtbot, room, Key.Key_Return)
    assert field(room).cell == Cell("weights", 0, 1)
    qtbot.keyClick(field(room).line, Key.Key_Return)  # the very number that stood there
    assert window.session.state.document.pins == ()
    press(qtbot, room, Key.Key_Return)  # and on
    assert not field(room).isVisible()
    assert window.session.state.cursor.stage == "heads"
    press(qtbot, room, Key.Key_PageUp)
    press(qtbot, room, Key.Key_Return)  # a step is no choice
    assert window.session.state.cursor.stage == "heads"


def test_what_is_no_number_stays_and_says_so(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    before = window.session.state.document
    press(qtbot, room, Key.Key_F2)
    low = field(room).height()
    type_over(qtbot, room, "a lot of it, as much as there is, and then some more")
    assert field(room).isVisible()
    assert "as much as there is" in field(room).hint.text()
    assert field(room).height() >= low
    assert field(room).hint.height() >= field(room).hint.heightForWidth(field(room).hint.width())
    assert window.session.state.document is before
    assert board(room).rect().contains(field(room).geometry())


def test_a_step_leaves_the_number(qtbot: QtBot, window: MainWindow, room: Presentation) -> None:
    before = window.session.state.document
    press(qtbot, room, Key.Key_F2)
    qtbot.keyClicks(field(room).line, "7")
    qtbot.keyClick(field(room).line, Key.Key_PageDown)
    assert not field(room).isVisible()
    assert window.session.state.cursor.stage == "heads"
    assert window.session.state.document is before


def test_a_number_typed_at_a_scene_is_the_hall_s_own(qtbot: QtBot, lesson: MainWindow) -> None:
    room, session = lesson.presentation, lesson.session
    told = session.state.document
    press(qtbot, room, Key.Key_F2)
    type_over(qtbot, room, "0.875")
    assert session.state.live
    press(qtbot, room, Key.Key_Backspace)
    assert session.state.document is told
    session.undo_stack.setClean()


# Results covered


def test_r_covers_the_step_s_results_and_on_shows_them(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    state = window.session.state
    sizes = state.document.n, state.document.m
    press(qtbot, room, Key.Key_R)
    state = window.session.state
    assert state.cursor.stage == "weights"
    assert state.is_visible("exp", 0, 0)
    covered = [
        (i, j)
        for i in range(sizes[0])
        for j in range(sizes[1])
        if state.is_predicted("weights", i, j)
    ]
    assert len(covered) == sizes[0] * sizes[1]
    assert all(state.hides(Cell("weights", i, j)) for i, j in covered)
    assert state.visible_extent("weights", sizes) == (0, 0)
    press(qtbot, room, Key.Key_F2)  # no number before it was worked out
    assert not field(room).isVisible()
    press(qtbot, room, Key.Key_PageDown)
    state = window.session.state
    assert state.cursor.stage == "weights"
    assert state.is_visible("weights", *(size - 1 for size in sizes))
    assert state.visible_extent("weights", sizes) is None
    press(qtbot, room, Key.Key_R, Key.Key_R)
    assert window.session.state.hidden is None


def test_what_was_entered_is_not_covered(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    window.session.go_to_stage("Q")
    press(qtbot, room, Key.Key_R)
    assert window.session.state.hidden is None
    assert board(room).message_layer.isVisible()


def test_a_scene_shows_what_was_covered_before_it_goes_on(qtbot: QtBot, lesson: MainWindow) -> None:
    room, session = lesson.presentation, lesson.session
    place = session.state.scene_index, session.state.steps_taken
    press(qtbot, room, Key.Key_R)
    covered = session.state
    assert covered.hidden is not None
    press(qtbot, room, Key.Key_PageDown)
    state = session.state
    assert state.hidden is None
    assert (state.scene_index, state.steps_taken) == place
