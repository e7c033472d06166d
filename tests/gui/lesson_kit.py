"""A window for lessons, with questions that answer themselves."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.lesson.lesson import Lesson
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from tests.gui.files_helpers import Answers
from tests.gui.window_kit import bring_forward

Left = Qt.MouseButton.LeftButton


class LessonAnswers(Answers):
    """Answers also what lessons ask."""

    def __init__(self) -> None:
        super().__init__()
        self.lesson: Path | None = None
        self.live = False

    def lesson_path(self, parent: QWidget, folder: Path) -> Path | None:
        return self.lesson

    def save_lesson_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        self.suggested.append(suggestion)
        return self.saved

    def unsaved_lesson(self, parent: QWidget, name: str, live: bool = False) -> str:
        self.asked.append(f"lesson {name}")
        self.live = live
        return self.answer


def shown(qtbot: QtBot, **wishes: str) -> MainWindow:
    """A window in front, which leaves without saving."""
    window = build_window(**wishes)
    window.files.ask = LessonAnswers()
    window.files.ask.answer = "discard"
    window.resize(1500, 1000)
    bring_forward(qtbot, window)
    window.diagram.setFocus()
    return window


def click(qtbot: QtBot, button: QWidget) -> None:
    """By the mouse."""
    qtbot.mouseClick(button, Left)


def lesson(window: MainWindow) -> Lesson:
    """The lesson that is open."""
    found = window.session.state.lesson
    assert found is not None
    return found


def add_first_scene(qtbot: QtBot, window: MainWindow) -> None:
    """A lesson with one scene."""
    window.show_lesson()
    click(qtbot, window.lessons.empty.new)
    QApplication.processEvents()  # the list stands where the invitation stood
    click(qtbot, window.lessons.tools.add)
