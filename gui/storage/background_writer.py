"""What is to stand on the disk soon: written a moment later, beside the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from gui.widgets.worker import Worker


class BackgroundWriter(Worker):
    """One writing after the other: what is wanted during one comes due after it. `due`: begin to write now."""

    due = Signal()

    def __init__(self, parent: QObject, delay: int) -> None:
        super().__init__(parent, patience=0.0)
        self._delay = QTimer(self, singleShot=True, interval=delay)
        self._delay.timeout.connect(self._come)

    def want(self) -> None:
        """Come due `delay` milliseconds after the first wish."""
        if not self._delay.isActive():
            self._delay.start()

    def forget(self) -> None:
        """Nothing is wanted any more; what is being written goes on."""
        self._delay.stop()

    def _come(self) -> None:
        if self.busy:
            self._delay.start()
        else:
            self.due.emit()
