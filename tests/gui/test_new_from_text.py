"""New from text: the dialog by keyboard, the experiment as one undo step, the results in Check."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from core.storage.archive import dumps
from gui.app import build_window
from gui.app.main_window import MainWindow
from gui.dialogs.new_from_text import NewFromText
from gui.texts.roles import role_choices
from gui.texts.translation import use_language
from gui.widgets.ask import Ask
from tests.core.stacks import SIZES, make_stack
from tests.core.test_sheets_found import workbook
from tests.core.test_stack_roles import BLOCK
from tests.gui.window_kit import bring_forward, choose_row

PAGES = Path(__file__).parents[1] / "core" / "pages"
LAYERS = """Our words:
X = [[1., 0., 2.],   # birds
     [0., 2., 1.],   # sing
     [1., 1., 0.]]   # today
>>> q_proj.weight
tensor([[ 0.5, -0.5,  0.0], [ 0.0,  1.0,  0.5], [ 0.5,  0.0, -1.0]])
>>> k_proj.weight
tensor([[ 1.0,  0.0,  0.5], [ 0.5,  0.5,  0.0], [ 0.0, -1.0,  0.5]])
>>> v_proj.weight
tensor([[ 1.0,  0.0,  1.0], [ 0.0,  2.0, -1.0]])
>>> q @ k.T
tensor([[ 0.00,  3.50,  3.00], [-1.75,  3.50,  2.50], [ 1.00,  0.25,  0.50]])
"""
Open = Callable[..., NewFromText]


class Discard(Ask):
    """Discards unsaved changes."""

    def unsaved(self, parent: QWidget, name: str) -> str:
        return "discard"


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> MainWindow:
    monkeypatch.setenv("ATTENTION_STEPPER_HOME", str(tmp_path / "home"))
    window = build_window(example="cat-eats-fish", language="en")
    window.files.ask = Discard()
    bring_forward(qtbot, window)
    return window


@pytest.fixture
def open_(qtbot: QtBot, window: MainWindow) -> Open:
    def opened(text: str = "", path: Path | None = None) -> NewFromText:
        window.import_actions.from_text(text, path)
        dialog = window.findChild(NewFromText)
        assert dialog is not None
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow)
        if text or path:
            qtbot.waitUntil(lambda: dialog.proposal is not None)
        return dialog

    return opened


def action(window: MainWindow) -> QAction:
    found = window.findChild(QAction, "from_text")
    assert found is not None
    return found


def press(dialog: NewFromText, key: Qt.Key, modifier: Qt.KeyboardModifier | None = None) -> None:
    target = dialog.focusWidget() or dialog
    QTest.keyClick(target, key, modifier or Qt.KeyboardModifier.NoModifier)


def roles(dialog: NewFromText) -> tuple[str, ...]:
    assert dialog.proposal is not None
    return dialog.proposal.roles


def added(dialog: NewFromText, name: str) -> bool:
    return dialog.proposal is not None and dialog.proposal.entries[-1].name == name


def shows(dialog: NewFromText, matrix: list[list[float]]) -> bool:
    return dialog.proposal is not None and dialog.proposal.entries[0].matrix.tolist() == matrix


def test_the_action_opens_an_empty_dialog_that_says_how_to_begin(window: MainWindow) -> None:
    action(window).trigger()
    dialog = window.findChild(NewFromText)
    assert dialog is not None
    assert dialog.empty.isVisible()
    assert "Paste a page" in dialog.empty.text()
    assert not dialog.make_button.isEnabled()
    assert action(window).shortcut().toString() == "Ctrl+Alt+N"


def test_a_page_is_made_by_keyboard_as_one_undo_step(
    qtbot: QtBot, window: MainWindow, open_: Open
) -> None:
    before = window.session.state.document
    dialog = open_(LAYERS)
    assert roles(dialog) == ("X", "W_Q", "W_K", "W_V", "check:scores")
    assert not dialog.make_button.isEnabled()  # no reading is chosen beforehand
    radios = dialog.question.findChildren(QRadioButton)
    assert [radio.isChecked() for radio in radios] == [False, False]
    assert "9 of 9" in radios[1].accessibleName()
    press(dialog, Qt.Key.Key_F6)
    assert dialog.focusWidget() in radios
    press(dialog, Qt.Key.Key_Space)
    press(dialog, Qt.Key.Key_Right)
    qtbot.waitUntil(dialog.make_button.isEnabled)
    assert dialog.proposal is not None
    assert dialog.proposal.transposed is True
    press(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not dialog.isVisible())
    document = window.session.state.document
    assert document.tokens == ("birds", "sing", "today")
    assert document.heads[0].W_Q is not None
    assert document.heads[0].W_Q.tolist() == [[0.5, 0, 0.5], [-0.5, 1, 0], [0, 0.5, -1]]
    assert window.session.undo_stack.undoText() == "New from text"
    window.session.undo()
    assert dumps(window.session.state.document) == dumps(before)
    assert not window.session.undo_stack.canUndo()


def test_printed_results_go_to_check(qtbot: QtBot, window: MainWindow, open_: Open) -> None:
    dialog = open_((PAGES / "qkv.md").read_text(encoding="utf-8"))
    qtbot.waitUntil(dialog.make_button.isEnabled)
    dialog.make_button.click()
    entries = window.session.state.entries
    assert set(entries) == {"weights"}
    assert len(entries["weights"]) == 9
    assert all(len(answer.text.partition(".")[2]) == 3 for answer in entries["weights"].values())
    assert window.session.state.given.imported == {("Q", 0), ("K", 0), ("V", 0)}
    assert window.session.state.path is None


def test_roles_are_changed_by_keyboard(qtbot: QtBot, open_: Open) -> None:
    dialog = open_("first = [[1, 2], [3, 4]]\nQ = [[5, 6], [7, 8]]\nV = [[1], [2]]\n")
    dialog.list.setFocus()
    dialog.list.select(0)
    press(dialog, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: roles(dialog)[0] == "-")
    press(dialog, Qt.Key.Key_F4)
    combo = dialog.list.findChild(QComboBox)
    assert combo is not None
    combo.setCurrentIndex(combo.findData("K"))
    QTest.keyClick(combo.view(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: roles(dialog) == ("K", "Q", "V"))
    assert dialog.make_button.isEnabled()
    assert dialog.proposal is not None
    assert dialog.proposal.settled == {0}


def test_two_of_one_role_cannot_stand(qtbot: QtBot, open_: Open) -> None:
    dialog = open_("Q = [[1, 2], [3, 4]]\nK = [[5, 6], [7, 8]]\nV = [[1], [2]]\n")
    dialog.list.chosen.emit(1, "Q")
    qtbot.waitUntil(lambda: roles(dialog) == ("-", "Q", "V"))
    assert not dialog.make_button.isEnabled()
    assert "K" in dialog.summary.text()


def test_a_row_is_spoken_whole_and_its_place_is_marked(qtbot: QtBot, open_: Open) -> None:
    dialog = open_(LAYERS)
    dialog.list.select(1)
    index = dialog.list.currentIndex()
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    for part in ("2 of 5", "q_proj.weight", "3×3", "line 6", "W_Q", "two readings"):
        assert part in spoken
    marked = [mark.cursor.selectedText() for mark in dialog.text.extraSelections()]
    assert marked[1].startswith("tensor([[ 0.5, -0.5,  0.0]")
    assert dialog.text.textCursor().block().text().startswith("tensor([[ 0.5, -0.5")


def test_marks_are_right_behind_letters_that_take_two_places(qtbot: QtBot, open_: Open) -> None:
    dialog = open_("😀😀 Q = [[1, 2], [3, 4]]\n")
    marked = [mark.cursor.selectedText() for mark in dialog.text.extraSelections()]
    assert marked[0].strip().endswith("]]")
    assert "[[1, 2]" in marked[0]


def test_a_changed_text_is_read_again(qtbot: QtBot, open_: Open) -> None:
    dialog = open_("Q = [[1, 2], [3, 4]]\n")
    dialog.text.setFocus()
    dialog.text.selectAll()
    QTest.keyClicks(dialog.text, "K = [[5, 6], [7, 8]]")
    qtbot.waitUntil(lambda: dialog.proposal is not None and dialog.proposal.entries[0].name == "K")
    dialog.text.clear()
    qtbot.waitUntil(lambda: dialog.proposal is None)
    assert dialog.empty.isVisible()


def test_pasting_anywhere_in_the_dialog_reads_the_text(qtbot: QtBot, open_: Open) -> None:
    dialog = open_()
    QGuiApplication.clipboard().setText("Q = [[1, 2], [3, 4]]")
    dialog.cancel_button.setFocus()
    press(dialog, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: dialog.proposal is not None)
    assert roles(dialog) == ("Q",) or roles(dialog) == ("-",)


def test_escape_leaves_everything_as_it_was(window: MainWindow, open_: Open) -> None:
    before = window.session.state.document
    dialog = open_(LAYERS)
    press(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert window.session.state.document is before


def test_the_size_is_remembered(open_: Open) -> None:
    dialog = open_()
    dialog.resize(790, 571)
    dialog.reject()
    dialog.deleteLater()
    QApplication.sendPostedEvents(dialog, 0)
    dialog.setParent(None)
    assert open_().size().toTuple() == (790, 571)


def test_ranges_of_a_sheet_are_named_one_after_the_other(
    qtbot: QtBot, window: MainWindow, open_: Open, tmp_path: Path
) -> None:
    path = workbook(tmp_path / "a.xlsx", ("A1", [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 13]]))
    assert window.import_actions.open(path)
    dialog = window.findChild(NewFromText)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.proposal is not None)
    assert dialog.sheet.isVisible()
    for name, left in (("Q", 0), ("K", 2), ("V", 4)):
        model = dialog.sheet.table.model()
        selection = dialog.sheet.table.selectionModel()
        selection.clearSelection()
        for row in (0, 1):
            for column in (left, left + 1):
                selection.select(model.index(row, column), QItemSelectionModel.SelectionFlag.Select)
        dialog.sheet.name.setFocus()
        QTest.keyClicks(dialog.sheet.name, name)
        QTest.keyClick(dialog.sheet.name, Qt.Key.Key_Return)
        qtbot.waitUntil(partial(added, dialog, name))
    qtbot.waitUntil(dialog.make_button.isEnabled)
    dialog.make_button.click()
    head = window.session.state.document.heads[0]
    assert head.K is not None
    assert head.K.tolist() == [[3, 4], [9, 10]]
    assert window.session.state.document.title == "a"


@pytest.mark.parametrize(("name", "tensor"), [("fc1.weight", "L2.W_1"), ("L1.W_1", "L1.W_1")])
def test_a_tensor_of_a_block_is_put_into_the_layer_that_is_open(
    qtbot: QtBot, window: MainWindow, open_: Open, name: str, tensor: str
) -> None:
    window.session.edit(make_stack(4, sizes={**SIZES, "d": 2, "f": 2}))
    window.session.go_to_stage("L2.mlp_hidden")
    before = window.session.state.document
    dialog = open_(f"{name} = [[1, 2, 3], [4, 5, 6]]\nln_f.bias = [[7, 8]]")
    qtbot.waitUntil(lambda: dialog.proposal is not None)
    assert not dialog.make_button.isEnabled()
    dialog.put_button.click()
    after = window.session.state.document
    assert after.tensor(tensor).tolist() == [[1, 2, 3], [4, 5, 6]]  # type: ignore[union-attr]
    assert after.tensor("final_norm.beta").tolist() == [7, 8]  # type: ignore[union-attr]
    other = "L1.W_1" if tensor == "L2.W_1" else "L2.W_1"
    assert after.tensor(other) is before.tensor(other)


def test_a_whole_block_becomes_a_stack(qtbot: QtBot, window: MainWindow, open_: Open) -> None:
    dialog = open_(BLOCK + "γ = [[1, 2]]")
    qtbot.waitUntil(lambda: dialog.proposal is not None)
    assert not dialog.make_button.isEnabled()
    assert "norm" in dialog.summary.text()
    choices = role_choices(dialog.proposal.draft, 1)  # type: ignore[union-attr]
    assert "mlp_norm.gamma" in choices
    dialog.list.chosen.emit(7, "mlp_norm.gamma")
    qtbot.waitUntil(dialog.make_button.isEnabled)
    assert "ReLU" in dialog.summary.text()
    dialog.make_button.click()
    document = window.session.state.document
    assert document.layers[0].norm.mlp is not None
    assert document.layers[0].mlp is not None


def test_a_doubtful_matrix_is_asked_with_both_readings(qtbot: QtBot, open_: Open) -> None:
    dialog = open_("Q\n1,234\t5,678\n2,111\t3,222\n\nK = [[1, 2], [3, 4]]\n\nV = [[1], [2]]\n")
    assert not dialog.make_button.isEnabled()
    dialog.list.select(0)
    radios = dialog.question.findChildren(QRadioButton)
    assert len(radios) == 2
    assert radios[0].text() != radios[1].text()
    radios[1].click()
    qtbot.waitUntil(dialog.make_button.isEnabled)
    assert dialog.proposal is not None
    assert dialog.proposal.entries[0].matrix.tolist() == [[1.234, 5.678], [2.111, 3.222]]
    assert dialog.question.isHidden()


def test_stacked_weights_are_a_choice_of_layers(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    layers = np.random.default_rng(7).random((3, 2, 4, 4))
    layers /= layers.sum(axis=-1, keepdims=True)
    np.save(tmp_path / "attn.npy", layers)
    assert window.import_actions.open(tmp_path / "attn.npy")
    dialog = window.findChild(NewFromText)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.proposal is not None)
    assert dialog.layer.count() == 3
    choose_row(qtbot, dialog.layer, 1)
    qtbot.waitUntil(lambda: shows(dialog, layers[1, 0].tolist()))
    dialog.make_button.click()
    document = window.session.state.document
    assert document.source == "weights"
    for head in range(2):
        found = document.tensor("weights", head)
        assert found is not None
        assert found.tolist() == layers[1, head].tolist()


def test_matrices_go_into_the_open_experiment(
    qtbot: QtBot, window: MainWindow, open_: Open
) -> None:
    Q = window.session.state.document.heads[0].Q
    assert Q is not None
    rows, columns = Q.shape
    new = np.arange(rows * columns, dtype=float).reshape(rows, columns)
    dialog = open_(f"Q = {new.tolist()}\n")
    assert not dialog.make_button.isEnabled()
    assert dialog.put_button.isEnabled()
    K = window.session.state.document.heads[0].K
    dialog.put_button.click()
    head = window.session.state.document.heads[0]
    assert head.Q is not None
    assert head.Q.tolist() == new.tolist()
    assert head.K is K
    assert not dialog.isVisible()
    window.session.undo()
    assert not window.session.undo_stack.canUndo()


def test_a_text_of_several_matrices_pasted_into_the_window_is_offered(
    qtbot: QtBot, window: MainWindow
) -> None:
    QGuiApplication.clipboard().setText("Q = [[1, 2], [3, 4]]\nK = [[5, 6], [7, 8]]\n")
    window.setFocus()
    QTest.keyClick(window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert window.message_bar.isVisible()
    assert "2" in window.message_bar.accessibleName()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_nothing_is_cut_at_the_least_window(qtbot: QtBot, open_: Open, language: str) -> None:
    use_language(language)
    try:
        dialog = open_(LAYERS)
        dialog.resize(1240, 660)
        assert dialog.width() <= 1280
        for button in (dialog.make_button, dialog.put_button, dialog.open_button):
            assert button.width() >= button.sizeHint().width()
        assert dialog.question.geometry().bottom() <= dialog.halves.height()
    finally:
        use_language("en")
