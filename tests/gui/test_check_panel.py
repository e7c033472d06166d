"""Check my work, driven by keys and the mouse."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.check.answers import Answer, parse_answer
from core.check.given import rounded_tensors
from core.check.report import NEARLY, WRONG
from core.compute.trace import run
from core.document.edits import with_cell, with_tensor
from core.document.resize import with_tokens_removed
from core.document.stack_edits import with_layer
from core.storage.examples import load_example
from gui.session import answers as answers_module
from gui.session.answers import whole_report
from gui.session.session import Session
from gui.session.state import Preferences
from gui.views.tables.panel import TablesPanel
from tests.core.stacks import make_stack
from tests.gui.check_kit import click, editor, rounded, show_panel, texts, type_in
from tests.gui.tables_kit import H, K, N, make_document, make_session
from tests.gui.test_tables_view import click as click_table
from tests.gui.test_tables_view import show_table

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton
CELLS = [(0, 0, 0), (0, 1, 2), (0, 4, 3)]


def at(session: Session, stage: str, head: int = 0) -> Session:
    session.go_to_stage(stage)
    session.select_head(head)
    return session


def test_an_empty_grid_of_the_current_stage_with_its_tokens(qtbot: QtBot) -> None:
    panel = show_panel(qtbot, at(make_session(), "scores"))
    model = panel.view.entries
    assert (model.rowCount(), model.columnCount()) == (N, N)
    assert [model.headerData(i, Qt.Orientation.Vertical) for i in range(N)] == [
        "the",
        "cat",
        "eats",
        "a",
        "fish",
    ]
    assert all(model.index(i, j).data() == "" for i in range(N) for j in range(N))
    assert panel.stages.currentData() == "scores"
    assert "Type or paste" in panel.remark.text()


def test_an_entered_stage_gives_the_next_that_is_worked_out(qtbot: QtBot) -> None:
    panel = show_panel(qtbot, at(make_session(), "X"))
    assert panel.stage == "Q"
    assert (panel.view.entries.rowCount(), panel.view.entries.columnCount()) == (N, K)
    assert "X" not in [panel.stages.itemData(i) for i in range(panel.stages.count())]


def test_typing_marks_and_goes_on(qtbot: QtBot) -> None:
    session = at(make_session(), "scores", 1)
    panel = show_panel(qtbot, session)
    truth = session.state.trace["scores"][1]
    click(qtbot, panel.view, 2, 3)
    assert session.state.focus == Cell("scores", 2, 3, 1)
    type_in(qtbot, panel.view, f"{truth[2, 3]:.2f}")
    assert session.state.focus == Cell("scores", 3, 3, 1)
    type_in(qtbot, panel.view, "17.5", Key.Key_Tab)
    assert session.state.focus == Cell("scores", 3, 4, 1)
    assert texts(session, "scores") == {(1, 2, 3): f"{truth[2, 3]:.2f}", (1, 3, 3): "17.5"}
    assert panel.view.entries.grid.mark(2, 3) == "right"
    assert panel.view.entries.grid.mark(3, 3) == "wrong"
    assert panel.score.text == "1 right · 1 wrong"


@pytest.mark.parametrize("predicting", [False, True])
def test_what_is_typed_before_its_stage_is_reached_is_kept(qtbot: QtBot, predicting: bool) -> None:
    """Another stage has the focus: it goes into the first blank cell of the table that is shown."""
    session = at(make_session(), "X")
    session.answers.set_predicting(predicting)
    panel = show_panel(qtbot, session)
    assert not panel.view.currentIndex().isValid()
    type_in(qtbot, panel.view, "0.74")
    assert texts(session, "Q") == {(0, 0, 0): "0.74"}
    session.set_focus(Cell("X", 0, 0))
    assert not panel.view.currentIndex().isValid()
    type_in(qtbot, panel.view, "0.5")
    assert texts(session, "Q") == {(0, 0, 0): "0.74", (0, 0, 1): "0.5"}
    assert session.state.cursor.stage == "X"


@pytest.mark.parametrize(
    ("language", "words"), [("en", ("Predict", "Hint")), ("zh_CN", ("预测", "提示"))]
)
def test_predict_and_hint_have_words_beside_their_icons(
    qtbot: QtBot, language: str, words: tuple[str, str]
) -> None:
    session = at(make_session(), "scores")
    session.set_language(language)
    panel = show_panel(qtbot, session)
    for button, word in zip((panel.predict, panel.lamp), words, strict=True):
        assert button.text() == word
        assert button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        assert not button.icon().isNull()


def test_digits_stay_as_they_were_written(qtbot: QtBot) -> None:
    session = at(make_session(), "scores")
    panel = show_panel(qtbot, session)
    click(qtbot, panel.view, 0, 0)
    type_in(qtbot, panel.view, "0.50")
    click(qtbot, panel.view, 0, 0)
    qtbot.keyClick(panel.view, Key.Key_F2)
    assert editor(panel.view).text() == "0.50"


def test_an_expression_is_worked_out(qtbot: QtBot) -> None:
    session = at(make_session(), "scores")
    panel = show_panel(qtbot, session)
    click(qtbot, panel.view, 1, 0)
    type_in(qtbot, panel.view, "(1+2)/4")
    assert session.state.entries["scores"][0, 1, 0].number.value == 0.75


def test_what_is_no_number_stays_open_with_a_sentence(qtbot: QtBot) -> None:
    session = at(make_session(), "scores")
    panel = show_panel(qtbot, session)
    click(qtbot, panel.view, 1, 0)
    type_in(qtbot, panel.view, "0.5.5")
    assert panel.view.is_editing()
    assert panel.view.bubble.isVisible()
    assert "0.5.5" in panel.view.bubble.text()
    assert not session.state.entries
    qtbot.keyClick(editor(panel.view), Key.Key_Escape)


def test_a_whole_matrix_is_pasted_wherever_the_focus_is(qtbot: QtBot) -> None:
    session = at(make_session(), "scores", 2)
    panel = show_panel(qtbot, session)
    click(qtbot, panel.view, 3, 1)
    truth = session.state.trace["scores"][2]
    text = "\n".join("\t".join(f"{value:.2f}" for value in row) for row in truth) + "\n"
    QGuiApplication.clipboard().setText(text)
    qtbot.keyClick(panel.view, Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert texts(session, "scores") == {
        (2, i, j): f"{truth[i, j]:.2f}" for i in range(N) for j in range(N)
    }
    assert panel.score.text == f"{N * N} right"
    assert panel.remark.text() == "All correct. Well done!"


def test_praise_is_for_the_whole_matrix(qtbot: QtBot) -> None:
    session = at(make_session(), "scores", 2)
    panel = show_panel(qtbot, session)
    numbers = {
        index: number for index, number in rounded(session, "scores").items() if index[0] == 2
    }
    first, *others = numbers
    session.answers.write("scores", {first: numbers[first]})
    assert panel.remark.text() == f"Right so far: 1 of {N * N}."
    session.answers.write("scores", {index: numbers[index] for index in others[:-1]})
    assert panel.remark.text() == f"Right so far: {N * N - 1} of {N * N}."
    session.answers.write("scores", numbers)
    assert panel.remark.text() == "All correct. Well done!"
    session.select_head(0)
    assert panel.remark.text().startswith("Type or paste")


def test_a_stack_is_pasted_into_all_heads(qtbot: QtBot) -> None:
    session = at(make_session(), "Q")
    panel = show_panel(qtbot, session)
    truth = np.round(session.state.trace["Q"], 3)
    panel.view.paste(repr(truth))
    assert len(session.state.entries["Q"]) == H * N * K
    assert session.state.entries["Q"][2, 4, 1].number.value == truth[2, 4, 1]


def test_a_part_is_pasted_at_the_current_cell(qtbot: QtBot) -> None:
    session = at(make_session(), "scores")
    panel = show_panel(qtbot, session)
    click(qtbot, panel.view, 2, 3)
    panel.view.paste("1\t2\n\t4")
    assert texts(session, "scores") == {(0, 2, 3): "1", (0, 2, 4): "2", (0, 3, 4): "4"}


@pytest.mark.parametrize("text", ["1 2 3", "1\t2\nx\t4", "1,2,3,4,5,6,7"])
def test_what_does_not_fit_changes_nothing(qtbot: QtBot, text: str) -> None:
    session = at(make_session(), "scores")
    panel = show_panel(qtbot, session)
    click(qtbot, panel.view, 2, 3)
    panel.view.paste(text)
    assert not session.state.entries
    assert panel.view.bubble.isVisible()


def test_labels_around_a_pasted_matrix_are_left_out(qtbot: QtBot) -> None:
    session = at(make_session(), "Q", 1)
    panel = show_panel(qtbot, session)
    rows = ["\tq1\tq2"] + [
        f"{token}\t{i}\t{i + 10}" for i, token in enumerate(session.state.document.tokens)
    ]
    panel.view.paste("\n".join(rows))
    assert texts(session, "Q")[1, 4, 0] == "4"
    assert texts(session, "Q")[1, 0, 1] == "10"


def test_delete_wipes_out_the_selection(qtbot: QtBot) -> None:
    session = at(make_session(), "scores")
    session.answers.write("scores", {(0, 1, 1): parse_answer("1"), (0, 2, 2): parse_answer("2")})
    panel = show_panel(qtbot, session)
    click(qtbot, panel.view, 1, 1)
    qtbot.keyClick(panel.view, Key.Key_Delete)
    assert set(session.state.entries["scores"]) == {(0, 2, 2)}


def test_a_slip_is_named_and_leads_to_its_cells(qtbot: QtBot) -> None:
    session = at(make_session(), "scores")
    unscaled = session.state.trace["scores"]
    session.answers.write(
        "scaled",
        {index: parse_answer(f"{unscaled[index]:.3f}") for index in np.ndindex(*unscaled.shape)},
    )
    panel = show_panel(qtbot, session)
    panel.show_stage("scaled")
    card = next(card for card in panel.mistakes.cards if "√2" in card.text.text())
    assert card.text.text() == "The scores were not divided by √d<sub>k</sub> = √2."
    qtbot.mouseClick(card, LEFT)
    first = session.state.focus
    assert first.tensor == "scaled"
    assert session.state.cursor.stage == "scaled"  # so that the stage view works it out
    card = next(card for card in panel.mistakes.cards if "√2" in card.text.text())
    qtbot.keyClick(card, Key.Key_Return)
    assert session.state.focus != first


def test_a_rest_is_spoken_of_only_beside_a_slip_that_is_named(qtbot: QtBot) -> None:
    session = at(make_session(), "scaled")
    session.answers.write(
        "scaled", {(0, 1, 2): parse_answer("77.100"), (0, 0, 1): parse_answer("41.300")}
    )
    panel = show_panel(qtbot, session)
    assert not panel.mistakes.isVisible() or not [
        card for card in panel.mistakes.cards if card.isVisible()
    ]
    assert (
        panel.remark.text() == "No common mistake explains these: compare each with its worked sum."
    )
    unscaled = session.state.trace["scores"]
    entries = {
        index: parse_answer(f"{unscaled[index]:.3f}") for index in np.ndindex(*unscaled.shape)
    }
    session.answers.write("scaled", entries | {(0, 1, 2): parse_answer("77.100")})
    assert any(card.isVisible() for card in panel.mistakes.cards)
    assert (
        panel.remark.text() == "The rest is not a common mistake: compare it with its worked sum."
    )


def test_follow_through_over_several_stages(qtbot: QtBot) -> None:
    session = at(make_session(), "scaled")
    scores = rounded(session, "scores", 3)
    scores[0, 1, 2] = parse_answer("9.000")
    session.answers.write("scores", scores)
    session.answers.write("scaled", {(0, 1, 2): parse_answer(f"{9 / 2**0.5:.3f}")})
    panel = show_panel(qtbot, session)
    assert panel.score.text == "1 follow from your own numbers"
    assert panel.remark.text() == "Your method is right; only an earlier number was wrong."
    assert [button.text() for button in panel.chips.buttons] == [
        f"QKᵀ  {H * N * N - 1} / {H * N * N}",
        "÷√dₖ  1 / 1",
    ]
    qtbot.mouseClick(panel.chips.buttons[0], LEFT)
    assert panel.stage == "scores"
    assert panel.score.text == f"{H * N * N - 1} right · 1 wrong"


def test_clear_can_be_taken_back(qtbot: QtBot) -> None:
    session = at(make_session(), "scores")
    session.answers.write("scores", {(0, 1, 1): parse_answer("1")})
    panel = show_panel(qtbot, session)
    assert not panel.restore.isVisible()
    qtbot.mouseClick(panel.clear, LEFT)
    assert not session.state.entries
    assert panel.restore.isVisible()
    qtbot.mouseClick(panel.restore, LEFT)
    assert texts(session, "scores") == {(0, 1, 1): "1"}
    assert not panel.restore.isVisible()


def test_marks_are_copied_in_words(qtbot: QtBot) -> None:
    session = at(make_session(), "scores")
    session.answers.write("scores", {(1, 0, 4): parse_answer("77")})
    panel = show_panel(qtbot, session)
    qtbot.mouseClick(panel.copy, LEFT)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[1] == "Head 2\tQKᵀ(the, fish)\t77\twrong"


def test_a_file_is_read(qtbot: QtBot, tmp_path: Path) -> None:
    session = at(make_session(), "Y")
    path = tmp_path / "mine.csv"
    truth = session.state.trace["Y"]
    path.write_text(
        "\n".join(",".join(f"{value:.4f}" for value in row) for row in truth), encoding="utf-8-sig"
    )
    panel = show_panel(qtbot, session)
    panel.ask_path = lambda _parent: path
    qtbot.mouseClick(panel.load, LEFT)
    assert panel.score.text == f"{truth.size} right"


def test_a_file_that_cannot_be_read_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    session = at(make_session(), "Y")
    panel = show_panel(qtbot, session)
    panel.ask_path = lambda _parent: tmp_path / "nowhere.csv"
    with qtbot.waitSignal(session.failed):
        qtbot.mouseClick(panel.load, LEFT)


def test_nothing_is_marked_while_nobody_looks(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = at(make_session(), "scores")
    panel = show_panel(qtbot, session)
    calls: list[object] = []
    monkeypatch.setattr("core.check.marking.check", lambda *given: calls.append(given))
    panel.hide()
    session.answers.write("scores", {(0, 0, 0): parse_answer("1")})
    assert not calls
    monkeypatch.undo()
    panel.show()
    assert panel.view.entries.grid.mark(0, 0) == WRONG


def test_one_report_serves_everyone() -> None:
    session = make_session()
    session.answers.write("scores", {(0, 0, 0): parse_answer("1")})
    state = session.state
    report = whole_report(state.document, state.entries)
    assert whole_report(state.document, state.entries) is report
    session.answers.write("scores", {(0, 0, 1): parse_answer("1")})
    assert whole_report(state.document, session.state.entries) is not report


def test_many_numbers_are_marked_after_a_pause(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers_module, "MAX_INSTANT", 10)
    session = at(make_session(), "scores")
    panel = show_panel(qtbot, session)
    session.answers.write("scores", {(0, 0, 0): parse_answer("99")})
    assert panel.view.entries.grid.mark(0, 0) == ""
    qtbot.waitUntil(lambda: panel.view.entries.grid.mark(0, 0) == WRONG)


def test_too_many_numbers_are_declined_in_words(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers_module, "MAX_CHECKED", 10)
    panel = show_panel(qtbot, at(make_session(), "scores"))
    assert not panel.view.isVisible()
    assert panel.large.isVisible()
    assert "by hand" in panel.large.text()


def test_an_edit_marks_anew_and_another_experiment_starts_empty(qtbot: QtBot) -> None:
    session = at(make_session(), "Q")
    session.answers.write("Q", rounded(session, "Q"))
    panel = show_panel(qtbot, session)
    assert panel.score.text == f"{H * N * K} right"
    session.change(with_cell, Cell("X", 4, 5), 50.0, text="Set")
    assert panel.view.entries.grid.mark(4, 0) == WRONG
    assert panel.view.entries.grid.mark(3, 0) == "right"
    session.open_document(session.state.document)
    assert not session.state.entries


def test_fewer_tokens_leave_what_fits(qtbot: QtBot) -> None:
    session = at(make_session(), "scores")
    session.answers.write("scores", {(0, 0, 1): parse_answer("1"), (0, 4, 4): parse_answer("2")})
    panel = show_panel(qtbot, session)
    session.change(with_tokens_removed, [1], text="Remove")
    assert panel.view.entries.rowCount() == 4
    assert panel.score.text == "1 wrong"
    session.undo_stack.undo()
    assert panel.score.text == "2 wrong"


def test_tokens_as_columns(qtbot: QtBot) -> None:
    session = at(make_session(), "Q", 1)
    session.set_preferences(columns=True)
    panel = show_panel(qtbot, session)
    assert (panel.view.entries.rowCount(), panel.view.entries.columnCount()) == (K, N)
    click(qtbot, panel.view, 1, 3)
    assert session.state.focus == Cell("Q", 3, 1, 1)
    type_in(qtbot, panel.view, "7")
    assert texts(session, "Q") == {(1, 3, 1): "7"}
    session.go_to_stage("scores")
    session.answers.write("scores", _turned_about(session))
    assert (
        panel.mistakes.cards[0]
        .text.text()
        .startswith("Queries and keys were swapped: Qᵀ·K instead of Kᵀ·Q.")
    )
    assert panel.mistakes.cards[0].places.text().startswith("KᵀQ(cat, the)")


def _turned_about(session: Session) -> dict[tuple[int, ...], Answer | None]:
    """K·Qᵀ of the second head off the diagonal, where Q·Kᵀ is asked for, to 4 decimals."""
    truth = session.state.trace["scores"][1]
    return {
        (1, i, j): parse_answer(f"{truth[j, i]:.4f}") for i in range(N) for j in range(N) if i != j
    }


def test_marks_are_drawn_and_not_by_colour_alone(qtbot: QtBot) -> None:
    """Taken to greys, a right, a wrong and an unmarked cell still look different."""
    session = at(make_session(), "scores")
    truth = session.state.trace["scores"][0, 0, 0]
    text = f"{truth:.2f}"
    panel = show_panel(qtbot, session)
    session.set_focus(Cell("scores", 4, 4))
    pictures = []
    for given in (text, text.replace(text[-1], "9" if text[-1] != "9" else "1"), None):
        session.answers.write("scores", {(0, 0, 0): None if given is None else parse_answer(given)})
        rect = panel.view.visualRect(panel.view.entries.index(0, 0))
        rect.setLeft(
            rect.right() - 19
        )  # the mark alone; 20 pixels, so that lines of the image have no padding
        grey = (
            panel.view.viewport()
            .grab(rect)
            .toImage()
            .convertToFormat(QImage.Format.Format_Grayscale8)
        )
        pictures.append(bytes(grey.constBits()))
    shade = [sum(value < 170 for value in picture) for picture in pictures]
    assert shade[0] > 10
    assert shade[1] > 10
    assert shade[2] == 0
    assert pictures[0] != pictures[1]


def test_no_higher_than_the_numbers_beside_it(qtbot: QtBot) -> None:
    """Opened in their place it takes nothing from its neighbours, whatever it has to say."""
    session = at(make_session(), "scores")
    numbers, panel = TablesPanel(session), show_panel(qtbot, session)
    qtbot.addWidget(numbers)
    numbers.show_state(None, session.state)
    session.answers.write(
        "scores", {(0, i, j): parse_answer(f"{7 * i + j}.5") for i in range(N) for j in range(N)}
    )
    session.answers.set_predicting(True)
    assert panel.mistakes.isVisible()
    assert panel.bar.isVisible()
    assert panel.minimumSizeHint().height() <= numbers.minimumSizeHint().height()


def test_the_last_row_stands_clear_of_the_frame(qtbot: QtBot) -> None:
    panel = show_panel(qtbot, at(make_session(), "scores"))
    last = panel.view.visualRect(panel.view.entries.index(N - 1, 0))
    assert 2 <= panel.view.viewport().height() - 1 - last.bottom() <= 6
    panel.resize(520, 230)
    qtbot.waitUntil(lambda: panel.view.verticalScrollBar().maximum() > 0)


def test_both_languages(qtbot: QtBot) -> None:
    session = at(make_session(), "scores")
    session.answers.write("scores", {(0, 0, 1): parse_answer("77")})
    panel = show_panel(qtbot, session)
    session.set_language("zh_CN")
    assert panel.score.text == "1 个不对"
    assert panel.load.accessibleName() == "从文件读入你的数"


def test_given_numbers_count_as_exact_or_rounded_and_the_panel_says_which(qtbot: QtBot) -> None:
    full = make_document()
    assert full.X is not None
    session = at(make_session(with_tensor(full, "X", np.round(full.X, 2))), "scores")
    panel = show_panel(qtbot, session)
    truth = run(full)["scores"]
    entered = {tuple(index): parse_answer(f"{truth[tuple(index)]:.5f}") for index in CELLS}
    session.answers.write("scores", entered)
    assert panel.given.text() == "Given numbers: exact"
    assert panel.view.entries.grid.mark(0, 0) == WRONG
    qtbot.mouseClick(panel.given, LEFT)
    assert panel.given.text() == "Given numbers: rounded to 2–3 decimals"
    assert {panel.view.entries.grid.mark(row, column) for _, row, column in CELLS} == {NEARLY}
    assert "right, given the digits entered" in panel.score.text
    qtbot.keyClick(panel.given, Key.Key_Space)
    assert panel.given.text() == "Given numbers: exact"


def test_a_pasted_tensor_counts_as_rounded(qtbot: QtBot) -> None:
    session = at(make_session(), "scores")
    panel = show_panel(qtbot, session)
    session.answers.note_imported([("X", 0)])
    assert panel.given.text() == "Given numbers: rounded to 3 decimals"


def test_numbers_with_fewer_than_two_decimals_cannot_be_roundings(qtbot: QtBot) -> None:
    panel = show_panel(qtbot, at(make_session(load_example("cat-eats-fish")), "scores"))
    assert (panel.given.text(), panel.given.isEnabled()) == ("Given numbers: exact", False)


def test_a_matrix_pasted_into_numbers_counts_as_rounded(qtbot: QtBot) -> None:
    session = make_session()
    for tensor, row in (("X", 0), ("scores", 1)):  # of the second only what-if values are made
        if tensor == "scores":
            session.go_to_stage("scores")
        view = show_table(qtbot, session, tensor)
        click_table(qtbot, view, row, 0)
        QGuiApplication.clipboard().setText("0.1234\t0.5\n1.25\t2")
        qtbot.keyClick(view, Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert session.state.document.pins
    assert session.state.given.imported == {("X", 0)}
    assert rounded_tensors(session.state.document, session.state.given) == {("X", 0): 4}


def test_a_stack_that_computes_nothing_has_nothing_to_check(qtbot: QtBot) -> None:
    """Its only layer is off, and it has neither norms around it nor an output."""
    document = make_stack(layers=1, around=False, output=False)
    session = Session(document, Preferences(motion=False))
    panel = show_panel(qtbot, session)
    assert panel.view.isVisible()
    session.change(partial(with_layer, number=1, enabled=False), text="Off")
    assert session.state.trace.plan.ids == ("X",)
    assert not panel.view.isVisible()
    assert not panel.remark.isVisible()
    assert not panel.load.isEnabled()
    session.undo()
    assert panel.view.isVisible()
    assert panel.load.isEnabled()
