"""The worked sum behind one gradient, as numbers: what comes back to a cell from each place that it went to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from core.arithmetic.positional_encoding import rotary_angles
from core.arithmetic.stable_sum import row_sum
from core.base.arrays import Array
from core.base.cell import Cell
from core.compute.backward import Gradients
from core.compute.trace import Trace, scale_factor
from core.document.document import HEAD_TENSORS, Document
from core.document.edits import allowed
from core.document.plan import STAGE_AXES, Stage
from core.explain.derivation import Factor, Term


@dataclass(frozen=True, slots=True)
class BackStep:
    """How ∂L/∂ of one cell comes about.

    `kind`: seed (∂L/∂Y, where it starts), pinned (a constant: 0), products (what comes back is added up: `terms`),
    softmax (a (∂L/∂a − Σ terms) · ln b), quotient ((∂L/∂a − Σ terms) ÷ sum), power (e · ∂L/∂e · ln b − Σ terms).
    `data`: softmax weight, own, log · quotient own, total · power numerator, own, log.
    No terms at all: nothing comes back here (a forbidden pair, a head that is off).
    """

    kind: str
    cell: Cell
    terms: tuple[Term, ...]
    value: float
    data: Mapping[str, float] = field(default_factory=dict)


def derive_back(document: Document, trace: Trace, gradients: Gradients, cell: Cell) -> BackStep:
    """How the gradient at a cell of a stage, or of an entered tensor such as W_Q, comes about.

    The stage before the softmax is told in one step, by the weights alone, unless a numerator of its row is pinned.
    """
    value = float(gradients.matrix(cell.tensor, cell.head)[cell.row, cell.column])
    sums = _Sums(document, trace, gradients)
    if cell.tensor not in trace:
        return BackStep("products", cell, sums.of_input(cell), value)
    if STAGE_AXES[cell.tensor][0] != "h":
        cell = Cell(cell.tensor, cell.row, cell.column)
    if any(pin.cell == cell for pin in document.pins):
        return BackStep("pinned", cell, (), value)
    if cell.tensor == "Y":
        return BackStep("seed", cell, (), value)
    if cell.tensor == "exp":
        return sums.quotient(cell, value)
    if cell.tensor == trace.plan["exp"].reads[0]:
        return sums.softmax(cell, value)
    readers = trace.plan.readers(cell.tensor)
    return BackStep(
        "products",
        cell,
        tuple(term for reader in readers for term in sums.back(reader, cell)),
        value,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    document: Document
    trace: Trace
    gradients: Gradients

    def of_stage(self, stage: str, row: int, column: int, head: int = 0) -> Factor:
        """A number of the run."""
        head = head if STAGE_AXES[stage][0] == "h" else 0
        cell = Cell(stage, row, column, head)
        return Factor(self.trace.value(cell), cell)

    def gradient(self, stage: str, row: int, column: int, head: int = 0) -> Factor:
        """A number that comes back: no number of the run, and so without a cell."""
        head = head if STAGE_AXES[stage][0] == "h" else 0
        return Factor(float(self.gradients.matrix(stage, head)[row, column]))

    def entered(self, name: str, row: int, column: int, head: int = 0) -> Factor:
        """A number that was entered."""
        tensor = self.document.tensor(name, head)
        assert tensor is not None  # the plan lists only inputs that the document has
        return Factor(float(tensor[row, column]), Cell(name, row, column, head))

    def of_input(self, cell: Cell) -> tuple[Term, ...]:
        """W: what went in times what comes back, over all tokens; b: what comes back, over all tokens."""
        name, head = cell.tensor, cell.head if cell.tensor in HEAD_TENSORS else 0
        stage = next(stage for stage in self.trace.plan if name in stage.inputs)
        rows = range(self.trace[stage.id].shape[-2])
        back = [self.gradient(stage.id, i, cell.column, head) for i in rows]
        if name.startswith("b_"):
            return tuple(Term((factor,)) for factor in back)
        (source,) = stage.reads
        return tuple(Term((self.of_stage(source, i, cell.row), back[i])) for i in rows)

    def back(self, reader: Stage, cell: Cell) -> tuple[Term, ...]:
        """What comes back to a cell from one of the stages that read it."""
        if reader.id in ("input", "input_context", "biased"):
            return (Term((self.gradient(reader.id, cell.row, cell.column, cell.head),)),)
        if reader.id in ("Q", "K", "V"):
            return self._projected(reader, cell)
        return {
            "Q_rot": self._turned,
            "K_rot": self._turned,
            "scores": self._scored,
            "scaled": self._scaled,
            "masked": self._masked,
            "heads": self._mixed,
            "concat": self._joined,
            "Y": self._put_out,
        }[reader.id](reader, cell)

    def _projected(self, reader: Stage, cell: Cell) -> tuple[Term, ...]:
        width = self.trace[reader.id].shape[-1]
        return tuple(
            Term(
                (
                    self.gradient(reader.id, cell.row, c, head),
                    self.entered(reader.inputs[0], cell.column, c, head),
                )
            )
            for head in range(self.document.h)
            for c in range(width)
        )

    def _turned(self, reader: Stage, cell: Cell) -> tuple[Term, ...]:
        """Turned back: (a cos θ + b sin θ, b cos θ − a sin θ)."""
        pair, odd = divmod(cell.column, 2)
        if 2 * pair + 1 >= self.document.k:
            return (Term((self.gradient(reader.id, cell.row, cell.column, cell.head),)),)
        n, _ = self.trace.matrix(reader.id).shape
        angle = float(
            rotary_angles(n, self.document.k, self.document.positional.base)[cell.row, pair]
        )
        a, b = (self.gradient(reader.id, cell.row, 2 * pair + i, cell.head) for i in (0, 1))
        cos, sin = math.cos(angle), math.sin(angle)
        if odd:
            return Term((b, Factor(cos))), Term((a, Factor(-sin)))
        return Term((a, Factor(cos))), Term((b, Factor(sin)))

    def _scored(self, reader: Stage, cell: Cell) -> tuple[Term, ...]:
        query, key = reader.reads
        n, m = self.trace.matrix(reader.id).shape
        if cell.tensor == query:
            pairs = [((cell.row, j), (key, j)) for j in range(m)]
        else:
            pairs = [((i, cell.row), (query, i)) for i in range(n)]
        return tuple(
            Term(
                (
                    self.gradient(reader.id, *pair, cell.head),
                    self.of_stage(other, row, cell.column, cell.head),
                )
            )
            for pair, (other, row) in pairs
        )

    def _scaled(self, reader: Stage, cell: Cell) -> tuple[Term, ...]:
        own = self.gradient(reader.id, cell.row, cell.column, cell.head)
        return (Term((own, Factor(scale_factor(self.document)))),)

    def _masked(self, reader: Stage, cell: Cell) -> tuple[Term, ...]:
        if not allowed(self.document)[cell.row, cell.column]:
            return ()
        return (Term((self.gradient(reader.id, cell.row, cell.column, cell.head),)),)

    def _mixed(self, reader: Stage, cell: Cell) -> tuple[Term, ...]:
        h = cell.head
        n, v = self.trace.matrix(reader.id, h).shape
        if cell.tensor == "weights":
            return tuple(
                Term(
                    (self.gradient("heads", cell.row, c, h), self.of_stage("V", cell.column, c, h))
                )
                for c in range(v)
            )
        return tuple(
            Term(
                (
                    self.of_stage("weights", i, cell.row, h),
                    self.gradient("heads", i, cell.column, h),
                )
            )
            for i in range(n)
        )

    def _joined(self, reader: Stage, cell: Cell) -> tuple[Term, ...]:
        if not self.document.heads[cell.head].enabled:
            return ()
        column = cell.head * self.document.v + cell.column
        return (Term((self.gradient("concat", cell.row, column),)),)

    def _put_out(self, reader: Stage, cell: Cell) -> tuple[Term, ...]:
        if cell.tensor == "heads" and not self.document.heads[0].enabled:
            return ()
        if not reader.inputs:
            return (Term((self.gradient("Y", cell.row, cell.column),)),)
        width = self.trace["Y"].shape[1]
        return tuple(
            Term((self.gradient("Y", cell.row, o), self.entered("W_O", cell.column, o)))
            for o in range(width)
        )

    def _shares(self, cell: Cell) -> tuple[Term, ...]:
        """Σⱼ ∂L/∂aⱼ aⱼ of the cell's row."""
        columns = range(self.trace.matrix("weights").shape[1])
        row, h = cell.row, cell.head
        return tuple(
            Term((self.gradient("weights", row, j, h), self.of_stage("weights", row, j, h)))
            for j in columns
        )

    def _numerators(self, cell: Cell) -> Array:
        row: Array = self.trace.matrix("exp", cell.head)[cell.row]
        return row

    def quotient(self, cell: Cell, value: float) -> BackStep:
        """∂L/∂e of a numerator; nothing where the row's sum is 0."""
        total = float(row_sum(self._numerators(cell))[0])
        if total == 0.0:
            return BackStep("products", cell, (), value)
        own = self.gradient("weights", cell.row, cell.column, cell.head).value
        return BackStep("quotient", cell, self._shares(cell), value, {"own": own, "total": total})

    def softmax(self, cell: Cell, value: float) -> BackStep:
        """∂L/∂s: by the weights, or by the numerators where one of the row is pinned; 0 where s = −∞."""
        if np.isneginf(self.trace.value(cell)):
            return BackStep("products", cell, (), value)
        if any(
            pin.stage == "exp" and pin.index[:2] == (cell.head, cell.row)
            for pin in self.document.pins
        ):
            return self._power(cell, value)
        numerators = self._numerators(cell)
        total = float(row_sum(numerators)[0])
        if total == 0.0:
            return BackStep("products", cell, (), value)
        own = self.gradient("weights", cell.row, cell.column, cell.head).value
        log = math.log(self.document.softmax.number)
        data = {"weight": float(numerators[cell.column]) / total, "own": own, "log": log}
        return BackStep("softmax", cell, self._shares(cell), value, data)

    def _power(self, cell: Cell, value: float) -> BackStep:
        """e ∂L/∂e ln b, less what the row's maximum takes off all of them, at the place of the maximum."""
        log = math.log(self.document.softmax.number)
        h, row = cell.head, cell.row
        back = [self.gradient("exp", row, j, h) for j in range(len(self._numerators(cell)))]
        scores = self.trace.matrix(cell.tensor, h)[row]
        highest = self.document.softmax.shift and int(scores.argmax()) == cell.column
        terms = (
            [Term((g, self.of_stage("exp", row, j, h), Factor(log))) for j, g in enumerate(back)]
            if highest
            else []
        )
        data = {
            "numerator": float(self._numerators(cell)[cell.column]),
            "own": back[cell.column].value,
            "log": log,
        }
        return BackStep("power", cell, tuple(terms), value, data)
