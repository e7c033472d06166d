"""Arithmetic without warnings, within itself too, and only there."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from core.base.errstate import ignore_float_errors

HUGE = np.array([1e308])


@ignore_float_errors
def overflow() -> float:
    return float((HUGE * 10.0)[0])


@ignore_float_errors
def twice() -> float:
    return overflow() + float((HUGE * 10.0)[0])


@ignore_float_errors
def failing() -> None:
    overflow()
    raise LookupError


def test_nothing_is_said_within_and_everything_afterwards() -> None:
    with np.errstate(all="raise"):
        assert twice() == np.inf
        with pytest.raises(LookupError):
            failing()
        with pytest.raises(FloatingPointError):
            HUGE * 10.0
        assert twice() == np.inf


def test_another_thread_is_quiet_by_itself() -> None:
    heard: list[object] = []

    @ignore_float_errors
    def within() -> None:
        threads = [threading.Thread(target=_hear, args=(heard, work)) for work in (loud, overflow)]
        for thread in threads:
            thread.start()
            thread.join()

    within()
    assert heard == ["raised", np.inf]


def loud() -> float:
    with np.errstate(all="raise"):
        return float((HUGE * 10.0)[0])


def _hear(heard: list[object], work: object) -> None:
    try:
        heard.append(work())  # type: ignore[operator]
    except FloatingPointError:
        heard.append("raised")
