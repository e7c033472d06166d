"""Save my answers: ask for a name, which may stay empty."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from core.check.answers import Entries
from core.classroom.answer_file import LONGEST_NAME
from gui.painting.text_size import set_least
from gui.texts.translation import tr
from gui.widgets.forms import Dialog, accept_or_cancel, caption, heading, label_field
from gui.widgets.layouts import Gap


class AnswersDialog(Dialog):
    """Ask which name goes into the file. `name()` is the result."""

    def __init__(self, entries: Entries, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Save my answers"))
        set_least(self.inside, 420)
        self.field = QLineEdit()
        self.field.setMaxLength(LONGEST_NAME)
        label = QLabel()
        label.setBuddy(self.field)
        label_field(label, self.field, tr("&Name or number (optional)"))
        count = sum(map(len, entries.values()))
        self.add(
            heading(tr("Save my answers")),
            caption(tr("Numbers entered: {count}", count=count)),
            Gap(4),
            label,
            self.field,
            caption(tr("Nothing else about you is written into the file.")),
            Gap(4),
            accept_or_cancel(self, QPushButton(tr("&Save…"))),
        )
        self.field.setFocus()

    def name(self) -> str:
        """The name as typed."""
        return self.field.text().strip()


def ask_name(parent: QWidget, entries: Entries) -> str | None:
    """Ask for the name in an answer file; None if the user cancels."""
    dialog = AnswersDialog(entries, parent)
    try:
        return dialog.name() if dialog.exec() else None
    finally:
        dialog.deleteLater()
