"""Which screen the hall sees and which one the lecturer has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QWidget


class Screen(Protocol):
    """What is asked of a screen."""

    def geometry(self) -> QRect:
        """Its place on the desktop."""


ListScreens = Callable[[], Sequence[Screen]]


def all_screens() -> Sequence[Screen]:
    """The screens that there are."""
    return QGuiApplication.screens()


def assigned(
    screens: Sequence[Screen], home: QRect, *, swapped: bool
) -> tuple[Screen, Screen | None]:
    """The hall's screen and the lecturer's, which is the one where the window stands; None with a single screen."""
    if len(screens) < 2:
        return screens[0], None
    own = next(
        (screen for screen in screens if screen.geometry().contains(home.center())), screens[0]
    )
    other = next(screen for screen in screens if screen is not own)
    return (own, other) if swapped else (other, own)


def fill(window: QWidget, screen: Screen) -> None:
    """A window over the whole of a screen, in front."""
    window.setGeometry(screen.geometry())
    if isinstance(screen, QScreen):
        window.setScreen(screen)
        window.showFullScreen()
    else:
        window.show()
    window.raise_()
