"""What tables of numbers have in common: rows of one height, columns fitted to the room, numbers that are typed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from gui.painting.text_size import set_font, set_section, set_widest
from gui.painting.theme import BODY

ROW_HEIGHT, WIDEST_HEADER = 28, 110


class NumberTable(QTableView):
    """Its view calls `furnish` once it has its model, and says in `fit` how wide the columns are."""

    def fit(self) -> None:
        """Share the room among the columns."""
        raise NotImplementedError

    def furnish(self) -> None:
        """No grid, no way out by Tab, headers of one size, editing by typing."""
        set_font(self, BODY)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        for bar in (self.horizontalHeader(), self.verticalHeader()):
            bar.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            set_font(bar, BODY)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        set_section(self.verticalHeader(), ROW_HEIGHT)
        set_widest(self.verticalHeader(), WIDEST_HEADER)
        self.model().headerDataChanged.connect(self._make_room)

    def _make_room(self, along: Qt.Orientation) -> None:
        """Other labels of rows may need another width, which Qt would give them only at the next change of size."""
        if along == Qt.Orientation.Vertical:
            self.updateGeometries()

    def is_editing(self) -> bool:
        """Whether a number is being typed."""
        return self.state() == QAbstractItemView.State.EditingState

    def show_current(self, index: QModelIndex) -> None:
        """Another current cell; none where the index is not valid."""
        if index.isValid():
            self.setCurrentIndex(index)
        else:
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.Clear)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns share the room while they are few."""
        super().resizeEvent(event)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        """Larger or smaller words need other columns."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fit()
