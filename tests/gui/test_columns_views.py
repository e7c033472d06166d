"""Diagram, heatmaps, tables, pictures and menus with tokens as columns."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.base.number_format import show
from core.compute.trace import run
from core.document.document import Document
from core.document.edits import allowed
from core.storage.examples import load_example
from gui.app.application import action_records
from gui.app.main_window import MainWindow
from gui.export.pictures import render_picture
from gui.session.preferences import load_preferences, save_preferences
from gui.session.session import Session
from gui.session.state import Preferences
from gui.views.diagram.motion import motion_between
from gui.views.diagram.scene import card_specs, layout_of
from gui.views.diagram.shapes import TOKENS
from gui.views.diagram.view import hit
from gui.views.heatmaps.heatmap_data import choose_heatmap, make_panes
from gui.views.heatmaps.heatmap_spec import make_heatmap_spec
from gui.views.tables.mask_grid import MaskGrid
from gui.views.tables.model import TensorModel
from gui.views.tables.set_values import nudge
from gui.views.tables.view import TensorView
from tests.gui.columns_kit import KINDS, every_stage, seen_as, traced, value_at
from tests.gui.heatmaps_kit import click, make_panel
from tests.gui.tables_kit import centre, follow, make_document, make_session

pytestmark = pytest.mark.usefixtures("qapp")
STAGES = list(every_stage())
ROOM = (1600.0, 420.0)
ROOT = Path(__file__).resolve().parents[2]


def last_stage(kind: str) -> str:
    return traced(kind).plan.ids[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_cards_show_the_transpose_with_marks_and_frames_turned(kind: str) -> None:
    states = [seen_as(kind, last_stage(kind), columns=columns, head=1) for columns in (False, True)]
    rows, columns = (card_specs(state, layout_of(state, ROOM)) for state in states)
    for before, after in zip(rows, columns, strict=True):
        if before.picture is None:
            assert before.box.stage_id == TOKENS
            continue
        assert after.picture is not None
        assert np.array_equal(after.picture.values, before.picture.values.T)
        assert after.picture.pinned == {(column, row) for row, column in before.picture.pinned}
        assert [(frame.columns, frame.rows) for frame in after.picture.frames] == [
            (frame.rows, frame.columns) for frame in before.picture.frames
        ]
        shape = before.heading.shape.split("×")
        assert after.heading.shape.split("×") == shape[::-1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_click_on_a_card_means_the_number_that_is_drawn_there(kind: str) -> None:
    state = seen_as(kind, last_stage(kind), columns=True, head=1)
    where = layout_of(state, ROOM)
    for look in card_specs(state, where):
        if look.picture is None:
            continue
        width, height = look.box.cell_size
        for row in range(look.picture.rows):
            for column in range(look.picture.columns):
                x = look.box.matrix.x + (column + 0.5) * width
                y = look.box.matrix.y + (row + 0.5) * height
                found = hit(state, where, x, y, 1.0)
                assert found is not None
                assert found.cell is not None
                assert value_at(state, found.cell) == look.picture.values[row, column]


@pytest.mark.parametrize(
    ("kind", "stage"), [one for one in STAGES if traced(one[0]).plan.index(one[1]) > 0]
)
def test_operands_fly_from_and_to_where_they_are_drawn(kind: str, stage: str) -> None:
    plan = traced(kind).plan
    before = plan.ids[plan.index(stage) - 1]
    old, new = (seen_as(kind, name, columns=True, head=1) for name in (before, stage))
    where = layout_of(new, ROOM)
    motion = motion_between(old, new, where)
    for flight in motion.blocks if motion is not None else ():
        box = where.box(flight.stage_id)
        width, height = box.cell_size
        assert flight.values.shape == (
            round(flight.start.h / height),
            round(flight.start.w / width),
        )


def test_cards_stay_inside_the_picture_and_apart() -> None:
    for kind in KINDS:
        where = layout_of(seen_as(kind, last_stage(kind), columns=True), ROOM)
        boxes = [box.outer for box in where.boxes]
        for i, box in enumerate(boxes):
            assert 0 <= box.x
            assert box.right <= where.width + 0.5
            assert 0 <= box.y
            assert box.bottom <= where.height + 0.5
            assert not any(box.overlaps(other) for other in boxes[i + 1 :])
        for card in where.boxes:
            assert card.rect.x <= card.matrix.x
            assert card.matrix.right <= card.rect.right + 0.5
            assert card.matrix.bottom <= card.rect.bottom + 0.5


def test_arrows_name_products_as_they_are_written() -> None:
    labels = {
        (arrow.source, arrow.target): arrow.label
        for arrow in layout_of(seen_as("full", "Y", columns=True), ROOM).arrows
    }
    assert labels["input", "Q"] == "W_Q·X′ + b_Q"
    assert labels["concat", "Y"] == "W_O·C + b_O"
    assert labels["K", "scores"] == "Kᵀ"


@pytest.mark.parametrize(("kind", "stage"), STAGES)
def test_heatmaps_are_transposed_with_their_tokens(kind: str, stage: str) -> None:
    rows, columns = (seen_as(kind, stage, columns=one, head=1) for one in (False, True))
    sheets = []
    for state in (rows, columns):
        choice = choose_heatmap(state)
        sheets.append(make_heatmap_spec(state, choice, make_panes(choice, state.trace)))
    before, after = sheets
    assert np.array_equal(after.panes[0].values, before.panes[0].values.T)
    assert np.array_equal(after.panes[0].color_indices(), before.panes[0].color_indices().T)
    assert (after.rows, after.columns) == (before.columns, before.rows)
    assert (after.bold_row, after.bold_column) == (before.bold_column, before.bold_row)
    assert after.pinned == {
        Cell(cell.tensor, cell.column, cell.row, cell.head) for cell in before.pinned
    }
    assert after.describe_cell(Cell("", 1, 2)) == before.describe_cell(Cell("", 2, 1))


def test_a_click_on_a_heatmap_focuses_the_documents_cell(qtbot: QtBot) -> None:
    session, panel = make_panel(qtbot, columns=True, heatmap_stage="V")
    assert panel.view.cell_under(panel.view.point_of(Cell("", 3, 1))) == Cell("", 3, 1)
    click(qtbot, panel, Cell("", 3, 1))
    assert session.state.focus == Cell("V", 1, 3)
    assert (
        f"=\u00a0{show(float(session.state.trace.value(Cell('V', 1, 3))), 2)}"
        in panel.reading.text()
    )


@pytest.mark.parametrize("tensor", ["X", "W_Q", "b_Q", "W_O", "scores", "concat", "Y"])
def test_tables_are_transposed_with_their_headers(tensor: str) -> None:
    session = make_session()
    model = TensorModel(session, tensor)
    ways = (Qt.Orientation.Vertical, Qt.Orientation.Horizontal)
    count = model.rowCount(), model.columnCount()
    before = [[model.index(i, j).data() for j in range(count[1])] for i in range(count[0])]
    headers = [
        [model.headerData(i, way) for i in range(size)]
        for way, size in zip(ways, count, strict=True)
    ]
    old = session.state
    session.set_preferences(columns=True)
    model.show_state(old, session.state)
    assert (model.rowCount(), model.columnCount()) == count[::-1]
    after = [[model.index(i, j).data() for j in range(count[0])] for i in range(count[1])]
    assert after == [list(line) for line in zip(*before, strict=True)]
    seen = zip(ways, count[::-1], strict=True)
    assert [[model.headerData(i, way) for i in range(size)] for way, size in seen] == headers[::-1]


def columns_table(qtbot: QtBot, tensor: str) -> tuple[Session, TensorView]:
    session = make_session()
    session.set_preferences(columns=True)
    view = TensorView(session, tensor)
    follow(qtbot, session, view)
    return session, view


def test_a_number_typed_where_it_is_seen_is_the_right_one(qtbot: QtBot) -> None:
    session, view = columns_table(qtbot, "W_Q")
    index = view.tensor_model.index(1, 4)  # W_Q is seen as 2 × 6
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=centre(view, index))
    assert session.state.focus == Cell("W_Q", 4, 1)
    qtbot.keyClicks(view, "7")
    editor = view.findChild(QLineEdit)
    qtbot.keyClicks(editor, ".25")
    before = session.state.document.heads[0].W_Q
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    after = session.state.document.heads[0].W_Q
    assert before is not None
    assert after is not None
    assert after[4, 1] == 7.25
    assert np.count_nonzero(before != after) == 1
    assert session.undo_stack.undoText() == "Set W_Q(q₂, x₅)"


def test_a_bias_is_a_column_and_its_number_the_right_one(qtbot: QtBot) -> None:
    session, view = columns_table(qtbot, "b_O")
    assert (view.tensor_model.rowCount(), view.tensor_model.columnCount()) == (6, 1)
    assert view.tensor_model.setData(view.tensor_model.index(3, 0), "9.5")
    bias = session.state.document.b_O
    assert bias is not None
    assert bias[3] == 9.5


def test_a_computed_number_is_pinned_where_it_is_seen(qtbot: QtBot) -> None:
    session, view = columns_table(qtbot, "scores")
    assert view.tensor_model.setData(view.tensor_model.index(3, 1), "0.5")  # key 4, query 2
    assert [pin.cell for pin in session.state.document.pins] == [Cell("scores", 1, 3)]
    assert view.tensor_model.contents.pinned == {(3, 1)}


def test_a_block_is_copied_and_pasted_as_it_is_seen(qtbot: QtBot) -> None:
    session, view = columns_table(qtbot, "X")
    view.setCurrentIndex(view.tensor_model.index(2, 1))
    QGuiApplication.clipboard().setText("1\t2\n3\t4\n5\t6")
    qtbot.keyClick(view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    x = session.state.document.X
    assert x is not None
    assert x[1:3, 2:5].tolist() == [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]


def test_a_nudge_changes_the_focused_number() -> None:
    session = Session(make_document(), Preferences(columns=True))
    session.set_focus(Cell("W_V", 5, 3, 1))
    before = session.state.document.heads[1].W_V
    nudge(session, 1)
    after = session.state.document.heads[1].W_V
    assert before is not None
    assert after is not None
    assert [tuple(place) for place in np.argwhere(before != after)] == [(5, 3)]
    assert after[5, 3] == pytest.approx(before[5, 3] + 0.1)


def test_the_masks_grid_has_queries_as_columns(qtbot: QtBot) -> None:
    session = Session(KINDS["full"], Preferences(columns=True))
    grid = MaskGrid(session)
    follow(qtbot, session, grid)
    rect = grid.cells()
    size = rect.width() / 5
    before = np.array(allowed(session.state.document))
    at = rect.topLeft().toPoint()
    at.setX(int(rect.left() + 3.5 * size))
    at.setY(int(rect.top() + 1.5 * size))
    qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=at)
    changed = np.argwhere(before != allowed(session.state.document))
    assert changed.tolist() == [[3, 1]]  # query 4, key 2


def places(path: Path) -> list[tuple[float, float, str]]:
    """Every number of an SVG with where it stands, in the order of painting."""
    found = []
    for group in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}g"):
        for text in group.findall("{http://www.w3.org/2000/svg}text"):
            matrix = group.attrib.get("transform", "matrix(1,0,0,1,0,0)")
            a, b, c, d, e, f = (
                float(part) for part in matrix.removeprefix("matrix(").rstrip(")").split(",")
            )
            x, y = float(text.attrib["x"]), float(text.attrib["y"])
            found.append((a * x + c * y + e, b * x + d * y + f, "".join(text.itertext()).strip()))
    return found


def unlike() -> Document:
    """Numbers that occur once, so that each is known by its text."""
    document = load_example("cat-eats-fish")
    head = document.heads[0]
    q, k, v = ((np.arange(6.0) + start).reshape(3, 2) / 100 for start in (111, 211, 311))
    return document.with_(heads=(type(head)(Q=q, K=k, V=v),))


def check_grid(here: list[list[tuple[float, float]]], *, columns: bool) -> None:
    """Rows of the document run across, or down where tokens are columns."""
    along, beside = (1, 0) if columns else (0, 1)
    for line in here:
        assert line[0][along] < line[1][along]
        assert line[0][beside] == pytest.approx(line[1][beside], abs=0.5)
    for j in range(2):
        assert here[0][j][beside] < here[1][j][beside] < here[2][j][beside]
        assert here[0][j][along] == pytest.approx(here[2][j][along], abs=2.0)


def test_numbers_of_a_picture_stand_transposed(tmp_path: Path) -> None:
    document = unlike()
    matrix = run(document).matrix("V", 0)
    shown = {show(float(value), 2) for value in matrix.ravel()}
    for columns in (False, True):
        out = tmp_path / f"{columns}.svg"
        render_picture(document, "V", out, columns=columns)
        found = places(out)
        for occurrence in (0, 1):  # in the diagram, then in the stage view
            at = {
                text: [(x, y) for x, y, other in found if other == text][occurrence]
                for text in shown
            }
            check_grid(
                [[at[show(float(value), 2)] for value in line] for line in matrix], columns=columns
            )


def test_the_command_line_draws_columns(tmp_path: Path) -> None:
    out = tmp_path / "out.svg"
    command = [
        sys.executable,
        "main.py",
        "render",
        "--example",
        "cat-eats-fish",
        "--stage",
        "scores",
        "--columns",
    ]
    done = subprocess.run(
        [*command, "-o", str(out)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert any(text == "KᵀQ" for _, _, text in places(out))


def test_the_preference_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATTENTION_STEPPER_HOME", str(tmp_path))
    assert not load_preferences().columns
    save_preferences(Preferences(columns=True))
    assert load_preferences().columns
    (tmp_path / "preferences.json").write_text(
        '{"columns": "yes", "decimals": 3}', encoding="utf-8"
    )
    assert load_preferences() == Preferences(decimals=3)


def test_the_menu_switches_every_view_at_once(qtbot: QtBot) -> None:
    session = Session(KINDS["waves"], Preferences(motion=False))
    window = MainWindow(session, action_records())
    qtbot.addWidget(window)
    action = window.actions_["toggle_columns"]
    assert (action.isChecked(), window.actions_["grain_row"].text()) == (False, "Row")
    document = session.state.document
    action.trigger()
    assert session.state.preferences.columns
    assert session.state.document is document
    assert (action.isChecked(), window.actions_["grain_row"].text()) == (True, "Column")
    session.go_to_stage("heads")
    window.tables.show_table("heads")
    shown = window.tables.view.tensor_model.contents.values
    assert np.array_equal(shown, session.state.trace.matrix("heads", 0).T)
    action.trigger()
    assert (action.isChecked(), window.actions_["grain_row"].text()) == (False, "Row")
