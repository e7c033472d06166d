"""The layout of matrices and operators as plain numbers: no Qt, no numbers of the experiment.

Matrices that share an axis (the p of X · W) show the same window of it. If the cells do not fit,
axes are cut to a window around the focus; all cells have the same size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

LARGEST_WINDOW = 12  # rows and columns of a window at most
LARGEST_WHOLE = 16  # up to here a matrix may be counts whole
SMALLEST_WINDOW = 2
FAIR_WINDOW = 4  # left of the other axes, to keep a row and a column that are multiplied whole
COLUMN_DOTS = 8.0  # the width of the dots at either end of cut columns
ROW_DOTS = 7.0  # the height of those of cut rows
STACK_GAP = 7.0
DIAL_RADIUS = 34.0  # of the dial that shows a rotation


class AxisWindow(Struct, frozen=True):
    """The visible part of an axis: from `start` up to `stop` of `total`."""

    start: int
    stop: int
    total: int

    @property
    def count(self) -> int:
        """How many indices are visible."""
        return self.stop - self.start

    @property
    def cut(self) -> bool:
        """Whether some are not visible."""
        return self.count < self.total


class MatrixBox(Struct, frozen=True):
    """A matrix: the names of its axes, and the widths of its row labels and of its title.

    `overview` is the size of a picture of the whole matrix, which the labels' width includes.
    """

    rows: str
    columns: str
    labels_width: float = 0.0
    title_width: float = 0.0
    overview: tuple[float, float] | None = None


class OperatorBox(Struct, frozen=True):
    """A sign between two matrices."""

    width: float


class StackBox(Struct, frozen=True):
    """Matrices with the same columns one below the other.

    `dots_height` is for dots above and below them.
    """

    boxes: tuple[MatrixBox, ...]
    dots_height: float = 0.0


Item = MatrixBox | StackBox | OperatorBox


class Space(Struct, frozen=True):
    """The space to fill: its size, smallest and largest cell, heights of titles and labels."""

    width: float
    height: float
    smallest_cell: tuple[float, float]
    largest_cell: tuple[float, float]
    title_height: float = 0.0
    label_height: float = 0.0


class CellsRect(Struct, frozen=True):
    """The rectangle of the cells of a matrix, or of an operator."""

    x: float
    y: float
    width: float
    height: float


def window(total: int, count: int, focus: int) -> AxisWindow:
    """`count` of `total` indices, with the focus as near to the middle as the ends allow."""
    count = min(count, total)
    start = min(max(focus - count // 2, 0), total - count)
    return AxisWindow(start, start + count, total)


def visible_counts(items: Sequence[Item], sizes: Mapping[str, int], space: Space) -> dict[str, int]:
    """How much of each axis fits with the smallest cells, within the limits of windows.

    An axis that is summed over stays whole as long as others can be cut instead.
    """
    stacks = _stacks(items)
    counts = _across(items, stacks, sizes, space)
    while _height(stacks, sizes, counts, space, space.smallest_cell[1]) > space.height:
        tallest = max(
            stacks, key=lambda stack: _cells(stack, sizes, counts, space.smallest_cell[1])
        )
        if not _shorten(counts, {box.rows for box in tallest.boxes}):
            break
    return counts


def _across(
    items: Sequence[Item], stacks: Sequence[StackBox], sizes: Mapping[str, int], space: Space
) -> dict[str, int]:
    """How much of each axis fits into the width; rows may still be too many."""
    columns, summed = {stack.boxes[0].columns for stack in stacks}, summed_axes(items)
    counts: dict[str, int] = {}
    for axes, fewest in (
        (columns - summed, FAIR_WINDOW),
        (columns - summed, SMALLEST_WINDOW),
        (columns, SMALLEST_WINDOW),
    ):
        counts = {
            axis: size if size <= LARGEST_WHOLE else LARGEST_WINDOW for axis, size in sizes.items()
        }
        fits = all(counts[axis] == sizes[axis] for axis in summed)
        while _width(items, sizes, counts, space.smallest_cell[0]) > space.width:
            if not _shorten(counts, axes, fewest):
                fits = False
                break
        if fits:
            break
    return counts


def summed_axes(items: Sequence[Item]) -> set[str]:
    """The axes over which products are added up: columns of one matrix and rows of another."""
    blocks = [box for stack in _stacks(items) for box in stack.boxes]
    return {box.columns for box in blocks} & {box.rows for box in blocks}


def _stacks(items: Sequence[Item]) -> list[StackBox]:
    """All matrices as stacks, a single one as a stack of one."""
    return [
        StackBox((item,)) if isinstance(item, MatrixBox) else item
        for item in items
        if not isinstance(item, OperatorBox)
    ]


def _shorten(counts: dict[str, int], axes: set[str], fewest: int = SMALLEST_WINDOW) -> bool:
    longest = max(sorted(axes), key=lambda axis: counts[axis], default="")
    if not longest or counts[longest] <= fewest:
        return False
    counts[longest] -= 1
    return True


def _dots(
    axis: str, sizes: Mapping[str, int], counts: Mapping[str, int], space: float = COLUMN_DOTS
) -> float:
    return 2 * space if counts[axis] < sizes[axis] else 0.0


def _widest(item: MatrixBox | StackBox) -> MatrixBox:
    """A box for the width of an item: its columns, the widest labels and the widest title."""
    if isinstance(item, MatrixBox):
        return item
    left, title = (
        max(sizes)
        for sizes in zip(*((box.labels_width, box.title_width) for box in item.boxes), strict=True)
    )
    return MatrixBox(item.boxes[0].rows, item.boxes[0].columns, left, title)


def _fixed(item: Item, sizes: Mapping[str, int], counts: Mapping[str, int]) -> float:
    if isinstance(item, OperatorBox):
        return item.width
    box = _widest(item)
    return box.labels_width + _dots(box.columns, sizes, counts)


def _width(
    items: Sequence[Item], sizes: Mapping[str, int], counts: Mapping[str, int], cell: float
) -> float:
    total = 0.0
    for item in items:
        total += _fixed(item, sizes, counts)
        if not isinstance(item, OperatorBox):
            box = _widest(item)
            total += max(counts[box.columns] * cell, box.title_width)
    return total


def needed_width(
    items: Sequence[Item], sizes: Mapping[str, int], counts: Mapping[str, int], space: Space
) -> float:
    """The width of all items with the smallest cells."""
    return _width(items, sizes, counts, space.smallest_cell[0])


def _spare(stack: StackBox, sizes: Mapping[str, int], counts: Mapping[str, int]) -> float:
    """The height of a stack without its cells."""
    dots = sum(_dots(box.rows, sizes, counts, ROW_DOTS) for box in stack.boxes)
    return dots + STACK_GAP * (len(stack.boxes) - 1) + stack.dots_height


def _rows(stack: StackBox, counts: Mapping[str, int]) -> int:
    return sum(counts[box.rows] for box in stack.boxes)


def _cells(
    stack: StackBox, sizes: Mapping[str, int], counts: Mapping[str, int], cell: float
) -> float:
    return _rows(stack, counts) * cell + _spare(stack, sizes, counts)


def _height(
    stacks: Sequence[StackBox],
    sizes: Mapping[str, int],
    counts: Mapping[str, int],
    space: Space,
    cell: float,
) -> float:
    return (
        space.title_height
        + max(_cells(stack, sizes, counts, cell) for stack in stacks)
        + space.label_height
    )


def cell_size(
    items: Sequence[Item], sizes: Mapping[str, int], counts: Mapping[str, int], space: Space
) -> tuple[float, float]:
    """The size of all cells, (width, height), as large as space and proportions allow."""
    stacks = _stacks(items)
    columns = sum(counts[stack.boxes[0].columns] for stack in stacks)
    width = (space.width - sum(_fixed(item, sizes, counts) for item in items)) / columns
    free = space.height - space.title_height - space.label_height
    height = min((free - _spare(stack, sizes, counts)) / _rows(stack, counts) for stack in stacks)
    width, height = min(width, space.largest_cell[0]), min(height, space.largest_cell[1])
    while width > space.smallest_cell[0] and _width(items, sizes, counts, width) > space.width:
        width -= 1.0  # a title wider than its matrix needs some of it
    return max(4.0, min(width, max(height * 2.2, space.smallest_cell[0]))), max(
        4.0, min(height, max(width, space.smallest_cell[1]))
    )


def place_boxes(
    items: Sequence[Item],
    sizes: Mapping[str, int],
    counts: Mapping[str, int],
    space: Space,
    cell: tuple[float, float],
) -> tuple[CellsRect, ...]:
    """Place all items in a row in the middle of the space, vertically centred.

    A stack is placed as a whole; a matrix with the rows of its first one is level with that.
    """
    stacks = _stacks(items)
    lifted = _lifted(items, sizes, counts, cell[1])
    x = max(0.0, (space.width - _width(items, sizes, counts, cell[0])) / 2)
    needed = _height(stacks, sizes, counts, space, cell[1])
    slack = max(0.0, space.height - needed)
    middle = slack / 2 + space.title_height + (needed - space.title_height - space.label_height) / 2
    places: list[CellsRect] = []
    for item in items:
        if isinstance(item, OperatorBox):
            places.append(CellsRect(x, middle, item.width, 0.0))
            x += item.width
            continue
        box = _widest(item)
        width = counts[box.columns] * cell[0]
        height = (
            counts[item.rows] * cell[1]
            if isinstance(item, MatrixBox)
            else _cells(item, sizes, counts, cell[1])
        )
        outer = max(width, box.title_width)
        dots = _dots(box.columns, sizes, counts)
        left = x + box.labels_width + dots / 2 + (outer - width) / 2
        up = lifted.get(item.rows, 0.0) if isinstance(item, MatrixBox) else 0.0
        places.append(CellsRect(left, middle - height / 2 - up, width, height))
        x += box.labels_width + dots + outer
    return tuple(places)


def _lifted(
    items: Sequence[Item], sizes: Mapping[str, int], counts: Mapping[str, int], cell: float
) -> Mapping[str, float]:
    """How far the middle of a stack's first matrix is above that of the stack, by its row axis."""
    found: dict[str, float] = {}
    for item in items:
        if isinstance(item, StackBox) and len({box.rows for box in item.boxes}) > 1:
            first = item.boxes[0].rows
            own = counts[first] * cell + _dots(first, sizes, counts, ROW_DOTS) + item.dots_height
            found[first] = (_cells(item, sizes, counts, cell) - own) / 2
    return found


Sizes = tuple[tuple[str, int], ...]


@lru_cache(maxsize=128)
def cached_counts(items: tuple[Item, ...], sizes: Sizes, space: Space) -> Mapping[str, int]:
    """`visible_counts`, cached: the same in the next run, unless its longest number is longer."""
    return visible_counts(items, dict(sizes), space)


@lru_cache(maxsize=32)
def cached_layout(
    items: tuple[Item, ...], sizes: Sizes, space: Space
) -> tuple[Mapping[str, int], tuple[float, float], tuple[CellsRect, ...]]:
    """The visible part of each axis, the size of the cells and the rectangles of all items, cached."""
    all_of, counts = dict(sizes), cached_counts(items, sizes, space)
    cell = cell_size(items, all_of, counts, space)
    return counts, cell, place_boxes(items, all_of, counts, space, cell)


def place_in_stack(
    stack: StackBox, at: CellsRect, sizes: Mapping[str, int], counts: Mapping[str, int], cell: float
) -> list[CellsRect]:
    """The rectangles of the matrices of a stack, from that of the whole stack."""
    places: list[CellsRect] = []
    y = at.y + stack.dots_height / 2
    for box in stack.boxes:
        dots, height = _dots(box.rows, sizes, counts, ROW_DOTS), counts[box.rows] * cell
        places.append(CellsRect(at.x, y + dots / 2, at.width, height))
        y += dots + height + STACK_GAP
    return places
