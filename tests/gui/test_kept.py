"""What is kept of a run: found again, bounded, and let go with the run."""

from __future__ import annotations

import gc
import weakref
from functools import partial

from gui.painting.cache import RunCache


class Run:
    """Equal to itself alone, as documents and traces are."""


def test_a_key_is_made_once_while_the_run_is_shown() -> None:
    kept, run, made = RunCache[str](3), Run(), []
    kept.keep_to(run, "light")

    def make() -> str:
        made.append("x")
        return "scene"

    assert kept.get("a", make) == "scene"
    assert not kept.keep_to(run, "light")
    assert kept.get("a", make) == "scene"
    assert made == ["x"]


def test_another_run_or_dress_lets_all_go() -> None:
    kept, run = RunCache[int](3), Run()
    assert kept.keep_to(run, "light")
    kept.get("a", lambda: 1)
    assert kept.keep_to(run, "dark")
    assert kept.get("a", lambda: 2) == 2
    assert kept.keep_to(Run(), "dark")
    assert kept.get("a", lambda: 3) == 3


def test_the_longest_unused_ones_go_first() -> None:
    kept = RunCache[int](3)
    for number, key in enumerate("abc"):
        kept.get(key, partial(int, number))
    kept.get("a", lambda: 99)
    kept.get("d", lambda: 3)
    assert {key: kept.get(key, lambda: 99) for key in "acd"} == {"a": 0, "c": 2, "d": 3}
    assert kept.get("b", lambda: 7) == 7


def test_what_is_kept_to_nothing_holds_no_run() -> None:
    kept, run = RunCache[Run](3), Run()
    kept.keep_to(run)
    kept.get("a", Run)
    seen = [weakref.ref(run), weakref.ref(kept.get("a", Run))]
    del run
    gc.collect()
    assert [ref() is not None for ref in seen] == [True, True]
    kept.keep_to()
    gc.collect()
    assert [ref() for ref in seen] == [None, None]
