"""Tables of tensors and stages with their labels. Free of Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.base.arrays import Array
from core.base.cell import Cell
from core.base.number_format import MINUS, show
from core.compute.trace import Trace
from core.document.document import HEAD_TENSORS, Document
from core.document.edits import allowed
from core.document.orientation import Orientation
from core.document.parts import is_headwise, is_of_head, layer_id
from core.explain.derivation import derive_lead
from core.stages import Stage
from core.stages.mask import MASKED
from gui.export.worksheets.blocks import MatrixTable
from gui.texts.names import axes_of, head_name, header, symbol, symbol_here
from gui.texts.translation import tr

SHORTEST = 4  # decimals that given numbers keep at least: they are worked with, not looked at
MOST_WRITTEN = 26  # rows and columns of a coloured table in which digits can be read; beyond it there are colours alone

Fill = Callable[[int, int], str]


def given_number(value: float, decimals: int) -> str:
    """A given number without trailing zeros, with at least four decimals of precision."""
    text = show(value, max(SHORTEST, decimals + 2))
    return text.rstrip("0").rstrip(".") if "." in text and "×" not in text else text


@dataclass(frozen=True, slots=True)
class TableBuilder:
    """Makes the tables of an experiment in display orientation, rounded to `decimals`."""

    document: Document
    trace: Trace
    decimals: int
    orientation: Orientation

    def given(self, asked: Sequence[Stage]) -> tuple[MatrixTable, ...]:
        """All that the asked stages read: entered tensors head by head, the mask as added to the
        scores, and computed stages that are not asked.
        """
        document = self.document
        read = {name for stage in asked for name in (*stage.reads, *stage.inputs)}
        places = [(name, 0) for name in ("X", "P", "X_context", "P_context")]
        places += [(name, head) for head in range(document.h) for name in HEAD_TENSORS]
        places += [("W_O", 0), ("b_O", 0)]
        if document.is_stack:
            names = document.inputs
            places = [(name, head) for name in names for head in self._heads_of(name)]
        known = document.inputs
        tables = [
            self._entered(*place) for place in places if place[0] in known and place[0] in read
        ]
        if any(stage.spec is MASKED for stage in asked):
            tables.append(self._mask())
        for stage in self._computed(asked):
            tables += [self._result(stage, head) for head in self.heads(stage)]
        return tuple(table for table in tables if table is not None)

    def _computed(self, asked: Sequence[Stage]) -> list[Stage]:
        """The computed stages that asked ones read and that are not asked themselves."""
        read = {name for stage in asked for name in stage.reads}
        ids = {stage.id for stage in asked}
        return [
            stage
            for stage in self.trace.plan
            if stage.id in read and stage.id not in ids and not stage.entered
        ]

    def weight_tables(self) -> tuple[MatrixTable, ...]:
        """Entered tensors that are no stage, such as weights and biases, as coloured tables."""
        stages = {name for stage in self.trace.plan if stage.entered for name in stage.inputs}
        tables = (
            self._entered(name, head, coloured=True)
            for name in self.document.inputs
            if name not in stages
            for head in self._heads_of(name)
        )
        return tuple(table for table in tables if table is not None)

    def is_rounded(self, asked: Sequence[Stage]) -> bool:
        """Whether a given number is printed with fewer digits than it has."""
        most, document = max(SHORTEST, self.decimals + 2), self.document
        arrays = [
            document.tensor(name, head) for name in document.inputs for head in self._heads_of(name)
        ]
        arrays += [self.trace[stage.id] for stage in self._computed(asked)]
        return any(
            array is not None and bool((np.round(array, most) != array).any()) for array in arrays
        )

    def blank(self, stage: Stage, head: int) -> MatrixTable:
        """A stage to fill in; pinned values are printed."""
        pins = {pin.cell: pin.value for pin in self.document.pins}

        def fill(i: int, j: int) -> str:
            value = pins.get(Cell(stage.id, i, j, head if stage.headwise else 0))
            return "" if value is None else given_number(value, self.decimals)

        table = self._stage(stage, head, fill, "blank")
        return _with_tail(table, stage, ("",) * len(table.rows)).oriented(self.orientation)

    def key(self, stage: Stage, head: int) -> MatrixTable:
        """A stage with all its numbers."""
        table = self._stage(stage, head, self._shown(self.trace.matrix(stage.id, head)), "key")
        if stage.lead:
            rows = range(len(table.rows))
            leads = (
                derive_lead(self.document, self.trace, stage.id, row, head).value for row in rows
            )
            table = _with_tail(table, stage, tuple(show(value, self.decimals) for value in leads))
        return table.oriented(self.orientation)

    def colour(self, stage: Stage, head: int, focus: tuple[int, int] | None) -> MatrixTable:
        """A stage as a coloured table with one marked cell; without digits if it is too large."""
        values = self.trace.matrix(stage.id, head)
        table = self._stage(stage, head, self._written(values), "colour")
        return replace(
            table, stage=stage.id, values=values, scale_values=self.trace[stage.id], focus=focus
        ).oriented(self.orientation)

    def head_detail(self, name: str, head: int) -> str:
        """The name of a head of a stage or entered tensor, "" if there is only one."""
        heads = self.document.scope(name).heads
        return head_name(head, heads[head].name) if len(heads) > 1 else ""

    def shape(self, stage: Stage) -> str:
        """The size of a stage, such as 3 × 2, or 2 × (3 × 2) for two heads."""
        *heads, rows, columns = self.document.stage_shape(stage.id)
        inner = " × ".join(map(str, self.orientation.pair(rows, columns)))
        return f"{heads[0]} × ({inner})" if heads and heads[0] > 1 else inner

    def heads(self, stage: Stage) -> range:
        """The heads of a stage."""
        return self._heads_of(stage.id)

    def _heads_of(self, name: str) -> range:
        """The heads of a stage or of an entered tensor."""
        headwise = is_headwise(name) or is_of_head(name)
        return range(self.document.scope(name).h if headwise else 1)

    def _entered(self, name: str, head: int, *, coloured: bool = False) -> MatrixTable | None:
        """An entered tensor, a vector as one row; None if the head does not have it."""
        tensor = self.document.tensor(name, head)
        if tensor is None:
            return None
        values = tensor if tensor.ndim == 2 else tensor[None, :]
        detail = self.head_detail(name, head) if is_of_head(name) else ""
        title = symbol(name, self.document, self.orientation)
        if coloured:
            table = self._table(name, values, self._written(values), title, detail, "colour")
            table = replace(table, stage=name, values=values, scale_values=values)
        else:
            table = self._table(name, values, self._short(values), title, detail)
        return table.oriented(self.orientation)

    def _result(self, stage: Stage, head: int) -> MatrixTable:
        """A computed stage as a given table."""
        values = self.trace.matrix(stage.id, head)
        return self._stage(stage, head, self._short(values), "given").oriented(self.orientation)

    def _short(self, values: Array) -> Fill:
        return lambda i, j: given_number(float(values[i, j]), self.decimals)

    def _mask(self) -> MatrixTable:
        allow = allowed(self.document)
        nothing = np.zeros(allow.shape)
        return self._table(
            "masked", nothing, lambda i, j: "0" if allow[i, j] else MINUS + "∞", "M", ""
        ).oriented(self.orientation)

    def _stage(self, stage: Stage, head: int, fill: Fill | None, kind: str) -> MatrixTable:
        detail = self.head_detail(stage.id, head) if stage.headwise else ""
        name = layer_id(stage.layer, symbol_here(self.document, stage.id, self.orientation))
        table = self._table(stage.id, self.trace.matrix(stage.id, head), fill, name, detail, kind)
        cells = (pin.cell for pin in self.document.pins if pin.stage == stage.id)
        own = head if stage.headwise else 0
        return replace(
            table, pinned=frozenset((cell.row, cell.column) for cell in cells if cell.head == own)
        )

    def _written(self, values: Array) -> Fill | None:
        """How to write numbers; None if the matrix is too large for digits."""
        return self._shown(values) if max(values.shape) <= MOST_WRITTEN else None

    def _shown(self, values: Array) -> Fill:
        return lambda i, j: show(float(values[i, j]), self.decimals)

    def _table(
        self,
        tensor: str,
        values: Array,
        fill: Fill | None,
        name: str,
        detail: str,
        kind: str = "given",
    ) -> MatrixTable:
        rows, columns = values.shape
        down, across = axes_of(tensor)
        return MatrixTable(
            name,
            tuple(header(tensor, down, i, self.document) for i in range(rows))
            if down
            else ("",) * rows,
            tuple(header(tensor, across, j, self.document) for j in range(columns)),
            tuple(tuple(fill(i, j) for j in range(columns)) for i in range(rows)) if fill else (),
            kind,
            detail,
        )


def _with_tail(table: MatrixTable, stage: Stage, tail: tuple[str, ...]) -> MatrixTable:
    """Add a column with the maximum or the sum that opens each row of the softmax."""
    if not stage.lead:
        return table
    label = tr("max") if stage.lead == "max" else tr("sum")
    cells = tuple((*row, last) for row, last in zip(table.cells, tail, strict=True))
    return replace(table, columns=(*table.columns, label), cells=cells, tail="column")
