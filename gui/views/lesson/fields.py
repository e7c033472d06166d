"""Fields that hand over what is typed: after a moment, and when they lose the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours, edge

LINES = 40  # a field never grows higher
# Milliseconds from the first letter that nobody else has to its hand-over: a crash loses no more, the recovery copy
# apart, and a hand-over for each letter would cost those who type fast.
SOON = 1000


class _Soon:
    """What both fields are beside their Qt class: what is typed is handed over soon, and when the user goes on."""

    visit = 0

    def _make_timer(self, field: QWidget) -> None:
        self._soon = QTimer(field, singleShot=True, interval=SOON)
        self._soon.timeout.connect(self.hand_over)

    def hand_over(self) -> None:
        """What is typed, now; cursor and selection stay."""
        raise NotImplementedError

    def _go_on(self) -> None:
        self.hand_over()
        self.visit += 1


class TextField(_Soon, QPlainTextEdit):
    """Grows with its text. `handed_over(text)`: the user has changed it; `visit` is another number once they went on.

    While they type, it is handed over every now and then, where they leave the field or press Ctrl+Enter at once.
    """

    handed_over = Signal(str)

    def __init__(self, lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = lines
        self._shown = ""
        self._make_timer(self)
        set_font(self, BODY)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        self.textChanged.connect(self._on_typed)
        self._grow()

    def show_text(self, text: str) -> None:
        """Show a text; what is being typed is not disturbed by the same one."""
        if text != self._shown or (text != self.toPlainText() and not self.hasFocus()):
            self._shown = text
            self.setPlainText(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hand over."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._go_on()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter breaks the line, Ctrl+Enter hands over."""
        command = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if command and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._go_on()
        else:
            super().keyPressEvent(event)

    def _on_typed(self) -> None:
        """Nothing is to come where a program has put the text, or where it is as it was."""
        if self.toPlainText() == self._shown:
            self._soon.stop()
        elif not self._soon.isActive():
            self._soon.start()

    def hand_over(self) -> None:
        """What is typed, now; cursor, selection and the field's own undo stay."""
        self._soon.stop()
        text = self.toPlainText()
        if text != self._shown:
            self._shown = text
            self.handed_over.emit(text)

    def _grow(self) -> None:
        lines = min(
            max(self.document().size().height(), self._lines), LINES
        )  # a plain text counts in lines
        height = (
            lines * QFontMetricsF(self.font()).lineSpacing()
            + 2 * self.document().documentMargin()
            + 4
        )
        self.setFixedHeight(round(height))

    def minimumSizeHint(self) -> QSize:
        """As narrow as need be."""
        return QSize(60, self.height())


class LineField(_Soon, QLineEdit):
    """One line that is handed over as a TextField's text is."""

    handed_over = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._make_timer(self)
        self.setProperty("hands_over", True)  # it need not lose the keyboard for that
        self.textEdited.connect(self._on_typed)
        self.editingFinished.connect(self._go_on)

    def show_text(self, text: str) -> None:
        """Show a text; what is being typed is not disturbed by the same one."""
        if not self.hasFocus() or text != self.text().strip():
            self._soon.stop()
            self.setText(text)

    def _on_typed(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def hand_over(self) -> None:
        """What is typed, now; cursor and selection stay."""
        self._soon.stop()
        if self.isModified():
            self.setModified(False)
            self.handed_over.emit(self.text().strip())


class Labelled(QWidget):
    """A text field under its name."""

    def __init__(self, field: TextField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field, self.label = field, QLabel(self)
        set_font(self.label, CAPTION, bold=True)
        self.label.setBuddy(field)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.label)
        column.addWidget(field)

    def call(self, name: str, spoken: str) -> None:
        """Its name, and how a screen reader says it."""
        self.label.setText(name)
        self.field.setAccessibleName(spoken)

    def paint_in(self, theme: Colours) -> None:
        """The theme's colours."""
        self.label.setStyleSheet(f"color: {theme.muted};")
        self.field.setStyleSheet(
            f"QPlainTextEdit {{ color: {theme.text}; background: {theme.surface}; border: 1px solid {edge(theme)};"
            f" border-radius: 6px; }} QPlainTextEdit:focus {{ border-color: {theme.accent}; }}"
        )


class CountField(QSpinBox):
    """`entered(number)`: typed and left, or stepped by arrows or wheel; silent when the program sets it."""

    entered = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setKeyboardTracking(False)
        self.editingFinished.connect(self._tell)

    def stepBy(self, steps: int) -> None:
        """An arrow was pressed."""
        super().stepBy(steps)
        self._tell()

    def _tell(self) -> None:
        self.entered.emit(self.value())
