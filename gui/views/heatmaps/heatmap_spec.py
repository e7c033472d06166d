"""The specification of a heatmap: panes, texts and marks.

And the line that reads the focused cell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from msgspec import Struct

from core.base.cell import Cell
from core.document.orientation import Orientation
from core.document.parts import is_stage, stage_axes
from core.explain.derivation import derive
from core.stages import Stage
from core.stages.terms import cells_of
from gui.painting.matrix import Frame
from gui.painting.theme import colours, role_colour
from gui.session.state import Extent, State
from gui.texts.translation import labelled, tr
from gui.views.heatmaps import wording
from gui.views.heatmaps.heatmap_data import HeatmapChoice, Pane, largest_change


class HeatmapSpec(Struct, frozen=True, eq=False):
    """Everything that a heatmap shows. Cells carry a head, and row and column as they are drawn.

    `rows` and `columns` are tokens or numbers, `captions` the names of the axes, `plain_captions`
    shorter ones. `titles` are titles of the panes, the longest first. `describe_cell` reads a cell.
    `source_frames` are frames of the selected head around what the focus is computed from, `pinned`
    pinned cells, `off` heads that are switched off. `lens_at` is the row and column that a lens
    shows; `stretched` cells are not square. Only `extent` is shown, in columns if `by_column`, and
    pinned cells if `shows_pins`.
    """

    panes: tuple[Pane, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    captions: tuple[str, str]
    plain_captions: tuple[str, str]
    titles: tuple[tuple[str, ...], ...]
    describe_cell: Callable[[Cell], str]
    decimals: int
    shade: str
    head: int
    focus: Cell | None = None
    bold_row: int | None = None
    bold_column: int | None = None
    source_frames: tuple[Frame, ...] = ()
    pinned: frozenset[Cell] = frozenset()
    off: frozenset[int] = frozenset()
    lens_at: tuple[int, int] = (0, 0)
    stretched: bool = False
    extent: Extent | None = None
    by_column: bool = False
    shows_pins: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of every pane."""
        return self.panes[0].shape

    def is_hidden(self, row: int, column: int, head: int) -> bool:
        """Whether a cell is not to be shown yet."""
        if self.extent is None:
            return False
        line, place = (column, row) if self.by_column else (row, column)
        if line < self.extent[0] or (line == self.extent[0] and place < self.extent[1]):
            return False
        return not (self.shows_pins and self._is_pinned(row, column, head))

    def _is_pinned(self, row: int, column: int, head: int) -> bool:
        return any(
            (cell.row, cell.column, cell.head) == (row, column, head) for cell in self.pinned
        )

    @property
    def has_several_heads(self) -> bool:
        """Whether there are panes of several heads."""
        return len(self.panes) > 1


def make_heatmap_spec(state: State, choice: HeatmapChoice, panes: tuple[Pane, ...]) -> HeatmapSpec:
    """Add texts and marks to panes."""
    stage, document = choice.stage, state.document
    orientation = state.orientation
    focus = orientation.cell(state.focus) if state.focus.tensor == stage.id else None
    bold_row, bold_column = _bold(state, stage, focus)
    features = tuple(str(number + 1) for number in range(state.trace[stage.id].shape[-1]))
    tokens = (wording.axis_tokens(document.labels(axis) or features) for axis in stage.axes[-2:])
    rows, columns = orientation.pair(*tokens)
    off = {index for index, head in enumerate(document.scope(stage.id).heads) if not head.enabled}
    return HeatmapSpec(
        panes=panes,
        rows=rows,
        columns=columns,
        captions=wording.axes(stage, orientation),
        plain_captions=_plain_captions(stage, orientation),
        titles=_titles(state, stage, [pane.head for pane in panes]),
        describe_cell=partial(_cell_text, state, stage, choice.compared is not None),
        decimals=state.decimals,
        shade=state.shade,
        head=state.cursor.head if stage.headwise else 0,
        focus=focus,
        bold_row=bold_row,
        bold_column=bold_column,
        source_frames=() if choice.compared is not None else source_frames(state, stage.id),
        pinned=frozenset(
            orientation.cell(pin.cell) for pin in document.pins if pin.stage == stage.id
        ),
        off=frozenset(off) if stage.headwise else frozenset(),
        lens_at=_lens_at(panes[0], focus, bold_row, hides=choice.extent is not None),
        stretched=state.preferences.heatmap_stretched,
        extent=choice.extent,
        by_column=orientation.columns,
        shows_pins=not state.hides_ahead,
    )


def _lens_at(pane: Pane, focus: Cell | None, row: int | None, *, hides: bool) -> tuple[int, int]:
    """The focused cell; if it is in another stage, the largest of its row, unless some are hidden."""
    if focus is not None:
        return focus.row, focus.column
    row = row or 0
    return row, 0 if hides else int(pane.values[row].argmax())


def _plain_captions(stage: Stage, orientation: Orientation) -> tuple[str, str]:
    with labelled("one"):
        return wording.axes(stage, orientation)


def _titles(state: State, stage: Stage, heads: list[int]) -> tuple[tuple[str, ...], ...]:
    """The titles of the panes: in both languages, in one, without stage names."""
    labels = state.preferences.labels
    full = _titled(labels, state, stage, heads)
    plain = full if labels == "one" else _titled("one", state, stage, heads)
    with labelled("one"):
        return full, plain, tuple(wording.short_title(state, stage, head) for head in heads)


def _titled(labels: str, state: State, stage: Stage, heads: list[int]) -> tuple[str, ...]:
    with labelled(labels):
        return tuple(wording.title(state, stage, head, len(heads) > 1) for head in heads)


def _bold(state: State, stage: Stage, focus: Cell | None) -> tuple[int | None, int | None]:
    """The row and column with bold tokens: those of the focus, here or in another stage."""
    if focus is not None:
        return focus.row, focus.column
    axis = state.document.letters(
        (stage_axes(state.focus.tensor) if is_stage(state.focus.tensor) else ("", ""))[-2:-1]
    )[0]
    own = state.document.letters(stage.axes[-2:])
    if axis not in ("n", "m") or axis not in own:
        return None, None
    at = state.focus.row
    return state.orientation.pair(*((at, None) if own[0] == axis else (None, at)))


def source_frames(state: State, stage_id: str) -> tuple[Frame, ...]:
    """A frame around the cells from which the focused cell of another stage is computed."""
    focus, trace = state.focus, state.trace
    if focus.tensor not in trace.plan or stage_id not in trace.plan[focus.tensor].reads:
        return ()
    step = derive(state.document, trace, focus)
    places = [(cell.row, cell.column) for cell in cells_of(step.terms, stage_id)]
    if not places:
        return ()
    rows, columns = zip(*places, strict=True)
    colour = role_colour(colours(state.shade), stage_id).name()
    spans = state.orientation.pair((min(rows), max(rows) + 1), (min(columns), max(columns) + 1))
    return (Frame(*spans, colour),)


def reading_line(state: State, choice: HeatmapChoice, pane: Pane) -> str:
    """The focused cell in words, in a difference after the largest change."""
    difference = choice.compared is not None
    line = tr("Click a cell to read it.")
    if state.focus.tensor == choice.stage.id:
        line = _cell_text(state, choice.stage, difference, state.orientation.cell(state.focus))
    if not difference or choice.extent is not None:
        return line
    where = largest_change(pane)
    change = 0.0 if where is None else float(pane.values[where.row, where.column])
    cell = None if where is None else state.orientation.cell(where)
    mask_changed = pane.half_masked is not None and bool(pane.half_masked.any())
    return f"{wording.largest_change_text(state, choice.stage, cell, change, mask_changed)}\n{line}"


def _cell_text(state: State, stage: Stage, difference: bool, cell: Cell) -> str:
    """A cell in words; in a difference with both values."""
    cell = replace(state.orientation.cell(cell), tensor=stage.id)
    if difference and state.compared is not None:
        return wording.comparison(state, state.compared, stage, cell)
    return wording.cell_reading(state, stage, cell)
