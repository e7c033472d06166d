"""Matrices in and out of tables by the clipboard."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QClipboard, QGuiApplication, QImage
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from core.base.arrays import frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.resize import with_size, with_tokens_added
from core.exchange.paste import parse_matrix
from core.exchange.write import FORMS, pieces, write
from core.storage.archive import dumps
from gui.session.session import Session
from gui.session.trace_runner import Work
from gui.views.tables import clipboard
from gui.views.tables.edits import sizes_for, with_matrix, with_values
from gui.views.tables.panel import TablesPanel
from tests.gui.tables_kit import D, H, K, N, V, follow, make_document, make_session, undo_name
from tests.gui.test_tables_view import click, show_table

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton
Control, Shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
BLOCK = np.array([[1.5, -2.0], [0.25, 1 / 3]])
WRITTEN = {
    "a spreadsheet": "1.5\t-2\n0.25\t0.3333333333333333\n",
    "NumPy": "array([[ 1.5       , -2.        ],\n       [ 0.25      ,  0.3333333333333333]])",
    "PyTorch": "tensor([[1.5, -2.], [0.25, 0.3333333333333333]], dtype=torch.float64)",
    "lists": "[[1.5, −2], [1/4, 1/3]]",
    "MATLAB": "[1.5 -2; 0.25 1/3]",
    "LaTeX": r"\begin{bmatrix} 1.5 & -2 \\ \frac{1}{4} & \frac{1}{3} \end{bmatrix}",
    "Markdown": "| a | b |\n|---|---|\n| 1.5 | -2 |\n| 0.25 | 1/3 |",
    "Wolfram": "{{1.5, -2}, {1/4, 1/3}}",
}


def put(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


@pytest.mark.parametrize("program", list(WRITTEN))
def test_what_any_program_wrote_is_pasted_as_one_step(qtbot: QtBot, program: str) -> None:
    session = make_session()
    before = session.state.trace["X"]
    view = show_table(qtbot, session, "X")
    put(WRITTEN[program])
    click(qtbot, view, 2, 3)
    qtbot.keyClick(view, Key.Key_V, Control)
    X = np.array(before)
    X[2:4, 3:5] = BLOCK
    assert (session.state.trace["X"] == X).all()
    assert session.undo_stack.count() == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2\n3", "Row 2 has 1 entry, but row 1 has 2"),
        ("[[1, 2], [3, nan]]", "Row 2, column 2: “nan” is not a finite number."),
        ("", "There are no numbers here"),
        ("[[1, ..., 2]]", "Row 1 has “…”"),
    ],
)
def test_what_cannot_be_read_says_where_and_changes_nothing(
    qtbot: QtBot, text: str, said: str
) -> None:
    session = make_session()
    before = session.state.document
    view = show_table(qtbot, session, "X")
    put(text)
    click(qtbot, view, 0, 0)
    for modifiers in (Control, Control | Shift):
        qtbot.keyClick(view, Key.Key_V, modifiers)
        assert session.state.document is before
        assert view.bubble.text().startswith(said)


@pytest.mark.parametrize("modifiers", [Control, Control | Shift])
def test_a_paste_that_succeeds_puts_away_what_was_said(
    qtbot: QtBot, modifiers: Qt.KeyboardModifier
) -> None:
    session = make_session()
    view = show_table(qtbot, session, "X")
    click(qtbot, view, 0, 0)
    values = np.full(view.tensor_model.contents.values.shape, 0.25)
    for text, refused in (
        ("1 2\n3", True),
        (rows(values), False),
        ("1 2\n3", True),
        (rows(values), False),
    ):
        put(text)
        qtbot.keyClick(view, Key.Key_V, modifiers)
        assert view.bubble.isVisible() is refused


def test_any_change_puts_away_what_was_said(qtbot: QtBot) -> None:
    session = make_session()
    view = show_table(qtbot, session, "X")
    put("1 2\n3")
    click(qtbot, view, 0, 0)
    qtbot.keyClick(view, Key.Key_V, Control)
    assert view.bubble.isVisible()
    qtbot.keyClick(view, Key.Key_Delete)
    assert not view.bubble.isVisible()


class Answer:
    """Stands in for the question, and keeps what was asked."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str]] = []

    def __call__(self, title: str, detail: str) -> bool:
        self.asked.append((title, detail))
        return self.answer


def paste_whole(
    qtbot: QtBot, session: Session, tensor: str, text: str, *, agree: bool = True
) -> tuple[str, Answer]:
    view = show_table(qtbot, session, tensor)
    view.ask = answer = Answer(agree)
    put(text)
    qtbot.keyClick(view, Key.Key_V, Control | Shift)
    return view.bubble.text() if view.bubble.isVisible() else "", answer


def rows(values: np.ndarray) -> str:
    return "\n".join("\t".join(map(repr, row)) for row in values.tolist())


def test_a_whole_matrix_brings_its_sizes_after_asking(qtbot: QtBot) -> None:
    session = make_session()
    before = session.state.document
    values = np.arange(14.0).reshape(7, 2)
    said, answer = paste_whole(qtbot, session, "X", rows(values))
    document = session.state.document
    assert said == ""
    assert (document.n, document.d) == (7, 2)
    assert document.X is not None
    assert (document.X == values).all()
    assert document.tokens == (*before.tokens, "new", "new")
    [(title, detail)] = answer.asked
    assert title == "Resize X to 7 × 2?"
    for line in (
        f"X {N} × {D} → 7 × 2",
        f"W_Q {D} × {K} → 2 × {K}",
        f"W_O {H * V} × {D} → {H * V} × 2",
    ):
        assert line in detail.splitlines()
    assert "new numbers" not in detail
    assert f"{H * (D - 2) * (K + K + V) + H * V * (D - 2) + (D - 2)} numbers are removed" in detail
    assert not {cell for cell in document.filled if cell.tensor == "X"}
    assert session.undo_stack.count() == 1
    session.undo_stack.undo()
    assert session.state.document is before


def test_who_thinks_better_of_it_keeps_everything(qtbot: QtBot) -> None:
    session = make_session()
    before = session.state.document
    _, answer = paste_whole(qtbot, session, "W_K", rows(np.ones((D, 3))), agree=False)
    assert len(answer.asked) == 1
    assert session.state.document is before


def test_a_matrix_of_the_same_size_needs_no_question(qtbot: QtBot) -> None:
    session = make_session()
    session.select_head(1)
    other = session.state.document.heads[0].W_V
    values = np.arange(float(D * V)).reshape(D, V)
    _, answer = paste_whole(qtbot, session, "W_V", rows(values))
    assert answer.asked == []
    after = session.state.document.heads[1].W_V
    assert after is not None
    assert (after == values).all()
    assert session.state.document.heads[0].W_V is other
    assert undo_name(session) == "Paste into W_V"


def test_labels_beside_the_rows_become_the_tokens(qtbot: QtBot) -> None:
    session = make_session()
    text = "\tx\ty\n我\t1\t2\n爱\t3\t4\n苹果\t5\t6\n"
    paste_whole(qtbot, session, "X", text)
    assert session.state.document.tokens == ("我", "爱", "苹果")
    assert session.state.trace["X"].tolist() == [[1, 2], [3, 4], [5, 6]]


def test_with_tokens_as_columns_a_whole_matrix_is_turned(qtbot: QtBot) -> None:
    session = make_session()
    session.set_preferences(columns=True)
    values = np.arange(float(D * 3)).reshape(D, 3)
    _, answer = paste_whole(qtbot, session, "X", rows(values))
    assert (session.state.trace["X"] == values.T).all()
    assert answer.asked[0][0] == f"Resize X to {D} × 3?"


def test_a_computed_matrix_is_pinned_but_keeps_its_size(qtbot: QtBot) -> None:
    session = make_session()
    session.select_head(2)
    weights = np.arange(float(N * N)).reshape(N, N)
    paste_whole(qtbot, session, "weights", rows(weights))
    assert (session.state.trace["weights"][2] == weights).all()
    assert len(session.state.document.pins) == N * N
    said, answer = paste_whole(qtbot, session, "weights", "1\t2\n3\t4")
    assert said == "The matrix is 2 × 2, but this one is computed and stays 5 × 5."
    assert answer.asked == []
    assert session.undo_stack.count() == 1


def test_a_bias_may_come_as_a_column(qtbot: QtBot) -> None:
    session = make_session()
    paste_whole(qtbot, session, "b_V", "1\n2\n3\n4")
    bias = session.state.document.heads[0].b_V
    assert bias is not None
    assert bias.tolist() == [1, 2, 3, 4]


def test_sizes_that_follow_from_each_tensor() -> None:
    document = make_document()
    assert sizes_for(document, "W_Q", (4, 5)) == {"d": 4, "k": 5}
    assert sizes_for(document, "W_O", (H * 2, D + 1)) == {"v": 2, "d": D + 1}
    assert sizes_for(document, "b_O", (1, D)) == {}
    for tensor, shape, code in (
        ("W_O", (7, D), "paste.output"),
        ("b_O", (2, D), "paste.vector"),
        ("scores", (N, N + 1), "paste.computed"),
        ("X", (6000, 2), "size.table"),
    ):
        with pytest.raises(UserError) as refused:
            sizes_for(document, tensor, shape)
        assert refused.value.code == code
    after = with_matrix(document, "W_O", 0, frozen(np.ones((H * 2, D + 1))), "new")
    assert after.W_O is not None
    assert after.W_O.shape == (H * 2, D + 1)
    assert (after.W_O == 1).all()


# Out


@pytest.mark.parametrize("form", FORMS)
def test_copies_come_back_to_the_last_bit(qtbot: QtBot, form: str) -> None:
    session = make_session()
    session.select_head(1)
    view = show_table(qtbot, session, "weights")
    view.copy_as(form)
    assert (
        parse_matrix(QGuiApplication.clipboard().text()) == session.state.trace["weights"][1]
    ).all()
    click(qtbot, view, 1, 2)
    qtbot.keyClick(view, Key.Key_Down, Shift)
    qtbot.keyClick(view, Key.Key_Right, Shift)
    view.copy_as(form)
    assert (
        parse_matrix(QGuiApplication.clipboard().text())
        == session.state.trace["weights"][1, 1:3, 2:4]
    ).all()


def test_what_is_copied_is_made_beside_the_window_to_the_last_byte(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make_session()
    made: list[object] = []

    def wait(work: Work[object], text: str) -> object:
        made.append(work(lambda _done, _of: None))
        return made[-1]

    session.trace_runner.wait = wait
    values = np.random.default_rng(1).normal(size=(300, 250))
    clipboard.copy_text(session, partial(pieces, values, "tsv"), 600)
    mime = QGuiApplication.clipboard().mimeData()
    assert mime.formats() == ["text/plain"]
    assert mime.hasText()
    assert made == [mime.data("text/plain")]  # nothing is left to be converted
    assert mime.text() == write(values, "tsv")


@pytest.mark.parametrize("own", [True, False])
def test_what_this_program_has_copied_it_pastes(
    qtbot: QtBot, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QClipboard, "ownsClipboard", lambda _self: own)
    session = make_session()
    clipboard.copy_text(session, partial(list, ["1.5\t−2", "\n½\t1/3"]), 2)
    view = show_table(qtbot, session, "X")
    click(qtbot, view, 0, 1)
    qtbot.keyClick(view, Key.Key_V, Control)
    assert view.bubble.text() == ""
    assert session.state.trace["X"][:2, 1:3].tolist() == [[1.5, -2.0], [0.5, 1 / 3]]


@pytest.mark.parametrize("own", [True, False])
def test_a_picture_on_the_clipboard_is_no_matrix(
    qtbot: QtBot, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QClipboard, "ownsClipboard", lambda _self: own)
    QGuiApplication.clipboard().setImage(QImage(3, 2, QImage.Format.Format_RGB32))
    session = make_session()
    view = show_table(qtbot, session, "X")
    click(qtbot, view, 0, 1)
    qtbot.keyClick(view, Key.Key_V, Control)
    assert view.bubble.text().startswith("There are no numbers here")
    assert session.undo_stack.count() == 0


def test_numbers_that_are_not_shown_yet_are_not_copied(qtbot: QtBot) -> None:
    session = make_session()
    session.answers.set_predicting(True)
    view = show_table(qtbot, session, "weights")
    put("before")
    view.copy_as("numpy")
    assert QGuiApplication.clipboard().text() == "before"
    assert view.bubble.text() == "Not all of these numbers are shown yet."


def entry(menu: QMenu, text: str) -> QAction:
    return next(action for action in menu.actions() if action.text() == text)


def test_the_panel_copies_by_a_button(qtbot: QtBot) -> None:
    session = make_session()
    panel = TablesPanel(session)
    follow(qtbot, session, panel)
    panel.show_table("scores")
    panel.copy.setFocus()
    qtbot.keyClick(panel.copy, Key.Key_Space)
    assert panel.copy_formats.isVisible()
    entry(panel.copy_formats, "CSV").trigger()
    panel.copy_formats.close()
    assert (
        parse_matrix(QGuiApplication.clipboard().text()) == session.state.trace["scores"][0]
    ).all()
    panel.show_setup()
    assert not panel.copy.isVisible()


def test_a_block_that_is_too_large_here_says_how_it_can_be_the_whole(qtbot: QtBot) -> None:
    session = make_session()
    view = show_table(qtbot, session, "X")
    put("1\t2\t3")
    session.set_focus(Cell("X", 0, 4))
    qtbot.keyClick(view, Key.Key_V, Control)
    assert view.bubble.text().endswith("Ctrl+Shift+V pastes it as the whole matrix.")


def test_a_whole_matrix_is_what_its_numbers_are_one_by_one() -> None:
    document = with_size(
        with_tokens_added(make_document(), N, ("new",)), "d", D + 1
    )  # with numbers that are made up
    assert document.filled
    for tensor, head in (("X", 0), ("W_Q", 0), ("W_V", document.h - 1)):
        old = document.tensor(tensor, head)
        assert old is not None
        values = np.arange(old.size, dtype=np.float64).reshape(old.shape)
        values[0, 0] = old[0, 0]  # typed in anew, it is the user's own, too
        one_by_one = document
        for (row, column), value in np.ndenumerate(values):
            one_by_one = with_values(one_by_one, {Cell(tensor, row, column, head): float(value)})
        at_once = with_matrix(document, tensor, head, values, "new")
        assert dumps(at_once) == dumps(one_by_one)
        assert at_once.filled == one_by_one.filled < document.filled


ROOT = Path(__file__).resolve().parents[2]
COPY_AND_QUIT = """
from PySide6.QtWidgets import QApplication
application = QApplication([])
from gui.app.application import build_window
window = build_window(language="en")
window.perform("copy_as_tsv")
print(application.clipboard().text())
"""


def test_what_was_copied_does_not_end_the_program_with_a_crash(tmp_path: Path) -> None:
    """An object of Python's on the clipboard would be asked when Python itself is gone."""
    environment = {
        **os.environ,
        "ATTENTION_STEPPER_HOME": str(tmp_path),
        "QT_QPA_PLATFORM": "offscreen",
    }
    done = subprocess.run(
        [sys.executable, "-c", COPY_AND_QUIT],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "0.2\t0.8"
