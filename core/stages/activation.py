"""The MLP: projections to the hidden width and back, and the activation function between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from core.arithmetic.activations import ACTIVATIONS, TANH_CUBE, TANH_SCALE, enclosed_activation
from core.arithmetic.enclosure import Enclosure
from core.arithmetic.stable_sum import saturate
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.stages.dialect import NUMPY, Dialect, Formula, WorkbookSource, variable
from core.stages.exact import NOTHING, Exact, ExactSource, Stack
from core.stages.exact import multiply as exact_multiply
from core.stages.kind import (
    BackwardPass,
    EnclosureSource,
    GradientSource,
    Stage,
    StageKind,
    StageSpec,
    Trace,
)
from core.stages.project import PROJECT
from core.stages.terms import Factor, RowPart, Seen, Sum, Term


@dataclass(frozen=True, slots=True)
class ActivationForm:
    """How an activation is written. In code and workbooks {x} is its argument.

    In worked sums {0} is the number that goes in, {share} what it is multiplied with.
    """

    name: str
    numpy: str
    torch: str
    workbook: str
    text: str
    latex: str  # a worked sum
    formula: str  # of {x}
    before: str = ""  # a statement of NumPy code that it needs


FORMS: dict[str, ActivationForm] = {
    "relu": ActivationForm(
        "ReLU",
        "np.maximum({x}, 0.0)",
        "torch.clamp({x}, min=0.0)",
        "MAX({x},0)",
        "max(0, {0:start})",
        r"\max(0, {0:start})",
        r"\max\left(0,\ {x}\right)",
    ),
    "gelu": ActivationForm(
        "GELU",
        "{x} * 0.5 * (1 + np.vectorize(erf)({x} / 2**0.5))",
        "{x} * 0.5 * (1 + torch.erf({x} / 2**0.5))",
        "{x}*NORMSDIST({x})",
        "{0} × Φ({0:start}) ≈ {0} × {share}",
        r"{0} \cdot \Phi({0:start}) = {0} \cdot {share}",
        r"{x}\, \Phi\left({x}\right)",
        before="from math import erf",
    ),
    "gelu_tanh": ActivationForm(
        "GELU",
        f"{{x}} * 0.5 * (1 + np.tanh((2 / np.pi) ** 0.5 * ({{x}} + {TANH_CUBE} * {{x}}**3)))",
        f"{{x}} * 0.5 * (1 + torch.tanh((2 / np.pi) ** 0.5 * ({{x}} + {TANH_CUBE} * {{x}}**3)))",
        f"{{x}}*0.5*(1+TANH(SQRT(2/PI())*({{x}}+{TANH_CUBE}*{{x}}^3)))",
        "{0} × ½ (1 + tanh({angle:start})) ≈ {0} × {share}",
        r"{0} \cdot \tfrac{{1}}{{2}} (1 + \tanh({angle:start})) = {0} \cdot {share}",
        r"\frac{{ {x} }}{{2}} \left(1 + \tanh\left(\sqrt{{2/\pi}}\,"
        rf"\left({{x}} + {TANH_CUBE}\, {{x}}^3\right)\right)\right)",
    ),
    "silu": ActivationForm(
        "SiLU",
        "{x} / (1 + np.exp(-{x}))",
        "{x} * torch.sigmoid({x})",
        "{x}/(1+EXP(-{x}))",
        "{0} × σ({0:start}) ≈ {0} × {share}",
        r"{0} \cdot \sigma({0:start}) = {0} \cdot {share}",
        r"\frac{{ {x} }}{{1 + e^{{-{x}}}}}",
    ),
}


class Activation(StageKind):
    """ReLU, GELU or SiLU of each number; with a gate, that of the gate times the hidden number.

    # (n, f) -> (n, f)
    """

    name = "activation"
    shows_sources = True

    def parameters(self, document: Document, stage: Stage) -> tuple[Any, ...]:
        return (document.mlp(stage.id).activation,)

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        first, *hidden = (arrays[name] for name in stage.reads)
        result = _activation(document, stage).value(first)
        return saturate(result * hidden[0]) if hidden else result

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        """ReLU alone is rational, and every activation of 0."""
        relu = source.document.mlp(stage.id).activation == "relu"

        def active(number: Exact) -> Exact:
            if relu:
                return max(number, NOTHING) if isinstance(number, Fraction) else None
            return NOTHING if number == NOTHING else None

        (first,), *hidden = (source.stack(name) for name in stage.reads)
        rows = tuple(tuple(map(active, row)) for row in first)
        if not hidden:
            return (rows,)
        pairs = zip(rows, hidden[0][0], strict=True)
        return (tuple(tuple(map(exact_multiply, *pair)) for pair in pairs),)

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        first, *hidden = (source.stage(name) for name in stage.reads)
        activation = source.document.mlp(stage.id).activation
        result = enclosed_activation(activation, first, source.noise)
        if not hidden:
            return result
        result = result * hidden[0]
        return result.widened(source.noise * np.abs(result.center))

    def variant(self, document: Document, stage: Stage) -> str:
        return "gate" if len(stage.reads) > 1 else document.mlp(stage.id).activation

    def short_symbol(self, document: Document, stage_id: str, columns: bool) -> str:
        mlp = document.mlp(stage_id)
        return symbol_of(mlp.activation, gate=mlp.W_gate is not None)

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        name = trace.document.mlp(stage.id).activation
        terms = [Term((trace.factor(source, cell.row, cell.column),)) for source in stage.reads]
        form, data = FORMS[name], _constants(name, terms[0].value)
        text, latex = form.text, form.latex
        if len(terms) > 1:
            text, latex = f"{text} × {{1}}", rf"{latex} \cdot {{1}}"
        return Sum("function", tuple(terms), data, text, latex, seen=_SEEN[name == "relu"])

    def row_parts(self, trace: Trace, stage: Stage, row: int, head: int = 0) -> tuple[RowPart, ...]:
        """H and the activation; with a gate: gate, its activation, hidden, product."""
        rows = [trace.matrix(name)[row] for name in stage.reads]
        own = RowPart("active", stage.symbol, trace.matrix(stage.id)[row])
        if len(rows) == 1:
            return RowPart("hidden", "H", rows[0]), own
        name = FORMS[trace.document.mlp(stage.id).activation].name
        active = _activation(trace.document, stage).value(rows[0])
        return (
            RowPart("gate", "G", rows[0]),
            RowPart("active", f"{name}(G)", active),
            RowPart("hidden", "H", rows[1]),
            RowPart("product", stage.symbol, own.values),
        )

    def derive_part(self, trace: Trace, stage: Stage, part: str, cell: Cell) -> Sum:
        if part in ("hidden", "gate"):
            source = stage.reads[0 if part == "gate" else -1]
            term = Term((trace.factor(source, cell.row, cell.column),))
            return Sum("copy", (term,), {"enabled": 1.0})
        found = self.derive(trace, stage, cell)
        if part == "product" or len(stage.reads) == 1:
            return found
        form = FORMS[trace.document.mlp(stage.id).activation]
        return Sum("function", found.terms[:1], found.data, form.text, form.latex, found.seen)

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        activation = _activation(way.document, stage)
        source, *others = stage.reads
        first = way.trace[source]
        back = gradient
        for name in others:
            way.add(name, saturate(gradient * activation.value(first)))
            back = saturate(gradient * way.trace[name])
        way.add(source, back * activation.slope(first))

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        """What comes back times the slope, and times the other number where there is a gate."""
        activation, trace = _activation(source.document, stage), source.trace
        place = cell.row, cell.column
        first = np.array([trace[stage.reads[0]][place]])
        own = source.gradient(stage.id, *place)
        if cell.tensor != stage.reads[0]:
            return (Term((own, Factor(float(activation.value(first)[0])))),)
        slope = Factor(float(activation.slope(first)[0]))
        others = (trace.factor(name, *place) for name in stage.reads[1:])
        return (Term((own, *others, slope)),)

    def back_rule(
        self, document: Document, stage: Stage, source: str, after: str, names: Callable[[str], str]
    ) -> str:
        name, (first, *others) = FORMS[document.mlp(stage.id).activation].name, stage.reads
        if source != first:
            return f"{after} ⊙ {name}({names(first)})"
        factors = [after, *map(names, others), f"{name}′({names(first)})"]
        return " ⊙ ".join(factors)

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        form, (first, *others) = (
            FORMS[document.mlp(stage.id).activation],
            map(variable, stage.reads),
        )
        numpy = lib.name == NUMPY.name
        right = (form.numpy if numpy else form.torch).format(x=first)
        lines = [form.before] if numpy and form.before else []
        result = " * ".join([right, *others])
        return "\n".join([*lines, f"{variable(stage.id)} = {result}"])

    def operands(self, document: Document, stage: Stage) -> str:
        return ""

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        name = FORMS[document.mlp(stage.id).activation].name
        return " \\odot ".join([rf"\mathrm{{{name}}}({names[0]})", *names[1:]])

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        form = FORMS[document.mlp(stage.id).activation]
        first, *others = (f"{spec.display}_{{ij}}" for spec in stage.sources)
        right = r"\, ".join([form.formula.format(x=first), *others])
        return rf"\mathrm{{{form.name}}}({stage.sources[0].display})_{{ij}} = {right}"

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        form = FORMS[book.document.mlp(stage.id).activation]
        first, *others = (book.sheet(name) for name in stage.reads)

        def formula(head: int, row: int, column: int) -> str:
            factors = [sheet.cell(0, row, column) for sheet in others]
            return "=" + "*".join([form.workbook.format(x=first.cell(0, row, column)), *factors])

        return formula


def symbol_of(activation: str, *, gate: bool) -> str:
    """The symbol of what is active: ReLU(H), or SiLU(G) ⊙ H."""
    name = FORMS[activation].name
    return f"{name}(G) ⊙ H" if gate else f"{name}(H)"


def _activation(document: Document, stage: Stage) -> Any:
    return ACTIVATIONS[document.mlp(stage.id).activation]


def _constants(name: str, x: float) -> dict[str, float]:
    """What a number is multiplied with, and for GELU by tanh the argument of tanh."""
    if name == "relu":
        return {}
    share = float(ACTIVATIONS[name].value(np.array([x]))[0]) / x if x else 0.5
    if name != "gelu_tanh":
        return {"share": share}
    return {
        "share": share,
        "angle": float(saturate(np.array([TANH_SCALE * (x + TANH_CUBE * x**3)]))[0]),
    }


def _relu_seen(terms: Sequence[Fraction], data: Mapping[str, Fraction]) -> Fraction:
    return max(terms[0], NOTHING) * (terms[1] if len(terms) > 1 else 1)


def _share_seen(terms: Sequence[Fraction], data: Mapping[str, Fraction]) -> Fraction:
    return terms[0] * data["share"] * (terms[1] if len(terms) > 1 else 1)


_SEEN: dict[bool, Seen] = {True: _relu_seen, False: _share_seen}

ACTIVATION = Activation()

MLP_HIDDEN = StageSpec("mlp_hidden", PROJECT, "H", letter="h", latex="H", of_mlp=True)
MLP_GATE = StageSpec("mlp_gate", PROJECT, "G", letter="g", latex="G", of_mlp=True)
MLP_ACTIVE = StageSpec(
    "mlp_active", ACTIVATION, "a(H)", letter="a", latex="A_H", display="a(H)", of_mlp=True
)
MLP_OUT = StageSpec("mlp_out", PROJECT, "F", letter="f", latex="F", of_mlp=True)
