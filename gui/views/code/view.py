"""The list of rows: a click or Enter goes to a row's stage, up and down move between rows, Ctrl+C copies one."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from gui.views.code.delegate import CodeDelegate
from gui.views.code.model import CodeModel
from gui.widgets.shortcut_filter import GIVES_MOVES


class CodeList(QListView):
    """Tells wishes: `chosen(row)`, `copied(row)`. Keys that step stay with the window."""

    clips = ("clip_copy",)  # what the Edit menu can do with it
    chosen = Signal(int)
    copied = Signal(int)

    def __init__(self, model: CodeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(CodeDelegate(self))
        self.setProperty(GIVES_MOVES, True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._choose)

    def show_row(self, row: int) -> None:
        """Stand on a row, and scroll so that it can be seen with a little of what is around it."""
        index = self.model().index(row, 0) if row >= 0 else QModelIndex()
        self.selectionModel().setCurrentIndex(
            index, QItemSelectionModel.SelectionFlag.ClearAndSelect
        )
        self.show_around(row)

    def show_around(self, row: int) -> None:
        """Scroll to a row and its neighbours."""
        last = self.model().rowCount() - 1
        for near in (row - 1, row + 1, row):
            if row >= 0:
                self.scrollTo(self.model().index(min(max(near, 0), last), 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other lines; the row on which we stand stays in sight."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()
        self.show_around(self.currentIndex().row())

    def copy(self) -> None:
        """The current line."""
        self.copied.emit(self.currentIndex().row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter, Ctrl+C and the arrows up and down; everything else goes on."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            super().keyPressEvent(event)
        else:
            event.ignore()

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(index.row())
