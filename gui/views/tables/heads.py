"""The heads in the setup: choose one, switch them on and off, add, remove, move and rename them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.document.document import Head
from core.document.edits import with_head_enabled, with_head_name
from core.document.resize import (
    with_head_added,
    with_head_duplicated,
    with_head_moved,
    with_head_removed,
)
from gui.painting.text_size import set_fixed, set_font, set_icon_size
from gui.painting.theme import BODY, Colours, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import head_label, head_name
from gui.texts.translation import mark, tr, tr_marked
from gui.widgets.buttons import IconButton
from gui.widgets.layouts import FlowLayout


class HeadChip(QFrame):
    """One head: an eye button that switches it on or off, and its name, which chooses it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("chip")
        self.power, self.label = IconButton("head_on", self), QToolButton(self)
        set_fixed(self.power, 26, 24)
        set_icon_size(self.power, 16)
        set_font(self.label, BODY)
        self.label.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 1, 6, 1)
        row.setSpacing(0)
        row.addWidget(self.power)
        row.addWidget(self.label)

    def show_head(self, index: int, head: Head, chosen: bool, theme: Colours) -> None:
        """Show a head of the document."""
        name = head_name(index, head.name)
        self.label.setText(head_label(index, head.name))
        set_font(self.label, BODY, bold=chosen)
        self.label.setAccessibleName(tr("Show {head}", head=name))
        self.label.setAccessibleDescription(tr("selected") if chosen else "")
        self.power.call(
            tr("Switch {head} off", head=name)
            if head.enabled
            else tr("Switch {head} on", head=name)
        )
        self.power.show_picture("head_on" if head.enabled else "head_off", theme)
        text = theme.accent if chosen else theme.text if head.enabled else theme.muted
        self.setStyleSheet(
            f"#chip {{ background: {theme.accent_soft if chosen else theme.surface};"
            f" border: 1px solid {theme.accent if chosen else theme.line}; border-radius: 13px; }}"
        )
        decoration = "none" if head.enabled else "line-through"
        self.label.setStyleSheet(
            f"QToolButton {{ color: {text}; border: 1px solid transparent; border-radius: 6px; padding: 2px 4px;"
            f" text-decoration: {decoration}; }}"
            f"QToolButton:focus {{ border-color: {theme.accent}; }}"
        )


class HeadNameField(QLineEdit):
    """`renamed(text)` reports another name. Esc restores the old one."""

    renamed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = ""
        set_font(self, BODY)
        self.editingFinished.connect(self._finish)

    def show_name(self, name: str) -> None:
        """Show the name in the document, unless another is being typed."""
        if name != self._name or not self.isModified():
            self._name = name
            self.setText(name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc restores the name."""
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setText(self._name)
        else:
            super().keyPressEvent(event)

    def _finish(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.renamed.emit(self.text())


class HeadsBar(QWidget):
    """A chip for each head, and buttons and a field that change the chosen one."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.chips: list[HeadChip] = []
        self._flow = FlowLayout(6)
        names = ("add", "duplicate", "remove", "move_up", "move_down")
        self.add, self.duplicate, self.remove, self.earlier, self.later = (
            IconButton(name, self) for name in names
        )
        self.rename, self._name_label = HeadNameField(self), QLabel(self)
        self._name_label.setBuddy(self.rename)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        buttons.addWidget(self._name_label)
        buttons.addSpacing(6)
        buttons.addWidget(self.rename, 1)
        for button in self.buttons:
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(self._flow)
        column.addLayout(buttons)

    def _connect(self) -> None:
        self.add.clicked.connect(self._add)
        self.duplicate.clicked.connect(self._duplicate)
        self.remove.clicked.connect(self._remove)
        self.earlier.clicked.connect(partial(self._move, -1))
        self.later.clicked.connect(partial(self._move, 1))
        self.rename.renamed.connect(self._rename)

    @property
    def buttons(self) -> tuple[IconButton, ...]:
        """Add, duplicate, remove, earlier, later."""
        return self.add, self.duplicate, self.remove, self.earlier, self.later

    def show_state(self, old: State | None, new: State) -> None:
        """The heads of the document, in a stack those of the open layer."""
        theme, document, chosen = colours(new.shade), new.scope, new.cursor.head
        if old is None or old.shade != new.shade:
            for button in self.buttons:
                button.paint_in(theme)
        if old is None or old.language != new.language:
            self._show_texts()
        self._set_chip_count(document.h)
        if old is None or _chip_state(old) != _chip_state(new):
            for index, head in enumerate(document.heads):
                self.chips[index].show_head(index, head, index == chosen, theme)
        self.rename.show_name(tr_marked(document.heads[chosen].name))
        self.rename.setPlaceholderText(head_name(chosen, ""))
        self.remove.setEnabled(document.h > 1)
        self.earlier.setEnabled(chosen > 0)
        self.later.setEnabled(chosen < document.h - 1)

    def _show_texts(self) -> None:
        self._name_label.setText(tr("Name"))
        self.rename.setAccessibleName(tr("Name of the selected head"))
        self.add.call(tr("Add a head"))
        self.duplicate.call(tr("Duplicate the head"))
        self.remove.call(tr("Remove the head"))
        self.earlier.call(tr("Move the head to the front"))
        self.later.call(tr("Move the head to the back"))

    def _set_chip_count(self, count: int) -> None:
        while len(self.chips) < count:
            chip, index = HeadChip(self), len(self.chips)
            chip.power.clicked.connect(partial(self._switch, index))
            chip.label.clicked.connect(partial(self._session.select_head, index))
            self._flow.addWidget(chip)
            self.chips.append(chip)
            chip.show()
        while len(self.chips) > count:
            chip = self.chips.pop()
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()

    # Edits

    def _switch(self, index: int) -> None:
        head = self._session.state.scope.heads[index]
        text = mark("Switch {head} off") if head.enabled else mark("Switch {head} on")
        self._session.change_heads(
            with_head_enabled, index, not head.enabled, text=text, head=head_name(index, head.name)
        )

    def _add(self) -> None:
        self._session.change_heads(with_head_added, text=mark("Add a head"))
        self._session.select_head(self._session.state.scope.h - 1)

    def _duplicate(self) -> None:
        chosen = self._session.state.cursor.head
        self._session.change_heads(with_head_duplicated, chosen, text=mark("Duplicate the head"))
        self._session.select_head(chosen + 1)

    def _remove(self) -> None:
        self._session.change_heads(
            with_head_removed, self._session.state.cursor.head, text=mark("Remove the head")
        )

    def _move(self, by: int) -> None:
        chosen = self._session.state.cursor.head
        if 0 <= chosen + by < self._session.state.scope.h:
            self._session.change_heads(
                with_head_moved, chosen, chosen + by, text=mark("Move the head")
            )
            self._session.select_head(chosen + by)

    def _rename(self, name: str) -> None:
        self._session.change_heads(
            with_head_name, self._session.state.cursor.head, name, text=mark("Rename the head")
        )


def _chip_state(state: State) -> tuple[object, ...]:
    """What the chips depend on."""
    heads = tuple((head.name, head.enabled) for head in state.scope.heads)
    return heads, state.cursor.head, state.wording, state.shade
