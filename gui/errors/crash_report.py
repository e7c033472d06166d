"""A mishap as text: what happened where, and with which versions. Free of Qt's windows."""

from __future__ import annotations

import sys
import threading
import traceback
from types import TracebackType

from msgspec import Struct
from PySide6.QtCore import QSysInfo, qVersion

from core import __version__

LONGEST = 20_000  # characters of a traceback that are kept: its beginning and its end


class CrashReport(Struct, frozen=True):
    """One exception, already as text: who keeps a traceback keeps every object on its way alive."""

    kind: str
    where: str
    text: str
    thread: str = "MainThread"

    @property
    def key(self) -> tuple[str, str]:
        """What makes two of them the same: the kind of exception and the line that raised it."""
        return self.kind, self.where


def make_crash_report(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> CrashReport:
    """An exception as text. Never raises, also where the exception's own text does."""
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
    """Program, Python, Qt and system, on one line."""
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
    """Of a library that has been loaded: the others have no part in what has happened."""
    return str(getattr(sys.modules.get(name), "__version__", "not loaded"))
