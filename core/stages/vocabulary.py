"""The next word: a number for each word of the vocabulary, and the softmax over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from core.arithmetic.enclosure import Enclosure
from core.arithmetic.enclosure import softmax as enclosed_softmax
from core.arithmetic.sampling import softmax_at
from core.arithmetic.stable_sum import row_sum, saturate
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.stages.dialect import Dialect, Formula, Shape, WorkbookSource, variable
from core.stages.exact import Exact, ExactSource, Stack
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
from core.stages.terms import Block, Factor, RowNumber, RowPart, Sum, Term, TermRun, Terms


class VocabularySoftmax(StageKind):
    """The softmax of each row of logits ÷ temperature.  # (n, u) -> (n, u)"""

    name = "vocabulary_softmax"
    sequential = True
    shares = True
    by_entry = True

    def parameters(self, document: Document, stage: Stage) -> tuple[Any, ...]:
        return (float(document.sampling.temperature).hex(),)

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        return softmax_at(arrays[stage.reads[0]], document.sampling.temperature)

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        """Rational where all of a row are equal: each gets the same share."""

        def shares(row: tuple[Exact, ...]) -> tuple[Exact, ...]:
            equal = isinstance(row[0], Fraction) and all(number == row[0] for number in row)
            return (Fraction(1, len(row)) if equal or len(row) == 1 else None,) * len(row)

        (rows,) = source.stack(stage.reads[0])
        return (tuple(map(shares, rows)),)

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        logits, temperature = source.stage(stage.reads[0]), source.document.sampling.temperature
        result = enclosed_softmax(logits, 1 / temperature)
        largest = np.abs(logits.center).max(axis=-1, keepdims=True) / temperature
        noise = 4 * largest + logits.center.shape[-1] + 8
        return result.widened(source.noise * noise * np.abs(result.center))

    def dependencies(
        self, document: Document, stage: Stage, block: Block, head: int
    ) -> tuple[Block, ...]:
        """The whole rows, for their sums."""
        (source,) = stage.reads
        return (Block(source, block.rows, (0, document.stage_shape(source)[-1])),)

    def variant(self, document: Document, stage: Stage) -> str:
        words = "" if document.output and document.output.continues(document.tokens) else "classes"
        cooled = "" if document.sampling.temperature == 1.0 else "temperature"
        return f"{words} {cooled}".strip()

    def text_values(self, document: Document) -> dict[str, str]:
        return {"temperature": f"{document.sampling.temperature:g}"}

    # The worked sum, and the parts of a row

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        temperature = trace.document.sampling.temperature
        scaled, powers, total = _row(trace, stage, cell.row)
        data = {"maximum": float(scaled.max()), "total": total}
        data |= {"power": float(powers[cell.column]), "temperature": temperature}
        if temperature == 1.0:
            text, latex = "e^[{0:start} − {maximum}]", "e^{{{0:start} - {maximum}}}"
        else:
            text = "e^[{0:start} ÷ {temperature} − {maximum}]"
            latex = "e^{{{0:start} / {temperature} - {maximum}}}"
        term = Term((trace.factor(stage.reads[0], cell.row, cell.column),))
        text += " ÷ {total} ≈ {power} ÷ {total}"
        latex += " / {total} = {power} / {total}"
        return Sum("function", (term,), data, text, latex, seen=_share_seen)

    def row_parts(self, trace: Trace, stage: Stage, row: int, head: int = 0) -> tuple[RowPart, ...]:
        """The logits, divided by the temperature, their powers, their shares."""
        scaled, powers, total = _row(trace, stage, row)
        parts = [RowPart("logits", "z", trace.matrix(stage.reads[0])[row])]
        highest = RowNumber("maximum", "max", float(scaled.max()))
        if trace.document.sampling.temperature != 1.0:
            parts.append(RowPart("scaled", "z ÷ T", scaled))
        parts.append(RowPart("powers", "e^(z−max)", powers, (highest,)))
        own = trace.matrix(stage.id)[row]
        return (*parts, RowPart("shares", "p", own, (RowNumber("total", "Σ", total),)))

    def derive_part(self, trace: Trace, stage: Stage, part: str, cell: Cell) -> Sum:
        source = Term((trace.factor(stage.reads[0], cell.row, cell.column),))
        scaled, powers, total = _row(trace, stage, cell.row)
        own = Term((Factor(float(scaled[cell.column])),))
        match part:
            case "logits":
                return Sum("copy", (source,), {"enabled": 1.0})
            case "scaled":
                data = {"temperature": trace.document.sampling.temperature}
                text, latex = "{0} ÷ {temperature}", "{0} / {temperature}"
                return Sum("function", (source,), data, text, latex, seen=_scaled_seen)
            case "powers":
                data = {"maximum": float(scaled.max())}
                text, latex = "e^[{0:start} − {maximum}]", "e^{{{0:start} - {maximum}}}"
                return Sum("function", (own,), data, text, latex)
        power = Term((Factor(float(powers[cell.column])),))
        return Sum("quotient", (power,), {"total": total})

    def derive_number(self, trace: Trace, stage: Stage, number: str, row: int) -> Sum:
        """The maximum or the sum of a row."""
        scaled, powers, _ = _row(trace, stage, row)
        if number == "maximum":
            return Sum("max", Terms((TermRun(scaled, Cell(stage.reads[0], row, 0)),)))
        return Sum("sum", Terms((TermRun(powers, Cell(stage.id, row, 0)),)))

    # Gradients

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        """p = softmax(z ÷ T): ∂L/∂z = p (∂L/∂p − Σ ∂L/∂p p) ÷ T. Pinned shares count as computed."""
        (source,) = stage.reads
        temperature = way.document.sampling.temperature
        shares = softmax_at(way.trace[source], temperature)
        way.add(source, saturate(shares * (gradient - row_sum(gradient * shares)) / temperature))

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        """∂L/∂p of each word times how far its share moves with this logit."""
        temperature = source.document.sampling.temperature
        shares = softmax_at(source.trace.matrix(stage.reads[0])[cell.row], temperature)
        moves = -shares * shares[cell.column]
        moves[cell.column] += shares[cell.column]
        return tuple(
            Term((source.gradient(stage.id, cell.row, column), Factor(move)))
            for column, move in enumerate((moves / temperature).tolist())
        )

    def back_rule(
        self, document: Document, stage: Stage, source: str, after: str, names: Callable[[str], str]
    ) -> str:
        p, scale = names(stage.id), "" if document.sampling.temperature == 1.0 else " ÷ T"
        return f"{p} ⊙ ({after} − Σ {after} ⊙ {p}){scale}"

    # As code and formulas

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        temperature = float(document.sampling.temperature)
        divisor = "" if temperature == 1.0 else f" / {temperature!r}"
        return f"""scaled = {variable(stage.reads[0])}{divisor}
powers = {lib.name}.exp(scaled - scaled.{lib.maximum})
{variable(stage.id)} = powers / powers.{lib.total}"""

    def operands(self, document: Document, stage: Stage) -> str:
        return ""

    def variables(self, document: Document, stage: Stage) -> dict[str, Shape]:
        shape = document.stage_shape(stage.id)
        return {"scaled": shape, "powers": shape}

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        divisor = "" if document.sampling.temperature == 1.0 else " / T"
        z = names[0]
        return rf"e^{{{z}_{{ij}}{divisor}}} \Big/ \sum_m e^{{{z}_{{im}}{divisor}}}"

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        divisor = "" if document.sampling.temperature == 1.0 else "/T"
        z, other = stage.sources[0].display, "lj" if columns else "il"
        below = rf"\sum_{{l}} e^{{{z}_{{{other}}}{divisor}}}"
        return rf"p_{{ij}} = \frac{{e^{{{z}_{{ij}}{divisor}}}}}{{{below}}}"

    def prepare_workbook(self, book: WorkbookSource, stage: Stage) -> None:
        book.set("temperature", "T", book.document.sampling.temperature, "softmax")

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        z, temperature = book.sheet(stage.reads[0]), book.settings["temperature"]

        def formula(head: int, row: int, column: int) -> str:
            cells = z.row(0, row)
            power = f"EXP(({{}}-MAX({cells}))/{temperature})"
            total = f"SUMPRODUCT({power.format(cells)})"
            return f"={power.format(z.cell(0, row, column))}/{total}"

        return formula


def _row(trace: Trace, stage: Stage, row: int) -> tuple[Array, Array, float]:
    """Logits ÷ temperature of a row, their powers less the maximum, and the sum of the powers."""
    with np.errstate(all="ignore"):
        scaled = saturate(trace.matrix(stage.reads[0])[row] / trace.document.sampling.temperature)
    powers = np.exp(scaled - scaled.max())
    return scaled, powers, float(row_sum(powers)[0])


def _share_seen(terms: Sequence[Fraction], data: Mapping[str, Fraction]) -> Fraction:
    return data["power"] / data["total"]


def _scaled_seen(terms: Sequence[Fraction], data: Mapping[str, Fraction]) -> Fraction:
    return terms[0] / data["temperature"]


VOCABULARY_SOFTMAX = VocabularySoftmax()

LOGITS = StageSpec("logits", PROJECT, "z", letter="z", latex="z", matrix="z")
PROBABILITIES = StageSpec(
    "probabilities",
    VOCABULARY_SOFTMAX,
    "p",
    letter="p",
    latex="p",
    matrix="p",
    role="weights",
    row_names=1,
)
