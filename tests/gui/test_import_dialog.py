"""The import dialog, driven by keys and the mouse; every size differs, so that nothing can be exchanged unnoticed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QTextDocument
from PySide6.QtWidgets import QAbstractButton, QApplication, QCheckBox, QComboBox, QLabel, QWidget
from pytestqt.qtbot import QtBot

from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.edits import with_pin
from core.storage.archive import dumps
from gui.dialogs import import_dialog
from gui.dialogs.import_dialog import ImportDialog
from gui.dialogs.import_reading import as_rich, lines_around, read_file
from gui.painting.theme import LIGHT
from gui.session.session import Session
from gui.session.state import Preferences
from gui.texts.names import stage_name
from gui.texts.translation import use_language
from gui.views.tables.edits import with_sizes
from tests.gui.tables_kit import D, H, K, N, V, make_document
from tests.gui.window_kit import choose_row

Key = Qt.Key
RANDOM = np.random.default_rng(11)
Open = Callable[..., ImportDialog]


@pytest.fixture
def session(qapp: QApplication) -> Session:
    return Session(make_document(), Preferences())


@pytest.fixture
def open_(qtbot: QtBot, session: Session) -> Open:
    def opened(path: Path) -> ImportDialog:
        dialog = ImportDialog(session, path)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        qtbot.addWidget(dialog)
        dialog.show()
        read(qtbot, dialog)
        return dialog

    return opened


def tensor(document: Document, name: str, head: int = 0) -> Array:
    found = document.tensor(name, head)
    assert found is not None
    return found


def choose(qtbot: QtBot, combo: QComboBox, value: object) -> None:
    choose_row(qtbot, combo, combo.findData(value))


def read(qtbot: QtBot, dialog: ImportDialog) -> None:
    """Until what is read or worked out beside the window is there."""
    qtbot.waitUntil(lambda: not dialog._work.busy)


def click(qtbot: QtBot, button: QAbstractButton) -> None:
    at = QPoint(8, button.height() // 2) if isinstance(button, QCheckBox) else QPoint()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=at)


def finish(qtbot: QtBot, dialog: ImportDialog) -> None:
    """Click Import and wait until the numbers are in."""
    click(qtbot, dialog.go)
    qtbot.waitUntil(lambda: not dialog.isVisible())


def saved(folder: Path, values: Array, name: str = "numbers.npy") -> Path:
    np.save(folder / name, values)
    return folder / name


def test_nothing_changes_before_import_and_undo_is_one_step(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path
) -> None:
    before, X = session.state.document, RANDOM.normal(size=(N, D))
    dialog = open_(saved(tmp_path, X, "X.npy"))
    assert dialog.form.tensor.currentData() == "X"
    assert dialog.form.outcome.text() == "X gets new numbers and stays 5 × 6."
    assert dialog.form.others.text() == "Nothing else changes."
    assert not dialog.form.turn.isChecked()
    assert session.state.document is before
    finish(qtbot, dialog)
    assert tensor(session.state.document, "X").tolist() == X.tolist()
    assert session.undo_stack.undoText() == "Import X"
    session.undo_stack.undo()
    assert dumps(session.state.document) == dumps(before)
    assert not session.undo_stack.canUndo()


def test_tokens_as_columns_are_seen_and_said(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path
) -> None:
    X = RANDOM.normal(size=(D, N))
    dialog = open_(saved(tmp_path, X))
    assert dialog.form.turn.isChecked()
    assert dialog.form.turn_note.text() == "The tokens seem to be columns."
    assert dialog.preview.shown is not None
    assert dialog.preview.shown.values.tolist() == X.T.tolist()
    finish(qtbot, dialog)
    assert tensor(session.state.document, "X").tolist() == X.T.tolist()


def test_the_user_may_know_better(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path
) -> None:
    X = RANDOM.normal(size=(D, N))
    dialog = open_(saved(tmp_path, X))
    click(qtbot, dialog.form.turn)
    assert dialog.form.turn_note.isHidden()
    assert dialog.form.outcome.text() == "X: 5 × 6 becomes 6 × 5"
    finish(qtbot, dialog)
    assert (session.state.document.n, session.state.document.d) == (6, 5)
    assert tensor(session.state.document, "X").tolist() == X.tolist()


def test_with_tokens_as_columns_a_file_is_taken_as_it_is_seen(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path
) -> None:
    session.set_preferences(columns=True)
    X = RANDOM.normal(size=(7, 3))  # 7 features of 3 tokens
    dialog = open_(saved(tmp_path, X))
    assert not dialog.form.turn.isChecked()
    assert dialog.form.outcome.text() == "X: 6 × 5 becomes 7 × 3"
    assert dialog.preview.shown is not None
    assert dialog.preview.shown.values.tolist() == X.tolist()
    finish(qtbot, dialog)
    assert tensor(session.state.document, "X").tolist() == X.T.tolist()


def test_other_sizes_are_told_and_follow(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path
) -> None:
    X = RANDOM.normal(size=(7, 8))
    dialog = open_(saved(tmp_path, X, "x.npy"))
    told = dialog.form.others.text().splitlines()
    assert dialog.form.outcome.text() == "X: 5 × 6 becomes 7 × 8"
    assert {
        "W_Q 6 × 2 → 8 × 2",
        "W_K 6 × 2 → 8 × 2",
        "W_V 6 × 4 → 8 × 4",
        "W_O 12 × 6 → 12 × 8",
    } <= set(told)
    assert not any(line.startswith("X ") for line in told)
    made_up = H * 2 * (K + K + V) + 12 * 2 + 2 * (session.state.document.b_O is not None)
    assert f"{made_up} new numbers, marked" in told
    finish(qtbot, dialog)
    document = session.state.document
    assert document.sizes | {"n": 7, "d": 8} == document.sizes
    assert document.tokens == ("the", "cat", "eats", "a", "fish", "new", "new")
    assert {cell.tensor for cell in document.filled} >= {"W_Q", "W_O"}
    assert not any(cell.tensor == "X" for cell in document.filled)
    assert len(document.filled) == made_up
    assert tensor(document, "X").tolist() == X.tolist()


def test_labels_become_tokens(qtbot: QtBot, session: Session, open_: Open, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        ",a,b,c,d,e,f\n我,1,2,3,4,5,6\n爱,7,8,9,10,11,12\n鱼,1,1,1,1,1,1\n", encoding="utf-8"
    )
    dialog = open_(path)
    assert dialog.form.labels.isChecked()
    assert "The tokens are 我, 爱, 鱼." in dialog.form.others.text()
    assert dialog.preview.shown is not None
    assert list(dialog.preview.shown.rows) == ["我", "爱", "鱼"]
    click(qtbot, dialog.form.labels)
    assert "tokens are" not in dialog.form.others.text()
    click(qtbot, dialog.form.labels)
    finish(qtbot, dialog)
    assert session.state.document.tokens == ("我", "爱", "鱼")
    assert tensor(session.state.document, "X")[1].tolist() == [7, 8, 9, 10, 11, 12]


def test_labels_above_transposed_numbers(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path
) -> None:
    path = tmp_path / "table.tsv"
    rows = ["\t".join(map(str, row)) for row in np.arange(N * D).reshape(D, N).tolist()]
    path.write_text("\n".join(["I\tyou\the\tshe\tit", *rows]), encoding="utf-8")
    dialog = open_(path)
    assert dialog.form.turn.isChecked()
    finish(qtbot, dialog)
    assert session.state.document.tokens == ("I", "you", "he", "she", "it")
    assert tensor(session.state.document, "X")[0].tolist() == [0, 5, 10, 15, 20, 25]


def test_one_head_of_several(qtbot: QtBot, session: Session, open_: Open, tmp_path: Path) -> None:
    before, W = session.state.document, RANDOM.normal(size=(D, V))
    dialog = open_(saved(tmp_path, W))
    choose(qtbot, dialog.form.tensor, "W_V")
    choose(qtbot, dialog.form.head, 2)
    assert dialog.form.outcome.text() == "W_V, Head 3: head 2 gets new numbers and stays 6 × 4."
    finish(qtbot, dialog)
    after = session.state.document
    assert tensor(after, "W_V", 2).tolist() == W.tolist()
    for head in (0, 1):
        assert tensor(after, "W_V", head) is tensor(before, "W_V", head)


def test_weights_as_pytorch_keeps_them(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path
) -> None:
    W = RANDOM.normal(size=(V, D))
    dialog = open_(saved(tmp_path, W, "W_V_2.npy"))
    assert (dialog.form.tensor.currentData(), dialog.form.head.currentData()) == ("W_V", 1)
    assert dialog.form.turn_note.text() == "It looks transposed: PyTorch stores weights this way."
    finish(qtbot, dialog)
    assert tensor(session.state.document, "W_V", 1).tolist() == W.T.tolist()


def test_a_stack_gives_every_head_its_matrix(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path
) -> None:
    stack = RANDOM.normal(size=(H + 1, D, K))
    dialog = open_(saved(tmp_path, stack, "W_K.npy"))
    assert dialog.form.head.currentText() == "All heads"
    assert dialog.form.piece.isHidden()
    finish(qtbot, dialog)
    document = session.state.document
    assert document.h == H + 1
    for head in range(H + 1):
        assert tensor(document, "W_K", head).tolist() == stack[head].tolist()


@pytest.mark.parametrize(("before", "after"), [(1, 2), (1, 4), (4, 1), (3, 2), (2, 2)])
def test_heads_and_stages_that_come_and_go_are_said(
    open_: Open, session: Session, tmp_path: Path, before: int, after: int
) -> None:
    """They are those of the experiment that comes of it."""
    session.edit(with_sizes(session.state.document.with_(W_O=None, b_O=None), {"h": before}, "new"))
    dialog = open_(saved(tmp_path, RANDOM.normal(size=(after, D, K)), "W_K.npy"))
    said = dialog.form.others.text().split("\n")
    first, last = min(before, after) + 1, max(before, after)
    verb = "added" if after > before else "removed"
    wanted = f"Head {last} is {verb}." if first == last else f"Heads {first} to {last} are {verb}."
    assert [line for line in said if line.startswith("Head")] == (
        [wanted] if before != after else []
    )
    stages = [line for line in said if "tages" in line]
    joined = stage_name("concat")
    assert stages == {
        (True, False): [f"New stages: {joined}."],
        (False, True): [f"Stages removed: {joined}."],
    }.get((before == 1 and after > 1, before > 1 and after == 1), [])


def test_one_matrix_of_a_stack(qtbot: QtBot, session: Session, open_: Open, tmp_path: Path) -> None:
    stack = RANDOM.normal(size=(2, D, K))
    dialog = open_(saved(tmp_path, stack, "W_K.npy"))
    choose(qtbot, dialog.form.head, 1)
    assert not dialog.form.piece.isHidden()
    choose(qtbot, dialog.form.piece, 1)
    finish(qtbot, dialog)
    assert session.state.document.h == H
    assert tensor(session.state.document, "W_K", 1).tolist() == stack[1].tolist()


@pytest.mark.parametrize("shape", [(1, K), (K, 1)])
def test_a_bias_is_a_row_or_a_column(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path, shape: tuple[int, int]
) -> None:
    dialog = open_(saved(tmp_path, np.array([0.5, -2.0]).reshape(shape)))
    choose(qtbot, dialog.form.tensor, "b_Q")
    assert dialog.form.turn.isHidden()
    finish(qtbot, dialog)
    assert tensor(session.state.document, "b_Q").tolist() == [0.5, -2.0]


def test_what_is_not_there_yet_appears(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path
) -> None:
    P = RANDOM.normal(size=(N, D))
    dialog = open_(saved(tmp_path, P))
    choose(qtbot, dialog.form.tensor, "P")
    assert dialog.form.outcome.text() == "P is new: 5 × 6"
    assert "becomes the learned table" in dialog.form.others.text()
    assert "New stages: " in dialog.form.others.text()
    finish(qtbot, dialog)
    assert session.state.document.positional.kind == "learned"
    assert tensor(session.state.document, "P").tolist() == P.tolist()
    assert not session.state.document.filled


def test_pins_on_what_comes_in_go(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path
) -> None:
    session.change(with_pin, Cell("X", 1, 2), 9.0, text="pin")
    session.change(with_pin, Cell("scores", 1, 2, 1), 9.0, text="pin")
    dialog = open_(saved(tmp_path, RANDOM.normal(size=(N, D)), "X.npy"))
    finish(qtbot, dialog)
    assert [pin.stage for pin in session.state.document.pins] == ["scores"]


def test_an_array_of_several(qtbot: QtBot, session: Session, open_: Open, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, first=np.zeros((2, 2)), W_K=RANDOM.normal(size=(D, K)))
    dialog = open_(path)
    assert dialog.form.part.currentText() == "first"
    choose(qtbot, dialog.form.part, "W_K")
    read(qtbot, dialog)
    assert dialog.form.tensor.currentData() == "W_K"
    assert dialog.strip.isHidden()


def test_an_experiment_is_offered_and_left_or_opened(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path
) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, X=np.ones((2, 3)), W_Q=np.ones((3, 2)), W_K=np.ones((3, 2)), W_V=np.ones((3, 4)))
    dialog = open_(path)
    assert dialog.holds.text() == "The file contains a complete experiment: X, W_Q, W_K, W_V."
    heard: list[Document] = []
    dialog.experiment.connect(heard.append)
    click(qtbot, dialog.open_button)
    assert [document.sizes["v"] for document in heard] == [4]
    assert heard[0].tokens == ("token 1", "token 2")
    assert not dialog.isVisible()
    assert not session.undo_stack.canUndo()


def test_why_it_is_no_experiment(open_: Open, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, Q=np.ones((2, 3)), K=np.ones((4, 3)), V=np.ones((2, 3)))
    dialog = open_(path)
    assert "K" in dialog.holds.text()
    assert "2 × 3" in dialog.holds.text()
    assert dialog.open_button.isHidden()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", b"1,2\n3,x\n", "Row 2, column 2"),
        ("a.csv", b"1,2\n3\n", "Row 2 has 1 entry, but row 1 has 2;"),
        ("a.csv", b"", "no numbers"),
        ("a.npy", b"\x93NUMPY", "damaged"),
        ("a.json", b'{"a": "b"}', "no table"),
        ("gone.csv", None, "gone.csv"),
    ],
)
def test_what_cannot_be_read_is_said(
    session: Session, open_: Open, tmp_path: Path, name: str, content: bytes | None, told: str
) -> None:
    before = session.state.document
    if content is not None:
        (tmp_path / name).write_bytes(content)
    dialog = open_(tmp_path / name)
    assert told in dialog.problem.text()
    assert not dialog.problem.isHidden()
    assert not dialog.go.isEnabled()
    assert dialog.preview.isHidden()
    assert session.state.document is before


@pytest.mark.parametrize(
    ("name", "shape", "told"),
    [
        ("W_O", (13, D), "W<sub>O</sub> cannot have 13 rows"),
        ("b_Q", (3, 3), "a bias is a single row"),
    ],
)
def test_what_does_not_fit_is_said(
    qtbot: QtBot, open_: Open, tmp_path: Path, name: str, shape: tuple[int, int], told: str
) -> None:
    dialog = open_(saved(tmp_path, RANDOM.normal(size=shape)))
    choose(qtbot, dialog.form.tensor, name)
    if dialog.form.turn.isChecked():
        click(qtbot, dialog.form.turn)
    assert told in dialog.problem.text()
    assert not dialog.go.isEnabled()


def test_a_row_that_is_wrong_is_shown_with_those_before_it(open_: Open, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("a,b,c\n1,2,x\n3,4\n5,6,7\n")
    dialog = open_(path)
    assert "Row 3 has 2 entries, but row 1 has 3" in dialog.problem.text()
    assert dialog.lines.isVisible()
    document = QTextDocument()
    document.setHtml(dialog.lines.text())
    cells = [line.strip() for line in document.toPlainText().splitlines() if line]
    assert cells == ["1", "a,b,c", "2", "1,2,x", "▸", "3", "3,4", "4", "5,6,7"]
    assert dialog.height() < 290, "no taller than what there is to see"
    path.write_text("1,2\n\n3,4\n5\n")
    assert lines_around(path, 4) == [], "rows are counted from the blank line on"
    assert "&lt;b&gt;" in as_rich([(1, "<b>")], 1, LIGHT)


def test_a_small_matrix_has_no_empty_half_below_it(open_: Open, tmp_path: Path) -> None:
    dialog = open_(saved(tmp_path, RANDOM.normal(size=(3, D))))
    assert dialog.lines.isHidden()
    QApplication.processEvents()
    below = (
        dialog.go.mapTo(dialog, QPoint()).y()
        - dialog.preview.mapTo(dialog, QPoint(0, dialog.preview.height())).y()
    )
    painted = dialog.preview._rect(dialog.preview._part(dialog.preview.shown)).bottom()  # type: ignore[arg-type]
    assert dialog.preview.height() - painted + below < 140


def test_escape_changes_nothing(
    qtbot: QtBot, session: Session, open_: Open, tmp_path: Path
) -> None:
    before = session.state.document
    dialog = open_(saved(tmp_path, np.ones((N, D))))
    qtbot.keyClick(dialog, Key.Key_Escape)
    assert not dialog.isVisible()
    assert session.state.document is before


def test_a_large_file_is_read_beside_the_window_and_can_be_given_up(
    qtbot: QtBot, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However fast it is read, here it takes until it is given up."""
    before, go = session.state.document, threading.Event()
    monkeypatch.setattr(import_dialog, "read_file", lambda *_given: go.wait(60))
    dialog = ImportDialog(session, saved(tmp_path, np.ones((N, D))))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog._work._job is not None
    assert dialog.bar.isVisible()
    assert not dialog.go.isEnabled()
    qtbot.keyClick(dialog, Key.Key_Escape)
    assert not dialog._work.busy
    go.set()
    assert session.state.document is before


def test_a_file_that_comes_slowly_gets_as_much_room_as_a_quick_one(
    qtbot: QtBot, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, go = saved(tmp_path, RANDOM.normal(size=(40, 3))), threading.Event()
    quick = ImportDialog(session, path)
    quick._work.finish()
    monkeypatch.setattr(
        import_dialog, "read_file", lambda *given: read_file(*given) if go.wait(60) else None
    )
    slow = ImportDialog(session, path)
    for dialog in (quick, slow):
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        qtbot.addWidget(dialog)
        with qtbot.waitExposed(dialog):
            dialog.show()
    qtbot.waitUntil(lambda: not slow.bar.visibleRegion().isEmpty())
    assert slow.preview.isHidden()
    go.set()
    qtbot.waitUntil(
        lambda: (slow.size(), slow.preview.geometry()) == (quick.size(), quick.preview.geometry())
    )


def test_a_large_file_arrives(qtbot: QtBot, open_: Open, session: Session, tmp_path: Path) -> None:
    X = RANDOM.normal(size=(300, 40))
    path = tmp_path / "large.csv"
    np.savetxt(path, X, delimiter=",", fmt="%.17g")
    dialog = open_(path)
    finish(qtbot, dialog)
    assert tensor(session.state.document, "X").tolist() == X.tolist()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("shape", [(N, D), (40, 30)])
def test_everything_is_named_and_nothing_is_cut(
    session: Session, open_: Open, tmp_path: Path, language: str, shape: tuple[int, int]
) -> None:
    use_language(language)
    session.set_language(language)
    dialog = open_(saved(tmp_path, RANDOM.normal(size=shape)))
    assert (dialog.width(), dialog.height()) <= (1280, 680)
    for widget in dialog.findChildren(QWidget):
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisible():
            assert widget.accessibleName() or getattr(widget, "text", str)(), widget
        if isinstance(widget, QLabel) and widget.isVisible() and not widget.wordWrap():
            assert widget.width() >= widget.sizeHint().width(), widget.text()


def test_the_preview_shows_colours_and_at_most_twelve_rows(
    qtbot: QtBot, open_: Open, tmp_path: Path
) -> None:
    values = np.zeros((40, 3))
    values[0, 0], values[39, 2] = 1.0, -1.0
    dialog = open_(saved(tmp_path, values, "X.npy"))
    part = dialog.preview._part
    qtbot.waitUntil(lambda: part(dialog.preview.shown).shape == (12, 3))  # type: ignore[arg-type]  # once laid out
    image = dialog.preview.grab().toImage()
    blue = [QColor(image.pixel(x, 60)) for x in range(90, 140)]
    assert any(colour.blue() > colour.red() + 40 for colour in blue)
    assert "40 × 3" in dialog.preview.accessibleName()


@pytest.mark.parametrize("turned", [False, True])
def test_a_file_that_is_too_large_is_refused_with_its_columns(
    tmp_path: Path, session: Session, open_: Open, turned: bool
) -> None:
    """In either orientation it is the file's own side that is named."""
    path = tmp_path / "large.npy"
    np.save(path, np.ones((N, 1500)))
    session.set_preferences(columns=turned)
    dialog = open_(path)
    assert "1500 columns" in dialog.problem.text()
    assert "d<sub>" in dialog.problem.text()
    assert not dialog.go.isEnabled()
