"""Codes of experiments: ask for one, and show one as a QR code."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core.base.errors import UserError
from core.document.document import Document
from core.exchange.code import LARGEST_QR, LONGEST, qr_code, read_code
from gui.painting.text_size import set_least
from gui.texts.errors import error_message
from gui.texts.names import first_tokens
from gui.texts.translation import tr, tr_marked
from gui.widgets.forms import (
    Dialog,
    accept_or_cancel,
    close_box,
    heading,
    label_field,
    sentence_label,
    theme_of,
)
from gui.widgets.layouts import Gap, fill

QUIET = 4  # modules of white around a QR code, as the standard asks
LEAST_SIDE, SIDE = 300, 450  # of the picture, with which the dialog fits into 720 pixels


class CodeDialog(Dialog):
    """Ask for a code; says at once what it holds."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Open code"))
        set_least(self.inside, 520)
        self.field, self.told = QPlainTextEdit(), sentence_label()
        self.field.setTabChangesFocus(True)
        label = QLabel()
        label.setBuddy(self.field)
        label_field(label, self.field, tr("&Code, or a link that ends in one"))
        self.go = QPushButton(tr("&Open"))
        self.add(heading(tr("Open code")), label, self.field, self.told, Gap(4))
        self.add(accept_or_cancel(self, self.go))
        self.field.textChanged.connect(self._show)
        self.field.setPlainText(text)
        self._show()
        self.field.setFocus()

    def code(self) -> str:
        """The text as it was pasted."""
        return self.field.toPlainText()[: LONGEST + 1]

    def _show(self) -> None:
        """Say which experiment it is, or what is wrong."""
        text, said, wrong = self.code(), "", False
        if text.strip():
            try:
                document = read_code(text)
                title = tr_marked(document.title) if document.title else tr("Untitled")
                said = tr("{title}: {tokens}", title=title, tokens=first_tokens(document, 60, " "))
            except UserError as problem:
                said, wrong = error_message(problem), True
        theme = theme_of(self)
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.told.setStyleSheet(f"color: {theme.error if wrong else theme.text};")
        self.told.setText(said)
        self.go.setEnabled(bool(said) and not wrong)


def ask_code(parent: QWidget, text: str = "") -> str | None:
    """Ask for a code; None if the user cancels."""
    dialog = CodeDialog(text, parent)
    try:
        return dialog.code() if dialog.exec() else None
    finally:
        dialog.deleteLater()


def qr_modules(text: str) -> list[list[bool]]:
    """The dark modules of a QR code, row by row, without the quiet zone."""
    import segno

    return [[bool(module) for module in row] for row in segno.make_qr(text, error="l").matrix]


class QrPicture(QWidget):
    """A QR code, as large as there is room; always dark on white, which phones read best."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._modules: list[list[bool]] = []
        set_least(self, LEAST_SIDE, LEAST_SIDE)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_text(self, text: str) -> None:
        """Show the code of a text."""
        self._modules = qr_modules(text)
        self.setAccessibleName(tr("QR code of the experiment"))
        self.update()

    def sizeHint(self) -> QSize:
        """A square."""
        return QSize(SIDE, SIDE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint whole pixels a module, so that edges stay sharp."""
        count = len(self._modules) + 2 * QUIET
        ratio = self.devicePixelRatioF()
        side = max(1, int(min(self.width(), self.height()) * ratio / count)) / ratio
        left, top = (self.width() - side * count) / 2, (self.height() - side * count) / 2
        left, top = round(left * ratio) / ratio, round(top * ratio) / ratio
        with QPainter(self) as painter:
            painter.fillRect(QRectF(left, top, side * count, side * count), QColor("white"))
            for row, modules in enumerate(self._modules):
                for column, dark in enumerate(modules):
                    if dark:
                        x, y = left + (column + QUIET) * side, top + (row + QUIET) * side
                        painter.fillRect(QRectF(x, y, side, side), QColor("black"))


class QrDialog(Dialog):
    """The experiment as a QR code for the hall. F5 fills the screen.

    `copy_wanted`, `save_wanted`: the code is to be copied, the experiment to be saved as a file.
    """

    copy_wanted = Signal()
    save_wanted = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("QR code"))
        self._code = qr_code(document)
        title = tr_marked(document.title) if document.title else tr("Untitled")
        self.picture, self.address = QrPicture(), QLineEdit()
        self.told = sentence_label()
        label = QLabel()
        label.setBuddy(self.address)
        label_field(label, self.address, tr("&Address of the exported page (optional)"))
        self.field = QWidget()
        fill(QVBoxLayout(self.field), label, self.address, spacing=4)
        self.copy_button, self.save_button = (
            QPushButton(tr("&Copy code")),
            QPushButton(tr("&Save a file…")),
        )
        self.full_button = QPushButton(tr("&Full screen"))
        self.full_button.setToolTip("F5")
        self.copy_button.clicked.connect(self.copy_wanted)
        self.save_button.clicked.connect(self.save_wanted)
        self.full_button.clicked.connect(self._toggle_full)
        box = close_box(self)
        for button in (self.copy_button, self.save_button, self.full_button):
            button.setAutoDefault(False)
            box.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        self.title = heading(title)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.add(self.title, (self.picture, 1), self.told, self.field, box)
        self.address.textChanged.connect(self._show)
        self._show()

    @property
    def fits(self) -> bool:
        """Whether the code is short enough for a QR code."""
        return len(self._code) <= LARGEST_QR

    def text(self) -> str:
        """What the QR code holds: the code, or a link to the page with it."""
        address = self.address.text().strip().partition("#")[0]
        return f"{address}#{self._code}" if address else self._code

    def _show(self) -> None:
        self.picture.setVisible(self.fits)
        self.field.setVisible(self.fits)
        self.full_button.setVisible(self.fits)
        self.save_button.setVisible(not self.fits)
        if not self.fits:
            self.told.setText(
                tr(
                    "This experiment is a code of {count} characters; phones read up to {limit} from "
                    "a screen. Send it as a file, or copy the code.",
                    count=len(self._code),
                    limit=LARGEST_QR,
                )
            )
            return
        self.picture.show_text(self.text())
        self.told.setText(
            tr("Opens the page with this experiment.")
            if self.address.text().strip()
            else tr("Contains the code, which the page and the program can open.")
        )

    def _toggle_full(self) -> None:
        full = not self.isFullScreen()
        (self.showFullScreen if full else self.showNormal)()
        self.field.setVisible(not full)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """F5 fills the screen; Esc leaves it first."""
        key = Qt.Key(event.key())
        if self.fits and (
            key == Qt.Key.Key_F5 or (key == Qt.Key.Key_Escape and self.isFullScreen())
        ):
            self._toggle_full()
        else:
            super().keyPressEvent(event)
