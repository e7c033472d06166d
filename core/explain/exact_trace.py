"""Exact fractions where an experiment has them: what a pencil would write, 4/7 and not 0.5714…

Inputs count as the decimal numbers that were entered: 0.2 is 1/5. A number is None where it is irrational (√2, sin 1,
e^0.5) or where its fraction would be out of all proportion; −∞ is that of a masked score. Nothing here is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.base.cell import Cell
from core.document.document import Document
from core.stages import plan
from core.stages.exact import Exact, Matrix, Stack, fraction

LARGEST_WORK = (
    20_000  # products in all stages together, up to which fractions are computed: about 0.1 s
)


def exact_trace(document: Document) -> ExactTrace:
    """The stages of an experiment as fractions, each computed on first access."""
    return ExactTrace(document)


class ExactTrace(Mapping[str, "Matrix | Stack | None"]):
    """Stage id → rows of numbers (a tuple of them, one a head, for head-wise stages); None where none is rational.

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
    n, m, d, h, k, v = (document.sizes[letter] for letter in "nmdhkv")
    entered = document.source == "qkv"
    projections = 0 if entered else d * h * (n * k + m * (k + v))
    output = 0 if document.W_O is None else n * document.c * document.o
    return projections + h * n * m * (k + v + 4) + output
