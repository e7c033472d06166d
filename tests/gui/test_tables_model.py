"""The model: exact and rounded numbers, labels, marks, and how little is told when something changes."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from core.base.arrays import frozen
from core.base.cell import Cell
from core.document.document import Document, Head
from core.document.edits import with_pin
from core.document.resize import with_size, with_tokens_removed
from core.storage.examples import load_example
from gui.session.session import Session
from gui.session.state import Preferences
from gui.texts.names import cell_name
from gui.views.tables.model import TensorModel
from tests.gui.tables_kit import H, K, N, V, make_document, make_session, undo_name

Role = Qt.ItemDataRole
Place = tuple[int, int]


def make_model(session: Session, tensor: str) -> TensorModel:
    model = TensorModel(session, tensor)
    session.changed.connect(model.show_state)
    return model


def told(model: TensorModel) -> list[tuple[Place, Place]]:
    """The blocks that dataChanged names from now on."""
    blocks: list[tuple[Place, Place]] = []

    def remember(first: QModelIndex, last: QModelIndex) -> None:
        blocks.append(((first.row(), first.column()), (last.row(), last.column())))

    model.dataChanged.connect(remember)
    return blocks


@pytest.mark.parametrize(
    "tensor", ["X", "W_V", "b_Q", "W_O", "Q", "scores", "weights", "concat", "Y"]
)
def test_every_model_keeps_qts_rules(qtmodeltester: ModelTester, qapp: object, tensor: str) -> None:
    session = make_session()
    model = make_model(session, tensor)
    qtmodeltester.check(model)
    session.change(with_size, "k", 7, text="Resize")  # the tester still watches


def test_shown_rounded_and_edited_with_15_digits(qapp: object) -> None:
    session = make_session()
    model = make_model(session, "scores")
    index = model.index(1, 2)
    value = float(session.state.trace["scores"][0, 1, 2])
    assert float(index.data(Role.EditRole)) == float(f"{value:.15g}")
    assert index.data(Role.DisplayRole) == f"{value:.2f}".replace("-", "−")
    session.set_preferences(decimals=5)
    assert index.data(Role.DisplayRole) == f"{value:.5f}".replace("-", "−")


def test_shapes_follow_the_head_and_the_tensor(qapp: object) -> None:
    session = make_session()
    model = make_model(session, "heads")
    assert (model.rowCount(), model.columnCount()) == (N, V)
    session.select_head(2)
    value = session.state.trace["heads"][2, 3, 1]
    assert float(model.index(3, 1).data(Role.EditRole)) == float(f"{value:.15g}")
    model.show_tensor("b_V")
    bias = session.state.document.heads[2].b_V
    assert bias is not None
    assert (model.rowCount(), model.columnCount()) == (1, V)
    assert float(model.index(0, 3).data(Role.EditRole)) == bias[3]


def test_headers_are_tokens_and_numbered_letters(qapp: object) -> None:
    session = make_session()
    across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    scores, queries, weights = (make_model(session, name) for name in ("scores", "Q", "W_O"))
    assert [scores.headerData(i, across) for i in range(N)] == list(session.state.document.tokens)
    assert [scores.headerData(i, down) for i in range(N)] == list(session.state.document.tokens)
    assert [queries.headerData(i, across) for i in range(K)] == ["q₁", "q₂"]
    assert [weights.headerData(i, down) for i in (0, 3, 4, H * V - 1)] == ["c₁", "c₄", "c₅", "c₁₂"]
    assert weights.headerData(5, across) == "y₆"
    assert cell_name(Cell("scores", 1, 4), session.state.document) == "QKᵀ(cat, fish)"


def test_an_empty_token_is_an_open_box(qapp: object) -> None:
    session = make_session(make_document(tokens=("", " ", "a", "a", "🐈")))
    model = make_model(session, "weights")
    assert [model.headerData(i, Qt.Orientation.Vertical) for i in range(N)] == [
        "␣",
        "␣",
        "a",
        "a",
        "🐈",
    ]


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("０．２５", 0.25),
        ("−3", -3.0),
        ("0,5", 0.5),
        ("1.5e3", 1500.0),
        ("－１２．５", -12.5),
        (".5", 0.5),
    ],
)
def test_numbers_are_read_as_a_person_means_them(qapp: object, typed: str, value: float) -> None:
    session = make_session()
    model = make_model(session, "X")
    assert model.setData(model.index(2, 4), typed)
    assert session.state.document.X is not None
    assert session.state.document.X[2, 4] == value
    assert undo_name(session) == "Set X(eats, x₅)"


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("abc", "number.unreadable"),
        ("", "number.empty"),
        ("1e400", "number.too_large"),
        ("inf", "number.infinite"),
    ],
)
def test_what_is_no_number_changes_nothing(qapp: object, typed: str, code: str) -> None:
    session = make_session()
    refused: list[str] = []
    session.failed.connect(lambda problem: refused.append(problem.code))
    model = make_model(session, "W_Q")
    before = session.state.document
    assert not model.setData(model.index(1, 1), typed)
    assert session.state.document is before
    assert refused == [code]


def test_a_computed_number_is_pinned_and_marked(qapp: object) -> None:
    session = make_session()
    session.select_head(1)
    model = make_model(session, "weights")
    assert model.setData(model.index(0, 3), "0.9")
    assert session.state.trace["weights"][1, 0, 3] == 0.9
    assert [pin.cell for pin in session.state.document.pins] == [Cell("weights", 0, 3, 1)]
    assert "pinned" in model.index(0, 3).data(Role.AccessibleTextRole)
    assert "pinned" not in model.index(0, 2).data(Role.AccessibleTextRole)
    assert undo_name(session) == "Pin A(the, a)"
    session.undo_stack.undo()
    assert session.state.document.pins == ()


def test_leaving_an_editor_with_its_text_pins_nothing(qapp: object) -> None:
    session = make_session()
    model = make_model(session, "exp")
    index = model.index(2, 2)
    assert model.setData(index, index.data(Role.EditRole))
    assert session.state.document.pins == ()


def test_entered_queries_are_edited_and_not_pinned(qapp: object) -> None:
    head = Head(Q=frozen(np.ones((3, 2))), K=frozen(np.eye(3, 2)), V=frozen(np.ones((3, 4))))
    session = make_session(Document(tokens=("a", "b", "c"), heads=(head,), source="qkv"))
    model = make_model(session, "Q")
    assert model.setData(model.index(2, 1), "5")
    assert session.state.document.heads[0].Q is not None
    assert session.state.document.heads[0].Q[2, 1] == 5
    assert session.state.document.pins == ()


def test_a_number_entered_takes_the_place_of_a_pin(qapp: object) -> None:
    session = make_session(with_pin(make_document(), Cell("X", 1, 1), 9.0))
    model = make_model(session, "X")
    assert model.index(1, 1).data(Role.EditRole) == "9.0"
    model.setData(model.index(1, 1), "4")
    assert session.state.trace["X"][1, 1] == 4
    assert session.state.document.pins == ()


def test_filled_numbers_are_marked_until_they_are_edited(qapp: object) -> None:
    session = make_session()
    model = make_model(session, "W_K")
    session.change(with_size, "k", K + 1, text="Resize")
    new = model.index(4, K)
    assert "Filled in" in new.data(Role.ToolTipRole)
    assert "Filled in" not in model.index(4, 0).data(Role.ToolTipRole)
    model.setData(new, "0")  # the same number, but now it is the user's
    assert "Filled in" not in new.data(Role.ToolTipRole)
    assert "Filled in" in model.index(3, K).data(Role.ToolTipRole)


def test_only_the_changed_cell_is_told(qapp: object) -> None:
    session = make_session()
    model = make_model(session, "X")
    session.change(lambda document: document, text="Nothing")
    blocks = told(model)
    small = float(np.abs(session.state.document.X).max()) / 2  # type: ignore[arg-type]
    model.setData(model.index(3, 2), str(small))
    assert blocks == [((3, 2), (3, 2))]


def test_stepping_tells_nothing_but_the_focus(qapp: object) -> None:
    session = make_session()
    model = make_model(session, "scores")
    session.set_focus(Cell("scores", 1, 1))
    blocks = told(model)
    session.set_focus(Cell("scores", 1, 3))
    session.set_preferences(speed=2.0)
    assert blocks == [((1, 1), (1, 3))]


def test_a_change_of_shape_is_a_reset(qtbot: QtBot) -> None:
    session = make_session()
    model = make_model(session, "Q")
    with qtbot.waitSignal(model.modelReset):
        session.change(with_size, "k", 4, text="Resize")
    assert model.columnCount() == 4


def test_another_language_renames_the_marks(qapp: object) -> None:
    session = make_session(with_pin(make_document(), Cell("weights", 0, 0, 0), 0.5))
    model = make_model(session, "weights")
    english = model.index(0, 0).data(Role.AccessibleTextRole)
    blocks = told(model)
    session.set_language("zh_CN")
    assert model.index(0, 0).data(Role.AccessibleTextRole) != english
    assert blocks == [((0, 0), (N - 1, N - 1))]


@pytest.mark.parametrize("tensor", ["Q", "scores", "Y"])
def test_a_number_for_a_cell_that_is_gone_changes_nothing(tensor: str) -> None:
    """A table that has not heard yet of another experiment, in which an editor is still open."""
    session = Session(load_example("cat-eats-fish"), Preferences())
    session.go_last()
    model = TensorModel(session, tensor)
    last = model.index(model.rowCount() - 1, 0)
    for smaller in (
        with_tokens_removed(session.state.document, [1, 2]),
        load_example("block-by-hand"),
    ):
        session.open_document(smaller)
        assert not model.setData(last, "3")
        assert session.state.document is smaller
