"""A bias added to the scores that depends on the positions: ALiBi."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from core.arithmetic import attention, positional_encoding
from core.arithmetic.blockwise import Step
from core.arithmetic.enclosure import Enclosure
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.stages.dialect import Dialect, Formula, Shape, WorkbookSource, variable
from core.stages.exact import ExactSource, Stack, add, fraction, multiply
from core.stages.kind import (
    BackwardPass,
    EnclosureSource,
    GradientSource,
    ScoreKind,
    Stage,
    StageSpec,
    Trace,
)
from core.stages.terms import Sum, Term


def slopes(document: Document) -> Array:
    """The ALiBi slope of each head, (h,)."""
    given = document.positional.slopes
    return positional_encoding.alibi_slopes(document.h) if given is None else given


class Bias(ScoreKind):
    """Scores with a number added to each; the gradient goes on as it is."""

    name = "bias"
    moves_label = True

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        way.add(stage.reads[0], gradient)

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        return (Term((self.own_gradient(source, stage, cell),)),)


class Alibi(Bias):
    """Attention with linear biases: −slope · |i − j|."""

    name = "alibi"
    by_entry = True

    def parameters(self, document: Document, stage: Stage) -> tuple[Any, ...]:
        return (document.positional.slopes,)

    def step(self, document: Document) -> Step:
        slope = slopes(document)[:, None, None]
        distance = positional_encoding.distances(document.n, document.m)
        return attention.bias_step(
            lambda block: positional_encoding.alibi_lean(slope[block[0]], distance[block[1]])
        )

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        before = source.stage(stage.reads[0])
        center = self.compute(source.document, stage, {stage.reads[0]: before.center})
        noise = source.noise * (np.abs(before.center) + np.abs(center))
        return Enclosure(center, before.parts, before.rest + noise)

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        return tuple(
            tuple(
                tuple(
                    add((number, multiply(slope, Fraction(-abs(i - j)))))
                    for j, number in enumerate(row)
                )
                for i, row in enumerate(matrix)
            )
            for matrix, slope in zip(
                source.stack(stage.reads[0]),
                _exact_slopes(source.document.scope(stage.id)),
                strict=True,
            )
        )

    def constants(self, document: Document) -> tuple[tuple[str, float], ...]:
        names = [f"m({head})" if document.h > 1 else "m" for head in range(1, document.h + 1)]
        return tuple(zip(names, slopes(document).tolist(), strict=True))

    def arrow_label(self, document: Document) -> str:
        return "+ B"

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        slope, distance = (
            float(slopes(trace.document.scope(stage.id))[cell.head]),
            abs(cell.row - cell.column),
        )
        data = {"slope": slope, "distance": distance}
        return Sum("bias", (self.same_place(trace, stage, cell),), data)

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        if document.context is None:
            places = f"position = {lib.arange('n')}\n"
            places += f"distance = {lib.name}.abs(position[:, None] - position)"
        else:
            places = f"distance = {lib.name}.abs({lib.arange('n')}[:, None] - {lib.arange('m')})"
        return f"""{lib.array("slopes", slopes(document.scope(stage.id)))}
{places}
{variable(stage.id)} = {variable(stage.reads[0])} - slopes[:, None, None] * distance"""

    def variables(self, document: Document, stage: Stage) -> dict[str, Shape]:
        return {"slopes": (document.scope(stage.id).h,), "distance": (document.n, document.m)}

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        return rf"{names[0].replace('S', 's')}_{{ij}} - \mathrm{{slope}}\cdot|i - j|"

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        return r"S'_{ij} = S_{ij} - m \left| i - j \right|"

    def prepare_workbook(self, book: WorkbookSource, stage: Stage) -> None:
        names = book.head_names(stage.id)
        for head, slope in enumerate(slopes(book.document.scope(stage.id))):
            label = f"{book.labels.slope}: {names[head]}"
            book.set(f"{stage.id}{head}", label, float(slope), "ALiBi")

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        source, settings = book.sheet(stage.reads[0]), book.settings
        return lambda head, row, column: (
            f"={source.cell(head, row, column)}-{settings[f'{stage.id}{head}']}*{abs(row - column)}"
        )


def _exact_slopes(document: Document) -> tuple[Fraction | None, ...]:
    """The ALiBi slopes; 2^(−8i/h) is rational where 8i/h is whole."""
    given, h = document.positional.slopes, document.h
    if given is not None:
        return tuple(map(fraction, given.tolist()))
    return tuple(
        Fraction(1, 2 ** (8 * i // h)) if 8 * i % h == 0 else None for i in range(1, h + 1)
    )


ALIBI = Alibi()

BIASED = StageSpec(
    "biased",
    ALIBI,
    "+ B",
    short="+B",
    letter="s",
    latex="S''",
    matrix="(S+B)",
    drop_order=5,
    named=True,
)
