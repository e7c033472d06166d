"""What a window costs at rest: memory, widgets, objects, timers and references to None."""

from __future__ import annotations

import ctypes
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

WARM_UP = 0.3  # of the looks: caches of glyphs, formulas and modules fill first


@dataclass(frozen=True, slots=True)
class Cost:
    """One look: `memory` in bytes (0 where the system does not tell), the others are counts."""

    memory: int
    widgets: int
    objects: int
    timers: int
    none: int


def settle() -> None:
    """Let what was closed go: deferred deletions, then Python's cycles, which may defer more of them."""
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QCoreApplication.processEvents()
        gc.collect()


def cost() -> Cost:
    """What there is now, once everything that can go has gone."""
    settle()
    QPixmapCache.clear()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)  # what was freed goes back to the system, so that memory means memory in use
    objects = [o for o in gc.get_objects() if issubclass(type(o), QObject) and isValid(o)]
    timers = sum(1 for o in objects if isinstance(o, QTimer) and o.isActive())
    children = sum(len(top.findChildren(QObject)) for top in QApplication.topLevelWidgets())
    return Cost(resident(), len(QApplication.allWidgets()), max(len(objects), children), timers, sys.getrefcount(None))


def resident() -> int:
    """Bytes of memory that this process holds, as Linux tells them; 0 elsewhere."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    return 0


def growth(costs: Sequence[Cost]) -> dict[str, float]:
    """By what part memory, widgets, objects and timers grew, from the first third after warm-up to the last, and by
    what part references to None were lost. Too few looks tell nothing."""
    settled = costs[int(len(costs) * WARM_UP) :]
    third = len(settled) // 3
    if third < 2:
        return {}
    early, late = settled[:third], settled[-third:]
    grown = {name: _part(early, late, name) for name in ("memory", "widgets", "objects", "timers")}
    return grown | {"references to None lost": -_part(early, late, "none")}


def _part(early: Sequence[Cost], late: Sequence[Cost], name: str) -> float:
    before, after = (median(getattr(cost, name) for cost in costs) for costs in (early, late))
    return float((after - before) / max(before, 1))
