"""The guide's place in the program: its window, made when F1 first asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gui.session.session import Session
from gui.session.state import State

if TYPE_CHECKING:
    from gui.views.guide.window import GuideWindow


class GuideController(QObject):
    """One window, which follows the main window's language and looks. `show_keys` shows the keys over it."""

    def __init__(self, session: Session, show_keys: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._show_keys = session, show_keys
        self.window: GuideWindow | None = None

    def open(self) -> None:
        """Bring the guide to the front, where it was left."""
        if self.window is None:
            from gui.views.guide.window import GuideWindow

            state = self._session.state
            self.window = GuideWindow(state.language, state.shade)
            self.window.left.connect(self._left)
            self.window.asked_keys.connect(self._show_keys)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    def show_state(self, old: State | None, new: State) -> None:
        """Language, theme and text size."""
        if self.window is not None and (old is None or _looks(old) != _looks(new)):
            self.window.appear(new.language, new.shade)

    def in_front(self) -> GuideWindow | None:
        """The window, while it is the one that is used."""
        return self.window if self.window is not None and self.window.isActiveWindow() else None

    def close(self) -> None:
        """With the main window."""
        if self.window is not None:
            self.window.close()

    def _left(self) -> None:
        window, self.window = self.window, None
        if window is not None:
            window.deleteLater()


def _looks(state: State) -> tuple[str, str, int]:
    return state.language, state.shade, state.preferences.text_size
