"""A large projection after a small change: only the blocks of rows that differ are multiplied anew.

That is to the last bit what the whole product would give only if the library rounds a block's sums in the same way
when it multiplies the block alone. No library promises it, so it is tried, once for each shape, with numbers whose sums
are all rounded; a projection with a block that comes out differently is multiplied as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from core.arithmetic.stable_sum import products
from core.base.arrays import Array

BLOCK = 48  # rows: a multiple of the 4, 6, 8, 12, 16 or 24 that libraries take in one go
LEAST = 1 << 25  # multiplications from which a part is worth the looking
COLUMNS = (
    32  # of a row, below which sums that are rounded in different ways could all agree by chance
)

Project = Callable[[Array], Array]  # (rows, d) -> (h, rows, k)


def worth_patching(rows: Array, result: Array) -> bool:
    """Whether a projection is large enough.  # (n, d), (h, n, k)"""
    h, _, k = result.shape
    return bool(h * k >= COLUMNS and result.size * rows.shape[-1] >= LEAST)


def patched(project: Project, now: Array, before: Array, result: Array) -> Array | None:
    """`project(now)`, given the `result` that the same function has made of `before`; None where that cannot be.

    (n, d), (n, d), (h, n, k) -> (h, n, k)
    """
    if now.shape != before.shape:
        return None
    (n, d), (h, _, k), touched = now.shape, result.shape, _touched(now, before)
    if touched is None or not _alone(n, d, h, k).issuperset(touched):
        return None
    result = result.copy()
    for start in touched:
        rows = slice(start, start + BLOCK)
        result[:, rows] = project(now[rows])
    return result


def _touched(now: Array, before: Array) -> Sequence[int] | None:
    """Where the blocks of rows begin in which any bit differs; None if those are not the smaller part."""
    now, before = now.view(np.int64), before.view(np.int64)  # 0 and −0 differ
    touched: list[int] = []
    for start in range(0, len(now), BLOCK):
        rows = slice(start, start + BLOCK)
        if not np.array_equal(now[rows], before[rows]):
            touched.append(start)
            if 2 * BLOCK * len(touched) > len(now):
                return None
    return touched


@lru_cache(maxsize=64)
@np.errstate(all="ignore")
def _alone(n: int, d: int, h: int, k: int) -> frozenset[int]:
    """Where the blocks begin that get the same bits when they are multiplied alone.

    Every row is tried: a library may round a single one differently, such as the last that a thread is given. Rows of
    0 with negative weights, too: sums of −0 alone come out as 0 or −0, whichever way they are begun.
    """
    random = np.random.default_rng(n)
    weights = [-np.abs(random.standard_normal((d, k)))] * h
    starts = frozenset(range(0, n, BLOCK))
    for A in (random.standard_normal((n, d)), np.zeros((n, d))):
        whole = products(A, weights)
        blocks = {start: slice(start, start + BLOCK) for start in starts}
        starts = frozenset(
            start
            for start, rows in blocks.items()
            if _same(products(A[rows], weights), whole[:, rows])
        )
    return starts


def _same(a: Array, b: Array) -> bool:
    return a.tobytes() == b.tobytes()
