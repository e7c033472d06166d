"""check(document, values): each stated number marked, and the slips behind the wrong ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.arithmetic.attention import exponentials
from core.base.arrays import Array, BoolArray
from core.base.errors import UserError
from core.check.answers import Index, StatedNumbers, stated_numbers
from core.check.cell_mistakes import cell_mistakes
from core.check.check_context import CheckContext, rounding_error
from core.check.report import FOLLOWS, RIGHT, WRONG, CheckReport, MarkedNumber, Mistake
from core.check.search import (
    Case,
    Explanation,
    Outcome,
    best,
    best_pair,
    early_rounding,
    singles,
    truncated,
)
from core.compute.trace import run
from core.document.document import Document
from core.stages import plan, softmax_source
from core.stages.softmax import EXPONENTIAL

SEARCHED_CELLS = 1 << 14  # of a stage; a larger one is marked, but nobody has computed it by hand
ENOUGH = 0.9  # of the wrong numbers: a slip that explains them needs no second one beside it


def check(document: Document, values: Mapping[str, Any]) -> CheckReport:
    """Mark the numbers stated for some stages.

    `values`: for each stage id an array or nested lists in the stage's shape (one head may stand as a plain matrix),
    of numbers, texts ("0.50" states two decimals) or `Entered`; None, NaN and blank texts are not marked.

    Raises UserError: "stage.absent" (stage, known), "shape", "array.ragged", and for a single number, with stage and
    index, "number.unreadable", "number.too_large", "array.not_numeric".
    """
    the_plan = plan(document)
    for stage_id in values:
        if stage_id not in the_plan:
            raise UserError("stage.absent", stage=stage_id, known=the_plan.ids)
    sheets = {
        name: stated_numbers(document, name, values[name])
        for name in the_plan.ids
        if name in values
    }
    work = CheckContext(document, run(document), sheets)
    marks: list[MarkedNumber] = []
    slips: list[Mistake] = []
    for stage in the_plan:
        work.compute(stage)
        if stage.id in sheets:
            found = _StageMarking(work, stage.id)
            marks += found.marks()
            slips += found.slips
    return CheckReport(tuple(marks), tuple(slips))


class _StageMarking:
    """The verdicts on one stage."""

    def __init__(self, work: CheckContext, stage_id: str) -> None:
        self.work, self.stage = work, stage_id
        self.sheet: StatedNumbers = work.sheets[stage_id]
        self.expected = work.trace[stage_id]
        self.true: Array = self.expected
        self.slips: list[Mistake] = []
        self.right = self.sheet.near(self.expected)
        if work.plan[stage_id].kind is EXPONENTIAL:
            self._shifted_otherwise()
        self.follows = self._carried_on()
        work.record(stage_id, self.right, self.true)
        wrong = self.sheet.stated & ~self.right & ~self.follows
        if wrong.any():
            self._explain(
                Case(work, stage_id, wrong, self.right | self.follows, work.bits(stage_id))
            )

    def marks(self) -> list[MarkedNumber]:
        """One for each stated number."""
        own = self.work.given.plain[self.stage]
        return [
            MarkedNumber(
                self.stage,
                index,
                entered,
                float(self.expected[index]),
                float(own[index]),
                self._verdict(index),
            )
            for index, entered in self.sheet.given.items()
        ]

    def _verdict(self, index: Index) -> str:
        if self.right[index]:
            return RIGHT
        return FOLLOWS if self.follows[index] else WRONG

    def _shifted_otherwise(self) -> None:
        """e^s in place of e^(s − max), or the other way round, is as good: the quotient is the same. Row by row."""
        softmax, source = (
            self.work.document.softmax,
            self.work.trace[softmax_source(self.work.plan)],
        )
        other = exponentials(source, base=softmax.number, shift=not softmax.shift)
        same = self.sheet.near(other) | ~self.sheet.stated
        rows = same.all(axis=-1, keepdims=True) & (self.sheet.stated & ~self.right).any(
            axis=-1, keepdims=True
        )
        cells = rows & self.sheet.stated
        if cells.any():
            self.right = self.right | cells
            self.true = np.where(rows, other, self.expected)
            name = "exp.unshifted" if softmax.shift else "exp.shifted"
            self.slips.append(Mistake(name, self.stage, _indices(cells), harmless=True))

    def _carried_on(self) -> BoolArray:
        """Wrong, but what the learner's own numbers lead to; the slips that say from where."""
        work, sheet = self.work, self.sheet
        given, exact = work.given.plain[self.stage], work.exact.plain[self.stage]
        if given is self.expected and exact is self.expected:
            return np.zeros_like(self.right)
        with np.errstate(invalid="ignore"):  # −∞ − (−∞): nothing has moved
            moved = np.abs(exact - self.expected) > 1e-9 * (1 + np.abs(self.expected))
        near = sheet.near(given) | sheet.near(exact)
        if moved.any() and not near[moved & sheet.stated].all():
            near |= moved & sheet.near_within(given, rounding_error(work, self.stage))
        follows = near & ~self.right
        self._carried_slips(follows, moved)
        return np.asarray(follows)

    def _carried_slips(self, follows: BoolArray, moved: BoolArray) -> None:
        carried, rounded = follows & moved, follows & ~moved
        if carried.any():
            stages = _sources(self.work, self.stage)
            self.slips.append(Mistake("carried", self.stage, _indices(carried), {"stages": stages}))
        if rounded.any():
            source = _stated_before(self.work, self.stage)[0]
            data = {"stage": source, "decimals": self.work.sheets[source].usual_decimals}
            self.slips.append(Mistake("rounding.early", self.stage, _indices(rounded), data))

    def _explain(self, case: Case) -> None:
        targets = [self.work.given.plain[self.stage], self.expected]
        cut = self._cut(case, targets)
        if (cut == case.wrong).all():
            self._cut_off(case, cut)
            return
        tried = singles(case) if case.wrong.size <= SEARCHED_CELLS else []
        while case.wrong.any() and (find := self._whole(case, tried)) is not None:
            self._name(find)
            if find.candidates[0].id == "rounding.early":
                self.follows |= find.cells
            targets.insert(0, find.array)
            case = case.without(find.cells)
        if case.wrong.any():
            case = self._cut_off(case, self._cut(case, targets))
        if case.wrong.any():
            self.slips += cell_mistakes(case, targets)

    def _whole(self, case: Case, tried: list[Outcome]) -> Explanation | None:
        """What explains most: one slip, else two together, else digits lost on the way."""
        one = best(case, tried)
        if one is not None and one.cells.sum() >= ENOUGH * case.wrong.sum():
            return one
        finds = [
            find
            for find in (one, best_pair(case, tried), early_rounding(case) if tried else None)
            if find is not None
        ]
        return max(finds, key=lambda find: int(find.cells.sum()), default=None)

    def _cut(self, case: Case, targets: list[Array]) -> BoolArray:
        """The wrong numbers that were cut off in place of rounded."""
        return np.asarray(np.any([truncated(case, target) for target in targets], axis=0))

    def _cut_off(self, case: Case, cells: BoolArray) -> Case:
        if cells.any():
            self.slips.append(Mistake("digits.truncated", self.stage, _indices(cells)))
        return case.without(cells)

    def _name(self, find: Explanation) -> None:
        cells = _indices(find.cells)
        also = tuple(Mistake(twin.id, self.stage, cells, dict(twin.data)) for twin in find.also)
        self.slips += [
            Mistake(slip.id, self.stage, cells, dict(slip.data), also) for slip in find.candidates
        ]


def _indices(cells: BoolArray) -> tuple[Index, ...]:
    return tuple(tuple(index) for index in np.argwhere(cells).tolist())


def _stated_before(work: CheckContext, stage_id: str) -> list[str]:
    """The nearest stated stages on the way to a stage, the last in the plan first."""
    found: set[str] = set()
    waiting = list(work.plan[stage_id].reads)
    while waiting:
        name = waiting.pop()
        if name in work.sheets:
            found.add(name)
        if name not in work.sheets or not work.sheets[name].full:
            waiting += work.plan[name].reads
    return sorted(found, key=work.plan.index, reverse=True)


def _sources(work: CheckContext, stage_id: str) -> tuple[str, ...]:
    """The nearest stated stages whose numbers are not all right."""
    names = _stated_before(work, stage_id)
    return tuple(
        name for name in reversed(names) if (work.sheets[name].stated & ~work.right[name]).any()
    )
