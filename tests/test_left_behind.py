"""The guard in conftest.py is real: a test that leaves something behind fails, a tidy one passes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

LEAKING = """
from functools import partial
from PySide6.QtCore import QTimer, QVariantAnimation
from PySide6.QtWidgets import QWidget

kept = []

def test_widget(qapp):
    kept.append(QWidget())

def test_animation(qapp):
    animation = QVariantAnimation(duration=100_000, startValue=0.0, endValue=1.0)
    animation.start()
    kept.append(animation)

def test_timer(qapp):
    timer = QTimer(interval=100_000)
    timer.start()
    kept.append(timer)
"""
TIDY = """
import os
from PySide6.QtCore import QVariantAnimation
from PySide6.QtWidgets import QLabel, QWidget

homes = set()

def test_window(qtbot):
    window = QWidget()
    QLabel("text", window)
    window.myself = window  # a cycle
    qtbot.addWidget(window)
    window.show()

def test_animation(qapp):
    QVariantAnimation(duration=100_000, startValue=0.0, endValue=1.0).start()

def test_home_one():
    homes.add(os.environ["ATTENTION_STEPPER_HOME"])

def test_home_two():
    homes.add(os.environ["ATTENTION_STEPPER_HOME"])
    assert len(homes) == 2 and not any(os.listdir(home) for home in homes)
"""


@pytest.fixture
def tests(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder of tests of its own under our conftest.py, run in a process of its own."""
    monkeypatch.setenv("QT_QPA_PLATFORM", os.environ["QT_QPA_PLATFORM"])
    root = Path(__file__).resolve().parent.parent
    pytester.makeini(f"[pytest]\nqt_api = pyside6\npythonpath = {root}\n")
    pytester.makeconftest((Path(__file__).parent / "conftest.py").read_text(encoding="utf-8"))
    return pytester


def test_leaks_fail(tests: pytest.Pytester) -> None:
    tests.makepyfile(LEAKING)
    result = tests.runpytest_subprocess()
    result.assert_outcomes(passed=3, errors=3)
    result.stdout.fnmatch_lines(
        [
            "*top-level widgets left alive: *QWidget*",
            "*left running: *QVariantAnimation*",
            "*left running: *QTimer*",
        ]
    )


def test_tidy_tests_pass(tests: pytest.Pytester) -> None:
    tests.makepyfile(TIDY)
    tests.runpytest_subprocess().assert_outcomes(passed=4)
