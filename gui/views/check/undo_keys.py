"""Undo and redo inside the panel "Check": they belong to what the learner writes, wherever in it the keyboard is."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from gui.widgets.choice import ChoiceBox
from gui.widgets.shortcut_filter import REDO, UNDO, claim_key

KEYS = [(QKeySequence(keys), by) for by, several in ((-1, UNDO), (1, REDO)) for keys in several]


def way(event: QKeyEvent) -> int:
    """−1 for a key that undoes, 1 for one that redoes, else 0."""
    pressed = QKeySequence(event.keyCombination())
    return next((by for keys, by in KEYS if keys == pressed), 0)


class Undoing(QWidget):
    """Keeps these keys from the window; what a field has to undo of its own comes first."""

    def take_back(self, by: int) -> None:
        """One step of the learner's own, back (−1) or on again (1)."""
        raise NotImplementedError

    def event(self, event: QEvent) -> bool:
        """A key that is claimed here is no shortcut; it then comes as one that was pressed."""
        return claim_key(event, way) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Undo and redo; other keys are the window's."""
        if way(event):
            self.take_back(way(event))
        else:
            super().keyPressEvent(event)


class Box(ChoiceBox):
    """Hands these keys on, which it would take for the beginning of a word."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Undo and redo are the panel's."""
        if way(event):
            event.ignore()
        else:
            super().keyPressEvent(event)
