"""How cards look, kept from one picture to the next: a step works out anew only the cards that it changes."""

from __future__ import annotations

from gui.diagram.scene import Look, Status, focus_frames, look_of, status_of
from gui.diagram.shapes import WORDS, Box, Layout
from gui.matrix import Frame
from gui.state import State

MOST = 400  # looks, of one trace

Shown = tuple[int, int] | None


class KeptLooks:
    """The looks of one run in one layout, as `gui.diagram.scene.looks` gives them."""

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._kept: dict[tuple[object, ...], Look] = {}

    def of(self, state: State, where: Layout, shown: Shown = None) -> list[Look]:
        """Every card of the diagram. `shown` stands in for what the current stage reveals."""
        self._begin(state, where)
        frames = focus_frames(state, where)
        return [self._look(state, box, frames.get(box.stage_id, ()), shown) for box in where.boxes]

    def forget(self) -> None:
        """Let go of the run."""
        self._of = ()
        self._kept.clear()

    def _begin(self, state: State, where: Layout) -> None:
        """Another run, layout, wording or colours: all looks are others."""
        runs = (state.document, state.trace, where)
        dress = (state.shade, state.wording, state.decimals, state.orientation)
        if (
            len(self._kept) > MOST
            or self._of[3:] != dress
            or any(one is not other for one, other in zip(runs, self._of[:3], strict=True))
        ):
            self.forget()
            self._of = (*runs, *dress)

    def _look(self, state: State, box: Box, frames: tuple[Frame, ...], shown: Shown) -> Look:
        """What else a look depends on: where the card stands, what is framed and how much of it is there."""
        name, cursor = box.stage_id, state.cursor
        status = status_of(state, name)
        here = (cursor.row, cursor.reach, shown) if status is Status.HERE else ()
        shape = box.rows, box.columns
        extents = () if name in WORDS else (state.revealed(name, shape), state.asked(name, shape))
        key = (name, status, cursor.head, frames, here, extents)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = look_of(state, box, frames, shown)
        return found
