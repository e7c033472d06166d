"""One table model for any tensor: shown rounded, edited exactly."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from core.base.arrays import BoolArray
from core.base.cell import Cell
from core.base.errors import UserError
from core.base.number_format import exact, show
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State
from gui.texts.names import axes_of, cell_name, header, header_tip
from gui.texts.translation import tr
from gui.views.tables.contents import Contents, changed_block, changed_values, contents, same_frame
from gui.views.tables.parse_typed import take_text

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
ROOT = QModelIndex()


class TensorModel(QAbstractTableModel):
    """Asks for nothing but what is on the screen: numbers are read from the trace when a cell is painted.

    `flashed(changed)` tells which numbers of the table an edit has just changed.
    """

    flashed = Signal(object)

    def __init__(self, session: Session, tensor: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shown = contents(session.state, tensor)

    @property
    def shown(self) -> Contents:
        """What the table shows now."""
        return self._shown

    def show_tensor(self, tensor: str) -> None:
        """Another tensor."""
        if tensor != self._shown.tensor:
            self._take(contents(self._session.state, tensor))

    def show_state(self, old: State | None, new: State) -> None:
        """The same tensor in another state."""
        self._take(contents(new, self._shown.tensor, self._shown))

    def _take(self, new: Contents) -> None:
        old = self._shown
        if not same_frame(old, new):
            self.beginResetModel()
            self._shown = new
            self.endResetModel()
            return
        changed = changed_values(old, new)
        block = changed_block(old, new, changed)
        self._shown = new
        if block is not None:
            self.dataChanged.emit(self.index(*block[0]), self.index(*block[1]))
        self._tell_headers(old, new)
        if changed is not None and old.document is not new.document:
            self._tell_flash(changed)

    def _tell_headers(self, old: Contents, new: Contents) -> None:
        same = (
            old.document.tokens is new.document.tokens
            and old.document.key_tokens is new.document.key_tokens
        )
        if same and old.language == new.language:
            return
        self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, self.rowCount() - 1)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)

    def _tell_flash(self, changed: BoolArray) -> None:
        self.flashed.emit(changed)

    def cell(self, index: Index) -> Cell:
        """The address of the number at an index."""
        return self._shown.cell(index.row(), index.column())

    def rowCount(self, parent: Index = ROOT) -> int:
        """Rows of the tensor."""
        return 0 if parent.isValid() else int(self._shown.values.shape[0])

    def columnCount(self, parent: Index = ROOT) -> int:
        """Columns of the tensor."""
        return 0 if parent.isValid() else int(self._shown.values.shape[1])

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every number that is shown can be edited: entered ones are set, computed ones pinned."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        withheld = self._shown.withholds(index.row(), index.column())
        return flags if withheld else flags | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Rounded to show, exact to edit, and the marks in words."""
        if not index.isValid():
            return None
        if self._shown.withholds(index.row(), index.column()):
            return self._withheld(index, role)
        value = float(self._shown.values[index.row(), index.column()])
        if role == Role.DisplayRole:
            return show(value, self._shown.decimals)
        if role == Role.EditRole:
            return exact(value)
        if role == Role.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Role.ToolTipRole:
            return self._tip(index, value)
        if role == Role.AccessibleTextRole:
            return self._spoken(index)
        return None

    def _withheld(self, index: Index, role: int) -> str | None:
        """A number that is still to be predicted."""
        if role == Role.DisplayRole:
            return ""
        if role == Role.ToolTipRole:
            return tr("{cell}: not shown yet", cell=self._name(index))
        return self._spoken(index) if role == Role.AccessibleTextRole else None

    def _tip(self, index: Index, value: float) -> str:
        number = exact(value) if math.isfinite(value) else show(value, 0)
        line = tr("{cell} = {value}", cell=self._name(index), value=number)
        return "\n".join([line, *self._marks(index)])

    def _name(self, index: Index) -> str:
        return cell_name(self.cell(index), self._shown.document, self._shown.orientation)

    def _spoken(self, index: Index) -> str:
        return spoken_cell(self._session.state, self.cell(index), standing=False)

    def _marks(self, index: Index) -> list[str]:
        place = (index.row(), index.column())
        marks = []
        if place in self._shown.pinned:
            marks.append(
                tr("Pinned: a what-if value. Click its corner or press Delete to compute it again.")
            )
        if place in self._shown.filled:
            marks.append(tr("Made up when the size changed; type a number to make it yours."))
        return marks

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """A number entered as text. One that cannot be read changes nothing and is told to the user."""
        if role != Role.EditRole or not index.isValid():
            return False
        try:
            return take_text(self._session, self.cell(index), str(value))
        except UserError as problem:
            self._session.failed.emit(problem)
            return False

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        """Tokens, or a letter with a number."""
        horizontal = orientation == Qt.Orientation.Horizontal
        if role == Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if horizontal else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role not in (Role.DisplayRole, Role.ToolTipRole):
            return None
        axis = self._shown.orientation.pair(*axes_of(self._shown.tensor))[1 if horizontal else 0]
        count = self.columnCount() if horizontal else self.rowCount()
        if section >= count:
            return None
        label = header_tip if role == Role.ToolTipRole else header
        return label(self._shown.tensor, axis, section, self._shown.document)
