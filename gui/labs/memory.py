"""Memory and times as texts."""

from __future__ import annotations

from core.base.number_format import show

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def seconds_text(seconds: float) -> str:
    """A time with three figures, in the unit that suits it: 12.3 µs."""
    factor, unit = next(
        ((factor, unit) for factor, unit in _UNITS if seconds >= factor), _UNITS[-1]
    )
    value = seconds / factor
    return f"{show(value, 0 if value >= 100 else 1)} {unit}"


def bytes_text(size: int) -> str:
    """Memory: 512 B, 8.0 KiB."""
    factor, unit = next(((factor, unit) for factor, unit in _BYTES if size >= factor), (1, "B"))
    return f"{show(size / factor, 1 if factor > 1 else 0)} {unit}"
