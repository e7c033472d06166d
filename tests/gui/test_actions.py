"""An action is one record: the window, the menus and the step bar are built from the records alone."""

from __future__ import annotations

from collections import Counter

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton
from pytestqt.qtbot import QtBot

from core.storage.examples import EXAMPLES, load_example
from gui.app.actions import Action, Submenu
from gui.app.application import action_records
from gui.app.main_window import MainWindow
from gui.session.session import Session
from gui.session.state import Preferences
from tests.gui.window_kit import all_actions


def window_with(qtbot: QtBot, *records: Action[MainWindow] | Submenu[MainWindow]) -> MainWindow:
    session = Session(load_example(EXAMPLES[0]), Preferences(), language="en")
    window = MainWindow(session, (*action_records(), *records))
    session.setParent(window)
    qtbot.addWidget(window, before_close_func=lambda _: session.undo_stack.setClean())
    window.show()
    return window


def test_one_record_makes_an_action(qtbot: QtBot) -> None:
    done: list[MainWindow] = []
    trial: Action[MainWindow] = Action(
        "trial",
        "&Trial",
        done.append,
        "experiment",
        ("Ctrl+Alt+J",),
        "mask",
        enabled=lambda w: w.session.state.document.h == 1,
        checked=lambda w: w.session.state.preferences.columns,
        line=True,
        toolbar=("switches", 9),
    )
    window = window_with(qtbot, trial)
    action = window.findChild(QAction, "trial")
    assert isinstance(action, QAction)
    entries = window.menus["experiment"].actions()
    assert entries[-1] is action
    assert entries[-2].isSeparator()
    assert (action.text(), action.toolTip()) == ("&Trial", "Trial (Ctrl+Alt+J)")
    assert action.shortcut() == QKeySequence("Ctrl+Alt+J")
    assert not action.icon().isNull()
    assert [b.defaultAction() for b in window.bar.findChildren(QToolButton)].count(action) == 1

    assert action.isEnabled()
    action.trigger()
    window.perform("trial")
    assert done == [window, window]
    assert not action.isChecked()
    window.session.set_preferences(columns=True)
    assert action.isChecked()
    window.perform("add_head")
    assert not action.isEnabled()
    action.trigger()
    assert len(done) == 2


def test_one_record_makes_a_menu_that_is_filled_when_it_opens(qtbot: QtBot) -> None:
    def fill(window: MainWindow, menu: QMenu) -> None:
        menu.addAction(f"{window.session.state.document.h} heads")

    last: Action[MainWindow] = Action("last", "Last", lambda w: None, "trials")
    window = window_with(qtbot, Submenu("trials", "Trials", "view", fill), last)
    menu = window.menus["trials"]
    assert menu.title() == "Trials"
    for heads in (1, 2):
        menu.aboutToShow.emit()
        assert [entry.text() for entry in menu.actions()] == [f"{heads} heads", "Last"]
        window.perform("add_head")


def test_ids_and_keys_are_given_once() -> None:
    records = action_records()
    assert [
        each for each, n in Counter(record.id for record in all_actions()).items() if n > 1
    ] == []
    keys = Counter(key for record in all_actions() for key in record.lesson_keys or record.keys)
    assert [key for key, times in keys.items() if times > 1] == []
    menus = {record.id for record in records if isinstance(record, Submenu)}
    assert {record.menu for record in records} - {""} <= menus


def test_every_record_is_an_action_of_the_window(qtbot: QtBot) -> None:
    window = window_with(qtbot)
    for record in all_actions():
        action = window.actions_[record.id]
        assert window.findChild(QAction, record.id) is action
        assert action.text(), record.id
        if record.menu:
            assert action in window.menus[record.menu].actions(), record.id
