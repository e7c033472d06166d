"""How far a result may lie off because the numbers before it were written down rounded."""

from __future__ import annotations

from functools import partial

import numpy as np

from core.base.arrays import Array
from core.check.alternative_run import Candidate, ancestors
from core.check.check_context import Work

TRIALS = 32


def spread(work: Work, target: str) -> Array:
    """The largest change of a stage while each stated number before it moves within the rounding of its last digit.

    Numbers without decimals and those that are exactly true stand as they are. Measured by fixed random trials.
    """
    way = ancestors(work.plan, target)
    rng = np.random.default_rng(0)
    plain = work.given.plain[target]
    largest = np.zeros_like(plain)
    for _ in range(TRIALS):
        stated = [name for name in work.sheets if name in way]
        shaken = Candidate(
            "spread", after={name: partial(np.add, _moved(work, name, rng)) for name in stated}
        )
        result = work.outcome(work.given, target, [shaken])
        with np.errstate(invalid="ignore"):
            largest = np.fmax(largest, np.abs(result - plain))
    return largest


def _moved(work: Work, name: str, rng: np.random.Generator) -> Array:
    sheet = work.sheets[name]
    with np.errstate(invalid="ignore"):
        exact = sheet.whole | (np.abs(sheet.value - work.trace[name]) < 1e-12) | ~sheet.stated
    half = np.where(exact, 0.0, np.nan_to_num(sheet.half))
    return np.asarray(rng.uniform(-1.0, 1.0, half.shape) * half)
