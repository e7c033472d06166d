"""Where matrices and signs stand, as plain numbers: no Qt, no numbers of the experiment.

Matrices that share an axis (the p of X · W) show the same window of it. Too many cells for the room are cut to a
window around the focus; the cells that remain share one size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

LARGEST_WINDOW = 12  # rows and columns of a window at most
LARGEST_WHOLE = 16  # up to here a matrix may be shown whole: the last few rows cost less than the doubt about them
SMALLEST_WINDOW = 2  # and at least, however narrow the room
FAIR_WINDOW = 4  # as few are left of the other axes, so that a row and a column that are multiplied stay whole
COLUMN_DOTS = 8.0  # room for the dots at either end of cut columns
ROW_DOTS = 7.0  # and of cut rows
STACK_GAP = 7.0  # between matrices one below the other
DIAL_RADIUS = 34.0  # of the dial that shows a rotation


class AxisWindow(Struct, frozen=True):
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


class MatrixBox(Struct, frozen=True):
    """A matrix: the names of its axes, the room of its row labels, and how wide its title is."""

    rows: str
    columns: str
    labels_width: float = 0.0
    title_width: float = 0.0


class OperatorBox(Struct, frozen=True):
    """A sign between two matrices."""

    width: float


class StackBox(Struct, frozen=True):
    """Matrices of the same columns one below the other; `more` is room for dots above and below them."""

    boxes: tuple[MatrixBox, ...]
    dots_height: float = 0.0


Item = MatrixBox | StackBox | OperatorBox


class Space(Struct, frozen=True):
    """What there is to fill: its size, the smallest and the largest cell, the heights of titles and of labels."""

    width: float
    height: float
    smallest_cell: tuple[float, float]
    largest_cell: tuple[float, float]
    title_height: float = 0.0
    label_height: float = 0.0


class CellsRect(Struct, frozen=True):
    """Where the cells of a matrix, or a sign, stand."""

    x: float
    y: float
    width: float
    height: float


def window(total: int, count: int, focus: int) -> AxisWindow:
    """`count` of `total`, with the focus as near to the middle as the ends allow."""
    count = min(count, total)
    start = min(max(focus - count // 2, 0), total - count)
    return AxisWindow(start, start + count, total)


def visible_counts(items: Sequence[Item], sizes: Mapping[str, int], room: Space) -> dict[str, int]:
    """How much of each axis is shown: as much as fits with the smallest cells, between FEWEST and MOST.

    The axis of a product, over which it sums, stays whole while the others can give way to it.
    """
    stacks = _stacks(items)
    shown = _across(items, stacks, sizes, room)
    while _height(stacks, sizes, shown, room, room.smallest_cell[1]) > room.height:
        tallest = max(stacks, key=lambda stack: _cells(stack, sizes, shown, room.smallest_cell[1]))
        if not _shorten(shown, {block.rows for block in tallest.boxes}):
            break
    return shown


def _across(
    items: Sequence[Item], stacks: Sequence[StackBox], sizes: Mapping[str, int], room: Space
) -> dict[str, int]:
    """How many columns fit; rows may still be too many."""
    columns, summed = {stack.boxes[0].columns for stack in stacks}, summed_axes(items)
    shown: dict[str, int] = {}
    for axes, fewest in (
        (columns - summed, FAIR_WINDOW),
        (columns - summed, SMALLEST_WINDOW),
        (columns, SMALLEST_WINDOW),
    ):
        shown = {
            axis: size if size <= LARGEST_WHOLE else LARGEST_WINDOW for axis, size in sizes.items()
        }
        fits = all(shown[axis] == sizes[axis] for axis in summed)
        while _width(items, sizes, shown, room.smallest_cell[0]) > room.width:
            if not _shorten(shown, axes, fewest):
                fits = False
                break
        if fits:
            break
    return shown


def summed_axes(items: Sequence[Item]) -> set[str]:
    """The axes over which products are added up: columns of one matrix and rows of another."""
    blocks = [block for stack in _stacks(items) for block in stack.boxes]
    return {block.columns for block in blocks} & {block.rows for block in blocks}


def _stacks(items: Sequence[Item]) -> list[StackBox]:
    """The matrices, each single one as a stack of its own."""
    return [
        StackBox((item,)) if isinstance(item, MatrixBox) else item
        for item in items
        if not isinstance(item, OperatorBox)
    ]


def _shorten(shown: dict[str, int], axes: set[str], fewest: int = SMALLEST_WINDOW) -> bool:
    longest = max(sorted(axes), key=lambda axis: shown[axis], default="")
    if not longest or shown[longest] <= fewest:
        return False
    shown[longest] -= 1
    return True


def _dots(
    axis: str, sizes: Mapping[str, int], shown: Mapping[str, int], room: float = COLUMN_DOTS
) -> float:
    return 2 * room if shown[axis] < sizes[axis] else 0.0


def _widest(item: MatrixBox | StackBox) -> MatrixBox:
    """What counts for the width: the columns, the largest room for labels and the widest title."""
    if isinstance(item, MatrixBox):
        return item
    left, title = (
        max(sizes)
        for sizes in zip(
            *((block.labels_width, block.title_width) for block in item.boxes), strict=True
        )
    )
    return MatrixBox(item.boxes[0].rows, item.boxes[0].columns, left, title)


def _fixed(item: Item, sizes: Mapping[str, int], shown: Mapping[str, int]) -> float:
    if isinstance(item, OperatorBox):
        return item.width
    block = _widest(item)
    return block.labels_width + _dots(block.columns, sizes, shown)


def _width(
    items: Sequence[Item], sizes: Mapping[str, int], shown: Mapping[str, int], cell: float
) -> float:
    total = 0.0
    for item in items:
        total += _fixed(item, sizes, shown)
        if not isinstance(item, OperatorBox):
            block = _widest(item)
            total += max(shown[block.columns] * cell, block.title_width)
    return total


def _spare(stack: StackBox, sizes: Mapping[str, int], shown: Mapping[str, int]) -> float:
    """The height of a stack without its cells."""
    dots = sum(_dots(block.rows, sizes, shown, ROW_DOTS) for block in stack.boxes)
    return dots + STACK_GAP * (len(stack.boxes) - 1) + stack.dots_height


def _rows(stack: StackBox, shown: Mapping[str, int]) -> int:
    return sum(shown[block.rows] for block in stack.boxes)


def _cells(
    stack: StackBox, sizes: Mapping[str, int], shown: Mapping[str, int], cell: float
) -> float:
    return _rows(stack, shown) * cell + _spare(stack, sizes, shown)


def _height(
    stacks: Sequence[StackBox],
    sizes: Mapping[str, int],
    shown: Mapping[str, int],
    room: Space,
    cell: float,
) -> float:
    return (
        room.title_height
        + max(_cells(stack, sizes, shown, cell) for stack in stacks)
        + room.label_height
    )


def cell_size(
    items: Sequence[Item], sizes: Mapping[str, int], shown: Mapping[str, int], room: Space
) -> tuple[float, float]:
    """The one size of all cells: as large as the room allows, in pleasant proportions."""
    stacks = _stacks(items)
    columns = sum(shown[stack.boxes[0].columns] for stack in stacks)
    width = (room.width - sum(_fixed(item, sizes, shown) for item in items)) / columns
    free = room.height - room.title_height - room.label_height
    height = min((free - _spare(stack, sizes, shown)) / _rows(stack, shown) for stack in stacks)
    width, height = min(width, room.largest_cell[0]), min(height, room.largest_cell[1])
    while width > room.smallest_cell[0] and _width(items, sizes, shown, width) > room.width:
        width -= 1.0  # a title wider than its matrix takes room from the cells
    return max(4.0, min(width, max(height * 2.2, room.smallest_cell[0]))), max(
        4.0, min(height, max(width, room.smallest_cell[1]))
    )


def place_boxes(
    items: Sequence[Item],
    sizes: Mapping[str, int],
    shown: Mapping[str, int],
    room: Space,
    cell: tuple[float, float],
) -> tuple[CellsRect, ...]:
    """All items side by side, in the middle of the room, their middles on one line; a stack as a whole. A matrix of the
    same rows as the first of a stack stands level with that."""
    stacks = _stacks(items)
    lifted = _lifted(items, sizes, shown, cell[1])
    x = max(0.0, (room.width - _width(items, sizes, shown, cell[0])) / 2)
    needed = _height(stacks, sizes, shown, room, cell[1])
    slack = max(0.0, room.height - needed)
    middle = slack / 2 + room.title_height + (needed - room.title_height - room.label_height) / 2
    places: list[CellsRect] = []
    for item in items:
        if isinstance(item, OperatorBox):
            places.append(CellsRect(x, middle, item.width, 0.0))
            x += item.width
            continue
        block = _widest(item)
        width = shown[block.columns] * cell[0]
        height = (
            shown[item.rows] * cell[1]
            if isinstance(item, MatrixBox)
            else _cells(item, sizes, shown, cell[1])
        )
        outer = max(width, block.title_width)
        dots = _dots(block.columns, sizes, shown)
        left = x + block.labels_width + dots / 2 + (outer - width) / 2
        up = lifted.get(item.rows, 0.0) if isinstance(item, MatrixBox) else 0.0
        places.append(CellsRect(left, middle - height / 2 - up, width, height))
        x += block.labels_width + dots + outer
    return tuple(places)


def _lifted(
    items: Sequence[Item], sizes: Mapping[str, int], shown: Mapping[str, int], cell: float
) -> Mapping[str, float]:
    """How far the middle of the first matrix of a stack lies above the middle of the whole, by its rows."""
    found: dict[str, float] = {}
    for item in items:
        if isinstance(item, StackBox) and len({block.rows for block in item.boxes}) > 1:
            first = item.boxes[0].rows
            own = shown[first] * cell + _dots(first, sizes, shown, ROW_DOTS) + item.dots_height
            found[first] = (_cells(item, sizes, shown, cell) - own) / 2
    return found


Sizes = tuple[tuple[str, int], ...]


@lru_cache(maxsize=128)
def cached_counts(items: tuple[Item, ...], sizes: Sizes, room: Space) -> Mapping[str, int]:
    """`counts`, kept: the same in the next run, unless its longest number is longer."""
    return visible_counts(items, dict(sizes), room)


@lru_cache(maxsize=32)
def cached_layout(
    items: tuple[Item, ...], sizes: Sizes, room: Space
) -> tuple[Mapping[str, int], tuple[float, float], tuple[CellsRect, ...]]:
    """How much of each axis is shown, the size of the cells, and where everything stands, kept as well."""
    all_of, shown = dict(sizes), cached_counts(items, sizes, room)
    cell = cell_size(items, all_of, shown, room)
    return shown, cell, place_boxes(items, all_of, shown, room, cell)


def place_in_stack(
    stack: StackBox, at: CellsRect, sizes: Mapping[str, int], shown: Mapping[str, int], cell: float
) -> list[CellsRect]:
    """Where the cells of each matrix of a stack stand, given the place of the whole stack."""
    places: list[CellsRect] = []
    y = at.y + stack.dots_height / 2
    for block in stack.boxes:
        dots, height = _dots(block.rows, sizes, shown, ROW_DOTS), shown[block.rows] * cell
        places.append(CellsRect(at.x, y + dots / 2, at.width, height))
        y += dots + height + STACK_GAP
    return places
