"""The worked sum behind one cell or one gradient, as numbers: terms and factors, never prose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.base.arrays import Array
from core.base.cell import Cell
from core.compute.backward import Gradients
from core.compute.trace import Trace, unpinned
from core.document.document import Document
from core.document.parts import split_layer
from core.stages import has_scores, plan, softmax_source
from core.stages.exact import Exact, Matrix, Stack, fraction
from core.stages.terms import BackStep as BackStep
from core.stages.terms import Factor as Factor
from core.stages.terms import RowPart, Seen, Sum, Terms, values_of
from core.stages.terms import Term as Term


@dataclass(frozen=True, slots=True)
class Step:
    """The derivation of one number.

    `kind`: entered, sinusoid, add, dot, rotate, scale, bias, mask, max, exp, sum, mean, quotient, copy.
    `terms` are what is added up (for max: what is compared; for the other kinds: what goes in, one
    factor each). `value` is what the terms give; `pinned` is the what-if value that replaces it, if
    there is one. `data` holds the constants of the kind: sinusoid position, pair, base, width,
    angle · rotate position, pair, angle · scale factor, k · bias slope, distance · mask allowed ·
    exp base, and maximum where it is subtracted · quotient total · mean count · copy enabled. A "function" is
    written as its templates say: `text`, or `latex`, with {0}, {1} … for the terms and {name} for
    data.
    """

    kind: str
    cell: Cell
    terms: Sequence[Term]
    value: float
    data: Mapping[str, float] = field(default_factory=dict)
    pinned: float | None = None
    text: str = ""
    latex: str = ""
    seen: Seen | None = None
    symbol: str = ""  # on the left, where it is not that of the cell

    @property
    def values(self) -> Array:
        """The value of each term.  # -> (terms,)"""
        return values_of(self.terms)

    @property
    def shown(self) -> float:
        """The number in the trace."""
        return self.value if self.pinned is None else self.pinned


def derive(document: Document, trace: Trace, cell: Cell) -> Step:
    """Derive a cell of a stage. `cell.head` is ignored for stages without a head axis."""
    stage = trace.plan[cell.tensor]
    if not stage.headwise:
        cell = Cell(cell.tensor, cell.row, cell.column)
    pins = [pin.value for pin in document.pins if pin.cell == cell]
    found = stage.kind.derive(trace, stage, cell)
    step = _step(found, cell, trace.value(cell))
    if not pins:
        return step
    before = unpinned(document, trace, cell.tensor)
    value = (
        before[cell.head, cell.row, cell.column]
        if before.ndim == 3
        else before[cell.row, cell.column]
    )
    return replace(step, value=float(value), pinned=pins[0])


def _step(found: Sum, cell: Cell, value: float, symbol: str = "") -> Step:
    """A sum with its cell and value."""
    return Step(
        found.form,
        cell,
        found.terms,
        value,
        found.data,
        None,
        found.text,
        found.latex,
        found.seen,
        symbol,
    )


def row_parts(trace: Trace, stage_id: str, row: int, head: int = 0) -> tuple[RowPart, ...]:
    """The steps on the way to a row of a stage, such as mean, variance and quotient of a norm; ()
    where its kind has none.
    """
    stage = trace.plan[stage_id]
    return stage.kind.row_parts(trace, stage, row, head)


def derive_part(trace: Trace, part: str, cell: Cell) -> Step:
    """Derive a number of a part of a row; KeyError for a part that the stage does not have."""
    stage = trace.plan[cell.tensor]
    parts = {each.id: each for each in row_parts(trace, cell.tensor, cell.row, cell.head)}
    found = stage.kind.derive_part(trace, stage, part, cell)
    return _step(found, cell, float(parts[part].values[cell.column]), parts[part].symbol)


def derive_number(trace: Trace, stage_id: str, number: str, row: int, head: int = 0) -> Step:
    """Derive a number that belongs to a whole row, such as its mean."""
    stage = trace.plan[stage_id]
    parts = row_parts(trace, stage_id, row, head)
    numbers = {each.id: each for part in parts for each in part.numbers}
    found = stage.kind.derive_number(trace, stage, number, row)
    cell = Cell(stage_id, row, 0, head)
    return _step(found, cell, numbers[number].value, numbers[number].symbol)


def derive_lead(document: Document, trace: Trace, stage_id: str, row: int, head: int = 0) -> Step:
    """The sub-step that opens a row of the softmax: its maximum (stage `exp`) or its sum (stage
    `weights`).
    """
    source = trace.plan[stage_id].reads[0]
    return replace(_lead(trace, stage_id, row, head), terms=Terms((trace.row(source, row, head),)))


def _lead(trace: Trace, stage_id: str, row: int, head: int) -> Step:
    stage = trace.plan[stage_id]
    value = stage.kind.lead_value(trace.matrix(stage.reads[0], head)[row])
    return Step(stage.lead, Cell(stage_id, row, 0, head), (), value)


def pair_steps(document: Document, trace: Trace, cell: Cell) -> tuple[Step, ...]:
    """Derive one query–key pair from its raw score to its weight: a step for each stage and
    sub-step.

    Sub-steps come without their terms, as many as there are keys.
    """
    steps: list[Step] = []
    for stage in trace.plan.of_layer(split_layer(cell.tensor)[0]):
        if not stage.attends:
            continue
        if stage.lead:
            steps.append(_lead(trace, stage.id, cell.row, cell.head))
        steps.append(derive(document, trace, Cell(stage.id, cell.row, cell.column, cell.head)))
    return tuple(steps)


def row_is_masked(trace: Trace, row: int, head: int = 0, stage_id: str = "") -> bool:
    """Whether a query may attend to no key: its weights and its output are 0.

    In a stack in the layer of a stage, by default the first.
    """
    if not has_scores(trace.plan):
        return False
    before = softmax_source(trace.plan, split_layer(stage_id)[0])
    return bool(np.isneginf(trace.matrix(before, head)[row]).all())


def derive_back(document: Document, trace: Trace, gradients: Gradients, cell: Cell) -> BackStep:
    """Derive the gradient at a cell of a stage, or of an entered tensor such as W_Q.

    The stage before the softmax is told in one step, by the weights alone, unless a numerator of
    its row is pinned.
    """
    value = float(gradients.matrix(cell.tensor, cell.head)[cell.row, cell.column])
    source = _GradientNumbers(document, trace, gradients)
    if cell.tensor not in trace:
        stage = next(stage for stage in trace.plan if cell.tensor in stage.inputs)
        return BackStep("products", cell, stage.kind.input_terms(source, stage, cell), value)
    if not trace.plan[cell.tensor].headwise:
        cell = Cell(cell.tensor, cell.row, cell.column)
    if any(pin.cell == cell for pin in document.pins):
        return BackStep("pinned", cell, (), value)
    readers = trace.plan.readers(cell.tensor)
    if not readers:
        return BackStep("seed", cell, (), value)
    for reader in readers:
        step = reader.kind.back_step(source, reader, cell, value)
        if step is not None:
            return step
    terms = (term for reader in readers for term in reader.kind.back_terms(source, reader, cell))
    return BackStep("products", cell, tuple(terms), value)


@dataclass(frozen=True, slots=True)
class _GradientNumbers:
    """The numbers that derivations of gradients are made of."""

    document: Document
    trace: Trace
    gradients: Gradients

    def gradient(self, stage: str, row: int, column: int, head: int = 0) -> Factor:
        """A gradient as a factor; it has no cell because it is no number of the run."""
        return Factor(float(self.gradients.matrix(stage, head)[row, column]))


# Exact fractions. Inputs count as the decimal numbers that were entered: 0.2 is 1/5. A number is
# None if it is irrational (√2, sin 1, e^0.5) or not computed, and −∞ for a masked score. Nothing is
# rounded.

LARGEST_WORK = (
    20_000  # products in all stages together, up to which fractions are computed: about 0.1 s
)


def exact_trace(document: Document) -> ExactTrace:
    """The stages of an experiment as fractions, each computed on first access."""
    return ExactTrace(document)


class ExactTrace(Mapping[str, "Matrix | Stack | None"]):
    """Stage id → rows of numbers (a tuple of them, one a head, for head-wise stages); None where
    none is rational.

    Pins are respected. An experiment of more than LARGEST_WORK products has no fractions.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.plan = plan(document)
        self._stacks: dict[str, Stack] = {}
        self._small = work(document) <= LARGEST_WORK

    def __getitem__(self, stage_id: str) -> Matrix | Stack | None:
        stage = self.plan[stage_id]
        stack = self.stack(stage_id)
        if all(number is None for matrix in stack for row in matrix for number in row):
            return None
        return stack if stage.headwise else stack[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self.plan.ids)

    def __len__(self) -> int:
        return len(self.plan)

    def value(self, cell: Cell) -> Exact:
        """The number at a cell of a stage."""
        return self.row(cell.tensor, cell.row, cell.head)[cell.column]

    def row(self, stage_id: str, row: int, head: int = 0) -> tuple[Exact, ...]:
        """One row of a stage; `head` is ignored for stages without a head axis."""
        return self.stack(stage_id)[head if self.plan[stage_id].headwise else 0][row]

    def stack(self, stage_id: str) -> Stack:
        """A stage with its head axis; without one it is a stack of one."""
        if stage_id not in self._stacks:
            found = (
                self.plan[stage_id].kind.exact(self, self.plan[stage_id])
                if self._small
                else self._unknown(stage_id)
            )
            self._stacks[stage_id] = self._pinned(stage_id, found)
        return self._stacks[stage_id]

    def _unknown(self, stage_id: str) -> Stack:
        *heads, rows, columns = self.document.stage_shape(stage_id)
        return (((None,) * columns,) * rows,) * (heads[0] if heads else 1)

    def _pinned(self, stage_id: str, stack: Stack) -> Stack:
        pins = [pin for pin in self.document.pins if pin.stage == stage_id]
        if not pins:
            return stack
        lists = [[list(row) for row in matrix] for matrix in stack]
        for pin in pins:
            lists[pin.cell.head][pin.cell.row][pin.cell.column] = fraction(pin.value)
        return tuple(tuple(map(tuple, matrix)) for matrix in lists)


def work(document: Document) -> int:
    """The approximate number of products in all stages."""
    if document.is_stack:
        mlps = (layer.mlp for layer in document.layers if layer.mlp is not None)
        products = sum(mlp.W_1.size * 2 for mlp in mlps)
        products += 0 if document.output is None else document.output.W_U.size
        return sum(map(work, document.scopes)) + document.n * products
    n, m, d, h, k, v = (document.sizes[letter] for letter in "nmdhkv")
    projections = d * h * (n * k + m * (k + v)) if document.source == "embeddings" else 0
    output = 0 if document.W_O is None else n * document.c * document.o
    return projections + h * n * m * (k + v + 4) + output
