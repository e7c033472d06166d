"""Tables of a stack: every entered tensor can be edited, pasted and resized; heads of the open layer."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Document
from core.document.orientation import ROWS
from core.document.parts import ACTIVATIONS, NORM_KINDS, NORM_PLACES, is_of_head, split_layer
from core.document.stack_edits import with_layer_removed
from gui.app.main_window import MainWindow
from gui.dialogs.import_plan import (
    ImportPlan,
    TensorPlace,
    consequences,
    head_choices,
    tensors,
    with_plan,
)
from gui.session.session import Session
from gui.session.trace_runner import is_large
from gui.views.diagram.scene import focus_frames
from gui.views.diagram.stack_layout import stack_layout
from gui.views.tables.edits import forecast, with_matrix, with_sizes, with_values
from gui.views.tables.heads import HeadsBar
from gui.views.tables.layers import LayerSection, MlpSection, NormSection
from gui.views.tables.panel import COMPUTED, GIVEN, TablesPanel, tables_of
from gui.views.tables.sizes import SizesPanel
from tests.core.stacks import make_stack
from tests.core.test_archive import same
from tests.gui.window_kit import open_window

STACK = make_stack(6, borrowed=True, gate=True)


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    found = open_window(qtbot, "cat-eats-fish")
    found.session.edit(STACK)
    return found


@pytest.mark.parametrize("name", STACK.inputs)
def test_every_tensor_takes_a_number_and_a_larger_matrix(name: str) -> None:
    tensor = STACK.tensor(name)
    assert tensor is not None
    rows, columns = np.atleast_2d(tensor).shape
    after = with_values(STACK, {Cell(name, rows - 1, columns - 1): 2.5})
    changed = after.tensor(name)
    assert changed is not None
    assert np.atleast_2d(changed)[-1, -1] == 2.5
    larger = np.full((rows if tensor.ndim == 1 else rows + 3, columns + 1), 0.5)
    grown = with_matrix(STACK, name, 0, larger, "new").tensor(name)
    assert grown is not None
    assert grown.tolist() == (larger[0] if tensor.ndim == 1 else larger).tolist()


@pytest.mark.parametrize("axis", ["h", "k", "v", "f", "d", "n", "u"])
def test_the_forecast_is_what_sizes_do(axis: str) -> None:
    now = STACK.sizes_at("L2.Q")[axis]
    for size in (now + 2, now - 1):
        if axis == "h" and size < now:
            continue  # the borrower goes, which has fewer numbers than other heads
        ahead = forecast(STACK, {axis: size}, layer=2)
        after = with_sizes(STACK, {axis: size}, "new", layer=2)
        assert after.sizes_at("L2.Q")[axis] == size
        for name in STACK.inputs:
            old, new = STACK.tensor(name), after.tensor(name)
            assert old is not None
            assert new is not None
            assert ahead.shapes.get(name, (old.shape, old.shape)) == (old.shape, new.shape)
        if axis != "h":  # a new head has keys and values of its own
            assert ahead.new == len(after.filled)


def test_the_panel_shows_the_open_layer(window: MainWindow) -> None:
    session = window.session
    for stage, layer in (("L1.weights", 1), ("L2.mlp_out", 2), ("X", 1), ("probabilities", 2)):
        session.go_to_stage(stage)
        shown = tables_of(session.state, GIVEN)
        assert {split_layer(name)[0] for name in shown} == {None, layer}
        assert {"tokens", "vocabulary", "X", "W_U", f"L{layer}.W_gate"} <= set(shown)


@pytest.mark.parametrize("group", [GIVEN, COMPUTED])
def test_a_table_behind_the_setup_may_go_with_its_layer_or_part(
    window: MainWindow, group: str
) -> None:
    session, panel = window.session, window.findChild(TablesPanel)
    less = STACK.with_(embedding_norm=None, final_norm=None, output=None)
    for layer, smaller in ((2, with_layer_removed(STACK, 2)), (1, less)):
        session.go_to_stage(f"L{layer}.weights")
        for name in tables_of(session.state, group):
            panel.show_table(name)
            panel.show_setup("layers")
            session.edit(smaller)
            table = panel.view.contents.tensor
            assert table in session.state.trace or table in smaller.inputs
            session.undo()


def test_every_table_is_shown_for_every_head(window: MainWindow) -> None:
    session, panel = window.session, window.findChild(TablesPanel)
    for stage in ("L1.Q", "L2.Q"):
        session.go_to_stage(stage)
        for name in tables_of(session.state, GIVEN):
            for head in range(3 if is_of_head(name) else 1):
                session.select_head(head)
                panel.show_table(name)
                assert panel.page_id == name
                assert panel.note.text()


@pytest.mark.parametrize("name", ["L2.W_Q", "L2.W_1", "L2.mlp_norm.gamma", "L2.mlp_out"])
@pytest.mark.parametrize("link", [True, False])
def test_a_number_of_a_layer_that_is_not_open_opens_it(
    window: MainWindow, qtbot: QtBot, name: str, link: bool
) -> None:
    session, panel = window.session, window.findChild(TablesPanel)
    window.docks["tables"].bring_forward()
    panel.link.setChecked(link)
    session.go_to_stage("L1.Q")
    panel.edit(Cell(name, 0, 1), None)
    assert panel.page_id == name
    assert session.state.scope.of_layer == 2
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, "3.25")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    state = session.state
    numbers = state.trace[name] if name in state.trace else state.document.tensor(name)
    assert numbers is not None
    assert np.atleast_2d(numbers)[0, 1] == 3.25


def test_the_focus_may_lie_in_a_layer_that_is_not_open(window: MainWindow) -> None:
    """As a click into a heatmap of another stage leads to; the diagram marks nothing."""
    session = window.session
    session.go_to_stage("L1.Q")
    for stage in session.state.trace:
        session.set_focus(Cell(stage, 0, 0))
        state = session.state
        diagram = stack_layout(state.document, state.trace.plan, stage_id=state.cursor.stage)
        shown = {box.stage_id for box in diagram.boxes}
        assert set(focus_frames(state, diagram)) <= shown
        assert (stage in focus_frames(state, diagram)) == (stage in shown)


def test_a_table_that_does_not_follow_is_the_same_one_of_the_next_layer(
    window: MainWindow,
) -> None:
    session, panel = window.session, window.findChild(TablesPanel)
    session.go_to_stage("L1.Q")
    panel.show_table("L1.W_K")
    panel.link.setChecked(False)
    session.go_to_stage("L2.scores")
    assert panel.page_id == "L2.W_K"


def test_a_borrower_says_whose_keys_it_reads(window: MainWindow) -> None:
    window.session.go_to_stage("L1.Q")
    window.session.select_head(2)
    panel = window.findChild(TablesPanel)
    panel.show_table("L1.W_K")
    assert "head 1" in panel.note.text().lower()


def heads_of(session: Session, layer: int) -> list[bool]:
    return [head.enabled for head in session.state.document.layers[layer - 1].heads]


def test_heads_of_the_open_layer_are_edited(window: MainWindow) -> None:
    session, bar = window.session, window.findChild(HeadsBar)
    session.go_to_stage("L2.weights")
    bar.chips[1].power.click()
    assert (heads_of(session, 1), heads_of(session, 2)) == ([True] * 3, [True, False, True])
    bar.add.click()
    assert (len(heads_of(session, 1)), len(heads_of(session, 2))) == (3, 4)
    assert session.state.cursor.head == 3
    session.go_to_stage("L1.weights")
    assert session.state.cursor.head == 2
    assert len(bar.chips) == 3
    session.go_to_stage("L2.weights")
    session.select_head(0)
    bar.remove.click()
    assert [head.kv_from for head in session.state.document.layers[1].heads] == [None] * 3
    session.undo()
    session.undo()
    session.undo()
    assert session.state.document is STACK


def test_sizes_of_the_open_layer_are_edited(window: MainWindow) -> None:
    session, panel = window.session, window.findChild(SizesPanel)
    session.go_to_stage("L2.mlp_hidden")
    assert {axis: panel.fields[axis].number for axis in "kvfu"} == {"k": 3, "v": 6, "f": 8, "u": 8}
    panel.fields["f"].stepBy(-3)
    panel.apply.click()
    document: Document = session.state.document
    assert document.stage_shape("L2.mlp_hidden") == (4, 5)
    assert document.stage_shape("L1.mlp_hidden") == (4, 7)
    panel.biases.click()
    assert session.state.document.layers[1].heads[0].b_Q is None
    assert session.state.document.layers[0].heads[0].b_Q is not None


def test_words_are_renamed_added_and_removed(window: MainWindow) -> None:
    session, panel = window.session, window.findChild(TablesPanel)
    panel.show_page("vocabulary")
    model = panel.vocabulary.view.tokens_model
    assert model.setData(model.index(2, 0), "猫")
    panel.vocabulary.add.click()
    output = session.state.document.output
    assert output is not None
    assert len(output.vocabulary) == 9
    assert output.W_U.shape == (6, 9)
    assert "猫" in output.vocabulary


def test_the_parts_of_a_layer_are_switched_off_and_on_without_loss(window: MainWindow) -> None:
    session = window.session
    session.go_to_stage("L2.weights")
    layer, norms, mlp = (window.findChild(kind) for kind in (LayerSection, NormSection, MlpSection))
    boxes = [layer.residual, mlp.on, *norms.switches.values()]
    gone = [
        {"L2.attention_residual", "L2.mlp_residual"},
        {name for name in session.state.trace.plan.ids if name.startswith("L2.mlp_")},
        {"L2.attention_norm"},
        {"L2.mlp_norm"},
        {"embedding_norm"},
        {"final_norm"},
    ]
    for box, stages in zip(boxes, gone, strict=True):
        assert box.isChecked()
        box.click()
        assert set(run(STACK)) - set(session.state.trace) == stages, box.text()
        box.click()
        assert same(session.state.document, STACK)


def test_a_layer_that_is_off_can_be_switched_on_again(window: MainWindow) -> None:
    session, layer = window.session, window.findChild(LayerSection)
    for number in (1, 2):
        session.go_to_stage(f"L{number}.weights")
        layer.on.click()
    assert session.state.trace.plan.layers == ()
    assert session.state.scope.of_layer == 1
    layer.on.click()
    assert session.state.trace.plan.layers == (1,)


def test_kinds_of_a_layer_are_chosen(window: MainWindow) -> None:
    session = window.session
    session.go_to_stage("L1.weights")
    norms, mlp = window.findChild(NormSection), window.findChild(MlpSection)
    norms.kind.activated.emit(NORM_KINDS.index("rms"))
    norms.place.activated.emit(NORM_PLACES.index("post"))
    norms.eps.entered.emit(0.25)
    mlp.activation.activated.emit(ACTIVATIONS.index("silu"))
    mlp.gate.click()
    first, second = session.state.document.layers
    assert (first.norm.kind, first.norm.place, first.norm.eps) == ("rms", "post", 0.25)
    assert first.mlp is not None
    assert (first.mlp.activation, first.mlp.W_gate) == ("silu", None)
    assert second is STACK.layers[1]


def test_heads_borrow_and_layers_are_arranged(window: MainWindow) -> None:
    session, layer = window.session, window.findChild(LayerSection)
    session.go_to_stage("L1.weights")
    session.select_head(2)
    assert layer.lender.currentText() != layer.lender.itemText(0)
    layer.lender.activated.emit(0)
    assert session.state.document.layers[0].heads[2].kv_from is None
    layer.lender.activated.emit(2)
    assert session.state.document.layers[0].heads[2].kv_from == 1
    layer.duplicate.click()
    assert len(session.state.document.layers) == 3
    layer.later.click()
    layer.remove.click()
    assert session.state.document.layers[1] is STACK.layers[1]
    layer.add.click()
    assert session.state.document.layers[1].heads[0].W_Q is not None


@pytest.mark.parametrize("name", ["L2.W_Q", "L2.W_V", "L1.W_1", "L2.mlp_norm.gamma", "W_U"])
def test_numbers_of_a_file_are_imported_into_a_stack(name: str) -> None:
    tensor = STACK.tensor(name)
    assert tensor is not None
    rows, columns = np.atleast_2d(tensor).shape
    values = np.full((rows, columns + 1), 0.25)
    place = TensorPlace(name, 1 if is_of_head(name) else 0)
    wanted = ImportPlan(place, values)
    assert name in tensors(STACK)
    assert consequences(STACK, wanted, ROWS)
    after = with_plan(STACK, wanted, "new").tensor(name, place.head)
    assert after is not None
    assert np.atleast_2d(after).tolist() == values.tolist()
    assert set(head_choices(STACK, name, False)) == (set(range(3)) if is_of_head(name) else set())


def test_the_layers_of_a_stack_count_together_as_large() -> None:
    assert not is_large(STACK)
    sizes = {"n": 100, "d": 8, "h": 8, "k": 1, "v": 1, "f": 2, "u": 2}
    assert not is_large(make_stack(0, layers=3, sizes=sizes))
    assert is_large(make_stack(0, layers=4, sizes=sizes))
    wide = {"n": 64, "d": 256, "h": 1, "k": 1, "v": 1, "f": 1024, "u": 2}
    assert is_large(make_stack(0, layers=2, sizes=wide))
