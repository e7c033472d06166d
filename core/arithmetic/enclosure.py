"""Enclosures: arrays of numbers that are known to within given errors, in affine arithmetic.

A number is center + Σ parts·ε + rest·η, where each ε is one error, shared by all numbers that it
moves, and each η belongs to one number alone; all lie in [−1, 1]. So what comes from the same
entered number stays related, and the bounds are those of the worst case: exact to first order in
the errors, with rigorous remainders (de Figueiredo and Stolfi 2004, Self-validated numerics).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.base.arrays import Array, BoolArray

MUCH_CLOSER = 0.5  # from here on bounds without a relation to other numbers are taken
_UNBOUNDED = 2.0**500
SINGLE = 2.0**-24  # relative error of one operation in single precision


@dataclass(frozen=True, slots=True, eq=False)
class Enclosure:
    """An array of enclosed numbers.  # center, rest: any shape S; parts: (errors, *S)"""

    center: Array
    parts: Array
    rest: Array

    @property
    def radius(self) -> Array:
        """The largest distance from the center."""
        return np.asarray(np.abs(self.parts).sum(axis=0) + self.rest)

    @property
    def bounds(self) -> tuple[Array, Array]:
        """The lowest and the highest values."""
        radius = self.radius
        return self.center - radius, self.center + radius

    def __add__(self, other: Enclosure) -> Enclosure:
        a, b = aligned(self, other)
        return Enclosure(a.center + b.center, a.parts + b.parts, a.rest + b.rest)

    def __matmul__(self, other: Enclosure) -> Enclosure:
        """Multiply matrices; axes before the last two broadcast."""
        a, b = aligned(self, other)
        rest = np.abs(a.center) @ b.rest + a.rest @ np.abs(b.center) + a.radius @ b.radius
        return Enclosure(
            a.center @ b.center, a.parts @ b.center + a.center @ b.parts, np.asarray(rest)
        )

    def __mul__(self, other: Enclosure) -> Enclosure:
        """Multiply number by number; the shapes broadcast."""
        a, b = aligned(self, other)
        rest = np.abs(a.center) * b.rest + a.rest * np.abs(b.center) + a.radius * b.radius
        return Enclosure(a.center * b.center, a.parts * b.center + a.center * b.parts, rest)

    def squared(self) -> Enclosure:
        """The square of each number, whose error is its own square and so never below 0."""
        beyond = np.square(self.radius) / 2
        return Enclosure(
            np.square(self.center) + beyond,
            2 * self.center * self.parts,
            2 * np.abs(self.center) * self.rest + beyond,
        )

    def plus(self, number: float) -> Enclosure:
        """All numbers plus an exact number."""
        return Enclosure(self.center + number, self.parts, self.rest)

    def times(self, factor: float) -> Enclosure:
        """All numbers times an exact factor."""
        return Enclosure(self.center * factor, self.parts * factor, self.rest * abs(factor))

    def moved(self, move: Callable[[Array], Array]) -> Enclosure:
        """All numbers rearranged by a function that moves or copies numbers, or puts 0 for some."""
        parts = [move(part) for part in self.parts]
        center, rest = move(self.center), move(self.rest)
        return Enclosure(center, np.reshape(parts, (len(parts), *center.shape)), rest)

    def only(self) -> Enclosure:
        """Without the first axis, which has one place."""
        return Enclosure(self.center[0], self.parts[:, 0], self.rest[0])

    def turned(self) -> Enclosure:
        """Rows and columns swapped."""
        arrays = (self.center, self.parts, self.rest)
        return Enclosure(*(array.swapaxes(-1, -2) for array in arrays))

    def widened(self, by: Array | float) -> Enclosure:
        """With more error in each number."""
        return Enclosure(self.center, self.parts, self.rest + by)

    def replaced(self, where: BoolArray, center: Array | float) -> Enclosure:
        """With exact numbers at some places."""
        return Enclosure(
            np.where(where, center, self.center),
            np.where(where, 0.0, self.parts),
            np.where(where, 0.0, self.rest),
        )

    def clipped(self, lower: Array, upper: Array) -> Enclosure:
        """Take these bounds for the numbers where they are much closer than its own.

        Elsewhere the relation to other numbers is worth more.
        """
        half = (upper - lower) / 2
        closer = half < MUCH_CLOSER * self.radius
        return Enclosure(
            np.where(closer, (lower + upper) / 2, self.center),
            np.where(closer, 0.0, self.parts),
            np.where(closer, half, self.rest),
        )


def known(center: Array) -> Enclosure:
    """Exact numbers."""
    return Enclosure(center, np.zeros((0, *center.shape)), np.zeros(center.shape))


def aligned(*enclosures: Enclosure) -> list[Enclosure]:
    """The same enclosures with equally many errors; later ones do not move earlier numbers."""
    count = max(len(each.parts) for each in enclosures)
    return [
        each
        if len(each.parts) == count
        else Enclosure(
            each.center,
            np.concatenate([each.parts, np.zeros((count - len(each.parts), *each.center.shape))]),
            each.rest,
        )
        for each in enclosures
    ]


def stacked(enclosures: Sequence[Enclosure]) -> Enclosure:
    """Enclosures of the same shape along a new first axis."""
    same = aligned(*enclosures)
    return Enclosure(
        np.stack([each.center for each in same]),
        np.stack([each.parts for each in same], axis=1),
        np.stack([each.rest for each in same]),
    )


def multiplied(a: Enclosure, b: Enclosure, noise: float) -> Enclosure:
    """The matrix product, whose sums are computed with a relative error in each operation."""
    size = np.abs(a.center) @ np.abs(b.center)
    return (a @ b).widened(noise * (a.center.shape[-1] + 1) * size)


class Errors:
    """Hand out errors; beyond the limit each number gets one of its own that it shares with none."""

    def __init__(self, cells: int, most: int = 1 << 20) -> None:
        self._count, self._limit = 0, most // max(cells, 1)

    def uncertain(self, center: Array, half: Array) -> Enclosure:
        """Numbers that are each off by at most `half`."""
        where = np.flatnonzero(half)
        if not where.size or self._count + where.size > self._limit:
            return Enclosure(center, np.zeros((0, *center.shape)), half)
        parts = np.zeros((self._count + where.size, center.size))
        parts[self._count + np.arange(where.size), where] = half.flat[where]
        self._count += where.size
        return Enclosure(center, parts.reshape(-1, *center.shape), np.zeros(center.shape))


def from_first(scores: Enclosure) -> Enclosure:
    """Scores less the largest of their row, of those in the center; masked ones stay −∞."""
    top = scores.center.argmax(axis=-1, keepdims=True)
    center = scores.center - np.take_along_axis(scores.center, top, axis=-1)
    parts = scores.parts - np.take_along_axis(scores.parts, top[None], axis=-1)
    own = np.arange(center.shape[-1]) == top
    rest = scores.rest + np.take_along_axis(scores.rest, top, axis=-1)
    masked = np.isneginf(scores.center)
    return Enclosure(
        np.where(masked, -np.inf, center),
        np.where(masked, 0.0, parts),
        np.where(masked | own, 0.0, rest),
    )


def below_maximum(first: Enclosure) -> Enclosure:
    """The same less the row's maximum, which may be another score than the largest in the center."""
    highest = np.where(np.isneginf(first.center), -np.inf, first.center + first.radius)
    slack = np.maximum(highest.max(axis=-1, keepdims=True, initial=0.0), 0.0) / 2
    return Enclosure(first.center - slack, first.parts, first.rest + slack)


def exponential(exponents: Enclosure) -> Enclosure:
    """e to the power of each; 0 for −∞."""
    power, radius = np.exp(exponents.center), exponents.radius
    allowed = ~np.isneginf(exponents.center)
    beyond = power * (np.expm1(radius) - radius) / 2  # e^x − (1 + x) lies between 0 and twice that
    return Enclosure(
        power + np.where(allowed, beyond, 0.0),
        np.where(allowed, power * exponents.parts, 0.0),
        np.where(allowed, power * exponents.rest + beyond, 0.0),
    )


def inverse_root(squares: Enclosure, least: float) -> Enclosure:
    """1 ÷ √ of each of numbers that are never below `least`, of which 0 gives 0.

    The root bends one way: its distance from the tangent is largest at the lower end.
    """
    center, radius = squares.center, squares.radius
    lower = np.maximum(center - radius, least)
    zero, open_end = center == 0, (lower <= 0) & (center > 0)
    safe, low = np.where(zero, 1.0, center), np.where(lower <= 0, 1.0, lower)
    inverse = np.where(zero, 0.0, 1 / np.sqrt(safe))
    slope = -inverse / (2 * safe)
    with np.errstate(all="ignore"):
        beyond = np.maximum(1 / np.sqrt(low) - inverse - slope * (low - center), 0.0) / 2
    beyond = np.where(radius == 0, 0.0, np.where(open_end, _UNBOUNDED, beyond))
    return Enclosure(
        inverse + np.where(open_end, 0.0, beyond),
        slope * squares.parts,
        np.abs(slope) * squares.rest + beyond,
    )


def curved(
    numbers: Enclosure, values: Array, slopes: Array, bend: float, lower: Array, upper: Array
) -> Enclosure:
    """A smooth function of each number, by its tangent.

    `values` and `slopes` are those at the centers, `bend` is the largest |second derivative|, and
    `lower` and `upper` are bounds of the function on the whole interval.
    """
    beyond = bend * np.square(numbers.radius) / 2
    rest = np.abs(slopes) * numbers.rest + beyond
    return Enclosure(values, slopes * numbers.parts, rest).clipped(lower, upper)


def shares(powers: Enclosure) -> Enclosure:
    """Each of a row divided by the row's sum; a row of zeros stays 0.

    (e + de) ÷ (S + dS) = q + (de − q dS) ÷ S, but for (de − q dS) dS ÷ (S (S + dS)), with q = e ÷ S.
    """
    total = powers.center.sum(axis=-1, keepdims=True)
    empty = total == 0
    safe = np.where(empty, 1.0, total)
    quotient = powers.center / safe
    all_rest = powers.rest.sum(axis=-1, keepdims=True)
    sum_parts = powers.parts.sum(axis=-1, keepdims=True)
    parts = powers.parts - quotient * sum_parts
    rest = np.abs(1 - quotient) * powers.rest + np.abs(quotient) * (all_rest - powers.rest)
    off = np.abs(sum_parts).sum(axis=0) + all_rest
    least = np.where(off < np.abs(safe), np.abs(safe) - off, np.nan)
    error = (np.abs(parts).sum(axis=0) + rest) * off / (np.abs(safe) * least)
    rest = rest / np.abs(safe) + np.where(np.isnan(error), np.inf, error)
    zero = empty | ((powers.center == 0) & (powers.radius == 0))
    return Enclosure(quotient, parts / safe, np.where(zero, 0.0, rest))


def softmax(scores: Enclosure, log_base: float) -> Enclosure:
    """The softmax of each row.

    No weight is larger than with its score at the upper and all differences at the lower end.
    """
    scores = Enclosure(*(array * log_base for array in (scores.center, scores.parts, scores.rest)))
    masked = np.isneginf(scores.center)
    result = shares(exponential(from_first(scores)))
    lower, upper = np.zeros_like(result.center), np.zeros_like(result.center)
    for column in range(scores.center.shape[-1]):
        here = np.s_[..., column : column + 1]
        away = scores.center - np.where(masked[here], 0.0, scores.center[here])
        radius = np.abs(scores.parts - scores.parts[here]).sum(axis=0)
        radius += scores.rest + scores.rest[here]
        radius[here] = 0.0
        lower[..., column] = 1 / np.exp(away + radius).sum(axis=-1)
        upper[..., column] = 1 / np.exp(away - radius).sum(axis=-1)
    return result.clipped(np.where(masked, 0.0, lower), np.where(masked, 0.0, upper))
