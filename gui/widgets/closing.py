"""The small button that puts a message away."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QToolButton, QWidget

from gui.painting.icons import icon
from gui.painting.text_size import set_icon_size
from gui.painting.theme import colours
from gui.session.state import State
from gui.texts.translation import tr


class CloseButton(QToolButton):
    """Hides its message. So does Esc, wherever in the message the keyboard is: its keys are shown to `takes`."""

    def __init__(self, message: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAutoRaise(True)
        set_icon_size(self, 16)
        self.clicked.connect(message.hide)

    def takes(self, event: QKeyEvent) -> bool:
        """Whether a key pressed in the message has put it away."""
        if event.key() != Qt.Key.Key_Escape:
            return False
        self.click()
        return True

    def show_state(self, old: State | None, new: State) -> None:
        """Colours and words."""
        if old is None or old.shade != new.shade:
            self.setIcon(icon("close", colours(new.shade).muted))
        if old is None or old.language != new.language:
            self.setAccessibleName(tr("Close this message"))
            self.setToolTip(tr("Close this message"))
