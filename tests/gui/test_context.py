"""Keys and values from another sentence, in the whole window and in what leaves it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.document import Document, Mask
from core.document.orientation import COLUMNS, ROWS
from core.document.resize import with_context
from core.explain.timeline import Grain
from core.stages import plan
from core.storage.archive import dumps, save
from core.storage.examples import load_example
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.dialogs.import_plan import ImportPlan as Import
from gui.dialogs.import_plan import TensorPlace, with_plan
from gui.painting.formulas import formula, formula_svg
from gui.painting.theme import colours
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.texts.names import cell_name, header
from gui.texts.rich_text import symbol
from gui.texts.stage_texts import meaning
from gui.views.diagram.animation_painter import paint_motion
from gui.views.diagram.geometry import layout
from gui.views.diagram.motion import motion_between
from gui.views.diagram.scene import card_specs
from gui.views.heatmaps.wording import cell_place
from gui.views.tables.edits import forecast, sizes_for, with_matrix, with_sizes
from gui.views.tables.mask_grid import MaskGrid
from gui.views.tables.panel import CONTEXT, GIVEN, SETUP, TOKENS, TablesPanel, tables_of
from tests.core.documents import make
from tests.gui.files_helpers import Answers
from tests.gui.tables_kit import follow, make_session, undo_name

N, M = 5, 7
LEFT = Qt.MouseButton.LeftButton


def cross(**settings: object) -> Document:
    return make(3, context=M, **settings)  # type: ignore[arg-type]


def session_of(document: Document, **preferences: object) -> Session:
    return Session(document, Preferences(motion=False, **preferences))  # type: ignore[arg-type]


def text_of(line: object) -> str:
    return "".join(span.text for span in line)  # type: ignore[attr-defined]


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    made = build_window(example="translation", language="en")
    made.files.ask = answers = Answers()
    answers.answer = "discard"
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.show()
    return made


def open_everything(window: MainWindow) -> None:
    for dock in window.docks.values():
        dock.show()
    QApplication.processEvents()


# The window


@pytest.mark.parametrize("columns", [False, True])
def test_the_window_steps_to_the_end_and_back(window: MainWindow, columns: bool) -> None:
    session = window.session
    open_everything(window)
    session.set_preferences(columns=columns)
    for grain in Grain:
        session.set_preferences(grain=grain)
        session.go_first()
        there = [session.state.cursor]
        session.step(1)
        while session.state.cursor != there[-1]:
            there.append(session.state.cursor)
            QApplication.processEvents()
            session.step(1)
        assert {cursor.stage for cursor in there} == set(session.state.trace)
        back = [session.state.cursor]
        for _ in there[:-1]:
            session.step(-1)
            QApplication.processEvents()
            back.append(session.state.cursor)
        assert back[::-1] == there
    cells = sum(
        int(np.prod(session.state.trace[stage].shape[-2:])) for stage in ("Q", "K", "V", "weights")
    )
    assert len(there) > cells


@pytest.mark.parametrize(
    "settings",
    [
        {
            "positional": "learned",
            "mask": "custom",
            "biases": True,
            "output": True,
            "off": (1,),
            "pins": 5,
        },
        {"positional": "learned", "places": False, "mask": "window"},
        {"positional": "sinusoidal", "mask": "causal"},
        {"positional": "rotary", "source": "qkv"},
        {"positional": "alibi", "slopes": True},
    ],
)
def test_every_kind_goes_through_the_window(
    window: MainWindow, settings: dict[str, object], tmp_path: Path
) -> None:
    open_everything(window)
    window.session.edit(cross(**settings))
    window.session.set_preferences(code="numpy")
    for stage in window.session.state.trace.plan:
        window.session.go_to_stage(stage.id)
        window.tables.show_table(stage.id)
        QApplication.processEvents()
        shape = window.session.state.document.stage_shape(stage.id)
        window.session.set_focus(Cell(stage.id, shape[-2] - 1, shape[-1] - 1, 0))
        QApplication.processEvents()


# Words and pictures


def test_a_cell_is_named_by_both_sentences() -> None:
    document = load_example("translation")
    assert cell_name(Cell("weights", 1, 2), document) == "A(ate, 吃)"
    assert cell_name(Cell("weights", 1, 2), document, COLUMNS) == "A(吃, ate)"
    assert cell_name(Cell("K", 4, 0), document) == "K(苹果, k₁)"
    assert cell_name(Cell("X_context", 1, 4), document) == "X_C(昨天, x₅)"
    assert header("V", "m", 3, document) == "了"
    assert text_of(symbol(document, Cell("weights", 3, 1))) == "ayesterday,昨天"
    assert text_of(symbol(document, Cell("V", 1, 0))) == "v昨天,1"
    state = session_of(document).state
    assert (
        cell_place(state, state.trace.plan["weights"], Cell("weights", 3, 1))
        == "query yesterday · key 昨天"
    )
    assert cell_place(state, state.trace.plan["V"], Cell("V", 1, 0)) == "token 昨天 · feature 1"


def test_cards_have_their_own_tokens_at_rows_and_columns() -> None:
    document = load_example("translation")
    for columns in (False, True):
        state = session_of(document, columns=columns).state
        where = layout(document, state.trace.plan, 2, (1900.0, 420.0), state.orientation)
        found = {look.box.stage_id: look.tokens for look in card_specs(state, where)}
        for stage in ("scores", "weights"):
            assert found[stage] == state.orientation.pair(document.tokens, document.key_tokens)
        for stage, tokens in (
            ("X", document.tokens),
            ("X_context", document.key_tokens),
            ("V", document.key_tokens),
        ):
            assert found[stage] == state.orientation.pair(tokens, ())


def test_two_sources_feed_the_projections() -> None:
    where = layout(cross(positional="sinusoidal"), plan(cross(positional="sinusoidal")))
    pairs = {(arrow.source, arrow.target) for arrow in where.arrows}
    assert {
        ("input", "Q"),
        ("input_context", "K"),
        ("input_context", "V"),
        ("P_context", "input_context"),
    } <= pairs
    assert ("input", "K") not in pairs
    for source, target, between in (
        ("X", "input", "P"),
        ("X_context", "input_context", "P_context"),
    ):
        (arrow,) = (
            arrow for arrow in where.arrows if (arrow.source, arrow.target) == (source, target)
        )
        card = where.box(between).outer
        for x, y in arrow.points[3:7]:  # past the card, not through it
            assert not card.contains(x, y), (source, x, y)


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize(
    "settings", [{"positional": "sinusoidal", "mask": "causal"}, {"positional": "alibi"}]
)
def test_every_motion_moves_numbers_of_the_right_sentence(
    qtbot: QtBot, settings: dict[str, object], columns: bool
) -> None:
    session = session_of(cross(**settings), columns=columns)
    where = layout(
        session.state.document,
        session.state.trace.plan,
        2,
        (1900.0, 420.0),
        session.state.orientation,
    )
    image = QImage(200, 100, QImage.Format.Format_ARGB32)
    seen: set[str] = set()
    for grain in (Grain.STAGE, Grain.ROW):
        session.go_first()
        for _ in range(200):
            before = session.state
            session.step(1, grain)
            motion = motion_between(before, session.state, where)
            if motion is None:
                continue
            seen.add(motion.stage_id)
            painter = QPainter(image)
            for moment in (0.0, 0.4, 0.9):
                paint_motion(painter, motion, moment, session.state, colours("light"), 1.0)
            painter.end()
    assert seen == {stage.id for stage in session.state.trace.plan if not stage.entered}


def test_meanings_and_formulas_speak_of_the_context() -> None:
    document = cross(positional="sinusoidal", mask="causal")
    assert "context" in meaning(document, "K").sentence
    assert "context" not in meaning(document, "Q").sentence
    assert "the context" in meaning(document, "masked").sentence
    assert "context" not in meaning(make(mask="causal"), "K").sentence
    assert "X^{C}" in formula(cross(), "K")
    assert "X'" in formula(document, "K")
    assert "C" not in formula(document, "Q")
    assert "^{m}" in formula(document, "heads")
    assert "^{n}" in formula(make(), "heads")
    assert "m" in formula(cross(source="qkv"), "V")
    for orientation in (ROWS, COLUMNS):
        for kind in ("sinusoidal", "learned"):
            for stage in plan(cross(positional=kind)):
                assert formula_svg(
                    formula(cross(positional=kind), stage.id, orientation=orientation), "#000", 17.0
                )


# Tables and switches


def test_the_switch_starts_from_a_copy_and_takes_it_back(qtbot: QtBot) -> None:
    session = make_session()
    panel = TablesPanel(session)
    follow(qtbot, session, panel)
    panel.show_table("X")
    panel.show_page(TOKENS)
    before = session.state
    qtbot.mouseClick(
        panel.tokens.has_context, LEFT, pos=QPoint(8, panel.tokens.has_context.height() // 2)
    )
    after = session.state
    assert after.document.context is not None
    assert after.document.key_tokens == before.document.tokens
    assert all((after.trace[stage] == before.trace[stage]).all() for stage in before.trace)
    assert session.undo_stack.count() == 1
    assert undo_name(session) == "Keys and values from another sentence"
    assert tables_of(after, GIVEN)[:4] == (TOKENS, CONTEXT, "X", "X_context")
    assert CONTEXT not in tables_of(after, SETUP)
    assert panel.tokens.has_context.isChecked()
    session.undo_stack.undo()
    assert session.state.document is before.document
    assert not panel.tokens.has_context.isChecked()
    session.undo_stack.redo()
    panel.tokens.has_context.click()
    assert session.state.document.context is None
    assert session.undo_stack.count() == 2
    assert dumps(session.state.document) == dumps(before.document)


def test_tokens_of_the_context_are_edited_alone(qtbot: QtBot) -> None:
    session = make_session(with_context(make_session().state.document))
    panel = TablesPanel(session)
    follow(qtbot, session, panel)
    panel.show_table("X")
    panel.show_page(CONTEXT)
    assert panel.stack.currentWidget() is panel.context
    view, tokens = panel.context.view, session.state.document.tokens
    assert view.accessibleName() == "Tokens of the context"
    assert view.tokens_model.setData(view.tokens_model.index(1, 0), "鱼")
    view.setCurrentIndex(view.tokens_model.index(N - 1, 0))
    panel.context.add.click()
    assert session.state.document.key_tokens[-1] == "new"
    assert session.state.document.m == N + 1
    view.setCurrentIndex(view.tokens_model.index(0, 0))
    panel.context.down.click()
    assert session.state.document.key_tokens[:2] == ("鱼", tokens[0])
    panel.context.remove.click()
    assert session.state.document.m == N
    assert session.state.document.tokens is tokens
    assert session.state.trace["weights"].shape[-2:] == (N, N)
    session.undo_stack.setIndex(0)
    assert panel.page_id == CONTEXT


def test_the_panel_goes_elsewhere_when_the_context_is_gone(qtbot: QtBot) -> None:
    session = make_session()
    panel = TablesPanel(session)
    follow(qtbot, session, panel)
    session.change(with_context, text="x")
    panel.show_table("X")
    panel.show_page(CONTEXT)
    session.set_focus(Cell("X_context", 2, 3))
    session.undo_stack.undo()
    assert panel.page_id in tables_of(session.state, GIVEN)
    assert session.state.focus.tensor != "X_context"


def test_vectors_of_the_context_are_a_table(qtbot: QtBot) -> None:
    session = session_of(cross(positional="learned"))
    panel = TablesPanel(session)
    follow(qtbot, session, panel)
    for tensor, count in (("X_context", M), ("P_context", M), ("X", N), ("weights", N)):
        panel.show_table(tensor)
        model = panel.view.tensor_model
        assert model.rowCount() == count
        labels = [model.headerData(row, Qt.Orientation.Vertical) for row in range(count)]
        assert labels == list(session.state.document.row_tokens(tensor))
    panel.show_table("weights")
    across = [
        panel.view.tensor_model.headerData(column, Qt.Orientation.Horizontal) for column in range(M)
    ]
    assert across == list(session.state.document.key_tokens)
    panel.show_table("X_context")
    assert panel.view.tensor_model.setData(panel.view.tensor_model.index(6, 5), "2.5")
    assert session.state.document.context is not None
    assert session.state.document.context.X is not None
    assert session.state.document.context.X[6, 5] == 2.5


@pytest.mark.parametrize("columns", [False, True])
def test_the_mask_grid_has_a_row_a_query_and_a_column_a_key(qtbot: QtBot, columns: bool) -> None:
    session = session_of(cross(mask="causal"), columns=columns)
    grid = MaskGrid(session)
    follow(qtbot, session, grid, 500, 400)
    rows, columns_ = session.state.orientation.pair(N, M)
    assert grid.cells().width() == pytest.approx(grid.cells().height() * columns_ / rows)
    corner = grid.cell(N - 1, M - 1)
    assert grid.cells().adjusted(-0.1, -0.1, 0.1, 0.1).contains(corner)
    qtbot.mouseClick(grid, LEFT, pos=corner.center().toPoint())
    assert session.state.document.mask.kind == "custom"
    assert session.state.document.mask.allow is not None
    assert session.state.document.mask.allow.shape == (N, M)
    assert session.state.document.mask.allow[N - 1, M - 1]
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down):
        for _ in range(M + 1):
            qtbot.keyClick(grid, key)
    assert "c" in grid.accessibleDescription()
    assert not grid.grab().isNull()


def test_a_large_mask_is_a_picture_of_its_own_shape(qtbot: QtBot) -> None:
    session = session_of(make(1, context=90, mask="causal"))
    grid = MaskGrid(session)
    follow(qtbot, session, grid, 500, 400)
    image = grid.grab().toImage()
    assert image.width() > 0
    assert QRectF(grid.rect()).contains(grid.cells().center())
    assert grid.cells().contains(QPointF(grid.cells().center()))


def test_sizes_of_either_sentence() -> None:
    document = cross(source="qkv", mask="custom")
    wider = with_sizes(document, {"m": M + 2, "n": N - 1}, "new")
    assert (wider.n, wider.m) == (N - 1, M + 2)
    ahead = forecast(document, {"m": M + 2})
    assert ahead.shapes == {"K": ((M, 2), (M + 2, 2)), "V": ((M, 4), (M + 2, 4))}
    assert ahead.new == 3 * 2 * (2 + 4)
    assert forecast(make(source="qkv"), {"n": 6}).shapes["K"] == ((5, 2), (6, 2))
    assert sizes_for(document, "K", (9, 2)) == {"m": 9}
    assert sizes_for(make(source="qkv"), "K", (9, 2)) == {"n": 9}


def test_a_matrix_with_labels_names_the_sentence_that_it_belongs_to() -> None:
    document = cross(source="qkv")
    names = [f"k{i}" for i in range(8)]
    changed = with_matrix(document, "K", 1, np.ones((8, 2)), "new", names)
    assert changed.key_tokens == tuple(names)
    assert changed.tokens == document.tokens
    brought = with_plan(
        document, Import(TensorPlace("V", 0), np.ones((M, 4)), tuple("ABCDEFG")), "new"
    )
    assert brought.key_tokens == tuple("ABCDEFG")
    assert brought.tokens == document.tokens


def test_switches_bring_back_a_mask_only_where_it_fits() -> None:
    from gui.app.feature_toggles import FeatureToggles

    session = session_of(cross(mask="custom"))
    switches = FeatureToggles(session)
    own = session.state.document.mask.allow
    switches.toggle_mask()
    switches.toggle_mask()
    assert session.state.document.mask.allow is own
    switches.toggle_mask()
    session.change(with_sizes, {"m": 3}, "new", text="x")
    switches.toggle_mask()
    assert session.state.document.mask.kind == "causal"


# What leaves the window


def state_of(document: Document) -> State:
    return session_of(document).state


@pytest.mark.parametrize("columns", [False, True])
def test_papers_name_both_sentences(columns: bool) -> None:
    from gui.export.worksheets.blocks import WorksheetOptions
    from gui.export.worksheets.report import ExperimentReport
    from gui.export.worksheets.worksheet import Worksheet

    document = load_example("translation")
    seen = COLUMNS if columns else ROWS
    state = state_of(document)
    report = ExperimentReport(document, state.trace, Cell("weights", 1, 2), 2, seen)
    title = report.paper().blocks[0]
    assert "ate" in str(title)
    assert "昨天" in str(title)
    sheet = Worksheet(document, WorksheetOptions(orientation=seen), 0)
    for part in (sheet.questions(), sheet.key()):
        assert "昨天" in str(part)
    assert str(sheet.key()).count("昨天") > len(document.tokens)


def test_a_file_with_a_context_is_saved_and_opened(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "x.attn.json"
    save(window.session.state.document.with_(mask=Mask("window", 1, 2)), path)
    other = build_window(path=path, language="zh_CN")
    assert other.session.state.document.key_tokens == window.session.state.document.key_tokens
    other.close()
    other.deleteLater()


def test_a_state_can_be_replaced_by_one_without_a_context(window: MainWindow) -> None:
    open_everything(window)
    window.session.go_to_stage("X_context")
    window.session.edit(replace(load_example("translation"), context=None))
    QApplication.processEvents()
    assert window.session.state.cursor.stage in window.session.state.trace
    assert window.session.state.trace["weights"].shape == (1, 4, 4)
