"""Exceptions that nobody foresaw: noted with versions, told once with two buttons, and the work goes on and is kept."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer, qWarning
from PySide6.QtGui import QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.base.errors import UserError
from core.document.edits import with_cell
from core.lesson import lesson
from core.storage import archive
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.errors import crash_report as log
from gui.errors.crash_report import LONGEST, CrashReport, make_crash_report
from gui.errors.error_dialog import ErrorReporter
from gui.errors.excepthook import ExceptionHooks
from gui.painting.pixmap_cache import PixmapCache
from gui.session.state import State
from gui.storage.recovery_store import copy_names, read_entry
from gui.texts.translation import use_language
from gui.views.diagram import picture
from gui.views.stage import view as stage_view
from gui.views.timeline import TimelineBar
from gui.widgets.worker import Worker
from tests.gui.test_lesson_panel import LessonAnswers

KEPT = "Your work is kept"


class Clock:
    """Seconds as a test sets them."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Ward:
    """A window under the hooks, as the program itself runs it; what is printed to the console is kept instead."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.window = build_window(language="en")
        qtbot.addWidget(self.window)
        self.answers = LessonAnswers()
        self.answers.saved = folder / "copy.attn.json"
        self.answers.answer = "discard"
        self.window.files.ask = self.answers
        self.window.resize(1280, 720)
        self.window.show()
        self.hooks = ExceptionHooks()
        self.clock = Clock()
        self.told: list[str] = []
        window = self.window
        telling = ErrorReporter(
            self.hooks, self._say, window.save_copies, window.recovery.save_now, window
        )
        telling.clock = self.clock
        self.telling = telling

    def _say(self, text: str, *offers: object) -> None:
        self.told.append(text)
        self.window.message_bar.warn(text, *offers)  # type: ignore[arg-type]

    @property
    def buttons(self) -> dict[str, QPushButton]:
        """The buttons of the banner."""
        return {
            b.text(): b for b in self.window.message_bar.findChildren(QPushButton) if b.isVisible()
        }

    def wait(self, times: int = 1) -> None:
        """Until so many sentences were told."""
        self.qtbot.waitUntil(lambda: len(self.told) >= times)

    def logged(self) -> str:
        """All that is noted."""
        return log.log_file().read_text(encoding="utf-8") if log.log_file().exists() else ""


@pytest.fixture
def ward(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ward]:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    found = Ward(qtbot, tmp_path)
    before = sys.excepthook, threading.excepthook
    sys.excepthook, threading.excepthook = sys.__excepthook__, threading.__excepthook__
    found.hooks.install()
    yield found
    found.hooks.remove()
    sys.excepthook, threading.excepthook = before
    found.telling.deleteLater()


def edit(window: MainWindow, value: float = 7.5) -> None:
    window.session.change(with_cell, Cell("Q", 0, 0), value, text="Edit")


def recovered(window: MainWindow) -> float:
    """The number that the edit has changed, as the recovery file has it."""
    names = copy_names()
    assert len(names) == 1
    entry = read_entry(names[0])
    assert entry is not None
    assert entry.document is not None
    array = entry.document.tensor("Q")
    assert array is not None
    return float(array[0, 0])


class Broken(QWidget):
    """Cannot paint itself."""

    def paintEvent(self, event: QPaintEvent) -> None:
        raise ZeroDivisionError("in a paint event")


def test_an_exception_in_a_slot_is_told_noted_and_the_work_is_kept(ward: Ward) -> None:
    edit(ward.window)
    ward.window.actions_["about"].triggered.connect(_fail)
    ward.window.actions_["about"].triggered.emit()
    ward.wait()
    assert KEPT in ward.told[0]
    assert list(ward.buttons) == ["Save a copy", "Copy report"]
    assert recovered(ward.window) == 7.5
    noted = ward.logged()
    assert "KeyError: 'in a slot'" in noted
    assert all(name in noted for name in ("Attention Stepper", "Python 3.", "Qt 6.", "numpy"))
    ward.window.perform("stage_forward")
    assert ward.window.session.state.cursor.stage == "K"
    ward.window.perform("about")
    for dialog in ward.window.findChildren(QWidget, "dialog"):
        dialog.close()


def _fail() -> None:
    raise KeyError("in a slot")


def test_an_exception_in_a_paint_event(ward: Ward) -> None:
    broken = Broken(ward.window)
    broken.resize(50, 50)
    broken.show()
    ward.wait()
    broken.hide()
    broken.setParent(None)
    broken.deleteLater()
    assert "in a paint event" in ward.logged()
    assert ward.told == [ward.told[0]]


@pytest.mark.parametrize(
    ("room", "method"),
    [
        (TimelineBar, "_paint_line"),
        (stage_view, "paint_scene"),
        (picture, "paint_card"),
        (PixmapCache, "find"),
    ],
    ids=["timeline", "stage", "diagram", "any pixmap"],
)
def test_what_fails_in_the_middle_of_painting_leaves_no_painter_at_work(
    ward: Ward, room: object, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A painter that is still at work when Qt takes its window's ground away is the end of the program."""
    with monkeypatch.context() as broken:
        broken.setattr(room, method, _fail_painting)
        ward.window.perform("stage_forward")
        for more in range(5):
            ward.window.resize(1280 + 20 * more, 720 + 10 * more)
            ward.qtbot.wait(1)
        ward.wait()
    assert "in the middle of painting" in ward.logged()
    assert "active painter" not in ward.logged()
    ward.window.resize(1280, 720)
    assert not ward.window.grab().isNull()
    assert ward.told == [ward.told[0]]


def _fail_painting(*_args: object) -> None:
    raise ZeroDivisionError("in the middle of painting")


def test_an_exception_in_a_timer_is_told_once_and_again_after_a_minute(ward: Ward) -> None:
    timer = QTimer(ward.window, interval=0)
    heard: list[object] = []
    ward.hooks.heard.connect(heard.append)
    timer.timeout.connect(_fail)
    timer.start()
    ward.qtbot.waitUntil(lambda: len(heard) >= 100)
    assert len(ward.told) == 1
    ward.clock.now += 61
    ward.wait(2)
    timer.stop()
    assert len(ward.told) == 2
    noted = ward.logged()
    assert noted.count("Traceback") == 1
    assert "for the 10th time: KeyError" in noted
    assert "for the 100th time: KeyError" in noted


def test_an_exception_in_a_thread_is_told_by_the_window(ward: Ward) -> None:
    edit(ward.window)
    thread = threading.Thread(target=_fail, name="far away")
    thread.start()
    thread.join()
    ward.wait()
    assert "thread far away" in ward.logged()
    assert recovered(ward.window) == 7.5


def test_an_exception_of_work_beside_the_window(ward: Ward) -> None:
    background = Worker(ward.window)
    problems: list[UserError] = []
    background.failed.connect(problems.append)
    background.start(_fail)
    ward.wait()
    assert "in a slot" in ward.logged()
    assert not background.busy
    assert [problem.code for problem in problems] == [
        "unforeseen"
    ]  # who waits for it waits no longer


def test_an_exception_in_an_export(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    from gui.dialogs.export import ExportDialog

    def refuse(*_given: object) -> None:
        raise RuntimeError("in an export")

    monkeypatch.setattr(ExportDialog, "__init__", refuse)
    ward.window.actions_["export_picture"].trigger()
    ward.wait()
    assert "in an export" in ward.logged()


def test_one_view_that_fails_stops_no_other_and_shows_what_it_missed(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, told = ward.window, []

    def fail(old: State | None, new: State) -> None:
        raise ValueError("in a view")

    def heed(old: State | None, new: State) -> None:
        told.append((old, new))

    first = window.session.state
    monkeypatch.setattr(window.stage, "show_state", fail)
    window.session.step(1)
    ward.wait()
    assert window.tables.isVisible()
    monkeypatch.setattr(window.stage, "show_state", heed)
    window.session.step(1)
    assert told == [(first, window.session.state)]
    window.session.step(1)
    assert told[1][0] is told[0][1]


def test_save_a_copy_writes_the_work_and_leaves_what_is_open(ward: Ward, tmp_path: Path) -> None:
    edit(ward.window)
    sys.excepthook(ValueError, ValueError("x"), None)
    ward.wait()
    ward.buttons["Save a copy"].click()
    assert archive.dumps(archive.load(tmp_path / "copy.attn.json")) == archive.dumps(
        ward.window.session.state.document
    )
    assert ward.window.session.state.path is None
    assert ward.window.session.state.dirty
    assert not ward.window.message_bar.isVisible()


def test_save_a_copy_of_a_lesson_with_changes(ward: Ward, tmp_path: Path) -> None:
    ward.window.session.lesson_player.new()
    ward.window.perform("add_scene")
    ward.answers.saved = tmp_path / "copy.lesson.json"
    sys.excepthook(ValueError, ValueError("x"), None)
    ward.wait()
    ward.buttons["Save a copy"].click()
    assert len(lesson.load(tmp_path / "copy.lesson.json").scenes) == 1
    assert ward.window.session.state.lesson_dirty


def test_copy_report_has_versions_and_traceback(ward: Ward) -> None:
    try:
        _fail()
    except KeyError:
        sys.excepthook(*sys.exc_info())
    ward.wait()
    ward.buttons["Copy report"].click()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("Attention Stepper ")
    assert "errors.log" in text
    assert 'raise KeyError("in a slot")' in text


def test_what_cannot_be_kept_is_said(ward: Ward, home: Path) -> None:
    (home / "recovery").write_text("a file where the folder should be")
    edit(ward.window)
    sys.excepthook(ValueError, ValueError("x"), None)
    ward.wait()
    assert "could not be kept" in ward.told[0]


def test_it_is_told_in_chinese(ward: Ward) -> None:
    ward.window.session.set_language("zh_CN")
    sys.excepthook(ValueError, ValueError("x"), None)
    ward.wait()
    assert "意外错误" in ward.told[0]
    assert list(ward.buttons) == ["另存副本", "复制错误报告"]
    use_language("en")


@pytest.mark.qt_log_ignore("Qt complains")
def test_complaints_of_qt_are_noted_once_and_not_told(ward: Ward) -> None:
    for _ in range(3):
        qWarning("Qt complains")
    assert ward.logged().count("Qt complains") == 1
    assert ward.told == []


def test_a_mishap_while_one_is_told_ends_in_no_circle(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ward.window.message_bar, "warn", _fail)
    sys.excepthook(ValueError, ValueError("first"), None)
    ward.wait(2)  # the second one is of the banner
    ward.qtbot.wait(20)
    assert len(ward.told) == 2
    assert "first" in ward.logged()


def test_what_ends_the_program_on_purpose_is_no_mishap(
    ward: Ward, capsys: pytest.CaptureFixture[str]
) -> None:
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    ward.qtbot.wait(20)
    assert ward.told == []
    assert "KeyboardInterrupt" in capsys.readouterr().err


def test_the_log_is_bounded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "LARGEST", 1000)
    noting = log.Log()
    for number in range(40):
        noting.note(CrashReport("ValueError", f"file.py:{number}", f"number {number} " + "x" * 300))
    files = sorted(path.name for path in (home / "log").iterdir())
    assert files == ["errors.1.log", "errors.2.log", "errors.3.log", "errors.log"]
    assert all(path.stat().st_size < 2000 for path in (home / "log").iterdir())
    assert "number 39" in log.log_file().read_text(encoding="utf-8")


def test_a_folder_that_refuses_is_no_mishap(home: Path) -> None:
    (home / "log").write_text("a file where the folder should be")
    log.Log().note(make_crash_report(ValueError, ValueError("x"), None))
    assert (home / "log").read_text() == "a file where the folder should be"


def test_endless_and_silent_exceptions_have_a_text() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert "Mute" in make_crash_report(Mute, Mute(), None).text
    assert len(make_crash_report(ValueError, ValueError("x" * 100_000), None).text) <= LONGEST + 3


def test_nothing_stays_in_force(ward: Ward) -> None:
    ward.hooks.remove()
    assert sys.excepthook is sys.__excepthook__
    assert threading.excepthook is threading.__excepthook__
    ward.hooks.remove()
