"""The size of cells, digits and names of an operation that is fitted into a rectangle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter

from msgspec.structs import replace as replace_struct
from PySide6.QtCore import QRectF

from core.base.number_format import show
from gui.painting.matrix import longest_text
from gui.painting.matrix_spec import shown_parts
from gui.painting.text_layout import line_width, width_of
from gui.painting.theme import BODY, CAPTION, DISPLAY, font
from gui.session.state import State
from gui.texts.rich_text import short
from gui.views.stage.layout import (
    DIAL_RADIUS,
    ROW_DOTS,
    CellsRect,
    Item,
    MatrixBox,
    OperatorBox,
    Space,
    StackBox,
    cached_counts,
    cached_layout,
    needed_width,
    summed_axes,
    window,
)
from gui.views.stage.operation import (
    Operand,
    OperandAxis,
    OperandStack,
    Operation,
    Operator,
    operands_of,
)

TITLE_LINE = 20.0
LABEL_LINE = 18.0
LARGEST_CELL, LARGEST_DIGITS = (104.0, 54.0), 20.0
# In a larger rectangle than the ordinary one, the largest cells grow up to this factor.
ORDINARY_SIZE, LARGEST_GROWTH = (760.0, 250.0), 1.3
LEAST_WIDTH, LEAST_HEIGHT = 20.0, 16.5
LOWEST = 15.0  # the height of a cell where that saves a row
LARGEST_SEARCHED = 20_000  # numbers; a larger matrix is not searched for the longest
DIGITS, DIGITS_LOW = 0.72, 0.8  # part of a cell's height, and where it is lower than usual
DIGITS_ACROSS = 0.8  # part of its width, unless digits would get smaller than a caption
PADDING, TIGHT_PADDING = 0.8 * CAPTION, 4.0  # left and right of digits together
NARROW = 640.0  # the width below which gaps are small
FEW_ROWS = 8  # a matrix of so few rows is not cut for the sake of names
LABEL_MOST = 96.0, 0.085  # units, and part of the width
# Whole matrices in colours beside numbers: tried sizes, part of the width, least side, the shorter
# side of a long one, gap, and the width below which a title does not reach them.
OVERVIEWS, OVERVIEW_SHARE, LEAST_OVERVIEW = (1.0, 0.8, 0.6, 0.4), 0.46, 44.0
STRIP, OVERVIEW_GAP, TITLE_INSIDE = 0.1, 12.0, 90.0
LENS = 3  # rows and columns with numbers that must be left beside them


def names_rows(operand: Operand, axis: OperandAxis) -> bool:
    """Whether the rows of an operand have labels."""
    return operand.names_rows and (axis.tokens is not None or (operand.by_column and axis.size > 1))


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How matrices are put in a row.

    `close`: with small gaps, rows named once; `once`: queries and keys named once, too. `height` is
    the least height of a cell, `padding` the width beside the longest number. `squeeze` narrows
    digits, `text` magnifies names. Matrices with a cut axis, or the `result` alone, are also shown
    whole in colours, with `overview` as the longer side.
    """

    close: bool = False
    once: bool = False
    height: float = LEAST_HEIGHT
    padding: float = PADDING
    squeeze: float = 1.0
    text: float = 1.0
    overview: float = 0.0
    cut: frozenset[str] = frozenset()
    result: bool = False


FITS = (
    FitOptions(),
    FitOptions(close=True),
    FitOptions(close=True, padding=TIGHT_PADDING),
    FitOptions(close=True, height=LOWEST, padding=TIGHT_PADDING),
    FitOptions(close=True, height=LOWEST, padding=TIGHT_PADDING, squeeze=0.86),
)
# Tried to show every product of a sum.
FITS_FOR_SUMS = (
    FitOptions(close=True, padding=TIGHT_PADDING),
    FitOptions(close=True, once=True, padding=TIGHT_PADDING),
    FitOptions(close=True, padding=TIGHT_PADDING, squeeze=0.86),
    FitOptions(close=True, once=True, padding=TIGHT_PADDING, squeeze=0.86),
)
Fitted = tuple[Operation, tuple[Item, ...], Space, FitOptions]


class OperationFitter:
    """Fits one operation into rectangles; `longest` is the text of its widest number."""

    def __init__(self, operation: Operation, state: State) -> None:
        self.state = state
        self.longest = max((longest_number(one, state) for one in operation.operands), key=len)
        self._operation = operation
        self._rows: dict[tuple[object, ...], tuple[Operation, tuple[Item, ...]]] = {}

    def fit(self, rect: QRectF) -> Fitted:
        """The best fit of numbers; matrices of which it leaves out numbers are shown whole, too."""
        numbers = self._fit_numbers(rect)
        operation, _, space, options = numbers
        counts = _counts(numbers)
        cut = frozenset(axis for axis, count in counts.items() if count < operation.sizes[axis])
        tries = ((options, False), (options, True), (FITS[2], True), (FITS[-1], True))
        for base, result in tries if cut else ():
            wanted = replace(base, cut=cut, result=result)
            for part in OVERVIEWS:
                side = _overview_side(operation, space, wanted) * part
                if side < LEAST_OVERVIEW:
                    break
                found = self._fit(rect, replace(wanted, overview=side))
                fewer = _counts(found)
                enough = all(fewer[axis] >= min(counts[axis], LENS) for axis in counts)
                sums = _shows_whole_sums(found) or not _shows_whole_sums(numbers)
                if enough and sums and _fits_width(found):
                    return found
        return numbers

    def _fit_numbers(self, rect: QRectF) -> Fitted:
        """The most spacious fit that leaves nothing out; else one with whole sums.

        Else the one that shows most.
        """
        tried: list[tuple[int, Fitted]] = []
        growth = growth_factor(rect)
        large = (FitOptions(text=growth),) if growth > 1.0 else ()
        for options in (*large, *FITS):
            found = self._fit(rect, options)
            counts = _counts(found)
            if counts == found[0].sizes:
                return found
            tried.append((sum(counts.values()), found))
        best = max(tried[len(large) : len(large) + 2], key=itemgetter(0))[1]
        if _shows_whole_sums(best):
            return best
        others = (self._fit(rect, options) for options in FITS_FOR_SUMS)
        return next(filter(_shows_whole_sums, others), best)

    def _fit(self, rect: QRectF, options: FitOptions) -> Fitted:
        # The row is the same for all heights, paddings and squeezed digits.
        key = rect.width(), options.close, options.once, options.text
        if key not in self._rows:
            named = self._operation
            if options.close:
                named = _with_names_once(named, queries=options.once)
            items = tuple(_item(named, item, rect.width(), options) for item in named.items)
            self._rows[key] = named, items
        named, items = self._rows[key]
        if options.overview:
            items = _with_overviews(named, items, options)
        return named, items, _space(rect, self.longest, options), options


def _counts(found: Fitted) -> Mapping[str, int]:
    operation, items, space, _ = found
    return cached_counts(items, tuple(operation.sizes.items()), space)


def _shows_whole_sums(found: Fitted) -> bool:
    """Whether every product of a sum is visible."""
    counts = _counts(found)
    return all(counts[axis] == found[0].sizes[axis] for axis in summed_axes(found[1]))


BoxLayout = tuple[Mapping[str, int], tuple[float, float], tuple[CellsRect, ...]]


def place_fitted(found: Fitted) -> tuple[BoxLayout, frozenset[str]]:
    """The layout of a fit, and the axes along which names of columns alternate between two lines.

    They do so where a name is too wide, unless that costs more than one row of many.
    """
    operation, items, space, options = found
    sizes = tuple(operation.sizes.items())
    one_line = cached_layout(items, sizes, space)
    axes = _names_cut(operation, one_line, options)
    if not axes:
        return one_line, frozenset()
    smallest = space.smallest_cell[0], LOWEST
    two = replace_struct(space, smallest_cell=smallest, label_height=2 * space.label_height)
    two_lines = cached_layout(items, sizes, two)
    lost = {axis: count - two_lines[0][axis] for axis, count in one_line[0].items()}
    few = any(count and operation.axes[axis].size <= FEW_ROWS for axis, count in lost.items())
    fits = sum(lost.values()) <= 1 and not few and two_lines[1][1] >= LOWEST
    return (two_lines, axes) if fits else (one_line, frozenset())


def _names_cut(operation: Operation, found: BoxLayout, options: FitOptions) -> frozenset[str]:
    """The axes that have a column whose name is wider than the column."""
    count, cell, _ = found
    face = font(round(CAPTION * options.text))
    cut = set()
    for name in {operand.columns for operand in operation.operands}:
        axis = operation.axes[name]
        part = window(axis.size, count[name], axis.focus)
        tokens = () if axis.tokens is None else axis.tokens[part.start : part.stop]
        if any(width_of(short(token), face) > cell[0] for token in tokens):
            cut.add(name)
    return frozenset(cut)


def _with_names_once(operation: Operation, *, queries: bool) -> Operation:
    """Leave out names of rows that a matrix further left has.

    `queries` are named again where they meet keys, unless set: then the first matrix with their
    tokens says what they are, and keys are named below the first matrix alone.
    """
    named: dict[str, int] = {}
    below: set[str] = set()
    items: list[Operand | OperandStack | Operator] = []
    for item in operation.items:
        if isinstance(item, Operand) and item.names_rows:
            first = named.setdefault(item.rows, len(items))
            again = first < len(items) and (queries or not item.row_name)
            before = items[first] if again else item
            if again and item.row_name and isinstance(before, Operand):
                items[first] = replace(before, row_name=item.row_name)
            name = "" if again and item.columns in below else item.column_name
            below |= {item.columns} if item.column_name else set()
            item = replace(item, names_rows=False, row_name="", column_name=name) if again else item
        items.append(item)
    return Operation(operation.axes, tuple(items), operation.document)


def _item(
    operation: Operation, item: Operand | OperandStack | Operator, width: float, options: FitOptions
) -> Item:
    if isinstance(item, Operator):
        return _operator_box(item, options.close or width < NARROW)
    boxes = tuple(_matrix_box(operation, one, width, options.text) for one in operands_of(item))
    if isinstance(item, Operand):
        return boxes[0]
    return StackBox(boxes, 2 * ROW_DOTS if item.before or item.after else 0.0)


def _operator_box(operator: Operator, close: bool) -> OperatorBox:
    if operator.rotation is not None:
        return OperatorBox(2 * DIAL_RADIUS + (24.0 if close else 40.0))
    wide, above = width_of(operator.text, font(DISPLAY)), width_of(operator.above, font(BODY))
    return OperatorBox(max(wide, above) + (12.0 if close or not operator.text else 24.0))


def _matrix_box(operation: Operation, item: Operand, width: float, text: float) -> MatrixBox:
    axis = operation.axes[item.rows]
    left = _label_width(axis) if names_rows(item, axis) else 0.0
    names = (width_of(name, font(CAPTION)) for name in (item.row_name, item.column_name) if name)
    left = max(min(left, LABEL_MOST[0], LABEL_MOST[1] * width), *names, 0.0) * text
    left += 10.0 if left else 0.0
    title = line_width(item.title, round(BODY * text), bold=True)
    return MatrixBox(
        item.rows,
        item.columns,
        left + (title + 10.0 if item.title_left else 0.0),
        0.0 if item.title_left else title,
    )


def _fits_width(found: Fitted) -> bool:
    """Whether matrices with the smallest cells are no wider than the space."""
    operation, items, space, _ = found
    return needed_width(items, operation.sizes, _counts(found), space) <= space.width


def _overview_side(operation: Operation, space: Space, options: FitOptions) -> float:
    """The longer side of whole matrices: as high as cells may be, in a part of the width."""
    high = space.height - space.title_height - space.label_height
    sizes = [_overview_size(operation, one, 1.0) for one in _cut_operands(operation, options)]
    across = sum(width for width, _ in sizes)
    return min(high, space.width * OVERVIEW_SHARE / across) if across else 0.0


def _cut_operands(operation: Operation, options: FitOptions) -> list[Operand]:
    """The matrices that are also shown whole."""
    items = [item for item in operation.items if isinstance(item, Operand)]
    cut = [one for one in items if not one.title_left and {one.rows, one.columns} & options.cut]
    return cut[-1:] if options.result else cut


def _overview_size(operation: Operation, item: Operand, side: float) -> tuple[float, float]:
    """The size of a whole matrix whose longer side is given; a thin one is a strip."""
    rows, columns = operation.axes[item.rows].size, operation.axes[item.columns].size
    unit = side / max(rows, columns)
    return max(columns * unit, side * STRIP), max(rows * unit, side * STRIP)


def _with_overviews(
    operation: Operation, items: tuple[Item, ...], options: FitOptions
) -> tuple[Item, ...]:
    """Reserve the width for whole matrices left of the labels of those that are cut."""
    cut = _cut_operands(operation, options)
    return tuple(
        _with_overview(operation, item, box, options)
        if item in cut and isinstance(item, Operand) and isinstance(box, MatrixBox)
        else box
        for item, box in zip(operation.items, items, strict=True)
    )


def _with_overview(
    operation: Operation, item: Operand, box: MatrixBox, options: FitOptions
) -> MatrixBox:
    size = _overview_size(operation, item, options.overview)
    beyond = max(0.0, (box.title_width - TITLE_INSIDE) / 2 - box.labels_width)
    left = box.labels_width + size[0] + OVERVIEW_GAP + beyond
    return replace_struct(box, labels_width=left, overview=size)


def _label_width(axis: OperandAxis) -> float:
    if axis.tokens is None:
        return width_of(str(axis.size), font(BODY, bold=True))
    return _token_width(axis.tokens)


@lru_cache(maxsize=8)
def _token_width(tokens: tuple[str, ...]) -> float:
    """The width of the widest token.

    Of a very long text only its beginning and end are measured.
    """
    face = font(BODY, bold=True)
    return max(width_of(short(token), face) for token in (*tokens[:300], *tokens[-100:]))


def _space(rect: QRectF, longest: str, options: FitOptions) -> Space:
    """The space of a rectangle.

    The smallest cell holds the longest number at the size of a caption.
    """
    wide = width_of(longest, font(CAPTION)) * options.squeeze + options.padding
    largest = LARGEST_CELL[0] * growth_factor(rect), LARGEST_CELL[1] * growth_factor(rect)
    least = max(wide, LEAST_WIDTH), options.height
    return Space(
        rect.width(),
        rect.height(),
        least,
        largest,
        TITLE_LINE * options.text,
        LABEL_LINE * options.text,
    )


def longest_number(operand: Operand, state: State) -> str:
    """The text of the widest number of a matrix that may be shown.

    Of a very large one that of the end of its scale.
    """
    if operand.whole_numbers:
        return "−∞"
    if operand.values.size > LARGEST_SEARCHED:
        return show(-operand.levels.high, state.decimals)
    extent = None if state.shows_ahead else operand.shown
    parts = shown_parts(operand.values, extent, by_column=operand.by_column)
    return max((longest_text(part, state.decimals) for part in parts), key=len)


def growth_factor(rect: QRectF) -> float:
    """How much larger than usual cells and digits may be in a rectangle, from 1 on."""
    return min(
        max(min(rect.width() / ORDINARY_SIZE[0], rect.height() / ORDINARY_SIZE[1]), 1.0),
        LARGEST_GROWTH,
    )


def digit_size(
    longest: str, size: tuple[float, float], squeeze: float, most: float
) -> float | None:
    """The size of the digits of all matrices; None where the size of a caption does not fit."""
    at_100 = width_of(longest, font(100)) * squeeze
    part = DIGITS_LOW if size[1] < LEAST_HEIGHT else DIGITS * (0.8 if size[1] > 24 else 1.0)
    across = max(size[0] * DIGITS_ACROSS, min(size[0] - 4, at_100 * CAPTION / 100)) / at_100 * 100
    pixels = min(size[1] * part, across, most)
    return pixels if pixels >= CAPTION - 0.5 else None
