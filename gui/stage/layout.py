"""Where matrices and signs stand, as plain numbers: no Qt, no numbers of the experiment.

Matrices that share an axis (the p of X · W) show the same window of it. Too many cells for the room are cut to a
window around the focus; the cells that remain share one size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MOST = 12  # rows and columns of a window at most
FEWEST = 2  # and at least, however narrow the room
CUT = 11.0  # room for the dots at either end of cut columns
CUT_ROWS = 9.0  # and of cut rows


@dataclass(frozen=True, slots=True)
class Window:
    """The part of an axis that is shown: from `start` up to `stop` of `total`."""

    start: int
    stop: int
    total: int

    @property
    def count(self) -> int:
        """How many are shown."""
        return self.stop - self.start

    @property
    def cut(self) -> bool:
        """Whether some are not shown."""
        return self.count < self.total


@dataclass(frozen=True, slots=True)
class Block:
    """A matrix: the names of its axes, the room of its row labels, and how wide its title is."""

    rows: str
    columns: str
    left: float = 0.0
    title: float = 0.0


@dataclass(frozen=True, slots=True)
class Gap:
    """A sign between two matrices."""

    width: float


Item = Block | Gap


@dataclass(frozen=True, slots=True)
class Room:
    """What there is to fill: its size, the smallest and the largest cell, the heights of titles and of labels."""

    width: float
    height: float
    least: tuple[float, float]
    largest: tuple[float, float]
    head: float = 0.0
    foot: float = 0.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where the cells of a matrix, or a sign, stand."""

    x: float
    y: float
    width: float
    height: float


def window(total: int, count: int, focus: int) -> Window:
    """`count` of `total`, with the focus as near to the middle as the ends allow."""
    count = min(count, total)
    start = min(max(focus - count // 2, 0), total - count)
    return Window(start, start + count, total)


def counts(items: Sequence[Item], sizes: Mapping[str, int], room: Room) -> dict[str, int]:
    """How much of each axis is shown: as much as fits with the smallest cells, between FEWEST and MOST."""
    shown = {axis: min(size, MOST) for axis, size in sizes.items()}
    blocks = [item for item in items if isinstance(item, Block)]
    while _width(items, sizes, shown, room.least[0]) > room.width:
        if not _shorten(shown, {block.columns for block in blocks}):
            break
    while _height(blocks, sizes, shown, room, room.least[1]) > room.height:
        tallest = max(blocks, key=lambda block: shown[block.rows])
        if not _shorten(shown, {tallest.rows}):
            break
    return shown


def _shorten(shown: dict[str, int], axes: set[str]) -> bool:
    longest = max(sorted(axes), key=lambda axis: shown[axis])
    if shown[longest] <= FEWEST:
        return False
    shown[longest] -= 1
    return True


def _dots(axis: str, sizes: Mapping[str, int], shown: Mapping[str, int], room: float = CUT) -> float:
    return 2 * room if shown[axis] < sizes[axis] else 0.0


def _fixed(item: Item, sizes: Mapping[str, int], shown: Mapping[str, int]) -> float:
    return item.width if isinstance(item, Gap) else item.left + _dots(item.columns, sizes, shown)


def _width(items: Sequence[Item], sizes: Mapping[str, int], shown: Mapping[str, int], cell: float) -> float:
    total = 0.0
    for item in items:
        cells = shown[item.columns] * cell if isinstance(item, Block) else 0.0
        total += _fixed(item, sizes, shown) + (max(cells, item.title) if isinstance(item, Block) else 0.0)
    return total


def _height(
    blocks: Sequence[Block], sizes: Mapping[str, int], shown: Mapping[str, int], room: Room, cell: float
) -> float:
    cells = max(shown[block.rows] * cell + _dots(block.rows, sizes, shown, CUT_ROWS) for block in blocks)
    return room.head + cells + room.foot


def cell_size(
    items: Sequence[Item], sizes: Mapping[str, int], shown: Mapping[str, int], room: Room
) -> tuple[float, float]:
    """The one size of all cells: as large as the room allows, in pleasant proportions."""
    blocks = [item for item in items if isinstance(item, Block)]
    columns = sum(shown[block.columns] for block in blocks)
    width = (room.width - sum(_fixed(item, sizes, shown) for item in items)) / columns
    free = room.height - room.head - room.foot
    height = min((free - _dots(block.rows, sizes, shown, CUT_ROWS)) / shown[block.rows] for block in blocks)
    width, height = min(width, room.largest[0]), min(height, room.largest[1])
    while width > room.least[0] and _width(items, sizes, shown, width) > room.width:
        width -= 1.0  # a title wider than its matrix takes room from the cells
    return max(4.0, min(width, max(height * 2.2, room.least[0]))), max(4.0, min(height, max(width, room.least[1])))


def place(
    items: Sequence[Item],
    sizes: Mapping[str, int],
    shown: Mapping[str, int],
    room: Room,
    cell: tuple[float, float],
) -> tuple[Place, ...]:
    """All items side by side, in the middle of the room, the middles of the matrices on one line."""
    blocks = [item for item in items if isinstance(item, Block)]
    x = max(0.0, (room.width - _width(items, sizes, shown, cell[0])) / 2)
    slack = max(0.0, room.height - _height(blocks, sizes, shown, room, cell[1]))
    middle = slack / 2 + room.head + (_height(blocks, sizes, shown, room, cell[1]) - room.head - room.foot) / 2
    places: list[Place] = []
    for item in items:
        if isinstance(item, Gap):
            places.append(Place(x, middle, item.width, 0.0))
            x += item.width
            continue
        width, height = shown[item.columns] * cell[0], shown[item.rows] * cell[1]
        outer = max(width, item.title)
        dots = _dots(item.columns, sizes, shown)
        left = x + item.left + dots / 2 + (outer - width) / 2
        places.append(Place(left, middle - height / 2, width, height))
        x += item.left + dots + outer
    return tuple(places)
