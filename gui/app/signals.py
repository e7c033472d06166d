"""End the program on Ctrl+C in the terminal and when the system asks, losing nothing."""

from __future__ import annotations

import signal
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows lacks the last
WAKE_MS = 200


def handle_signals(parent: QObject, end: Callable[[int], None]) -> None:
    """Call `end` with the exit status, 128 + signal, when a signal asks the program to end.

    Python runs its handlers between two of its own instructions; Qt's event loop has none, so that a
    timer gives it some.
    """
    for name in _NAMES:
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, lambda got, _frame: end(128 + got))
    timer = QTimer(parent)
    timer.timeout.connect(lambda: None)
    timer.start(WAKE_MS)
