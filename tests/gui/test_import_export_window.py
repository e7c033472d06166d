"""Numbers in and out through the whole window: menus, keys, drag and drop, the clipboard."""

from __future__ import annotations

import json
import threading
from functools import partial
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDropEvent
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.exchange.exporters import EXPORTERS, export
from core.exchange.paste import parse_matrix, parse_tensor
from core.exchange.write import FORMS
from core.storage.archive import dumps, save
from core.storage.examples import load_example
from gui.app import export_actions
from gui.app.application import build_window
from gui.app.import_actions import filters, holds_numbers
from gui.app.main_window import MainWindow
from gui.dialogs.import_dialog import ImportDialog
from gui.texts.exchange import file_labels
from gui.widgets.ask import Ask
from gui.widgets.progress import ProgressDialog
from tests.gui.window_kit import bring_forward

Key, Modifier = Qt.Key, Qt.KeyboardModifier


class Answers(Ask):
    """Discards unsaved changes, and writes over files or not."""

    def __init__(self, *, agrees: bool = True) -> None:
        self.agrees, self.asked = agrees, list[str]()

    def unsaved(self, parent: QWidget, name: str) -> str:
        self.asked.append("unsaved")
        return "discard"

    def overwrite(self, parent: QWidget, name: str) -> bool:
        self.asked.append(name)
        return self.agrees


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = build_window(example="eight-heads", language="en")
    window.files.ask = Answers()
    bring_forward(qtbot, window)
    window.diagram.setFocus()
    return window


def action(window: MainWindow, action_id: str) -> QAction:
    found = window.findChild(QAction, action_id)
    assert found is not None
    return found


def dialog_of(window: MainWindow, qtbot: QtBot) -> ImportDialog:
    qtbot.waitUntil(lambda: window.findChild(ImportDialog) is not None)
    dialog = window.findChild(ImportDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: not dialog._work.busy)
    return dialog


def closed(window: MainWindow) -> bool:
    dialog = window.findChild(ImportDialog)
    return dialog is None or not dialog.isVisible()


def drop(window: MainWindow, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    at, copy = QPointF(200, 200), Qt.DropAction.CopyAction
    event = QDropEvent(at, copy, data, Qt.MouseButton.LeftButton, Modifier.NoModifier)
    window.dropEvent(event)
    assert event.isAccepted()


def entries(menu: QMenu) -> list[str]:
    return [each.objectName() for each in menu.actions() if not each.isSeparator()]


# In


def test_the_key_asks_for_a_file_and_enter_imports(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    X = np.random.default_rng(3).normal(
        size=(window.session.state.document.n, window.session.state.document.d)
    )
    np.save(tmp_path / "X.npy", X)
    folders: list[Path] = []

    def ask(parent: QWidget, folder: Path) -> Path:
        folders.append(folder)
        return tmp_path / "X.npy"

    window.import_actions.ask = ask
    qtbot.keyClick(window, Key.Key_I, Modifier.ControlModifier)
    dialog = dialog_of(window, qtbot)
    qtbot.keyClick(dialog, Key.Key_Return)
    qtbot.waitUntil(partial(closed, window))
    after = window.session.state.document.X
    assert after is not None
    assert after.tolist() == X.tolist()
    assert action(window, "undo").text() == "Undo: Import X"
    assert folders == [window.files.folder()]


def test_no_file_no_dialog(window: MainWindow) -> None:
    window.import_actions.ask = lambda parent, folder: None
    action(window, "import").trigger()
    assert window.findChild(ImportDialog) is None


def test_a_dropped_table_is_imported_and_a_dropped_experiment_opened(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    drop(window, tmp_path / "a.csv")
    dialog = dialog_of(window, qtbot)
    assert dialog.preview.shown is not None
    assert dialog.preview.shown.values.tolist() == [[1, 2], [3, 4]]
    qtbot.keyClick(dialog, Key.Key_Escape)
    save(load_example("cat-eats-fish"), tmp_path / "cat.json")
    drop(window, tmp_path / "cat.json")
    qtbot.waitUntil(lambda: window.session.state.document.tokens == ("小猫", "吃", "鱼"))
    assert window.session.state.path == tmp_path / "cat.json"


def test_a_whole_experiment_opens_as_a_new_one(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "a.npz"
    np.savez(
        path, Q=np.ones((3, 2)), K=np.ones((3, 2)), V=np.eye(3), tokens=np.array(["a", "b", "c"])
    )
    assert window.import_actions.open(path)
    dialog = dialog_of(window, qtbot)
    qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    state = window.session.state
    assert (state.document.tokens, state.document.source, state.path) == (
        ("a", "b", "c"),
        "qkv",
        None,
    )
    assert window.windowTitle().startswith("a[*] — ")
    assert state.preferences.recent[0] == str(path)
    assert not window.session.undo_stack.canUndo()


def test_a_recent_file_with_numbers_is_imported_again(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "mine.npz"
    np.savez(path, Q=np.ones((3, 2)), K=np.ones((3, 2)), V=np.eye(3))
    window.files.remember(path)
    assert window.files.open_recent(str(path))
    assert dialog_of(window, qtbot).path == path
    assert window.session.state.preferences.recent == (str(path),)


def test_another_file_in_place_of_the_first(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("1,2\n3,4\n")
    window.import_actions.open(tmp_path / "a.csv")
    first = dialog_of(window, qtbot)
    window.import_actions.ask = lambda parent, folder: tmp_path / "b.csv"
    qtbot.mouseClick(first.another_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(
        lambda: (
            [d.path.name for d in window.findChildren(ImportDialog) if d.isVisible()] == ["b.csv"]
        )
    )


@pytest.mark.parametrize(
    ("name", "content", "numbers"),
    [
        ("a.csv", b"1", True),
        ("a.XLSX", b"", True),
        ("a.json", b"[[1]]", True),
        ("a.npz", b"", True),
        ("a.json", b'{"format": "self-attention-experiment"}', False),
        ("a.attn.json", b"[[1]]", False),
        ("a.lesson.json", b"{}", False),
        ("a.pdf", b"", False),
    ],
)
def test_which_files_hold_numbers(tmp_path: Path, name: str, content: bytes, numbers: bool) -> None:
    (tmp_path / name).write_bytes(content)
    assert holds_numbers(tmp_path / name) is numbers


def test_the_file_dialog_lists_every_kind() -> None:
    first = filters().split(";;")[0]
    assert all(
        f"*{ending}" in first for ending in (".csv", ".tsv", ".xlsx", ".npy", ".npz", ".json")
    )


# Out


def test_every_format_stands_in_the_menu(window: MainWindow) -> None:
    listed = entries(window.menus["export"])
    assert [name for name in listed if name.removeprefix("export_") in EXPORTERS] == [
        f"export_{n}" for n in EXPORTERS
    ]


@pytest.mark.parametrize("name", [name for name in EXPORTERS if name != "xlsx"])
def test_each_format_is_written_and_told(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    asked: list[tuple[str, str]] = []

    def ask(parent: QWidget, suggestion: Path, kind: str) -> Path:
        asked.append((suggestion.name, kind))
        return tmp_path / "out"

    window.export_actions.ask_path = ask
    action(window, f"export_{name}").trigger()
    ending = EXPORTERS[name].ending
    path = tmp_path / f"out{ending}"
    qtbot.waitUntil(lambda: not window.message_bar.isHidden())
    assert window.message_bar._text.text() == f"Written: {path}"
    content = export(window.session.state.document, name, file_labels())
    if isinstance(content, bytes):
        assert path.read_bytes() == content
    else:
        assert {file.name: file.read_bytes() for file in path.iterdir()} == dict(content)
    assert asked[0][0].endswith(ending)
    assert f"*{ending}" in asked[0][1]


def write_json(window: MainWindow, path: Path) -> None:
    """Export by the menu; what a busy machine still does beside the window is waited for."""
    window.export_actions.ask_path = lambda parent, suggestion, kind: path
    action(window, "export_json").trigger()
    window.export_actions._work.finish()


def test_a_workbook_is_made_beside_the_window(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "a.xlsx"
    window.export_actions.ask_path = lambda parent, suggestion, kind: path
    qtbot.keyClick(window, Key.Key_E, Modifier.ControlModifier | Modifier.ShiftModifier)
    window.export_actions._work.finish()
    assert "weights" in openpyxl.load_workbook(path).sheetnames
    assert window.message_bar._text.text() == f"Written: {path}"
    assert all(not bar.isVisible() for bar in window.findChildren(ProgressDialog))


def test_what_leaves_a_window_with_columns_says_that_tokens_are_rows(
    window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "a.py"
    window.export_actions.ask_path = lambda parent, suggestion, kind: path
    action(window, "toggle_columns").trigger()
    action(window, "export_py").trigger()
    window.export_actions._work.finish()
    assert "# Tokens are rows in this file" in path.read_text(encoding="utf-8")


def test_an_export_can_be_given_up(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, go = tmp_path / "a.xlsx", threading.Event()

    def held(*_given: object) -> bytes:
        go.wait(60)
        return b"too late"

    monkeypatch.setattr("core.exchange.exporters.export", held)
    window.export_actions.ask_path = lambda parent, suggestion, kind: path
    action(window, "export_xlsx").trigger()
    job = window.export_actions._work._job
    bar = window.findChild(ProgressDialog)
    assert job is not None
    assert bar is not None
    cancel = bar.findChild(QPushButton)
    assert cancel is not None
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    assert not window.export_actions._work.busy
    go.set()
    job.join()
    assert job.result == b"too late"
    qtbot.wait(50)  # nobody looks for it any more
    assert not path.exists()
    assert window.message_bar.isHidden()


def test_the_folder_is_opened(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    desktop = type(
        "Desktop", (), {"openUrl": staticmethod(lambda url: opened.append(url.toLocalFile()))}
    )
    monkeypatch.setattr(export_actions, "QDesktopServices", desktop)
    write_json(window, tmp_path / "a.json")
    (button,) = window.message_bar._buttons
    assert button.text() == "Open folder"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert opened == [str(tmp_path)]
    assert window.message_bar.isHidden()


def test_what_is_written_is_no_lasting_message(window: MainWindow, tmp_path: Path) -> None:
    write_json(window, tmp_path / "a.json")
    assert not window.message_bar.isHidden()
    action(window, "toggle_scale").trigger()
    assert window.message_bar.isHidden()


@pytest.mark.parametrize("agrees", [True, False])
def test_a_name_that_gets_its_ending_may_be_there_already(
    window: MainWindow, tmp_path: Path, agrees: bool
) -> None:
    answers = Answers(agrees=agrees)
    window.files.ask = answers
    (tmp_path / "a.json").write_text("old")
    write_json(window, tmp_path / "a")
    assert answers.asked == ["a.json"]
    assert ((tmp_path / "a.json").read_text() == "old") is not agrees


def test_a_place_that_cannot_be_written_is_said(window: MainWindow, tmp_path: Path) -> None:
    write_json(window, tmp_path / "gone" / "a.json")
    assert not window.message_bar.isHidden()
    assert "a.json" in window.message_bar._text.text()
    assert "Written" not in window.message_bar._text.text()


# Copies


def text() -> str:
    return QApplication.clipboard().text()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tensor", ["Q", "weights", "W_V", "X"])
def test_the_copy_of_a_matrix_comes_back_exactly(
    window: MainWindow, form: str, tensor: str
) -> None:
    state = window.session.state
    window.session.set_focus(Cell(tensor, 2, 1, 3))
    action(window, f"copy_as_{form}").trigger()
    if tensor in state.trace:
        expected = state.trace.matrix(tensor, 3 if state.trace.plan[tensor].headwise else 0)
    else:
        found = state.document.tensor(tensor, 3)
        assert found is not None
        expected = found
    assert np.array_equal(parse_matrix(text()), expected)


@pytest.mark.parametrize("form", FORMS)
def test_the_copy_of_all_heads_comes_back_exactly(window: MainWindow, form: str) -> None:
    window.session.set_focus(Cell("K", 0, 0, 0))
    action(window, f"copy_heads_as_{form}").trigger()
    if form in ("tsv", "csv", "numpy", "pytorch", "latex"):
        assert np.array_equal(parse_tensor(text()), window.session.state.trace["K"])
    else:
        assert len(text()) > window.session.state.trace["K"].size * 4


def test_all_heads_of_an_entered_tensor_with_tokens_as_columns(window: MainWindow) -> None:
    window.session.set_preferences(columns=True)
    window.session.set_focus(Cell("W_V", 0, 0, 0))
    action(window, "copy_heads_as_numpy").trigger()
    document = window.session.state.document
    for head, matrix in enumerate(parse_tensor(text())):
        given = document.tensor("W_V", head)
        assert given is not None
        assert matrix.tolist() == given.T.tolist()


def test_all_heads_need_heads(window: MainWindow) -> None:
    window.session.set_focus(Cell("X", 0, 0, 0))
    assert not action(window, "copy_heads_as_csv").isEnabled()
    window.session.set_focus(Cell("W_Q", 0, 0, 0))
    assert action(window, "copy_heads_as_csv").isEnabled()


def test_what_is_to_be_predicted_is_not_copied(window: MainWindow) -> None:
    window.session.go_to_stage("V")
    window.session.answers.set_predicting(True)
    window.session.step(1)
    QApplication.clipboard().setText("before")
    for name in ("copy_as_csv", "copy_heads_as_csv", "copy_sum_text", "copy_sum_latex"):
        window.message_bar.hide()
        action(window, name).trigger()
        assert text() == "before"
        assert not window.message_bar.isHidden()


def test_the_worked_sum_by_key(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_preferences(decimals=3)
    window.session.go_to_stage("scores")
    window.session.set_focus(Cell("scores", 1, 2, 0))
    qtbot.keyClick(window, Key.Key_W, Modifier.ControlModifier | Modifier.ShiftModifier)
    state = window.session.state
    q, k = state.trace.matrix("Q", 0)[1], state.trace.matrix("K", 0)[2]
    lines = text().splitlines()
    assert lines[0] == f"Scores, query {state.document.tokens[1]}, key {state.document.tokens[2]}"
    for a, b in zip(q.tolist(), k.tolist(), strict=True):  # every term, however long the sum
        for number in (a, b):
            assert f"{abs(number):.3f}" in lines[1]
    assert lines[1].count("×") == len(q)
    assert lines[1].endswith(f"{float(q @ k):.3f}".replace("-", "−"))
    assert lines[1].startswith("q_")


def test_powers_are_written_with_a_caret_and_in_latex(window: MainWindow) -> None:
    window.session.go_to_stage("exp")
    window.session.set_focus(Cell("exp", 1, 2, 0))
    action(window, "copy_sum_text").trigger()
    assert "e^(" in text()
    action(window, "copy_sum_latex").trigger()
    assert text().startswith("$e^{")
    assert "\\boxed{" in text()
    assert text().count("{") == text().count("}")


def test_a_sum_that_is_not_reached_is_said(window: MainWindow) -> None:
    window.session.go_to_stage("Q")
    window.session.set_focus(Cell("Y", 0, 0, 0))
    action(window, "copy_sum_text").trigger()
    assert "Not reached yet" in window.message_bar._text.text()
    assert window.stage.copy_chip.isHidden()


def test_the_chip_beside_the_sum(window: MainWindow, qtbot: QtBot) -> None:
    window.session.go_to_stage("scores")
    QApplication.processEvents()
    chip = window.stage.copy_chip
    assert chip.isVisible()
    assert chip.text() == "Copy as …"
    assert chip.accessibleName() == "Copy the worked sum as"
    card = window.stage.scene().card_rect.toRect()
    assert card.contains(chip.geometry())
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    menu = window.stage.findChild(QMenu)
    assert menu is not None
    place = menu.actionGeometry(menu.actions()[1]).center()
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=QPoint(place))
    assert text().startswith("$")


def test_no_chip_lies_on_another(window: MainWindow) -> None:
    window.session.go_to_stage("Y")
    QApplication.processEvents()
    chips = [
        chip for chip in (window.stage.copy_chip, window.stage.all_terms_chip) if chip.isVisible()
    ]
    assert len(chips) == 2
    assert not chips[0].geometry().intersects(chips[1].geometry())


def test_json_of_a_run_comes_back_as_an_experiment(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    write_json(window, tmp_path / "a.json")
    assert "scores" in json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    before = window.session.state.document
    window.import_actions.open(tmp_path / "a.json")
    qtbot.mouseClick(dialog_of(window, qtbot).open_button, Qt.MouseButton.LeftButton)
    assert dumps(window.session.state.document) == dumps(before)
