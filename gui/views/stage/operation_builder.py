"""Builds the operation of a stage: one function for each kind of stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from core.arithmetic.attention import by_distance, row_max
from core.arithmetic.positional_encoding import alibi_lean, rotary_angles
from core.arithmetic.stable_sum import row_sum
from core.base.arrays import Array
from core.document.document import Document
from core.document.edits import allowed
from core.explain.derivation import row_parts
from core.explain.timeline import Reach
from core.stages.bias import slopes
from core.stages.terms import RowNumber, RowPart
from gui.painting.color_scale import Levels, levels_of
from gui.session.reached import stage_levels_reached
from gui.session.state import State
from gui.texts.names import key_axis, power_sign
from gui.texts.rich_text import Line, Span
from gui.texts.stage_texts import lead_label
from gui.texts.translation import tr
from gui.views.stage.operation import (
    CellMark,
    Operand,
    OperandAxis,
    OperandFactory,
    OperandStack,
    Operation,
    Operator,
    Rotation,
    Target,
    cached_levels,
    role,
)

HEADS_SHOWN = 3  # blocks of heads side by side, where there are more
HEADS_PILED = 2  # and one below the other


def operation(state: State, target: Target, *, whole: bool = False) -> Operation:
    """The operation of the stage that is shown; `whole`: of matrices, not of the parts of a row."""
    kind = state.trace.plan[target.stage].kind
    build = kind.row_of(_BUILDERS) or _same_place
    if whole and build is _ladder:
        return _same_place(OperandFactory(state, target), "→")
    return build(OperandFactory(state, target))


def _alone(factory: OperandFactory) -> Operation:
    return factory.operation(factory.result())


def _add(factory: OperandFactory) -> Operation:
    cell = (factory.this_row, factory.this_column)
    x, p = (
        factory.operand(name, "i", "j", CellMark(*cell, "plain")) for name in factory.stage.reads
    )
    return factory.operation(
        x, Operator("+"), replace(p, names_rows=False), Operator("="), factory.result()
    )


def _project(factory: OperandFactory) -> Operation:
    name = factory.stage.inputs[0]
    factory.axes["p"] = OperandAxis(factory.trace[factory.source].shape[-1])
    column = CellMark(None, factory.this_column, role(name))
    weights = factory.entered(name, "p", "j", column)
    source = factory.operand(
        factory.source, "i", "p", CellMark(factory.this_row, None, role(factory.source))
    )
    return factory.operation(
        *factory.product(source, weights), *_plus_bias(factory), Operator("="), factory.result()
    )


def _plus_bias(factory: OperandFactory) -> tuple[Operand | Operator, ...]:
    if len(factory.stage.inputs) < 2:
        return ()
    name = factory.stage.inputs[1]
    bias = factory.entered(name, "one", "j", CellMark(None, factory.this_column, role(name)))
    return (Operator("+"), bias) if bias is not None else ()


def _rotate(factory: OperandFactory) -> Operation:
    pair = factory.column // 2
    document = factory.scope
    marks = [
        CellMark(factory.this_row, (2 * pair, min(2 * pair + 2, document.k)), role(factory.source))
    ]
    source = factory.operand(factory.source, "i", "j", *marks)
    if document.k < 2:
        return factory.operation(source, Operator("="), factory.result())
    angles = rotary_angles(factory.axes["i"].size, document.k, document.positional.base)
    factory.axes["g"] = OperandAxis(angles.shape[1], min(pair, angles.shape[1] - 1))
    turned = (
        (CellMark(factory.this_row, (pair, pair + 1), "plain"),) if pair < angles.shape[1] else ()
    )
    theta = factory.extra("θ", angles, levels_of(angles, ""), "i", "g", *turned)
    sign = Operator("↻", tr("rotated by"), _turn(factory, pair) if turned else None)
    return factory.operation(source, sign, theta, Operator("="), factory.result())


def _turn(factory: OperandFactory, pair: int) -> Rotation | None:
    """The marked pair before and after its rotation, once that is visible."""
    if not factory.target.is_visible:
        return None
    before, after = (
        factory.trace.matrix(stage_id, factory.head)[factory.row, 2 * pair : 2 * pair + 2]
        for stage_id in (factory.source, factory.stage.id)
    )
    return Rotation(
        (float(before[0]), float(before[1])),
        (float(after[0]), float(after[1])),
        role(factory.source),
    )


def _scores(factory: OperandFactory) -> Operation:
    query, key = factory.stage.reads
    factory.axes["p"] = OperandAxis(factory.scope.k)
    q = factory.operand(query, "i", "p", CellMark(factory.this_row, None, "query"))
    return factory.operation(
        *factory.product(q, _transposed_key(factory, key)), Operator("="), factory.result()
    )


def _transposed_key(factory: OperandFactory, key: str) -> Operand:
    k = factory.operand(key, "p", "j", CellMark(None, factory.this_column, "key"))
    whole = k.shown is not None and k.shown[0] == factory.document.m
    return replace(
        k,
        title=(*k.title, Span("ᵀ", "key")),
        values=k.values.T,
        column_name=key_axis(factory.orientation),
        shown=None if whole else (0, 0),
        transposed=True,
    )


def _pairwise(factory: OperandFactory) -> Operand:
    """The scores before, with the same cell marked."""
    return factory.operand(
        factory.source, "i", "j", CellMark(factory.this_row, factory.this_column, "plain")
    )


def _scaled(factory: OperandFactory) -> Operation:
    document = factory.scope
    sign = Operator(f"÷ √{document.k}")
    if document.scale.kind == "factor":
        sign = Operator(f"× {document.scale.value:.4g}")
    return factory.operation(_pairwise(factory), sign, Operator("="), factory.result())


def _biased(factory: OperandFactory) -> Operation:
    bias = _distances(
        factory.document.n, factory.document.m, float(slopes(factory.scope)[factory.head])
    )
    mark = CellMark(factory.this_row, factory.this_column, "plain")
    b = factory.extra("B", bias, cached_levels(bias), "i", "j", mark)
    return factory.operation(_pairwise(factory), Operator("+"), b, Operator("="), factory.result())


@lru_cache(maxsize=2)
def _distances(n: int, m: int, slope: float) -> Array:
    """−slope·|i − j|.  # -> (n, m)"""
    distances = np.abs(np.arange(1.0 - n, m))
    with np.errstate(all="ignore"):
        return by_distance(alibi_lean(np.array([slope]), distances), m)


def _masked(factory: OperandFactory) -> Operation:
    table = _mask_table(factory.scope)
    mark = CellMark(factory.this_row, factory.this_column, "plain")
    m = factory.extra("M", table, Levels(-1.0, 1.0), "i", "j", mark, whole=True)
    return factory.operation(_pairwise(factory), Operator("+"), m, Operator("="), factory.result())


@lru_cache(maxsize=2)
def _mask_table(document: Document) -> Array:
    """0 where a query may attend, −∞ where it may not.  # -> (n, m)"""
    allow = allowed(document)
    if document.mask.kind == "custom":
        return np.where(allow, 0.0, -np.inf)
    along = np.concatenate(
        [allow[:0:-1, 0], allow[0]]
    )  # from the last query's first key to the first query's last
    return by_distance(np.where(along, 0.0, -np.inf), document.m)


def _powers(factory: OperandFactory) -> Operation:
    """The scores as exponents, after the row's maximum is subtracted where the softmax does so."""
    if factory.stage.lead:
        return _softmax(factory)
    return factory.operation(
        _pairwise(factory), Operator("→", power_sign(factory.document)), factory.result()
    )


def _softmax(factory: OperandFactory) -> Operation:
    """Minus the row's maximum and then a power of the base; or divided by the row's sum."""
    of_max = factory.stage.lead == "max"
    values = factory.trace.matrix(factory.source, factory.head)
    column = row_max(values) if of_max else row_sum(values)
    revealed = _revealed_rows(factory)
    shown = column if factory.state.shows_ahead else column[:revealed]
    levels = stage_levels_reached(factory.state, factory.source) if of_max else levels_of(shown, "")
    lead = factory.target.is_substep
    source = factory.operand(
        factory.source,
        "i",
        "j",
        CellMark(factory.this_row, None if lead else factory.this_column, role(factory.source)),
    )
    found = CellMark(factory.this_row, None, "result" if lead else "plain")
    made = factory.extra(lead_label(factory.stage.lead), column, levels, "i", "one", found)
    made = replace(made, shown=(revealed, 0))
    what = "−" if of_max else "÷"
    sign = Operator("→", power_sign(factory.document)) if of_max else Operator("=")
    if factory.orientation.columns:
        return _softmax_down(factory, source, made, sign, what)
    return factory.operation(source, Operator(what), made, sign, factory.result())


def _softmax_down(
    factory: OperandFactory, source: Operand, made: Operand, sign: Operator, what: str
) -> Operation:
    """With tokens as columns, the maxima or sums are below their columns."""
    below = replace(
        made,
        title=(Span(f"{what} ", "operator"), *made.title),
        title_left=True,
        row_name=source.row_name,
    )
    return factory.operation(OperandStack((source, below)), sign, factory.result())


def _revealed_rows(factory: OperandFactory) -> int:
    """A row's maximum or sum is visible as soon as the cursor is in that row."""
    cursor, plan = factory.state.visible_until, factory.trace.plan
    if plan.index(cursor.stage) < plan.index(factory.stage.id):
        return 0
    if cursor.stage == factory.stage.id and cursor.reach is not Reach.WHOLE:
        return cursor.row + 1
    return factory.document.n


def _heads(factory: OperandFactory) -> Operation:
    strongest = int(factory.trace.matrix(factory.source, factory.head)[factory.row].argmax())
    factory.axes["p"] = OperandAxis(factory.document.m, strongest, factory.scope.key_tokens)
    a = factory.operand(factory.source, "i", "p", CellMark(factory.this_row, None, "weights"))
    v = factory.operand(
        factory.stage.reads[1], "p", "j", CellMark(None, factory.this_column, "value")
    )
    return factory.operation(*factory.product(a, v), Operator("="), factory.result())


def _concat(factory: OperandFactory) -> Operation:
    document = factory.scope
    chosen, own = divmod(factory.column, document.v)
    factory.axes["v"] = OperandAxis(document.v, own)
    most = HEADS_PILED if factory.orientation.columns else HEADS_SHOWN
    first = min(max(chosen - most // 2, 0), max(0, document.h - most))
    last = min(document.h, first + most)
    blocks = [
        _head_block(factory, head, own if head == chosen else None) for head in range(first, last)
    ]
    join = _piled if factory.orientation.columns else _side_by_side
    return factory.operation(
        *join(blocks, first > 0, last < document.h), Operator("="), factory.result()
    )


def _side_by_side(
    blocks: list[Operand], before: bool, after: bool
) -> list[Operand | OperandStack | Operator]:
    """Heads in a row; only the first names its rows."""
    items: list[Operand | OperandStack | Operator] = (
        [Operator("⋯"), blocks[0]] if before else [blocks[0]]
    )
    for block in blocks[1:]:
        items += [Operator(""), replace(block, names_rows=False)]
    return [*items, Operator("⋯")] if after else items


def _piled(
    blocks: list[Operand], before: bool, after: bool
) -> list[Operand | OperandStack | Operator]:
    return [OperandStack(tuple(replace(block, title_left=True) for block in blocks), before, after)]


def _head_block(factory: OperandFactory, head: int, own: int | None) -> Operand:
    marks = () if own is None else (CellMark(factory.this_row, (own, own + 1), "value"),)
    block = factory.operand(factory.source, "i", "v", *marks, head=head)
    below = Span(str(head + 1), "value", -1)
    off = not factory.scope.heads[head].enabled
    letters = factory.orientation.pair(Span("A", "value"), Span("V", "value"))
    title: Line = (letters[0], below, letters[1], below)
    if off:
        title = (*title, Span(" " + tr("off"), "muted"))
    return replace(block, title=title, off=off)


def _same_place(factory: OperandFactory, sign: str = "=") -> Operation:
    """What it reads, and what comes out at the same place."""
    cell = CellMark(factory.this_row, factory.this_column, role(factory.source))
    source = factory.operand(factory.source, "i", "j", cell)
    return factory.operation(source, Operator(sign), factory.result())


def _ladder(factory: OperandFactory) -> Operation:
    """The parts of a row one below the other, down to the row of the stage, and its numbers beside
    them.
    """
    parts = row_parts(factory.trace, factory.stage.id, factory.row, factory.head)
    stages = (factory.source, *[""] * (len(parts) - 2), factory.stage.id)
    rungs = [_rung(factory, *each) for each in zip(parts, stages, strict=True)]
    numbers = [number for part in parts for number in part.numbers]
    beside = [_row_number(factory, number) for number in numbers]
    if factory.orientation.columns:
        items: list[Operand | OperandStack | Operator] = [rungs[0]]
        for rung in rungs[1:]:
            items += [Operator("→"), rung]
        return factory.operation(*items, *(one for each in beside for one in (Operator(""), each)))
    aside = (Operator(""), OperandStack(tuple(beside))) if beside else ()
    return factory.operation(OperandStack(tuple(rungs)), *aside)


def _rung(factory: OperandFactory, part: RowPart, stage_id: str) -> Operand:
    """One part of the row: visible as far as the row of the stage, what it reads as a whole.
    `stage_id`: the stage whose row it is, if any.
    """
    state, shape = factory.state, (factory.row + 1, part.values.size)
    entered, result = stage_id == factory.source, stage_id == factory.stage.id
    asked = state.predicted_extent(stage_id, shape) if result else None
    reached = (1, 0) if entered else _of_row(state.revealed(factory.stage.id, shape), factory.row)
    mark = CellMark((0, 1), factory.this_column, "plain" if entered else "result")
    levels = stage_levels_reached(state, stage_id) if stage_id else levels_of(part.values, "")
    found = factory.extra(part.symbol, part.values[None, :], levels, "one", "j", mark)
    predicted = None if asked is None else _of_row(asked, factory.row)
    beside = not factory.orientation.columns
    return replace(found, shown=reached, predicted=predicted, title_left=beside)


def _of_row(extent: tuple[int, int], row: int) -> tuple[int, int]:
    """The part of an extent that lies in one row, as the extent of a matrix of that row alone."""
    rows, cells = extent
    return (1, 0) if rows > row else (0, cells if rows == row else 0)


def _row_number(factory: OperandFactory, number: RowNumber) -> Operand:
    """A number of the whole row, such as its mean; visible with the first cell of the row."""
    values = np.array([[number.value]])
    levels = stage_levels_reached(factory.state, factory.source)
    found = factory.extra(number.symbol, values, levels, "one", "one")
    seen = factory.state.is_visible(factory.stage.id, factory.row, 0)
    beside = not factory.orientation.columns
    return replace(found, shown=(1, 0) if seen else (0, 0), title_left=beside)


def _activation(factory: OperandFactory) -> Operation:
    """The activation of what is read first, and the product with the rest where there is a gate."""
    mark = CellMark(factory.this_row, factory.this_column, "plain")
    first, *others = (factory.operand(name, "i", "j", mark) for name in factory.stage.reads)
    name = factory.stage.symbol.partition("(")[0]
    items: list[Operand | Operator] = [first, Operator("→", name)]
    for other in others:
        items += [Operator("⊙"), replace(other, names_rows=False), Operator("=")]
    return factory.operation(*items, factory.result())


# By the name of a kind, also for those that derive from it.
_BUILDERS: dict[str, Callable[[OperandFactory], Operation]] = {
    "entered": _alone,
    "sinusoid": _alone,
    "add": _add,
    "project": _project,
    "rotate": _rotate,
    "dot_product": _scores,
    "scale": _scaled,
    "alibi": _biased,
    "mask": _masked,
    "exponential": _powers,
    "normalise": _softmax,
    "mix": _heads,
    "concatenate": _concat,
    "layer_norm": _ladder,
    "rms_norm": _ladder,
    "activation": _activation,
    "vocabulary_softmax": _ladder,
}
