"""Differences that were measured, and counts, as texts: what is not zero is never written as zero."""

from __future__ import annotations

from core.base.number_format import HUGE, NOISE, show_significant
from gui.labs.charts.ticks import grouped, power


def measured(value: float, decimals: int) -> str:
    """A difference of two numbers that should agree: a plain 0 only where they do to the last bit, else 4.4×10⁻¹⁶."""
    if value == 0.0:
        return "0"
    if abs(value) >= NOISE:
        return show_significant(value, decimals)
    mantissa, exponent = f"{value:.1e}".split("e")
    return power(float(mantissa), int(exponent))


def counted(count: int) -> str:
    """A count in full, or as 4.40×10¹² where that would be too long."""
    return grouped(count, 2 if count >= HUGE else 0)
