"""A stack in the main window: every step is shown, layers are reached by keys, stops are folded."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.document import Document
from core.document.edits import with_cell
from core.document.resize import with_head_added, with_head_removed
from core.document.stack_edits import in_layer
from core.explain.timeline import Grain
from gui.app.main_window import MainWindow
from gui.session.state import State
from gui.views.heatmaps.heatmap_data import choose_heatmap, make_panes
from gui.views.stage.scene import build_scene
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


def test_the_head_is_chosen_where_there_are_heads(window: MainWindow) -> None:
    session = window.session
    head = window.findChild(QToolButton, "head_menu")
    assert head is not None
    for stage, shown in (("X", True), ("L2.weights", True), ("probabilities", False)):
        session.go_to_stage(stage)
        assert head.isVisible() == shown, stage
    session.go_to_stage("L1.Q")
    assert head.isVisible()


@pytest.mark.parametrize(
    ("stage", "head", "said"),
    [
        ("L2.weights", 1, "Layer 2 · Head 2"),
        ("L1.weights", 0, "Layer 1 · Head 1"),
        ("L2.mlp_out", 0, "Layer 2"),
        ("logits", 0, ""),
    ],
)
def test_the_stage_view_says_layer_and_head(
    window: MainWindow, stage: str, head: int, said: str
) -> None:
    session = window.session
    session.select_head(head)
    session.go_to_stage(stage)
    assert subtitle_of(session.state) == said


def test_one_layer_is_not_named(window: MainWindow) -> None:
    document = window.session.state.document
    window.session.edit(document.with_(layers=document.layers[:1]))
    window.session.go_to_stage("L1.weights")
    assert subtitle_of(window.session.state) == "Head 1"


def subtitle_of(state: State) -> str:
    """The longest text beside the title of the stage view."""
    return build_scene(state, QRectF(0, 0, 900, 400)).header.subtitles[0]


def test_layers_may_have_different_numbers_of_heads(window: MainWindow) -> None:
    """The head that is shown is one of the open layer, wherever the focus and the heatmap are."""
    session = window.session
    session.edit(in_layer(stack(heads=2), 1, with_head_added))
    session.go_to_stage("L1.Q")
    session.select_head(2)
    for view in ("one", "heads", "difference"):
        session.set_preferences(heatmap_view=view, heatmap_stage="L2.weights")
        session.compare_with_current()
        for stage in ("L1.weights", "L2.mlp_out", "probabilities", "X"):
            session.go_to_stage(stage)
            session.set_focus(Cell("L1.W_Q", 0, 0, 2))
            assert session.state.cursor.head < session.state.scope.h
            assert not window.grab().isNull()
    session.set_preferences(heatmap_view="one", heatmap_stage="")
    session.go_to_stage("probabilities")
    session.select_head(1)
    session.edit(in_layer(session.state.document, 2, lambda scope: with_head_removed(scope, 0)))
    assert session.state.cursor.head == 0
    assert not window.grab().isNull()


def test_the_difference_of_a_stack_is_that_of_its_stage(window: MainWindow) -> None:
    session = window.session
    session.set_preferences(heatmap_view="difference", heatmap_stage="L2.mlp_out")
    before = session.state.trace["L2.mlp_out"]
    session.compare_with_current()
    session.change(with_cell, Cell("L1.W_1", 0, 0), 2.5, text="Edit")
    choice = choose_heatmap(session.state)
    (pane,) = make_panes(choice, session.state.trace)
    assert pane.values.tolist() == (session.state.trace["L2.mlp_out"] - before).tolist()
    assert np.abs(pane.values).max() > 0
