"""The screen that the tests run on is the one that was chosen, and its windows take the keyboard."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zlib
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from core.exchange.write import pieces, write
from gui.session.session import Session
from gui.session.state import Preferences
from gui.views.tables import clipboard
from tests.gui.heatmaps_kit import example

RUNNER = Path(__file__).resolve().parent.parent / "tools" / "real_window.py"


@pytest.mark.realwindow
def test_a_window_is_shown_and_takes_the_keyboard(qtbot: QtBot) -> None:
    assert QGuiApplication.platformName() == os.environ["QT_QPA_PLATFORM"]
    editor = QLineEdit()
    qtbot.addWidget(editor)
    editor.show()
    editor.activateWindow()
    qtbot.waitUntil(editor.hasFocus)
    qtbot.keyClicks(editor, "0.5")
    qtbot.keyClick(editor, Qt.Key.Key_Home)
    qtbot.keyClicks(editor, "-")
    assert editor.text() == "-0.5"


# Another program pastes: it says how many letters it got, and what they are.
PASTING = """
import sys, zlib
from PySide6.QtGui import QGuiApplication
app = QGuiApplication(sys.argv)
text = app.clipboard().text()
print(len(text), zlib.crc32(text.encode()))
"""


@pytest.mark.realwindow
def test_another_program_pastes_what_was_copied(qtbot: QtBot) -> None:
    session = Session(example(), Preferences())
    values = np.random.default_rng(2).normal(size=(600, 400))
    clipboard.copy_text(session, partial(pieces, values, "tsv"), 1200)
    told = write(values, "tsv")
    if QGuiApplication.platformName() != "xcb":  # a screen in memory has a clipboard of its own
        assert QGuiApplication.clipboard().text() == told
        return
    other = subprocess.Popen([sys.executable, "-c", PASTING], stdout=subprocess.PIPE, text=True)
    qtbot.waitUntil(lambda: other.poll() is not None, timeout=30_000)
    assert other.communicate()[0].split() == [str(len(told)), str(zlib.crc32(told.encode()))]


def runner(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, str(RUNNER), *command]
    return subprocess.run(
        arguments, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("ci", "told"), [("true", (1, "")), ("", (0, "offscreen\n"))])
def test_without_a_screen_server_ci_fails_and_others_run_offscreen(
    ci: str, told: tuple[int, str]
) -> None:
    program = "import os; print(os.environ['QT_QPA_PLATFORM'])"
    done = runner(
        "--", sys.executable, "-c", program, PATH="/nowhere", CI=ci, QT_QPA_PLATFORM="xcb"
    )
    assert (done.returncode, done.stdout) == told
    assert done.stderr == "Not run in a real window: Xvfb and openbox not installed.\n"


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed")
@pytest.mark.skipif(shutil.which("openbox") is None, reason="openbox is not installed")
def test_each_worker_has_a_screen_of_its_own() -> None:
    program = "import os; print(os.environ['DISPLAY'], os.environ['REAL_WINDOW_DISPLAYS'])"
    done = runner("--screens=2", "--", sys.executable, "-c", program)
    display, *displays = done.stdout.split()
    assert len(set(displays)) == 2
    assert display in displays


def test_the_runner_needs_a_command() -> None:
    done = runner("--")
    assert done.returncode == 2
    assert done.stderr.startswith("usage:")
