"""The softmax: powers of the scores, and each power divided by its row's sum."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from core.arithmetic import attention
from core.arithmetic.attention import row_max
from core.arithmetic.blockwise import Step
from core.arithmetic.enclosure import Enclosure, below_maximum, exponential, from_first
from core.arithmetic.enclosure import shares as enclosed_shares
from core.arithmetic.enclosure import softmax as enclosed_softmax
from core.arithmetic.stable_sum import row_sum, saturate
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.parts import Pin
from core.stages.dialect import Dialect, Formula, Shape, WorkbookSource, is_pinned, variable
from core.stages.exact import MASKED, NOTHING, Exact, ExactSource, Stack, add, maximum, power
from core.stages.inputs import Entered
from core.stages.kind import (
    BackwardPass,
    EnclosureSource,
    GradientSource,
    Plan,
    ScoreKind,
    Stage,
    StageSpec,
    Trace,
)
from core.stages.terms import BackStep, Block, Factor, Sum, Term


class Exponential(ScoreKind):
    """base^(score − row maximum), or base^score without the shift; masked gives exactly 0."""

    name = "exponential"
    in_softmax = True
    moves_label = True
    by_entry = True
    sequential = True
    shows_masked = True
    shows_empty_rows = True

    def parameters(self, document: Document, stage: Stage) -> tuple[Any, ...]:
        return (document.softmax,)

    def step(self, document: Document) -> Step:
        return attention.exp_step(document.softmax.number, document.softmax.shift)

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        softmax = source.document.softmax
        base = None if softmax.base == "e" else int(softmax.base)

        def raised(row: tuple[Exact, ...]) -> tuple[Exact, ...]:
            allowed_ones = [number for number in row if number != MASKED]
            if softmax.shift and len(allowed_ones) == 1:  # irrational or not, it is its own maximum
                return tuple(NOTHING if number == MASKED else Fraction(1) for number in row)
            offset = maximum(allowed_ones) if softmax.shift else NOTHING
            return tuple(power(base, number, offset) for number in row)

        return tuple(tuple(map(raised, matrix)) for matrix in source.stack(stage.reads[0]))

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        softmax = source.document.softmax
        exponents = source.stage(stage.reads[0]).times(math.log(softmax.number))
        if softmax.shift:
            exponents = below_maximum(from_first(exponents))
        power = exponential(exponents)
        size = np.where(np.isfinite(exponents.center), np.abs(exponents.center), 0.0)
        return power.widened(source.noise * (2 * size + 4) * power.center)

    def dependencies(
        self, document: Document, stage: Stage, block: Block, head: int
    ) -> tuple[Block, ...]:
        """The whole row where its maximum is sought, else the same place."""
        columns = (0, document.m) if stage.lead else block.columns
        return (Block(stage.reads[0], block.rows, columns),)

    def short_symbol(self, document: Document, stage_id: str, columns: bool) -> str:
        base = document.softmax.base
        return EXP.short if base == "e" else f"{base}ˣ"

    def arrow_label(self, document: Document) -> str:
        return self.short_symbol(document, EXP.name, columns=False)

    def widest_label(self, document: Document) -> str:
        return EXP.short

    def variant(self, document: Document, stage: Stage) -> str:
        return "" if document.softmax.shift else "plain"

    def text_values(self, document: Document) -> dict[str, str]:
        base, softmax = document.softmax.base, document.softmax
        return {"base": base, "power": f"{base}ˢ⁻ᵐᵃˣ" if softmax.shift else f"{base}ˢ"}

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        softmax = trace.document.softmax
        data = {"base": softmax.number}
        if softmax.shift:
            data["maximum"] = self.lead_value(trace.matrix(stage.reads[0], cell.head)[cell.row])
        return Sum("exp", (self.same_place(trace, stage, cell),), data)

    def lead_value(self, row: Array) -> float:
        """The row's maximum."""
        return float(row_max(row)[0])

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        """e = b^(s − max): ∂e/∂s = e ln b.

        The maximum is a score, too. What goes back through it cancels, unless a pinned numerator
        holds still while the others move; then it goes to the first of the largest scores.
        """
        (source,) = stage.reads
        softmax = way.document.softmax
        through = saturate(gradient * way.trace[stage.id] * math.log(softmax.number))
        back = np.array(through)
        if softmax.shift:
            s = way.trace[source]
            for head, row in sorted({pin.index[:2] for pin in _pins(way.document, stage)}):
                if np.isfinite(row_max(s[head, row])[0]):
                    highest = int(s[head, row].argmax())
                    back[head, row, highest] -= float(row_sum(through[head, row])[0])
        way.add(source, back)

    def back_step(
        self, source: GradientSource, stage: Stage, cell: Cell, value: float
    ) -> BackStep | None:
        """∂L/∂s: by the weights, or by the numerators where one of the row is pinned; 0 where s =
        −∞.
        """
        trace, document = source.trace, source.document
        if np.isneginf(trace.value(cell)):
            return BackStep("products", cell, (), value)
        if any(pin.index[:2] == (cell.head, cell.row) for pin in _pins(document, stage)):
            return self._power_step(source, stage, cell, value)
        numerators = trace.matrix(stage.id, cell.head)[cell.row]
        total = float(row_sum(numerators)[0])
        if total == 0.0:
            return BackStep("products", cell, (), value)
        (weights,) = trace.plan.readers(stage.id)
        data = {
            "weight": float(numerators[cell.column]) / total,
            "own": source.gradient(weights.id, cell.row, cell.column, cell.head).value,
            "log": math.log(document.softmax.number),
        }
        return BackStep("softmax", cell, _shares(source, weights, cell), value, data)

    def _power_step(
        self, source: GradientSource, stage: Stage, cell: Cell, value: float
    ) -> BackStep:
        """e ∂L/∂e ln b, less what the row's maximum takes off all of them, at the place of the
        maximum.
        """
        trace, softmax = source.trace, source.document.softmax
        log, h, row = math.log(softmax.number), cell.head, cell.row
        numerators = trace.matrix(stage.id, h)[row]
        back = [source.gradient(stage.id, row, j, h) for j in range(len(numerators))]
        highest = int(trace.matrix(cell.tensor, h)[row].argmax()) == cell.column
        terms: list[Term] = []
        if softmax.shift and highest:
            terms = [
                Term((g, trace.factor(stage.id, row, j, h), Factor(log)))
                for j, g in enumerate(back)
            ]
        own = back[cell.column].value
        data = {"numerator": float(numerators[cell.column]), "own": own, "log": log}
        return BackStep("power", cell, tuple(terms), value, data)

    def back_rule(
        self, document: Document, stage: Stage, source: str, after: str, names: Callable[[str], str]
    ) -> str:
        """By the weights: the numerators are left out."""
        log = "" if document.softmax.base == "e" else f" · ln {document.softmax.base}"
        return f"A ⊙ (∂L/∂A − Σ ∂L/∂A ⊙ A){log}"

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        source, softmax = stage.reads[0], document.softmax
        calls = {"e": "exp({})", "2": "exp2({})"}
        general = f"{lib.power}({softmax.base}.0, {{}})"
        call = f"{lib.name}.{calls.get(softmax.base, general)}"
        name, result = variable(source), variable(stage.id)
        if not softmax.shift:
            return f"{result} = {call.format(name)}"
        lines = [f"highest = {name}.{lib.maximum}"]
        if document.mask.kind != "none":
            lines.append(
                f"highest = {lib.name}.where({lib.name}.isneginf(highest), 0.0, highest)"
                "  # a row may have no key to attend to"
            )
        return "\n".join([*lines, f"{result} = {call.format(f'{name} - highest')}"])

    def variables(self, document: Document, stage: Stage) -> dict[str, Shape]:
        return {"highest": (*document.stage_shape(stage.id)[:2], 1)}

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        entry, softmax = names[0].replace("S", "s"), document.softmax
        shift = rf" - \max_m {entry}_{{im}}" if softmax.shift else ""
        return rf"{softmax.base}^{{\,{entry}_{{ij}}{shift}}}"

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        base = document.softmax.base
        power = base if len(base) == 1 else f"{{{base}}}"  # several digits stay together
        row = r"\cdot j" if columns else "i"
        shift = rf" - \max\, s_{{{row}}}" if document.softmax.shift else ""
        return rf"E_{{ij}} = {power}^{{\,s_{{ij}}{shift}}}"

    def prepare_workbook(self, book: WorkbookSource, stage: Stage) -> None:
        softmax = book.document.softmax
        base = "=EXP(1)" if softmax.base == "e" else softmax.number
        book.set("softmax_base", book.labels.base, base, "softmax", softmax.number)

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        source, base = book.sheet(stage.reads[0]), book.settings["softmax_base"]
        softmax = book.document.softmax

        def formula(head: int, row: int, column: int) -> str:
            score = source.cell(head, row, column)
            exponent = f"{score}-MAX({source.row(head, row)})" if softmax.shift else score
            power = f"EXP({exponent})" if softmax.base == "e" else f"{base}^({exponent})"
            return f"=IF(ISNUMBER({score}),{power},0)"

        return formula


class Normalise(ScoreKind):
    """Each row divided by its sum; a row that sums to 0 becomes 0."""

    name = "normalise"
    in_softmax = True
    marks_empty_rows = True
    moves_label = True
    by_entry = True
    sequential = True
    shares = True
    shows_masked = True
    shows_empty_rows = True

    def step(self, document: Document) -> Step:
        return attention.normalise_step()

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        def shares(row: tuple[Exact, ...]) -> tuple[Exact, ...]:
            total = add(row)
            if not isinstance(total, Fraction):
                return tuple(NOTHING if number == 0 else None for number in row)
            return tuple(
                number / total if isinstance(number, Fraction) and total else NOTHING
                for number in row
            )

        return tuple(tuple(map(shares, matrix)) for matrix in source.stack(stage.reads[0]))

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        """From the scores, whose softmax has closer bounds than the quotient, if that is possible."""
        (powers,) = stage.reads
        if source.is_computed(powers):
            scores = source.stage(softmax_source(source.plan, stage.layer))
            result = enclosed_softmax(scores, math.log(source.document.softmax.number))
            size = np.where(np.isfinite(scores.center), np.abs(scores.center), 0.0)
            noise = 2 * size.max(axis=-1, keepdims=True) + scores.center.shape[-1] + 8
        else:
            result, noise = enclosed_shares(source.stage(powers)), source.document.m + 4.0
        return result.widened(source.noise * noise * np.abs(result.center))

    def dependencies(
        self, document: Document, stage: Stage, block: Block, head: int
    ) -> tuple[Block, ...]:
        """The whole row, for its sum."""
        return (Block(stage.reads[0], block.rows, (0, document.m)),)

    def arrow_label(self, document: Document) -> str:
        return "÷ Σ"

    def variant(self, document: Document, stage: Stage) -> str:
        return "pinned" if is_pinned(document, stage.id) else ""

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        total = self.lead_value(trace.matrix(stage.reads[0], cell.head)[cell.row])
        return Sum("quotient", (self.same_place(trace, stage, cell),), {"total": total})

    def lead_value(self, row: Array) -> float:
        """The row's sum."""
        return float(row_sum(row)[0])

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        """a = e ÷ sum: ∂L/∂eᵢ = (∂L/∂aᵢ − Σⱼ ∂L/∂aⱼ aⱼ) ÷ sum. A row that sums to 0 hands nothing
        on.

        Pinned weights do not count in Σ: their gradient is 0.
        """
        (source,) = stage.reads
        total = row_sum(way.trace[source])
        mean = row_sum(gradient * way.trace[stage.id])
        back = saturate((gradient - mean) / np.where(total == 0.0, 1.0, total))
        way.add(source, np.where(total == 0.0, 0.0, back))

    def back_step(
        self, source: GradientSource, stage: Stage, cell: Cell, value: float
    ) -> BackStep | None:
        """∂L/∂e of a numerator; nothing where the row's sum is 0."""
        total = self.lead_value(source.trace.matrix(cell.tensor, cell.head)[cell.row])
        if total == 0.0:
            return BackStep("products", cell, (), value)
        own = source.gradient(stage.id, cell.row, cell.column, cell.head).value
        data = {"own": own, "total": total}
        return BackStep("quotient", cell, _shares(source, stage, cell), value, data)

    def back_rule(
        self, document: Document, stage: Stage, source: str, after: str, names: Callable[[str], str]
    ) -> str:
        return f"({after} − Σ {after} ⊙ {names(stage.id)}) ÷ Σ {names(source)}"

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        (source,) = stage.reads
        name, result = variable(source), variable(stage.id)
        total = f"total = {name}.{lib.total}\n"
        if document.mask.kind == "none" and not is_pinned(document, source):
            return total + f"{result} = {name} / total"
        where = f"{lib.name}.where"
        return (
            total + f"{result} = {where}(total == 0, 0.0, {name} / {where}(total == 0, 1.0, total))"
        )

    def variables(self, document: Document, stage: Stage) -> dict[str, Shape]:
        return {"total": (*document.stage_shape(stage.id)[:2], 1)}

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        return rf"{names[0]}_{{ij}} \Big/ \sum_m {names[0]}_{{im}}"

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        return rf"A_{{ij}} = \frac{{E_{{ij}}}}{{\sum_{{l}} E_{{{'lj' if columns else 'il'}}}}}"

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        source = book.sheet(stage.reads[0])

        def formula(head: int, row: int, column: int) -> str:
            total = f"SUM({source.row(head, row)})"
            return f"=IF({total}=0,0,{source.cell(head, row, column)}/{total})"

        return formula


class GivenWeights(Entered):
    """Weights as they were given; no scores are known."""

    name = "given weights"
    sequential = True
    shares = True

    def variant(self, document: Document, stage: Stage) -> str:
        return "uneven" if document.uneven_rows else "given"

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        queries, keys = document.letters(stage.axes[-2:])
        shape = (keys, queries) if columns else (queries, keys)
        return rf"A \in \mathbb{{R}}^{{{shape[0]} \times {shape[1]}}}"

    def text_values(self, document: Document) -> dict[str, str]:
        """The first of the rows that do not add up to 1, and how many there are."""
        rows = document.uneven_rows
        if not rows:
            return {}
        head, row, total = rows[0]
        numbers = {"count": len(rows), "row": row + 1, "head": head + 1}
        return {name: str(number) for name, number in numbers.items()} | {"sum": f"{total:.6g}"}


def softmax_source(plan: Plan, layer: int | None = None) -> str:
    """The id of the stage that the softmax is taken of: the scores after scale, bias and mask.

    In a stack of the given layer. A plan with given weights has none: ask `has_scores` first.
    """
    stage = plan.of_kind(EXPONENTIAL, layer)[0]
    return stage.reads[0]


def has_scores(plan: Plan) -> bool:
    """Whether the weights come from scores, and are not given."""
    return bool(plan.of_kind(EXPONENTIAL))


def _pins(document: Document, stage: Stage) -> list[Pin]:
    return [pin for pin in document.pins if pin.stage == stage.id]


def _shares(source: GradientSource, weights: Stage, cell: Cell) -> tuple[Term, ...]:
    """Σⱼ ∂L/∂aⱼ aⱼ of the cell's row."""
    row, h = cell.row, cell.head
    columns = range(source.trace.matrix(weights.id).shape[1])
    return tuple(
        Term((source.gradient(weights.id, row, j, h), source.trace.factor(weights.id, row, j, h)))
        for j in columns
    )


EXPONENTIAL, NORMALISE, GIVEN_WEIGHTS = Exponential(), Normalise(), GivenWeights()

EXP = StageSpec(
    "exp",
    EXPONENTIAL,
    "e^{s−max}",
    short="exp",
    letter="e",
    latex="E",
    matrix="E",
    role="weights",
    drop_order=2,
    named=True,
)
WEIGHTS = StageSpec(
    "weights",
    NORMALISE,
    "A",
    letter="a",
    latex="A",
    role="weights",
    drop_order=13,
    row_names=2,
)
