"""Small buttons with an icon and a name."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from gui.icons import icon
from gui.text_size import set_fixed, set_icon_size
from gui.theme import Colours


class IconButton(QToolButton):
    """Flat, reached by Tab, with a name that is also its tip."""

    def __init__(self, picture: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = picture
        self.setAutoRaise(True)
        set_icon_size(self, 18)
        set_fixed(self, 28, 28)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def call(self, name: str, keys: str = "") -> None:
        """Its name in the current language, and the keys that do the same."""
        self.setAccessibleName(name)
        self.setToolTip(f"{name} ({keys})" if keys else name)

    def show_picture(self, picture: str, theme: Colours) -> None:
        """Another icon."""
        self._picture = picture
        self.paint_in(theme)

    def paint_in(self, theme: Colours) -> None:
        """The theme's colours."""
        self.setIcon(icon(self._picture, theme.text, theme.ghost))
        self.setStyleSheet(
            f"QToolButton {{ border: 1px solid transparent; border-radius: 6px; }}"
            f"QToolButton:hover {{ background: {theme.sunken}; }}"
            f"QToolButton:checked {{ background: {theme.accent_soft}; }}"
            f"QToolButton:focus {{ border-color: {theme.accent}; }}"
        )
