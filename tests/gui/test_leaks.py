"""What must not grow while the program is used: connections, copies of icons, formulas that were typeset."""

from __future__ import annotations

import gc
import weakref
from collections import Counter, deque
from itertools import count

import pytest
from PySide6.QtCore import SIGNAL
from PySide6.QtGui import QAction, QIcon, QPixmap
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.compute.trace import Trace
from core.document.document import Document
from core.document.edits import with_cell
from core.storage.examples import EXAMPLES, load_example
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.painting import formulas, icons
from gui.session.session import Session
from gui.session.state import Preferences
from gui.widgets.buttons import ActionButton
from tests.gui.window_kit import all_actions

CHANGED = SIGNAL("changed()")
LARGEST_CACHE = 256  # entries of what is kept for a while


class TestActionButton:
    def test_it_listens_to_its_action_once_however_often_that_changes(self, qtbot: QtBot) -> None:
        action = QAction("forward")
        button = ActionButton(action)
        qtbot.addWidget(button)
        for number in range(50):
            action.setText(f"forward {number}")
        assert action.receivers(CHANGED) <= 1  # Qt's own button alone has 50
        assert button.text() == "forward 49"

    def test_it_does_as_its_action_says(self, qtbot: QtBot) -> None:
        action = QAction("forward")
        button = ActionButton(action)
        qtbot.addWidget(button)
        told: list[bool] = []
        action.triggered.connect(lambda on: told.append(on))
        action.setCheckable(True)
        for _ in range(3):
            action.setEnabled(not action.isEnabled())
        assert not button.isEnabled()
        action.setEnabled(True)
        button.click()
        assert told == [True]
        assert button.isChecked()
        action.setChecked(False)
        assert not button.isChecked()

    def test_the_bar_of_steps_listens_no_more_after_many_steps(self, qtbot: QtBot) -> None:
        window = build_window(language="en")
        qtbot.addWidget(window)
        actions = [window.actions_[each.id] for each in all_actions() if each.toolbar]
        _change_all(window.perform)
        before = [action.receivers(CHANGED) for action in actions]
        for _ in range(5):
            _change_all(window.perform)
        assert [action.receivers(CHANGED) for action in actions] == before


def _change_all(perform: object) -> None:
    assert callable(perform)
    for name in (
        "theme_dark",
        "language_zh_CN",
        "go_last",
        "go_first",
        "theme_light",
        "language_en",
    ):
        perform(name)


def test_copies_of_icons_go_with_qts(qtbot: QtBot) -> None:
    """A copy of an icon that is changed gets an engine of its own, which Qt deletes with it."""
    whole = icons.icon("play", "#000000")
    for _ in range(20):
        copy = QIcon(whole)
        copy.addPixmap(QPixmap(4, 4))
        del copy
    kept = QIcon(whole)
    kept.addPixmap(QPixmap(4, 4))
    assert len(icons._twins) <= 2
    assert not kept.pixmap(24, 24).isNull()


def test_formulas_are_kept_while_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Formulas hold numbers, of which there is no end."""
    typeset = count()
    monkeypatch.setattr(formulas, "typeset", lambda *_: b"<svg/>%d" % next(typeset))
    monkeypatch.setattr(formulas, "_known", {})
    first = formulas.formula_svg("x_0", "#000000", 1.0)
    assert formulas.formula_svg("x_0", "#000000", 1.0) == first
    for number in range(3 * formulas.MOST_KNOWN):
        formulas.formula_svg(f"x_{number}", "#000000", 1.0)
    assert len(formulas._known) == formulas.MOST_KNOWN
    assert formulas.is_ready(f"x_{3 * formulas.MOST_KNOWN - 1}", "#000000", 1.0)
    assert not formulas.is_ready("x_1", "#000000", 1.0)


def test_an_experiment_that_is_left_goes_with_its_undo_steps(qapp: object) -> None:
    session = Session(load_example(EXAMPLES[0]), Preferences())
    assert session.change(with_cell, Cell(session.state.document.inputs[0], 0, 0), 7.0, text="Edit")
    edited = weakref.ref(session.state.document)
    session.undo_stack.undo()
    session.undo_stack.redo()
    assert session.state.document is edited()
    session.open_document(load_example(EXAMPLES[1]))
    gc.collect()
    assert edited() is None


def test_lessons_that_are_left_go_with_all_that_was_computed_for_them(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = build_window(example=EXAMPLES[0], language="en")
    qtbot.addWidget(window)
    window.show()
    alive = []
    for _ in range(4):
        _read_lessons(window)
        qtbot.wait(1)
        gc.collect()
        alive.append(
            Counter(
                type(one).__name__ for one in gc.get_objects() if type(one) in (Trace, Document)
            )
        )
    assert alive[1:] == [alive[1]] * 3


def _read_lessons(window: MainWindow) -> None:
    """Each scene with its little picture."""
    for name in ("first-steps", "who-ate-whom"):
        window.lesson_files.open_shipped(name)
        model = window.lessons.model
        for row in range(model.rowCount()):
            resolved = model.resolved(row)
            assert resolved is not None
            assert model.trace(resolved.document) is not None
        while window.session.lesson_player.forward():
            pass
        window.session.lesson_player.close()
    window.session.open_document(load_example(EXAMPLES[0]))


def test_nothing_is_longer_after_as_many_steps_again(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No list, set or dictionary, of whatever object, keeps an entry of each step, edit or painting."""
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = build_window(example="eight-heads", language="en")
    qtbot.addWidget(window)
    window.resize(1280, 720)
    window.show()
    _step_and_paint(qtbot, window, 160)
    gc.collect()
    before = {
        id(one): (one, len(one))
        for one in gc.get_objects()
        if isinstance(one, (list, set, dict, deque))
    }
    _step_and_paint(qtbot, window, 160)
    longer = [
        repr(one)[:200]
        for one, many in before.values()
        if len(one) >= many + 50 and len(one) > LARGEST_CACHE
    ]
    window.session.undo_stack.setClean()  # nothing to ask about
    assert longer == []


def _step_and_paint(qtbot: QtBot, window: MainWindow, times: int) -> None:
    for number in range(times):
        window.session.change(
            with_cell, Cell("X", 0, 0), 0.1 + number / 1000, text="Edit", merge="one step of undo"
        )
        window.perform(
            ("stage_forward", "stage_forward", "stage_back")[number % 3]
            if number % 40
            else "go_first"
        )
        for view in window.findChildren(QWidget):
            view.update()
        qtbot.wait(1)
