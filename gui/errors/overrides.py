"""Exceptions in functions that Qt calls, made whole before PySide takes them.

With Python 3.11, PySide6 6.11 reads an exception that C code has raised there (an index beyond a list or an array, a
division by 0) before Python has made an object of it, and the program ends. Once caught, an exception is an object.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from shiboken6 import Shiboken

NEEDED = sys.version_info < (3, 12)  # from then on every exception is an object at once
_OF_QT = ("PySide6", "Shiboken")
_BASE: Any = Shiboken.Object
_GUARDED = "_guarded"


def guard_overrides() -> None:
    """From now on, in every class over one of Qt's, those that are made later, too."""
    if NEEDED and "__init_subclass__" not in vars(_BASE):
        for each in _below(_BASE):
            _guard(each)
        _BASE.__init_subclass__ = classmethod(_guard_new)


def _guard_new(cls: Any, /, **named: Any) -> None:
    super(_BASE, cls).__init_subclass__(**named)
    _guard(cls)


def _guard(cls: type) -> None:
    if not cls.__module__.startswith(_OF_QT):
        qts = [vars(base) for base in cls.__mro__ if base.__module__.startswith(_OF_QT)]
        for name, function in list(vars(cls).items()):
            if _may_fail(name, function) and any(name in qt for qt in qts):
                setattr(cls, name, _whole(function))


def _may_fail(name: str, function: object) -> bool:
    return (
        isinstance(function, FunctionType)
        and not name.startswith("__")
        and not hasattr(function, _GUARDED)
    )


def _whole(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def whole(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except BaseException:  # to have caught it is all
            raise

    setattr(whole, _GUARDED, True)
    return whole


def _below(cls: type) -> Iterator[type]:
    subclasses: list[type] = type.__subclasses__(cls)
    for each in subclasses:
        yield each
        yield from _below(each)
