"""Title and notes of the experiment: what to look for, to read and to change."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from core.document.edits import with_title
from gui.painting.text_size import px, set_font
from gui.painting.theme import BODY, CAPTION
from gui.session.session import Session
from gui.texts.translation import mark, tr, tr_marked
from gui.widgets.ask import Ask


class NotesDialog(QDialog):
    """Shows title and notes in fields; what was changed in them becomes one undo step, under "Save" alone.

    Built-in experiments speak the user's language. What was not touched stays as it stands in the document. "Cancel"
    gives up what was changed, Esc and the closing cross ask first.
    """

    def __init__(
        self, session: Session, parent: QWidget | None = None, ask: Ask | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._ask = session, ask or Ask()
        document = session.state.document
        self._shown = _in_words(document.title), _in_words(document.notes)
        self.setWindowTitle(tr("Title and notes"))
        self.resize(QSize(px(560), px(380)).boundedTo(self.screen().availableSize()))
        self.title, self.notes = QLineEdit(self._shown[0]), QPlainTextEdit(self._shown[1])
        self.title.setPlaceholderText(tr("Untitled"))
        self.notes.setPlaceholderText(tr("What is there to look for?"))
        self.notes.setTabChangesFocus(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        for name, field in ((tr("Title"), self.title), (tr("Notes"), self.notes)):
            label = QLabel(name)
            set_font(label, CAPTION, bold=True)
            label.setBuddy(field)
            set_font(field, BODY)
            field.setAccessibleName(name)
            layout.addWidget(label)
            layout.addWidget(field)
        layout.addWidget(self._buttons())
        self.notes.setFocus()

    def _buttons(self) -> QDialogButtonBox:
        buttons, roles = QDialogButtonBox(), QDialogButtonBox.ButtonRole
        buttons.addButton(tr("Save"), roles.AcceptRole).setAccessibleName(tr("Save"))
        buttons.addButton(tr("Cancel"), roles.RejectRole).setAccessibleName(tr("Cancel"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.give_up)
        return buttons

    def accept(self) -> None:
        """Take over what was changed."""
        document, written = self._session.state.document, self._written()
        kept = document.title, document.notes
        title, notes = (
            old if new == shown else new
            for new, shown, old in zip(written, self._shown, kept, strict=True)
        )
        self._session.change(with_title, title, notes, text=mark("Title and notes"))
        super().accept()

    def reject(self) -> None:
        """Esc and the closing cross, which are easily hit: what was changed is lost only where the user says so."""
        answer = (
            self._ask.unsaved(self, self.windowTitle())
            if self._written() != self._shown
            else "discard"
        )
        if answer == "save":
            self.accept()
        elif answer == "discard":
            self.give_up()

    def give_up(self) -> None:
        """Close; what was changed is lost."""
        super().reject()

    def _written(self) -> tuple[str, str]:
        return self.title.text(), self.notes.toPlainText()


def _in_words(text: str) -> str:
    return tr_marked(text) if text else ""
