"""The model of the answer grid, and how its cells are painted and edited."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QWidget

from core.base.cell import Cell
from core.base.errors import UserError
from core.check.answers import parse_answer
from gui.painting.text_size import face, px
from gui.painting.theme import BODY, Colours, colours
from gui.session.answers import index_of
from gui.session.session import Session
from gui.session.spoken_cell import spoken_place, with_head
from gui.texts.names import cell_name
from gui.texts.translation import tr
from gui.views.check.answer_grid import AnswerGrid
from gui.views.check.marks import mark_colour, paint_mark
from gui.views.check.wording import verdict_name
from gui.widgets.number_table import NumberEditor, TypingDelegate

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
NO_PARENT = QModelIndex()


class EntryModel(QAbstractTableModel):
    """The cells of one grid; typed numbers go to the session."""

    def __init__(self, session: Session, grid: AnswerGrid, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._grid = grid

    @property
    def grid(self) -> AnswerGrid:
        """The grid shown."""
        return self._grid

    def show_grid(self, grid: AnswerGrid) -> None:
        """Show a grid."""
        old, fresh = self._grid, self._grid.frame != grid.frame
        if fresh:
            self.beginResetModel()
        self._grid = grid
        if fresh:
            self.endResetModel()
            return
        rows, columns = grid.shape
        self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, columns - 1))
        if (old.document.tokens, old.document.key_tokens) != (
            grid.document.tokens,
            grid.document.key_tokens,
        ):
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, rows - 1)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, columns - 1)

    def cell(self, index: Index) -> Cell:
        """The cell at an index."""
        return self._grid.cell(index.row(), index.column())

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        """Rows as displayed."""
        return 0 if parent.isValid() else self._grid.shape[0]

    def columnCount(self, parent: Index = NO_PARENT) -> int:
        """Columns as displayed."""
        return 0 if parent.isValid() else self._grid.shape[1]

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every cell can be edited."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """The text as entered; its place and mark for screen readers."""
        if not index.isValid():
            return None
        number = self._grid.number(index.row(), index.column())
        text = "" if number is None else number.text
        if role in (Role.DisplayRole, Role.EditRole):
            return text
        if role == Role.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Role.ToolTipRole:
            return self._name(index)
        if role == Role.AccessibleTextRole:
            return self._spoken(index, text)
        return None

    def _name(self, index: Index) -> str:
        return cell_name(self.cell(index), self._grid.document, self._grid.orientation)

    def _spoken(self, index: Index, text: str) -> str:
        here = (index.row(), index.column())
        asked = tr("to be predicted") if self._grid.is_predicted(*here) and not text else ""
        cell, document = self.cell(index), self._grid.document
        name = with_head(spoken_place(cell, document, self._grid.orientation), cell, document)
        parts = (name, text, verdict_name(self._grid.mark(*here)), asked)
        return tr("; ").join(part for part in parts if part)

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """Enter a number from a text; emit `failed` where it cannot be read."""
        if role != Role.EditRole or not index.isValid():
            return False
        try:
            number = parse_answer(str(value))
        except UserError as problem:
            self._session.failed.emit(problem)
            return False
        self._session.answers.write(self._grid.stage, {index_of(self.cell(index)): number})
        return True

    def clear_cells(self, indices: Iterable[Index]) -> None:
        """Clear cells."""
        self._session.answers.write(
            self._grid.stage, {index_of(self.cell(index)): None for index in indices}
        )

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        """Tokens, or letters with numbers."""
        across = orientation == Qt.Orientation.Horizontal
        if role == Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if across else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role not in (Role.DisplayRole, Role.ToolTipRole):
            return None
        count = self.columnCount() if across else self.rowCount()
        return self._grid.label(section, across=across) if section < count else None


MARK_SIZE, MARK_ROOM = 10, 24  # the mark's size, and the space for it at the right
_ALIGNED = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class EntryDelegate(TypingDelegate):
    """Paint a number and its mark on a tint of the mark's colour."""

    def __init__(self, model: EntryModel, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._model = model

    def require(self, text: str) -> None:
        """Accept a number or nothing."""
        parse_answer(text)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """A minimum; the view decides."""
        return QSize(px(64), px(28))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint background, text, mark, and a ring around the focused cell."""
        grid = self._model.grid
        theme, rect, place = colours(grid.state.shade), option.rect, (index.row(), index.column())
        verdict, number = grid.mark(*place), grid.number(*place)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(rect, QColor(theme.surface))
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(theme.accent_soft))
        _paint_tint(painter, QRectF(rect), verdict, theme)
        asked = grid.is_predicted(*place)
        if number is not None:
            painter.setFont(face(BODY))
            painter.setPen(QColor(theme.text))
            text = painter.fontMetrics().elidedText(
                number.text, Qt.TextElideMode.ElideRight, rect.width() - px(MARK_ROOM) - 4
            )
            painter.drawText(rect.adjusted(4, 0, -px(MARK_ROOM), 0), _ALIGNED, text)
        elif asked:
            painter.setFont(face(BODY, bold=True))
            painter.setPen(QColor(theme.accent))
            painter.drawText(rect.adjusted(4, 0, -px(MARK_ROOM), 0), _ALIGNED, "?")
        side = px(MARK_SIZE)
        mark = QRectF(rect.right() - px(17), rect.center().y() - side / 2 + 0.5, side, side)
        paint_mark(painter, mark, verdict, theme)
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), QColor(theme.line))
        if place == grid.place(grid.state.focus):
            _paint_ring(painter, QRectF(rect), theme)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Create a field for one number."""
        grid = self._model.grid
        name = cell_name(self._model.cell(index), grid.document, grid.orientation)
        editor = NumberEditor(parent, colours(grid.state.shade), name)
        editor.setAccessibleName(tr("Your number for {name}", name=name))
        editor.textEdited.connect(self.typed)
        return editor


def _paint_tint(painter: QPainter, rect: QRectF, verdict: str, theme: Colours) -> None:
    if verdict:
        tint = mark_colour(theme, verdict)
        tint.setAlphaF(0.10)
        painter.fillRect(rect, tint)


def _paint_ring(painter: QPainter, rect: QRectF, theme: Colours) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.accent), 2))
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -2), 4, 4)
