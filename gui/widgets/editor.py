"""The line in which a number of a table is typed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from gui.painting.text_size import set_font
from gui.painting.theme import BODY, Colours
from gui.texts.translation import tr
from gui.widgets.shortcut_filter import COMMANDS, claim_key


class NumberEditor(QLineEdit):
    """Keeps every key without a command key for itself while it is open."""

    def __init__(self, parent: QWidget, theme: Colours, name: str) -> None:
        super().__init__(parent)
        set_font(self, BODY)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName(tr("New value of {name}", name=name))
        self.dress(theme)

    def dress(self, theme: Colours, pixels: int = 0) -> None:
        """The theme's colours; letters of so many pixels where they are not those of the window."""
        size = f" font-size: {pixels}px;" if pixels else ""
        self.setStyleSheet(
            f"QLineEdit {{{size} color: {theme.text}; background: {theme.surface}; border: 2px solid {theme.accent};"
            f" border-radius: 4px; padding: 0 6px; selection-background-color: {theme.accent};"
            f" selection-color: {theme.on_accent}; }}"
        )

    def event(self, event: QEvent) -> bool:
        """Keys that would be shortcuts elsewhere belong to the text."""
        return claim_key(event, _is_typed) or super().event(event)


def _is_typed(event: QKeyEvent) -> bool:
    return not event.modifiers() & COMMANDS
