"""Scores times a factor: 1/√d_k, or one of the user's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from core.arithmetic import attention
from core.arithmetic.blockwise import Step
from core.arithmetic.enclosure import Enclosure
from core.base.arrays import Array
from core.base.cell import Cell
from core.base.number_format import show
from core.document.document import Document, Scale
from core.document.edits import with_scale
from core.document.parts import layer_id, split_layer
from core.stages.dialect import Dialect, Formula, WorkbookSource, variable, width_name
from core.stages.exact import ExactSource, Stack, each_number, fraction, multiply
from core.stages.kind import (
    BackwardPass,
    EnclosureSource,
    GradientSource,
    ScoreKind,
    Stage,
    StageSpec,
    Trace,
)
from core.stages.terms import Factor, Sum, Term

# The factor of each kind of scale.
FACTORS: Mapping[str, Callable[[Document], float]] = {
    "sqrt_dk": lambda document: 1.0 / math.sqrt(document.k),
    "none": lambda document: 1.0,
    "factor": lambda document: document.scale.value,
}


def scale_factor(document: Document) -> float:
    """What the scores are multiplied with: 1/√d_k, the factor given, or 1."""
    return FACTORS[document.scale.kind](document)


def with_scale_kind(document: Document, kind: str) -> Document:
    """Choose a kind of scale; a factor starts at the one that is used now."""
    if kind == document.scale.kind:
        return document
    return with_scale(document, Scale(kind, scale_factor(document) if kind == "factor" else 1.0))


class ScaleScores(ScoreKind):
    """Scores times the scale."""

    name = "scale"
    moves_label = True

    def parameters(self, document: Document, stage: Stage) -> tuple[Any, ...]:
        return (float(scale_factor(document.scope(stage.id))).hex(),)

    def step(self, document: Document) -> Step:
        return attention.scale_step(scale_factor(document))

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        factor = _exact_factor(source.document.scope(stage.id))
        return each_number(source.stack(stage.reads[0]), lambda number: multiply(number, factor))

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        result = source.stage(stage.reads[0]).times(scale_factor(source.document.scope(stage.id)))
        return result.widened(2 * source.noise * np.abs(result.center))

    def constants(self, document: Document) -> tuple[tuple[str, float], ...]:
        if not _by_root(document):
            return (("c", document.scale.value),)
        root = math.sqrt(document.k)
        return () if root.is_integer() else ((f"√{document.k}", root),)

    def short_symbol(self, document: Document, stage_id: str, columns: bool) -> str:
        return SCALED.short if document.scale.kind != "factor" else "×c"

    def arrow_label(self, document: Document) -> str:
        return "× c" if document.scale.kind == "factor" else self.widest_label(document)

    def widest_label(self, document: Document) -> str:
        return f"÷ √{document.k}"

    def variant(self, document: Document, stage: Stage) -> str:
        return document.scale.kind

    def text_values(self, document: Document) -> dict[str, str]:
        return {"factor": show(document.scale.value, 2)}

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        document = trace.document.scope(stage.id)
        data = {"factor": scale_factor(document), "k": document.k}
        return Sum("scale", (self.same_place(trace, stage, cell),), data)

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        way.add(stage.reads[0], gradient * scale_factor(way.document.scope(stage.id)))

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        own = self.own_gradient(source, stage, cell)
        return (Term((own, Factor(scale_factor(source.document.scope(stage.id))))),)

    def back_rule(
        self, document: Document, stage: Stage, source: str, after: str, names: Callable[[str], str]
    ) -> str:
        return f"{after} ÷ √d_k" if _by_root(document) else f"{after} × c"

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        result = f"{variable(stage.id)} = {variable(stage.reads[0])}"
        if _by_root(document):
            return f"{result} / {width_name(document, stage.id)}**0.5"
        return f"{result} * {float(document.scale.value)!r}"

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        if _by_root(document):
            return rf"{names[0]} / \sqrt{{d_k}}"
        return rf"{document.scale.value!r}\,{names[0]}"

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        if not _by_root(document):
            return r"S'_{ij} = c \, S_{ij}"
        k = document.scope(stage.id).k
        product = r"K^{\top}Q" if columns else r"QK^{\top}"
        return rf"\frac{{{product}}}{{\sqrt{{d_k}}}} = \frac{{{product}}}{{\sqrt{{{k}}}}}"

    def prepare_workbook(self, book: WorkbookSource, stage: Stage) -> None:
        if not _by_root(book.document):
            book.set("scale", book.labels.scale, book.document.scale.value)
            return
        d_k, layer = book.document.scope(stage.id).k, split_layer(stage.id)[0]
        name = layer_id(layer, "d_k")
        book.set(name, name, d_k)
        formula, label = f"=1/SQRT({book.settings[name]})", layer_id(layer, book.labels.scale)
        book.set(layer_id(layer, "scale"), label, formula, "1/√d_k", 1 / math.sqrt(d_k))

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        by_layer = _by_root(book.document)
        name = layer_id(split_layer(stage.id)[0], "scale") if by_layer else "scale"
        scores, scale = book.sheet(stage.reads[0]), book.settings[name]
        return lambda head, row, column: f"={scores.cell(head, row, column)}*{scale}"


def _by_root(document: Document) -> bool:
    return document.scale.kind == "sqrt_dk"


def _exact_factor(document: Document) -> Fraction | None:
    """The factor of the scores, where d_k is a square or the factor is the user's own."""
    if not _by_root(document):
        return fraction(document.scale.value)
    root = math.isqrt(document.k)
    return Fraction(1, root) if root * root == document.k else None


SCALE = ScaleScores()

SCALED = StageSpec(
    "scaled",
    SCALE,
    "QKᵀ/√d_k",
    short="÷√dₖ",
    letter="s",
    latex="S'",
    matrix="S",
    drop_order=7,
    named=True,
)
