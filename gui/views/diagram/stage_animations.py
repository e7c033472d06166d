"""Animation of each stage with the numbers of the trace. Whole stages show a sample of rows."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from msgspec import Struct

from core.base.arrays import Array
from core.explain.timeline import Reach
from core.stages import Stage
from core.stages.terms import Block, Span
from gui.painting.color_scale import Levels
from gui.session.reached import stage_levels_reached
from gui.session.state import State
from gui.views.diagram.shapes import CardBox, DiagramLayout, Rect


class Products(Struct, frozen=True, eq=False):
    """Products of rows and columns for some cells; `largest` is the largest magnitude of all."""

    cells: tuple[tuple[Rect, Array], ...]
    largest: float


class Sweep(Struct, frozen=True):
    """Line that reveals the result: moves down for a mask, across for a division."""

    down: bool


class Ramp(Struct, frozen=True, eq=False):
    """Cost of distance, one number ≤ 0 for each drawn cell, that moves over the scores."""

    rect: Rect
    bias: Array
    steepest: float


class Bar(Struct, frozen=True):
    """Bar in a cell; its height is a fraction (0 to 1) of the cell's."""

    cell: Rect
    height: float


class Bars(Struct, frozen=True):
    """Exponentials that grow row by row, relative to the largest of each row."""

    rows: tuple[tuple[Bar, ...], ...]


class Share(Struct, frozen=True):
    """Bar of a row that becomes a part of one whole; `part` is its final rectangle.

    `focused` marks the focused cell.
    """

    bar: Bar
    part: Rect
    focused: bool


class Shares(Struct, frozen=True):
    """Rows of exponentials compressed to bars of length 1: the bars and their shares."""

    rows: tuple[tuple[Rect, tuple[Share, ...]], ...]


class BlendLayer(Struct, frozen=True, eq=False):
    """Row of V that moves to its layer in the result; thickness and opacity follow its weight.

    `delay` (0 to 1) starts it after the other result rows.
    """

    start: Rect
    end: Rect
    values: Array
    weight: float
    delay: float


class Blend(Struct, frozen=True, eq=False):
    """Rows of V blended in proportion to the weights."""

    strips: tuple[BlendLayer, ...]
    levels: Levels


class Dial(Struct, frozen=True):
    """Pair of numbers as a hand that turns between two angles in radians, anticlockwise."""

    rect: Rect
    start: float
    end: float
    length: float


class Turn(Struct, frozen=True):
    """Pairs rotated by the position of their row."""

    dials: tuple[Dial, ...]


class Joined(Struct, frozen=True):
    """Adjacent blocks that close up."""

    blocks: tuple[Rect, ...]


class Added(Struct, frozen=True):
    """One matrix added onto another."""

    rect: Rect


Animation = Products | Sweep | Ramp | Bars | Shares | Blend | Turn | Joined | Added

# Maximum of dots, bars or dials at once, and of strips across the picture; larger blocks show a
# sample of rows.
MOST_PARTS, MOST_STRIPS = 2400, 48
# Minimum thickness of layers.
THINNEST = 0.3
# Matrices with smaller cells move as a whole.
LEAST_CELL = 4.0


class AnimationContext(Struct, frozen=True, eq=False):
    """Input of an animation: the new state, the layout, the stage and its new cells."""

    state: State
    layout: DiagramLayout
    stage: Stage
    block: Block

    @property
    def box(self) -> CardBox:
        """Card of the result."""
        return self.layout.box(self.stage.id)

    def read(self, place: int = 0) -> Array:
        """Return the array of a source stage, for the head in front."""
        return self.of(self.stage.reads[place])

    def of(self, stage_id: str) -> Array:
        """Return the array of a stage, for the head in front, of shape (rows, columns)."""
        return self.state.trace.matrix(stage_id, self.state.cursor.head)

    def cell(self, row: int, column: int) -> Rect:
        """Return the rectangle of a cell of the result."""
        return self.box.block_rect((row, row + 1), (column, column + 1))

    def rows(self, parts_of_one: int, most: int = MOST_PARTS) -> list[int]:
        """Return the new rows, or an even sample with at most `most` parts in all."""
        return sampled(self.block.rows, max(1, most // max(1, parts_of_one)))

    @property
    def columns(self) -> range:
        """Return the new columns."""
        return range(*self.block.columns)


def sampled(span: Span, most: int) -> list[int]:
    """Sample at most `most` numbers of a range evenly, including both ends."""
    first, last = span
    if last - first <= most:
        return list(range(first, last))
    return sorted({round(place) for place in np.linspace(first, last - 1, most)})


def animation_of(scene: AnimationContext) -> Animation | None:
    """Return the animation of a step; None if the stage has none or cells are too small."""
    animate = scene.stage.kind.row_of(_ANIMATIONS)
    if animate is None or min(scene.box.cell_size) < LEAST_CELL:
        return None
    return animate(scene)


def _projected(scene: AnimationContext) -> Animation | None:
    """Animate the products of a source row and a column of W; the bias is one more summand."""
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


def _scored(scene: AnimationContext) -> Animation:
    query, key = scene.read(0), scene.read(1)

    def terms(row: int, column: int) -> Array:
        products: Array = query[row] * key[column]
        return products

    return _products(scene, terms, query.shape[1])


def _products(scene: AnimationContext, terms: Callable[[int, int], Array], count: int) -> Products:
    columns = sampled(scene.block.columns, max(1, MOST_PARTS // count))
    cells = tuple(
        (scene.cell(row, column), terms(row, column))
        for row in scene.rows(count * len(columns))
        for column in columns
    )
    return Products(
        cells, max((float(np.abs(part).max()) for _, part in cells if part.size), default=0.0)
    )


def _biased(scene: AnimationContext) -> Animation:
    rows, columns = slice(*scene.block.rows), slice(*scene.block.columns)
    bias = scene.of(scene.stage.id) - scene.read()
    steepest = float(np.abs(bias).max()) if bias.size else 0.0
    shown = scene.state.orientation.matrix(bias[rows, columns])
    return Ramp(scene.box.block_rect(scene.block.rows, scene.block.columns), shown, steepest)


def _bars(scene: AnimationContext, stage_id: str, row: int, columns: range) -> tuple[Bar, ...]:
    """Return a row's exponentials relative to its largest; masked ones have height 0."""
    values = scene.of(stage_id)[row]
    largest = float(values.max())
    heights = values / largest if largest > 0 else np.zeros_like(values)
    return tuple(Bar(scene.cell(row, column), float(heights[column])) for column in columns)


def _grown(scene: AnimationContext) -> Animation | None:
    if scene.state.visible_until.reach is Reach.LEAD:
        return None
    return Bars(
        tuple(
            _bars(scene, scene.stage.id, row, scene.columns)
            for row in scene.rows(len(scene.columns))
        )
    )


def _normalised(scene: AnimationContext) -> Animation:
    every = range(scene.box.columns)
    rows = scene.rows(len(every))
    if scene.state.visible_until.reach is Reach.LEAD:
        return Bars(tuple(_bars(scene, scene.stage.reads[0], row, every) for row in rows))
    return Shares(tuple((_lane(scene, row), _shares(scene, row)) for row in rows))


def _lane(scene: AnimationContext, row: int) -> Rect:
    """Return the rectangle of the bar of length 1: along the row, thinner than it."""
    line = scene.box.block_rect((row, row + 1), (0, scene.box.columns))
    if scene.state.orientation.columns:
        return Rect(line.x + 0.2 * line.w, line.y, 0.6 * line.w, line.h)
    return Rect(line.x, line.y + 0.2 * line.h, line.w, 0.6 * line.h)


def _shares(scene: AnimationContext, row: int) -> tuple[Share, ...]:
    weights, source = scene.of(scene.stage.id)[row], scene.stage.reads[0]
    edges = np.concatenate([[0.0], np.cumsum(weights)])
    line = _lane(scene, row)
    upright = scene.state.orientation.columns
    return tuple(
        Share(bar, _layer(line, edges[column], edges[column + 1], upright), column in scene.columns)
        for column, bar in enumerate(_bars(scene, source, row, range(len(weights))))
    )


def _layer(rect: Rect, start: float, end: float, upright: bool) -> Rect:
    """Return the part of a rectangle between two fractions of its height, or of its width."""
    if upright:
        return Rect(rect.x, rect.y + start * rect.h, rect.w, (end - start) * rect.h)
    return Rect(rect.x + start * rect.w, rect.y, (end - start) * rect.w, rect.h)


def _blended(scene: AnimationContext) -> Animation:
    values, weights = scene.read(1), scene.read(0)
    source, columns, turned = (
        scene.layout.box(scene.stage.reads[1]),
        scene.block.columns,
        scene.state.orientation.columns,
    )
    rows, strips = scene.rows(weights.shape[1], MOST_STRIPS), []
    for order, row in enumerate(rows):
        target = scene.box.block_rect((row, row + 1), columns)
        edges = np.concatenate([[0.0], np.cumsum(weights[row])])
        for key in np.flatnonzero(weights[row]).tolist():
            part = scene.state.orientation.matrix(values[key : key + 1, slice(*columns)])
            end = _layer(target, edges[key], edges[key + 1], not turned)
            if min(end.w, end.h) < THINNEST:
                continue
            start, weight = source.block_rect((key, key + 1), columns), float(weights[row, key])
            strips.append(BlendLayer(start, end, part, weight, order / len(rows)))
    return Blend(tuple(strips), stage_levels_reached(scene.state, scene.stage.reads[1]))


def _turned(scene: AnimationContext) -> Animation:
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
    scene: AnimationContext, before: Array, after: Array, place: tuple[int, int], longest: float
) -> Dial:
    row, column = place
    start = math.atan2(before[row, column + 1], before[row, column])
    end = math.atan2(after[row, column + 1], after[row, column])
    turn = (end - start) % math.tau
    turn = 0.0 if math.tau - turn < 1e-9 else turn
    length = (
        math.hypot(before[row, column], before[row, column + 1]) / longest if longest > 0 else 0.0
    )
    return Dial(
        scene.box.block_rect((row, row + 1), (column, column + 2)), start, start + turn, length
    )


def _joined(scene: AnimationContext) -> Animation:
    document, box = scene.state.document.scope(scene.stage.id), scene.box
    starts = range(0, document.h * document.v, document.v)
    return Joined(
        tuple(box.block_rect(scene.block.rows, (start, start + document.v)) for start in starts)
    )


def _added(scene: AnimationContext) -> Animation:
    return Added(scene.box.block_rect(scene.block.rows, scene.block.columns))


# By kind name, including derived kinds; other kinds have no animation.
_ANIMATIONS: dict[str, Callable[[AnimationContext], Animation | None]] = {
    "add": _added,
    "project": _projected,
    "rotate": _turned,
    "dot_product": _scored,
    "scale": lambda _: Sweep(down=False),
    "bias": _biased,
    "mask": lambda _: Sweep(down=True),
    "exponential": _grown,
    "normalise": _normalised,
    "mix": _blended,
    "concatenate": _joined,
}
