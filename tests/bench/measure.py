"""Two ways of doing the same, timed in turn: A B, B A, A B … so that what else the machine does falls on both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter

Work = Callable[[], object]
Measure = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to measure: at least `rounds` pairs of samples after `warm_up` unmeasured ones, and more of them until
    `seconds` are over, which quiets what is short. `quick` also means small sizes."""

    rounds: int = 7
    most: int = 101
    seconds: float = 3.0
    warm_up: int = 2
    quick: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `ours` and `theirs` are samples in `unit`, taken in turn; `at_most` limits the ratio.

    Without `theirs` the samples themselves are limited: their median, or the `largest`. Without any sample `note` says
    why.
    """

    name: str
    what: str
    against: str
    at: str
    at_most: float
    ours: tuple[float, ...] = ()
    theirs: tuple[float, ...] = ()
    unit: str = "ms"
    note: str = ""
    largest: bool = False

    @property
    def ratios(self) -> tuple[float, ...]:
        """Ours to theirs, pair by pair."""
        return (
            tuple(a / b for a, b in zip(self.ours, self.theirs, strict=True)) if self.theirs else ()
        )

    @property
    def figure(self) -> float | None:
        """The limited number: a median, or the largest sample."""
        if not self.ours:
            return None
        samples = self.ratios or self.ours
        return max(samples) if self.largest else median(samples)

    @property
    def spread(self) -> tuple[float, float] | None:
        """The quartiles of the ratios, or of the samples where nothing is compared."""
        samples = self.ratios or self.ours
        if len(samples) < 2:
            return None
        low, _, high = quantiles(samples, n=4)
        return low, high

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where nothing was measured."""
        return None if self.figure is None else self.figure <= self.at_most


Rows = Iterator[Row]


def in_turn(
    plan: Plan, ours: Measure, theirs: Measure
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Samples of both, each pair in the other order than the one before."""
    samples: tuple[list[float], list[float]] = ([], [])
    sides = ((ours, samples[0]), (theirs, samples[1]))
    for _ in range(plan.warm_up):
        ours(), theirs()
    start = perf_counter()
    while (taken := len(samples[0])) < plan.rounds or (
        taken < plan.most and perf_counter() - start < plan.seconds
    ):
        for measure, kept in sides if taken % 2 else sides[::-1]:
            kept.append(measure())
    return tuple(samples[0]), tuple(samples[1])


def timed(work: Work, least_ms: float = 2.0) -> Measure:
    """Milliseconds for doing the work once, averaged over as many repeats as fill a sample that a clock can tell."""
    work()
    once = milliseconds(work)
    repeats = max(1, round(least_ms / max(once, 1e-4)))

    def measure() -> float:
        start = perf_counter()
        for _ in range(repeats):
            work()
        return 1000 * (perf_counter() - start) / repeats

    return measure


def milliseconds(work: Work) -> float:
    """How long the work takes, once."""
    start = perf_counter()
    work()
    return 1000 * (perf_counter() - start)
