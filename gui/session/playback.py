"""Playback: step after step, each with its time to move and to rest."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from core.explain import timeline as cursors
from gui.session.animation_timing import playing_time
from gui.session.base import SessionBase
from gui.session.state import State


class Playback(QObject):
    """The clock of the session: ticks while the state says that it plays."""

    def __init__(self, session: SessionBase) -> None:
        super().__init__(session)
        self._session = session
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.step)

    def keep_time(self, old: State, now: State) -> None:
        """It starts anew with each step, whoever takes it, and with another speed or grain."""
        if not now.playing:
            self._timer.stop()
        elif (
            not self._timer.isActive()
            or old.cursor != now.cursor
            or old.preferences != now.preferences
        ):
            self._timer.start(playing_time(now))

    def step(self) -> None:
        """The clock has ticked: one step, or what was asked is revealed; at the end it stops."""
        before = self._session.state.visible_until
        self._session.step(1)
        now = self._session.state
        if now.hidden is None and (
            now.visible_until == before or cursors.at_end(now.trace, now.cursor)
        ):
            self._session.show(playing=False)
