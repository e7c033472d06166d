"""Tells the user of a mishap, once: what was done about it, and the two things to do."""

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

QUIET = 60.0  # seconds for which the same mishap is not told again

Offer = tuple[str, Callable[[], object]]


class Says(Protocol):
    """Shows a sentence with its buttons: the banner."""

    def __call__(self, text: str, *offers: Offer) -> None: ...


class ErrorReporter(QObject):
    """`say` shows a sentence, `save_copy` writes the work where the user wants it, `keep` what survives a crash;
    `keep` says whether it could."""

    def __init__(
        self,
        hooks: ExceptionHooks,
        say: Says,
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

    def _hear(self, mishap: CrashReport) -> None:
        now = self.clock()
        kept = self._keep()
        if now - self._told.get(mishap.key, now - QUIET) < QUIET:
            return
        self._told[mishap.key] = now
        self._last = mishap
        self._say(
            _sentence(kept),
            (tr("Save a copy"), self._save_copy),
            (tr("Copy report"), self.copy_report),
        )

    def copy_report(self) -> None:
        """The last mishap that was told, with versions and where more is noted, as text for a letter."""
        if self._last is not None:
            QGuiApplication.clipboard().setText(
                f"{versions()}\n{shown(log_file())}\n\n{self._last.text}"
            )


def shown(path: Path) -> str:
    """A path without the name of the one whose folder it is in."""
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    except ValueError:
        return str(path)


def _sentence(kept: bool) -> str:
    if kept:
        return tr("Something went wrong that nobody foresaw. Your work is kept, and you can go on.")
    return tr(
        "Something went wrong that nobody foresaw, and your changes could not be kept. Please save a copy now."
    )
