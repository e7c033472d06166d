"""Memory of arrays that nobody holds any more is used again; that of arrays that somebody holds, never."""

from __future__ import annotations

import errno
import mmap
import weakref
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from core.arithmetic import array_pool as pages
from core.arithmetic import stable_sum as sums
from core.arithmetic.array_pool import fresh
from core.base.arrays import Array
from core.base.cell import Cell
from core.compute import memory
from core.compute.trace import Trace, run
from core.document import edits
from core.document.document import Document
from tests.core.documents import SIZES, make

SHAPE = (3, 5, 4)
KEEPS = hasattr(mmap, "MADV_FREE")  # whether the system can take back what waits


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """No array is too small, and none waits from one test to the next."""
    monkeypatch.setattr(pages, "LEAST", 1)
    monkeypatch.setattr(pages, "_waiting", {})
    monkeypatch.setattr(pages, "_again", {})
    monkeypatch.setattr(sums, "SMALL_PRODUCT", 0)


def place(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def test_what_nobody_holds_is_used_again() -> None:
    one, other = fresh(SHAPE), fresh(SHAPE)
    assert not np.shares_memory(one, other)
    places = {place(one), place(other)}
    del one, other
    again = [fresh(SHAPE) for _ in range(2)]
    assert ({place(array) for array in again} == places) is KEEPS


def test_what_linux_counts_as_available_although_it_is_lent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Memory that has waited and is lent again is not available, whatever the system says."""
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemAvailable:  1 kB\n", encoding="ascii")
    monkeypatch.setattr(memory, "MEMINFO", meminfo)
    size = 8 * 3 * 5 * 4
    one = fresh(SHAPE)
    assert memory.available() == 1024
    del one
    assert memory.available() == 1024
    again = [fresh(SHAPE) for _ in range(2)]  # one of them new
    assert memory.available() == 1024 - size * KEEPS
    del again[:]
    assert memory.available() == 1024


def test_a_view_holds_its_array() -> None:
    one = fresh(SHAPE)
    one[...] = 7.0
    row = one[1][2:4].T  # views of views
    del one
    new = fresh(SHAPE)
    new[...] = 8.0
    assert not np.shares_memory(row, new)
    assert row.tolist() == [[7.0, 7.0]] * 4


def test_what_waits_goes_when_another_size_is_asked_for() -> None:
    early, late = fresh(SHAPE), fresh(SHAPE)
    del early
    other = fresh((2, 2, 2))
    del late  # nobody asks for its size any more
    assert not any(pages._waiting.values())
    assert other.shape == (2, 2, 2)


def test_no_more_waits_than_a_trace_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST", 2)
    many = [fresh(SHAPE) for _ in range(5)]
    many.clear()
    assert [len(waiting) for waiting in pages._waiting.values()] == ([2] if KEEPS else [])


def test_small_arrays_are_numpys_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "LEAST", 61)
    assert fresh(SHAPE).flags.owndata
    assert pages._waiting == {}


@pytest.mark.parametrize("advice", ["_FREE", "_HUGE"])
def test_a_system_that_knows_no_such_advice(monkeypatch: pytest.MonkeyPatch, advice: str) -> None:
    """One that does not know how to take memory back keeps none; huge pages are only faster."""
    monkeypatch.setattr(pages, advice, 12345)  # which no system knows
    array = fresh(SHAPE)
    array[...] = 3.0
    assert array.sum() == 180.0
    del array
    assert any(pages._waiting.values()) is (KEEPS and advice == "_HUGE")
    monkeypatch.setattr(pages, advice, None)
    array = fresh(SHAPE)
    array[...] = 4.0
    assert array.sum() == 240.0


def test_where_no_memory_is_mapped_numpy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: Any, **_named: Any) -> NoReturn:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr(mmap, "mmap", refuse)
    assert fresh(SHAPE).shape == SHAPE


EXPERIMENTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "one head": {"sizes": {**SIZES, "h": 1}, "output": True},
    "all parts": {
        "positional": "alibi",
        "mask": "causal",
        "biases": True,
        "output": True,
        "off": (1,),
    },
    "rotary, with pins": {"positional": "rotary", "mask": "window", "pins": 12},
    "context": {"context": 7, "mask": "custom", "output": True},
}


@pytest.mark.parametrize("parts", EXPERIMENTS.values(), ids=list(EXPERIMENTS))
def test_runs_in_used_memory_are_as_runs_in_new(
    monkeypatch: pytest.MonkeyPatch, parts: dict[str, Any]
) -> None:
    """Edit after edit, with the trace before as in a session; a trace that is held stays as it was."""
    document = make(**parts)
    documents = [document, *(edited(document, number) for number in range(1, 6))]
    with monkeypatch.context() as apart:
        apart.setattr(pages, "_FREE", None)
        plain = [bits(run(each)) for each in documents]
    held = trace = run(document)
    spoil(document)
    for each, expected in zip(documents, plain, strict=True):
        trace = run(each, trace)
        assert bits(trace) == expected
    assert bits(held) == plain[0]


def edited(document: Document, number: int) -> Document:
    return edits.with_cell(
        document, Cell("X", number % document.n, number % document.d), 0.5 * number
    )


def spoil(document: Document) -> None:
    """Fill what the next run is written to with what no sum survives."""
    many = [fresh((document.h, document.n, document.m)) for _ in range(pages.MOST)]
    for array in many:
        array[...] = np.nan


def bits(trace: Trace) -> dict[str, bytes]:
    assert not any(array.flags.writeable for array in trace.arrays.values())
    return {stage: array.tobytes() for stage, array in trace.arrays.items()}


def test_the_owner_of_an_array_goes_with_it_and_its_parts() -> None:
    """Pictures of numbers are kept as long as their owner lives: the memory itself lives on, with other numbers."""
    array = fresh(SHAPE)
    part = array[0]
    owner = weakref.ref(array if array.base is None else array.base)
    assert part.base is owner()
    del array
    assert owner() is not None
    del part
    assert owner() is None
