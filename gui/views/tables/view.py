"""What keys and mouse do in the table of a tensor: type, drag, copy, paste."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QModelIndex, QRect, Qt
from PySide6.QtGui import QContextMenuEvent, QInputMethodEvent, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QApplication, QMenu, QWidget

from core.base.arrays import BoolArray
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.edits import without_pins_of
from gui.session.session import Session
from gui.texts.errors import error_message
from gui.texts.names import cell_name, symbol
from gui.texts.translation import mark, tr
from gui.views.tables import clipboard, menus
from gui.views.tables.delegate import handle, pin_corner
from gui.views.tables.editing import with_cleared
from gui.views.tables.model import Index
from gui.views.tables.nudge import Drag, nudge
from gui.views.tables.table import Table
from gui.widgets.editor import NumberEditor
from gui.widgets.shortcut_filter import COMMANDS, claim_key
from gui.widgets.typing import Course, end_sentence

Key = Qt.Key
Modifier = Qt.KeyboardModifier
Hint = QAbstractItemDelegate.EndEditHint
OWN_KEYS = {
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
WHOLE = QKeySequence("Ctrl+Shift+V")


def starts_number(text: str) -> bool:
    """Whether a typed character can begin a number."""
    return bool(text) and (text[0].isdigit() or text[0] in NUMBER_STARTS)


class TensorView(Table):
    """Every change goes to the session. `clips`: what the Edit menu can do with it."""

    clips = ("clip_copy", "clip_paste", "clip_whole", "select_all")

    def __init__(self, session: Session, tensor: str, parent: QWidget | None = None) -> None:
        super().__init__(session, tensor, parent)
        self._course = Course()
        self._guest: QWidget | None = None
        self._drag: tuple[Drag, float] | None = None
        self.ask: clipboard.Ask = self._ask
        self._numbers.refused.connect(self._refuse)
        self._numbers.typed.connect(self.bubble.hide)
        self._numbers.moved.connect(self._move_on)
        self._numbers.told.connect(self.bubble.say)
        self._numbers.closeEditor.connect(self.bubble.hide)
        self._numbers.closeEditor.connect(self._closed)

    # Typing

    def edit_for(self, guest: QWidget | None) -> None:
        """Open the editor of the current cell. Enter and Esc give the keyboard back to who had it; Tab goes on here."""
        index = self.currentIndex()
        if not index.isValid():
            return
        editor = self.findChild(NumberEditor) if self.is_editing() else None
        if editor is not None:  # a popup has taken the keyboard from it, and left it open
            editor.setFocus()
            return
        self.setFocus()
        self.scrollTo(index)
        if self._keeps_back(index):
            return
        self.edit(index)
        self._guest = (
            guest
            if self.is_editing() and guest is not None and not self.isAncestorOf(guest)
            else None
        )

    def _closed(self, _editor: QWidget, hint: Hint) -> None:
        """Given up: the keyboard goes back; lost to another widget: it stays there."""
        if hint == Hint.RevertModelCache and self._guest is not None:
            self._guest.setFocus()
        if not self.hasFocus():
            self._guest = None

    def _refuse(self, editor: NumberEditor, problem: UserError) -> None:
        self.bubble.say(error_message(problem), editor.geometry())

    def _move_on(self, rows: int, columns: int) -> None:
        guest, self._guest = self._guest, None
        if guest is not None and rows:  # who came to edit one number stays at it
            guest.setFocus()
            return
        now = self.currentIndex()
        shape = (self.table.rowCount(), self.table.columnCount())
        place = self._course.after((now.row(), now.column()), (rows, columns), shape)
        if place is None:
            self.bubble.say(end_sentence(), self.visualRect(now))
            return
        self.setCurrentIndex(self.table.index(*place))

    def _keeps_back(self, index: Index) -> bool:
        """Whether a cell is not to be seen yet, and so not to be changed; that is said at it."""
        withheld = index.isValid() and self.table.shown.withholds(index.row(), index.column())
        if withheld:
            self.bubble.say(error_message(UserError("cell.covered")), self.visualRect(index))
        return withheld

    def event(self, event: QEvent) -> bool:
        """Keys that move, type, copy or clear belong to the table while it has the keyboard focus."""
        return claim_key(event, self._owns) or super().event(event)

    @staticmethod
    def _owns(event: QKeyEvent) -> bool:
        if event.matches(QKeySequence.StandardKey.Copy) or event.matches(
            QKeySequence.StandardKey.Paste
        ):
            return True
        if _is_whole(event):
            return True
        if event.modifiers() & COMMANDS:
            return False
        return event.key() in OWN_KEYS or starts_number(event.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What a key does in the table."""
        command = event.modifiers() & COMMANDS
        self._session.play(False)  # whoever works in a table does not want it to run away
        if _is_whole(event):
            self.paste_whole()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.paste()
        elif _changes(event) and self._keeps_back(self.currentIndex()):
            event.accept()
        elif (
            event.key() in (Key.Key_Up, Key.Key_Down)
            and event.modifiers() & Modifier.ControlModifier
        ):
            way = 1 if event.key() == Key.Key_Up else -1
            nudge(self._session, way * _factor(event.modifiers()))
        elif event.key() in (Key.Key_Delete, Key.Key_Backspace) and not command:
            self.clear()
        elif event.key() in (Key.Key_Return, Key.Key_Enter) and self.currentIndex().isValid():
            self.edit(self.currentIndex())
        else:
            super().keyPressEvent(
                event
            )  # moves, or opens the editor: an expression, or a sentence about it

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """A sign that an input method commits at once, such as √, opens the editor; Qt would lose it."""
        was_editing = self.is_editing()
        if not was_editing and self._keeps_back(self.currentIndex()):
            return
        super().inputMethodEvent(event)
        line = QApplication.focusWidget()
        at_once = event.commitString() and not event.preeditString()
        if at_once and not was_editing and isinstance(line, NumberEditor):
            QApplication.sendEvent(line, event)

    def keyboardSearch(self, text: str) -> None:
        """Letters never move the current cell."""

    def clear(self) -> None:
        """Entered numbers of the selection to 0, pins of computed ones removed."""
        shown, chosen = self.table.shown, self._chosen()
        if shown.entered:
            cells = [
                shown.cell(int(row), int(column))
                for row, column in np.argwhere(clipboard.standing(shown, chosen))
            ]
        else:
            cells = [shown.cell(*place) for place in sorted(shown.pinned) if chosen[place]]
        if cells:
            text = mark("Clear {name}") if shown.entered else mark("Unpin {name}")
            self._session.change(with_cleared, cells, text=text, name=self._called(cells))

    def _chosen(self) -> BoolArray:
        return clipboard.chosen(self.selectionModel().selection(), self.table.shown)

    def _called(self, cells: list[Cell]) -> str:
        shown = self.table.shown
        if len(cells) == 1:
            return cell_name(cells[0], shown.document, shown.orientation)
        return symbol(shown.tensor, shown.document, shown.orientation)

    def copy(self) -> None:
        """The selection, as lines with tabs."""
        clipboard.copy(self._session, self.table.shown, self._chosen())

    def paste(self) -> None:
        """A matrix from the clipboard at the current cell, as one undo step."""
        at = self.currentIndex()
        said = (
            clipboard.paste(self._session, self.table.shown, at.row(), at.column())
            if at.isValid()
            else ""
        )
        self._say(said)

    def paste_whole(self) -> None:
        """The clipboard's matrix in place of the whole table; sizes follow, once the user has agreed."""
        self._say(clipboard.paste_whole(self._session, self.table.shown, self.ask))

    def _ask(self, title: str, detail: str) -> bool:
        from gui.widgets.message import Message, MessageButton

        choices = (
            MessageButton("paste", tr("&Paste"), default=True),
            MessageButton("cancel", tr("&Cancel")),
        )
        return Message.ask(self, title, detail, choices, indices=True) == "paste"

    def copy_as(self, form: str) -> None:
        """The selection, or all, in another program's notation."""
        self._say(clipboard.copy_as(self._session, self.table.shown, self._chosen(), form))

    def _say(self, said: str) -> None:
        """A sentence at the current cell, or at the first one; nothing to say puts away what was said."""
        at = self.currentIndex()
        if said:
            self.bubble.say(said, self.visualRect(at if at.isValid() else self.table.index(0, 0)))
        else:
            self.bubble.hide()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with the table, by mouse or by the menu key."""
        menu, here = self.menu(), self.visualRect(self.currentIndex()).bottomLeft()
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        menu.popup(self.viewport().mapToGlobal(here) if by_key else event.globalPos())

    def menu(self) -> QMenu:
        """Copy, copy as, paste, clear."""
        menu, chosen, entered = menus.new_menu(self), self._chosen(), self.table.shown.entered
        at = self.currentIndex().isValid()
        menus.add(menu, tr("Copy"), "Ctrl+C", self.copy, enabled=at)
        menus.fill_forms(
            menu.addMenu(menus.forms_title(bool(np.count_nonzero(chosen) > 1))), self.copy_as
        )
        menu.addSeparator()
        menus.add(menu, tr("Paste"), "Ctrl+V", self.paste, enabled=at)
        menus.add(menu, tr("Paste as the whole matrix"), "Ctrl+Shift+V", self.paste_whole)
        menu.addSeparator()
        menus.add(menu, tr("Set to 0") if entered else tr("Unpin"), "Del", self.clear, enabled=at)
        return menu

    # The mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A pin's corner is clicked away; a handle, or the middle button, takes hold of the value."""
        self._session.play(False)
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and self._on_pin(index, event):
            cell = self.table.cell(index)
            name = cell_name(cell, self.table.shown.document, self.table.shown.orientation)
            self._session.change(without_pins_of, [cell], text=mark("Unpin {name}"), name=name)
        elif index.isValid() and self._takes_hold(index, event):
            self.setCurrentIndex(index)
            if self._keeps_back(index):
                return
            self._drag = (Drag(self._session, self.table.cell(index)), event.position().y())
        else:
            super().mousePressEvent(event)

    def _on_pin(self, index: QModelIndex, event: QMouseEvent) -> bool:
        place = (index.row(), index.column())
        corner = pin_corner(self.visualRect(index))
        return (
            event.button() == Qt.MouseButton.LeftButton
            and place in self.table.shown.pinned
            and corner.contains(event.position().toPoint())
        )

    def _takes_hold(self, index: QModelIndex, event: QMouseEvent) -> bool:
        if event.button() == Qt.MouseButton.MiddleButton:
            return True
        left = event.button() == Qt.MouseButton.LeftButton
        return left and (bool(event.modifiers() & Modifier.AltModifier) or self._on_handle(event))

    def _on_handle(self, event: QMouseEvent) -> bool:
        focus = self.table.shown.focus
        if focus is None:
            return False
        rect: QRect = handle(self.visualRect(self.table.index(*focus)))
        return rect.contains(event.position().toPoint())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit the number, unless it is not to be seen yet."""
        if not self._keeps_back(self.indexAt(event.position().toPoint())):
            super().mouseDoubleClickEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A value that is held follows the pointer."""
        if self._drag is not None:
            drag, start = self._drag
            drag.to(
                start - event.position().y(), _factor(event.modifiers() & ~Modifier.AltModifier)
            )
            return
        grip = self._on_handle(event) and not event.buttons()
        self.viewport().setCursor(
            Qt.CursorShape.SizeVerCursor if grip else Qt.CursorShape.ArrowCursor
        )
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The value is let go."""
        if self._drag is not None:
            self._drag = None
            return
        super().mouseReleaseEvent(event)


def _changes(event: QKeyEvent) -> bool:
    """Whether a key would change the current number, or begin to."""
    if event.modifiers() & Modifier.ControlModifier:
        return event.key() in (Key.Key_Up, Key.Key_Down)
    typed = event.text().isprintable() and event.text() != "" and not event.modifiers() & COMMANDS
    return typed or event.key() in (Key.Key_Return, Key.Key_Enter, Key.Key_F2)


def _factor(modifiers: Modifier) -> float:
    """Shift makes steps ten times larger, Alt ten times smaller."""
    if modifiers & Modifier.ShiftModifier:
        return 10.0
    return 0.1 if modifiers & Modifier.AltModifier else 1.0


def _is_whole(event: QKeyEvent) -> bool:
    return QKeySequence(event.keyCombination()) == WHOLE
