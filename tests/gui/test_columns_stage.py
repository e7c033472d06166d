"""Stage view with tokens as columns: the transpose of what stands there with tokens as rows, and the same sums."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from pytestqt.qtbot import QtBot

from core.compute.trace import run
from core.document.orientation import COLUMNS
from core.explain.derivation import derive
from core.explain.timeline import Cursor, Reach
from core.storage.archive import loads
from gui.painting.formulas import formula, formula_svg
from gui.painting.matrix import cell_rect
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.texts.rich_text import Line
from gui.texts.stage_texts import meaning
from gui.texts.sum_style import SumStyle
from gui.texts.sums import worked_sum
from gui.views.stage.operation import Operand, Operation, Operator, target
from gui.views.stage.operation_builder import operation
from gui.views.stage.scene import StageScene, build_scene
from tests.conftest import WORKED
from tests.gui.columns_kit import KINDS, every_stage, seen_as, traced, value_at
from tests.gui.stage_kit import make_view, session_at

pytestmark = pytest.mark.usefixtures("qapp")
STAGES = list(every_stage())
PRODUCTS = [
    (kind, stage)
    for kind, stage in STAGES
    if stage in ("scores", "heads")
    or (traced(kind).plan[stage].inputs and not traced(kind).plan[stage].entered)
]


def both(kind: str, stage: str, **place: int) -> tuple[Operation, Operation]:
    """The operation with tokens as rows and as columns."""
    states = (seen_as(kind, stage, columns=columns, **place) for columns in (False, True))
    rows, columns = (operation(state, target(state)) for state in states)
    return rows, columns


def named(shown: Operation) -> dict[tuple[str, int, str], Operand]:
    """The matrices by what they show."""
    return {
        (
            one.tensor,
            one.head,
            "".join(sorted("".join(span.text for span in one.title).strip("−÷ "))),
        ): one
        for one in shown.operands
    }


@pytest.mark.parametrize(("kind", "stage"), STAGES)
def test_every_matrix_is_the_transpose_with_its_labels_swapped(kind: str, stage: str) -> None:
    rows, columns = both(kind, stage, head=1)
    before, after = named(rows), named(columns)
    assert after
    assert set(after) <= set(before)
    if stage != "concat":  # where fewer heads have room one below the other than side by side
        assert set(after) == set(before)
    for name, seen in after.items():
        own = before[name]
        assert seen.values.shape == own.values.shape[::-1]
        assert np.array_equal(seen.values, own.values.T)
        assert (seen.rows, seen.columns) == (own.columns, own.rows)
        assert columns.axes[seen.rows].tokens == rows.axes[own.columns].tokens
        assert columns.axes[seen.columns].tokens == rows.axes[own.rows].tokens
        assert [(mark.columns, mark.rows) for mark in seen.marks] == [
            (mark.rows, mark.columns) for mark in own.marks
        ]
        assert (seen.levels, seen.off, seen.whole_numbers) == (
            own.levels,
            own.off,
            own.whole_numbers,
        )


@pytest.mark.parametrize(("kind", "stage"), PRODUCTS)
def test_products_multiply_as_they_are_written(kind: str, stage: str) -> None:
    _, shown = both(kind, stage)
    items = list(shown.items)
    dot = next(i for i, item in enumerate(items) if isinstance(item, Operator) and item.text == "·")
    first, second, result = items[dot - 1], items[dot + 1], shown.operands[-1]
    assert isinstance(first, Operand)
    assert isinstance(second, Operand)
    product = first.values @ second.values
    if len(shown.operands) > 3:
        product = product + shown.operands[2].values
    state = seen_as(kind, stage, columns=True)
    free = np.ones(product.shape, dtype=bool)
    for pin in state.document.pins:
        if pin.stage == stage:
            free[pin.cell.column, pin.cell.row] = False
    assert np.allclose(np.where(free, product, 0), np.where(free, result.values, 0))


def test_the_order_of_factors_is_the_textbooks() -> None:
    written = {
        stage: "".join(
            item.text if isinstance(item, Operator) else "".join(span.text for span in item.title)
            for item in both("full", stage)[1].items
            if isinstance(item, Operator | Operand)
        )
        for stage in ("Q", "scores", "heads", "Y")
    }
    assert written["Q"] == "WQ·X′+bQ=Q"
    assert written["scores"] == "Kᵀ·Q=Scores"
    assert written["heads"] == "V·A=V·A"
    assert written["Y"] == "WO·Concatenation+bO=Y"


def line_of(state: State) -> Line:
    """The worked sum of the focused cell."""
    step = derive(state.document, state.trace, state.focus)
    return worked_sum(SumStyle(state.document, 6, orientation=state.orientation), step)


def numbers_of(state: State) -> Counter[str]:
    """The pieces of that sum that are numbers."""
    return Counter(
        span.text
        for span in line_of(state)
        if any(sign.isdigit() for sign in span.text) and span.level == 0
    )


@pytest.mark.parametrize(("kind", "stage"), STAGES)
def test_sums_have_the_same_numbers_and_the_same_result(kind: str, stage: str) -> None:
    rows, columns = (seen_as(kind, stage, columns=one, row=2, column=1) for one in (False, True))
    distances = Counter({"|3 − 2|": 1}), Counter({"|2 − 3|": 1})
    found = tuple(
        numbers_of(state) - distance
        for state, distance in zip((rows, columns), distances, strict=True)
    )
    assert found[0] == found[1]
    assert line_of(rows)[-1] == line_of(columns)[-1]


def test_factors_and_indices_stand_in_the_order_of_the_matrices() -> None:
    def text(stage: str, *, columns: bool) -> str:
        state = seen_as("plain", stage, columns=columns, row=2, column=1)
        step = derive(state.document, state.trace, state.focus)
        return "".join(
            span.text
            for span in worked_sum(SumStyle(state.document, 2, orientation=state.orientation), step)
        )

    assert text("scores", columns=False).startswith("qt2·kt1 = ")
    assert text("scores", columns=True).startswith("kt1·qt2 = ")
    assert text("Q", columns=False).startswith("qt2,2 = ")
    assert text("Q", columns=True).startswith("q2,t2 = ")
    assert text("scaled", columns=True).startswith("st1,t2 ")
    document = KINDS["plain"]
    w_first = f"{float(document.heads[0].W_Q[0, 1]):.2f}".replace("-", "−")  # type: ignore[index]
    assert w_first in text("Q", columns=True).split("×")[0]


def place_of(scene: StageScene, index: int, row: int, column: int) -> QPointF:
    placed = scene.placed[index]
    return cell_rect(placed.rect, placed.rows.count, placed.columns.count, row, column).center()


@pytest.mark.parametrize(("kind", "stage"), STAGES)
def test_a_displayed_number_is_the_cell_that_a_click_on_it_means(kind: str, stage: str) -> None:
    state = seen_as(kind, stage, columns=True, head=1)
    scene = build_scene(state, QRectF(0, 0, 1200, 700))
    for index, placed in enumerate(scene.placed):
        if not placed.operand.tensor:
            continue
        for row in range(placed.rows.count):
            for column in range(placed.columns.count):
                cell = scene.cell_at(place_of(scene, index, row, column))
                assert cell is not None
                assert value_at(state, cell) == placed.matrix.values[row, column]


@pytest.mark.parametrize(("kind", "stage"), STAGES)
def test_matrices_neither_touch_each_other_nor_leave_the_picture(kind: str, stage: str) -> None:
    for size in ((780, 340), (1240, 560)):
        scene = build_scene(seen_as(kind, stage, columns=True, row=4), QRectF(0, 0, *size))
        rects = [placed.rect for placed in scene.placed]
        for i, rect in enumerate(rects):
            assert QRectF(0, 0, *size).contains(rect)
            assert not any(rect.intersects(other) for other in rects[i + 1 :])


def test_maxima_and_sums_stand_under_their_columns() -> None:
    for stage in ("exp", "weights"):
        scene = build_scene(seen_as("waves", stage, columns=True), QRectF(0, 0, 1000, 600))
        source, below = scene.placed[0], scene.placed[1]
        assert below.rect.top() > source.rect.bottom()
        assert (below.rect.left(), below.rect.right()) == (source.rect.left(), source.rect.right())
        found = (
            source.operand.values.max(axis=0)
            if stage == "exp"
            else source.operand.values.sum(axis=0)
        )
        assert np.allclose(below.operand.values, found[None, :])


def test_heads_stand_one_below_the_other() -> None:
    scene = build_scene(seen_as("waves", "concat", columns=True), QRectF(0, 0, 1000, 700))
    first, second = (placed.rect for placed in scene.placed if placed.operand.tensor == "heads")
    assert second.top() > first.bottom()
    assert first.left() == second.left()


@pytest.mark.parametrize("reach", [Reach.ROW, Reach.CELL, Reach.LEAD])
def test_what_stands_there_grows_column_by_column(reach: Reach) -> None:
    state = seen_as("waves", "weights", columns=True)
    state = replace(state, cursor=Cursor("weights", 0, 2, 1, reach))
    result = build_scene(state, QRectF(0, 0, 1000, 600)).placed[-1].matrix
    standing = {
        (row, column) for row in range(5) for column in range(5) if result.is_shown(row, column)
    }
    whole = 3 if reach is Reach.ROW else 2
    expected = {(row, column) for column in range(whole) for row in range(5)}
    assert standing == expected | ({(0, 2), (1, 2)} if reach is Reach.CELL else set())


def test_a_click_in_the_view_focuses_the_documents_cell(qtbot: QtBot) -> None:
    session = session_at(KINDS["full"], "Q")
    session.set_preferences(columns=True)
    view = make_view(qtbot, session, 1100, 600)
    placed = next(one for one in view.scene().placed if one.operand.tensor == "W_Q")
    assert placed.matrix.values.shape == (2, 6)
    at = cell_rect(placed.rect, 2, 6, 1, 4).center()
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=at.toPoint())
    focus = session.state.focus
    assert (focus.tensor, focus.row, focus.column) == ("W_Q", 4, 1)


def test_a_label_chooses_the_token_whose_column_it_names(qtbot: QtBot) -> None:
    session = session_at(KINDS["full"], "scores", 0, 0)
    session.set_preferences(columns=True)
    view = make_view(qtbot, session, 1100, 600)
    result = view.scene().placed[-1]
    below = result.column_labels
    at = QPointF(below.x() + below.width() * 0.7, below.center().y())
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=at.toPoint())
    assert (session.state.focus.row, session.state.focus.column) == (3, 0)
    left = view.scene().placed[-1].row_labels
    at = QPointF(left.right() - 12, left.center().y())
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=at.toPoint())
    assert (session.state.focus.row, session.state.focus.column) == (3, 2)


def test_switching_and_back_shows_what_stood_there(qtbot: QtBot) -> None:
    session = session_at(KINDS["full"], "Y")
    view = make_view(qtbot, session, 1100, 600)
    before = view.grab().toImage()
    session.set_preferences(columns=True)
    assert view.grab().toImage() != before
    session.set_preferences(columns=False)
    assert view.grab().toImage() == before
    assert session.undo_stack.count() == 0


def test_shift_and_arrows_move_as_it_is_seen() -> None:
    session = Session(KINDS["full"], Preferences(columns=True))
    session.go_to_stage("V")
    start = session.state.focus
    session.move_focus(1, 0)
    assert (session.state.focus.row, session.state.focus.column) == (start.row, start.column + 1)
    session.move_focus(0, 3)
    assert (session.state.focus.row, session.state.focus.column) == (
        start.row + 3,
        start.column + 1,
    )
    session.move_focus(9, 9)
    assert (session.state.focus.row, session.state.focus.column) == (4, 3)


@pytest.mark.parametrize(("kind", "stage"), STAGES)
def test_words_and_formulas_speak_of_columns(kind: str, stage: str) -> None:
    says = meaning(KINDS[kind], stage, COLUMNS)
    assert " row" not in f"{says.title} {says.sentence}"
    for flat in (True, False):
        latex = formula(KINDS[kind], stage, flat=flat, orientation=COLUMNS)
        assert "QK" not in latex
        assert b"<svg" in formula_svg(latex, "#000000", 17.0)


def test_a_published_spreadsheet_is_shown_as_it_is_printed() -> None:
    case = json.loads((WORKED / "27_columns_as_tokens.json").read_text(encoding="utf-8"))
    document = loads(json.dumps(case["experiment"]).encode())
    trace = run(document)
    printed = {name: np.array(rows).T for name, rows in case["published"].items()}
    assert printed["Q"].shape == (3, 4)
    session = Session(document, Preferences(columns=True))
    for stage, matrix in printed.items():
        session.go_to_stage(stage)
        scene = build_scene(session.state, QRectF(0, 0, 1200, 600))
        shown = scene.placed[-1].matrix.values
        assert np.allclose(shown, matrix, rtol=1e-9, atol=0), stage
    session.go_to_stage("Q")
    w_q = build_scene(session.state, QRectF(0, 0, 1200, 600)).placed[0]
    assert w_q.operand.tensor == "W_Q"
    assert w_q.matrix.values.tolist() == np.array(case["experiment"]["heads"][0]["W_Q"]).T.tolist()
    assert np.allclose(trace.matrix("weights", 0).sum(axis=1), 1.0)


def test_every_kind_has_its_stages() -> None:
    met = {stage for kind in KINDS for stage in traced(kind).plan.ids}
    assert len(met) == 17
