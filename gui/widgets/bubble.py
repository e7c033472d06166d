"""A sentence beside the place that it is about."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QLabel, QWidget

from gui.painting.text_size import px, set_font
from gui.painting.theme import BODY, Colours
from gui.texts.rich_text import to_html

WIDEST = 340


class Bubble(QLabel):
    """Floats over its parent, under the given place or above it; gone with the next change."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.setWordWrap(True)
        set_font(self, BODY)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paint_in(self, theme: Colours) -> None:
        """The theme's colours."""
        self.setStyleSheet(
            f"color: {theme.error}; background: {theme.surface}; border: 1px solid {theme.error};"
            "border-radius: 6px; padding: 6px 8px;"
        )

    def say(self, sentence: str, place: QRect) -> None:
        """Show a sentence at a rectangle of the parent."""
        space = self._parent.rect()
        self.setText(to_html(sentence))
        self.setAccessibleName(sentence)
        self.setFixedWidth(min(px(WIDEST), max(120, space.width() - 8)))
        self.adjustSize()
        below = place.bottom() + 4
        above = place.top() - 4 - self.height()
        y = below if below + self.height() <= space.height() or above < 0 else above
        x = max(4, min(place.left(), space.width() - self.width() - 4))
        self.move(x, max(0, y))
        self.raise_()
        self.show()
