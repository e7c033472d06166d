"""What is entered, sinusoidal positions, and sums of two stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from core.arithmetic.enclosure import Enclosure, known, stacked
from core.arithmetic.positional_encoding import sinusoidal
from core.arithmetic.stable_sum import saturate
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.stages.dialect import (
    Dialect,
    Formula,
    Shape,
    WorkbookSource,
    heads_of,
    shown_shape,
    variable,
)
from core.stages.exact import ExactSource, Stack, add, exact_tensor
from core.stages.kind import (
    BackwardPass,
    EnclosureSource,
    GradientSource,
    Stage,
    StageKind,
    StageSpec,
    Trace,
    input_factor,
)
from core.stages.terms import Sum, Term

# Roundings in an angle that is computed by logarithm and power, as programs do.
ANGLE = 16


class Entered(StageKind):
    """A tensor as it was typed in, of every head where it has heads."""

    name = "entered"
    entered = True

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        (name,) = stage.inputs
        heads = range(document.h) if stage.headwise else range(1)
        tensors = [tensor for head in heads if (tensor := document.tensor(name, head)) is not None]
        return np.stack(tensors) if stage.headwise else tensors[0]

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        heads = range(source.document.h) if stage.headwise else range(1)
        found = (exact_tensor(source.document, stage.inputs[0], head) for head in heads)
        return tuple(matrix for matrix in found if matrix is not None)

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        heads = range(source.document.h) if stage.headwise else range(1)
        tensors = [source.tensor(stage.inputs[0], head) for head in heads]
        all_heads = stacked([tensor for tensor in tensors if tensor is not None])
        return all_heads if stage.headwise else all_heads.only()

    def operations(self, document: Document, stage: Stage) -> tuple[str, bool]:
        return "", False

    def variant(self, document: Document, stage: Stage) -> str:
        return "entered"

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        factor = input_factor(trace.document, stage.inputs[0], cell.row, cell.column, cell.head)
        return Sum("entered", (Term((factor,)),) if factor else ())

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        (name,) = stage.inputs
        for head, part in enumerate(gradient if stage.headwise else gradient[None]):
            way.tensors[name, head] = np.array(part)

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        (name,) = stage.inputs
        values = heads_of(document, name) if stage.headwise else document.tensor(name)
        return lib.array(variable(stage.id), values)

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        rows, width = document.letters(stage.axes[-2:])
        if stage.headwise:
            width = f"d_{width}"
        first, second = (width, rows) if columns else (rows, width)
        return rf"{stage.spec.display} \in \mathbb{{R}}^{{{first} \times {second}}}"

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        raise NotImplementedError  # numbers in place of formulas


class Sinusoid(StageKind):
    """Sinusoidal positions; they come from nothing that could change."""

    name = "sinusoid"
    uses_angles = True

    def parameters(self, document: Document, stage: Stage) -> tuple[Any, ...]:
        return float(document.positional.base).hex(), *document.stage_shape(stage.id)

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        rows, width = document.stage_shape(stage.id)
        return sinusoidal(rows, width, document.positional.base)

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        """sin 0 and cos 0 are whole, every other sine of a fraction is irrational."""
        rows, width = source.document.stage_shape(stage.id)
        first = tuple(Fraction(column % 2) for column in range(width))
        return ((first, *(((None,) * width,) * (rows - 1))),)

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        """Exact; in single precision each angle, at most the position, is off by a few roundings."""
        table = self.compute(source.document, stage, {})
        position = np.arange(1.0, len(table) + 1.0)[:, None]
        return known(table).widened(ANGLE * source.noise * position)

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        document = trace.document
        pair, width, base = cell.column // 2, document.d, document.positional.base
        with np.errstate(all="ignore"):
            frequency = saturate(np.power([base], -2.0 * pair / width))
            angle = float(saturate(cell.row * frequency)[0])
        data = {"position": cell.row, "pair": pair, "base": base, "width": width, "angle": angle}
        return Sum("sinusoid", (), data)

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        pass

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        position, d = lib.arange(document.letters(stage.axes)[-2]), document.d
        return f"""column = {lib.arange(d)}
angle = {position}[:, None] * {float(document.positional.base)!r} ** (-2.0 * (column // 2) / {d})
{variable(stage.id)} = {lib.name}.where(column % 2 == 0, {lib.name}.sin(angle), {lib.name}.cos(angle))"""

    def variables(self, document: Document, stage: Stage) -> dict[str, Shape]:
        return {"angle": document.stage_shape(stage.id)}

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        return r"\bigl(\sin(i\,\omega_c),\ \cos(i\,\omega_c)\bigr)"

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        place = ("{2p-1,t}", "{2p,t}") if columns else ("{t,2p-1}", "{t,2p}")
        angle = rf"\frac{{t}}{{{document.positional.base:.6g}^{{2(p-1)/d}}}}"
        name = stage.spec.display
        return rf"{name}_{place[0]} = \sin{angle} \quad {name}_{place[1]} = \cos{angle}"

    def prepare_workbook(self, book: WorkbookSource, stage: Stage) -> None:
        positional = book.document.positional
        book.set("position_base", book.labels.base, positional.base, positional.kind)

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        base, width = book.settings["position_base"], book.document.d
        return lambda head, row, column: (
            f"={('SIN', 'COS')[column % 2]}({row}*{base}^(-2*{column // 2}/{width}))"
        )


class Add(StageKind):
    """The sum of the stages that it reads, place by place."""

    name = "add"
    shows_sources = True

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        return saturate(arrays[stage.reads[0]] + arrays[stage.reads[1]])

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        (a,), (b,) = (source.stack(name) for name in stage.reads)
        return (
            tuple(
                tuple(add(pair) for pair in zip(*rows, strict=True))
                for rows in zip(a, b, strict=True)
            ),
        )

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        a, b = (source.stage(name) for name in stage.reads)
        return (a + b).widened(source.noise * (np.abs(a.center) + np.abs(b.center)))

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        factors = (trace.factor(name, cell.row, cell.column) for name in stage.reads)
        return Sum("add", tuple(Term((factor,)) for factor in factors))

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        for source in stage.reads:
            way.add(source, gradient)

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        return (Term((source.gradient(stage.id, cell.row, cell.column),)),)

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        return f"{variable(stage.id)} = {' + '.join(map(variable, stage.reads))}"

    def operands(self, document: Document, stage: Stage) -> str:
        return " + ".join(shown_shape(document.stage_shape(name)) for name in stage.reads)

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        return " + ".join(names)

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        return f"{stage.spec.display} = {' + '.join(stage.source_names(document))}"

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        sheets = [book.sheet(name) for name in stage.reads]
        return lambda head, row, column: (
            "=" + "+".join(sheet.cell(0, row, column) for sheet in sheets)
        )


ENTERED, SINUSOID, ADD = Entered(), Sinusoid(), Add()

X = StageSpec("X", ENTERED, "X", row_names=2)
P = StageSpec("P", SINUSOID, "P")
INPUT = StageSpec("input", ADD, "X′", letter="x′", latex="X'", display="X'", row_names=1)
X_CONTEXT = StageSpec(
    "X_context", ENTERED, "X_C", letter="x", latex="X_C", display="X^{C}", row_names=2
)
P_CONTEXT = StageSpec("P_context", SINUSOID, "P_C", letter="p", latex="P_C", display="P^{C}")
# Residual connections: what came into a sub-layer plus what the sub-layer computed.
ATTENTION_RESIDUAL = StageSpec(
    "attention_residual", ADD, "R₁", letter="r", latex="R_1", display="{R_1}"
)
MLP_RESIDUAL = StageSpec(
    "mlp_residual", ADD, "R₂", letter="r", latex="R_2", display="{R_2}", of_mlp=True
)
INPUT_CONTEXT = StageSpec(
    "input_context",
    ADD,
    "X_C′",
    letter="x′",
    latex="X'_C",
    matrix="X′_C",
    display="{X'}^{C}",
    row_names=1,
)
