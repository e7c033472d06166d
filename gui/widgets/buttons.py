"""Small buttons with an icon and a name, and buttons that stand for an action."""

from __future__ import annotations

from PySide6.QtCore import SIGNAL, QEvent, QObject, Qt
from PySide6.QtGui import QAction, QActionEvent
from PySide6.QtWidgets import QToolButton, QWidget

from gui.painting.icons import icon
from gui.painting.text_size import set_fixed, set_icon_size
from gui.painting.theme import Colours


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


class ActionButton(QToolButton):
    """Stands for an action, and listens to it once.

    Qt's own button connects itself to its action anew with each change of it (measured, Qt 6.11): after an hour of
    steps one more change of "forward" would call thousands of slots.
    """

    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDefaultAction(action)

    def actionEvent(self, event: QActionEvent) -> None:
        """Forget the connection before Qt makes it again."""
        if event.type() is QEvent.Type.ActionChanged:
            QObject.disconnect(event.action(), SIGNAL("changed()"), self, None)  # type: ignore[call-overload]
        super().actionEvent(event)
