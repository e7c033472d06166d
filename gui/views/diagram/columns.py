"""Which cards stand one over the other. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.document.document import Document
from core.stages import Plan
from gui.views.diagram.card_sizes import Card
from gui.views.diagram.shapes import CONTEXT_TOKENS, TOKENS

# How far columns may be folded: see measures.Style.fold.
FOLDED = 3


@dataclass(frozen=True, slots=True)
class Column:
    """Cards that stand one over the other, and what kind of column it is."""

    cards: tuple[Card, ...]
    kind: str

    @property
    def ids(self) -> tuple[str, ...]:
        """The stages, from the top."""
        return tuple(card.stage_id for card in self.cards)

    @property
    def width(self) -> float:
        """As wide as the widest card."""
        return max(card.outer_width for card in self.cards)


def column_ids(document: Document, plan: Plan, fold: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The kind and the stages of every column."""
    yield from _sources(document, plan)
    for kind, ids in (("side", ("Q", "K", "V")), ("side", ("Q_rot", "K_rot"))):
        if ids[0] in plan:
            yield kind, ids
    attention = [stage.id for stage in plan if stage.attends]
    yield from _paired("attention", attention[:-2], fold >= 2)
    yield from _paired("attention", attention[-2:], fold >= 3)
    output = [stage.id for stage in plan][plan.index("heads") :]
    yield from _paired("single", output[:-2], False)
    yield from _paired("single", output[-2:], fold >= 1)


def _sources(document: Document, plan: Plan) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What stands before Q, K and V: the words or their vectors, a context below, its positions beside.

    Where only X has positions the context stands after them, next to the keys that it feeds.
    """
    if "X" not in plan:
        yield "input", (TOKENS,) if document.context is None else (TOKENS, CONTEXT_TOKENS)
    elif "input_context" in plan:
        yield from (
            ("input", ("X", "X_context")),
            ("around", ("P", "P_context")),
            ("input", ("input", "input_context")),
        )
    elif "X_context" in plan:
        yield from (
            (("input", ("X", "P")), ("input", ("input", "X_context")))
            if "P" in plan
            else (("input", ("X", "X_context")),)
        )
    else:
        yield "input", tuple(name for name in ("X", "P") if name in plan)
        if "input" in plan:
            yield "single", ("input",)


def _paired(kind: str, ids: list[str], pair: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    step = 2 if pair else 1
    for start in range(0, len(ids), step):
        yield kind, tuple(ids[start : start + step])
