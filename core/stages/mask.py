"""−∞ where a query may not attend to a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.arithmetic import attention
from core.arithmetic.blockwise import Step
from core.arithmetic.enclosure import Enclosure
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.edits import allowed
from core.stages.dialect import Dialect, Formula, Shape, WorkbookSource, variable
from core.stages.exact import MASKED as EXACT_MASKED
from core.stages.exact import ExactSource, Stack
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

MASKED_TEXT = "−∞"  # in a workbook, which knows no such number


class MaskScores(ScoreKind):
    """Scores with −∞ where the mask forbids."""

    name = "mask"
    by_entry = True
    shows_masked = True
    arrow_word = "mask"
    shows_empty_rows = True

    def parameters(self, document: Document, stage: Stage) -> tuple[Any, ...]:
        mask = document.mask
        return mask.kind, mask.left, mask.right, mask.allow

    def step(self, document: Document) -> Step:
        shape = (document.h, document.n, document.m)
        return attention.mask_step(np.broadcast_to(allowed(document), shape))

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        return source.stage(stage.reads[0]).replaced(~allowed(source.document), -np.inf)

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        table = allowed(source.document).tolist()
        return tuple(
            tuple(
                tuple(
                    number if may else EXACT_MASKED for number, may in zip(row, rights, strict=True)
                )
                for row, rights in zip(matrix, table, strict=True)
            )
            for matrix in source.stack(stage.reads[0])
        )

    def variant(self, document: Document, stage: Stage) -> str:
        kind = document.mask.kind
        return f"{kind}:context" if kind == "causal" and document.context is not None else kind

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        may = bool(allowed(trace.document)[cell.row, cell.column])
        return Sum("mask", (self.same_place(trace, stage, cell),), {"allowed": float(may)})

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        way.add(stage.reads[0], np.where(allowed(way.document), gradient, 0.0))

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        if not allowed(source.document)[cell.row, cell.column]:
            return ()
        return (Term((self.own_gradient(source, stage, cell),)),)

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        if document.mask.kind == "causal":
            shape = ", ".join(document.letters("nm"))
            allow = f"allow = {lib.name}.tril({lib.name}.ones(({shape}), dtype={lib.boolean}))"
        else:
            allow = lib.array("allow", allowed(document), kind=lib.boolean)
        source = variable(stage.reads[0])
        masked = f"{variable(stage.id)} = {lib.name}.where(allow, {source}, -{lib.name}.inf)"
        return f"{allow}  # may the query (row) attend to the key (column)?\n{masked}"

    def variables(self, document: Document, stage: Stage) -> dict[str, Shape]:
        return {"allow": (document.n, document.m)}

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        return (
            rf"{names[0].replace('S', 's')}_{{ij}} + M_{{ij}},\quad M_{{ij}} \in \{{0, -\infty\}}"
        )

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        return r"S'_{ij} = S_{ij} + M_{ij}, \quad M_{ij} \in \{ 0, -\infty \}"

    def prepare_workbook(self, book: WorkbookSource, stage: Stage) -> None:
        title = f"{book.labels.mask}   ({book.labels.allowed})"
        book.add_table("mask", title, allowed(book.document).astype(int).tolist())

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        source, mask = book.sheet(stage.reads[0]), book.sheet("mask")
        return lambda head, row, column: (
            f'=IF({mask.cell(0, row, column)}=1,{source.cell(head, row, column)},"{MASKED_TEXT}")'
        )


MASK = MaskScores()


def masked_scores(trace: Trace, stage_id: str) -> Array | None:
    """The scores (h, n, m) whose −∞ say what is masked, for stages that a mask reaches; else None."""
    if stage_id not in trace or not trace.plan[stage_id].kind.shows_masked:
        return None
    stages = trace.plan.of_kind(MASK, trace.plan[stage_id].layer)
    return trace[stages[0].id] if stages else None


MASKED = StageSpec(
    "masked",
    MASK,
    "+ M",
    short="+M",
    letter="s",
    latex=r"\tilde{S}",
    matrix="(S+M)",
    drop_order=6,
    named=True,
)
