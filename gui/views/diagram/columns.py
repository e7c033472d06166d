"""Which cards stand one over the other. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.document.document import Document
from core.stages import Plan
from core.stages.rotate import ROTATE
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
    projections = [stage for stage in plan if stage.spec.side]
    projected = tuple(stage.id for stage in projections if stage.kind is not ROTATE)
    rotated = tuple(stage.id for stage in projections if stage.kind is ROTATE)
    yield from (("side", ids) for ids in (projected, rotated) if ids)
    attention = [stage.id for stage in plan if stage.attends]
    yield from _paired("attention", attention[:-2], fold >= 2)
    yield from _paired("attention", attention[-2:], fold >= 3)
    output = list(plan.ids[plan.index(attention[-1]) + 1 :])
    yield from _paired("single", output[:-2], False)
    yield from _paired("single", output[-2:], fold >= 1)


def _sources(document: Document, plan: Plan) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What stands before Q, K and V: the words or their vectors, a context below, its positions beside.

    Where only X has positions the context stands after them, next to the keys that it feeds.
    """
    own, other = (tuple(stage.id for stage in stages) for stages in plan.vectors)
    if not own:
        yield "input", (TOKENS,) if document.context is None else (TOKENS, CONTEXT_TOKENS)
    elif len(other) == 3:
        yield from zip(("input", "around", "input"), zip(own, other, strict=True), strict=True)
    elif other and len(own) == 3:
        yield from (("input", own[:2]), ("input", (own[2], *other)))
    elif other:
        yield "input", own + other
    else:
        yield "input", own[:2]
        yield from (("single", (both,)) for both in own[2:])


def _paired(kind: str, ids: list[str], pair: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    step = 2 if pair else 1
    for start in range(0, len(ids), step):
        yield kind, tuple(ids[start : start + step])
