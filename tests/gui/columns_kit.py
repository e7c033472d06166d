"""What the tests of the two conventions share: the same experiment seen with tokens as rows and as columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from core.base.cell import Cell
from core.compute.trace import Trace, run
from core.document.document import Document
from core.explain.timeline import at_stage, start
from gui.session.state import Preferences, State, cursor_cell
from tests.core.documents import make

KINDS: dict[str, Document] = {
    "plain": make(1, sizes={"n": 5, "d": 6, "h": 1, "k": 2, "v": 4}),
    "full": make(
        2,
        positional="learned",
        mask="custom",
        scale="factor",
        biases=True,
        output=True,
        off=(0,),
        pins=4,
    ),
    "waves": make(3, positional="sinusoidal", mask="causal", output=True),
    "turned": make(4, positional="rotary", scale="none"),
    "given": make(5, source="qkv", positional="alibi", mask="window", slopes=True),
    "base": make(6, base="2", shift=False),
}


def every_stage() -> Iterator[tuple[str, str]]:
    """Each kind of experiment with each of its stages."""
    for kind in KINDS:
        for stage in traced(kind).plan:
            yield kind, stage.id


@cache
def traced(kind: str) -> Trace:
    return run(KINDS[kind])


def seen_as(
    kind: str, stage: str, *, columns: bool, row: int = 1, column: int = 1, head: int = 0
) -> State:
    """The state that stands at a whole stage, a cell in focus."""
    document, trace = KINDS[kind], traced(kind)
    cursor = at_stage(
        trace, replace(start(trace, document), head=head, row=row, column=column), stage
    )
    return State(document, trace, cursor, cursor_cell(cursor), Preferences(columns=columns))


def value_at(state: State, cell: Cell) -> float:
    """The number at an address of the document."""
    if cell.tensor in state.trace:
        return float(state.trace.value(cell))
    tensor = state.document.tensor(cell.tensor, cell.head)
    assert tensor is not None
    return float(tensor[cell.column] if tensor.ndim == 1 else tensor[cell.row, cell.column])
