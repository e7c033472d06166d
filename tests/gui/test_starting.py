"""A start imports plainly, collects nothing while it builds, and paints what stands still once."""

from __future__ import annotations

import builtins
import gc
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
from gui.app.startup import go_on_soon, lay_out, plain_imports, quick_start

ROOT = Path(__file__).resolve().parents[2]

# Opens the window as the command line does, and says which of the program's sources were read for it.
SOURCES_READ = """
import linecache, sys
from PySide6.QtWidgets import QApplication
from main import main
QApplication.exec = lambda *_: 0
sys.argv = ["main.py"]
linecache.clearcache()
main()
print(sum("gui/app/main_window" in name or "gui/views/stage/" in name for name in linecache.cache))
print(*sys.modules)
"""
# What a first picture does without: opened later, asked for later, or shown by none but a later state.
LATER = {
    "core.check.marking",
    "core.exchange.paste",
    "core.labs.lab",
    "gui.views.check.panel",
    "gui.views.code.panel",
    "gui.views.diagram.animation_painter",
    "gui.views.diagram.motion",
    "gui.widgets.forms",
    "gui.export.pictures",
    "gui.views.guide.window",
    "gui.views.heatmaps.view",
    "gui.labs.window",
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


def test_everything_is_painted_once(qtbot: QtBot, qapp: QApplication) -> None:
    window = build_window()
    qtbot.addWidget(window)
    paintings = Paintings(qapp)
    window.show()
    lay_out()
    for _ in range(20):
        qapp.processEvents()
    qapp.removeEventFilter(paintings)
    seen = {name.split()[0] for name in paintings.of}
    assert {
        "StageView",
        "DiagramView",
        "TimelineBar",
        "Preview",
        "StepBar",
        "QMenuBar",
        "QLabel",
    } <= seen
    again = {
        name: count
        for name, count in paintings.of.items()
        if count > 1 and not name.startswith("MainWindow")
    }
    assert not again


def test_a_start_reads_no_source_and_loads_what_its_first_picture_needs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SOURCES_READ], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    read, *loaded = done.stdout.split()
    assert read == "0"
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


def test_imports_are_plain_python_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        builtins, "__import__", builtins.__import__
    )  # back to PySide's after the test
    plain_imports()
    assert "feature" not in builtins.__import__.__name__
    assert builtins.__import__("gui.app.startup").starting.plain_imports is plain_imports


def test_collections_wait_for_the_window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "__import__", builtins.__import__)
    monkeypatch.setattr("gui.app.startup.STARTED", 5)
    with quick_start():
        assert not gc.isenabled()
        parent = QObject()
        frozen = gc.get_freeze_count()
        go_on_soon(parent)
        assert gc.get_freeze_count() > frozen
        assert not gc.isenabled()
        qtbot.waitUntil(gc.isenabled)
    assert gc.isenabled()


def test_collections_go_on_after_a_start_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "__import__", builtins.__import__)
    with pytest.raises(ValueError, match="refused"), quick_start():
        raise ValueError("refused")
    assert gc.isenabled()
