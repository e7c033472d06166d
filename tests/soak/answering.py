"""Answers the questions of a window that nobody sits at: dialogs are opened, played with and left."""

from __future__ import annotations

from pathlib import Path
from random import Random

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMenu,
    QSpinBox,
    QWidget,
)

from gui.dialogs.export import ExportDialog
from gui.dialogs.new import ask_new_document
from gui.widgets.ask import Ask

TYPED = ("", "3", "−0.5", "1e308", "NaN", "1/3", "猫 坐 在", "a b c d e", "=1+1", "√2", "x" * 60)


def type_text(widget: QWidget, text: str) -> None:
    """Letter by letter, of any alphabet: QTest's own knows ASCII alone."""
    for letter in text:
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QApplication.sendEvent(
                widget, QKeyEvent(kind, 0, Qt.KeyboardModifier.NoModifier, letter)
            )


class PlayedAsk(Ask):
    """Files are chosen in a folder of the test's own, or the choice is cancelled; all else asks its real dialogs."""

    def __init__(self, chance: Random, folder: Path) -> None:
        super().__init__(ask_new_document)
        self._chance, self._folder = chance, folder

    def open_path(self, parent: QWidget, folder: Path) -> Path | None:
        return self._one_of("*.json")

    def save_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        return self._new(".attn.json")

    def lesson_path(self, parent: QWidget, folder: Path) -> Path | None:
        return self._one_of("*.lesson.json")

    def save_lesson_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        return self._new(".lesson.json")

    def _one_of(self, pattern: str) -> Path | None:
        return self._chance.choice([None, *sorted(self._folder.glob(pattern))])

    def _new(self, suffix: str) -> Path | None:
        return self._chance.choice([None, self._folder / f"{self._chance.choice('abc')}{suffix}"])


class Player(QObject):
    """Looks after every dialog and menu that comes up, also inside their own event loops.

    What it does is not done inside the timer's own call: a dialog that comes up there would keep the timer silent.
    """

    def __init__(self, chance: Random) -> None:
        super().__init__()
        self._chance = chance
        self._timer = QTimer(self, interval=2)
        self._timer.timeout.connect(self._look_soon)
        self._moves = 0

    def start(self) -> None:
        """Look every two milliseconds."""
        self._timer.start()

    def stop(self) -> None:
        """Look no more."""
        self._timer.stop()

    def _look_soon(self) -> None:
        if (
            QApplication.activePopupWidget() is not None
            or QApplication.activeModalWidget() is not None
        ):
            QTimer.singleShot(0, self.look)
        else:
            self._moves = 0

    def look(self) -> None:
        """A menu: one of its entries or none. A dialog: some moves, then it is left."""
        popup = QApplication.activePopupWidget()
        if popup is not None:
            self._leave_popup(popup)
            return
        dialog = QApplication.activeModalWidget()
        if dialog is None:
            self._moves = 0
        elif self._moves < 4 and not isinstance(dialog, QFileDialog):
            self._moves += 1
            self._play(dialog)
        else:
            self._moves = 0
            self._leave(dialog)

    def _leave_popup(self, popup: QWidget) -> None:
        if isinstance(popup, QMenu) and self._chance.random() < 0.5:
            entries = [
                a
                for a in popup.actions()
                if a.isEnabled() and a.menu() is None and a.objectName() != "quit"
            ]
            if entries:
                self._chance.choice(entries).trigger()
        popup.close()

    def _play(self, dialog: QWidget) -> None:
        kinds = (QAbstractButton, QComboBox, QLineEdit, QSpinBox)
        widgets = [
            w
            for kind in kinds
            for w in dialog.findChildren(kind)
            if w.isVisible() and w.isEnabled()
        ]
        if not widgets:
            return
        widget = self._chance.choice(widgets)
        if isinstance(widget, QLineEdit):
            widget.setFocus()
            widget.selectAll()
            type_text(widget, self._chance.choice(TYPED))
        elif isinstance(widget, QSpinBox):
            QTest.keyClick(widget, self._chance.choice((Qt.Key.Key_Up, Qt.Key.Key_Down)))
        elif isinstance(widget, QComboBox):
            QTest.keyClick(
                widget, self._chance.choice((Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_End))
            )
        elif not isinstance(dialog, ExportDialog):  # an export is written in its own tests
            QTest.mouseClick(
                widget,
                Qt.MouseButton.LeftButton,
                pos=QPoint(widget.width() // 2, widget.height() // 2),
            )

    def _leave(self, dialog: QWidget) -> None:
        keep = isinstance(dialog, QDialog) and not isinstance(dialog, QFileDialog | ExportDialog)
        if isinstance(dialog, QDialog):
            dialog.accept() if keep and self._chance.random() < 0.3 else dialog.reject()
        else:
            dialog.close()
