"""Where matrices and signs stand, as plain numbers: no Qt, no numbers of the experiment.

Matrices that share an axis (the p of X · W) show the same window of it. Too many cells for the room are cut to a
window around the focus; the cells that remain share one size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

MOST = 12  # rows and columns of a window at most
WHOLE = 16  # up to here a matrix may be shown whole: the last few rows cost less than the doubt about them
FEWEST = 2  # and at least, however narrow the room
FAIR = 4  # as few are left of the other axes, so that a row and a column that are multiplied stay whole
CUT = 8.0  # room for the dots at either end of cut columns
CUT_ROWS = 7.0  # and of cut rows
BELOW = 7.0  # between matrices one below the other


class Window(Struct, frozen=True):
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


class Block(Struct, frozen=True):
    """A matrix: the names of its axes, the room of its row labels, and how wide its title is."""

    rows: str
    columns: str
    left: float = 0.0
    title: float = 0.0


class Gap(Struct, frozen=True):
    """A sign between two matrices."""

    width: float


class Stack(Struct, frozen=True):
    """Matrices of the same columns one below the other; `more` is room for dots above and below them."""

    blocks: tuple[Block, ...]
    more: float = 0.0


Item = Block | Stack | Gap


class Room(Struct, frozen=True):
    """What there is to fill: its size, the smallest and the largest cell, the heights of titles and of labels."""

    width: float
    height: float
    least: tuple[float, float]
    largest: tuple[float, float]
    head: float = 0.0
    foot: float = 0.0


class Place(Struct, frozen=True):
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
    """How much of each axis is shown: as much as fits with the smallest cells, between FEWEST and MOST.

    The axis of a product, over which it sums, stays whole while the others can give way to it.
    """
    stacks = _stacks(items)
    shown = _across(items, stacks, sizes, room)
    while _height(stacks, sizes, shown, room, room.least[1]) > room.height:
        tallest = max(stacks, key=lambda stack: _cells(stack, sizes, shown, room.least[1]))
        if not _shorten(shown, {block.rows for block in tallest.blocks}):
            break
    return shown


def _across(
    items: Sequence[Item], stacks: Sequence[Stack], sizes: Mapping[str, int], room: Room
) -> dict[str, int]:
    """How many columns fit; rows may still be too many."""
    columns, summed = {stack.blocks[0].columns for stack in stacks}, summed_axes(items)
    shown: dict[str, int] = {}
    for axes, fewest in ((columns - summed, FAIR), (columns - summed, FEWEST), (columns, FEWEST)):
        shown = {axis: size if size <= WHOLE else MOST for axis, size in sizes.items()}
        fits = all(shown[axis] == sizes[axis] for axis in summed)
        while _width(items, sizes, shown, room.least[0]) > room.width:
            if not _shorten(shown, axes, fewest):
                fits = False
                break
        if fits:
            break
    return shown


def summed_axes(items: Sequence[Item]) -> set[str]:
    """The axes over which products are added up: columns of one matrix and rows of another."""
    blocks = [block for stack in _stacks(items) for block in stack.blocks]
    return {block.columns for block in blocks} & {block.rows for block in blocks}


def _stacks(items: Sequence[Item]) -> list[Stack]:
    """The matrices, each single one as a stack of its own."""
    return [
        Stack((item,)) if isinstance(item, Block) else item
        for item in items
        if not isinstance(item, Gap)
    ]


def _shorten(shown: dict[str, int], axes: set[str], fewest: int = FEWEST) -> bool:
    longest = max(sorted(axes), key=lambda axis: shown[axis], default="")
    if not longest or shown[longest] <= fewest:
        return False
    shown[longest] -= 1
    return True


def _dots(
    axis: str, sizes: Mapping[str, int], shown: Mapping[str, int], room: float = CUT
) -> float:
    return 2 * room if shown[axis] < sizes[axis] else 0.0


def _widest(item: Block | Stack) -> Block:
    """What counts for the width: the columns, the largest room for labels and the widest title."""
    if isinstance(item, Block):
        return item
    left, title = (
        max(sizes)
        for sizes in zip(*((block.left, block.title) for block in item.blocks), strict=True)
    )
    return Block(item.blocks[0].rows, item.blocks[0].columns, left, title)


def _fixed(item: Item, sizes: Mapping[str, int], shown: Mapping[str, int]) -> float:
    if isinstance(item, Gap):
        return item.width
    block = _widest(item)
    return block.left + _dots(block.columns, sizes, shown)


def _width(
    items: Sequence[Item], sizes: Mapping[str, int], shown: Mapping[str, int], cell: float
) -> float:
    total = 0.0
    for item in items:
        total += _fixed(item, sizes, shown)
        if not isinstance(item, Gap):
            block = _widest(item)
            total += max(shown[block.columns] * cell, block.title)
    return total


def _spare(stack: Stack, sizes: Mapping[str, int], shown: Mapping[str, int]) -> float:
    """The height of a stack without its cells."""
    dots = sum(_dots(block.rows, sizes, shown, CUT_ROWS) for block in stack.blocks)
    return dots + BELOW * (len(stack.blocks) - 1) + stack.more


def _rows(stack: Stack, shown: Mapping[str, int]) -> int:
    return sum(shown[block.rows] for block in stack.blocks)


def _cells(stack: Stack, sizes: Mapping[str, int], shown: Mapping[str, int], cell: float) -> float:
    return _rows(stack, shown) * cell + _spare(stack, sizes, shown)


def _height(
    stacks: Sequence[Stack],
    sizes: Mapping[str, int],
    shown: Mapping[str, int],
    room: Room,
    cell: float,
) -> float:
    return room.head + max(_cells(stack, sizes, shown, cell) for stack in stacks) + room.foot


def cell_size(
    items: Sequence[Item], sizes: Mapping[str, int], shown: Mapping[str, int], room: Room
) -> tuple[float, float]:
    """The one size of all cells: as large as the room allows, in pleasant proportions."""
    stacks = _stacks(items)
    columns = sum(shown[stack.blocks[0].columns] for stack in stacks)
    width = (room.width - sum(_fixed(item, sizes, shown) for item in items)) / columns
    free = room.height - room.head - room.foot
    height = min((free - _spare(stack, sizes, shown)) / _rows(stack, shown) for stack in stacks)
    width, height = min(width, room.largest[0]), min(height, room.largest[1])
    while width > room.least[0] and _width(items, sizes, shown, width) > room.width:
        width -= 1.0  # a title wider than its matrix takes room from the cells
    return max(4.0, min(width, max(height * 2.2, room.least[0]))), max(
        4.0, min(height, max(width, room.least[1]))
    )


def place(
    items: Sequence[Item],
    sizes: Mapping[str, int],
    shown: Mapping[str, int],
    room: Room,
    cell: tuple[float, float],
) -> tuple[Place, ...]:
    """All items side by side, in the middle of the room, their middles on one line; a stack as a whole. A matrix of the
    same rows as the first of a stack stands level with that."""
    stacks = _stacks(items)
    lifted = _lifted(items, sizes, shown, cell[1])
    x = max(0.0, (room.width - _width(items, sizes, shown, cell[0])) / 2)
    needed = _height(stacks, sizes, shown, room, cell[1])
    slack = max(0.0, room.height - needed)
    middle = slack / 2 + room.head + (needed - room.head - room.foot) / 2
    places: list[Place] = []
    for item in items:
        if isinstance(item, Gap):
            places.append(Place(x, middle, item.width, 0.0))
            x += item.width
            continue
        block = _widest(item)
        width = shown[block.columns] * cell[0]
        height = (
            shown[item.rows] * cell[1]
            if isinstance(item, Block)
            else _cells(item, sizes, shown, cell[1])
        )
        outer = max(width, block.title)
        dots = _dots(block.columns, sizes, shown)
        left = x + block.left + dots / 2 + (outer - width) / 2
        up = lifted.get(item.rows, 0.0) if isinstance(item, Block) else 0.0
        places.append(Place(left, middle - height / 2 - up, width, height))
        x += block.left + dots + outer
    return tuple(places)


def _lifted(
    items: Sequence[Item], sizes: Mapping[str, int], shown: Mapping[str, int], cell: float
) -> Mapping[str, float]:
    """How far the middle of the first matrix of a stack lies above the middle of the whole, by its rows."""
    found: dict[str, float] = {}
    for item in items:
        if isinstance(item, Stack) and len({block.rows for block in item.blocks}) > 1:
            first = item.blocks[0].rows
            own = shown[first] * cell + _dots(first, sizes, shown, CUT_ROWS) + item.more
            found[first] = (_cells(item, sizes, shown, cell) - own) / 2
    return found


Sizes = tuple[tuple[str, int], ...]


@lru_cache(maxsize=128)
def counted(items: tuple[Item, ...], sizes: Sizes, room: Room) -> Mapping[str, int]:
    """`counts`, kept: the same in the next run, unless its longest number is longer."""
    return counts(items, dict(sizes), room)


@lru_cache(maxsize=32)
def arranged(
    items: tuple[Item, ...], sizes: Sizes, room: Room
) -> tuple[Mapping[str, int], tuple[float, float], tuple[Place, ...]]:
    """How much of each axis is shown, the size of the cells, and where everything stands, kept as well."""
    all_of, shown = dict(sizes), counted(items, sizes, room)
    cell = cell_size(items, all_of, shown, room)
    return shown, cell, place(items, all_of, shown, room, cell)


def within(
    stack: Stack, at: Place, sizes: Mapping[str, int], shown: Mapping[str, int], cell: float
) -> list[Place]:
    """Where the cells of each matrix of a stack stand, given the place of the whole stack."""
    places: list[Place] = []
    y = at.y + stack.more / 2
    for block in stack.blocks:
        dots, height = _dots(block.rows, sizes, shown, CUT_ROWS), shown[block.rows] * cell
        places.append(Place(at.x, y + dots / 2, at.width, height))
        y += dots + height + BELOW
    return places
