"""Typing into cells of a table: Enter and Tab take a text over and go on; what cannot be used stays open."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStyledItemDelegate, QWidget

from core.base.errors import UserError
from core.base.number_format import may_be_thousands, read, show
from gui.texts.translation import tr
from gui.widgets.editor import NumberEditor

STEPS = {
    Qt.Key.Key_Return: (1, 0),
    Qt.Key.Key_Enter: (1, 0),
    Qt.Key.Key_Tab: (0, 1),
    Qt.Key.Key_Backtab: (0, -1),
}

Place = tuple[int, int]
Index = QModelIndex | QPersistentModelIndex


class Course:
    """Where typing goes on in a table: Tab along the rows, Enter down, after a run of Tabs to where the run began."""

    def __init__(self) -> None:
        self._began = 0
        self._expected: Place | None = None

    def after(self, place: Place, step: Place, shape: Place) -> Place | None:
        """The place after one, by a step of (rows, columns) in a table of a shape; None at the table's end."""
        runs = place == self._expected
        if step[0]:
            self._expected = None
            return _below(place[0], self._began, shape) if runs else _down(place, shape)
        self._began = self._began if runs else place[1]
        number = place[0] * shape[1] + place[1] + step[1]
        self._expected = divmod(number, shape[1]) if 0 <= number < shape[0] * shape[1] else None
        return self._expected


def end_sentence() -> str:
    """What is said where typing cannot go on, so that no number is lost unnoticed."""
    return tr("The table ends here: another number would replace this one.")


def comma_sentence(text: str) -> str:
    """How a typed comma was read where it might have been meant otherwise, and how to write that; "" where clear."""
    if not may_be_thousands(text):
        return ""
    return tr(
        "{text} is read as {value}, its comma as the decimal sign; write thousands without a comma: {whole}.",
        text=text.strip(),
        value=show(read(text), 3),
        whole=show(read(text) * 1000, 0),
    )


def _below(row: int, column: int, shape: Place) -> Place | None:
    return (row + 1, column) if row + 1 < shape[0] else None


def _down(place: Place, shape: Place) -> Place | None:
    """One row down; from the last row to the top of the next column."""
    if place[0] + 1 < shape[0]:
        return place[0] + 1, place[1]
    return (0, place[1] + 1) if place[1] + 1 < shape[1] else None


class TypingDelegate(QStyledItemDelegate):
    """`refused(editor, problem)`: what was typed cannot be used, and the editor stays; `typed(text)`: it is being
    corrected; `moved(rows, columns)`: it was taken over, and the next cell is so many away; `told(sentence, place)`:
    how it was read, if that may not be what was meant.
    """

    refused = Signal(object, object)
    typed = Signal(str)
    moved = Signal(int, int)
    told = Signal(str, QRect)

    def require(self, text: str) -> None:
        """Raise a UserError if a text cannot be used."""
        raise NotImplementedError

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """The text that is edited, whole; never over what is being typed."""
        if isinstance(editor, NumberEditor) and not editor.isModified():
            editor.setText(index.data(Qt.ItemDataRole.EditRole))
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """What was typed."""
        if isinstance(editor, NumberEditor):
            model.setData(index, editor.text(), Qt.ItemDataRole.EditRole)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Enter and Tab take over."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in STEPS
        ):
            if isinstance(editor, NumberEditor):
                self._commit(editor, STEPS[Qt.Key(event.key())])
            return True
        return super().eventFilter(editor, event)

    def _commit(self, editor: NumberEditor, step: tuple[int, int]) -> None:
        try:
            self.require(editor.text())
        except UserError as problem:
            self.refused.emit(editor, problem)
            return
        said, place = comma_sentence(editor.text()), editor.geometry()
        self.commitData.emit(editor)
        self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)
        self.moved.emit(*step)
        if said:
            self.told.emit(said, place)
