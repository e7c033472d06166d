"""The list of scenes: click or arrow keys go to one, Alt with arrows or the mouse move it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from gui.views.lesson.delegate import SceneDelegate
from gui.views.lesson.model import SceneModel
from gui.widgets.shortcut_filter import GIVES_MOVES, claim_key

Key = Qt.Key
STEPS = {Key.Key_Up: -1, Key.Key_Down: 1}


class SceneList(QListView):
    """Tells wishes: `chosen(row)`, `moved(row, to)`, `duplicated(row)`, `removed(row)`, `undone()`, `redone()`.

    Left, right, Home, End and the page keys stay with the window, so that a lesson can be played from here.
    """

    chosen = Signal(int)
    moved = Signal(int, int)
    duplicated = Signal(int)
    removed = Signal(int)
    undone = Signal()
    redone = Signal()

    def __init__(self, model: SceneModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(SceneDelegate(self))
        self.setProperty(GIVES_MOVES, True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setMouseTracking(True)
        self.clicked.connect(self._on_clicked)

    def show_current(self, row: int | None) -> None:
        """Select the scene at which we stand."""
        index = QModelIndex() if row is None else self.model().index(row, 0)
        self.selectionModel().setCurrentIndex(
            index, QItemSelectionModel.SelectionFlag.ClearAndSelect
        )
        if row is not None:
            self.scrollTo(
                self.model().index(min(row + 1, self.model().rowCount() - 1), 0)
            )  # what comes next
            self.scrollTo(index)
        self.viewport().update()

    def _on_clicked(self, index: QModelIndex) -> None:
        self.chosen.emit(index.row())

    def event(self, event: QEvent) -> bool:
        """Undo and redo, pressed here, mean the lesson."""
        return claim_key(event, _undoes) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that mean the current scene."""
        row, key = self.currentIndex().row(), Key(event.key())
        if _undoes(event):
            (self.undone if event.matches(QKeySequence.StandardKey.Undo) else self.redone).emit()
        elif key in STEPS:
            self._step(
                row, STEPS[key], alt=bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
            )
        elif row >= 0 and key == Key.Key_Delete:
            self.removed.emit(row)
        elif (
            row >= 0
            and key == Key.Key_D
            and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        ):
            self.duplicated.emit(row)
        else:
            event.ignore()

    def _step(self, row: int, by: int, *, alt: bool) -> None:
        to = row + by
        if not 0 <= to < self.model().rowCount():
            return
        if alt:
            self.moved.emit(row, to)
        else:
            self.chosen.emit(to)


def _undoes(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(
        QKeySequence.StandardKey.Redo
    )
