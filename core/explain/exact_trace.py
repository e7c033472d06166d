"""Exact fractions where an experiment has them: what a pencil would write, 4/7 and not 0.5714…

Inputs count as the decimal numbers that were entered: 0.2 is 1/5. A number is None where it is irrational (√2, sin 1,
e^0.5) or where its fraction would be out of all proportion; −∞ is that of a masked score. Nothing here is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.edits import allowed
from core.document.plan import STAGE_AXES, Stage, plan
from core.explain.exact_arithmetic import (
    MASKED,
    NOTHING,
    Exact,
    Matrix,
    add,
    fraction,
    maximum,
    multiply,
    power,
    product,
)

LARGEST_WORK = (
    20_000  # products in all stages together, up to which fractions are computed: about 0.1 s
)

Stack = tuple[Matrix, ...]  # a matrix a head; a stage without heads is a stack of one


def exact_trace(document: Document) -> ExactTrace:
    """The stages of an experiment as fractions, each computed when it is first asked for."""
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
                _COMPUTE[stage_id](self, self.plan[stage_id])
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
    """About how many products all stages take."""
    n, m, d, h, k, v = (document.sizes[letter] for letter in "nmdhkv")
    entered = document.source == "qkv"
    projections = 0 if entered else d * h * (n * k + m * (k + v))
    output = 0 if document.W_O is None else n * document.c * document.o
    return projections + h * n * m * (k + v + 4) + output


def _each(stack: Stack, change: Callable[[Exact], Exact]) -> Stack:
    return tuple(tuple(tuple(map(change, row)) for row in matrix) for matrix in stack)


def _read(exact: ExactTrace, stage: Stage) -> Stack:
    return exact.stack(stage.reads[0])


def _tensor(document: Document, name: str, head: int) -> Matrix | None:
    tensor: Array | None = document.tensor(name, head)
    if tensor is None:
        return None
    rows = tensor.tolist() if tensor.ndim == 2 else [tensor.tolist()]
    return tuple(tuple(map(fraction, row)) for row in rows)


def _entered(exact: ExactTrace, stage: Stage) -> Stack:
    heads = range(exact.document.h) if stage.headwise else range(1)
    found = (_tensor(exact.document, stage.inputs[0], head) for head in heads)
    return tuple(matrix for matrix in found if matrix is not None)


def _positions(exact: ExactTrace, stage: Stage) -> Stack:
    """sin 0 and cos 0 are whole, every other sine of a fraction is irrational."""
    if stage.entered:
        return _entered(exact, stage)
    rows, width = exact.document.stage_shape(stage.id)
    first = tuple(Fraction(column % 2) for column in range(width))
    return ((first, *(((None,) * width,) * (rows - 1))),)


def _add_positions(exact: ExactTrace, stage: Stage) -> Stack:
    (x,), (p,) = (exact.stack(name) for name in stage.reads)
    return (tuple(tuple(map(lambda *pair: add(pair), *rows)) for rows in zip(x, p, strict=True)),)


def _project(exact: ExactTrace, stage: Stage) -> Stack:
    if stage.entered:
        return _entered(exact, stage)
    (source,) = _read(exact, stage)
    return tuple(_affine(exact, source, stage, head) for head in range(exact.document.h))


def _affine(exact: ExactTrace, source: Matrix, stage: Stage, head: int) -> Matrix:
    """Times the weights, plus the bias where there is one."""
    weights, *biases = (_tensor(exact.document, name, head) for name in stage.inputs)
    assert weights is not None  # the plan lists only weights that the document has
    result = product(source, weights)
    for bias in biases:
        if bias is not None:
            result = tuple(
                tuple(add(pair) for pair in zip(row, bias[0], strict=True)) for row in result
            )
    return result


def _rotate(exact: ExactTrace, stage: Stage) -> Stack:
    """Position 0 and an odd last column do not turn; a turned pair is rational only where it is (0, 0)."""
    width = exact.document.k

    def turned(position: int, row: tuple[Exact, ...], column: int) -> Exact:
        first = column - column % 2
        if position == 0 or first + 1 >= width:
            return row[column]
        return NOTHING if row[first] == row[first + 1] == 0 else None

    return tuple(
        tuple(
            tuple(turned(position, row, column) for column in range(width))
            for position, row in enumerate(matrix)
        )
        for matrix in _read(exact, stage)
    )


def _scores(exact: ExactTrace, stage: Stage) -> Stack:
    queries, keys = (exact.stack(name) for name in stage.reads)
    return tuple(
        product(q, tuple(zip(*k, strict=True))) for q, k in zip(queries, keys, strict=True)
    )


def _scaled(exact: ExactTrace, stage: Stage) -> Stack:
    factor = _scale(exact.document)
    return _each(_read(exact, stage), lambda number: multiply(number, factor))


def _scale(document: Document) -> Fraction | None:
    """The factor of the scores, where d_k is a square or the factor is the user's own."""
    if document.scale.kind == "factor":
        return fraction(document.scale.value)
    root = math.isqrt(document.k)
    return Fraction(1, root) if root * root == document.k else None


def _biased(exact: ExactTrace, stage: Stage) -> Stack:
    slopes = _slopes(exact.document)
    return tuple(
        tuple(
            tuple(
                add((number, multiply(slope, Fraction(-abs(i - j)))))
                for j, number in enumerate(row)
            )
            for i, row in enumerate(matrix)
        )
        for matrix, slope in zip(_read(exact, stage), slopes, strict=True)
    )


def _slopes(document: Document) -> tuple[Fraction | None, ...]:
    """The ALiBi slopes; 2^(−8i/h) is rational where 8i/h is whole."""
    given, h = document.positional.slopes, document.h
    if given is not None:
        return tuple(map(fraction, given.tolist()))
    return tuple(
        Fraction(1, 2 ** (8 * i // h)) if 8 * i % h == 0 else None for i in range(1, h + 1)
    )


def _masked(exact: ExactTrace, stage: Stage) -> Stack:
    table = allowed(exact.document).tolist()
    return tuple(
        tuple(
            tuple(number if may else MASKED for number, may in zip(row, rights, strict=True))
            for row, rights in zip(matrix, table, strict=True)
        )
        for matrix in _read(exact, stage)
    )


def _exp(exact: ExactTrace, stage: Stage) -> Stack:
    softmax = exact.document.softmax
    base = None if softmax.base == "e" else int(softmax.base)

    def raised(row: tuple[Exact, ...]) -> tuple[Exact, ...]:
        allowed_ones = [number for number in row if number != MASKED]
        if softmax.shift and len(allowed_ones) == 1:  # irrational or not, it is its own maximum
            return tuple(NOTHING if number == MASKED else Fraction(1) for number in row)
        offset = maximum(allowed_ones) if softmax.shift else NOTHING
        return tuple(power(base, number, offset) for number in row)

    return tuple(tuple(map(raised, matrix)) for matrix in _read(exact, stage))


def _weights(exact: ExactTrace, stage: Stage) -> Stack:
    def shares(row: tuple[Exact, ...]) -> tuple[Exact, ...]:
        total = add(row)
        if not isinstance(total, Fraction):
            return tuple(NOTHING if number == 0 else None for number in row)
        return tuple(
            number / total if isinstance(number, Fraction) and total else NOTHING for number in row
        )

    return tuple(tuple(map(shares, matrix)) for matrix in _read(exact, stage))


def _heads(exact: ExactTrace, stage: Stage) -> Stack:
    weights, values = (exact.stack(name) for name in stage.reads)
    return tuple(map(product, weights, values))


def _concat(exact: ExactTrace, stage: Stage) -> Stack:
    """Side by side; a head that is off keeps its block, filled with 0."""
    on = [head.enabled for head in exact.document.heads]
    blocks = zip(*_read(exact, stage), strict=True)
    return (
        tuple(
            tuple(x if on[i] else NOTHING for i, row in enumerate(rows) for x in row)
            for rows in blocks
        ),
    )


def _output(exact: ExactTrace, stage: Stage) -> Stack:
    (source,) = _read(exact, stage)
    if stage.inputs:
        return (_affine(exact, source, stage, 0),)
    off = stage.reads[0] == "heads" and not exact.document.heads[0].enabled
    return _each((source,), lambda number: NOTHING) if off else (source,)


_COMPUTE: dict[str, Callable[[ExactTrace, Stage], Stack]] = {
    "X": _entered,
    "P": _positions,
    "input": _add_positions,
    "X_context": _entered,
    "P_context": _positions,
    "input_context": _add_positions,
    "Q": _project,
    "K": _project,
    "V": _project,
    "Q_rot": _rotate,
    "K_rot": _rotate,
    "scores": _scores,
    "scaled": _scaled,
    "biased": _biased,
    "masked": _masked,
    "exp": _exp,
    "weights": _weights,
    "heads": _heads,
    "concat": _concat,
    "Y": _output,
}
assert set(_COMPUTE) == set(STAGE_AXES)
