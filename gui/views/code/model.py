"""The rows as a list for Qt."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.session.state import State
from gui.texts.names import stage_label
from gui.views.code.rows import Row, covered, current, is_ahead, page_of, rows_of, spoken

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
_READ = ("document", "orientation", "wording")  # what the rows are made of, beside the page


class CodeModel(QAbstractListModel):
    """Holds the rows of the state that was shown last."""

    def __init__(self, state: State, parent: QObject) -> None:
        super().__init__(parent)
        self.state = state
        self.rows: tuple[Row, ...] = ()

    def show_state(self, old: State | None, new: State) -> bool:
        """Take over what changed; whether there are other rows now."""
        self.state = new
        same = old is not None and page_of(old) == page_of(new) and covered(old) == covered(new)
        if same and all(getattr(old, name) == getattr(new, name) for name in _READ):
            return False
        rows = rows_of(new)
        if rows == self.rows and (old is None or old.wording == new.wording):
            return False
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()
        return True

    @property
    def current(self) -> int:
        """The row of the step at which we stand; -1 if there is none."""
        return current(self.state, self.rows)

    def ahead(self, row: int) -> bool:
        """Whether a row has not been reached yet."""
        return is_ahead(self.state, self.rows[row])

    # Qt

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """The number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The text, the whole row for a screen reader, the stage's name as the tip."""
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row, roles = self.rows[index.row()], Qt.ItemDataRole
        if role == roles.DisplayRole:
            return row.text
        if role == roles.AccessibleTextRole:
            return spoken(self.state, row)
        return stage_label(row.stage) if role == roles.ToolTipRole and row.stage else None
