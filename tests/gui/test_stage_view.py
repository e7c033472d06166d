"""The stage view under mouse and keyboard."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLabel
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.edits import with_cell
from core.document.resize import with_token_added
from core.explain.derivation import derive, derive_lead
from core.explain.timeline import Reach
from gui.session.session import Session
from gui.views.stage.dialogs import NotesDialog, TermsDialog
from gui.views.stage.view import StageView
from tests.core.documents import make
from tests.gui.files_helpers import Answers
from tests.gui.stage_kit import card_numbers, centre, make_view, operand, session_at
from tests.gui.window_kit import bring_forward

LEFT = Qt.MouseButton.LeftButton


def click(qtbot: QtBot, view: StageView, cell: Cell) -> None:
    qtbot.mouseClick(view, LEFT, pos=QPoint(*map(int, centre(view.scene(), cell))))


def test_a_click_focuses_the_cell_of_the_result(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "scores", 0, 0)
    view = make_view(qtbot, session)
    click(qtbot, view, Cell("scores", 1, 2))
    assert session.state.focus == Cell("scores", 1, 2)
    assert (session.state.cursor.row, session.state.cursor.column) == (1, 2)
    assert view.scene().target.cell == Cell("scores", 1, 2)
    assert view.back_chip.isHidden()


@pytest.mark.parametrize("cell", [Cell("Q", 2, 1), Cell("K", 2, 0)])
def test_a_click_on_an_operand_looks_at_where_it_comes_from(qtbot: QtBot, cell: Cell) -> None:
    session = session_at("cat-eats-fish", "scores", 0, 0)
    view = make_view(qtbot, session)
    click(qtbot, view, cell)
    assert session.state.focus == cell
    assert session.state.cursor.stage == "scores"
    assert view.scene().target.stage == cell.tensor
    assert view.back_chip.isVisible()
    assert view.back_chip.text() == f"Viewing {cell.tensor} · back to QKᵀ"


def test_the_chip_and_escape_go_back(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "weights", 2, 1)
    view = make_view(qtbot, session)
    for go_back in ("chip", "key"):
        session.set_focus(Cell("scores", 0, 2))
        assert view.scene().target.stage == "scores"
        if go_back == "chip":
            qtbot.mouseClick(view.back_chip, LEFT)
        else:
            view.setFocus()
            qtbot.keyClick(view, Qt.Key.Key_Escape)
        assert session.state.focus == Cell("weights", 2, 1)
        assert view.scene().target.stage == "weights"
        assert not view.back_chip.isVisible()


def test_a_click_on_a_token_chooses_its_row_or_its_column(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "scores", 0, 0)
    view = make_view(qtbot, session)
    rows = operand(view.scene(), "Q").row_labels
    qtbot.mouseClick(view, LEFT, pos=QPoint(int(rows.center().x()), int(rows.bottom() - 4)))
    assert session.state.focus == Cell("scores", 2, 0)
    columns = operand(view.scene(), "K").column_labels
    qtbot.mouseClick(view, LEFT, pos=QPoint(int(columns.right() - 6), int(columns.center().y())))
    assert session.state.focus == Cell("scores", 2, 2)


def test_a_click_on_nothing_changes_nothing(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "scores")
    view = make_view(qtbot, session)
    before = session.state
    qtbot.mouseClick(view, LEFT, pos=QPoint(3, 3))
    qtbot.mouseClick(
        view,
        Qt.MouseButton.RightButton,
        pos=QPoint(*map(int, centre(view.scene(), Cell("Q", 0, 0)))),
    )
    assert session.state is before


def test_a_weight_in_focus_shows_the_projection_that_reads_it(qtbot: QtBot) -> None:
    session = session_at(make(2, output=True), "Y", 3, 0)
    view = make_view(qtbot, session, 1200, 560)
    session.set_focus(Cell("W_K", 4, 1, 2))
    scene = view.scene()
    assert scene.target.cell == Cell("K", 3, 1, 2)
    frames = operand(scene, "W_K").matrix.frames
    assert any(frame.rows == (4, 5) and frame.columns == (1, 2) for frame in frames)


@pytest.mark.parametrize(("at", "cell"), [("Q", Cell("scores", 1, 2)), ("scores", Cell("Y", 2, 1))])
def test_a_focus_ahead_is_looked_at_as_not_reached_and_is_the_only_ring(
    qtbot: QtBot, at: str, cell: Cell
) -> None:
    """A cell of a stage ahead, clicked in a table: the same focus here as everywhere."""
    session = session_at("cat-eats-fish", at, 0, 0)
    view = make_view(qtbot, session)
    session.set_focus(cell)
    scene = view.scene()
    assert scene.target.cell == cell
    assert scene.target.is_ahead
    own = operand(scene, cell.tensor)
    assert own.matrix.shown == (0, 0)
    rings = [
        frame for placed in scene.placed for frame in placed.matrix.frames if frame.width == 3.0
    ]
    assert [(ring.rows, ring.columns) for ring in rings] == [
        ((cell.row, cell.row + 1), (cell.column, cell.column + 1))
    ]
    assert rings == list(own.matrix.frames)
    assert card_numbers(scene).total() == 0
    assert view.accessibleDescription().endswith(
        "Not reached yet: step forward to see the numbers."
    )
    assert view.go_there_chip.isVisible()
    assert view.go_there_chip.text() == "Not reached yet · go there"
    qtbot.mouseClick(view.go_there_chip, LEFT)
    assert (session.state.cursor.stage, session.state.focus) == (cell.tensor, cell)
    assert view.scene().target.is_visible
    assert not view.go_there_chip.isVisible()
    assert view.back_chip.isHidden()


def test_operands_of_a_stage_ahead_stand_as_far_as_the_steps_have_come(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "Q", 0, 0)
    view = make_view(qtbot, session)
    session.set_focus(Cell("scores", 0, 1))
    assert operand(view.scene(), "Q").matrix.shown == (3, 0)
    assert operand(view.scene(), "K").matrix.shown == (0, 0)


def test_a_focus_that_stays_while_a_token_comes_is_not_contradicted(qtbot: QtBot) -> None:
    session = session_at("four-words-causal", "Q", 0, 0)
    view = make_view(qtbot, session)
    session.set_focus(Cell("scores", 3, 2))
    session.change(with_token_added, 4, "too", text="Add a token")
    assert view.scene().target.cell == session.state.focus == Cell("scores", 3, 2)


def test_notes_are_offered_at_the_first_stage_and_can_be_changed(qtbot: QtBot) -> None:
    session = session_at("who-ate-whom", "X", 0, 0, language="zh_CN")
    view = make_view(qtbot, session)
    before = session.state.document
    assert view.notes_chip.isVisible()
    qtbot.mouseClick(view.notes_chip, LEFT)
    dialog = view.findChild(NotesDialog)
    assert isinstance(dialog, NotesDialog)
    assert "谁吃谁只由顺序决定" in dialog.notes.toPlainText()
    dialog.notes.selectAll()
    qtbot.keyClicks(dialog.notes, "look at chi")
    dialog.accept()
    assert session.state.document.notes == "look at chi"
    assert session.state.document.title == before.title  # not the Chinese that was shown
    session.undo_stack.undo()
    assert session.state.document.notes == before.notes
    session.go_to_stage("Q")
    assert not view.notes_chip.isVisible()


def test_notes_that_are_only_read_change_nothing(qtbot: QtBot) -> None:
    session = session_at("who-ate-whom", "X", 0, 0, language="zh_CN")
    view = make_view(qtbot, session)
    before = session.state.document
    for end in ("accept", "reject"):
        view.show_notes()
        dialog = view.findChildren(NotesDialog)[-1]
        getattr(dialog, end)()
        assert session.state.document is before
    assert session.undo_stack.count() == 0


@pytest.mark.parametrize(
    ("answer", "open_still", "notes"),
    [("cancel", True, None), ("discard", False, None), ("save", False, "typed")],
)
def test_escape_does_not_drop_a_note_without_a_question(
    qtbot: QtBot, answer: str, open_still: bool, notes: str | None
) -> None:
    session = session_at("who-ate-whom", "X", 0, 0, language="zh_CN")
    before = session.state.document
    ask = Answers()
    ask.answer = answer
    dialog = NotesDialog(session, ask=ask)
    bring_forward(qtbot, dialog)
    dialog.notes.selectAll()
    qtbot.keyClicks(dialog.notes, "typed")
    qtbot.keyClick(dialog.notes, Qt.Key.Key_Escape)
    assert ask.asked == ["unsaved 标题与说明"]
    assert dialog.isVisible() is open_still
    assert dialog.notes.toPlainText() == "typed"
    assert session.state.document.notes == (notes or before.notes)
    dialog.findChild(QDialogButtonBox).rejected.emit()
    assert not dialog.isVisible()
    assert len(ask.asked) == 1, "Cancel is an answer already"


def test_the_cell_and_its_value_are_spoken(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "scores", 1, 2)
    view = make_view(qtbot, session)
    assert view.accessibleName() == "QKᵀ — how well does each key answer each query?"
    assert view.accessibleDescription() == "Scores, query 吃, key 鱼, 0.50"
    session.set_focus(Cell("V", 2, 1))
    assert view.accessibleDescription() == "Value, 鱼, column 2, 0.60"


def test_what_does_not_stand_is_not_spoken(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "scores", 1, 0, Reach.CELL)
    view = make_view(qtbot, session)
    session.set_focus(Cell("scores", 2, 2))
    assert "0.74" not in view.accessibleDescription()
    assert "Not reached yet" in view.accessibleDescription()


def test_the_language_switches_everything(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "weights", 1, 2)
    view = make_view(qtbot, session)
    session.set_focus(Cell("scores", 1, 2))
    session.set_language("zh_CN")
    assert view.scene().header.title == "QKᵀ——每个键与每个查询有多匹配？"
    assert view.back_chip.text() == "正在看 QKᵀ · 回到 A"
    assert view.accessibleDescription() == "得分，查询 吃，键 鱼，0.50"
    session.set_language("en")
    assert view.scene().header.title.startswith("QKᵀ — how well")


def test_long_sums_open_in_full(qtbot: QtBot) -> None:
    session = session_at("eight-heads", "Q", 7, 5, head=3)
    view = make_view(qtbot, session)
    assert view.scene().card.shortened
    assert view.scene().card.sum_rows == 1  # one row: a few terms, how many more, the result
    assert view.all_terms_chip.isVisible()
    qtbot.mouseClick(view.all_terms_chip, LEFT)
    dialog = view.findChild(TermsDialog)
    assert isinstance(dialog, TermsDialog)
    cells = dialog.terms.toPlainText().replace("\N{NO-BREAK SPACE}", " ").split("\n")[1:-1]
    shown = [cells[start : start + 5] for start in range(0, len(cells), 5)]
    assert len(shown) == 66, "a head, 64 terms and the total"
    assert shown[0] == ["", "X′", "WQ", "product", "sum so far"]
    assert shown[-1] == ["total", "", "", "", "−0.19"]
    numbers = np.array([[float(text.replace("−", "-")) for text in row] for row in shown[1:-1]])
    inputs, weights = session.state.trace["input"][7], session.state.document.heads[3].W_Q[:, 5]
    products = [float(x) * float(w) for x, w in zip(inputs, weights, strict=True)]
    expected = np.array([range(1, 65), inputs, weights, products, list(accumulate(products))]).T
    assert np.abs(numbers - expected).max() <= 5.001e-5
    assert {len(text.partition(".")[2]) for row in shown[1:-1] for text in row[1:]} == {4}
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: view.findChild(TermsDialog) is None)


def test_terms_that_are_rounded_are_said_to_be_rounded(qtbot: QtBot) -> None:
    """Products of factors with 4 decimals have 4 decimals here; a single factor is its own product."""
    session = session_at("eight-heads", "Q", 7, 5, head=3)
    said = "rounded to 4 decimals"
    for stage, expected in (("Q", True), ("weights", False)):
        session.go_to_stage(stage)
        state = session.state
        step = (
            derive(state.document, state.trace, Cell("Q", 7, 5, 3))
            if stage == "Q"
            else derive_lead(state.document, state.trace, "weights", 7, 3)
        )
        dialog = TermsDialog(state, step, "here")
        qtbot.addWidget(dialog)
        assert any(said in label.text() for label in dialog.findChildren(QLabel)) == expected


def test_enter_opens_all_terms_only_where_some_are_left_out(qtbot: QtBot) -> None:
    session = session_at("eight-heads", "Q", 7, 5, head=3)
    view = make_view(qtbot, session)
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Return)
    dialog = view.findChild(TermsDialog)
    assert isinstance(dialog, TermsDialog)
    dialog.reject()
    qtbot.waitUntil(lambda: view.findChild(TermsDialog) is None)
    session.go_to_stage("exp")
    assert not view.scene().card.shortened
    assert view.all_terms_chip.isHidden()
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert view.findChild(TermsDialog) is None


def test_stepping_keys_pass_through(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "scores")
    view = make_view(qtbot, session)
    view.setFocus()
    before = session.state
    for key in (
        Qt.Key.Key_Right,
        Qt.Key.Key_Left,
        Qt.Key.Key_Space,
        Qt.Key.Key_Home,
        Qt.Key.Key_Escape,
    ):
        qtbot.keyClick(view, key)
    assert session.state is before


def test_the_keyboard_focus_is_seen(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "scores")
    view = make_view(qtbot, session)
    view.clearFocus()
    without = view.grab().toImage()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    ring = view.grab().toImage()
    assert without.pixelColor(100, 1) != ring.pixelColor(100, 1)


def test_the_formula_comes_after_the_first_paint(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gui.painting import formulas

    monkeypatch.setattr(formulas, "_known", {})
    monkeypatch.setattr(formulas, "SHIPPED_SIZE", 0.0)  # as for a formula that is not shipped
    session = session_at("cat-eats-fish", "scores")
    view = StageView(session)
    qtbot.addWidget(view)
    view.show_state(None, session.state)
    view.resize(780, 330)
    assert view.scene().header.latex == ""
    view.show()
    qtbot.waitUntil(
        lambda: view.scene().header.latex != "", timeout=30_000
    )  # it loads what typesets, too


def test_an_edit_is_seen_at_once(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "scores", 1, 2)
    view = make_view(qtbot, session)
    session.edit(with_cell(session.state.document, Cell("Q", 1, 0), 1.5))
    assert view.accessibleDescription().endswith("1.30")
    assert operand(view.scene(), "scores").matrix.values[1, 2] == pytest.approx(1.3)


def test_changed_cells_shine_and_then_rest(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "scores", 1, 2)
    view = make_view(qtbot, session)
    before = session.state
    session.set_preferences(speed=4.0)
    session.edit(with_cell(before.document, Cell("K", 0, 1), 0.1))
    shining = view.flash.matrices(view.scene())
    flashes = [picture.flash for picture in shining]
    assert [None if flash is None else flash.any(axis=0).tolist() for flash in flashes] == [
        [False, False],
        [True, False, False],
        [True, False, False],
    ]
    assert flashes[1] is not None
    assert flashes[1].tolist() == [[False, False, False], [True, False, False]]
    qtbot.waitUntil(lambda: view.flash.matrices(view.scene())[1].flash is None)


def test_nothing_shines_where_nothing_may_move(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_at("cat-eats-fish", "scores", 1, 2)
    view = make_view(qtbot, session)
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    session.edit(with_cell(session.state.document, Cell("K", 0, 1), 0.1))
    assert all(picture.flash is None for picture in view.flash.matrices(view.scene()))
    monkeypatch.delenv("ATTENTION_STEPPER_MOTION")
    session.edit(with_cell(session.state.document, Cell("K", 0, 1), 0.2))
    assert any(picture.flash is not None for picture in view.flash.matrices(view.scene()))
    session.step(-1)
    assert all(picture.flash is None for picture in view.flash.matrices(view.scene()))


def test_what_is_the_same_is_not_built_again(qtbot: QtBot) -> None:
    session = session_at("cat-eats-fish", "scores")
    view = make_view(qtbot, session)
    scene = view.scene()
    session.set_preferences(speed=2.0)
    assert view.scene() is scene
    session.set_preferences(decimals=3)
    assert view.scene() is not scene


def test_the_chips_stand_before_the_first_picture_and_after_another_size(qtbot: QtBot) -> None:
    """Moved while painting, they would have the picture painted again."""
    session = session_at("cat-eats-fish", "scores")
    view = StageView(session)
    qtbot.addWidget(view)
    view.show_state(None, session.state)
    for size in (QSize(900, 420), QSize(700, 380)):
        view.resize(size)
        view.show()
        at = view.copy_chip.geometry()
        view.grab()
        assert view.copy_chip.isVisible()
        assert view.copy_chip.geometry() == at
        assert view.rect().contains(at)
        assert at.right() > size.width() - 60


def test_dark_is_dark(qtbot: QtBot) -> None:
    session: Session = session_at("cat-eats-fish", "scores")
    view = make_view(qtbot, session)
    assert view.grab().toImage().pixelColor(8, 8).lightness() > 200
    session.set_shade("dark")
    QApplication.processEvents()
    assert view.grab().toImage().pixelColor(8, 8).lightness() < 60
    assert QColor(view.scene().placed[0].matrix.frames[0].colour).lightness() > 100
