"""Everything by keyboard: Tab reaches every control that can be seen and back, and where it stands can be seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from core.document.document import Mask, Positional, Scale
from core.document.edits import with_mask, with_positional, with_scale
from gui.app.main_window import MainWindow
from gui.dialogs.export import ExportDialog
from gui.dialogs.help import KeysDialog
from gui.dialogs.new import NewDialog
from gui.dialogs.preferences import PreferencesDialog
from gui.painting.theme import THEMES
from gui.views.tables.setup import PAGES
from tests.gui.window_kit import forget_changes, open_window

Reason = Qt.FocusReason


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = open_window(qtbot, "eight-heads", size=(1600, 950))
    window.session.go_to_stage("weights")
    settle()
    return window


def settle() -> None:
    for _ in range(4):
        QApplication.processEvents()


def scenes(window: MainWindow) -> Iterator[str]:
    """Each panel with each of its pages in front, set up so that every control is there."""
    change = window.session.change
    change(with_mask, Mask("window", 1, 1), text="Mask")
    change(with_positional, Positional("sinusoidal"), text="Positions")
    change(with_scale, Scale("factor", 0.5), text="Scale")
    window.docks["heatmap"].raise_()
    yield "heatmap"
    window.docks["tables"].raise_()
    for group, table in (
        ("given", "tokens"),
        ("given", "W_Q"),
        ("computed", "weights"),
        *(("setup", p) for p in PAGES),
    ):
        window.tables._group = group
        window.tables.show_page(table)
        yield table
    window.docks["code"].show()
    window.docks["code"].raise_()
    yield "code"
    window.docks["check"].raise_()
    window.session.answers.set_predicting(True)
    window.session.step(1)
    yield "check"
    window.session.answers.set_predicting(False)
    forget_changes(window)
    window.lesson_files.open_shipped("first-steps")
    window.docks["lesson"].show()
    window.docks["lesson"].raise_()
    yield "lesson"
    window.lessons._choose_part("words")
    yield "what is said"


def stops(root: QWidget) -> list[QWidget]:
    """Where Tab has to stop: what takes the keyboard by Tab, is enabled, and stands somewhere in the window."""
    return [
        widget for widget in root.findChildren(QWidget) if takes_tab(widget) and in_sight(widget)
    ]


def takes_tab(widget: QWidget) -> bool:
    policy = Qt.FocusPolicy.TabFocus
    fits = widget.focusPolicy() & policy == policy and widget.focusProxy() is None
    return fits and widget.isEnabled() and widget.isVisible() and not widget.size().isEmpty()


def in_sight(widget: QWidget) -> bool:
    """Not on a panel behind another one's tab, which Qt puts beside the window."""
    top = widget.window()
    return widget.mapTo(top, widget.rect().bottomRight()).x() >= 0


def walk(qtbot: QtBot, root: QWidget, key: Qt.Key, most: int = 400) -> list[QWidget]:
    """The widgets at which a key stops until it is where it began."""
    start = root.focusWidget()
    assert start is not None
    found = [start]
    for _ in range(most):
        qtbot.keyClick(root.focusWidget() or root, key)
        here = root.focusWidget()
        if here is None or here is start:
            break
        found.append(here)
    return found


def told(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.objectName() or widget.accessibleName()!r}"


def test_tab_stops_at_every_control_that_is_seen_and_back_at_the_same_ones(
    qtbot: QtBot, window: MainWindow
) -> None:
    for scene in scenes(window):
        settle()
        window.diagram.setFocus(Reason.TabFocusReason)
        there = walk(qtbot, window, Qt.Key.Key_Tab)
        missed = [told(widget) for widget in stops(window) if widget not in there]
        assert missed == [], scene
        unseen = [told(widget) for widget in there if not in_sight(widget)]
        assert unseen == [], scene
        window.diagram.setFocus(Reason.TabFocusReason)
        back = walk(qtbot, window, Qt.Key.Key_Backtab)
        assert [told(widget) for widget in back[1:]] == [
            told(widget) for widget in reversed(there[1:])
        ], scene


def looks(widget: QWidget) -> bytes:
    return bytes(
        widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32).constBits() or b""
    )


def blind(root: QWidget, widgets: list[QWidget], elsewhere: QWidget) -> list[str]:
    """The controls that look the same with and without the keyboard."""
    found = []
    for widget in widgets:
        elsewhere.setFocus(Reason.OtherFocusReason)
        without = looks(widget)
        widget.setFocus(Reason.TabFocusReason)
        root.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)  # as the Tab key does
        if widget.hasFocus() and looks(widget) == without:
            found.append(told(widget))
    return found


@pytest.mark.parametrize("shade", THEMES)
def test_the_keyboard_can_be_seen_wherever_it_is(window: MainWindow, shade: str) -> None:
    window.session.set_preferences(theme=shade)
    found: dict[str, list[str]] = {}
    seen: set[int] = set()
    for scene in scenes(window):
        settle()
        fresh = [
            widget
            for widget in stops(window)
            if id(widget) not in seen and widget is not window.stage
        ]
        seen |= {id(widget) for widget in fresh}
        if blinded := blind(window, fresh, window.stage):
            found[scene] = blinded
    if blinded := blind(window, [window.stage], window.diagram):
        found["stage"] = blinded
    assert found == {}


@pytest.mark.parametrize("shade", THEMES)
def test_the_keyboard_can_be_seen_in_dialogs(qtbot: QtBot, window: MainWindow, shade: str) -> None:
    window.session.set_preferences(theme=shade)
    dialogs: tuple[QDialog, ...] = (
        PreferencesDialog(window.session, window),
        KeysDialog(window),
        NewDialog(window),
        ExportDialog(window.session.state, "gif", lambda *_: None, window),
    )
    for dialog in dialogs:
        with qtbot.waitActive(dialog):
            dialog.show()
            dialog.activateWindow()
        controls = stops(dialog)
        found = blind(dialog, controls, controls[0]) if len(controls) > 1 else []
        found += blind(dialog, controls[:1], controls[-1]) if len(controls) > 1 else []
        assert [one for one in found if one != told(controls[0])] == [], type(dialog).__name__
        dialog.close()


def test_tab_goes_round_in_dialogs(qtbot: QtBot, window: MainWindow) -> None:
    dialog = PreferencesDialog(window.session, window)
    with qtbot.waitActive(dialog):
        dialog.show()
        dialog.activateWindow()
    stops(dialog)[0].setFocus(Reason.TabFocusReason)
    there = walk(qtbot, dialog, Qt.Key.Key_Tab)
    assert [told(widget) for widget in stops(dialog) if widget not in there] == []
    dialog.close()
