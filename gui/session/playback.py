"""Playback: take a step whenever the motion and a rest are over."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from core.explain import timeline as cursors
from core.explain.timeline import Grain, Reach
from gui.session.base import SessionBase
from gui.session.state import State

# Milliseconds at speed 1.
MOTION_MS = {Grain.STAGE: 1800, Grain.ROW: 1200, Grain.CELL: 800}
REST_MS = {Grain.STAGE: 1200, Grain.ROW: 600, Grain.CELL: 300}


def motion_ms(grain: Grain, speed: float) -> int:
    """The duration of the motion of a step of a grain, in milliseconds."""
    return round(MOTION_MS[grain] / speed)


def step_ms(state: State) -> int:
    """Milliseconds from one step of playback to the next; a whole stage rests longer."""
    grain, speed = state.preferences.grain, state.preferences.speed
    rest = Grain.STAGE if state.cursor.reach is Reach.WHOLE else grain
    return motion_ms(grain, speed) + round(REST_MS[rest] / speed)


class Playback(QObject):
    """The timer of the session; it runs while the state is playing.

    A window sets `is_covered`: playback ends where nobody can see or stop it.
    """

    def __init__(self, session: SessionBase) -> None:
        super().__init__(session)
        self._session = session
        self.is_covered: Callable[[], bool] = lambda: False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.step)

    def keep_time(self, old: State, now: State) -> None:
        """Restart the timer at each step and change of preferences; stop it when playback stops."""
        if not now.playing:
            self._timer.stop()
        elif (
            not self._timer.isActive()
            or old.cursor != now.cursor
            or old.preferences != now.preferences
        ):
            self._timer.start(step_ms(now))

    def step(self) -> None:
        """Take a step or reveal a hidden one; stop at the end and behind another window."""
        if self.is_covered():
            self._session.update(playing=False)
            return
        before = self._session.state.visible_until
        self._session.step(1)
        now = self._session.state
        if now.hidden is None and (
            now.visible_until == before or cursors.at_end(now.trace, now.cursor)
        ):
            self._session.update(playing=False)
