"""How long a step moves, and how long playback rests on it. Free of Qt."""

from __future__ import annotations

from core.explain.timeline import Grain, Reach
from gui.session.state import State

# Milliseconds at speed 1.
MOVES = {Grain.STAGE: 1800, Grain.ROW: 1200, Grain.CELL: 800}
RESTS = {Grain.STAGE: 1200, Grain.ROW: 600, Grain.CELL: 300}


def moving_time(grain: Grain, speed: float) -> int:
    """How many milliseconds the motion of a step of this grain takes."""
    return round(MOVES[grain] / speed)


def playing_time(state: State) -> int:
    """How many milliseconds playback stays: until the motion has ended and a rest, a longer one on a whole stage."""
    grain, speed = state.preferences.grain, state.preferences.speed
    rest = Grain.STAGE if state.cursor.reach is Reach.WHOLE else grain
    return moving_time(grain, speed) + round(RESTS[rest] / speed)
