"""The same for each of several matrices, side by side where they are large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import TypeVar

from core.arithmetic.blockwise import THREADED_CELLS

T = TypeVar("T")
R = TypeVar("R")


def each(function: Callable[[T], R], items: Sequence[T], cells: int) -> list[R]:
    """What the function makes of each; among threads where there are many cells in all. It touches nothing of Qt."""
    if len(items) < 2 or cells < THREADED_CELLS:
        return [function(item) for item in items]
    with ThreadPoolExecutor(max_workers=cpu_count()) as pool:
        return list(pool.map(function, items))
