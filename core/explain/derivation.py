"""The worked sum behind one cell, as numbers: terms and factors, never prose."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.arithmetic.attention import row_max
from core.arithmetic.positional_encoding import rotary_angles
from core.arithmetic.stable_sum import row_sum, saturate
from core.base.arrays import Array
from core.base.cell import Cell
from core.compute.trace import Trace, scale_factor, slopes, unpinned
from core.document.document import Document
from core.document.edits import allowed
from core.document.plan import STAGE_AXES, Stage
from core.explain.terms import Factor as Factor
from core.explain.terms import Term as Term
from core.explain.terms import TermRun, Terms, values_of

NOTHING: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class Step:
    """How one number comes about.

    `kind`: entered, sinusoid, add, dot, rotate, scale, bias, mask, max, exp, sum, quotient, copy.
    `terms` are what is added up (for max: what is compared; for the other kinds: what goes in, one factor each).
    `value` is what the terms give; `pinned` the what-if value that stands in its place, if there is one.
    `data` holds the constants of the kind:
    sinusoid position, pair, base, width, angle · rotate position, pair, angle · scale factor, k ·
    bias slope, distance · mask allowed · exp base, and maximum where it is subtracted · quotient total ·
    copy enabled.
    """

    kind: str
    cell: Cell
    terms: Sequence[Term]
    value: float
    data: Mapping[str, float] = field(default_factory=dict)
    pinned: float | None = None

    @property
    def values(self) -> Array:
        """What each term comes to.  # -> (terms,)"""
        return values_of(self.terms)

    @property
    def shown(self) -> float:
        """The number that stands in the trace."""
        return self.value if self.pinned is None else self.pinned


def derive(document: Document, trace: Trace, cell: Cell) -> Step:
    """How a cell of a stage comes about. `cell.head` is ignored for stages without a head axis."""
    stage = trace.plan[cell.tensor]
    if STAGE_AXES[cell.tensor][0] != "h":
        cell = Cell(cell.tensor, cell.row, cell.column)
    pins = [pin.value for pin in document.pins if pin.cell == cell]
    kind, terms, data = _HOW[cell.tensor](document, trace, stage, cell)
    if not pins:
        return Step(kind, cell, terms, trace.value(cell), data)
    before = unpinned(document, trace, cell.tensor)
    value = (
        before[cell.head, cell.row, cell.column]
        if before.ndim == 3
        else before[cell.row, cell.column]
    )
    return Step(kind, cell, terms, float(value), data, pins[0])


def derive_lead(document: Document, trace: Trace, stage_id: str, row: int, head: int = 0) -> Step:
    """The sub-step that opens a row of the softmax: its maximum (stage `exp`) or its sum (stage `weights`)."""
    source = trace.plan[stage_id].reads[0]
    return replace(
        _lead(trace, stage_id, row, head), terms=Terms((_row(trace, source, row, head),))
    )


def _lead(trace: Trace, stage_id: str, row: int, head: int) -> Step:
    stage = trace.plan[stage_id]
    values = trace.matrix(stage.reads[0], head)[row]
    value = float(row_max(values)[0]) if stage.lead == "max" else float(row_sum(values)[0])
    return Step(stage.lead, Cell(stage_id, row, 0, head), (), value)


def road(document: Document, trace: Trace, cell: Cell) -> tuple[Step, ...]:
    """How one query–key pair travels from its raw score to its weight: a step for each stage and sub-step.

    Sub-steps come without their terms, as many as there are keys.
    """
    steps: list[Step] = []
    for stage in trace.plan:
        if not stage.attends:
            continue
        if stage.lead:
            steps.append(_lead(trace, stage.id, cell.row, cell.head))
        steps.append(derive(document, trace, Cell(stage.id, cell.row, cell.column, cell.head)))
    return tuple(steps)


How = tuple[str, Sequence[Term], Mapping[str, float]]


def _factor(trace: Trace, stage_id: str, row: int, column: int, head: int = 0) -> Factor:
    head = head if STAGE_AXES[stage_id][0] == "h" else 0
    cell = Cell(stage_id, row, column, head)
    return Factor(trace.value(cell), cell)


def _row(trace: Trace, stage_id: str, row: int, head: int = 0) -> TermRun:
    head = head if STAGE_AXES[stage_id][0] == "h" else 0
    return TermRun(trace.matrix(stage_id, head)[row], Cell(stage_id, row, 0, head))


def _column(trace: Trace, stage_id: str, column: int, head: int) -> TermRun:
    return TermRun(
        trace.matrix(stage_id, head)[:, column], Cell(stage_id, 0, column, head), down=True
    )


def _weights_down(document: Document, name: str, column: int, head: int = 0) -> TermRun:
    """A column of an entered matrix of weights."""
    tensor = document.tensor(name, head)
    assert tensor is not None  # the plan lists only weights that the document has
    return TermRun(tensor[:, column], Cell(name, 0, column, head), down=True)


def _input_factor(
    document: Document, name: str, row: int, column: int, head: int = 0
) -> Factor | None:
    tensor = document.tensor(name, head)
    if tensor is None:
        return None
    value = tensor[row, column] if tensor.ndim == 2 else tensor[column]
    return Factor(float(value), Cell(name, row, column, head))


def _entered(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    factor = _input_factor(document, stage.inputs[0], cell.row, cell.column, cell.head)
    return "entered", (Term((factor,)),) if factor else (), NOTHING


def _position(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    if stage.entered:
        return _entered(document, trace, stage, cell)
    pair, width, base = cell.column // 2, document.d, document.positional.base
    with np.errstate(all="ignore"):
        frequency = saturate(np.power([base], -2.0 * pair / width))
        angle = float(saturate(cell.row * frequency)[0])
    data = {"position": cell.row, "pair": pair, "base": base, "width": width, "angle": angle}
    return "sinusoid", (), data


def _add(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    terms = tuple(Term((_factor(trace, name, cell.row, cell.column),)) for name in stage.reads)
    return "add", terms, NOTHING


def _project(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    if stage.entered:
        return _entered(document, trace, stage, cell)
    source, weights = stage.reads[0], stage.inputs[0]
    runs = _row(trace, source, cell.row), _weights_down(document, weights, cell.column, cell.head)
    biases = (_input_factor(document, name, 0, cell.column, cell.head) for name in stage.inputs[1:])
    return "dot", Terms(runs, tuple(Term((bias,)) for bias in biases if bias)), NOTHING


def _rotate(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    """Columns 2p and 2p + 1 turn together: (a cos θ − b sin θ, a sin θ + b cos θ)."""
    source = stage.reads[0]
    pair, odd = divmod(cell.column, 2)
    own = _factor(trace, source, cell.row, cell.column, cell.head)
    if 2 * pair + 1 >= document.k:
        return "copy", (Term((own,)),), {"enabled": 1.0}
    angle = float(rotary_angles(cell.row + 1, document.k, document.positional.base)[cell.row, pair])
    a, b = (_factor(trace, source, cell.row, 2 * pair + i, cell.head) for i in (0, 1))
    cos, sin = Factor(math.cos(angle)), Factor(math.sin(angle))
    terms = (
        (Term((a, sin)), Term((b, cos))) if odd else (Term((a, cos)), Term((b, Factor(-sin.value))))
    )
    return "rotate", terms, {"position": cell.row, "pair": pair, "angle": angle}


def _scores(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    query, key = stage.reads
    runs = _row(trace, query, cell.row, cell.head), _row(trace, key, cell.column, cell.head)
    return "dot", Terms(runs), NOTHING


def _same_place(trace: Trace, stage: Stage, cell: Cell) -> Term:
    return Term((_factor(trace, stage.reads[0], cell.row, cell.column, cell.head),))


def _scaled(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    data = {"factor": scale_factor(document), "k": document.k}
    return "scale", (_same_place(trace, stage, cell),), data


def _biased(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    data = {"slope": float(slopes(document)[cell.head]), "distance": abs(cell.row - cell.column)}
    return "bias", (_same_place(trace, stage, cell),), data


def _masked(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    may = bool(allowed(document)[cell.row, cell.column])
    return "mask", (_same_place(trace, stage, cell),), {"allowed": float(may)}


def _exp(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    data = {"base": document.softmax.number}
    if document.softmax.shift:
        data["maximum"] = float(row_max(trace.matrix(stage.reads[0], cell.head)[cell.row])[0])
    return "exp", (_same_place(trace, stage, cell),), data


def _weights(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    total = float(row_sum(trace.matrix("exp", cell.head)[cell.row])[0])
    return "quotient", (_same_place(trace, stage, cell),), {"total": total}


def _heads(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    runs = _row(trace, "weights", cell.row, cell.head), _column(trace, "V", cell.column, cell.head)
    return "dot", Terms(runs), NOTHING


def _concat(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    head, column = divmod(cell.column, document.v)
    term = Term((_factor(trace, "heads", cell.row, column, head),))
    return "copy", (term,), {"enabled": float(document.heads[head].enabled)}


def _output(document: Document, trace: Trace, stage: Stage, cell: Cell) -> How:
    source = stage.reads[0]
    if not stage.inputs:
        enabled = source == "concat" or document.heads[0].enabled
        return (
            "copy",
            (Term((_factor(trace, source, cell.row, cell.column),)),),
            {"enabled": float(enabled)},
        )
    bias = _input_factor(document, "b_O", 0, cell.column)
    runs = _row(trace, source, cell.row), _weights_down(document, "W_O", cell.column)
    return "dot", Terms(runs, (Term((bias,)),) if bias else ()), NOTHING


_HOW: dict[str, Callable[[Document, Trace, Stage, Cell], How]] = {
    "X": _entered,
    "P": _position,
    "input": _add,
    "X_context": _entered,
    "P_context": _position,
    "input_context": _add,
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


def row_is_masked(trace: Trace, row: int, head: int = 0) -> bool:
    """Whether a query may attend to nothing at all: its weights and its output are 0."""
    before = trace.plan["exp"].reads[0]
    return bool(np.isneginf(trace.matrix(before, head)[row]).all())
