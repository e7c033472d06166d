"""Import dialog: the sheets of a workbook, with its matrices marked; drag a range and name it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.exchange.sheets import Area, Sheet, column_letters, entry_of_area
from core.exchange.sources import Entry
from gui.dialogs.import_list import colour_of
from gui.dialogs.import_proposal import Proposal
from gui.painting.text_size import px
from gui.texts.translation import tr
from gui.widgets.forms import caption, theme_of
from gui.widgets.layouts import fill
from gui.widgets.styles import table_style

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
SPARE = 2  # empty rows and columns after the last


class SheetModel(QAbstractTableModel):
    """The cells of a sheet as text; those of matrices are tinted."""

    def __init__(self, sheet: Sheet) -> None:
        super().__init__()
        self.sheet = sheet
        self._areas: list[tuple[Area, QColor]] = []

    def mark(self, areas: list[tuple[Area, QColor]]) -> None:
        """Tint other areas."""
        self._areas = areas
        last = self.index(self.rowCount() - 1, self.columnCount() - 1)
        self.dataChanged.emit(self.index(0, 0), last, [Qt.ItemDataRole.BackgroundRole])

    def rowCount(self, parent: Index = ROOT) -> int:
        """The rows."""
        return 0 if parent.isValid() else len(self.sheet.cells) + SPARE

    def columnCount(self, parent: Index = ROOT) -> int:
        """The columns."""
        return 0 if parent.isValid() else len(self.sheet.cells[0]) + SPARE

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Letters of columns, numbers of rows."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        across = orientation is Qt.Orientation.Horizontal
        return column_letters(section) if across else str(section + 1)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text and the tint of a cell."""
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.sheet.text(row, column)
        if role == Qt.ItemDataRole.BackgroundRole:
            for (top, left, bottom, right), colour in self._areas:
                if top <= row <= bottom and left <= column <= right:
                    return colour
        return None


class SheetView(QWidget):
    """Sheets to choose from, their cells, and a field that names the selected range.

    `named(entry)`: a range was named. `picked(row)`: the matrix at a clicked cell.
    """

    named = Signal(object)
    picked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._proposal: Proposal | None = None
        self._models: list[SheetModel] = []
        self.sheets = QComboBox()
        self.sheets.setAccessibleName(tr("Sheet"))
        self.sheets.activated.connect(self._show_sheet)
        self.table = QTableView()
        self.table.setStyleSheet(table_style(theme_of(self), 4))
        self.table.setAccessibleName(tr("Cells of the sheet"))
        self.table.setTabKeyNavigation(False)
        self.table.horizontalHeader().setDefaultSectionSize(px(72))
        self.table.verticalHeader().setDefaultSectionSize(px(26))
        self.table.clicked.connect(self._on_clicked)
        self.name = QLineEdit()
        self.name.setPlaceholderText(tr("name of the range, such as W_Q"))
        self.name.setAccessibleName(tr("Name of the selected range"))
        self.name.setMaxLength(60)
        self.name.returnPressed.connect(self._add)
        self.add_button = QPushButton(tr("&Add range"))
        self.add_button.setAutoDefault(False)
        self.add_button.clicked.connect(self._add)
        self.told = caption(
            tr("Drag over numbers, or use Shift with the arrow keys, then name them.")
        )
        row = fill(QHBoxLayout(), (self.name, 1), self.add_button, spacing=8)
        fill(QVBoxLayout(self), self.sheets, (self.table, 1), self.told, row, spacing=6)

    def show_sheets(self, sheets: tuple[Sheet, ...]) -> None:
        """Show the sheets of a workbook."""
        self._models = [SheetModel(sheet) for sheet in sheets]
        self.sheets.clear()
        self.sheets.addItems([sheet.name for sheet in sheets])
        self.sheets.setVisible(len(sheets) > 1)
        self._show_sheet()

    def _show_sheet(self) -> None:
        if self._models:
            self.table.setModel(self._models[max(0, self.sheets.currentIndex())])

    def show_proposal(self, proposal: Proposal | None) -> None:
        """Tint the cells of each matrix in the colour of its role."""
        self._proposal = proposal
        for model in self._models:
            areas = []
            for entry, role in (
                () if proposal is None else zip(proposal.entries, proposal.roles, strict=True)
            ):
                area = model.sheet.area(entry.cells)
                if area is not None:
                    colour = QColor(colour_of(role, theme_of(self)))
                    colour.setAlpha(56)
                    areas.append((area, colour))
            model.mark(areas)

    def select(self, row: int) -> None:
        """Select the cells of an entry and scroll to them."""
        if self._proposal is None or not 0 <= row < len(self._proposal.entries):
            return
        for number, model in enumerate(self._models):
            area = model.sheet.area(self._proposal.entries[row].cells)
            if area is None:
                continue
            self.sheets.setCurrentIndex(number)
            self._show_sheet()
            top, left, bottom, right = area
            block = QItemSelection(model.index(top, left), model.index(bottom, right))
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.table.selectionModel().select(block, flags)
            self.table.scrollTo(model.index(top, left))

    def _on_clicked(self, index: QModelIndex) -> None:
        if self._proposal is None or len(self.table.selectedIndexes()) != 1:
            return
        sheet = self._models[max(0, self.sheets.currentIndex())].sheet
        for row, entry in enumerate(self._proposal.entries):
            area = sheet.area(entry.cells)
            inside = (
                area is not None
                and area[0] <= index.row() <= area[2]
                and area[1] <= index.column() <= area[3]
            )
            if inside:
                self.picked.emit(row)
                return

    def _add(self) -> None:
        """Take the selected range as a matrix of the typed name."""
        cells = self.table.selectedIndexes()
        if not cells:
            self.told.setText(tr("Nothing is selected: drag over the numbers first."))
            return
        rows, columns = [cell.row() for cell in cells], [cell.column() for cell in cells]
        sheet = self._models[max(0, self.sheets.currentIndex())].sheet
        area = min(rows), min(columns), max(rows), max(columns)
        entry: Entry = entry_of_area(sheet, area, self.name.text().strip())
        self.name.clear()
        self.named.emit(entry)
