"""Long work for the window: done beside it, so that it stays alive, with a bar and a way to give it up.

Who waits gets the result as if the work had been done at once. What is quick shows nothing; what is typed in the first
moments is not lost, but kept until the work is done.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QProgressBar, QProgressDialog, QPushButton, QWidget
from shiboken6 import isValid

from core.problems import Problem
from gui.background import Background
from gui.language import tr, tr_marked
from gui.running import T, Work
from gui.text_size import px

SHOW_AFTER_MS = 200
PATIENCE = 0.03  # seconds for which the window does nothing else: two frames


def wait(window: QWidget, work: Work[T], text: str) -> T:
    """What `work` brings; it is given what it must tell how far it is. `text` is marked and says what is done.

    Raises what the work raises as a Problem, and Problem "given_up" where the user has stopped it.
    """
    return _Wait(window, text).result(work)


class _Wait(QObject):
    def __init__(self, window: QWidget, text: str) -> None:
        super().__init__(window)
        self._window, self._text = window, text
        self._stopped = False
        self._reached = (0, 0)
        self._found: list[Any] = []
        self._problem: Problem | None = None
        self._loop = QEventLoop(self)
        self._work = Background(self, PATIENCE)
        self._work.done.connect(self._on_done)
        self._work.failed.connect(self._on_failed)

    def result(self, work: Work[T]) -> T:
        """Begin, wait, and say what came of it."""
        try:
            self._work.start(partial(work, self._watch))
            if self._work.busy:
                self._wait_quietly()
            if self._work.busy:
                self._wait_with_bar()
        finally:
            self._stopped = True
            self._work.stop()
            self.deleteLater()
        if self._problem is not None:
            raise self._problem
        if not self._found:
            raise Problem("given_up")
        result: T = self._found[0]
        return result

    def _wait_quietly(self) -> None:
        """The window is painted; keys and clicks stay in the queue, in their order."""
        timer = QTimer(self, singleShot=True, interval=SHOW_AFTER_MS)
        timer.timeout.connect(self._loop.quit)
        timer.start()
        self._loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        timer.stop()

    def _wait_with_bar(self) -> None:
        keyboard = _lineage(QApplication.focusWidget())
        dialog = QProgressDialog(tr_marked(self._text), tr("&Cancel"), 0, 0, self._window)
        dialog.setWindowFlags(Qt.WindowType.Dialog | Qt.WindowType.CustomizeWindowHint | Qt.WindowType.WindowTitleHint)
        dialog.setWindowTitle(tr("Attention Stepper"))
        dialog.setMinimumWidth(px(320))
        dialog.setWindowModality(Qt.WindowModality.ApplicationModal)
        dialog.setAutoClose(False)
        dialog.setAutoReset(False)
        for button in dialog.findChildren(QPushButton):  # Enter and Space meant for a table stop nothing; Esc does
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setAutoDefault(False)
        bar = QProgressBar()
        dialog.setBar(bar)
        dialog.canceled.connect(self._loop.quit)
        timer = QTimer(dialog, interval=SHOW_AFTER_MS // 4)
        timer.timeout.connect(partial(self._tell, bar))
        timer.start()
        dialog.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        dialog.show()
        dialog.setFocus()
        self._loop.exec()
        dialog.canceled.disconnect(self._loop.quit)  # closing it is no wish to stop
        dialog.close()
        dialog.deleteLater()
        _give_back(keyboard)
        self._loop.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)  # the place of the bar is painted

    def _tell(self, bar: QProgressBar) -> None:
        done, of = self._reached
        bar.setRange(0, of)
        bar.setValue(done)

    def _watch(self, done: int, of: int) -> None:
        """Called beside the window: only plain values pass."""
        if self._stopped:
            raise Problem("given_up")
        self._reached = done, of

    def _on_done(self, result: object) -> None:
        self._found.append(result)
        self._loop.quit()

    def _on_failed(self, problem: Problem) -> None:
        self._problem = problem
        self._loop.quit()


def _lineage(widget: QWidget | None) -> list[QWidget]:
    """A widget and what it stands in, up to its window."""
    found: list[QWidget] = []
    while widget is not None and not widget.isWindow():
        found.append(widget)
        widget = widget.parentWidget()
    return found


def _give_back(keyboard: list[QWidget]) -> None:
    """The keyboard to what had it, or what that stood in, if it is still there."""
    there = (
        one for one in keyboard if isValid(one) and one.isVisible() and one.focusPolicy() != Qt.FocusPolicy.NoFocus
    )
    for widget in there:
        widget.window().activateWindow()
        widget.setFocus()
        return
