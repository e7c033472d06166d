"""Which cards stand one over the other. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.plan import Plan
from gui.diagram.measures import Card
from gui.diagram.shapes import TOKENS

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


def column_ids(plan: Plan, fold: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The kind and the stages of every column."""
    if "X" not in plan:
        yield "input", (TOKENS,)
    grouped = {"X": ("input", ("X", "P")), "Q": ("side", ("Q", "K", "V")), "Q_rot": ("side", ("Q_rot", "K_rot"))}
    for first, (kind, ids) in grouped.items():
        if first in plan:
            yield kind, tuple(name for name in ids if name in plan)
        if first == "X" and "input" in plan:
            yield "single", ("input",)
    attention = [stage.id for stage in plan if stage.attends]
    yield from _paired("attention", attention[:-2], fold >= 2)
    yield from _paired("attention", attention[-2:], fold >= 3)
    output = [stage.id for stage in plan][plan.index("heads") :]
    yield from _paired("single", output[:-2], False)
    yield from _paired("single", output[-2:], fold >= 1)


def _paired(kind: str, ids: list[str], pair: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    step = 2 if pair else 1
    for start in range(0, len(ids), step):
        yield kind, tuple(ids[start : start + step])
