"""What makes a start short: imports without PySide's switches, no collections, a layout before the first picture."""

from __future__ import annotations

import builtins
import gc
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer

STARTED = 1000  # ms after the window was shown, by which it stands
DEEPEST = 12  # a wish for room goes up one parent at a time; no widget has as many


@contextmanager
def quick_start() -> Iterator[None]:
    """The window is imported, built and shown in here, without a collection until `collect_soon` or the end.

    Nearly everything that a start makes stays: looking for rubbish among it, again and again, finds none.
    """
    plain_imports()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def plain_imports() -> None:
    """Import as Python does. PySide would read the source of every module, for its `__feature__`, unused here."""
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)


def collect_soon(parent: QObject) -> None:
    """Collect again once the window stands. What there is by now, above all modules, is not looked at any more."""
    gc.freeze()
    timer = QTimer(parent, singleShot=True, interval=STARTED)
    timer.timeout.connect(gc.enable)
    timer.start()


def lay_out() -> None:
    """Give every widget its place now: each pass that Qt leaves for later would be painted by itself."""
    kinds = (QEvent.Type.PolishRequest, QEvent.Type.LayoutRequest, QEvent.Type.MetaCall)
    for _ in range(DEEPEST):
        for kind in kinds:
            QCoreApplication.sendPostedEvents(None, kind.value)
