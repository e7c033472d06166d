"""What the heatmaps show: stage and heads, numbers, colour scale and masked cells. Free of widgets.

`choose_heatmap` is cheap and says what is wanted; `make_panes` passes over the arrays, and is
called again only when the choice or an array has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from os import cpu_count
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from core.arithmetic.blockwise import BLOCK_CELLS, THREADED_CELLS
from core.base.arrays import Array, BoolArray
from core.base.cell import Cell
from core.compute.trace import Trace
from core.document.orientation import ROWS, Orientation
from core.stages import Stage, masked_scores
from gui.painting.color_scale import Levels, ramp_positions, stage_levels
from gui.painting.matrix_spec import shown_parts
from gui.session.reached import stage_levels_reached
from gui.session.state import Extent, State

T = TypeVar("T")
D = TypeVar("D", np.float64, np.bool_)
R = TypeVar("R")


def map_threaded(function: Callable[[T], R], items: Sequence[T], cells: int) -> list[R]:
    """Call a function, free of Qt, for each item; in threads if they have many cells in all."""
    if len(items) < 2 or cells < THREADED_CELLS:
        return [function(item) for item in items]
    with ThreadPoolExecutor(max_workers=cpu_count()) as pool:
        return list(pool.map(function, items))


ONE, HEADS, DIFFERENCE = "one", "heads", "difference"
OWN, SAME_HEADS, SAME_STAGES = "stage", "heads", "weights"

# Colour indices after the 511 of the ramp: masked, masked in one of two runs.
MASKED, HALF_MASKED, COLOR_COUNT = 511, 512, 513


@dataclass(frozen=True, slots=True, eq=False)
class HeatmapChoice:
    """What preferences and cursor ask for.

    `missing` is why a difference cannot be shown: "", "run", "stage" or "shape".

    `compared` is the array of the pinned run. `extent` is how much may be shown so far, None for
    all; `reached` is then the scale of that, which does not give the rest away.
    """

    view: str
    stage: Stage
    heads: tuple[int, ...]
    array: Array
    mask: Array | None
    compared: Array | None
    compared_mask: Array | None
    levels: str
    others: tuple[Array, ...]
    missing: str = ""
    reached: Levels | None = None
    extent: Extent | None = None
    orientation: Orientation = ROWS

    def has_same_panes(self, other: HeatmapChoice) -> bool:
        """Whether the panes of another choice would be the same."""
        return all(
            _same(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
            if field.name != "extent" or self.compared is not None
        )


def _same(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return a is b
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    return a == b


@dataclass(frozen=True, slots=True, eq=False)
class Pane:
    """One matrix as it is drawn: numbers, scale and masked cells, of a difference in both runs or
    one.
    """

    head: int
    values: Array
    levels: Levels
    masked: BoolArray | None = None
    half_masked: BoolArray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.values.shape[0]), int(self.values.shape[1])

    def color_indices(self) -> npt.NDArray[np.uint16]:
        """The colour index of each cell, special ones included.  # -> (rows, columns)"""
        result = ramp_positions(self.values, self.levels)
        if self.masked is not None:
            result[self.masked] = MASKED
        if self.half_masked is not None:
            result[self.half_masked] = HALF_MASKED
        return result

    @property
    def is_difference(self) -> bool:
        """Whether the numbers are changes."""
        return self.half_masked is not None

    def is_masked(self, row: int, column: int) -> bool:
        """Whether a cell is masked (in a difference: in both runs)."""
        return self.masked is not None and bool(self.masked[row, column])

    def is_half_masked(self, row: int, column: int) -> bool:
        """Whether a cell is masked in one of two runs only."""
        return self.half_masked is not None and bool(self.half_masked[row, column])

    def is_uncoloured(self, row: int, column: int) -> bool:
        """Whether a cell is masked and has no colour of the scale."""
        return self.is_masked(row, column) or self.is_half_masked(row, column)


def shown_stage(state: State) -> str:
    """The stage chosen by the user, or the nearest in the plan, or the current one."""
    wanted = state.preferences.heatmap_stage
    return state.trace.plan.nearest(wanted) if wanted else state.cursor.stage


def choose_heatmap(state: State) -> HeatmapChoice:
    """The choice that preferences and cursor ask for."""
    preferences, trace = state.preferences, state.trace
    stage = trace.plan[shown_stage(state)]
    grid = preferences.heatmap_view == HEADS and stage.headwise
    count = state.document.scope(stage.id).h if stage.headwise else 1  # layers may differ in it
    heads = tuple(range(count)) if grid else (min(state.cursor.head, count - 1),)
    then, mask_then, missing = None, None, ""
    if preferences.heatmap_view == DIFFERENCE:
        missing = _missing(trace, state.compared, stage.id)
        if state.compared is not None and not missing:
            then, mask_then = state.compared[stage.id], _mask(state.compared, stage)
    others = tuple(trace.arrays.values()) if preferences.heatmap_levels == SAME_STAGES else ()
    rows, columns = trace[stage.id].shape[-2:]
    return HeatmapChoice(
        preferences.heatmap_view,
        stage,
        heads,
        trace[stage.id],
        _mask(trace, stage),
        then,
        mask_then,
        preferences.heatmap_levels,
        others,
        missing,
        None if then is not None else _reached_scale(state, stage, heads),
        state.reached_extent(stage.id, (rows, columns)),
        state.orientation,
    )


def _reached_scale(state: State, stage: Stage, heads: tuple[int, ...]) -> Levels | None:
    """The chosen scale of the numbers that are reached; None where all are shown."""
    if state.shows_ahead:
        return None
    common, wanted = stage_levels_reached(state, stage.id), state.preferences.heatmap_levels
    if wanted == SAME_STAGES:
        levels = [stage_levels_reached(state, other.id) for other in state.trace.plan]
        high = max(one.high for one in levels if one.sequential == common.sequential)
        return Levels(0.0 if common.sequential else -high, high)
    if wanted == OWN:
        array = state.trace[stage.id]
        own = _matrix(array, heads[0]) if len(heads) == 1 else array
        extent = state.reached_extent(stage.id, own.shape[-2:])
        high = max(map(_largest, shown_parts(own, extent)))
        return Levels(0.0 if common.sequential else -high, high)
    return common


def _missing(now: Trace, then: Trace | None, stage_id: str) -> str:
    if then is None:
        return "run"
    if stage_id not in then:
        return "stage"
    return "" if then[stage_id].shape == now[stage_id].shape else "shape"


def _mask(trace: Trace, stage: Stage) -> Array | None:
    """The array whose −∞ say what is masked, for stages that a mask has an effect on."""
    return masked_scores(trace, stage.id)


def make_panes(choice: HeatmapChoice, trace: Trace) -> tuple[Pane, ...]:
    """The matrices to draw, one for each head wanted."""
    if choice.missing:
        return ()
    if choice.view == DIFFERENCE:
        panes: tuple[Pane, ...] = (_difference(choice, choice.heads[0]),)
    else:
        panes = _panes(choice, trace)
    return tuple(_oriented(choice.orientation, pane) for pane in panes)


def _oriented(orientation: Orientation, pane: Pane) -> Pane:
    """A pane transposed where tokens are columns."""
    if not orientation.columns:
        return pane
    flags = (
        None if flag is None else orientation.matrix(flag)
        for flag in (pane.masked, pane.half_masked)
    )
    return Pane(pane.head, orientation.matrix(pane.values), pane.levels, *flags)


def _panes(choice: HeatmapChoice, trace: Trace) -> tuple[Pane, ...]:
    levels = scale(choice, trace)

    def pane(head: int) -> Pane:
        values = _matrix(choice.array, head)
        masked = None
        if choice.mask is not None:
            masked = _masked_cells(values, _matrix(choice.mask, head))
        return Pane(head, values, levels, masked)

    return tuple(map_threaded(pane, choice.heads, choice.array.size))


def _matrix(array: npt.NDArray[D], head: int) -> npt.NDArray[D]:
    return array[head] if array.ndim == 3 else array


def _masked_cells(values: Array, scores: Array) -> BoolArray:
    """Cells whose score is −∞ and whose value is 0 or −∞.

    A pinned value on a masked cell is a number like others.
    """
    masked = np.empty(values.shape, dtype=np.bool_)
    rows = max(1, BLOCK_CELLS // max(1, values.shape[1]))
    for start in range(0, len(values), rows):  # block by block, for the processor's cache
        part = slice(start, start + rows)
        empty = values[part] == 0
        empty |= values[part] == -np.inf
        np.logical_and(empty, scores[part] == -np.inf, out=masked[part])
    return masked


def scale(choice: HeatmapChoice, trace: Trace) -> Levels:
    """The ends of the colour scale that the user chose."""
    if choice.reached is not None:
        return choice.reached
    common = stage_levels(trace, choice.stage.id)
    if choice.levels == SAME_STAGES:
        levels = [stage_levels(trace, stage.id) for stage in trace.plan]
        high = max(one.high for one in levels if one.sequential == common.sequential)
    elif choice.levels == OWN:
        alone = len(choice.heads) == 1
        high = _largest(_matrix(choice.array, choice.heads[0]) if alone else choice.array)
    else:
        return common
    return Levels(0.0 if common.sequential else -high, high)


def _largest(array: Array) -> float:
    """The largest finite magnitude; 1 where there is none."""
    finite = np.abs(array[np.isfinite(array)])
    high = float(finite.max()) if finite.size else 0.0
    return high if high > 0 else 1.0


def _difference(choice: HeatmapChoice, head: int) -> Pane:
    assert choice.compared is not None
    change, both, half = _subtract(choice.array, choice.compared)
    shown = shown_parts(_matrix(change, head) if choice.levels == OWN else change, choice.extent)
    high = max(map(_largest, shown))
    masked = _matrix(both, head)
    if choice.mask is not None and choice.compared_mask is not None:
        now, then = _matrix(choice.array, head), _matrix(choice.compared, head)
        masked = masked | (
            _masked_cells(now, _matrix(choice.mask, head))
            & _masked_cells(then, _matrix(choice.compared_mask, head))
        )
    return Pane(head, _matrix(change, head), Levels(-high, high), masked, _matrix(half, head))


def _subtract(now: Array, then: Array) -> tuple[Array, BoolArray, BoolArray]:
    """now − then with 0 where both are masked and ±∞ where one is; then both, then one of them."""
    closed_now, closed_then = np.isneginf(now), np.isneginf(then)
    both, half = closed_now & closed_then, closed_now ^ closed_then
    with np.errstate(invalid="ignore", over="ignore"):
        change = np.where(both, 0.0, now - then)
    return change, both, half


def largest_change(pane: Pane) -> Cell | None:
    """The cell of a difference that changed most; None where nothing changed."""
    finite = np.where(np.isfinite(pane.values), np.abs(pane.values), 0.0)
    place = int(finite.argmax())
    row, column = divmod(place, finite.shape[1])
    return Cell("", row, column, pane.head) if finite[row, column] > 0 else None
