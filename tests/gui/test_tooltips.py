"""A tooltip with a number goes, or has the new number, when the number changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QCursor, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.views.tables.set_values import enter_text


def forget(window: MainWindow) -> None:
    window.session.undo_stack.setClean()


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = build_window(example="i-love-this-apple", language="en")
    qtbot.addWidget(window, before_close_func=forget)
    window.resize(780, 700)  # within a screen in memory, where Qt finds what is under the mouse
    window.move(0, 0)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.session.set_preferences(motion=False)
    window.session.go_last()
    return window


def hover(widget: QWidget, at: QPoint) -> str:
    """Move the mouse to a place and wait for its tooltip, as Qt does."""
    there = widget.mapToGlobal(at)
    QCursor.setPos(there)
    QApplication.processEvents()
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, at, there))
    return QToolTip.text()


def table(window: MainWindow) -> str:
    window.docks["tables"].bring_forward()
    window.tables.show_table("X")
    view = window.tables.view
    return hover(view.viewport(), view.visualRect(view.model().index(1, 1)).center())


def computed(window: MainWindow) -> str:
    window.docks["tables"].bring_forward()
    window.tables.link.setChecked(False)
    window.tables.show_table("Q")
    view = window.tables.view
    return hover(view.viewport(), view.visualRect(view.model().index(1, 1)).center())


def heatmap(window: MainWindow) -> str:
    window.docks["heatmap"].bring_forward()
    view = window.heatmaps.view
    return hover(view.viewport(), view.point_of(Cell("X", 1, 1)).toPoint())


PLACES: dict[str, Callable[[MainWindow], str]] = {
    "table": table,
    "computed": computed,
    "heatmap": heatmap,
}


@pytest.mark.realwindow
@pytest.mark.parametrize("place", PLACES)
def test_the_number_in_a_tooltip_is_the_one_in_the_table(
    qtbot: QtBot, window: MainWindow, place: str
) -> None:
    before = PLACES[place](window)
    assert "=" in before
    assert QToolTip.isVisible()
    enter_text(window.session, Cell("X", 1, 1), "17.5")
    after = QToolTip.text() if QToolTip.isVisible() else ""
    assert after != before
    assert after == "" or "=" in after
    if place == "table":
        assert "17.5" in after
    QToolTip.hideText()


def test_a_tooltip_over_nothing_goes_at_once(qtbot: QtBot, window: MainWindow) -> None:
    table(window)
    assert QToolTip.isVisible()
    QCursor.setPos(window.mapToGlobal(QPoint(-50, -50)))
    enter_text(window.session, Cell("X", 1, 1), "17.5")
    assert not QToolTip.isVisible()
