"""An axis: from which value to which, evenly, by logarithm, or one place for each name. Free of Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import overload

import numpy as np

from core.base.arrays import Array

SMALLEST = 1e-300  # what a logarithmic axis takes zero and less for


@dataclass(frozen=True, slots=True)
class ChartAxis:
    """Values from `low` to `high`, low < high; `log` spreads them by their logarithm, with ticks at powers of `base`.

    `names` stand at 0, 1, 2 … in place of numbers; of what is counted (`whole`) no part is written.
    Raises ValueError for ends that make no axis.
    """

    low: float
    high: float
    log: bool = False
    base: int = 10
    names: tuple[str, ...] = ()
    whole: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"an axis from {self.low} to {self.high}")
        if self.log and self.low <= 0.0:
            raise ValueError(f"a logarithmic axis from {self.low}")

    @classmethod
    def named(cls, names: Iterable[str]) -> ChartAxis:
        """One place for each name, at 0, 1, 2 …, half a place of room at the ends."""
        given = tuple(names)
        return cls(-0.5, max(len(given), 1) - 0.5, names=given)

    @classmethod
    def over(
        cls, *arrays: Array | Iterable[float], zero: bool = False, room: float = 0.05
    ) -> ChartAxis:
        """An even axis that holds all finite values (and 0, if asked), with some room beyond them.

        Where 0 is an end of the values it stays the end of the axis.
        """
        values = np.concatenate([np.asarray(array, dtype=np.float64).ravel() for array in arrays])
        values = values[np.isfinite(values)]
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        if zero:
            low, high = min(low, 0.0), max(high, 0.0)
        if high - low <= 1e-12 * max(abs(low), abs(high), 1e-12):
            low, high = (low, low + 1.0) if low == 0.0 else (low - abs(low) / 2, low + abs(low) / 2)
        beyond = (high - low) * room
        return cls(
            low if zero and low == 0.0 else low - beyond,
            high if zero and high == 0.0 else high + beyond,
        )

    @classmethod
    def decades(cls, *arrays: Array | Iterable[float], base: int = 10) -> ChartAxis:
        """A logarithmic axis from a power of the base to another that hold all positive, finite values."""
        values = np.concatenate([np.asarray(array, dtype=np.float64).ravel() for array in arrays])
        values = values[np.isfinite(values) & (values > 0.0)]
        if not values.size:
            return cls(1.0, float(base), log=True, base=base)
        low = math.floor(math.log(values.min(), base) + 1e-9)
        high = math.ceil(math.log(values.max(), base) - 1e-9)
        return cls(float(base) ** low, float(base) ** max(high, low + 1), log=True, base=base)

    @overload
    def part(self, value: float) -> float: ...

    @overload
    def part(self, value: Array) -> Array: ...

    def part(self, value: float | Array) -> float | Array:
        """Where a value lies on the axis: 0 at its low end, 1 at its high one."""
        if not self.log:
            return (value - self.low) / (self.high - self.low)
        low, high = math.log(self.low), math.log(self.high)
        logarithm = np.log(np.maximum(value, SMALLEST))
        result: float | Array = (logarithm - low) / (high - low)
        return result if isinstance(value, np.ndarray) else float(result)

    def value(self, part: float) -> float:
        """The value at a part of the axis, kept within its ends."""
        part = min(max(part, 0.0), 1.0)
        if not self.log:
            return self.low + part * (self.high - self.low)
        result = math.exp(math.log(self.low) + part * (math.log(self.high) - math.log(self.low)))
        return min(max(result, self.low), self.high)
