"""Tables of numbers: the view, the line editor of a cell, and the delegate that moves on after
Enter and Tab.
"""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QInputMethodEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QTableView,
    QWidget,
)

from core.base.cell import Cell
from core.base.errors import UserError
from core.base.number_format import may_be_thousands, read, show
from gui.painting.text_size import set_font, set_section, set_widest
from gui.painting.theme import BODY, Colours
from gui.texts.translation import tr
from gui.widgets.labels import Bubble
from gui.widgets.shortcut_filter import COMMANDS, claim_key


class NumberEditor(QLineEdit):
    """A line edit that keeps all keys without Ctrl or Alt from shortcuts."""

    def __init__(self, parent: QWidget, theme: Colours, name: str) -> None:
        super().__init__(parent)
        set_font(self, BODY)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName(tr("New value of {name}", name=name))
        self.dress(theme)

    def dress(self, theme: Colours, pixels: int = 0) -> None:
        """Apply a theme; text of `pixels` if not 0."""
        size = f" font-size: {pixels}px;" if pixels else ""
        self.setStyleSheet(
            f"QLineEdit {{{size} color: {theme.text}; background: {theme.surface}; border: 2px solid {theme.accent};"
            f" border-radius: 4px; padding: 0 6px; selection-background-color: {theme.accent};"
            f" selection-color: {theme.on_accent}; }}"
        )

    def is_untouched(self) -> bool:
        """Whether it was opened on a hidden number, and nothing was typed."""
        return not self.text() and not self.isModified()

    def event(self, event: QEvent) -> bool:
        """Claim typed keys from shortcuts."""
        return claim_key(event, _is_typed) or super().event(event)


def _is_typed(event: QKeyEvent) -> bool:
    return not event.modifiers() & COMMANDS


STEPS = {
    Qt.Key.Key_Return: (1, 0),
    Qt.Key.Key_Enter: (1, 0),
    Qt.Key.Key_Tab: (0, 1),
    Qt.Key.Key_Backtab: (0, -1),
}

Place = tuple[int, int]
Index = QModelIndex | QPersistentModelIndex


class TypingOrder:
    """Where typing continues in a table: Tab along rows, Enter down; after Tabs, Enter goes to
    where they began.
    """

    def __init__(self) -> None:
        self._began = 0
        self._expected: Place | None = None

    def after(self, place: Place, step: Place, shape: Place) -> Place | None:
        """The place after a step of (rows, columns) in a table of a shape; None at the end."""
        runs = place == self._expected
        if step[0]:
            self._expected = None
            return _below(place[0], self._began, shape) if runs else _down(place, shape)
        self._began = self._began if runs else place[1]
        number = place[0] * shape[1] + place[1] + step[1]
        self._expected = divmod(number, shape[1]) if 0 <= number < shape[0] * shape[1] else None
        return self._expected


def end_sentence() -> str:
    """What to say where typing cannot continue."""
    return tr("The table ends here: another number would replace this one.")


def comma_sentence(text: str) -> str:
    """How an ambiguous comma was read and how to write the other number; "" where clear."""
    if not may_be_thousands(text):
        return ""
    return tr(
        "{text} is read as {value}, with the comma as the decimal sign; for thousands, leave "
        "the comma out: {whole}.",
        text=text.strip(),
        value=show(read(text), 3),
        whole=show(read(text) * 1000, 0),
    )


def _below(row: int, column: int, shape: Place) -> Place | None:
    return (row + 1, column) if row + 1 < shape[0] else None


def _down(place: Place, shape: Place) -> Place | None:
    """One row down; from the last row to the top of the next column."""
    if place[0] + 1 < shape[0]:
        return place[0] + 1, place[1]
    return (0, place[1] + 1) if place[1] + 1 < shape[1] else None


class TypingDelegate(QStyledItemDelegate):
    """Take over typed text on Enter and Tab; keep the editor open if it is refused.

    `refused(editor, problem)`: it cannot be used; `typed(text)`: a key was pressed;
    `moved(rows, columns)`: it was taken over, with the step to the next cell; `told(sentence,
    place)`: how an ambiguous text was read.
    """

    refused = Signal(object, object)
    typed = Signal(str)
    moved = Signal(int, int)
    told = Signal(str, QRect)

    @abstractmethod
    def require(self, text: str) -> None:
        """Raise UserError if a text cannot be used."""

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Fill the editor, unless text was typed."""
        if isinstance(editor, NumberEditor) and not editor.isModified():
            editor.setText(index.data(Qt.ItemDataRole.EditRole) or "")
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Pass the text to the model."""
        if isinstance(editor, NumberEditor) and not editor.is_untouched():
            model.setData(index, editor.text(), Qt.ItemDataRole.EditRole)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Handle Enter and Tab; keep an editor with a refused text open behind a dialog."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in STEPS
        ):
            if isinstance(editor, NumberEditor):
                self._commit(editor, STEPS[Qt.Key(event.key())])
            return True
        if event.type() == QEvent.Type.KeyPress and isinstance(editor, NumberEditor):
            self.typed.emit(editor.text())
        behind = isinstance(event, QFocusEvent) and event.reason() == _BEHIND and event.lostFocus()
        if behind and isinstance(editor, NumberEditor) and not self._accepts(editor):
            return False
        return super().eventFilter(editor, event)

    def commit(self, editor: NumberEditor) -> bool:
        """Take over the text and close the editor; False where the text is refused."""
        if self._accepts(editor):
            self.commitData.emit(editor)
            self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)
            return True
        return False

    def _accepts(self, editor: NumberEditor) -> bool:
        if editor.is_untouched():
            return True
        try:
            self.require(editor.text())
        except UserError as problem:
            self.refused.emit(editor, problem)
            return False
        return True

    def _commit(self, editor: NumberEditor, step: tuple[int, int]) -> None:
        said, place = comma_sentence(editor.text()), editor.geometry()
        if self.commit(editor):
            self.moved.emit(*step)
            if said:
                self.told.emit(said, place)


_BEHIND = Qt.FocusReason.ActiveWindowFocusReason


def commit_typing(field: QWidget | None) -> None:
    """Take over what is being typed in a field; the keyboard stays there, or in the field's table.

    A hidden field has been closed already: in a window behind another, Qt lets it keep the focus until it is deleted.
    """
    if field is None or field.isHidden():
        return
    around = field.parentWidget() if isinstance(field, QLineEdit) else None
    table = None if around is None else around.parentWidget()
    if isinstance(field, NumberEditor) and isinstance(table, QAbstractItemView):
        delegate = table.itemDelegate()
        if isinstance(delegate, TypingDelegate):
            delegate.commit(field)
    elif isinstance(table, QAbstractItemView):
        table.setFocus()
    elif isinstance(field, QAbstractSpinBox):
        field.interpretText()
        field.editingFinished.emit()
    elif isinstance(field, QLineEdit):
        field.editingFinished.emit()


ROW_HEIGHT, WIDEST_HEADER = 28, 110


LABELS_MEASURED = 3  # of the longest among the first and last hundred labels of a header


class TableHeader(QHeaderView):
    """A header that measures only its longest labels.

    Qt measures 200 sections some 60 times for another theme: 400 ms with 2,000 tokens.
    """

    def __init__(
        self, orientation: Qt.Orientation, model: QAbstractItemModel, parent: QWidget
    ) -> None:
        super().__init__(orientation, parent)
        self.setSectionsClickable(True)
        self.setHighlightSections(True)
        self._longest: list[int] = []
        for changed in (model.headerDataChanged, model.modelReset, self.sectionCountChanged):
            changed.connect(self._forget)

    def _forget(self) -> None:
        self._longest = []

    def sizeHint(self) -> QSize:
        """The size of the longest labels."""
        if not self._longest:
            last = max(0, self.count() - 100)
            ends = (*range(min(100, last)), *range(last, self.count()))
            labels = {i: str(self.model().headerData(i, self.orientation())) for i in ends}
            self._longest = sorted(ends, key=lambda i: len(labels[i]))[-LABELS_MEASURED:]
        size = QSize()
        for section in self._longest:
            size = size.expandedTo(self.sectionSizeFromContents(section))
        return size


class TypingTable(QTableView):
    """A table that takes text from an input method as it takes keys.

    `bubble` shows what is wrong until the next key, or until the table scrolls or loses the focus.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bubble = Bubble(self.viewport())

    def event(self, event: QEvent) -> bool:
        """Hide the message at the next key."""
        if event.type() == QEvent.Type.KeyPress:
            self.bubble.hide()
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the message."""
        super().focusOutEvent(event)
        self.bubble.hide()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Hide the message."""
        super().scrollContentsBy(dx, dy)
        self.bubble.hide()

    def may_type(self) -> bool:
        """Prepare the current cell for typed text; False where it takes none."""
        return self.currentIndex().isValid()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Pass a text that is committed at once, such as 。 or ５, to the editor; Qt would lose it."""
        was_editing = self.is_editing()
        if not was_editing and not self.may_type():
            return
        super().inputMethodEvent(event)
        line = self.viewport().findChild(QLineEdit)
        at_once = event.commitString() and not event.preeditString()
        if at_once and not was_editing and line is not None:
            QApplication.sendEvent(line, event)

    def selected_rect(self) -> QRect:
        """The rectangle of the selected cells, or of the first one."""
        region = self.visualRegionForSelection(self.selectionModel().selection())
        first = self.visualRect(self.model().index(0, 0))
        return first if region.isEmpty() else region.boundingRect()

    def is_editing(self) -> bool:
        """Whether a cell is being edited."""
        return self.state() == QAbstractItemView.State.EditingState


class NumberTable(TypingTable):
    """A table view; a subclass calls `furnish` when it has its model, and sets column widths in
    `fit`. `menu_wanted(cell, point)`: a right click, or the menu key, on a cell.
    """

    menu_wanted = Signal(object, QPoint)

    @abstractmethod
    def fit(self) -> None:
        """Set the widths of columns."""

    @abstractmethod
    def cell(self, index: Index) -> Cell:
        """The address of the number at an index."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the cell at the pointer, or of the current one for the menu key."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        if index.isValid():
            at = self.viewport().mapToGlobal(self.visualRect(index).bottomLeft())
            self.menu_wanted.emit(self.cell(index), at if by_key else event.globalPos())
        else:
            event.ignore()

    def furnish(self) -> None:
        """Set up grid, Tab, headers and edit triggers."""
        set_font(self, BODY)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.setHorizontalHeader(TableHeader(Qt.Orientation.Horizontal, self.model(), self))
        self.setVerticalHeader(TableHeader(Qt.Orientation.Vertical, self.model(), self))
        for bar in (self.horizontalHeader(), self.verticalHeader()):
            bar.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            set_font(bar, BODY)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        set_section(self.verticalHeader(), ROW_HEIGHT)
        set_widest(self.verticalHeader(), WIDEST_HEADER)
        self.model().headerDataChanged.connect(self._make_room)

    def _make_room(self, along: Qt.Orientation) -> None:
        """Adapt the width of row labels, which Qt does only at the next resize."""
        if along == Qt.Orientation.Vertical:
            self.updateGeometries()

    def show_current(self, index: QModelIndex) -> None:
        """Set the current cell; none for an invalid index."""
        if index.isValid():
            self.setCurrentIndex(index)
        else:
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.Clear)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the columns."""
        super().resizeEvent(event)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        """Adapt the columns to another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fit()
