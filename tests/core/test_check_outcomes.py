"""Marking a class: what is skipped or kept for the next answers changes no outcome and no report."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from core.base.arrays import Array
from core.check.alternative_run import Candidate, NumberChain, PartialRun
from core.check.answers import stated_numbers
from core.check.check_context import CheckContext
from core.check.common import Common
from core.check.given import NOT_IMPORTED
from core.check.marking import Checker, check
from core.compute.trace import Trace, run
from core.storage.examples import load_example
from tests.core.check_kit import written

EXAMPLES = ["cat-eats-fish", "who-ate-whom", "four-words-causal", "translation", "block-by-hand"]


def answers(trace: Trace, rng: np.random.Generator) -> dict[str, Any]:
    """Some stages, a few of their numbers wrong, some of them blank."""
    names = rng.choice(trace.plan.ids, 4, replace=False)
    values: dict[str, Any] = {}
    for name in (stage for stage in trace.plan.ids if stage in names):
        array = np.array(trace[name])
        wrong = rng.random(array.shape) < rng.choice([0.0, 0.2, 1.0])
        cells = np.array(
            written(np.where(wrong, rng.uniform(-1, 1, array.shape), array), 3), object
        )
        if rng.random() < 0.4:
            cells[rng.random(array.shape) < 0.3] = None
        values[name] = cells
    return values


def every_stage(
    context: CheckContext, base: NumberChain, target: str, mistakes: Iterable[Candidate]
) -> Array:
    """The target computed through every stage before it, nothing skipped."""
    mistakes = list(mistakes)
    changes = {name: f for one in mistakes for name, f in one.changes.items()}
    after = {name: f for one in mistakes for name, f in one.after.items()}
    arrays = {**base.arrays, target: base.plain[target]}
    moved: set[str] = set()
    for stage in context.plan:
        now = PartialRun(context.document, context.plan, dict(arrays))
        if stage.id in changes:
            array = changes[stage.id](now)
        elif moved & {*stage.reads}:
            array = now.plain(stage.id)
        elif stage.id in after:
            array = arrays[stage.id]
        else:
            continue
        if base is not context.truth and stage.id != target and stage.id in context.sheets:
            sheet = context.sheets[stage.id]
            array = np.where(sheet.usable, sheet.value, array)
        arrays[stage.id] = after[stage.id](array) if stage.id in after else array
        moved.add(stage.id)
        if stage.id == target:
            break
    return arrays[target]


@pytest.mark.parametrize("example", EXAMPLES)
def test_outcomes_are_those_of_computing_every_stage(example: str) -> None:
    document, rng = load_example(example), np.random.default_rng(5)
    common = Common(document, NOT_IMPORTED)
    with np.errstate(all="ignore"):
        for _ in range(3):  # answers that share what is kept
            values = answers(common.trace, rng)
            sheets = {name: stated_numbers(document, name, values[name]) for name in values}
            context = CheckContext(common, sheets)
            for stage in common.plan:
                context.compute(stage)
                if stage.id not in sheets:
                    continue
                tried = context.possible(common.candidates, stage.id)
                pairs = list(combinations(tried, 2))
                some = [pairs[i] for i in rng.permutation(len(pairs))[:10]]
                for mistakes in [*((one,) for one in tried), *some]:
                    for base in context.chains(stage.id):
                        got = context.outcome(base, stage.id, mistakes)
                        expected = every_stage(context, base, stage.id, mistakes)
                        np.testing.assert_array_equal(got, expected)
                right = sheets[stage.id].near(common.trace[stage.id])
                context.record(stage.id, right, common.trace[stage.id])


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_report_does_not_depend_on_the_answers_before(example: str) -> None:
    document, rng = load_example(example), np.random.default_rng(8)
    trace, checker = run(document), Checker(document)
    for _ in range(6):
        values = answers(trace, rng)
        assert checker.check(values) == check(document, values)
