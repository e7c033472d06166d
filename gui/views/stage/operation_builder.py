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
from gui.views.stage.operand_factory import Maker, levels_kept, role
from gui.views.stage.operation import Axis, Mark, Operand, Operation, Pile, Sign, Turn
from gui.views.stage.shown_cell import Target

HEADS_SHOWN = 3  # blocks of heads side by side, where there are more
HEADS_PILED = 2  # and one below the other


def operation(state: State, target: Target) -> Operation:
    """The operation of the stage that is looked at."""
    kind = state.trace.plan[target.stage].kind
    return _BUILDERS.get(kind.name, _same_place)(Maker(state, target))


def _alone(maker: Maker) -> Operation:
    return maker.operation(maker.result())


def _add(maker: Maker) -> Operation:
    cell = (maker.this_row, maker.this_column)
    x, p = (maker.operand(name, "i", "j", Mark(*cell, "plain")) for name in maker.stage.reads)
    return maker.operation(x, Sign("+"), replace(p, labelled=False), Sign("="), maker.result())


def _project(maker: Maker) -> Operation:
    name = maker.stage.inputs[0]
    maker.axes["p"] = Axis(maker.trace[maker.source].shape[-1])
    column = Mark(None, maker.this_column, role(name))
    weights = maker.entered(name, "p", "j", column)
    source = maker.operand(maker.source, "i", "p", Mark(maker.this_row, None, role(maker.source)))
    return maker.operation(
        *maker.product(source, weights), *_plus_bias(maker), Sign("="), maker.result()
    )


def _plus_bias(maker: Maker) -> tuple[Operand | Sign, ...]:
    if len(maker.stage.inputs) < 2:
        return ()
    name = maker.stage.inputs[1]
    bias = maker.entered(name, "one", "j", Mark(None, maker.this_column, role(name)))
    return (Sign("+"), bias) if bias is not None else ()


def _rotate(maker: Maker) -> Operation:
    pair = maker.column // 2
    document = maker.document
    marks = [Mark(maker.this_row, (2 * pair, min(2 * pair + 2, document.k)), role(maker.source))]
    source = maker.operand(maker.source, "i", "j", *marks)
    if document.k < 2:
        return maker.operation(source, Sign("="), maker.result())
    angles = rotary_angles(maker.axes["i"].size, document.k, document.positional.base)
    maker.axes["g"] = Axis(angles.shape[1], min(pair, angles.shape[1] - 1))
    turned = (Mark(maker.this_row, (pair, pair + 1), "plain"),) if pair < angles.shape[1] else ()
    theta = maker.made("θ", angles, levels_of(angles, ""), "i", "g", *turned)
    sign = Sign("↻", tr("turned by"), _turn(maker, pair) if turned else None)
    return maker.operation(source, sign, theta, Sign("="), maker.result())


def _turn(maker: Maker, pair: int) -> Turn | None:
    """The marked pair before and after, once it has turned."""
    if not maker.target.stands:
        return None
    before, after = (
        maker.trace.matrix(stage_id, maker.head)[maker.row, 2 * pair : 2 * pair + 2]
        for stage_id in (maker.source, maker.stage.id)
    )
    return Turn(
        (float(before[0]), float(before[1])), (float(after[0]), float(after[1])), role(maker.source)
    )


def _scores(maker: Maker) -> Operation:
    query, key = maker.stage.reads
    maker.axes["p"] = Axis(maker.document.k)
    q = maker.operand(query, "i", "p", Mark(maker.this_row, None, "query"))
    return maker.operation(
        *maker.product(q, _transposed_key(maker, key)), Sign("="), maker.result()
    )


def _transposed_key(maker: Maker, key: str) -> Operand:
    k = maker.operand(key, "p", "j", Mark(None, maker.this_column, "key"))
    whole = k.shown is not None and k.shown[0] == maker.document.m
    return replace(
        k,
        title=(*k.title, Span("ᵀ", "key")),
        values=k.values.T,
        column_name=key_axis(maker.orientation),
        shown=None if whole else (0, 0),
        transposed=True,
    )


def _pairwise(maker: Maker) -> Operand:
    """The scores before, the same place marked."""
    return maker.operand(maker.source, "i", "j", Mark(maker.this_row, maker.this_column, "plain"))


def _scaled(maker: Maker) -> Operation:
    document = maker.document
    sign = Sign(f"÷ √{document.k}")
    if document.scale.kind == "factor":
        sign = Sign(f"× {document.scale.value:.4g}")
    return maker.operation(_pairwise(maker), sign, Sign("="), maker.result())


def _biased(maker: Maker) -> Operation:
    bias = _distances(maker.document.n, maker.document.m, float(slopes(maker.document)[maker.head]))
    mark = Mark(maker.this_row, maker.this_column, "plain")
    b = maker.made("B", bias, levels_kept(bias), "i", "j", mark)
    return maker.operation(_pairwise(maker), Sign("+"), b, Sign("="), maker.result())


@lru_cache(maxsize=2)
def _distances(n: int, m: int, slope: float) -> Array:
    """−slope·|i − j|.  # -> (n, m)"""
    distances = np.abs(np.arange(1.0 - n, m))
    with np.errstate(all="ignore"):
        return by_distance(alibi_lean(np.array([slope]), distances), m)


def _masked(maker: Maker) -> Operation:
    table = _mask_table(maker.document)
    mark = Mark(maker.this_row, maker.this_column, "plain")
    m = maker.made("M", table, Levels(-1.0, 1.0), "i", "j", mark, whole=True)
    return maker.operation(_pairwise(maker), Sign("+"), m, Sign("="), maker.result())


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


def _powers(maker: Maker) -> Operation:
    """The scores as exponents; where rows open with their maximum it is taken off first."""
    if maker.stage.lead:
        return _softmax(maker)
    return maker.operation(_pairwise(maker), Sign("→", power_sign(maker.document)), maker.result())


def _softmax(maker: Maker) -> Operation:
    """Minus the row's maximum, then that power of the base; or divided by the row's sum."""
    of_max = maker.stage.lead == "max"
    values = maker.trace.matrix(maker.source, maker.head)
    column = row_max(values) if of_max else row_sum(values)
    levels = stage_levels(maker.trace, maker.source) if of_max else levels_of(column, "")
    lead = maker.target.lead
    source = maker.operand(
        maker.source,
        "i",
        "j",
        Mark(maker.this_row, None if lead else maker.this_column, role(maker.source)),
    )
    found = Mark(maker.this_row, None, "result" if lead else "plain")
    made = maker.made(lead_label(maker.stage.lead), column, levels, "i", "one", found)
    made = _revealed_column(maker, made)
    what = "−" if of_max else "÷"
    sign = Sign("→", power_sign(maker.document)) if of_max else Sign("=")
    if maker.orientation.columns:
        return _softmax_down(maker, source, made, sign, what)
    return maker.operation(source, Sign(what), made, sign, maker.result())


def _softmax_down(maker: Maker, source: Operand, made: Operand, sign: Sign, what: str) -> Operation:
    """The maxima or sums stand under the columns that they belong to."""
    below = replace(
        made,
        title=(Span(f"{what} ", "operator"), *made.title),
        aside=True,
        row_name=source.row_name,
    )
    return maker.operation(Pile((source, below)), sign, maker.result())


def _revealed_column(maker: Maker, made: Operand) -> Operand:
    """A row's maximum or sum stands as soon as the cursor is in that row."""
    cursor, plan = maker.state.visible_until, maker.trace.plan
    rows = maker.document.n
    if plan.index(cursor.stage) < plan.index(maker.stage.id):
        rows = 0
    elif cursor.stage == maker.stage.id and cursor.reach is not Reach.WHOLE:
        rows = cursor.row + 1
    return replace(made, shown=(rows, 0))


def _heads(maker: Maker) -> Operation:
    strongest = int(maker.trace.matrix(maker.source, maker.head)[maker.row].argmax())
    maker.axes["p"] = Axis(maker.document.m, strongest, maker.document.key_tokens)
    a = maker.operand(maker.source, "i", "p", Mark(maker.this_row, None, "weights"))
    v = maker.operand(maker.stage.reads[1], "p", "j", Mark(None, maker.this_column, "value"))
    return maker.operation(*maker.product(a, v), Sign("="), maker.result())


def _concat(maker: Maker) -> Operation:
    document = maker.document
    chosen, own = divmod(maker.column, document.v)
    maker.axes["v"] = Axis(document.v, own)
    most = HEADS_PILED if maker.orientation.columns else HEADS_SHOWN
    first = min(max(chosen - most // 2, 0), max(0, document.h - most))
    last = min(document.h, first + most)
    blocks = [
        _head_block(maker, head, own if head == chosen else None) for head in range(first, last)
    ]
    join = _piled if maker.orientation.columns else _side_by_side
    return maker.operation(*join(blocks, first > 0, last < document.h), Sign("="), maker.result())


def _side_by_side(blocks: list[Operand], before: bool, after: bool) -> list[Operand | Pile | Sign]:
    """Only the first block names its rows."""
    items: list[Operand | Pile | Sign] = [Sign("⋯"), blocks[0]] if before else [blocks[0]]
    for block in blocks[1:]:
        items += [Sign(""), replace(block, labelled=False)]
    return [*items, Sign("⋯")] if after else items


def _piled(blocks: list[Operand], before: bool, after: bool) -> list[Operand | Pile | Sign]:
    return [Pile(tuple(replace(block, aside=True) for block in blocks), before, after)]


def _head_block(maker: Maker, head: int, own: int | None) -> Operand:
    marks = () if own is None else (Mark(maker.this_row, (own, own + 1), "value"),)
    block = maker.operand(maker.source, "i", "v", *marks, head=head)
    below = Span(str(head + 1), "value", -1)
    off = not maker.document.heads[head].enabled
    letters = maker.orientation.pair(Span("A", "value"), Span("V", "value"))
    title: Line = (letters[0], below, letters[1], below)
    if off:
        title = (*title, Span(" " + tr("off"), "muted"))
    return replace(block, title=title, off=off)


def _same_place(maker: Maker) -> Operation:
    """What it reads, and what comes out at the same place."""
    cell = Mark(maker.this_row, maker.this_column, role(maker.source))
    source = maker.operand(maker.source, "i", "j", cell)
    return maker.operation(source, Sign("="), maker.result())


# By the name of the kind.
_BUILDERS: dict[str, Callable[[Maker], Operation]] = {
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
