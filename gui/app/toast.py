"""A notice that lies over the window, moves nothing in it, and is of no use any more after the next step."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from gui.painting.icons import icon
from gui.painting.text_size import px
from gui.painting.theme import colours
from gui.session.state import State
from gui.widgets.announcer import announce
from gui.widgets.buttons import CloseButton

AWAY = 14  # pixels from the lower edge of the window and, at least, from its sides
WIDEST = 560


class Toast(QFrame):
    """At the lower edge of its window, told to screen readers as it comes; Esc or its button puts it away."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("passing")
        self._picture, self._text, self._close = QLabel(self), QLabel(self), CloseButton(self, self)
        self._accent = colours("light").accent
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._window, self._row = window, QHBoxLayout(self)
        self._row.setContentsMargins(12, 6, 6, 6)
        for widget in (self._picture, self._text, self._close):
            self._row.addWidget(widget)
        window.installEventFilter(self)
        self.hide()

    def tell(self, text: str) -> None:
        """Show a sentence until the next step or edit."""
        self._picture.setPixmap(icon("check", self._accent).pixmap(px(20), px(20)))
        self._text.setText(text)
        self.setAccessibleName(text)
        self._place()
        self.show()
        self.raise_()
        announce(self, text)

    def _place(self) -> None:
        """In the middle of the lower edge, on as many lines as it needs there."""
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
        """It stays at the edge of a window that changes its size."""
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc puts it away."""
        if not self._close.takes(event):
            super().keyPressEvent(event)

    def show_state(self, old: State | None, new: State) -> None:
        """Colours and words; what was said belongs to the step and the document as they were."""
        self._close.show_state(old, new)
        theme = colours(new.shade)
        if old is None or old.shade != new.shade:
            self._accent = theme.accent
            self.setStyleSheet(
                f"#passing {{ background: {theme.surface}; border: 1px solid {theme.accent}; border-radius: 8px; }}"
            )
        if old is not None and (old.cursor != new.cursor or old.document is not new.document):
            self.hide()
