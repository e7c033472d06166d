"""What lies in front of a window."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QApplication, QWidget


def covered_by_others(window: QWidget) -> Callable[[], bool]:
    """A function that says whether playback in `window` is out of sight or out of reach.

    True behind a dialog, a menu or another main window, and while the window is minimised. Windows
    that belong to it, such as floating docks and the presentation, cover nothing. It refers to the
    window weakly.
    """
    return partial(_is_covered, weakref.ref(window))


def _is_covered(reference: weakref.ref[QWidget]) -> bool:
    window, active = reference(), QApplication.activeWindow()
    if QApplication.activeModalWidget() is not None or QApplication.activePopupWidget() is not None:
        return True
    if window is None or active is None or active is window:
        return window is not None and window.isMinimized()
    return active.parentWidget() is not window
