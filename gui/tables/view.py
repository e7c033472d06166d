"""The table of one tensor: select, type, drag, copy, paste."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QRect, Qt, QVariantAnimation
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from core.arrays import BoolArray
from core.cell import Cell
from core.problems import Problem
from gui.language import mark, tr
from gui.session import Session
from gui.state import State
from gui.tables import clipboard, menus
from gui.tables.delegate import RIGHT, NumberDelegate, handle, pin_corner
from gui.tables.editing import with_cleared, without_pins_of
from gui.tables.model import Index, TensorModel
from gui.tables.nudge import Drag, nudge
from gui.tables.widths import WIDEST_HEADER, column_width
from gui.texts.labels import cell_name, long_name, symbol
from gui.texts.problems import sentence
from gui.theme import BODY, colours, font
from gui.widgets.bubble import Bubble
from gui.widgets.editor import NumberEditor
from gui.widgets.styles import table_style

Key = Qt.Key
Modifier = Qt.KeyboardModifier
OWN_KEYS = {
    Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down, Key.Key_Home, Key.Key_End,
    Key.Key_PageUp, Key.Key_PageDown, Key.Key_Delete, Key.Key_Backspace, Key.Key_Return, Key.Key_Enter, Key.Key_F2,
}  # fmt: skip
NUMBER_STARTS = "+-−－＋.,。．，–‒"
WHOLE = QKeySequence("Ctrl+Shift+V")
ROW_HEIGHT = 28
FLASH_MS = 900


def starts_number(text: str) -> bool:
    """Whether a typed character can begin a number."""
    return bool(text) and (text[0].isdigit() or text[0] in NUMBER_STARTS)


class TensorView(QTableView):
    """Follows the focused cell and moves it; every change goes to the session."""

    def __init__(self, session: Session, tensor: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.bubble = Bubble(self.viewport())
        self._drag: tuple[Drag, float] | None = None
        self.table = TensorModel(session, tensor, self)
        self._numbers = NumberDelegate(self.table, self)
        self.setModel(self.table)
        self.setItemDelegate(self._numbers)
        self._fade = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=FLASH_MS)
        self._flashing: BoolArray | None = None
        self._told = False
        self.ask: clipboard.Ask = self._ask
        self._connect()
        self._furnish()

    def _connect(self) -> None:
        self._numbers.refused.connect(self._refuse)
        self._numbers.typed.connect(self.bubble.hide)
        self._numbers.moved.connect(self._move_on)
        self._numbers.closeEditor.connect(self.bubble.hide)
        self.table.flashed.connect(self._flash)
        self.table.modelReset.connect(self._fit)
        self._fade.valueChanged.connect(self._fade_on)

    def _furnish(self) -> None:
        self.setFont(font(BODY))
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        for bar in (self.horizontalHeader(), self.verticalHeader()):
            bar.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            bar.setFont(font(BODY))
            bar.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.verticalHeader().setMaximumWidth(WIDEST_HEADER)

    # State

    def show_tensor(self, tensor: str) -> None:
        """Another tensor in the table."""
        self.table.show_tensor(tensor)
        self._after(self._session.state)

    def show_state(self, old: State | None, new: State) -> None:
        """Numbers, marks, colours, and the current cell."""
        self.table.show_state(old, new)
        if old is None or old.dark != new.dark:
            self.setStyleSheet(table_style(colours(new.dark), RIGHT))
            self.bubble.paint_in(colours(new.dark))
        if old is None or old.decimals != new.decimals or old.trace is not new.trace:
            self._fit()
        self._after(new)

    def _after(self, state: State) -> None:
        shown = self.table.shown
        letter = symbol(shown.tensor, state.document, state.orientation)
        self.setAccessibleName(tr("{symbol}: {name}", symbol=letter, name=long_name(shown.tensor)))
        index = self.table.index(*shown.focus) if shown.focus is not None else QModelIndex()
        if index != self.currentIndex():
            self._told = True
            if index.isValid():
                self.setCurrentIndex(index)
            else:
                self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.Clear)
            self._told = False

    def is_editing(self) -> bool:
        """Whether a number is being typed."""
        return self.state() == QAbstractItemView.State.EditingState

    def currentChanged(self, current: Index, previous: Index) -> None:
        """The user's current cell is the focused one; a cell that the state has made current is no wish."""
        super().currentChanged(current, previous)
        self.bubble.hide()
        if current.isValid() and not self._told:
            cell = self.table.cell(current)
            if cell != self._session.state.focus:
                self._session.focus_on(cell)

    # Sizes

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns share the room while they are few."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        count = self.table.columnCount()
        if count:
            labels = [str(self.table.headerData(i, Qt.Orientation.Horizontal)) for i in range(min(count, 64))]
            width = column_width(self.table.shown, labels, self.viewport().width())
            self.horizontalHeader().setDefaultSectionSize(width)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The lines between the rows go on to the frame."""
        super().paintEvent(event)
        right = self.horizontalHeader().length() - self.horizontalHeader().offset()
        room = self.viewport().width() - right
        if room <= 0 or not self.table.rowCount():
            return
        painter, colour = QPainter(self.viewport()), QColor(colours(self.table.shown.dark).line)
        last = self.rowAt(self.viewport().height() - 1)
        for row in range(max(0, self.rowAt(0)), (last if last >= 0 else self.table.rowCount() - 1) + 1):
            painter.fillRect(right, self.rowViewportPosition(row) + self.rowHeight(row) - 1, room, 1, colour)
        painter.end()

    # Changed cells

    def _flash(self, changed: BoolArray) -> None:
        self._flashing = changed
        self._fade.stop()
        if self._session.state.preferences.motion:
            self._fade_on(1.0)
            self._fade.start()

    def _fade_on(self, alpha: float) -> None:
        self._numbers.flash(self._flashing if alpha > 0 else None, alpha)
        self.viewport().update()

    # Typing

    def _refuse(self, editor: NumberEditor, problem: Problem) -> None:
        self.bubble.say(sentence(problem), editor.geometry())

    def _move_on(self, rows: int, columns: int) -> None:
        now = self.currentIndex()
        there = now.siblingAtRow(now.row() + rows) if rows else now.siblingAtColumn(now.column() + columns)
        if there.isValid():
            self.setCurrentIndex(there)

    def event(self, event: QEvent) -> bool:
        """Keys that move, type, copy or clear belong to the table while it has the keyboard focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._owns(event):
            event.accept()
            return True
        return super().event(event)

    @staticmethod
    def _owns(event: QKeyEvent) -> bool:
        if event.matches(QKeySequence.StandardKey.Copy) or event.matches(QKeySequence.StandardKey.Paste):
            return True
        if _is_whole(event):
            return True
        if event.modifiers() & (Modifier.ControlModifier | Modifier.AltModifier):
            return False
        return event.key() in OWN_KEYS or starts_number(event.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What a key does in the table."""
        command = event.modifiers() & (Modifier.ControlModifier | Modifier.AltModifier)
        self._session.play(False)  # whoever works in a table does not want it to run away
        if _is_whole(event):
            self.paste_whole()
        elif event.matches(QKeySequence.StandardKey.Copy):
            clipboard.copy(self.table.shown, self._chosen())
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.paste()
        elif event.key() in (Key.Key_Up, Key.Key_Down) and event.modifiers() & Modifier.ControlModifier:
            way = 1 if event.key() == Key.Key_Up else -1
            nudge(self._session, way * _factor(event.modifiers()))
        elif event.key() in (Key.Key_Delete, Key.Key_Backspace) and not command:
            self.clear()
        elif event.key() in (Key.Key_Return, Key.Key_Enter) and self.currentIndex().isValid():
            self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)  # moves, or opens the editor: an expression, or a sentence about it

    def keyboardSearch(self, text: str) -> None:
        """Letters never move the current cell."""

    def clear(self) -> None:
        """Entered numbers of the selection to 0, pins of computed ones removed."""
        shown, chosen = self.table.shown, self._chosen()
        if shown.entered:
            cells = [shown.cell(int(row), int(column)) for row, column in np.argwhere(chosen)]
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

    def paste(self) -> None:
        """A matrix from the clipboard at the current cell, as one undo step."""
        at = self.currentIndex()
        said = clipboard.paste(self._session, self.table.shown, at.row(), at.column()) if at.isValid() else ""
        self._say(said)

    def paste_whole(self) -> None:
        """The clipboard's matrix in place of the whole table; sizes follow, once the user has agreed."""
        self._say(clipboard.paste_whole(self._session, self.table.shown, self.ask))

    def _ask(self, title: str, detail: str) -> bool:
        from gui.dialogs.message import Choice, Message

        choices = (Choice("paste", tr("&Paste"), default=True), Choice("cancel", tr("&Cancel")))
        return Message.ask(self, title, detail, choices) == "paste"

    def copy_as(self, form: str) -> None:
        """The selection, or all, in another program's notation."""
        self._say(clipboard.copy_as(self.table.shown, self._chosen(), form))

    def _say(self, said: str) -> None:
        """A sentence at the current cell, or at the first one."""
        at = self.currentIndex()
        if said:
            self.bubble.say(said, self.visualRect(at if at.isValid() else self.table.index(0, 0)))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with the table, by mouse or by the menu key."""
        menu, here = self.menu(), self.visualRect(self.currentIndex()).bottomLeft()
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        menu.popup(self.viewport().mapToGlobal(here) if by_key else event.globalPos())

    def menu(self) -> QMenu:
        """Copy, copy as, paste, clear."""
        menu, chosen, entered = menus.new_menu(self), self._chosen(), self.table.shown.entered
        at = self.currentIndex().isValid()
        menus.add(menu, tr("Copy"), "Ctrl+C", partial(clipboard.copy, self.table.shown, chosen), enabled=at)
        menus.fill_forms(menu.addMenu(menus.forms_title(bool(np.count_nonzero(chosen) > 1))), self.copy_as)
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

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A value that is held follows the pointer."""
        if self._drag is not None:
            drag, start = self._drag
            drag.to(start - event.position().y(), _factor(event.modifiers() & ~Modifier.AltModifier))
            return
        grip = self._on_handle(event) and not event.buttons()
        self.viewport().setCursor(Qt.CursorShape.SizeVerCursor if grip else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The value is let go."""
        if self._drag is not None:
            self._drag = None
            return
        super().mouseReleaseEvent(event)


def _factor(modifiers: Modifier) -> float:
    """Shift makes steps ten times larger, Alt ten times smaller."""
    if modifiers & Modifier.ShiftModifier:
        return 10.0
    return 0.1 if modifiers & Modifier.AltModifier else 1.0


def _is_whole(event: QKeyEvent) -> bool:
    return QKeySequence(event.keyCombination()) == WHOLE
