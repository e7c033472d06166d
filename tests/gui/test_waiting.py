"""What takes long is done beside the window: it answers meanwhile, nothing typed is lost, and it can be given up."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QDateTime, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QProgressBar, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from core.base.arrays import frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.compute import trace as memory
from core.compute.trace import Watch, run
from core.document.document import Document
from core.document.edits import with_cell
from core.storage import archive
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.session import trace_runner as running
from gui.storage.recovery_store import Entry
from gui.texts.errors import error_message
from gui.texts.translation import tr, use_language
from gui.widgets import progress as waiting
from gui.widgets.progress import ProgressDialog
from tests.core.documents import make

LONG = 60.0  # seconds, longer than any test waits, also on a machine that is busy with other things


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = build_window(language="en", theme_name="light")
    qtbot.addWidget(window, before_close_func=lambda window: window.session.undo_stack.setClean())
    window.session.open_document(make(4, output=True))
    window.show()
    qtbot.waitExposed(window)
    return window


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every experiment is one that is computed beside the window."""
    monkeypatch.setattr(running, "LARGE", 1)


def dialogs() -> list[ProgressDialog]:
    return [
        top
        for top in QApplication.topLevelWidgets()
        if isinstance(top, ProgressDialog) and top.isVisible()
    ]


def when_waiting(act: Callable[[ProgressDialog], object]) -> QTimer:
    """Does something once the bar is there."""
    timer = QTimer(interval=10)

    def look() -> None:
        if (found := dialogs()) and found[0].isActiveWindow():
            timer.stop()
            act(found[0])

    timer.timeout.connect(look)
    timer.start()
    return timer


def press_cancel(dialog: ProgressDialog) -> None:
    (button,) = dialog.findChildren(QPushButton)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


class Held:
    """Work that goes on until it is let go, and says how far it is."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.ended: list[str] = []

    def __call__(self, watch: Watch) -> int:
        try:
            for done in range(int(LONG / 0.01)):
                watch(min(done, 6), 8)
                if self.go.wait(0.01):
                    return 42
        except UserError as problem:
            self.ended.append(problem.code)
            raise
        raise AssertionError("nobody let it go")


def test_what_is_quick_shows_no_bar(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        waiting, "PATIENCE", LONG
    )  # quick is what ends within it, however busy this machine is
    seen: list[object] = []
    timer = when_waiting(seen.append)
    assert window.session.trace_runner.run_blocking(lambda _watch: 7, "Computing…") == 7
    timer.stop()
    assert seen == []


def test_the_windows_thread_soon_gets_its_turn(window: MainWindow) -> None:
    """With Python's own 5 ms each call of a painting would wait as long for what is worked out beside it."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.005)
    try:
        found = window.session.trace_runner.run_blocking(
            lambda _watch: sys.getswitchinterval(), "Computing…"
        )
    finally:
        sys.setswitchinterval(before)
    assert found <= 0.001


def test_a_bar_says_how_far_it_is_and_goes(window: MainWindow) -> None:
    held, seen = Held(), []

    def look(dialog: ProgressDialog) -> None:
        def note() -> None:
            (bar,) = dialog.findChildren(QProgressBar)
            if bar.value() == 6:
                seen.append((dialog.text, bar.maximum(), dialog.isModal()))
                held.go.set()
                ticks.stop()

        ticks.timeout.connect(note)
        ticks.start()

    ticks = QTimer(interval=10)
    timer = when_waiting(look)
    assert window.session.trace_runner.run_blocking(held, "Computing…") == 42
    timer.stop()
    assert seen == [("Computing…", 8, True)]
    assert dialogs() == []


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_bar_is_a_dialog_of_the_house(window: MainWindow, language: str, theme: str) -> None:
    """Margins, the words as a heading, all of it seen; more is said without a change of its width."""
    use_language(language)
    window.session.set_preferences(theme=theme)
    dialog = ProgressDialog(tr("Computing…"), window, Qt.WindowModality.WindowModal)
    told: list[bool] = []
    dialog.canceled.connect(partial(told.append, True))
    dialog.set_progress(3, 4)
    dialog.show()
    before = dialog.size()
    (button,) = dialog.findChildren(QPushButton)
    for part in (dialog.bar, button):
        place = part.geometry().translated(part.parentWidget().mapTo(dialog, QPoint()))
        assert dialog.rect().adjusted(20, 20, -20, -20).contains(place)
    assert (dialog.text, dialog.bar.value(), dialog.bar.maximum()) == (tr("Computing…"), 3, 4)
    dialog.add_note(tr("Typing is ignored until this is done; press Esc to stop."))
    QApplication.processEvents()
    assert dialog.width() == before.width()
    assert dialog.height() > before.height()
    assert told == []
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert told == [True]
    dialog.deleteLater()


@pytest.mark.parametrize("how", ["click", "Escape"])
def test_it_can_be_given_up_and_the_work_ends_too(
    window: MainWindow, qtbot: QtBot, how: str
) -> None:
    held = Held()
    escape = lambda dialog: QTest.keyClick(dialog, Qt.Key.Key_Escape)  # noqa: E731
    timer = when_waiting(press_cancel if how == "click" else escape)
    with pytest.raises(UserError) as problem:
        window.session.trace_runner.run_blocking(held, "Computing…")
    timer.stop()
    assert problem.value.code == "given_up"
    qtbot.waitUntil(lambda: held.ended == ["given_up"])
    assert dialogs() == []


def test_a_problem_of_the_work_is_that_of_who_waits(window: MainWindow) -> None:
    def fail(_watch: Watch) -> object:
        raise UserError("memory")

    with pytest.raises(UserError) as problem:
        window.session.trace_runner.run_blocking(fail, "Computing…")
    assert problem.value.code == "memory"
    assert window.session.trace_runner.run_blocking(lambda _watch: 3, "Computing…") == 3, (
        "the next one is not held up"
    )


def test_only_one_work_at_a_time(window: MainWindow) -> None:
    held, codes = Held(), []

    def another() -> None:
        try:
            window.session.trace_runner.run_blocking(lambda _watch: 1, "Computing…")
        except UserError as problem:
            codes.append(problem.code)
        held.go.set()

    QTimer.singleShot(60, another)
    assert window.session.trace_runner.run_blocking(held, "Computing…") == 42
    assert codes == ["busy"]


def test_an_edit_that_is_given_up_changes_nothing(
    window: MainWindow, qtbot: QtBot, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, told = window.session, []
    session.failed.connect(told.append)
    before = session.state
    timer = _slow(monkeypatch, press_cancel)
    assert not session.change(with_cell, Cell("X", 0, 0), 9.0, text="Edit")
    timer.stop()
    assert session.state is before
    assert session.undo_stack.count() == 0
    assert [problem.code for problem in told] == ["given_up"]
    assert window.message_bar.toast.accessibleName() == error_message(told[0])


def test_an_undo_that_is_given_up_leaves_the_stack_where_it_is(
    window: MainWindow, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = window.session
    assert session.change(with_cell, Cell("X", 0, 0), 9.0, text="Edit")
    edited = session.state.document
    timer = _slow(monkeypatch, press_cancel)
    window.perform("undo")
    timer.stop()
    assert session.state.document is edited
    assert session.undo_stack.index() == 1
    assert session.state.dirty
    monkeypatch.undo()
    window.perform("undo")
    assert session.state.document is not edited
    assert session.undo_stack.index() == 0
    window.perform("redo")
    assert session.state.document is edited


def test_a_file_that_is_given_up_leaves_what_is_open(
    window: MainWindow, large: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "other.attn.json"
    archive.save(make(3), path)
    before = window.session.state
    timer = _slow(monkeypatch, press_cancel)
    assert not window.files.open(path)
    timer.stop()
    assert window.session.state is before


def test_a_small_file_opens_without_a_bar_and_one_that_comes_slowly_can_be_given_up(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """How long a disk takes, the length of a file does not tell."""
    path, seen = tmp_path / "other.attn.json", []
    archive.save(make(3), path)
    timer = when_waiting(seen.append)
    with monkeypatch.context() as quick:
        quick.setattr(waiting, "PATIENCE", LONG)
        assert window.files.open(path)
    timer.stop()
    assert seen == []
    go, before = threading.Event(), window.session.state
    monkeypatch.setattr(archive, "load", lambda _path: make(5) if go.wait(LONG) else None)

    def give_up(dialog: ProgressDialog) -> None:
        seen.append(dialog.text)
        press_cancel(dialog)

    timer = when_waiting(give_up)
    assert not window.files.open(path)
    timer.stop()
    go.set()
    assert seen == ["Opening…"]
    assert window.session.state is before


def test_what_is_computed_beside_the_window_is_the_same(window: MainWindow, large: None) -> None:
    session = window.session
    document = make(5, positional="rotary", mask="causal", output=True)
    session.open_document(document)
    _same(session.state.trace, run(document))
    assert session.change(with_cell, Cell("X", 1, 0), 0.75, text="Edit")
    _same(session.state.trace, run(session.state.document))


def test_a_large_experiment_leaves_the_window_alive(window: MainWindow) -> None:
    """Its real size: a timer of the window goes on ticking while it is computed."""
    ticks: list[int] = []
    many = threading.Event()

    def tick() -> None:
        ticks.append(1)
        if len(ticks) > 5:
            many.set()

    timer = QTimer(interval=5)
    timer.timeout.connect(tick)
    document = _of_size(window.session.state.document, n=700)
    assert document.h * document.n * document.m >= running.LARGE
    work = window.session.trace_runner.wait
    during: list[int] = []

    def counted(*args: Any) -> Any:
        ticks.clear()
        many.clear()
        result = work(*args)
        during.append(len(ticks))
        return result

    window.session.trace_runner.wait = counted
    timer.start()
    plain = running.run

    def unhurried(*args: Any) -> Any:
        many.wait(LONG)
        return plain(*args)

    running.run, restore = unhurried, plain  # type: ignore[assignment]
    try:
        window.session.open_document(document)
    finally:
        running.run = restore
    timer.stop()
    assert during[0] > 5
    assert window.session.state.document is document


def test_what_does_not_fit_into_memory_is_refused_before(
    window: MainWindow, large: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 8000000 kB\nMemAvailable:    2048 kB\n", encoding="ascii")
    monkeypatch.setattr(memory, "MEMINFO", meminfo)
    monkeypatch.setattr(memory, "LEAST_CHECKED", 0)
    before, told = window.session.state, []
    window.session.failed.connect(told.append)
    document = _of_size(before.document, n=400)
    assert memory.trace_bytes(document) == sum(
        array.nbytes for array in run(document).arrays.values()
    )
    assert not window.session.attempt(lambda: window.session.open_document(document))
    assert window.session.state is before
    assert [(problem.code, problem.data["available"]) for problem in told] == [("memory.short", 2)]
    meminfo.unlink()
    assert memory.available_memory() is None, "a system that does not tell refuses nothing"
    assert window.session.attempt(lambda: window.session.open_document(document))


def _slow(monkeypatch: pytest.MonkeyPatch, act: Callable[[ProgressDialog], object]) -> QTimer:
    """Every run takes until it is given up."""

    def endless(_document: Document, _previous: object, watch: Watch | None = None) -> object:
        assert watch is not None
        for _ in range(int(LONG / 0.01)):
            watch(1, 9)
            threading.Event().wait(0.01)
        raise AssertionError("nobody gave it up")

    monkeypatch.setattr(running, "run", endless)
    return when_waiting(act)


def _same(trace: Any, expected: Any) -> None:
    assert list(trace) == list(expected)
    for stage in expected:
        np.testing.assert_array_equal(trace[stage], expected[stage])


def _of_size(document: Document, n: int) -> Document:
    random = np.random.default_rng(3)
    tokens = tuple(f"t{index}" for index in range(n))
    return document.with_(tokens=tokens, X=frozen(random.normal(size=(n, document.d))))


def test_a_save_that_is_given_up_leaves_the_file_as_it_was(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "kept.attn.json"
    archive.save(make(3), path)
    whole = path.read_bytes()
    go = threading.Event()
    monkeypatch.setattr(
        "gui.storage.experiment_files.dumps",
        lambda _document, _path: b"other" if go.wait(LONG) else b"",
    )
    window.files.ask.save_path = lambda _window, _suggestion: path  # type: ignore[method-assign]
    window.files.ask.overwrite = lambda _window, _name: True  # type: ignore[method-assign]
    timer = when_waiting(press_cancel)
    assert not window.files.save_as()
    timer.stop()
    go.set()
    assert path.read_bytes() == whole
    assert window.session.state.path is None
    assert window.files.save_as()
    assert path.read_bytes() == b"other"


def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run takes so long that the bar comes."""

    def slow(document: Document, previous: Any, watch: Watch | None = None) -> Any:
        threading.Event().wait(0.5)
        return run(document, previous, watch)

    monkeypatch.setattr(running, "run", slow)


def test_a_table_keeps_the_keyboard_while_its_numbers_are_computed(
    window: MainWindow, qtbot: QtBot, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.tables.show_table("X")
    window.docks["tables"].show()
    window.docks["tables"].raise_()
    view = window.tables.view
    window.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    view.setCurrentIndex(view.tensor_model.index(1, 1))
    unhurried(monkeypatch)
    for row, typed in ((1, "7"), (2, "8")):
        qtbot.keyClicks(QApplication.focusWidget(), typed)
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
        assert window.session.state.trace["X"][row, 1] == float(typed)
        qtbot.waitUntil(view.hasFocus)
    assert window.session.undo_stack.count() == 2


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Tab])
def test_typing_on_does_not_stop_it(window: MainWindow, key: Qt.Key) -> None:
    held = Held()

    def type_on(dialog: ProgressDialog) -> None:
        for _ in range(3):
            QTest.keyClick(QApplication.focusWidget() or dialog, key)
        QTest.keyClick(dialog, key)
        held.go.set()

    timer = when_waiting(type_on)
    assert window.session.trace_runner.run_blocking(held, "Computing…") == 42
    timer.stop()


def typed_before(monkeypatch: pytest.MonkeyPatch, window: MainWindow, *keys: Qt.Key) -> None:
    """Keys that the system holds for the window when the bar is about to come."""
    quietly = waiting._Wait._wait_quietly

    def type_on() -> None:
        for key in keys:
            QTest.keyClick(window.windowHandle(), key)

    def wait_quietly(waiter: waiting._Wait) -> None:
        quietly(waiter)
        QTimer.singleShot(0, type_on)

    monkeypatch.setattr(waiting._Wait, "_wait_quietly", wait_quietly)


def test_escape_typed_before_the_bar_stops_it_without_one(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, seen = Held(), list[object]()
    typed_before(monkeypatch, window, Qt.Key.Key_Right, Qt.Key.Key_Escape)
    before, timer = window.session.state, when_waiting(seen.append)
    with pytest.raises(UserError) as problem:
        window.session.trace_runner.run_blocking(held, "Computing…")
    timer.stop()
    assert problem.value.code == "given_up"
    assert seen == []
    assert window.session.state is before
    qtbot.waitUntil(lambda: held.ended == ["given_up"])


NOT_TAKEN = "Typing is ignored until this is done; press Esc to stop."


@pytest.mark.parametrize("when", ["before", "at the bar"])
def test_the_bar_says_that_keys_are_not_taken(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    held, labels, spoken = Held(), list[str](), list[str]()
    monkeypatch.setattr(waiting, "announce", lambda _widget, words: spoken.append(words))
    keys = (Qt.Key.Key_Shift, Qt.Key.Key_5, Qt.Key.Key_Right, Qt.Key.Key_Return)
    if when == "before":
        typed_before(monkeypatch, window, *keys)
    before = window.session.state

    def type_on(dialog: ProgressDialog) -> None:
        for key in keys if when != "before" else ():
            labels.append(dialog.text)
            QTest.keyClick(dialog, key)
        labels.append(dialog.text)
        held.go.set()

    timer = when_waiting(type_on)
    assert window.session.trace_runner.run_blocking(held, "Computing…") == 42
    timer.stop()
    assert labels[:2] == ["Computing…", "Computing…"] or when == "before"
    assert labels[-1] == f"Computing…\n{NOT_TAKEN}"
    assert spoken == [NOT_TAKEN]
    assert window.session.state is before


def test_nothing_is_said_where_nothing_was_typed(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, labels = Held(), list[str]()
    typed_before(monkeypatch, window, Qt.Key.Key_Control)

    def look(dialog: ProgressDialog) -> None:
        labels.append(dialog.text)
        held.go.set()

    timer = when_waiting(look)
    assert window.session.trace_runner.run_blocking(held, "Computing…") == 42
    timer.stop()
    assert labels == ["Computing…"]


def test_what_was_stopped_is_told_until_the_next_step(
    window: MainWindow, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    timer = _slow(monkeypatch, press_cancel)
    window.session.change(with_cell, Cell("X", 0, 0), 9.0, text="Edit")
    timer.stop()
    notice = window.message_bar.toast
    assert notice.isVisible()
    window.perform("stage_forward")
    assert not notice.isVisible()


@pytest.mark.parametrize("away", ["Escape", "button", "edit", "another"])
def test_what_was_stopped_is_told_over_the_window_and_moves_nothing(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, away: str
) -> None:
    spoken: list[str] = []
    monkeypatch.setattr("gui.app.message_bar.announce", lambda _widget, words: spoken.append(words))
    QApplication.processEvents()
    places = {
        widget: widget.geometry() for widget in window.findChildren(QWidget) if widget.isVisible()
    }
    window.session.failed.emit(UserError("given_up"))
    QApplication.processEvents()
    notice = window.message_bar.toast
    assert not window.message_bar.isVisible()
    assert {widget: widget.geometry() for widget in places} == places
    assert notice.isVisible()
    assert window.rect().contains(notice.geometry())
    assert spoken == [notice.accessibleName()] == [error_message(UserError("given_up"))]
    button = notice.findChild(QToolButton)
    assert isinstance(button, QToolButton)
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert button.accessibleName()
    window.resize(window.width() - 200, window.height() - 60)
    QApplication.processEvents()
    assert window.rect().contains(notice.geometry())
    if away == "Escape":
        button.setFocus()
        QTest.keyClick(button, Qt.Key.Key_Escape)
    elif away == "button":
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    elif away == "edit":
        window.session.change(with_cell, Cell("X", 0, 0), 9.0, text="Edit")
    else:
        window.message_bar.warn("Something else.")
        assert window.message_bar.isVisible()
    assert not notice.isVisible()


@pytest.mark.parametrize("percent", [100, 200])
def test_a_notice_in_a_narrow_window_breaks_its_line(window: MainWindow, percent: int) -> None:
    window.session.set_preferences(text_size=percent)
    window.resize(420, 500)
    QApplication.processEvents()
    notice = window.message_bar.toast
    notice.show_message("You stopped it; everything is as it was. " * 3)
    QApplication.processEvents()
    label = notice._text
    assert window.rect().contains(notice.geometry())
    assert label.height() >= label.heightForWidth(label.width())


def test_a_recovery_that_is_stopped_is_offered_again(
    window: MainWindow, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = Entry("other", make(3), None, QDateTime.currentDateTime())
    monkeypatch.setattr(window.recovery, "find_recovered", lambda: [entry])
    window.offer_recovery()
    restore = next(
        button
        for button in window.message_bar.findChildren(QPushButton)
        if button.text() == "Restore"
    )
    timer = _slow(monkeypatch, press_cancel)
    restore.click()
    timer.stop()
    assert window.message_bar.isVisible()
    assert "Restore" in [
        button.text()
        for button in window.message_bar.findChildren(QPushButton)
        if button.isVisible()
    ]
