"""Timer of step animations and flashes; any key ends an animation."""

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
    """Current motion and flash with their progress; emits `frame` on every change."""

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
        animation.valueChanged.connect(lambda: self.frame.emit())
        animation.finished.connect(on_end)
        return animation

    @property
    def progress(self) -> float:
        """Return the progress of the motion, 0 to 1."""
        return float(self._steps.currentValue() or 0.0)

    @property
    def brightness(self) -> float:
        """Return the brightness of changed cells, 1 to 0."""
        return 1.0 - float(self._flashes.currentValue() or 0.0)

    @property
    def running(self) -> bool:
        """Return whether a motion or flash is active."""
        return self.motion is not None or bool(self.changed)

    def move(self, motion: StepMotion, speed: float) -> None:
        """Start a motion; this ends the previous one."""
        self.motion = motion
        self._start(self._steps, motion_ms(motion.grain, speed))
        if app := QCoreApplication.instance():
            app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End a running motion on any key press, without consuming the key."""
        if event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            self.finish()
        return False

    def finish(self) -> None:
        """Complete the motion at once."""
        if self._steps.state() is not QAbstractAnimation.State.Stopped:
            self._steps.stop()
        self._end_motion()

    def flash(self, changed: Changed, speed: float) -> None:
        """Flash changed cells."""
        self.changed = changed
        self._start(self._flashes, FLASH_MILLISECONDS / speed)

    @staticmethod
    def _start(animation: QVariantAnimation, milliseconds: float) -> None:
        animation.stop()
        animation.setDuration(max(1, round(milliseconds)))
        animation.start()

    def cut(self) -> None:
        """End motion and flash at once, without an update if none is active."""
        if not self.running:
            return
        self.changed = {}
        if self._flashes.state() is not QAbstractAnimation.State.Stopped:
            self._flashes.stop()
        self.finish()

    def _end_motion(self) -> None:
        self.motion = None
        if app := QCoreApplication.instance():
            app.removeEventFilter(self)
        self.frame.emit()

    def _end_flash(self) -> None:
        self.changed = {}
        self.frame.emit()
