"""Scenes that were laid out, kept as long as their run is the one that is shown: a step back lays out nothing anew."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from itertools import count

from gui.stage.scene import Scene
from gui.state import State

MOST = 48  # scenes; the longest unused ones go first


class KeptScenes:
    """Scenes of one document and its run, each with a number that no other scene has."""

    def __init__(self) -> None:
        self._of: tuple[object, object] = (None, None)
        self._kept: OrderedDict[Hashable, tuple[int, Scene]] = OrderedDict()
        self._numbers = count(1)

    def scene(self, state: State, key: Hashable, build: Callable[[], Scene]) -> tuple[int, Scene]:
        """The scene of a key, built unless it is there. The key says all that it shows beside document and run."""
        self.keep_to(state)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = next(self._numbers), build()
            if len(self._kept) > MOST:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return found

    def keep_to(self, state: State) -> bool:
        """Let go of other runs; whether there was one."""
        if self._of[0] is state.document and self._of[1] is state.trace:
            return False
        self._of = state.document, state.trace
        self._kept.clear()
        return True
