"""Axes of a chart (linear, logarithmic or named) and their ticks. Free of Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import overload

import numpy as np

from core.base.arrays import Array
from core.base.number_format import show

SMALLEST = 1e-300  # what a logarithmic axis takes zero and less for


@dataclass(frozen=True, slots=True)
class ChartAxis:
    """Values from `low` to `high`, low < high; `log` spreads them by their logarithm, with ticks at
    powers of `base`.

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
        cls, *arrays: Array | Iterable[float], zero: bool = False, margin: float = 0.05
    ) -> ChartAxis:
        """An even axis that holds all finite values (and 0, if asked), with some margin beyond
        them.

        Where 0 is an end of the values it stays the end of the axis.
        """
        values = np.concatenate([np.asarray(array, dtype=np.float64).ravel() for array in arrays])
        values = values[np.isfinite(values)]
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        if zero:
            low, high = min(low, 0.0), max(high, 0.0)
        if high - low <= 1e-12 * max(abs(low), abs(high), 1e-12):
            low, high = (low, low + 1.0) if low == 0.0 else (low - abs(low) / 2, low + abs(low) / 2)
        beyond = (high - low) * margin
        return cls(
            low if zero and low == 0.0 else low - beyond,
            high if zero and high == 0.0 else high + beyond,
        )

    @classmethod
    def decades(cls, *arrays: Array | Iterable[float], base: int = 10) -> ChartAxis:
        """A logarithmic axis from a power of the base to another that hold all positive, finite
        values.
        """
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


GROUP = "\N{NARROW NO-BREAK SPACE}"  # between groups of three digits: 10 000
POWERS = (
    5  # from so many digits on, before or after the point, a number is written as a power of ten
)
_SLACK = 1e-9  # of a step: what rounding may have taken from an end of the axis
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Tick:
    """A value of an axis and how it is written."""

    value: float
    text: str


def ticks(axis: ChartAxis, most: int) -> tuple[Tick, ...]:
    """At most `most` ticks, evenly chosen, low to high; at least one where `most` is 1 or more."""
    if most < 1:
        return ()
    if axis.names:
        step = math.ceil(len(axis.names) / most)
        return tuple(
            Tick(float(place), axis.names[place]) for place in range(0, len(axis.names), step)
        )
    if axis.log:
        powers = _powers(axis, most)
        if len(powers) > 1:
            return powers
    return _even(axis.low, axis.high, most, 0 if axis.whole else None)


def _powers(axis: ChartAxis, most: int) -> tuple[Tick, ...]:
    """Powers of the base, every one or every so many; with base 10 and room, their 2 and 5 as well."""
    low = math.ceil(math.log(axis.low, axis.base) - _SLACK)
    high = math.floor(math.log(axis.high, axis.base) + _SLACK)
    if axis.base == 10 and (high - low + 2) * 3 <= most:
        inside = [
            (m, e)
            for e in range(low - 1, high + 1)
            for m in (1, 2, 5)
            if _within(axis, m * 10.0**e)
        ]
        return tuple(Tick(m * 10.0**e, _power_text(m, e, low, high)) for m, e in inside)
    step = math.ceil((high - low + 1) / most) if high >= low else 1
    exponents = range(low, high + 1, step)
    if axis.base != 10:
        values = [(float(axis.base) ** exponent, max(0, -exponent)) for exponent in exponents]
        return tuple(Tick(value, grouped(value, decimals)) for value, decimals in values)
    return tuple(Tick(10.0**e, _power_text(1, e, low, high)) for e in exponents)


def _within(axis: ChartAxis, value: float) -> bool:
    return axis.low * (1 - _SLACK) <= value <= axis.high * (1 + _SLACK)


def _power_text(mantissa: int, exponent: int, low: int, high: int) -> str:
    """1, 10, 100 and 1 000 while all are that short, else 1, 10, 10², 10³, 10⁴ …"""
    if (low > -POWERS + 1 and high < POWERS - 1) or (exponent in (0, 1) and mantissa == 1):
        return grouped(mantissa * 10.0**exponent, max(0, -exponent))
    return power(mantissa, exponent)


def power(mantissa: float, exponent: int) -> str:
    """10³, 2×10⁴, 1.5×10⁻⁶."""
    factor = "" if mantissa == 1 else f"{show(mantissa, 0 if mantissa == int(mantissa) else 1)}×"
    return f"{factor}10{str(exponent).translate(_SUPERSCRIPTS)}"


def grouped(value: float, decimals: int) -> str:
    """A number as `show` writes it, its whole part in groups of three: 12 500."""
    text = show(value, min(decimals, 8))
    whole, point, rest = text.partition(".")
    sign, digits = (
        whole[: len(whole) - len(whole.lstrip("\N{MINUS SIGN}"))],
        whole.lstrip("\N{MINUS SIGN}"),
    )
    if len(digits) > 3 and digits.isdecimal():
        first = len(digits) % 3 or 3
        digits = GROUP.join(
            [digits[:first], *(digits[at : at + 3] for at in range(first, len(digits), 3))]
        )
    return sign + digits + point + rest


def _even(low: float, high: float, most: int, least: int | None = None) -> tuple[Tick, ...]:
    """Multiples of the smallest step of 1, 2, 5 × 10ⁿ of which at most so many lie within; n is at
    least `least`.
    """
    exponent = math.floor(math.log10((high - low) / most)) - 1
    if least is not None:
        exponent = max(exponent, least)
    while True:
        for mantissa in (1, 2, 5):
            step = mantissa * 10.0**exponent
            first, last = math.ceil(low / step - _SLACK), math.floor(high / step + _SLACK)
            if last - first + 1 <= most:
                values = [_multiple(count * mantissa, exponent) for count in range(first, last + 1)]
                return _written(values or [low], exponent if values else exponent - 1)
        exponent += 1


def _multiple(count: int, exponent: int) -> float:
    """count × 10ⁿ as the double nearest to it: 0.3, not 0.30000000000000004."""
    return float(count * 10**exponent) if exponent >= 0 else count / 10**-exponent


def _written(values: list[float], exponent: int) -> tuple[Tick, ...]:
    largest = max(abs(value) for value in values)
    digits = math.floor(math.log10(largest)) if largest else 0
    if digits > POWERS or exponent < -POWERS + 1:
        return tuple(Tick(value, _scientific(value, digits - exponent)) for value in values)
    return tuple(Tick(value, grouped(value, max(0, -exponent))) for value in values)


def _scientific(value: float, decimals: int) -> str:
    if value == 0.0:
        return "0"
    mantissa, exponent = f"{value:.{max(0, decimals)}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    factor = "" if mantissa == "1" else f"{mantissa.replace('-', chr(0x2212))}×"
    return f"{factor}10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
