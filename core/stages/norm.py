"""LayerNorm and RMSNorm: each row brought to mean 0 and variance 1, or to mean square 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from core.arithmetic.enclosure import Enclosure
from core.arithmetic.normalisation import (
    LAYER,
    RMS,
    NormalisedRows,
    enclosed_normalisation,
    normalisation_gradient,
    normalise_rows,
)
from core.arithmetic.stable_sum import row_sum
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.parts import split_layer
from core.stages.dialect import Dialect, Formula, Shape, WorkbookSource, variable
from core.stages.exact import NOTHING, Exact, ExactSource, Stack, add, exact_tensor, fraction
from core.stages.exact import multiply as exact_multiply
from core.stages.kind import (
    BackwardPass,
    EnclosureSource,
    GradientSource,
    Stage,
    StageKind,
    StageSpec,
    Trace,
    input_factor,
    spec_of,
)
from core.stages.terms import Block, Factor, RowNumber, RowPart, Seen, Sum, Term, Terms


class RowNorm(StageKind):
    """Each row less its mean, divided by √(variance + ε), times gamma, plus beta.

    # (n, d) -> (n, d)
    """

    norm = LAYER
    square = "σ²"  # the symbol of what the root is taken of, without ε

    def parameters(self, document: Document, stage: Stage) -> tuple[Any, ...]:
        return (float(document.norm(stage.id).eps).hex(),)

    def rows(self, document: Document, stage: Stage, x: Array) -> NormalisedRows:
        """Every part of the normalisation of some rows.  # (n, d)"""
        norm = document.norm(stage.id)
        return normalise_rows(x, norm.gamma, norm.beta, kind=self.norm, eps=norm.eps)

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        return self.rows(document, stage, arrays[stage.reads[0]]).scaled

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        document = source.document
        eps = fraction(document.norm(stage.id).eps)
        factors = {name: exact_tensor(document, name, 0) for name in stage.inputs}
        gamma, beta = (
            next((found[0] for name, found in factors.items() if found and name.endswith(end)), ())
            for end in ("gamma", "beta")
        )

        def scaled(row: tuple[Exact, ...]) -> tuple[Exact, ...]:
            numbers = self._exact_row(row, eps)
            if gamma:
                numbers = tuple(map(exact_multiply, numbers, gamma))
            return tuple(map(add, zip(numbers, beta, strict=True))) if beta else numbers

        (rows,) = source.stack(stage.reads[0])
        return (tuple(map(scaled, rows)),)

    def _exact_row(self, row: tuple[Exact, ...], eps: Fraction) -> tuple[Exact, ...]:
        """The normalised row: rational where σ² + ε is the square of a fraction, and where it is 0."""
        known = [number for number in row if isinstance(number, Fraction)]
        if len(known) < len(row):
            return (None,) * len(row)
        mean = sum(known, NOTHING) / len(row) if self.norm == LAYER else NOTHING
        centred = [number - mean for number in known]
        square = sum((number**2 for number in centred), NOTHING) / len(row) + eps
        roots = math.isqrt(square.numerator), math.isqrt(square.denominator)
        root = Fraction(*roots)
        if root == 0:
            return (NOTHING,) * len(row)
        if root**2 == square:
            return tuple(number / root for number in centred)
        return tuple(NOTHING if number == 0 else None for number in centred)

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        norm = source.document.norm(stage.id)
        factors: dict[str, Enclosure] = {}
        for name in stage.inputs:
            tensor = source.tensor(name)
            if tensor is not None:
                factors[name.rpartition(".")[2]] = tensor.moved(np.atleast_2d)
        return enclosed_normalisation(
            source.stage(stage.reads[0]),
            factors.get("gamma"),
            factors.get("beta"),
            kind=self.norm,
            eps=norm.eps,
            noise=source.noise,
        )

    def dependencies(
        self, document: Document, stage: Stage, block: Block, head: int
    ) -> tuple[Block, ...]:
        """The whole rows."""
        (source,) = stage.reads
        return (Block(source, block.rows, (0, document.stage_shape(source)[-1])),)

    def variant(self, document: Document, stage: Stage) -> str:
        """ "rms" or "" for LayerNorm, and "post" where it comes after a sub-layer."""
        layer, _ = split_layer(stage.id)
        post = layer is not None and document.layer(stage.id).norm.place == "post"
        parts = (self.norm if self.norm == RMS else "", "post" if post else "")
        return " ".join(part for part in parts if part)

    def short_symbol(self, document: Document, stage_id: str, columns: bool) -> str:
        return symbol_of(spec_of(stage_id), document.norm(stage_id).kind)

    def display(self, document: Document, stage_id: str) -> str:
        symbol = symbol_of(spec_of(stage_id), document.norm(stage_id).kind)
        name, index = symbol.rstrip("₀₁₂"), symbol[-1].translate(_DIGITS)
        return rf"{{\mathrm{{{name}}}_{index}}}" if index.isdecimal() else rf"\mathrm{{{name}}}"

    # The worked sum, and the parts of a row

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        document, (source,) = trace.document, stage.reads
        parts = self._row(trace, stage, cell.row)
        terms = [Term((trace.factor(source, cell.row, cell.column),))]
        data = {"root": float(parts.root[0, 0])}
        text = latex = "{0}"
        if self.norm == LAYER:
            data["mean"] = float(parts.mean[0, 0])
            text, latex = "({0:start} − {mean})", "({0:start} - {mean})"
        text, latex = text + " ÷ {root}", rf"{latex} / {{root}}"
        for name in stage.inputs:
            factor = input_factor(document, name, 0, cell.column)
            assert factor is not None  # the plan lists only inputs that the document has
            place = f"{{{len(terms)}}}"
            terms.append(Term((factor,)))
            if name.endswith(".gamma"):
                text, latex = f"{place} × {text}", rf"{place} \cdot {latex}"
            else:
                text, latex = f"{text} + {place}", f"{latex} + {place}"
        return Sum("function", tuple(terms), data, text, latex, seen=_SEEN[_factors(stage)])

    def row_parts(self, trace: Trace, stage: Stage, row: int, head: int = 0) -> tuple[RowPart, ...]:
        """The row as it comes in, less its mean, divided by its root, scaled."""
        parts = self._row(trace, stage, row)
        mean, variance, root = (
            float(part[0, 0]) for part in (parts.mean, parts.variance, parts.root)
        )
        rungs = [RowPart("source", "x", trace.matrix(stage.reads[0])[row])]
        if self.norm == LAYER:
            number = RowNumber("mean", "μ", mean)
            rungs.append(RowPart("centred", "x − μ", parts.centred[0], (number,)))
        square = RowNumber("variance", self.square, variance)
        both = square, RowNumber("root", f"√({self.square} + ε)", root)
        rungs.append(RowPart("normalised", "x̂", parts.normalised[0], both))
        return (*rungs, RowPart("scaled", "y", trace.matrix(stage.id)[row]))

    def derive_part(self, trace: Trace, stage: Stage, part: str, cell: Cell) -> Sum:
        source = Term((trace.factor(stage.reads[0], cell.row, cell.column),))
        if part == "source":
            return Sum("copy", (source,), {"enabled": 1.0})
        if part == "scaled":
            return self.derive(trace, stage, cell)
        parts = self._row(trace, stage, cell.row)
        if part == "centred":
            mean = Term((Factor(-float(parts.mean[0, 0])),))
            return Sum("add", (source, mean))
        centred = Term((Factor(float(parts.centred[0, cell.column])),))
        data = {"root": float(parts.root[0, 0])}
        return Sum("function", (centred,), data, "{0} ÷ {root}", "{0} / {root}", seen=_quotient)

    def derive_number(self, trace: Trace, stage: Stage, number: str, row: int) -> Sum:
        """The mean, the variance (or mean square) or the root of a row."""
        parts, count = self._row(trace, stage, row), {"count": float(stage_width(trace, stage))}
        if number == "mean":
            return Sum("mean", Terms((trace.row(stage.reads[0], row),)), count)
        if number == "variance":
            squares = [Term((Factor(value),) * 2) for value in parts.centred[0].tolist()]
            return Sum("mean", tuple(squares), count)
        data = {"variance": float(parts.variance[0, 0]), "eps": trace.document.norm(stage.id).eps}
        return Sum("function", (), data, "√({variance} + {eps})", r"\sqrt{{{variance} + {eps}}}")

    def _row(self, trace: Trace, stage: Stage, row: int) -> NormalisedRows:
        source = trace.matrix(stage.reads[0])
        return self.rows(trace.document, stage, source[row : row + 1])

    # Gradients

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        """Back to x through mean, variance and quotient; to gamma and beta down the columns."""
        (source,) = stage.reads
        rows = self.rows(way.document, stage, way.trace[source])
        gamma = way.document.norm(stage.id).gamma
        way.add(source, normalisation_gradient(rows, gradient, gamma, kind=self.norm))
        for name in stage.inputs:
            back = gradient * rows.normalised if name.endswith(".gamma") else gradient
            way.tensors[name, 0] = row_sum(back.T)[:, 0]

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        """∂L/∂y of each column times how far that column moves with this x."""
        document, parts = source.document, self._row(source.trace, stage, cell.row)
        moves = normalisation_gradient(
            parts,
            np.eye(stage_width(source.trace, stage)),
            document.norm(stage.id).gamma,
            kind=self.norm,
        )[:, cell.column]
        return tuple(
            Term((source.gradient(stage.id, cell.row, column), Factor(move)))
            for column, move in enumerate(moves.tolist())
        )

    def input_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        """Gamma: what comes back times the normalised number, over all rows; beta without it."""
        trace = source.trace
        rows = self.rows(source.document, stage, trace[stage.reads[0]]).normalised
        back = [source.gradient(stage.id, i, cell.column) for i in range(len(rows))]
        if not cell.tensor.endswith(".gamma"):
            return tuple(Term((factor,)) for factor in back)
        column = rows[:, cell.column].tolist()
        return tuple(
            Term((factor, Factor(number))) for factor, number in zip(back, column, strict=True)
        )

    def back_rule(
        self, document: Document, stage: Stage, source: str, after: str, names: Callable[[str], str]
    ) -> str:
        gamma = any(name.endswith(".gamma") for name in stage.inputs)
        mean = " − Σ g ÷ d" if self.norm == LAYER else ""
        g = f"γ ⊙ {after}" if gamma else after
        return f"(g{mean} − x̂ ⊙ Σ (g ⊙ x̂) ÷ d) ÷ √({self.square} + ε),  g = {g}"

    def input_rule(self, stage: Stage, name: str, after: str, names: Callable[[str], str]) -> str:
        return f"Σ {after} ⊙ x̂" if name.endswith(".gamma") else f"Σ {after}"

    # As code and formulas

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        x, eps = variable(stage.reads[0]), float(document.norm(stage.id).eps)
        lines = [f"centred = {x} - {x}.{lib.mean}"] if self.norm == LAYER else []
        name = "centred" if self.norm == LAYER else x
        lines.append(f"root = (({name} * {name}).{lib.mean} + {eps!r}) ** 0.5")
        if eps == 0.0:
            lines.append(f"root = {lib.name}.where(root == 0.0, 1.0, root)  # an equal row gives 0")
        result = f"{name} / root"
        for tensor in stage.inputs:
            lines.append(lib.array(variable(tensor), document.tensor(tensor)))
            result += f" {'*' if tensor.endswith('.gamma') else '+'} {variable(tensor)}"
        return "\n".join([*lines, f"{variable(stage.id)} = {result}"])

    def operands(self, document: Document, stage: Stage) -> str:
        return ""

    def variables(self, document: Document, stage: Stage) -> dict[str, Shape]:
        n, d = document.stage_shape(stage.id)
        return {"centred": (n, d), "root": (n, 1)}

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        x = names[0]
        if self.norm == LAYER:
            result = rf"\frac{{{x} - \mu}}{{\sqrt{{\sigma^2 + \varepsilon}}}}"
        else:
            result = rf"{x} \Big/ \sqrt{{\tfrac{{1}}{{d}} \textstyle\sum x^2 + \varepsilon}}"
        return _scaled(stage, result, r"\gamma \odot ", r" + \beta")

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        token, place = ("j", "i") if columns else ("i", "j")
        (x,), root = stage.source_names(document), rf"\sigma_{token}^2"
        above = rf"{x}_{{ij}} - \mu_{token}" if self.norm == LAYER else rf"{x}_{{ij}}"
        if self.norm == RMS:
            root = rf"\frac{{1}}{{d}} \sum_{{p}} {x}_{{{'pj' if columns else 'ip'}}}^2"
        result = rf"\frac{{{above}}}{{\sqrt{{{root} + \varepsilon}}}}"
        right = _scaled(stage, result, rf"\gamma_{place}\, ", rf" + \beta_{place}")
        return rf"{self.display(document, stage.id)}_{{ij}} = {right}"

    def prepare_workbook(self, book: WorkbookSource, stage: Stage) -> None:
        eps = float(book.document.norm(stage.id).eps)
        book.set(f"{stage.id}.eps", f"ε · {stage.id}", eps)

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        x, eps = book.sheet(stage.reads[0]), book.settings[f"{stage.id}.eps"]
        width = book.document.stage_shape(stage.id)[-1]
        factors = [(name, book.sheet(name)) for name in stage.inputs]

        def formula(head: int, row: int, column: int) -> str:
            cells, own = x.row(0, row), x.cell(0, row, column)
            if self.norm == LAYER:
                own, spread = f"({own}-AVERAGE({cells}))", f"DEVSQ({cells})"
            else:
                spread = f"SUMSQ({cells})"
            square = f"{spread}/{width}+{eps}"
            result = f"IF({square}=0,0,{own}/SQRT({square}))"
            for name, sheet in factors:
                sign = "*" if name.endswith(".gamma") else "+"
                result += f"{sign}{sheet.cell(0, 0, column)}"
            return f"={result}"

        return formula


class LayerNorm(RowNorm):
    """Mean 0 and variance 1 in each row."""

    name = "layer_norm"
    norm = LAYER


class RmsNorm(RowNorm):
    """Mean square 1 in each row; no mean is subtracted."""

    name = "rms_norm"
    norm = RMS
    square = "Σx² ÷ d"


_DIGITS = str.maketrans("₀₁₂", "012")


def symbol_of(spec: StageSpec, kind: str) -> str:
    """The symbol of a norm of a kind: LN₁, or RMS₁."""
    return spec.symbol.replace("LN", "RMS") if kind == RMS else spec.symbol


def stage_width(trace: Trace, stage: Stage) -> int:
    """The columns of a stage."""
    return int(trace[stage.id].shape[-1])


Factors = tuple[bool, bool]  # whether a norm has gamma, and whether it has beta


def _factors(stage: Stage) -> Factors:
    ends = [name.rpartition(".")[2] for name in stage.inputs]
    return "gamma" in ends, "beta" in ends


def _scaled(stage: Stage, normalised: str, gamma: str, beta: str) -> str:
    """A formula with the gamma and beta that the stage has."""
    has_gamma, has_beta = _factors(stage)
    return f"{gamma if has_gamma else ''}{normalised}{beta if has_beta else ''}"


def _quotient(terms: Sequence[Fraction], data: Mapping[str, Fraction]) -> Fraction:
    return terms[0] / data["root"]


def _of_printed(gamma: bool, beta: bool) -> Seen:
    """The result of the printed numbers of a cell: x, gamma, beta."""

    def seen(terms: Sequence[Fraction], data: Mapping[str, Fraction]) -> Fraction:
        result = (terms[0] - data.get("mean", NOTHING)) / data["root"]
        return (terms[1] if gamma else 1) * result + (terms[-1] if beta else 0)

    return seen


_SEEN = {
    (gamma, beta): _of_printed(gamma, beta) for gamma in (False, True) for beta in (False, True)
}

LAYER_NORM, RMS_NORM = LayerNorm(), RmsNorm()

# By `kind` of a norm.
NORM_STAGES: dict[str, RowNorm] = {LAYER: LAYER_NORM, RMS: RMS_NORM}

EMBEDDING_NORM = StageSpec("embedding_norm", LAYER_NORM, "LN₀", letter="y", latex="N_0")
ATTENTION_NORM = StageSpec("attention_norm", LAYER_NORM, "LN₁", letter="y", latex="N_1")
MLP_NORM = StageSpec("mlp_norm", LAYER_NORM, "LN₂", letter="y", latex="N_2", of_mlp=True)
FINAL_NORM = StageSpec("final_norm", LAYER_NORM, "LN", letter="y", latex="N")
