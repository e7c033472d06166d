"""check(document, values): mark each stated number, and find the mistakes behind the wrong ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from core.arithmetic.attention import exponentials
from core.base.arrays import Array, BoolArray
from core.base.errors import UserError
from core.check.answers import Index, StatedNumbers, stated_numbers
from core.check.cell_mistakes import (
    digit_mistakes,
    sum_mistakes,
    unexplained_steps,
    unexplained_sums,
)
from core.check.check_context import CheckContext
from core.check.common import Common
from core.check.given import NOT_IMPORTED, Given
from core.check.report import FOLLOWS, RIGHT, WRONG, CheckReport, MarkedNumber, Mistake
from core.check.search import (
    NEED,
    NEED_LONE,
    Case,
    Explanation,
    Outcome,
    best,
    best_pair,
    early_rounding,
    possible,
    singles,
    truncated,
)
from core.document.document import Document, Softmax
from core.stages import softmax_source
from core.stages.softmax import EXPONENTIAL

SEARCHED_CELLS = 1 << 14  # of a stage; larger ones are marked without a search for mistakes
MOST_SUMS = 30  # wrong sums of a stage that are examined; more have another cause
ENOUGH = 0.9  # of the wrong numbers: a mistake that explains them is accepted alone


def check(
    document: Document, values: Mapping[str, Any], given: Given = NOT_IMPORTED
) -> CheckReport:
    """Mark the numbers stated for some stages.

    `values`: for each stage id an array or nested lists in the stage's shape (one head may stand as
    a plain matrix), of numbers, texts ("0.50" states two decimals) or `Entered`; None, NaN and
    blank texts are not marked.

    Raises UserError: "stage.absent" (stage, known), "shape", "array.ragged", and for a single
    number, with stage and index, "number.unreadable", "number.too_large", "array.not_numeric".
    """
    return Checker(document, given).check(values)


class Checker:
    """Marks the answers of many to one experiment."""

    def __init__(self, document: Document, given: Given = NOT_IMPORTED) -> None:
        self._common = Common(document, given)

    @np.errstate(all="ignore")  # numbers beyond the doubles, and −∞ less −∞, mean nothing here
    def check(self, values: Mapping[str, Any]) -> CheckReport:
        """Mark the numbers stated for some stages, as `check` does."""
        the_plan = self._common.plan
        for stage_id in values:
            if stage_id not in the_plan:
                raise UserError("stage.absent", stage=stage_id, known=the_plan.ids)
        sheets = {
            name: stated_numbers(self._common.document, name, values[name])
            for name in the_plan.ids
            if name in values
        }
        context = CheckContext(self._common, sheets)
        marks: list[MarkedNumber] = []
        mistakes: list[Mistake] = []
        for stage in the_plan:
            context.compute(stage)
            if stage.id in sheets:
                found = _StageMarking(context, stage.id)
                marks += found.marks()
                mistakes += found.mistakes
        return CheckReport(tuple(marks), tuple(mistakes))


class _StageMarking:
    """Marks the numbers of one stage."""

    def __init__(self, context: CheckContext, stage_id: str) -> None:
        self.context, self.stage = context, stage_id
        self.sheet: StatedNumbers = context.sheets[stage_id]
        self.expected = context.trace[stage_id]
        self.true: Array = self.expected
        self.mistakes: list[Mistake] = []
        self.right = self.sheet.near(self.expected)
        if context.plan[stage_id].kind is EXPONENTIAL:
            self._shifted_otherwise()
        self.excused = self._excused()  # right for other given numbers that round to those entered
        self.follows = self._carried_on()
        true = np.where(self.excused, self.sheet.value, self.true)
        context.record(stage_id, self.right | self.excused, true)
        case = self._case(self.sheet.stated & ~self.right & ~self.follows & ~self.excused)
        if case.wrong.any():
            self._explain(case)

    def marks(self) -> list[MarkedNumber]:
        """The marks, one for each stated number."""
        own = self.context.given.plain[self.stage]
        return [
            MarkedNumber(
                self.stage,
                index,
                entered,
                float(self.expected[index]),
                float(own[index]),
                self._verdict(index),
                bool(self.excused[index]),
            )
            for index, entered in self.sheet.given.items()
        ]

    def _verdict(self, index: Index) -> str:
        if self.right[index] or self.excused[index]:
            return RIGHT
        return FOLLOWS if self.follows[index] else WRONG

    def _case(self, wrong: BoolArray) -> Case:
        kept = self.right | self.follows
        return Case(self.context, self.stage, wrong, kept, self.context.bits(self.stage))

    @cached_property
    def _tried(self) -> list[Outcome]:
        case = self._case(self.sheet.stated & ~self.right)
        return singles(case) if case.wrong.size <= SEARCHED_CELLS else []

    def _excused(self) -> BoolArray:
        """Numbers that only the rounding of the given ones makes right.

        None where one known mistake gives the whole sheet, which the right reading does not.
        """
        context, off = self.context, self.sheet.stated & ~self.right
        self.follows = np.zeros_like(off)
        if not context.decimals or not off.any():
            return np.zeros_like(off)
        excused = off & context.within_rounding(self.stage)
        excused &= ~context.is_as_written(self.stage, self.right & self.sheet.stated, off)
        if not excused.any() or (self.sheet.near(context.given.plain[self.stage]) | ~off).all():
            return excused
        find = best(self._case(off), self._tried)
        if find is not None and find.whole and find.bits >= NEED:
            return excused & ~find.cells
        return excused

    def _shifted_otherwise(self) -> None:
        """Accept e^s for e^(s − max) and vice versa in whole rows: the quotient is the same."""
        softmax, source = (
            self.context.document.softmax,
            self.context.trace[softmax_source(self.context.plan)],
        )
        other = exponentials(source, base=softmax.number, shift=not softmax.shift)
        same, right = self.sheet.near(other) | ~self.sheet.stated, self.right
        if self.context.is_uncertain:
            turned = self.context.document.with_(softmax=Softmax(softmax.base, not softmax.shift))
            same |= self.context.within_rounding(self.stage, turned)
            right = right | self.context.within_rounding(self.stage)
        rows = same.all(axis=-1, keepdims=True) & (self.sheet.stated & ~right).any(
            axis=-1, keepdims=True
        )
        cells = rows & self.sheet.stated
        if cells.any():
            self.right = self.right | cells
            self.true = np.where(rows, other, self.expected)
            name = "exp.unshifted" if softmax.shift else "exp.shifted"
            self.mistakes.append(Mistake(name, self.stage, _indices(cells), harmless=True))

    def _carried_on(self) -> BoolArray:
        """Numbers that are wrong but consistent with the learner's own earlier ones; add the
        mistakes that say so.
        """
        context, sheet = self.context, self.sheet
        given, exact = context.given.plain[self.stage], context.exact.plain[self.stage]
        if given is self.expected and exact is self.expected:
            return np.zeros_like(self.right)
        moved = np.abs(exact - self.expected) > 1e-9 * (1 + np.abs(self.expected))
        near = sheet.near(given) | sheet.near(exact)
        open_ones = sheet.stated & ~(near | self.right | self.excused)
        if (moved & open_ones).any():
            near |= moved & context.within_stated(self.stage)
        follows = near & ~self.right & ~self.excused & sheet.stated
        self._add_carried(follows, moved)
        return np.asarray(follows)

    def _add_carried(self, follows: BoolArray, moved: BoolArray) -> None:
        sheets, right = self.context.sheets, self.context.right
        before = reversed(_stated_before(self.context, self.stage))
        stages = tuple(name for name in before if (sheets[name].stated & ~right[name]).any())
        moved = moved & bool(stages)
        carried, rounded = follows & moved, follows & ~moved
        if carried.any():
            self.mistakes.append(
                Mistake("carried", self.stage, _indices(carried), {"stages": stages})
            )
        if rounded.any():
            source = _stated_before(self.context, self.stage)[0]
            data = {"stage": source, "decimals": self.context.sheets[source].usual_decimals}
            self.mistakes.append(Mistake("rounding.early", self.stage, _indices(rounded), data))

    def _explain(self, case: Case) -> None:
        targets = [self.context.given.plain[self.stage], self.expected]
        cut, first = self._cut(case, targets), best(case, self._tried)
        everywhere = self._cut(self._case(self.sheet.stated), targets) | case.kept
        whole = first is not None and first.whole and not everywhere.all()
        if (cut == case.wrong).all() and not whole:
            self._cut_off(case, cut)
            return
        tried = self._tried
        while case.wrong.any() and (find := self._whole(case, tried)) is not None:
            self._name(find)
            if find.candidates[0].id == "rounding.early":
                self.follows |= find.cells
            targets.insert(0, find.array)
            case = case.without(find.cells)
        if case.wrong.any():
            case = self._cut_off(case, self._cut(case, targets))
        self._explain_cells(case, targets)

    def _explain_cells(self, case: Case, targets: list[Array]) -> None:
        """Single numbers: digits, a mistake that more numbers would prove, one wrong product."""
        few = bool(case.wrong.sum() <= MOST_SUMS)
        case = self._add(case, digit_mistakes(case, targets))
        case = self._suppose(case, alone=True)
        if few:
            case = self._add(case, sum_mistakes(case))
        case = self._suppose(case, alone=False)
        if few:
            case = self._add(case, unexplained_sums(case))
            for source in _stated_before(self.context, self.stage)[:1]:
                self._add(case, unexplained_steps(case, source))

    def _add(self, case: Case, mistakes: list[Mistake]) -> Case:
        self.mistakes += mistakes
        cells = np.zeros_like(case.wrong)
        for mistake in mistakes:
            for index in mistake.cells:
                cells[index] = True
        return case.without(cells)

    def _suppose(self, case: Case, *, alone: bool) -> Case:
        """Name mistakes that may be; `alone`: only those that no right number speaks against."""
        for find in possible(case, self._tried, alone=alone):
            self._name(find)
            case = case.without(find.cells)
        return case

    def _whole(self, case: Case, tried: list[Outcome]) -> Explanation | None:
        """The best explanation: one mistake, else two together, else early rounding."""
        one = best(case, tried)
        if self.context.decimals and (one is None or one.cells.sum() < ENOUGH * case.wrong.sum()):
            one = best(case, tried, rounded=True) or one
        if one is None and tried:
            one = best(case, singles(case, stepwise=True))
        if one is not None and one.cells.sum() >= ENOUGH * case.wrong.sum():
            early = early_rounding(case) if one.bits < NEED else None
            return one if early is None or (case.wrong & ~early.cells).any() else early
        finds = [
            find
            for find in (one, best_pair(case, tried), early_rounding(case) if tried else None)
            if find is not None
        ]
        return max(finds, key=lambda find: int(find.cells.sum()), default=None)

    def _cut(self, case: Case, targets: list[Array]) -> BoolArray:
        """The wrong numbers that were truncated instead of rounded."""
        return np.asarray(np.any([truncated(case, target) for target in targets], axis=0))

    def _cut_off(self, case: Case, cells: BoolArray) -> Case:
        if cells.any():
            self.mistakes.append(Mistake("digits.truncated", self.stage, _indices(cells)))
        return case.without(cells)

    def _name(self, find: Explanation) -> None:
        cells = _indices(find.cells)
        also = tuple(Mistake(twin.id, self.stage, cells, dict(twin.data)) for twin in find.also)
        maybe = find.maybe or (len(cells) == 1 and find.bits < NEED_LONE)
        for candidate in find.candidates:
            found = Mistake(
                candidate.id, self.stage, cells, dict(candidate.data), also, maybe=maybe
            )
            same = [
                known for known in self.mistakes if found == replace(known, cells=cells, also=also)
            ]
            for known in same:  # found before, in other numbers
                self.mistakes.remove(known)
                found = replace(known, cells=tuple(sorted({*known.cells, *cells})))
            self.mistakes.append(found)


def _indices(cells: BoolArray) -> tuple[Index, ...]:
    return tuple(tuple(index) for index in np.argwhere(cells).tolist())


def _stated_before(context: CheckContext, stage_id: str) -> list[str]:
    """The nearest stated stages before a stage, the last in the plan first."""
    found: set[str] = set()
    waiting = list(context.plan[stage_id].reads)
    while waiting:
        name = waiting.pop()
        if name in context.sheets:
            found.add(name)
        if name not in context.sheets or not context.sheets[name].full:
            waiting += context.plan[name].reads
    return sorted(found, key=context.plan.index, reverse=True)
