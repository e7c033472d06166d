"""Memory for the large arrays of a trace, used again by the next run: a third of a run, and more, are fresh pages.

When nobody holds such an array any more, nor any view of it, its pages wait for the next of the same size. Meanwhile
the system may take them whenever it is short of memory (MADV_FREE); where it knows no such thing, nothing is kept.
"""

from __future__ import annotations

import mmap
import weakref
from math import prod

import numpy as np

from core.base.arrays import Array

LEAST = (
    1 << 19
)  # numbers of an array that is worth it: four megabytes, from which NumPy asks for huge pages
MOST = 6  # arrays that wait: those of a trace's scores

_FREE: int | None = getattr(mmap, "MADV_FREE", None)
_HUGE: int | None = getattr(mmap, "MADV_HUGEPAGE", None)
_waiting: dict[
    int, list[mmap.mmap]
] = {}  # of one size, that of the last run; replaced as a whole, for several threads
_again: dict[
    int, int
] = {}  # bytes of what is lent that has waited before, by the identity of the memory


def fresh(shape: tuple[int, ...]) -> Array:
    """An array of any content, as np.empty gives it. What waits for arrays of another size goes back to the system."""
    global _waiting
    size = 8 * prod(shape)
    if size < 8 * LEAST or _FREE is None:
        _waiting = {}
        return np.empty(shape)
    if (here := _waiting.get(size)) is None:
        _waiting = {size: (here := [])}
    try:
        memory = here.pop()
    except (
        IndexError
    ):  # asked for, instead of looked at before: another thread may have been quicker
        return _mapped(shape, size)
    _again[id(memory)] = size
    return _lent(shape, memory)


def lent_again() -> int:
    """Bytes in use that Linux goes on to count as available, since they have waited once."""
    return sum(tuple(_again.values()))


def _mapped(shape: tuple[int, ...], size: int) -> Array:
    try:
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError:
        return np.empty(shape)  # which says in its own way that there is too little
    if _HUGE is not None:
        _advise(memory, _HUGE)
    return _lent(shape, memory)


def _lent(shape: tuple[int, ...], memory: mmap.mmap) -> Array:
    array: Array = np.ndarray(shape, buffer=memory)
    weakref.finalize(
        array, _wait, memory
    ).atexit = False  # every view of it keeps the array itself alive
    return (
        array.view()
    )  # whose base is this array: what is kept by its owner must not outlive it, as the memory does


def _wait(memory: mmap.mmap) -> None:
    """For the next array of its size, if such are still asked for."""
    _again.pop(id(memory), None)
    here = _waiting.get(len(memory))
    if here is not None and len(here) < MOST and _FREE is not None and _advise(memory, _FREE):
        here.append(memory)


def _advise(memory: mmap.mmap, advice: int) -> bool:
    """Whether the system takes the advice."""
    try:
        memory.madvise(advice)
    except OSError:
        return False
    return True
