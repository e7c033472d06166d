"""Import dialog: the list of matrices, each with a small heatmap, a role, and whether it fits."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from core.exchange.role_names import CHECK, LEFT_OUT
from core.exchange.roles import parse_role
from core.exchange.sources import Entry
from gui.dialogs.import_proposal import Proposal
from gui.painting.color_scale import levels_of
from gui.painting.matrix import MatrixSpec, paint_matrix
from gui.painting.shapes import draw_box, set_ink
from gui.painting.text_size import face, px
from gui.painting.theme import BODY, CAPTION, Colours, edge, role_colour
from gui.texts.roles import fit_text, place_of, role_choices, role_text, shape_of
from gui.texts.translation import tr
from gui.widgets.forms import theme_of
from gui.widgets.styles import table_style

PICTURE, NAME, SHAPE, ROLE, FITS = range(5)
ROW, MOST_PICTURED = 40, 24  # pixels; rows and columns of a small heatmap
SIGNS = {"yes": "✓", "no": "✗", "ask": "?", "out": "–"}
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


def colour_of(role: str, theme: Colours) -> QColor:
    """The colour of a role in list and text."""
    base = parse_role(role).role.removeprefix(CHECK)
    if base == LEFT_OUT:
        return QColor(theme.ghost)
    return role_colour(theme, "weights" if base == "A" else base)


class EntryModel(QAbstractTableModel):
    """The entries of a proposal as rows."""

    def __init__(self) -> None:
        super().__init__()
        self.proposal: Proposal | None = None

    def show_proposal(self, proposal: Proposal | None) -> None:
        """Show another proposal; rows stay where their number does."""
        before, after = self.rowCount(), 0 if proposal is None else len(proposal.entries)
        if before == after:
            self.proposal = proposal
            self.dataChanged.emit(self.index(0, 0), self.index(after - 1, FITS))
            return
        self.beginResetModel()
        self.proposal = proposal
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        """The number of entries."""
        return 0 if self.proposal is None or parent.isValid() else len(self.proposal.entries)

    def columnCount(self, parent: Index = ROOT) -> int:
        """Picture, name, shape, role, and whether it fits."""
        return 0 if parent.isValid() else FITS + 1

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The titles of the columns."""
        if role != Qt.ItemDataRole.DisplayRole or orientation is Qt.Orientation.Vertical:
            return None
        return ["", tr("Name in text"), tr("Shape"), tr("Use as"), tr("Fits?")][section]

    def flags(self, index: Index) -> Qt.ItemFlag:
        """The role can be edited."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == ROLE else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts of a cell, for eyes and for screen readers."""
        if self.proposal is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.spoken(index.row())
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        row, entry = index.row(), self.proposal.entries[index.row()]
        if index.column() == FITS:
            return self._fit(row)[1]
        if index.column() == ROLE:
            return role_text(self.proposal.roles[row])
        name = entry.name or tr("(no name)")
        if index.column() == NAME and role == Qt.ItemDataRole.ToolTipRole:
            return f"{name} · {place_of(entry)}" if place_of(entry) else name
        return {NAME: name, SHAPE: shape_of(entry)}.get(index.column())

    def _fit(self, row: int) -> tuple[str, str]:
        assert self.proposal is not None
        proposal = self.proposal
        if proposal.asks and row in proposal.draft.open:
            return "ask", tr("two readings: see below")
        return fit_text(row, proposal.entries[row], proposal.draft)

    def sign(self, row: int) -> str:
        """Whether an entry fits: "yes", "no", "ask", "out"."""
        return self._fit(row)[0]

    def spoken(self, row: int) -> str:
        """A row in words."""
        assert self.proposal is not None
        entry = self.proposal.entries[row]
        return tr(
            "{number} of {count}, {name}, {shape}, {place}, {role}, {fits}",
            number=row + 1,
            count=len(self.proposal.entries),
            name=entry.name or tr("(no name)"),
            shape=shape_of(entry),
            place=place_of(entry),
            role=role_text(self.proposal.roles[row]),
            fits=self._fit(row)[1],
        )


class EntryDelegate(QStyledItemDelegate):
    """Paints the heatmap, the role as a combo box, and the sign; edits the role."""

    chosen = Signal(int, str)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        model = index.model()
        assert isinstance(model, EntryModel)
        if model.proposal is None:
            return
        parent = self.parent()
        assert isinstance(parent, EntryList)
        theme = parent.theme
        row, area = index.row(), QRectF(option.rect)
        self._paint_ground(painter, option, model.sign(row), theme)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.column() == PICTURE:
            colour = colour_of(model.proposal.roles[row], theme)
            paint_badge(painter, area.left() + px(18), area.center().y(), row + 1, colour, theme)
            paint_small(
                painter,
                area.adjusted(px(38), px(5), -px(4), -px(5)),
                model.proposal.entries[row],
                theme,
            )
        elif index.column() == ROLE:
            self._paint_role(painter, area, str(index.data()), model.proposal.roles[row], theme)
        else:
            self._paint_text(painter, area, index, model, theme)
        painter.restore()

    @staticmethod
    def _paint_ground(
        painter: QPainter, option: QStyleOptionViewItem, sign: str, theme: Colours
    ) -> None:
        selected = option.state & QStyle.StateFlag.State_Selected
        if selected or sign == "ask":
            colour = QColor(theme.accent_soft if selected else theme.warning)
            colour.setAlpha(255 if selected else 28)
            painter.fillRect(option.rect, colour)

    def _paint_role(
        self, painter: QPainter, area: QRectF, text: str, role: str, theme: Colours
    ) -> None:
        frame = area.adjusted(2.5, px(5) + 0.5, -2.5, -px(5) - 0.5)
        draw_box(painter, frame, edge(theme), theme.surface, 4)
        arrow, half = QPointF(frame.right() - px(12), frame.center().y() - px(1.5)), px(4)
        points = (QPointF(-half, 0), QPointF(half, 0), QPointF(0, half))
        set_ink(painter, None, theme.muted)
        painter.drawPolygon([arrow + point for point in points])
        field = frame.adjusted(px(8), 0, -px(22), 0)
        left_out = role == LEFT_OUT
        painter.setPen(QColor(theme.muted) if left_out else colour_of(role, theme))
        self._write(painter, field, text, bold=not left_out)

    def _paint_text(
        self, painter: QPainter, area: QRectF, index: Index, model: EntryModel, theme: Colours
    ) -> None:
        text = str(index.data() or "")
        area = area.adjusted(px(6), 0, -px(4), 0)
        sign = model.sign(index.row())
        if index.column() == FITS:
            colours = {"yes": theme.value, "no": theme.error, "ask": theme.warning}
            painter.setPen(QColor(colours.get(sign, theme.muted)))
            self._write(painter, area, SIGNS[sign], bold=True)
            area = area.adjusted(px(18), 0, 0, 0)
        painter.setPen(
            QColor(theme.muted if index.column() == SHAPE or sign == "out" else theme.text)
        )
        self._write(painter, area, text)

    @staticmethod
    def _write(painter: QPainter, area: QRectF, text: str, *, bold: bool = False) -> None:
        painter.setFont(face(BODY, bold=bold))
        cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, cut)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """The roles to choose from."""
        model = index.model()
        assert isinstance(model, EntryModel)
        assert model.proposal is not None
        combo = QComboBox(parent)
        combo.setMaxVisibleItems(20)
        proposal = model.proposal
        for role in role_choices(proposal.draft, proposal.heads):
            combo.addItem(role_text(role), role)
        chosen = combo.findData(proposal.roles[index.row()])
        combo.setCurrentIndex(max(0, chosen))
        combo.setAccessibleName(tr("Use as"))
        combo.activated.connect(lambda _: self._commit(combo))
        return combo

    def _commit(self, combo: QComboBox) -> None:
        self.commitData.emit(combo)
        self.closeEditor.emit(combo)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Nothing: the editor is made with its data; its list opens at once."""
        if isinstance(editor, QComboBox) and not editor.property("opened"):
            editor.setProperty("opened", True)
            editor.showPopup()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Tell the chosen role."""
        if isinstance(editor, QComboBox):
            self.chosen.emit(index.row(), str(editor.currentData()))

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Rows of one height."""
        return QSize(px(60), px(ROW))


def paint_badge(
    painter: QPainter, x: float, y: float, number: int, colour: QColor, theme: Colours
) -> None:
    """Paint the number of an entry in a ring of its role's colour, in list and text."""
    radius = px(13)
    painter.setPen(colour)
    painter.setBrush(QColor(theme.surface))
    ring = QRectF(x - radius, y - radius, 2 * radius, 2 * radius)
    painter.drawEllipse(ring.adjusted(1, 1, -1, -1))
    painter.setFont(face(CAPTION, bold=True))
    painter.drawText(ring, Qt.AlignmentFlag.AlignCenter, str(number))


def paint_small(painter: QPainter, area: QRectF, entry: Entry, theme: Colours) -> None:
    """Paint the first numbers of an entry as a small heatmap without digits."""
    if not entry.matrix.size:
        return
    values = entry.matrix[:MOST_PICTURED, :MOST_PICTURED]
    rows, columns = values.shape
    side = min(area.width() / columns, area.height() / rows, float(px(13)))
    rect = QRectF(area.left(), area.center().y() - side * rows / 2, side * columns, side * rows)
    paint_matrix(painter, rect, MatrixSpec(values, levels_of(values, ""), 0, digits=None), theme)


class EntryList(QTableView):
    """The list: ↑ ↓ rows, F4, Enter or Space the role. `chosen(row, role)`, `selected(row)`."""

    selected = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.entries = EntryModel()
        self.setModel(self.entries)
        self.delegate = EntryDelegate(self)
        self.chosen = self.delegate.chosen
        self.setItemDelegate(self.delegate)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(px(ROW))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.theme = theme_of(self)  # the style sheet changes the palette
        self.setStyleSheet(table_style(self.theme))
        self.setAccessibleName(tr("Matrices"))
        self.clicked.connect(self._on_clicked)

    def show_proposal(self, proposal: Proposal | None) -> None:
        """Show another proposal and keep the row."""
        row = self.currentIndex().row()
        self.entries.show_proposal(proposal)
        if self.entries.rowCount():
            self.select(max(0, min(row, self.entries.rowCount() - 1)))

    def select(self, row: int) -> None:
        """Select a row."""
        self.setCurrentIndex(self.entries.index(row, ROLE))

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tell the new row."""
        super().currentChanged(current, previous)
        if current.isValid() and current.row() != previous.row():
            self.selected.emit(current.row())

    def open_roles(self) -> None:
        """Open the list of roles of the selected row."""
        if self.currentIndex().isValid():
            self.edit(self.entries.index(self.currentIndex().row(), ROLE))

    def _on_clicked(self, index: QModelIndex) -> None:
        if index.column() == ROLE:
            self.open_roles()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """F4, Enter and Space open the roles; Delete leaves the matrix out."""
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        keys = (Qt.Key.Key_F4, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if plain and event.key() in keys:
            self.open_roles()
        elif plain and event.key() == Qt.Key.Key_Delete and self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex().row(), LEFT_OUT)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: Any) -> None:
        """Share the width out."""
        super().resizeEvent(event)
        room = self.viewport().width() - px(92) - px(66)
        for column, width in ((PICTURE, px(92)), (SHAPE, px(66))):
            self.setColumnWidth(column, width)
        self.setColumnWidth(NAME, int(room * 0.24))
        self.setColumnWidth(ROLE, int(room * 0.38))

    def viewportEvent(self, event: QEvent) -> bool:
        """Show whole texts as tool tips."""
        if isinstance(event, QHelpEvent):
            index = self.indexAt(event.pos())
            text = index.data(Qt.ItemDataRole.ToolTipRole) if index.isValid() else ""
            QToolTip.showText(event.globalPos(), str(text or ""), self)
            return True
        return super().viewportEvent(event)
