"""The table of one tensor: its numbers, the current cell, how wide the columns are, what has just changed."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, QVariantAnimation
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from core.base.arrays import BoolArray
from gui.painting.theme import colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import long_name, symbol
from gui.texts.translation import tr
from gui.views.tables.delegate import RIGHT, NumberDelegate
from gui.views.tables.model import Index, TensorModel
from gui.views.tables.widths import column_width
from gui.widgets.bubble import Bubble
from gui.widgets.number_table import NumberTable
from gui.widgets.styles import table_style

FLASH_MS = 900


class Table(NumberTable):
    """Follows the focused cell and moves it; every change goes to the session."""

    def __init__(self, session: Session, tensor: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.bubble = Bubble(self.viewport())
        self.table = TensorModel(session, tensor, self)
        self._numbers = NumberDelegate(self.table, self)
        self.setModel(self.table)
        self.setItemDelegate(self._numbers)
        self._fade = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=FLASH_MS)
        self._flashing: BoolArray | None = None
        self._told = False
        self._connect()
        self.furnish()
        self.setMouseTracking(True)
        self.verticalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def _connect(self) -> None:
        self.table.flashed.connect(self._flash)
        self.table.modelReset.connect(self.fit)
        self._fade.valueChanged.connect(self._fade_on)

    # State

    def show_tensor(self, tensor: str) -> None:
        """Another tensor in the table."""
        if tensor != self.table.shown.tensor:
            QToolTip.hideText()  # it told of another table's cell
        self.table.show_tensor(tensor)
        self._after(self._session.state)

    def show_state(self, old: State | None, new: State) -> None:
        """Numbers, marks, colours, and the current cell."""
        self.table.show_state(old, new)
        if old is None or old.shade != new.shade:
            self.setStyleSheet(table_style(colours(new.shade), RIGHT))
            self.bubble.paint_in(colours(new.shade))
        if old is None or old.decimals != new.decimals or old.trace is not new.trace:
            self.fit()
        if old is not None and old.document is not new.document:
            self.bubble.hide()  # what was refused lies behind a change that was not
        self._after(new)

    def _after(self, state: State) -> None:
        shown = self.table.shown
        letter = symbol(shown.tensor, state.document, state.orientation)
        self.setAccessibleName(tr("{symbol}: {name}", symbol=letter, name=long_name(shown.tensor)))
        index = self.table.index(*shown.focus) if shown.focus is not None else QModelIndex()
        if index != self.currentIndex():
            self._told = True
            self.show_current(index)
            self._told = False

    def currentChanged(self, current: Index, previous: Index) -> None:
        """The user's current cell is the focused one; a cell that the state has made current is no wish."""
        super().currentChanged(current, previous)
        self.bubble.hide()
        if current.isValid() and not self._told:
            cell = self.table.cell(current)
            if cell != self._session.state.focus:
                self._session.focus_on(cell)

    # Sizes

    def fit(self) -> None:
        """Their numbers, their labels as far as there is room, and what is left."""
        count = self.table.columnCount()
        if count:
            labels = [
                str(self.table.headerData(i, Qt.Orientation.Horizontal))
                for i in range(min(count, 64))
            ]
            width = column_width(self.table.shown, labels, self.viewport().width())
            self.horizontalHeader().setDefaultSectionSize(width)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The lines between the rows go on to the frame."""
        super().paintEvent(event)
        right = self.horizontalHeader().length() - self.horizontalHeader().offset()
        room = self.viewport().width() - right
        if room <= 0 or not self.table.rowCount():
            return
        colour = QColor(colours(self.table.shown.shade).line)
        with QPainter(self.viewport()) as painter:
            last = self.rowAt(self.viewport().height() - 1)
            for row in range(
                max(0, self.rowAt(0)), (last if last >= 0 else self.table.rowCount() - 1) + 1
            ):
                painter.fillRect(
                    right, self.rowViewportPosition(row) + self.rowHeight(row) - 1, room, 1, colour
                )

    # Changed cells

    def _flash(self, changed: BoolArray) -> None:
        self._flashing = changed
        self._fade.stop()
        if self._session.state.preferences.motion:
            self._fade_on(1.0)
            self._fade.start()

    def _fade_on(self, alpha: float) -> None:
        self._numbers.flash(self._flashing if alpha > 0 else None, alpha)
        self.viewport().update()
