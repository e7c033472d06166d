"""What dialogs are built of: a frame with margins, headings, labelled rows, fields; and message dialogs."""

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
    QSpinBox,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from gui.painting.text_size import set_font, set_least
from gui.painting.theme import BODY, CAPTION, LIGHT, THEMES, TITLE, Colours
from gui.texts.rich_text import to_html
from gui.texts.translation import tr
from gui.widgets.layouts import FlowLayout, Scrolling

LEAST = QSize(320, 120)  # the smallest dialog
FRAME = QSize(16, 48)  # what a window's own frame takes of the screen


class Dialog(QDialog):
    """A dialog with one column and generous margins; what is higher than the screen scrolls. Esc closes it.

    `inside` holds the column: its smallest size is the dialog's, as far as the screen has room for it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.inside = QWidget()
        self.column = QVBoxLayout(self.inside)
        self.column.setContentsMargins(28, 24, 28, 20)
        self.column.setSpacing(10)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(Scrolling(self.inside, LEAST))
        self.inside.installEventFilter(self)

    def sizeHint(self) -> QSize:
        """All that is inside, as far as the screen has room for it beside the window's own frame."""
        room = self.screen().availableSize() - FRAME
        width = min(max(self.inside.sizeHint().width(), self.inside.minimumWidth()), room.width())
        tall = self.column.totalHeightForWidth(width) if self.column.hasHeightForWidth() else 0
        height = max(tall or self.inside.sizeHint().height(), self.inside.minimumHeight())
        if height > room.height():  # beside the bar that scrolls it
            width = min(
                width + self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent),
                room.width(),
            )
        return QSize(width, min(height, room.height()))

    def setVisible(self, visible: bool) -> None:
        """Qt would give it two thirds of the screen at the most."""
        if visible and not self.testAttribute(Qt.WidgetAttribute.WA_Resized):
            self.resize(self.sizeHint())
        super().setVisible(visible)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What comes to be inside makes room for itself."""
        if event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            self.resize(self.size().expandedTo(self.sizeHint()))
        return super().eventFilter(watched, event)


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


def line_of(*widgets: QWidget) -> FlowLayout:
    """Widgets side by side, such as the radio buttons of one question, in as many lines as they need."""
    row = FlowLayout(18)
    for widget in widgets:
        row.addWidget(widget)
    return row


def radios(owner: QWidget, *texts: str) -> list[QRadioButton]:
    """The answers of one question of a dialog, the first of them chosen."""
    group = QButtonGroup(owner)
    found = [QRadioButton(text) for text in texts]
    for radio in found:
        radio.setAccessibleName(plain(radio.text()))
        group.addButton(radio)
    found[0].setChecked(True)
    return found


def field_grid(rows: Sequence[tuple[QWidget, str, str]], spacing: int) -> QGridLayout:
    """Fields side by side, each below its name; the description is for the tool tip and the screen reader."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(spacing)
    grid.setVerticalSpacing(4)
    for column, (field, text, description) in enumerate(rows):
        label = QLabel()
        label.setBuddy(field)
        name_row(label, field, text, description)
        if "_" in text:
            _lower_index(label, field, text)
        field.setToolTip(description)
        grid.addWidget(label, 0, column)
        grid.addWidget(field, 1, column)
    grid.setColumnStretch(len(rows), 1)
    return grid


def _lower_index(label: QLabel, field: QWidget, text: str) -> None:
    """d_model with its index below the line. Rich text knows no mnemonic: its letter is underlined and a key here."""
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


def go_or_leave(dialog: QDialog, go: QPushButton) -> QDialogButtonBox:
    """The buttons below a dialog: the one that does it, which Enter presses too, and Cancel."""
    box = QDialogButtonBox()
    go.setDefault(True)
    box.addButton(go, QDialogButtonBox.ButtonRole.AcceptRole)
    box.addButton(QPushButton(tr("&Cancel")), QDialogButtonBox.ButtonRole.RejectRole)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box


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
    window = widget.palette().color(QPalette.ColorRole.Window)
    return next((theme for theme in THEMES.values() if QColor(theme.window) == window), LIGHT)


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
