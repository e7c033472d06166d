"""Elapsed time for motion and flashes; any key ends a motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractAnimation,
    QCoreApplication,
    QEvent,
    QObject,
    QVariantAnimation,
    Signal,
)

from gui.session.playback import motion_ms

if TYPE_CHECKING:
    from gui.views.diagram.motion import Changed, StepMotion

FLASH_MILLISECONDS = 600


class Animator(QObject):
    """Holds what moves now and how far it has come; `frame` whenever that changes."""

    frame = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.motion: StepMotion | None = None
        self.changed: Changed = {}
        self._steps = self._animation(self._end_motion)
        self._flashes = self._animation(self._end_flash)

    def _animation(self, on_end: Callable[[], None]) -> QVariantAnimation:
        animation = QVariantAnimation(self)
        animation.setStartValue(0.0)
        animation.setEndValue(1.0)
        animation.valueChanged.connect(self._tick)
        animation.finished.connect(on_end)
        return animation

    @property
    def progress(self) -> float:
        """How far the motion has come, 0 to 1."""
        return float(self._steps.currentValue() or 0.0)

    @property
    def brightness(self) -> float:
        """How brightly changed cells still shine, 1 to 0."""
        return 1.0 - float(self._flashes.currentValue() or 0.0)

    @property
    def running(self) -> bool:
        """Whether anything moves."""
        return self.motion is not None or bool(self.changed)

    def move(self, motion: StepMotion, speed: float) -> None:
        """Start a motion; the one before is cut short."""
        self.motion = motion
        self._start(self._steps, motion_ms(motion.grain, speed))
        if app := QCoreApplication.instance():
            app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """While something is on its way a key brings it to its end; the key itself goes its own way."""
        if event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            self.finish()
        return False

    def finish(self) -> None:
        """What is on its way arrives at once."""
        if self._steps.state() is not QAbstractAnimation.State.Stopped:
            self._steps.stop()
        self._end_motion()

    def flash(self, changed: Changed, speed: float) -> None:
        """Let changed cells shine."""
        self.changed = changed
        self._start(self._flashes, FLASH_MILLISECONDS / speed)

    @staticmethod
    def _start(animation: QVariantAnimation, milliseconds: float) -> None:
        animation.stop()
        animation.setDuration(max(1, round(milliseconds)))
        animation.start()

    def cut(self) -> None:
        """Everything at rest at once; what is, already, needs no other picture."""
        if not self.running:
            return
        self.changed = {}
        if self._flashes.state() is not QAbstractAnimation.State.Stopped:
            self._flashes.stop()
        self.finish()

    def _tick(self, _value: object) -> None:
        self.frame.emit()

    def _end_motion(self) -> None:
        self.motion = None
        if app := QCoreApplication.instance():
            app.removeEventFilter(self)
        self.frame.emit()

    def _end_flash(self) -> None:
        self.changed = {}
        self.frame.emit()
