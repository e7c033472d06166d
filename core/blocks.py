"""Large arrays of scores, worked on in blocks that stay in the processor's cache, shared among threads.

A block is whole rows of one head (or everything, where that is small), so that a stage which works out each row from
the same row of the stage before gives the same bits in any blocking.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from core.arrays import Array

BLOCK_CELLS = 1 << 16  # score cells worked on at a time: half a megabyte an array
THREADED_CELLS = 1 << 18  # score cells from which threads are worth their start

Block = tuple[slice | int, slice]  # heads, rows
Step = Callable[[Array, Array, Block], object]  # what it reads, where it writes, which block of the whole they are


def through(steps: Sequence[Step], source: Array) -> list[Array]:
    """What each step makes of the one before it, block by block, the first of `source`.  # (h, n, m) -> (h, n, m) each

    Every step finds its block in the cache, where the step before has just left it.
    """
    results = [np.empty(source.shape) for _ in steps]

    def work(block: Block) -> None:
        before = source[block]
        for step, result in zip(steps, results, strict=True):
            after = result[block]
            step(before, after, block)
            before = after

    h, n, m = source.shape
    _each(work, list(_blocks(h, n, m)), threaded=source.size >= THREADED_CELLS)
    return results


def _each(work: Callable[[Block], None], blocks: Sequence[Block], *, threaded: bool) -> None:
    if not threaded:
        for block in blocks:
            work(block)
        return
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for _ in pool.map(work, blocks):
            pass


def _blocks(h: int, n: int, m: int) -> Iterator[Block]:
    if h * n * m <= BLOCK_CELLS:
        yield slice(None), slice(None)
        return
    rows = max(1, BLOCK_CELLS // m)
    for head in range(h):
        for start in range(0, n, rows):
            yield head, slice(start, start + rows)
