"""A stack in the main window: every step is shown, layers are reached by keys, stops are folded."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.document import Document
from core.document.edits import with_cell
from core.explain.timeline import Grain
from gui.app.main_window import MainWindow
from gui.views.timeline import TimelineBar, stops_of
from tests.gui.test_stack_diagram import VARIANTS, stack
from tests.gui.window_kit import open_window


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    found = open_window(qtbot, "cat-eats-fish")
    found.session.edit(stack())
    return found


@pytest.mark.parametrize("grain", list(Grain))
@pytest.mark.parametrize("columns", [False, True])
def test_every_step_of_a_stack_is_shown(window: MainWindow, grain: Grain, columns: bool) -> None:
    session = window.session
    session.set_preferences(grain=grain, columns=columns, motion=False)
    session.go_first()
    seen = {session.state.cursor.stage}
    for _ in range(3000):
        before = session.state.cursor
        session.step(1)
        if session.state.cursor == before:
            break
        if session.state.cursor.stage not in seen:
            seen.add(session.state.cursor.stage)
            assert not window.grab().isNull()
    assert seen == set(session.state.trace.plan.ids)


def test_an_edit_flashes_in_the_open_layer_alone(window: MainWindow) -> None:
    """Every later stage changes, most of them in folded layers."""
    session = window.session
    session.set_preferences(motion=True)
    for stage in session.state.trace.plan.ids:
        session.go_to_stage(stage)
        session.change(with_cell, Cell("X", 0, 0), float(len(stage)) / 3, text="Edit")
        assert window.diagram.moving
        assert not window.grab().isNull()


def test_keys_go_to_the_same_stage_of_the_next_layer_and_back(
    window: MainWindow, qtbot: QtBot
) -> None:
    session, both = (
        window.session,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    session.go_to_stage("L1.weights")
    qtbot.keyClick(window, Qt.Key.Key_PageDown, both)
    assert session.state.cursor.stage == "L2.weights"
    qtbot.keyClick(window, Qt.Key.Key_PageUp, both)
    assert session.state.cursor.stage == "L1.weights"


@pytest.mark.parametrize("document", VARIANTS)
def test_the_stops_of_the_line_cover_every_stage_once(
    window: MainWindow, document: Document
) -> None:
    window.session.edit(document)
    plan = window.session.state.trace.plan
    for stage in plan:
        window.session.go_to_stage(stage.id)
        stops = stops_of(window.session.state)
        assert [index for stop in stops for index in stop.stages] == list(range(len(plan)))
        here = next(stop for stop in stops if plan.index(stage.id) in stop.stages)
        assert not here.together


def test_a_click_on_a_folded_layer_opens_it(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.go_to_stage("L1.weights")
    line = window.findChild(TimelineBar)
    x = line.stage_x(session.state.trace.plan.index("L2.weights"))
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton, pos=QPoint(round(x), 10))
    assert session.state.trace.plan[session.state.cursor.stage].layer == 2
