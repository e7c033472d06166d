"""Scenes that were laid out, kept as long as their run is the one that is shown: a step back lays out nothing anew."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import count

from gui.painting.cache import RunCache
from gui.session.state import State
from gui.views.stage.scene import Scene

MOST = 48  # scenes


class KeptScenes:
    """Scenes of one document and its run, each with a number that no other scene has."""

    def __init__(self) -> None:
        self._kept: RunCache[tuple[int, Scene]] = RunCache(MOST)
        self._numbers = count(1)

    def scene(self, state: State, key: Hashable, build: Callable[[], Scene]) -> tuple[int, Scene]:
        """The scene of a key, built unless it is there. The key says all that it shows beside document and run."""
        self.keep_to(state)
        return self._kept.get(key, lambda: (next(self._numbers), build()))

    def keep_to(self, state: State) -> bool:
        """Let go of other runs; whether there was one."""
        return self._kept.keep_to(state.document, state.trace)
