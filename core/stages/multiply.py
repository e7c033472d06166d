"""Products of two stages: the scores of queries and keys, and the weighted sums of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.arithmetic import attention
from core.arithmetic.enclosure import Enclosure, multiplied
from core.arithmetic.stable_sum import product
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.stages.dialect import Dialect, Formula, WorkbookSource, shown_shape, variable
from core.stages.exact import ExactSource, Stack
from core.stages.exact import product as exact_product
from core.stages.kind import (
    BackwardPass,
    EnclosureSource,
    GradientSource,
    Stage,
    StageKind,
    StageSpec,
    Trace,
)
from core.stages.terms import Block, Sum, Term, Terms


class DotProduct(StageKind):
    """The dot product of each query with each key.  # (h, n, k), (h, m, k) -> (h, n, m)"""

    name = "dot_product"
    shows_sources = True

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        Q, K = (arrays[name] for name in stage.reads)
        return attention.scores(Q, K)

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        queries, keys = (source.stack(name) for name in stage.reads)
        return tuple(
            exact_product(q, tuple(zip(*k, strict=True)))
            for q, k in zip(queries, keys, strict=True)
        )

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        queries, keys = (source.stage(name) for name in stage.reads)
        return multiplied(queries, keys.turned(), source.noise)

    def operations(self, document: Document, stage: Stage) -> tuple[str, bool]:
        return "hnmk", True

    def dependencies(
        self, document: Document, stage: Stage, block: Block, head: int
    ) -> tuple[Block, ...]:
        """The rows of the queries and of the keys."""
        query, key = stage.reads
        across = (0, document.stage_shape(query)[-1])
        return Block(query, block.rows, across), Block(key, block.columns, across)

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        query, key = stage.reads
        runs = trace.row(query, cell.row, cell.head), trace.row(key, cell.column, cell.head)
        return Sum("dot", Terms(runs))

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        query, key = stage.reads
        way.add(query, product(gradient, way.trace[key]))
        way.add(key, product(gradient.swapaxes(-1, -2), way.trace[query]))

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        query, key = stage.reads
        n, m = source.trace.matrix(stage.id).shape
        if cell.tensor == query:
            pairs = [((cell.row, j), (key, j)) for j in range(m)]
        else:
            pairs = [((i, cell.row), (query, i)) for i in range(n)]
        return tuple(
            Term(
                (
                    source.gradient(stage.id, *pair, cell.head),
                    source.trace.factor(other, row, cell.column, cell.head),
                )
            )
            for pair, (other, row) in pairs
        )

    def back_rule(
        self, document: Document, stage: Stage, source: str, after: str, names: Callable[[str], str]
    ) -> str:
        query, key = stage.reads
        return f"{after} · {names(key)}" if source == query else f"{after}ᵀ · {names(query)}"

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        query, key = map(variable, stage.reads)
        return f"{variable(stage.id)} = {query} @ {lib.turned.format(key)}"

    def operands(self, document: Document, stage: Stage) -> str:
        query, (h, m, k) = (document.stage_shape(name) for name in stage.reads)
        return f"{shown_shape(query)} @ {shown_shape((h, k, m))}"

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        return rf"{names[0]}\,{names[1]}^{{\top}}"

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        terms = r"K_{pi}\, Q_{pj}" if columns else r"Q_{ip}\, K_{jp}"
        return rf"{stage.spec.display}_{{ij}} = \sum_{{p=1}}^{{d_k}} {terms}"

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        queries, keys = book.sheet(stage.reads[0]), book.sheet(stage.reads[1])
        return lambda head, row, column: (
            f"=SUMPRODUCT({queries.row(head, row)},{keys.row(head, column)})"
        )


class Mix(StageKind):
    """The values, weighted and added up.  # (h, n, m), (h, m, v) -> (h, n, v)"""

    name = "mix"
    shows_empty_rows = True
    marks_empty_rows = True
    shows_sources = True

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        weights, values = stage.reads
        return attention.mix(arrays[weights], arrays[values])

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        weights, values = (source.stack(name) for name in stage.reads)
        return tuple(map(exact_product, weights, values))

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        weights, values = (source.stage(name) for name in stage.reads)
        return multiplied(weights, values, source.noise)

    def operations(self, document: Document, stage: Stage) -> tuple[str, bool]:
        return "hnmv", True

    def dependencies(
        self, document: Document, stage: Stage, block: Block, head: int
    ) -> tuple[Block, ...]:
        """The whole rows of the weights, and the columns of the values."""
        weights, values = stage.reads
        everyone = (0, document.m)
        return Block(weights, block.rows, everyone), Block(values, everyone, block.columns)

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        weights, values = stage.reads
        runs = trace.row(weights, cell.row, cell.head), trace.column(values, cell.column, cell.head)
        return Sum("dot", Terms(runs))

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        weights, values = stage.reads
        way.add(weights, product(gradient, way.trace[values].swapaxes(-1, -2)))
        way.add(values, product(way.trace[weights].swapaxes(-1, -2), gradient))

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        weights, values = stage.reads
        trace, h = source.trace, cell.head
        n, v = trace.matrix(stage.id, h).shape
        if cell.tensor == weights:
            return tuple(
                Term(
                    (
                        source.gradient(stage.id, cell.row, c, h),
                        trace.factor(values, cell.column, c, h),
                    )
                )
                for c in range(v)
            )
        return tuple(
            Term(
                (
                    trace.factor(weights, i, cell.row, h),
                    source.gradient(stage.id, i, cell.column, h),
                )
            )
            for i in range(n)
        )

    def back_rule(
        self, document: Document, stage: Stage, source: str, after: str, names: Callable[[str], str]
    ) -> str:
        weights, values = stage.reads
        return (
            f"{after} · {names(values)}ᵀ" if source == weights else f"{names(weights)}ᵀ · {after}"
        )

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        return f"{variable(stage.id)} = {' @ '.join(map(variable, stage.reads))}"

    def operands(self, document: Document, stage: Stage) -> str:
        return " @ ".join(shown_shape(document.stage_shape(name)) for name in stage.reads)

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        return r"\,".join(names)

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        most = document.letters("m")[0]
        if columns:
            return rf"(VA)_{{ij}} = \sum_{{l=1}}^{{{most}}} V_{{il}}\, A_{{lj}}"
        return rf"(AV)_{{ij}} = \sum_{{l=1}}^{{{most}}} A_{{il}}\, V_{{lj}}"

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        weights, values = book.sheet(stage.reads[0]), book.sheet(stage.reads[1])
        return lambda head, row, column: (
            f"=MMULT({weights.row(head, row)},{values.column(head, column)})"
        )


DOT_PRODUCT, MIX = DotProduct(), Mix()

SCORES = StageSpec(
    "scores",
    DOT_PRODUCT,
    "QKᵀ",
    letter="s",
    latex="S",
    matrix="(QKᵀ)",
    column_short="KᵀQ",
    drop_order=12,
    row_names=2,
    named=True,
)
HEADS = StageSpec(
    "heads",
    MIX,
    "A·V",
    letter="z",
    latex="Z",
    matrix="(AV)",
    display="(AV)",
    column_short="V·A",
    role="value",
    drop_order=8,
)
