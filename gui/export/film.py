"""What a film shows and how long: steps that stand, and between them the frames of a step on its way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.explain.timeline import Grain
from gui.export.options import Options
from gui.session.animation_timing import RESTS, moving_time
from gui.session.state import State
from gui.views.diagram.motion import motion_between
from gui.views.diagram.scene import layout_of

# Milliseconds that a step stands at speed 1; the last one stands longer, so that an endless loop has an end. What
# begins a scene brings words that have to be read.
HOLD = {Grain.STAGE: 2400, Grain.ROW: 1300, Grain.CELL: 700}
SCENE = 5000
END = 2


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A frame: a state and how many milliseconds it is seen.

    `before` is the state from which a step on its way comes, `progress` (0 to 1) how far it has come.
    """

    state: State
    time: int
    before: State | None = None
    progress: float = 1.0


def shots(shown: list[State], options: Options) -> list[Shot]:
    """The frames of these states: each as it stands, and before it, if there is to be motion, on its way."""
    made: list[Shot] = []
    for index, state in enumerate(shown):
        grain = moving_grain(shown[index - 1], state, options) if index else None
        if grain is not None:
            made += _moving(shown[index - 1], state, options, grain)
        last = END if index == len(shown) - 1 else 1
        made.append(Shot(state, _standing(state, options, grain) * last))
    return made


def moving_grain(before: State, state: State, options: Options) -> Grain | None:
    """How large the step is that leads to a state; None where nothing is to move, or nothing of it is seen."""
    parts = options.parts if state.scene is None else state.view
    if not options.motion or "diagram" not in parts:
        return None
    motion = motion_between(before, state, layout_of(state, options.size))
    return None if motion is None else motion.grain


def _moving(before: State, state: State, options: Options, grain: Grain) -> Iterator[Shot]:
    time = frame_time(options)
    count = max(1, round(moving_time(grain, options.speed) / time))
    for number in range(count):
        yield Shot(state, time, before, number / count)


def _standing(state: State, options: Options, grain: Grain | None) -> int:
    """How long a state stands: whole hundredths of a second, as GIF counts."""
    if state.scene is not None and state.steps_taken == 0:
        time = SCENE
    else:
        own = (
            options.grain
            if state.scene is None or state.scene.scene.steps is None
            else state.scene.scene.steps.grain
        )
        time = RESTS[own] if grain is not None else HOLD[own]
    return max(20, round(time / options.speed / 10) * 10)


def frame_time(options: Options) -> int:
    """Milliseconds of a frame in which something moves, a whole number of hundredths of a second."""
    return max(20, round(100 / options.frames) * 10)
