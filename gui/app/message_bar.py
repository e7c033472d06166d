"""Messages at the window: a bar that may offer buttons, and a toast that passes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolBar, QWidget

from core.base.errors import UserError
from gui.painting.icons import icon
from gui.painting.text_size import px
from gui.painting.theme import colours
from gui.session.state import State
from gui.texts.errors import error_message
from gui.texts.rich_text import to_html
from gui.widgets.announcer import announce
from gui.widgets.buttons import CloseButton
from gui.widgets.layouts import HeightFitted, fill

AWAY = 14  # pixels from the lower edge, and at least from the sides
WIDEST = 560


class Toast(QFrame):
    """A message at the lower edge of its window, announced to screen readers; Esc closes it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("passing")
        self._picture, self._text, self._close = QLabel(self), QLabel(self), CloseButton(self, self)
        self._accent = colours("light").accent
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._window = window
        widgets = (self._picture, self._text, self._close)
        self._row = fill(QHBoxLayout(self), *widgets, margins=(12, 6, 6, 6))
        window.installEventFilter(self)
        self.hide()

    def show_message(self, text: str) -> None:
        """Show a sentence until the next step or edit."""
        self._picture.setPixmap(icon("check", self._accent).pixmap(px(20), px(20)))
        self._text.setText(text)
        self.setAccessibleName(text)
        self._place()
        self.show()
        self.raise_()
        announce(self, text)

    def _place(self) -> None:
        """Move to the middle of the lower edge; wrap the text if needed."""
        room = self._window.rect().adjusted(AWAY, AWAY, -AWAY, -AWAY)
        self._text.setWordWrap(False)
        if self.sizeHint().width() > min(room.width(), px(WIDEST)):
            self._text.setWordWrap(True)
        width = min(self.sizeHint().width(), room.width(), px(WIDEST))
        high = (
            self._row.totalHeightForWidth(width)
            if self._text.wordWrap()
            else self.sizeHint().height()
        )
        self.resize(width, high)
        self.move(room.center().x() - width // 2, room.bottom() - self.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay at the edge when the window is resized."""
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if not self._close.takes(event):
            super().keyPressEvent(event)

    def show_state(self, old: State | None, new: State) -> None:
        """Update colours; hide after a step or an edit."""
        self._close.show_state(old, new)
        theme = colours(new.shade)
        if old is None or old.shade != new.shade:
            self._accent = theme.accent
            self.setStyleSheet(
                f"#passing {{ background: {theme.surface}; border: 1px solid {theme.accent}; border-radius: 8px; }}"
            )
        if old is not None and (old.cursor != new.cursor or old.document is not new.document):
            self.hide()


Offer = tuple[str, Callable[[], object]]


class MessageBar(QToolBar):
    """A row below the step bar, hidden until there is a message; Esc closes it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.setMovable(False)
        self.toggleViewAction().setVisible(False)
        self._card = HeightFitted(self)
        self._card.setObjectName("banner_card")
        self.addWidget(self._card)
        self._icon = QLabel(self._card)
        self._text = QLabel(self._card)
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.RichText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close = CloseButton(self, self._card)
        self._buttons: list[QPushButton] = []
        self._picture, self._stays, self._theme = "warning", False, colours("light")
        self.toast = Toast(self if parent is None else parent)
        parts = (self._icon, (self._text, 1), self._close)
        self._row = fill(QHBoxLayout(self._card), *parts, margins=(12, 6, 6, 6))
        self.hide()

    def refuse(self, problem: UserError) -> None:
        """Show a refused action as a warning, one that the user stopped as a toast."""
        speak = self.toast.show_message if problem.code == "given_up" else self.warn
        speak(error_message(problem))

    def warn(self, text: str, *offers: Offer) -> None:
        """Show a warning with a button for each offer; a message with offers stays until it is
        closed.
        """
        self._show("warning", text, offers)
        self._stays = bool(offers)

    def inform(self, text: str, *offers: Offer) -> None:
        """Report success."""
        self._show("check", text, offers)
        self._stays = False

    def hide_outdated(self) -> None:
        """Hide an outdated message; one with offers stays."""
        self.toast.hide()
        if not self._stays:
            self.hide()

    def _show(self, picture: str, text: str, offers: tuple[Offer, ...]) -> None:
        self._picture = picture
        self.toast.hide()
        self._paint_icon()
        for button in self._buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self._buttons = [self._button(*offer) for offer in offers]
        self._text.setText(to_html(text))
        self.setAccessibleName(text)
        self.show()

    def _paint_icon(self) -> None:
        colour = self._theme.warning if self._picture == "warning" else self._theme.accent
        self._icon.setPixmap(icon(self._picture, colour).pixmap(px(20), px(20)))

    def _button(self, label: str, action: Callable[[], object]) -> QPushButton:
        button = QPushButton(label, self._card)
        button.clicked.connect(self.hide)  # first, since the action may show another message
        button.clicked.connect(action)
        self._row.insertWidget(self._row.count() - 1, button)
        return button

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if not self._close.takes(event):
            super().keyPressEvent(event)

    def show_state(self, old: State | None, new: State) -> None:
        """Update colours; hide a message about an earlier document."""
        self.toast.show_state(old, new)
        self._close.show_state(old, new)
        theme = colours(new.shade)
        if old is None or old.shade != new.shade:
            self._theme = theme
            self._paint_icon()
            self._card.setStyleSheet(
                f"#banner_card {{ background: {theme.accent_soft}; border: 1px solid {theme.line}; "
                "border-radius: 8px; }"
            )
        if old is None:
            return
        if old.document is not new.document or old.dirty > new.dirty:
            self.hide_outdated()
