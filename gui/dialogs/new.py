"""New experiment, in two steps: a sentence with its sizes, then the first numbers."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from core.document.create import Sizes, as_block, create
from core.document.document import Document
from core.document.edits import with_title
from gui.dialogs.new_numbers import NumbersPage
from gui.dialogs.new_sentence import SentencePage
from gui.painting.text_size import set_font, set_least
from gui.painting.theme import BODY, DISPLAY
from gui.texts.translation import tr
from gui.widgets.forms import Dialog, accept_or_cancel, heading
from gui.widgets.layouts import Gap, fill

LEFT = "left_sentence"  # property of a window: what was typed in a dialog that was left


class NewDialog(Dialog):
    """Ask for a new experiment with a live picture. `document()` is the result."""

    def __init__(self, parent: QWidget | None = None, sentence: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("New experiment"))
        words = self.words = SentencePage(
            sentence or self._left_sentence() or tr("the cat eats fish")
        )
        numbers = self.numbers = NumbersPage()
        self.sentence, self.other = words.sentence, words.other
        self.d, self.k, self.v, self.h = words.d, words.k, words.v, words.h
        self.fills, self.seed = numbers.fills, numbers.seed
        self._steps = QLabel()
        set_font(self._steps, BODY)
        title = fill(QHBoxLayout(), heading(tr("My own sentence"), DISPLAY), 1, self._steps)
        self.add(title, Gap(2), (words, 1), (numbers, 1), Gap(2), self._buttons())
        set_least(self.inside, height=440)
        for page in (words, numbers):
            page.edited.connect(self._show)
        back = QShortcut(QKeySequence("Alt+Left"), self)
        back.activated.connect(self._back)
        self.sentence.setFocus()
        self.sentence.selectAll()
        self._go_to(0)

    def document(self) -> Document:
        """Create the experiment."""
        document = self._create(self.words.sizes())
        if self.words.is_block():
            document = as_block(document, self.seed.value())
        return with_title(document, document.title, self.numbers.notes())

    def _create(self, sizes: Sizes) -> Document:
        words, numbers = self.words, self.numbers
        return create(
            words.tokens(),
            words.source(),
            sizes,
            numbers.fill(),
            self.seed.value(),
            self.sentence.text().strip(),
            context=words.context(),
            spread=numbers.spread(),
        )

    def _buttons(self) -> QHBoxLayout:
        self.create_button, self.back = QPushButton(), QPushButton(tr("&Back"))
        self.back.setAutoDefault(False)
        self.back.clicked.connect(self._back)
        self.problem = QLabel()
        self.problem.setWordWrap(True)
        self.problem.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        box = accept_or_cancel(self, self.create_button)
        box.addButton(self.back, QDialogButtonBox.ButtonRole.ActionRole)
        return fill(QHBoxLayout(), (self.problem, 1), box)

    # Slots

    def accept(self) -> None:
        """Go on to the numbers; from there, make the experiment."""
        if not self.create_button.isEnabled():
            return
        if self._step == 0:
            self._go_to(1)
            return
        self._keep_sentence("")
        super().accept()

    def reject(self) -> None:
        """Leave, and keep a sentence that was typed for the next time."""
        if self.sentence.isModified():
            self._keep_sentence(self.sentence.text().strip())
        super().reject()

    def _left_sentence(self) -> str:
        """The sentence of the dialog before, if that was left."""
        window = self.parentWidget()
        return "" if window is None else window.property(LEFT) or ""

    def _keep_sentence(self, sentence: str) -> None:
        window = self.parentWidget()
        if window is not None:
            window.setProperty(LEFT, sentence)

    def _back(self) -> None:
        if self._step:
            self._go_to(0)
            self.sentence.setFocus()

    def _go_to(self, step: int) -> None:
        """Show a step, and say which it is."""
        self._step = step
        self.words.setVisible(step == 0)
        self.numbers.setVisible(step == 1)
        names = (tr("1 Sentence"), tr("2 Numbers"))
        self._steps.setText(
            "  —  ".join(f"<b>{name}</b>" if at == step else name for at, name in enumerate(names))
        )
        self.create_button.setText((tr("Next: nu&mbers"), tr("&Make experiment"))[step])
        self.back.setVisible(step == 1)
        if step == 1:
            self.fills[self.numbers.fill()].setFocus()
        self.create_button.setDefault(True)  # hiding a page may have given Enter to Cancel
        self._show()

    def _show(self) -> None:
        """Update the problem, the button and the picture of the current step."""
        problem = self.words.problem()
        self.problem.setText(problem)
        self.create_button.setEnabled(not problem)
        if self._step == 1:
            sizes = self.words.sizes()
            first = Sizes(sizes.d, sizes.k, sizes.v, 1)
            self.numbers.show_document(None if problem else self._create(first), sizes.h)


def ask_new_document(parent: QWidget, sentence: str = "") -> Document | None:
    """Ask for a new experiment, with a sentence to begin with; None if the user cancels."""
    dialog = NewDialog(parent, sentence)
    try:
        return dialog.document() if dialog.exec() else None
    finally:
        dialog.deleteLater()
