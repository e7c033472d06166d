"""Catch unhandled exceptions of slots, events, timers, threads, and the warnings of Qt."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from types import FunctionType, TracebackType
from typing import Any

from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    Qt,
    QThread,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)
from shiboken6 import Shiboken

from gui.errors.crash_report import CrashReport, Log, make_crash_report

COMPLAINTS = (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg)


class ExceptionHooks(QObject):
    """Install hooks for exceptions and Qt messages; the previous hooks are called, too.

    `heard` is emitted later in the main thread, since nothing can be shown during a paint event.
    `rescue` is called at once, but only in the main thread.
    """

    heard = Signal(object)
    _later = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rescue: Callable[[], object] | None = None
        self._log = Log()
        self._before: tuple[Any, Any, Any, Any] | None = None
        self._busy = threading.local()
        self._later.connect(self.heard, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Install the hooks."""
        if self._before is None:
            handler = qInstallMessageHandler(self._said)
            self._before = sys.excepthook, threading.excepthook, sys.unraisablehook, handler
            sys.excepthook, threading.excepthook = self._raised, self._raised_in_thread
            sys.unraisablehook = self._raised_in_passing

    def remove(self) -> None:
        """Restore the previous hooks."""
        if self._before is not None:
            sys.excepthook, threading.excepthook, sys.unraisablehook, handler = self._before
            qInstallMessageHandler(handler)
            self._before = None

    def _raised(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, Exception):
            self._take(make_crash_report(kind, error, trace))
        self._call_before(0, kind, error, trace)

    def _raised_in_thread(self, args: threading.ExceptHookArgs) -> None:
        if issubclass(args.exc_type, Exception):
            self._take(make_crash_report(args.exc_type, args.exc_value, args.exc_traceback))
        self._call_before(1, args)

    def _raised_in_passing(self, args: Any) -> None:
        """Handle exceptions that Python cannot pass on: in finalisers and callbacks."""
        if issubclass(args.exc_type, Exception):
            self._take(make_crash_report(args.exc_type, args.exc_value, args.exc_traceback))
        self._call_before(2, args)

    def _said(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if kind in COMPLAINTS:
            self._guarded(self._log.note_message, text)
        if kind is QtMsgType.QtFatalMsg:  # the program ends with this message
            self._guarded(self._rescue)
        before = self._before[3] if self._before else None
        if before is not None:
            before(kind, context, text)
        elif sys.stderr is not None:
            print(text, file=sys.stderr)

    def _take(self, report: CrashReport) -> None:
        self._guarded(self._rescue)
        self._guarded(self._log.note, report)
        self._guarded(self._later.emit, report)

    def _rescue(self) -> None:
        if self.rescue is not None and QThread.currentThread() is self.thread():
            self.rescue()

    def _guarded(self, function: Callable[..., object], *args: object) -> None:
        """Call a function and ignore its exceptions: an exception while one is handled must not
        recurse.
        """
        if getattr(self._busy, "now", False):
            return
        self._busy.now = True
        try:
            function(*args)
        except Exception:
            return
        finally:
            self._busy.now = False

    def _call_before(self, index: int, *args: Any) -> None:
        if self._before is not None:
            self._before[index](*args)


def guard(function: Callable[..., object], *args: object) -> bool:
    """Call a function; pass an exception to sys.excepthook and return False."""
    try:
        function(*args)
    except Exception:
        sys.excepthook(*sys.exc_info())
        return False
    return True


NEEDED = sys.version_info < (3, 12)  # later versions create the object at once
_OF_QT = ("PySide6", "Shiboken")
_BASE: Any = Shiboken.Object
_GUARDED = "_guarded"


def guard_overrides() -> None:
    """Guard the methods of every present and future subclass of a Qt class.

    With Python 3.11, PySide6 6.11 reads an exception that C code raised in a function called by Qt
    before Python has made an object of it, and the program ends. An exception that was caught once
    is an object.
    """
    if NEEDED and "__init_subclass__" not in vars(_BASE):
        for each in _below(_BASE):
            _guard(each)
        _BASE.__init_subclass__ = classmethod(_guard_new)


def _guard_new(cls: Any, /, **named: Any) -> None:
    super(_BASE, cls).__init_subclass__(**named)
    _guard(cls)


def _guard(cls: type) -> None:
    if not cls.__module__.startswith(_OF_QT):
        qts = [vars(base) for base in cls.__mro__ if base.__module__.startswith(_OF_QT)]
        for name, function in list(vars(cls).items()):
            if _may_fail(name, function) and any(name in qt for qt in qts):
                setattr(cls, name, _whole(function))


def _may_fail(name: str, function: object) -> bool:
    return (
        isinstance(function, FunctionType)
        and not name.startswith("__")
        and not hasattr(function, _GUARDED)
    )


def _whole(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def whole(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except BaseException:  # catching it creates the object
            raise

    setattr(whole, _GUARDED, True)
    return whole


def _below(cls: type) -> Iterator[type]:
    subclasses: list[type] = type.__subclasses__(cls)
    for each in subclasses:
        yield each
        yield from _below(each)
