"""An exception of C code in a function that Qt calls ends nothing. In a process of its own: unguarded, it may end."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
import numpy as np
from PySide6.QtWidgets import QApplication, QWidget
from gui.errors.excepthook import guard_overrides

def fail():
    {deed}

class Before(QWidget):
    def showEvent(self, event):
        fail()

guard_overrides()
guard_overrides()

class After(Before):
    def hideEvent(self, event):
        fail()

app = QApplication([])
told = []
for widget in (Before(), After()):
    for way in (widget.show, widget.hide):
        try:
            way()
        except Exception as error:
            told.append(type(error).__name__)
print(told)
"""


@pytest.mark.parametrize(
    ("deed", "name"),
    [
        ("[][6]", "IndexError"),
        ("np.zeros(3)[6]", "IndexError"),
        ("1 / 0", "ZeroDivisionError"),
        ('int("x")', "ValueError"),
        ("raise RuntimeError", "RuntimeError"),
    ],
)
def test_it_is_told_as_every_other(deed: str, name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(deed=deed)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout.strip()) == (0, str([name] * 3)), done.stderr
