"""Crash reports: an exception as text, and the log file that collects them."""

from __future__ import annotations

import sys
import threading
import traceback
from collections import Counter
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType

from msgspec import Struct
from PySide6.QtCore import QSysInfo, qVersion

from core import __version__
from gui.session.preferences import home

LONGEST = 20_000  # characters of a traceback; the middle is cut


class CrashReport(Struct, frozen=True):
    """An exception as text; a traceback would keep all objects of its frames alive."""

    kind: str
    where: str
    text: str
    thread: str = "MainThread"

    @property
    def key(self) -> tuple[str, str]:
        """Kind and line: what makes two reports the same."""
        return self.kind, self.where


def make_crash_report(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> CrashReport:
    """Turn an exception into text. Never raises."""
    try:
        text = "".join(traceback.format_exception(kind, error, trace))
    except Exception:
        text = f"{kind.__name__}\n" + "".join(traceback.format_tb(trace))
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n…\n{text[-LONGEST // 2 :]}"
    return CrashReport(kind.__name__, _where(trace), text, threading.current_thread().name)


def _where(trace: TracebackType | None) -> str:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"


def versions() -> str:
    """Program, Python, Qt and system on one line."""
    import platform

    parts = (
        f"Attention Stepper {__version__}",
        f"Python {platform.python_version()}",
        f"Qt {qVersion()}",
        *(f"{name} {_version(name)}" for name in ("PySide6", "numpy", "pyqtgraph")),
        f"{QSysInfo.prettyProductName()} {platform.machine()}",
        *(["self-contained"] if getattr(sys, "frozen", False) else []),
    )
    return " · ".join(parts)


def _version(name: str) -> str:
    """The version of a library if it is loaded."""
    return str(getattr(sys.modules.get(name), "__version__", "not loaded"))


LARGEST = 256 * 1024  # bytes of a log file
KEPT = 3  # old files


def log_file() -> Path:
    """The log file; older ones are errors.1.log and so on."""
    return home() / "log" / "errors.log"


class Log:
    """Log each exception in full once, then its 10th, 100th … repetition.

    Ignores a disk that refuses.
    """

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()

    def note(self, report: CrashReport) -> None:
        """Log a crash report with time and versions."""
        self._seen[report.key] += 1
        times = self._seen[report.key]
        if times == 1:
            _append(f"{_stamp()}\n{versions()}\nthread {report.thread}\n{report.text.rstrip()}\n\n")
        elif str(times).rstrip("0") == "1":
            _append(f"{_stamp()}\nfor the {times}th time: {report.kind} at {report.where}\n\n")

    def note_message(self, text: str) -> None:
        """Log a warning of Qt once."""
        self._seen["Qt", text] += 1
        if self._seen["Qt", text] == 1:
            _append(f"{_stamp()}\n{versions()}\nQt: {text}\n\n")


def _stamp() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


def _append(text: str) -> None:
    with suppress(OSError, ValueError):
        file = log_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and file.stat().st_size > LARGEST:
            _rotate(file)
        with file.open("a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(text)


def _rotate(file: Path) -> None:
    """Rename errors.log to errors.1.log and so on; delete the oldest."""
    for number in range(KEPT, 0, -1):
        older = file.with_name(f"{file.stem}.{number}{file.suffix}")
        newer = file.with_name(f"{file.stem}.{number - 1}{file.suffix}") if number > 1 else file
        if newer.exists():
            newer.replace(older)
