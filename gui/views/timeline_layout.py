"""Where the stops of a timeline lie, so that their names have room: evenly if they can, else closer at short names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

EDGE, AIR, LEAST = (
    12.0,
    4.0,
    15.0,
)  # beside the first and the last stop, between two names, between two stops


@lru_cache(maxsize=8)
def placed(
    widths: tuple[float, ...], spare: tuple[int, ...], wide: float
) -> tuple[tuple[float, ...], frozenset[int]]:
    """Where each stop lies in a given width, and which of them can be named; all sizes in one unit.

    `widths` are those of the names, each in the middle below its stop. Where not all have room, those of `spare` go,
    one after the other.
    """
    length, named = max(wide - 2 * EDGE, 1.0), set(range(len(widths)))
    for index in spare:
        if sum(_needs(widths, named)) <= length:
            break
        named.remove(index)
    gaps = spread(_needs(widths, named), length)
    return tuple(accumulate(gaps, initial=EDGE)), frozenset(named)


def spread(needs: Sequence[float], length: float) -> list[float]:
    """Distances that make up a length, as equal as can be while none is less than it needs. If they need more than
    there is, all are shortened alike.
    """
    total = sum(needs)
    if total >= length:
        return [need * length / total for need in needs]
    level = length / max(len(needs), 1)
    while (over := [need for need in needs if need > level]) and (
        even := (length - sum(over)) / (len(needs) - len(over))
    ) < level:
        level = even
    return [max(need, level) for need in needs]


def _needs(widths: Sequence[float], named: Iterable[int]) -> list[float]:
    """How far each stop must be from the one before."""
    room = [widths[index] if index in named else 0.0 for index in range(len(widths))]
    return [max((left + right) / 2 + AIR, LEAST) for left, right in pairwise(room)]
