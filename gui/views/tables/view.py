"""The table of one tensor: its numbers, the focused cell, keys, mouse and clipboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QModelIndex, Qt, QVariantAnimation
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractItemDelegate, QMenu, QToolTip, QWidget

from core.base.arrays import BoolArray
from core.base.cell import Cell
from core.base.errors import UserError
from core.base.number_format import show
from core.document.edits import without_pins_of
from gui.painting.text_size import face, px
from gui.painting.theme import BODY, colours
from gui.session.session import Session
from gui.session.state import Extent, State
from gui.texts.errors import error_message
from gui.texts.names import COPY_FORMATS, cell_name, long_name, symbol
from gui.texts.translation import mark, tr
from gui.views.tables.contents import TableContents
from gui.views.tables.delegate import HANDLE, RIGHT, NumberDelegate, handle, pin_corner
from gui.views.tables.edits import with_cleared
from gui.views.tables.model import Index, TensorModel
from gui.views.tables.set_values import Drag, nudge, require_editable, require_visible
from gui.widgets.ask import paste_place
from gui.widgets.number_table import (
    WIDEST_HEADER,
    NumberEditor,
    NumberTable,
    TypingOrder,
    end_sentence,
)
from gui.widgets.shortcut_filter import COMMANDS, claim_key
from gui.widgets.styles import table_style

FLASH_MS = 900
ROOMY = 160  # pixels at a text size of 100 %: the widest that spare space makes a column
LABELS_MEASURED = 64

Key = Qt.Key
Modifier = Qt.KeyboardModifier
StandardKey = QKeySequence.StandardKey
EDITING_KEYS = {
    Key.Key_Left,
    Key.Key_Right,
    Key.Key_Up,
    Key.Key_Down,
    Key.Key_Home,
    Key.Key_End,
    Key.Key_PageUp,
    Key.Key_PageDown,
    Key.Key_Delete,
    Key.Key_Backspace,
    Key.Key_Return,
    Key.Key_Enter,
    Key.Key_F2,
}
NUMBER_STARTS = "+-−－＋.,。．，–‒"
PASTE_MATRIX = QKeySequence("Ctrl+Shift+V")


class TensorView(NumberTable):
    """Every change goes to the session. `clips`: the commands of the Edit menu that it takes."""

    clips = ("clip_copy", "clip_paste", "clip_whole", "clip_clear", "select_all")

    def __init__(self, session: Session, tensor: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.tensor_model = TensorModel(session, tensor, self)
        self._delegate = NumberDelegate(self.tensor_model, self)
        self.setModel(self.tensor_model)
        self.setItemDelegate(self._delegate)
        self._fade = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=FLASH_MS)
        self._flashing: BoolArray | None = None
        self._follows_state = False  # while the state, not the user, moves the current cell
        self._course = TypingOrder()
        self._focus_return: QWidget | None = None
        self._fitted: Extent | None = None  # what was visible when the columns got their width
        self._drag: tuple[Drag, float] | None = None
        self.ask: Callable[[str, str], bool] = self._ask
        self._connect()
        self.furnish()
        self.setMouseTracking(True)
        self.verticalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def _connect(self) -> None:
        self.tensor_model.flashed.connect(self._flash)
        self.tensor_model.modelReset.connect(self.fit)
        self._fade.valueChanged.connect(self._fade_on)
        self._delegate.refused.connect(self._refuse)
        self._delegate.typed.connect(self.bubble.hide)
        self._delegate.moved.connect(self._move_on)
        self._delegate.told.connect(self.bubble.say)
        self._delegate.closeEditor.connect(self.bubble.hide)
        self._delegate.closeEditor.connect(self._closed)

    @property
    def contents(self) -> TableContents:
        """What the table shows now."""
        return self.tensor_model.contents

    def cell(self, index: Index) -> Cell:
        """The address of the number at an index."""
        return self.tensor_model.cell(index)

    # State

    def show_tensor(self, tensor: str) -> None:
        """Show another tensor."""
        if tensor != self.contents.tensor:
            QToolTip.hideText()  # it describes a cell of the other table
            self.tensor_model.show_tensor(tensor)
            self._follow(self._session.state)

    def show_state(self, old: State | None, new: State) -> None:
        """Numbers, marks, colours, and the current cell."""
        self.tensor_model.show_state(old, new)
        if old is None or old.shade != new.shade:
            self.setStyleSheet(table_style(colours(new.shade), RIGHT))
            self.bubble.paint_in(colours(new.shade))
        shown = self.contents.visible_extent
        resized = old is None or old.decimals != new.decimals or old.trace is not new.trace
        if resized or shown != self._fitted:
            self._fitted = shown
            self.fit()
        if old is not None and old.document is not new.document:
            self.bubble.hide()  # a later change was accepted
        self._follow(new)

    def _follow(self, state: State) -> None:
        """Name the table and make the focused cell the current one."""
        contents = self.contents
        letter = symbol(contents.tensor, state.document, state.orientation)
        name = tr("{symbol}: {name}", symbol=letter, name=long_name(contents.tensor))
        self.setAccessibleName(name)
        focus = contents.focus
        index = self.tensor_model.index(*focus) if focus is not None else QModelIndex()
        if index != self.currentIndex():
            self._follows_state = True
            self.show_current(index)
            self._follows_state = False

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Focus the cell that the user has made current."""
        super().currentChanged(current, previous)
        self.bubble.hide()
        if current.isValid() and not self._follows_state:
            cell = self.tensor_model.cell(current)
            if cell != self._session.state.focus:
                self._session.set_focus(cell)

    def fit(self) -> None:
        """Set the width of the columns."""
        count = self.tensor_model.columnCount()
        if count:
            labels = [
                str(self.tensor_model.headerData(i, Qt.Orientation.Horizontal))
                for i in range(min(count, LABELS_MEASURED))
            ]
            width = _column_width(self.contents, labels, self.viewport().width())
            self.horizontalHeader().setDefaultSectionSize(width)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Continue the lines between the rows up to the frame."""
        super().paintEvent(event)
        right = self.horizontalHeader().length() - self.horizontalHeader().offset()
        width = self.viewport().width() - right
        if width <= 0 or not self.tensor_model.rowCount():
            return
        last = self.rowAt(self.viewport().height() - 1)
        end = last if last >= 0 else self.tensor_model.rowCount() - 1
        colour = QColor(colours(self.contents.shade).line)
        with QPainter(self.viewport()) as painter:
            for row in range(max(0, self.rowAt(0)), end + 1):
                bottom = self.rowViewportPosition(row) + self.rowHeight(row) - 1
                painter.fillRect(right, bottom, width, 1, colour)

    def _flash(self, changed: BoolArray) -> None:
        self._flashing = self.contents.visible(changed)
        self._fade.stop()
        if self._session.state.preferences.motion:
            self._fade_on(1.0)
            self._fade.start()

    def _fade_on(self, alpha: float) -> None:
        self._delegate.flash(self._flashing if alpha > 0 else None, alpha)
        self.viewport().update()

    # Typing

    def edit_for(self, focus_return: QWidget | None) -> None:
        """Open the editor of the current cell.

        Enter and Esc give the keyboard back; Tab goes on here.
        """
        index = self.currentIndex()
        if not index.isValid():
            return
        editor = self.findChild(NumberEditor) if self.is_editing() else None
        if editor is not None:  # a popup has taken the keyboard from it, and left it open
            editor.setFocus()
            return
        self.setFocus()
        self.scrollTo(index)
        if self._refuse_hidden(index):
            return
        self.edit(index)
        if self.is_editing() and focus_return is not None and not self.isAncestorOf(focus_return):
            self._focus_return = focus_return
        else:
            self._focus_return = None

    def _closed(self, _editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Give the keyboard back after Esc; leave it where another widget has taken it."""
        given_up = hint == QAbstractItemDelegate.EndEditHint.RevertModelCache
        if given_up and self._focus_return is not None:
            self._focus_return.setFocus()
        if not self.hasFocus():
            self._focus_return = None

    def _refuse(self, editor: NumberEditor, problem: UserError) -> None:
        self.bubble.say(error_message(problem), editor.geometry())

    def _move_on(self, rows: int, columns: int) -> None:
        focus_return, self._focus_return = self._focus_return, None
        if focus_return is not None and rows:  # Enter ends the edit of a single number
            focus_return.setFocus()
            return
        now = self.currentIndex()
        shape = self.contents.values.shape
        place = self._course.after((now.row(), now.column()), (rows, columns), shape)
        if place is None:
            self.bubble.say(end_sentence(), self.visualRect(now))
            return
        self.setCurrentIndex(self.tensor_model.index(*place))

    def _refuse_hidden(self, index: Index, *, moves: bool = False) -> bool:
        """Whether a hidden cell takes no number, or none relative to its own (`moves`); then say it."""
        require = require_visible if moves else require_editable
        try:
            if index.isValid():
                require(self._session.state, self.tensor_model.cell(index))
        except UserError as problem:
            self.bubble.say(error_message(problem), self.visualRect(index))
            return True
        return False

    def event(self, event: QEvent) -> bool:
        """Claim the keys that move, type, copy or clear while the table has the keyboard focus."""
        return claim_key(event, _is_table_key) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Clipboard, nudging, clearing; Qt moves the current cell and opens the editor."""
        command = event.modifiers() & COMMANDS
        key = event.key()
        self._session.play(False)
        if _is_paste_matrix(event):
            self.paste_whole()
        elif event.matches(StandardKey.Copy):
            self.copy()
        elif event.matches(StandardKey.Paste):
            self.paste()
        elif _is_change(event) and self._refuse_hidden(self.currentIndex(), moves=bool(command)):
            event.accept()
        elif key in (Key.Key_Up, Key.Key_Down) and event.modifiers() & Modifier.ControlModifier:
            sign = 1 if key == Key.Key_Up else -1
            nudge(self._session, sign * _step_factor(event.modifiers()))
        elif key in (Key.Key_Delete, Key.Key_Backspace) and not command:
            self.clear()
        elif key in (Key.Key_Return, Key.Key_Enter) and self.currentIndex().isValid():
            self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def may_type(self) -> bool:
        """Refuse a number that is not to be seen yet."""
        return super().may_type() and not self._refuse_hidden(self.currentIndex())

    def keyboardSearch(self, text: str) -> None:
        """Do nothing: letters never move the current cell."""

    def clear(self) -> None:
        """Set the entered numbers of the selection to 0, or remove the pins of computed ones."""
        contents, selected = self.contents, self._selected()
        if contents.entered:
            places = np.argwhere(contents.visible(selected)).tolist()
            cells = [contents.cell(row, column) for row, column in places]
        else:
            cells = [contents.cell(*place) for place in sorted(contents.pinned) if selected[place]]
        if cells:
            text = mark("Clear {name}") if contents.entered else mark("Unpin {name}")
            name = (
                cell_name(cells[0], contents.document, contents.orientation)
                if len(cells) == 1
                else contents.symbol
            )
            self._session.change(with_cleared, cells, text=text, name=name)

    # Clipboard

    def _selected(self) -> BoolArray:
        from gui.views.tables import clipboard

        return clipboard.selected(self.selectionModel().selection(), self.contents)

    def copy(self) -> None:
        """Copy the selection as lines with tabs."""
        from gui.views.tables import clipboard

        clipboard.copy(self._session, self.contents, self._selected())

    def paste(self) -> None:
        """Paste a matrix from the clipboard at the selected cells, as one undo step."""
        from gui.views.tables import clipboard

        selected = self._selected()
        if self.currentIndex().isValid() and not selected.any():
            selected[self.currentIndex().row(), self.currentIndex().column()] = True
        ask = partial(paste_place, self)
        said = (
            clipboard.paste(self._session, self.contents, selected, ask) if selected.any() else ""
        )
        self._say(said)

    def paste_whole(self) -> None:
        """Replace the whole table by the clipboard's matrix.

        Sizes follow once the user has agreed.
        """
        from gui.views.tables import clipboard

        self._say(clipboard.paste_whole(self._session, self.contents, self.ask))

    def _ask(self, title: str, detail: str) -> bool:
        from gui.widgets.forms import Message, MessageButton

        buttons = (
            MessageButton("paste", tr("&Paste"), default=True),
            MessageButton("cancel", tr("&Cancel")),
        )
        return Message.ask(self, title, detail, buttons, indices=True) == "paste"

    def copy_as(self, form: str) -> None:
        """Copy the selection, or all, in the notation of another program."""
        from gui.views.tables import clipboard

        self._say(clipboard.copy_as(self._session, self.contents, self._selected(), form))

    def _say(self, text: str) -> None:
        """Show a sentence at the selected cells; "" hides the last one."""
        if text:
            self.bubble.say(text, self.selected_rect())
        else:
            self.bubble.hide()

    def has_several_selected(self) -> bool:
        """Whether more than one cell is selected."""
        return bool(np.count_nonzero(self._selected()) > 1)

    # The mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Unpin at a pin's corner; start a drag at the handle, with Alt or the middle button."""
        self._session.play(False)
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and self._is_on_pin(index, event):
            cell, contents = self.tensor_model.cell(index), self.contents
            name = cell_name(cell, contents.document, contents.orientation)
            self._session.change(without_pins_of, [cell], text=mark("Unpin {name}"), name=name)
        elif index.isValid() and self._starts_drag(event):
            self.setCurrentIndex(index)
            if not self._refuse_hidden(index, moves=True):
                drag = Drag(self._session, self.tensor_model.cell(index))
                self._drag = (drag, event.position().y())
        else:
            super().mousePressEvent(event)

    def _is_on_pin(self, index: QModelIndex, event: QMouseEvent) -> bool:
        corner = pin_corner(self.visualRect(index))
        return (
            event.button() == Qt.MouseButton.LeftButton
            and (index.row(), index.column()) in self.contents.pinned
            and corner.contains(event.position().toPoint())
        )

    def _starts_drag(self, event: QMouseEvent) -> bool:
        if event.button() == Qt.MouseButton.MiddleButton:
            return True
        left = event.button() == Qt.MouseButton.LeftButton
        by_alt = bool(event.modifiers() & Modifier.AltModifier)
        return left and (by_alt or self._is_on_handle(event))

    def _is_on_handle(self, event: QMouseEvent) -> bool:
        focus = self.contents.focus
        if focus is None:
            return False
        rect = handle(self.visualRect(self.tensor_model.index(*focus)))
        return rect.contains(event.position().toPoint())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit the number, unless it is not to be seen yet."""
        if not self._refuse_hidden(self.indexAt(event.position().toPoint())):
            super().mouseDoubleClickEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the value."""
        if self._drag is not None:
            drag, start = self._drag
            factor = _step_factor(event.modifiers() & ~Modifier.AltModifier)
            drag.move_to(start - event.position().y(), factor)
            return
        on_handle = self._is_on_handle(event) and not event.buttons()
        shape = Qt.CursorShape.SizeVerCursor if on_handle else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        if self._drag is not None:
            self._drag = None
            return
        super().mouseReleaseEvent(event)


def add_copy_formats(menu: QMenu, copy_as: Callable[[str], None]) -> None:
    """Add an entry for each notation."""
    for form, name in COPY_FORMATS.items():
        menu.addAction(name).triggered.connect(partial(copy_as, form))


def _column_width(contents: TableContents, labels: Sequence[str], width: int) -> int:
    """The width of each column in a table of `width` pixels.

    Enough for numbers, bar and handle; then labels as far as they fit; the rest is shared.
    """
    values = contents.visible_values()
    ends = (float(values.min()), float(values.max())) if values.size else (0.0,)
    advance = QFontMetrics(face(BODY, bold=True)).horizontalAdvance
    numbers = max(advance(show(value, contents.decimals)) for value in ends)
    numbers += px(HANDLE + RIGHT) + 5
    label = min(px(WIDEST_HEADER), max(map(advance, labels)) + px(RIGHT) + 8)
    wanted, share = max(numbers, label), width // int(contents.values.shape[1])
    if numbers > share:
        return wanted  # the table scrolls anyway
    return max(numbers, min(share, max(wanted, px(ROOMY))))


def _is_table_key(event: QKeyEvent) -> bool:
    if event.matches(StandardKey.Copy) or event.matches(StandardKey.Paste):
        return True
    if _is_paste_matrix(event):
        return True
    if event.modifiers() & COMMANDS:
        return False
    text = event.text()
    starts_number = bool(text) and (text[0].isdigit() or text[0] in NUMBER_STARTS)
    return event.key() in EDITING_KEYS or starts_number


def _is_change(event: QKeyEvent) -> bool:
    """Whether a key would change the current number, or begin to."""
    if event.modifiers() & Modifier.ControlModifier:
        return event.key() in (Key.Key_Up, Key.Key_Down)
    typed = event.text().isprintable() and event.text() != "" and not event.modifiers() & COMMANDS
    return typed or event.key() in (Key.Key_Return, Key.Key_Enter, Key.Key_F2)


def _step_factor(modifiers: Modifier) -> float:
    """Shift makes steps ten times larger, Alt ten times smaller."""
    if modifiers & Modifier.ShiftModifier:
        return 10.0
    return 0.1 if modifiers & Modifier.AltModifier else 1.0


def _is_paste_matrix(event: QKeyEvent) -> bool:
    return QKeySequence(event.keyCombination()) == PASTE_MATRIX
