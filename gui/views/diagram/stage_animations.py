"""Which act belongs to which stage, with the numbers of the trace. At the grain of stages it shows a fair sample."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from msgspec import Struct

from core.base.arrays import Array
from core.explain.timeline import Reach
from core.stages import Stage
from core.stages.terms import Block, Span
from gui.painting.color_scale import Levels, stage_levels
from gui.session.state import State
from gui.views.diagram.shapes import Box, Layout, Rect


class Products(Struct, frozen=True, eq=False):
    """Rows and columns that meet: for some cells the products whose sum they are; `largest` is the largest of all."""

    cells: tuple[tuple[Rect, Array], ...]
    largest: float


class Sweep(Struct, frozen=True):
    """A line that passes over the card and leaves the result behind it: down for a mask, across for a division."""

    down: bool


class Ramp(Struct, frozen=True, eq=False):
    """What distance costs, one number ≤ 0 for each cell as it is drawn, sliding over the scores."""

    rect: Rect
    bias: Array
    steepest: float


class Bar(Struct, frozen=True):
    """A bar that stands in a cell; its height is a part (0 to 1) of the cell's."""

    cell: Rect
    height: float


class Bars(Struct, frozen=True):
    """Exponentials that grow, row by row, each against the largest of its row."""

    rows: tuple[tuple[Bar, ...], ...]


class Share(Struct, frozen=True):
    """A bar of a row that becomes its part of one; `part` is where it lies in the end. `meant`: it is asked for."""

    bar: Bar
    part: Rect
    meant: bool


class Shares(Struct, frozen=True):
    """Rows of exponentials squeezed into bars of length one: each bar's rectangle and the shares in it."""

    rows: tuple[tuple[Rect, tuple[Share, ...]], ...]


class BlendLayer(Struct, frozen=True, eq=False):
    """A row of V on its way to its layer in the result, as thick and as strong as its weight.

    `late` (0 to 1) says after how many of the other result rows it sets out.
    """

    start: Rect
    end: Rect
    values: Array
    weight: float
    late: float


class Blend(Struct, frozen=True, eq=False):
    """Rows of V blended in proportion to the weights."""

    strips: tuple[BlendLayer, ...]
    levels: Levels


class Dial(Struct, frozen=True):
    """A pair of neighbouring numbers as a hand that turns from one angle to another, in radians, anticlockwise."""

    rect: Rect
    start: float
    end: float
    length: float


class Turn(Struct, frozen=True):
    """Pairs turned by the position of their row."""

    dials: tuple[Dial, ...]


class Joined(Struct, frozen=True):
    """Blocks that stand side by side close up."""

    blocks: tuple[Rect, ...]


class Added(Struct, frozen=True):
    """One matrix laid upon another."""

    rect: Rect


Act = Products | Sweep | Ramp | Bars | Shares | Blend | Turn | Joined | Added

# More than so many dots, bars or dials at once explain nothing, and of strips that cross the picture still fewer; of
# larger blocks some rows are shown.
MOST_PARTS, MOST_STRIPS = 2400, 48
# Layers thinner than this are not seen.
THINNEST = 0.3
# Matrices with smaller cells than this move as a whole.
LEAST_CELL = 4.0


class ActContext(Struct, frozen=True, eq=False):
    """What an act is made from: the state that is reached, the picture, the stage and its new cells."""

    state: State
    where: Layout
    stage: Stage
    block: Block

    @property
    def box(self) -> Box:
        """The card of the result."""
        return self.where.box(self.stage.id)

    def read(self, place: int = 0) -> Array:
        """The array of a stage that is read, of the head in front."""
        return self.of(self.stage.reads[place])

    def of(self, stage_id: str) -> Array:
        """The array of a stage, of the head in front.  # (rows, columns)"""
        return self.state.trace.matrix(stage_id, self.state.cursor.head)

    def cell(self, row: int, column: int) -> Rect:
        """Where a cell of the result is drawn."""
        return self.box.part((row, row + 1), (column, column + 1))

    def rows(self, parts_of_one: int, most: int = MOST_PARTS) -> list[int]:
        """The new rows, or as many of them, evenly apart, as give no more than so many parts."""
        return sampled(self.block.rows, max(1, most // max(1, parts_of_one)))

    @property
    def columns(self) -> range:
        """The new columns."""
        return range(*self.block.columns)


def sampled(span: Span, most: int) -> list[int]:
    """At most so many numbers of a range, evenly apart, both ends among them."""
    first, last = span
    if last - first <= most:
        return list(range(first, last))
    return sorted({round(place) for place in np.linspace(first, last - 1, most)})


def act_of(scene: ActContext) -> Act | None:
    """The act of a step; None where nothing but the flights explains it, or where cells are too small to see."""
    how = scene.stage.kind.row_of(_ANIMATIONS)
    if how is None or min(scene.box.cell) < LEAST_CELL:
        return None
    return how(scene)


def _projected(scene: ActContext) -> Act | None:
    """A row of the source meets a column of W; the bias is one more summand."""
    document, head = scene.state.document, scene.state.cursor.head
    factors = {name[0]: document.tensor(name, head) for name in scene.stage.inputs}
    matrix, bias = factors.get("W"), factors.get("b")
    if matrix is None:
        return None
    source = scene.read()

    def terms(row: int, column: int) -> Array:
        products: Array = source[row] * matrix[:, column]
        return products if bias is None else np.append(products, bias[column])

    return _products(scene, terms, source.shape[1])


def _scored(scene: ActContext) -> Act:
    query, key = scene.read(0), scene.read(1)

    def terms(row: int, column: int) -> Array:
        products: Array = query[row] * key[column]
        return products

    return _products(scene, terms, query.shape[1])


def _products(scene: ActContext, terms: Callable[[int, int], Array], count: int) -> Products:
    columns = sampled(scene.block.columns, max(1, MOST_PARTS // count))
    cells = tuple(
        (scene.cell(row, column), terms(row, column))
        for row in scene.rows(count * len(columns))
        for column in columns
    )
    return Products(
        cells, max((float(np.abs(part).max()) for _, part in cells if part.size), default=0.0)
    )


def _divided(scene: ActContext) -> Act:
    return Sweep(down=False)


def _masked(scene: ActContext) -> Act:
    return Sweep(down=True)


def _biased(scene: ActContext) -> Act:
    rows, columns = slice(*scene.block.rows), slice(*scene.block.columns)
    bias = scene.of(scene.stage.id) - scene.read()
    steepest = float(np.abs(bias).max()) if bias.size else 0.0
    shown = scene.state.orientation.matrix(bias[rows, columns])
    return Ramp(scene.box.part(scene.block.rows, scene.block.columns), shown, steepest)


def _bars(scene: ActContext, stage_id: str, row: int, columns: range) -> tuple[Bar, ...]:
    """The exponentials of a row against its largest; what a mask forbids has no height."""
    values = scene.of(stage_id)[row]
    largest = float(values.max())
    heights = values / largest if largest > 0 else np.zeros_like(values)
    return tuple(Bar(scene.cell(row, column), float(heights[column])) for column in columns)


def _grown(scene: ActContext) -> Act | None:
    if scene.state.visible_until.reach is Reach.LEAD:
        return None
    return Bars(
        tuple(
            _bars(scene, scene.stage.id, row, scene.columns)
            for row in scene.rows(len(scene.columns))
        )
    )


def _normalised(scene: ActContext) -> Act:
    every = range(scene.box.columns)
    rows = scene.rows(len(every))
    if scene.state.visible_until.reach is Reach.LEAD:
        return Bars(tuple(_bars(scene, scene.stage.reads[0], row, every) for row in rows))
    return Shares(tuple((_lane(scene, row), _shares(scene, row)) for row in rows))


def _lane(scene: ActContext, row: int) -> Rect:
    """Where the bar of length one lies: along the row, slimmer than it."""
    line = scene.box.part((row, row + 1), (0, scene.box.columns))
    if scene.state.orientation.columns:
        return Rect(line.x + 0.2 * line.w, line.y, 0.6 * line.w, line.h)
    return Rect(line.x, line.y + 0.2 * line.h, line.w, 0.6 * line.h)


def _shares(scene: ActContext, row: int) -> tuple[Share, ...]:
    weights, source = scene.of(scene.stage.id)[row], scene.stage.reads[0]
    edges = np.concatenate([[0.0], np.cumsum(weights)])
    line = _lane(scene, row)
    upright = scene.state.orientation.columns
    return tuple(
        Share(bar, _layer(line, edges[column], edges[column + 1], upright), column in scene.columns)
        for column, bar in enumerate(_bars(scene, source, row, range(len(weights))))
    )


def _layer(rect: Rect, start: float, end: float, upright: bool) -> Rect:
    """The part of a rectangle between two fractions of its height, or of its width."""
    if upright:
        return Rect(rect.x, rect.y + start * rect.h, rect.w, (end - start) * rect.h)
    return Rect(rect.x + start * rect.w, rect.y, (end - start) * rect.w, rect.h)


def _blended(scene: ActContext) -> Act:
    values, weights = scene.read(1), scene.read(0)
    source, columns, turned = (
        scene.where.box(scene.stage.reads[1]),
        scene.block.columns,
        scene.state.orientation.columns,
    )
    rows, strips = scene.rows(weights.shape[1], MOST_STRIPS), []
    for order, row in enumerate(rows):
        target = scene.box.part((row, row + 1), columns)
        edges = np.concatenate([[0.0], np.cumsum(weights[row])])
        for key in np.flatnonzero(weights[row]).tolist():
            part = scene.state.orientation.matrix(values[key : key + 1, slice(*columns)])
            end = _layer(target, edges[key], edges[key + 1], not turned)
            if min(end.w, end.h) < THINNEST:
                continue
            start, weight = source.part((key, key + 1), columns), float(weights[row, key])
            strips.append(BlendLayer(start, end, part, weight, order / len(rows)))
    return Blend(tuple(strips), stage_levels(scene.state.trace, scene.stage.reads[1]))


def _turned(scene: ActContext) -> Act:
    before, after = scene.read(), scene.of(scene.stage.id)
    first, last = scene.block.columns[0] // 2 * 2, (scene.block.columns[1] + 1) // 2 * 2
    pairs = range(first, min(last, before.shape[1] - 1), 2)
    longest = max(
        (math.hypot(*before[row, p : p + 2]) for row in range(*scene.block.rows) for p in pairs),
        default=0.0,
    )
    return Turn(
        tuple(
            _dial(scene, before, after, (row, p), longest)
            for row in scene.rows(len(pairs))
            for p in pairs
        )
    )


def _dial(
    scene: ActContext, before: Array, after: Array, place: tuple[int, int], longest: float
) -> Dial:
    row, column = place
    start = math.atan2(before[row, column + 1], before[row, column])
    end = math.atan2(after[row, column + 1], after[row, column])
    turn = (end - start) % math.tau
    turn = 0.0 if math.tau - turn < 1e-9 else turn
    length = (
        math.hypot(before[row, column], before[row, column + 1]) / longest if longest > 0 else 0.0
    )
    return Dial(scene.box.part((row, row + 1), (column, column + 2)), start, start + turn, length)


def _joined(scene: ActContext) -> Act:
    document, box = scene.state.document, scene.box
    starts = range(0, document.h * document.v, document.v)
    return Joined(
        tuple(box.part(scene.block.rows, (start, start + document.v)) for start in starts)
    )


def _added(scene: ActContext) -> Act:
    return Added(scene.box.part(scene.block.rows, scene.block.columns))


# By the name of a kind, also for those that derive from it; other kinds have none.
_ANIMATIONS: dict[str, Callable[[ActContext], Act | None]] = {
    "add": _added,
    "project": _projected,
    "rotate": _turned,
    "dot_product": _scored,
    "scale": _divided,
    "bias": _biased,
    "mask": _masked,
    "exponential": _grown,
    "normalise": _normalised,
    "mix": _blended,
    "concatenate": _joined,
}
