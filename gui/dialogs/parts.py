"""What the dialogs are built of: a frame with margins, headings, labelled rows, fields that tell the user's wish."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gui.language import tr
from gui.text_size import set_font, set_least
from gui.theme import BODY, CAPTION, DARK, LIGHT, TITLE, Colours


class Dialog(QDialog):
    """A dialog with one column and generous margins. Esc closes it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(28, 24, 28, 20)
        self.column.setSpacing(10)


class NumberField(QSpinBox):
    """A whole number. `edited` tells what the user typed or stepped, and is silent when the program sets it."""

    edited = Signal(int)

    def __init__(self, low: int, high: int, value: int) -> None:
        super().__init__()
        self.setRange(low, high)
        self.setValue(value)
        set_least(self, 92)
        self.lineEdit().textEdited.connect(self._on_typed)

    def stepBy(self, steps: int) -> None:
        """A step by arrow, key or wheel is a wish of the user's."""
        super().stepBy(steps)
        self.edited.emit(self.value())

    def _on_typed(self, _text: str) -> None:
        """Qt takes the text over only after it has told of it."""
        if self.hasAcceptableInput():
            self.interpretText()
            self.edited.emit(self.value())


def heading(text: str = "", size: int = TITLE) -> QLabel:
    """A line that opens a dialog or a part of it."""
    label = QLabel(text)
    set_font(label, size, bold=True)
    label.setWordWrap(True)
    return label


def sentence_label(text: str = "", *, size: int = BODY, muted: bool = False) -> QLabel:
    """Running text that wraps; muted for what only explains."""
    label = QLabel(text)
    set_font(label, size)
    label.setWordWrap(True)
    if muted:
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


def caption(text: str = "") -> QLabel:
    """Small muted text."""
    return sentence_label(text, size=CAPTION, muted=True)


def name_row(label: QLabel, widget: QWidget, text: str, description: str = "") -> None:
    """The text of a row in the current language: on the label, and to those who hear instead of see."""
    label.setText(text)
    widget.setAccessibleName(plain(text))
    widget.setAccessibleDescription(description)


def line_of(*widgets: QWidget) -> QHBoxLayout:
    """Widgets side by side, such as the radio buttons of one question."""
    row = QHBoxLayout()
    row.setSpacing(18)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return row


def field_grid(rows: Sequence[tuple[QWidget, str, str]], spacing: int) -> QGridLayout:
    """Fields side by side, each below its name; the description is for the tool tip and the screen reader."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(spacing)
    grid.setVerticalSpacing(4)
    for column, (field, text, description) in enumerate(rows):
        label = QLabel()
        label.setBuddy(field)
        name_row(label, field, text, description)
        field.setToolTip(description)
        grid.addWidget(label, 0, column)
        grid.addWidget(field, 1, column)
    grid.setColumnStretch(len(rows), 1)
    return grid


def close_box(dialog: QDialog) -> QDialogButtonBox:
    """The Close button of a dialog in which there is nothing to confirm, and which is gone once it is closed."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box = QDialogButtonBox()
    button = QPushButton()
    button.setDefault(True)
    box.addButton(button, QDialogButtonBox.ButtonRole.RejectRole)
    box.rejected.connect(dialog.reject)
    name_close(box)
    return box


def name_close(box: QDialogButtonBox) -> None:
    """The Close button's text in the current language."""
    for button in box.buttons():
        button.setText(tr("&Close"))


def plain(text: str) -> str:
    """A label's text without its mnemonic, such as "语言" of "语言(&L)"."""
    return re.sub(r"\(&.\)|&", "", text)


def theme_of(widget: QWidget) -> Colours:
    """The theme that the widget's palette belongs to, for what it paints itself."""
    return DARK if widget.palette().color(QPalette.ColorRole.Window).lightness() < 128 else LIGHT
