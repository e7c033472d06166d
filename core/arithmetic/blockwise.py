"""Large arrays of scores, worked on in blocks that stay in the processor's cache, shared among
threads.

A block is whole rows of one head (or everything, where that is small), so that a stage which works
out each row from the same row of the stage before gives the same bits in any blocking.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from core.base.arrays import Array

BLOCK_CELLS = 1 << 16  # score cells worked on at a time: half a megabyte an array
THREADED_CELLS = (
    1 << 23
)  # score cells from which threads are worth their start; measured, below they only wait

Block = tuple[slice | int, slice]  # heads, rows
Step = Callable[
    [Array, Array, Block], object
]  # what it reads, where it writes, which block of the whole they are
Watch = Callable[[int, int], None]  # done, of how many


def apply_blockwise(
    steps: Sequence[Step],
    source: Array,
    watch: Watch | None = None,
) -> list[Array]:
    """Apply the steps one after another, block by block, the first to `source`.
    # (h, n, m) -> (h, n, m) each

    Every step finds its block in the cache, where the step before has just left it. `watch` hears
    between blocks how many are done of how many; what it raises ends the work.
    """
    results = [np.empty(source.shape) for _ in steps]

    def work(block: Block) -> None:
        before = source[block]
        for step, result in zip(steps, results, strict=True):
            after = result[block]
            step(before, after, block)
            before = after

    h, n, m = source.shape
    blocks = list(_blocks(h, n, m))
    for done, _ in enumerate(_each(work, blocks, threaded=source.size >= THREADED_CELLS), start=1):
        if watch is not None and done < len(blocks):
            watch(done, len(blocks))
    return results


def _each(
    work: Callable[[Block], None], blocks: Sequence[Block], *, threaded: bool
) -> Iterator[None]:
    """Do the work on each block; the caller ends it by not continuing the iteration."""
    if not threaded:
        yield from map(work, blocks)
        return
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        yield from pool.map(work, blocks)


def _blocks(h: int, n: int, m: int) -> Iterator[Block]:
    if h * n * m <= BLOCK_CELLS:
        yield slice(None), slice(None)
        return
    rows = max(1, BLOCK_CELLS // m)
    for head in range(h):
        for start in range(0, n, rows):
            yield head, slice(start, start + rows)
