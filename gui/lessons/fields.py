"""Fields that hand over what was typed when they lose the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QSizePolicy, QSpinBox, QVBoxLayout, QWidget

from gui.text_size import set_font
from gui.theme import BODY, CAPTION, Colours, edge

LINES = 40  # a field never grows higher


class TextField(QPlainTextEdit):
    """Grows with its text. `handed_over(text)`: the user has changed it and gone on; Ctrl+Enter does so, too."""

    handed_over = Signal(str)

    def __init__(self, lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = lines
        self._shown = ""
        set_font(self, BODY)
        self.setTabChangesFocus(True)
        self.setProperty("hands_over", True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
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
            self._hand_over()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter breaks the line, Ctrl+Enter hands over."""
        command = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if command and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._hand_over()
        else:
            super().keyPressEvent(event)

    def _hand_over(self) -> None:
        text = self.toPlainText()
        if text != self._shown:
            self._shown = text
            self.handed_over.emit(text)

    def _grow(self) -> None:
        lines = min(max(self.document().size().height(), self._lines), LINES)  # a plain text counts in lines
        height = lines * QFontMetricsF(self.font()).lineSpacing() + 2 * self.document().documentMargin() + 4
        self.setFixedHeight(round(height))

    def minimumSizeHint(self) -> QSize:
        """As narrow as need be."""
        return QSize(60, self.height())


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
