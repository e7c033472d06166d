"""Places of the small heatmaps: a grid of layers and heads, or heads in the order of a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

Place = tuple[int, int]  # layer and head, from 0

LEFT, TOP, BRACKET = 62.0, 20.0, 22.0  # labels at the left, at the top, and of shared keys
GAP, GROUP_GAP = 3.0, 8.0
LABEL = 14.0  # below a heatmap with its number
LEAST, MOST = 14.0, 320.0  # side of a heatmap
SORTED_LEAST, SORTED_MOST = 34.0, 96.0


@dataclass(frozen=True, slots=True)
class MapLayout:
    """Where each heatmap lies. `across` is the number of columns; `labelled` heatmaps have room for
    a line below. `order` is the heads of a sorted map, () for the grid.
    """

    area: QRectF
    layers: int
    heads: int
    groups: int  # of heads that share keys and values; 1 where none do
    side: float
    pitch: tuple[float, float]
    labelled: bool
    order: tuple[Place, ...] = ()

    @property
    def layers_across(self) -> bool:
        """Whether layers run along x: the longer of both does."""
        return self.layers > self.heads

    @property
    def across(self) -> int:
        """How many heatmaps lie side by side."""
        if self.order:
            return max(1, int((self.area.width() - 3.0 + GAP) // self.pitch[0]))
        return max(self.layers, self.heads)

    def rect(self, place: Place) -> QRectF:
        """The heatmap of a head."""
        x, y = self._corner(place)
        return QRectF(x, y, self.side, self.side)

    def _corner(self, place: Place) -> tuple[float, float]:
        if self.order:
            row, column = divmod(self.order.index(place), self.across)
            return (
                self.area.x() + 3.0 + column * self.pitch[0],
                self.area.y() + 4.0 + row * self.pitch[1],
            )
        layer, head = place
        shift = self._shift(head)
        column, row = (layer, head) if self.layers_across else (head, layer)
        x = self.area.x() + _left(self.layers_across, self.groups) + column * self.pitch[0]
        y = self.area.y() + TOP + row * self.pitch[1]
        return (x, y + shift) if self.layers_across else (x + shift, y)

    def _shift(self, head: int) -> float:
        """The gaps between groups of heads in front of a head."""
        return GROUP_GAP * (head * self.groups // self.heads) if self.groups > 1 else 0.0

    def at(self, point: QPointF) -> Place | None:
        """The head at a point, with the line below its heatmap."""
        for place in self.order or self.places:
            rect = self.rect(place)
            rect.setHeight(rect.height() + (LABEL if self.labelled else GAP))
            if rect.contains(point):
                return place
        return None

    @property
    def places(self) -> tuple[Place, ...]:
        """Every head, layer by layer."""
        return tuple((layer, head) for layer in range(self.layers) for head in range(self.heads))

    def moved(self, place: Place, right: int, down: int) -> Place:
        """The head beside another one; at an edge the same."""
        if self.order:
            to = self.order.index(place) + right + down * self.across
            return self.order[to] if 0 <= to < len(self.order) else place
        layer, head = place
        by_layer, by_head = (right, down) if self.layers_across else (down, right)
        return (
            min(max(layer + by_layer, 0), self.layers - 1),
            min(max(head + by_head, 0), self.heads - 1),
        )

    @property
    def height(self) -> float:
        """The height that the heatmaps take."""
        last = self.order[-1] if self.order else (self.layers - 1, self.heads - 1)
        return self.rect(last).bottom() - self.area.y() + (LABEL if self.labelled else 4.0)


def _left(layers_across: bool, groups: int) -> float:
    if not layers_across:
        return LEFT
    return LEFT - 20.0 + (BRACKET if groups > 1 else 0.0)


def grid(area: QRectF, layers: int, heads: int, kv_heads: int) -> MapLayout:
    """The grid of all heads in an area; it may be higher than the area."""
    across, down = max(layers, heads), min(layers, heads)
    groups = kv_heads if 1 < kv_heads < heads else 1
    left = _left(layers > heads, groups)
    gaps = GROUP_GAP * (groups - 1)
    wide = area.width() - left - (0.0 if layers > heads else gaps)
    high = area.height() - TOP - (gaps if layers > heads else 0.0)
    pitch_x, pitch_y = wide / across, high / down
    labelled = pitch_y >= LEAST + LABEL + 12.0 and pitch_x >= 30.0
    below = LABEL if labelled else GAP
    side = min(pitch_x - GAP, pitch_y - below, MOST)
    side = max(LEAST, float(int(side)))
    pitch = max(pitch_x, side + GAP), min(max(pitch_y, side + below), side + below + 8.0)
    return MapLayout(area, layers, heads, groups, side, pitch, labelled)


def in_order(area: QRectF, layers: int, heads: int, order: Sequence[Place]) -> MapLayout:
    """The heads one after the other, line by line; it may be higher than the area."""
    side = SORTED_MOST
    while side > SORTED_LEAST:
        across = max(1, int((area.width() + GAP) // (side + 8.0)))
        if -(-len(order) // across) * (side + LABEL + 4.0) <= area.height():
            break
        side -= 2.0
    pitch = max(side + 8.0, 44.0), side + LABEL + 4.0
    return MapLayout(area, layers, heads, 1, side, pitch, True, tuple(order))
