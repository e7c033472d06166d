"""The tokens of a sentence with the buttons that change them, and whether there is a second one."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from core.document.resize import with_context, without_context
from gui.painting.theme import colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import mark, tr
from gui.views.tables.tokens import TokensView
from gui.widgets.buttons import IconButton


class TokensPage(QWidget):
    """Table above, buttons beside it."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, axis: str = "n") -> None:
        super().__init__(parent)
        self._session = session
        self.view = TokensView(session, self, axis=axis)
        self.cross = QCheckBox(self)
        self.cross.setVisible(axis == "n")
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
        whole.addWidget(self.cross)
        self.add.clicked.connect(self.view.add)
        self.remove.clicked.connect(self.view.remove)
        self.up.clicked.connect(partial(self.view.move_by, -1))
        self.down.clicked.connect(partial(self.view.move_by, 1))
        self.view.selected.connect(self._enable)
        self.cross.clicked.connect(self._switch)

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
            self.cross.setText(tr("Keys and values from another sentence"))
            self.cross.setToolTip(
                tr(
                    "Cross-attention: queries come from these tokens, keys and values from a context of its own."
                )
            )
        self.cross.setChecked(new.document.context is not None)
        self._enable()

    def _switch(self, on: bool) -> None:
        """The other sentence starts as a copy of this one; without it keys and values are the tokens' own again."""
        text = (
            mark("Keys and values from another sentence")
            if on
            else mark("Keys and values of the tokens themselves")
        )
        self._session.change(with_context if on else without_context, text=text)

    def _enable(self) -> None:
        row, count = self.view.row, self.view.table.rowCount()
        self.remove.setEnabled(count > 1)
        self.up.setEnabled(row > 0)
        self.down.setEnabled(row < count - 1)
