"""The colours of panes, kept as long as their panes are and as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from gui.painting.theme import Colours, colours
from gui.views.heatmaps.heatmap_data import Pane
from gui.views.heatmaps.painting import coloured
from gui.views.heatmaps.per_pane import each
from gui.views.heatmaps.visible_cells import Look, seen

MOST_PIXELS = 2_000_000  # of 4 bytes each

Asked = tuple[Pane, Look]
RGBA = npt.NDArray[np.uint8]


class KeptColours:
    """RGBA by pane, as it was looked at last, in one theme."""

    def __init__(self) -> None:
        self._shade = ""
        self._kept: WeakKeyDictionary[Pane, tuple[Look, RGBA]] = WeakKeyDictionary()

    def of(self, asked: Sequence[Asked], shade: str) -> list[RGBA]:
        """The RGBA of every pixel that is seen of each pane, (rows, columns, 4): the same array as long as it is kept.

        Of the panes that are asked for, it always is."""
        if shade != self._shade:
            self._shade = shade
            self._kept.clear()
        new = [(pane, look) for pane, look in asked if self._kept.get(pane, (None,))[0] != look]
        cells = sum(pane.values.size for pane, _ in new)
        for (pane, look), pixels in zip(
            new, each(partial(_coloured, colours(shade)), new, cells), strict=True
        ):
            self._kept[pane] = look, pixels
        self._make_room({pane for pane, _ in asked})
        return [self._kept[pane][1] for pane, _ in asked]

    def _make_room(self, needed: set[Pane]) -> None:
        size = sum(kept.size for _, kept in self._kept.values())
        for pane in [pane for pane in self._kept if pane not in needed]:
            if size <= 4 * MOST_PIXELS:
                return
            size -= self._kept.pop(pane)[1].size


def _coloured(theme: Colours, asked: Asked) -> RGBA:
    return coloured(seen(*asked), theme)
