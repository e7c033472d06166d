"""What a window costs at rest: memory, widgets, objects, timers and references to None."""

from __future__ import annotations

import ctypes
import functools
import gc
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtGui import QPixmapCache
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from gui.painting.pixmap_cache import PixmapCache

GROWING = ("memory", "cached", "used", "blocks", "widgets", "objects", "timers")
WARM_UP = 0.3  # of the looks: caches of glyphs, formulas and modules fill first


@dataclass(frozen=True, slots=True)
class Cost:
    """One look: `memory` in bytes with empty caches, `cached` with all that they hold (0 where the system does not
    tell); `used` is what of it is lent out by the C library, without the holes between; the others are counts,
    `blocks` of small pieces that Python lends out itself."""

    memory: int
    cached: int
    used: int
    blocks: int
    widgets: int
    objects: int
    timers: int
    none: int


def below(top: QObject) -> list[QObject]:
    """All objects below one, in order. `findChildren` would make `top` keep what it found, gone or not, for good."""
    return [found for child in top.children() for found in (child, *below(child))]


def settle() -> None:
    """Let what was closed go: deferred deletions, then Python's cycles, which may defer more of them."""
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QCoreApplication.processEvents()
        gc.collect()


def empty_caches() -> None:
    """Let go what is kept only while there is room: caches with a bound, which would fill for tens of thousands of
    actions. What is kept without a bound stays, and counts."""
    QPixmapCache.clear()
    for one in gc.get_objects():
        if isinstance(one, PixmapCache):
            one.clear()
        elif isinstance(one, functools._lru_cache_wrapper) and one.cache_info().maxsize is not None:
            one.cache_clear()
    gc.collect()


def cost() -> Cost:
    """What there is now, once everything that can go has gone."""
    settle()
    cached = resident()
    empty_caches()
    objects = [o for o in gc.get_objects() if issubclass(type(o), QObject) and isValid(o)]
    timers = sum(1 for o in objects if isinstance(o, QTimer) and o.isActive())
    many, children = len(objects), sum(len(below(top)) for top in QApplication.topLevelWidgets())
    widgets, none = len(QApplication.allWidgets()), sys.getrefcount(None)
    del objects[:]
    return Cost(
        resident(),
        cached,
        lent(),
        sys.getallocatedblocks(),
        widgets,
        max(many, children),
        timers,
        none,
    )


def resident() -> int:
    """Bytes of memory that this process alone holds, as Linux tells them; 0 elsewhere.

    Pages of files do not count: a font is mapped as a whole, and more of it is seen with every character.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(
            0
        )  # what was freed goes back to the system, so that memory means memory in use
    with suppress(OSError):
        pages, shared = map(int, Path("/proc/self/statm").read_text().split()[1:3])
        return (pages - shared) * 4096
    return 0


class _Heap(ctypes.Structure):
    """`struct mallinfo2` of the GNU C library."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        )
    ]


def lent() -> int:
    """Bytes that the C library has lent out and not got back; 0 where it does not tell."""
    with suppress(OSError, AttributeError):
        tell = ctypes.CDLL(None).mallinfo2
        tell.restype = _Heap
        heap = tell()
        return int(heap.uordblks + heap.hblkhd)
    return 0


def growth(costs: Sequence[Cost]) -> dict[str, float]:
    """By what part each of GROWING grew, from the first third after warm-up to the last, and by
    what part references to None were lost. Too few looks tell nothing."""
    settled = costs[int(len(costs) * WARM_UP) :]
    third = len(settled) // 3
    if third < 2:
        return {}
    early, late = settled[:third], settled[-third:]
    grown = {name: _part(early, late, name) for name in GROWING}
    return grown | {"references to None lost": -_part(early, late, "none")}


def _part(early: Sequence[Cost], late: Sequence[Cost], name: str) -> float:
    before, after = (median(getattr(cost, name) for cost in costs) for costs in (early, late))
    return float((after - before) / max(before, 1))
