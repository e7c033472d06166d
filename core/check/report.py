"""The result of a check: a mark for each number, and the mistakes that explain the wrong ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from core.check.answers import EnteredNumber, Index

RIGHT, FOLLOWS, WRONG = "right", "follows", "wrong"
NEARLY = "nearly"  # shown for a number that is right only given the digits entered


class MarkedNumber(Struct, frozen=True):
    """One number that the learner stated.

    `expected` is the true value, `own` what the learner's own earlier numbers lead to (the same
    where there are none). `verdict`: right (to the digits written), follows (wrong, but what the
    learner's own numbers lead to) or wrong. `rounded`: right only for other given numbers that round
    to those entered.
    """

    stage: str
    index: Index
    entered: EnteredNumber
    expected: float
    own: float
    verdict: str
    rounded: bool = False

    @property
    def shown(self) -> str:
        """The verdict, or NEARLY."""
        return NEARLY if self.rounded and self.verdict == RIGHT else self.verdict


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake that explains some cells of a stage.

    `id` names the kind (such as "scale.forgotten"), `data` holds values for a sentence about it,
    `also` other mistakes that give the same numbers. `harmless`: a valid alternative method; its
    cells count as right. `maybe`: too few numbers tell.
    """

    id: str
    stage: str
    cells: tuple[Index, ...]
    data: Mapping[str, Any] = field(default_factory=dict)
    also: tuple[Mistake, ...] = ()
    harmless: bool = False
    maybe: bool = False


class CheckReport(Struct, frozen=True):
    """Marks in the order of the plan, row by row; mistakes in the order of the plan, the best
    explained first.
    """

    marks: tuple[MarkedNumber, ...]
    mistakes: tuple[Mistake, ...]

    def count(self, verdict: str, stage: str | None = None) -> int:
        """The number of marks with a verdict, in all stages or in one."""
        return sum(
            verdict in (mark.verdict, mark.shown) and stage in (None, mark.stage)
            for mark in self.marks
        )

    def mistakes_at(self, stage: str, index: Index) -> tuple[Mistake, ...]:
        """The mistakes that explain one cell."""
        return tuple(
            mistake
            for mistake in self.mistakes
            if mistake.stage == stage and index in mistake.cells
        )
