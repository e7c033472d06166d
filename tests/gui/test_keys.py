"""Keys belong to whom a person is working with."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.widgets.shortcut_filter import belongs_to

Key, Modifier = Qt.Key, Qt.KeyboardModifier
ARROW, DIGIT, SPACE = (Key.Key_Right, ""), (Key.Key_1, "1"), (Key.Key_Space, " ")


@pytest.mark.parametrize(
    ("kind", "key", "owner"),
    [
        (QLineEdit, ARROW, True),
        (QLineEdit, DIGIT, True),
        (QLineEdit, SPACE, True),
        (QSpinBox, DIGIT, True),
        (QTableView, ARROW, True),
        (QTableView, SPACE, False),
        (QComboBox, ARROW, False),
        (QComboBox, (Key.Key_Down, ""), True),
        (QComboBox, SPACE, True),
        (QSlider, ARROW, True),
        (QSlider, SPACE, False),
        (QPushButton, SPACE, True),
        (QPushButton, ARROW, False),
        (QWidget, ARROW, False),
        (QWidget, DIGIT, False),
        (QWidget, SPACE, False),
    ],
)
def test_who_gets_a_key(
    qtbot: QtBot, kind: type[QWidget], key: tuple[Key, str], owner: bool
) -> None:
    widget = kind()
    qtbot.addWidget(widget)
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key[0], Modifier.NoModifier, key[1])
    assert belongs_to(widget, event) is owner


@pytest.mark.parametrize("kind", [QLineEdit, QTableView, QPushButton, QWidget])
def test_commands_are_always_the_window_s(qtbot: QtBot, kind: type[QWidget]) -> None:
    widget = kind()
    qtbot.addWidget(widget)
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Key.Key_Right, Modifier.ControlModifier, "")
    assert belongs_to(widget, event) is False
