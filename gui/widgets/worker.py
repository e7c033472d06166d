"""Run functions in a worker thread while the window stays responsive; delayed background writing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Thread
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from core.base.errors import UserError

PATIENCE = 0.12  # seconds that the window blocks, so that quick work shows no bar
POLL_MS = 10
# Switch interval of threads in seconds. Python's own 5 ms would be waited for at each
# of the hundred calls of a paint event while a worker runs.
TURN = 0.0005


class Worker(QObject):
    """Run one function at a time in a thread; it must not touch Qt.

    Starting another, or `stop`, discards the result of the first. The window blocks for `patience`
    seconds.
    """

    done = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject, patience: float = PATIENCE) -> None:
        super().__init__(parent)
        self._patience = patience
        self._job: _Job | None = None
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._look)

    @property
    def busy(self) -> bool:
        """Whether a function is running."""
        return self._job is not None

    def start(self, function: Callable[[], object], patience: float | None = None) -> None:
        """Run a function; `done` gets its result, `failed` its UserError.

        `patience`: for this one, instead of that of the worker.
        """
        sys.setswitchinterval(TURN)
        self._job = _Job(function)
        self._job.start()
        self._job.join(self._patience if patience is None else patience)
        self._timer.start()
        self._look()

    def finish(self) -> None:
        """Wait for the end."""
        if self._job is not None:
            self._job.join()
            self._look()

    def stop(self) -> None:
        """Discard the running function."""
        self._job = None
        self._timer.stop()

    def _look(self) -> None:
        job = self._job
        if job is None or job.is_alive():
            return
        self.stop()
        if job.problem is not None:
            self.failed.emit(job.problem)
        elif job.error is not None:
            sys.excepthook(type(job.error), job.error, job.error.__traceback__)
            self.failed.emit(UserError("unforeseen"))
        else:
            self.done.emit(job.result)


class _Job(Thread):
    def __init__(self, function: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._function = function
        self.result: Any = None
        self.problem: UserError | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.result = self._function()
        except UserError as problem:
            self.problem = problem
        except MemoryError:
            self.problem = UserError("memory")
        except Exception as error:  # reported by the exception hook of the window
            self.error = error


class BackgroundWriter(Worker):
    """Write delayed, one at a time. `due`: begin to write now."""

    due = Signal()

    def __init__(self, parent: QObject, delay: int) -> None:
        super().__init__(parent, patience=0.0)
        self._delay = QTimer(self, singleShot=True, interval=delay)
        self._delay.timeout.connect(self._come)

    def want(self) -> None:
        """Emit `due` `delay` milliseconds after the first call."""
        if not self._delay.isActive():
            self._delay.start()

    def forget(self) -> None:
        """Cancel the delay; a running write goes on."""
        self._delay.stop()

    def _come(self) -> None:
        if self.busy:
            self._delay.start()
        else:
            self.due.emit()
