"""A message or a question: a heading, a sentence, and buttons that say what they do."""

from __future__ import annotations

from msgspec import Struct
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QPushButton, QWidget

from gui.painting.text_size import set_least
from gui.texts.rich_text import to_html
from gui.texts.translation import tr
from gui.widgets.forms import Dialog, heading, sentence_label


class MessageButton(Struct, frozen=True):
    """One button: its id, its text, whether Enter takes it and whether it throws something away."""

    id: str
    text: str
    default: bool = False
    destructive: bool = False


class Message(Dialog):
    """Shows a heading and a sentence. Esc and the close button mean "cancel"."""

    def __init__(
        self,
        parent: QWidget | None,
        title: str,
        detail: str,
        choices: tuple[MessageButton, ...],
        *,
        indices: bool = False,
    ) -> None:
        super().__init__(parent)
        self.chosen = "cancel"
        self.setWindowTitle(tr("Attention Stepper"))
        set_least(self.inside, 480)
        self.column.addWidget(heading(title))
        self.column.addWidget(sentence_label(detail))
        self.column.addSpacing(8)
        self._buttons = QDialogButtonBox()
        self._ids: dict[QPushButton, str] = {}
        for choice in choices:
            self._add_button(choice)
        self._buttons.clicked.connect(self._choose)
        self.column.addWidget(self._buttons)
        for label in self.findChildren(QLabel):
            label.setTextFormat(Qt.TextFormat.RichText if indices else Qt.TextFormat.PlainText)
            label.setText(to_html(label.text()) if indices else label.text())

    @classmethod
    def ask(
        cls,
        parent: QWidget | None,
        title: str,
        detail: str,
        choices: tuple[MessageButton, ...],
        *,
        indices: bool = False,
    ) -> str:
        """Show it and wait; the id of the choice taken. With `indices` W_Q has its index below the line."""
        message = cls(parent, title, detail, choices, indices=indices)
        try:
            message.exec()
            return message.chosen
        finally:
            message.deleteLater()

    def _add_button(self, choice: MessageButton) -> None:
        roles = QDialogButtonBox.ButtonRole
        role = roles.DestructiveRole if choice.destructive else roles.AcceptRole
        button = QPushButton(choice.text)
        button.setObjectName(choice.id)
        self._buttons.addButton(button, roles.RejectRole if choice.id == "cancel" else role)
        button.setDefault(choice.default)
        button.setAutoDefault(choice.default)
        if choice.default:
            button.setFocus()
        self._ids[button] = choice.id

    def _choose(self, button: QPushButton) -> None:
        self.chosen = self._ids[button]
        self.accept()
