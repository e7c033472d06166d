"""Elapsed time for motion and flashes; its off switch."""

from __future__ import annotations

import os
from collections.abc import Callable

from PySide6.QtCore import QAbstractAnimation, QObject, QVariantAnimation

from gui.diagram.motion import Changed, Motion
from gui.state import State

STEP_MILLISECONDS = 460
FLASH_MILLISECONDS = 600


def motion_wanted(state: State) -> bool:
    """Whether anything may move: a preference, and a switch of the environment for tests and weak machines."""
    return state.preferences.motion and os.environ.get("ATTENTION_STEPPER_MOTION", "").lower() != "off"


class Player(QObject):
    """Holds what moves now and how far it has come; `on_frame` is called whenever that changes."""

    def __init__(self, on_frame: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._on_frame = on_frame
        self.motion: Motion | None = None
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

    def move(self, motion: Motion, speed: float) -> None:
        """Start a motion; the one before is cut short."""
        self.motion = motion
        self._start(self._steps, STEP_MILLISECONDS / speed)

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
        """Everything at rest at once."""
        self.motion, self.changed = None, {}
        for animation in (self._steps, self._flashes):
            if animation.state() is not QAbstractAnimation.State.Stopped:
                animation.stop()
        self._on_frame()

    def _tick(self, _value: object) -> None:
        self._on_frame()

    def _end_motion(self) -> None:
        self.motion = None
        self._on_frame()

    def _end_flash(self) -> None:
        self.changed = {}
        self._on_frame()
