"""The colours of panes, kept as long as their panes are and as there is room."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from gui.heatmaps.painting import coloured
from gui.heatmaps.panes import Pane
from gui.theme import colours

MOST_CELLS = 2_000_000  # of 4 bytes each

RGBA = npt.NDArray[np.uint8]


class KeptColours:
    """RGBA by pane, in one theme."""

    def __init__(self) -> None:
        self._shade = ""
        self._kept: WeakKeyDictionary[Pane, RGBA] = WeakKeyDictionary()

    def of(self, pane: Pane, shade: str) -> RGBA:
        """The RGBA of every cell, (rows, columns, 4)."""
        if shade != self._shade:
            self._shade = shade
            self._kept.clear()
        found = self._kept.get(pane)
        if found is None:
            found = coloured(pane, colours(shade))
            if sum(kept.size for kept in self._kept.values()) + found.size <= 4 * MOST_CELLS:
                self._kept[pane] = found
        return found
