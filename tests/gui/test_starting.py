"""A start loads only what its first picture needs, and paints every widget once."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from gui.app.application import build_window

ROOT = Path(__file__).resolve().parents[2]

# Opens the window as the command line does, and prints the modules that are loaded.
LOADED = """
import sys
from PySide6.QtWidgets import QApplication
from main import main
QApplication.exec = lambda *_: 0
sys.argv = ["main.py"]
main()
print(*sys.modules)
"""
# What a first picture does without: opened later, asked for later, or shown by none but a later state.
LATER = {
    "core.check.marking",
    "core.exchange.exporters",
    "core.exchange.readers.find",
    "gui.views.check.panel",
    "gui.views.code.panel",
    "gui.views.diagram.animation_painter",
    "gui.views.diagram.motion",
    "gui.widgets.forms",
    "gui.export.pictures",
    "gui.views.guide.window",
    "gui.views.heatmaps.view",
    "gui.labs.window",
    "gui.presentation.slide",
    "gui.views.lesson.panel",
    "gui.export.worksheets.files",
    "gui.texts.latex",
    "gui.views.tables.clipboard",
    "importlib.metadata",
    "openpyxl",
    "pptx",
    "pyqtgraph",
    "ziamath",
}


class Paintings(QObject):
    """Counts what is painted, by class and name."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self.of: Counter[str] = Counter()
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() is QEvent.Type.Paint
            and isinstance(watched, QWidget)
            and not isinstance(watched, QTabBar)
        ):
            self.of[f"{type(watched).__name__} {watched.objectName()} {id(watched)}"] += 1
        return False


@pytest.mark.parametrize("start_page", [False, True])
def test_everything_is_painted_once(start_page: bool, qtbot: QtBot, qapp: QApplication) -> None:
    window = build_window()
    qtbot.addWidget(window)
    paintings = Paintings(qapp)
    if start_page:
        window.start_page.show()
    window.show()
    for _ in range(20):
        qapp.processEvents()
    qapp.removeEventFilter(paintings)
    seen = {name.split()[0] for name in paintings.of}
    views = {"StageView", "DiagramView", "TimelineBar", "HeatmapPreview", "StepBar"}
    shown = {"StartPage", "LessonPicture"} if start_page else views
    assert shown | {"QMenuBar", "QLabel"} <= seen
    again = {
        name: count
        for name, count in paintings.of.items()
        if count > 1 and not name.startswith("MainWindow")
    }
    assert not again


def test_a_start_loads_what_its_first_picture_needs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert {
        "gui.app.main_window",
        "gui.views.stage.view",
        "gui.views.diagram.view",
        "gui.views.heatmaps.panel",
    } <= set(loaded)
    assert LATER & set(loaded) == set()


@pytest.mark.parametrize("name", sorted(LATER))
def test_what_is_loaded_later_is_there(name: str) -> None:
    assert importlib.util.find_spec(name) is not None


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="memory as Linux tells it")
def test_no_array_asks_for_huge_pages() -> None:
    """Areas that Linux may fill up in pieces of 2 MB are marked "hg"; they stay so when the array is gone."""
    program = """
import main, sys
import numpy
array = numpy.ones(1 << 21)
marks = [line.split() for line in open("/proc/self/smaps") if line.startswith("VmFlags")]
sys.exit(any("hg" in mark for mark in marks))
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
