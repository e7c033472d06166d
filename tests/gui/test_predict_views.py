"""While numbers are hidden no view shows them, and the grid asks for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.base.number_format import show
from core.check.answers import parse_answer
from core.document.edits import with_pin
from core.explain.timeline import Grain
from core.storage.examples import EXAMPLES, load_example
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.painting import formulas
from gui.painting.matrix import PREDICTED, kinds
from gui.session.session import Session
from gui.session.state import Preferences
from gui.texts.hints import hints
from gui.views.diagram.scene import card_specs, layout_of
from gui.views.diagram.view import DiagramView
from gui.views.heatmaps.heatmap_data import choose_heatmap, make_panes
from gui.views.heatmaps.heatmap_spec import make_heatmap_spec, reading_line
from gui.views.heatmaps.panel import HeatmapPanel
from gui.views.stage.header import FORMULA, formula_colour
from gui.views.stage.operation import target
from gui.views.stage.scene import build_scene
from gui.views.stage.view import StageView, spoken_target
from gui.views.tables.view import TensorView
from tests.gui.check_kit import show_panel, type_in
from tests.gui.tables_kit import K, N, follow, make_session
from tests.gui.window_kit import bring_forward

Key = Qt.Key
Modifier = Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton

pytestmark = pytest.mark.usefixtures("qapp")


def hidden(session: Session) -> bool:
    return session.state.hidden is not None


def asking(grain: Grain = Grain.STAGE) -> Session:
    """At the scores, their numbers (or those of their first row) hidden."""
    session = make_session()
    session.set_preferences(grain=grain)
    session.go_to_stage("V")
    session.answers.set_predicting(True)
    session.step(1)
    return session


def test_the_diagram_shows_question_marks() -> None:
    session = asking(Grain.ROW)
    state = session.state
    look = next(
        look
        for look in card_specs(state, layout_of(state, (1240.0, 270.0)))
        if look.box.stage_id == "scores"
    )
    assert look.picture is not None
    asked = np.argwhere(kinds(look.picture, (0, N), (0, N)) == PREDICTED)
    assert asked.tolist() == [[0, j] for j in range(N)]
    assert not any(look.picture.is_shown(i, j) for i in range(N) for j in range(N))
    session.step(1)
    state = session.state
    look = next(
        look
        for look in card_specs(state, layout_of(state, (1240.0, 270.0)))
        if look.box.stage_id == "scores"
    )
    assert look.picture is not None
    assert [look.picture.is_shown(i, 0) for i in range(N)] == [True, False, False, False, False]


def stage_words(session: Session) -> str:
    scene = build_scene(session.state, QRectF(0, 0, 900, 420))
    return " ".join(span.text for row, _ in scene.card.rows for span in row.spans)


def test_the_stage_view_keeps_the_sum_back() -> None:
    session = asking()
    session.set_focus(Cell("scores", 2, 3))
    value = show(session.state.trace["scores"][0, 2, 3], 2)
    assert value not in stage_words(session)
    assert "Your turn" in stage_words(session)
    assert value not in spoken_target(session.state, target(session.state))
    scene = build_scene(session.state, QRectF(0, 0, 900, 420))
    result = next(placed for placed in scene.placed if placed.operand.tensor == "scores")
    assert (
        kinds(result.matrix, (0, result.matrix.rows), (0, result.matrix.columns)) == PREDICTED
    ).all()
    session.step(1)
    assert value in stage_words(session)


@pytest.mark.parametrize("stage", ["exp", "weights"])
def test_no_rows_maximum_or_sum_while_its_stage_is_asked(stage: str) -> None:
    session = make_session()
    session.go_to_stage("scaled" if stage == "exp" else "exp")
    session.answers.set_predicting(True)
    session.step(1)
    scene = build_scene(session.state, QRectF(0, 0, 900, 420))
    made = next(placed for placed in scene.placed if not placed.operand.tensor)
    assert not any(made.matrix.is_shown(row, 0) for row in range(made.matrix.rows))


def test_the_heatmap_is_blank_there() -> None:
    session = asking(Grain.ROW)
    session.step(1)
    session.step(1)  # the first row stands, the second is asked

    def hidden() -> list[list[bool]]:
        choice = choose_heatmap(session.state)
        spec = make_heatmap_spec(session.state, choice, make_panes(choice, session.state.trace))
        return [[spec.is_hidden(row, column, 0) for column in range(N)] for row in range(N)]

    assert hidden() == [[False] * N, *([True] * N for _ in range(N - 1))]
    session.set_focus(Cell("scores", 1, 1))
    choice = choose_heatmap(session.state)
    pane = make_panes(choice, session.state.trace)[0]
    assert reading_line(session.state, choice, pane).endswith("= ?")
    session.answers.set_predicting(False)
    session.set_preferences(show_ahead=True)
    assert not any(map(any, hidden()))


def test_the_table_is_blank_there_and_cannot_be_copied(qtbot: QtBot) -> None:
    session = asking(Grain.ROW)
    session.step(1)
    view = TensorView(session, "scores")
    follow(qtbot, session, view)
    model = view.tensor_model
    assert model.index(0, 1).data() == show(session.state.trace["scores"][0, 0, 1], 2)
    assert model.index(1, 1).data() == ""
    assert model.index(1, 1).data(Qt.ItemDataRole.EditRole) is None
    assert "not shown" in model.index(1, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert not model.flags(model.index(1, 1)) & Qt.ItemFlag.ItemIsEditable
    view.selectAll()
    qtbot.keyClick(view, Key.Key_C, Modifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].count("\t") == N - 1
    assert not "".join(lines[1:]).strip()


def test_filling_in_the_blanks(qtbot: QtBot) -> None:
    session = make_session()
    session.set_preferences(grain=Grain.ROW)
    session.go_to_stage("scores")
    session.answers.set_predicting(True)
    session.step(-1)
    panel = show_panel(qtbot, session)
    session.step(1)
    assert panel.view.hasFocus()
    truth = session.state.trace["scores"][0, 4]
    for column in range(N):
        assert session.state.focus == Cell("scores", 4, column, 0)
        type_in(qtbot, panel.view, f"{truth[column]:.2f}")
    assert panel.bar.score.text() == f"Right on the first try: {N} of {N}"
    assert hidden(session)
    qtbot.keyClick(panel.view, Key.Key_Return)
    assert not hidden(session)
    qtbot.mouseClick(panel.bar.reset, LEFT)
    assert session.state.score.predicted == 0


def test_a_hint_does_not_give_it_away(qtbot: QtBot) -> None:
    session = asking()
    panel = show_panel(qtbot, session)
    session.set_focus(Cell("scores", 1, 4, 0))
    qtbot.mouseClick(panel.bar.hint, LEFT)
    assert (
        panel.remark.text()
        == "Multiply row cat of Q and row fish of K entry by entry, and add the products."
    )
    assert show(session.state.trace["scores"][0, 1, 4], 2) not in panel.remark.text()
    session.set_focus(Cell("scores", 1, 3, 0))
    assert "Multiply" not in panel.remark.text()


def test_hints_go_from_the_rule_to_the_numbers_and_round_again(qtbot: QtBot) -> None:
    session = asking()
    panel = show_panel(qtbot, session)
    session.set_focus(Cell("scores", 1, 4, 0))
    q, k = session.state.trace["Q"][0, 1], session.state.trace["K"][0, 4]
    said, buttons = [], []
    for _ in range(4):
        qtbot.mouseClick(panel.bar.hint, LEFT)
        said.append(panel.remark.text())
        buttons.append(panel.bar.hint.text())
    assert (
        said[0]
        == said[3]
        == "Multiply row cat of Q and row fish of K entry by entry, and add the products."
    )
    factors = [
        f"({show(x, 2)})" if x < 0 else show(x, 2) for pair in zip(q, k, strict=True) for x in pair
    ]
    assert said[1] == f"With the numbers: {factors[0]}×{factors[1]} + {factors[2]}×{factors[3]} = ?"
    assert said[2].startswith(said[1].removesuffix(" = ?"))
    assert show(q[0] * k[0], 2) in said[2].removeprefix(said[1].removesuffix("?"))
    assert said[2].endswith(" = ?")
    assert buttons == ["Hint 1 / 3", "Hint 2 / 3", "Hint 3 / 3", "Hint 1 / 3"]
    session.set_focus(Cell("scores", 1, 3, 0))
    assert panel.bar.hint.text() == "Hint"
    qtbot.mouseClick(panel.bar.hint, LEFT)
    assert panel.remark.text().startswith("Multiply")


def test_every_number_has_several_hints_and_none_gives_it_away() -> None:
    for example in EXAMPLES:
        state = Session(load_example(example), Preferences()).state
        for stage in (stage.id for stage in state.trace.plan if not stage.entered):
            cell = Cell(stage, 1, min(1, state.trace[stage].shape[-1] - 1))
            found = hints(state.document, state.trace, None, cell, state.orientation, 5)
            assert len(found) == len(set(found)) > 1, (example, stage)
            assert len(hints(state.document, state.trace, None, cell, state.orientation, None)) == 1
            assert all(text.endswith("= ?") for text in found[1:] if "numbers" in text), (
                example,
                stage,
            )


def test_the_lamp_gives_hints_without_predicting(qtbot: QtBot) -> None:
    session = make_session()
    session.go_to_stage("scores")
    panel = show_panel(qtbot, session)
    qtbot.mouseClick(panel.lamp, LEFT)
    assert panel.remark.text().startswith("Multiply row the of Q")
    qtbot.mouseClick(panel.lamp, LEFT)
    assert panel.remark.text().startswith("With the numbers: ")
    session.answers.set_predicting(True)
    session.go_to_stage("Q")
    panel.show_stage("scores")  # its numbers and those before it are still hidden
    for _ in range(3):
        qtbot.mouseClick(panel.lamp, LEFT)
        assert panel.remark.text().startswith("Multiply")


def test_a_hint_names_the_term_that_explains_the_error(qtbot: QtBot) -> None:
    session = asking()
    state = session.state
    q, k = state.trace["Q"][0, 1], state.trace["K"][0, 4]
    wrong = q[0] * k[0] - q[1] * k[1]  # the sign of the second product
    assert K == 2
    session.answers.write("scores", {(0, 1, 4): parse_answer(f"{wrong:.5f}")})
    panel = show_panel(qtbot, session)
    session.set_focus(Cell("scores", 1, 4, 0))
    assert panel.view.entries.grid.mark(1, 4) == "wrong"
    assert " is not " in panel.remark.text()
    assert not panel.mistakes.isVisible()
    qtbot.mouseClick(panel.bar.hint, LEFT)
    assert panel.remark.text().startswith("Look at term 2 again: ")
    session.answers.reveal()
    assert panel.mistakes.isVisible()


def test_every_stage_has_a_hint(qtbot: QtBot) -> None:
    session = make_session()
    panel = show_panel(qtbot, session)
    session.go_first()
    session.answers.set_predicting(True)
    hints = set()
    while True:
        before = session.state.cursor
        session.step(1)
        if session.state.hidden is not None:
            qtbot.mouseClick(panel.bar.hint, LEFT)
            hints.add(panel.remark.text())
        elif session.state.cursor == before and before.stage == "Y":
            break
    assert len(hints) == len([stage for stage in session.state.trace.plan if not stage.entered])


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = build_window(language="en")
    bring_forward(qtbot, window)
    return window


def press(qtbot: QtBot, key: Key, modifier: Modifier = Modifier.NoModifier) -> None:
    widget = QGuiApplication.focusObject()
    qtbot.keyClick(widget, key, modifier)


def test_the_keys_open_the_panel_and_step_while_it_has_the_keyboard(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.diagram.setFocus()
    press(qtbot, Key.Key_K, Modifier.ControlModifier)
    assert window.check.isVisible()
    assert window.check.view.hasFocus()
    window.session.go_to_stage("V")
    press(qtbot, Key.Key_R, Modifier.ControlModifier)
    assert window.session.state.predict
    assert window.actions_["predict"].isChecked()
    press(qtbot, Key.Key_Right)
    assert hidden(window.session)
    assert window.check.view.hasFocus()
    press(qtbot, Key.Key_Right)
    assert not hidden(window.session)
    assert window.session.state.cursor.stage == "scores"
    press(qtbot, Key.Key_R, Modifier.ControlModifier)
    assert not window.actions_["predict"].isChecked()
    press(qtbot, Key.Key_Right)
    assert window.session.state.cursor.stage == "scores"  # now the arrow moves in the grid


def test_the_switch_in_the_panel(qtbot: QtBot, window: MainWindow) -> None:
    window.show_check()
    qtbot.mouseClick(window.check.predict, LEFT)
    assert window.session.state.predict
    window.session.go_to_stage("V")
    qtbot.mouseClick(window.check.bar.onward, LEFT)
    assert hidden(window.session)
    qtbot.mouseClick(window.check.bar.onward, LEFT)
    assert not hidden(window.session)


def test_a_question_mark_in_the_diagram_is_focused_not_revealed(
    qtbot: QtBot, window: MainWindow
) -> None:
    session = window.session
    session.go_to_stage("V")
    session.answers.set_predicting(True)
    session.step(1)
    box = window.diagram.layout_now().box("scores")
    part = box.matrix.block_rect(3, 3, (2, 3), (1, 2))
    at = window.diagram.camera.to_screen(part).center().toPoint()
    qtbot.mouseClick(window.diagram, LEFT, pos=at)
    assert hidden(session)
    assert session.state.focus == Cell("scores", 2, 1, 0)


def typeset(view: StageView) -> bool:
    """Whether its formula, set beside the window, is in its place."""
    ready = formulas.is_ready(view._latex(), formula_colour(view._state), FORMULA)
    return ready and not view._typesetter.busy


@pytest.mark.parametrize("kind", [DiagramView, StageView, HeatmapPanel])
def test_no_hidden_number_is_painted(qtbot: QtBot, kind: Callable[[Session], QWidget]) -> None:
    """Two experiments that differ in a hidden number alone look the same, and different once it is revealed."""
    pictures: dict[str, list[QImage]] = {"hidden": [], "revealed": []}
    for value in (1.0, 2.0):
        session = make_session()
        session.go_to_stage("X")
        session.answers.set_predicting(True)
        session.change(with_pin, Cell("Q", 4, 1, 0), value, text="Pin")
        session.step(1)
        view = kind(session)
        follow(qtbot, session, view, 900, 420)
        session.set_focus(Cell("Q", 4, 1, 0))
        if isinstance(view, HeatmapPanel):
            qtbot.waitUntil(view.view.isVisible)
        if isinstance(view, StageView):
            qtbot.waitUntil(partial(typeset, view))
        pictures["hidden"].append(view.grab().toImage())
        session.step(1)
        pictures["revealed"].append(view.grab().toImage())
    assert pictures["hidden"][0] == pictures["hidden"][1]
    assert pictures["revealed"][0] != pictures["revealed"][1]


@pytest.mark.parametrize(
    ("before", "stage", "grain", "asked"),
    [
        ("L1.attention_residual", "L1.mlp_norm", Grain.STAGE, (1, 0)),
        ("L1.attention_residual", "L1.mlp_norm", Grain.ROW, (1, 0)),
        ("L1.attention_residual", "L1.mlp_norm", Grain.CELL, (0, 1)),
        ("logits", "probabilities", Grain.STAGE, (1, 0)),
    ],
)
def test_the_last_part_of_a_row_asks_and_the_parts_before_are_blank(
    before: str, stage: str, grain: Grain, asked: tuple[int, int]
) -> None:
    session = Session(load_example("block-by-hand"), Preferences(grain=grain, motion=False))
    session.go_to_stage(before)
    session.answers.set_predicting(True)
    while session.state.cursor.stage != stage or not hidden(session):
        session.step(1)
    scene = build_scene(session.state, QRectF(0, 0, 900, 420))
    entered, *parts = [placed.operand for placed in scene.placed if placed.operand.columns == "j"]
    assert entered.predicted is None
    assert [part.predicted for part in parts] == [None] * (len(parts) - 1) + [asked]
    assert {part.shown for part in parts} == {(0, 0)}
    session.step(1)
    shown = build_scene(session.state, QRectF(0, 0, 900, 420)).placed
    assert all(placed.operand.shown == asked for placed in shown[1:4])
