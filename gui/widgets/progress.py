"""A progress dialog, and a blocking wait for long work that keeps the window alive.

Quick work shows nothing; keys typed meanwhile are delivered after it. Once the dialog is visible,
Esc stops the work, also one that was typed before; other keys are dropped, and the dialog says so.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from core.base.errors import UserError
from gui.painting.text_size import px, set_font
from gui.painting.theme import BODY, TITLE
from gui.session.trace_runner import T, Work, run_at_once
from gui.texts.translation import tr, tr_marked
from gui.widgets.announcer import announce
from gui.widgets.layouts import fill
from gui.widgets.worker import Worker

WIDE = 344


class ProgressDialog(QDialog):
    """A dialog with a bar. `canceled()`: the user stops the work.

    The dialog has the focus, not its button: Enter and Space stop nothing.
    """

    canceled = Signal()

    def __init__(self, text: str, parent: QWidget, modality: Qt.WindowModality) -> None:
        super().__init__(parent)
        self.setWindowModality(modality)
        self.setWindowFlags(
            Qt.WindowType.Dialog | Qt.WindowType.CustomizeWindowHint | Qt.WindowType.WindowTitleHint
        )
        self.setWindowTitle(tr("Attention Stepper"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._text, self._told = _line(TITLE, bold=True), _line(BODY)
        self._text.setText(text)
        self._told.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._told.hide()
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress"))
        self.bar.setMinimumWidth(px(WIDE))
        self.bar.setRange(0, 0)
        widgets = (self._text, self.bar, self._told, self._buttons())
        self._column = fill(QVBoxLayout(self), *widgets, spacing=10, margins=(28, 24, 28, 20))

    def _buttons(self) -> QDialogButtonBox:
        box, button = QDialogButtonBox(), QPushButton(tr("&Cancel"))
        box.addButton(button, QDialogButtonBox.ButtonRole.RejectRole)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setAutoDefault(False)
        box.rejected.connect(self.reject)
        return box

    @property
    def text(self) -> str:
        """The texts, line by line."""
        return "\n".join(label.text() for label in (self._text, self._told) if label.text())

    def add_note(self, text: str) -> None:
        """Show another text below the bar."""
        self._told.setText(text)
        self._told.show()
        self.resize(self.width(), self._column.totalHeightForWidth(self.width()))

    def set_progress(self, done: int, of: int) -> None:
        """Show the progress; `of` is 0 while it is unknown."""
        self.bar.setRange(0, of)
        self.bar.setValue(done)

    def reject(self) -> None:
        """Emit `canceled`."""
        super().reject()
        self.canceled.emit()


def _line(size: int, *, bold: bool = False) -> QLabel:
    label = QLabel()
    set_font(label, size, bold=bold)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


SHOW_AFTER_MS = 200
PATIENCE = 0.03  # seconds for which the window blocks: two frames


def wait_in_front_of(window: QWidget) -> Callable[[Work[Any], str], Any]:
    """A `wait` for a TraceRunner that keeps `window` alive; it refers to it weakly."""
    return partial(_wait_at, weakref.ref(window))


def _wait_at(window: weakref.ref[QWidget], work: Work[T], text: str) -> T:
    front = window()
    return run_at_once(work, text) if front is None else wait(front, work, text)


def wait(window: QWidget, work: Work[T], text: str) -> T:
    """Do work in a worker thread and return its result; `text` is marked and describes it.

    Raises UserErrors of the work, and UserError "given_up" where the user stops it.
    """
    return _Wait(window, text).result(work)


class _Wait(QObject):
    def __init__(self, window: QWidget, text: str) -> None:
        super().__init__(window)
        self._window, self._text = window, text
        self._stopped = False
        self._reached = (0, 0)
        self._found: list[Any] = []
        self._problem: UserError | None = None
        self._loop = QEventLoop(self)
        self._work = Worker(self, PATIENCE)
        self._work.done.connect(self._on_done)
        self._work.failed.connect(self._on_failed)

    def result(self, work: Work[T]) -> T:
        """Run the work and wait."""
        try:
            self._work.start(partial(work, self._watch))
            if self._work.busy:
                self._wait_quietly()
            typed = _Typed(self)
            if self._work.busy:
                self._take(typed)
            if self._work.busy and not typed.escape:
                self._wait_with_bar(typed)
        finally:
            self._stopped = True
            self._work.stop()
            self.deleteLater()
        if self._problem is not None:
            raise self._problem
        if not self._found:
            raise UserError("given_up")
        result: T = self._found[0]
        return result

    def _wait_quietly(self) -> None:
        """Process events other than input for a while."""
        timer = QTimer(self, singleShot=True, interval=SHOW_AFTER_MS)
        timer.timeout.connect(self._loop.quit)
        timer.start()
        self._loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        timer.stop()

    def _take(self, typed: _Typed) -> None:
        """Take typed keys from the queue: Qt would drop them behind a modal dialog."""
        application = QCoreApplication.instance()
        assert application is not None
        application.installEventFilter(typed)
        self._loop.processEvents()
        application.removeEventFilter(typed)

    def _wait_with_bar(self, typed: _Typed) -> None:
        keyboard = _lineage(QApplication.focusWidget())
        dialog = ProgressDialog(
            tr_marked(self._text), self._window, Qt.WindowModality.ApplicationModal
        )
        dialog.canceled.connect(self._loop.quit)
        timer = QTimer(dialog, interval=SHOW_AFTER_MS // 4)
        timer.timeout.connect(partial(self._tell, dialog))
        timer.start()
        typed.watch(dialog)
        dialog.show()
        dialog.setFocus()
        self._loop.exec()
        dialog.canceled.disconnect(self._loop.quit)  # closing it does not cancel
        dialog.close()
        dialog.deleteLater()
        _give_back(keyboard)
        self._loop.processEvents(
            QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents
        )  # paint the place of the dialog

    def _tell(self, dialog: ProgressDialog) -> None:
        dialog.set_progress(*self._reached)

    def _watch(self, done: int, of: int) -> None:
        """Called in the worker thread: pass only plain values."""
        if self._stopped:
            raise UserError("given_up")
        self._reached = done, of

    def _on_done(self, result: object) -> None:
        self._found.append(result)
        self._loop.quit()

    def _on_failed(self, problem: UserError) -> None:
        self._problem = problem
        self._loop.quit()


class _Typed(QObject):
    """Record keys typed while waiting: whether Esc was among them, and others."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.escape = self._others = False
        self._dialog: ProgressDialog | None = None

    def watch(self, dialog: ProgressDialog) -> None:
        """Record keys typed at the dialog."""
        self._dialog = dialog
        dialog.installEventFilter(self)
        if self._others:
            self._tell(dialog)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Drop all input before the dialog is visible."""
        pressed = event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent)
        escape = pressed and event.key() == Qt.Key.Key_Escape  # type: ignore[attr-defined]
        other = pressed and not escape and event.key() not in _HELD  # type: ignore[attr-defined]
        if self._dialog is None:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()  # delivered as a key, not as a shortcut
            self.escape, self._others = self.escape or escape, self._others or other
            return event.type() in _BY_USER
        if other and not self._others:
            self._others = True
            self._tell(self._dialog)
        return False

    def _tell(self, dialog: ProgressDialog) -> None:
        said = tr("Typing is ignored until this is done; press Esc to stop.")
        dialog.add_note(said)
        announce(dialog, said)


_BY_USER = frozenset(
    getattr(QEvent.Type, name)
    for name in (
        "KeyPress",
        "KeyRelease",
        "ShortcutOverride",
        "Shortcut",
        "MouseButtonPress",
        "MouseButtonRelease",
        "MouseButtonDblClick",
        "Wheel",
        "ContextMenu",
        "TouchBegin",
        "TouchUpdate",
        "TouchEnd",
        "TabletPress",
    )
)
# Modifier keys.
_HELD = (
    Qt.Key.Key_Shift,
    Qt.Key.Key_Control,
    Qt.Key.Key_Alt,
    Qt.Key.Key_Meta,
    Qt.Key.Key_AltGr,
    Qt.Key.Key_CapsLock,
)


def _lineage(widget: QWidget | None) -> list[QWidget]:
    """A widget and its parents within its window."""
    found: list[QWidget] = []
    while widget is not None and not widget.isWindow():
        found.append(widget)
        widget = widget.parentWidget()
    return found


def _give_back(keyboard: list[QWidget]) -> None:
    """Restore the focus to the widget or the nearest parent that still exists."""
    there = (
        one
        for one in keyboard
        if isValid(one) and one.isVisible() and one.focusPolicy() != Qt.FocusPolicy.NoFocus
    )
    for widget in there:
        widget.window().activateWindow()
        widget.setFocus()
        return
