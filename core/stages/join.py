"""The heads side by side, and the output: projected, or as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from core.arithmetic.enclosure import Enclosure
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.stages.dialect import Dialect, Formula, Shape, WorkbookSource, shown_shape, variable
from core.stages.exact import NOTHING, ExactSource, Stack
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
from core.stages.terms import Block, Sum, Term

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class JoinedHeads(StageKind):
    """The heads side by side; one that is off keeps its block, filled with 0.

    # (h, n, v) -> (n, h·v)
    """

    def parameters(self, document: Document, stage: Stage) -> tuple[Any, ...]:
        return tuple(head.enabled for head in document.scope(stage.id).heads)

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        heads = arrays[stage.reads[0]]
        h, n, v = heads.shape
        result = np.empty((n, h * v))
        blocks = result.reshape(n, h, v)
        blocks[...] = heads.swapaxes(0, 1)
        for index, head in enumerate(document.scope(stage.id).heads):
            if not head.enabled:
                blocks[:, index] = 0.0
        return result

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        (heads,) = stage.reads
        joined = partial(self.compute, source.document, stage)
        return source.stage(heads).moved(lambda array: joined({heads: array}))

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        on = [head.enabled for head in source.document.scope(stage.id).heads]
        blocks = zip(*source.stack(stage.reads[0]), strict=True)
        return (
            tuple(
                tuple(x if on[i] else NOTHING for i, row in enumerate(rows) for x in row)
                for rows in blocks
            ),
        )

    def operations(self, document: Document, stage: Stage) -> tuple[str, bool]:
        return "nhv", False

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        document = trace.document.scope(stage.id)
        head, column = divmod(cell.column, document.v)
        term = Term((trace.factor(stage.reads[0], cell.row, column, head),))
        return Sum("copy", (term,), {"enabled": float(document.heads[head].enabled)})

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        """Each head gets its block back; one that is off gets nothing."""
        heads = way.document.scope(stage.id).heads
        blocks = np.split(gradient, len(heads), axis=1)
        each = [block * head.enabled for block, head in zip(blocks, heads, strict=True)]
        way.add(stage.reads[0], np.stack(each))

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        document = source.document.scope(stage.id)
        if not document.heads[cell.head].enabled:
            return ()
        column = cell.head * document.v + cell.column
        return (Term((source.gradient(stage.id, cell.row, column),)),)

    def prepare_workbook(self, book: WorkbookSource, stage: Stage) -> None:
        heads = book.document.scope(stage.id).heads
        for head, name in enumerate(book.head_names(stage.id)):
            book.set(f"{stage.id}{head}", name, int(heads[head].enabled), book.labels.on)

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        heads, width = book.sheet(stage.reads[0]), book.document.scope(stage.id).v

        def formula(head: int, row: int, column: int) -> str:
            block, place = divmod(column, width)
            return f"=IF({book.settings[f'{stage.id}{block}']}=1,{heads.cell(block, row, place)},0)"

        return formula


class Concatenate(JoinedHeads):
    """Several heads side by side, or those that W_O projects."""

    name = "concatenate"
    joins_heads = True
    arrow_word = "join"
    back_sentence = "block_of_head"

    def dependencies(
        self, document: Document, stage: Stage, block: Block, head: int
    ) -> tuple[Block, ...]:
        """The columns of the head."""
        width = document.scope(stage.id).v
        start = head * width
        first, last = max(block.columns[0] - start, 0), min(block.columns[1] - start, width)
        return (Block(stage.reads[0], block.rows, (first, last)),) if first < last else ()

    def card_symbol(self, document: Document, stage_id: str, columns: bool) -> str:
        """The joined heads say how many they are."""
        heads = document.scope(stage_id).h
        if heads == 1:
            return CONCAT.short
        last = str(heads).translate(SUBSCRIPTS)
        return f"[V₁A₁;…;V{last}A{last}]" if columns else f"[A₁V₁…A{last}V{last}]"

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        source, result = variable(stage.reads[0]), variable(stage.id)
        heads = document.scope(stage.id).heads
        if all(head.enabled for head in heads):
            return f"{result} = {lib.side_by_side.format(source)}"
        on = [float(head.enabled) for head in heads]
        return f"""{lib.array("on", on)}  # a head that is off adds 0
{result} = {lib.side_by_side.format(f"{source} * on[:, None, None]")}"""

    def operands(self, document: Document, stage: Stage) -> str:
        return shown_shape(document.stage_shape(stage.reads[0]))

    def variables(self, document: Document, stage: Stage) -> dict[str, Shape]:
        return {"on": (document.scope(stage.id).h,)}

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        return rf"[\,{names[0]}_1\ \cdots\ {names[0]}_h\,]"

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        if not columns:
            return r"C = \left[ A_1 V_1 \;\cdots\; A_h V_h \right]"
        if flat:
            return r"C = \left[ V_1 A_1 ;\; \cdots ;\; V_h A_h \right]"
        return r"C = \begin{bmatrix} V_1 A_1 \\ \vdots \\ V_h A_h \end{bmatrix}"


class OnlyHead(JoinedHeads):
    """The output of a single head without W_O: the head as it is."""

    name = "only_head"

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        source, result = variable(stage.reads[0]), variable(stage.id)
        if document.scope(stage.id).heads[0].enabled:
            return f"{result} = {lib.copy(f'{source}[0]')}"
        return f"{result} = {lib.name}.zeros_like({source}[0])  # the head is off"

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        return names[0]

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        return "Y = VA" if columns else "Y = AV"


class Copy(StageKind):
    """What it reads, as it is: the output of several heads without W_O."""

    name = "copy"

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        return np.array(arrays[stage.reads[0]])

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        return source.stage(stage.reads[0])

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        return source.stack(stage.reads[0])

    def operations(self, document: Document, stage: Stage) -> tuple[str, bool]:
        return "nhv", False

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        term = Term((trace.factor(stage.reads[0], cell.row, cell.column, cell.head),))
        return Sum("copy", (term,), {"enabled": 1.0})

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        way.add(stage.reads[0], gradient)

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        return (Term((source.gradient(stage.id, cell.row, cell.column, cell.head),)),)

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        return f"{variable(stage.id)} = {lib.copy(variable(stage.reads[0]))}"

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        return names[0]

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        return f"{stage.spec.display} = {stage.sources[0].display}"

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        source = book.sheet(stage.reads[0])
        return lambda head, row, column: f"={source.cell(head, row, column)}"


CONCATENATE, ONLY_HEAD, COPY = Concatenate(), OnlyHead(), Copy()

CONCAT = StageSpec(
    "concat",
    CONCATENATE,
    "[A₁V₁ … A_hV_h]",
    short="C",
    letter="c",
    latex="C",
    matrix="C",
    role="value",
    drop_order=1,
    named=True,
)
Y = StageSpec("Y", PROJECT, "Y", row_names=1)
