"""Playback ends where nobody can see or stop it: behind dialogs, menus, the guide, minimised."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gui.app.main_window import MainWindow
from gui.dialogs.preferences import PreferencesDialog
from gui.labs.exhibit import LabAppearance
from gui.labs.session import LabSession
from gui.labs.window import LabWindow
from tests.gui.window_kit import open_window


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    return open_window(qtbot, "eight-heads")


def dialog(window: MainWindow) -> Callable[[], object]:
    front = PreferencesDialog(window.session, window)
    front.open()
    return front.reject


def menu(window: MainWindow) -> Callable[[], object]:
    front: QMenu = window.menus["view"]
    front.popup(window.mapToGlobal(window.rect().center()))
    return front.close


def guide(window: MainWindow) -> Callable[[], object]:
    window.show_guide()
    assert window.guide.window is not None
    return window.guide.close


def minimised(window: MainWindow) -> Callable[[], object]:
    window.showMinimized()
    return window.showNormal


@pytest.mark.realwindow
@pytest.mark.parametrize("cover", [dialog, menu, guide, minimised])
def test_play_pauses_where_it_is_covered(
    qtbot: QtBot, window: MainWindow, cover: Callable[[MainWindow], Callable[[], object]]
) -> None:
    session = window.session
    session.play(True)
    uncover = cover(window)
    if cover is guide:
        qtbot.waitUntil(lambda: QApplication.activeWindow() is window.guide.window)
    before = session.state.cursor
    session.playback.step()
    assert session.state.cursor == before
    assert not session.state.playing
    uncover()


@pytest.mark.realwindow
def test_the_timer_itself_pauses(qtbot: QtBot, window: MainWindow) -> None:
    window.session.set_preferences(speed=8.0)
    close = dialog(window)
    before = window.session.state.cursor
    window.session.play(True)
    qtbot.waitUntil(lambda: not window.session.state.playing, timeout=10_000)
    assert window.session.state.cursor == before
    close()


@pytest.mark.realwindow
def test_play_goes_on_in_front_in_a_floating_panel_and_in_the_presentation(
    qtbot: QtBot, window: MainWindow
) -> None:
    session = window.session
    fronts: list[Callable[[], QWidget | None]] = [lambda: window]
    window.docks["heatmap"].setFloating(True)
    fronts.append(lambda: window.docks["heatmap"])
    for front in fronts:
        widget = front()
        assert widget is not None
        widget.activateWindow()
        qtbot.waitUntil(widget.isActiveWindow)
        _plays(window)
    window.present()
    audience = window.presentation.audience
    assert audience is not None
    qtbot.waitUntil(audience.isActiveWindow)
    _plays(window)
    window.presentation.stop()
    session.play(False)


def _plays(window: MainWindow) -> None:
    before = window.session.state.cursor
    window.session.play(True)
    window.session.playback.step()
    assert window.session.state.cursor != before
    assert window.session.state.playing


def test_the_clock_of_a_lab_pauses_too(qtbot: QtBot) -> None:
    lab = LabWindow(LabSession("learn", LabAppearance("light", 2, live=True), "en"))
    qtbot.addWidget(lab)
    with qtbot.waitActive(lab):
        lab.show()
        lab.activateWindow()
    qtbot.waitUntil(lambda: lab.session.state.working is None, timeout=20_000)
    lab.session.toggle_clock()
    assert lab.session.state.playing
    front = QMenu(lab)
    front.addAction("Copy")
    front.popup(lab.mapToGlobal(lab.rect().center()))
    qtbot.waitUntil(lambda: not lab.session.state.playing, timeout=10_000)
    front.close()
