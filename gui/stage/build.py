"""From the state to the operation that is shown: one small function for each kind of stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from core.arrays import Array
from core.cursor import Reach, revealed
from core.document import Document
from core.edits import allowed
from core.plan import STAGE_AXES, Stage
from core.positions import rotary_angles
from core.trace import slopes
from gui.language import tr
from gui.stage.operation import Axis, Mark, Operand, Operation, Range, Sign
from gui.stage.target import Target
from gui.state import State
from gui.texts.names import ROLES, key_axis, query_axis, stage_name
from gui.texts.spans import Line, Span
from gui.values import Levels, levels_of, stage_levels

HEADS_SHOWN = 3  # blocks of heads side by side, where there are more


def operation(state: State, target: Target) -> Operation:
    """The operation of the stage that is looked at."""
    return _BUILD[target.stage](_Maker(state, target))


class _Maker:
    """Makes operands out of one state; it holds nothing that outlives the operation."""

    def __init__(self, state: State, target: Target) -> None:
        self.state, self.target = state, target
        self.document, self.trace = state.document, state.trace
        self.stage: Stage = state.trace.plan[target.stage]
        self.row, self.column, self.head = target.cell.row, target.cell.column, target.cell.head
        self.axes: dict[str, Axis] = {"one": Axis(1)}
        self.axes["i"] = Axis(self.document.n, self.row, self.document.tokens)
        columns = self.document.stage_shape(target.stage)[-1]
        self.axes["j"] = Axis(columns, self.column, self.document.tokens if self.stage.attends else None)

    @property
    def source(self) -> str:
        """The first stage that is read."""
        return self.stage.reads[0]

    @property
    def this_row(self) -> Range:
        """The marked cell's row."""
        return self.row, self.row + 1

    @property
    def this_column(self) -> Range:
        """The marked cell's column."""
        return self.column, self.column + 1

    def operand(self, stage_id: str, rows: str, columns: str, *marks: Mark, head: int | None = None) -> Operand:
        """A stage's matrix as far as the cursor has reached it."""
        head = self.head if head is None else head
        head = head if STAGE_AXES[stage_id][0] == "h" else 0
        values = self.trace.matrix(stage_id, head)
        shown = revealed(self.trace.plan, self.state.cursor, stage_id, (values.shape[0], values.shape[1]))
        attends = self.trace.plan[stage_id].attends
        return Operand(
            stage_title(stage_id), values, stage_levels(self.trace, stage_id), rows, columns, stage_id, head,
            query_axis() if attends else "", key_axis() if attends else "", shown, marks=marks,
        )  # fmt: skip

    def result(self) -> Operand:
        """The stage itself, its cell marked unless a sub-step is worked out."""
        marks = () if self.target.lead else (Mark(self.this_row, self.this_column, "result"),)
        return self.operand(self.stage.id, "i", "j", *marks)

    def entered(self, name: str, rows: str, columns: str, *marks: Mark) -> Operand | None:
        """An entered tensor; a vector is one row. None where this head has none."""
        tensor = self.document.tensor(name, self.head)
        if tensor is None:
            return None
        focus = self.state.focus
        if focus.tensor == name:
            marks = (*marks, Mark((focus.row, focus.row + 1), (focus.column, focus.column + 1), "result"))
            if rows == "p":
                self.axes["p"] = Axis(self.axes["p"].size, focus.row, self.axes["p"].tokens)
        letter, _, below = name.partition("_")
        values = tensor if tensor.ndim == 2 else tensor[None, :]
        return Operand(
            (Span(letter, _role(name)), Span(below, _role(name), -1)), values, _levels(tensor), rows, columns, name,
            self.head, marks=marks,
        )  # fmt: skip

    def made(
        self, title: str, values: Array, levels: Levels, rows: str, columns: str, *marks: Mark, whole: bool = False
    ) -> Operand:
        """A matrix that is neither a stage nor entered, such as a mask."""
        return Operand(
            (Span(title),), values, levels, rows, columns, marks=marks, whole_numbers=whole, labelled=False,
        )  # fmt: skip

    def operation(self, *items: Operand | Sign | None) -> Operation:
        """All of it in a row; what is None is left out."""
        return Operation(self.axes, tuple(item for item in items if item is not None), self.document)


def stage_title(stage_id: str) -> Line:
    """What stands above a stage's matrix: its letter, or its name where no letter says enough."""
    letters = {"input": "X′", "Q_rot": "Q′", "K_rot": "K′", "weights": "A", "heads": "A·V"}
    if stage_id in letters or len(stage_id) == 1:
        return (Span(letters.get(stage_id, stage_id), _role(stage_id)),)
    return (Span(stage_name(stage_id), _role(stage_id)),)


def _role(tensor: str) -> str:
    return ROLES.get(tensor, "plain")


_known_levels: dict[int, tuple[Array, Levels]] = {}


def _levels(tensor: Array) -> Levels:
    """The scale of an entered tensor, kept as long as it is the same array."""
    known = _known_levels.get(id(tensor))
    if known is None or known[0] is not tensor:
        if len(_known_levels) > 64:
            _known_levels.clear()
        known = _known_levels[id(tensor)] = (tensor, levels_of(tensor, ""))
    return known[1]


def _alone(maker: _Maker) -> Operation:
    return maker.operation(maker.result())


def _add(maker: _Maker) -> Operation:
    cell = (maker.this_row, maker.this_column)
    x, p = (maker.operand(name, "i", "j", Mark(*cell, "plain")) for name in maker.stage.reads)
    return maker.operation(x, Sign("+"), replace(p, labelled=False), Sign("="), maker.result())


def _project(maker: _Maker) -> Operation:
    if maker.stage.entered:
        return _alone(maker)
    name = maker.stage.inputs[0]
    maker.axes["p"] = Axis(maker.trace[maker.source].shape[-1])
    column = Mark(None, maker.this_column, _role(name))
    weights = maker.entered(name, "p", "j", column)
    source = maker.operand(maker.source, "i", "p", Mark(maker.this_row, None, _role(maker.source)))
    return maker.operation(source, Sign("·"), weights, *_plus_bias(maker), Sign("="), maker.result())


def _plus_bias(maker: _Maker) -> tuple[Operand | Sign, ...]:
    if len(maker.stage.inputs) < 2:
        return ()
    name = maker.stage.inputs[1]
    bias = maker.entered(name, "one", "j", Mark(None, maker.this_column, _role(name)))
    return (Sign("+"), bias) if bias is not None else ()


def _rotate(maker: _Maker) -> Operation:
    pair = maker.column // 2
    document = maker.document
    marks = [Mark(maker.this_row, (2 * pair, min(2 * pair + 2, document.k)), _role(maker.source))]
    source = maker.operand(maker.source, "i", "j", *marks)
    if document.k < 2:
        return maker.operation(source, Sign("="), maker.result())
    angles = rotary_angles(document.n, document.k, document.positional.base)
    maker.axes["g"] = Axis(angles.shape[1], min(pair, angles.shape[1] - 1))
    turned = (Mark(maker.this_row, (pair, pair + 1), "plain"),) if pair < angles.shape[1] else ()
    theta = maker.made("θ", angles, levels_of(angles, ""), "i", "g", *turned)
    return maker.operation(source, Sign("↻", tr("turned by")), theta, Sign("="), maker.result())


def _scores(maker: _Maker) -> Operation:
    query, key = maker.stage.reads
    maker.axes["p"] = Axis(maker.document.k)
    q = maker.operand(query, "i", "p", Mark(maker.this_row, None, "query"))
    return maker.operation(q, Sign("·"), _transposed_key(maker, key), Sign("="), maker.result())


def _transposed_key(maker: _Maker, key: str) -> Operand:
    k = maker.operand(key, "p", "j", Mark(None, maker.this_column, "key"))
    whole = k.shown is not None and k.shown[0] == maker.document.n
    return replace(
        k, title=(*k.title, Span("ᵀ", "key")), values=k.values.T, column_name=key_axis(),
        shown=None if whole else (0, 0), transposed=True,
    )  # fmt: skip


def _pairwise(maker: _Maker) -> Operand:
    """The scores before, the same place marked."""
    return maker.operand(maker.source, "i", "j", Mark(maker.this_row, maker.this_column, "plain"))


def _scaled(maker: _Maker) -> Operation:
    document = maker.document
    sign = Sign(f"÷ √{document.k}")
    if document.scale.kind == "factor":
        sign = Sign(f"× {document.scale.value:.4g}")
    return maker.operation(_pairwise(maker), sign, Sign("="), maker.result())


def _biased(maker: _Maker) -> Operation:
    bias = _distances(maker.document.n, float(slopes(maker.document)[maker.head]))
    mark = Mark(maker.this_row, maker.this_column, "plain")
    b = maker.made("B", bias, _levels(bias), "i", "j", mark)
    return maker.operation(_pairwise(maker), Sign("+"), b, Sign("="), maker.result())


@lru_cache(maxsize=2)
def _distances(n: int, slope: float) -> Array:
    """−slope·|i − j|.  # -> (n, n)"""
    position = np.arange(n, dtype=np.float64)
    return 0.0 - slope * np.abs(position[:, None] - position[None, :])


def _masked(maker: _Maker) -> Operation:
    table = _mask_table(maker.document)
    mark = Mark(maker.this_row, maker.this_column, "plain")
    m = maker.made("M", table, Levels(-1.0, 1.0), "i", "j", mark, whole=True)
    return maker.operation(_pairwise(maker), Sign("+"), m, Sign("="), maker.result())


@lru_cache(maxsize=2)
def _mask_table(document: Document) -> Array:
    """0 where a query may attend, −∞ where it may not.  # -> (n, n)"""
    return np.where(allowed(document), 0.0, -np.inf)


def _softmax(maker: _Maker) -> Operation:
    """Minus the row's maximum, then e to that power; or divided by the row's sum."""
    of_max = maker.stage.lead == "max"
    values = maker.trace.matrix(maker.source, maker.head)
    column = (values.max(axis=1) if of_max else values.sum(axis=1))[:, None]
    levels = stage_levels(maker.trace, maker.source) if of_max else levels_of(column, "")
    lead = maker.target.lead
    role = _role(maker.source)
    source = maker.operand(maker.source, "i", "j", Mark(maker.this_row, None if lead else maker.this_column, role))
    found = Mark(maker.this_row, None, "result" if lead else "plain")
    made = maker.made(tr("max") if of_max else tr("sum"), column, levels, "i", "one", found)
    made = _revealed_column(maker, made)
    if of_max:
        return maker.operation(source, Sign("−"), made, Sign("→", "eˣ"), maker.result())
    return maker.operation(source, Sign("÷"), made, Sign("="), maker.result())


def _revealed_column(maker: _Maker, made: Operand) -> Operand:
    """A row's maximum or sum stands as soon as the cursor is in that row."""
    cursor = maker.state.cursor
    rows = maker.document.n
    if maker.target.ahead:
        rows = 0
    elif cursor.stage == maker.stage.id and cursor.reach is not Reach.WHOLE:
        rows = cursor.row + 1
    return replace(made, shown=(rows, 0))


def _heads(maker: _Maker) -> Operation:
    maker.axes["p"] = Axis(maker.document.n, maker.column, maker.document.tokens)
    a = maker.operand("weights", "i", "p", Mark(maker.this_row, None, "weights"))
    v = maker.operand("V", "p", "j", Mark(None, maker.this_column, "value"))
    return maker.operation(a, Sign("·"), v, Sign("="), maker.result())


def _concat(maker: _Maker) -> Operation:
    document = maker.document
    chosen, own = divmod(maker.column, document.v)
    maker.axes["v"] = Axis(document.v, own)
    first = min(max(chosen - HEADS_SHOWN // 2, 0), max(0, document.h - HEADS_SHOWN))
    last = min(document.h, first + HEADS_SHOWN)
    items: list[Operand | Sign] = [Sign("⋯")] if first > 0 else []
    for head in range(first, last):
        items += [Sign("")] if head > first else []
        items.append(_head_block(maker, head, own if head == chosen else None, labelled=head == first))
    items += [Sign("⋯")] if last < document.h else []
    return maker.operation(*items, Sign("="), maker.result())


def _head_block(maker: _Maker, head: int, own: int | None, *, labelled: bool) -> Operand:
    marks = () if own is None else (Mark(maker.this_row, (own, own + 1), "value"),)
    block = maker.operand("heads", "i", "v", *marks, head=head)
    below = Span(str(head + 1), "value", -1)
    off = not maker.document.heads[head].enabled
    title: Line = (Span("A", "value"), below, Span("V", "value"), below)
    if off:
        title = (*title, Span(" " + tr("off"), "muted"))
    return replace(block, title=title, off=off, labelled=labelled)


def _output(maker: _Maker) -> Operation:
    if not maker.stage.inputs:
        cell = Mark(maker.this_row, maker.this_column, _role(maker.source))
        return maker.operation(maker.operand(maker.source, "i", "j", cell), Sign("="), maker.result())
    maker.axes["p"] = Axis(maker.document.c)
    weights = maker.entered("W_O", "p", "j", Mark(None, maker.this_column, "plain"))
    source = maker.operand(maker.source, "i", "p", Mark(maker.this_row, None, _role(maker.source)))
    return maker.operation(source, Sign("·"), weights, *_plus_bias(maker), Sign("="), maker.result())


_BUILD: dict[str, Callable[[_Maker], Operation]] = {
    "X": _alone,
    "P": _alone,
    "input": _add,
    "Q": _project,
    "K": _project,
    "V": _project,
    "Q_rot": _rotate,
    "K_rot": _rotate,
    "scores": _scores,
    "scaled": _scaled,
    "biased": _biased,
    "masked": _masked,
    "exp": _softmax,
    "weights": _softmax,
    "heads": _heads,
    "concat": _concat,
    "Y": _output,
}
