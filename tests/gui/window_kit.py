"""Windows for tests, in front of whatever else is open."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot


def bring_forward(qtbot: QtBot, window: QWidget) -> None:
    """Show a window and give it the keyboard; it is closed after the test."""
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
