"""Do a task in a worker thread that hands its results over one by one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from core.models.forward import Cancelled
from gui.widgets.worker import Worker

POLL_MS = 15
Tell = Callable[[Any], None]  # hands a result over; raises Cancelled when nobody waits for it


class Runner(QObject):
    """Do one task at a time in a thread. `came(result)` for each that the task tells, `ended()` at
    its end, `failed(problem)` for its UserError. Starting another cancels the first.
    """

    came = Signal(object)
    ended = Signal()
    failed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._feed = _Feed()
        self._work = Worker(self)
        self._work.done.connect(self._on_done)
        self._work.failed.connect(self._on_failed)
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._drain)

    @property
    def busy(self) -> bool:
        """Whether a task is running."""
        return self._work.busy

    def start(self, task: Callable[[Tell], None], patience: float = 0.0) -> None:
        """Begin a task; the window blocks for `patience` seconds."""
        self.stop()
        self._feed = feed = _Feed()
        self._timer.start()
        self._work.start(lambda: _do(task, feed), patience)

    def stop(self) -> None:
        """Cancel the task; what it has told and was not handed on is lost."""
        self._feed.wanted = False
        self._work.stop()
        self._timer.stop()

    def finish(self) -> None:
        """Wait for the end of the task."""
        self._work.finish()

    def _drain(self) -> None:
        feed = self._feed
        while feed.results and feed.wanted:
            self.came.emit(feed.results.popleft())

    def _on_done(self, _result: object) -> None:
        self._drain()
        self._timer.stop()
        self.ended.emit()

    def _on_failed(self, problem: object) -> None:
        self._drain()
        self._timer.stop()
        self.failed.emit(problem)


class _Feed:
    """Results on their way from the thread."""

    def __init__(self) -> None:
        self.results: deque[Any] = deque()
        self.wanted = True

    def tell(self, result: Any) -> None:
        if not self.wanted:
            raise Cancelled
        self.results.append(result)


def _do(task: Callable[[Tell], None], feed: _Feed) -> None:
    with suppress(Cancelled):
        task(feed.tell)
