"""How cards look, kept from one picture to the next: a step works out anew only the cards that it changes."""

from __future__ import annotations

from functools import partial

from gui.painting.cache import RunCache
from gui.painting.matrix import Frame
from gui.session.state import State
from gui.views.diagram.scene import Look, Status, focus_frames, look_of, status_of
from gui.views.diagram.shapes import WORDS, Box, Layout

MOST = 400  # looks, of one trace

Shown = tuple[int, int] | None


class KeptLooks:
    """The looks of one run in one layout, as `gui.views.diagram.scene.looks` gives them."""

    def __init__(self) -> None:
        self._kept: RunCache[Look] = RunCache(MOST)

    def of(self, state: State, where: Layout, shown: Shown = None) -> list[Look]:
        """Every card of the diagram. `shown` stands in for what the current stage reveals."""
        dress = state.shade, state.wording, state.decimals, state.orientation
        self._kept.keep_to(state.document, state.trace, where, *dress)
        frames = focus_frames(state, where)
        return [self._look(state, box, frames.get(box.stage_id, ()), shown) for box in where.boxes]

    def forget(self) -> None:
        """Let go of the run."""
        self._kept.keep_to()

    def _look(self, state: State, box: Box, frames: tuple[Frame, ...], shown: Shown) -> Look:
        """What else a look depends on: where the card stands, what is framed and how much of it is there."""
        name, cursor = box.stage_id, state.cursor
        status = status_of(state, name)
        here = (cursor.row, cursor.reach, shown) if status is Status.HERE else ()
        shape = box.rows, box.columns
        extents = (
            ()
            if name in WORDS
            else (state.revealed(name, shape), state.predicted_extent(name, shape))
        )
        key = (name, status, cursor.head, frames, here, extents)
        return self._kept.get(key, partial(look_of, state, box, frames, shown))
