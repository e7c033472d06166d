"""Arithmetic without warnings: what overflows is brought back to the largest double by those who may overflow."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")


class _Here(threading.local):
    quiet = False


_here = _Here()


def ignore_float_errors(function: Callable[P, T]) -> Callable[P, T]:
    """The function with NumPy's warnings off. One within another costs nothing more, as there are dozens in a run."""

    @wraps(function)
    def quiet(*args: P.args, **kwargs: P.kwargs) -> T:
        if _here.quiet:
            return function(*args, **kwargs)
        _here.quiet = True
        try:
            with np.errstate(all="ignore"):
                return function(*args, **kwargs)
        finally:
            _here.quiet = False

    return quiet
