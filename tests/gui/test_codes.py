"""Codes in the window and on the command line: copied, pasted, opened, shown as a QR code."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import segno
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.exchange.code import LARGEST_QR, experiment_code, read_code
from core.storage.archive import dumps, load
from core.storage.examples import load_example
from gui.app.main_window import MainWindow
from gui.cli import run_command_line
from gui.dialogs.code import QUIET, CodeDialog, QrDialog
from tests.gui.window_kit import bring_forward, open_window

CAT = "cat-eats-fish"
OTHER = load_example("four-words-causal")


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    return open_window(qtbot, CAT)


def test_what_is_copied_is_opened(window: MainWindow) -> None:
    before = dumps(window.session.state.document)
    window.perform("copy_code")
    code = QGuiApplication.clipboard().text()
    window.files.open_example("translation")
    asked: list[str] = []
    window.code_actions.ask = lambda _parent, text: asked.append(text) or text  # type: ignore[func-returns-value]
    window.perform("open_code")
    assert asked == [code]
    assert dumps(window.session.state.document) == before


def test_a_pasted_code_is_offered(window: MainWindow, qtbot: QtBot) -> None:
    QGuiApplication.clipboard().setText(experiment_code(OTHER))
    window.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    button = next(
        one for one in window.message_bar.findChildren(QPushButton) if one.text() == "&Open code"
    )
    button.click()
    assert window.session.state.document.n == OTHER.n


def test_a_code_in_new_from_text_opens_its_experiment(window: MainWindow, qtbot: QtBot) -> None:
    window.import_actions.from_text(experiment_code(OTHER))
    qtbot.waitUntil(lambda: window.session.state.document.n == OTHER.n)


def test_a_code_in_a_text_file_is_opened(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "code.txt"
    path.write_text(f"https://example.org/page.html#{experiment_code(OTHER)}\n", encoding="utf-8")
    assert window.import_actions.open_if_numbers(path)
    assert dumps(window.session.state.document) == dumps(OTHER)


def test_a_broken_code_changes_nothing(window: MainWindow) -> None:
    problems: list[str] = []
    window.session.failed.connect(lambda problem: problems.append(problem.code))
    before = window.session.state.document
    assert not window.code_actions.open(experiment_code(OTHER)[:-9])
    assert problems == ["code.unreadable"]
    assert window.session.state.document is before


def test_unsaved_changes_are_asked_about(window: MainWindow) -> None:
    window.perform("toggle_scale")
    asked: list[str] = []
    window.files.ask.unsaved = lambda *_: asked.append("") or "cancel"  # type: ignore[method-assign, func-returns-value]
    before = window.session.state.document
    assert not window.code_actions.open(experiment_code(OTHER))
    assert len(asked) == 1
    assert window.session.state.document is before


def test_the_dialog_says_what_a_code_holds(qtbot: QtBot) -> None:
    dialog = CodeDialog()
    bring_forward(qtbot, dialog)
    assert not dialog.go.isEnabled()
    dialog.field.setPlainText(experiment_code(load_example(CAT)))
    assert dialog.go.isEnabled()
    assert "cat eats fish" in dialog.told.text().lower()
    dialog.field.setPlainText("no code")
    assert not dialog.go.isEnabled()
    assert "copy all of it" in dialog.told.text()


def painted(dialog: QrDialog) -> list[str]:
    """The modules of the painted code, read from its pixels: # for dark."""
    image = dialog.picture.grab().toImage()
    white = [
        (x, y)
        for y in range(image.height())
        for x in range(image.width())
        if image.pixelColor(x, y).name() == "#ffffff"
    ]
    (left, top), right = white[0], max(x for x, _ in white)
    dark = [
        (x, y)
        for y in range(top, image.height())
        for x in range(left, right + 1)
        if image.pixelColor(x, y).name() == "#000000"
    ]
    first_x, first_y = min(x for x, _ in dark), min(y for _, y in dark)
    last_x = max(x for x, _ in dark)
    assert first_x - left == first_y - top  # the quiet zone is the same on both sides
    side = (first_x - left) / QUIET
    count = round((last_x + 1 - first_x) / side)
    return [
        "".join(
            "#"
            if image.pixelColor(
                int(first_x + (column + 0.5) * side), int(first_y + (row + 0.5) * side)
            ).name()
            == "#000000"
            else "."
            for column in range(count)
        )
        for row in range(count)
    ]


def test_the_qr_code_holds_code_or_link(qtbot: QtBot) -> None:
    document = load_example(CAT)
    dialog = QrDialog(document)
    bring_forward(qtbot, dialog)
    assert dialog.fits
    assert dialog.text() == experiment_code(document)
    expected = segno.make_qr(dialog.text(), error="l").matrix
    assert painted(dialog) == ["".join("#" if cell else "." for cell in row) for row in expected]
    dialog.address.setText("https://example.org/page.html#old")
    assert dialog.text() == f"https://example.org/page.html#{experiment_code(document)}"
    assert dumps(read_code(dialog.text())) == dumps(document)
    expected = segno.make_qr(dialog.text(), error="l").matrix
    assert painted(dialog) == ["".join("#" if cell else "." for cell in row) for row in expected]


def test_the_full_screen_is_left_by_esc(qtbot: QtBot) -> None:
    dialog = QrDialog(load_example(CAT))
    bring_forward(qtbot, dialog)
    qtbot.keyClick(dialog, Qt.Key.Key_F5)
    assert dialog.isFullScreen()
    assert not dialog.field.isVisible()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isFullScreen()
    assert dialog.isVisible()


def test_what_is_too_long_for_a_qr_code_is_offered_as_a_file(qtbot: QtBot) -> None:
    dialog = QrDialog(load_example("eight-heads"))
    bring_forward(qtbot, dialog)
    assert not dialog.fits
    assert not dialog.picture.isVisible()
    assert str(LARGEST_QR) in dialog.told.text()
    with qtbot.waitSignals([dialog.save_wanted, dialog.copy_wanted]):
        dialog.save_button.click()
        dialog.copy_button.click()


def test_the_command_line_reads_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = experiment_code(OTHER)
    out = tmp_path / "x.attn.json"
    stdin = SimpleNamespace(buffer=io.BytesIO(code.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert run_command_line(["import", "-", "-o", str(out)]) == 0
    assert dumps(load(out)) == dumps(OTHER)
    text = tmp_path / "code.txt"
    text.write_text(code, encoding="utf-8")
    out.unlink()
    assert run_command_line(["import", str(text), "-o", str(out)]) == 0
    assert dumps(load(out)) == dumps(OTHER)
    assert capsys.readouterr().err == ""
