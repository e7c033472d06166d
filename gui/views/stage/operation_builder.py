"""From the state to the operation that is shown: one small function for each kind of stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from core.arithmetic.attention import row_max
from core.arithmetic.masks import by_distance
from core.arithmetic.positional_encoding import alibi_lean, rotary_angles
from core.arithmetic.stable_sum import row_sum
from core.base.arrays import Array
from core.document.document import Document
from core.document.edits import allowed
from core.explain.timeline import Reach
from core.stages.bias import slopes
from gui.painting.color_scale import Levels, levels_of, stage_levels
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


def operation(state: State, target: Target) -> Operation:
    """The operation of the stage that is looked at."""
    kind = state.trace.plan[target.stage].kind
    build = kind.row_of(_BUILDERS) or _same_place
    return build(OperandFactory(state, target))


def _alone(maker: OperandFactory) -> Operation:
    return maker.operation(maker.result())


def _add(maker: OperandFactory) -> Operation:
    cell = (maker.this_row, maker.this_column)
    x, p = (maker.operand(name, "i", "j", CellMark(*cell, "plain")) for name in maker.stage.reads)
    return maker.operation(
        x, Operator("+"), replace(p, names_rows=False), Operator("="), maker.result()
    )


def _project(maker: OperandFactory) -> Operation:
    name = maker.stage.inputs[0]
    maker.axes["p"] = OperandAxis(maker.trace[maker.source].shape[-1])
    column = CellMark(None, maker.this_column, role(name))
    weights = maker.entered(name, "p", "j", column)
    source = maker.operand(
        maker.source, "i", "p", CellMark(maker.this_row, None, role(maker.source))
    )
    return maker.operation(
        *maker.product(source, weights), *_plus_bias(maker), Operator("="), maker.result()
    )


def _plus_bias(maker: OperandFactory) -> tuple[Operand | Operator, ...]:
    if len(maker.stage.inputs) < 2:
        return ()
    name = maker.stage.inputs[1]
    bias = maker.entered(name, "one", "j", CellMark(None, maker.this_column, role(name)))
    return (Operator("+"), bias) if bias is not None else ()


def _rotate(maker: OperandFactory) -> Operation:
    pair = maker.column // 2
    document = maker.document
    marks = [
        CellMark(maker.this_row, (2 * pair, min(2 * pair + 2, document.k)), role(maker.source))
    ]
    source = maker.operand(maker.source, "i", "j", *marks)
    if document.k < 2:
        return maker.operation(source, Operator("="), maker.result())
    angles = rotary_angles(maker.axes["i"].size, document.k, document.positional.base)
    maker.axes["g"] = OperandAxis(angles.shape[1], min(pair, angles.shape[1] - 1))
    turned = (
        (CellMark(maker.this_row, (pair, pair + 1), "plain"),) if pair < angles.shape[1] else ()
    )
    theta = maker.extra("θ", angles, levels_of(angles, ""), "i", "g", *turned)
    sign = Operator("↻", tr("turned by"), _turn(maker, pair) if turned else None)
    return maker.operation(source, sign, theta, Operator("="), maker.result())


def _turn(maker: OperandFactory, pair: int) -> Rotation | None:
    """The marked pair before and after, once it has turned."""
    if not maker.target.is_visible:
        return None
    before, after = (
        maker.trace.matrix(stage_id, maker.head)[maker.row, 2 * pair : 2 * pair + 2]
        for stage_id in (maker.source, maker.stage.id)
    )
    return Rotation(
        (float(before[0]), float(before[1])), (float(after[0]), float(after[1])), role(maker.source)
    )


def _scores(maker: OperandFactory) -> Operation:
    query, key = maker.stage.reads
    maker.axes["p"] = OperandAxis(maker.document.k)
    q = maker.operand(query, "i", "p", CellMark(maker.this_row, None, "query"))
    return maker.operation(
        *maker.product(q, _transposed_key(maker, key)), Operator("="), maker.result()
    )


def _transposed_key(maker: OperandFactory, key: str) -> Operand:
    k = maker.operand(key, "p", "j", CellMark(None, maker.this_column, "key"))
    whole = k.shown is not None and k.shown[0] == maker.document.m
    return replace(
        k,
        title=(*k.title, Span("ᵀ", "key")),
        values=k.values.T,
        column_name=key_axis(maker.orientation),
        shown=None if whole else (0, 0),
        transposed=True,
    )


def _pairwise(maker: OperandFactory) -> Operand:
    """The scores before, the same place marked."""
    return maker.operand(
        maker.source, "i", "j", CellMark(maker.this_row, maker.this_column, "plain")
    )


def _scaled(maker: OperandFactory) -> Operation:
    document = maker.document
    sign = Operator(f"÷ √{document.k}")
    if document.scale.kind == "factor":
        sign = Operator(f"× {document.scale.value:.4g}")
    return maker.operation(_pairwise(maker), sign, Operator("="), maker.result())


def _biased(maker: OperandFactory) -> Operation:
    bias = _distances(maker.document.n, maker.document.m, float(slopes(maker.document)[maker.head]))
    mark = CellMark(maker.this_row, maker.this_column, "plain")
    b = maker.extra("B", bias, cached_levels(bias), "i", "j", mark)
    return maker.operation(_pairwise(maker), Operator("+"), b, Operator("="), maker.result())


@lru_cache(maxsize=2)
def _distances(n: int, m: int, slope: float) -> Array:
    """−slope·|i − j|.  # -> (n, m)"""
    distances = np.abs(np.arange(1.0 - n, m))
    with np.errstate(all="ignore"):
        return by_distance(alibi_lean(np.array([slope]), distances), m)


def _masked(maker: OperandFactory) -> Operation:
    table = _mask_table(maker.document)
    mark = CellMark(maker.this_row, maker.this_column, "plain")
    m = maker.extra("M", table, Levels(-1.0, 1.0), "i", "j", mark, whole=True)
    return maker.operation(_pairwise(maker), Operator("+"), m, Operator("="), maker.result())


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


def _powers(maker: OperandFactory) -> Operation:
    """The scores as exponents; where rows open with their maximum it is taken off first."""
    if maker.stage.lead:
        return _softmax(maker)
    return maker.operation(
        _pairwise(maker), Operator("→", power_sign(maker.document)), maker.result()
    )


def _softmax(maker: OperandFactory) -> Operation:
    """Minus the row's maximum, then that power of the base; or divided by the row's sum."""
    of_max = maker.stage.lead == "max"
    values = maker.trace.matrix(maker.source, maker.head)
    column = row_max(values) if of_max else row_sum(values)
    levels = stage_levels(maker.trace, maker.source) if of_max else levels_of(column, "")
    lead = maker.target.is_substep
    source = maker.operand(
        maker.source,
        "i",
        "j",
        CellMark(maker.this_row, None if lead else maker.this_column, role(maker.source)),
    )
    found = CellMark(maker.this_row, None, "result" if lead else "plain")
    made = maker.extra(lead_label(maker.stage.lead), column, levels, "i", "one", found)
    made = _revealed_column(maker, made)
    what = "−" if of_max else "÷"
    sign = Operator("→", power_sign(maker.document)) if of_max else Operator("=")
    if maker.orientation.columns:
        return _softmax_down(maker, source, made, sign, what)
    return maker.operation(source, Operator(what), made, sign, maker.result())


def _softmax_down(
    maker: OperandFactory, source: Operand, made: Operand, sign: Operator, what: str
) -> Operation:
    """The maxima or sums stand under the columns that they belong to."""
    below = replace(
        made,
        title=(Span(f"{what} ", "operator"), *made.title),
        title_left=True,
        row_name=source.row_name,
    )
    return maker.operation(OperandStack((source, below)), sign, maker.result())


def _revealed_column(maker: OperandFactory, made: Operand) -> Operand:
    """A row's maximum or sum stands as soon as the cursor is in that row."""
    cursor, plan = maker.state.visible_until, maker.trace.plan
    rows = maker.document.n
    if plan.index(cursor.stage) < plan.index(maker.stage.id):
        rows = 0
    elif cursor.stage == maker.stage.id and cursor.reach is not Reach.WHOLE:
        rows = cursor.row + 1
    return replace(made, shown=(rows, 0))


def _heads(maker: OperandFactory) -> Operation:
    strongest = int(maker.trace.matrix(maker.source, maker.head)[maker.row].argmax())
    maker.axes["p"] = OperandAxis(maker.document.m, strongest, maker.document.key_tokens)
    a = maker.operand(maker.source, "i", "p", CellMark(maker.this_row, None, "weights"))
    v = maker.operand(maker.stage.reads[1], "p", "j", CellMark(None, maker.this_column, "value"))
    return maker.operation(*maker.product(a, v), Operator("="), maker.result())


def _concat(maker: OperandFactory) -> Operation:
    document = maker.document
    chosen, own = divmod(maker.column, document.v)
    maker.axes["v"] = OperandAxis(document.v, own)
    most = HEADS_PILED if maker.orientation.columns else HEADS_SHOWN
    first = min(max(chosen - most // 2, 0), max(0, document.h - most))
    last = min(document.h, first + most)
    blocks = [
        _head_block(maker, head, own if head == chosen else None) for head in range(first, last)
    ]
    join = _piled if maker.orientation.columns else _side_by_side
    return maker.operation(
        *join(blocks, first > 0, last < document.h), Operator("="), maker.result()
    )


def _side_by_side(
    blocks: list[Operand], before: bool, after: bool
) -> list[Operand | OperandStack | Operator]:
    """Only the first block names its rows."""
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


def _head_block(maker: OperandFactory, head: int, own: int | None) -> Operand:
    marks = () if own is None else (CellMark(maker.this_row, (own, own + 1), "value"),)
    block = maker.operand(maker.source, "i", "v", *marks, head=head)
    below = Span(str(head + 1), "value", -1)
    off = not maker.document.heads[head].enabled
    letters = maker.orientation.pair(Span("A", "value"), Span("V", "value"))
    title: Line = (letters[0], below, letters[1], below)
    if off:
        title = (*title, Span(" " + tr("off"), "muted"))
    return replace(block, title=title, off=off)


def _same_place(maker: OperandFactory) -> Operation:
    """What it reads, and what comes out at the same place."""
    cell = CellMark(maker.this_row, maker.this_column, role(maker.source))
    source = maker.operand(maker.source, "i", "j", cell)
    return maker.operation(source, Operator("="), maker.result())


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
}
