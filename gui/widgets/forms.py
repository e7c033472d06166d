"""What dialogs are built of: a frame with margins, headings, labelled rows, fields; and message
dialogs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from gui.painting.text_size import set_font, set_least
from gui.painting.theme import BODY, CAPTION, LIGHT, THEMES, TITLE, Colours
from gui.texts.rich_text import to_html
from gui.texts.translation import tr
from gui.widgets.fields import IntegerField
from gui.widgets.layouts import FlowLayout, Gap, Part, ScrollingPanel, fill

LEAST = QSize(320, 120)  # size of the smallest dialog
FRAME = QSize(16, 48)  # size of the window frame


class Dialog(QDialog):
    """A dialog with one column; it scrolls if it is higher than the screen. Esc closes it.

    `inside` holds the column; its minimum size is the dialog's.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.inside = QWidget()
        self.column = fill(QVBoxLayout(self.inside), spacing=10, margins=(28, 24, 28, 20))
        fill(QVBoxLayout(self), ScrollingPanel(self.inside, LEAST))
        self.inside.installEventFilter(self)

    def add(self, *parts: Part | tuple[Part, int]) -> None:
        """Add parts to the column."""
        fill(self.column, *parts, margins=None)

    def sizeHint(self) -> QSize:
        """The size of the contents, limited by the screen."""
        room = self.screen().availableSize() - FRAME
        width = min(max(self.inside.sizeHint().width(), self.inside.minimumWidth()), room.width())
        tall = self.column.totalHeightForWidth(width) if self.column.hasHeightForWidth() else 0
        height = max(tall or self.inside.sizeHint().height(), self.inside.minimumHeight())
        if height > room.height():  # with a scroll bar
            width = min(
                width + self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent),
                room.width(),
            )
        return QSize(width, min(height, room.height()))

    def setVisible(self, visible: bool) -> None:
        """Resize first: Qt limits a dialog to two thirds of the screen."""
        if visible and not self.testAttribute(Qt.WidgetAttribute.WA_Resized):
            self.resize(self.sizeHint())
        super().setVisible(visible)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Grow with the contents."""
        if event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            self.resize(self.size().expandedTo(self.sizeHint()))
        return super().eventFilter(watched, event)


class NumberField(IntegerField):
    """An integer. `edited` is emitted for changes of the user alone."""

    edited = Signal(int)

    def __init__(self, low: int, high: int, value: int) -> None:
        super().__init__()
        self.setRange(low, high)
        self.setValue(value)
        set_least(self, 92)
        self.lineEdit().textEdited.connect(self._on_typed)

    def stepBy(self, steps: int) -> None:
        """Emit `edited` for steps by arrow, key or wheel."""
        super().stepBy(steps)
        self.edited.emit(self.value())

    def _on_typed(self, _text: str) -> None:
        """Take over typed text; Qt does so only after the signal."""
        if self.hasAcceptableInput():
            self.interpretText()
            self.edited.emit(self.value())


def heading(text: str = "", size: int = TITLE) -> QLabel:
    """A heading."""
    return sentence_label(text, size=size, bold=True)


def strong(text: str) -> QLabel:
    """A bold line, such as the title of a group of fields."""
    label = QLabel(text)
    set_font(label, BODY, bold=True)
    return label


def sentence_label(
    text: str = "", *, size: int = BODY, bold: bool = False, muted: bool = False
) -> QLabel:
    """Text that wraps; muted for explanations."""
    label = QLabel(text)
    set_font(label, size, bold=bold)
    label.setWordWrap(True)
    if muted:
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


def caption(text: str = "") -> QLabel:
    """Small muted text."""
    return sentence_label(text, size=CAPTION, muted=True)


def label_field(label: QLabel, widget: QWidget, text: str, description: str = "") -> None:
    """Set the text of a row on its label and for screen readers."""
    label.setText(text)
    widget.setAccessibleName(without_mnemonic(text))
    widget.setAccessibleDescription(description)


def flow_row(*widgets: QWidget) -> FlowLayout:
    """Widgets side by side, in as many lines as they need."""
    row = FlowLayout(18)
    for widget in widgets:
        row.addWidget(widget)
    return row


def radios(owner: QWidget, *texts: str) -> list[QRadioButton]:
    """Radio buttons of one question; the first is checked."""
    group = QButtonGroup(owner)
    found = [QRadioButton(text) for text in texts]
    for radio in found:
        radio.setAccessibleName(without_mnemonic(radio.text()))
        group.addButton(radio)
    found[0].setChecked(True)
    return found


def field_grid(rows: Sequence[tuple[QWidget, str, str]], spacing: int) -> QGridLayout:
    """Fields side by side, each below its label, with tool tips."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(spacing)
    grid.setVerticalSpacing(4)
    for column, (field, text, description) in enumerate(rows):
        label = QLabel()
        label.setBuddy(field)
        label_field(label, field, text, description)
        if "_" in text:
            _lower_index(label, field, text)
        field.setToolTip(description)
        grid.addWidget(label, 0, column)
        grid.addWidget(field, 1, column)
    grid.setColumnStretch(len(rows), 1)
    return grid


def _lower_index(label: QLabel, field: QWidget, text: str) -> None:
    """Write d_model with a subscript. Rich text has no mnemonics: underline the letter, add a
    shortcut.
    """
    at = text.index("&")
    key, bare = text[at + 1], text.replace("&", "")
    before = bare[:at].count(key)
    parts = re.split(r"(<[^>]*>)", to_html(bare))
    for number, part in enumerate(parts):
        found = part.count(key) if not part.startswith("<") else 0
        if found > before:
            pieces = part.split(key)
            parts[number] = (
                f"{key.join(pieces[: before + 1])}<u>{key}</u>{key.join(pieces[before + 1 :])}"
            )
            break
        before -= found
    label.setText("".join(parts))
    QShortcut(QKeySequence(f"Alt+{key}"), field, field.setFocus)


def accept_or_cancel(dialog: QDialog, go: QPushButton) -> QDialogButtonBox:
    """The default button of a dialog and Cancel."""
    box = QDialogButtonBox()
    go.setDefault(True)
    box.addButton(go, QDialogButtonBox.ButtonRole.AcceptRole)
    box.addButton(QPushButton(tr("&Cancel")), QDialogButtonBox.ButtonRole.RejectRole)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box


def close_box(dialog: QDialog) -> QDialogButtonBox:
    """A Close button for a dialog that is deleted when closed."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box = QDialogButtonBox()
    button = QPushButton()
    button.setDefault(True)
    box.addButton(button, QDialogButtonBox.ButtonRole.RejectRole)
    box.rejected.connect(dialog.reject)
    name_close(box)
    return box


def name_close(box: QDialogButtonBox) -> None:
    """Translate the Close button."""
    for button in box.buttons():
        button.setText(tr("&Close"))


def without_mnemonic(text: str) -> str:
    """A label's text without mnemonic, such as "语言" of "语言(&L)"."""
    return re.sub(r"\(&.\)|&", "", text)


def theme_of(widget: QWidget) -> Colours:
    """The theme of the widget's palette."""
    window = widget.palette().color(QPalette.ColorRole.Window)
    return next((theme for theme in THEMES.values() if QColor(theme.window) == window), LIGHT)


class MessageButton(Struct, frozen=True):
    """A button: id, text, whether it is the default, whether it discards something."""

    id: str
    text: str
    default: bool = False
    destructive: bool = False


class Message(Dialog):
    """A heading, a sentence and buttons. Esc means "cancel"."""

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
        self.add(heading(title), sentence_label(detail), Gap(8))
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
        """Show a message and return the id of the chosen button; `indices` writes W_Q with a
        subscript.
        """
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
