"""What every test gets: no screen unless one was chosen, a home of its own, and a look at what it left behind."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as main.py, before NumPy is imported
os.environ.setdefault("ATTENTION_STEPPER_MOTION", "on")  # however this system is set
os.environ.setdefault(
    "QT_QPA_PLATFORM", "offscreen"
)  # before Qt is imported; tools/real_window.py chooses another
if displays := os.environ.get("REAL_WINDOW_DISPLAYS", "").split():  # one for each worker
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    os.environ["DISPLAY"] = displays[worker % len(displays)]

WORKED = Path(__file__).parent / "golden" / "worked"
CASE_NAMES = sorted(path.stem for path in WORKED.glob("*.json"))

settings.register_profile("project", deadline=None, print_blob=True)  # tests never measure time
settings.load_profile("project")

failed = pytest.StashKey[bool]()


def read_case(name: str) -> dict[str, Any]:
    case: dict[str, Any] = json.loads((WORKED / f"{name}.json").read_text(encoding="utf-8"))
    return case


@pytest.fixture
def cases() -> dict[str, dict[str, Any]]:
    """All worked examples of tests/golden/worked, by file name without its ending."""
    return {name: read_case(name) for name in CASE_NAMES}


@pytest.fixture(params=CASE_NAMES)
def case(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Each worked example in turn."""
    return read_case(request.param)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Preferences, recovery files and logs of this test alone, in an empty folder."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("ATTENTION_STEPPER_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def qapp(qapp: Any) -> Any:
    """Write in the shipped fonts from the start, whatever is installed."""
    from gui.painting.theme import BODY, font

    qapp.setFont(font(BODY))
    return qapp


@pytest.fixture(autouse=True)
def english() -> None:
    """Start in English alone, whatever the test before has chosen, and without asking which characters fonts have."""
    if language := sys.modules.get("gui.texts.translation"):
        language.use_language("en")
        language.use_labels("one")
    if glyphs := sys.modules.get("gui.texts.glyphs"):
        glyphs.use_glyphs()


@pytest.fixture(autouse=True)
def usual_text() -> None:
    """Start at a text size of 100 % in light colours, whatever windows of the test before have chosen."""
    if text_size := sys.modules.get("gui.painting.text_size"):
        text_size.use_percent(100)
    theme, widgets = sys.modules.get("gui.painting.theme"), sys.modules.get("PySide6.QtWidgets")
    app = widgets.QApplication.instance() if theme and widgets else None
    fonts = sys.modules.get("gui.painting.fonts")
    if theme and fonts and app and fonts.use_family(""):
        theme.apply(app, "light")
    if theme and app and app.property(theme.STYLED):
        window = app.palette().window().color().name()
        if (app.font().pixelSize(), window) != (theme.BODY, theme.LIGHT.window.lower()):
            theme.apply(app, "light")


@pytest.fixture(autouse=True)
def no_button_pressed() -> None:
    """Start with no button of the mouse pressed: QTest's double click of a widget leaves it so, and panels ask."""
    widgets = sys.modules.get("PySide6.QtWidgets")
    if (
        widgets
        and widgets.QApplication.instance()
        and (pressed := widgets.QApplication.mouseButtons())
    ):
        from PySide6.QtTest import QTest

        QTest.mouseRelease(widgets.QWidget(), pressed)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[failed] = item.stash.get(failed, False) or report.failed
    return report


def top_level_widgets() -> dict[int, str]:
    """Return the live top-level widgets, as address and description; their Python objects are not kept alive."""
    from PySide6.QtWidgets import QApplication
    from shiboken6 import getCppPointer

    widgets = QApplication.topLevelWidgets()
    return {
        getCppPointer(w)[0]: f"{type(w).__name__} {w.objectName() or w.windowTitle()!r}"
        for w in widgets
    }


def moving() -> list[str]:
    """Return the animations that run and the timers that tick."""
    from PySide6.QtCore import QAbstractAnimation, QObject, QTimeLine, QTimer
    from shiboken6 import isValid

    # The class is asked, not isinstance(): lazy proxies among these objects would wake up.
    objects = [o for o in gc.get_objects() if issubclass(type(o), QObject) and isValid(o)]
    found: list[QObject] = [o for o in objects if isinstance(o, QTimer) and o.isActive()]
    found += [
        o
        for o in objects
        if isinstance(o, QAbstractAnimation) and o.state() is QAbstractAnimation.State.Running
    ]
    found += [
        o for o in objects if isinstance(o, QTimeLine) and o.state() is QTimeLine.State.Running
    ]
    return [f"{type(o).__name__} {o.objectName()!r}" for o in found]


def settle() -> None:
    """Let what was closed go: deferred deletions, then Python's cycles, which may defer more of them."""
    from PySide6.QtCore import QCoreApplication, QEvent

    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QCoreApplication.processEvents()
        gc.collect()


@pytest.fixture(autouse=True, scope="module")
def quick_collections() -> None:
    """Let collections look only at what this module's tests make: what was there before outlives them anyway."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Generator[None]:
    """Fail a test that leaves a top-level widget alive, an animation running or a timer ticking."""
    uses_qt = "qapp" in request.fixturenames
    before = top_level_widgets() if uses_qt and "PySide6.QtWidgets" in sys.modules else {}
    yield
    if not uses_qt or request.node.stash.get(
        failed, False
    ):  # a failed test's traceback keeps its widgets alive
        return
    settle()
    left = [text for address, text in top_level_widgets().items() if address not in before]
    assert not left, f"top-level widgets left alive: {left}"
    still = moving()
    assert not still, f"left running: {still}"
