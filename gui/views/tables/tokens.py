"""The table of a sentence's tokens with the buttons that add, remove and move them."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QVBoxLayout,
    QWidget,
)

from core.document.resize import (
    with_context,
    with_token_added,
    with_token_moved,
    with_token_named,
    with_tokens_removed,
    without_context,
)
from gui.painting.text_size import set_font, set_section
from gui.painting.theme import BODY, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr
from gui.views.tables.model import ROOT, Index, Role
from gui.widgets.buttons import IconButton
from gui.widgets.number_table import ROW_HEIGHT, TableHeader, TypingTable
from gui.widgets.shortcut_filter import claim_key
from gui.widgets.styles import table_style

Key = Qt.Key


class TokensModel(QAbstractTableModel):
    """One column of texts, of the sentence along `axis`, "n" or "m", or of the vocabulary, "u".

    Empty ones and duplicates are allowed.
    """

    def __init__(self, session: Session, parent: QObject | None = None, *, axis: str = "n") -> None:
        super().__init__(parent)
        self._session, self._axis = session, axis
        self._tokens = session.state.document.labels(axis) or ()
        self._muted = colours(session.state.shade).muted

    def show_state(self, old: State | None, new: State) -> None:
        """Report changed texts; reset if their number changed."""
        tokens, self._muted = new.document.labels(self._axis) or (), colours(new.shade).muted
        before = self._tokens
        if len(tokens) != len(before):
            self.beginResetModel()
            self._tokens = tokens
            self.endResetModel()
            return
        self._tokens = tokens
        changed = [row for row, token in enumerate(tokens) if token != before[row]]
        if changed:
            self.dataChanged.emit(self.index(changed[0], 0), self.index(changed[-1], 0))
        if old is not None and (old.language, old.shade) != (new.language, new.shade):
            self.dataChanged.emit(self.index(0, 0), self.index(len(tokens) - 1, 0))
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, 0)

    def rowCount(self, parent: Index = ROOT) -> int:
        """One row for each token."""
        return 0 if parent.isValid() else len(self._tokens)

    def columnCount(self, parent: Index = ROOT) -> int:
        """One column."""
        return 0 if parent.isValid() else 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every text can be edited."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """The token; an empty one has a visible sign and a spoken text."""
        if not index.isValid():
            return None
        token = self._tokens[index.row()]
        if role == Role.EditRole:
            return token
        if role == Role.DisplayRole:
            return visible_token(token)
        if role == Role.AccessibleTextRole:
            return token if token.strip() else tr("(empty)")
        if role == Role.ForegroundRole and not token.strip():
            return QBrush(QColor(self._muted))
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """Rename a token."""
        if role != Role.EditRole or not index.isValid():
            return False
        return self._session.change(
            with_token_named, index.row(), str(value), self._axis, text=mark("Rename a token")
        )

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        """Numbers from 1."""
        if role != Role.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return section + 1
        return tr("Word") if self._axis == "u" else tr("Token")


class TokensView(TypingTable):
    """Insert adds, Delete removes, Alt+↑ and Alt+↓ move.

    `selected()` reports another current row. `clips`: the commands of the Edit menu that it takes.
    """

    clips = ("clip_copy", "clip_paste", "select_all")
    selected = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None, *, axis: str = "n") -> None:
        super().__init__(parent)
        self._session, self._axis = session, axis
        self.tokens_model = TokensModel(session, self, axis=axis)
        self.setModel(self.tokens_model)
        set_font(self, BODY)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalHeader(TableHeader(Qt.Orientation.Vertical, self.tokens_model, self))
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        set_section(self.verticalHeader(), ROW_HEIGHT)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )

    def show_state(self, old: State | None, new: State) -> None:
        """Texts and colours."""
        self.tokens_model.show_state(old, new)
        if old is None or old.shade != new.shade:
            self.setStyleSheet(table_style(colours(new.shade)))
            self.bubble.paint_in(colours(new.shade))
        if old is None or old.language != new.language:
            names = {"n": tr("Tokens"), "m": tr("Tokens of the context"), "u": tr("Vocabulary")}
            self.setAccessibleName(names[self._axis])

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Report another current row."""
        super().currentChanged(current, previous)
        self.selected.emit()

    @property
    def row(self) -> int:
        """The current row; the last one if there is none."""
        index = self.currentIndex()
        return index.row() if index.isValid() else self.tokens_model.rowCount() - 1

    def add(self) -> None:
        """Add a token after the current row and open its editor."""
        at = self.row + 1
        self._session.change(with_token_added, at, tr("new"), self._axis, text=mark("Add a token"))
        self._go_to(at)
        self.edit(self.currentIndex())

    def remove(self) -> None:
        """Remove the selected rows, or the current one."""
        rows = sorted({index.row() for index in self.selectedIndexes()}) or [self.row]
        text = mark("Remove tokens") if len(rows) > 1 else mark("Remove a token")
        self._session.change(with_tokens_removed, rows, self._axis, text=text)
        self._go_to(min(rows[0], self.tokens_model.rowCount() - 1))

    def move_by(self, by: int) -> None:
        """Move the current token up or down as far as the ends."""
        to = self.row + by
        if 0 <= to < self.tokens_model.rowCount():
            self._session.change(
                with_token_moved, self.row, to, self._axis, text=mark("Move a token")
            )
            self._go_to(to)

    def copy(self) -> None:
        """Copy the selected tokens, a line each."""
        rows = sorted({index.row() for index in self.selectedIndexes()})
        tokens = self._session.state.document.labels(self._axis) or ()
        QGuiApplication.clipboard().setText("\n".join(tokens[row] for row in rows))

    def paste(self) -> None:
        """Make the clipboard's text the current token, or a sentence all tokens after asking."""
        from gui.views.tables.sentence import paste_sentence  # a dialog, loaded when first used

        text = QGuiApplication.clipboard().text()
        refused = paste_sentence(self._session, text, self._axis, self.row, self)
        if refused:
            self.bubble.say(refused, self.selected_rect())

    def _go_to(self, row: int) -> None:
        self.setCurrentIndex(self.tokens_model.index(row, 0))

    def event(self, event: QEvent) -> bool:
        """Claim the keys that edit the rows while the table has the keyboard focus."""
        return claim_key(event, _is_table_key) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Add, remove, move or edit tokens."""
        self._session.play(False)
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.paste()
        elif event.key() == Key.Key_Insert:
            self.add()
        elif event.key() == Key.Key_Delete:
            self.remove()
        elif alt and event.key() in (Key.Key_Up, Key.Key_Down):
            self.move_by(-1 if event.key() == Key.Key_Up else 1)
        elif event.key() in (Key.Key_Return, Key.Key_Enter):
            self._open_editor()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pause playback while the user works here."""
        self._session.play(False)
        super().mousePressEvent(event)

    def _open_editor(self) -> None:
        """Open the editor; the Enter that closes it arrives here too and must not open it again."""
        if self.currentIndex().isValid() and not self.is_editing():
            self.edit(self.currentIndex())


def _is_table_key(event: QKeyEvent) -> bool:
    """Typing, moving, the clipboard, and Alt with an arrow; other commands remain shortcuts."""
    if event.matches(QKeySequence.StandardKey.Copy) or event.matches(
        QKeySequence.StandardKey.Paste
    ):
        return True
    if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        return False
    if event.modifiers() & Qt.KeyboardModifier.AltModifier:
        return event.key() in (Key.Key_Up, Key.Key_Down)
    moves = (
        Key.Key_Up,
        Key.Key_Down,
        Key.Key_Left,
        Key.Key_Right,
        Key.Key_Home,
        Key.Key_End,
        Key.Key_PageUp,
        Key.Key_PageDown,
        Key.Key_Insert,
        Key.Key_Delete,
        Key.Key_Return,
        Key.Key_Enter,
        Key.Key_F2,
    )
    return event.key() in moves or (bool(event.text()) and event.text().isprintable())


class TokensPage(QWidget):
    """The table with its buttons, and the check box for a context."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, axis: str = "n") -> None:
        super().__init__(parent)
        self._session, self._axis = session, axis
        self.view = TokensView(session, self, axis=axis)
        self.has_context = QCheckBox(self)
        self.has_context.setVisible(axis == "n")
        names = ("add", "remove", "move_up", "move_down")
        self.add, self.remove, self.up, self.down = (IconButton(name, self) for name in names)
        column = QVBoxLayout()
        column.setSpacing(4)
        for button in self.buttons:
            column.addWidget(button)
        column.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.view, 1)
        row.addLayout(column)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(4)
        whole.addLayout(row, 1)
        whole.addWidget(self.has_context)
        self.add.clicked.connect(self.view.add)
        self.remove.clicked.connect(self.view.remove)
        self.up.clicked.connect(partial(self.view.move_by, -1))
        self.down.clicked.connect(partial(self.view.move_by, 1))
        self.view.selected.connect(self._enable)
        self.has_context.clicked.connect(self._switch)

    @property
    def buttons(self) -> tuple[IconButton, ...]:
        """Add, remove, up, down."""
        return self.add, self.remove, self.up, self.down

    def show_state(self, old: State | None, new: State) -> None:
        """Texts, names and colours."""
        self.view.show_state(old, new)
        if old is None or old.shade != new.shade:
            for button in self.buttons:
                button.paint_in(colours(new.shade))
        if old is None or old.language != new.language:
            self.add.call(tr("Add a token"), "Insert")
            self.remove.call(tr("Remove a token"), "Delete")
            self.up.call(tr("Move the token up"), "Alt+↑")
            self.down.call(tr("Move the token down"), "Alt+↓")
            self.has_context.setText(tr("Keys and values from another sentence"))
            self.has_context.setToolTip(
                tr(
                    "Cross-attention: queries come from these tokens, keys and values from a "
                    "separate context."
                )
            )
        self.has_context.setChecked(new.document.context is not None)
        self.has_context.setVisible(self._axis == "n" and not new.document.is_stack)
        self._enable()

    def _switch(self, on: bool) -> None:
        """Add a context, a copy of the tokens at first, or remove it."""
        text = (
            mark("Keys and values from another sentence")
            if on
            else mark("Keys and values from the tokens themselves")
        )
        self._session.change(with_context if on else without_context, text=text)

    def _enable(self) -> None:
        row, count = self.view.row, self.view.tokens_model.rowCount()
        self.remove.setEnabled(count > 1)
        self.up.setEnabled(row > 0)
        self.down.setEnabled(row < count - 1)
