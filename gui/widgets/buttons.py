"""Buttons: icons, actions, closing a message, and a row of which one is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import SIGNAL, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionEvent, QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QMenu, QToolButton, QWidget

from gui.painting.icons import icon
from gui.painting.text_size import set_fixed, set_font, set_icon_size
from gui.painting.theme import BODY, Colours, colours
from gui.session.state import State
from gui.texts.translation import tr
from gui.widgets.layouts import fill


class IconButton(QToolButton):
    """A flat button with an icon, and with a word if `words`; its name is also its tool tip."""

    def __init__(self, picture: str, parent: QWidget | None = None, *, words: bool = False) -> None:
        super().__init__(parent)
        self._picture = picture
        self.setAutoRaise(True)
        set_icon_size(self, 18)
        if words:
            self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            set_font(self, BODY)
        else:
            set_fixed(self, 28, 28)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def call(self, name: str, keys: str = "", text: str = "") -> None:
        """Set the name in the current language, the keys for the tool tip, and the word beside."""
        self.setText(text)
        name_widget(self, name, f"{name} ({keys})" if keys else name)

    def show_picture(self, picture: str, theme: Colours) -> None:
        """Change the icon."""
        self._picture = picture
        self.paint_in(theme)

    def paint_in(self, theme: Colours) -> None:
        """Apply the colours of a theme."""
        self.setIcon(icon(self._picture, theme.text, theme.ghost))
        self.setStyleSheet(
            f"QToolButton {{ border: 1px solid transparent; border-radius: 6px; color: {theme.text}; }}"
            f"QToolButton:disabled {{ color: {theme.disabled}; }}"
            f"QToolButton:hover {{ background: {theme.sunken}; }}"
            f"QToolButton:checked {{ background: {theme.accent_soft}; }}"
            f"QToolButton:focus {{ border-color: {theme.accent}; }}"
        )


class ActionButton(QToolButton):
    """A button of an action, connected to it once.

    Qt connects its own button to the action again with each change (measured, Qt 6.11): after an
    hour of steps one change would call thousands of slots.
    """

    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDefaultAction(action)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the menu, if there is one, by Alt+↓."""
        by_alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if not (by_alt and event.key() == Qt.Key.Key_Down and self._open_menu()):
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu, if there is one, by a right click or the menu key."""
        event.setAccepted(self._open_menu())

    def _open_menu(self) -> bool:
        menu: QMenu | None = self.menu()
        if menu is not None:
            menu.popup(self.mapToGlobal(self.rect().bottomLeft()))
        return menu is not None

    def actionEvent(self, event: QActionEvent) -> None:
        """Remove the connection before Qt makes it again."""
        if event.type() is QEvent.Type.ActionChanged:
            QObject.disconnect(event.action(), SIGNAL("changed()"), self, None)  # type: ignore[call-overload]
        super().actionEvent(event)


class CloseButton(QToolButton):
    """Hide a message by click or Esc; the message passes its key events to `takes`."""

    def __init__(self, message: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAutoRaise(True)
        set_icon_size(self, 16)
        self.clicked.connect(message.hide)

    def takes(self, event: QKeyEvent) -> bool:
        """Whether a key in the message has closed it."""
        if event.key() != Qt.Key.Key_Escape:
            return False
        self.click()
        return True

    def show_state(self, old: State | None, new: State) -> None:
        """Update colours and texts."""
        if old is None or old.shade != new.shade:
            self.setIcon(icon("close", colours(new.shade).muted))
        if old is None or old.language != new.language:
            name_widget(self, tr("Close this message"), tr("Close this message"))


class KeyButton(QToolButton):
    """A button that Enter presses, too; Space belongs to playback elsewhere."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Click on Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


def name_button(button: QAbstractButton, text: str, tip: str = "", spoken: str = "") -> None:
    """Set the text of a button in the current language, its tool tip and its accessible name."""
    button.setText(text)
    name_widget(button, spoken or text, tip)


def flat_button(parent: QWidget, size: int = BODY) -> KeyButton:
    """A button with a text and no frame, which Tab reaches."""
    button = KeyButton(parent)
    set_font(button, size)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def name_widget(widget: QWidget, name: str, tip: str) -> None:
    """Set the accessible name of a widget in the current language, and its tool tip."""
    widget.setAccessibleName(name)
    widget.setToolTip(tip)


@dataclass(frozen=True, slots=True)
class Segment:
    """A choice: id, text, accessible name, tool tip."""

    id: str
    text: str
    spoken: str = ""
    tip: str = ""


class Segments(QWidget):
    """A row of flat buttons of which one is checked. `chosen(id)` is emitted for the user's choices
    alone.
    """

    chosen = Signal(str)

    def __init__(self, ids: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons = {name: flat_button(self) for name in ids}
        fill(QHBoxLayout(self), *self.buttons.values(), 1, spacing=2)
        for name, button in self.buttons.items():
            button.setCheckable(True)
            button.clicked.connect(partial(self._choose, name))

    def _choose(self, name: str) -> None:
        for other, button in self.buttons.items():
            button.setChecked(other == name)
        self.chosen.emit(name)

    def show_segments(self, segments: tuple[Segment, ...], current: str) -> None:
        """Set texts and the checked button."""
        for segment in segments:
            button = self.buttons[segment.id]
            name_button(button, segment.text, segment.tip, segment.spoken)
            button.setChecked(segment.id == current)

    def paint_in(self, theme: Colours) -> None:
        """Apply the colours of a theme."""
        self.setStyleSheet(
            f"QToolButton {{ color: {theme.muted}; border: 1px solid transparent; border-radius: 6px;"
            f" padding: 3px 7px; }} QToolButton:hover {{ color: {theme.text}; }}"
            f"QToolButton:checked {{ color: {theme.accent}; background: {theme.accent_soft}; }}"
            f"QToolButton:focus {{ border-color: {theme.accent}; }}"
        )
