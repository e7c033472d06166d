"""A panel that is made when it is first seen or asked for, and that rests while nobody can see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QPaintEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from gui.session.session import Session
from gui.session.state import State
from gui.widgets.layouts import Scrolling

# A panel scrolls before it takes more than this from its neighbours, at any text size.
LEAST = QSize(380, 150)

P = TypeVar("P", bound=QWidget)


class LazyPanel(QWidget, Generic[P]):
    """Stands where the panel will stand. Behind another one's tab the states that it misses are one step for it."""

    def __init__(self, session: Session, make: Callable[[Session], P], parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._make = session, make
        self._panel: P | None = None
        self._missed: State | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    @property
    def panel(self) -> P:
        """The panel, which shows the state that holds."""
        state = self._session.state
        if self._panel is None:
            self._panel = self._make(self._session)
            frame = (
                Scrolling(self._panel, LEAST) if self._panel.layout() is not None else self._panel
            )
            self._column.addWidget(frame)
            frame.show()  # a layout would show it only later, after a first picture without it
            self._show(None, state)
        elif self._missed is not None:
            missed, self._missed = self._missed, None
            self._show(missed, state)
        return self._panel

    def show_state(self, old: State | None, new: State) -> None:
        """Told to a panel that can be seen; a window that is not on the screen yet is being looked at by a program."""
        if self._panel is None:
            return
        if self.seen or not self.window().isVisible() or _is_dressed_anew(old, new):
            missed, self._missed = self._missed, None
            self._show(missed or old, new)
        elif self._missed is None:
            self._missed = old

    def _show(self, old: State | None, new: State) -> None:
        show_state: Callable[[State | None, State], None] = getattr(self._panel, "show_state")  # noqa: B009
        show_state(old, new)

    @property
    def seen(self) -> bool:
        """Whether any of it can be seen. Behind another panel's tab it is visible to Qt, only moved aside.

        A panel that has the keyboard counts as seen.
        """
        focused = QApplication.focusWidget()
        if focused is not None and self.isAncestorOf(focused):
            return True
        return self.isVisible() and not self.visibleRegion().isEmpty()

    def look(self) -> None:
        """The panel, if anybody sees it now."""
        if self.seen:
            assert self.panel is not None

    def showEvent(self, event: QShowEvent) -> None:
        """Before the first picture, so that it is complete."""
        super().showEvent(event)
        self.look()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Whoever paints is seen, however that came about."""
        super().paintEvent(event)
        if self._panel is None or self._missed is not None:
            QTimer.singleShot(0, self.look)

    def minimumSizeHint(self) -> QSize:
        """As little as a panel in a frame that scrolls, before it is there, too."""
        return LEAST if self._panel is None else super().minimumSizeHint()


def _is_dressed_anew(old: State | None, new: State) -> bool:
    """Other words or colours reach every widget, seen or not."""
    return old is None or (old.wording, old.shade) != (new.wording, new.shade)
