"""Line edits for numbers with an error message below."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any
from unicodedata import normalize

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QValidator
from PySide6.QtWidgets import QDoubleSpinBox, QLabel, QLineEdit, QSpinBox, QVBoxLayout, QWidget

from core.base.errors import UserError
from core.base.number_format import exact
from core.exchange.expression import parse_number
from gui.painting.text_size import set_font, set_widest
from gui.painting.theme import BODY, CAPTION, LIGHT, Colours
from gui.texts.errors import error_message
from gui.widgets.layouts import fill
from gui.widgets.styles import wrong_style

Check = Callable[[float], str]


def anything(value: float) -> str:
    """Accept every number."""
    return ""


class IntegerField(QSpinBox):
    """A spin box that reads full-width digits too."""

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Replace full-width digits."""
        return super().validate(normalize("NFKC", text), position)


class RealSpinBox(QDoubleSpinBox):
    """A spin box for a number of any digits, which are all shown and kept."""

    def __init__(self, least: float, most: float, step: float) -> None:
        super().__init__()
        self._least, self._most = least, most  # of what is typed; a file may have other numbers
        self.setDecimals(17)
        self.setRange(least, most)
        self.setSingleStep(step)
        self.setKeyboardTracking(False)

    def show_value(self, value: float) -> None:
        """Show the number of the document."""
        self.setRange(min(self._least, value), max(self._most, value))
        self.setValue(value)
        self.lineEdit().setCursorPosition(0)  # a long number shows its first digits

    def textFromValue(self, value: float) -> str:
        """The shortest text that reads back as the same number."""
        return f"{Decimal(exact(value)):f}".removesuffix(".0")

    def stepBy(self, steps: int) -> None:
        """Step in decimals: 0.1 + 0.05 is 0.15."""
        step = Decimal(exact(self.singleStep()))
        self.setValue(float(Decimal(exact(self.value())) + steps * step))

    def validate(self, text: str, position: int) -> Any:
        """Replace full-width digits."""
        return super().validate(normalize("NFKC", text), position)


class RealField(QWidget):
    """A number. `entered(value)`: a new number, or None where an empty field means no limit; Esc
    restores.

    `check` returns a sentence about what is wrong with a number, or "".
    """

    entered = Signal(object)

    def __init__(
        self, check: Check = anything, parent: QWidget | None = None, *, may_be_empty: bool = False
    ) -> None:
        super().__init__(parent)
        self._check, self._may_be_empty = check, may_be_empty
        self._value: float | None = None
        self._theme = LIGHT
        self.line, self.error = QLineEdit(self), QLabel(self)
        set_font(self.line, BODY)
        set_widest(self.line, 130)
        set_font(self.error, CAPTION)
        self.error.setWordWrap(True)
        self.error.hide()
        fill(QVBoxLayout(self), self.line, self.error, spacing=2)
        self.setFocusProxy(self.line)
        self.line.editingFinished.connect(self._finish)
        self.line.textEdited.connect(self._hush)

    def show_value(self, value: float | None) -> None:
        """Show the number of the document."""
        if self.line.text() and value == self._value:
            return
        self._value = value
        self.restore()

    def restore(self) -> None:
        """Discard what was typed."""
        self.line.setText("" if self._value is None else exact(self._value).removesuffix(".0"))
        self.line.setCursorPosition(0)  # a long number shows its first digits
        self._say("")

    def forget(self) -> None:
        """Discard refused text, unless the field has the focus."""
        if self.error.text() and not self.line.hasFocus():
            self.restore()

    def paint_in(self, theme: Colours) -> None:
        """Apply the colours of a theme."""
        self._theme = theme
        self.error.setStyleSheet(f"color: {theme.error};")
        self._say(self.error.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Restore on Esc."""
        if event.key() == Qt.Key.Key_Escape and (self.line.isModified() or self.error.text()):
            self.restore()
        else:
            super().keyPressEvent(event)

    def _finish(self) -> None:
        if not self.line.isModified():
            return
        text = self.line.text()
        try:
            value = None if self._may_be_empty and not text.strip() else parse_number(text)
        except UserError as problem:
            self._say(error_message(problem))
            return
        wrong = "" if value is None else self._check(value)
        self._say(wrong)
        if not wrong:
            self.line.setModified(False)
            self.entered.emit(value)

    def _hush(self) -> None:
        self._say("")

    def _say(self, sentence_: str) -> None:
        """Show or hide the error message."""
        self.error.setText(sentence_)
        self.error.setVisible(bool(sentence_))
        self.line.setStyleSheet(wrong_style(self._theme) if sentence_ else "")
        self.line.setAccessibleDescription(sentence_)
