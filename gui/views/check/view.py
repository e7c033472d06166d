"""The grid of the check panel: keyboard, paste and copy; undo keys for the whole panel."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.base.cell import Cell
from core.base.errors import UserError
from gui.painting.text_size import face, px
from gui.painting.theme import BODY, colours
from gui.session.session import Session
from gui.texts.errors import error_message
from gui.views.check.answer_grid import (
    AnswerGrid,
    PasteError,
    Place,
    next_blank,
    next_open,
    next_predicted,
    parse_answers,
)
from gui.views.check.grid_model import MARK_ROOM, EntryDelegate, EntryModel, Index
from gui.widgets.choice import ChoiceBox
from gui.widgets.number_table import (
    ROW_HEIGHT,
    WIDEST_HEADER,
    NumberEditor,
    NumberTable,
    TypingOrder,
    end_sentence,
)
from gui.widgets.shortcut_filter import COMMANDS, GIVES_MOVES, REDO, UNDO, claim_key
from gui.widgets.styles import table_style

UNDO_KEYS = [
    (QKeySequence(keys), by) for by, several in ((-1, UNDO), (1, REDO)) for keys in several
]


def undo_direction(event: QKeyEvent) -> int:
    """−1 for an undo key, 1 for a redo key, else 0."""
    pressed = QKeySequence(event.keyCombination())
    return next((by for keys, by in UNDO_KEYS if keys == pressed), 0)


class UndoKeys(QWidget):
    """Claim undo and redo keys for the learner's numbers; a text field's own undo comes first."""

    def undo(self, by: int) -> None:
        """Undo (−1) or redo (1) one change."""
        raise NotImplementedError

    def event(self, event: QEvent) -> bool:
        """Claim the keys before shortcuts do."""
        return claim_key(event, undo_direction) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle undo and redo."""
        if undo_direction(event):
            self.undo(undo_direction(event))
        else:
            super().keyPressEvent(event)


class UndoChoiceBox(ChoiceBox):
    """Leave undo and redo keys to the panel; a combo box would search for their letters."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignore undo and redo."""
        if undo_direction(event):
            event.ignore()
        else:
            super().keyPressEvent(event)


Key = Qt.Key
MOVES = {Key.Key_Left, Key.Key_Right, Key.Key_Home, Key.Key_End, Key.Key_PageUp, Key.Key_PageDown}
OWN_KEYS = {
    Key.Key_Up,
    Key.Key_Down,
    Key.Key_Delete,
    Key.Key_Backspace,
    Key.Key_Return,
    Key.Key_Enter,
    Key.Key_F2,
}
MIN_WIDTH, WIDE = 60, 150
BELOW = 4  # between the last row and the frame


class EntryView(NumberTable):
    """Show and edit the numbers; the current cell is the focused one.

    `finished`: Enter was pressed while predicting and no cell is left blank. Step keys stay with
    the window then.
    """

    clips = (
        "clip_copy",
        "clip_paste",
        "clip_clear",
        "select_all",
    )  # actions of the Edit menu that work here
    finished = Signal()

    def __init__(self, session: Session, grid: AnswerGrid, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._course = TypingOrder()
        self.entries = EntryModel(session, grid, self)
        self._delegate = EntryDelegate(self.entries, self)
        self.setModel(self.entries)
        self.setItemDelegate(self._delegate)
        self._delegate.refused.connect(self._refuse)
        self._delegate.typed.connect(self.bubble.hide)
        self._delegate.moved.connect(self._move_on)
        self._delegate.told.connect(self.bubble.say)
        self._delegate.closeEditor.connect(self.bubble.hide)
        self.furnish()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    def paint_in(self, shade: str) -> None:
        """Apply the theme."""
        self.setStyleSheet(table_style(colours(shade)))
        self.bubble.paint_in(colours(shade))

    def show_grid(self, grid: AnswerGrid) -> None:
        """Show numbers, marks and the current cell."""
        fresh = grid.frame != self.entries.grid.frame
        self.entries.show_grid(grid)
        self.setProperty(GIVES_MOVES, grid.state.predict)
        if fresh:
            self.fit()
            self.updateGeometry()
        place = grid.place(grid.state.focus)
        index = self.entries.index(*place) if place is not None else QModelIndex()
        if index != self.currentIndex():
            self.show_current(index)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Focus the current cell."""
        super().currentChanged(current, previous)
        self.bubble.hide()
        if current.isValid() and self.entries.cell(current) != self._session.state.focus:
            self._session.set_focus(self.entries.cell(current))

    def cell(self, index: Index) -> Cell:
        """The address of the number at an index."""
        return self.entries.cell(index)

    # Sizes

    def fit(self) -> None:
        """Make all columns as wide as the widest label needs, wider where there is space."""
        count = self.entries.columnCount()
        share = self.viewport().width() // max(1, count)
        self.horizontalHeader().setDefaultSectionSize(
            max(self._needed(count), min(share, px(WIDE)))
        )

    def sizeHint(self) -> QSize:
        """As high as the rows."""
        return QSize(super().sizeHint().width(), self._height(self.entries.rowCount()))

    def minimumSizeHint(self) -> QSize:
        """Two rows; the others scroll."""
        return QSize(px(160), self._height(min(2, self.entries.rowCount())))

    def _height(self, rows: int) -> int:
        bar, header = self.horizontalScrollBar(), self.horizontalHeader().sizeHint().height()
        height = header + rows * px(ROW_HEIGHT) + 2 * self.frameWidth() + BELOW
        return height + bar.sizeHint().height() if bar.maximum() else height

    def _needed(self, count: int) -> int:
        metrics = QFontMetrics(face(BODY, bold=True))
        labels = (self.entries.grid.label(i, across=True) for i in range(min(count, 64)))
        label = max(map(metrics.horizontalAdvance, labels), default=0) + px(MARK_ROOM) + 8
        return max(px(MIN_WIDTH), min(px(WIDEST_HEADER), label))

    # Typing

    def _refuse(self, editor: NumberEditor, problem: UserError) -> None:
        self.bubble.say(error_message(problem), editor.geometry())

    def _move_on(self, rows: int, columns: int) -> None:
        """Go to the next cell; while predicting, to the next hidden one."""
        now, grid = self.currentIndex(), self.entries.grid
        here = (now.row(), now.column())
        place = self._course.after(here, (rows, columns), grid.shape)
        if grid.state.hidden is not None:
            question = self._question(here, place, columns)
            self.setCurrentIndex(self.entries.index(*(question or here)))
            return
        if place is None:
            self.bubble.say(end_sentence(), self.visualRect(now))
            return
        self.setCurrentIndex(self.entries.index(*place))

    def _question(self, here: Place, place: Place | None, columns: int) -> Place | None:
        """The next hidden cell: where typing would go on, else the next one without a number."""
        grid = self.entries.grid
        if columns:
            return next_predicted(grid, *here, columns)
        if place is not None and grid.is_predicted(*place) and grid.number(*place) is None:
            return place
        return next_open(grid, *here)

    def event(self, event: QEvent) -> bool:
        """Claim keys that move, type or clear while the grid has the focus."""
        return claim_key(event, self._owns) or super().event(event)

    def _owns(self, event: QKeyEvent) -> bool:
        if event.matches(QKeySequence.StandardKey.Copy) or event.matches(
            QKeySequence.StandardKey.Paste
        ):
            return True
        if event.modifiers() & COMMANDS:
            return False
        if event.key() in MOVES:
            return not event.modifiers() and not self.property(GIVES_MOVES)
        return event.key() in OWN_KEYS or _starts_number(event.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle keys of the grid."""
        command = event.modifiers() & COMMANDS
        if undo_direction(event):
            event.ignore()  # for the panel
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.paste()
        elif event.key() in (Key.Key_Delete, Key.Key_Backspace) and not command:
            self.clear()
        elif event.key() in (Key.Key_Return, Key.Key_Enter):
            self._enter()
        elif event.key() in OWN_KEYS | MOVES or command or _starts_number(event.text()):
            if not command and _starts_number(event.text()):
                self.may_type()
            super().keyPressEvent(event)
        else:
            event.ignore()

    def may_type(self) -> bool:
        """Go to the first blank cell if none is current."""
        if not self.currentIndex().isValid():
            self._go_to_blank()
        return True

    def _go_to_blank(self) -> None:
        """Move to the first blank cell, where another stage has the focus."""
        grid = self.entries.grid
        rows, columns = map(range, grid.shape)
        places = (
            (row, column) for row in rows for column in columns if grid.number(row, column) is None
        )
        self.setCurrentIndex(self.entries.index(*next(places, (0, 0))))

    def _enter(self) -> None:
        now = self.currentIndex()
        grid = self.entries.grid
        if grid.state.predict and next_blank(grid, 0, -1) is None:
            self.finished.emit()
        elif now.isValid():
            self.edit(now)

    def edit_current(self) -> None:
        """Edit the learner's number in the current cell."""
        if self.currentIndex().isValid():
            self.edit(self.currentIndex())

    def clear(self) -> None:
        """Clear the selected cells."""
        self.entries.clear_cells(self.selectedIndexes())

    def copy(self) -> None:
        """Copy the selection as lines with tabs."""
        chosen = sorted((index.row(), index.column()) for index in self.selectedIndexes())
        rows = sorted({row for row, _ in chosen})
        lines = []
        for row in rows:
            texts = (self.entries.grid.number(*place) for place in chosen if place[0] == row)
            lines.append("\t".join("" if number is None else number.text for number in texts))
        QGuiApplication.clipboard().setText("\n".join(lines))

    def paste(self, text: str | None = None) -> None:
        """Enter numbers from a text (by default the clipboard) at the selected cells or as the
        whole matrix.
        """
        text = QGuiApplication.clipboard().text() if text is None else text
        places = [(index.row(), index.column()) for index in self.selectedIndexes()] or [(0, 0)]
        grid = self.entries.grid
        try:
            numbers = parse_answers(text, grid, places)
        except PasteError as refused:
            self.bubble.say(str(refused), self.selected_rect())
            return
        self.bubble.hide()
        self._session.answers.write(grid.stage, numbers)


def _starts_number(text: str) -> bool:
    """Whether a typed character may start a number or an expression."""
    return bool(text) and text.isprintable() and not text.isspace()
