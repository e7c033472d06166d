"""The tokens with the buttons that change them."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.language import tr
from gui.session import Session
from gui.state import State
from gui.tables.tokens import TokensView
from gui.theme import colours
from gui.widgets.buttons import IconButton


class TokensPage(QWidget):
    """Table above, buttons beside it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.view = TokensView(session, self)
        names = ("add", "remove", "move_up", "move_down")
        self.add, self.remove, self.up, self.down = (IconButton(name, self) for name in names)
        column = QVBoxLayout()
        column.setSpacing(4)
        for button in self.buttons:
            column.addWidget(button)
        column.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.view, 1)
        row.addLayout(column)
        self.add.clicked.connect(self.view.add)
        self.remove.clicked.connect(self.view.remove)
        self.up.clicked.connect(partial(self.view.move_by, -1))
        self.down.clicked.connect(partial(self.view.move_by, 1))
        self.view.selected.connect(self._enable)

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
        self._enable()

    def _enable(self) -> None:
        row, count = self.view.row, self.view.table.rowCount()
        self.remove.setEnabled(count > 1)
        self.up.setEnabled(row > 0)
        self.down.setEnabled(row < count - 1)
