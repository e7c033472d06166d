"""Texts that several labs share: lists, numbers, memory, ties, heads that are off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.base.number_format import HUGE, NOISE, show, show_significant
from core.document.document import Document
from gui.labs.charts import grouped, power
from gui.texts.names import head_name, visible_token
from gui.texts.translation import tr


def measured(value: float, decimals: int) -> str:
    """Format the difference of two numbers that should agree: 0 only if exact, else 4.4×10⁻¹⁶."""
    if value == 0.0:
        return "0"
    if abs(value) >= NOISE:
        return show_significant(value, decimals)
    mantissa, exponent = f"{value:.1e}".split("e")
    return power(float(mantissa), int(exponent))


def counted(count: int) -> str:
    """Format a count in full, or as 4.40×10¹² if too long."""
    return grouped(count, 2 if count >= HUGE else 0)


_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def seconds_text(seconds: float) -> str:
    """Format a time with three digits in a suitable unit: 12.3 µs."""
    factor, unit = next(
        ((factor, unit) for factor, unit in _UNITS if seconds >= factor), _UNITS[-1]
    )
    value = seconds / factor
    return f"{show(value, 0 if value >= 100 else 1)} {unit}"


def bytes_text(size: int) -> str:
    """Format memory: 512 B, 8.0 KiB."""
    factor, unit = next(((factor, unit) for factor, unit in _BYTES if size >= factor), (1, "B"))
    return f"{show(size / factor, 1 if factor > 1 else 0)} {unit}"


MOST_NAMED = 4  # most names in one sentence; more are counted


def listed(names: Sequence[str]) -> str:
    """Join names: A; A and B; A, B and C; A, B, C and 4 more."""
    if len(names) > MOST_NAMED:
        first = tr(", ").join(names[: MOST_NAMED - 1])
        return tr("{names} and {count} more", names=first, count=len(names) - MOST_NAMED + 1)
    if len(names) < 2:
        return "".join(names)
    return tr("{names} and {last}", names=tr(", ").join(names[:-1]), last=names[-1])


def quoted(token: str) -> str:
    """Quote a token in a sentence."""
    return tr("“{token}”", token=visible_token(token))


def named(tokens: Sequence[str], places: Iterable[int]) -> str:
    """List the tokens at some places."""
    return listed([quoted(tokens[place]) for place in places])


def leaders(values: Iterable[float], decimals: int) -> list[int]:
    """Return the index of the largest value and of all equal to it at these decimals."""
    numbers = [float(value) for value in values]
    most = show(max(numbers), decimals)
    return [place for place, number in enumerate(numbers) if show(number, decimals) == most]


def with_off(notice: str, document: Document, head: int) -> str:
    """Append to a notice that its head is off, if so."""
    if document.heads[head].enabled:
        return notice
    name = head_name(head, document.heads[head].name)
    off = tr("{head} is off: in the concatenation it counts as 0.", head=name)
    return tr("{said} {more}", said=notice, more=off)
