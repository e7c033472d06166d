"""What makes a start short: imports without PySide's switches, no collections, a layout before the first picture."""

from __future__ import annotations

import builtins
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer

STARTED = 1000  # ms after the window was shown, by which it stands
SOON = (
    "gui.views.diagram.animation_painter",
)  # what the first step needs, and the first picture does not
DEEPEST = 12  # a wish for room goes up one parent at a time; no widget has as many


@contextmanager
def quick_start() -> Iterator[None]:
    """The window is imported, built and shown in here, without a collection until `go_on_soon` or the end.

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


def go_on_soon(parent: QObject) -> None:
    """Do once the window stands what could wait. What there is by now, above all modules, is never collected."""
    gc.freeze()
    timer = QTimer(parent, singleShot=True, interval=STARTED)
    timer.timeout.connect(_go_on)
    timer.start()


def _go_on() -> None:
    gc.enable()
    for module in SOON:
        import_module(module)


def lay_out() -> None:
    """Give every widget its place now: each pass that Qt leaves for later would be painted by itself."""
    kinds = (QEvent.Type.PolishRequest, QEvent.Type.LayoutRequest, QEvent.Type.MetaCall)
    for _ in range(DEEPEST):
        for kind in kinds:
            QCoreApplication.sendPostedEvents(None, kind.value)
