"""Report an unhandled exception to the user, with offers to save a copy and to copy the report."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from gui.errors.crash_report import CrashReport, log_file, versions
from gui.errors.excepthook import ExceptionHooks
from gui.texts.translation import tr

QUIET = 60.0  # seconds in which the same exception is not reported again

Offer = tuple[str, Callable[[], object]]


class ShowMessage(Protocol):
    """Show a message with offers: the message bar."""

    def __call__(self, text: str, *offers: Offer) -> None: ...


class ErrorReporter(QObject):
    """Report each exception once per minute.

    `say` shows a message, `save_copy` saves the work in a file, `keep` writes a recovery copy and
    returns whether it could.
    """

    def __init__(
        self,
        hooks: ExceptionHooks,
        say: ShowMessage,
        save_copy: Callable[[], object],
        keep: Callable[[], bool],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._say, self._save_copy, self._keep = say, save_copy, keep
        self._told: dict[tuple[str, str], float] = {}
        self._last: CrashReport | None = None
        self.clock: Callable[[], float] = time.monotonic
        hooks.rescue = keep
        hooks.heard.connect(self._hear)

    def _hear(self, report: CrashReport) -> None:
        now = self.clock()
        kept = self._keep()
        if now - self._told.get(report.key, now - QUIET) < QUIET:
            return
        self._told[report.key] = now
        self._last = report
        self._say(
            _sentence(kept),
            (tr("Save a copy"), self._save_copy),
            (tr("Copy report"), self.copy_report),
        )

    def copy_report(self) -> None:
        """Copy the last report with versions and log file as text."""
        if self._last is not None:
            QGuiApplication.clipboard().setText(
                f"{versions()}\n{without_home(log_file())}\n\n{self._last.text}"
            )


def without_home(path: Path) -> str:
    """A path with ~ for the home folder."""
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    except ValueError:
        return str(path)


def _sentence(kept: bool) -> str:
    if kept:
        return tr("An unexpected error occurred. Your work is kept, and you can go on.")
    return tr(
        "An unexpected error occurred, and your changes could not be kept. Please save a copy now."
    )
