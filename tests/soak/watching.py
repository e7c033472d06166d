"""What must not happen while the program is driven: an exception anywhere, or a warning of Qt."""

from __future__ import annotations

import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

# What the offscreen platform says of itself; the same list as in pyproject.toml.
HARMLESS = ("This plugin does not support",)


class Watch:
    """Collects exceptions of slots, events and threads, and messages of Qt, while it is in force."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def __enter__(self) -> Watch:
        self._hook, self._thread_hook = sys.excepthook, threading.excepthook
        sys.excepthook, threading.excepthook = self._raised, self._raised_in_thread
        self._handler = qInstallMessageHandler(self._said)
        return self

    def __exit__(self, *_error: object) -> None:
        sys.excepthook, threading.excepthook = self._hook, self._thread_hook
        qInstallMessageHandler(self._handler)

    def _raised(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        self.found.append("".join(traceback.format_exception(kind, error, trace)))

    def _raised_in_thread(self, args: threading.ExceptHookArgs) -> None:
        self.found.append(
            "".join(traceback.format_exception(args.exc_type, args.exc_value, args.exc_traceback))
        )

    def _said(self, kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if (
            kind is not QtMsgType.QtDebugMsg
            and kind is not QtMsgType.QtInfoMsg
            and not text.startswith(HARMLESS)
        ):
            self.found.append(f"Qt: {text}")
