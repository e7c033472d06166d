"""Typing into cells of a table: Enter and Tab take a text over and go on; what cannot be used stays open."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStyledItemDelegate

from core.problems import Problem
from gui.widgets.editor import NumberEditor

STEPS = {
    Qt.Key.Key_Return: (1, 0),
    Qt.Key.Key_Enter: (1, 0),
    Qt.Key.Key_Tab: (0, 1),
    Qt.Key.Key_Backtab: (0, -1),
}


class TypingDelegate(QStyledItemDelegate):
    """`refused(editor, problem)`: what was typed cannot be used, and the editor stays; `typed(text)`: it is being
    corrected; `moved(rows, columns)`: it was taken over, and the next cell is so many away.
    """

    refused = Signal(object, object)
    typed = Signal(str)
    moved = Signal(int, int)

    def require(self, text: str) -> None:
        """Raise a Problem if a text cannot be used."""
        raise NotImplementedError

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Enter and Tab take over."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in STEPS:
            if isinstance(editor, NumberEditor):
                self._commit(editor, STEPS[Qt.Key(event.key())])
            return True
        return super().eventFilter(editor, event)

    def _commit(self, editor: NumberEditor, step: tuple[int, int]) -> None:
        try:
            self.require(editor.text())
        except Problem as problem:
            self.refused.emit(editor, problem)
            return
        self.commitData.emit(editor)
        self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)
        self.moved.emit(*step)
