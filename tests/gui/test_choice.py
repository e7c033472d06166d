"""Lists of options in little room: what is cut says itself in full, what fits leaves the word to what it stands in."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.choice import ChoiceBox

NAMES = ("short", "an option with a long name that no narrow panel has room for")


@pytest.fixture
def panel(qtbot: QtBot) -> QWidget:
    panel = QWidget()
    qtbot.addWidget(panel)
    panel.setToolTip("what it is about")
    panel.resize(800, 200)
    return panel


@pytest.fixture
def options(qtbot: QtBot, panel: QWidget) -> ChoiceBox:
    options = ChoiceBox(panel)
    options.show_options(NAMES, 1)
    panel.show()
    qtbot.waitExposed(panel)
    return options


def tip(options: ChoiceBox) -> str:
    """What is told where the mouse rests on the list."""
    at = QPoint(9, 9)
    QApplication.sendEvent(options, QHelpEvent(QEvent.Type.ToolTip, at, options.mapToGlobal(at)))
    told = QToolTip.text()
    QToolTip.hideText()
    return told


def test_an_option_that_is_cut_says_itself_in_full(options: ChoiceBox) -> None:
    options.resize(150, 28)
    assert tip(options) == NAMES[1]
    options.resize(700, 28)
    assert tip(options) == "what it is about"
    options.resize(150, 28)
    options.show_options(NAMES, 0)
    assert tip(options) == "what it is about"


def test_its_list_is_as_wide_as_the_longest_option(options: ChoiceBox, qtbot: QtBot) -> None:
    options.resize(150, 28)
    options.showPopup()
    view = options.view()
    qtbot.waitUntil(view.isVisible)
    assert view.viewport().width() >= options.fontMetrics().horizontalAdvance(NAMES[1])
    options.hidePopup()


def test_other_names_keep_the_choice(options: ChoiceBox) -> None:
    options.show_options(("eins", "zwei", "drei"), 2)
    assert [options.itemText(index) for index in range(options.count())] == ["eins", "zwei", "drei"]
    assert options.currentText() == "drei"
