"""Projections: a matrix of weights, and a bias where there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from core.arithmetic.enclosure import Enclosure, multiplied, stacked
from core.arithmetic.stable_sum import product, products, row_sum, saturate
from core.base.arrays import Array
from core.base.cell import Cell
from core.document.document import Document
from core.document.parts import is_of_head, tensor_axes
from core.stages.dialect import (
    Dialect,
    Formula,
    WorkbookSource,
    head_tensors,
    heads_of,
    variable,
)
from core.stages.exact import ExactSource, Matrix, Stack, add, exact_tensor
from core.stages.exact import product as exact_product
from core.stages.kind import (
    BackwardPass,
    EnclosureSource,
    GradientSource,
    Stage,
    StageKind,
    StageSpec,
    Trace,
    input_column,
    input_factor,
    latex_symbol,
)
from core.stages.terms import Block, Factor, Sum, Term, Terms


class Project(StageKind):
    """Token vectors times weights (d, k), plus a bias: of every head, or of all together."""

    name = "project"

    def compute(self, document: Document, stage: Stage, arrays: Mapping[str, Array]) -> Array:
        """(n, d), (h, d, k) -> (h, n, k); without heads (n, c), (c, o) -> (n, o)."""
        weights, *biases = stage.inputs
        source, matrices = arrays[stage.reads[0]], used_tensors(document, stage, weights)
        if stage.headwise:
            result = products(source, [matrix for matrix in matrices if matrix is not None])
        else:
            result = product(source, _only(matrices))
        for name in biases:
            for head, bias in enumerate(used_tensors(document, stage, name)):
                if bias is not None:  # a head may go without
                    (result[head] if stage.headwise else result)[...] += bias
        return saturate(result) if biases else result

    def exact(self, source: ExactSource, stage: Stage) -> Stack:
        (rows,) = source.stack(stage.reads[0])
        heads = head_range(source.document, stage)
        return tuple(_affine(source.document, rows, stage, head) for head in heads)

    def enclose(self, source: EnclosureSource, stage: Stage) -> Enclosure:
        rows = source.stage(stage.reads[0])
        heads = head_range(source.document, stage)
        results = stacked([_enclosed(source, rows, stage, head) for head in heads])
        return results if stage.headwise else results.only()

    def operations(self, document: Document, stage: Stage) -> tuple[str, bool]:
        *heads, rows, columns = stage.axes
        if stage.spec.name == "Y":
            return "nhvo", True
        inner = tensor_axes(stage.inputs[0])[0]
        return "".join([rows, inner, *heads, columns]), True

    def dependencies(
        self, document: Document, stage: Stage, block: Block, head: int
    ) -> tuple[Block, ...]:
        """The whole rows."""
        (source,) = stage.reads
        return (Block(source, block.rows, (0, document.stage_shape(source)[-1])),)

    def variant(self, document: Document, stage: Stage) -> str:
        if not stage.headwise:
            return "projected"
        return "context" if stage.sources[0].of_context else ""

    def derive(self, trace: Trace, stage: Stage, cell: Cell) -> Sum:
        document = trace.document
        weights = input_column(document, stage.inputs[0], cell.column, cell.head)
        biases = (
            input_factor(document, name, 0, cell.column, cell.head) for name in stage.inputs[1:]
        )
        more = tuple(Term((bias,)) for bias in biases if bias)
        return Sum("dot", Terms((trace.row(stage.reads[0], cell.row), weights), more))

    def backward(self, way: BackwardPass, stage: Stage, gradient: Array) -> None:
        """Q = X W + b: back to X through Wᵀ from every head, to W through Xᵀ, to b down the
        columns. What several heads use adds up what comes back from them.
        """
        (source,) = stage.reads
        document, x = way.document, way.trace[source]
        each = gradient if stage.headwise else gradient[None]
        for place, name in enumerate(stage.inputs):
            for head, tensor in enumerate(used_tensors(document, stage, name)):
                if tensor is None:
                    continue
                if place == 0:
                    way.add(source, product(each[head], tensor.T))
                back = product(x.T, each[head]) if place == 0 else row_sum(each[head].T)[:, 0]
                owner = name, document.lender(name, head)
                before = way.tensors.get(owner)
                way.tensors[owner] = back if before is None else saturate(before + back)

    def back_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        document, columns = source.document, range(source.trace[stage.id].shape[-1])
        terms: list[Term] = []
        for head in head_range(document, stage):
            for column in columns:
                weight = input_factor(document, stage.inputs[0], cell.column, column, head)
                assert weight is not None
                terms.append(Term((source.gradient(stage.id, cell.row, column, head), weight)))
        return tuple(terms)

    def input_terms(self, source: GradientSource, stage: Stage, cell: Cell) -> tuple[Term, ...]:
        """W: what went in times what comes back, over all tokens; b: what comes back, over all
        tokens.
        """
        rows, document = range(source.trace[stage.id].shape[-2]), source.document
        own = cell.head if is_of_head(cell.tensor) else 0
        users = [
            head
            for head in head_range(document, stage)
            if document.lender(cell.tensor, head) == own
        ]
        back: list[tuple[int, Factor]] = [
            (i, source.gradient(stage.id, i, cell.column, head)) for head in users for i in rows
        ]
        if cell.tensor != stage.inputs[0]:
            return tuple(Term((factor,)) for _, factor in back)
        (x,) = stage.reads
        return tuple(Term((source.trace.factor(x, i, cell.row), factor)) for i, factor in back)

    def back_rule(
        self, document: Document, stage: Stage, source: str, after: str, names: Callable[[str], str]
    ) -> str:
        return f"{after} · {names(stage.inputs[0])}ᵀ"

    def code(self, document: Document, stage: Stage, lib: Dialect) -> str:
        weights, *biases = stage.inputs
        lines = [lib.array(variable(weights), _in_code(document, stage, weights))]
        result = f"{variable(stage.id)} = {variable(stage.reads[0])} @ {variable(weights)}"
        for bias in biases:
            lines.append(lib.array(variable(bias), _in_code(document, stage, bias)))
            result += f" + {variable(bias)}" + ("[:, None, :]" if stage.headwise else "")
        return "\n".join([*lines, result])

    def latex(self, document: Document, stage: Stage, names: Sequence[str]) -> str:
        weights, *biases = map(latex_symbol, stage.inputs)
        return " + ".join([f"{names[0]} {weights}", *biases])

    def entry_formula(
        self, document: Document, stage: Stage, columns: bool, flat: bool = False
    ) -> str:
        (x,) = stage.source_names(document)
        letter, most = index_of(stage.inputs[0]), tensor_axes(stage.inputs[0])[0]
        most = "h d_v" if most == "c" else most
        terms = (
            rf"W^{{{letter}}}_{{ip}}\, {x}_{{pj}}"
            if columns
            else rf"{x}_{{ip}}\, W^{{{letter}}}_{{pj}}"
        )
        bias = f" + b^{{{letter}}}_{{{'i' if columns else 'j'}}}" if stage.inputs[1:] else ""
        return rf"{stage.spec.display}_{{ij}} = \sum_{{p=1}}^{{{most}}} {terms}{bias}"

    def workbook(self, book: WorkbookSource, stage: Stage) -> Formula:
        x, weights = book.sheet(stage.reads[0]), book.sheet(stage.inputs[0])
        biases = [book.sheet(name) for name in stage.inputs[1:]]

        def formula(head: int, row: int, column: int) -> str:
            bias = "".join(f"+{sheet.cell(0, head, column)}" for sheet in biases)
            return f"=MMULT({x.row(0, row)},{weights.column(head, column)}){bias}"

        return formula


def head_range(document: Document, stage: Stage) -> range:
    """The heads of a stage; one for a stage without the head axis."""
    return range(document.scope(stage.id).h if stage.headwise else 1)


def used_tensors(document: Document, stage: Stage, name: str) -> list[Array | None]:
    """An entered tensor as each head uses it: its own or that of its lender, None for none."""
    return head_tensors(document, name) if stage.headwise else [document.tensor(name)]


def index_of(name: str) -> str:
    """The index of weights in LaTeX: Q of L2.W_Q, gate of L2.W_gate."""
    _, _, index = name.partition("_")
    return index if len(index) == 1 else rf"\mathrm{{{index}}}"


def _only(tensors: list[Array | None]) -> Array:
    (tensor,) = tensors
    assert tensor is not None  # the plan lists only weights that the document has
    return tensor


def _in_code(document: Document, stage: Stage, name: str) -> Any:
    return heads_of(document, name) if stage.headwise else document.tensor(name)


def _affine(document: Document, rows: Matrix, stage: Stage, head: int) -> Matrix:
    """Times the weights, plus the bias where there is one."""
    weights, *biases = (
        exact_tensor(document, name, document.lender(name, head)) for name in stage.inputs
    )
    assert weights is not None  # the plan lists only weights that the document has
    result = exact_product(rows, weights)
    for bias in biases:
        if bias is not None:
            result = tuple(
                tuple(add(pair) for pair in zip(row, bias[0], strict=True)) for row in result
            )
    return result


def _enclosed(source: EnclosureSource, rows: Enclosure, stage: Stage, head: int) -> Enclosure:
    lender = source.document.lender
    weights, *biases = (source.tensor(name, lender(name, head)) for name in stage.inputs)
    assert weights is not None  # the plan lists only weights that the document has
    result = multiplied(rows, weights, source.noise)
    for bias in biases:
        if bias is not None:
            added = result + bias.moved(np.atleast_2d)
            result = added.widened(source.noise * np.abs(added.center))
    return result


PROJECT = Project()

Q = StageSpec("Q", PROJECT, "Q", role="query", drop_order=11, side=True, row_names=1)
K = StageSpec("K", PROJECT, "K", role="key", drop_order=10, side=True)
V = StageSpec("V", PROJECT, "V", role="value", drop_order=9, side=True)
