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

from core.base.cell import Cell
from core.base.errors import UserError
from core.base.number_format import exact, shortened, show
from core.explain.timeline import exists
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State
from gui.texts.names import axes_of, cell_name, header, header_tip
from gui.texts.translation import tr
from gui.views.tables.contents import (
    TableContents,
    changed_block,
    changed_values,
    table_contents,
)
from gui.views.tables.set_values import enter_text

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
ROOT = QModelIndex()

# Made once: a header asks for the flags of every cell of a selected row and column when it paints.
_LOCKED = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
_OPEN = _LOCKED | Qt.ItemFlag.ItemIsEditable


class TensorModel(QAbstractTableModel):
    """Numbers are read from the trace when a cell is painted.

    `flashed(changed)` reports which numbers of the table an edit has changed, as a boolean array.
    """

    flashed = Signal(object)

    def __init__(self, session: Session, tensor: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.contents = table_contents(session.state, tensor)

    def show_tensor(self, tensor: str) -> None:
        """Show another tensor."""
        if tensor != self.contents.tensor:
            self._set_contents(table_contents(self._session.state, tensor))

    def show_state(self, old: State | None, new: State) -> None:
        """Show the same tensor in another state."""
        self._set_contents(table_contents(new, self.contents.tensor, self.contents))

    def _set_contents(self, new: TableContents) -> None:
        old = self.contents
        if old.frame != new.frame:
            self.beginResetModel()
            self.contents = new
            self.endResetModel()
            return
        changed = changed_values(old, new)
        block = changed_block(old, new, changed)
        self.contents = new
        if block is not None:
            self.dataChanged.emit(self.index(*block[0]), self.index(*block[1]))
        same_tokens = (
            old.document.tokens is new.document.tokens
            and old.document.key_tokens is new.document.key_tokens
        )
        if not same_tokens or old.language != new.language:
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, self.rowCount() - 1)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)
        if changed is not None and old.document is not new.document:
            self.flashed.emit(changed)

    def cell(self, index: Index) -> Cell:
        """The address of the number at an index."""
        return self.contents.cell(index.row(), index.column())

    def rowCount(self, parent: Index = ROOT) -> int:
        """Rows of the table."""
        return 0 if parent.isValid() else int(self.contents.values.shape[0])

    def columnCount(self, parent: Index = ROOT) -> int:
        """Columns of the table."""
        return 0 if parent.isValid() else int(self.contents.values.shape[1])

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Entered numbers are set, computed ones pinned; those to be predicted cannot be edited."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return _LOCKED if self.contents.is_locked(index.row(), index.column()) else _OPEN

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Rounded to show, exact to edit, and the marks in words."""
        if not index.isValid():
            return None
        if role == Role.AccessibleTextRole:
            return spoken_cell(self._session.state, self.cell(index), only_visible=False)
        contents = self.contents
        if contents.is_hidden(index.row(), index.column()):
            if role == Role.ToolTipRole:
                return tr("{cell}: not shown yet", cell=self._name(index))
            return "" if role == Role.DisplayRole else None
        value = float(contents.values[index.row(), index.column()])
        if role == Role.DisplayRole:
            return show(value, contents.decimals)
        if role == Role.EditRole:
            return exact(value) if contents.entered else shortened(value)
        if role == Role.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return self._tip(index, value) if role == Role.ToolTipRole else None

    def _tip(self, index: Index, value: float) -> str:
        place = (index.row(), index.column())
        number = exact(value) if math.isfinite(value) else show(value, 0)
        lines = [tr("{cell} = {value}", cell=self._name(index), value=number)]
        if place in self.contents.pinned:
            lines.append(
                tr(
                    "Pinned: a what-if value. Click its corner or press Delete to restore the "
                    "computed value."
                )
            )
        if place in self.contents.filled:
            lines.append(tr("Filled in when the size changed; type a number to make it yours."))
        return "\n".join(lines)

    def _name(self, index: Index) -> str:
        return cell_name(self.cell(index), self.contents.document, self.contents.orientation)

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """Enter a number as text. One that cannot be read changes nothing and is reported.

        Nor does one for a cell that is gone: an editor may be left open while another experiment is
        opened, and a hidden table follows later.
        """
        if role != Role.EditRole or not index.isValid():
            return False
        if not exists(self._session.state.document, self.cell(index)):
            return False
        try:
            return enter_text(self._session, self.cell(index), str(value))
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
        contents, count = self.contents, self.columnCount() if horizontal else self.rowCount()
        if role not in (Role.DisplayRole, Role.ToolTipRole) or section >= count:
            return None
        axis = contents.orientation.pair(*axes_of(contents.tensor))[1 if horizontal else 0]
        label = header_tip if role == Role.ToolTipRole else header
        return label(contents.tensor, axis, section, contents.document)
